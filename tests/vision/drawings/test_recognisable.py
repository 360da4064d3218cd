"""A face keeps its identity across styles and at 24 pixels: nearest-picture naming between different sets."""

from dataclasses import replace

import numpy as np
import pytest

from vision.drawings import PRESETS
from vision.drawings.faces import CODES

pytest.importorskip("resvg_py", reason="needs the render extra")

import cv2

from vision.training.render.raster import ink_picture

FACES = [code for code in CODES if code not in ("back", "P")]


def _features(preset: str) -> np.ndarray:
    rows = []
    for code in FACES:
        picture = ink_picture(code, replace(PRESETS[preset], five="五"), 96)
        alpha = cv2.resize(picture[..., 3].astype(np.float32), (24, 32), interpolation=cv2.INTER_AREA)
        soft = cv2.GaussianBlur(alpha, (0, 0), 1.2)
        rows.append((soft - soft.mean()).ravel() / (soft.std() + 1e-6))
    return np.array(rows)


def test_every_pair_of_faces_differs_clearly_at_24_pixels() -> None:
    likeness = _features("house") @ _features("house").T / (24 * 32)
    np.fill_diagonal(likeness, 0)
    worst = np.unravel_index(likeness.argmax(), likeness.shape)
    assert likeness.max() < 0.985, (FACES[worst[0]], FACES[worst[1]], likeness.max())


@pytest.mark.parametrize("preset", ["taiwan", "bold", "jade"])
def test_faces_of_another_set_are_named_by_likeness(preset: str) -> None:
    names = (_features(preset) @ _features("house").T).argmax(1)
    wrong = [(FACES[i], FACES[int(n)]) for i, n in enumerate(names) if i != n]
    assert not wrong
