"""Pictures of an empty table seen from anywhere."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from vision.table import Lens

SIZE = (1600, 1000)
CORNERS = ((430.0, 150.0), (1180.0, 165.0), (1450.0, 900.0), (170.0, 880.0))


@dataclass
class View:
    """A camera's picture of a table with these corners, through this lens."""

    corners: tuple[tuple[float, float], ...] = CORNERS
    lens: Lens = Lens()  # noqa: RUF009
    cloth: tuple[int, int, int] = (70, 120, 45)
    rounded: float = 0.05

    def picture(self, top: np.ndarray | None = None) -> np.ndarray:
        """`top` is drawn on the table (square, BGR); else plain cloth with tiles along the edges."""
        top = self.plain() if top is None else top
        side = top.shape[0]
        width, height = SIZE
        grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2).astype(float)
        straight = self.lens.straighten(grid, SIZE)
        seen = np.array(self.corners, float)
        square = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32)
        matrix = cv2.getPerspectiveTransform(self.lens.straighten(seen, SIZE).astype(np.float32), square)
        on = cv2.perspectiveTransform(straight[None].astype(np.float32), matrix)[0].reshape(height, width, 2)
        floor = self.floor()
        table = cv2.remap(top, on[..., 0], on[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        inside = ((on >= 0) & (on < side)).all(axis=2)
        radius = self.rounded * side
        edge = np.minimum(on, side - on)
        inside &= ~((edge < radius).all(axis=2) & (np.linalg.norm(radius - edge, axis=2) > radius))
        return np.where(inside[..., None], table, floor).astype(np.uint8)

    def plain(self, side: int = 900) -> np.ndarray:
        rng = np.random.default_rng(4)
        top = np.full((side, side, 3), self.cloth, np.uint8)
        shade = np.linspace(0.8, 1.15, side)[None, :, None]
        top = np.clip(top * shade + rng.normal(0, 3, top.shape), 0, 255).astype(np.uint8)
        for number in range(16):
            x = 120 + number * 27
            cv2.rectangle(top, (x, side - 60), (x + 25, side - 26), (225, 228, 230), -1)
            cv2.rectangle(top, (26, x), (60, x + 25), (225, 228, 230), -1)
        return top

    def floor(self) -> np.ndarray:
        rng = np.random.default_rng(5)
        small = rng.integers(60, 190, (25, 40, 1)).repeat(3, axis=2).astype(np.uint8)
        small[..., 2] = np.clip(small[..., 2] + 30, 0, 255)
        return cv2.resize(small, SIZE, interpolation=cv2.INTER_CUBIC)


@pytest.fixture
def view() -> type[View]:
    """The builder of table pictures."""
    return View
