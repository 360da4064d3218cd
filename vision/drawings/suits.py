"""Dots, bamboos, characters and honours: the ink of the 34 playing faces, in a 300 x 400 box."""

from __future__ import annotations

from vision.drawings.bird import bird
from vision.drawings.glyphs import Writer, character_path
from vision.drawings.shapes import circle, ellipse, group, num, path, petals, rect
from vision.drawings.style import FaceStyle

NUMERALS = "一二三四五六七八九"
WINDS = {"E": "東", "S": "南", "W": "西", "N": "北"}

_R, _G, _B = "red", "green", "blue"
#: number -> (radius, ((x, y, ink), ...))
_DOTS: dict[int, tuple[float, tuple[tuple[float, float, str], ...]]] = {
    2: (60, ((150, 115, _G), (150, 285, _B))),
    3: (51, ((80, 90, _B), (150, 200, _R), (220, 310, _G))),
    4: (54, ((88, 105, _B), (212, 105, _G), (88, 295, _G), (212, 295, _B))),
    5: (47, ((82, 92, _B), (218, 92, _G), (150, 200, _R), (82, 308, _G), (218, 308, _B))),
    6: (46, ((92, 82, _G), (208, 82, _G), (92, 208, _R), (208, 208, _R), (92, 318, _R), (208, 318, _R))),
    7: (
        41,
        ((62, 66, _G), (150, 104, _G), (238, 142, _G), (98, 234, _R), (202, 234, _R), (98, 330, _R), (202, 330, _R)),
    ),
    8: (41, tuple((x, y, _B) for y in (62, 154, 246, 338) for x in (100, 200))),
    9: (41, tuple((x, y, ink) for y, ink in ((78, _G), (200, _R), (322, _B)) for x in (57, 150, 243))),
}


def _ring(x: float, y: float, r: float, ink: str, style: FaceStyle) -> str:
    colour, paper = style.colour(ink), style.body
    if style.rings == "plain":
        return circle(x, y, r * 0.84, "none", colour, r * 0.26) + circle(x, y, r * 0.34, colour)
    if style.rings == "filled":
        return (
            circle(x, y, r * 0.95, colour)
            + circle(x, y, r * 0.62, "none", paper, r * 0.14)
            + circle(x, y, r * 0.16, paper)
        )
    if style.rings == "petal":
        ring = circle(x, y, r * 0.88, "none", colour, r * 0.2)
        return ring + petals(x, y, r * 0.12, r * 0.72, 6, r * 0.17, colour) + circle(x, y, r * 0.14, colour)
    if style.rings == "wheel":
        ring = circle(x, y, r * 0.97, colour) + petals(x, y, r * 0.6, r * 0.92, 12, r * 0.085, paper)
        return ring + circle(x, y, r * 0.56, paper) + circle(x, y, r * 0.44, colour) + circle(x, y, r * 0.17, paper)
    ring = circle(x, y, r * 0.87, "none", colour, r * 0.27) + circle(x, y, r * 0.47, "none", colour, r * 0.21)
    return ring + circle(x, y, r * 0.2, colour)


def _wheel(style: FaceStyle) -> str:
    """The one dot: a big ornamental wheel."""
    x, y, outer = 150.0, 200.0, style.colour(_G)
    inner, rim, paper = style.colour(_R), style.colour(_B), style.body
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


def dots(number: int, style: FaceStyle) -> str:
    """筒."""
    if number == 1:
        return _wheel(style)
    radius, places = _DOTS[number]
    return "".join(_ring(x, y, radius, ink, style) for x, y, ink in places)


def _bone(fat: float, half: float) -> str:
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


def _stick(x: float, y: float, length: float, ink: str, style: FaceStyle, turn: float = 0, fat: float = 15) -> str:
    """One bamboo stick centred on (x, y), upright unless turned (degrees)."""
    colour, paper, half = style.colour(ink), style.body, length / 2
    if style.sticks == "capsule":
        parts = [
            rect(-fat, -half, 2 * fat, length, fat, colour),
            rect(-fat * 0.28, -half + fat, fat * 0.56, length - 2 * fat, fat * 0.28, paper),
        ]
    elif style.sticks == "segment":
        parts = [
            rect(-fat, -half, 2 * fat, half - 3, fat * 0.6, colour),
            rect(-fat, 3, 2 * fat, half - 3, fat * 0.6, colour),
        ]
        parts.append(rect(-fat * 1.2, -4, fat * 2.4, 8, 4, colour))
    elif style.sticks == "outline":
        line = fat * 0.5
        w = fat * 0.95 - line / 2
        parts = [rect(-w, y0, 2 * w, half - line * 0.3, fat * 0.7, "none", colour, line) for y0 in (-half, line * 0.3)]
        parts.append(path(f"M0 {-half + fat:.1f}V{half - fat:.1f}", stroke=colour, width=fat * 0.25))
    else:
        parts = [path(_bone(fat, half), colour)]
        parts += [ellipse(0, s * (half - fat * 0.75), fat * 0.5, fat * 0.22, 0, paper) for s in (-1, 1)]
        parts.append(ellipse(0, 0, fat * 0.5, fat * 0.2, 0, paper))
    return group(parts, f"translate({x:.1f} {y:.1f}) rotate({turn:.1f})")


