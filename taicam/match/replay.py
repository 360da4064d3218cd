"""A match from its events: every hand scored in the state it was played in, totals by person.

A pure function of the events: correcting or voiding an older hand recomputes everything after it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from scoring import score_record
from scoring.errors_zh import error_zh
from scoring.settlement import settle_false_win
from taicam.ledger import EventKind, HandEntry, LedgerView
from taicam.ledger.events import encode_payload
from taicam.match.progress import MatchError, MatchState, after, began, dealer_told, seats_drawn, wall_broken
from taicam.match.setup import PLACES, MatchSetup
from taicam.match.submission import Submission, Win
from taicam.views import payment_changes, refusal


@dataclass(frozen=True, slots=True)
class PlayedWin:
    """One winner of a played hand, as scored."""

    place: int
    record: Mapping[str, Any]
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Played:
    """One hand that counts: the state it was played in, what happened, and what each place got or paid.

    `problem` says why it cannot count, in Chinese and in English; both empty where it can.
    """

    entry: HandEntry
    submission: Submission
    seating: tuple[str, ...]
    round_wind: str
    hand_number: int
    dealer: int
    streak: int
    seat_winds: tuple[str, ...]
    wins: tuple[PlayedWin, ...]
    changes: tuple[int, ...]
    problem: str = ""
    problem_en: str = ""


@dataclass(slots=True)
class Standing:
    """How a match stands: the state of the next hand, the hands so far, totals by person."""

    setup: MatchSetup
    progress: MatchState
    seating: tuple[str, ...]
    hands: list[Played] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    ended: bool = False

    def seat_totals(self) -> list[int]:
        """The totals of the people at the four places now."""
        return [self.totals[person] for person in self.seating]

    def seat_names(self) -> list[str]:
        """The names of the people at the four places now."""
        return [self.setup.person(person).name for person in self.seating]


def standing_of(view: LedgerView, match_id: str, until: str | None = None) -> Standing:
    """Replay one match of the ledger; up to, and without, the hand `until` when it is given."""
    started = view.matches[match_id]
    setup = MatchSetup.from_payload(match_id, started.payload)
    standing = Standing(setup, began(setup), setup.seating)
    standing.totals = {person.id: setup.start_score for person in setup.people}
    for item in view.match_log(match_id):
        if isinstance(item, HandEntry):
            if item.hand_id == until:
                break
            _play(standing, item)
        elif item.kind is EventKind.SEATS_CHANGED:
            _change_seats(standing, tuple(item.payload["seating"]))
        elif item.kind is EventKind.WALL_BROKEN:
            _told(standing, wall_broken, int(item.payload["place"]))
        elif item.kind is EventKind.DEALER_TOLD:
            _told(standing, dealer_told, int(item.payload["place"]))
        elif item.kind is EventKind.MATCH_ENDED:
            standing.ended = True
    return standing


def _change_seats(standing: Standing, seating: tuple[str, ...]) -> None:
    # When an older hand was corrected, a drawing of seats may come at a time when none is due: people still moved.
    with suppress(MatchError):
        standing.progress = seats_drawn(standing.progress, standing.seating, seating)
    standing.seating = seating


def _told(standing: Standing, what: Callable[[MatchState, int], MatchState], place: int) -> None:
    with suppress(MatchError):
        standing.progress = what(standing.progress, place)


def _play(standing: Standing, entry: HandEntry) -> None:
    submission = Submission.from_payload({**entry.details, "outcome": entry.outcome})
    played = judge(standing, submission, entry)
    standing.hands.append(played)
    for person, change in zip(standing.seating, played.changes, strict=True):
        standing.totals[person] += change
    if not played.problem:
        standing.progress = after(standing.progress, submission)


def judge(standing: Standing, submission: Submission, entry: HandEntry) -> Played:
    """Score a submission in the state the match stands in."""
    progress = standing.progress
    wins = tuple(_score(standing, submission, win) for win in submission.wins)
    changes = [0] * PLACES
    for win in wins:
        for place, change in payment_changes(win.answer.get("payments") or {}).items():
            changes[place] += change
    if submission.place is not None:
        changes = list(settle_false_win(submission.place, standing.setup.false_win).payments)
    problem, problem_en = (
        _nobody_deals(progress, submission)
        or _problem(submission, wins)
        or _contradiction(progress, submission)
        or ("", "")
    )
    return Played(
        entry=entry,
        submission=submission,
        seating=standing.seating,
        round_wind=progress.round_wind,
        hand_number=progress.hand_number,
        dealer=progress.dealer,
        streak=progress.streak,
        seat_winds=tuple(progress.seat_wind(place) for place in range(PLACES)),
        wins=wins,
        changes=tuple(changes),
        problem=problem,
        problem_en=problem_en,
    )


def _score(standing: Standing, submission: Submission, win: Win) -> PlayedWin:
    progress, setup = standing.progress, standing.setup
    # Before somebody has said who dealt in, the hand is scored all the same, only not paid.
    told = win.self_draw or submission.loser is not None
    players = {"winner": win.place, "loser": submission.loser, "dealer_player": progress.dealer} if told else {}
    record = {
        **_known(standing),
        **win.told,
        "self_draw": win.self_draw,
        "seat_wind": win.seat_wind or progress.seat_wind(win.place),
        "round_wind": progress.round_wind,
        "dealer": win.place == progress.dealer,
        "streak": progress.streak,
        "flags": list(win.flags),
        **players,
        "ruleset": setup.ruleset,
        "options": dict(setup.options),
        "stake": {"di": setup.di, "tai": setup.tai},
    }
    return PlayedWin(win.place, record, _answer(encode_payload(record)))


def _known(standing: Standing) -> dict[str, Any]:
    """What the match itself knows of a ruleset's own fields: who is out already (血戰), drawn games (荒番)."""
    progress = standing.progress
    reads = progress.rules.play.get("fields", ())
    known = {"won": list(progress.out), "huangfan": progress.drawn_games}
    return {name: value for name, value in known.items() if name in reads and value}


