"""Backgrounds for composites: cloth, wood, mats, glass, and the things that lie on tables. None of them is a tile."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training.photos import Photo, pixels

_CLOTHS = np.array(
    [
        *([50, 110, 30], [60, 150, 40], [35, 70, 20], [120, 70, 25], [150, 100, 40], [60, 50, 130]),
        *([90, 100, 190], [150, 150, 150], [70, 70, 70], [200, 205, 210], [60, 100, 150], [120, 160, 200]),
        *([35, 35, 40], [110, 130, 60], [160, 140, 60], [235, 235, 235]),
    ],
    np.float32,
)


def _grain(rng: Generator, size: int, cell_x: float, cell_y: float) -> NDArray[np.float32]:
    coarse = rng.normal(0, 1, (max(2, int(size / cell_y)), max(2, int(size / cell_x)))).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC), np.float32)


def _cloth(rng: Generator, size: int) -> NDArray[np.float32]:
    base = np.clip(_CLOTHS[rng.integers(len(_CLOTHS))] * np.exp(rng.normal(0, 0.25)) + rng.normal(0, 14, 3), 4, 250)
    out = np.tile(base.astype(np.float32), (size, size, 1))
    weave = _grain(rng, size, rng.uniform(1, 3), rng.uniform(1, 3)) * rng.exponential(6)
    blotch = _grain(rng, size, rng.uniform(20, 120), rng.uniform(20, 120)) * rng.exponential(7)
    return np.asarray(out + (weave + blotch)[..., None] * (base / 128 + 0.3), np.float32)


def _wood(rng: Generator, size: int) -> NDArray[np.float32]:
    base = np.array([70, 120, 175], np.float32) * np.exp(rng.normal(0, 0.4)) + rng.normal(0, 15, 3)
    lines = _grain(rng, size, rng.uniform(60, 200), rng.uniform(1.2, 4)) * 16
    lines += _grain(rng, size, rng.uniform(80, 300), rng.uniform(8, 30)) * 18
    out = np.tile(base.astype(np.float32), (size, size, 1)) + lines[..., None] * (base / 140).astype(np.float32)
    for _ in range(int(rng.integers(0, 5))):  # joints between boards
        y = int(rng.integers(0, size))
        cv2.line(out, (0, y), (size, y), tuple(float(v) for v in base * 0.55), int(rng.integers(1, 3)), cv2.LINE_AA)
    return out if rng.random() < 0.5 else np.ascontiguousarray(out.transpose(1, 0, 2))


def _clutter(rng: Generator, size: int) -> NDArray[np.float32]:
    """Random shapes and edges: the world away from the table."""
    out = _cloth(rng, size)
    for _ in range(int(rng.integers(4, 22))):
        colour = tuple(float(v) for v in rng.uniform(0, 255, 3))
        points = (rng.uniform(-0.1, 1.1, 2) + rng.normal(0, 0.16, (int(rng.integers(3, 7)), 2))) * size
        cv2.fillPoly(out, [points.astype(np.int32)], colour, cv2.LINE_AA)
    return out


def _photo_patch(rng: Generator, size: int, photos: list[Photo]) -> NDArray[np.float32] | None:
    """A part of a real photo with no labelled tile in it, or None after a few tries."""
    for _ in range(6):
        photo = photos[rng.integers(len(photos))]
        image = pixels(photo.path)
        height, width = image.shape[:2]
        side = int(rng.uniform(0.25, 0.6) * min(height, width))
        x, y = int(rng.integers(0, width - side)), int(rng.integers(0, height - side))
        b = photo.boxes
        if np.any((b[:, 0] < x + side) & (b[:, 2] > x) & (b[:, 1] < y + side) & (b[:, 3] > y)):
            continue
        patch = cv2.resize(image[y : y + side, x : x + side], (size, size), interpolation=cv2.INTER_CUBIC)
        return np.rot90(patch, int(rng.integers(4))).astype(np.float32).copy()
    return None


def background(rng: Generator, size: int, photos: list[Photo]) -> NDArray[np.float32]:
    """A size x size x 3 table or room without tiles, values about 0..255."""
    kind = rng.random()
    if kind < 0.25 and photos:
        patch = _photo_patch(rng, size, photos)
        if patch is not None:
            return patch
    if kind < 0.62:
        out = _cloth(rng, size)
    elif kind < 0.85:
        out = _wood(rng, size)
    else:
        out = _clutter(rng, size)
    if rng.random() < 0.35:  # a rim, a mat, a seam of an automatic table
        other = _cloth(rng, size) if rng.random() < 0.6 else _wood(rng, size)
        angle, offset = rng.uniform(0, 2 * np.pi), rng.uniform(-0.1, 0.42) * size
        normal = np.array([np.cos(angle), np.sin(angle)])
        along = np.array([-normal[1], normal[0]]) * 3 * size
        edge = np.array([size / 2, size / 2]) + normal * offset
        mask = np.zeros((size, size), np.uint8)
        far = normal * 3 * size
        points = np.array([edge + along, edge - along, edge - along + far, edge + along + far]).astype(np.int32)
        cv2.fillPoly(mask, [points], 255, cv2.LINE_AA)
        out = np.asarray(out + (other - out) * (mask.astype(np.float32) / 255)[..., None], np.float32)
        if rng.random() < 0.5:
            shade = float(rng.uniform(0, 90))
            a, b = (edge + along).astype(int), (edge - along).astype(int)
            cv2.line(out, tuple(a), tuple(b), (shade, shade, shade), int(rng.integers(1, 5)), cv2.LINE_AA)
    return out


def things(rng: Generator, canvas: NDArray[np.uint8], unit: float) -> None:
    """Draw a few things that are not tiles: dice, chips, coins, phones, cups, paper, sticks. In place.

    Args:
        rng: source of chance.
        canvas: HxWx3 uint8 picture.
        unit: width of a tile in pixels at the picture's middle.
    """
    size = canvas.shape[0]
    if rng.random() < 0.3:
        _flat_patches(rng, canvas, unit)
    for _ in range(int(rng.integers(0, 5))):
        centre = rng.uniform(0, size, 2)
        colour = rng.uniform(0, 255, 3)
        kind = rng.integers(5)
        if kind == 0:
            _die(rng, canvas, centre, unit * rng.uniform(0.4, 0.8))
        elif kind == 1:  # chips, coins, cups
            radius = unit * rng.uniform(0.4, 2.2)
            for k, share in enumerate((1.0, rng.uniform(0.6, 0.9))):
                tone = tuple(float(v) for v in np.clip(colour + k * rng.normal(0, 60, 3), 0, 255))
                cv2.circle(canvas, tuple(centre.astype(int)), max(1, int(radius * share)), tone, -1, cv2.LINE_AA)
        else:  # phones, cards, sticks, paper, racks
            long, wide = [(4.5, 2.2), (2.4, 1.6), (5, 0.25)][kind - 2]
            sides = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array([long, wide]) * unit / 2
            a = rng.uniform(0, np.pi)
            turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            points = (sides @ turn.T * rng.uniform(0.8, 2.0) + centre).astype(np.int32)
            cv2.fillPoly(canvas, [points], tuple(float(v) for v in colour), cv2.LINE_AA)
            if rng.random() < 0.5:
                edge = tuple(float(v) for v in rng.uniform(0, 255, 3))
                cv2.polylines(canvas, [points], True, edge, int(rng.integers(1, 4)), cv2.LINE_AA)
            if kind == 3 and rng.random() < 0.7:
                where = (int(centre[0] - unit / 2), int(centre[1]))
                ink = tuple(float(v) for v in rng.uniform(0, 160, 3))
                text = "".join(rng.choice(list("AKQJ0123456789$%#"), 4))
                cv2.putText(canvas, text, where, cv2.FONT_HERSHEY_SIMPLEX, unit / 45, ink, 1, cv2.LINE_AA)


def _flat_patches(rng: Generator, canvas: NDArray[np.uint8], unit: float) -> None:
    """Slots, pads and inlays of automatic tables: of a tile's size and outline, but flat and part of the table."""
    size = canvas.shape[0]
    colour = tuple(float(v) for v in np.clip(rng.uniform(10, 240) + rng.normal(0, 8, 3), 0, 255))
    for _ in range(int(rng.integers(1, 6))):
        sides = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * unit * rng.uniform(0.4, 1.1, 2)
        a = rng.uniform(0, np.pi)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        points = (sides @ turn.T + rng.uniform(0, size, 2) + rng.normal(0, unit * 0.05, (4, 2))).astype(np.int32)
        cv2.fillPoly(canvas, [points], colour, cv2.LINE_AA)
        if rng.random() < 0.4:
            other = tuple(float(v) for v in rng.uniform(0, 255, 3))
            cv2.polylines(canvas, [points], True, other, 1, cv2.LINE_AA)


def _die(rng: Generator, canvas: NDArray[np.uint8], centre: NDArray[np.float64], side: float) -> None:
    a = rng.uniform(0, np.pi / 2)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) * side / 2
    square = (np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ turn.T + centre).astype(np.int32)
    body = (235.0, 235.0, 240.0) if rng.random() < 0.8 else (40.0, 40.0, 200.0)
    cv2.fillPoly(canvas, [square], body, cv2.LINE_AA)
    pips = {1: [(0, 0)], 2: [(-1, -1), (1, 1)], 4: [(-1, -1), (1, 1), (-1, 1), (1, -1)]}[int(rng.choice([1, 2, 4]))]
    for x, y in pips:
        at = np.array([x, y]) * 0.5 @ turn.T + centre
        cv2.circle(canvas, tuple(at.astype(int)), max(1, int(side / 9)), (30.0, 30.0, 60.0), -1, cv2.LINE_AA)
