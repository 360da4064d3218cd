"""One dot of 筒, in many makers' designs, and the big wheel of 1p."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from vision.drawings.shapes import circle, num, path, petals, rect
from vision.drawings.style import FaceStyle


@dataclass(frozen=True, slots=True)
class Dot:
    """Where a dot lies, how big it is and its colours: its own ink, the set's second one, and the tile's."""

    x: float
    y: float
    r: float
    ink: str
    second: str
    paper: str

    def ring(self, share: float, width: float, ink: str = "") -> str:
        """A ring at a share of the radius, ``width`` another share; in the dot's own ink unless another is given."""
        return circle(self.x, self.y, self.r * share, "none", ink or self.ink, self.r * width)

    def disc(self, share: float, ink: str = "") -> str:
        """A filled disc of a share of the radius."""
        return circle(self.x, self.y, self.r * share, ink or self.ink)

    def petals(self, near: float, far: float, count: int, fat: float, ink: str = "", turn: float = 0) -> str:
        """``shapes.petals`` in shares of the radius."""
        r = self.r
        return petals(self.x, self.y, r * near, r * far, count, r * fat, ink or self.ink, turn)


def _classic(d: Dot) -> str:
    return d.ring(0.87, 0.27) + d.ring(0.47, 0.21) + d.disc(0.2)


def _plain(d: Dot) -> str:
    return d.ring(0.84, 0.26) + d.disc(0.34)


def _filled(d: Dot) -> str:
    return d.disc(0.95) + d.ring(0.62, 0.14, d.paper) + d.disc(0.16, d.paper)


def _petal(d: Dot) -> str:
    return d.ring(0.88, 0.2) + d.petals(0.12, 0.72, 6, 0.17) + d.disc(0.14)


def _wheel(d: Dot) -> str:
    rim = d.disc(0.97) + d.petals(0.6, 0.92, 12, 0.085, d.paper)
    return rim + d.disc(0.56, d.paper) + d.disc(0.44) + d.disc(0.17, d.paper)


def _double(d: Dot) -> str:
    return d.ring(0.9, 0.14) + d.ring(0.56, 0.14) + d.disc(0.24)


def _hairline(d: Dot) -> str:
    return d.ring(0.94, 0.08) + d.ring(0.68, 0.08) + d.ring(0.42, 0.08) + d.disc(0.14)


def _sunburst(d: Dot) -> str:
    return d.ring(0.92, 0.12) + d.petals(0.26, 0.8, 8, 0.13) + d.disc(0.2, d.second)


def _cross(d: Dot) -> str:
    return d.disc(0.96) + d.petals(0.12, 0.78, 4, 0.2, d.paper, 45) + d.disc(0.1)


def _twotone(d: Dot) -> str:
    return d.ring(0.84, 0.28) + d.disc(0.46, d.second)


def _spiral(d: Dot) -> str:
    turns = [(0.12 + 0.6 * i / 40, math.radians(i * 18)) for i in range(41)]
    points = "L".join(f"{num(d.x + d.r * s * math.sin(a))} {num(d.y - d.r * s * math.cos(a))}" for s, a in turns)
    return d.ring(0.92, 0.13) + path("M" + points, stroke=d.ink, width=d.r * 0.13)


def _coin(d: Dot) -> str:
    side = d.r * 0.62
    hole = rect(d.x - side / 2, d.y - side / 2, side, side, 2, d.paper)
    return d.disc(0.96) + d.ring(0.72, 0.08, d.paper) + hole


def _star(d: Dot) -> str:
    return d.disc(0.96) + d.petals(0.1, 0.8, 5, 0.15, d.paper) + d.disc(0.22, d.second)


def _spokes(d: Dot) -> str:
    return d.ring(0.9, 0.18) + d.petals(0.3, 0.86, 8, 0.06) + d.disc(0.34) + d.disc(0.14, d.paper)


def _flower(d: Dot) -> str:
    return d.petals(0.1, 1.0, 8, 0.24) + d.disc(0.46, d.paper) + d.disc(0.3, d.second)


RINGS: dict[str, Callable[[Dot], str]] = {
    "classic": _classic,
    "plain": _plain,
    "petal": _petal,
    "filled": _filled,
    "wheel": _wheel,
    "double": _double,
    "hairline": _hairline,
    "sunburst": _sunburst,
    "cross": _cross,
    "twotone": _twotone,
    "spiral": _spiral,
    "coin": _coin,
    "star": _star,
    "spokes": _spokes,
    "flower": _flower,
}


