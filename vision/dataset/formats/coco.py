"""COCO instances: one JSON a split, `annotations/instances_<split>.json`, pictures in `images/`.

What COCO has no field for goes into `attributes` of an annotation and `taicam` of a picture, which other readers
pass over; so nothing is lost on our own way back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vision.dataset.entries import (
    DEFAULT_SPLIT,
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
from vision.dataset.formats.shared import (
    PictureFinder,
    boxes_within,
    build_box,
    build_sample,
    corners_from_origin,
    load_json,
)
from vision.dataset.issues import DatasetError, Issues
from vision.dataset.sample import LabelledBox


def looks_like(source: Path) -> bool:
    """A JSON object with images, annotations and categories, or a folder holding one."""
    return any(_is_coco(path) for path in _files(source))


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source] if source.suffix == ".json" else []
    return [
        path for pattern in ("*.json", "annotations/*.json", "*/*.coco.json") for path in sorted(source.glob(pattern))
    ]


def _is_coco(path: Path) -> bool:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and {"images", "categories"} <= data.keys()


def read(source: Path, options: ReadOptions) -> Dataset:
    """Every COCO file of a folder, or one file. Raises DatasetError when none can be read."""
    dataset = Dataset()
    files = _files(source)
    if not files:
        raise DatasetError(f"{source} holds no COCO JSON: name the file, or the folder above annotations/")
    root = source if source.is_dir() else source.parent
    finder = PictureFinder([root, *{f.parent for f in files}, *{f.parent.parent / "images" for f in files}])
    readable = 0
    for file in files:
        data = load_json(file)
        if isinstance(data, list):
            raise DatasetError(f"{file} is a COCO results list: it names no pictures; give the instances file")
        if not isinstance(data, dict) or not isinstance(data.get("images"), list):
            dataset.issues.error(file.name, "images", "missing: not a COCO instances file, left out")
            continue
        readable += 1
        _read_file(file, data, finder, options, dataset)
    if not readable:
        raise DatasetError(f"{source}: no COCO instances file could be read: {dataset.issues.errors[0]}")
    return dataset


def _read_file(
    file: Path, data: Mapping[str, Any], finder: PictureFinder, options: ReadOptions, dataset: Dataset
) -> None:
    name = file.name
    names = _categories(data, name, dataset.issues)
    boxes: dict[Any, list[LabelledBox]] = {}
    known = {image.get("id") for image in data["images"] if isinstance(image, dict)}
    for index, annotation in enumerate(data.get("annotations") or []):
        where = f"annotations[{index}]"
        if not isinstance(annotation, dict):
            dataset.issues.error(name, where, "not an object: left out")
            continue
        if annotation.get("image_id") not in known:
            dataset.issues.error(name, f"{where}.image_id", "names no picture of this file: left out")
            continue
        box = _read_annotation(annotation, names, options, dataset.issues, name, where)
        if box is not None:
            boxes.setdefault(annotation["image_id"], []).append(box)
    split = _split_of(file)
    for index, image in enumerate(data["images"]):
        entry = _read_image(image, boxes, split, finder, dataset.issues, name, f"images[{index}]")
        if entry is not None:
            dataset.entries.append(entry)


def _categories(data: Mapping[str, Any], name: str, issues: Issues) -> dict[Any, str]:
    names = {}
    for index, category in enumerate(data.get("categories") or []):
        if isinstance(category, dict) and "id" in category and isinstance(category.get("name"), str):
            names[category["id"]] = category["name"]
        else:
            issues.error(name, f"categories[{index}]", "has no id and name: left out")
    return names


def _split_of(file: Path) -> str | None:
    stem = file.stem.casefold()
    for word, split in (("train", "train"), ("valid", "val"), ("val", "val"), ("test", "test")):
        if word in stem or word == file.parent.name.casefold():
            return split
    return stem.removeprefix("instances_") if stem.startswith("instances_") else None


def _read_annotation(
    annotation: Mapping[str, Any],
    names: Mapping[Any, str],
    options: ReadOptions,
    issues: Issues,
    file: str,
    where: str,
) -> LabelledBox | None:
    category = annotation.get("category_id")
    if category not in names:
        issues.error(file, f"{where}.category_id", f"{category!r} is no category of this file: the box was left out")
        return None
    code = read_code(names[category], options, issues, file, where)
    corners = corners_from_origin(annotation.get("bbox"), issues, file, f"{where}.bbox")
    if code is None or corners is None:
        return None
    attributes = annotation.get("attributes")
    attributes = dict(attributes) if isinstance(attributes, dict) else {}
    packed = attributes.pop("taicam", {})
    if isinstance(annotation.get("score"), int | float):
        packed = {"confidence": annotation["score"], **packed}
    if "occluded" in attributes and "occluded" not in packed:
        packed = {**packed, "occluded": bool(attributes.pop("occluded"))}
    if attributes and "attributes" not in packed:
        packed = {**packed, "attributes": attributes}
    return build_box(corners, code, packed, issues, file, where)


def _read_image(
    image: Any,
    boxes: Mapping[Any, list[LabelledBox]],
    split: str | None,
    finder: PictureFinder,
    issues: Issues,
    file: str,
    where: str,
) -> Entry | None:
    if not isinstance(image, dict) or not isinstance(image.get("file_name"), str):
        issues.error(file, f"{where}.file_name", "missing: the picture was left out")
        return None
    name = image["file_name"].replace("\\", "/")
    picture = finder.find(name)
    width, height = image.get("width"), image.get("height")
    if picture is not None and not (isinstance(width, int) and isinstance(height, int)):
        try:
            width, height = picture_size(picture)
        except ValueError as error:
            issues.error(name, "", f"{error}: left out")
            return None
    packed = image.get("taicam") if isinstance(image.get("taicam"), dict) else {}
    if split is not None:
        packed = {"split": split, **(packed or {})}
    inside = boxes_within(boxes.get(image.get("id"), []), width, height, issues, name)
    sample = build_sample(name, width, height, inside, packed or {}, issues, file, where)
    return None if sample is None else Entry(sample, picture)


def write(entries: Sequence[Entry], target: Path, options: WriteOptions) -> WriteReport:
    """`images/` and `annotations/instances_<split>.json`; nothing is lost."""
    report = WriteReport()
    kept = exportable(entries, options, report)
    order = used_classes(kept, options)
    number = {code: index for index, code in enumerate(order, start=1)}
    categories = [{"id": number[code], "name": code, "supercategory": "tile"} for code in order]
    files: dict[str, dict[str, Any]] = {}
    for entry, name in zip(kept, unique_names(kept, report.issues), strict=True):
        sample = entry.sample
        place_picture(entry, target / "images" / name, options, report)
        data = files.setdefault(
            sample.split or DEFAULT_SPLIT,
            {
                "info": {"description": "mahjong tiles, written by taicam", "version": "1"},
                "licenses": [],
                "categories": categories,
                "images": [],
                "annotations": [],
            },
        )
        image_id = len(data["images"]) + 1
        image = {"id": image_id, "file_name": name, "width": sample.width, "height": sample.height}
        data["images"].append({**image, "taicam": pack_sample(sample)})
        for box in sample.boxes:
            data["annotations"].append(_annotation(box, number, image_id, len(data["annotations"]) + 1))
        report.pictures += 1
        report.boxes += len(sample.boxes)
    for split, data in (files or {DEFAULT_SPLIT: {"categories": categories, "images": [], "annotations": []}}).items():
        path = target / "annotations" / f"instances_{split}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        report.files.append(path)
    return report


def _annotation(box: LabelledBox, number: Mapping[str, int], image_id: int, identity: int) -> dict[str, Any]:
    x1, y1, x2, y2 = box.box
    record: dict[str, Any] = {
        "id": identity,
        "image_id": image_id,
        "category_id": number[box.code],
        "bbox": [x1, y1, x2 - x1, y2 - y1],
        "area": (x2 - x1) * (y2 - y1),
        "iscrowd": 0,
        "segmentation": [],
    }
    if box.confidence is not None:
        record["score"] = box.confidence
    packed = pack_box(box)
    if packed:
        record["attributes"] = {"taicam": packed}
    return record
