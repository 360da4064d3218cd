"""What the tiles sensed by a table amount to."""

from __future__ import annotations

from typing import Any

import pytest

from device.machine.table import WinAnnounced
from taicam.machine_loop import group_melds, reading_of_tiles
from vision.observation import CONFIRM


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", []),
        ("C C C", ["pung"]),
        ("1m 2m 3m 3m 3m 3m", ["chow", "pung"]),
        ("9p 9p 9p 9p 7s 8s 9s", ["kong_exposed", "chow"]),
        ("3s 1s 2s", ["chow"]),
        ("1m 1m 1m 1m 2m 3m", ["pung", "chow"]),  # four alike are not always a kong
        ("1m 2m 4m", None),
        ("E S W", None),
        ("1m 2m", None),
        ("1m 2p 3s", None),
    ],
)
def test_melds_are_told_apart_by_their_order(text: str, kinds: Any) -> None:
    found = group_melds(text.split())
    assert (None if found is None else [kind for kind, _ in found]) == kinds


def announced(**tiles: tuple[str, ...]) -> WinAnnounced:
    return WinAnnounced("k", 1, 2, "W", None, True, 0, 0, "E", tiles)


def test_sensed_tiles_are_always_to_be_confirmed() -> None:
    reading = reading_of_tiles(announced(hand=("1m", "1m"), win_tile=("1m",), meld=("C", "C", "C"), flower=("f3",)))
    assert reading is not None
    assert reading.status == CONFIRM
    assert reading.concealed == ("1m", "1m", "1m")
    assert reading.roles == ("concealed", "concealed", "winning", "meld", "meld", "meld", "flower")
    assert reading.melds[0].indices == (3, 4, 5)
    assert reading.hand_record()["win_tile"] == "1m"
    assert reading_of_tiles(announced()) is None
