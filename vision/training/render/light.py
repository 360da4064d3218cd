"""Lamps, how they shade a rounded block's sides, and the shadows they throw on the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from vision.training.render.geometry import Array, Camera
from vision.training.render.raster import Image, soften

Float = npt.NDArray[Any]  # float32


@dataclass(frozen=True, slots=True)
class Lamp:
    """A far lamp: ``towards`` it (unit vector), its power, and its softness (mm of shadow blur per mm of height)."""

    towards: tuple[float, float, float]
    power: float
    softness: float


@dataclass(frozen=True, slots=True)
class Lighting:
    """All lamps and the light from everywhere."""

    lamps: tuple[Lamp, ...]
    ambient: float
    shadow: float  #: how dark shadows are, 0..1
    contact: float  #: how dark the crease where a tile meets the table is, 0..1


#: Six conditions a camera over a table meets.
LIGHTS: dict[str, Lighting] = {
    "day": Lighting((Lamp((-0.45, 0.5, 0.74), 0.42, 0.5),), 0.69, 0.5, 0.6),
    "lamp": Lighting((Lamp((0.15, 0.2, 0.97), 0.5, 0.25),), 0.52, 0.6, 0.6),
    "evening": Lighting((Lamp((0.6, -0.2, 0.77), 0.45, 0.3), Lamp((-0.5, 0.5, 0.7), 0.15, 0.6)), 0.55, 0.6, 0.6),
    "office": Lighting((Lamp((-0.3, 0.1, 0.95), 0.2, 0.9), Lamp((0.35, -0.1, 0.93), 0.2, 0.9)), 0.62, 0.4, 0.5),
    "window": Lighting((Lamp((-0.88, 0.2, 0.43), 0.6, 0.35),), 0.74, 0.65, 0.6),
    "spot": Lighting((Lamp((0.05, -0.35, 0.94), 0.62, 0.06),), 0.42, 0.75, 0.7),
}


def random_lighting(rng: Generator) -> Lighting:
    """From a bright office to one lamp over the table."""
    count = int(rng.choice([1, 2, 3], p=[0.5, 0.35, 0.15]))
    soft = float(rng.choice([rng.uniform(0.05, 0.25), rng.uniform(0.25, 0.9)]))
    lamps = []
    share = rng.dirichlet([2.0] * count)
    total = float(rng.uniform(0.2, 0.62))
    for i in range(count):
        a, e = rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(28, 85))
        towards = (math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e))
        lamps.append(Lamp(towards, total * float(share[i]), soft * float(rng.uniform(0.7, 1.4))))
    flat = sum(lamp.power * lamp.towards[2] for lamp in lamps)  # what falls on the table: table and lying faces get 1
    return Lighting(tuple(lamps), 1.0 - flat, float(rng.uniform(0.25, 0.7)), float(rng.uniform(0.3, 0.75)))


def bevel(width: float, height: float, radius: float, cols: int, rows: int) -> Float:
    """Normals (rows, cols, 3) of a block's side, in its own u, v, outward axes, bending 45 degrees at its edges."""

    def bend(count: int, length: float) -> Float:
        place = (np.arange(count, dtype=np.float32) + 0.5) / count * length - length / 2
        over = np.clip((np.abs(place) - (length / 2 - radius)) / radius, 0, 1)
        return (np.sign(place) * over**1.5).astype(np.float32)

    u, v = bend(cols, width), bend(rows, height)
    out = np.empty((rows, cols, 3), np.float32)
    out[..., 0], out[..., 1], out[..., 2] = u[None, :], v[:, None], 1
    out /= np.linalg.norm(out, axis=2, keepdims=True)
    return out


#: How a factor of 1 is written in the bytes of a shading.
FULL = 128


