"""What height over the table does to how tiles are seen: one of three lies on a fourth, a side shows, a hand stands.

A raised tile seems shifted. Over a table the camera's eye is known (`table_eye`), and with it where to and how far; in
a picture of a hand only that it is towards the picture's top.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vision.layout_rows import Floats, RowFrame, box_arrays
from vision.observation import Box
from vision.table_eye import Eye

#: A tile's thickness over its width, and how much that and the eye's place leave open of a shift (share).
THICKNESS, _SHIFT_ERROR = 0.7, 0.25
#: How far tiles of one set lie off their line, how wide the gaps between them are and how much those vary, and the
#: least that boxes are off (tile widths).
_LINE_ERROR, _GAP, _GAP_ERROR, _LEAST_ERROR = 0.045, 0.02, 0.035, 0.02
#: What is usual counts as much as so many tiles seen.
_USUAL_WEIGHT = 3.0
#: Of groups that show three equal tiles, the share that hide a fourth.
_USUAL = 0.05
#: Of pairs laid together, the share that are what is seen of a kong.
_HIDDEN = 0.01
#: How much the picture around a tile may speak against and for its lying on another (logarithm): less against, where
#: places plainly say that it does it is asked about.
_AGAINST, _FOR = -3.5, 5.0
#: How much the places of the boxes count beside it: it shows what they say as well.
_PLACES = 0.5
#: How much the boxes of equal tiles differ, width and height together (tile widths); a box loses this share of what a
#: raised tile hides, for a corner of it is still seen, and how far it may be from that.
_SIZE_ERROR, _LOST, _LOST_ERROR = 0.05, 0.5, 0.5
#: Upright tiles are laid unevenly by as much as this (tenths of a height), which alone makes no kong more likely than a
#: pung: a fourth tile that nobody saw is asked about, not assumed.
_UNEVEN, _MAYBE = 1.8, 0.4
#: Shifts smaller than this (tile widths) leave the tile beside its neighbours.
_FAR = 0.25
#: A tile is laid beside another when edges are so near and ends so level (tile widths).
_BESIDE = 0.2
#: So many tiles of a kong are seen beside the raised one.
_GROUP = 2
#: A face's height over its width; a standing one seen nearly as high is not told from one that lies.
_FACE, _UNLIKE = 1.34, 0.8
#: So much wider than high is no upright face.
_WIDE = 1.12
#: A tile's side is seen within so much of where it should be (tile widths).
_SIDE = 0.25
LOWERED = 0.97


def raised(
    frame: RowFrame,
    three: list[int],
    any_side: bool,
    eye: Eye | None,
    others: Sequence[Sequence[int]] = (),
    stacked: Sequence[float | None] = (),
) -> float:
    """The probability that one of `three` neighbours of a row lies on a fourth, without knowing what they are.

    `others`: the tiles lying in other groups, in order; they show how neatly this player lays tiles. `stacked`: what
    the picture shows of each of the three (`TileObservation.stacked`), where somebody looked.
    """
    if eye is None:
        return _by_bend(frame, three, any_side)
    width = _width(np.stack([frame.w, frame.h], axis=1))
    places = np.stack([frame.u[three], frame.v[three]], axis=1)
    moved = -eye.shift(places, 2 * THICKNESS * width, THICKNESS * width)
    turned = [bool(frame.turned[i]) for i in three]
    # A fourth tile is put on the one that lies sideways, where there is one.
    chance = [float(t) / sum(turned) for t in turned] if any(turned) else [0.2, 0.6, 0.2]
    error = _line_error(frame, others, width)
    shown = [_shown(each) for each in stacked] or [0.0] * 3
    trust = _PLACES if any(shown) else 1.0
    flat = math.log(1.0 - _USUAL) + trust * _fit(frame, three, (width, error), None, moved)
    lying = [
        math.log(_USUAL * c) + trust * _fit(frame, three, (width, error), k, moved) + shown[k]
        for k, c in enumerate(chance)
        if c
    ]
    top = max(flat, *lying)
    weight = sum(math.exp(x - top) for x in lying)
    return weight / (weight + math.exp(flat - top))


def hiding(stacked: Sequence[float | None]) -> float:
    """The probability that one of two tiles laid together lies on a third and hides a fourth, by what the picture shows
    of each (`TileObservation.stacked`)."""
    if all(each is None for each in stacked):
        return 0.0
    odds = _HIDDEN * math.exp(max(_shown(each) for each in stacked))
    return odds / (1.0 + odds)


def _shown(stacked: float | None) -> float:
    return 0.0 if stacked is None else min(max(stacked, _AGAINST), _FOR)


def _line_error(frame: RowFrame, groups: Sequence[Sequence[int]], width: float) -> float:
    """How far tiles lie off their line, pixels: as usual, drawn to what those of `groups` show, where they are many."""
    off = []
    for group in groups:
        for three in zip(group, group[1:], group[2:], strict=False):
            if not any(frame.turned[i] for i in three):
                weights = _weights(frame.u[list(three)])
                off.append(abs(float(weights @ frame.v[list(three)])) / float(np.linalg.norm(weights)))
    usual = _LINE_ERROR * width
    if not off:
        return usual
    seen = max(float(np.median(off)) / 0.6745, _LEAST_ERROR * width)
    return math.sqrt((_USUAL_WEIGHT * usual**2 + len(off) * seen**2) / (_USUAL_WEIGHT + len(off)))


def _weights(u: Floats) -> Floats:
    """How three tiles' places across the row add up to how far the middle one is off the line of the others."""
    share = float((u[1] - u[0]) / max(u[2] - u[0], 1e-6))
    return np.array([share - 1.0, 1.0, -share])


