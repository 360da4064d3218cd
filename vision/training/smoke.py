"""A small data set out of the renderer: for trying the whole chain where no photos are at hand."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.training.classes import CLASSES

LAYOUTS = {"hand": 1.0, "grid": 1.0}  # few tiles a picture, so that small pictures show them large
SETS = 3  # of drawn tiles: making a set takes longer than several pictures of it


def write_data(folder: Path, scenes: int = 200, size: int = 192, seed: int = 1) -> Path:
    """Write a YOLO data set of rendered scenes (``real/`` inside ``folder``): eight in ten train, one val, one test.

    Needs the ``render`` extra. The same seed gives the same files.
    """
    from vision.training.render import render_scene  # noqa: PLC0415
    from vision.training.render.sets import drawn_set  # noqa: PLC0415

    real = folder / "real"
    styles = [drawn_set(seed + number) for number in range(SETS)]
    for number in range(scenes):
        split = {8: "val", 9: "test"}.get(number % 10, "train")
        scene = render_scene(seed * 10_000 + number, style=styles[number % SETS], size=(size, size), mix=LAYOUTS)
        for kind in ("images", "labels"):
            (real / kind / split).mkdir(parents=True, exist_ok=True)
        name = f"made_{number:04d}"
        cv2.imwrite(str(real / "images" / split / f"{name}.jpg"), np.ascontiguousarray(scene.image))
        lines = "".join(f"{line}\n" for line in scene.labels(CLASSES))
        (real / "labels" / split / f"{name}.txt").write_text(lines, encoding="utf-8")
    names = ", ".join(f"'{name}'" for name in CLASSES)
    (real / "data.yaml").write_text(
        f"path: .\ntrain: images/train\nval: images/val\nnames: [{names}]\n", encoding="utf-8"
    )
    return folder
