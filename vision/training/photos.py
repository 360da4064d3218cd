"""Windows cut out of real, labelled photos: turned, scaled and lit anew, never mirrored."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import yaml
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training.classes import INDEX
from vision.training.light import photograph
from vision.training.sample import COLUMNS, Sample, filled, pose_of

MIN_INSIDE = 0.55  # a tile cut by the window's edge is kept when this share of its box is inside


class PhotoDataError(ValueError):
    """The folder of real photos is missing or malformed; the message says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class Photo:
    """One labelled photo: classes and boxes in pixels; whether its tiles stand square to the picture."""

    path: Path
    classes: NDArray[np.int64]
    boxes: NDArray[np.float32]
    square: bool

    @property
    def tidy(self) -> bool:
        """Whether no tile lies askew: rows and blocks, no pile."""
        size = self.boxes[:, 2:] - self.boxes[:, :2]
        narrow = size.min(axis=1) / np.maximum(size.max(axis=1), 1)
        return bool(np.mean(narrow > 0.88) < 0.1) if len(size) else True

    @property
    def scene(self) -> str:
        """The scene the photo comes from: ``G``, ``O``, ``T``, ``gray``, ``leo``, ``cam``, ``D``, ``R``."""
        parts = self.path.stem.split("_")
        return parts[1] if parts[0] == "rmd" else parts[0]


def read_class_names(root: Path) -> list[str]:
    """Class names of a YOLO data set, from its ``data.yaml``.

    Raises:
        PhotoDataError: no ``data.yaml``, no names in it, or a name this project does not know.
    """
    path = root / "data.yaml"
    if not path.is_file():
        raise PhotoDataError(f"{path} is missing: name the folder that holds data.yaml, images/ and labels/")
    names = (yaml.safe_load(path.read_text(encoding="utf-8")) or {}).get("names")
    if isinstance(names, dict):
        names = [names[key] for key in sorted(names)]
    if not names:
        raise PhotoDataError(f"{path} has no 'names': list the classes there, in the order of the label files")
    unknown = [name for name in names if name not in INDEX]
    if unknown:
        raise PhotoDataError(f"{path} names unknown classes {unknown}; known are {', '.join(INDEX)}")
    return [str(name) for name in names]


def load_photos(root: Path, split: str) -> list[Photo]:
    """All labelled photos of one split, classes translated by name."""
    names = read_class_names(root)
    folder = root / "images" / split
    if not folder.is_dir():
        raise PhotoDataError(f"{folder} is missing: splits are folders under images/")
    photos = []
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in {".jpg", ".jpeg", ".png"}:
            continue
        label = root / "labels" / split / f"{path.stem}.txt"
        rows = label.read_text(encoding="utf-8").split("\n") if label.is_file() else []
        image = cv2.imread(os.fspath(path))
        if image is None:
            raise PhotoDataError(f"{path} cannot be read as a picture")
        photos.append(_photo(path, rows, names, image.shape[1], image.shape[0]))
    return photos


