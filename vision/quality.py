"""What is wrong with the picture itself, said with what to do about it.

Measured on the tiles found, at a common size, so that the limits hold for any camera; without tiles only what can be
said of the whole picture is.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.observation import Box, QualityNote, TileObservation

Picture = npt.NDArray[np.uint8]
Plane = npt.NDArray[np.float32]

#: Brightness (0-255) that the lightest fifth of a tile reaches: dark, and too dark to read.
DARK, TOO_DARK = 95.0, 55.0
#: Steepest edges over contrast at 48 pixels a tile: 0.37 when sharp, 0.13 with a blur of 6 % of the tile's width. Of
#: hands read from less every second one is wrong, some of them with all odds on the wrong suit.
BLURRED = 0.16
#: Steepest edges over the contrast around them, pixel by pixel: 0.32 and more in pictures in focus, below 0.2 with a
#: blur of three pixels. Told where no tiles are found.
BLURRED_ALL = 0.2
#: Around an edge: so many pixels, of this contrast; a picture tells with this share of such.
_AROUND, _TELLING, _ENOUGH = 15, 40.0, 0.005
#: Width of a tile, pixels: small, and too small to read.
SMALL, TOO_SMALL = 20.0, 13.0
_GLARE_SHARE = 0.45
_SAMPLE = 48
_PROBE = 480


def assess(image: Picture, tiles: Sequence[TileObservation]) -> tuple[QualityNote, ...]:
    """Faults of a picture (HxWx3 uint8 BGR) in which `tiles` were found, the gravest first."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    boxes = [tile.box for tile in tiles]
    notes = [
        *_darkness(grey, boxes),
        *_sharpness(grey, boxes),
        *_smallness(boxes),
        *_glare(grey, boxes),
        *_cut_off(boxes, (image.shape[1], image.shape[0])),
        *_person(image, boxes),
    ]
    return tuple(sorted(notes, key=lambda note: not note.severe))


def _crop(grey: npt.NDArray[np.generic], box: Box) -> Plane:
    height, width = grey.shape
    x1, y1 = max(0, round(box[0])), max(0, round(box[1]))
    x2, y2 = min(width, round(box[2])), min(height, round(box[3]))
    return np.asarray(grey[y1:y2, x1:x2], dtype=np.float32)


def _darkness(grey: npt.NDArray[np.generic], boxes: Sequence[Box]) -> list[QualityNote]:
    crops = [crop for box in boxes if (crop := _crop(grey, box)).size]
    if crops:
        light = float(np.median([np.percentile(crop, 80) for crop in crops]))
    else:
        # Without tiles only near-blackness says anything.
        light = float(np.percentile(np.asarray(grey), 99))
    if light >= DARK:
        return []
    return [
        QualityNote(
            "dark",
            "太暗了,請開燈或靠近光源。",
            "It is too dark: switch on a light or move closer to one.",
            light,
            light < TOO_DARK,
        )
    ]


def _edge_strength(crop: Plane) -> float | None:
    """Steepness of a tile's edges over its contrast, or None where there is nothing to judge by."""
    side = min(crop.shape)
    if side < 8:
        return None
    scale = _SAMPLE / side
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    sized = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=way)
    rows, columns = sized.shape[0] // 8, sized.shape[1] // 8
    inner = sized[rows : sized.shape[0] - rows, columns : sized.shape[1] - columns]
    low, high = np.percentile(inner, [5, 95])
    if high - low < 25:
        return None
    return float(np.percentile(_steepness(inner), 95) / (high - low))


def _steepness(plane: npt.NDArray[np.generic]) -> Plane:
    """How steeply brightness changes at each pixel, per pixel."""
    across, down = (cv2.Sobel(np.asarray(plane), cv2.CV_32F, *way, ksize=3) / 8 for way in ((1, 0), (0, 1)))
    return np.asarray(np.hypot(across, down), np.float32)


def _sharpness(grey: npt.NDArray[np.generic], boxes: Sequence[Box]) -> list[QualityNote]:
    strengths = [s for box in boxes if (s := _edge_strength(_crop(grey, box))) is not None]
    if len(strengths) < 3:
        return _sharpness_of_all(grey)
    strength = float(np.median(strengths))
    return [_blurred(strength)] if strength < BLURRED else []