#: number -> (stick length, half width, ((x, y, ink), ...))
_STICKS: dict[int, tuple[float, float, tuple[tuple[float, float, str], ...]]] = {
    2: (146, 26, ((150, 112, _G), (150, 288, _B))),
    3: (146, 25, ((150, 112, _B), (85, 288, _G), (215, 288, _G))),
    4: (146, 25, ((85, 112, _B), (215, 112, _G), (85, 288, _G), (215, 288, _B))),
    5: (142, 23, ((65, 112, _G), (235, 112, _B), (150, 200, _R), (65, 288, _B), (235, 288, _G))),
    6: (144, 23, tuple((x, y, ink) for y, ink in ((112, _G), (288, _B)) for x in (70, 150, 230))),
    7: (108, 21, ((150, 76, _R), *((x, y, ink) for y, ink in ((204, _G), (322, _B)) for x in (70, 150, 230)))),
    9: (110, 21, tuple((x, y, ink) for y in (76, 200, 324) for x, ink in ((70, _G), (150, _R), (230, _B)))),
}


def bamboos(number: int, style: FaceStyle) -> str:
    """索 (條)."""
    if number == 1:
        return bird(style)
    if number == 8:
        return _eight(style)
    length, fat, places = _STICKS[number]
    return "".join(_stick(x, y, length, ink, style, fat=fat) for x, y, ink in places)


def _eight(style: FaceStyle) -> str:
    """Eight bamboos: an M of four sticks over a W of four."""
    out = []
    for y, sign, ink in ((116, 1, _G), (284, -1, _B)):
        out += [_stick(x, y, 138, ink, style, fat=19) for x in (56, 244)]
        out += [
            _stick(150 + side * 42, y - sign * 8, 118, ink, style, turn=side * sign * 36, fat=18) for side in (-1, 1)
        ]
    return "".join(out)


def _write(
    character: str, x: float, y: float, width: float, height: float, ink: str, style: FaceStyle, write: Writer
) -> str:
    data = write(character, x, y, width, height, style.weight, style.contrast)
    glyph = path(data, style.colour(ink))
    if not style.slant:
        return glyph
    cx, cy = x + width / 2, y + height / 2
    return group([glyph], f"translate({num(cx)} {num(cy)}) skewX({num(-style.slant)}) translate({num(-cx)} {num(-cy)})")


def characters(number: int, style: FaceStyle, write: Writer = character_path) -> str:
    """萬: the numeral over 萬."""
    numeral = style.five if number == 5 else NUMERALS[number - 1]
    top = _write(numeral, 62, 36, 176, 140, style.numeral_colour, style, write)
    return top + _write("萬", 58, 190, 184, 180, _R, style, write)


def wind(code: str, style: FaceStyle, write: Writer = character_path) -> str:
    """東南西北."""
    return _write(WINDS[code], 36, 72, 228, 256, style.wind_colour, style, write)


def dragon(code: str, style: FaceStyle, write: Writer = character_path) -> str:
    """中發白."""
    if code == "C":
        return _write("中", 48, 62, 204, 276, _R, style, write)
    if code == "F":
        return _write("發", 36, 70, 228, 260, _G, style, write)
    return _white(style)


def _white(style: FaceStyle) -> str:
    ink = style.colour(_B)
    if style.white == "blank":
        return ""
    if style.white == "double":
        return rect(52, 64, 196, 272, 8, "none", ink, 14) + rect(76, 88, 148, 224, 4, "none", ink, 7)
    if style.white == "letter":
        frame = rect(54, 66, 192, 268, 22, "none", ink, 16)
        letter = path("M132 238V164H154C184 164 184 206 154 206H132", "none", style.colour(_G), 13)
        return frame + letter
    if style.white == "ornate":
        frame = rect(48, 60, 204, 280, 6, "none", ink, 9) + rect(72, 84, 156, 232, 6, "none", ink, 9)
        ticks = "".join(path(f"M{x} 60V84M{x} 316V340", "none", ink, 9) for x in range(84, 228, 22))
        sides = "".join(path(f"M48 {y}H72M228 {y}H252", "none", ink, 9) for y in range(106, 306, 22))
        return frame + ticks + sides
    corners = "".join(
        path(f"M{x + sx * 44} {y + sy * 18}Q{x + sx * 20} {y + sy * 20} {x + sx * 18} {y + sy * 44}", "none", ink, 8)
        for x, sx in ((50, 1), (250, -1))
        for y, sy in ((62, 1), (338, -1))
    )
    return rect(50, 62, 200, 276, 10, "none", ink, 17) + corners
