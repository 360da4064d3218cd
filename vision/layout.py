"""From boxes to rows and groups: which tiles lie together, which lie apart, which are turned or stacked.

Only geometry here; what the groups *are* (hand, meld, winning tile) is decided in `layout_roles`, and what the tiles
are in `decode`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from vision.layout_raised import LOWERED, hiding, lowered, raised
from vision.layout_rows import Link, RowFrame, box_arrays, chains, find_frame, link_rows
from vision.observation import Box
from vision.table_eye import Eye

#: A gap of this many tile widths normally parts two groups; narrower ones are slack between tiles laid by hand.
GROUP_GAP = 0.33
#: Gaps in between are doubtful: both ways of parting are tried.
_DOUBTFUL_GAP = (0.2, 0.55)
_SIZE_RANGE = (0.64, 1.65)


@dataclass(frozen=True, slots=True)
class Segment:
    """Tiles that lie together in one row, left to right as read.

    `row` numbers the rows from the top as read; `gap_before`/`gap_after` are the free space to the row's neighbours
    in tile widths (inf at a row's end); `turned` lists the sideways ones, `stacked` tiles lying on or against the
    segment. `box` is `(u1, v1, u2, v2)` in the row frame. `raised`: the probability (without knowing what they are)
    that one of three tiles lies on a fourth, or one of two on a third and hides the fourth.
    """

    indices: tuple[int, ...]
    row: int
    gap_before: float
    gap_after: float
    turned: tuple[int, ...]
    box: Box
    stacked: tuple[int, ...] = ()
    turns_known: bool = True
    raised: float = 0.0

    @property
    def size(self) -> int:
        """Number of tiles, stacked ones included."""
        return len(self.indices) + len(self.stacked)

    @property
    def all_indices(self) -> tuple[int, ...]:
        """Every tile of the segment, stacked ones last."""
        return self.indices + self.stacked


@dataclass(frozen=True, slots=True)
class Split:
    """One way of parting the rows into segments; `cost` is how much it strains the gaps seen (0 = not at all)."""

    segments: tuple[Segment, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything geometry says. `angle`: rotation of the rows in the picture, degrees; `tile_size`: median width and
    height in pixels, along and across the rows; `off_size`: tiles much smaller or larger than the rest; `turns_known`
    is False where the rotation hides whether a tile lies sideways; `splits`: best first."""

    angle: float
    tile_size: tuple[float, float]
    turns_known: bool
    splits: tuple[Split, ...]
    off_size: tuple[int, ...]


def lay_out(
    boxes: Sequence[Box],
    upright: float | None = None,
    angles: Sequence[float | None] = (),
    votes: Sequence[bool] = (),
    eye: Eye | None = None,
    stacked: Sequence[float | None] = (),
) -> Layout:
    """Find rows and groups among `boxes` (pixels). `upright`, `angles`, `votes`: see `layout_rows.find_frame`.

    With `upright` given the boxes are those of a table's zone, turned upright: the camera may look at it from any
    side, so a raised tile may seem shifted any way. `eye`, the camera's place over the zone in its pixels, says which
    way and how far, and `stacked` what the picture shows of each tile's lying on another (`TileObservation.stacked`).

    Works for any number of boxes, none included, and never raises for odd ones.
    """
    kept, odd = _by_size(boxes)
    fallen = lowered([boxes[i] for i in kept], eye) if eye is not None else {}
    if not kept:
        return Layout(upright or 0.0, (0.0, 0.0), True, (Split((), 0.0),), odd)
    frame, links = find_frame(
        [fallen.get(k, boxes[i]) for k, i in enumerate(kept)],
        upright,
        [angles[i] for i in kept] if angles else (),
        [votes[i] for i in kept] if votes else (),
    )
    size = float(np.median(frame.w)), float(np.median(frame.h))
    loose = _find_stacked(frame, links)
    links = _without(links, loose, frame)
    shown = [stacked[i] for i in kept] if stacked else [None] * len(kept)
    splits: list[Split] = []
    for threshold, cost in _thresholds([link.gap for link in links]):
        segments = _segments(frame, links, threshold, loose)
        segments = _with_raised(frame, segments, frozenset(fallen), upright is not None, eye, shown)
        renumbered = tuple(_renumber(segment, kept) for segment in segments)
        if all(renumbered != split.segments for split in splits):
            splits.append(Split(renumbered, cost))
    return Layout(frame.angle, size, None not in frame.turned, tuple(splits), odd)


def _by_size(boxes: Sequence[Box]) -> tuple[list[int], tuple[int, ...]]:
    if not boxes:
        return [], ()
    _, sizes = box_arrays(boxes)
    extent = np.sqrt(np.prod(sizes, axis=1))
    finite = np.asarray(np.isfinite(np.asarray(boxes, dtype=np.float64)).all(axis=1), dtype=np.bool_)
    middle = float(np.median(extent[finite])) if finite.any() else 0.0
    low, high = _SIZE_RANGE
    kept = [i for i in range(len(boxes)) if finite[i] and low * middle <= extent[i] <= high * middle]
    odd = tuple(i for i in range(len(boxes)) if i not in set(kept))
    return kept, odd


def _find_stacked(frame: RowFrame, links: Sequence[Link]) -> dict[int, int]:
    """Tiles lying on another one: `{upper: lower}`. The upper is the one that fits its row's line worse."""
    count = len(frame.u)
    stacked: dict[int, int] = {}
    linked = {i for link in links if link.gap < GROUP_GAP for i in (link.left, link.right)}
    for i in range(count):
        for j in range(i + 1, count):
            du, dv = abs(frame.u[i] - frame.u[j]), abs(frame.v[i] - frame.v[j])
            if du > 0.5 * min(frame.w[i], frame.w[j]) or dv > 0.8 * min(frame.h[i], frame.h[j]):
                continue
            worse_i = (i not in linked, _strain(frame, i)) > (j not in linked, _strain(frame, j))
            upper, lower = (i, j) if worse_i else (j, i)
            stacked[upper] = lower
    return {upper: lower for upper, lower in stacked.items() if lower not in stacked}


def _strain(frame: RowFrame, index: int) -> float:
    """How far a tile lies off the line of its nearest two neighbours along the row, in tile heights."""
    du = np.abs(frame.u - frame.u[index]) / frame.w[index]
    dv = np.abs(frame.v - frame.v[index]) / frame.h[index]
    beside = (du > 0.5) & (du < 2.5) & (dv < 0.9)
    return float(dv[beside].mean()) if beside.any() else 1.0


def _without(links: Sequence[Link], loose: dict[int, int], frame: RowFrame) -> tuple[Link, ...]:
    """Links with the stacked tiles taken out, their neighbours joined to the tile beneath."""
    if not loose:
        return tuple(links)
    kept = [i for i in range(len(frame.u)) if i not in loose]
    thinned = RowFrame(
        frame.angle,
        frame.u[kept],
        frame.v[kept],
        frame.w[kept],
        frame.h[kept],
        tuple(frame.turned[i] for i in kept),
    )
    return tuple(Link(kept[link.left], kept[link.right], link.gap) for link in link_rows(thinned))


def _thresholds(gaps: Sequence[float]) -> list[tuple[float, float]]:
    """Where to part the rows: the widest step in the sorted gaps near the usual place, and its rivals."""
    low, high = _DOUBTFUL_GAP
    slack = sorted(g for g in gaps if g < low)
    # Tiles laid a little apart all over shift the whole scale.
    base = max(0.0, slack[len(slack) // 2]) if slack else 0.0
    doubtful = sorted(g - base for g in gaps if low < g - base < high)
    edges = [low, *doubtful, high]
    steps = []
    for before, after in pairwise(edges):
        middle = (before + after) / 2
        cost = 10.0 * abs(middle - GROUP_GAP) + 3.0 * max(0.0, 0.12 - (after - before))
        if before < GROUP_GAP <= after:
            cost = min(cost, 3.0 * max(0.0, 0.06 - (after - before)))
        steps.append((base + middle, cost))
    steps.sort(key=lambda step: step[1])
    return steps[:3]


def _segments(frame: RowFrame, links: Sequence[Link], threshold: float, loose: dict[int, int]) -> tuple[Segment, ...]:
    gap_after = {link.left: link.gap for link in links}
    rows = [c for c in chains(len(frame.u), links) if not (len(c) == 1 and c[0] in loose)]
    rows.sort(key=lambda c: (float(np.mean(frame.v[list(c)])), float(frame.u[c[0]])))
    segments = []
    for chain, number in zip(rows, _row_numbers(frame, rows), strict=True):
        start, before = 0, float("inf")
        for position, tile in enumerate(chain):
            gap = gap_after.get(tile, float("inf"))
            if gap > threshold or position == len(chain) - 1:
                plain = _segment(frame, chain[start : position + 1], loose)
                segments.append(replace(plain, row=number, gap_before=before, gap_after=gap))
                start, before = position + 1, gap
    return _with_leaning(frame, segments)


def _row_numbers(frame: RowFrame, rows: Sequence[Sequence[int]]) -> list[int]:
    """Chains side by side (broken by a wide gap) share a row number."""
    numbers: list[int] = []
    last: float | None = None
    height = float(np.median(frame.h))
    for chain in rows:
        v = float(np.mean(frame.v[list(chain)]))
        if last is None or v - last > 0.55 * height:
            numbers.append(numbers[-1] + 1 if numbers else 0)
            last = v
        else:
            numbers.append(numbers[-1])
    return numbers


def _segment(frame: RowFrame, members: Sequence[int], loose: dict[int, int]) -> Segment:
    picked = list(members)
    u, v, w, h = frame.u[picked], frame.v[picked], frame.w[picked], frame.h[picked]
    box = (float((u - w / 2).min()), float((v - h / 2).min()), float((u + w / 2).max()), float((v + h / 2).max()))
    stacked = tuple(upper for upper, lower in loose.items() if lower in picked)
    turned = tuple(i for i in picked if frame.turned[i])
    known = None not in [frame.turned[i] for i in picked]
    return Segment(tuple(picked), 0, 0.0, 0.0, turned, box, stacked, known)


def _with_raised(
    frame: RowFrame,
    segments: Sequence[Segment],
    fallen: frozenset[int],
    any_side: bool,
    eye: Eye | None,
    stacked: Sequence[float | None],
) -> tuple[Segment, ...]:
    """The segments with how sure a tile of each that shows three lies on a fourth."""
    over = None if eye is None else _in_frame(eye, frame.angle)
    result = []
    for segment in segments:
        shown = [stacked[i] for i in segment.indices]
        if segment.size == 2:
            sure = LOWERED if fallen & set(segment.indices) else hiding(shown)
            segment = replace(segment, raised=sure)  # noqa: PLW2901
        if segment.size == 3 and not segment.stacked:
            others = [other.indices for other in segments if other is not segment]
            sure = raised(frame, list(segment.indices), any_side, over, others, shown)
            segment = replace(segment, raised=LOWERED if fallen & set(segment.indices) else sure)  # noqa: PLW2901
        result.append(segment)
    return tuple(result)


def _in_frame(eye: Eye, angle: float) -> Eye:
    cos, sin = float(np.cos(np.radians(angle))), float(np.sin(np.radians(angle)))
    return Eye(eye.x * cos + eye.y * sin, eye.y * cos - eye.x * sin, eye.height)


def _with_leaning(frame: RowFrame, segments: list[Segment]) -> tuple[Segment, ...]:
    """A lone turned tile lying against a set of three belongs to it (the fourth tile of an added kong)."""
    result = list(segments)
    for lone in segments:
        if lone.size != 1 or not lone.turned:
            continue
        tile = lone.indices[0]
        for place, host in enumerate(result):
            if host is lone or host.size != 3 or host not in segments:
                continue
            beside = [i for i in host.turned if abs(frame.u[i] - frame.u[tile]) < 0.35 * frame.w[tile]]
            reach = [abs(frame.v[i] - frame.v[tile]) for i in beside]
            if beside and min(reach) < 1.25 * frame.h[tile]:
                result[place] = replace(host, stacked=(tile,))
                result.remove(lone)
                break
    return tuple(result)


def _renumber(segment: Segment, kept: Sequence[int]) -> Segment:
    return replace(
        segment,
        indices=tuple(kept[i] for i in segment.indices),
        turned=tuple(kept[i] for i in segment.turned),
        stacked=tuple(kept[i] for i in segment.stacked),
    )
