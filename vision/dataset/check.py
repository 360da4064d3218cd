"""What is wrong with labelled pictures: twins across splits, absurd boxes, unknown and missing classes, leaks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scoring.tiles import ALL_CODES
from vision.dataset.entries import DEFAULT_SPLIT, Dataset, Entry
from vision.dataset.issues import Issue
from vision.dataset.looks import LookAlikes, Looks
from vision.dataset.phash import near_pairs, picture_hash
from vision.dataset.sample import LabelledBox, Sample
from vision.picture import Picture, PictureError, load_picture

_EXACT = frozenset(ALL_CODES)


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """Where a finding begins. Distances are in bits of the 256-bit hash: the same picture saved again differs in at
    most about 10, two shots of one hand in 20 to 45, and so may two hands before one camera that did not move.
    `smallest` is the side in pixels below which no face can be told, `largest` a share of the picture's shorter side.
    """

    same_picture: int = 12
    near_picture: int = 44
    smallest: float = 8.0
    largest: float = 0.9
    slimmest: float = 0.2
    overlap: float = 0.85
    scarce: float = 0.2


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pictures that are the same, or nearly."""

    one: str
    two: str
    splits: tuple[str, str]
    distance: int
    same: bool

    @property
    def across(self) -> bool:
        """Whether the two stand in different splits: then what is measured on one was learnt from the other."""
        return self.splits[0] != self.splits[1]


@dataclass(frozen=True, slots=True)
class BoxFault:
    """A box that can hardly be right. `kind`: no_area, outside, tiny, huge, slim, twice."""

    image: str
    index: int
    kind: str
    message: str


@dataclass(slots=True)
class CheckReport:
    """Everything found. `ok` is whether nothing spoils training or measuring."""

    pictures: int = 0
    boxes: int = 0
    splits: dict[str, int] = field(default_factory=dict)
    classes: dict[str, dict[str, int]] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    faults: list[BoxFault] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    missing_pictures: list[str] = field(default_factory=list)
    missing_classes: dict[str, list[str]] = field(default_factory=dict)
    scarce_classes: dict[str, list[str]] = field(default_factory=dict)
    shared_sets: dict[str, list[str]] = field(default_factory=dict)
    looks: list[LookAlikes] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """False when pictures are in two splits, boxes or classes are wrong, or files could not be read."""
        serious = [p for p in self.pairs if p.across]
        broken = [i for i in self.issues if i.severity == "error"]
        return not (serious or self.faults or self.unknown or self.shared_sets or self.missing_pictures or broken)

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "ok": self.ok,
            "pictures": self.pictures,
            "boxes": self.boxes,
            "splits": self.splits,
            "classes": self.classes,
            "pairs": [
                {"one": p.one, "two": p.two, "splits": list(p.splits), "distance": p.distance, "same": p.same}
                for p in self.pairs
            ],
            "faults": [{"image": f.image, "index": f.index, "kind": f.kind, "message": f.message} for f in self.faults],
            "unknown_classes": self.unknown,
            "empty_pictures": self.empty,
            "missing_pictures": self.missing_pictures,
            "missing_classes": self.missing_classes,
            "scarce_classes": self.scarce_classes,
            "shared_tile_sets": self.shared_sets,
            "look_alikes": [look.to_json() for look in self.looks],
            "issues": [issue.to_json() for issue in self.issues],
        }


def split_of(sample: Sample) -> str:
    """The split a sample counts to."""
    return sample.split or DEFAULT_SPLIT


def group_of(sample: Sample) -> str:
    """What the sample belongs together with: its tile set when that is known, else the words of its file name."""
    if sample.tile_set:
        return sample.tile_set
    words = re.split(r"[_\-.\s]+", sample.name.rsplit(".", 1)[0])
    kept = [word for word in words if word and not any(c.isdigit() for c in word)]
    return "_".join(kept) or "(all)"


def check_dataset(dataset: Dataset, limits: CheckLimits | None = None) -> CheckReport:
    """Look through a data set, pictures included (about 8 ms a picture). Never raises for what it finds."""
    limits = limits or CheckLimits()
    report = CheckReport(issues=list(dataset.issues))
    hashes: list[str] = []
    hashed: list[Sample] = []
    looks = Looks()
    for entry in dataset.entries:
        _check_boxes(entry.sample, limits, report)
        picture = _load(entry, report)
        if picture is not None:
            hashes.append(picture_hash(picture))
            hashed.append(entry.sample)
            looks.add(picture, entry.sample.boxes, split_of(entry.sample), group_of(entry.sample))
    _pair(hashes, hashed, limits, report)
    _balance(dataset.samples, limits, report)
    _tile_sets(dataset.samples, report)
    report.looks = looks.compare()
    return report


