"""Rendered tables with full truth: at the moment of a win, or in the midst of play, when nobody's hand lies open.

Seats, cameras, lights, tile sets no training has seen. A case is drawn from its number alone. Its pictures are several
frames of the same still table, each with the camera's own noise; in a third of the wins a player's arm lies over the
winning tile in one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

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
STYLES = 12
ELEVATIONS = (48.0, 58.0, 68.0, 78.0, 88.0)
#: Sides the camera looks from, degrees: each seat's own, and the corners between them.
SIDES = (0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0)
ARM_EVERY = 3  # one win in so many has an arm over the winning tile in its second frame
FACE_SEEN = 0.5  # share of a face that shows for its tile to count as seen


@dataclass(frozen=True, slots=True)
class Scene:
    """One table with its pictures (BGR). `winner`: the seat, None in the midst of play; `hand`: the winner's tiles as
    they lie; `faces`: those of them whose face shows in the first picture."""

    number: int
    frames: tuple[Picture, ...]
    calibration: TableCalibration
    winner: int | None
    hand: dict[str, Any] | None
    faces: tuple[str, ...]
    about: dict[str, Any]


@lru_cache(maxsize=STYLES)
def style(number: int) -> TileSet:
    """One of the drawn tile sets of this benchmark."""
    return drawn_set(FIRST_SEED + number, width=96)


def seed_of(number: int) -> int:
    """What all of case `number` is drawn from."""
    return FIRST_SEED + 1000 + number


def style_of(seed: int) -> int:
    """Which of the tile sets a case is played with: it follows from nothing else of the case, so that no set is always
    seen in the same light."""
    return int(default_rng([seed, 52]).integers(STYLES))


def seen_from(number: int, rng: Generator) -> tuple[str, float, float]:
    """Light, the camera's elevation and side (degrees) of a case; `rng` is its own."""
    light = sorted(LIGHTS)[number % len(LIGHTS)]
    high = ELEVATIONS[number % len(ELEVATIONS)] + float(rng.normal(0, 2))
    side = SIDES[(number * 3) % len(SIDES)] + float(rng.normal(0, 6))
    return light, high, side


def room_of(seed: int, size: tuple[int, int], light: str, high: float, side: float) -> Studio:
    """The table of a case, its tiles, camera and light."""
    return studio(seed, size, min(high, 90.0), side, style(style_of(seed)), light=light)


def calibration_of(room: Studio, size: tuple[int, int], name: str = "bench") -> TableCalibration:
    """By the table's true corners."""
    near_left, near_right, far_right, far_left = ((float(x), float(y)) for x, y in room.corners)
    return TableCalibration(name, size, (far_left, far_right, near_right, near_left))


def scene(number: int, frames: int = 3, size: tuple[int, int] = (1920, 1080), win: bool = True) -> Scene:
    """Case `number`; the same number, the same pictures."""
    seed = seed_of(number)
    rng = default_rng([seed, 51])
    light, high, side = seen_from(number, rng)
    room = room_of(seed, size, light, high, side)
    table = random_table(rng, win=win)
    winner = next((i for i, seat in enumerate(table.seats) if seat.open), None)
    arm = winner is not None and (number + number // ARM_EVERY) % ARM_EVERY == 1
    event = Event("discard", 0) if winner is None else Event("win", winner, table.seats[winner].win_tile)
    painted = Painted(room, Step(event, table), paint_ground(room.ground, room.floor, room.camera, _rng(seed, 32)))
    pictures = tuple(_pictures(painted, room, seed, frames, arm))
    calibration = calibration_of(room, size)
    shown = [t for t in painted.truth if t.seat == winner and t.role in ("hand", "win", "meld", "flower")]
    faces = sorted(t.code for t in shown if t.code != "back" and t.visible > FACE_SEEN)
    about = {
        "light": light,
        "elevation": round(high, 1),
        "side": round(side % 360, 1),
        "set": room.tiles.name,
        "win": room.layout.win_apart,
        "arm": arm,
    }
    hand = None if winner is None else truth_of(table, winner)
    return Scene(number, pictures, calibration, winner, hand, tuple(faces), about)


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


def _pictures(painted: Painted, room: Studio, seed: int, frames: int, arm: bool) -> Iterator[Picture]:
    for number in range(frames):
        stage = painted.with_arm(number) if arm and number == 1 else painted.stage
        picture = expose(stage.image, _rng(seed, 33), room.look, _rng(seed, number, 34))
        yield np.asarray(picture, np.uint8)


def _rng(*seed: int) -> Generator:
    return default_rng(seed)
