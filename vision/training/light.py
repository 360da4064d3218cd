"""What a camera and a lamp do to a picture: colour cast, gradient, glare, blur, noise, JPEG. Fast, so endless."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Image = NDArray[np.uint8]

_NOISE = np.random.default_rng(7).normal(0.0, 1.0, (700, 700, 3)).astype(np.float32)


def colour_matrix(rng: Generator, strength: float = 1.0) -> NDArray[np.float32]:
    """A random 3x3 matrix: saturation, white balance and a slight hue turn, for ``cv2.transform``."""
    saturation = float(np.exp(rng.normal(0, 0.28 * strength)))
    grey = np.array([[0.114, 0.587, 0.299]] * 3)
    matrix = saturation * np.eye(3) + (1 - saturation) * grey
    turn = float(rng.normal(0, 0.06 * strength))
    around = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / np.sqrt(3)
    matrix = (np.eye(3) + turn * around) @ matrix
    balance = np.exp(rng.normal(0, 0.09 * strength, 3) + np.array([-1, 0, 1]) * rng.normal(0, 0.12 * strength))
    return np.asarray(np.diag(balance) @ matrix, np.float32)


def tone_curve(rng: Generator, strength: float = 1.0) -> Image:
    """A random 256-entry table: gamma, gain and lift; at times far too bright."""
    x = np.linspace(0, 1, 256)
    gamma = float(np.exp(rng.normal(0, 0.28 * strength)))
    gain = float(np.exp(rng.normal(0, 0.16 * strength)))
    if rng.random() < 0.1 * strength:  # a camera that exposes for a dark cloth burns the tiles out
        gain *= float(rng.uniform(1.2, 1.8))
    lift = float(rng.normal(0, 0.03 * strength))
    return np.clip((x**gamma * gain + lift) * 255, 0, 255).astype(np.uint8)


def gradient(rng: Generator, height: int, width: int, depth: float) -> NDArray[np.float32]:
    """A smooth light field around 1.0, as a lamp at one side makes it. Shape HxWx1."""
    coarse = rng.normal(0, 1, (3, 3)).astype(np.float32)
    field = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.clip(1.0 + depth * field, 0.25, 1.9)[..., None], np.float32)


def glare(rng: Generator, image: NDArray[np.float32]) -> None:
    """Add one soft bright spot or streak, in place."""
    height, width = image.shape[:2]
    small = np.zeros((64, 64), np.float32)
    centre = (int(rng.integers(0, 64)), int(rng.integers(0, 64)))
    axes = (int(rng.integers(2, 14)), int(rng.integers(2, 14)))
    cv2.ellipse(small, centre, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
    soft = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(1.5, 5)))
    image += cv2.resize(soft, (width, height))[..., None] * float(rng.uniform(40, 170))


def soft_shadow(rng: Generator, image: NDArray[np.float32]) -> None:
    """Darken a random blob (a hand, a head, an arm over the table), in place."""
    height, width = image.shape[:2]
    small = np.zeros((48, 48), np.float32)
    points = (rng.normal(0.5, 0.35, (int(rng.integers(3, 7)), 2)) * 48).astype(np.int32)
    cv2.fillPoly(small, [points], 1.0)
    soft = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(0.6, 4)))
    image *= 1 - cv2.resize(soft, (width, height))[..., None] * float(rng.uniform(0.15, 0.6))


def blur(rng: Generator, image: Image) -> Image:
    """Out of focus, moved, or a poor lens."""
    kind = rng.random()
    if kind < 0.5:
        return np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 1.3))), np.uint8)
    if kind < 0.75:
        length = int(rng.integers(3, 7))
        kernel = np.zeros((length, length), np.float32)
        angle = rng.uniform(0, np.pi)
        tip = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        middle = np.array([length / 2, length / 2])
        cv2.line(kernel, tuple((middle - tip).astype(int)), tuple((middle + tip).astype(int)), 1.0)
        total = kernel.sum()
        return np.asarray(cv2.filter2D(image, -1, kernel / total), np.uint8) if total else image
    factor = float(rng.uniform(0.5, 0.85))
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (image.shape[1], image.shape[0])), np.uint8)


def noise(rng: Generator, image: NDArray[np.float32], sigma: float) -> None:
    """Add sensor noise from a bank, in place (grey or coloured)."""
    height, width = image.shape[:2]
    y, x = int(rng.integers(0, 700 - min(height, 690))), int(rng.integers(0, 700 - min(width, 690)))
    patch = _NOISE[y : y + height, x : x + width]
    if patch.shape[:2] != (height, width):
        patch = np.asarray(cv2.resize(patch, (width, height)), np.float32)
    image += sigma * (patch if rng.random() < 0.5 else patch[..., :1])


def jpeg(rng: Generator, image: Image) -> Image:
    """Through a JPEG of random quality."""
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 90))])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8) if ok else image


def photograph(rng: Generator, image: Image, strength: float = 1.0, soft: float = 1.0) -> Image:
    """Everything above, each with its own chance.

    Args:
        rng: source of chance.
        image: HxWx3 uint8 BGR.
        strength: 1.0 for rendered scenes; about 0.7 for photos, which carry their own light already.
        soft: how often it is blurred, against a scene's usual.
    """
    image = np.asarray(cv2.LUT(image, tone_curve(rng, strength)), np.uint8)
    if rng.random() < 0.85:
        image = np.clip(cv2.transform(image.astype(np.float32), colour_matrix(rng, strength)), 0, 255).astype(np.uint8)
    if rng.random() < 0.06 * strength:
        image = np.asarray(cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8)
    if rng.random() < 0.5 * strength * soft:
        image = blur(rng, image)
    work = image.astype(np.float32)
    if rng.random() < 0.6 * strength:
        work *= gradient(rng, image.shape[0], image.shape[1], float(rng.uniform(0.03, 0.22)))
    if rng.random() < 0.25 * strength:
        soft_shadow(rng, work)
    if rng.random() < 0.2 * strength:
        glare(rng, work)
    if rng.random() < 0.6:
        noise(rng, work, float(rng.exponential(4.5)))
    image = np.clip(work, 0, 255).astype(np.uint8)
    return jpeg(rng, image) if rng.random() < 0.3 else image
