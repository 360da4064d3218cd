"""What the readers have in common: finding pictures, building values from foreign fields, XML with line numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from pydantic import ValidationError

from vision.dataset.entries import picture_files
from vision.dataset.issues import DatasetError, Issues
from vision.dataset.sample import LabelledBox, Sample, explain

#: How far, in pixels, a box may reach beyond its picture by rounding.
_ROUNDING = 2.0


class PictureFinder:
    """Finds a picture by the name a label file gives it: as a path below a root, else by its file name alone."""

    def __init__(self, roots: Iterable[Path]) -> None:
        self.roots = [root for root in dict.fromkeys(roots) if root.is_dir()]
        self._by_name: dict[str, list[Path]] | None = None

    def find(self, name: str) -> Path | None:
        """The file, or None when there is none, or several of that name in different folders."""
        parts = Path(name).parts
        if ".." not in parts and not Path(name).is_absolute():
            for root in self.roots:
                if (root / name).is_file():
                    return root / name
        found = self._index().get(Path(name).name, [])
        return found[0] if len(found) == 1 else None

    def _index(self) -> dict[str, list[Path]]:
        if self._by_name is None:
            self._by_name = {}
            seen: set[Path] = set()
            for root in self.roots:
                for path in picture_files(root):
                    if path.resolve() not in seen:
                        seen.add(path.resolve())
                        self._by_name.setdefault(path.name, []).append(path)
        return self._by_name


def load_json(file: Path) -> Any:
    """The JSON of a file. Raises DatasetError naming the line."""
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise DatasetError(f"{file}: line {error.lineno}: not JSON ({error.msg}): export it again") from None
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise DatasetError(f"{file} cannot be read: {error}") from None


def numbers(values: Any, count: int) -> tuple[float, ...] | None:
    """`values` as `count` finite floats, or None."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        return None
    try:
        result = tuple(float(v) for v in values)
    except (TypeError, ValueError):
        return None
    return result if all(math.isfinite(v) for v in result) else None


def corners_from_origin(value: Any, issues: Issues, file: str, where: str) -> tuple[float, float, float, float] | None:
    """Corners from `[x, y, width, height]`; None, with an issue, when these make no box."""
    found = numbers(value, 4)
    if found is None:
        issues.error(file, where, f"expected 4 numbers, found {str(value)[:60]}: the box was left out")
        return None
    x, y, width, height = found
    if width <= 0 or height <= 0:
        issues.error(file, where, "a box without area: left out")
        return None
    return x, y, x + width, y + height


def boxes_within(
    boxes: Sequence[LabelledBox], width: Any, height: Any, issues: Issues, file: str
) -> tuple[LabelledBox, ...]:
    """Those boxes that lie in the picture, but for rounding; the others are reported and left out."""
    if not isinstance(width, int) or not isinstance(height, int):
        return tuple(boxes)
    kept = []
    for box in boxes:
        x1, y1, x2, y2 = box.box
        if min(x1, y1) < -_ROUNDING or x2 > width + _ROUNDING or y2 > height + _ROUNDING:
            corners = ", ".join(f"{v:.1f}" for v in box.box)
            issues.error(file, box.code, f"box ({corners}) reaches beyond the {width}x{height} picture: left out")
        else:
            kept.append(box)
    return tuple(kept)


def build_box(
    corners: tuple[float, float, float, float],
    code: str,
    packed: Mapping[str, Any],
    issues: Issues,
    file: str,
    where: str,
) -> LabelledBox | None:
    """A box with what an extension field held; when that is spoilt, the box without it, and an issue."""
    try:
        return LabelledBox.model_validate({**packed, "box": corners, "code": code})
    except ValidationError as error:
        issues.warning(file, where, f"{explain(error)}: only the box and its code were taken")
        return LabelledBox(box=corners, code=code)


def build_sample(
    name: str,
    width: Any,
    height: Any,
    boxes: Sequence[LabelledBox],
    packed: Mapping[str, Any],
    issues: Issues,
    file: str,
    where: str,
) -> Sample | None:
    """A sample with what an extension field held; None, with an issue, when it has no size."""
    if not (isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0):
        issues.error(file, where, f"{name}: no width and height, and the picture is not there: left out")
        return None
    plain = {"image": name, "width": width, "height": height, "boxes": tuple(boxes)}
    try:
        return Sample.model_validate({**packed, **plain})
    except ValidationError as error:
        issues.warning(file, where, f"{explain(error)}: only the picture and its boxes were taken")
        return Sample.model_validate(plain)


class XmlWithLines:
    """An XML document that knows the line each element begins on. Entities and DTDs are refused."""

    def __init__(self, file: Path) -> None:
        self._lines: dict[ElementTree.Element, int] = {}
        builder = ElementTree.TreeBuilder()
        parser = expat.ParserCreate()

        def start(tag: str, attributes: dict[str, str]) -> None:
            self._lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

        def refuse(*_: Any) -> None:
            raise DatasetError(f"{file}: line {parser.CurrentLineNumber}: a document type is not taken: remove it")

        parser.StartElementHandler = start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        parser.StartDoctypeDeclHandler = refuse
        try:
            parser.Parse(file.read_bytes(), True)
            self.root = builder.close()
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, "damaged")
            raise DatasetError(f"{file}: line {error.lineno}: not XML ({reason}): export it again") from None
        except OSError as error:
            raise DatasetError(f"{file} cannot be read: {error}") from None

    def where(self, element: ElementTree.Element) -> str:
        """`line N` of the element."""
        return f"line {self._lines[element]}"


def packed_json(text: str | None) -> dict[str, Any]:
    """The object an extension field holds as JSON text; empty when it holds none."""
    try:
        value = json.loads(text) if text else {}
    except (json.JSONDecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def indent_xml(root: ElementTree.Element) -> bytes:
    """The document as UTF-8, indented."""
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()
