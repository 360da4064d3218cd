"""Dots, bamboos, characters and honours: the ink of the 34 playing faces, in a 300 x 400 box."""

from __future__ import annotations

from vision.drawings.bird import bird
from vision.drawings.glyphs import Writer, character_path
from vision.drawings.rings import one, ring
from vision.drawings.shapes import group, num, path
from vision.drawings.sticks import stick
from vision.drawings.style import FaceStyle
from vision.drawings.whites import white

NUMERALS = "一二三四五六七八九"
WINDS = {"E": "東", "S": "南", "W": "西", "N": "北"}

_R, _G, _B = "red", "green", "blue"
_LETTERS = {"R": _R, "G": _G, "B": _B, "K": "black"}
_Places = dict[int, tuple[float, tuple[tuple[float, float], ...]]]
#: number -> (radius, ((x, y), ...)), spread over the face
_SPREAD: _Places = {
    2: (60, ((150, 115), (150, 285))),
    3: (51, ((80, 90), (150, 200), (220, 310))),
    4: (54, ((88, 105), (212, 105), (88, 295), (212, 295))),
    5: (47, ((82, 92), (218, 92), (150, 200), (82, 308), (218, 308))),
    6: (46, ((92, 82), (208, 82), (92, 208), (208, 208), (92, 318), (208, 318))),
    7: (41, ((62, 66), (150, 104), (238, 142), (98, 234), (202, 234), (98, 330), (202, 330))),
    8: (41, tuple((x, y) for y in (62, 154, 246, 338) for x in (100, 200))),
    9: (41, tuple((x, y) for y in (78, 200, 322) for x in (57, 150, 243))),
}
#: The same dots, in the same order, gathered in groups that touch.
_GATHERED: _Places = {
    2: (54, ((150, 138), (150, 262))),
    3: (47, ((88, 112), (150, 200), (212, 288))),
    4: (46, ((102, 122), (198, 122), (102, 278), (198, 278))),
    5: (46, ((100, 112), (200, 112), (150, 200), (100, 288), (200, 288))),
    6: (46, ((104, 86), (196, 86), (104, 222), (196, 222), (104, 314), (196, 314))),
    7: (43, ((70, 72), (150, 104), (230, 136), (107, 242), (193, 242), (107, 328), (193, 328))),
    8: (45, tuple((x, y) for y in (65, 155, 245, 335) for x in (105, 195))),
    9: (44, tuple((x, y) for y in (92, 200, 308) for x in (62, 150, 238))),
}
#: Colours of the dots of 2p..9p in the order above: Red, Green, Blue, blacK.
DOT_INKS: dict[str, tuple[str, ...]] = {
    "house": ("GB", "BRG", "BGGB", "BGRGB", "GGRRRR", "GGGRRRR", "B" * 8, "GGGRRRBBB"),
    "mixed": ("GB", "GRB", "GBBG", "GBRBG", "GGRRRR", "GGGRRRR", "B" * 8, "BBBRRRGGG"),
    "green_red": ("GR", "GRG", "GGGG", "GGRGG", "GGRRRR", "GGGRRRR", "G" * 8, "GGGRRRGGG"),
    "black": ("GK", "GRK", "GKKG", "GKRKG", "GGRRRR", "GGGRRRR", "K" * 8, "GGGRRRKKK"),
    "turned": ("GG", "GRG", "GGGG", "GGRGG", "RRGGGG", "RRRGGGG", "K" * 8, "GGGRRRGGG"),
    "blue": ("BB", "BRB", "BBBB", "BBRBB", "BBRRRR", "BBBRRRR", "B" * 8, "BBBRRRBBB"),
    "mono": tuple("K" * number for number in range(2, 10)),
}


def dots(number: int, style: FaceStyle) -> str:
    """筒."""
    if number == 1:
        return one(style)
    (radius, spread), (close, gathered), share = _SPREAD[number], _GATHERED[number], style.gather
    size = (radius + (close - radius) * share) * style.dot_size
    out = []
    for place, ((x, y), (gx, gy), ink) in enumerate(
        zip(spread, gathered, DOT_INKS[style.dot_inks][number - 2], strict=True)
    ):
        px, py = x + (gx - x) * share, y + (gy - y) * share
        if number == 7 and place < 3:
            py = 104 + (py - 104) * style.seven
        out.append(ring(px, py, size, _LETTERS[ink], style))
    return "".join(out)


