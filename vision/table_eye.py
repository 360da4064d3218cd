"""Where the camera's eye is above a calibrated table, and how far a raised tile seems displaced from there.

The four corners of a square table tell the camera's distance and focal length together, as long as it looks at the
table aslant. From straight above near and far cameras see the same; there a usual focal length is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: A usual camera's focal length over its picture's longer side, and how far 1/f^2 of others is from that (share).
_USUAL_FOCAL, _SPREAD = 1.0, 0.6
#: How much corners given by hand leave the perspective open.
_CORNER_ERROR = 0.01
#: Focal lengths beyond these factors of the usual one are those of no camera over a table.
_SHORTEST, _LONGEST = 0.58, 2.0


@dataclass(frozen=True, slots=True)
class Eye:
    """The camera's place over a plane: `x`, `y` of the point straight below it, and its `height`, all in the plane's
    own unit."""

    x: float
    y: float
    height: float

    def shift(self, points: Floats, low: float, high: float) -> Floats:
        """How far points (N,2), seen at height `low` over the plane, seem to move (N,2) when raised to `high`."""
        share = (high - low) / max(self.height - high, 1e-6)
        return (np.asarray(points, dtype=np.float64) - (self.x, self.y)) * share


def eye_of(matrix: Floats, size: tuple[int, int]) -> Eye:
    """The eye over the unit square that `matrix` (3x3) takes to the pixels of a picture of `size` by a perfect lens."""
    longest = float(max(size))
    to_middle = np.array([[1, 0, -size[0] / 2], [0, 1, -size[1] / 2], [0, 0, longest]]) / longest
    right, down, corner = (to_middle @ matrix).T
    inverse = 1.0 / _focal(right, down) ** 2
    scale = np.sqrt(inverse) * np.array([1.0, 1.0, 1.0 / np.sqrt(inverse)])
    first, second, place = right * scale, down * scale, corner * scale
    unit = (np.linalg.norm(first) + np.linalg.norm(second)) / 2
    sign = 1.0 if place[2] > 0 else -1.0
    first, second, place = (sign * column / unit for column in (first, second, place))
    u, _, v = np.linalg.svd(np.stack([first, second, np.cross(first, second)], axis=1))
    x, y, into = -(u @ v).T @ place
    return Eye(float(x), float(y), float(-into))


def _focal(right: Floats, down: Floats) -> float:
    """Focal length, in the picture's longer side: the square's sides are at right angles and equally long."""
    unit = float(np.linalg.norm(right[:2]) * np.linalg.norm(down[:2]))
    seen = np.array([right[:2] @ down[:2], (right[:2] @ right[:2] - down[:2] @ down[:2]) / 2]) / unit
    deep = np.array([right[2] * down[2], (right[2] ** 2 - down[2] ** 2) / 2]) / unit
    usual = 1.0 / _USUAL_FOCAL**2
    trust = (_SPREAD / _CORNER_ERROR) ** 2
    inverse = (usual - trust * float(seen @ deep)) / (1.0 + trust * float(seen @ seen))
    return float(np.clip(1.0 / np.sqrt(max(inverse, 1e-6)), _SHORTEST * _USUAL_FOCAL, _LONGEST * _USUAL_FOCAL))
