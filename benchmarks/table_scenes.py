"""Rendered tables at the moment of a win, with full truth: seats, cameras, lights, tile sets no training has seen.

A case is drawn from its number alone. Its pictures are several frames of the same still table, each with the camera's
own noise; in every third case a player's arm lies over the winning tile in one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import default_rng

from vision.picture import Picture
from vision.table import TableCalibration
from vision.training.render.game import Painted, Studio, studio
from vision.training.render.grounds import paint_ground
from vision.training.render.light import LIGHTS
from vision.training.render.play import Event, Step
from vision.training.render.post import expose
from vision.training.render.sets import TileSet, drawn_set
from vision.training.render.tabletop import Table, random_table

#: Training draws its seeds below 2**36, the calibration of scores its own from 2**40 on.
FIRST_SEED = 1 << 41
STYLES = 6
ELEVATIONS = (48.0, 58.0, 68.0, 78.0, 88.0)
#: Sides the camera looks from, degrees: each seat's own, and the corners between them.
SIDES = (0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0)
ARM_EVERY = 3  # one case in so many has an arm over the winning tile in its second frame


@dataclass(frozen=True, slots=True)
class Scene:
    """One table with its pictures (BGR). `hand`: the winner's tiles as they lie; `winner`: the seat."""

    number: int
    frames: tuple[Picture, ...]
    calibration: TableCalibration
    winner: int
    hand: dict[str, Any]
    about: dict[str, Any]


@lru_cache(maxsize=STYLES)
def style(number: int) -> TileSet:
    """One of the drawn tile sets of this benchmark."""
    return drawn_set(FIRST_SEED + number, width=96)


def scene(number: int, frames: int = 3, size: tuple[int, int] = (1920, 1080)) -> Scene:
    """Case `number`; the same number, the same pictures."""
    seed = FIRST_SEED + 1000 + number
    rng = default_rng([seed, 51])
    light = sorted(LIGHTS)[number % len(LIGHTS)]
    high = ELEVATIONS[number % len(ELEVATIONS)] + float(rng.normal(0, 2))
    side = SIDES[(number * 3) % len(SIDES)] + float(rng.normal(0, 6))
    room = studio(seed, size, min(high, 90.0), side, style(number % STYLES), light=light)
    table = random_table(rng, win=True)
    winner = next(i for i, seat in enumerate(table.seats) if seat.open)
    arm = number % ARM_EVERY == 1
    pictures = tuple(_pictures(room, table, winner, seed, frames, arm))
    near_left, near_right, far_right, far_left = ((float(x), float(y)) for x, y in room.corners)
    calibration = TableCalibration("bench", size, (far_left, far_right, near_right, near_left))
    about = {
        "light": light,
        "elevation": round(high, 1),
        "side": round(side % 360, 1),
        "set": room.tiles.name,
        "win": room.layout.win_apart,
        "arm": arm,
    }
    return Scene(number, pictures, calibration, winner, truth_of(table, winner), about)


def truth_of(table: Table, winner: int) -> dict[str, Any]:
    """The winner's hand in the form `reading.judge` compares with."""
    seat = table.seats[winner]
    return {
        "concealed": sorted([*seat.hand, *([seat.win_tile] if seat.win_tile else [])]),
        "melds": [[kind, sorted(codes)] for kind, codes in seat.melds],
        "flowers": sorted(seat.flowers),
        "win_tile": seat.win_tile,
        "wins": True,
    }


def _pictures(room: Studio, table: Table, winner: int, seed: int, frames: int, arm: bool) -> Iterator[Picture]:
    event = Event("win", winner, table.seats[winner].win_tile)
    empty = paint_ground(room.ground, room.floor, room.camera, default_rng([seed, 32]))
    painted = Painted(room, Step(event, table), empty)
    for number in range(frames):
        stage = painted.with_arm(number) if arm and number == 1 else painted.stage
        picture = expose(stage.image, default_rng([seed, 33]), room.look, default_rng([seed, number, 34]))
        yield np.asarray(picture, np.uint8)
