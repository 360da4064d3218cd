"""How sure is sure: from the detector's tile scores to probabilities, on rendered scenes that no training has seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vision.detector import Detector
from vision.metrics import iou_matrix

if TYPE_CHECKING:
    from vision.training.render import Scene

FIRST_SEED = 1 << 40  # training draws its seeds below 2**36
SAME = 0.4  # IoU from which a finding is that tile


def held_back(count: int) -> Iterator[Scene]:
    """So many rendered scenes (800 x 640) that training never draws, of sets it never draws."""
    from vision.training.render import Sources, render_scene  # noqa: PLC0415  (needs the render extra)

    for number in range(count):
        yield render_scene(FIRST_SEED + 64 * (number // 4) + number % 4, size=(800, 640), sources=Sources())


def collect(detector: Detector, scenes: int = 40) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Tile scores of findings in held-back rendered scenes, and whether each is a tile.

    Tiles marked as unreadable count neither way. Give a detector with a low ``confidence``.
    """
    scores: list[float] = []
    good: list[bool] = []
    for scene in held_back(scenes):
        found = detector.find(np.ascontiguousarray(scene.image))
        boxes = np.array([tile.box for tile in scene.tiles], np.float64).reshape(-1, 4)
        unclear = np.array([tile.ignore for tile in scene.tiles], bool)
        for box, score in zip(found.boxes, found.tile, strict=True):
            iou = iou_matrix(box[None].astype(np.float64), boxes)[0] if len(boxes) else np.zeros(1)
            best = int(iou.argmax())
            if len(boxes) and iou[best] > 0.1 and unclear[best]:
                continue
            scores.append(float(score))
            good.append(bool(iou[best] > SAME))
    return np.array(scores), np.array(good, bool)


def fit_curve(scores: NDArray[np.float64], good: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and shift of the logistic curve of the score's logit that makes the outcomes most likely.

    Raises:
        ValueError: fewer than 20 findings, or all of one kind: nothing to fit.
    """
    if len(scores) < 20 or good.all() or not good.any():
        raise ValueError(f"{len(scores)} findings, {int(good.sum())} of them tiles: too few of either kind to fit")
    x = np.stack([np.log(scores / (1 - scores)), np.ones(len(scores))], axis=1)
    weights = np.array([1.0, 0.0])
    for _ in range(50):  # Newton, with a little pull towards the identity
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (p - good) + 1e-2 * (weights - np.array([1.0, 0.0]))
        curvature = (x * (p * (1 - p))[:, None]).T @ x + 1e-2 * np.eye(2)
        step = np.linalg.solve(curvature, slope)
        weights = weights - step
        if np.abs(step).max() < 1e-8:
            break
    return float(weights[0]), float(weights[1])
