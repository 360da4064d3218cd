"""What a ruleset file names must exist: flags, broken rules, strategies, fields; or the nearest is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from scoring.errors import RulesetError, nearest
from scoring.extras import EXTRAS
from scoring.flags import FLAGS
from scoring.hand import WinContext
from scoring.refusals import CONSEQUENCES, NOTICES, REFUSALS
from scoring.totals import TOTALS

SUITS = ("m", "p", "s", "z")
_ALWAYS = ("self_draw", "seat_wind", "round_wind", "dealer", "streak", "flags", "extra")
FIELDS = (*(row.name for row in fields(WinContext) if row.name not in _ALWAYS), *EXTRAS, "robbed_player")
"""The fields of a record that only some rulesets read."""


def check_known(words: Iterable[str], valid: Iterable[str], field: str) -> None:
    """Raises RulesetError for the first word that is not valid, with the nearest that are."""
    names = list(valid)
    for word in words:
        if word not in names:
            raise RulesetError(f"{field}: {word!r} is unknown; {nearest(word, names)}", field)


def check_names(table: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raises RulesetError where a whole table names something that does not exist."""
    check_known([table["script"]], ("zh-Hant", "zh-Hans"), "script")
    check_known(table["tiles"]["suits"], SUITS, "tiles.suits")
    check_known([table["total"].get("strategy", "sum")], ("sum", *TOTALS), "total.strategy")
    _check_play(table["play"])
    _check_items(table)
    for row in table["shapes"]:
        check_known([row["unless_flag"]] if "unless_flag" in row else [], FLAGS, "shapes.unless_flag")
        check_known([row["quads"]] if "quads" in row else [], options, "shapes.quads")
    _check_strategies(table)


def _check_play(play: Mapping[str, Any]) -> None:
    for word in ("flags", "win_tile_optional", "non_dealer_flags"):
        check_known(play.get(word, ()), FLAGS, f"play.{word}")
    check_known([play["all_flowers_flag"]] if "all_flowers_flag" in play else [], FLAGS, "play.all_flowers_flag")
    check_known(play.get("fields", ()), FIELDS, "play.fields")
    check_known(play["refusals"], REFUSALS, "play.refusals")
    check_known(play.get("notices", ()), NOTICES, "play.notices")
    follows = play.get("consequences", {})
    check_known(follows, [*REFUSALS, *NOTICES, "minimum"], "play.consequences")
    check_known(follows.values(), CONSEQUENCES, "play.consequences")


def _check_items(table: Mapping[str, Any]) -> None:
    keys = [row["key"] for row in table["items"]]
    for row in table["items"]:
        check_known(row.get("only_beside", ()), keys, f"items.{row['key']}")
        check_known(row.get("without_hand", ()), ("eight_flowers", "rob_flower"), f"items.{row['key']}.without_hand")
    check_known(table["play"].get("required", ()), keys, "play.required")
    for row in table["exclusions"]:
        if "drops" not in row and "drops_option" not in row:
            raise RulesetError(f"exclusions.{row['item']}: drops is missing", f"exclusions.{row['item']}")


def _check_strategies(table: Mapping[str, Any]) -> None:
    """The named functions, looked up here because their modules read rulesets themselves."""
    from scoring.checks import CONTRADICTIONS  # noqa: PLC0415
    from scoring.match import NEXT_DEALER  # noqa: PLC0415
    from scoring.settlement import EVENTS, STRATEGIES  # noqa: PLC0415

    check_known([table["play"]["contradictions"]], CONTRADICTIONS, "play.contradictions")
    check_known(table["play"].get("events", ()), EVENTS, "play.events")
    check_known([table["settlement"]["strategy"]], STRATEGIES, "settlement.strategy")
    match = table["match"]
    for word, valid in (
        ("next_dealer", tuple(NEXT_DEALER)),
        ("after_game", ("seat_change", "end")),
        ("seat_winds", ("wall_break", "dealer")),
    ):
        check_known([match[word]] if word in match else [], valid, f"match.{word}")
