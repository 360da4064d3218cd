"""A data set in memory: samples with the files of their pictures, and what every format needs around them."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from PIL import Image, ImageOps, UnidentifiedImageError

from vision.dataset.classes import canonical_code, class_order
from vision.dataset.issues import Issues
from vision.dataset.sample import LabelledBox, Sample

PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
DEFAULT_SPLIT = "train"
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class Entry:
    """A sample and where its picture lies (None: the labels came without it)."""

    sample: Sample
    picture: Path | None = None


@dataclass(slots=True)
class Dataset:
    """What reading a data set gives: the entries that could be read, and what was wrong with the rest."""

    entries: list[Entry] = field(default_factory=list)
    issues: Issues = field(default_factory=Issues)

    @property
    def samples(self) -> list[Sample]:
        """The samples alone."""
        return [entry.sample for entry in self.entries]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """`renames`: class name as found -> our code. `keep_unknown`: boxes of classes that are no tiles are kept under
    their own name instead of being left out."""

    renames: Mapping[str, str] = field(default_factory=dict)
    keep_unknown: bool = False


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """`pictures`: copied, hard-linked where the file system can, or left where they are. `classes`: the class order
    written (default: ours). `proposed`: also write samples that nobody has accepted yet. `image_url`: how a Label
    Studio task names a picture, `{name}` stands for its path."""

    pictures: Literal["copy", "link", "none"] = "copy"
    classes: Sequence[str] | None = None
    proposed: bool = False
    image_url: str = "/data/local-files/?d=images/{name}"


@dataclass(slots=True)
class WriteReport:
    """What an export did. `lost` counts, by field, the values that the format could not hold."""

    pictures: int = 0
    boxes: int = 0
    skipped: int = 0
    files: list[Path] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    issues: Issues = field(default_factory=Issues)

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "pictures": self.pictures,
            "boxes": self.boxes,
            "skipped": self.skipped,
            "files": [str(path) for path in self.files],
            "lost": dict(self.lost),
            "issues": [issue.to_json() for issue in self.issues],
        }


def read_code(name: str, options: ReadOptions, issues: Issues, file: str | Path, where: str) -> str | None:
    """The code of a class name; unknown names are kept or reported and left out, as `options` say."""
    code = canonical_code(name, options.renames)
    if code is not None:
        return code
    if options.keep_unknown and name.strip():
        return name.strip()
    issues.error(file, where, f"class {name!r} is no tile: the box was left out (rename it with --rename {name}=CODE)")
    return None


def picture_size(path: Path) -> tuple[int, int]:
    """Width and height as shown (EXIF orientation applied), from the header alone. Raises ValueError."""
    try:
        with Image.open(path) as picture:
            width, height = picture.size
            turned = picture.getexif().get(_ORIENTATION, 1) in (5, 6, 7, 8)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"not a readable picture ({' '.join(str(error).split())[:80]})") from None
    return (height, width) if turned else (width, height)


def picture_files(folder: Path) -> list[Path]:
    """Every picture under `folder`, sorted."""
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in PICTURE_SUFFIXES and p.is_file())


def exportable(entries: Iterable[Entry], options: WriteOptions, report: WriteReport) -> list[Entry]:
    """The entries that may go out as labels: accepted ones, proposed ones when asked for, discarded ones never."""
    kept = []
    for entry in entries:
        state = entry.sample.state
        if state == "accepted" or (state == "proposed" and options.proposed):
            kept.append(entry)
        else:
            report.skipped += 1
    if report.skipped:
        report.issues.note(
            "",
            "",
            f"{report.skipped} samples stayed behind: they are discarded, or proposed and not yet reviewed "
            "(--proposed exports those too)",
        )
    return kept


def unique_names(entries: Sequence[Entry], issues: Issues) -> list[str]:
    """A file name for each picture, unique without its suffix whatever the case, close to its own.

    The file name is kept when it is free; else its folders are put before it; else it is numbered.
    """
    taken: set[str] = set()
    names = []
    for entry in entries:
        name = entry.sample.name
        candidate = name
        number = 1
        while _stem(candidate).casefold() in taken:
            flat = entry.sample.image.replace("/", "__")
            candidate = flat if number == 1 and flat != candidate else f"{_stem(name)}-{number}{Path(name).suffix}"
            number += 1
        if candidate != name:
            issues.note(entry.sample.image, "", f"written as {candidate}: another picture has the same name")
        taken.add(_stem(candidate).casefold())
        names.append(candidate)
    return names


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0] if "." in name else name


def place_picture(entry: Entry, target: Path, options: WriteOptions, report: WriteReport) -> bool:
    """Put the entry's picture at `target`. False, with an issue, when there is none to put.

    A picture stored sideways with an EXIF note is written upright: many tools ignore the note and would then show the
    boxes in the wrong place.
    """
    if options.pictures == "none":
        return True
    if entry.picture is None or not entry.picture.is_file():
        report.issues.warning(entry.sample.image, "", "the picture itself is missing: only its labels were written")
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    if _is_turned(entry.picture):
        with Image.open(entry.picture) as stored:
            ImageOps.exif_transpose(stored).save(target, quality=95)
        report.issues.note(entry.sample.image, "", "stored sideways by its camera: written upright")
        return True
    if options.pictures == "link":
        try:
            os.link(entry.picture, target)
            return True
        except OSError:
            pass  # another file system: copy
    shutil.copyfile(entry.picture, target)
    return True


def _is_turned(path: Path) -> bool:
    try:
        with Image.open(path) as picture:
            return int(picture.getexif().get(_ORIENTATION, 1)) not in (0, 1)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return False


def used_classes(entries: Iterable[Entry], options: WriteOptions) -> tuple[str, ...]:
    """The class names to write, in order. Raises ValueError when `options.classes` lacks one that is used."""
    used = {box.code for entry in entries for box in entry.sample.boxes}
    if options.classes is None:
        return class_order(used)
    order = tuple(options.classes)
    if len(set(order)) != len(order):
        raise ValueError("a class is named twice in the class order given")
    missing = sorted(used - set(order))
    if missing:
        raise ValueError(f"the class order given lacks {', '.join(missing)}: add them")
    return order


_BOX_PLAIN = frozenset({"box", "code"})
_SAMPLE_PLAIN = frozenset({"image", "width", "height", "boxes", "version"})


def pack_box(box: LabelledBox) -> dict[str, Any]:
    """Everything of a box beyond corners and code that is set, for the extension field of a format."""
    record = box.model_dump(mode="json", exclude_defaults=True)
    return {key: value for key, value in record.items() if key not in _BOX_PLAIN}


def pack_sample(sample: Sample) -> dict[str, Any]:
    """Everything of a sample beyond picture, size and boxes that is set."""
    record = sample.to_json()
    return {key: value for key, value in record.items() if key not in _SAMPLE_PLAIN}


def count_losses(sample: Sample, report: WriteReport, kept: frozenset[str] = frozenset()) -> None:
    """Add to `report.lost` every value of `sample` beyond picture, size, corners, code and `kept` sample fields.

    `origin` is not counted: a label is a label once it has been exported.
    """
    for key in pack_sample(sample):
        if key not in kept and key != "state":
            report.lost[key] += 1
    for box in sample.boxes:
        for key in pack_box(box):
            if key != "origin":
                report.lost[f"boxes.{key}"] += 1
