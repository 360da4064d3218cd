"""A small data set out of the composer: for trying the whole chain where no photos are at hand."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.training.classes import CLASSES, FACES
from vision.training.compose import compose
from vision.training.faces import FaceBank


def drawn_bank(sets: int, seed: int = 0) -> FaceBank:
    """Faces of the project's own drawings only; needs the ``render`` extra."""
    from vision.training.render.sets import drawn_set  # noqa: PLC0415

    bank = FaceBank()
    for number in range(sets):
        tiles = drawn_set(seed + number)
        for code in FACES:
            bank.add(f"drawn:{number}", code, tiles.face(code, 0))
    return bank


def write_data(folder: Path, train: int = 32, val: int = 8, size: int = 320, seed: int = 1) -> Path:
    """Write a YOLO data set of composites (``real/`` inside ``folder``) with splits train, val and test."""
    bank = drawn_bank(2, seed)
    real = folder / "real"
    for number, (split, count) in enumerate((("train", train), ("val", val), ("test", val))):
        (real / "images" / split).mkdir(parents=True, exist_ok=True)
        (real / "labels" / split).mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng([seed, number])
        for k in range(count):
            sample = compose(rng, bank, [], size, float(rng.uniform(30, 70)))
            cv2.imwrite(str(real / "images" / split / f"c_{split}_{k:03d}.jpg"), sample.image)
            lines = []
            for row in sample.targets:
                x1, y1, x2, y2 = (float(v) / size for v in row[1:5])
                lines.append(f"{int(row[0])} {(x1 + x2) / 2:.5f} {(y1 + y2) / 2:.5f} {x2 - x1:.5f} {y2 - y1:.5f}")
            (real / "labels" / split / f"c_{split}_{k:03d}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = ", ".join(f"'{name}'" for name in CLASSES)
    (real / "data.yaml").write_text(
        f"path: .\ntrain: images/train\nval: images/val\nnames: [{names}]\n", encoding="utf-8"
    )
    return folder
