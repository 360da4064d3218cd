"""What the camera does to a picture: light fall-off, glare, white balance, blur, noise, JPEG. Nothing moves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.random import Generator, default_rng

from vision.training.render.light import Float
from vision.training.render.raster import Image, soften


@dataclass(frozen=True, slots=True)
class Look:
    """How hard the camera's faults are: 0 a clean picture, 1 an ordinary phone or webcam, 2 a bad one."""

    light: float = 1.0
    colour: float = 1.0
    blur: float = 1.0
    noise: float = 1.0
    jpeg: bool = True
    bright: float = 215  #: what the brightest parts come out at, before chance


_ROWS = 64  # of the picture worked on at a time: they stay near the processor
_FINE = 1024  # steps of the grain bank in one deviation
_PART, _WHOLE = 16, 4096  # steps of a brightness, and of a light of 1, in 16-bit numbers


@lru_cache(maxsize=1)
def _grain() -> Image:
    """Noise of unit variance in steps of 1 / ``_FINE``: (1400, 1800, 3) of 16 bits, two unlike channels and a spare."""
    grey = default_rng(99).normal(0, _FINE, (1400, 1800)).astype(np.float32)
    return np.stack([grey, np.roll(grey, 13, 1), np.zeros_like(grey)], axis=2).astype(np.int16)


def _field(rng: Generator, size: tuple[int, int], cells: int, spread: float) -> Float:
    small = np.exp(rng.normal(0, spread, (cells, cells))).astype(np.float32)
    return cv2.resize(small, size, interpolation=cv2.INTER_CUBIC)


