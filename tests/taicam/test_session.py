"""The running table: what is recorded, asked, refused; once each; and after a restart."""

from __future__ import annotations

from typing import Any

import pytest

from taicam.board import Board
from taicam.errors import UsageError
from taicam.facts import Facts
from taicam.house import House
from taicam.ledger import Ledger
from taicam.play import PlayDesk
from taicam.session import Session

SELF_DRAW = Facts(self_draw=True, dealer_player=0)


def test_a_certain_winning_hand_is_recorded_and_shown(session: Session, readings: Any) -> None:
    outcome = session.offer(readings.plain(), "a.jpg", SELF_DRAW, "digest-a")
    assert outcome.status == "recorded"
    hand = session.account.hands[outcome.hand_id]
    assert hand.total == 3  # 門清 1, 不求 1, 自摸 1
    view = session.board.view
    assert (view.state, view.total, view.picture) == ("recorded", 3, "a.jpg")
    assert view.hand is not None
    assert view.hand.win_tile == "8s"
    assert len(view.hand.concealed) == 16
    assert [seat.change for seat in view.seats] == [3 * 180, -180, -180, -180]  # 底 100 + (3 + dealer 1) x 20 each
    assert [seat.total for seat in view.seats] == [540, -180, -180, -180]
    assert view.seats[0].winner
    assert view.seats[0].dealer


def test_a_doubtful_reading_is_asked_and_not_recorded(session: Session, readings: Any) -> None:
    outcome = session.offer(readings.doubtful(), "b.jpg", SELF_DRAW, "digest-b")
    assert outcome.status == "confirm"
    assert session.account.counted() == []
    assert session.board.view.state == "confirm"
    assert session.board.view.doubts == (("第 5 張不確定", "tile 5 is not certain"),)
    assert list(session.account.open_offers) == [outcome.hand_id]


def test_a_reading_marked_confirm_without_words_is_asked_too(session: Session, readings: Any) -> None:
    reading = readings.make(readings.plain().concealed, status="confirm")
    outcome = session.offer(reading, "b.jpg", SELF_DRAW, "digest")
    assert outcome.status == "confirm"
    assert outcome.doubts


def test_an_impossible_hand_is_asked_about_even_when_the_reader_was_sure(session: Session, readings: Any) -> None:
    five_of_a_kind = ["1m"] * 5 + list(readings.plain().concealed[5:])
    outcome = session.offer(readings.make(five_of_a_kind), "c.jpg", SELF_DRAW, "digest-c")
    assert outcome.status == "confirm"
    assert "1m" in " ".join(outcome.doubts)


def test_a_hand_that_does_not_win_is_said_and_not_recorded(session: Session, readings: Any) -> None:
    outcome = session.offer(readings.spoilt(), "d.jpg", SELF_DRAW, "digest-d")
    assert outcome.status == "not_winning"
    assert session.account.hands == {}
    assert session.board.view.state == "not_winning"
    assert session.board.view.total is None
    said = session.board.view.message
    assert "不成和牌型" in said.zh
    assert said.en.startswith("Not a winning hand: ")


def test_an_unreadable_picture_says_why(session: Session, readings: Any) -> None:
    outcome = session.offer(readings.unreadable(), "e.jpg", SELF_DRAW, "digest-e")
    assert (outcome.status, outcome.problem) == ("failed", "照片模糊:請重拍")
    assert session.board.view.state == "aiming"


def test_the_same_hand_on_several_pictures_is_recorded_once(session: Session, readings: Any) -> None:
    first = session.offer(readings.plain(), "a1.jpg", SELF_DRAW, "digest-1")
    shuffled = readings.make(list(reversed(readings.plain().concealed)))
    second = session.offer(shuffled, "a2.jpg", SELF_DRAW, "digest-2")
    assert (second.status, second.hand_id) == ("already", first.hand_id)
    assert len(session.account.counted()) == 1
    session.table_cleared()
    assert session.offer(readings.plain(), "later", SELF_DRAW).status == "recorded"  # a new hand, by chance the same


def test_the_same_picture_is_recorded_once_ever(ledger: Ledger, readings: Any) -> None:
    for _ in range(3):
        session = Session(ledger, Board(), House())
        session.table_cleared()
        session.offer(readings.plain(), "a.jpg", SELF_DRAW, "digest-1")
        session.offer(readings.doubtful(), "b.jpg", Facts(seat_wind="S"), "digest-2")
    assert len(session.account.counted()) == 1
    assert len(session.account.open_offers) <= 1
    assert len(ledger.events()) <= 2


