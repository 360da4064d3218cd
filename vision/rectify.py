"""Upright crops of tiles out of a picture: from a box and a pose to a small picture of the face alone.

Used at run time and in training alike, so that the re-reader sees the same kind of crop in both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

CROP_WIDTH, CROP_HEIGHT = 48, 64
MARGIN = 0.12  # of the tile's width and height, left around it on every side
USUAL_NARROW = 0.43  # width / (width + height) of a tile seen from straight above
COARSE = 0.6  # crop pixels a picture pixel below which sampling alone would skip pixels of the picture
_CORNER = np.array([CROP_WIDTH, CROP_HEIGHT]) * MARGIN / (1 + 2 * MARGIN)  # of the face within its crop
_FACE = np.array([CROP_WIDTH, CROP_HEIGHT]) / (1 + 2 * MARGIN)

Floats = NDArray[np.floating]


def face_quad(box: Floats | Sequence[float], cosine: float, sine: float, narrow: float) -> NDArray[np.float64]:
    """The four corners of the rectangle with this pose that fills a box best.

    Args:
        box: x1, y1, x2, y2 around the face.
        cosine: cos 2a, with a the clockwise angle of the face's long axis from upright.
        sine: sin 2a.
        narrow: width / (width + height) of the face as seen; NaN or odd values fall back to a usual tile's.

    Returns:
        4x2 corners: top left, top right, bottom right, bottom left of the face turned by a (which of the two ends is
        its top is not known).
    """
    x1, y1, x2, y2 = (float(edge) for edge in box)
    angle = 0.5 * math.atan2(sine, cosine)
    share = float(narrow) if 0.25 < narrow < 0.65 else USUAL_NARROW
    c, s = math.cos(angle), math.sin(angle)
    width_unit = share * abs(c) + (1 - share) * abs(s)
    height_unit = share * abs(s) + (1 - share) * abs(c)
    size = ((x2 - x1) * width_unit + (y2 - y1) * height_unit) / (width_unit**2 + height_unit**2)
    across, down = size * share / 2, size * (1 - share) / 2
    ax, ay, dx, dy = c * across, s * across, -s * down, c * down
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    return np.array(
        [[x - ax - dx, y - ay - dy], [x + ax - dx, y + ay - dy], [x + ax + dx, y + ay + dy], [x - ax + dx, y - ay + dy]]
    )


def crop_matrix(quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """3x3 matrix from the picture to the crop in which the rectangle ``quad`` lies upright, ``MARGIN`` around it."""
    out = np.eye(3)
    out[:2] = _crop_matrices(quad[None])[0]
    return out


def cut(image: NDArray[np.uint8], quad: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The crop of one tile, CROP_HEIGHT x CROP_WIDTH x 3; see ``cut_all``."""
    return np.asarray(cut_all(image, [quad])[0], np.uint8)


def cut_all(image: NDArray[np.uint8], quads: Sequence[NDArray[np.float64]] | NDArray[np.float64]) -> NDArray[np.uint8]:
    """Crops of N tiles, N x CROP_HEIGHT x CROP_WIDTH x 3. Large tiles are averaged down, not sampled.

    Args:
        image: HxWx3.
        quads: rectangles as ``face_quad`` gives them, 4x2 each.
    """
    out = np.empty((len(quads), CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)
    if not len(quads):
        return out
    corners = np.asarray(quads, np.float64)
    matrices = _crop_matrices(corners)
    scale = np.linalg.norm(matrices[:, 1, :2], axis=1)  # along the face
    halvings = np.clip(np.ceil(np.log2(COARSE / np.maximum(scale, 1e-6))), 0, 8).astype(int)
    centre, reach = corners.mean(1), np.ptp(corners, axis=1) * 0.7 + 2
    low = np.maximum(centre - reach, 0).astype(int)
    high = np.minimum(np.ceil(centre + reach), [image.shape[1], image.shape[0]]).astype(int)
    halvings[(high - low).min(1) < 2**halvings] = 0
    low[halvings == 0] = 0  # cut from the picture itself
    matrices[:, :, 2:] += matrices[:, :, :2] @ low[:, :, None]
    matrices[:, :, :2] *= 2 ** halvings[:, None, None]
    size = (CROP_WIDTH, CROP_HEIGHT)
    places = zip(halvings.tolist(), low.tolist(), high.tolist(), strict=True)
    for crop, matrix, (times, (x1, y1), (x2, y2)) in zip(out, matrices, places, strict=True):
        part = image[y1:y2, x1:x2] if times else image
        for _ in range(times):
            part = _halved(part)
        cv2.warpAffine(part, matrix, size, crop, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return out


def _crop_matrices(quads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nx2x3 matrices from the picture to the crops in which N rectangles lie upright."""
    corner, across, down = quads[:, 0], quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]
    linear = np.stack([across / _square(across), down / _square(down)], axis=1) * _FACE[:, None]
    shift = _CORNER - np.einsum("nij,nj->ni", linear, corner)
    return np.concatenate([linear, shift[:, :, None]], axis=2)


def _square(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.maximum((vectors**2).sum(1, keepdims=True), 1e-9))


def _halved(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Half the size, every pixel the mean of four; an odd last row or column goes."""
    height, width = image.shape[:2]
    even = image[: height // 2 * 2, : width // 2 * 2]
    return np.asarray(cv2.resize(even, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)
