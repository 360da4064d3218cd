"""The check as a page with pictures: an HTML file and JPEG contact sheets in one folder, no network needed."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import jinja2
import numpy as np

from vision.dataset.check import CheckReport, group_of, split_of
from vision.dataset.entries import Dataset, Entry
from vision.dataset.sample import LabelledBox
from vision.dataset.sheets import Image, contact_sheet, tile_sheet
from vision.picture import PictureError, load_picture

_PAIRS_SHOWN = 24
_FAULTS_SHOWN = 24
_ISSUES_SHOWN = 200
_PICTURES_A_GROUP = 4
_TILES_A_CLASS = 16


def write_report(dataset: Dataset, report: CheckReport, folder: Path, seed: int = 0) -> Path:
    """Write `index.html` and its sheets into `folder`; the path of the page. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    by_image = {entry.sample.image: entry for entry in dataset.entries}
    rng = random.Random(seed)
    sheets = [
        ("Pictures, some of every group", "groups.jpg", _groups(dataset.entries, rng)),
        ("Tiles, some of every class", "tiles.jpg", _tiles(dataset.entries, rng)),
        ("Twins and near twins (left and right)", "pairs.jpg", _pairs(report, by_image)),
        ("Boxes that can hardly be right", "faults.jpg", _faults(report, by_image)),
    ]
    shown = []
    for title, name, sheet in sheets:
        if sheet is not None:
            _save(folder / name, sheet)
            shown.append((title, name))
    page = folder / "index.html"
    template = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_TEMPLATE)
    most = max((max(row.values(), default=0) for row in report.classes.values()), default=0)
    text = template.render(r=report, sheets=shown, most=max(most, 1), issues=report.issues[:_ISSUES_SHOWN])
    page.write_text(text, encoding="utf-8")
    return page


def _save(path: Path, image: Image) -> None:
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])
    if not ok:
        raise OSError(f"{path} could not be encoded")
    path.write_bytes(data.tobytes())


def _picture(entry: Entry | None) -> Image | None:
    if entry is None or entry.picture is None:
        return None
    try:
        return load_picture(entry.picture)
    except PictureError:
        return None


def _groups(entries: Sequence[Entry], rng: random.Random) -> Image | None:
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[split_of(entry.sample), group_of(entry.sample)].append(entry)
    chosen = []
    for key in sorted(groups):
        picked = rng.sample(groups[key], min(_PICTURES_A_GROUP, len(groups[key])))
        chosen += [(entry, f"{key[0]}: {entry.sample.name}") for entry in picked]
    return _sheet((entry, entry.sample.boxes, caption) for entry, caption in chosen)


def _sheet(items: Iterable[tuple[Entry | None, Sequence[LabelledBox], str]]) -> Image | None:
    loaded = [(_picture(entry), boxes, caption) for entry, boxes, caption in items]
    usable = [(image, boxes, caption) for image, boxes, caption in loaded if image is not None]
    return contact_sheet(usable) if usable else None


def _pairs(report: CheckReport, by_image: dict[str, Entry]) -> Image | None:
    items: list[tuple[Entry | None, Sequence[LabelledBox], str]] = []
    for pair in report.pairs[:_PAIRS_SHOWN]:
        for name, split in zip((pair.one, pair.two), pair.splits, strict=True):
            items.append((by_image.get(name), (), f"{pair.distance} bits, {split}: {name}"))
    return _sheet(items)


def _faults(report: CheckReport, by_image: dict[str, Entry]) -> Image | None:
    items: list[tuple[Entry | None, Sequence[LabelledBox], str]] = []
    for fault in report.faults[:_FAULTS_SHOWN]:
        entry = by_image.get(fault.image)
        if entry is not None:
            items.append((entry, entry.sample.boxes[fault.index : fault.index + 1], f"{fault.kind}: {fault.message}"))
    return _sheet(items)


def _tiles(entries: Sequence[Entry], rng: random.Random) -> Image | None:
    places: dict[str, list[tuple[Entry, LabelledBox]]] = defaultdict(list)
    for entry in entries:
        for box in entry.sample.boxes:
            places[box.code].append((entry, box))
    wanted: dict[str, list[LabelledBox]] = defaultdict(list)
    owner: dict[str, Entry] = {}
    for code in sorted(places):
        for entry, box in rng.sample(places[code], min(_TILES_A_CLASS, len(places[code]))):
            wanted[entry.sample.image].append(box)
            owner[entry.sample.image] = entry
    tiles: dict[str, list[tuple[Image, str]]] = defaultdict(list)
    for image, boxes in wanted.items():
        picture = _picture(owner[image])
        for box in boxes:
            crop = None if picture is None else _crop(picture, box)
            if crop is not None:
                tiles[box.code].append((crop, box.code))
    blank = np.full((74, 56, 3), 40, np.uint8)
    flat = [
        tile for code in sorted(tiles) for tile in (*tiles[code], *[(blank, "")] * (_TILES_A_CLASS - len(tiles[code])))
    ]
    return tile_sheet(flat, _TILES_A_CLASS) if flat else None


