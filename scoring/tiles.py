"""Tile codes: what they are called, how they are read from text and written back.

A code is a short string: `1m..9m` characters, `1p..9p` dots, `1s..9s` bamboos, `E S W N` winds,
`C F P` red, green and white dragon, `f1..f8` flowers by their picture (spring, summer, autumn, winter, plum,
orchid, chrysanthemum, bamboo) and `back` for a face-down tile.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from scoring.errors import TileError, nearest

Language = Literal["zh-Hant", "zh-Hans", "en"]

SUITS: tuple[str, ...] = ("m", "p", "s")
WINDS: tuple[str, ...] = ("E", "S", "W", "N")
DRAGONS: tuple[str, ...] = ("C", "F", "P")
KINDS: tuple[str, ...] = tuple(f"{rank}{suit}" for suit in SUITS for rank in range(1, 10)) + WINDS + DRAGONS
"""The 34 playing kinds, in the order every table and mask of this package uses."""
FLOWERS: tuple[str, ...] = tuple(f"f{number}" for number in range(1, 9))
BACK = "back"
ALL_CODES: tuple[str, ...] = (*KINDS, *FLOWERS, BACK)
INDEX: dict[str, int] = {code: index for index, code in enumerate(ALL_CODES)}
"""Code -> position in ALL_CODES; the playing kinds are 0..33, flowers 34..41."""

_Z = ("E", "S", "W", "N", "P", "F", "C")  # 1z..7z as most programs number them
_CHINESE = dict(zip("東南西北中發白", (*WINDS, *DRAGONS), strict=True)) | {"东": "E", "发": "F"}
_DIGITS_ZH = "一二三四五六七八九"
_SUIT_NAMES = {"m": ("萬", "万", "characters"), "p": ("筒", "筒", "dots"), "s": ("索", "索", "bamboos")}
_OTHER_NAMES: dict[str, tuple[str, str, str]] = {
    "E": ("東", "东", "east"),
    "S": ("南", "南", "south"),
    "W": ("西", "西", "west"),
    "N": ("北", "北", "north"),
    "C": ("中", "中", "red dragon"),
    "F": ("發", "发", "green dragon"),
    "P": ("白", "白", "white dragon"),
    "f1": ("春", "春", "spring"),
    "f2": ("夏", "夏", "summer"),
    "f3": ("秋", "秋", "autumn"),
    "f4": ("冬", "冬", "winter"),
    "f5": ("梅", "梅", "plum"),
    "f6": ("蘭", "兰", "orchid"),
    "f7": ("菊", "菊", "chrysanthemum"),
    "f8": ("竹", "竹", "bamboo flower"),
    BACK: ("牌背", "牌背", "face down"),
}
_COLUMN: dict[str, int] = {"zh-Hant": 0, "zh-Hans": 1, "en": 2}


def check_code(code: object, field: str = "tiles") -> str:
    """Returns `code` when it is a tile code, else raises TileError naming the nearest ones."""
    if isinstance(code, str) and code in INDEX:
        return code
    raise TileError(f"{code!r} is not a tile; {nearest(code, ALL_CODES)}", field)


def parse_tiles(text: str, field: str = "tiles") -> list[str]:
    """Reads tiles from text such as `123m 456p EEE CC f1f2`, in the order written.

    Honours may be letters, `1z..7z` (east south west north white green red) or 東南西北中發白; a flower is
    `f` with its number, `f12` is f1 and f2. Raises TileError at the first thing that is none of these.
    """
    codes: list[str] = []
    for word in text.replace(",", " ").split():
        codes.extend([BACK] if word == BACK else _parse_word(word, field))
    return codes


def _parse_word(word: str, field: str) -> list[str]:
    codes: list[str] = []
    at = 0
    while at < len(word):
        letter = word[at]
        if letter.isascii() and letter.isdigit():
            end = _digits_end(word, at)
            codes.extend(_suited(word, at, end, field))
            at = end + 1
        elif letter == "f":
            end = _digits_end(word, at + 1)
            codes.extend(check_code(f"f{number}", field) for number in word[at + 1 : end] or "?")
            at = end
        else:
            codes.append(_CHINESE.get(letter) or _honour(letter, word, field))
            at += 1
    return codes


def _digits_end(word: str, start: int) -> int:
    while start < len(word) and word[start] in "0123456789":
        start += 1
    return start


def _suited(word: str, start: int, end: int, field: str) -> list[str]:
    suit = word[end : end + 1]
    digits = word[start:end]
    if suit == "z" and all(digit in "1234567" for digit in digits):
        return [_Z[int(digit) - 1] for digit in digits]
    if suit in SUITS and "0" not in digits:
        return [f"{digit}{suit}" for digit in digits]
    raise TileError(
        f"{word!r}: digits 1-9 must be followed by m (characters), p (dots) or s (bamboos), or 1-7 by z (honours)",
        field,
    )


def _honour(letter: str, word: str, field: str) -> str:
    if letter in WINDS or letter in DRAGONS:
        return letter
    raise TileError(
        f"{word!r}: {letter!r} is not a tile; honours are E S W N C F P, flowers f1-f8, suits 1-9 with m, p or s", field
    )


def format_tiles(codes: Iterable[str]) -> str:
    """Writes codes as text that parse_tiles reads back, in the given order: neighbours of a suit share one letter."""
    groups: list[str] = []
    previous = ""
    for code in codes:
        family = _family(check_code(code))
        if groups and family == previous and family in SUITS:
            groups[-1] = groups[-1][:-1] + code
        elif groups and family == previous and family != BACK:
            groups[-1] += code
        else:
            groups.append(code)
        previous = family
    return " ".join(groups)


def _family(code: str) -> str:
    """Tiles written without a space between them share a family: a suit, one honour kind, the flowers."""
    if code[0] == "f":
        return "flower"
    return code[-1] if code[-1] in SUITS else code


def tile_name(code: str, lang: Language = "zh-Hant") -> str:
    """The tile's name as players say it: 一萬 / 一万 / 1 characters."""
    column = _COLUMN[lang]
    other = _OTHER_NAMES.get(check_code(code))
    if other:
        return other[column]
    suit = _SUIT_NAMES[code[1]][column]
    return f"{code[0]} {suit}" if lang == "en" else f"{_DIGITS_ZH[int(code[0]) - 1]}{suit}"


def sort_tiles(codes: Iterable[str]) -> list[str]:
    """The codes in the order of ALL_CODES."""
    return sorted(codes, key=lambda code: INDEX[check_code(code)])
