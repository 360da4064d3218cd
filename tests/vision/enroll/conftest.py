"""A small but real embedder: a linear reader of coarse pictures, trained on one way of drawing tiles."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vision.enroll import Crops, Features, Floats, Shot, softmax
from vision.enroll_crops import variants

NAMES = ("1m", "2m", "3m", "4m", "1p", "2p", "3p", "E", "S", "W", "C", "F")
Draw = Callable[[str, int], Crops]


def draw(code: str, style: int) -> Crops:
    """The face `code` of tile set `style`: strokes that belong to the code, bent and coloured by the set."""
    face = np.random.default_rng(NAMES.index(code))
    crop = np.full((64, 48, 3), 235, np.uint8)
    own = np.random.default_rng([style, NAMES.index(code)])
    ink = (40, 40, 40) if style == 0 else tuple(int(v) for v in np.random.default_rng(style).integers(0, 160, 3))
    for _ in range(4):
        points = face.uniform([8, 8], [40, 56], (2, 2)) + own.normal(0, 0 if style == 0 else 5.0, (2, 2))
        start, end = ((int(x), int(y)) for x, y in points)
        cv2.line(crop, start, end, ink, 2 if style == 0 else 3, cv2.LINE_AA)
    return crop


def look(crops: Crops) -> Floats:
    """A coarse grey picture of each crop, without its brightness."""
    small = np.stack(
        [cv2.resize(cv2.cvtColor(c, cv2.COLOR_BGR2GRAY), (12, 16), interpolation=cv2.INTER_AREA) for c in crops]
    )
    flat = small.reshape(len(crops), -1).astype(np.float32)
    flat -= flat.mean(axis=1, keepdims=True)
    return flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-3)


class CoarseReader:
    """Least squares on coarse pictures of set 0: right there, often wrong on other sets, as networks are."""

    names = NAMES

    def __init__(self, fingerprint: str = "coarse-1", seed: int = 0) -> None:
        self.fingerprint = fingerprint
        rng = np.random.default_rng(seed)
        crops = [c for code in NAMES for c in variants(draw(code, 0), 25, rng)]
        inputs = look(np.stack(crops))
        truth = np.repeat(np.eye(len(NAMES)), 25, axis=0)
        squares = inputs.T @ inputs + 0.5 * np.eye(inputs.shape[1])
        self._weights = np.linalg.solve(squares, inputs.T @ truth).astype(np.float32)

    def describe(self, crops: Crops) -> Features:
        """Odds and the coarse picture itself."""
        inputs = look(crops)
        return Features(softmax(inputs @ self._weights * 8), inputs)


def make_shots(style: int, photos: int = 3, seed: int = 0, strength: float = 1.0) -> list[Shot]:
    """One crop of every face in each of `photos` photos."""
    rng = np.random.default_rng([style, seed])
    return [
        Shot(variants(draw(code, style), 1, rng, strength)[0], code, f"photo{n}")
        for n in range(photos)
        for code in NAMES
    ]


@pytest.fixture(scope="session")
def reader() -> CoarseReader:
    """The embedder."""
    return CoarseReader()


@pytest.fixture(scope="session")
def shots() -> Callable[..., list[Shot]]:
    """`shots(style, photos, seed, strength)`."""
    return make_shots