#: number -> (stick length, half width, ((x, y), ...))
_STICKS: dict[int, tuple[float, float, tuple[tuple[float, float], ...]]] = {
    2: (146, 26, ((150, 112), (150, 288))),
    3: (146, 25, ((150, 112), (85, 288), (215, 288))),
    4: (146, 25, ((85, 112), (215, 112), (85, 288), (215, 288))),
    5: (142, 23, ((65, 112), (235, 112), (150, 200), (65, 288), (235, 288))),
    6: (144, 23, tuple((x, y) for y in (112, 288) for x in (70, 150, 230))),
    7: (108, 21, ((150, 76), *((x, y) for y in (204, 322) for x in (70, 150, 230)))),
    9: (110, 21, tuple((x, y) for y in (76, 200, 324) for x in (70, 150, 230))),
}
#: Colours of the sticks of 2s..9s in the order above; 8s has one for its upper half and one for its lower.
STICK_INKS: dict[str, tuple[str, ...]] = {
    "house": ("GB", "BGG", "BGGB", "GBRBG", "GGGBBB", "RGGGBBB", "GB", "GRBGRBGRB"),
    "green": ("GG", "GGG", "GGGG", "GGRGG", "GGGGGG", "RGGGGGG", "GG", "GRGGRGGRG"),
    "column": ("GG", "GGG", "GGGG", "GGRGG", "GGGGGG", "RGBGGBG", "GG", "GRGGRGGRG"),
    "red_column": ("GG", "RGG", "GGGG", "GGRGG", "GGGGGG", "RGRGGRG", "GG", "GRGGRGGRG"),
    "halves": ("BG", "BGG", "GBGB", "GBRGB", "GGGBBB", "RGBGGBG", "BG", "GRBGRBGRB"),
    "mono": tuple("G" * (2 if number == 8 else number) for number in range(2, 10)),
}


def bamboos(number: int, style: FaceStyle) -> str:
    """索 (條)."""
    if number == 1:
        return bird(style)
    inks = STICK_INKS[style.stick_inks][number - 2]
    if number == 8:
        return _eight(style, inks)
    length, fat, places = _STICKS[number]
    return "".join(
        stick(150 + (x - 150) * style.stick_spread, y, length, _LETTERS[ink], style, fat=fat)
        for (x, y), ink in zip(places, inks, strict=True)
    )


def _eight(style: FaceStyle, inks: str) -> str:
    """Eight bamboos: an M of four sticks over a W of four, or the other way round."""
    out = []
    first = 1 if style.eight == "MW" else -1
    for y, sign, ink in ((116, first, inks[0]), (284, -first, inks[1])):
        out += [stick(x, y, 138, _LETTERS[ink], style, fat=19) for x in (56, 244)]
        out += [
            stick(150 + side * 42, y - sign * 8, 118, _LETTERS[ink], style, turn=side * sign * style.lean, fat=18)
            for side in (-1, 1)
        ]
    return "".join(out)


def _write(
    character: str, x: float, y: float, width: float, height: float, ink: str, style: FaceStyle, write: Writer
) -> str:
    data = write(character, x, y, width, height, style.weight, style.contrast)
    colour = style.colour(ink)
    if style.hand == "hollow":
        glyph = path(data, "none", colour, 11) + path(data, style.body)  # the fill hides what lies inside
    elif style.hand == "heavy":
        glyph = path(data, colour, colour, 6)
    else:
        glyph = path(data, colour)
    if not style.slant:
        return glyph
    cx, cy = x + width / 2, y + height / 2
    return group([glyph], f"translate({num(cx)} {num(cy)}) skewX({num(-style.slant)}) translate({num(-cx)} {num(-cy)})")


def _sized(x: float, y: float, width: float, height: float, size: float) -> tuple[float, float, float, float]:
    """The box made smaller or larger round its middle."""
    if size == 1:
        return x, y, width, height
    return x + width * (1 - size) / 2, y + height * (1 - size) / 2, width * size, height * size


def characters(number: int, style: FaceStyle, write: Writer = character_path) -> str:
    """萬: the numeral over 萬."""
    numeral = style.five if number == 5 else NUMERALS[number - 1]
    top = _write(numeral, *_sized(62, 36, 176, 140, style.numeral_size), style.numeral_colour, style, write)
    return top + _write(style.wan, *_sized(58, 190, 184, 180, style.wan_size), _R, style, write)


def wind(code: str, style: FaceStyle, write: Writer = character_path) -> str:
    """東南西北."""
    character = style.east if code == "E" else WINDS[code]
    return _write(character, 36, 72, 228, 256, style.wind_colour, style, write)


def dragon(code: str, style: FaceStyle, write: Writer = character_path) -> str:
    """中發白."""
    if code == "C":
        return _write("中", 48, 62, 204, 276, _R, style, write)
    if code == "F":
        return _write(style.fortune, 36, 70, 228, 260, _G, style, write)
    return white(style)
