"""What came of looking at one picture or one stable live view."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

OutcomeStatus = Literal["recorded", "already", "confirm", "not_winning", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`record` is what was handed to scoring and `answer` what it said (both empty when it failed);
    `problem` says why a picture failed; `doubts` are the sentences to ask about."""

    name: str
    status: OutcomeStatus
    record: Mapping[str, Any] = field(default_factory=dict)
    answer: Mapping[str, Any] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    problem: str = ""
    hand_id: str = ""
    bad_input: bool = False

    def to_json(self) -> dict[str, Any]:
        """The outcome as a JSON object, one a picture."""
        return {
            "picture": self.name,
            "status": self.status,
            "hand": {key: self.record.get(key) for key in ("concealed", "melds", "flowers", "win_tile")},
            "total": self.answer.get("total"),
            "items": list(self.answer.get("items", ())),
            "reason": self.answer.get("reason", ""),
            "doubts": list(self.doubts),
            "problem": self.problem,
            "hand_id": self.hand_id,
        }


def fingerprint(hand: Mapping[str, Any]) -> str:
    """The same text for the same tiles in the same places, whatever the order they were read in."""
    melds = sorted(f"{meld['kind']}:{' '.join(sorted(meld['tiles']))}" for meld in hand["melds"])
    parts = [" ".join(sorted(hand["concealed"])), *melds, " ".join(sorted(hand["flowers"])), str(hand["win_tile"])]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:24]