@lru_cache(maxsize=4096)
def _answer(record: str) -> Mapping[str, Any]:
    """A record is scored once, however often its match is replayed. Nobody may change the answer."""
    return score_record(json.loads(record))


def _problem(submission: Submission, wins: Sequence[PlayedWin]) -> tuple[str, str] | None:
    for win in wins:
        if not win.answer.get("wins"):
            return refusal(win.answer)
        if submission.loser is None and not win.record["self_draw"] and not win.answer.get("payments"):
            return "還沒選誰放槍", "who dealt in?"
    return None


def _nobody_deals(state: MatchState, submission: Submission) -> tuple[str, str] | None:
    """Where payments depend on the dealer, a win waits until somebody has said who deals."""
    if state.dealer_known or not submission.wins or not state.rules.settlement.get("dealer_matters", True):
        return None
    return (
        "還沒說這局誰做莊:請先在牌桌頁選莊家",
        "who deals this hand is not told yet: choose the dealer on the Table page",
    )


def _contradiction(state: MatchState, submission: Submission) -> tuple[str, str] | None:
    try:
        after(state, submission)
    except MatchError as error:
        return error_zh(error), str(error)
    return None


def whole_hands(view: LedgerView) -> list[HandEntry]:
    """Every hand of the ledger with its record and answer filled in, also where they follow from a match.

    Of several winners the first one's; the payments are those of the whole hand, by place. `details` say who sat at
    the four places (`people`) and what every winner had (`winners`). A voided hand of a match has none of it.
    """
    played: dict[str, tuple[Played, MatchSetup]] = {}
    for match_id in view.matches:
        standing = standing_of(view, match_id)
        played |= {one.entry.hand_id: (one, standing.setup) for one in standing.hands}
    return [_filled(entry, *played.get(entry.hand_id, (None, None))) for entry in view.hands.values()]


def _filled(entry: HandEntry, played: Played | None, setup: MatchSetup | None) -> HandEntry:
    if played is None or setup is None:
        return entry
    people = [setup.person(person).name for person in played.seating]
    winners = [
        {"place": win.place, "name": people[win.place], "record": win.record, "answer": win.answer}
        for win in played.wins
    ]
    record = played.wins[0].record if played.wins else {"ruleset": None, "round_wind": played.round_wind}
    answer = dict(played.wins[0].answer) if played.wins else {}
    answer["payments"] = {str(place): change for place, change in enumerate(played.changes)}
    details = {**entry.details, "people": people, "winners": winners}
    return replace(entry, record=record, answer=answer, details=details)
