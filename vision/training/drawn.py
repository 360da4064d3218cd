"""Faces of the project's own drawings as arrays on disk, shared between training processes."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.classes import FACES
from vision.training.faces import FACE_HEIGHT, FACE_WIDTH


def drawn_faces(folder: Path, count: int) -> NDArray[np.uint8]:
    """Textures of ``count`` restyled sets, count x 42 x FACE_HEIGHT x FACE_WIDTH x 3 (BGR), in the order of ``FACES``.

    Every second one is of ``styles.wider_style``. Made once (about a second a set) and kept in ``folder``; later calls
    map the file into memory.

    Raises:
        RenderError: the ``render`` extra is not installed.
    """
    path = folder / f"drawn-wider-{count}.npy"
    if not path.is_file():
        from vision.training.render.sets import drawn_set  # noqa: PLC0415  (needs the render extra)
        from vision.training.render.styles import random_style, wider_style  # noqa: PLC0415

        folder.mkdir(parents=True, exist_ok=True)
        out = np.empty((count, len(FACES), FACE_HEIGHT, FACE_WIDTH, 3), np.uint8)
        for number in range(count):
            tiles = drawn_set(10_000 + number, looks=wider_style if number % 2 else random_style)
            for row, code in zip(out[number], FACES, strict=True):
                row[:] = cv2.resize(tiles.face(code, 0), (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_AREA)
        partial = path.with_suffix(".part.npy")
        np.save(partial, out)
        partial.replace(path)
    loaded: NDArray[np.uint8] = np.load(path, mmap_mode="r")
    return loaded
