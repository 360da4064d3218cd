"""One bamboo of 索, in many makers' designs."""

from __future__ import annotations

from collections.abc import Callable

from vision.drawings.shapes import circle, ellipse, group, num, path, rect
from vision.drawings.style import FaceStyle

#: Half width, half length, ink and the tile's own colour -> markup of an upright stick round (0, 0).
Stick = Callable[[float, float, str, str], list[str]]


def _outline(fat: float, half: float) -> str:
    """Outline of a stick with knobs at both ends and a joint in the middle, round (0, 0)."""
    waist, knob = fat * 0.62, half - fat * 1.5
    right = [  # a quadratic from the top down the right side: (control x, y, end x, y)
        (fat, -half, fat, -half + fat * 0.7),
        (fat, -half + fat * 1.3, waist, -knob),
        (waist, -fat * 0.75, waist, -fat * 0.75),
        (fat * 1.1, -fat * 0.6, fat * 1.1, 0),
        (fat * 1.1, fat * 0.6, waist, fat * 0.75),
        (waist, fat * 0.75, waist, knob),
        (fat, half - fat * 1.3, fat, half - fat * 0.7),
        (fat, half, 0, half),
    ]
    left = [(-cx, -cy, -x, -y) for cx, cy, x, y in right]  # the same, turned half round
    curves = "".join(f"Q{num(cx)} {num(cy)} {num(x)} {num(y)}" for cx, cy, x, y in right + left)
    return f"M0 {num(-half)}{curves}Z"


def _bone(fat: float, half: float, ink: str, paper: str) -> list[str]:
    parts = [path(_outline(fat, half), ink)]
    parts += [ellipse(0, s * (half - fat * 0.75), fat * 0.5, fat * 0.22, 0, paper) for s in (-1, 1)]
    return [*parts, ellipse(0, 0, fat * 0.5, fat * 0.2, 0, paper)]


def _capsule(fat: float, half: float, ink: str, paper: str) -> list[str]:
    return [
        rect(-fat, -half, 2 * fat, 2 * half, fat, ink),
        rect(-fat * 0.28, -half + fat, fat * 0.56, 2 * half - 2 * fat, fat * 0.28, paper),
    ]


def _segment(fat: float, half: float, ink: str, paper: str) -> list[str]:
    return [
        rect(-fat, -half, 2 * fat, half - 3, fat * 0.6, ink),
        rect(-fat, 3, 2 * fat, half - 3, fat * 0.6, ink),
        rect(-fat * 1.2, -4, fat * 2.4, 8, 4, ink),
    ]


def _hollow(fat: float, half: float, ink: str, paper: str) -> list[str]:
    line = fat * 0.5
    w = fat * 0.95 - line / 2
    parts = [rect(-w, y0, 2 * w, half - line * 0.3, fat * 0.7, "none", ink, line) for y0 in (-half, line * 0.3)]
    return [*parts, path(f"M0 {-half + fat:.1f}V{half - fat:.1f}", stroke=ink, width=fat * 0.25)]


def _beads(fat: float, half: float, ink: str, paper: str) -> list[str]:
    count = max(3, round(half / fat))
    step = 2 * half / count
    places = [-half + step * (i + 0.5) for i in range(count)]
    r = min(fat, step * 0.55)
    return [circle(0, y, r, ink) + circle(0, y, r * 0.4, paper) for y in places]


def _links(fat: float, half: float, ink: str, paper: str) -> list[str]:
    """A chain of three open links."""
    line, third = fat * 0.42, 2 * half / 3
    w = fat - line / 2
    return [rect(-w, -half + third * i + line / 2, 2 * w, third - line * 0.6, w, "none", ink, line) for i in range(3)]


def _ladder(fat: float, half: float, ink: str, paper: str) -> list[str]:
    line = fat * 0.36
    w, h = fat - line / 2, half - line / 2
    bars = f"M{num(-w)} {num(-fat * 0.3)}H{num(w)}M{num(-w)} {num(fat * 0.3)}H{num(w)}"
    return [rect(-w, -h, 2 * w, 2 * h, 2, "none", ink, line), path(bars, stroke=ink, width=line * 0.8)]


