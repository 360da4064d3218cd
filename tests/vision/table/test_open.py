"""A hand laid open is told from one that the camera sees being played; a misread win is asked about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vision.observation import CONFIRM, UNREADABLE, Doubt, MeldReading, TableReading
from vision.table_open import OPENING_S, OpenHands
from vision.table_reader import TableView

NOBODY = TableReading((), status=UNREADABLE)
WAITING = TableReading((), concealed=("1m",) * 16)
LOSING = TableReading((), concealed=("1m",) * 17, status=CONFIRM, wins=False)
WON = replace(LOSING, wins=True)
MELDED = TableReading((), concealed=("1m",) * 5, melds=(MeldReading("pung", ("E",) * 3),) * 4, wins=False)


def view(*seats: TableReading) -> TableView:
    readings = (*seats, *[NOBODY] * (4 - len(seats)))
    won = [seat for seat, reading in enumerate(readings) if reading.wins]
    return TableView(readings, (), won[0] if len(won) == 1 else None, (), (1920, 1080))


@pytest.mark.parametrize("hand", [LOSING, MELDED])
def test_a_whole_hand_laid_open_that_does_not_win_as_read_is_taken_up(hand: TableReading) -> None:
    hands = OpenHands()
    assert hands.seat(view(), 0.0) is None
    assert hands.seat(view(NOBODY, hand), 10.0) == 1
    assert hands.seat(view(NOBODY, hand), 60.0) == 1, "as long as it lies there"
    assert hands.seat(view(), 61.0) is None


def test_one_laid_open_tile_by_tile_is_taken_up_too() -> None:
    hands = OpenHands()
    assert hands.seat(view(WAITING), 10.0) is None
    assert hands.seat(view(LOSING), 10.0 + OPENING_S / 2) == 0


def test_a_hand_seen_while_it_is_played_is_open_only_when_it_wins() -> None:
    hands = OpenHands()
    for turn in range(5):
        assert hands.seat(view(WAITING), 20.0 * turn) is None
        assert hands.seat(view(LOSING), 20.0 * turn + 10.0) is None, "it has drawn a tile"
    assert hands.seat(view(WON), 200.0) == 0


LACKING = replace(WAITING, doubts=(Doubt("waiting", "", ""),))


def test_a_hand_laid_open_without_its_winning_tile_is_taken_up_where_it_surely_lies() -> None:
    """Won from a discard that stayed where it was: the tile is asked about."""
    lies = replace(view(NOBODY, LACKING), lying=frozenset({1}))
    hands = OpenHands()
    assert hands.seat(view(), 0.0) is None
    assert hands.seat(lies, 10.0) == 1
    assert hands.seat(replace(lies, lying=frozenset()), 20.0) is None, "it may stand"
    late = OpenHands()
    assert late.seat(view(NOBODY, WAITING), 0.0) is None
    assert late.seat(lies, OPENING_S + 1.0) is None, "it has been in view for long"


def test_a_standing_hand_is_not_laid_open() -> None:
    assert OpenHands().seat(replace(view(LOSING), standing=frozenset({0})), 0.0) is None


def test_two_such_hands_are_nobodys() -> None:
    assert OpenHands().seat(view(LOSING, LOSING), 0.0) is None
    assert OpenHands().seat(view(LOSING, WON), 0.0) == 1, "the one that wins goes first"


def test_the_side_of_a_single_standing_tile_is_no_hand() -> None:
    five = tuple(MeldReading("pung", (code,) * 3) for code in "ESWNC")
    alone = TableReading((), concealed=("P",), melds=five, doubts=LACKING.doubts)
    lies = replace(view(NOBODY, alone), lying=frozenset({1}))
    assert lies.unproven is None
    drawn = replace(alone, concealed=("F",))
    assert replace(lies, seats=(NOBODY, drawn, NOBODY, NOBODY)).unproven == 1