def _load(entry: Entry, report: CheckReport) -> Picture | None:
    if entry.picture is None or not entry.picture.is_file():
        report.missing_pictures.append(entry.sample.image)
        return None
    try:
        picture = load_picture(entry.picture)
    except PictureError as error:
        report.issues.append(Issue("error", entry.sample.image, "", error.en))
        return None
    height, width = picture.shape[:2]
    if (width, height) != (entry.sample.width, entry.sample.height):
        report.issues.append(
            Issue(
                "error",
                entry.sample.image,
                "",
                f"is {width}x{height}, its labels are for {entry.sample.width}x{entry.sample.height}: "
                "the boxes lie in the wrong places",
            )
        )
    return picture


def _check_boxes(sample: Sample, limits: CheckLimits, report: CheckReport) -> None:
    report.pictures += 1
    report.boxes += len(sample.boxes)
    if not sample.boxes:
        report.empty.append(sample.image)
    for index, box in enumerate(sample.boxes):
        if box.code not in _EXACT:
            report.unknown[box.code] = report.unknown.get(box.code, 0) + 1
        fault = _fault(box, sample, limits)
        if fault is not None:
            report.faults.append(BoxFault(sample.image, index, *fault))
    report.faults.extend(_twice(sample, limits))


def _fault(box: LabelledBox, sample: Sample, limits: CheckLimits) -> tuple[str, str] | None:
    width, height = box.width, box.height
    x1, y1, x2, y2 = box.box
    short, long = min(width, height), max(width, height)
    room = min(sample.width, sample.height)
    others = len(sample.boxes) - 1
    faults = (
        (short <= 0, "no_area", "no area"),
        (x2 <= 0 or y2 <= 0 or x1 >= sample.width or y1 >= sample.height, "outside", "wholly outside the picture"),
        (min(x1, y1) < -2 or x2 > sample.width + 2 or y2 > sample.height + 2, "outside", "reaches beyond the picture"),
        (short < limits.smallest, "tiny", "too small to tell a face"),
        (short > limits.largest * room and others, "huge", f"as large as the picture, beside {others} others"),
        (short < limits.slimmest * long, "slim", "far too slim for a tile"),
    )
    size = f"{box.code}, {width:.0f}x{height:.0f} pixels"
    return next(((kind, f"{size}: {message}") for wrong, kind, message in faults if wrong), None)


def _twice(sample: Sample, limits: CheckLimits) -> list[BoxFault]:
    if len(sample.boxes) < 2:
        return []
    corners = np.array([box.box for box in sample.boxes])
    x1, y1, x2, y2 = corners.T
    areas = np.maximum(x2 - x1, 0) * np.maximum(y2 - y1, 0)
    faults = []
    for index in range(1, len(corners)):
        wide = np.minimum(x2[index], x2[:index]) - np.maximum(x1[index], x1[:index])
        high = np.minimum(y2[index], y2[:index]) - np.maximum(y1[index], y1[:index])
        shared = np.maximum(wide, 0) * np.maximum(high, 0)
        overlap = shared / np.maximum(areas[index] + areas[:index] - shared, 1e-9)
        first = int(np.argmax(overlap))
        if overlap[first] > limits.overlap:
            codes = f"{sample.boxes[first].code} and {sample.boxes[index].code}"
            faults.append(BoxFault(sample.image, index, "twice", f"one tile boxed twice, as {codes}"))
    return faults


def _pair(hashes: Sequence[str], samples: Sequence[Sample], limits: CheckLimits, report: CheckReport) -> None:
    for one, two, distance in near_pairs(hashes, limits.near_picture):
        splits = (split_of(samples[one]), split_of(samples[two]))
        same = distance <= limits.same_picture
        report.pairs.append(Pair(samples[one].image, samples[two].image, splits, distance, same))
    report.pairs.sort(key=lambda pair: (not pair.across, pair.distance))


def _balance(samples: Sequence[Sample], limits: CheckLimits, report: CheckReport) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    pictures: Counter[str] = Counter()
    for sample in samples:
        pictures[split_of(sample)] += 1
        counts[split_of(sample)].update(box.code for box in sample.boxes)
    report.splits = dict(pictures)
    seen = {code for counter in counts.values() for code in counter}
    names = [*ALL_CODES, *sorted(seen - _EXACT)]
    report.classes = {name: {split: counts[split][name] for split in pictures} for name in names}
    for split, counter in counts.items():
        median = float(np.median([counter[code] for code in ALL_CODES if counter[code]] or [0]))
        report.missing_classes[split] = [code for code in ALL_CODES if not counter[code]]
        report.scarce_classes[split] = [c for c in ALL_CODES if 0 < counter[c] < limits.scarce * median]


def _tile_sets(samples: Sequence[Sample], report: CheckReport) -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for sample in samples:
        if sample.tile_set:
            places[sample.tile_set].add(split_of(sample))
    report.shared_sets = {name: sorted(splits) for name, splits in sorted(places.items()) if len(splits) > 1}
