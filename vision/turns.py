"""Whose discard was it? Where it lies says one thing and the turn order another: the likeliest whole hand counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: The next discard is that of the next player, or of the one who claimed, unless something was overlooked.
_IN_TURN = 0.95
#: A claim rules out who cannot have thrown the tile, unless the claim itself was misread.
_RULED_OUT = 0.02
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Turn:
    """One discard: when it was first seen, and the share of looks in which it lay before each of the four seats."""

    time_s: float
    lies: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A seat took a discard: `took` is its number among the discards, None when it was not seen."""

    seat: int
    time_s: float
    chow: bool
    took: int | None


def discarders(turns: Sequence[Turn], claims: Sequence[Claim], tidy: float) -> tuple[list[tuple[int, float]], float]:
    """The seat of each discard with its probability, in the order given (that of time), and how tidy the table is.

    `tidy` is how often a tile lies before the player who threw it; it is fitted to the hand, starting from the value
    given, so that at a table that throws them into a heap the turns decide.
    """
    if not turns:
        return [], tidy
    lies = np.array([turn.lies for turn in turns])
    steps = [_step(turns[n], turns[n + 1], n, claims) for n in range(len(turns) - 1)]
    odds = np.full((len(turns), 4), 0.25)
    for _ in range(_ROUNDS):
        seen = tidy * lies + (1 - tidy) / 4
        for claim in claims:
            if claim.took is not None:
                seen[claim.took] *= _givers(claim)
        odds = _posterior(seen, steps)
        # A few made-up discards at the rate believed before keep a short hand from deciding it.
        agree = float((odds * lies).sum())
        tidy = float(np.clip((agree + 6 * tidy) / (len(turns) + 6), 0.05, 0.99))
    best = odds.argmax(axis=1)
    return [(int(seat), float(row[seat])) for seat, row in zip(best, odds, strict=True)], tidy


def _givers(claim: Claim) -> Floats:
    givers = np.ones(4)
    givers[claim.seat] = _RULED_OUT
    if claim.chow:
        givers[:] = _RULED_OUT
        givers[(claim.seat - 1) % 4] = 1.0
    return givers


def _step(before: Turn, after: Turn, number: int, claims: Sequence[Claim]) -> Floats:
    """Probabilities of the next discarder (columns) after each discarder (rows)."""
    takers = {
        claim.seat
        for claim in claims
        if claim.took == number or (claim.took is None and before.time_s < claim.time_s <= after.time_s)
    }
    step = np.full((4, 4), (1 - _IN_TURN) / 3)
    for seat in range(4):
        if not takers:
            step[seat, (seat + 1) % 4] = _IN_TURN
        for taker in takers:
            step[seat, taker] = _IN_TURN / len(takers)
    return np.asarray(step / step.sum(axis=1, keepdims=True))


def _posterior(seen: Floats, steps: Sequence[Floats]) -> Floats:
    """Forward-backward over the seats of a chain of discards."""
    forward = [seen[0] / seen[0].sum()]
    for row, step in zip(seen[1:], steps, strict=True):
        ahead = (forward[-1] @ step) * row
        forward.append(ahead / ahead.sum())
    backward = [np.ones(4)]
    for row, step in zip(seen[:0:-1], reversed(steps), strict=True):
        behind = step @ (row * backward[-1])
        backward.append(behind / behind.sum())
    odds = np.array(forward) * np.array(backward[::-1])
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
