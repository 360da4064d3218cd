"""What lay open before a player while the hand was played helps to read it when it is won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count as count_from

import cv2
import numpy as np
import pytest

from taicam.table_watch import TableWatcher
from taicam.watch import Look
from vision.observation import ACCEPTED, Known, TableReading, TileObservation
from vision.reader import HandReader
from vision.table import TableCalibration
from vision.table_reader import TableReader, TableTiles, TableView

SIZE = (1200, 1200)
CORNERS = ((100.0, 100.0), (1100.0, 100.0), (1100.0, 1100.0), (100.0, 1100.0))
ZONE_AT = (60, 790)  # where the zone of seat 0 lies in the camera's picture
TILE = (31, 42)
HAND = ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "2s", "2s", "5s", "6s", "7s"]
CLOCK = count_from(0)
Odds = tuple[tuple[str, float], ...]


class Eyes:
    """Finds the white tiles that are drawn: the hand and a set beside it; `takes` are the odds of the set's tiles."""

    def __init__(self) -> None:
        self.names = list(HAND)
        self.takes: list[Odds] = [((code, 0.999), ("9s", 0.0005)) for code in ("3p", "4p", "5p")]

    def detect(self, image: np.ndarray, look: int = 0) -> Sequence[TileObservation]:
        height, width = image.shape[:2]
        if abs(width - height) < 9:
            return []
        odds = [((code, 0.999), ("9p", 0.0005)) for code in self.names] + self.takes
        found = []
        for (x, y), ranked in zip(places(), odds, strict=False):
            if image[y + 20, x + 15].min() > 240:
                box = (float(x), float(y), float(x + TILE[0]), float(y + TILE[1]))
                found.append(TileObservation(ranked[0][0], box, 0.97, ranked, 0.0))
        return found


def places() -> list[tuple[int, int]]:
    """Left upper corners in the zone: the hand, its last tile apart, and the set."""
    hand = [(162 + round(n * 1.01 * TILE[0]) + (28 if n == len(HAND) - 1 else 0), 262) for n in range(len(HAND))]
    return hand + [(760 + round(n * 1.01 * TILE[0]), 262) for n in range(3)]


def picture(hand: int, tiles: Sequence[int] = (0, 1, 2)) -> np.ndarray:
    """The table with so many tiles of the hand laid open, and these of the set."""
    image = np.full((SIZE[1], SIZE[0], 3), 70, np.uint8)
    spots = places()
    for n in [*range(hand), *(len(HAND) + k for k in tiles)]:
        x, y = spots[n][0] + ZONE_AT[0], spots[n][1] + ZONE_AT[1]
        cv2.rectangle(image, (x, y), (x + TILE[0], y + TILE[1]), (250, 250, 250), -1)
    return image


@pytest.fixture
def eyes() -> Eyes:
    return Eyes()


def watcher(eyes: Eyes) -> TableWatcher:
    calibration = TableCalibration("cam", SIZE, CORNERS)
    return TableWatcher(TableReader(HandReader(eyes), calibration), calibration)


def looks(table: TableWatcher, image: np.ndarray, count: int = 6) -> list[Look]:
    return [table.look(image, float(next(CLOCK))) for _ in range(count)]


def offered(seen: Sequence[Look]) -> TableReading | None:
    found = [look.offer for look in seen if look.offer is not None]
    return found[-1] if found else None


def chow(reading: TableReading | None) -> list[str]:
    return [] if reading is None else [code for meld in reading.melds for code in sorted(meld.tiles)]


def test_a_tile_hidden_at_the_win_was_seen_before(eyes: Eyes) -> None:
    table = watcher(eyes)
    looks(table, picture(hand=0))
    reading = offered(looks(table, picture(hand=14, tiles=(0, 1)), 8))
    assert reading is not None
    assert (chow(reading), reading.wins, reading.status) == (["3p", "4p", "5p"], True, ACCEPTED)
    unseen = offered(looks(watcher(eyes), picture(hand=14, tiles=(0, 1)), 8))
    assert unseen is None or unseen.status != ACCEPTED, "who came late asks"


def test_a_tile_in_glare_at_the_win_was_clear_before(eyes: Eyes) -> None:
    table = watcher(eyes)
    looks(table, picture(hand=0))
    eyes.takes[1] = (("4p", 0.52), ("6p", 0.47))
    reading = offered(looks(table, picture(hand=14), 8))
    assert reading is not None
    assert (chow(reading), reading.status) == (["3p", "4p", "5p"], ACCEPTED)
    late = offered(looks(watcher(eyes), picture(hand=14), 8))
    assert late is not None
    assert [doubt.kind for doubt in late.doubts] == ["tile"]


class Asked(TableReader):
    """Keeps what it was told of the sets that lay before seat 0, look by look."""

    def __init__(self, eyes: Eyes, calibration: TableCalibration) -> None:
        super().__init__(HandReader(eyes), calibration)
        self.told: list[Known] = []

    def view(self, looks: Sequence[TableTiles], known: Mapping[int, Known] | None = None) -> TableView:
        self.told.append((known or {}).get(0))
        return super().view(looks, known)


@pytest.mark.parametrize("hand", [14, 12])
def test_what_an_open_hand_is_taken_for_does_not_become_what_lay_there_before(eyes: Eyes, hand: int) -> None:
    """Neither of a hand that is whole nor of one of which tiles are not found."""
    calibration = TableCalibration("cam", SIZE, CORNERS)
    reader = Asked(eyes, calibration)
    table = TableWatcher(reader, calibration)
    looks(table, picture(hand=0, tiles=()))
    for tiles in ((0, 1, 2), (0, 1), (0, 1, 2)):
        looks(table, picture(hand, tiles), 9)
    assert not any(reader.told)


def test_what_is_seen_while_the_hand_is_hidden_is_told(eyes: Eyes) -> None:
    calibration = TableCalibration("cam", SIZE, CORNERS)
    reader = Asked(eyes, calibration)
    table = TableWatcher(reader, calibration)
    looks(table, picture(hand=0), 2)
    assert reader.told[-1] is None, "it was seen once"
    looks(table, picture(hand=0))
    looks(table, picture(hand=14), 4)
    (known,) = reader.told[-1] or ()
    assert (known.kind, known.tiles) == ("chow", ("3p", "4p", "5p"))
    assert known.confidence > 0.9
