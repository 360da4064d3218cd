"""A writing brush: a stroke's centre line and its kind become one closed outline.

Every stroke kind has a width profile along its length, the way a brush is pressed and lifted in regular
script. ``contrast`` blends the profile with an even width, so one set of strokes gives anything from a
broad-nibbed regular script to an even-lined modern one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]

#: Width along a stroke as (position 0..1, share of the brush width).
PROFILES: dict[str, tuple[tuple[float, float], ...]] = {
    "h": ((0, 0.85), (0.06, 0.98), (0.2, 0.7), (0.55, 0.66), (0.8, 0.74), (0.93, 1.1), (1, 0.9)),
    "v": ((0, 0.95), (0.07, 1.14), (0.22, 0.92), (0.7, 0.9), (0.92, 1.0), (1, 0.85)),
    "s": ((0, 0.95), (0.05, 1.15), (0.2, 0.96), (0.7, 0.92), (0.88, 0.7), (1, 0.2)),
    "p": ((0, 0.9), (0.08, 1.15), (0.3, 1.02), (0.65, 0.76), (1, 0.12)),
    "n": ((0, 0.35), (0.2, 0.55), (0.55, 0.98), (0.8, 1.5), (0.88, 1.4), (1, 0.12)),
    "d": ((0, 0.3), (0.3, 0.8), (0.7, 1.25), (0.9, 1.15), (1, 0.75)),
    "t": ((0, 0.95), (0.15, 1.1), (0.4, 0.8), (1, 0.12)),
    "c": ((0, 0.9), (0.08, 1.08), (0.3, 0.88), (0.7, 0.98), (0.88, 1.12), (1, 0.12)),
    "k": ((0, 1.05), (0.25, 0.85), (1, 0.1)),
}
_EVEN = 0.86
_SAMPLES = 14


@dataclass(frozen=True, slots=True)
class Stroke:
    """One brush stroke: ``kind`` is a key of :data:`PROFILES`, ``points`` its centre line in a 100 x 100 box."""

    kind: str
    points: tuple[Point, ...]


def _profile_width(kind: str, t: float) -> float:
    knots = PROFILES[kind]
    for (t0, w0), (t1, w1) in pairwise(knots):
        if t <= t1:
            part = (t - t0) / (t1 - t0)
            smooth = part * part * (3 - 2 * part)
            return w0 + (w1 - w0) * smooth
    return knots[-1][1]


def _spline(points: Sequence[Point], samples: int) -> list[Point]:
    """Catmull-Rom curve through the points, about ``samples`` points along its whole length."""
    if len(points) == 2:
        (x0, y0), (x1, y1) = points
        return [(x0 + (x1 - x0) * i / samples, y0 + (y1 - y0) * i / samples) for i in range(samples + 1)]
    ends = [points[0], *points, points[-1]]
    per = max(3, samples // (len(points) - 1))
    curve: list[Point] = []
    for i in range(1, len(ends) - 2):
        p0, p1, p2, p3 = ends[i - 1], ends[i], ends[i + 1], ends[i + 2]
        for j in range(per):
            t = j / per
            curve.append((_catmull(p0[0], p1[0], p2[0], p3[0], t), _catmull(p0[1], p1[1], p2[1], p3[1], t)))
    curve.append(points[-1])
    return curve


def _catmull(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t**3)


def _directions(curve: Sequence[Point]) -> list[Point]:
    out: list[Point] = []
    for i in range(len(curve)):
        x0, y0 = curve[max(0, i - 1)]
        x1, y1 = curve[min(len(curve) - 1, i + 1)]
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        out.append(((x1 - x0) / length, (y1 - y0) / length))
    return out


def _lengths(curve: Sequence[Point]) -> list[float]:
    total = [0.0]
    for (x0, y0), (x1, y1) in pairwise(curve):
        total.append(total[-1] + math.hypot(x1 - x0, y1 - y0))
    return [t / (total[-1] or 1.0) for t in total]


def outline(stroke: Stroke, width: float, contrast: float = 1.0) -> list[Point]:
    """The closed outline of a stroke written with a brush ``width`` wide; always in the same turning sense,
    so that overlapping strokes in one path fill solidly under the non-zero rule."""
    curve = _spline(stroke.points, _SAMPLES)
    halves = [
        0.5 * width * (contrast * _profile_width(stroke.kind, t) + (1 - contrast) * _EVEN) for t in _lengths(curve)
    ]
    dirs = _directions(curve)
    sides = list(zip(curve, dirs, halves, strict=True))
    left = [(x - dy * h, y + dx * h) for (x, y), (dx, dy), h in sides]
    right = [(x + dy * h, y - dx * h) for (x, y), (dx, dy), h in sides]
    (ex, ey), (edx, edy), eh = sides[-1]
    (sx, sy), (sdx, sdy), sh = sides[0]
    cap_end = [_cap(ex, ey, edx, edy, eh, a) for a in (45, 0, -45)]
    cap_start = [_cap(sx, sy, -sdx, -sdy, sh, a) for a in (45, 0, -45)]
    return left + cap_end + right[::-1] + cap_start


def _cap(x: float, y: float, dx: float, dy: float, half: float, angle: float) -> Point:
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return (x + half * 0.8 * (dx * c - dy * s), y + half * 0.8 * (dy * c + dx * s))