def _crop(picture: Image, box: LabelledBox) -> Image | None:
    x1, y1, x2, y2 = (max(0, round(v)) for v in box.box)
    crop = picture[y1:y2, x1:x2]
    return crop if min(crop.shape[:2]) >= 2 else None


_TEMPLATE = """<!DOCTYPE html>
<html lang="zh-Hant"><head><meta charset="utf-8"><title>資料集檢查 Data set check</title><style>
body { font: 15px/1.5 system-ui, "Noto Sans TC", sans-serif; margin: 2rem auto; max-width: 84rem; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .1rem .6rem; text-align: right; }
td:first-child, th:first-child { text-align: left; } tr:nth-child(even) { background: #f2f2f2; }
.bar { display: inline-block; height: .8em; background: #3a7; } .bad { color: #b00; } .good { color: #060; }
img { max-width: 100%; } details { margin: .5rem 0; }
</style></head><body>
<h1>資料集檢查 <small>Data set check</small></h1>
<p class="{{ 'good' if r.ok else 'bad' }}"><b>{{ '沒有發現問題 Nothing wrong was found.' if r.ok
 else '發現需要處理的問題 There is something to mend.' }}</b></p>
<p>{{ r.pictures }} pictures, {{ r.boxes }} boxes;
{% for split, n in r.splits.items() %}{{ split }} {{ n }}{{ ', ' if not loop.last }}{% endfor %}.</p>
<h2>問題 Findings</h2><ul>
<li>{{ r.pairs|selectattr('across')|list|length }} pairs of (nearly) the same picture across splits,
 {{ r.pairs|rejectattr('across')|list|length }} within a split</li>
<li>{{ r.faults|length }} boxes that can hardly be right</li>
<li>{{ r.unknown|length }} unknown classes{% for name, n in r.unknown.items() %} · {{ name }} ({{ n }}){% endfor %}</li>
<li>{{ r.empty|length }} pictures without boxes; {{ r.missing_pictures|length }} labels without their picture</li>
<li>{{ r.shared_sets|length }} tile sets in several splits
{% for name, splits in r.shared_sets.items() %} · {{ name }} ({{ splits|join(', ') }}){% endfor %}</li>
{% for split, codes in r.missing_classes.items() %}{% if codes %}
<li>{{ split }} lacks {{ codes|join(' ') }}</li>{% endif %}{% endfor %}
{% for split, codes in r.scarce_classes.items() %}{% if codes %}
<li>{{ split }} has few of {{ codes|join(' ') }}</li>{% endif %}{% endfor %}
</ul>
{% if r.looks %}<h2>牌組外觀 Do the tiles look like those trained on?</h2>
<p>A high share means the same tile sets are in training: what is measured there says little about new sets.</p>
<table><tr><th>split</th><th>group</th><th>tiles</th><th>with a look-alike in train</th><th>median likeness</th></tr>
{% for look in r.looks %}<tr><td>{{ look.split }}</td><td>{{ look.group }}</td><td>{{ look.tiles }}</td>
<td>{{ '%.0f' % (look.share * 100) }} %</td><td>{{ '%.2f' % look.median }}</td></tr>{% endfor %}</table>{% endif %}
{% for title, name in sheets %}<h2>{{ title }}</h2><a href="{{ name }}"><img src="{{ name }}" alt="{{ title }}"></a>
{% endfor %}
<h2>類別 Classes</h2><table><tr><th>class</th>{% for split in r.splits %}<th>{{ split }}</th>{% endfor %}<th></th></tr>
{% for name, row in r.classes.items() %}<tr><td>{{ name }}</td>{% for n in row.values() %}<td>{{ n }}</td>{% endfor %}
<td style="text-align:left"><span class="bar" style="width:{{ 20 * (row.values()|max) / most }}rem"></span></td></tr>
{% endfor %}</table>
{% if r.pairs %}<details><summary>All pairs</summary><table>
{% for p in r.pairs %}<tr><td>{{ p.distance }} bits</td><td>{{ p.splits[0] }} {{ p.one }}</td>
<td>{{ p.splits[1] }} {{ p.two }}</td></tr>{% endfor %}</table></details>{% endif %}
{% if r.faults %}<details><summary>All doubtful boxes</summary><table>
{% for f in r.faults %}<tr><td>{{ f.kind }}</td><td>{{ f.image }}</td><td>{{ f.message }}</td></tr>{% endfor %}
</table></details>{% endif %}
{% if issues %}<details open><summary>{{ r.issues|length }} remarks from reading</summary><ul>
{% for issue in issues %}<li>{{ issue }}</li>{% endfor %}</ul></details>{% endif %}
</body></html>
"""
