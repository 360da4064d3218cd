"""The live loop: what is on show stays until the tiles it came from have gone, also when the loop starts late."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from device.cameras import open_camera
from scoring.view import ScoreView
from taicam.board import Board
from taicam.facts import Facts
from taicam.pipeline import LiveLoop
from taicam.play import PlayDesk, Source, Submission
from taicam.session import Session
from taicam.watch import Look
from vision.observation import TableReading

SELF_DRAW = Facts(self_draw=True, dealer_player=0)
CLEARED = Look(TableReading(()), cleared=True)


class Script:
    """A watcher that has seen what the test says, one look a frame."""

    def __init__(self, *looks: Look) -> None:
        self._looks = list(looks)

    def look(self, _image: Any, _now_s: float) -> Look:
        return self._looks.pop(0)

    def taken(self, _reading: TableReading) -> None:
        pass


@pytest.fixture
def look_through(tmp_path: Path) -> Any:
    """Run the loop over these looks; returns the states shown, one after another."""

    def run(session: Session, *looks: Look) -> list[str]:
        folder = tmp_path / "frames"
        folder.mkdir(exist_ok=True)
        for number in range(len(looks)):
            cv2.imwrite(str(folder / f"{number}.png"), np.zeros((20, 20, 3), np.uint8))
        shown: list[str] = []

        def note(view: ScoreView) -> None:
            shown.append(view.state)

        forget = session.board.listen(note)
        with open_camera(str(folder)) as camera:
            LiveLoop(camera, Script(*looks), session, 0.0, SELF_DRAW, lambda *_: None).run(threading.Event())
        forget()
        return shown

    return run


def test_a_hand_is_shown_until_its_tiles_have_gone(session: Session, readings: Any, look_through: Any) -> None:
    hand = readings.plain()
    assert look_through(session, Look(hand, hand))[-1] == "recorded"
    assert look_through(session, Look(hand, hand), Look(), CLEARED)[-1] == "idle"


def test_a_view_without_a_hand_is_told_until_it_is_empty(session: Session, readings: Any, look_through: Any) -> None:
    nothing = readings.unreadable()
    assert look_through(session, Look(nothing, nothing), CLEARED)[-2:] == ["aiming", "idle"]


def test_a_camera_that_starts_over_an_empty_table_leaves_a_recorded_draw_on_show(
    session: Session, look_through: Any
) -> None:
    desk = PlayDesk(session)
    people = [{"id": name, "name": name, "colour": "#112233"} for name in "ABCD"]
    setup = {
        "title": "",
        "people": people,
        "seating": list("ABCD"),
        "ruleset": "taiwan",
        "options": {},
        "stakes": {"di": 100, "tai": 20},
        "start_score": 0,
        "false_win": 0,
    }
    desk.start_match(setup, "match", "test")
    desk.record(Submission("draw"), Facts(), Source(), "d", "test")
    assert session.board.view.state == "recorded"
    assert set(look_through(session, Look(), CLEARED, Look())) <= {"recorded"}
    assert session.board.view.state == "recorded"


def test_an_empty_table_after_a_restart_lets_the_same_hand_be_offered_again(
    session: Session, readings: Any, look_through: Any
) -> None:
    hand = readings.plain()
    look_through(session, Look(hand, hand))
    assert len(session.account.counted()) == 1
    restarted = Session(session.ledger, Board(), session.house)
    look_through(restarted, Look(hand, hand))
    assert len(restarted.account.counted()) == 1
    look_through(restarted, CLEARED, Look(hand, hand))
    assert len(restarted.account.counted()) == 2