def _joints(fat: float, half: float, ink: str, paper: str) -> list[str]:
    line = path(f"M0 {num(-half + 6)}V{num(half - 6)}", stroke=ink, width=fat * 0.6)
    return [line, *(ellipse(0, y, fat, fat * 0.42, 0, ink) for y in (-half + fat * 0.5, 0, half - fat * 0.5))]


def _taper(fat: float, half: float, ink: str, paper: str) -> list[str]:
    """Two pieces, each wide at its ends and thin in its middle."""
    f, t = num(fat), num(fat * 0.25)
    n = num(-fat)
    parts = []
    for low, high in ((-half, -3.0), (3.0, half)):
        a, b, m = num(low), num(high), num((low + high) / 2)
        parts.append(path(f"M{n} {a}H{f}Q{t} {m} {f} {b}H{n}Q-{t} {m} {n} {a}Z", ink))
    return parts


def _bar(fat: float, half: float, ink: str, paper: str) -> list[str]:
    return [
        rect(-fat * 0.7, -half, fat * 1.4, 2 * half, 3, ink),
        rect(-fat, -fat * 0.25, fat * 2, fat * 0.5, 0, paper),
    ]


def _hairline(fat: float, half: float, ink: str, paper: str) -> list[str]:
    line = max(4.0, fat * 0.22)
    w = fat * 0.9 - line / 2
    parts = [rect(-w, -half + line / 2, 2 * w, 2 * half - line, w, "none", ink, line)]
    return [*parts, path(f"M{num(-w)} 0H{num(w)}", stroke=ink, width=line)]


def _spool(fat: float, half: float, ink: str, paper: str) -> list[str]:
    cap = fat * 0.5
    parts = [rect(-fat * 0.55, -half, fat * 1.1, 2 * half, 0, ink)]
    parts += [rect(-fat, y, 2 * fat, cap, 2, ink) for y in (-half, -cap / 2, half - cap)]
    slots = (-half + cap * 1.5, cap)
    return [*parts, *(rect(-fat * 0.18, y, fat * 0.36, half - cap * 2.5, 0, paper) for y in slots)]


def _thirds(fat: float, half: float, ink: str, paper: str) -> list[str]:
    third, gap = 2 * half / 3, fat * 0.25
    return [rect(-fat * 0.85, -half + third * i + gap / 2, fat * 1.7, third - gap, fat * 0.5, ink) for i in range(3)]


def _twin(fat: float, half: float, ink: str, paper: str) -> list[str]:
    """Two long drops with a light core each, joined in the middle."""
    parts = [ellipse(0, s * half * 0.5, fat * 0.9, half * 0.54, 0, ink) for s in (-1, 1)]
    return [*parts, *(ellipse(0, s * half * 0.5, fat * 0.3, half * 0.36, 0, paper) for s in (-1, 1))]


STICKS: dict[str, Stick] = {
    "bone": _bone,
    "capsule": _capsule,
    "segment": _segment,
    "outline": _hollow,
    "beads": _beads,
    "links": _links,
    "ladder": _ladder,
    "joints": _joints,
    "taper": _taper,
    "bar": _bar,
    "hairline": _hairline,
    "spool": _spool,
    "thirds": _thirds,
    "twin": _twin,
}


def stick(x: float, y: float, length: float, ink: str, style: FaceStyle, turn: float = 0, fat: float = 15) -> str:
    """One bamboo centred on (x, y), upright unless turned (degrees); ``ink`` is the name of its colour."""
    half = length * style.stick_length / 2
    parts = STICKS[style.sticks](fat * style.stick_width, half, style.colour(ink), style.body)
    return group(parts, f"translate({x:.1f} {y:.1f}) rotate({turn:.1f})")
