"""Where patterns are registered by key.

A pattern counts how often it is present (0: not at all; three dragon triplets are 3). One `of_hand` is asked once a
hand, one `of_reading` for every reading of the tiles. The `_with` forms are factories: they get the ruleset's options
and the item's `args` once, when the ruleset is loaded, and return the predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.errors import nearest
from scoring.facts import Facts
from scoring.reading import Reading

Options = Mapping[str, Any]
Args = Mapping[str, Any]
HandPredicate = Callable[[Facts], int]
ReadingPredicate = Callable[[Facts, Reading], int]
HandFactory = Callable[[Options, Args], HandPredicate]
ReadingFactory = Callable[[Options, Args], ReadingPredicate]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A registered pattern: exactly one of the two factories is set. needs: see NEEDS."""

    key: str
    needs: str = ""
    hand: HandFactory | None = None
    reading: ReadingFactory | None = None


PATTERNS: dict[str, Pattern] = {}
NEEDS: tuple[str, ...] = ("flags", "flowers", "honours")
"""What a pattern may say it needs to count at all; it is not even asked about a hand that has none."""


def _register(pattern: Pattern) -> None:
    if pattern.needs and pattern.needs not in NEEDS:
        raise ValueError(f"pattern {pattern.key!r} needs {pattern.needs!r}; {nearest(pattern.needs, NEEDS)}")
    if pattern.key in PATTERNS:
        raise ValueError(f"pattern {pattern.key!r} is registered twice; every pattern has its own key")
    PATTERNS[pattern.key] = pattern


def of_hand(key: str, needs: str = "") -> Callable[[HandPredicate], HandPredicate]:
    """Registers a predicate of the hand as a whole."""

    def wrap(predicate: HandPredicate) -> HandPredicate:
        _register(Pattern(key, needs, hand=lambda _options, _args: predicate))
        return predicate

    return wrap


def of_reading(key: str, needs: str = "") -> Callable[[ReadingPredicate], ReadingPredicate]:
    """Registers a predicate of one reading of the tiles."""

    def wrap(predicate: ReadingPredicate) -> ReadingPredicate:
        _register(Pattern(key, needs, reading=lambda _options, _args: predicate))
        return predicate

    return wrap


def of_hand_with(key: str, needs: str = "") -> Callable[[HandFactory], HandFactory]:
    """Registers a factory of a hand predicate."""

    def wrap(factory: HandFactory) -> HandFactory:
        _register(Pattern(key, needs, hand=factory))
        return factory

    return wrap


def of_reading_with(key: str, needs: str = "") -> Callable[[ReadingFactory], ReadingFactory]:
    """Registers a factory of a reading predicate."""

    def wrap(factory: ReadingFactory) -> ReadingFactory:
        _register(Pattern(key, needs, reading=factory))
        return factory

    return wrap
