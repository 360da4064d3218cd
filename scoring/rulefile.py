"""Ruleset files: read, checked for words that mean nothing, and laid over the file they extend."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import Any

from scoring.errors import RulesetError, nearest

Table = dict[str, Any]

_TOP = {
    "name", "extends", "script", "unit", "source", "title", "tiles", "total", "settlement", "play", "shapes",
    "options", "defaults", "remove", "items", "exclusions", "match", "sources",
}  # fmt: skip
_ITEM = {
    "key", "pattern", "args", "value", "value_option", "sign", "names", "tiles", "outside_cap", "without_hand",
    "only_beside", "when",
}  # fmt: skip
_EXCLUSION = {"item", "drops", "drops_option", "when", "quote"}
_OPTION = {"type", "default", "choices", "aliases", "zh", "en", "not_from_text"}
_SOURCE = {"title", "url", "date", "note"}
_SHAPE = {"name", "when", "unless_flag", "quads", "concealed_kongs", "any_melds"}
_TABLES = {
    "title": {"zh-Hant", "zh-Hans", "en"},
    "tiles": {"hand", "suits", "flowers"},
    "match": {
        "next_dealer", "rounds", "after_game", "seat_winds", "draws", "several_winners", "draw_dealer", "counts_draws",
    },
}  # fmt: skip
_MERGED = ("title", "tiles", "total", "settlement", "play", "match")


def packaged_names() -> tuple[str, ...]:
    """Names of the rulesets that come with the package, in alphabetical order."""
    folder = resources.files("scoring") / "rulesets"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def packaged_table(name: str) -> Table:
    """The whole table of a packaged ruleset, laid over what it extends; raises RulesetError for an unknown name."""
    names = packaged_names()
    if name not in names:
        raise RulesetError(f"ruleset {name!r} is unknown; {nearest(name, names)}", "ruleset")
    text = (resources.files("scoring") / "rulesets" / f"{name}.toml").read_text(encoding="utf-8")
    return parse_rules(text, packaged_table)


def parse_rules(text: str, base: Callable[[str], Table] = packaged_table) -> Table:
    """Reads a ruleset file's text and lays it over the ruleset it extends, which `base` finds by name.

    Raises RulesetError for text that is no TOML, for unknown words, and for what is removed but not there.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesetError(f"not a ruleset file: {error}", "ruleset") from None
    _check_words(table)
    if "extends" in table:
        table = _lay_over(base(table["extends"]), table)
    _apply_defaults(table)
    return table


def _check_words(table: Table) -> None:
    _known(table, _TOP, "")
    for at, (rows, words) in {
        "items": (table.get("items", []), _ITEM),
        "exclusions": (table.get("exclusions", []), _EXCLUSION),
        "shapes": (table.get("shapes", []), _SHAPE),
        "sources": (table.get("sources", []), _SOURCE),
        "options": (table.get("options", {}).values(), _OPTION),
    }.items():
        for row in rows:
            _known(row, words, at)
    for at, words in _TABLES.items():
        _known(table.get(at, {}), words, at)
    if not isinstance(table.get("name"), str):
        raise RulesetError("a ruleset file has a name, such as name = 'our-house'", "name")


def _known(table: Mapping[str, Any], words: Iterable[str], at: str) -> None:
    for word in table:
        if word not in words:
            place = f" in {at}" if at else ""
            raise RulesetError(f"{word!r}{place} means nothing in a ruleset file; {nearest(word, sorted(words))}", at)


def _lay_over(base: Table, table: Table) -> Table:
    """`table` on top of `base`: values replace, items and options merge by key, exclusions are added."""
    result = {**base, **{key: value for key, value in table.items() if key not in ("options", "items", "exclusions")}}
    for part in _MERGED:
        result[part] = {**base.get(part, {}), **table.get(part, {})}
    removed = table.get("remove", {})
    _known(removed, ("items", "options", "exclusions"), "remove")
    result["options"] = _without(base["options"], removed.get("options", []), "options") | table.get("options", {})
    items = _without({item["key"]: item for item in base["items"]}, removed.get("items", []), "items")
    for item in table.get("items", []):
        items[item["key"]] = items.get(item["key"], {}) | item
    result["items"] = list(items.values())
    result["exclusions"] = _exclusions(base["exclusions"], removed, items) + table.get("exclusions", [])
    return result


def _without(table: Mapping[str, Any], removed: Iterable[str], at: str) -> Table:
    for key in removed:
        if key not in table:
            raise RulesetError(f"remove.{at}: {key!r} is not there; {nearest(key, table)}", f"remove.{at}")
    return {key: value for key, value in table.items() if key not in removed}


def _exclusions(rows: list[Table], removed: Mapping[str, Any], items: Mapping[str, Any]) -> list[Table]:
    """The base's exclusions less those removed by item, and without the items that are gone."""
    gone = removed.get("exclusions", [])
    _without({row["item"]: row for row in rows}, gone, "exclusions")
    kept = [row for row in rows if row["item"] not in gone and row["item"] in items]
    return [row | {"drops": [key for key in row["drops"] if key in items]} if "drops" in row else row for row in kept]


def _apply_defaults(table: Table) -> None:
    options = {key: dict(value) for key, value in table.get("options", {}).items()}
    for key, value in table.get("defaults", {}).items():
        if key not in options:
            raise RulesetError(f"defaults: option {key!r} is unknown; {nearest(key, options)}", f"defaults.{key}")
        options[key]["default"] = value
    table["options"] = options
    table.pop("defaults", None)
    table.pop("remove", None)
