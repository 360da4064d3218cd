"""A match replayed: totals, corrections, seats, settling up."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import ruleset_names
from taicam.board import Board
from taicam.errors import UsageError
from taicam.facts import Facts
from taicam.house import House
from taicam.ledger import Ledger, fold
from taicam.ledger.export import hands_csv, hands_jsonl
from taicam.match.replay import Standing, standing_of, whole_hands
from taicam.match.setup import MatchSetup
from taicam.match.statistics import settle_up, statistics
from taicam.match.submission import Submission, Win
from taicam.play import PlayDesk, Source
from taicam.session import Session

HAND = {
    "concealed": ["1m", "2m", "3m", "4m", "5m", "6m", "7p", "8p", "9p", "2s", "3s", "4s", "6s", "7s", "8s", "5p", "5p"],
    "melds": [],
    "flowers": [],
    "win_tile": "8s",
}
PEOPLE = ["p0", "p1", "p2", "p3", "p4"]


def setup(**more: Any) -> dict[str, Any]:
    return {
        "title": "",
        "people": [{"id": name, "name": name.upper(), "colour": "#112233"} for name in PEOPLE],
        "seating": PEOPLE[:4],
        "ruleset": "taiwan",
        "options": {},
        "stakes": {"di": 100, "tai": 20},
        "start_score": 1000,
        "false_win": 150,
        **more,
    }


class Evening:
    """A match on a real ledger, played by calls."""

    def __init__(self, ledger: Ledger, **more: Any) -> None:
        self.session = Session(ledger, Board(), House())
        self.desk = PlayDesk(self.session)
        self.desk.start_match(setup(**more), "key-start", "test")
        self.count = 0

    def key(self) -> str:
        self.count += 1
        return f"key-{self.count:08}"

    def win(self, place: int, loser: int | None = None) -> str:
        submission = Submission("win", (Win(place, HAND, loser is None),), loser)
        return self.desk.record(submission, Facts(), Source(), self.key(), "test")

    def draw(self) -> str:
        return self.desk.record(Submission("draw"), Facts(), Source(), self.key(), "test")

    @property
    def standing(self) -> Standing:
        standing = self.session.standing
        assert standing is not None
        return standing


@pytest.fixture
def evening(ledger: Ledger) -> Evening:
    return Evening(ledger)


def test_the_dealer_stays_on_a_win_and_a_draw_and_the_round_goes_on(evening: Evening) -> None:
    evening.win(0, 1)
    evening.draw()
    assert (evening.standing.progress.dealer, evening.standing.progress.streak) == (0, 2)
    for place in (1, 2, 3, 0):
        evening.win(place, (place + 1) % 4)
    progress = evening.standing.progress
    assert (progress.dealer, progress.streak, progress.round_wind) == (0, 0, "S")
    assert sum(evening.standing.totals.values()) == 5 * 1000
    view = evening.session.board.view
    assert [seat.name for seat in view.seats] == ["P0", "P1", "P2", "P3"]


def test_totals_follow_people_when_they_change_seats(evening: Evening) -> None:
    evening.win(1)
    before = dict(evening.standing.totals)
    evening.desk.change_seats(("p4", "p0", "p2", "p3"), evening.key(), "test")
    evening.win(0)
    after = evening.standing.totals
    assert after["p1"] == before["p1"]  # sits out
    assert after["p4"] > 1000
    assert after["p0"] < before["p0"]
    with pytest.raises(UsageError, match="four different people"):
        evening.desk.change_seats(("p4", "p4", "p2", "p3"), evening.key(), "test")
    with pytest.raises(UsageError, match="nobody in this match"):
        evening.desk.change_seats(("px", "p4", "p2", "p3"), evening.key(), "test")


def test_after_four_rounds_the_seats_are_drawn_before_the_next_hand(evening: Evening) -> None:
    for _ in range(4):
        for place in (1, 2, 3, 0):
            evening.win(place, (place + 2) % 4)
    assert evening.standing.progress.seat_change_due
    with pytest.raises(UsageError, match="搬風"):
        evening.win(0, 1)
    evening.desk.change_seats(("p1", "p0", "p2", "p3"), evening.key(), "test")
    evening.win(0, 1)
    assert evening.standing.progress.game == 2
    assert evening.standing.hands[-1].seating[0] == "p1"


def test_the_wall_break_sets_the_seat_winds_of_one_hand(evening: Evening) -> None:
    assert not evening.standing.progress.east_known
    evening.desk.break_wall(2, evening.key(), "test")
    assert evening.standing.progress.seat_wind(2) == "E"
    evening.win(2, 0)
    assert evening.standing.hands[-1].wins[0].record["seat_wind"] == "E"
    assert not evening.standing.progress.east_known


@pytest.mark.parametrize("name", ruleset_names())
def test_a_match_of_every_ruleset_goes_on(tmp_path: Path, name: str) -> None:
    with Ledger.open(tmp_path / "one") as ledger:
        evening = Evening(ledger, ruleset=name)
        for _ in range(3):
            evening.draw()
            if not evening.standing.progress.dealer_known:
                evening.desk.name_dealer(2, evening.key(), "test")
                assert evening.standing.progress.dealer == 2
        assert len(evening.standing.hands) == 3
        assert evening.standing.progress.hand_number == 4
        assert Session(ledger, Board(), House()).standing is not None


def test_several_winners_where_the_ruleset_pays_them_all(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "all") as ledger:
        evening = Evening(ledger, options={"multi_ron": "all"})
        both = Submission("win", (Win(1, HAND), Win(2, HAND)), 0)
        evening.desk.record(both, Facts(), Source(), evening.key(), "test")
        changes = evening.standing.hands[-1].changes
        assert changes == (-360, 180, 180, 0)  # 底 100 + (門清 1 + 平和 2 + dealer 1) x 20, twice


def test_a_random_evening_sums_to_nothing_and_replays_to_the_point(tmp_path: Path) -> None:
    chance = random.Random(7)
    with Ledger.open(tmp_path / "long") as ledger:
        evening = Evening(ledger, start_score=0)
        hands: list[str] = []
        for _ in range(120):
            if evening.standing.progress.seat_change_due:
                seating = list(evening.standing.seating)
                seating[0], seating[1] = seating[1], seating[0]
                evening.desk.change_seats(tuple(seating), evening.key(), "test")
            action = chance.random()
            place = chance.randrange(4)
            if action < 0.1:
                evening.draw()
            elif action < 0.15:
                false_win = Submission("false_win", place=place)
                evening.desk.record(false_win, Facts(), Source(), evening.key(), "test")
            elif action < 0.25 and hands:
                evening.desk.void(hands.pop(), evening.key(), "test")
            else:
                loser = None if chance.random() < 0.3 else (place + chance.randrange(1, 4)) % 4
                hands.append(evening.win(place, loser))
            assert sum(evening.standing.totals.values()) == 0
        again = standing_of(fold(ledger.events()), evening.standing.setup.match_id)
        assert again.totals == evening.standing.totals
        assert [hand.changes for hand in again.hands] == [hand.changes for hand in evening.standing.hands]
        numbers = statistics(again)
        assert {person: one.course[-1] for person, one in numbers.items()} == again.totals
        exported = whole_hands(evening.session.account)
        paid = [hand.answer["payments"] for hand in exported if not hand.voided]
        assert all(sum(one.values()) == 0 for one in paid)


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=7))
@settings(max_examples=150, deadline=None)
def test_settling_up_brings_everybody_to_nothing_in_the_fewest_payments(amounts: list[int]) -> None:
    balances = {f"p{n}": amount for n, amount in enumerate([*amounts, -sum(amounts)])}
    left = dict(balances)
    transfers = settle_up(balances)
    for one in transfers:
        assert one.amount > 0
        left[one.payer] += one.amount
        left[one.payee] -= one.amount
    assert set(left.values()) == {0}
    people = [person for person, balance in balances.items() if balance]
    assert len(transfers) == len(people) - _most_groups([balances[person] for person in people])


def _most_groups(values: list[int]) -> int:
    """The greatest number of groups summing to zero, by trying every subset that holds the first one."""
    if not values:
        return 0
    first, *rest = values
    best = 0
    for chosen in range(1 << len(rest)):
        group = [value for at, value in enumerate(rest) if chosen >> at & 1]
        if first + sum(group) == 0:
            others = [value for at, value in enumerate(rest) if not chosen >> at & 1]
            best = max(best, 1 + _most_groups(others))
    return best


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"people": [], "seating": []}, "4 to 8"),
        ({"seating": ["p0", "p0", "p1", "p2"]}, "four different people"),
        ({"seating": ["p0", "p1", "p2", "zz"]}, "nobody in this match"),
        ({"stakes": {"di": -1, "tai": 20}}, "di cannot come to -1"),
        ({"people": [{"id": n, "name": "same", "colour": "#112233"} for n in PEOPLE]}, "same name"),
        ({"people": [{"id": n, "name": n, "colour": "red"} for n in PEOPLE]}, "colour"),
        ({"start_score": "many"}, "cannot be understood"),
    ],
)
def test_a_match_that_cannot_be_is_refused_in_words(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        MatchSetup.from_payload("m1", setup(**change))


def test_the_account_taken_elsewhere_names_everybody(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "export") as ledger:
        evening = Evening(ledger, options={"multi_ron": "all"})
        both = Submission("win", (Win(1, HAND), Win(2, HAND)), 0)
        evening.desk.record(both, Facts(), Source(), evening.key(), "test")
        evening.desk.change_seats(("p1", "p0", "p4", "p3"), evening.key(), "test")
        evening.desk.record(Submission("false_win", place=2), Facts(), Source(), evening.key(), "test")
        hands = whole_hands(evening.session.account)
        won, false = csv.DictReader(io.StringIO(hands_csv(hands)))
        assert (won["people"], won["winners"], won["loser"]) == ("P0 / P1 / P2 / P3", "P1 3 / P2 3", "P0")
        assert won["changes"] == "P0 -360 / P1 +180 / P2 +180 / P3 +0"
        assert (false["people"], false["false_win"]) == ("P1 / P0 / P4 / P3", "P4")
        assert false["changes"] == "P1 +150 / P0 +150 / P4 -450 / P3 +150"
        told = [json.loads(line) for line in hands_jsonl(hands).splitlines()]
        assert [one["name"] for one in told[0]["winners"]] == ["P1", "P2"]
        assert [one["record"]["win_tile"] for one in told[0]["winners"]] == ["8s", "8s"]
        assert (told[0]["loser"], told[1]["false_win"]) == (0, 2)
