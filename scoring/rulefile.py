"""Ruleset files: read, checked (scoring.rulewords), and laid over the file they extend."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import Any

from scoring.errors import RulesetError, nearest
from scoring.rulewords import check_whole, check_words

Table = dict[str, Any]

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
    check_words(table)
    if "extends" in table:
        table = _lay_over(base(table["extends"]), table)
    else:
        check_whole(table)
    _apply_defaults(table)
    return table


def _lay_over(base: Table, table: Table) -> Table:
    """`table` on top of `base`: values replace, items and options merge by key, exclusions are added."""
    result = {**base, **{key: value for key, value in table.items() if key not in ("options", "items", "exclusions")}}
    for part in _MERGED:
        result[part] = {**base.get(part, {}), **table.get(part, {})}
    removed = table.get("remove", {})
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