def _fit(frame: RowFrame, three: list[int], scale: tuple[float, float], upper: int | None, moved: Floats) -> float:
    """Logarithm of how well the three boxes fit: `upper` lies higher by a tile, or none does. `scale`: a tile's width
    and how far tiles lie off their line."""
    u, v, w, h = frame.u[three], frame.v[three], frame.w[three], frame.h[three]
    width, off = scale
    weights = _weights(u)
    bend = 0.0 if upper is None else float(weights[upper] * moved[upper, 1])
    error = math.hypot(off * float(np.linalg.norm(weights)), _SHIFT_ERROR * bend)
    # A sideways tile lies flush with the others' lower edges, as seen by its player, seldom otherwise.
    lines = ((v + h / 2, 0.9), (v, 0.07), (v - h / 2, 0.03)) if any(frame.turned[i] for i in three) else ((v, 1.0),)
    total = max(_normal(float(weights @ line) - bend, error) + math.log(share) for line, share in lines)
    gaps = [float(u[k + 1] - u[k] - (w[k] + w[k + 1]) / 2) for k in (0, 1)]
    opened, hidden = [0.0, 0.0], [0.0, 0.0, 0.0]
    if upper is not None:
        # What it moves away from comes into view; what it moves over is hidden.
        for k, opens in ((upper - 1, float(moved[upper, 0])), (upper, -float(moved[upper, 0]))):
            if k in (0, 1):
                opened[k] = max(0.0, opens)
                hidden[k if k < upper else k + 1] = max(0.0, -opens - _GAP * width)
    for gap, wide in zip(gaps, opened, strict=True):
        total += _normal(gap - _GAP * width - wide, math.hypot(_GAP_ERROR * width, _SHIFT_ERROR * wide))
    for smaller, part in zip((w + h).max() - (w + h), hidden, strict=True):
        total += _normal(float(smaller) - _LOST * part, math.hypot(_SIZE_ERROR * width, _LOST_ERROR * part))
    return total


def _normal(off: float, error: float) -> float:
    # Beyond three errors it is something else that went wrong.
    return -0.5 * min((off / error) ** 2, 9.0) - math.log(error)


def _width(sizes: Floats) -> float:
    return float(np.median(sizes.min(axis=1)))


def lowered(boxes: Sequence[Box], eye: Eye) -> dict[int, Box]:
    """Tiles that lie apart as seen, and would complete a group if they lay on a tile of it: by index, the box of what
    lies beneath. A group of three, or of two where the upper tile hides the third. `eye` over the boxes' pixels."""
    if len(boxes) < 2:
        return {}
    middles, sizes = box_arrays(boxes)
    width = _width(sizes)
    shifts = eye.shift(middles, 2 * THICKNESS * width, THICKNESS * width)
    found: dict[int, Box] = {}
    for i, (dx, dy) in enumerate(shifts):
        if math.hypot(dx, dy) < _FAR * width or _neighbours(boxes, i, boxes[i], width):
            continue
        x1, y1, x2, y2 = boxes[i]
        below = (x1 + dx, y1 + dy, x2 + dx, y2 + dy)
        group: set[int] = set()
        reached = set(_neighbours(boxes, i, below, width))
        while reached - group and len(group) <= _GROUP:
            group |= reached
            reached = {j for k in group for j in _neighbours(boxes, k, boxes[k], width)} - {i}
        if 1 <= len(group) <= _GROUP:
            found[i] = below
    return found


