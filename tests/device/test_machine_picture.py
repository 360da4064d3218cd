"""A picture from the machine's own camera, over a bad serial line, is read and scored like any other."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from timing import slack_now

from device.machine.emulator.endpoint import PtyEndpoint
from device.machine.emulator.faults import Faults, mixture
from device.machine.emulator.run import Emulator, EmulatorSettings, picture_maker
from device.machine.events import Button, MachineEvent
from device.machine.link import MachineLink
from scoring import score_record
from taicam.truth import load_truth
from vision.picture import load_picture
from vision.reader import HandReader

SAMPLE = Path(__file__).parents[2] / "taicam" / "sample"


@pytest.mark.e2e
def test_a_hand_photographed_by_the_machine_is_read_and_scored(tmp_path: Path, say: Callable[[str], None]) -> None:
    """A player presses the button; the host asks for the picture; 10 % of all frames are spoilt at 921600 baud."""
    name = "02-pungs-and-dragons.jpg"
    (tmp_path / "camera").mkdir()
    (tmp_path / "camera" / "view.jpg").write_bytes((SAMPLE / name).read_bytes())
    settings = EmulatorSettings(hands=3, tiles=False, faults=Faults(mixture(0.10), baud=921600))
    emulator = Emulator(PtyEndpoint(tmp_path / "machine"), settings, picture_maker(str(tmp_path / "camera")))
    emulator.start()
    try:
        with MachineLink(str(tmp_path / "machine"), baud=921600) as link:
            end = time.monotonic() + 30 * slack_now()
            while True:
                assert time.monotonic() < end
                item = link.next(0.1)
                if isinstance(item, MachineEvent) and isinstance(item.body, Button) and item.body.button == "confirm":
                    break
            begin = time.monotonic()
            data = link.request_image(timeout_s=60 * slack_now())
            seconds = time.monotonic() - begin
    finally:
        emulator.stop()
    assert data == (SAMPLE / name).read_bytes()
    reading = HandReader().read(load_picture(data))
    straight = HandReader().read(load_picture(SAMPLE / name))
    assert reading.hand_record() == straight.hand_record()
    truth = load_truth(SAMPLE / "truth.json")[name]
    assert truth.matches(reading.hand_record())
    hand = {**truth.to_record(), **reading.hand_record(), "id": name, "ruleset": "taiwan"}
    expected = {**truth.to_record(), "id": name, "ruleset": "taiwan"}
    answer = score_record(hand)
    assert answer["wins"] is True and answer["total"] == score_record(expected)["total"] > 0
    say(
        f"picture over serial, read and scored: {len(data)} bytes in {seconds:.1f} s at 921600 baud, 10 % of frames "
        f"spoilt; {len(reading.tiles)} tiles, {answer['total']} tai"
    )


def test_a_torn_picture_is_no_picture() -> None:
    from vision.picture import PictureError

    data = (SAMPLE / "02-pungs-and-dragons.jpg").read_bytes()
    with pytest.raises(PictureError):
        load_picture(data[: len(data) // 2])
    assert isinstance(load_picture(data), np.ndarray)


def test_the_emulators_camera_shows_the_hand_just_won() -> None:
    pytest.importorskip("resvg_py", reason="needs the render extra")
    from collections import Counter

    from device.machine.emulator.game import Game
    from device.machine.events import NOBODY
    from taicam.commands.emulate_render import picture_of

    game = Game(5)
    assert picture_of(None) is None
    while not game.played or game.played[-1].winner == NOBODY:
        list(game.hand())
    hand = game.played[-1]
    data = picture_of(hand)
    assert data is not None
    read = HandReader().read(load_picture(data)).hand_record()
    assert Counter(read["concealed"]) == Counter(hand.concealed)
    assert Counter(tuple(sorted(meld["tiles"])) for meld in read["melds"]) == Counter(
        tuple(sorted(meld)) for meld in hand.melds
    )
    assert Counter(read["flowers"]) == Counter(hand.flowers) and read["win_tile"] == hand.win_tile
