"""The gate that a new network must pass: labelled photos read with the old and with the new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from taicam.errors import JobError
from taicam.models_compare import GateRow, gate_rows
from taicam.models_registry import Gate
from vision.dataset.entries import WriteOptions
from vision.dataset.formats import read_dataset, write_dataset
from vision.detector import Detector
from vision.evaluate import evaluate
from vision.rereader import Rereader


def detector_of(paths: Mapping[str, Path]) -> Detector:
    """The detector with its re-reader from kind -> file. Raises WeightsError when a file is no such network."""
    return Detector(paths["tiles"], rereader=Rereader(paths["rereader"]))


def photo_gate(data: Path, splits: Sequence[str] = ("val",), limit: int = 0) -> Gate:
    """A gate over the photos of a YOLO data set; `limit` takes so many of each split only.

    Both networks are run on all of them: about half a second a photo and network. The first network's rows are kept,
    so that several candidates are measured against it once.
    """
    measured: dict[tuple[Path, ...], list[GateRow]] = {}

    def gate(paths: Mapping[str, Path]) -> list[GateRow]:
        key = tuple(paths[kind] for kind in sorted(paths))
        if key not in measured:
            found = evaluate(data, splits, detector_of(paths).detect, "gate", limit)
            measured[key] = gate_rows(found.rows)
        return measured[key]

    return gate


def captured_gate(captures: Path, work: Path, limit: int = 0) -> Gate:
    """A gate over the accepted samples of a capture folder, written to the new folder `work` for the purpose.

    Samples whose `split` is `test` or `val` are taken when there are any, else all. Raises JobError when none is
    accepted.
    """
    entries = [entry for entry in read_dataset(captures, "taicam").entries if entry.sample.state == "accepted"]
    held = [entry for entry in entries if entry.sample.split in ("val", "test")] or entries
    if not held:
        raise JobError(f"{captures} holds no accepted sample", "review some first: taicam capture list")
    named = [type(e)(e.sample.model_copy(update={"split": "val"}), e.picture) for e in held]
    write_dataset(named, work, "yolo", WriteOptions(pictures="link"))
    return photo_gate(work, ("val",), limit)
