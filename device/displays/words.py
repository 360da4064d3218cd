"""The words and widths all displays share: winds, states, marks, and text fitted into character cells."""

from __future__ import annotations

import unicodedata

from device.displays.base import Lang
from scoring.view import ScoreView, SeatView

WINDS = {"zh": {"E": "東", "S": "南", "W": "西", "N": "北"}, "en": {"E": "E", "S": "S", "W": "W", "N": "N"}}
STATES: dict[str, dict[str, str]] = {
    "zh": {
        "idle": "待機",
        "aiming": "對準中",
        "reading": "辨識中",
        "confirm": "請確認",
        "recorded": "已記錄",
        "not_winning": "未成胡",
    },
    "en": {
        "idle": "idle",
        "aiming": "aiming",
        "reading": "reading",
        "confirm": "confirm?",
        "recorded": "recorded",
        "not_winning": "no win",
    },
}
MELDS: dict[str, dict[str, str]] = {
    "zh": {"chow": "吃", "pung": "碰", "kong_exposed": "明槓", "kong_added": "加槓", "kong_concealed": "暗槓"},
    "en": {
        "chow": "chow",
        "pung": "pung",
        "kong_exposed": "kong",
        "kong_added": "added kong",
        "kong_concealed": "concealed kong",
    },
}
HEALTH_ASCII = {"ok": "+", "warn": "!", "fail": "X", "off": "-"}
UNITS_EN = {"台": "tai", "番": "fan", "花": "hua"}
_FIRST_TILE = 0x1F000
_TILE_ORDER = (
    "E S W N C F P 1m 2m 3m 4m 5m 6m 7m 8m 9m 1s 2s 3s 4s 5s 6s 7s 8s 9s 1p 2p 3p 4p 5p 6p 7p 8p 9p "
    "f5 f6 f8 f7 f1 f2 f3 f4 joker back"
)
TILE_GLYPHS = {code: chr(_FIRST_TILE + index) for index, code in enumerate(_TILE_ORDER.split())}
_SUITS = {"m": "萬", "p": "筒", "s": "索"}
_DIGITS = "〇一二三四五六七八九"
_SINGLES = {"E": "東", "S": "南", "W": "西", "N": "北", "C": "中", "F": "發", "P": "白", "back": "背"}
_FLOWERS = "春夏秋冬梅蘭菊竹"


def tile_word(code: str, lang: Lang = "zh") -> str:
    """A tile in at most two characters: 一萬, 中, 春 in Chinese; the code itself in English."""
    if lang == "en":
        return code
    if code in _SINGLES:
        return _SINGLES[code]
    if len(code) == 2 and code[0] == "f" and code[1] in "12345678":
        return _FLOWERS[int(code[1]) - 1]
    if len(code) == 2 and code[0] in "123456789" and code[1] in _SUITS:
        return _DIGITS[int(code[0])] + _SUITS[code[1]]
    return code


def wind(code: str, lang: Lang) -> str:
    return WINDS[lang].get(code, code)


def unit(view: ScoreView, lang: Lang) -> str:
    return view.unit if lang == "zh" else UNITS_EN.get(view.unit, view.unit)


def cells(text: str) -> int:
    """The width of `text` in character cells: a Chinese character takes two, a combining mark none."""
    return sum(_char_cells(char) for char in text)


def _char_cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def fit(text: str, width: int, align: str = "<") -> str:
    """`text` cut or padded with spaces to exactly `width` cells; `align` is <, > or ^."""
    kept, used = [], 0
    for char in text:
        size = _char_cells(char)
        if used + size > width:
            break
        kept.append(char)
        used += size
    pad = width - used
    left = {"<": 0, ">": pad, "^": pad // 2}[align]
    return " " * left + "".join(kept) + " " * (pad - left)


def ascii_only(text: str) -> str:
    """`text` for a display without Chinese: accents are dropped, anything else unknown becomes `?`."""
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return "".join(char if 32 <= ord(char) < 127 else "?" for char in plain)


def signed(value: int) -> str:
    """+8, -8 or 0."""
    return f"{value:+d}" if value else "0"


def short_number(value: int, width: int) -> str:
    """`value` right-aligned in `width` cells; one that does not fit is shown in thousands (12k), never cut."""
    for divisor, mark in ((1, ""), (1000, "k"), (1_000_000, "M")):
        text = f"{round(value / divisor)}{mark}"
        if len(text) <= width and (divisor == 1 or abs(value) >= divisor):
            return text.rjust(width)
    return "#" * width


def round_title(view: ScoreView, lang: Lang) -> str:
    """Round wind, hand number, dealer and streak: 東風東局 … in words a player uses."""
    if lang == "zh":
        streak = f" 連{view.streak}拉{view.streak}" if view.streak else ""
        return f"{wind(view.round_wind, 'zh')}風圈 第{view.hand_number}局 莊{wind(view.dealer_wind, 'zh')}{streak}"
    streak = f" streak {view.streak}" if view.streak else ""
    return f"{view.round_wind} round, hand {view.hand_number}, dealer {view.dealer_wind}{streak}"


def winner_of(view: ScoreView) -> SeatView | None:
    return next((seat for seat in view.seats if seat.winner), None)
