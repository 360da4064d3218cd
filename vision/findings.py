"""From a network's raw answers to one finding a tile: thresholds, merging, nothing found twice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

SAME_TILE_IOU = 0.5
SAME_TILE_INSIDE = 0.72  # share of the smaller box inside the larger
SMALLEST, LARGEST = 0.5, 1.8  # size of a tile against the tiles around it
AGREE_IOU = 0.7  # answers this close are averaged into the finding
LEVEL, REACH = 0.3, 4.5  # distances of middles across and along a row, in tile sizes, of what is one of it
LIKE = 1.25  # size against that of the tile beside it, up to which it is as large
TWICE = (1.7, 2.35)  # size against that of the tiles around it of a box that holds two of them
OVERLAPPED = 0.3  # share of the smaller inside the larger from which two findings are not beside each other


@dataclass(frozen=True, slots=True)
class Findings:
    """Tiles found, best first: boxes Nx4 (x1, y1, x2, y2 pixels), tile probability N, raw class scores NxC,
    pose Nx3 (cos 2a, sin 2a, narrow share)."""

    boxes: Floats
    tile: Floats
    classes: Floats
    pose: Floats

    def __len__(self) -> int:
        return len(self.boxes)

    def keep(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Findings:
        """Those chosen by a mask or by indices."""
        return Findings(self.boxes[which], self.tile[which], self.classes[which], self.pose[which])

    def moved(self, scale: float, shift: tuple[float, float]) -> Findings:
        """Boxes multiplied by ``scale``, then shifted."""
        offset = np.array([*shift, *shift], np.float32)
        return Findings(self.boxes * np.float32(scale) + offset, self.tile, self.classes, self.pose)


def joined(parts: list[Findings]) -> Findings:
    """Several findings as one, in the order given."""
    return Findings(
        np.concatenate([p.boxes for p in parts]),
        np.concatenate([p.tile for p in parts]),
        np.concatenate([p.classes for p in parts]),
        np.concatenate([p.pose for p in parts]),
    )


def overlaps(box: Floats, others: Floats) -> tuple[Floats, Floats]:
    """IoU of one box with others, and the share of the smaller of the two that lies in the larger."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=1)
    mine = float(np.prod(box[2:] - box[:2]))
    theirs = np.prod(others[:, 2:] - others[:, :2], axis=1)
    union = np.maximum(mine + theirs - shared, 1e-6)
    return (shared / union).astype(np.float32), (shared / np.maximum(np.minimum(mine, theirs), 1e-6)).astype(np.float32)


def merge(found: Findings) -> Findings:
    """One finding a tile: weaker answers on the same tile are averaged in where they agree, dropped where not."""
    order = np.argsort(-found.tile, kind="stable")
    found = found.keep(order)
    left = np.ones(len(found), bool)
    boxes, tiles, classes, poses = [], [], [], []
    for k in range(len(found)):
        if not left[k]:
            continue
        iou, inside = overlaps(found.boxes[k], found.boxes)
        same = left & ((iou > SAME_TILE_IOU) | (inside > SAME_TILE_INSIDE))
        same[k] = True
        agree = same & (iou > AGREE_IOU)
        agree[k] = True
        weight = found.tile[agree] ** 2
        weight = weight / weight.sum()
        boxes.append(weight @ found.boxes[agree])
        classes.append(weight @ found.classes[agree])
        poses.append(weight @ found.pose[agree])
        tiles.append(found.tile[k])
        left &= ~same
    width = found.classes.shape[1]
    return Findings(
        np.array(boxes, np.float32).reshape(-1, 4),
        np.array(tiles, np.float32),
        np.array(classes, np.float32).reshape(-1, width),
        np.array(poses, np.float32).reshape(-1, 3),
    )


def nearest(centre: NDArray[np.floating], others: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The six of `others` nearest to finding `k`, by their middles (Nx2): the tiles around it."""
    return others[np.argsort(np.linalg.norm(centre[others] - centre[k], axis=1))[:6]]


def plausible(found: Findings, sure: float = 0.7) -> NDArray[np.bool_]:
    """Which findings have about the size of those around them; the very sure ones always do.

    Tiles of one table are of one size, and perspective changes it slowly: a box twice as large as the nearest tiles is
    a tray, a box half as large a die or a part of a tile.
    """
    keep = np.ones(len(found), bool)
    firm = np.where(found.tile > 0.5)[0]
    if len(firm) < 4:
        return keep
    size = np.sqrt(np.prod(found.boxes[:, 2:] - found.boxes[:, :2], axis=1))
    centre = (found.boxes[:, :2] + found.boxes[:, 2:]) / 2
    for k in np.where(found.tile < sure)[0]:
        near = nearest(centre, firm[firm != k], k)
        ratio = size[k] / np.median(size[near])
        keep[k] = SMALLEST < ratio < LARGEST
    return keep


def halves(found: Findings, firm: float) -> list[tuple[int, Floats]]:
    """Findings as large as two of the tiles around them side by side, each with its two halves (2x4): where two tiles
    touch without a seam to be seen, they are found as one. `firm`: the score of a tile that counts around."""
    out = []
    near_by = np.where(found.tile > firm)[0]
    centre = (found.boxes[:, :2] + found.boxes[:, 2:]) / 2
    size = found.boxes[:, 2:] - found.boxes[:, :2]
    for k in range(len(found)):
        others = near_by[near_by != k]
        if len(others) < 3:
            continue
        ratio = size[k] / np.median(size[nearest(centre, others, k)], axis=0)
        for way in (0, 1):
            if TWICE[0] < ratio[way] < TWICE[1] and 1 / LIKE < ratio[1 - way] < LIKE:
                pair = np.stack([found.boxes[k], found.boxes[k]])
                pair[0, 2 + way] = pair[1, way] = centre[k, way]
                out.append((k, pair))
    return out


def in_line(boxes: Floats, firm: NDArray[np.bool_], faint: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the `faint` findings lie level with two firm ones near, as large as they and clear of all firm ones:
    tiles of a row, or one set apart from it."""
    faint = faint & ~firm
    if not firm.any() or not faint.any():
        return np.zeros(len(boxes), np.bool_)
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    size = np.sqrt(np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)).clip(1e-6)
    alike = np.abs(np.log(size[:, None] / size)) < np.log(LIKE)
    faint[faint] = [overlaps(box, boxes[firm])[1].max() < OVERLAPPED for box in boxes[faint]]
    across, along = np.moveaxis(np.abs(centre[:, None] - centre[None]) / size[None, :, None], 2, 0)
    rows = [alike & (aside < LEVEL) & (ahead < REACH) for aside, ahead in ((across, along), (along, across))]
    told = firm.copy()
    for _ in range(3):  # a row goes on over some hardly seen
        told |= faint & np.any([row[:, told].sum(axis=1) >= 2 for row in rows], axis=0)
    return np.asarray(told & ~firm)


def softmax(scores: NDArray[np.floating]) -> Floats:
    """Row-wise softmax of NxC scores; N may be 0."""
    if not len(scores):
        return scores.astype(np.float32)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)
