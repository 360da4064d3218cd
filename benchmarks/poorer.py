"""Labelled photos made poorer in ways cameras bring: fewer pixels, motion, lost focus, darkness, a burnt-out highlight.

Each way is fixed: what chance there is in it (which way the camera moved, the sensor's noise, which tile mirrors the
lamp) follows from the photo's name alone, and lengths count in widths of the photo's median tile, so that far tiles
suffer as near ones do. Light adds up before the camera's curve (a gamma of 2.2): all but the shrinking is done there.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial

import cv2
import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from vision.picture import Picture
from vision.training.photos import Photo

Light = NDArray[np.float32]

_GAMMA = 2.2
_FINE = 8  # kernels are drawn so many times as large, and shrunk
_READ_NOISE = 2.0  # electrons of noise that reading a pixel brings, whatever the light
_DARK_WHITE = 0.35  # a dark picture's white, of the photo's
_DARK_QUALITY = 30  # of its JPEG


def widths_of(photo: Photo) -> float:
    """Width of the photo's median tile in pixels, of whichever side is the shorter."""
    return float(np.median((photo.boxes[:, 2:] - photo.boxes[:, :2]).min(axis=1)))


def _light(picture: Picture) -> Light:
    return np.asarray(np.power(picture / np.float32(255), np.float32(_GAMMA)), np.float32)


def _developed(light: Light) -> Picture:
    return np.asarray(np.rint(np.power(np.clip(light, 0, 1), 1 / _GAMMA) * 255), np.uint8)


def _shrunk(picture: Picture, photo: Photo, _rng: Generator, pixels: float) -> Picture | None:
    """The median tile `pixels` wide; None where it has no more than that."""
    share = pixels / widths_of(photo)
    if share >= 1:
        return None
    return np.asarray(cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)


def _spread(picture: Picture, drawn: NDArray[np.uint8]) -> Picture:
    """Every point of light spread as a kernel, drawn `_FINE` times as large, is bright."""
    side = drawn.shape[0] // _FINE
    kernel = cv2.resize(drawn.astype(np.float32), (side, side), interpolation=cv2.INTER_AREA)
    return _developed(np.asarray(cv2.filter2D(_light(picture), -1, kernel / kernel.sum()), np.float32))


def _canvas(length: float) -> NDArray[np.uint8]:
    side = 2 * int(np.ceil(length / 2)) + 3
    return np.zeros((side * _FINE, side * _FINE), np.uint8)


def _moved(picture: Picture, photo: Photo, rng: Generator, widths: float) -> Picture:
    """The camera moves `widths` of a tile during the exposure, straight, any way."""
    length = widths * widths_of(photo)
    kernel, angle = _canvas(length), rng.uniform(0, np.pi)
    middle = np.array(kernel.shape) / 2
    tip = np.array([np.cos(angle), np.sin(angle)]) * length * _FINE / 2
    start, end = (middle - tip).round().astype(int), (middle + tip).round().astype(int)
    cv2.line(kernel, (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), 255, _FINE)
    return _spread(picture, kernel)


def _unsharp(picture: Picture, photo: Photo, _rng: Generator, widths: float) -> Picture:
    """Out of focus: a point becomes a disc `widths` of a tile across."""
    across = widths * widths_of(photo)
    kernel = _canvas(across)
    middle = kernel.shape[0] // 2
    cv2.circle(kernel, (middle, middle), max(1, round(across * _FINE / 2)), 255, -1)
    return _spread(picture, kernel)


def _dark(picture: Picture, _photo: Photo, rng: Generator, electrons: float) -> Picture:
    """So little light that white is `electrons` in a pixel: shot noise, read noise, a dim picture, a strong JPEG."""
    caught = rng.poisson(_light(picture) * electrons) + rng.normal(0, _READ_NOISE, picture.shape)
    dim = _developed((caught * (_DARK_WHITE / electrons)).astype(np.float32))
    data = cv2.imencode(".jpg", dim, [cv2.IMWRITE_JPEG_QUALITY, _DARK_QUALITY])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _burnt(picture: Picture, photo: Photo, rng: Generator, whites: float) -> Picture:
    """A lamp mirrored in the tiles: at one of them `whites` times a white's light comes on top, two widths off a
    seventh of that."""
    box = photo.boxes[rng.integers(len(photo.boxes))]
    x, y = (box[:2] + box[2:]) / 2
    down, across = np.mgrid[: picture.shape[0], : picture.shape[1]]
    off = np.hypot(across - x, down - y) / widths_of(photo)
    return _developed(_light(picture) + (whites * np.exp(-(off**2) / 2)).astype(np.float32)[..., None])


_Way = Callable[[Picture, Photo, Generator], Picture | None]
#: From what the networks read nearly as well as the photo to what they misread often (chosen on validation photos).
WAYS: dict[str, _Way] = {
    **{f"tiles {pixels} pixels wide": partial(_shrunk, pixels=pixels) for pixels in (18, 10, 8, 7)},
    **{f"moved by {widths} of a tile": partial(_moved, widths=widths) for widths in (0.15, 0.2, 0.25, 0.3)},
    **{f"out of focus by {widths} of a tile": partial(_unsharp, widths=widths) for widths in (0.18, 0.22, 0.25, 0.28)},
    **{f"dark, {electrons} electrons": partial(_dark, electrons=electrons) for electrons in (20, 10, 8)},
    **{f"highlight of {whites} x white": partial(_burnt, whites=whites) for whites in (0.6, 0.85, 1.0)},
}


def poorer(picture: Picture, photo: Photo, way: str) -> Picture | None:
    """The photo's picture (HxWx3 uint8 BGR) made poorer in one of `WAYS`; None where that way changes nothing."""
    return WAYS[way](picture, photo, default_rng(zlib.crc32(f"{photo.path.name} {way}".encode())))