def shade(normals: Float, axes: Array, lighting: Lighting, view: Array, gloss: float) -> tuple[Image, Image]:
    """How sides of one size are lit: two (k, rows, cols, 3) of bytes, factors on their colours in ``FULL`` parts and
    the shine to add.

    ``normals`` (rows, cols, 3) are in a side's own axes; the columns of ``axes`` (k, 3, 3) are each side's u, v and
    outward axes in the world; ``view`` points from the scene to the camera.
    """
    lamps = lighting.lamps
    own = (_directions(lighting, tuple(view.tolist())) @ axes).astype(np.float32)
    seen = own @ normals.reshape(-1, 3).T  # (k, directions, points)
    np.maximum(seen, 0, out=seen)
    weights = np.array([0.3 * lighting.ambient, *(lamp.power for lamp in lamps)], np.float32)
    factor = weights @ seen[:, : len(weights)] + np.float32(0.7 * lighting.ambient)
    sharp = np.array([18 / (0.25 + lamp.softness) for lamp in lamps], np.float32)
    shine = (weights[1:] * np.float32(0.55 * 255 * gloss)) @ seen[:, len(weights) :] ** sharp[:, None]
    shape = (len(axes), *normals.shape[:2], 1)
    factors, shines = (
        np.repeat(np.minimum(part + 0.5, 255).astype(np.uint8).reshape(shape), 3, axis=3)
        for part in (factor * FULL, shine)
    )
    return factors, shines


@lru_cache(maxsize=64)
def _directions(lighting: Lighting, view: tuple[float, float, float]) -> Array:
    """Unit vectors: up, towards every lamp, and half way between each lamp and the camera."""
    towards = np.array([lamp.towards for lamp in lighting.lamps]).reshape(-1, 3)
    half = towards + np.array(view)
    return np.concatenate([[(0.0, 0.0, 1.0)], towards, half / np.linalg.norm(half, axis=1, keepdims=True)])


def _polygons(shape: tuple[int, ...], pixels: Array, wanted: npt.NDArray[np.bool_]) -> Image:
    """Mask of the hulls of (n, k, 2) pixels, those that are wanted."""
    mask = np.zeros(shape, np.uint8)
    reach = 40  # beyond the picture; the blur that follows brings no more in
    low, high = pixels.min(1), pixels.max(1)
    near = (high > -reach).all(1) & (low < (shape[1] + reach, shape[0] + reach)).all(1)
    fixed = np.round(np.clip(pixels[wanted & near], -3000, 6000) * 16).astype(np.int32)
    for points in fixed:
        cv2.fillConvexPoly(mask, cv2.convexHull(points), 255, cv2.LINE_AA, 4)
    return mask


def table_shadow(corners: Array, camera: Camera, lighting: Lighting, scale: float, size: tuple[int, int]) -> Image:
    """Light left on the table (h, w), 255 where nothing shades it. Made at half the size and stretched.

    Args:
        corners: (n, 8, 3) world corners of everything that stands on the table.
        scale: pixels per millimetre in the middle of the picture.
    """
    width, height = size
    small = 0.5
    left = np.full((height // 2, width // 2), 255, np.float32)
    top = float(np.median(corners[..., 2].max(1)))
    for lamp in lighting.lamps:
        towards = np.array(lamp.towards)
        share = lamp.power / (lighting.ambient + sum(other.power for other in lighting.lamps))
        for part, weight in ((0.45, 0.55), (1.0, 0.45)):
            fall = corners - towards * (np.maximum(corners[..., 2:], 0) * part / towards[2])
            fall[..., 2] = 0
            pixels, depth = camera.project(fall)
            mask = _polygons(left.shape, pixels * small, depth.min(1) > 20)
            blur = max(0.6, lamp.softness * top * part * scale * small)
            _darken(left, soften(mask, min(blur, 40)), lighting.shadow * share * weight * 1.9)
    _darken(left, _contact(corners, camera, scale * small, left.shape), 0.62 * lighting.contact)
    return np.asarray(cv2.resize(cv2.convertScaleAbs(left), size, interpolation=cv2.INTER_LINEAR))


def _darken(light: Float, mask: Image, depth: float) -> None:
    """Take the share ``depth`` of the light away where the mask is full. In place."""
    rest = mask.astype(np.float32)
    rest *= np.float32(-depth / 255)
    rest += 1
    light *= rest


def _contact(corners: Array, camera: Camera, scale: float, shape: tuple[int, ...]) -> Image:
    """Mask of the creases where things meet the table."""
    low = np.sort(corners[..., 2], axis=1)[:, :4].mean(1)
    middle = corners.mean(1, keepdims=True)
    ring = corners.copy()
    ring += np.sign(ring - middle) * 1.2
    ring[..., 2] = 0
    pixels, depth = camera.project(ring)
    mask = _polygons(shape, pixels * 0.5, (depth.min(1) > 20) & (low < 8))
    return soften(mask, min(max(0.7, 2.2 * scale), 16))
