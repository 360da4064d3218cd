"""What people at the table say happened in one hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from taicam.errors import UsageError
from taicam.facts import WINDS

HandOutcome = Literal["win", "draw", "false_win"]
MAX_WINNERS = 4
DEALT = frozenset({"initial", "heavenly"})
"""Flags of a win on the tiles as dealt (起手胡), which several players may show at once."""


@dataclass(frozen=True, slots=True)
class Win:
    """One winner: the place in turn order, the tiles (fields of a scoring record), and what no camera saw.

    `fields` are those of a scoring record that only some rulesets read (鳥牌, 骰子, 定缺, 百搭 …). `seat_wind` is
    given only where the table counts seats otherwise than from the dealer (a wall broken by dice).
    """

    place: int
    hand: Mapping[str, Any]
    self_draw: bool = False
    flags: tuple[str, ...] = ()
    seat_wind: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> dict[str, Any]:
        """The tiles and the ruleset's own fields, as a scoring record has them."""
        return {**self.hand, **self.fields}

    @property
    def dealt(self) -> bool:
        """Whether it is a win on the tiles as dealt (起手胡)."""
        return self.self_draw and not DEALT.isdisjoint(self.flags)


@dataclass(frozen=True, slots=True)
class Submission:
    """One hand: who won with what and who dealt in; or nobody (a draw); or somebody who should not have (詐胡)."""

    outcome: HandOutcome
    wins: tuple[Win, ...] = ()
    loser: int | None = None
    place: int | None = None

    def to_payload(self) -> dict[str, Any]:
        """As kept in the ledger."""
        return {
            "outcome": self.outcome,
            "wins": [
                {
                    "place": win.place,
                    "hand": dict(win.hand),
                    "self_draw": win.self_draw,
                    "flags": list(win.flags),
                    "seat_wind": win.seat_wind,
                    "fields": dict(win.fields),
                }
                for win in self.wins
            ],
            "loser": self.loser,
            "place": self.place,
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Submission:
        """From the ledger or a page. Raises UsageError for facts that contradict each other."""
        wins = tuple(
            Win(
                win["place"],
                win["hand"],
                win["self_draw"],
                tuple(win["flags"]),
                win.get("seat_wind"),
                {name: value for name, value in (win.get("fields") or {}).items() if value not in (None, [], {})},
            )
            for win in payload["wins"]
        )
        submission = cls(payload["outcome"], wins, payload.get("loser"), payload.get("place"))
        _check(submission)
        return submission


def _check(submission: Submission) -> None:
    if submission.outcome == "win":
        _check_wins(submission)
    elif submission.wins or submission.loser is not None:
        raise UsageError(f"a {submission.outcome} has no winner and no discarder", "leave wins and loser out")
    if (submission.outcome == "false_win") != (submission.place is not None):
        raise UsageError("a false win, and only a false win, names the place that made it", "give place 0 to 3")


def _check_wins(submission: Submission) -> None:
    places = [win.place for win in submission.wins]
    if not 1 <= len(places) <= MAX_WINNERS or len(set(places)) != len(places):
        raise UsageError(f"a win has 1 to {MAX_WINNERS} different winners", "choose who won")
    if any(win.seat_wind is not None and win.seat_wind not in WINDS for win in submission.wins):
        raise UsageError("a seat wind is none of E S W N", "choose one of them")
    self_drawn = [win.self_draw for win in submission.wins]
    if any(self_drawn):
        if len(places) > 1 and not all(win.dealt for win in submission.wins):
            raise UsageError(
                "only one player can win by self-draw",
                "take the other winners out, or say that all of them won on the tiles as dealt",
            )
        if submission.loser is not None:
            raise UsageError("nobody deals in on a self-draw", "take the discarder out, or say it was no self-draw")
    elif submission.loser in places:
        raise UsageError("a winner cannot deal in to themselves", "choose another discarder")
