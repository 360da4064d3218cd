"""Hands with everything a page shows of them: names, scores, changes; also where the score follows from a match."""

from __future__ import annotations

from typing import Any

from taicam.facts import WINDS
from taicam.ledger import HandEntry, LedgerView
from taicam.match.replay import Played, standing_of
from taicam.views import payment_changes
from taicam.words import WIND_NAMES


def complete_hands(account: LedgerView) -> list[dict[str, Any]]:
    """Every hand in the order it was first recorded, voided ones too; outside a match nobody has a name but a wind."""
    played: dict[str, tuple[Played, dict[str, str]]] = {}
    for match_id in account.matches:
        standing = standing_of(account, match_id)
        names = {person.id: person.name for person in standing.setup.people}
        for one in standing.hands:
            played[one.entry.hand_id] = (one, names)
    return [_row(entry, *played.get(entry.hand_id, (None, {}))) for entry in account.hands.values()]


def _row(entry: HandEntry, played: Played | None, names: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "hand_id": entry.hand_id,
        "seq": entry.seq,
        "at_utc": entry.at_utc,
        "match_id": entry.match_id,
        "outcome": entry.outcome,
        "voided": entry.voided,
        "corrections": entry.corrections,
        "picture": entry.picture,
        "picture_id": entry.details.get("picture_id", ""),
    }
    if played is not None:
        return row | _played(played, names)
    if entry.match_id is not None:  # voided: what it would score now is nobody's business
        return row | {"wins": [], "changes": [], "problem": "", "problem_en": ""}
    return row | _free(entry)


def _played(played: Played, names: dict[str, str]) -> dict[str, Any]:
    seats = [names[person] for person in played.seating]
    submission = played.submission
    return {
        "round_wind": played.round_wind,
        "hand_number": played.hand_number,
        "dealer": seats[played.dealer],
        "streak": played.streak,
        "wins": [
            {"name": seats[win.place], "self_draw": win.record["self_draw"], **_score(win.record, win.answer)}
            for win in played.wins
        ],
        "loser": None if submission.loser is None else seats[submission.loser],
        "offender": None if submission.place is None else seats[submission.place],
        "changes": [{"name": name, "change": change} for name, change in zip(seats, played.changes, strict=True)],
        "problem": played.problem,
        "problem_en": played.problem_en,
    }


def _free(entry: HandEntry) -> dict[str, Any]:
    winds = WIND_NAMES["zh-Hant"]
    changes = payment_changes(entry.answer.get("payments") or {})
    record = entry.record
    return {
        "round_wind": record.get("round_wind"),
        "wins": [
            {
                "name": winds["ESWN".index(record.get("seat_wind", "E"))],
                "wind": record.get("seat_wind", "E"),
                "self_draw": record.get("self_draw", False),
                **_score(record, entry.answer),
            }
        ],
        "loser": None if record.get("loser") is None else winds[record["loser"]],
        "loser_wind": None if record.get("loser") is None else WINDS[record["loser"]],
        "changes": [
            {"name": winds[place], "wind": WINDS[place], "change": change} for place, change in sorted(changes.items())
        ],
        "problem": "",
        "problem_en": "",
    }


def _score(record: Any, answer: Any) -> dict[str, Any]:
    return {
        "hand": {name: record.get(name) for name in ("concealed", "melds", "flowers", "win_tile")},
        "total": answer.get("total"),
        "unit": answer.get("unit", "台"),
        "items": answer.get("items", []),
    }
