"""YOLO detection labels: `images/<split>/x.jpg`, `labels/<split>/x.txt`, and `data.yaml` with the class names.

A line is `class x-centre y-centre width height`, all but the class as shares of the picture's size. Read as well: a
sixth column (confidence), polygons (their bounding box), Roboflow's `train/images` layout, picture lists in text
files, and names from `classes.txt` or `obj.names` when there is no `data.yaml`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from vision.dataset.entries import (
    DEFAULT_SPLIT,
    Dataset,
    Entry,
    ReadOptions,
    WriteOptions,
    WriteReport,
    count_losses,
    exportable,
    picture_files,
    picture_size,
    place_picture,
    read_code,
    unique_names,
    used_classes,
)
from vision.dataset.issues import DatasetError, Issues
from vision.dataset.sample import LabelledBox, Sample

_SPLITS = ("train", "val", "test")
_SPLIT_KEYS = {"train": "train", "val": "val", "valid": "val", "validation": "val", "test": "test"}
_NAME_FILES = ("classes.txt", "obj.names")
#: How far beyond the picture a box may reach before it is called wrong rather than rounded.
_SLACK = 0.01


def looks_like(source: Path) -> bool:
    """A `data.yaml` (or any YAML given by name), or a names file with label files under it."""
    if source.is_file():
        return source.suffix in (".yaml", ".yml")
    return any((source / name).is_file() for name in ("data.yaml", "data.yml", *_NAME_FILES))


def read(source: Path, options: ReadOptions) -> Dataset:
    """A folder with `data.yaml` (or a names file), or the YAML file itself. Raises DatasetError."""
    dataset = Dataset()
    root, names, splits = _describe(source)
    codes = _Names(names, options)
    seen: set[Path] = set()
    for split, pictures in splits:
        for picture in pictures:
            if picture in seen:
                continue
            seen.add(picture)
            _read_picture(picture, split, root, codes, dataset)
    _report_orphans(root, seen, dataset.issues)
    if not dataset.entries and not dataset.issues.errors:
        raise DatasetError(f"{source} names no picture that is there: check `path`, `train`, `val` in its data.yaml")
    return dataset


class _Names:
    """Class names by index, and the code of each, looked up once and reported where first used."""

    def __init__(self, names: dict[int, str], options: ReadOptions) -> None:
        self.names = names
        self.options = options

    def code(self, index: int, issues: Issues, file: str, where: str) -> str | None:
        name = self.names.get(index)
        if name is None:
            issues.error(file, where, f"class {index} has no name (there are {len(self.names)}): the box was left out")
            return None
        return read_code(name, self.options, issues, file, where)


def _describe(source: Path) -> tuple[Path, dict[int, str], list[tuple[str | None, list[Path]]]]:
    """The folder, the names by index, and the pictures of each split."""
    if source.is_file():
        return _from_yaml(source)
    for name in ("data.yaml", "data.yml"):
        if (source / name).is_file():
            return _from_yaml(source / name)
    for name in _NAME_FILES:
        if (source / name).is_file():
            lines = (source / name).read_text(encoding="utf-8-sig").splitlines()
            names = dict(enumerate(line.strip() for line in lines if line.strip()))
            return source, names, [(None, picture_files(source))]
    raise DatasetError(
        f"{source} has neither data.yaml nor {' nor '.join(_NAME_FILES)}: without class names its numbers mean nothing"
    )


def _from_yaml(path: Path) -> tuple[Path, dict[int, str], list[tuple[str | None, list[Path]]]]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark is not None else ""
        raise DatasetError(f"{path}:{line} is not YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(data, dict):
        raise DatasetError(f"{path} holds no `names:` and `train:`: it is not the data.yaml of a YOLO data set")
    names = _names(data.get("names"), path)
    root = path.parent
    stated = data.get("path")
    base = root / str(stated) if stated and (root / str(stated)).is_dir() else root
    splits: list[tuple[str | None, list[Path]]] = []
    for key, split in _SPLIT_KEYS.items():
        if data.get(key):
            splits.append((split, list(_pictures(data[key], base))))
    return root, names, splits


def _names(value: Any, path: Path) -> dict[int, str]:
    if isinstance(value, list) and value:
        return {index: str(name) for index, name in enumerate(value)}
    if isinstance(value, dict) and value:
        try:
            return {int(index): str(name) for index, name in value.items()}
        except (TypeError, ValueError):
            raise DatasetError(f"{path}: names: the keys must be class numbers") from None
    raise DatasetError(f"{path}: names: is missing or empty: without class names its numbers mean nothing")


def _pictures(value: Any, base: Path) -> Iterator[Path]:
    for item in value if isinstance(value, list) else [value]:
        where = base / str(item)
        if not where.exists() and str(item).startswith("../"):
            where = base / str(item)[3:]  # Roboflow writes ../train/images beside data.yaml
        if where.is_dir():
            yield from picture_files(where)
        elif where.suffix == ".txt" and where.is_file():
            for line in where.read_text(encoding="utf-8").splitlines():
                if line.strip():
                    yield where.parent / line.strip() if not Path(line.strip()).is_absolute() else Path(line.strip())


def _label_path(picture: Path) -> Path:
    parts = list(picture.parts)
    for index in range(len(parts) - 2, -1, -1):
        if parts[index] == "images":
            parts[index] = "labels"
            return Path(*parts).with_suffix(".txt")
    return picture.with_suffix(".txt")


def _read_picture(picture: Path, split: str | None, root: Path, codes: _Names, dataset: Dataset) -> None:
    name = _relative(picture, root)
    try:
        width, height = picture_size(picture)
    except ValueError as error:
        dataset.issues.error(name, "", f"{error}: left out")
        return
    label = _label_path(picture)
    boxes: list[LabelledBox] = []
    if label.is_file():
        file = _relative(label, root)
        try:
            lines = label.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            dataset.issues.error(file, "", f"cannot be read ({error}): the picture was left out")
            return
        for number, line in enumerate(lines, start=1):
            if line.strip():
                box = _read_line(line, (width, height), codes, dataset.issues, file, f"line {number}")
                if box is not None:
                    boxes.append(box)
    sample = Sample(image=name, width=width, height=height, boxes=tuple(boxes), split=split)
    dataset.entries.append(Entry(sample, picture))


def _relative(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix().lstrip("/")


def _read_line(
    line: str, size: tuple[int, int], codes: _Names, issues: Issues, file: str, where: str
) -> LabelledBox | None:
    fields = line.split()
    try:
        index = int(fields[0])
        values = [float(field) for field in fields[1:]]
        confidence = values.pop() if len(values) == 5 else None
        polygon = len(values) >= 6 and len(values) % 2 == 0
        x1, y1, x2, y2 = _shares(values, polygon)
    except ValueError as error:
        found = str(error) if "could not convert" not in str(error) and "invalid literal" not in str(error) else ""
        issues.error(file, where, f"{found or f'not numbers: {line.strip()[:60]!r}'}: the box was left out")
        return None
    if polygon:
        issues.warning(file, where, "a polygon: its bounding box was taken")
    if confidence is not None and not 0 <= confidence <= 1:
        issues.warning(file, where, f"confidence {confidence} is no probability: dropped")
        confidence = None
    code = codes.code(index, issues, file, where)
    if code is None:
        return None
    width, height = size
    return LabelledBox(box=(x1 * width, y1 * height, x2 * width, y2 * height), code=code, confidence=confidence)


def _shares(values: Sequence[float], polygon: bool) -> tuple[float, float, float, float]:
    """Corners as shares of the picture. Raises ValueError saying what is wrong with the columns."""
    if not all(math.isfinite(v) for v in values):
        raise ValueError("a number that is not finite")
    if polygon:
        xs, ys = values[0::2], values[1::2]
        x1, y1, x2, y2 = min(xs), min(ys), max(xs), max(ys)
    elif len(values) == 4:
        cx, cy, w, h = values
        x1, y1, x2, y2 = cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2
    else:
        raise ValueError(f"{len(values) + 1} columns, expected 5")
    if x2 <= x1 or y2 <= y1:
        raise ValueError("a box without area")
    if min(x1, y1) < -_SLACK or max(x2, y2) > 1 + _SLACK:
        raise ValueError("a box beyond the picture (are these pixels instead of shares?)")
    return x1, y1, x2, y2


def _report_orphans(root: Path, pictures: set[Path], issues: Issues) -> None:
    known = {_label_path(picture) for picture in pictures}
    for label in sorted(root.rglob("*.txt")):
        if "labels" in label.parts and label not in known and label.name not in _NAME_FILES:
            stem = label.name.rsplit(".", 1)[0]
            issues.error(_relative(label, root), "", f"labels without a picture ({stem}.* is not there): left out")


def write(entries: Sequence[Entry], target: Path, options: WriteOptions) -> WriteReport:
    """`images/`, `labels/` and `data.yaml`. Confidence, odds and all metadata are lost, and counted as such."""
    report = WriteReport()
    kept = exportable(entries, options, report)
    order = used_classes(kept, options)
    number = {code: index for index, code in enumerate(order)}
    splits: set[str] = set()
    for entry, name in zip(kept, unique_names(kept, report.issues), strict=True):
        sample = entry.sample
        split = sample.split or DEFAULT_SPLIT
        splits.add(split)
        place_picture(entry, target / "images" / split / name, options, report)
        label = (target / "labels" / split / name).with_suffix(".txt")
        label.parent.mkdir(parents=True, exist_ok=True)
        label.write_text("".join(_line(box, number, sample) for box in sample.boxes), encoding="utf-8")
        report.pictures += 1
        report.boxes += len(sample.boxes)
        count_losses(sample, report, frozenset({"split"}) if split in _SPLITS else frozenset())
    report.files.append(_write_yaml(target, order, splits))
    return report


def _line(box: LabelledBox, number: dict[str, int], sample: Sample) -> str:
    x1, y1, x2, y2 = box.box
    values = ((x1 + x2) / 2 / sample.width, (y1 + y2) / 2 / sample.height)
    sides = ((x2 - x1) / sample.width, (y2 - y1) / sample.height)
    return f"{number[box.code]} " + " ".join(f"{v:.9f}" for v in (*values, *sides)) + "\n"


def _write_yaml(target: Path, order: Sequence[str], splits: set[str]) -> Path:
    known = [s for s in _SPLITS if s in splits]
    other = sorted(splits - set(_SPLITS))
    data: dict[str, Any] = {"path": "."}
    for split in known:
        data[split] = f"images/{split}"
    if other:
        first = data.get("train")
        data["train"] = ([first] if first else []) + [f"images/{split}" for split in other]
    data.setdefault("train", "images/train")
    data.setdefault("val", data["train"])  # ultralytics refuses a set without one
    data["nc"] = len(order)
    data["names"] = dict(enumerate(order))
    path = target / "data.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path
