"""What lies before other players and in the middle counts towards four of a kind, where it is surely seen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from vision.observation import TableReading, TileObservation
from vision.picture import Picture
from vision.reader import HandReader
from vision.table import TableCalibration
from vision.table_reader import TableReader, TableTiles

SIZE = (1600, 1200)
CALIBRATION = TableCalibration("default", SIZE, ((300.0, 100.0), (1300.0, 100.0), (1300.0, 1100.0), (300.0, 1100.0)))
HAND = "1m 2m 3m 4m 5m 6m 7m 8m 9m 2s 2s 6s 7s"
WIDE, HIGH = 30.0, 40.0


class Blind:
    """Never asked: the tiles come from the test."""

    def detect(self, image: Picture, look: int = 0) -> Sequence[TileObservation]:
        raise AssertionError("no picture is looked at")


def row(codes: str, x: float, y: float, there: float) -> list[TileObservation]:
    """Tiles side by side, each there with this probability."""
    places = [(code, x + n * (WIDE + 0.4)) for n, code in enumerate(codes.split())]
    return [
        TileObservation(code, (left, y, left + WIDE, y + HIGH), there * 0.9995, ((code, 0.9995),))
        for code, left in places
    ]


def read(meld: str, elsewhere: str, there: float) -> TableReading:
    """A hand with a pung, won; `elsewhere` the tiles before the player on the right."""
    y = CALIBRATION.zone(0).size[1] - 3 * HIGH
    mine = [*row(HAND, 60, y, 0.98), *row("8s", 510, y, 0.98), *row(meld, 600, y, 0.98)]
    other = row(elsewhere, 60, CALIBRATION.zone(1).size[1] - 3 * HIGH, there)
    found = TableTiles({0: tuple(mine), 1: tuple(other)}, {0: (), 1: ()}, (), None, SIZE)
    return TableReader(HandReader(Blind()), CALIBRATION).view([found]).seats[0]


def asked(reading: TableReading) -> set[str]:
    return {doubt.kind for doubt in reading.doubts}


@pytest.mark.parametrize(("there", "counts"), [(0.98, True), (0.7, False)])
def test_what_is_hardly_there_makes_no_fifth_of_a_kind(there: float, counts: bool) -> None:
    """As the sliver of a tile at the edge of another zone was named a 四筒."""
    reading = read("4p 4p 4p", "4p 4p", there)
    assert reading.melds[0].tiles == ("4p", "4p", "4p")
    assert ("fifth_tile" in asked(reading)) is counts


def test_the_tops_of_standing_tiles_make_no_fifth_blank() -> None:
    assert "fifth_tile" in asked(read("P P P", "P P", 0.98))
    assert "fifth_tile" not in asked(read("P P P", "P P P P P P", 0.98))
