"""The gate that a new network must pass: labelled photos read with the old and with the new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from taicam.models_compare import GateRow, gate_rows
from taicam.models_registry import Gate
from vision.detector import Detector
from vision.enroll_reader import RereaderEmbedder
from vision.evaluate import evaluate
from vision.rereader import Rereader


def networks_of(paths: Mapping[str, Path]) -> tuple[Detector, RereaderEmbedder]:
    """The detector with its re-reader from kind -> file, and that re-reader as what tile sets are learnt with.

    Raises WeightsError when a file is no such network.
    """
    rereader = Rereader(paths["rereader"])
    return Detector(paths["tiles"], rereader=rereader), RereaderEmbedder(rereader)


def photo_gate(data: Path, splits: Sequence[str] = ("val",), limit: int = 0) -> Gate:
    """A gate over the photos of a YOLO data set; `limit` takes so many of each split only.

    Both networks are run on all of them: about half a second a photo and network. The first network's rows are kept,
    so that several candidates are measured against it once.
    """
    measured: dict[tuple[Path, ...], list[GateRow]] = {}

    def gate(paths: Mapping[str, Path]) -> list[GateRow]:
        key = tuple(paths[kind] for kind in sorted(paths))
        if key not in measured:
            found = evaluate(data, splits, networks_of(paths)[0].detect, "gate", limit)
            measured[key] = gate_rows(found.rows)
        return measured[key]

    return gate
