"""Errors of the scoring package: each names the field at fault and says what would be valid."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class ScoringError(ValueError):
    """Input that cannot be scored. `field` is the field at fault, `str(error)` says what would be valid."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class TileError(ScoringError):
    """A tile that does not exist, or text that is not tiles."""


class HandError(ScoringError):
    """Tiles that cannot be a hand: wrong number, five of a kind, a broken meld."""


class ContextError(ScoringError):
    """Facts about the win that contradict each other or the hand."""


class RulesetError(ScoringError):
    """An unknown ruleset or option, or a ruleset file that does not hold together."""


class SettlementError(ScoringError):
    """Players, stakes or events that cannot be settled."""


def nearest(word: object, valid: Iterable[str]) -> str:
    """Says what would be valid instead of `word`: the nearest names first, else all of them."""
    names = list(valid)
    close = get_close_matches(str(word), names, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else f"valid: {', '.join(names)}"
