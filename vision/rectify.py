"""Upright crops of tiles out of a picture: from a box and a pose to a small picture of the face alone.

Used at run time and in training alike, so that the re-reader sees the same kind of crop in both.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

CROP_WIDTH, CROP_HEIGHT = 48, 64
MARGIN = 0.12  # of the tile's width and height, left around it on every side
USUAL_NARROW = 0.43  # width / (width + height) of a tile seen from straight above

Floats = NDArray[np.floating]


def face_quad(box: Floats, cosine: float, sine: float, narrow: float) -> NDArray[np.float64]:
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
    angle = 0.5 * float(np.arctan2(sine, cosine))
    share = float(narrow) if 0.25 < narrow < 0.65 else USUAL_NARROW
    c, s = np.cos(angle), np.sin(angle)
    width_unit = share * abs(c) + (1 - share) * abs(s)
    height_unit = share * abs(s) + (1 - share) * abs(c)
    width, height = float(box[2] - box[0]), float(box[3] - box[1])
    size = (width * width_unit + height * height_unit) / (width_unit**2 + height_unit**2)
    across = np.array([c, s]) * size * share / 2
    down = np.array([-s, c]) * size * (1 - share) / 2
    centre = np.array([box[0] + box[2], box[1] + box[3]], np.float64) / 2
    return np.array([centre - across - down, centre + across - down, centre + across + down, centre - across + down])


def crop_matrix(quad: NDArray[np.float64]) -> NDArray[np.float64]:
    """3x3 matrix from the picture to the crop in which the quad lies upright with ``MARGIN`` around it."""
    left, top = MARGIN / (1 + 2 * MARGIN) * CROP_WIDTH, MARGIN / (1 + 2 * MARGIN) * CROP_HEIGHT
    right, bottom = CROP_WIDTH - left, CROP_HEIGHT - top
    target = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(quad.astype(np.float32), target), np.float64)


def cut(image: NDArray[np.uint8], quad: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The crop of one tile, CROP_HEIGHT x CROP_WIDTH x 3. Large tiles are averaged down, not sampled."""
    span = float(np.linalg.norm(quad[3] - quad[0]))
    scale = CROP_HEIGHT / max(span * (1 + 2 * MARGIN), 1.0)
    if scale < 0.6:
        reach = span * 1.2
        low = np.maximum(np.floor(quad.min(0) - reach * 0.25), 0).astype(int)
        high = np.minimum(np.ceil(quad.max(0) + reach * 0.25), [image.shape[1], image.shape[0]]).astype(int)
        part = image[low[1] : high[1], low[0] : high[0]]
        if min(part.shape[:2]) >= 2:
            factor = scale * 1.25
            size = (max(2, round(part.shape[1] * factor)), max(2, round(part.shape[0] * factor)))
            small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8)
            ratio = np.array([size[0] / part.shape[1], size[1] / part.shape[0]])
            return _warp(small, (quad - low) * ratio)
    return _warp(image, quad)


def _warp(image: NDArray[np.uint8], quad: NDArray[np.float64]) -> NDArray[np.uint8]:
    size = (CROP_WIDTH, CROP_HEIGHT)
    out = cv2.warpPerspective(image, crop_matrix(quad), size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.uint8)
