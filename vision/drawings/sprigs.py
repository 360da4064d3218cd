"""The pictures of 春夏秋冬梅蘭菊竹 in outline, the way most sets are cut: sprigs, plants in vessels, figures."""

from __future__ import annotations

import math
from collections.abc import Callable

from vision.drawings.shapes import circle, ellipse, group, num, path
from vision.drawings.style import FaceStyle

_LINE = 8


def sprig(number: int, style: FaceStyle) -> str:
    """The picture of ``f1``..``f8`` for the styles "line", "pot" and "figure".

    The season tiles of real sets share no plants: which is whose goes round with ``style.variant``.
    """
    if style.flowers == "figure" and number <= 4:
        return _figure(number, style)
    season = _SEASONS[(number + style.variant) % len(_SEASONS)]
    plant = season if number <= 4 else _PLANTS[number]
    if style.flowers != "pot":
        return plant(style)
    small = group([plant(style)], "translate(39 40) scale(.74)")
    return small + _VESSELS[style.variant % len(_VESSELS)](style)


def _leaf(x: float, y: float, length: float, fat: float, turn: float, ink: str, paper: str) -> str:
    """An outlined pointed leaf growing from (x, y), ``turn`` degrees clockwise from straight up."""
    a, b, tip = num(-length * 0.3), num(-length * 0.7), num(-length)
    data = f"M0 0C{num(-fat)} {a} {num(-fat)} {b} 0 {tip}C{num(fat)} {b} {num(fat)} {a} 0 0"
    return group([path(data, paper, ink, _LINE * 0.8)], f"translate({num(x)} {num(y)}) rotate({num(turn)})")


def _bloom(x: float, y: float, r: float, count: int, ink: str, paper: str, heart: str) -> str:
    """An open blossom of ``count`` round petals."""
    out = []
    for i in range(count):
        a = 2 * math.pi * i / count
        out.append(circle(x + 0.6 * r * math.sin(a), y - 0.6 * r * math.cos(a), r * 0.4, paper, ink, _LINE * 0.8))
    return "".join(out) + circle(x, y, r * 0.34, paper) + circle(x, y, r * 0.24, heart)


def _leaves(s: FaceStyle, *places: tuple[float, float, float, float]) -> str:
    """Leaves at (x, y, length, turn)."""
    return "".join(_leaf(x, y, n, n * 0.26, t, s.green, s.body) for x, y, n, t in places)


def _stem(data: str, ink: str) -> str:
    return path(data, "none", ink, _LINE)


def _rose(s: FaceStyle) -> str:
    stem = _stem("M128 250C140 300 170 330 196 374", s.green)
    leaves = _leaves(s, (150, 316, 76, -60), (162, 330, 80, 66), (182, 354, 70, 100))
    cup = path("M66 198C66 262 100 284 136 270C180 254 188 214 178 186L140 206L118 174L94 208Z", s.body, s.red, _LINE)
    return (
        stem
        + leaves
        + cup
        + path("M94 208C104 236 130 240 140 206M118 174C126 160 150 162 156 196", "none", s.red, _LINE)
    )


def _lotus(s: FaceStyle) -> str:
    water = "".join(
        path(f"M{x} {y}q22 -12 44 0q22 12 44 0", "none", s.green, _LINE) for x, y in ((60, 350), (150, 372))
    )
    petals = "".join(_leaf(150, 316, 116, 30, t, s.red, s.body) for t in (-64, 64, -34, 34, 0))
    return water + _stem("M150 316V352", s.green) + petals + ellipse(150, 322, 84, 13, 0, s.body, s.green, _LINE)


def _berries(s: FaceStyle) -> str:
    stem = _stem("M90 376C130 330 180 300 150 170M146 300C180 290 210 270 226 230", s.green)
    leaves = _leaves(s, (160, 200, 56, 60), (154, 238, 56, -64), (128, 332, 60, -70), (200, 280, 52, 110))
    fruit = "".join(
        circle(x, y, r, s.body, s.red, _LINE) + circle(x, y, r * 0.25, s.red)
        for x, y, r in ((116, 196, 26), (226, 210, 30), (204, 340, 30))
    )
    return stem + leaves + fruit


def _reeds(s: FaceStyle) -> str:
    blades = "".join(
        _stem(f"M150 376Q{150 + b} 300 {150 + x} {y}", s.green)
        for b, x, y in (
            (-20, -96, 250),
            (-14, -54, 210),
            (6, 60, 230),
            (30, 104, 270),
            (40, 110, 326),
            (-50, -112, 330),
        )
    )
    return blades + _stem("M150 376C140 320 160 280 140 236", s.green) + _bloom(138, 214, 44, 6, s.red, s.body, s.red)


def _peony(s: FaceStyle) -> str:
    leaves = _leaves(s, (150, 350, 100, -70), (150, 350, 100, 70), (150, 356, 90, -104), (150, 356, 90, 104))
    ball = circle(150, 250, 66, s.body, s.red, _LINE) + _bloom(150, 250, 60, 5, s.red, s.body, s.red)
    return _stem("M150 312V376M150 180C160 160 180 156 190 166", s.green) + leaves + ball


