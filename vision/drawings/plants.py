"""The pictures of 春夏秋冬梅蘭菊竹, filled with colour: plants and scenes, below the character."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from vision.drawings.shapes import circle, ellipse, group, leaf, path, petals
from vision.drawings.style import FaceStyle


def _blossom(x: float, y: float, r: float, colour: str, heart: str, count: int = 5, turn: float = 0) -> str:
    out = []
    for i in range(count):
        a = math.radians(turn + 360 * i / count)
        out.append(circle(x + r * 0.58 * math.sin(a), y - r * 0.58 * math.cos(a), r * 0.44, colour))
    return "".join(out) + circle(x, y, r * 0.3, heart)


def _peony(s: FaceStyle) -> str:
    stem = path("M150 372C152 330 146 310 150 286", stroke=s.green, width=11)
    leaves = "".join(leaf(150, 350, n, 22, t, s.green) for n, t in ((110, -62), (110, 62), (80, -88), (80, 88)))
    bloom = petals(150, 236, 20, 86, 9, 27, s.red) + petals(150, 236, 8, 58, 7, 17, s.body, 20)
    return stem + leaves + bloom + petals(150, 236, 4, 44, 7, 12, s.red, 20) + circle(150, 236, 12, s.body)


def _lotus(s: FaceStyle) -> str:
    pad = ellipse(150, 344, 104, 24, 0, s.green) + path("M60 344H240", stroke=s.body, width=5)
    stem = path("M150 340V280", stroke=s.green, width=11)
    back = "".join(leaf(150, 296, 128, 30, t, s.red) for t in (-62, 62, -32, 32, 0))
    veins = "".join(leaf(150, 288, 92, 9, t, s.body) for t in (-62, 62, -32, 32, 0))
    return (
        pad
        + stem
        + back
        + veins
        + path("M40 372q22 -14 44 0q22 14 44 0q22 -14 44 0q22 14 44 0q22 -14 44 0", stroke=s.blue, width=7)
    )


def _maple(s: FaceStyle) -> str:
    branch = path("M62 366C110 350 150 320 178 262C196 226 214 204 248 190", stroke=s.black, width=10)
    leaves = [(120, 250, 78), (220, 300, 72), (88, 330, 50)]
    out = [branch]
    for x, y, n in leaves:
        out += [
            leaf(x, y + 16, n * (1 if t in (0, 60, -60) else 0.8), n * 0.19, t, s.red) for t in (-120, -60, 0, 60, 120)
        ]
        out.append(path(f"M{x} {y + 14}V{y + 50}", stroke=s.red, width=7))
    return "".join(out)


def _pine(s: FaceStyle) -> str:
    trunk = path("M120 376C130 330 170 310 156 262C148 232 150 210 170 178", stroke=s.black, width=15)
    out = [trunk, path("M152 300C120 292 96 290 74 300M160 250C190 250 214 262 232 276", stroke=s.black, width=9)]
    for x, y in ((76, 290), (120, 228), (176, 184), (232, 262), (206, 330)):
        out += [
            path(
                f"M{x} {y + 14}L{x + 44 * math.sin(math.radians(a)):.0f} {y + 14 - 44 * math.cos(math.radians(a)):.0f}",
                stroke=s.green,
                width=8,
            )
            for a in (-75, -45, -15, 15, 45, 75)
        ]
    snow = "".join(
        circle(x, y, 8, s.blue) for x, y in ((52, 200), (96, 178), (248, 210), (60, 350), (180, 372), (250, 360))
    )
    return "".join(out) + snow


def _plum(s: FaceStyle) -> str:
    branch = path(
        "M60 376C90 330 120 316 136 272C150 236 176 210 238 176M128 292C160 300 200 296 236 320",
        stroke=s.black,
        width=12,
    )
    return branch + "".join(
        _blossom(x, y, r, s.red, s.body, 5, t)
        for x, y, r, t in ((110, 220, 46, 0), (204, 226, 38, 20), (208, 318, 44, 8), (92, 318, 36, 30))
    )


def _orchid(s: FaceStyle) -> str:
    blades = [
        path(f"M150 376C{a} {b} {c} {d} {x} {y}C{c + 12} {d + 10} {a + 16} {b + 4} 162 376Z", s.green)
        for a, b, c, d, x, y in (
            (140, 300, 110, 220, 44, 200),
            (150, 290, 160, 230, 120, 160),
            (168, 300, 200, 240, 262, 214),
            (140, 340, 90, 290, 36, 300),
            (170, 340, 220, 300, 266, 316),
        )
    ]
    bloom = "".join(leaf(188, 258, 58, 13, t, s.blue) for t in (-95, -35, 25, 85, 150)) + circle(188, 256, 11, s.red)
    small = "".join(leaf(118, 276, 40, 9, t, s.blue) for t in (-80, -10, 60)) + circle(118, 274, 8, s.red)
    return "".join(blades) + bloom + small


def _chrysanthemum(s: FaceStyle) -> str:
    stem = path("M150 376C146 346 152 326 150 300", stroke=s.green, width=11)
    leaves = "".join(leaf(150, 366, n, 20, t, s.green) for n, t in ((100, -64), (100, 64), (74, -30), (74, 30)))
    ring = petals(150, 234, 34, 88, 16, 9, s.blue) + petals(150, 234, 16, 54, 11, 7, s.red, 12)
    return stem + leaves + ring + circle(150, 234, 13, s.green)


def _bamboo_plant(s: FaceStyle) -> str:
    out = []
    for x, lean, joints in ((108, 8, (376, 318, 258, 198, 150)), (176, -6, (376, 324, 270, 216, 168))):
        for low, high in pairwise(joints):
            out.append(
                path(
                    f"M{x + (376 - low) * lean / 200:.0f} {low - 6}L{x + (376 - high) * lean / 200:.0f} {high + 6}",
                    stroke=s.green,
                    width=17,
                )
            )
    for x, y, t in (
        (120, 196, -70),
        (120, 196, -112),
        (124, 256, 58),
        (176, 216, 72),
        (176, 216, 112),
        (172, 216, 36),
        (172, 324, 70),
        (172, 324, 108),
        (110, 318, -70),
        (110, 318, -108),
    ):
        out.append(leaf(x, y, 80, 13, t, s.green if t % 4 else s.blue))
    return "".join(out)


def _swallow(s: FaceStyle) -> str:
    willow = "".join(
        path(f"M{x} 160C{x + 14} 220 {x - 10} 280 {x + 4} {y}", stroke=s.green, width=6)
        + "".join(leaf(x + 3, 190 + 34 * i, 30, 7, 130 if i % 2 else -130, s.green) for i in range(4))
        for x, y in ((66, 350), (108, 320))
    )
    body = path(
        "M142 232C176 236 190 256 262 196C244 256 226 284 204 288L222 356L188 316"
        "L158 348L172 286C150 272 142 252 142 232Z",
        s.red,
    )
    return willow + body + circle(158, 244, 5, s.body)


def _pond(s: FaceStyle) -> str:
    waves = "".join(
        path(f"M44 {y}q26 -16 52 0q26 16 52 0q26 -16 52 0q26 16 52 0", stroke=s.blue, width=8) for y in (330, 362)
    )
    return (
        waves
        + path("M60 286H240L212 320H92Z", s.red)
        + path("M150 280V170", stroke=s.black, width=9)
        + path("M160 178L236 268H160Z", s.green)
    )


def _moon(s: FaceStyle) -> str:
    hills = path("M36 372L104 270L150 330L204 250L266 372Z", s.green)
    geese = "".join(
        path(f"M{x} {y}q14 -16 24 0q10 -16 24 0", stroke=s.black, width=7)
        for x, y in ((60, 190), (110, 220), (60, 250))
    )
    return hills + circle(210, 210, 44, s.red) + geese


def _snow(s: FaceStyle) -> str:
    flake = "".join(
        group(
            [path("M0 0V-74M0 -44L-20 -62M0 -44L20 -62", stroke=s.blue, width=10)],
            f"translate(150 268) rotate({60 * i})",
        )
        for i in range(6)
    )
    return flake + path("M52 376H248", stroke=s.red, width=9) + circle(150, 268, 11, s.red)


#: Pictures of f1..f8 by their number.
PLANTS: dict[int, Callable[[FaceStyle], str]] = {
    1: _peony,
    2: _lotus,
    3: _maple,
    4: _pine,
    5: _plum,
    6: _orchid,
    7: _chrysanthemum,
    8: _bamboo_plant,
}
SCENES: dict[int, Callable[[FaceStyle], str]] = {**PLANTS, 1: _swallow, 2: _pond, 3: _moon, 4: _snow}