def _sharpness_of_all(grey: npt.NDArray[np.generic]) -> list[QualityNote]:
    """Where a picture is so blurred that no tiles are found in it, nothing else in it has a sharp edge either."""
    plain, around = np.asarray(grey), np.ones((_AROUND, _AROUND), np.uint8)
    contrast = cv2.subtract(cv2.dilate(plain, around), cv2.erode(plain, around))
    telling = contrast >= _TELLING
    if telling.mean() < _ENOUGH:
        return []
    strength = float(np.percentile(_steepness(plain)[telling] / contrast[telling], 99))
    return [_blurred(strength)] if strength < BLURRED_ALL else []


def _blurred(strength: float) -> QualityNote:
    return QualityNote(
        "blurred",
        "畫面模糊,請拿穩、等對焦後再拍。",
        "The picture is blurred: hold still and wait for the focus.",
        strength,
        True,
    )


def _smallness(boxes: Sequence[Box]) -> list[QualityNote]:
    if not boxes:
        return []
    width = float(np.median([min(x2 - x1, y2 - y1) for x1, y1, x2, y2 in boxes]))
    if width >= SMALL:
        return []
    return [
        QualityNote(
            "small",
            f"牌太小(寬 {width:.0f} 像素),請靠近一點或提高解析度。",
            f"The tiles are too small ({width:.0f} pixels wide): move closer or raise the resolution.",
            width,
            width < TOO_SMALL,
        )
    ]


def _glare(grey: npt.NDArray[np.generic], boxes: Sequence[Box]) -> list[QualityNote]:
    calm = cv2.blur(np.asarray(grey), (3, 3))  # a camera's noise burns out single pixels of a bright tile
    shares = [float((crop >= 253).mean()) if (crop := _crop(calm, box)).size else 0.0 for box in boxes]
    dazzled = [i for i, share in enumerate(shares) if share > _GLARE_SHARE]
    if not dazzled:
        return []
    worst = max(dazzled, key=lambda i: shares[i])
    count = len(dazzled)
    return [
        QualityNote(
            "glare",
            f"有 {count} 張牌反光,請移開光源或換個角度。",
            f"{count} tiles are washed out by glare: move the light or change the angle.",
            shares[worst],
            count > len(boxes) / 2,
            boxes[worst],
        )
    ]


def _cut_off(boxes: Sequence[Box], size: tuple[int, int]) -> list[QualityNote]:
    width, height = size
    cut = [b for b in boxes if b[0] <= 1.0 or b[1] <= 1.0 or b[2] >= width - 1.0 or b[3] >= height - 1.0]
    if not cut:
        return []
    return [
        QualityNote(
            "cut_off",
            f"有 {len(cut)} 張牌碰到畫面邊緣,可能沒拍全,請讓整手牌都在畫面內。",
            f"{len(cut)} tiles touch the picture's edge and may be cut off: keep the whole hand inside.",
            float(len(cut)),
            False,
            cut[0],
        )
    ]


def _person(image: Picture, boxes: Sequence[Box]) -> list[QualityNote]:
    """Skin between the tiles, but not all around them (a wooden table looks like skin)."""
    if len(boxes) < 3:
        return []
    scale = min(1.0, _PROBE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    colours = cv2.cvtColor(cv2.GaussianBlur(small, (5, 5), 0), cv2.COLOR_BGR2YCrCb)
    skin = cv2.inRange(colours, np.array([50, 138, 85]), np.array([245, 178, 128])) > 0
    inside = np.zeros(skin.shape, np.uint8)
    corners = np.array([[(x, y) for x in (b[0], b[2]) for y in (b[1], b[3])] for b in boxes], np.float32)
    hull = cv2.convexHull((corners.reshape(-1, 2) * scale).astype(np.int32))
    cv2.fillConvexPoly(inside, hull, 1)
    tile = float(np.median([(b[2] - b[0]) * (b[3] - b[1]) for b in boxes])) * scale * scale
    reach = int(max(3, tile**0.5))
    around = (cv2.dilate(inside, np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)) > 0) & (inside == 0)
    for x1, y1, x2, y2 in boxes:
        inside[round(y1 * scale) : round(y2 * scale), round(x1 * scale) : round(x2 * scale)] = 0
    covered = float((skin & (inside > 0)).sum())
    if covered < tile or (around.any() and float(skin[around].mean()) > 0.5):
        return []
    return [
        QualityNote(
            "person",
            "好像有手擋住牌,請把手移開。",
            "A hand seems to be in the way: take it away.",
            covered / tile,
            False,
        )
    ]
