"""An enrolled tile set reaches the reading: its names and odds, and the set's own name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vision.enroll import Shot, learn
from vision.enroll_reader import EnrolledDetector
from vision.observation import TileObservation
from vision.reader import HandReader
from vision.table import TableCalibration
from vision.table_reader import TableReader

Shots = Callable[..., list[Shot]]


class Row:
    """Finds the tiles of a hand laid out from crops, and names them as the reader does, for any set."""

    def __init__(self, reader: Any, shots: Sequence[Shot]) -> None:
        odds = reader.describe(np.stack([shot.crop for shot in shots])).odds
        self.image = np.full((480, 60 * len(shots) + 40, 3), 90, np.uint8)
        self.tiles: list[TileObservation] = []
        for index, shot in enumerate(shots):
            x = 20 + 52 * index
            self.image[60:124, x : x + 48] = shot.crop
            box = (x + 48 * 0.097, 60 + 64 * 0.097, x + 48 * 0.903, 60 + 64 * 0.903)
            order = np.argsort(-odds[index])
            listed = tuple((reader.names[k], float(odds[index, k])) for k in order[:8])
            self.tiles.append(TileObservation(listed[0][0], box, 0.9 * listed[0][1], listed, 0.0))

    def detect(self, image: np.ndarray, look: int = 0) -> Sequence[TileObservation]:
        return tuple(self.tiles)


def test_the_sets_odds_reach_the_decoder_and_the_reading_names_the_set(reader: Any, shots: Shots) -> None:
    plain_right = enrolled_right = 0
    for style in (2, 3):
        seen = shots(style, 1, seed=40)
        row = Row(reader, seen)
        truth = {tile.box: shot.code for tile, shot in zip(row.tiles, seen, strict=True)}
        plain = HandReader(row).read(row.image)
        enrolled = HandReader(EnrolledDetector(row, reader, learn(shots(style), reader, f"set {style}"))).read(
            row.image
        )
        plain_right += sum(tile.code == truth[tile.box] for tile in plain.tiles)
        enrolled_right += sum(tile.code == truth[tile.box] for tile in enrolled.tiles)
        assert (plain.tile_set, enrolled.tile_set) == (None, f"set {style}")
        assert enrolled.to_json()["tile_set"] == f"set {style}"
    assert enrolled_right > plain_right


class OtherSetEachZone:
    """A detector that recognises another set in every zone it looks at."""

    tile_set: str | None = None
    asked = 0

    def detect(self, image: np.ndarray, look: int = 0) -> Sequence[TileObservation]:
        self.asked += 1
        self.tile_set = f"set {self.asked}"
        height, width = image.shape[:2]
        box = (0.5 * width, 0.6 * height, 0.52 * width, 0.7 * height)
        return (TileObservation("1m", box, 0.9, (("1m", 0.99),), 0.0),)


def test_over_a_table_each_seats_reading_names_its_set() -> None:
    corners = ((0.0, 0.0), (900.0, 0.0), (900.0, 900.0), (0.0, 900.0))
    table = TableReader(HandReader(OtherSetEachZone()), TableCalibration("cam", (900, 900), corners))
    view = table.read(np.full((900, 900, 3), 90, np.uint8), seats=(0, 2))
    assert [reading.tile_set for reading in view.seats] == ["set 1", None, "set 2", None]
    assert view.to_json()["seats"][2]["tile_set"] == "set 2"
