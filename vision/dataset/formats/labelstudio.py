"""Label Studio: tasks to import there (accepted samples as annotations, proposals as predictions), and its export.

Read are the JSON export (tasks with `annotations`) and JSON-MIN. A task keeps our metadata in `data.taicam`, a region
in `meta.taicam`; a label that a person changed there comes back with `read_as` set to what it was.
"""

from __future__ import annotations

import json
import math
import re
import urllib.parse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vision.dataset.entries import (
    Dataset,
    Entry,
    ReadOptions,
    WriteOptions,
    WriteReport,
    exportable,
    pack_box,
    pack_sample,
    picture_size,
    place_picture,
    read_code,
    unique_names,
    used_classes,
)
from vision.dataset.formats.shared import PictureFinder, boxes_within, build_box, build_sample, load_json, numbers
from vision.dataset.issues import DatasetError, Issues
from vision.dataset.sample import LabelledBox, Sample

_FROM, _TO = "label", "image"
#: Label Studio puts this before the names of uploaded files.
_UPLOAD_PREFIX = re.compile(r"^[0-9a-f]{8}-")
_PICTURE_KEYS = ("image", "img", "picture", "photo")
#: A region counts as moved by a person when a corner went further than this, in hundredths of the picture.
_STILL = 0.01


def looks_like(source: Path) -> bool:
    """A JSON list of tasks, or a folder whose only such file it is."""
    path = _file(source)
    if path is None:
        return False
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, list) and bool(data) and isinstance(data[0], dict) and _is_task(data[0])


def _is_task(task: Mapping[str, Any]) -> bool:
    return isinstance(task.get("data"), dict) or any(isinstance(task.get(key), str) for key in _PICTURE_KEYS)


def _file(source: Path) -> Path | None:
    if source.is_file():
        return source if source.suffix == ".json" else None
    found = sorted(source.glob("*.json"))
    return source / "tasks.json" if source / "tasks.json" in found else found[0] if len(found) == 1 else None


def read(source: Path, options: ReadOptions) -> Dataset:
    """An export file, or a folder with one JSON in it. Raises DatasetError."""
    path = _file(source)
    if path is None:
        raise DatasetError(f"{source}: name the exported JSON file itself")
    data = load_json(path)
    if isinstance(data, dict):
        data = [data]  # a task export by the storage sync: one object a file
    if not isinstance(data, list):
        raise DatasetError(f"{path}: a Label Studio export is a list of tasks")
    dataset = Dataset()
    finder = PictureFinder([path.parent / "images", path.parent])
    for index, task in enumerate(data):
        where = f"[{index}]"
        if not isinstance(task, dict) or not _is_task(task):
            dataset.issues.error(path.name, where, "not a task with a picture: left out")
            continue
        entry = _Task(task, path.name, where, options, dataset.issues).read(finder)
        if entry is not None:
            dataset.entries.append(entry)
    return dataset


