"""The match's state from hand to hand, as `scoring.match` works it out, told in submissions and people."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.match import (
    DealerDrawn,
    DrawEvent,
    Event,
    FalseWinEvent,
    MatchError,
    MatchState,
    SeatChange,
    WallBreak,
    WinEvent,
    advance,
    start_match,
)
from scoring.payouts import bird_place
from scoring.ruleset import load_ruleset
from taicam.match.setup import MatchSetup
from taicam.match.submission import Submission

__all__ = ["MatchError", "MatchState", "after", "began", "dealer_told", "seats_drawn", "wall_broken"]


def began(setup: MatchSetup) -> MatchState:
    """The state before the first hand."""
    return start_match(load_ruleset(setup.ruleset, setup.options))


def after(state: MatchState, submission: Submission) -> MatchState:
    """The state after a hand. Raises MatchError where the hand contradicts the state."""
    return advance(state, _event(state, submission))


def wall_broken(state: MatchState, place: int) -> MatchState:
    """The state once it is known where the wall was broken (開門). Raises MatchError."""
    return advance(state, WallBreak(place))


def dealer_told(state: MatchState, place: int) -> MatchState:
    """The state once it is told who deals, where the ruleset leaves that to the table. Raises MatchError."""
    return advance(state, DealerDrawn(place))


def seats_drawn(state: MatchState, before: tuple[str, ...], seating: tuple[str, ...]) -> MatchState:
    """The state after people changed seats: a drawing of seats where one is due, else only a change of people.

    Raises MatchError when the drawing left the order as it was.
    """
    if not state.seat_change_due:
        return state
    return advance(state, SeatChange(_numbers(state, before, seating)))


def _numbers(state: MatchState, before: tuple[str, ...], seating: tuple[str, ...]) -> tuple[int, ...]:
    """Each place's person by number; somebody new takes the number of somebody who left."""
    number: Mapping[str, int] = dict(zip(before, state.seats, strict=True))
    free = iter(sorted(number[person] for person in before if person not in seating))
    return tuple(number[person] if person in number else next(free) for person in seating)


def _event(state: MatchState, submission: Submission) -> Event:
    if submission.outcome == "draw":
        return DrawEvent()
    if submission.place is not None:
        return FalseWinEvent(submission.place)
    winners = tuple(win.place for win in submission.wins)
    if len(winners) > 1 and submission.loser is None:
        return WinEvent(winners, dealt=True, bird=_bird(state, submission))
    return WinEvent(winners, submission.loser)


def _bird(state: MatchState, submission: Submission) -> int | None:
    """On whom the bird (鳥) of this hand fell; None where no number was told."""
    numbers = (win.fields.get("bird_number") for win in submission.wins)
    number = next((one for one in numbers if one is not None), None)
    return None if number is None else bird_place(state.dealer, number)
