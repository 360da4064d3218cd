"""A small data set out of the renderer: for trying the whole chain where no photos are at hand."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.session import usable_cores
from vision.training.classes import CLASSES

if TYPE_CHECKING:
    from vision.training.render import TileSet

LAYOUTS = {"hand": 1.0, "grid": 1.0}  # few tiles a picture, so that small pictures show them large
SETS = 3  # of drawn tiles: making a set takes longer than several pictures of it


def write_data(folder: Path, scenes: int = 200, size: int = 192, seed: int = 1) -> Path:
    """Write a YOLO data set of rendered scenes (``real/`` inside ``folder``): eight in ten train, one val, one test.

    Needs the ``render`` extra. The same seed gives the same files, on however many cores.
    """
    real = folder / "real"
    for kind in ("images", "labels"):
        for split in ("train", "val", "test"):
            (real / kind / split).mkdir(parents=True)
    names = ", ".join(f"'{name}'" for name in CLASSES)
    (real / "data.yaml").write_text(
        f"path: .\ntrain: images/train\nval: images/val\nnames: [{names}]\n", encoding="utf-8"
    )
    cores = min(4, usable_cores())
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(_write_scene, real, size, seed), range(scenes), chunksize=-(-scenes // cores)))
    return folder


@lru_cache(maxsize=1)
def _styles(seed: int) -> list[TileSet]:
    from vision.training.render.sets import drawn_set  # noqa: PLC0415  (needs the render extra)

    return [drawn_set(seed + number) for number in range(SETS)]


def _write_scene(real: Path, size: int, seed: int, number: int) -> None:
    from vision.training.render import render_scene  # noqa: PLC0415

    cv2.setNumThreads(1)
    style = _styles(seed)[number % SETS]
    scene = render_scene(seed * 10_000 + number, style=style, size=(size, size), mix=LAYOUTS)
    split = {8: "val", 9: "test"}.get(number % 10, "train")
    name = f"made_{number:04d}"
    cv2.imwrite(os.fspath(real / "images" / split / f"{name}.jpg"), np.ascontiguousarray(scene.image))
    lines = "".join(f"{line}\n" for line in scene.labels(CLASSES))
    (real / "labels" / split / f"{name}.txt").write_text(lines, encoding="utf-8")