def sides(boxes: Sequence[Box], backs: Sequence[bool], eye: Eye) -> list[int]:
    """Boxes taken for backs that lie where the side of a face beside them is seen, on the eye's side of it."""
    if not any(backs):
        return []
    middles, sizes = box_arrays(boxes)
    width = _width(sizes)
    below = eye.shift(middles, THICKNESS * width, 0.0)
    found = []
    for i, back in enumerate(backs):
        for k, face in enumerate(boxes):
            if not back or backs[k]:
                continue
            for axis in (0, 1):
                reach = float(below[k, axis])
                edge = face[axis] if reach < 0 else face[axis + 2]
                seen = sorted((edge, edge + reach))
                close = abs(boxes[i][axis] - seen[0]) + abs(boxes[i][axis + 2] - seen[1]) < 2 * _SIDE * width
                if abs(reach) > _FAR * width and close and _level(face, boxes[i], 1 - axis, 2 * _SIDE * width):
                    found.append(i)
    return sorted(set(found))


def standing(boxes: Sequence[Box], eye: Eye) -> bool | None:
    """Whether these faces, upright in a zone, are those of tiles that stand: from low down behind their player a camera
    sees them, less high for their width than lying ones. None where both would look alike, and for none."""
    if not boxes:
        return None
    middles, sizes = box_arrays(boxes)
    # Only the winning tile lies sideways in a hand: more that are wider than high are the tops of one that stands.
    wide = int((sizes[:, 0] > _WIDE * sizes[:, 1]).sum())
    if wide > max(1, len(boxes) // 2):
        return True
    high = float(np.median(sizes[:, 1] / sizes[:, 0]))
    width = float(np.median(sizes[:, 0]))
    ends = eye.shift(middles, 0.0, _FACE * width)[:, 1]
    upright = float(np.median(-ends)) / width  # towards the table's middle, away from an eye behind the player
    if upright >= _UNLIKE * _FACE:
        return None
    return high < math.sqrt(upright * _FACE) if upright > 0 else False


def _neighbours(boxes: Sequence[Box], own: int, box: Box, width: float) -> list[int]:
    """Tiles lying beside `box` and level with it, or, of a neighbour's row, above or below it."""
    near = _BESIDE * width
    return [
        j
        for j, other in enumerate(boxes)
        if j != own and any(_touch(other, box, k, near) and _level(other, box, 1 - k, near) for k in (0, 1))
    ]


def _touch(a: Box, b: Box, axis: int, near: float) -> bool:
    return min(abs(a[axis] - b[axis + 2]), abs(b[axis] - a[axis + 2])) < near


def _level(a: Box, b: Box, axis: int, near: float) -> bool:
    return min(abs(a[axis] - b[axis]), abs(a[axis + 2] - b[axis + 2])) < near


def _by_bend(frame: RowFrame, three: list[int], any_side: bool) -> float:
    """Whether one of three tiles lies on a fourth: it seems shifted towards the top of the picture, off the line of
    the others, and a little larger. Where the camera may look from `any_side` the shift may be any way. Seen from
    straight above neither shows, and the answer stays small."""
    v, h = frame.v[three], frame.h[three]
    up = -float(np.cos(np.radians(frame.angle)))
    turned = any(frame.turned[i] for i in three)
    # How much speaks for a fourth tile, and how far the one on it is lifted, in tenths of a height.
    best = 0.0, 0.0
    # Askew, a box does not show where a tile's edge is, least of all that of one lying sideways.
    if abs(up) > (0.97 if turned else 0.5):
        # A sideways tile lies flush with the others' lower edges, as seen by its player, or with none.
        lines = (v + h / 2, v - h / 2, v) if turned else (v + h / 2,)
        ways = (up, -up) if any_side else (up,)
        best = max(min(_bend_evidence(line, float(h.mean()), way) for line in lines) for way in ways)
    if not turned:
        size = np.log(frame.w[three] + h)
        larger = float(size[1] - (size[0] + size[2]) / 2) / 0.1
        best = max(best, (larger, larger))
        if any_side:
            u = np.sort(frame.u[three])
            aside = abs(float(u[0] - 2 * u[1] + u[2])) / 2 / float(h.mean()) / 0.1
            best = max(best, (aside, aside))
    evidence, lift = best
    # A fourth tile is put on the one that lies sideways, where there is one: less says it there.
    middle = 0.68 if turned else 0.88
    most = 0.98 if turned or lift > _UNEVEN else _MAYBE
    return float(np.clip(1.0 / (1.0 + np.exp(-12.0 * (evidence - middle))), 0.0005, most))


def _bend_evidence(line: Floats, height: float, up: float) -> tuple[float, float]:
    """How far three edges are from a line, as the shift of one upward (1: a tenth of a height for the middle one, a
    fifth for an end), and that shift in tenths of a height."""
    bend = float(line[0] - 2 * line[1] + line[2]) / height / up / 0.1
    return (-bend / 2, -bend / 2) if bend < 0 else (bend / 2, bend)
