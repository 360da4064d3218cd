"""The evaluation as one self-contained HTML page: tables, reliability and confusion plots, the worst pictures."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2

from vision.evaluate import Evaluation, worst
from vision.evaluate_plots import confusion_plot, reliability_plot
from vision.metrics import match
from vision.picture import load_picture

_STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;color:#222}
table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:right}
td:first-child,th:first-child{text-align:left}small{color:#777;white-space:nowrap}img{max-width:22rem;margin:.3rem}
figure{display:inline-block;margin:.4rem;vertical-align:top}figcaption{font-size:.8rem;max-width:22rem}
.bad{color:#b00}"""
_TILES = ("precision", "recall", "class_accuracy", "exact_pictures", "exact_rows")
_NAMES = {
    "exact hands": "exact",
    "asked": "asked",
    "silently wrong hands": "silently_wrong",
    "taps per hand": "taps",
}
_HANDS = tuple(_NAMES)
_GREEN, _RED, _PURPLE = (60, 170, 40), (40, 40, 220), (220, 40, 200)


def write_page(
    evaluations: Evaluation | Sequence[Evaluation], path: Path, data: Path | None, verdicts: Sequence[str] = ()
) -> None:
    """Write the page.

    Args:
        evaluations: rows and figures of one reader, or of several side by side.
        path: the ``.html`` file.
        data: the data set, for the worst pictures; left out when None or when a picture is not found there.
        verdicts: sentences on how the others do against the first.
    """
    every = [evaluations] if isinstance(evaluations, Evaluation) else list(evaluations)
    body = [f"<h1>{html.escape(', '.join(one.name for one in every))}: {len(every[0].rows)} pictures</h1>"]
    if len(every) > 1:
        body += ["<h2>Side by side</h2>", _beside(every)]
        body.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in verdicts) + "</ul>")
    body += ["<h2>Calibration</h2>", reliability_plot(every)]
    for one in every:
        body += _reader(one, data)
    title = "taicam evaluate"
    page = f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>" + "\n".join(body)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def _reader(evaluation: Evaluation, data: Path | None) -> list[str]:
    figures = evaluation.to_json()
    missed = "".join(f"<li class=bad>{html.escape(line)}</li>" for line in figures["missed_targets"])
    body = [f"<h2>{html.escape(evaluation.name)}</h2>", _figures(figures["parts"], "part")]
    body.append(f"<h3>Targets missed</h3><ul>{missed}</ul>" if missed else "<p>Every target is reached.</p>")
    for key, title in (("tile_sets", "tile set"), ("lights", "light")):
        if figures[key]:
            body += [f"<h3>Per {title}</h3>", _figures(figures[key], title)]
    body += ["<h3>Per tile</h3>", _tiles(figures["per_tile"]), "<h3>Confusion</h3>", confusion_plot(evaluation)]
    if data is not None:
        body += ["<h3>Worst pictures</h3><p>green: right; red: wrong or too many; purple: missed</p>"]
        body += [_picture(row, data) for row in worst(evaluation.rows)[:12]]
    return body


def _interval(figure: Sequence[float | None] | None, digits: int = 3) -> str:
    value, low, high = figure or (None, None, None)
    return "–" if value is None else f"{value:.{digits}f}<br><small>{low:.{digits}f}–{high:.{digits}f}</small>"


def _figures(groups: dict[str, Any], what: str) -> str:
    hands = any(row.get("hands") for row in groups.values())
    titles = (what, "pictures", "tiles", *_TILES, "mAP50", "mAP50-95", "ECE", *(("hands", *_HANDS) if hands else ()))
    lines = []
    for name, row in groups.items():
        cells = [html.escape(name), row["pictures"], row.get("tiles", 0)]
        cells += [_interval(row.get(key)) for key in _TILES]
        cells += ["–" if row.get(k) is None else format(row[k], ".3f") for k in ("map50", "map50_95", "ece")]
        if hands:
            cells += [row["hands"], *(_interval(row.get(_NAMES[key])) for key in _HANDS)]
        lines.append(cells)
    return _table([title.replace("_", " ") for title in titles], lines)


def _beside(every: Sequence[Evaluation]) -> str:
    """A line a part and reader, with the figures that decide."""
    keys = ("precision", "recall", "class_accuracy", "exact_pictures")
    parts = [one.parts() for one in every]
    lines = []
    for part in parts[0]:
        for one, figures in zip(every, parts, strict=True):
            row = figures.get(part, {})
            cells = [html.escape(part), html.escape(one.name), *(_interval(row.get(key)) for key in keys)]
            cells += ["–" if row.get(k) is None else format(row[k], ".3f") for k in ("map50_95", "ece")]
            cells += [row.get("hands", 0), *(_interval(row.get(_NAMES[key])) for key in _HANDS)]
            lines.append(cells)
    titles = ("part", "reader", *(k.replace("_", " ") for k in keys), "mAP50-95", "ECE", "hands", *_HANDS)
    return _table(titles, lines)


def _tiles(per_tile: dict[str, dict[str, Any]]) -> str:
    lines = [
        [code, *(row[k] for k in ("tiles", "read", "right")), *(_share(row[k]) for k in ("precision", "recall"))]
        for code, row in per_tile.items()
    ]
    return _table(("tile", "there", "read", "right", "precision", "recall"), lines)


def _share(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if value == 1 else f"<span class=bad>{value:.3f}</span>"


def _table(titles: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<table><tr>{head}</tr>{body}</table>"


def _picture(row: dict[str, Any], data: Path) -> str:
    found = next(iter(sorted(data.glob(f"images/*/{row['image']}"))), None)
    if found is None:
        return ""
    image = load_picture(found).copy()
    matched = match(row)
    good = {f for t, f in matched.pairs if row["truth"][t][0] == row["found"][f][0]}
    for k, entry in enumerate(row["found"]):
        _mark(image, entry[2:], entry[0], _GREEN if k in good else _RED)
    for k in matched.missed:
        _mark(image, row["truth"][k][1:], row["truth"][k][0], _PURPLE)
    ok, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])
    if not ok:
        return ""
    wrong = [f"{row['truth'][t][0]} read as {row['found'][f][0]}" for t, f in matched.pairs if f not in good]
    wrong += [f"{row['truth'][t][0]} missed" for t in matched.missed]
    wrong += [f"{row['found'][f][0]} where there is none" for f in matched.extra]
    source = "data:image/jpeg;base64," + base64.b64encode(jpeg.tobytes()).decode()
    text = html.escape(f"{row['image']} ({row['part']}): {', '.join(wrong)}")
    return f'<figure><img src="{source}" alt=""><figcaption>{text}</figcaption></figure>'


def _mark(image: Any, box: list[float], code: str, colour: tuple[int, int, int]) -> None:
    x1, y1, x2, y2 = (round(v) for v in box)
    cv2.rectangle(image, (x1, y1), (x2, y2), colour, 2)
    cv2.putText(image, code, (x1 + 1, y1 + 13), cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)
