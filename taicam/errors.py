"""The mistakes a user can make, and the jobs that can fail: each says what is wrong and what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TaicamError(Exception):
    """A foreseeable failure; `advice` is the next thing to do, `status` the exit status of the command line.

    `message_zh` says the same for players, where it is not found in `taicam.errors_zh`.
    """

    status = 1

    def __init__(self, message: str, advice: str = "", message_zh: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.message_zh = message_zh

    def __str__(self) -> str:
        return f"{self.message}\n  → {self.advice}" if self.advice else self.message


class UsageError(TaicamError):
    """Bad usage or bad input: exit status 2."""

    status = 2


class JobError(TaicamError):
    """What was asked for is sensible but could not be done: exit status 1."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A sentence naming the nearest of `known` to `word`, and all of them when they are few."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}valid: {', '.join(names)}"