class _Task:
    """One task on its way to an entry."""

    def __init__(self, task: Mapping[str, Any], file: str, where: str, options: ReadOptions, issues: Issues) -> None:
        self.task = task
        self.file = file
        self.where = where
        self.options = options
        self.issues = issues
        self.size: tuple[int, int] | None = None

    def read(self, finder: PictureFinder) -> Entry | None:
        data = self.task.get("data")
        fields: Mapping[str, Any] = data if isinstance(data, dict) else self.task
        url = next((fields[key] for key in _PICTURE_KEYS if isinstance(fields.get(key), str)), None)
        if url is None:
            self.issues.error(self.file, f"{self.where}.data", "names no picture: left out")
            return None
        packed = fields.get("taicam")
        packed = dict(packed) if isinstance(packed, dict) else {}
        name = str(packed.pop("image", "") or _name_in(url))
        regions, judged, place = self._regions()
        boxes = [box for box in (self._region(r, judged, f"{place}[{i}]") for i, r in enumerate(regions)) if box]
        picture = finder.find(name) or finder.find(_UPLOAD_PREFIX.sub("", name))
        width, height = self._size(packed, picture)
        packed["state"] = "accepted" if judged else "proposed"
        inside = boxes_within(boxes, width, height, self.issues, self.file)
        sample = build_sample(name, width, height, inside, packed, self.issues, self.file, self.where)
        return None if sample is None else Entry(sample, picture)

    def _size(self, packed: dict[str, Any], picture: Path | None) -> tuple[int | None, int | None]:
        stated = (packed.pop("width", None), packed.pop("height", None))
        if all(isinstance(v, int) for v in stated):
            return stated
        if self.size is not None:
            return self.size
        try:
            return picture_size(picture) if picture is not None else (None, None)
        except ValueError:
            return (None, None)

    def _regions(self) -> tuple[Sequence[Any], bool, str]:
        """The regions that count, whether a person made them, and where they stand in the file."""
        if not isinstance(self.task.get("data"), dict):  # JSON-MIN
            found = self.task.get(_FROM) or self.task.get("bbox") or []
            return (found if isinstance(found, list) else []), True, f"{self.where}.{_FROM}"
        annotations = self.task.get("annotations", self.task.get("completions")) or []
        usable = [
            (index, a)
            for index, a in enumerate(annotations)
            if isinstance(a, dict) and not a.get("was_cancelled") and isinstance(a.get("result"), list)
        ]
        if usable:
            # The one marked as truth, else the last one saved.
            index, best = max(
                usable,
                key=lambda item: (bool(item[1].get("ground_truth")), str(item[1].get("updated_at") or ""), item[0]),
            )
            if len(usable) > 1:
                self.issues.note(self.file, self.where, f"{len(usable)} annotations: annotations[{index}] was taken")
            return best["result"], True, f"{self.where}.annotations[{index}].result"
        predictions = [p for p in self.task.get("predictions") or [] if isinstance(p, dict)]
        if predictions and isinstance(predictions[-1].get("result"), list):
            place = f"{self.where}.predictions[{len(predictions) - 1}].result"
            return predictions[-1]["result"], False, place
        return [], False, self.where

    def _region(self, region: Any, judged: bool, where: str) -> LabelledBox | None:
        if not isinstance(region, dict):
            self.issues.error(self.file, where, "not an object: left out")
            return None
        value = region.get("value") if isinstance(region.get("value"), dict) else region
        assert isinstance(value, dict)
        labels = value.get("rectanglelabels") or value.get("labels")
        if "x" not in value or labels is None:
            if region.get("type") not in ("rectangle", "choices", "textarea", "rating"):
                self.issues.error(
                    self.file, where, f"a {region.get('type', 'region')} without a box and label: left out"
                )
            return None
        size = numbers([region.get("original_width"), region.get("original_height")], 2)
        if size is None or min(size) <= 0:
            self.issues.error(self.file, where, "original_width and original_height are missing: the box was left out")
            return None
        self.size = (int(size[0]), int(size[1]))
        shares = numbers([value.get(key) for key in ("x", "y", "width", "height")], 4)
        if shares is None or shares[2] <= 0 or shares[3] <= 0:
            self.issues.error(self.file, where, "x, y, width, height make no box: left out")
            return None
        if len(labels) != 1:
            self.issues.warning(self.file, where, f"{len(labels)} labels on one box: the first was taken")
        code = read_code(str(labels[0]) if labels else "", self.options, self.issues, self.file, where)
        if code is None:
            return None
        if float(value.get("rotation") or 0) % 360:
            self.issues.warning(self.file, where, "a turned box: its upright bounding box was taken")
        corners = _corners(shares, float(value.get("rotation") or 0), size)
        return build_box(corners, code, self._packed(region, code, shares, judged), self.issues, self.file, where)

    def _packed(self, region: Mapping[str, Any], code: str, shares: tuple[float, ...], judged: bool) -> dict[str, Any]:
        meta = region.get("meta")
        ours = meta.get("taicam") if isinstance(meta, dict) else None
        if not isinstance(ours, dict):
            untouched = region.get("origin") == "prediction"
            packed: dict[str, Any] = {"origin": ("confirmed" if untouched else "person") if judged else "model"}
            if isinstance(region.get("score"), int | float) and not judged:
                packed["confidence"] = region["score"]
            return packed
        packed = dict(ours)
        was_code = packed.pop("code", code)
        was_at = packed.pop("shares", None)
        moved = was_at is not None and any(abs(a - b) > _STILL for a, b in zip(was_at, shares, strict=False))
        if was_code != code:
            packed.setdefault("read_as", was_code)
        if judged and (was_code != code or moved):
            packed["origin"] = "person"
        elif judged and region.get("origin") == "prediction":
            packed["origin"] = "confirmed"
        return packed


