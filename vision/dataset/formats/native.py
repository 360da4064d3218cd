"""Our own: pictures with a sidecar JSON of the same stem beside each. Holds everything; what capture writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vision.dataset.entries import (
    PICTURE_SUFFIXES,
    Dataset,
    Entry,
    ReadOptions,
    WriteOptions,
    WriteReport,
    place_picture,
    read_code,
    unique_names,
)
from vision.dataset.issues import DatasetError, Issues
from vision.dataset.sample import Sample, SidecarError, read_sidecar, write_sidecar


def looks_like(source: Path) -> bool:
    """A folder in which some picture has a sidecar that is one."""
    if not source.is_dir():
        return False
    for path in sorted(source.rglob("*.json"))[:50]:
        if _picture_of(path) is not None:
            try:
                read_sidecar(path)
                return True
            except SidecarError:
                continue
    return False


def _picture_of(sidecar: Path) -> Path | None:
    for suffix in PICTURE_SUFFIXES:
        picture = sidecar.with_suffix(suffix)
        if picture.is_file():
            return picture
    return None


def read(source: Path, options: ReadOptions) -> Dataset:
    """Every sidecar under the folder `source`. Raises DatasetError when it has none."""
    dataset = Dataset()
    sidecars = sorted(p for p in source.rglob("*.json") if not p.name.startswith("."))
    for path in sidecars:
        picture = _picture_of(path)
        name = path.relative_to(source).as_posix()
        if picture is None:
            continue  # some other JSON file
        try:
            sample = read_sidecar(path)
        except SidecarError as error:
            dataset.issues.error(name, "", str(error).removeprefix(f"{path}: "))
            continue
        sample = _with_known_codes(sample, options, dataset.issues, name)
        image = picture.relative_to(source).as_posix()
        dataset.entries.append(Entry(sample.model_copy(update={"image": image}), picture))
    if not dataset.entries and not dataset.issues.errors:
        raise DatasetError(f"{source} holds no picture with a sidecar JSON beside it: check the folder")
    return dataset


def _with_known_codes(sample: Sample, options: ReadOptions, issues: Issues, name: str) -> Sample:
    boxes = []
    for index, box in enumerate(sample.boxes):
        code = read_code(box.code, options, issues, name, f"boxes[{index}].code")
        if code is not None:
            boxes.append(box if code == box.code else box.model_copy(update={"code": code}))
    return sample.model_copy(update={"boxes": tuple(boxes)})


def write(entries: Sequence[Entry], target: Path, options: WriteOptions) -> WriteReport:
    """Pictures and sidecars in one folder; proposed and discarded samples keep their state and go too."""
    report = WriteReport()
    for entry, name in zip(entries, unique_names(entries, report.issues), strict=True):
        place_picture(entry, target / name, options, report)
        sidecar = (target / name).with_suffix(".json")
        write_sidecar(entry.sample.model_copy(update={"image": name}), sidecar)
        report.files.append(sidecar)
        report.pictures += 1
        report.boxes += len(entry.sample.boxes)
    return report
