"""Drivers by name, imported when first used, with settings that are checked."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from device.errors import SettingsError


class DriverSettings(BaseModel):
    """Base of every driver's settings: unknown names are refused, values are typed."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


S = TypeVar("S", bound=DriverSettings)


def driver_class(kind: str, name: str, table: Mapping[str, str]) -> type[Any]:
    """The class behind driver `name`, imported from its `module:Class` entry of `table`.

    Raises SettingsError for a name that is not in the table, and for a driver whose library is not installed.
    """
    if name not in table:
        near = get_close_matches(name, table, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise SettingsError(f"There is no {kind} driver named {name!r}.{hint}", f"Known: {', '.join(sorted(table))}.")
    module, _, attribute = table[name].partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)  # type: ignore[no-any-return]
    except ImportError as error:
        raise SettingsError(
            f"The {kind} driver {name!r} cannot be loaded: {error}.", "Install the library it names, then try again."
        ) from error


def build_settings(cls: type[S], owner: str, values: Mapping[str, Any]) -> S:
    """`cls(**values)`, with a SettingsError that names the field and what would be valid."""
    try:
        return cls(**values)
    except ValidationError as error:
        raise SettingsError(
            _explain(cls, owner, error), f"Settings of {owner}: {', '.join(cls.model_fields)}."
        ) from None


def _explain(cls: type[DriverSettings], owner: str, error: ValidationError) -> str:
    lines = []
    for problem in error.errors(include_url=False):
        field = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            near = get_close_matches(field, cls.model_fields, n=1)
            lines.append(f"{owner} has no setting {field!r}" + (f" (did you mean {near[0]}?)" if near else "") + ".")
        else:
            # The value itself is left out: it may be a URL with a password in it.
            lines.append(f"{owner}: setting {field!r} is wrong: {problem['msg']}.")
    return " ".join(lines)
