"""Sets with and without a fourth tile on top, out of rendered tables: crops for the network that tells them apart.

A table costs half a second and shows some forty tiles of sets, so each is kept in a pool and used many times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from vision.observation import Box
from vision.stack_reader import leanings, surroundings
from vision.table import SEATS, TableCalibration, Zone
from vision.training.render.deals import KINDS
from vision.training.render.game import Painted, Studio, studio
from vision.training.render.grounds import paint_ground
from vision.training.render.play import Event, Step
from vision.training.render.post import Look, expose
from vision.training.render.scene import TileTruth
from vision.training.render.sets import drawn_set
from vision.training.render.tabletop import Table, random_table

SIZES = ((1920, 1080), (1920, 1080), (1920, 1080), (1280, 720), (2560, 1440))
_KINDS = ("pung", "kong_exposed", "kong_added", "kong_concealed", "chow")
_SHARES = (0.38, 0.22, 0.22, 0.10, 0.08)
#: A face must be seen so far to be found; from so far on its box is the whole face's.
_FOUND, _WHOLE = 0.35, 0.9
#: How far a detector's boxes and the tiles' width are off (tile widths), and corners given by hand (pixels).
_BOX_ERROR, _WIDTH_ERROR, _CORNER_ERROR = 0.025, 0.03, 2.5
_TABLES_A_SET = 5
_TABLES = 240  # in the pool


@dataclass(frozen=True, slots=True)
class Stacks:
    """Tiles of sets showing two or three faces: crops NxSIDExSIDEx3 (BGR), leanings Nx2 (`vision.stack_reader`), and
    whether each lies on another tile."""

    crops: NDArray[np.uint8]
    moved: NDArray[np.float32]
    raised: NDArray[np.bool_]


def stacks_of(seed: int) -> Stacks:
    """The sets on one table, seen as the reader sees them; everything follows from the seed."""
    rng = default_rng([seed, 61])
    size = SIZES[int(rng.integers(len(SIZES)))]
    tiles = drawn_set(seed // _TABLES_A_SET, width=96)
    high, side = min(float(rng.uniform(42, 92)), 90.0), float(rng.uniform(0, 360))
    room = studio(seed, size, high, side, tiles, look=_look(rng))
    ground = paint_ground(room.ground, room.floor, room.camera, default_rng([seed, 32]))
    painted = Painted(room, Step(Event("discard", 0), _table(rng)), ground)
    picture = np.asarray(expose(painted.stage.image, default_rng([seed, 33]), room.look), np.uint8)
    calibration = _calibration(room, size, rng)
    parts = [_of_seat(picture, calibration.zone(seat), calibration, painted.truth, rng) for seat in SEATS]
    return Stacks(
        np.concatenate([part.crops for part in parts]),
        np.concatenate([part.moved for part in parts]),
        np.concatenate([part.raised for part in parts]),
    )


class StackPool:
    """A few tables at hand, one replaced every so many draws."""

    def __init__(self, first: int, uses: int) -> None:
        self.next, self.uses = first, uses
        self.tables: list[Stacks] = []
        self.draws = 0

    def batch(self, rng: Generator, count: int) -> Stacks:
        """So many tiles by chance."""
        if len(self.tables) < _TABLES or self.draws % self.uses == 0:
            fresh = stacks_of(self.next)
            self.next += 1
            if len(fresh.raised):
                if len(self.tables) < _TABLES:
                    self.tables.append(fresh)
                else:
                    self.tables[int(rng.integers(_TABLES))] = fresh
        self.draws += 1
        picks = [self.tables[int(rng.integers(len(self.tables)))] for _ in range(count)]
        which = [int(rng.integers(len(table.raised))) for table in picks]
        return Stacks(
            np.stack([table.crops[i] for table, i in zip(picks, which, strict=True)]),
            np.stack([table.moved[i] for table, i in zip(picks, which, strict=True)]),
            np.array([table.raised[i] for table, i in zip(picks, which, strict=True)]),
        )


def _look(rng: Generator) -> Look | None:
    """A camera as clean as the one over a table is, or any."""
    if rng.random() < 0.5:
        return None
    light, colour, blur, noise = (float(rng.uniform(0, most)) for most in (1.2, 1.2, 1.2, 1.5))
    return Look(light, colour, blur, noise, jpeg=bool(rng.random() < 0.5), bright=float(rng.uniform(180, 240)))


def _table(rng: Generator) -> Table:
    """Four seats with many triplets and kongs before them."""
    table = random_table(rng, win=bool(rng.random() < 0.5))
    codes = [str(code) for code in rng.permutation(KINDS)]
    for seat in table.seats:
        seat.melds = []
        for _ in range(int(rng.integers(2, 6))):
            kind = str(rng.choice(_KINDS, p=_SHARES))
            if kind == "chow":
                low, suit = int(rng.integers(1, 8)), str(rng.choice(["m", "p", "s"]))
                seat.melds.append((kind, [f"{low + step}{suit}" for step in range(3)]))
            else:
                seat.melds.append((kind, [codes.pop()] * (3 if kind == "pung" else 4)))
        seat.hand = seat.hand[: max(1, 16 - 3 * len(seat.melds))]
        seat.flowers = seat.flowers[:3]
    return table


def _calibration(room: Studio, size: tuple[int, int], rng: Generator) -> TableCalibration:
    near_left, near_right, far_right, far_left = (
        (float(x + rng.normal(0, _CORNER_ERROR)), float(y + rng.normal(0, _CORNER_ERROR))) for x, y in room.corners
    )
    return TableCalibration("made", size, (far_left, far_right, near_right, near_left))


def _of_seat(
    picture: NDArray[np.uint8],
    zone: Zone,
    calibration: TableCalibration,
    truth: tuple[TileTruth, ...],
    rng: Generator,
) -> Stacks:
    view = zone.view(picture)
    groups: dict[int, list[TileTruth]] = {}
    for tile in truth:
        if tile.seat == zone.seat and tile.role == "meld" and tile.visible > _FOUND:
            groups.setdefault(tile.group, []).append(tile)
    boxes = {group: [_box(tile, zone, calibration) for tile in tiles] for group, tiles in groups.items()}
    sides = [min(x2 - x1, y2 - y1) for own in boxes.values() for x1, y1, x2, y2 in own]
    width = float(np.median(sides)) if sides else 1.0
    crops, moved, raised = [], [], []
    for group, tiles in groups.items():
        # A pair is what is seen of a kong whose upper tile hides another.
        if len(tiles) not in (2, 3) or any(tile.code == "back" for tile in tiles):
            continue
        off = rng.normal(0, _BOX_ERROR * width, (len(tiles), 4))
        seen: list[Box] = [tuple((np.array(b) + o).tolist()) for b, o in zip(boxes[group], off, strict=True)]
        wide = width * float(np.exp(rng.normal(0, _WIDTH_ERROR)))
        crops.append(surroundings(view, seen, wide))
        moved.append(leanings(seen, zone.eye, wide))
        raised.append(np.array([tile.raised for tile in tiles]))
    if not crops:
        return Stacks(surroundings(view, [], 2.0), leanings([], zone.eye, 2.0), np.zeros(0, np.bool_))
    return Stacks(np.concatenate(crops), np.concatenate(moved), np.concatenate(raised))


def _box(tile: TileTruth, zone: Zone, calibration: TableCalibration) -> Box:
    """The box of a face in its zone's pixels: the whole face's, or what is seen of it."""
    low, high = _span(np.array(tile.quad), zone, calibration)
    if tile.visible < _WHOLE:
        x1, y1, x2, y2 = tile.box
        least, most = _span(np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]]), zone, calibration)
        low, high = np.maximum(low, least), np.minimum(high, most)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _span(
    corners: NDArray[np.float64], zone: Zone, calibration: TableCalibration
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points = calibration.to_zone(zone.seat, corners)
    return points.min(axis=0), points.max(axis=0)
