"""The whole table in one picture: every seat's tiles, the discards, and whose hand is shown."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from vision.back_colour import BackColours
from vision.decode import SURE_ELSEWHERE
from vision.decode_odds import all_odds, default_calibration
from vision.decode_reading import read_observations
from vision.layout_raised import standing
from vision.observation import ACCEPTED, CONFIRM, UNREADABLE, Known, QualityNote, TableReading, TileObservation
from vision.quality import assess
from vision.reader import HandReader
from vision.stack_reader import StackReader
from vision.table import (
    CENTRE,
    SEATS,
    TILE_SHARE,
    TableCalibration,
    Zone,
    nearest_seat,
    owned,
    places_of,
    to_camera_box,
    too_large,
)
from vision.table_bump import BumpWatch
from vision.voting import fuse
from vision.weights import WeightsError

Picture = npt.NDArray[np.uint8]
log = logging.getLogger(__name__)

#: A tile elsewhere counts towards four of a kind only when it is there with more than this probability.
_THERE = 0.9
#: Two sightings this near each other (share of the table's side) are of one tile.
_SAME_PLACE = TILE_SHARE / 2


@dataclass(frozen=True, slots=True)
class Discard:
    """A tile in the middle of the table: `seat` whose pool it lies in, `place` in table coordinates."""

    tile: TileObservation
    seat: int
    place: tuple[float, float]


@dataclass(frozen=True, slots=True)
class TableView:
    """What a picture of the whole table shows. `seats` holds a reading for each seat, boxes in camera pixels;
    `discards` the tiles of the middle; `winner` the seat whose winning hand lies open, None when none or several do;
    `standing` the seats whose hand stands, its faces seen from behind the player, `lying` those whose hand surely lies
    open; where the camera stands as a hand that lies looks like one that stands, a seat is in neither."""

    seats: tuple[TableReading, ...]
    discards: tuple[Discard, ...]
    winner: int | None
    quality: tuple[QualityNote, ...]
    size: tuple[int, int]
    standing: frozenset[int] = frozenset()
    lying: frozenset[int] = frozenset()

    @property
    def unproven(self) -> int | None:
        """Where no hand wins as read: the one seat that shows the tiles of a whole hand, or all but one, None when none
        or several do. A misread tile may hide a win there, or the winning tile lie elsewhere; its reading says so."""
        shown = [seat for seat in range(len(self.seats)) if self.shows_hand(seat)]
        return shown[0] if len(shown) == 1 and not self.seats[shown[0]].wins else None

    def shows_hand(self, seat: int) -> bool:
        """Whether a whole hand lies open before a player, or surely one that lacks the winning tile alone: so does a
        standing one that is played."""
        reading = self.seats[seat]
        if reading.wins is not None:
            return seat not in self.standing
        # The side of a standing tile, all that is left beside five melds, is taken for a blank 白.
        blank = set(reading.concealed) <= {"P"}
        return seat in self.lying and not blank and any(doubt.kind == "waiting" for doubt in reading.doubts)

    def to_json(self) -> dict[str, Any]:
        """JSON form: all tiles with their seat (`centre` for discards), and every seat's reading."""
        tiles = [
            {**tile, "seat": seat} for seat, reading in enumerate(self.seats) for tile in reading.to_json()["tiles"]
        ]
        centre = [{**discard.tile.to_json(), "seat": discard.seat} for discard in self.discards]
        return {
            "size": list(self.size),
            "tiles": tiles + [{**tile, "seat": "centre"} for tile in centre],
            "seats": [{"seat": seat, **reading.to_json()} for seat, reading in enumerate(self.seats)],
            "centre": centre,
            "winner": self.winner,
            "unproven": self.unproven,
            "quality": [note.to_json() for note in self.quality],
        }


@dataclass(frozen=True, slots=True)
class TableTiles:
    """What was found in one picture. `seats`: each seat's own tiles and `quality` its zone's faults, in pixels of
    that zone; only the seats looked at. `bump`: the camera seems to have moved. `size` of the picture. `tile_sets`: the
    enrolled set that named each seat's tiles, where one did."""

    seats: Mapping[int, tuple[TileObservation, ...]]
    quality: Mapping[int, tuple[QualityNote, ...]]
    discards: tuple[Discard, ...]
    bump: QualityNote | None
    size: tuple[int, int]
    tile_sets: Mapping[int, str | None] = field(default_factory=dict)


