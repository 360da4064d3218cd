"""The formats labelled pictures travel in: one module each, with `read` and `write`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from vision.dataset.entries import Dataset, Entry, ReadOptions, WriteOptions, WriteReport
from vision.dataset.issues import DatasetError

#: name -> module and one line for people.
FORMATS: dict[str, tuple[str, str]] = {
    "taicam": ("vision.dataset.formats.native", "pictures with a sidecar JSON each; holds everything"),
    "yolo": ("vision.dataset.formats.yolo", "labels/*.txt with data.yaml (Ultralytics, Roboflow)"),
    "coco": ("vision.dataset.formats.coco", "one instances JSON for each split"),
    "labelstudio": ("vision.dataset.formats.labelstudio", "Label Studio tasks with predictions, and its export"),
    "cvat": ("vision.dataset.formats.cvat", "CVAT for images 1.1, annotations.xml"),
    "voc": ("vision.dataset.formats.voc", "Pascal VOC, one XML a picture"),
}


class Format(Protocol):
    """What a format module offers."""

    def read(self, source: Path, options: ReadOptions) -> Dataset:
        """Everything readable under `source`. Raises DatasetError when nothing is."""
        ...

    def write(self, entries: Sequence[Entry], target: Path, options: WriteOptions) -> WriteReport:
        """Write the accepted entries under the folder `target`. Raises DatasetError or OSError."""
        ...

    def looks_like(self, source: Path) -> bool:
        """Whether `source` seems to be of this format."""
        ...


def load_format(name: str) -> Format:
    """The format called `name`. Raises DatasetError naming the valid ones."""
    if name not in FORMATS:
        raise DatasetError(f"there is no format {name!r}: choose one of {', '.join(FORMATS)}")
    return cast(Format, importlib.import_module(FORMATS[name][0]))


def guess_format(source: Path) -> str:
    """The name of the format that `source` is in. Raises DatasetError when none or several fit."""
    if not source.exists():
        raise DatasetError(f"{source} does not exist: check the path")
    fitting = [name for name in FORMATS if load_format(name).looks_like(source)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise DatasetError(f"{source} is in no format known ({', '.join(FORMATS)}): name it with --format")
    raise DatasetError(f"{source} could be {' or '.join(fitting)}: say which with --format")


def read_dataset(source: Path, name: str | None = None, options: ReadOptions | None = None) -> Dataset:
    """Read a data set. `name` None: the format is guessed. Raises DatasetError."""
    if not source.exists():
        raise DatasetError(f"{source} does not exist: check the path")
    return load_format(name or guess_format(source)).read(source, options or ReadOptions())


def write_dataset(
    entries: Sequence[Entry], target: Path, name: str, options: WriteOptions | None = None
) -> WriteReport:
    """Write a data set into the folder `target`, which must be empty or new. Raises DatasetError or OSError."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise DatasetError(f"{target} is there already and not empty: name a new folder")
    target.mkdir(parents=True, exist_ok=True)
    try:
        return load_format(name).write(entries, target, options or WriteOptions())
    except DatasetError:
        raise
    except ValueError as error:
        raise DatasetError(str(error)) from None