def test_after_a_restart_the_hand_still_on_the_table_is_not_recorded_again(ledger: Ledger, readings: Any) -> None:
    Session(ledger, Board(), House()).offer(readings.plain(), "frame 1", SELF_DRAW)
    again = Session(ledger, Board(), House())
    assert again.offer(readings.plain(), "frame 1", SELF_DRAW).status == "already"
    assert len(again.account.counted()) == 1


def test_an_offer_survives_a_restart_and_is_confirmed_once(ledger: Ledger, readings: Any) -> None:
    offer = Session(ledger, Board(), House()).offer(readings.doubtful(), "frame 1", SELF_DRAW)
    session = Session(ledger, Board(), House())
    for _ in range(2):  # the tablet sends its tap twice
        hand = PlayDesk(session).confirm(offer.hand_id, "tap-12345", "tablet")
    assert hand.total == 3
    assert len(session.account.counted()) == 1
    assert session.account.open_offers == {}
    with pytest.raises(UsageError, match="waits to be confirmed"):
        PlayDesk(session).confirm(offer.hand_id, "tap-67890", "another tablet")


def test_confirming_with_a_corrected_tile_scores_the_correction(session: Session, readings: Any) -> None:
    offer = session.offer(readings.doubtful(), "f", Facts())
    concealed = list(readings.plain().concealed)
    concealed[-2:] = ["C", "C"]
    hand = PlayDesk(session).confirm(offer.hand_id, "key-00001", "tablet", {"concealed": concealed})
    assert list(hand.record["concealed"]) == concealed
    assert {item["name_zh"] for item in hand.answer["items"]} == {"門清"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"concealed": ["1m"] * 17}, "1m"), ({"win_tile": "C"}, "winning tile C"), ({"seat_wind": "X"}, "seat_wind")],
)
def test_a_correction_that_makes_no_hand_is_refused_and_the_offer_stays(
    session: Session, readings: Any, changes: dict[str, Any], message: str
) -> None:
    offer = session.offer(readings.doubtful(), "f", Facts())
    with pytest.raises(UsageError, match=message):
        PlayDesk(session).confirm(offer.hand_id, "key-00001", "tablet", changes)
    assert list(session.account.open_offers) == [offer.hand_id]
    assert session.account.counted() == []


def test_dismissing_voiding_and_restoring(session: Session, readings: Any) -> None:
    offer = session.offer(readings.doubtful(), "f", SELF_DRAW)
    PlayDesk(session).dismiss(offer.hand_id, "key-1", "tablet")
    PlayDesk(session).dismiss(offer.hand_id, "key-1", "tablet")
    assert session.account.open_offers == {}
    hand = session.offer(readings.make(list(readings.plain().concealed), "1m"), "g", SELF_DRAW)
    PlayDesk(session).void(hand.hand_id, "key-2", "tablet", "misread")
    assert [seat.total for seat in session.board.view.seats] == [0, 0, 0, 0]
    PlayDesk(session).restore(hand.hand_id, "key-3", "tablet")
    assert session.board.view.seats[0].total == 540
    with pytest.raises(UsageError, match="no hand"):
        PlayDesk(session).void("nothing", "key-4", "tablet")


def test_what_another_program_writes_is_taken_in(ledger: Ledger, readings: Any) -> None:
    here, there = Session(ledger, Board(), House()), Session(ledger, Board(), House())
    outcome = here.offer(readings.plain(), "a", SELF_DRAW)
    there.follow()
    assert there.board.view.seats[0].total == 540
    PlayDesk(there).void(outcome.hand_id, "key-1", "command line")
    here.follow()
    assert here.board.view.seats[0].total == 0


def test_a_display_that_dies_never_stops_scoring(session: Session, readings: Any) -> None:
    seen = []

    def broken(_view: object) -> None:
        raise RuntimeError("cable pulled")

    session.board.listen(broken)
    session.board.listen(lambda view: seen.append(view.state))
    assert session.offer(readings.plain(), "a", SELF_DRAW).status == "recorded"
    assert seen == ["recorded"]
