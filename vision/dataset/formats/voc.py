"""Pascal VOC: `Annotations/x.xml`, `JPEGImages/`, `ImageSets/Main/<split>.txt`.

Corners are written as decimals counted from 0, as CVAT and Roboflow do (the original devkit counted whole pixels from
1). What VOC has no field for goes into a `<taicam>` element, which other readers pass over.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

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

_SIDES = ("xmin", "ymin", "xmax", "ymax")


def looks_like(source: Path) -> bool:
    """XML files whose root is `annotation`."""
    return any(_is_voc(path) for path in _files(source)[:3])


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source] if source.suffix == ".xml" else []
    return sorted(source.rglob("*.xml"))


def _is_voc(path: Path) -> bool:
    try:
        return XmlWithLines(path).root.tag == "annotation"
    except DatasetError:
        return False


def read(source: Path, options: ReadOptions) -> Dataset:
    """Every XML under a folder, or one file. Raises DatasetError when there is none."""
    files = _files(source)
    if not files:
        raise DatasetError(f"{source} holds no XML: name the folder above Annotations/")
    root = source if source.is_dir() else source.parent
    finder = PictureFinder([root / "JPEGImages", root, root.parent / "JPEGImages"])
    splits = _splits(root)
    dataset = Dataset()
    for file in files:
        name = file.relative_to(root).as_posix()
        try:
            document = XmlWithLines(file)
        except DatasetError as error:
            dataset.issues.error(name, "", str(error).removeprefix(f"{file}: "))
            continue
        if document.root.tag != "annotation":
            dataset.issues.error(name, "", f"its root is <{document.root.tag}>, not <annotation>: left out")
            continue
        entry = _read_document(document, name, splits.get(file.stem), finder, options, dataset.issues)
        if entry is not None:
            dataset.entries.append(entry)
    if not dataset.entries and len(dataset.issues.errors) == 1:
        raise DatasetError(str(dataset.issues.errors[0]))
    return dataset


def _splits(root: Path) -> dict[str, str]:
    result = {}
    for path in sorted((root / "ImageSets" / "Main").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                result[line.strip()] = path.stem
    return result


def _read_document(
    document: XmlWithLines,
    file: str,
    split: str | None,
    finder: PictureFinder,
    options: ReadOptions,
    issues: Issues,
) -> Entry | None:
    root = document.root
    name = (root.findtext("filename") or "").strip()
    if not name:
        issues.error(file, document.where(root), "<filename> is missing: left out")
        return None
    picture = finder.find(name)
    try:
        size: tuple[Any, Any] = (int(root.findtext("size/width") or 0), int(root.findtext("size/height") or 0))
    except ValueError:
        size = (0, 0)
    if not all(size) and picture is not None:
        try:
            size = picture_size(picture)
        except ValueError as error:
            issues.error(name, "", f"{error}: left out")
            return None
    boxes = []
    for element in root.findall("object"):
        box = _read_object(element, document.where(element), options, issues, file)
        if box is not None:
            boxes.append(box)
    packed = packed_json(root.findtext("taicam"))
    if split is not None:
        packed = {"split": split, **packed}
    inside = boxes_within(boxes, size[0] or None, size[1] or None, issues, file)
    sample = build_sample(name, size[0], size[1], inside, packed, issues, file, document.where(root))
    return None if sample is None else Entry(sample, picture)


def _read_object(
    element: ElementTree.Element, where: str, options: ReadOptions, issues: Issues, file: str
) -> LabelledBox | None:
    corners = numbers([element.findtext(f"bndbox/{side}") for side in _SIDES], 4)
    if corners is None:
        issues.error(file, where, "<bndbox> lacks one of xmin, ymin, xmax, ymax as a number: the box was left out")
        return None
    x1, y1, x2, y2 = corners
    if x2 <= x1 or y2 <= y1:
        issues.error(file, where, "a box without area: left out")
        return None
    code = read_code(element.findtext("name") or "", options, issues, file, where)
    if code is None:
        return None
    packed = packed_json(element.findtext("taicam"))
    if element.findtext("occluded") == "1":
        packed = {**packed, "occluded": True}
    extra = {
        item.findtext("name") or "": item.findtext("value") or "" for item in element.findall("attributes/attribute")
    }
    for key in ("pose", "truncated", "difficult"):
        value = element.findtext(key)
        if value not in (None, "", "0", "Unspecified"):
            extra[key] = value
    if extra:
        packed = {**packed, "attributes": {**extra, **packed.get("attributes", {})}}
    return build_box((x1, y1, x2, y2), code, packed, issues, file, where)


def write(entries: Sequence[Entry], target: Path, options: WriteOptions) -> WriteReport:
    """Nothing is lost. Class order does not matter: every object carries its name."""
    report = WriteReport()
    kept = exportable(entries, options, report)
    splits: dict[str, list[str]] = defaultdict(list)
    (target / "Annotations").mkdir()
    # Datumaro and CVAT take VOC with classes of one's own only beside this list.
    labels = "".join(f"{code}:::\n" for code in used_classes(kept, options))
    (target / "labelmap.txt").write_text(f"# label:color_rgb:parts:actions\n{labels}", encoding="utf-8")
    for entry, name in zip(kept, unique_names(kept, report.issues), strict=True):
        place_picture(entry, target / "JPEGImages" / name, options, report)
        path = (target / "Annotations" / name).with_suffix(".xml")
        path.write_bytes(indent_xml(_document(entry, name)))
        splits[entry.sample.split or DEFAULT_SPLIT].append(path.stem)
        report.files.append(path)
        report.pictures += 1
        report.boxes += len(entry.sample.boxes)
    for split, stems in splits.items():
        path = target / "ImageSets" / "Main" / f"{split}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(stems) + "\n", encoding="utf-8")
    return report


def _document(entry: Entry, name: str) -> ElementTree.Element:
    sample = entry.sample
    root = ElementTree.Element("annotation")
    _text(root, "folder", "JPEGImages")
    _text(root, "filename", name)
    _text(ElementTree.SubElement(root, "source"), "database", sample.tile_set or "taicam")
    size = ElementTree.SubElement(root, "size")
    for key, value in (("width", sample.width), ("height", sample.height), ("depth", 3)):
        _text(size, key, str(value))
    _text(root, "segmented", "0")
    packed = pack_sample(sample)
    if packed:
        _text(root, "taicam", json.dumps(packed, ensure_ascii=False))
    for box in sample.boxes:
        element = ElementTree.SubElement(root, "object")
        _text(element, "name", box.code)
        for key, flag in (("pose", "Unspecified"), ("truncated", "0"), ("difficult", "0")):
            _text(element, key, flag)
        _text(element, "occluded", "1" if box.occluded else "0")
        corners = ElementTree.SubElement(element, "bndbox")
        for side, coordinate in zip(_SIDES, box.box, strict=True):
            _text(corners, side, repr(coordinate))
        more = pack_box(box)
        if more:
            _text(element, "taicam", json.dumps(more, ensure_ascii=False))
    return root


def _text(parent: ElementTree.Element, tag: str, text: str) -> None:
    ElementTree.SubElement(parent, tag).text = text