class TableReader:
    """Reads every seat of a calibrated table.

    Args:
        reader: what reads one hand; its detector looks at every zone.
        calibration: where the table lies in the camera's view.
        watch: notices a moved camera; None for no check.
        stacks: the network that tells stacked tiles; None for the shipped one where present, False for none.
    """

    def __init__(
        self,
        reader: HandReader,
        calibration: TableCalibration,
        watch: BumpWatch | None = None,
        stacks: StackReader | bool | None = None,
    ) -> None:
        self._reader = reader
        self._calibration = calibration
        self._watch = watch
        self._stacks = stacks
        self._zones: dict[tuple[tuple[int, int], int], Zone] = {}
        self._look = 0  # how many pictures `find` was given
        self._backs = BackColours()

    def read(self, image: Picture, seats: Sequence[int] = SEATS, centre: bool = True) -> TableView:
        """Read a camera picture (HxWx3 uint8 BGR); only the `seats` asked for are looked at.

        Raises CalibrationError when the picture's shape is not that of the calibration.
        """
        return self.view([self.find(image, seats, centre)])

    def find(self, image: Picture, seats: Sequence[int] = SEATS, centre: bool = True) -> TableTiles:
        """The tiles of one picture, to be read by `view`, alone or with those of the pictures before."""
        size = (int(image.shape[1]), int(image.shape[0]))
        calibration = self._calibration.scaled(size)
        views = {seat: self._zone(calibration, seat).view(image) for seat in seats}
        seen, tile_sets = {}, {}
        for seat, view in views.items():
            seen[seat] = self._reader.detector.detect(view, self._look)
            tile_sets[seat] = self._reader.tile_set
            self._backs.learn(view, seen[seat])
        found = {}
        for seat, view in views.items():
            zone = self._zone(calibration, seat)
            own = owned(zone, self._backs.told(view, seen[seat]), calibration)
            found[seat] = self._told_stacked(view, own, zone)
        # A zone without tiles has no faults, but where none has any the picture may be to blame.
        empty = not any(found.values())
        quality = {seat: assess(view, found[seat]) if found[seat] or empty else () for seat, view in views.items()}
        bump = self._watch.check(image).note() if self._watch is not None else None
        discards = self._discards(image, calibration) if centre else ()
        self._look += 1
        return TableTiles(found, quality, discards, bump, size, tile_sets)

    def view(self, looks: Sequence[TableTiles], known: Mapping[int, Known] | None = None) -> TableView:
        """One view of several pictures of a quiet table, oldest first, of the same size: seats' tiles are voted over
        the pictures, everything else is the newest picture's. A moved camera makes every reading one to be asked.
        `known`: for each seat the sets that lay open before it earlier in the hand, as the table log has them."""
        newest = looks[-1]
        calibration = self._calibration.scaled(newest.size)
        found = {
            seat: tiles if len(looks) == 1 else tuple(fuse([look.seats[seat] for look in looks if seat in look.seats]))
            for seat, tiles in newest.seats.items()
        }
        places = {seat: places_of(tiles, self._zone(calibration, seat), calibration) for seat, tiles in found.items()}
        found = {seat: _shared(seat, found, places) for seat in found}
        readings: list[TableReading] = []
        stands: dict[int, bool | None] = {}
        for seat in SEATS:
            if seat not in found:
                readings.append(TableReading((), status=UNREADABLE, size=newest.size))
                continue
            others = [(d.tile, np.array(d.place)) for d in newest.discards]
            others += [pair for s, ts in found.items() if s != seat for pair in zip(ts, places[s], strict=True)]
            # Zones overlap: what lies where one of this player's own tiles does is that tile, seen twice.
            elsewhere = [tile for tile, place in others if not _at(place, places[seat]).any()]
            zone = self._zone(calibration, seat)
            reading = self._seat(found[seat], newest, zone, _sure_codes(elsewhere), (known or {}).get(seat))
            stands[seat] = _stands(reading, zone)
            readings.append(_on_camera(reading, zone, newest.size))
        notes = list(_common_notes(readings))
        if newest.bump is not None:
            notes.insert(0, newest.bump)
            readings = [_distrusted(reading, newest.bump) for reading in readings]
        upright, flat = (frozenset(seat for seat in stands if stands[seat] is way) for way in (True, False))
        winner = _winner(readings, upright)
        return TableView(tuple(readings), newest.discards, winner, tuple(notes), newest.size, upright, flat)

    def _told_stacked(self, view: Picture, tiles: Sequence[TileObservation], zone: Zone) -> tuple[TileObservation, ...]:
        if self._stacks is None:
            try:
                self._stacks = StackReader(threads=1)
            except WeightsError as error:
                log.warning("stacked tiles are told by their places alone: %s", error)
                self._stacks = False
        return tuple(tiles) if isinstance(self._stacks, bool) else self._stacks.seen(view, tiles, zone.eye)

    def _zone(self, calibration: TableCalibration, seat: int) -> Zone:
        key = (calibration.size, seat)
        if key not in self._zones:
            self._zones[key] = calibration.zone(seat)
        return self._zones[key]

    def _seat(
        self, tiles: Sequence[TileObservation], look: TableTiles, zone: Zone, seen: Sequence[str], known: Known
    ) -> TableReading:
        quality = look.quality[zone.seat]
        # The player sits at the bottom of the zone, so the hand stands upright in it.
        rules, size, eye = self._reader.rules, zone.size, zone.eye
        reading = read_observations(tiles, size, rules, 0.0, quality, seen=seen, eye=eye, known=known)
        return replace(reading, tile_set=look.tile_sets.get(zone.seat))

    def _discards(self, image: Picture, calibration: TableCalibration) -> tuple[Discard, ...]:
        zone = self._zone(calibration, CENTRE)
        discards = []
        for tile in self._reader.detector.detect(zone.view(image), self._look):
            if too_large(tile, zone, calibration):
                continue
            place = places_of([tile], zone, calibration)[0]
            discards.append(
                Discard(
                    replace(tile, box=to_camera_box(zone, tile.box), angle=None),
                    pool_of(place, tile.angle),
                    (float(place[0]), float(place[1])),
                )
            )
        return tuple(discards)


