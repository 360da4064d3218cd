"""One training picture with its truth, whoever made it (a photo window, a composite, a rendered scene)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

#: Columns of ``Sample.targets``: class, x1, y1, x2, y2 (pixels), cos 2a, sin 2a, narrow share (see ``pose_of``).
COLUMNS = 8


@dataclass(slots=True)
class Sample:
    """A picture (HxWx3 uint8 BGR) and its tiles: one row of ``COLUMNS`` floats a tile, NaN where a pose is unknown."""

    image: NDArray[np.uint8]
    targets: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, COLUMNS), np.float32))


def pose_of(quad: NDArray[np.floating]) -> tuple[float, float, float]:
    """Pose of a face seen in a picture, the same after half a turn.

    Args:
        quad: 4x2 corners of the face in its own order: top left, top right, bottom right, bottom left.

    Returns:
        cos 2a and sin 2a, where a is the clockwise angle of the face's long axis from the picture's upright;
        and the face's width divided by width + height, both as seen in the picture.
    """
    top, bottom = (quad[0] + quad[1]) / 2, (quad[2] + quad[3]) / 2
    axis = top - bottom
    angle = np.arctan2(axis[0], -axis[1])
    height = (np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
    width = (np.linalg.norm(quad[0] - quad[1]) + np.linalg.norm(quad[3] - quad[2])) / 2
    return float(np.cos(2 * angle)), float(np.sin(2 * angle)), float(width) / max(float(width + height), 1e-6)


def filled(
    shift: NDArray[np.float64], linear: NDArray[np.float64], picture: tuple[int, int], size: int
) -> NDArray[np.float64]:
    """Move a window so that the picture (width, height), mapped by ``linear``, fills it where it is large enough."""
    width, height = picture
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ linear.T
    low, high = corners.min(0), corners.max(0)
    wide = high - low >= size
    return np.where(wide, np.clip(shift, size - high, -low), shift)
