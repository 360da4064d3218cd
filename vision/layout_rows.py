"""Rows out of boxes: which way the rows run, how large a tile is along and across them, who is whose neighbour.

Everything here works on the middles and sizes of axis-parallel boxes, so it holds at any rotation of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.observation import Box

Floats = npt.NDArray[np.float64]

#: Within this much of 45 degrees a box no longer tells a tile's width from its height.
_AXIS_LIMIT = 0.45
_DEFAULT_RATIO = 0.76
_TURNED_FACTOR = 1.32
#: A box with less than this of the width and height of those about it holds a part of its tile.
_WHOLE = 0.8
_LINK_REACH = 6.0
_TOUCHING = 0.6


@dataclass(frozen=True, slots=True)
class RowFrame:
    """Tiles in the frame of their rows: `u` along, `v` across (downward as read), `w`/`h` the extents that way, all
    in pixels and in the order of the boxes given. `turned` is True for tiles lying sideways, False for others, and
    None where the rotation hides it. `angle` (degrees) is the direction of `u` in the picture."""

    angle: float
    u: Floats
    v: Floats
    w: Floats
    h: Floats
    turned: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """`right` is the next tile of `left`'s row; `gap` is the free space between them in tile widths."""

    left: int
    right: int
    gap: float


def box_arrays(boxes: Sequence[Box]) -> tuple[Floats, Floats]:
    """Middles (N,2) and sizes (N,2) of boxes."""
    array = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    return (array[:, :2] + array[:, 2:]) / 2, np.maximum(array[:, 2:] - array[:, :2], 1e-3)


def find_frame(
    boxes: Sequence[Box],
    upright: float | None = None,
    angles: Sequence[float | None] = (),
    votes: Sequence[bool] = (),
) -> tuple[RowFrame, tuple[Link, ...]]:
    """Estimate the row direction and link every tile to its neighbours.

    `upright` is the angle at which the tiles are known to stand, if it is; else the tiles' own `angles` decide which
    way the rows are read (those of `votes`, where given: faces that look alike upside down should not count), and
    without those the picture's own upright does.
    """
    middles, sizes = box_arrays(boxes)
    stands = np.array([np.nan if a is None else a for a in angles] or [np.nan] * len(middles), dtype=np.float64)
    best: tuple[float, RowFrame, tuple[Link, ...]] | None = None
    for angle in _candidate_angles(middles, sizes):
        frame = _frame_at(middles, sizes, angle, stands)
        links = link_rows(frame)
        score = _score(frame, links)
        if best is None or score > best[0]:
            best = (score, frame, links)
    assert best is not None
    angle = _refined(best[1], best[2])
    voting = np.where(np.array(votes, dtype=bool), stands, np.nan) if votes else stands
    angle = _oriented(angle, _mean_stand(voting, angle) if upright is None else upright)
    frame = _frame_at(middles, sizes, angle, stands)
    return frame, link_rows(frame)


def _mean_stand(stands: Floats, angle: float) -> float | None:
    """The end of the row direction that most tiles stand towards; None when they do not clearly say."""
    known = stands[np.isfinite(stands)]
    known = known[np.abs(np.cos(np.radians(known - angle))) > 0.5]  # turned tiles have no say
    if len(known) == 0:
        return None
    along = float(np.cos(np.radians(known - angle)).sum())
    end = angle if along > 0 else angle + 180.0
    # Pictures taken the right way up are the rule: against that a clear majority is asked for.
    against = np.cos(np.radians(end)) < -0.2
    wanted = max(0.6 * len(known), 2.5) if against else 0.15 * len(known)
    return end if abs(along) >= wanted else None


def _oriented(angle: float, upright: float | None) -> float:
    """The one of the two readings of a row direction that is nearer `upright` (default: the picture's own)."""
    target = 0.0 if upright is None else upright
    off = (angle - target + 180.0) % 360.0 - 180.0
    # A hair of slack makes rows at exactly 90 degrees come out the same way every time.
    return target + off if -90.0 - 1e-6 <= off < 90.0 - 1e-6 else target + ((off + 360.0) % 360.0 - 180.0)


