"""`taicam score`: 台 of hands given as text or as JSON lines."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from scoring import score_json, score_record
from taicam.commands.score_print import print_answer
from taicam.errors import UsageError

_FACTS = "Facts of the win"
_PAYMENTS = "Who pays (players 0 to 3 in turn order)"


def command(
    tiles: Annotated[
        list[str] | None,
        typer.Argument(metavar="TILES", help="The concealed tiles, winning tile included, such as '123m 456p EE'."),
    ] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read one JSON object a line from standard input.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write the answer as JSON.")] = False,
    win: Annotated[str | None, typer.Option(metavar="TILE", help="The winning tile, such as 5p.")] = None,
    meld: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND:TILES", help="A meld: chow, pung, kong_exposed, kong_added or kong_concealed."),
    ] = None,
    flowers: Annotated[str, typer.Option(metavar="TILES", help="Flowers, such as f1f2.")] = "",
    ruleset: Annotated[str, typer.Option(help="Ruleset; `taicam rules list` shows them.")] = "taiwan",
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the ruleset.")] = None,
    self_draw: Annotated[
        bool, typer.Option("--self-draw", help="Won by the own draw.", rich_help_panel=_FACTS)
    ] = False,
    seat: Annotated[str, typer.Option(help="Winner's seat wind: E S W N.", rich_help_panel=_FACTS)] = "E",
    round_wind: Annotated[str, typer.Option("--round", help="Round wind: E S W N.", rich_help_panel=_FACTS)] = "E",
    dealer: Annotated[bool, typer.Option("--dealer", help="The winner deals.", rich_help_panel=_FACTS)] = False,
    streak: Annotated[int, typer.Option(min=0, help="The dealer's streak N.", rich_help_panel=_FACTS)] = 0,
    flag: Annotated[
        list[str] | None, typer.Option(help="Such as last_tile or rob_kong.", rich_help_panel=_FACTS)
    ] = None,
    winner: Annotated[int | None, typer.Option(help="Who won.", rich_help_panel=_PAYMENTS)] = None,
    loser: Annotated[
        int | None, typer.Option(help="Whose tile it was; none on a self-draw.", rich_help_panel=_PAYMENTS)
    ] = None,
    dealer_player: Annotated[int | None, typer.Option(help="Who deals.", rich_help_panel=_PAYMENTS)] = None,
    stake: Annotated[
        str | None, typer.Option(metavar="DI/TAI", help="Such as 100/20.", rich_help_panel=_PAYMENTS)
    ] = None,
) -> None:
    """Score a hand: its 台 with the tiles they come from, what was not counted and why, and who pays.

    taicam score "1m2m3m 456m 789p 234s 678s 55p" --win 8s --self-draw --seat S

    With --jsonl each line of standard input is one hand as a JSON object and gives one JSON object, in order; a line
    that cannot be a hand gives one with "error", the rest goes on, and the exit status is then 2.
    """
    if jsonl:
        if tiles:
            raise UsageError("--jsonl reads hands from standard input, not from the command line", "leave TILES out")
        raise typer.Exit(_score_lines())
    if not tiles:
        raise UsageError("no tiles given", "try: taicam score '123m 456m 789p 234s 678s 55p' --win 8s, or --jsonl")
    record: dict[str, Any] = {
        "ruleset": ruleset,
        "options": dict(_option(text) for text in option or ()),
        "concealed": " ".join(tiles),
        "melds": [_meld(text) for text in meld or ()],
        "flowers": flowers,
        "win_tile": win,
        "self_draw": self_draw,
        "seat_wind": seat.upper(),
        "round_wind": round_wind.upper(),
        "streak": streak,
        "flags": flag or [],
        "winner": winner,
        "loser": loser,
        "dealer_player": dealer_player,
        "stake": _stake(stake) if stake else None,
    }
    if dealer or dealer_player is None:
        record["dealer"] = dealer
    answer = score_record(record)
    if as_json:
        sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
    elif "error" in answer:
        raise UsageError(answer["error_zh"], answer["error"])
    else:
        print_answer(answer)
    raise typer.Exit(2 if "error" in answer else 0)


def _score_lines() -> int:
    """Answers every line of standard input; 2 when any was an error."""
    status = 0
    for line in sys.stdin:
        if not line.strip():
            continue
        answer = score_json(line)
        if "error" in answer:
            status = 2
        sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    return status


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--option {text}", "give NAME=VALUE, such as --option ligu_enabled=false")
    return name.strip(), value.strip()


def _meld(text: str) -> dict[str, str]:
    kind, colon, tiles = text.partition(":")
    if not colon:
        raise UsageError(f"--meld {text}", "give KIND:TILES, such as --meld pung:CCC or --meld chow:123m")
    return {"kind": kind.strip(), "tiles": tiles}


def _stake(text: str) -> dict[str, int]:
    di, slash, tai = text.partition("/")
    if not slash or not di.strip().isdecimal() or not tai.strip().isdecimal():
        raise UsageError(f"--stake {text}", "give 底/台 as whole numbers, such as --stake 100/20")
    return {"di": int(di), "tai": int(tai)}