def _willow(s: FaceStyle) -> str:
    stem = _stem("M70 170C130 180 190 190 220 250C236 290 226 340 206 374", s.green)
    twigs = "".join(_leaves(s, (x, y, 52, 170), (x + 8, y, 46, 130)) for x, y in ((110, 180), (164, 196), (210, 238)))
    return stem + twigs + _bloom(112, 318, 52, 5, s.red, s.body, s.blue)


def _plum(s: FaceStyle) -> str:
    branch = _stem("M66 376C100 330 130 330 140 280C150 230 190 210 200 164M136 300C170 310 210 300 240 330", s.black)
    buds = "".join(circle(x, y, 10, s.red) for x, y in ((206, 176), (232, 306), (88, 324)))
    return (
        branch
        + buds
        + "".join(
            _bloom(x, y, r, 5, s.red, s.body, s.red) for x, y, r in ((108, 230, 46), (204, 248, 40), (176, 348, 34))
        )
    )


def _orchid(s: FaceStyle) -> str:
    blades = "".join(
        _stem(f"M150 376C{150 + a} 310 {150 + b} 230 {150 + x} {y}", s.green)
        for a, b, x, y in (
            (-10, -20, 36, 160),
            (-20, -60, -112, 226),
            (-10, 60, 116, 240),
            (10, 90, 112, 320),
            (-30, -80, -104, 320),
        )
    )
    flower = "".join(_leaf(176, 286, 46, 12, t, s.red, s.body) for t in (-70, -10, 50, 120, 190))
    return blades + flower + circle(176, 286, 8, s.red)


def _chrysanthemum(s: FaceStyle) -> str:
    rays = "".join(_leaf(150, 240, 74, 13, 360 * i / 14, s.red, s.body) for i in range(14))
    leaves = _leaves(s, (150, 352, 96, -66), (150, 352, 96, 66))
    return (
        _stem("M150 300C146 330 154 350 150 376", s.green) + leaves + rays + circle(150, 240, 22, s.body, s.red, _LINE)
    )


def _bamboo(s: FaceStyle) -> str:
    out = []
    for x, top in ((112, 196), (176, 160)):
        for i in range(4):
            step = (376 - top) / 4
            data = f"M{x - 11} {num(top + step * i + 4)}V{num(top + step * (i + 1) - 4)}"
            out.append(path(f"{data}H{x + 11}V{num(top + step * i + 4)}Z", s.body, s.green, _LINE * 0.8))
    places = (
        (190, 214, 74, 70),
        (190, 214, 70, 110),
        (98, 250, 66, -64),
        (98, 250, 66, -104),
        (190, 318, 70, 80),
        (98, 342, 56, -80),
    )
    return "".join(out) + _leaves(s, *places)


_SEASONS = (_rose, _lotus, _berries, _reeds, _peony, _willow)
_PLANTS: dict[int, Callable[[FaceStyle], str]] = {5: _plum, 6: _orchid, 7: _chrysanthemum, 8: _bamboo}


def _bowl(s: FaceStyle) -> str:
    bowl = path("M88 316H212L190 362H110Z", s.body, s.blue, _LINE) + path("M100 338H200", "none", s.blue, 5)
    return bowl + path("M116 366L98 384M184 366L202 384M92 384H208", "none", s.red, _LINE)


def _basket(s: FaceStyle) -> str:
    rim = path("M86 314H214L196 380H104Z", s.body, s.black, _LINE)
    return rim + path(
        "M104 320L130 376M136 318L166 378M170 318L194 370M196 320L166 376M164 318L134 378", "none", s.black, 4
    )


def _vase(s: FaceStyle) -> str:
    body = path("M120 310H180L174 326C214 338 206 372 184 382H116C94 372 86 338 126 326Z", s.body, s.blue, _LINE)
    return body + path("M108 352q14 -12 28 0q14 12 28 0q14 -12 28 0", "none", s.red, 6)


_VESSELS = (_bowl, _basket, _vase)


def _figure(number: int, s: FaceStyle) -> str:
    """Somebody in a robe; what is in the hand goes with the season."""
    robe = path("M150 222C116 232 96 300 84 376H216C204 300 184 232 150 222Z", s.body, s.blue, _LINE)
    folds = path("M150 226L138 300V372M150 226L170 310M96 340Q150 360 206 340", "none", s.green, 6)
    arms = path("M126 244Q96 290 140 296Q190 300 214 262", s.body, s.blue, _LINE)
    head = circle(150, 192, 28, s.body, s.red, _LINE) + path("M126 180Q150 140 174 180Z", s.black)
    held = (
        _bloom(230, 240, 34, 5, s.red, s.body, s.red),
        path("M214 262L226 230Q270 216 262 170Q222 176 220 226", s.body, s.red, _LINE),
        path("M206 290L236 170M236 170Q262 230 250 300", "none", s.black, _LINE),
        path("M220 376V186M220 186Q204 168 226 160", "none", s.black, 10),
    )
    return robe + folds + arms + head + held[number - 1]
