"""Which backs count: they have no drawing that would tell them from a slot, a tray or a bare patch of table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.findings import Floats, nearest

#: Detector scores (after the re-reader's doubt) from which a back counts; chosen on the validation photos and on
#: rendered scenes. It needs more where it lies apart from all faces, and nearly all there is where no other back is
#: near: even a concealed kong has two.
LEAST_BACK, LEAST_LONE, LEAST_SINGLE = 0.64, 0.77, 0.85
COMPANION = 4.5  # distance of middles, in tile sizes, up to which another back is near: two faces may lie between
BESIDE = 1.6  # distance of middles, in tile sizes, up to which a back lies beside a tile
FACES, OUTGROWN = 4, 1.4  # faces that tell how large a tile is, and the size against theirs beyond which nothing is one
LEVEL, TOUCHING = 0.15, 0.25  # of a row's edges and gaps, in tile heights and widths


def least_of_backs(boxes: Floats, back: NDArray[np.bool_], firm: NDArray[np.bool_]) -> Floats:
    """The score each finding needs, were it a back.

    Args:
        boxes: Nx4, pixels.
        back: which findings look like backs.
        firm: which are surely tiles of some kind.
    """
    placed = beside_faces(boxes, back, firm) | four_in_row(boxes, back, firm)
    needed = np.where(placed, LEAST_BACK, LEAST_LONE)
    needed = np.where(in_company(boxes, back & firm), needed, LEAST_SINGLE)
    return np.where(outgrown(boxes, firm & ~back), np.inf, needed).astype(np.float32)


def outgrown(boxes: Floats, faces: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which boxes are clearly larger than the faces nearest them and than most, as squares of a cloth are that look
    like backs."""
    out = np.zeros(len(boxes), np.bool_)
    near_by = np.where(faces)[0]
    if len(near_by) < FACES:
        return out
    size = np.sqrt(np.prod(boxes[:, 2:] - boxes[:, :2], axis=1))
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    usual = np.median(size[near_by])
    for k in np.where(~faces)[0]:
        out[k] = size[k] > OUTGROWN * max(np.median(size[nearest(centre, near_by, k)]), usual)
    return out


def _apart(boxes: Floats) -> Floats:
    """NxN distances of middles, in sizes of the first."""
    centre = (boxes[:, :2] + boxes[:, 2:]) / 2
    size = np.sqrt(np.prod(boxes[:, 2:] - boxes[:, :2], axis=1))
    return np.asarray(np.linalg.norm(centre[:, None] - centre[None], axis=2) / np.maximum(size[:, None], 1e-6))


def _another_within(reach: float, boxes: Floats, others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which boxes have one of `others` within so many of their sizes that is not they themselves."""
    apart = _apart(boxes)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart[:, others].min(axis=1, initial=np.inf) < reach)


def in_company(boxes: Floats, firm_backs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which boxes have a firm back near them that is not they themselves."""
    return _another_within(COMPANION, boxes, firm_backs)


def side_by_side(boxes: Floats, which: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those of `which` that have another of them beside."""
    return which & _another_within(BESIDE, boxes, which)


def joined_by(boxes: Floats, which: NDArray[np.bool_], more: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`which`, and those of `more` that lie beside them, directly or over others of `more`."""
    for _ in range(3):  # three tiles of a kong beside the first
        which = which | (more & _another_within(BESIDE, boxes, which))
    return which


def beside_faces(boxes: Floats, back: NDArray[np.bool_], firm: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which boxes lie beside a firm face, directly or over other backs that do (a kong lies face down in a row)."""
    apart = _apart(boxes)
    reached = ~back & firm
    for _ in range(4):  # four backs of a kong in a row
        reached = reached | (apart[:, reached].min(axis=1, initial=np.inf) < BESIDE)
    return np.asarray(reached)


def four_in_row(boxes: Floats, back: NDArray[np.bool_], firm: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which boxes are backs in an upright row of just four, level with a firm face and as high: a kong laid face down.

    A wall, the back of a hand that stands and a patterned cloth make longer rows.
    """
    left, top, right, bottom = boxes.T
    slack = LEVEL * (bottom - top)
    level = (np.abs(top[:, None] - top) < slack) & (np.abs(bottom[:, None] - bottom) < slack)
    next_to = np.abs(left[:, None] - right) < TOUCHING * (right - left)
    row = (level & (next_to | next_to.T) & back & back[:, None]) | np.eye(len(boxes), dtype=np.bool_)
    for _ in range(2):  # from one end of four to the other, and beyond it where there is more
        row = row @ row
    return np.asarray(back & (row.sum(axis=1) == 4) & (row @ (level @ (firm & ~back))))
