"""Class names of tiles as the world writes them, and our codes for them. Classes are always matched by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scoring.tiles import ALL_CODES

#: What stands in a set of labels for a name that is no tile.
UNKNOWN_CLASS = "?"

_SUITS = {
    "m": ("m", "man", "wan", "characters", "character", "萬", "万"),
    "p": ("p", "pin", "dots", "dot", "circles", "circle", "筒", "餅", "饼"),
    "s": ("s", "sou", "bam", "bamboo", "bamboos", "索", "條", "条"),
}
_DIGITS = ("", "一", "二", "三", "四", "五", "六", "七", "八", "九")
_HONOURS = {
    "E": ("1z", "east", "ton", "東", "东", "東風"),
    "S": ("2z", "south", "nan", "南", "南風"),
    "W": ("3z", "west", "sha", "西", "西風"),
    "N": ("4z", "north", "pei", "pe", "北", "北風"),
    "P": ("5z", "haku", "white", "white dragon", "白", "白板", "白龍"),
    "F": ("6z", "hatsu", "green", "green dragon", "發", "発", "发", "青發", "發財"),
    "C": ("7z", "chun", "red", "red dragon", "中", "紅中"),
}
_FLOWERS = {
    "f1": ("spring", "春"),
    "f2": ("summer", "夏"),
    "f3": ("autumn", "fall", "秋"),
    "f4": ("winter", "冬"),
    "f5": ("plum", "梅"),
    "f6": ("orchid", "蘭", "兰"),
    "f7": ("chrysanthemum", "菊"),
    "f8": ("bamboo flower", "竹"),
}


def _aliases() -> dict[str, str]:
    table: dict[str, str] = {}
    for suit, words in _SUITS.items():
        for digit in range(1, 10):
            for word in words:
                for name in (f"{digit}{word}", f"{word}{digit}", f"{digit} {word}", f"{word} {digit}"):
                    table[name] = f"{digit}{suit}"
                table[f"{_DIGITS[digit]}{word}"] = f"{digit}{suit}"
        table[f"0{suit}"] = f"5{suit}"  # a red five is a five
    for group in (_HONOURS, _FLOWERS):
        for code, words in group.items():
            table.update(dict.fromkeys(words, code))
    table.update({"back": "back", "tile back": "back", "牌背": "back"})
    return table


_ALIASES = _aliases()
_EXACT = frozenset(ALL_CODES)


def canonical_code(name: str, renames: Mapping[str, str] | None = None) -> str | None:
    """Our code for a class name, or None when it is no tile.

    `renames` (name as found -> code) is asked first; then our codes as they are (`S` is 南, `1s` a bamboo: case
    counts); then the usual English, Japanese and Chinese names, whatever their case and separators.
    """
    text = name.strip()
    if renames and text in renames:
        return renames[text]
    if text in _EXACT:
        return text
    plain = " ".join(text.replace("_", " ").replace("-", " ").split()).casefold()
    return _ALIASES.get(plain)


def class_order(codes: Iterable[str] = ()) -> tuple[str, ...]:
    """All classes in the order of `scoring.tiles.ALL_CODES`, followed by the names in `codes` that are no tiles."""
    extra = sorted({code for code in codes if code not in _EXACT})
    return (*ALL_CODES, *extra)
