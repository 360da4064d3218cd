"""春夏秋冬梅蘭菊竹: a small picture, the character and a digit, in a 300 x 400 box."""

from __future__ import annotations

from collections.abc import Callable

from vision.drawings.glyphs import LINES, Writer, character_path
from vision.drawings.plants import PLANTS, SCENES
from vision.drawings.shapes import group, path, rect
from vision.drawings.sprigs import sprig
from vision.drawings.style import FaceStyle

FLOWER_CHARACTERS = "春夏秋冬梅蘭菊竹"
_NUMERALS = "一二三四"
_SEASONS = ("SPR", "SUM", "AUT", "WIN")


def flower(code: str, style: FaceStyle, write: Writer = character_path) -> str:
    """The ink of ``f1``..``f8``: seasons are written in red, plants in green and blue."""
    number = int(code[1])
    if style.flowers in ("plant", "scene"):
        picture = (SCENES if style.flowers == "scene" else PLANTS)[number](style)
    else:
        picture = sprig(number, style)
    frame = rect(14, 18, 272, 366, 16, "none", style.colour(style.flower_frame), 6) if style.flower_frame else ""
    return frame + MARKS[style.flower_marks](number, style, write) + picture


def _inks(number: int, style: FaceStyle) -> tuple[str, str]:
    """Colours of the digit and of the character."""
    digit = style.red if number <= 4 else style.blue
    word = digit if number <= 4 else style.black
    if style.flower_swap:
        return (style.black, style.red) if number <= 4 else (style.red, word)
    return digit, word


def _word(number: int, style: FaceStyle, write: Writer, x: float, width: float = 100) -> str:
    data = write(FLOWER_CHARACTERS[number - 1], x, 34, width, width * 1.04, style.weight * 1.15, style.contrast)
    return path(data, _inks(number, style)[1])


def _digit(number: int, style: FaceStyle, place: str = "translate(44 40) scale(.82)") -> str:
    line = LINES[str(style.flower_digits[number - 1])]
    return group([path(line, stroke=_inks(number, style)[0], width=16)], place)


def _house(number: int, style: FaceStyle, write: Writer) -> str:
    return _word(number, style, write, 166) + _digit(number, style)


def _mirror(number: int, style: FaceStyle, write: Writer) -> str:
    return _word(number, style, write, 34) + _digit(number, style, "translate(212 40) scale(.82)")


def _crossed(number: int, style: FaceStyle, write: Writer) -> str:
    """The seasons one way round, the plants the other."""
    return (_house if number <= 4 else _mirror)(number, style, write)


def _just_word(number: int, style: FaceStyle, write: Writer) -> str:
    return _word(number, style, write, 172 if style.variant % 2 else 28, 104)


def _twice(number: int, style: FaceStyle, write: Writer) -> str:
    foot = _digit(number, style, "translate(274 376) rotate(180) scale(.36)")
    return _word(number, style, write, 150, 116) + _digit(number, style, "translate(30 34) scale(.6)") + foot


def _numeral(number: int, style: FaceStyle, write: Writer) -> str:
    """Seasons carry 一二三四 alone, plants a digit alone."""
    if number > 4:
        return _digit(number, style, "translate(34 36) scale(1)")
    return path(write(_NUMERALS[number - 1], 160, 34, 108, 96, style.weight, style.contrast), style.red)


def _english(number: int, style: FaceStyle, write: Writer) -> str:
    """Seasons carry a digit and three Latin letters."""
    if number > 4:
        return _house(number, style, write)
    letters = (
        group([path(LINES[letter], stroke=style.blue, width=17)], f"translate({104 + 54 * i} 46) scale(.7 .72)")
        for i, letter in enumerate(_SEASONS[number - 1])
    )
    return _digit(number, style, "translate(36 42) scale(.78)") + "".join(letters)


MARKS: dict[str, Callable[[int, FaceStyle, Writer], str]] = {
    "house": _house,
    "mirror": _mirror,
    "crossed": _crossed,
    "word": _just_word,
    "twice": _twice,
    "numeral": _numeral,
    "english": _english,
}