def _candidate_angles(middles: Floats, sizes: Floats) -> list[float]:
    count = len(middles)
    if count < 2:
        return [0.0]
    delta = middles[None] - middles[:, None]
    distance = np.hypot(delta[..., 0], delta[..., 1])
    np.fill_diagonal(distance, np.inf)
    scale = np.sqrt(np.prod(sizes, axis=1))
    relative = distance / ((scale[None] + scale[:, None]) / 2)
    votes = np.zeros(180)
    grid = np.arange(180.0)
    for i in range(count):
        for j in np.argsort(relative[i])[: min(3, count - 1)]:
            # Far neighbours vote too, faintly: two lone tiles must still give a direction.
            weight = 1.0 / (0.3 + float(relative[i, j])) ** 2
            angle = np.degrees(np.arctan2(delta[i, j, 1], delta[i, j, 0])) % 180.0
            off = (grid - angle + 90.0) % 180.0 - 90.0
            votes += weight * np.exp(-((off / 4.0) ** 2))
    peaks = [a for a in range(180) if votes[a] >= votes[a - 1] and votes[a] > votes[(a + 1) % 180]]
    peaks.sort(key=lambda a: -votes[a])
    chosen = [float(a) for a in peaks[:4]] or [0.0]
    return list(dict.fromkeys([*chosen, (chosen[0] + 90.0) % 180.0]))


def _frame_at(middles: Floats, sizes: Floats, angle: float, stands: Floats) -> RowFrame:
    radians = np.radians(angle)
    cos, sin = float(np.cos(radians)), float(np.sin(radians))
    u = middles[:, 0] * cos + middles[:, 1] * sin
    v = -middles[:, 0] * sin + middles[:, 1] * cos
    c, s = abs(cos), abs(sin)
    total = (sizes[:, 0] + sizes[:, 1]) / (c + s)
    spread = c * c - s * s
    if abs(spread) < _AXIS_LIMIT:
        ratio = _ratio_from_pitch(u, v, total)
        lying = np.abs(np.cos(np.radians(stands - angle))) < 0.5
        share = np.where(lying, 1 / (1 + ratio), ratio / (1 + ratio))
        known = np.isfinite(stands)
        turned = tuple(bool(a) if k else None for a, k in zip(lying, known, strict=True))
        return RowFrame(angle, u, v, total * share, total * (1 - share), turned)
    raw_w = (sizes[:, 0] * c - sizes[:, 1] * s) / spread
    raw_w = np.clip(raw_w, 0.2 * total, 0.8 * total)
    ratios = raw_w / (total - raw_w)
    ratio = float(np.median(ratios))
    lying = _lying(u, v, (ratios, total), np.abs(np.cos(np.radians(stands - angle))))
    share = np.where(lying, 1 / (1 + min(ratio, 0.95)), ratio / (1 + ratio))
    w = np.where(lying, np.maximum(raw_w, total * share * 0.85), total * share)
    return RowFrame(angle, u, v, w, total - w, tuple(bool(t) for t in lying))


def _lying(u: Floats, v: Floats, shapes: tuple[Floats, Floats], upright: Floats) -> npt.NDArray[np.bool_]:
    """Which tiles lie sideways: wider for their height than the tiles about them (a perspective changes that slowly
    over the picture), unless their own angle (`upright`: |cos|, nan when unknown) says otherwise. `shapes`: width over
    height, and both together; a box much smaller than those about it holds a part of a tile, and must show it
    clearly."""
    ratios, totals = shapes
    count = len(ratios)
    around, large = np.full(count, float(np.median(ratios))), np.full(count, float(np.median(totals)))
    if count >= 5:
        distance = np.hypot(u[None] - u[:, None], v[None] - v[:, None])
        for i in range(count):
            near = np.argsort(distance[i])[:7]
            around[i], large[i] = float(np.median(ratios[near])), float(np.median(totals[near]))
    whole = totals > _WHOLE * large
    wide = ratios > _TURNED_FACTOR * around
    says_turned, says_upright = upright < 0.5, upright > 0.87
    clearly = ratios > 1.6 * around
    slightly = ratios > 1.08 * around
    return (whole & wide & ~says_upright) | clearly | (says_turned & slightly)


