"""Crops for enrolment: cut upright from a picture, and distorted as another photo of the same tile might be."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.observation import TileObservation
from vision.rectify import CROP_HEIGHT, CROP_WIDTH, cut, face_quad

Crops = npt.NDArray[np.uint8]


def tile_crops(image_bgr: npt.NDArray[np.uint8], tile: TileObservation) -> Crops:
    """The tile cut out upright: 1x64x48x3 when its angle is known, else 2x64x48x3, either end up."""
    twice = np.deg2rad(2 * (tile.angle or 0.0))
    quad = face_quad(np.array(tile.box), float(np.cos(twice)), float(np.sin(twice)), float("nan"))
    if tile.angle is None:
        upright = cut(image_bgr, quad)
        return np.stack([upright, upright[::-1, ::-1]])
    axis = (quad[0] + quad[1]) - (quad[2] + quad[3])  # from the bottom edge to the top one
    top = np.deg2rad(tile.angle)
    if axis[0] * np.sin(top) - axis[1] * np.cos(top) < 0:
        quad = np.roll(quad, 2, axis=0)
    return cut(image_bgr, quad)[None]


def fit_crop(face_bgr: npt.NDArray[np.uint8], margin: float = 0.12) -> Crops:
    """A picture that shows one face from edge to edge as a crop with the usual margin, its edge carried outwards."""
    height, width = face_bgr.shape[:2]
    down, across = round(height * margin), round(width * margin)
    framed = cv2.copyMakeBorder(face_bgr, down, down, across, across, cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(framed, (CROP_WIDTH, CROP_HEIGHT), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def variants(crop: Crops, count: int, rng: np.random.Generator, strength: float = 0.7) -> Crops:
    """`count` distortions of a crop: a little turned, moved, slanted, blurred, lit and coloured otherwise, noisy."""
    if count < 1:
        return np.zeros((0, *crop.shape), np.uint8)
    return np.stack([_vary(crop, rng, strength) for _ in range(count)])


def _vary(crop: Crops, rng: np.random.Generator, strength: float) -> Crops:
    height, width = crop.shape[:2]
    matrix = cv2.getRotationMatrix2D(
        (width / 2, height / 2), rng.normal(0, 3 * strength), 1 + rng.normal(0, 0.04 * strength)
    )
    matrix[:, 2] = matrix[:, 2] + rng.normal(0, 1.3 * strength, 2)
    matrix[0, 1] += rng.normal(0, 0.03 * strength)
    moved = cv2.warpAffine(crop, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < 0.6:
        coarse = rng.uniform(1, 1 + 1.2 * strength)
        small = (max(8, round(width / coarse)), max(8, round(height / coarse)))
        moved = cv2.resize(cv2.resize(moved, small, interpolation=cv2.INTER_AREA), (width, height))
    light = moved.astype(np.float32) * rng.uniform(1 - 0.3 * strength, 1 + 0.2 * strength)
    light += rng.normal(0, 10 * strength)
    light *= 1 + rng.normal(0, 0.05 * strength, 3)
    slope = rng.normal(0, 15 * strength)
    if rng.random() < 0.5:
        light += np.linspace(-slope, slope, width)[None, :, None]
    else:
        light += np.linspace(-slope, slope, height)[:, None, None]
    light += rng.normal(0, 4 * strength, light.shape)
    return np.asarray(np.clip(np.rint(light), 0, 255), dtype=np.uint8)
