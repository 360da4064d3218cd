"""Tile sets of flat colours under even light, so that every pixel tells whose it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("resvg_py", reason="needs the render extra")

from vision.drawings import FaceStyle
from vision.drawings.faces import CODES
from vision.training.render.light import Lighting
from vision.training.render.sets import TileSet
from vision.training.render.styles import Body

BODY = Body(26.0, 35.0, 19.0, 1.6, 0.4, (128.0, 128.0, 128.0), (10.0, 20.0, 250.0), 0.0, 0.9)


def colour_of(code: str) -> tuple[int, int, int]:
    """A colour of its own for every face; the back has the body's."""
    if code == "back":
        return (10, 20, 250)
    number = CODES.index(code)
    return (40 + 5 * number, 255 - 5 * number, 40 + (number % 3) * 20)


def _flat(code: str, width: int, height: int) -> np.ndarray:
    return np.full((height, width, 3), colour_of(code), np.uint8)


@pytest.fixture
def flat_tiles() -> TileSet:
    return TileSet("flat", BODY, FaceStyle(), _flat)


@pytest.fixture
def even_light() -> Lighting:
    return Lighting((), 1.0, 0.0, 0.0)


@pytest.fixture
def colour() -> Callable[[str], tuple[int, int, int]]:
    return colour_of
