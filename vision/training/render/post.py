"""What the camera does to a picture: light fall-off, glare, white balance, blur, noise, JPEG. Nothing moves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.random import Generator, default_rng

from vision.training.render.light import Float
from vision.training.render.raster import Image


@dataclass(frozen=True, slots=True)
class Look:
    """How hard the camera's faults are: 0 a clean picture, 1 an ordinary phone or webcam, 2 a bad one."""

    light: float = 1.0
    colour: float = 1.0
    blur: float = 1.0
    noise: float = 1.0
    jpeg: bool = True


@lru_cache(maxsize=1)
def _grain() -> Float:
    return default_rng(99).normal(0, 1, (1400, 1800)).astype(np.float32)


def _field(rng: Generator, size: tuple[int, int], cells: int, spread: float) -> Float:
    small = np.exp(rng.normal(0, spread, (cells, cells))).astype(np.float32)
    return cv2.resize(small, size, interpolation=cv2.INTER_CUBIC)


def illumination(rng: Generator, size: tuple[int, int], strength: float) -> Float:
    """Uneven light (h, w): a slope, a pool of lamp light, corners falling off."""
    width, height = size
    out = np.asarray(_field(rng, size, 4, 0.10 * strength), np.float32)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = x / width - 0.5, y / height - 0.5
    a = rng.uniform(0, 6.28)
    out *= np.exp(0.45 * strength * rng.normal() * (np.cos(a) * x + np.sin(a) * y)).astype(np.float32)
    if rng.random() < 0.35 * strength:
        px, py, r = rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), rng.uniform(0.25, 0.8)
        pool = np.exp(-((x - px) ** 2 + (y - py) ** 2) / (2 * r * r))
        out *= (1 + rng.uniform(-0.45, 0.6) * strength * pool).astype(np.float32)
    out *= 1 - rng.uniform(0, 0.5) * strength * (x * x + y * y)
    return out


def _glare(rng: Generator, picture: Float, strength: float) -> None:
    """Lamps mirrored in glossy tiles or table, a washed-out patch. In place."""
    height, width = picture.shape[:2]
    layer = np.zeros((height // 4, width // 4), np.float32)
    for _ in range(int(rng.integers(1, 3))):
        at = (int(rng.uniform(0, width / 4)), int(rng.uniform(0, height / 4)))
        axes = (int(width / 4 * rng.uniform(0.02, 0.15)), int(width / 4 * rng.uniform(0.02, 0.07)))
        cv2.ellipse(layer, at, axes, rng.uniform(0, 180), 0, 360, float(rng.uniform(0.15, 0.6)), -1)
    layer = cv2.GaussianBlur(layer, (0, 0), width / 4 * rng.uniform(0.01, 0.05) + 0.6)
    big = cv2.resize(layer, (width, height))[..., None] * (170 * strength)
    picture += big * (picture / 255 * 0.65 + 0.35)


def _balance(rng: Generator, picture: Float, strength: float) -> None:
    warm = rng.normal(0, 0.09) * strength
    gains = np.array([1 - warm, 1 + rng.normal(0, 0.025) * strength, 1 + warm], np.float32)
    bright = float(np.percentile(picture[::9, ::9].max(2), 97))  # the camera's own exposure, more or less right
    gains *= np.float32((215 / max(bright, 30)) ** 0.8 * np.exp(rng.normal(0, 0.12) * strength))
    picture *= gains


def _tone(rng: Generator, picture: Float, strength: float) -> Float:
    """Saturation and contrast."""
    grey = picture.mean(2, keepdims=True)
    out = grey + (picture - grey) * np.float32(np.clip(1 + rng.normal(0, 0.14) * strength, 0.5, 1.6))
    middle = np.float32(out.mean())
    out = middle + (out - middle) * np.float32(np.clip(1 + rng.normal(0, 0.1) * strength, 0.7, 1.35))
    if rng.random() < 0.02 * strength:
        out[:] = out.mean(2, keepdims=True)
    return out


def _soften(rng: Generator, picture: Float, strength: float, scale: float) -> Float:
    kind = rng.random()
    if kind < 0.12 * strength:
        length = rng.uniform(1.5, 5.5) * scale * strength
        size = int(length) * 2 + 3
        kernel = np.zeros((size, size), np.float32)
        a = rng.uniform(0, 3.15)
        middle = size // 2
        d = np.array([np.cos(a), np.sin(a)]) * length / 2
        start, end = (middle - d) * 16, (middle + d) * 16
        cv2.line(kernel, (round(start[0]), round(start[1])), (round(end[0]), round(end[1])), 1.0, 1, cv2.LINE_AA, 4)
        total = kernel.sum()
        return cv2.filter2D(picture, -1, kernel / total) if total > 0 else picture
    sigma = abs(rng.normal(0.25, 0.35)) * strength * scale + 0.2
    if kind > 1 - 0.08 * strength:
        sigma += rng.uniform(0.4, 1.6) * scale
    out = cv2.GaussianBlur(picture, (0, 0), sigma)
    if rng.random() < 0.3 * strength:  # phones sharpen
        out = out + (out - cv2.GaussianBlur(out, (0, 0), 1.5 * scale)) * np.float32(rng.uniform(0.2, 1.0))
    return out


def expose(picture: Image, rng: Generator, look: Look) -> Image:
    """The picture as a camera delivers it. The size stays; nothing moves."""
    height, width = picture.shape[:2]
    out = picture.astype(np.float32)
    if look.light > 0:
        out *= illumination(rng, (width, height), look.light)[..., None]
        if rng.random() < 0.3 * look.light:
            _glare(rng, out, look.light)
    if look.colour > 0:
        _balance(rng, out, look.colour)
        out = _tone(rng, out, look.colour)
    scale = min(width, height) / 600
    if look.blur > 0:
        out = _soften(rng, out, look.blur, scale)
    if look.noise > 0:
        grain = _grain()
        y, x = int(rng.integers(0, 1400 - min(height, 1399))), int(rng.integers(0, 1800 - min(width, 1799)))
        part = grain[y : y + height, x : x + width]
        if part.shape != (height, width):
            part = cv2.resize(grain, (width, height))
        out += part[..., None] * np.float32(rng.gamma(1.5, 2.2) * look.noise) * (0.55 + 0.45 * (1 - out / 255))
        if rng.random() < 0.4:
            out += np.roll(part, (7, 13), (0, 1))[..., None] * np.array(rng.normal(0, 2.0 * look.noise, 3), np.float32)
    done = np.clip(out, 0, 255).astype(np.uint8)
    if look.jpeg:
        quality = int(np.clip(rng.normal(82, 14), 35, 98))
        ok, data = cv2.imencode(".jpg", done, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if ok:
            done = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return done