def pool_of(place: npt.NDArray[np.float64], angle: float | None) -> int:
    """Whose pool a discard lies in: the seat it stands upright for, where its angle is known and clear, else the
    nearest edge."""
    if angle is not None:
        # A tile upright for seat 1 (right) has its top to the left: 270 degrees as seen from seat 0.
        turns = (-angle / 90.0) % 4.0
        seat = round(turns) % 4
        if abs((turns - seat + 2) % 4 - 2) < 0.35:
            return seat
    return nearest_seat(place)[0]


def _shared(
    seat: int, found: Mapping[int, Sequence[TileObservation]], places: Mapping[int, npt.NDArray[np.float64]]
) -> tuple[TileObservation, ...]:
    """The tiles of a seat; one at a corner of the table that is another seat's just as well is there for this one with
    a part of its probability."""
    out = []
    for tile, place in zip(found[seat], places[seat], strict=True):
        others = (found[s][i].presence for s in found if s != seat for i in np.where(_at(place, places[s]))[0])
        share = tile.presence / max(tile.presence + max(others, default=0.0), 1e-9)
        out.append(replace(tile, confidence=tile.confidence * share) if share < 1.0 else tile)
    return tuple(out)


def _at(place: npt.NDArray[np.float64], places: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which of `places` are `place`, give or take."""
    return np.asarray((np.abs(places - place) < _SAME_PLACE).all(axis=1))


def _sure_codes(tiles: Sequence[TileObservation]) -> tuple[str, ...]:
    # What is hardly there, a sliver or a tile's side, has a name as sure as any.
    there = [tile for tile in tiles if tile.presence > _THERE]
    odds = all_odds(there, default_calibration())
    sure = [o.top for o in odds if o.odds[0][1] > SURE_ELSEWHERE and o.top != "back"]
    # A set has four blank 白: where more are seen they are the tops and sides of tiles that stand.
    return tuple(code for code in sure if code != "P" or sure.count("P") <= 4)


def _stands(reading: TableReading, zone: Zone) -> bool | None:
    """Whether the hand of a reading, in pixels of its zone, stands rather than lies open; None where it is not told."""
    hand = [*reading.indices("concealed"), *reading.indices("winning")]
    return standing([reading.tiles[i].box for i in hand], zone.eye)


def _on_camera(reading: TableReading, zone: Zone, size: tuple[int, int]) -> TableReading:
    """A reading of a zone with its boxes in pixels of the camera's picture, of `size`."""
    moved = tuple(replace(t, box=to_camera_box(zone, t.box), angle=None) for t in reading.tiles)
    return replace(reading, tiles=moved, size=size)


def _distrusted(reading: TableReading, bump: QualityNote) -> TableReading:
    """A reading through a camera that was moved: its zones are no longer where they were."""
    status = CONFIRM if reading.status == ACCEPTED else reading.status
    return replace(reading, quality=(bump, *reading.quality), status=status)


def _common_notes(readings: Sequence[TableReading]) -> tuple[QualityNote, ...]:
    """Faults every seat with tiles shares are the picture's; they are said once. Where no seat has tiles, those that
    every seat looked at shares."""
    shown = [reading for reading in readings if reading.tiles] or [reading for reading in readings if reading.quality]
    if not shown:
        return ()
    kinds = set.intersection(*({note.kind for note in reading.quality} for reading in shown)) - {"left_out"}
    return tuple(note for note in shown[0].quality if note.kind in kinds)


def _winner(readings: Sequence[TableReading], standing_seats: Collection[int]) -> int | None:
    won = [
        seat
        for seat, reading in enumerate(readings)
        if reading.status != UNREADABLE and reading.wins and seat not in standing_seats
    ]
    return won[0] if len(won) == 1 else None