def illumination(rng: Generator, size: tuple[int, int], strength: float) -> Float:
    """Uneven light over a picture of this size: a slope, a pool of lamp light, corners falling off. An eighth as large
    as the picture, to be stretched over it."""
    small = (max(8, size[0] // 8), max(8, size[1] // 8))
    out = np.asarray(_field(rng, small, 4, 0.10 * strength), np.float32)
    x = (np.arange(small[0], dtype=np.float32) / small[0] - 0.5)[None, :]
    y = (np.arange(small[1], dtype=np.float32) / small[1] - 0.5)[:, None]
    a = rng.uniform(0, 6.28)
    out *= np.exp(0.45 * strength * rng.normal() * (np.cos(a) * x + np.sin(a) * y)).astype(np.float32)
    if rng.random() < 0.35 * strength:
        px, py, r = rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), rng.uniform(0.25, 0.8)
        pool = np.exp(-((x - px) ** 2 + (y - py) ** 2) / (2 * r * r))
        out *= (1 + rng.uniform(-0.45, 0.6) * strength * pool).astype(np.float32)
    out *= 1 - np.float32(rng.uniform(0, 0.5) * strength) * (x * x + y * y)
    if rng.random() < 0.12 * strength:
        _bars(rng, out)
    return out


def _bars(rng: Generator, light: Float) -> None:
    """A window's or a person's shadow across the table. In place, at the small size."""
    height, width = light.shape
    mask = np.zeros((height, width), np.uint8)
    for _ in range(int(rng.integers(1, 4))):
        at = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
        box = (
            at,
            (float(rng.uniform(0.1, 0.6)) * width, float(rng.uniform(0.1, 1.5)) * height),
            float(rng.uniform(0, 180)),
        )
        cv2.fillConvexPoly(mask, cv2.boxPoints(box).astype(np.int32), 255)
    soft = soften(mask, float(rng.uniform(0.8, 6)))
    light *= 1 - soft.astype(np.float32) * np.float32(rng.uniform(0.1, 0.38) / 255)


def _glare(rng: Generator, picture: Image, strength: float) -> Image:
    """Lamps mirrored in glossy tiles or table, a washed-out patch."""
    height, width = picture.shape[:2]
    layer = np.zeros((height // 4, width // 4), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        at = (int(rng.uniform(0, width / 4)), int(rng.uniform(0, height / 4)))
        axes = (int(width / 4 * rng.uniform(0.02, 0.15)), int(width / 4 * rng.uniform(0.02, 0.07)))
        cv2.ellipse(layer, at, axes, rng.uniform(0, 180), 0, 360, float(rng.uniform(0.15, 0.6)), -1)
    layer = soften(layer, width / 4 * float(rng.uniform(0.01, 0.05)) + 0.6)
    x, y, across, down = (4 * v for v in cv2.boundingRect((layer > 0.004).astype(np.uint8)))
    out = picture.copy()
    part = out[y : y + down, x : x + across]
    if not part.size:
        return out
    big = cv2.resize(layer[y // 4 : (y + down) // 4, x // 4 : (x + across) // 4], (across, down)) * np.float32(strength)
    lit = cv2.multiply(part, cv2.merge([big, big, big]), scale=0.45, dtype=cv2.CV_32F)
    cv2.add(lit, cv2.merge([big * 62, big * 60, big * 58]), lit)
    cv2.add(lit, part, part, dtype=cv2.CV_8U)
    return out


_THIRDS = np.full(3, 1 / 3, np.float32)


def _colour_matrix(rng: Generator, picture: Image, light: float, strength: float, aim: float) -> Float:
    """White balance, exposure, saturation and contrast as one 3 x 4 matrix."""
    warm = rng.normal(0, 0.09) * strength
    gains = np.array([1 - warm, 1 + rng.normal(0, 0.025) * strength, 1 + warm])
    few = np.ascontiguousarray(picture[::8, ::8]).reshape(-1, 3)
    bright = float(np.percentile(few @ _THIRDS, 99.2)) * light  # the camera's own exposure, about right
    gains *= (aim / max(bright, 30)) ** 0.85 * np.exp(rng.normal(0, 0.12) * strength)
    saturation = np.clip(1 + rng.normal(0, 0.14) * strength, 0.5, 1.6)
    if rng.random() < 0.02 * strength:
        saturation = 0.0
    contrast = np.clip(1 + rng.normal(0, 0.1) * strength, 0.7, 1.3)
    mix = np.full((3, 3), (1 - saturation) / 3) + np.eye(3) * saturation
    matrix = np.empty((3, 4), np.float32)
    matrix[:, :3] = contrast * mix * gains[None, :]
    matrix[:, 3] = 110 * (1 - contrast)
    return matrix


def _developed(picture: Image, light: Float, matrix: Float) -> Image:
    """The picture in this light (small, to be stretched) and these colours, in whole numbers of 16 bits."""
    out = np.empty_like(picture)
    colours, offset = matrix[:, :3] * _PART, float(matrix[0, 3])
    bright = np.minimum(light * _WHOLE, 32767).astype(np.int16)
    bright = cv2.resize(bright, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    floor = round(-offset * _PART)
    for y in range(0, len(picture), _ROWS):
        part = bright[y : y + _ROWS]
        lit = cv2.transform(picture[y : y + _ROWS].astype(np.int16), colours)
        lit = cv2.multiply(lit, cv2.merge([part, part, part]), scale=1 / _WHOLE)
        np.clip(lit, floor, None, out=lit)
        cv2.convertScaleAbs(lit, out[y : y + _ROWS], 1 / _PART, offset)
    return out


_SHARP = 0.3  # pixels of blur up to which a neighbour's share is below one step of brightness


def _soften(rng: Generator, picture: Image, strength: float, scale: float) -> Image:
    kind = rng.random()
    if kind < 0.12 * strength:
        length = rng.uniform(1.5, 5.5) * scale * strength
        size = int(length / 2) * 2 + 5
        kernel = np.zeros((size, size), np.float32)
        a = rng.uniform(0, 3.15)
        d = np.array([np.cos(a), np.sin(a)]) * length / 2
        start, end = (size // 2 - d) * 16, (size // 2 + d) * 16
        cv2.line(kernel, (round(start[0]), round(start[1])), (round(end[0]), round(end[1])), 1.0, 1, cv2.LINE_AA, 4)
        total = float(kernel.sum())
        return cv2.filter2D(picture, -1, kernel / total) if total > 0 else picture
    sigma = abs(rng.normal(0.25, 0.35)) * strength * scale + 0.2
    if kind > 1 - 0.08 * strength:
        sigma += rng.uniform(0.4, 1.6) * scale
    out = soften(picture, sigma) if sigma > _SHARP else picture
    if rng.random() < 0.3 * strength:  # phones sharpen
        amount = float(rng.uniform(0.2, 1.0))
        out = cv2.addWeighted(out, 1 + amount, soften(out, 1.5 * scale), -amount, 0)
    return out


def _noise(rng: Generator, picture: Image, strength: float, moving: Generator | None) -> Image:
    grain = _grain()
    height, width = picture.shape[:2]
    if height >= grain.shape[0] or width >= grain.shape[1]:
        grain = cv2.resize(grain, (width + 1, height + 1), interpolation=cv2.INTER_NEAREST)
    shift = moving or rng
    y, x = int(shift.integers(0, grain.shape[0] - height)), int(shift.integers(0, grain.shape[1] - width))
    part = grain[y : y + height, x : x + width]
    level = float(rng.gamma(1.4, 1.9)) * strength
    mix = np.zeros((3, 3), np.float32)
    mix[:, 0] = level
    if rng.random() < 0.4:
        mix[:, 1] = rng.normal(0, 2.0 * strength, 3)
    mix /= _FINE
    out = np.empty_like(picture)
    for y in range(0, height, _ROWS):
        noisy = cv2.transform(part[y : y + _ROWS], mix)
        noisy += picture[y : y + _ROWS]
        np.clip(noisy, 0, 255, out=noisy)
        out[y : y + _ROWS] = noisy
    return out


def expose(picture: Image, rng: Generator, look: Look, grain: Generator | None = None) -> Image:
    """The picture as a camera delivers it. The size stays; nothing moves.

    With ``grain`` only the noise follows it: frames of one film, all with the light and colours that ``rng`` gives.
    """
    height, width = picture.shape[:2]
    out = picture
    if look.light > 0:
        light = illumination(rng, (width, height), look.light)
        level = float(light.mean())
        if rng.random() < 0.3 * look.light:
            out = _glare(rng, out, look.light)
        out = _developed(out, light, _colour_matrix(rng, picture, level, look.colour, look.bright))
    if look.blur > 0:
        out = _soften(rng, out, look.blur, min(width, height) / 600)
    if look.noise > 0:
        out = _noise(rng, out, look.noise, grain)
    if look.jpeg:
        quality = int(np.clip(rng.normal(82, 14), 35, 98))
        data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR))
    return out
