"""Which tiles the items of the mainland rulesets come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scoring.encoding import count_of, kinds_in
from scoring.facts import Facts, wild_codes
from scoring.patterns.taiwan import PLANTS, SEASONS, SEAT_FLOWERS
from scoring.reading import Reading
from scoring.tiles import FLOWERS, KINDS

if TYPE_CHECKING:
    from scoring.ruleset import Ruleset


def _held_at_least(facts: Facts, number: int) -> tuple[str, ...]:
    held = [(kind, count_of(facts.counts, kind)) for kind in kinds_in(facts.counts)]
    return tuple(KINDS[kind] for kind, count in held for _ in range(count) if count >= number)


def _fours(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _held_at_least(facts, 4)


def _threes(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _held_at_least(facts, 3)


def _wilds(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    wild = wild_codes(facts.context.wild)
    return tuple(code for code in facts.hand.concealed if code in wild)


def _flower_kongs(facts: Facts, _reading: Reading, rules: Ruleset) -> tuple[str, ...]:
    """The seat's own flowers and full colours."""
    mask = facts.flowers & SEAT_FLOWERS[rules.options["flower_order"]][facts.flower_seat]
    for colour in (SEASONS, PLANTS):
        if facts.flowers & colour == colour:
            mask |= colour
    return tuple(code for index, code in enumerate(FLOWERS) if mask >> index & 1)


MAINLAND_TILES: dict[str, Callable[[Facts, Reading, Ruleset], tuple[str, ...]]] = {
    "fours": _fours,
    "threes": _threes,
    "wilds": _wilds,
    "flower_kongs": _flower_kongs,
}