def _name_in(url: str) -> str:
    """The picture's name in a task's address: `/data/upload/3/ab12cd34-x.jpg`, `/data/local-files/?d=a/x.jpg`, `s3://…`."""
    parts = urllib.parse.urlsplit(url)
    local = urllib.parse.parse_qs(parts.query).get("d")
    path = local[0] if local else urllib.parse.unquote(parts.path)
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or url


def _corners(shares: tuple[float, ...], rotation: float, size: tuple[float, ...]) -> tuple[float, float, float, float]:
    """Pixels from hundredths. Label Studio turns a box about its top left corner, clockwise."""
    x, y, w, h = (shares[0] * size[0], shares[1] * size[1], shares[2] * size[0], shares[3] * size[1])
    x, y, w, h = x / 100, y / 100, w / 100, h / 100
    if not rotation % 360:
        return x, y, x + w, y + h
    cos, sin = math.cos(math.radians(rotation)), math.sin(math.radians(rotation))
    points = [(x + dx * cos - dy * sin, y + dx * sin + dy * cos) for dx in (0.0, w) for dy in (0.0, h)]
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs), min(ys), max(xs), max(ys)


def write(entries: Sequence[Entry], target: Path, options: WriteOptions) -> WriteReport:
    """`tasks.json`, `label_config.xml`, `images/`; nothing is lost. Proposed samples go as predictions, always."""
    report = WriteReport()
    kept = exportable(entries, WriteOptions(pictures=options.pictures, classes=options.classes, proposed=True), report)
    order = used_classes(kept, options)
    tasks = []
    for entry, name in zip(kept, unique_names(kept, report.issues), strict=True):
        place_picture(entry, target / "images" / name, options, report)
        tasks.append(_task(entry.sample, name, options))
        report.pictures += 1
        report.boxes += len(entry.sample.boxes)
    path = target / "tasks.json"
    path.write_text(json.dumps(tasks, ensure_ascii=False, indent=1), encoding="utf-8")
    config = target / "label_config.xml"
    config.write_text(label_config(order), encoding="utf-8")
    report.files += [path, config]
    return report


def label_config(order: Sequence[str]) -> str:
    """The labelling interface for these classes."""
    labels = "\n".join(f'    <Label value="{code}"/>' for code in order)
    return (
        f'<View>\n  <Image name="{_TO}" value="$image" zoom="true"/>\n'
        f'  <RectangleLabels name="{_FROM}" toName="{_TO}">\n{labels}\n  </RectangleLabels>\n</View>\n'
    )


def _task(sample: Sample, name: str, options: WriteOptions) -> dict[str, Any]:
    ours = {**pack_sample(sample), "image": name, "width": sample.width, "height": sample.height}
    regions = [_write_region(box, sample, index) for index, box in enumerate(sample.boxes)]
    task: dict[str, Any] = {
        "data": {"image": options.image_url.replace("{name}", urllib.parse.quote(name)), "taicam": ours}
    }
    if sample.state == "accepted":
        task["annotations"] = [{"result": regions, "ground_truth": True, "was_cancelled": False}]
    else:
        known = [box.confidence for box in sample.boxes if box.confidence is not None]
        model = " ".join(str(v) for v in sample.model.values() if isinstance(v, str)) or "taicam"
        task["predictions"] = [{"model_version": model, "score": min(known, default=0.0), "result": regions}]
    return task


def _write_region(box: LabelledBox, sample: Sample, index: int) -> dict[str, Any]:
    x1, y1, x2, y2 = box.box
    width, height = sample.width, sample.height
    shares = (x1 / width * 100, y1 / height * 100, (x2 - x1) / width * 100, (y2 - y1) / height * 100)
    region: dict[str, Any] = {
        "id": f"tile{index}",
        "from_name": _FROM,
        "to_name": _TO,
        "type": "rectanglelabels",
        "original_width": width,
        "original_height": height,
        "image_rotation": 0,
        "value": {
            **dict(zip(("x", "y", "width", "height"), shares, strict=True)),
            "rotation": 0,
            "rectanglelabels": [box.code],
        },
        "meta": {"taicam": {**pack_box(box), "code": box.code, "shares": list(shares)}},
    }
    if box.confidence is not None:
        region["score"] = box.confidence
    return region