def _ratio_from_pitch(u: Floats, v: Floats, total: Floats) -> float:
    """Width over height from how close neighbours in a row lie; near 45 degrees boxes do not tell."""
    if len(u) < 2:
        return _DEFAULT_RATIO
    du = np.abs(u[None] - u[:, None])
    dv = np.abs(v[None] - v[:, None])
    mean = (total[None] + total[:, None]) / 2
    aside = np.where((dv < 0.3 * mean) & (du > 0.2 * mean), du / mean, np.inf)
    nearest = aside.min(axis=1)
    near = nearest[nearest < 0.75]
    if len(near) == 0:
        return _DEFAULT_RATIO
    pitch = float(np.clip(np.percentile(near, 35), 0.3, 0.62))
    return pitch / (1 - pitch)


def link_rows(frame: RowFrame) -> tuple[Link, ...]:
    """Join every tile to the next one of its row, where both agree that they are neighbours."""
    count = len(frame.u)
    if count < 2:
        return ()
    du = frame.u[None] - frame.u[:, None]
    dv = np.abs(frame.v[None] - frame.v[:, None])
    width = (frame.w[None] + frame.w[:, None]) / 2
    height = np.minimum(frame.h[None], frame.h[:, None])
    narrow = np.minimum(frame.w, frame.h)
    typical = np.minimum(narrow[None], narrow[:, None])
    drift = np.minimum(0.52 * height + 0.1 * np.maximum(du - width, 0), 0.85 * height)
    # A tile lying on another one seems shifted by up to that much; it still touches its neighbours.
    beside = np.abs(du - width) < 0.2 * typical
    drift = np.where(beside, np.maximum(drift, 0.72 * height), drift)
    possible = (du > 0.5 * width) & (dv < drift) & (du - width < _LINK_REACH * typical)
    cost = np.where(possible, du + 1.2 * dv, np.inf)
    right, left = cost.argmin(axis=1), cost.argmin(axis=0)
    links = []
    for i in range(count):
        j = int(right[i])
        if np.isfinite(cost[i, j]) and int(left[j]) == i:
            gap = (du[i, j] - width[i, j]) / typical[i, j]
            links.append(Link(i, j, float(gap)))
    return tuple(links)


def _score(frame: RowFrame, links: Sequence[Link]) -> float:
    total = 0.0
    for link in links:
        if link.gap > _TOUCHING:
            total += 0.15
            continue
        across = abs(frame.v[link.left] - frame.v[link.right]) / (0.6 * min(frame.h[link.left], frame.h[link.right]))
        total += max(0.0, 1.0 - across * across) - 0.5 * max(0.0, -link.gap - 0.15)
    # In a square block both directions link alike; tiles are taller than wide.
    taller = float(np.median(frame.h / frame.w)) > 1.0
    return total + (0.06 * len(frame.u) if taller else 0.0)


def _refined(frame: RowFrame, links: Sequence[Link]) -> float:
    """The direction all links together have, weighted by how far they reach."""
    touching = [link for link in links if link.gap <= _TOUCHING] or list(links)
    if not touching:
        return frame.angle
    du = sum(frame.u[link.right] - frame.u[link.left] for link in touching)
    dv = sum(frame.v[link.right] - frame.v[link.left] for link in touching)
    off = float(np.degrees(np.arctan2(dv, du)))
    return frame.angle + float(np.clip(off, -15.0, 15.0))


def chains(count: int, links: Sequence[Link]) -> tuple[tuple[int, ...], ...]:
    """Follow the links: every tile in exactly one chain, left to right."""
    following = {link.left: link.right for link in links}
    preceded = set(following.values())
    result = []
    for start in range(count):
        if start in preceded:
            continue
        chain = [start]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        result.append(tuple(chain))
    return tuple(result)
