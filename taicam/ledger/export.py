"""The account as CSV or JSON, for a spreadsheet or another program."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from taicam.ledger.events import Event
from taicam.ledger.fold import HandEntry

CSV_COLUMNS = (
    "seq", "hand_id", "at_utc", "match_id", "outcome", "voided", "corrections", "ruleset", "total", "items",
    "concealed", "melds", "flowers", "win_tile", "self_draw", "seat_wind", "round_wind", "dealer", "streak",
    "flags", "payments", "picture", "people", "winners", "loser", "false_win", "changes",
)  # fmt: skip
_PLAIN = ("win_tile", "self_draw", "seat_wind", "round_wind", "dealer", "streak", "ruleset")


def hand_json(hand: HandEntry) -> dict[str, Any]:
    """One hand as it stands, as a JSON object."""
    return {
        "seq": hand.seq,
        "hand_id": hand.hand_id,
        "at_utc": hand.at_utc,
        "match_id": hand.match_id,
        "outcome": hand.outcome,
        "voided": hand.voided,
        "corrections": hand.corrections,
        "record": dict(hand.record),
        "answer": dict(hand.answer),
        "picture": hand.picture,
        "offer_id": hand.details.get("offer_id"),
        "people": list(hand.details.get("people", ())),
        "winners": [dict(winner) for winner in hand.details.get("winners", ())],
        "loser": hand.details.get("loser"),
        "false_win": hand.details.get("place"),
    }


def hands_csv(hands: Iterable[HandEntry]) -> str:
    """One line a hand, with a heading; lists are joined by spaces, melds and people by ` / `.

    `payments` are by place, `changes` by name; of several winners the tiles are the first one's (the JSON has all).
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for hand in hands:
        writer.writerow({key: _safe(value) for key, value in _row(hand).items()})
    return text.getvalue()


def _row(hand: HandEntry) -> dict[str, Any]:
    record, answer = hand.record, hand.answer
    payments = answer.get("payments") or {}
    return {
        "seq": hand.seq,
        "hand_id": hand.hand_id,
        "at_utc": hand.at_utc,
        "match_id": hand.match_id or "",
        "outcome": hand.outcome,
        "voided": hand.voided,
        "corrections": hand.corrections,
        "total": "" if hand.total is None else hand.total,
        "items": " ".join(f"{item['name']}{item['value']}" for item in answer.get("items", ())),
        "concealed": " ".join(record.get("concealed", ())),
        "melds": " / ".join(f"{meld['kind']} {' '.join(meld['tiles'])}" for meld in record.get("melds", ())),
        "flowers": " ".join(record.get("flowers", ())),
        "flags": " ".join(record.get("flags", ())),
        "payments": " ".join(f"{player}:{amount}" for player, amount in sorted(payments.items())),
        "picture": hand.picture,
        **_people(hand, payments),
        **{name: record.get(name, "") for name in _PLAIN},
    }


def _people(hand: HandEntry, payments: Mapping[str, int]) -> dict[str, str]:
    """Who, by name; empty for a hand outside any match, or voided."""
    people = hand.details.get("people", ())
    if not people:
        return dict.fromkeys(("people", "winners", "loser", "false_win", "changes"), "")
    loser, offender = hand.details.get("loser"), hand.details.get("place")
    return {
        "people": " / ".join(people),
        "winners": " / ".join(f"{one['name']} {one['answer'].get('total')}" for one in hand.details["winners"]),
        "loser": "" if loser is None else people[loser],
        "false_win": "" if offender is None else people[offender],
        "changes": " / ".join(f"{people[int(place)]} {amount:+d}" for place, amount in sorted(payments.items())),
    }


def _safe(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula is kept a text: a picture may have any name."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def hands_jsonl(hands: Iterable[HandEntry]) -> str:
    """One JSON object a line."""
    return "".join(json.dumps(hand_json(hand), ensure_ascii=False) + "\n" for hand in hands)


def events_jsonl(events: Iterable[Event]) -> str:
    """The raw events, one JSON object a line: everything the ledger holds."""
    return "".join(json.dumps(event.to_json(), ensure_ascii=False) + "\n" for event in events)
