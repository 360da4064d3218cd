"""What a table plays by, and one win to be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring import score_record
from taicam.facts import Facts
from taicam.words import Language


@dataclass(frozen=True, slots=True)
class House:
    """Ruleset, its options, 底 and 台, and the language of the displays."""

    ruleset: str = "taiwan"
    options: Mapping[str, Any] = field(default_factory=dict)
    di: int = 100
    tai: int = 20
    language: Language = "zh-Hant"


@dataclass(frozen=True, slots=True)
class Case:
    """A hand with its facts, as handed to scoring (`record`) and as answered (`answer`); `name` is its picture."""

    name: str
    facts: Facts
    record: Mapping[str, Any]
    answer: Mapping[str, Any]

    @property
    def wins(self) -> bool:
        """Whether scoring calls it a win."""
        return bool(self.answer.get("wins"))

    @classmethod
    def build(cls, name: str, hand: Mapping[str, Any], facts: Facts, house: House) -> Case:
        """Score `hand` (tiles only) with `facts` under the house's ruleset."""
        record = {
            **hand,
            **facts.to_record(),
            "ruleset": facts.ruleset or house.ruleset,
            "options": dict(house.options),
            "stake": {"di": house.di, "tai": house.tai},
        }
        return cls(name, facts, record, score_record(record))
