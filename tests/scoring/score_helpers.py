"""Hands written as text, for the scoring tests, and where the rule vectors lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scoring import Hand, Meld, Score, WinContext, load_ruleset, parse_tiles, score_hand

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "rules" / "vectors.jsonl"


def hand_from(text: str, flowers: str = "") -> Hand:
    """`123m 456m 55p | chow:123m pung:CCC | 5p`: concealed tiles, melds, winning tile (empty for none)."""
    parts = [part.strip() for part in text.split("|")]
    melds = [word.split(":") for word in parts[1].split()]
    return Hand(
        concealed=tuple(parse_tiles(parts[0])),
        melds=tuple(Meld(kind, tuple(parse_tiles(tiles))) for kind, tiles in melds),
        flowers=tuple(parse_tiles(flowers)),
        win_tile=parts[2] or None,
    )


def context_from(facts: str) -> WinContext:
    """`draw seat=S round=E dealer streak=2 last_tile`: words are flags, but for draw (self-drawn) and dealer."""
    values: dict[str, Any] = {"seat_wind": "S", "round_wind": "E"}
    flags = []
    for word in facts.split():
        name, equals, value = word.partition("=")
        if word == "draw":
            values["self_draw"] = True
        elif word == "dealer":
            values["dealer"] = True
        elif not equals:
            flags.append(word)
        elif name in ("seat", "round"):
            values[f"{name}_wind"] = value
        elif name == "flower_seat":
            values[name] = value
        elif name in ("streak", "streak_shown", "table_kongs"):
            values[name] = int(value)
        elif name == "from":
            values["meld_from"] = tuple(value.split(","))
        else:
            values["eyed_players"] = tuple(int(player) for player in value.split(","))
    return WinContext(flags=frozenset(flags), **values)


def score_text(text: str, facts: str = "", flowers: str = "", ruleset: str = "taiwan", **options: Any) -> Score:
    """Scores a hand written as text."""
    return score_hand(hand_from(text, flowers), context_from(facts), load_ruleset(ruleset, options))


def items_of(score: Score) -> dict[str, int]:
    """The counted items, by the name the rule text uses."""
    return {item.name: item.value for item in score.items}


def wanted_items(text: str) -> dict[str, int]:
    """`门清 1 平和 2` as names and values."""
    words = text.split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}
