"""CVAT for images 1.1: `annotations.xml` and `images/`.

Confidence, odds and the rest of a box go into CVAT attributes (`labels.json` is the matching label list for CVAT's raw
editor); what belongs to the picture goes into a tag `taicam`. So CVAT hands everything back after review.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from vision.dataset.entries import (
    Dataset,
    Entry,
    ReadOptions,
    WriteOptions,
    WriteReport,
    exportable,
    pack_box,
    pack_sample,
    place_picture,
    read_code,
    unique_names,
    used_classes,
)
from vision.dataset.formats.shared import (
    PictureFinder,
    XmlWithLines,
    boxes_within,
    build_box,
    build_sample,
    indent_xml,
    numbers,
    packed_json,
)
from vision.dataset.issues import DatasetError, Issues
from vision.dataset.sample import LabelledBox

_TAG = "taicam"
_SIDES = ("xtl", "ytl", "xbr", "ybr")
#: Box fields that become a CVAT attribute each; `occluded` has a field of its own.
_ATTRIBUTES = ("confidence", "read_as", "origin", "role", "turn", "alternatives", "attributes")
_NUMBERS = frozenset({"confidence", "turn"})
_JSON = frozenset({"alternatives", "attributes"})
#: CVAT's longest attribute value.
_LONGEST = 4096


def looks_like(source: Path) -> bool:
    """An XML file with the root `annotations`, or a folder holding `annotations.xml`."""
    path = _file(source)
    if path is None:
        return False
    try:
        return XmlWithLines(path).root.tag == "annotations"
    except DatasetError:
        return False


def _file(source: Path) -> Path | None:
    if source.is_file():
        return source if source.suffix == ".xml" else None
    return source / "annotations.xml" if (source / "annotations.xml").is_file() else None


def read(source: Path, options: ReadOptions) -> Dataset:
    """A folder with `annotations.xml`, or the file itself. Raises DatasetError."""
    path = _file(source)
    if path is None:
        raise DatasetError(f"{source} holds no annotations.xml: unpack CVAT's export (CVAT for images 1.1) first")
    document = XmlWithLines(path)
    if document.root.tag != "annotations":
        raise DatasetError(f"{path}: its root is <{document.root.tag}>, not <annotations>: not a CVAT export")
    if document.root.find("track") is not None:
        raise DatasetError(f"{path} is CVAT for video: export the task again as 'CVAT for images 1.1'")
    dataset = Dataset()
    finder = PictureFinder([path.parent / "images", path.parent])
    for image in document.root.findall("image"):
        entry = _read_image(image, document, path.name, finder, options, dataset.issues)
        if entry is not None:
            dataset.entries.append(entry)
    if not dataset.entries and not dataset.issues.errors:
        raise DatasetError(f"{path} names no picture")
    return dataset


def _read_image(
    image: ElementTree.Element,
    document: XmlWithLines,
    file: str,
    finder: PictureFinder,
    options: ReadOptions,
    issues: Issues,
) -> Entry | None:
    where = document.where(image)
    name = (image.get("name") or "").replace("\\", "/")
    size = numbers([image.get("width"), image.get("height")], 2)
    if not name or size is None:
        issues.error(file, where, "<image> lacks name, width or height: left out")
        return None
    boxes = []
    for element in image:
        line = document.where(element)
        if element.tag == "box":
            box = _read_box(element, line, file, options, issues)
            if box is not None:
                boxes.append(box)
        elif element.tag != "tag":
            issues.error(file, line, f"a <{element.tag}> is no box: left out")
    packed: dict[str, Any] = {}
    for tag in image.findall("tag"):
        if tag.get("label") == _TAG:
            packed = packed_json(tag.findtext("attribute[@name='sample']"))
    if image.get("subset") and image.get("subset") != "default":
        packed = {**packed, "split": str(image.get("subset")).casefold()}
    width, height = int(size[0]), int(size[1])
    inside = boxes_within(boxes, width, height, issues, file)
    sample = build_sample(name, width, height, inside, packed, issues, file, where)
    return None if sample is None else Entry(sample, finder.find(name))


def _read_box(
    element: ElementTree.Element, where: str, file: str, options: ReadOptions, issues: Issues
) -> LabelledBox | None:
    corners = numbers([element.get(side) for side in _SIDES], 4)
    if corners is None:
        issues.error(file, where, "xtl, ytl, xbr, ybr must be numbers: the box was left out")
        return None
    x1, y1, x2, y2 = corners
    if x2 <= x1 or y2 <= y1:
        issues.error(file, where, "a box without area: left out")
        return None
    code = read_code(element.get("label") or "", options, issues, file, where)
    if code is None:
        return None
    packed: dict[str, Any] = {"occluded": True} if element.get("occluded") == "1" else {}
    other: dict[str, Any] = {}
    for attribute in element.findall("attribute"):
        key, text = attribute.get("name") or "", attribute.text or ""
        if not text:
            continue
        if key not in _ATTRIBUTES:
            other[key] = text
            continue
        try:
            packed[key] = float(text) if key in _NUMBERS else json.loads(text) if key in _JSON else text
        except ValueError:
            issues.warning(file, where, f"attribute {key} = {text[:40]!r} cannot be read: dropped")
    if float(element.get("rotation") or 0):
        other["rotation"] = element.get("rotation")
        issues.warning(file, where, "a turned box: taken as if it stood upright")
    if other:
        packed["attributes"] = {**other, **packed.get("attributes", {})}
    if element.get("source") == "manual" and "origin" not in packed:
        packed["origin"] = "person"
    return build_box((x1, y1, x2, y2), code, packed, issues, file, where)


def write(entries: Sequence[Entry], target: Path, options: WriteOptions) -> WriteReport:
    """`annotations.xml`, `labels.json`, `images/`. Lost is only picture metadata too long for a CVAT attribute."""
    report = WriteReport()
    kept = exportable(entries, options, report)
    order = used_classes(kept, options)
    root = ElementTree.Element("annotations")
    ElementTree.SubElement(root, "version").text = "1.1"
    _write_meta(root, order, len(kept))
    for index, (entry, name) in enumerate(zip(kept, unique_names(kept, report.issues), strict=True)):
        place_picture(entry, target / "images" / name, options, report)
        _write_image(root, entry, index, name, report)
        report.pictures += 1
        report.boxes += len(entry.sample.boxes)
    path = target / "annotations.xml"
    path.write_bytes(indent_xml(root))
    labels = target / "labels.json"
    labels.write_text(json.dumps(_label_list(order), ensure_ascii=False, indent=1), encoding="utf-8")
    report.files += [path, labels]
    return report


def _write_meta(root: ElementTree.Element, order: Sequence[str], count: int) -> None:
    task = ElementTree.SubElement(ElementTree.SubElement(root, "meta"), "task")
    for key, value in (("name", "taicam"), ("size", str(count)), ("mode", "annotation")):
        ElementTree.SubElement(task, key).text = value
    labels = ElementTree.SubElement(task, "labels")
    for spec in _label_list(order):
        label = ElementTree.SubElement(labels, "label")
        ElementTree.SubElement(label, "name").text = spec["name"]
        ElementTree.SubElement(label, "type").text = spec["type"]
        attributes = ElementTree.SubElement(label, "attributes")
        for item in spec["attributes"]:
            attribute = ElementTree.SubElement(attributes, "attribute")
            ElementTree.SubElement(attribute, "name").text = item["name"]
            ElementTree.SubElement(attribute, "mutable").text = "False"
            ElementTree.SubElement(attribute, "input_type").text = "text"
            ElementTree.SubElement(attribute, "default_value").text = ""
            ElementTree.SubElement(attribute, "values").text = ""


def _label_list(order: Sequence[str]) -> list[dict[str, Any]]:
    def attribute(name: str) -> dict[str, Any]:
        return {"name": name, "mutable": False, "input_type": "text", "default_value": "", "values": [""]}

    boxes = [{"name": code, "type": "rectangle", "attributes": [attribute(a) for a in _ATTRIBUTES]} for code in order]
    return [*boxes, {"name": _TAG, "type": "tag", "attributes": [attribute("sample")]}]


def _write_image(root: ElementTree.Element, entry: Entry, index: int, name: str, report: WriteReport) -> None:
    sample = entry.sample
    image = ElementTree.SubElement(
        root, "image", id=str(index), name=name, width=str(sample.width), height=str(sample.height)
    )
    packed = pack_sample(sample)
    if packed:
        text = json.dumps(packed, ensure_ascii=False)
        if len(text) <= _LONGEST:
            tag = ElementTree.SubElement(image, "tag", label=_TAG, source="manual")
            ElementTree.SubElement(tag, "attribute", name="sample").text = text
        else:
            report.lost.update(packed.keys())
    for box in sample.boxes:
        corners = {side: repr(value) for side, value in zip(_SIDES, box.box, strict=True)}
        source = "manual" if box.origin in ("person", "confirmed") else "auto"
        flags = {"occluded": "1" if box.occluded else "0", "source": source, "z_order": "0"}
        element = ElementTree.SubElement(image, "box", {"label": box.code, **flags, **corners})
        more = pack_box(box)
        for key in _ATTRIBUTES:
            if key in more:
                value = more[key]
                text = json.dumps(value, ensure_ascii=False) if key in _JSON else str(value)
                ElementTree.SubElement(element, "attribute", name=key).text = text
