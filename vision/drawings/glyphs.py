"""The Chinese characters of a tile set as brush strokes in a 100 x 100 box, and plain digits and letters.

A stroke is written ``kind x,y x,y ...``; the kinds are those of :mod:`vision.drawings.brush`
(h across, v down, s down to a needle, p left-falling, n right-falling, d dot, t rising,
c with a bent hook, k hook tip).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from vision.drawings.brush import Stroke, outline

#: Writes a character into a box: (character, x, y, width, height, weight, contrast) -> SVG path data.
Writer = Callable[[str, float, float, float, float, float, float], str]

_TEXT: dict[str, str] = {
    "一": "h 6,54 94,46",
    "二": "h 20,28 80,23; h 5,79 95,74",
    "三": "h 15,18 84,13; h 23,48 76,44; h 5,83 95,78",
    "四": "v 12,20 20,88; h 12,22 88,18; v 88,18 80,88; h 19,80 81,79; p 39,22 37,44 24,63; c 60,21 60,48 64,58 80,56",
    "五": "h 15,15 85,11; v 49,14 36,86; h 20,46 76,42; v 76,42 68,86; h 4,88 96,85",
    "六": "d 44,4 57,23; h 5,38 95,33; p 38,48 31,68 9,92; n 58,47 74,64 92,90",
    "七": "h 4,54 94,36; c 44,6 45,66 51,83 66,87 86,84 92,66",
    "八": "p 38,16 33,46 4,90; n 52,10 62,44 97,88",
    "九": "p 41,5 40,40 4,93; h 10,37 68,30; c 68,30 62,64 65,81 77,86 91,82 96,64",
    "伍": "p 31,4 22,28 3,52; v 20,36 20,98; h 44,15 92,12; v 67,14 58,86; h 46,47 86,43; v 86,43 80,86; h 36,89 98,86",
    "萬": (
        "h 6,13 94,10; s 31,1 34,24; s 69,1 66,24; v 23,27 27,57; h 23,29 77,26; v 77,26 73,57; h 26,42 74,40;"
        "h 27,56 73,55; v 50,27 50,82; v 12,65 13,98; h 12,66 88,63; v 88,63 87,95; k 87,95 77,91;"
        "t 30,86 66,79; d 60,70 73,87"
    ),
    "東": (
        "h 8,19 92,15; v 22,31 26,61; h 22,33 78,30; v 78,30 74,61; h 25,46 75,45; h 26,60 74,59; v 50,2 50,95;"
        "k 50,95 40,89; p 48,60 34,76 4,91; n 52,60 68,75 97,90"
    ),
    "南": (
        "h 12,18 88,14; v 51,1 48,33; v 11,37 13,98; h 11,38 89,34; v 89,34 88,93; k 88,93 76,89; d 34,44 42,54;"
        "p 66,41 64,46 57,55; h 27,60 73,57; h 24,74 76,72; s 50,58 50,95"
    ),
    "西": (
        "h 5,15 95,11; v 11,37 17,93; h 11,39 89,35; v 89,35 83,93; h 17,87 83,86; p 38,14 38,44 24,66;"
        "c 61,13 61,46 66,57 82,57"
    ),
    "北": "v 36,6 36,93; h 8,38 34,35; t 3,82 36,65; p 92,22 78,36 60,45; c 60,4 60,68 65,82 78,86 93,82 96,64",
    "中": "v 12,27 17,67; h 12,30 88,25; v 88,25 83,67; h 17,62 83,60; s 50,1 50,99",
    "發": (
        "h 13,12 40,9; p 40,9 31,30 4,48; d 17,22 27,33; n 54,5 68,27 97,45; p 74,3 68,11 59,17; p 88,14 80,23 69,29;"
        "h 14,50 42,48; v 42,48 41,62; h 16,63 41,62; v 16,63 13,77; h 13,77 43,75; v 43,75 40,95; k 40,95 26,92;"
        "p 60,48 58,59 47,68; h 60,49 80,47; c 79,47 78,56 84,60 95,58; h 52,72 84,70; p 83,70 72,85 44,99;"
        "n 56,76 71,88 97,98"
    ),
    "春": (
        "h 18,14 82,11; h 23,27 77,24; h 4,42 96,38; p 48,1 43,34 3,70; n 54,39 69,55 98,68; v 31,58 32,98;"
        "h 31,60 69,58; v 69,58 69,98; h 33,76 68,76; h 33,93 68,93"
    ),
    "夏": (
        "h 8,9 92,6; p 50,9 47,17 40,24; v 28,24 29,63; h 28,25 72,23; v 72,23 72,63; h 30,36 71,36; h 30,48 71,48;"
        "h 30,61 71,60; p 42,62 32,75 10,86; h 37,71 72,69; p 71,69 55,86 12,99; n 40,75 60,90 96,98"
    ),
    "秋": (
        "p 45,4 31,13 11,18; h 3,35 50,31; v 28,14 28,98; p 27,36 19,54 2,70; d 31,44 45,58; d 54,28 60,47;"
        "p 95,22 90,33 81,46; p 73,4 71,48 46,96; n 72,48 80,72 99,94"
    ),
    "冬": "p 44,2 34,20 8,42; h 38,17 74,14; p 73,14 55,40 5,67; n 32,26 56,45 98,63; d 42,60 60,71; d 33,79 64,97",
    "梅": (
        "h 2,31 43,27; v 23,3 23,98; p 22,33 16,53 1,71; d 26,44 39,57; p 60,2 54,16 43,28; h 53,16 96,13;"
        "v 56,31 50,85; h 57,32 87,29; v 88,29 84,95; k 84,95 73,91; h 42,57 99,54; h 50,84 95,81; d 66,37 73,47;"
        "d 63,63 70,74"
    ),
    "蘭": (
        "h 4,11 96,8; s 31,1 33,20; s 69,1 67,20; v 10,25 10,98; h 10,26 43,25; v 43,25 43,47; h 11,36 42,36;"
        "h 11,47 42,46; v 57,25 57,47; h 57,26 91,25; v 91,25 90,96; k 90,96 80,93; h 58,36 90,36; h 58,47 90,46;"
        "h 27,57 73,55; v 31,64 33,80; h 31,65 69,64; v 69,64 67,80; h 33,79 67,78; v 50,50 50,99; p 48,80 41,88 26,96;"
        "n 52,80 60,88 75,96"
    ),
    "菊": (
        "h 4,12 96,9; s 31,1 33,21; s 69,1 67,21; p 35,21 27,38 4,56; h 28,35 90,31; v 90,31 87,94; k 87,94 75,91;"
        "d 31,46 40,57; p 70,42 66,50 57,57; h 18,66 78,63; v 49,42 49,98; p 47,67 37,81 17,92; n 51,67 60,78 76,89"
    ),
    "竹": (
        "p 26,3 20,24 2,46; h 17,28 48,24; s 33,28 33,98; p 68,3 62,22 49,42; h 61,28 97,23; v 80,26 79,94;"
        "k 79,94 66,88"
    ),
}

#: Dense characters are written with a finer brush.
_DENSITY: dict[str, float] = {
    "一": 1.35,
    "二": 1.3,
    "三": 1.2,
    "四": 1.02,
    "五": 1.08,
    "六": 1.18,
    "七": 1.2,
    "八": 1.25,
    "九": 1.15,
    "伍": 1.0,
    "萬": 0.82,
    "東": 0.95,
    "南": 0.9,
    "西": 0.98,
    "北": 1.1,
    "中": 1.2,
    "發": 0.84,
    "春": 0.88,
    "夏": 0.8,
    "秋": 0.95,
    "冬": 1.05,
    "梅": 0.84,
    "蘭": 0.66,
    "菊": 0.8,
    "竹": 1.0,
}

CHARACTERS: tuple[str, ...] = tuple(_TEXT)

#: Digits and letters as SVG path data of a single line, in a 60 wide, 100 high box.
LINES: dict[str, str] = {
    "1": "M14 24 L34 8 V94",
    "2": "M8 30 C8 2 52 2 52 30 C52 52 20 66 8 92 H54",
    "3": "M8 12 H50 L28 42 C58 42 60 92 28 92 C18 92 10 88 6 80",
    "4": "M42 94 V8 L6 66 H56",
    "5": "M48 10 H16 L12 46 C24 36 54 38 54 66 C54 96 18 98 6 80",
    "6": "M44 8 C22 20 8 44 8 68 C8 100 54 100 54 68 C54 40 16 40 9 62",
    "7": "M6 10 H54 C38 36 28 62 26 94",
    "8": "M30 48 C4 44 6 8 30 8 C54 8 56 44 30 48 C0 52 0 92 30 92 C60 92 60 52 30 48",
    "9": "M16 92 C38 80 52 56 52 32 C52 0 6 0 6 32 C6 60 44 60 51 38",
    "E": "M52 8 H10 V92 H52 M10 48 H44",
    "S": "M52 20 C44 2 8 4 10 28 C12 52 54 44 52 72 C50 98 12 98 6 78",
    "W": "M2 8 L16 92 L30 30 L44 92 L58 8",
    "N": "M8 94 V8 L52 92 V6",
    "C": "M54 24 C46 2 8 4 8 50 C8 96 46 98 54 76",
    "F": "M52 8 H10 V94 M10 48 H42",
    "P": "M10 94 V8 H30 C62 8 62 54 30 54 H10",
}


@lru_cache(maxsize=64)
def strokes(character: str) -> tuple[Stroke, ...]:
    """The strokes of a character. Raises ``KeyError`` naming those we can write."""
    if character not in _TEXT:
        raise KeyError(f"no strokes for {character!r}; there are {''.join(_TEXT)}")
    out = []
    for part in _TEXT[character].split(";"):
        kind, *pairs = part.split()
        points = tuple((float(x), float(y)) for x, y in (pair.split(",") for pair in pairs))
        out.append(Stroke(kind, points))
    return tuple(out)


@lru_cache(maxsize=512)
def character_path(
    character: str, x: float, y: float, width: float, height: float, weight: float = 1.0, contrast: float = 1.0
) -> str:
    """SVG path data of a character written into the box at (x, y), ``width`` by ``height``.

    The brush is wider on sparse characters and finer on dense ones, and keeps its width when the box is not square.
    """
    brush = 11.5 * weight * _DENSITY[character] * min(width, height) / 100
    sx, sy = width / 100, height / 100
    pieces = []
    for stroke in strokes(character):
        placed = Stroke(stroke.kind, tuple((x + px * sx, y + py * sy) for px, py in stroke.points))
        corners = outline(placed, brush, contrast)
        pieces.append("M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in corners) + "Z")
    return "".join(pieces)
