"""Where tiles lie in a composite: rows, blocks, racks, piles, discards, walls. Unit of length: a tile's width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training.classes import BACK, FACES, INDEX

HEIGHT = 1.34  # of a face, in widths
WHITE = INDEX["P"]


@dataclass(slots=True)
class Placed:
    """One solid tile: centre, right/up/outward axes of its face (unit vectors), class number."""

    centre: NDArray[np.float64]
    axes: NDArray[np.float64]
    code: int


def _lying(turn: float, up: bool = True) -> NDArray[np.float64]:
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]] if up else [[-c, -s, 0], [-s, c, 0], [0, 0, -1]])


def _standing(turn: float, lean: float) -> NDArray[np.float64]:
    """Face towards -y when turn is 0; ``lean`` tips it back (radians)."""
    n = np.array([np.sin(turn), -np.cos(turn), 0.0])
    v = np.array([0.0, 0.0, 1.0])
    u = np.cross(v, n)
    return np.array([u, np.cos(lean) * v - np.sin(lean) * n, np.cos(lean) * n + np.sin(lean) * v])


def _codes(rng: Generator, count: int) -> NDArray[np.int64]:
    """Random faces; often runs and repeats as in hands; flowers as often as others."""
    if rng.random() < 0.5:
        return rng.integers(0, len(FACES), count)
    out: list[int] = []
    while len(out) < count:
        start = int(rng.integers(0, len(FACES)))
        kind = rng.random()
        if kind < 0.06:  # blank ones side by side show no seam: seldom by chance, and hard to tell apart
            out += [WHITE] * int(rng.integers(2, 4))
        elif kind < 0.4:
            out += [start] * int(rng.integers(2, 5))
        elif kind < 0.8 and start < 27 and start % 9 < 7:
            out += [start, start + 1, start + 2]
        else:
            out.append(start)
    return np.array(out[:count], np.int64)


def _row(rng: Generator, count: int, start: NDArray[np.float64], turn: float, thick: float, gap: float) -> list[Placed]:
    """A row lying face up along direction ``turn``; a tile turned aside or set apart now and then."""
    along = np.array([np.cos(turn), np.sin(turn), 0.0])
    up = np.array([-np.sin(turn), np.cos(turn), 0.0])
    mess = rng.exponential(0.025)
    flip = rng.choice([0.0, np.pi]) if rng.random() < 0.25 else 0.0
    covered = int(rng.integers(0, count)) if rng.random() < 0.2 else -4  # a concealed kong in the row
    out, at = [], 0.0
    for place, code in enumerate(_codes(rng, count)):
        aside = rng.random() < 0.05
        half = HEIGHT / 2 if aside else 0.5
        at += half
        centre = start + along * at + up * (rng.normal(0, mess) - (0.17 if aside else 0.0))
        centre[2] += thick / 2
        own = turn + (np.pi / 2 * rng.choice([-1, 1]) if aside else 0.0) + rng.normal(0, mess) + flip
        if rng.random() < 0.08 * (mess > 0.02):
            own += np.pi
        face_up = rng.random() > 0.03 and not covered <= place < covered + 4
        out.append(Placed(centre, _lying(own, face_up), int(code)))
        at += half + abs(rng.normal(0, gap)) + (rng.uniform(0.2, 1.2) if rng.random() < 0.04 else 0.0)
    return out


def rows(rng: Generator, thick: float) -> list[Placed]:
    """One to five rows, close together (a block) or apart."""
    lines = int(rng.choice([1, 1, 2, 3, 4, 5]))
    count = int(rng.integers(4, 18))
    pitch = HEIGHT + (abs(rng.normal(0, 0.03)) if rng.random() < 0.6 else rng.uniform(0.1, 1.5))
    turned = rng.random() < 0.2  # blocks whose tiles lie in mixed directions, as in a tray
    out = []
    for line in range(lines):
        start = np.array([-count / 2 + rng.normal(0, 0.4) * (rng.random() < 0.4), line * pitch, 0.0])
        out += _row(rng, max(1, count - int(rng.integers(0, 3))), start, 0.0, thick, rng.exponential(0.02))
    if turned:
        for tile in out:
            if rng.random() < 0.4:
                tile.axes = _lying(np.pi) if rng.random() < 0.7 else _lying(0.0, up=False)
    return out


def rack(rng: Generator, thick: float) -> list[Placed]:
    """A standing hand as its player (or, from behind, another) sees it, and flowers lying in front."""
    lean = float(np.clip(abs(rng.normal(0.15, 0.25)), 0, 1.1))
    count = int(rng.integers(5, 18))
    out = []
    for k, code in enumerate(_codes(rng, count)):
        gap = rng.uniform(0.2, 1.0) if k == count - 1 and rng.random() < 0.3 else 0.0
        axes = _standing(rng.normal(0, 0.015), lean)
        lift = HEIGHT / 2 * np.cos(lean) + thick / 2 * np.sin(lean)
        out.append(Placed(np.array([k - count / 2 + gap, rng.normal(0, 0.03), lift]), axes, int(code)))
    if rng.random() < 0.4:
        first = np.array([rng.uniform(-count / 2, count / 2), rng.uniform(-3.5, -1.8), 0.0])
        out += _row(rng, int(rng.integers(1, 8)), first, rng.normal(0, 0.1), thick, 0.03)
    return out


def pile(rng: Generator, thick: float) -> list[Placed]:
    """Tiles at all angles, close together, some lying on others."""
    count = int(rng.integers(5, 36))
    spread = np.sqrt(count) * rng.uniform(0.55, 1.0)
    out: list[Placed] = []
    spots: list[NDArray[np.float64]] = []
    shared = rng.uniform(0, 2 * np.pi)
    for code in _codes(rng, count):
        for _ in range(12):
            spot = rng.uniform(-1, 1, 2) * spread
            near = sum(bool(np.linalg.norm(spot - other) < 1.22) for other in spots)
            if near == 0 or rng.random() < 0.05:
                break
        else:
            continue
        turn = rng.uniform(0, 2 * np.pi) if rng.random() < 0.8 else shared + rng.normal(0, 0.1)
        level = 1 if near else 0
        centre = np.array([*spot, thick / 2 + level * thick])
        axes = _lying(turn, rng.random() > 0.12)
        if rng.random() < 0.25:  # leaning on a neighbour
            tip = rng.normal(0, 0.2)
            turned = np.array([[1, 0, 0], [0, np.cos(tip), -np.sin(tip)], [0, np.sin(tip), np.cos(tip)]])
            axes = axes @ turned.T
            centre[2] += 0.15
        spots.append(spot)
        out.append(Placed(centre, axes, int(code)))
    return out


def scattered(rng: Generator, thick: float) -> list[Placed]:
    """Standing or lying tiles apart from each other."""
    out: list[Placed] = []
    standing = rng.random() < 0.35
    for code in _codes(rng, int(rng.integers(1, 14))):
        spot = rng.uniform(-6, 6, 2) * rng.uniform(0.4, 1)
        if any(np.linalg.norm(spot - tile.centre[:2]) < 1.5 for tile in out):
            continue
        if standing:
            axes, z = _standing(rng.normal(0, 0.6), 0.0), HEIGHT / 2
        else:
            axes, z = _lying(rng.uniform(0, 2 * np.pi), rng.random() > 0.15), thick / 2
        out.append(Placed(np.array([*spot, z]), axes, int(code)))
    return out


def wall(rng: Generator, thick: float) -> list[Placed]:
    """A stretch of wall: two layers of backs."""
    count, turn = int(rng.integers(4, 15)), 0.0
    out = []
    for level in range(int(rng.choice([1, 2, 2]))):
        for k in range(count - level * int(rng.integers(0, 3))):
            centre = np.array([k - count / 2, rng.normal(0, 0.03), thick * (0.5 + level)])
            out.append(Placed(centre, _lying(turn + rng.normal(0, 0.01), up=False), BACK))
    return out


def table(rng: Generator, thick: float) -> list[Placed]:
    """A hand with melds and flowers, discards or a wall beside it."""
    out = rows(rng, thick) if rng.random() < 0.6 else rack(rng, thick)
    other = [pile, wall, rows, scattered][int(rng.choice(4))](rng, thick)
    shift = np.array([rng.uniform(-4, 4), max(t.centre[1] for t in out) + rng.uniform(1.5, 3), 0.0])
    low = min((t.centre[1] for t in other), default=0.0)
    for tile in other:
        tile.centre = tile.centre + shift - np.array([0, low - HEIGHT, 0])
    return out + other


def arrange(rng: Generator, thick: float) -> list[Placed]:
    """A random arrangement of solid tiles on the plane z = 0, centred at the origin."""
    makers = [rows, rack, pile, scattered, wall, table]
    chance = [0.3, 0.18, 0.26, 0.06, 0.03, 0.17]
    out = makers[int(rng.choice(len(makers), p=chance))](rng, thick)
    if out:
        middle = np.mean([t.centre for t in out], axis=0)
        for tile in out:
            tile.centre = tile.centre - np.array([middle[0], middle[1], 0.0])
    return out
