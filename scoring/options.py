"""The options of a ruleset: what each may be, and what a caller chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.errors import RulesetError, nearest


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One switch of a ruleset. kind: bool, int, choice or items (a list of item keys, or true/false for all/none).

    not_from_text: the rule text leaves this open, the default is common practice.
    """

    key: str
    kind: str
    default: Any
    choices: tuple[str, ...]
    aliases: Mapping[str, str]
    zh: str
    en: str
    not_from_text: bool = False

    def check(self, value: Any) -> Any:
        """The value as the engine wants it; raises RulesetError naming what would be valid."""
        checked = _CHECKS[self.kind](self, value)
        if checked is None:
            raise RulesetError(f"option {self.key} = {value!r}: {self.valid()}", f"options.{self.key}")
        return checked

    def valid(self) -> str:
        """What this option may be, in words."""
        if self.kind == "choice":
            return f"one of {', '.join((*self.choices, *self.aliases))}"
        return {"bool": "true or false", "int": "a whole number from 0", "items": "a list of item keys"}[self.kind]


def _check_bool(_spec: OptionSpec, value: Any) -> bool | None:
    if isinstance(value, str):
        value = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}.get(value.lower())
    return value if isinstance(value, bool) else None


def _check_int(spec: OptionSpec, value: Any) -> int | None:
    if isinstance(value, bool):  # on: the ruleset's usual value, off: nothing
        return int(spec.default) if value else 0
    if isinstance(value, str) and value.removeprefix("-").isdecimal():
        value = int(value)
    if not isinstance(value, int):
        return None
    # a number that is taken off may be written -4 or 4
    return abs(value) if value >= 0 or spec.key.endswith("_minus") else None


def _check_choice(spec: OptionSpec, value: Any) -> str | None:
    if isinstance(value, bool | int | float):  # a choice may be written as JSON has it: 29.5, true
        value = f"{value:g}" if not isinstance(value, bool) else str(value).lower()
    name = spec.aliases.get(value, value) if isinstance(value, str) else None
    return name if name in spec.choices else None


def _check_items(spec: OptionSpec, value: Any) -> tuple[str, ...] | None:
    if isinstance(value, bool):
        return tuple(spec.choices) if value else ()
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",") if word.strip()]
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        return None
    return tuple(value)


_CHECKS = {"bool": _check_bool, "int": _check_int, "choice": _check_choice, "items": _check_items}


def option_spec(key: str, table: Mapping[str, Any]) -> OptionSpec:
    """Reads an option's table from a ruleset file; raises RulesetError when it does not hold together."""
    kind = table.get("type")
    if kind not in _CHECKS:
        raise RulesetError(f"option {key}: type {kind!r}; {nearest(kind, _CHECKS)}", f"options.{key}.type")
    choices = tuple(table.get("choices", table["default"] if kind == "items" else ()))
    spec = OptionSpec(
        key=key,
        kind=kind,
        default=None,
        choices=choices,
        aliases=dict(table.get("aliases", {})),
        zh=table.get("zh", key),
        en=table.get("en", key),
        not_from_text=table.get("not_from_text", False),
    )
    return replace(spec, default=spec.check(table["default"]))


def choose(specs: Mapping[str, OptionSpec], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """All options with the chosen values checked; raises RulesetError for an unknown option or a wrong value."""
    values = {key: spec.default for key, spec in specs.items()}
    for key, value in chosen.items():
        if key not in specs:
            raise RulesetError(f"option {key!r} is unknown here; {nearest(key, specs)}", f"options.{key}")
        values[key] = specs[key].check(value)
    return values
