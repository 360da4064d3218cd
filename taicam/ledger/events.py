"""What can happen to the account. Nothing is ever changed or deleted: a correction is one more event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class EventKind(StrEnum):
    """The kinds of event; the payload of each is described beside it."""

    MATCH_STARTED = "match_started"  # {name, ruleset, options, stakes, start_score, people, seating}
    MATCH_ENDED = "match_ended"  # {}
    SEATS_CHANGED = "seats_changed"  # {seating}: who sits where from the next hand on
    WALL_BROKEN = "wall_broken"  # {place}: 開門, the place counted as east in the coming hand
    DEALER_TOLD = "dealer_told"  # {place}: who deals the coming hand, where the ruleset leaves it to the table
    HAND_OFFERED = "hand_offered"  # {offer_id, reading, fingerprint, picture}: waits for somebody to confirm it
    OFFER_DISMISSED = "offer_dismissed"  # {offer_id}
    HAND_RECORDED = "hand_recorded"  # {hand_id, outcome, record, answer, …}
    HAND_CORRECTED = "hand_corrected"  # as hand_recorded: the new truth of hand_id
    HAND_VOIDED = "hand_voided"  # {hand_id, reason}
    HAND_RESTORED = "hand_restored"  # {hand_id}: a void taken back


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the account. `seq` is its place; clocks may be wrong, `seq` never is.

    `key` is the idempotency key: the same key is never written twice. `at_utc` is ISO 8601 in UTC.
    """

    seq: int
    key: str
    kind: EventKind
    match_id: str | None
    at_utc: str
    actor: str
    payload: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The event as a JSON object."""
        return {
            "seq": self.seq,
            "key": self.key,
            "kind": self.kind.value,
            "match_id": self.match_id,
            "at_utc": self.at_utc,
            "actor": self.actor,
            "payload": dict(self.payload),
        }


def encode_payload(payload: Mapping[str, Any]) -> str:
    """Canonical JSON: the same facts always give the same text, so that a repeated write can be told from another."""
    return json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
