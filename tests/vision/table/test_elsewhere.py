"""What lies before other players and in the middle counts towards four of a kind, where it is surely seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from vision.observation import TableReading, TileObservation
from vision.picture import Picture
from vision.reader import HandReader
from vision.table import TableCalibration, to_camera_box
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


def won(meld: str) -> list[TileObservation]:
    """A hand that wins, with a pung, in the view of seat 0."""
    y = CALIBRATION.zone(0).size[1] - 3 * HIGH
    return [*row(HAND, 60, y, 0.98), *row("8s", 510, y, 0.98), *row(meld, 900, y, 0.98)]


def seen(mine: Sequence[TileObservation], others: Sequence[TileObservation]) -> TableReading:
    """The reading of seat 0, beside what is found in the view of seat 1."""
    found = TableTiles({0: tuple(mine), 1: tuple(others)}, {0: (), 1: ()}, (), None, SIZE)
    return TableReader(HandReader(Blind()), CALIBRATION).view([found]).seats[0]


def read(meld: str, elsewhere: str, there: float) -> TableReading:
    """A hand with a pung, won; `elsewhere` the tiles before the player on the right."""
    return seen(won(meld), row(elsewhere, 400, CALIBRATION.zone(1).size[1] - 3 * HIGH, there))


def as_seat_1_sees(tile: TileObservation) -> TileObservation:
    """The same tile in the view of seat 1."""
    points = np.array([[0.0, 0.0], [500.0, 0.0], [0.0, 200.0]])
    camera = np.hstack([CALIBRATION.zone(1).to_camera(points), np.ones((3, 1))])
    x1, y1, x2, y2 = to_camera_box(CALIBRATION.zone(0), tile.box)
    corners = np.array([[x1, y1, 1.0], [x2, y2, 1.0]]) @ np.linalg.inv(camera) @ points
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return replace(tile, box=(float(left), float(top), float(right), float(bottom)))


def asked(reading: TableReading) -> set[str]:
    return {doubt.kind for doubt in reading.doubts}


@pytest.mark.parametrize(("there", "counts"), [(0.98, True), (0.7, False)])
def test_what_is_hardly_there_makes_no_fifth_of_a_kind(there: float, counts: bool) -> None:
    """As the sliver of a tile at the edge of another zone was named a 四筒."""
    reading = read("4p 4p 4p", "4p 4p", there)
    assert reading.melds[0].tiles == ("4p", "4p", "4p")
    assert ("fifth_tile" in asked(reading)) is counts


def test_a_kong_of_which_two_lie_face_down_is_read_though_a_fifth_seems_to_lie_elsewhere() -> None:
    reading = read("back W W back", "W", 0.98)
    assert [(meld.kind, meld.tiles[1]) for meld in reading.melds] == [("kong_concealed", "W")]
    assert "fifth_tile" in asked(reading)


def test_the_tops_of_standing_tiles_make_no_fifth_blank() -> None:
    assert "fifth_tile" in asked(read("P P P", "P P", 0.98))
    assert "fifth_tile" not in asked(read("P P P", "P P P P P P", 0.98))


def test_a_tile_that_two_players_might_own_is_no_tile_elsewhere_and_asked_about() -> None:
    """As two 北 at a corner of the table, found in both zones: a kong with them was thought impossible."""
    mine = won("N N N")
    alone = seen(mine, ())
    assert asked(alone) == set()
    both = seen(mine, [as_seat_1_sees(tile) for tile in mine[-3:]])
    assert both.hand_record() == alone.hand_record()
    assert "tile" in asked(both) and "fifth_tile" not in asked(both)
    doubtful = {doubt.tile_index for doubt in both.doubts}
    assert {both.tiles[i].code for i in doubtful if i is not None} == {"N"}
    faint = seen(mine, [replace(as_seat_1_sees(tile), confidence=0.1) for tile in mine[-3:]])
    assert asked(faint) == set(), "what hardly anybody else claims is this player's"
