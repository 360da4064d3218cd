"""The running appliance over a calibrated table: looks are voted, a hand is offered once, a moved camera is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pytest

from scoring.tiles import KINDS
from taicam.watch import TableWatcher
from vision.observation import ACCEPTED, TileObservation
from vision.reader import HandReader
from vision.table import TableCalibration
from vision.table_bump import BumpWatch
from vision.table_reader import TableReader

SIZE = (1200, 1200)
CORNERS = ((100.0, 100.0), (1100.0, 100.0), (1100.0, 1100.0), (100.0, 1100.0))
HAND = ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p", "2p", "3p", "4s", "5s", "6s", "C", "C"]


class Laid:
    """Seat 0's hand in every zone of its shape that shows it; `names` are what the next looks take a tile for."""

    def __init__(self) -> None:
        self.codes: list[str] = list(HAND)
        self.slips: list[tuple[str, float]] = []
        self.asked = 0

    def detect(self, image: np.ndarray) -> Sequence[TileObservation]:
        self.asked += 1
        if not self.codes or self.asked % 4 != 1:  # the zones are looked at seat by seat, seat 0 first
            return ()
        height, width = image.shape[:2]
        tile = 0.029 * width
        slip = self.slips.pop(0) if self.slips else None
        out = []
        for place, code in enumerate(self.codes):
            x = 0.15 * width + place * 1.01 * tile + (0.9 * tile if place == len(self.codes) - 1 else 0)
            y = 0.75 * height
            odds = ((code, 0.999), (KINDS[(KINDS.index(code) + 1) % 27], 0.001))
            if slip and place == 0:
                odds = ((slip[0], slip[1]), (code, 1 - slip[1]))
            out.append(TileObservation(odds[0][0], (x, y, x + tile, y + 1.35 * tile), 0.99, odds, 0.0))
        return out


def room(seed: int = 3) -> np.ndarray:
    """A table with things about it that do not move."""
    rng = np.random.default_rng(seed)
    image = np.full((SIZE[1], SIZE[0], 3), 70, np.uint8)
    for _ in range(300):
        x, y = (int(v) for v in rng.integers(0, 1200, 2))
        cv2.circle(image, (x, y), int(rng.integers(3, 11)), tuple(int(v) for v in rng.integers(0, 255, 3)), -1)
    return image


@pytest.fixture
def laid() -> Laid:
    return Laid()


def watcher(laid: Laid, reference: np.ndarray | None = None) -> TableWatcher:
    calibration = TableCalibration("cam", SIZE, CORNERS)
    bump = None if reference is None else BumpWatch(calibration, reference)
    return TableWatcher(TableReader(HandReader(laid), calibration, bump))


def looks(table: TableWatcher, image: np.ndarray, count: int) -> list[Any]:
    return [table.look(image, float(i)) for i in range(count)]


def test_a_hand_is_offered_once_with_its_seat(laid: Laid) -> None:
    offers = [look for look in looks(watcher(laid), room(), 8) if look.offer is not None]
    assert [look.seat for look in offers] == [0]
    assert sorted(offers[0].offer.concealed) == sorted(HAND)
    assert offers[0].offer.status == ACCEPTED


def test_a_tile_that_slips_in_one_look_is_outvoted(laid: Laid) -> None:
    laid.slips = [("1m", 0.999), ("4m", 0.7), ("1m", 0.999), ("1m", 0.999)]
    offers = [look.offer for look in looks(watcher(laid), room(), 8) if look.offer is not None]
    assert sorted(offers[-1].concealed) == sorted(HAND)


def test_the_next_hand_is_offered_after_the_table_was_cleared(laid: Laid) -> None:
    table, image = watcher(laid), room()
    first = [look for look in looks(table, image, 5) if look.offer]
    laid.codes = []
    other = image.copy()
    other[300:900, 300:900] = 200
    cleared = [look for look in looks(table, other, 6) if look.cleared]
    laid.codes = list(HAND)
    again = [look for look in looks(table, image, 6) if look.offer]
    assert (len(first), len(cleared), len(again)) == (1, 1, 1)


def test_a_moved_camera_is_said_and_nothing_is_accepted_through_it(
    laid: Laid, capsys: pytest.CaptureFixture[str]
) -> None:
    image = room()
    table = watcher(laid, image)
    assert next(look.offer for look in looks(table, image, 4) if look.offer).status == ACCEPTED
    moved = cv2.warpAffine(image, np.array([[1, 0, 40], [0, 1, 16]], np.float32), SIZE, borderMode=cv2.BORDER_REFLECT)
    table = watcher(laid, image)
    seen = [look for look in looks(table, moved, 5) if look.seen is not None]
    assert seen
    assert all(any(note.kind == "bumped" for note in look.seen.quality) for look in seen)
    offered = [look.offer for look in seen if look.offer is not None]
    assert offered
    assert all(reading.status != ACCEPTED for reading in offered)
    laid.codes = []
    nobody = [look.seen for look in looks(watcher(laid, image), moved, 4) if look.seen is not None]
    assert nobody
    assert all(any(note.kind == "bumped" for note in reading.quality) for reading in nobody)
