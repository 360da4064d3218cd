"""A camera that stays where it is, while tiles come and go under it, was not moved."""

from __future__ import annotations

import numpy as np

from vision.table import TableCalibration
from vision.table_bump import BumpWatch
from vision.training.render.game import still, studio
from vision.training.render.play import play_match

SIZE = (1280, 720)


def test_walls_that_are_eaten_away_do_not_move_the_camera() -> None:
    steps = list(play_match(8, 1))
    room = studio(8, SIZE, elevation=76.0, azimuth=8.0, light="office")
    corners = tuple((float(x), float(y)) for x, y in room.corners[[3, 2, 1, 0]])
    watch = BumpWatch(TableCalibration("cam", SIZE, corners), np.asarray(still(room, steps[0])[0], np.uint8))
    for number in (len(steps) // 2, 2 * len(steps) // 3, -8, -2, -1):
        check = watch.check(np.asarray(still(room, steps[number])[0], np.uint8))
        assert check.moved is not True, (number, check.shift)
    moved = studio(8, SIZE, elevation=74.0, azimuth=11.0, light="office")
    assert watch.check(np.asarray(still(moved, steps[0])[0], np.uint8)).moved
