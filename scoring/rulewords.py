"""The words of a ruleset file and what each may hold, so that a slip of the pen is named and not stumbled over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scoring.errors import RulesetError, nearest

Check = Callable[[Any], bool]


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(check(entry) for entry in value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _table(value: Any) -> bool:
    return isinstance(value, dict)


KINDS: dict[str, tuple[Check, str]] = {
    "text": (_text, "a text"),
    "whole": (_whole, "a whole number"),
    "yes": (lambda value: isinstance(value, bool), "true or false"),
    "texts": (_list_of(_text), "a list of texts"),
    "wholes": (_list_of(_whole), "a list of whole numbers"),
    "lists": (_list_of(lambda value: isinstance(value, list)), "a list of lists"),
    "table": (_table, "a table of words and values"),
    "rows": (_list_of(_table), "a list of tables"),
    "any": (lambda _value: True, "anything"),
}
"""What a word may hold, and how that is called."""

Words = Mapping[str, str]
_TOP: Words = {
    "name": "text", "extends": "text", "script": "text", "unit": "text", "source": "text", "sources": "rows",
    "title": "table", "tiles": "table", "total": "table", "settlement": "table", "play": "table", "match": "table",
    "shapes": "rows", "options": "table", "defaults": "table", "remove": "table", "items": "rows", "exclusions": "rows",
}  # fmt: skip
_TABLES: dict[str, Words] = {
    "title": {"zh-Hant": "text", "zh-Hans": "text", "en": "text"},
    "tiles": {"hand": "whole", "suits": "texts", "flowers": "yes"},
    "total": {
        "strategy": "text", "cap": "whole", "base": "whole", "item_unit": "text", "tells": "texts", "received": "yes",
        "big": "texts",
    },
    "settlement": {
        "strategy": "text", "dealer_tai": "whole", "streak_tai": "whole", "stake": "wholes", "stakes": "lists",
        "dealer_matters": "yes", "never_cut": "texts", "carry": "table", "events": "rows", "points": "table",
        "cases": "text",
    },
    "play": {
        "flags": "texts", "fields": "texts", "refusals": "texts", "notices": "texts", "consequences": "table",
        "contradictions": "text", "win_tile_optional": "texts", "non_dealer_flags": "texts", "together": "lists",
        "all_flowers_flag": "text", "required": "texts", "required_message": "text", "events": "texts",
        "wilds": "whole",
    },
    "match": {
        "next_dealer": "text", "rounds": "whole", "after_game": "text", "seat_winds": "text", "draws": "texts",
        "several_winners": "text", "draw_dealer": "text", "counts_draws": "yes",
    },
    "remove": {"items": "texts", "options": "texts", "exclusions": "texts"},
}  # fmt: skip
_ROWS: dict[str, tuple[Words, tuple[str, ...]]] = {
    "items": (
        {
            "key": "text", "pattern": "text", "args": "table", "value": "whole", "value_option": "text",
            "sign": "whole", "names": "texts", "tiles": "text", "outside_cap": "yes", "without_hand": "texts",
            "only_beside": "texts", "when": "table",
        },
        ("key",),
    ),
    "exclusions": (
        {"item": "text", "drops": "texts", "drops_option": "text", "when": "table", "quote": "text"},
        ("item",),
    ),
    "shapes": (
        {
            "name": "text", "when": "table", "unless_flag": "text", "quads": "text", "concealed_kongs": "whole",
            "any_melds": "yes",
        },
        ("name",),
    ),
    "sources": ({"title": "text", "url": "text", "date": "text", "note": "text"}, ("title", "url")),
    "options": (
        {
            "type": "text", "default": "any", "choices": "texts", "aliases": "table", "zh": "text", "en": "text",
            "not_from_text": "yes",
        },
        ("type", "default"),
    ),
}  # fmt: skip
"""The words of each row, and those it cannot do without."""
_WHOLE_FILE: dict[str, tuple[str, ...]] = {
    "": (
        "script", "unit", "source", "title", "tiles", "total", "settlement", "play", "shapes", "options", "items",
        "exclusions", "match",
    ),
    "title": ("zh-Hant", "zh-Hans", "en"),
    "tiles": ("hand", "suits", "flowers"),
    "settlement": ("strategy",),
    "play": ("refusals", "contradictions"),
}  # fmt: skip
"""What a file that extends no other has to say."""


def check_words(table: Mapping[str, Any]) -> None:
    """Raises RulesetError for a word that means nothing, a value of the wrong kind, and a row without what it needs."""
    if not isinstance(table.get("name"), str):
        raise RulesetError("a ruleset file has a name, such as name = 'our-house'", "name")
    _check(table, _TOP, "")
    for at, words in _TABLES.items():
        _check(table.get(at, {}), words, at)
    for at, (words, needed) in _ROWS.items():
        for name, row in _named_rows(table, at):
            if not isinstance(row, dict):
                raise RulesetError(f"{name} = {row!r}: it is {KINDS['table'][1]}", at)
            _check(row, words, at, name)
            _need(row, needed, name)


def check_whole(table: Mapping[str, Any]) -> None:
    """Raises RulesetError where a file that extends no other leaves out what every ruleset has."""
    for at, words in _WHOLE_FILE.items():
        _need(table.get(at, {}) if at else table, words, at or "a ruleset that extends no other")


def _named_rows(table: Mapping[str, Any], at: str) -> Iterable[tuple[str, Any]]:
    rows = table.get(at, [])
    if isinstance(rows, dict):
        return [(f"{at}.{key}", row) for key, row in rows.items()]
    return [
        (f"{at}.{row.get('key') or row.get('item') or row.get('name') or number}", row)
        for number, row in enumerate(rows)
    ]


def _check(row: Mapping[str, Any], words: Words, at: str, where: str = "") -> None:
    prefix = f"{where or at}." if at else ""
    for word, value in row.items():
        if word not in words:
            place = f" in {at}" if at else ""
            raise RulesetError(f"{word!r}{place} means nothing in a ruleset file; {nearest(word, sorted(words))}", at)
        check, kind = KINDS[words[word]]
        if not check(value):
            raise RulesetError(f"{prefix}{word} = {value!r}: it is {kind}", f"{prefix}{word}")


def _need(row: Mapping[str, Any], words: Iterable[str], where: str) -> None:
    for word in words:
        if word not in row:
            raise RulesetError(f"{where}: {word} is missing", where)
