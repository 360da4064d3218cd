"""Views with readings, as the appliance would offer them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from vision.observation import Doubt, TableReading, TileObservation

Image = npt.NDArray[np.uint8]
View = Callable[..., tuple[Image, TableReading]]


def make_view(
    codes: Sequence[str] = ("1m", "2m", "3m", "E", "E"),
    seed: int = 0,
    size: tuple[int, int] = (320, 180),
    confidence: float = 0.97,
    roles: Sequence[str] | None = None,
) -> tuple[Image, TableReading]:
    """A table with blobs for tiles, and the reading of it; another seed, another picture."""
    width, height = size
    rng = np.random.default_rng(seed)
    image = cv2.resize(rng.integers(40, 200, (5, 7, 3), dtype=np.uint8), size, interpolation=cv2.INTER_CUBIC)
    tiles = []
    side = width / (len(codes) + 2)
    for index, code in enumerate(codes):
        x1, y1 = side * (index + 1), height * 0.4
        box = (x1, y1, x1 + side * 0.9, y1 + side * 1.2)
        cv2.rectangle(image, (int(x1), int(y1)), (int(box[2]), int(box[3])), (230, 235, 240), -1)
        pattern = rng.integers(0, 255, (3, 3, 3), dtype=np.uint8)
        spot = cv2.resize(pattern, (int(side * 0.5), int(side * 0.6)), interpolation=cv2.INTER_NEAREST)
        top, left = int(y1 + side * 0.2), int(x1 + side * 0.2)
        image[top : top + spot.shape[0], left : left + spot.shape[1]] = spot
        odds = ((code, confidence), ("9s", 1 - confidence))
        tiles.append(TileObservation(code, box, confidence, odds, 0.0))
    reading = TableReading(
        tiles=tuple(tiles),
        concealed=tuple(codes),
        doubts=(Doubt("close_call", "請確認", "please look", 1),),
        roles=tuple(roles) if roles is not None else ("concealed",) * len(codes),
        size=size,
    )
    return np.asarray(image, dtype=np.uint8), reading


@pytest.fixture(scope="session")
def view() -> View:
    """`view(codes, seed, size, confidence, roles)` -> (frame, reading)."""
    return make_view