def _photo(path: Path, rows: list[str], names: list[str], width: int, height: int) -> Photo:
    classes, boxes = [], []
    for row in rows:
        if not row.strip():
            continue
        number, x, y, w, h = (float(part) for part in row.split())
        classes.append(INDEX[names[int(number)]])
        boxes.append([(x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height])
    array = np.array(boxes, np.float32).reshape(-1, 4)
    ratio = (array[:, 2] - array[:, 0]) / np.maximum(array[:, 3] - array[:, 1], 1)
    narrow = np.minimum(ratio, 1 / np.maximum(ratio, 1e-3))
    square = bool(len(ratio)) and 0.6 < float(np.median(narrow)) < 0.87 and float(np.mean(narrow > 0.88)) < 0.15
    return Photo(path, np.array(classes, np.int64), array, square)


@lru_cache(maxsize=1200)
def pixels(path: Path) -> NDArray[np.uint8]:
    """The picture, HxWx3 BGR, kept in memory; not to be written to."""
    image = cv2.imread(os.fspath(path))
    if image is None:
        raise PhotoDataError(f"{path} cannot be read as a picture")
    return np.asarray(image, np.uint8)


def window(rng: Generator, photo: Photo, size: int, tile: float) -> Sample:
    """A random ``size`` x ``size`` window in which the photo's typical tile measures about ``tile`` pixels.

    Photos whose tiles stand square are turned to any angle (their boxes stay tight); the others only by quarter
    turns and a few degrees.
    """
    image = pixels(photo.path)
    span = np.sqrt(np.median(np.prod(photo.boxes[:, 2:] - photo.boxes[:, :2], axis=1))) if len(photo.boxes) else 60.0
    scale = float(np.clip(tile / span, 0.25, 2.6))
    if photo.square and rng.random() < 0.55:
        turn = rng.uniform(0, 360)
    else:
        turn = rng.choice([0, 0, 0, 90, 180, 270]) + rng.normal(0, 6 if photo.square else 3)
    matrix = _placing(rng, image, photo, size, scale, np.deg2rad(turn))
    flags = cv2.INTER_AREA if scale < 0.6 else cv2.INTER_LINEAR
    border = tuple(int(v) for v in rng.integers(0, 256, 3)) if rng.random() < 0.5 else (114, 114, 114)
    source = image
    if scale < 0.6:  # warping shrinks without averaging: shrink first
        source = np.asarray(cv2.resize(image, None, fx=scale * 1.2, fy=scale * 1.2, interpolation=flags), np.uint8)
        matrix = matrix @ np.diag([1 / (scale * 1.2), 1 / (scale * 1.2), 1.0])
    out = cv2.warpAffine(source, matrix[:2], (size, size), flags=cv2.INTER_LINEAR, borderValue=border)
    if source is not image:
        matrix = matrix @ np.diag([scale * 1.2, scale * 1.2, 1.0])
    return Sample(photograph(rng, np.asarray(out, np.uint8), 0.75), _targets(photo, matrix, size))


def _placing(
    rng: Generator, image: NDArray[np.uint8], photo: Photo, size: int, scale: float, turn: float
) -> NDArray[np.float64]:
    """3x3 matrix photo -> window: turned, slightly sheared, centred near a tile (or anywhere, now and then)."""
    height, width = image.shape[:2]
    if len(photo.boxes) and rng.random() < 0.93:
        box = photo.boxes[rng.integers(len(photo.boxes))]
        focus = np.array([box[0] + box[2], box[1] + box[3]]) / 2
    else:
        focus = rng.uniform([0, 0], [width, height])
    c, s = np.cos(turn), np.sin(turn)
    stretch = np.diag(np.exp(rng.normal(0, 0.06, 2)))
    linear = np.array([[c, -s], [s, c]]) @ stretch @ np.array([[1, rng.normal(0, 0.04)], [0, 1]]) * scale
    middle = np.array([size, size]) * rng.uniform(0.15, 0.85, 2)
    matrix = np.eye(3)
    matrix[:2, :2] = linear
    matrix[:2, 2] = middle - linear @ focus
    if rng.random() < 0.8:
        matrix[:2, 2] = filled(matrix[:2, 2], linear, (width, height), size)
    return matrix


def _targets(photo: Photo, matrix: NDArray[np.float64], size: int) -> NDArray[np.float32]:
    rows = []
    for code, (x1, y1, x2, y2) in zip(photo.classes, photo.boxes, strict=True):
        corners = np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]])
        quad = corners @ matrix[:2, :2].T + matrix[:2, 2]
        low, high = quad.min(0), quad.max(0)
        clipped_low, clipped_high = np.clip(low, 0, size), np.clip(high, 0, size)
        inside = np.prod(clipped_high - clipped_low) / max(float(np.prod(high - low)), 1e-6)
        if inside < MIN_INSIDE or min(clipped_high - clipped_low) < 5:
            continue
        pose = (np.nan, np.nan, np.nan)
        ratio = (x2 - x1) / max(y2 - y1, 1)
        if photo.square and inside > 0.9:
            if ratio < 0.9:
                pose = pose_of(quad)
            elif ratio > 1.12:
                pose = pose_of(np.roll(quad, 1, axis=0))
        rows.append([code, *clipped_low, *clipped_high, *pose])
    return np.array(rows, np.float32).reshape(-1, COLUMNS)
