"""Faults of a picture of a whole table: said once, and where nothing is found in it too."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from vision.observation import TileObservation
from vision.picture import Picture
from vision.reader import HandReader
from vision.table import TableCalibration
from vision.table_reader import TableReader


class SeesNothing:
    """A detector that finds no tile."""

    def detect(self, image: Picture, look: int = 0) -> Sequence[TileObservation]:
        return ()


@pytest.mark.parametrize(("sigma", "told"), [(0.0, set()), (5.0, {"blurred"})])
def test_a_table_out_of_focus_says_so_though_no_tiles_are_found(view: type, sigma: float, told: set[str]) -> None:
    table = view()
    picture = table.picture()
    seen = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma) if sigma else picture, np.uint8)
    calibration = TableCalibration("c", (1600, 1000), table.corners)
    looked = TableReader(HandReader(SeesNothing()), calibration).read(seen)
    assert {note.kind for note in looked.quality} == told
    assert all(reading.status == "unreadable" for reading in looked.seats)