def ring(x: float, y: float, r: float, ink: str, style: FaceStyle) -> str:
    """A dot of the set's design; ``ink`` is the name of its colour."""
    second = style.green if ink == "red" else style.red
    return RINGS[style.rings](Dot(x, y, r, style.colour(ink), second, style.body))


def one(style: FaceStyle) -> str:
    """The one dot: a big ornament."""
    return ONES[style.one](style) if style.one else _by_rings(style)


def _by_rings(style: FaceStyle) -> str:
    x, y, outer = 150.0, 200.0, style.green
    inner, rim, paper = style.red, style.blue, style.body
    if style.rings == "plain":
        parts = [
            circle(x, y, 112, "none", outer, 20),
            petals(x, y, 70, 98, 12, 7, outer),
            circle(x, y, 58, "none", rim, 12),
        ]
        return "".join([*parts, circle(x, y, 34, inner), circle(x, y, 12, paper)])
    if style.rings == "filled":
        parts = [circle(x, y, 122, outer), circle(x, y, 98, "none", paper, 8), petals(x, y, 44, 88, 10, 11, paper)]
        return "".join([*parts, circle(x, y, 40, paper), circle(x, y, 32, inner), circle(x, y, 11, paper)])
    parts = [
        petals(x, y, 92, 126, 16, 17, outer),
        circle(x, y, 100, outer),
        circle(x, y, 88, paper),
        circle(x, y, 78, "none", rim, 9),
        petals(x, y, 30, 72, 8, 14, inner),
        petals(x, y, 44, 70, 8, 5, rim, 22.5),
        circle(x, y, 34, paper),
        circle(x, y, 25, "none", outer, 10),
        circle(x, y, 11, inner),
    ]
    if style.rings == "wheel":
        parts.insert(1, petals(x, y, 100, 118, 16, 5, paper))
    return "".join(parts)


def _middle(style: FaceStyle, r: float) -> Dot:
    return Dot(150, 200, r, style.green, style.red, style.body)


def _sunflower(s: FaceStyle) -> str:
    d = _middle(s, 122)
    rays = d.petals(0.55, 1.0, 14, 0.13) + d.petals(0.6, 0.94, 14, 0.07, d.paper)
    return rays + d.disc(0.58) + d.disc(0.5, d.paper) + d.ring(0.38, 0.1, d.second) + d.disc(0.2, d.second)


def _concentric(s: FaceStyle) -> str:
    d = _middle(s, 114)
    return d.ring(0.9, 0.2, s.blue) + d.ring(0.64, 0.14) + d.ring(0.42, 0.1, d.second)


def _rosette(s: FaceStyle) -> str:
    d = _middle(s, 120)
    rim = d.disc(1) + d.ring(0.88, 0.03, d.paper) + d.petals(0.46, 0.82, 12, 0.09, d.paper) + d.disc(0.42, d.paper)
    return rim + d.disc(0.36, d.second) + d.petals(0.06, 0.3, 4, 0.07, d.paper, 45)


def _small(s: FaceStyle) -> str:
    return ring(150, 200, 72, "green", s)


def _large(s: FaceStyle) -> str:
    return ring(150, 200, 112, "red" if s.variant % 2 else "blue", s) + circle(150, 200, 124, "none", s.green, 8)


def _lace(s: FaceStyle) -> str:
    d = _middle(s, 122)
    beads = "".join(
        circle(150 + 108 * math.sin(a), 200 - 108 * math.cos(a), 13, "none", s.blue, 6)
        for a in (math.radians(22.5 * i) for i in range(16))
    )
    return beads + d.ring(0.7, 0.07) + d.petals(0.16, 0.6, 8, 0.11, d.second) + d.disc(0.14)


def _bloom(s: FaceStyle) -> str:
    d = _middle(s, 118)
    return d.petals(0.1, 1.0, 6, 0.27) + d.petals(0.3, 0.88, 6, 0.14, d.paper) + d.disc(0.26, d.second)


ONES: dict[str, Callable[[FaceStyle], str]] = {
    "sunflower": _sunflower,
    "concentric": _concentric,
    "rosette": _rosette,
    "small": _small,
    "large": _large,
    "lace": _lace,
    "bloom": _bloom,
}
