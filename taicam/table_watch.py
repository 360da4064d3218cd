"""How a calibrated table is watched: the zones that changed are looked at, once nothing moves, and feed the table log.

A look at a view that has not changed costs next to nothing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from taicam.logs import get_logger
from taicam.watch import AGREEING_LOOKS, EMPTY_LOOKS, EMPTY_TABLE_TILES, VOTED_LOOKS, Look, another_hand
from vision.observation import QualityNote, TableReading, TileObservation
from vision.table import CENTRE, SEATS, TILE_SHARE, TableCalibration
from vision.table_eye import Eye
from vision.table_open import OpenHands
from vision.table_reader import Discard, TableReader, TableTiles, TableView
from vision.tablelog import LogEntry, TableLog
from vision.tablemelds import laid_open
from vision.voting import signature

Picture = npt.NDArray[np.uint8]
Grey = npt.NDArray[np.float32]
log = get_logger(__name__)

SHRINK = 4  # zones are compared with how they were in pictures so many times smaller
DIFFERENCE = 9.0  # grey levels (of 255) by which a changed spot differs
#: Tiles' worth of change before a zone is looked at again: a player's own zone changes with every tile drawn and
#: thrown, which tells nothing; in the middle, and where many faces lie open, each tile does.
SEAT_CHANGE, OPEN_CHANGE, CENTRE_CHANGE = 1.5, 0.35, 0.6
STEADY = 0.35  # tiles' worth of change from one picture to the next above which something moves in a zone
OPEN_FACES = 8
OPEN_TILES = 15  # a hand that lies shows so many, a set counting three; four sets alone do not


class _Zones:
    """How much each zone of a calibrated table has changed since it was last looked at."""

    def __init__(self, calibration: TableCalibration) -> None:
        self._calibration = calibration
        self._masks: dict[int, npt.NDArray[np.bool_]] = {}
        self._tile = 1.0  # area of a tile, pixels of the small picture
        self._now: Grey | None = None
        self._before: Grey | None = None
        self._looked_at: dict[int, Grey] = {}
        self.views: dict[int, tuple[tuple[int, int], Eye]] = {}  # size of each zone, the camera's place over it

    def show(self, image: Picture) -> None:
        """The newest picture."""
        size = (image.shape[1] // SHRINK, image.shape[0] // SHRINK)
        small = cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        self._before, self._now = self._now, cv2.blur(small, (3, 3)).astype(np.float32)
        if not self._masks:
            self._measure(self._calibration.scaled((image.shape[1], image.shape[0])), size)

    def _measure(self, calibration: TableCalibration, size: tuple[int, int]) -> None:
        for number in (*SEATS, CENTRE):
            zone = calibration.zone(number)
            x = np.clip(zone.map_x[::3, ::3] / SHRINK, 0, size[0] - 1).astype(int)
            y = np.clip(zone.map_y[::3, ::3] / SHRINK, 0, size[1] - 1).astype(int)
            self._masks[number] = np.zeros((size[1], size[0]), np.bool_)
            self._masks[number][y, x] = True
            self.views[number] = zone.size, zone.eye
        corners = np.array(calibration.corners, np.float32) / SHRINK
        self._tile = float(cv2.contourArea(corners)) * 1.35 * TILE_SHARE**2

    def change(self, zone: int) -> float:
        """How much of a zone has changed, in tiles; everything, where it was never looked at."""
        return self._difference(zone, self._looked_at.get(zone))

    def steady(self, zone: int) -> bool:
        """Whether nothing moves in a zone: it is as it was in the picture before."""
        return self._difference(zone, self._before) < STEADY

    def _difference(self, zone: int, before: Grey | None) -> float:
        if before is None or self._now is None or before.shape != self._now.shape:
            return float("inf")
        difference = (self._now - before)[self._masks[zone]]
        # A lamp's flicker changes everything alike.
        difference -= np.median(difference)
        return float((np.abs(difference) > DIFFERENCE).sum()) / self._tile

    def looked(self, zone: int) -> None:
        """The zone has been looked at as it is in the newest picture."""
        if self._now is not None:
            self._looked_at[zone] = self._now


class TableWatcher:
    """A calibrated table: the seat whose hand lies open is read, voted over the quiet looks, once two readings agree.

    A whole hand laid open that does not win as read is offered too, after more looks, to be asked about. That the
    camera was moved is logged once, shown as long as it lasts, and leaves no hand accepted.
    """

    def __init__(self, reader: TableReader, calibration: TableCalibration) -> None:
        self._reader = reader
        self._zones = _Zones(calibration)
        self._looks: dict[int, deque[TableTiles]] = {}  # at each seat, since it last changed
        self._discards: tuple[Discard, ...] = ()
        self._log = TableLog()
        self._hands = OpenHands()
        self._signatures: deque[tuple[object, ...]] = deque(maxlen=VOTED_LOOKS)
        self._needed = AGREEING_LOOKS  # looks that must agree before the open hand is offered
        self._open: int | None = None  # the seat whose hand lies open
        self._offered: tuple[object, ...] | None = None
        self._hand: Counter[str] = Counter()  # the tiles of what was offered
        self._nobody = 0
        self._bumped = False

    def look(self, image: Picture, now_s: float) -> Look:
        self._zones.show(image)
        steady = [zone for zone in (*SEATS, CENTRE) if self._zones.steady(zone)]
        if self._open is not None and self._open not in steady:
            self._signatures.clear()
        changed = {seat for seat in SEATS if self._zones.change(seat) > self._much(seat)}
        seats = [seat for seat in SEATS if seat in steady and (seat in changed or self._once_more(seat))]
        # Whether the winning tile has left the middle is asked twice as well.
        again = self._log.unsettled or self._open in seats
        centre = CENTRE in steady and (again or self._zones.change(CENTRE) > CENTRE_CHANGE)
        if not seats and not centre:
            idle = self._open is None and len(steady) > len(SEATS)
            return self._nobody_wins(None) if idle else Look()
        tiles = self._reader.find(image, seats, centre)
        for seat in seats:
            if seat in changed:
                self._looks[seat] = deque(maxlen=VOTED_LOOKS)
            self._looks[seat].append(tiles)
            self._zones.looked(seat)
        if centre:
            self._discards = tiles.discards
            self._zones.looked(CENTRE)
        view = self._view(tiles)
        view = replace(view, winner=self._hands.seat(view, now_s))
        self._tell(view.quality)
        played = self._enter(tiles, view, centre, now_s)
        return self._result(view, view.winner in seats, played)

    def taken(self, reading: TableReading) -> None:
        """Nothing to do: what was offered is not offered again while it lies there."""

    # -- what to look at --------------------------------------------------------------------------------------

    def _faces(self, seat: int) -> list[TileObservation]:
        looks = self._looks.get(seat)
        return [t for t in looks[-1].seats[seat] if t.code != "back" and t.code[0] != "f"] if looks else []

    def _much(self, seat: int) -> float:
        return OPEN_CHANGE if len(self._faces(seat)) >= OPEN_FACES else SEAT_CHANGE

    def _once_more(self, seat: int) -> bool:
        """Whether one more look at a seat that has not changed would tell something."""
        if seat == self._open:
            return not self._agreed()
        # Many faces that make no winning hand may have been misread.
        misread = len(self._faces(seat)) >= OPEN_FACES and len(self._looks[seat]) < AGREEING_LOOKS
        return misread or self._log.unsettled_at(seat)

    def _agreed(self) -> bool:
        last = list(self._signatures)[-self._needed :]
        return len(last) == self._needed and len(set(last)) == 1

    # -- what it says -----------------------------------------------------------------------------------------

    def _view(self, tiles: TableTiles) -> TableView:
        """The table as last seen, every seat voted over its own looks."""
        looks = []
        for back in range(max(len(seen) for seen in self._looks.values())):
            seen = {seat: mine[-1 - back] for seat, mine in self._looks.items() if back < len(mine)}
            found = {seat: look.seats[seat] for seat, look in seen.items()}
            quality = {seat: look.quality[seat] for seat, look in seen.items()}
            looks.append(replace(tiles, seats=found, quality=quality, discards=self._discards))
        return self._reader.view(looks[::-1], {seat: self._log.known(seat) for seat in SEATS})

    def _enter(self, tiles: TableTiles, view: TableView, centre: bool, now_s: float) -> tuple[LogEntry, ...]:
        winner = view.winner
        hand = () if winner is None else view.seats[winner].concealed
        # What a hand that lies open shows must not become what lay there before.
        quiet = [seat for seat in tiles.seats if seat != winner and not _lies_open(view, seat)]
        laid = {seat: laid_open(tiles.seats[seat], *self._zones.views[seat]) for seat in quiet}
        return tuple(self._log.add(self._discards if centre else None, laid, now_s, hand) or ())

    def _result(self, view: TableView, fresh: bool, played: tuple[LogEntry, ...]) -> Look:
        """`fresh`: the winner's seat was looked at just now."""
        self._open = view.winner
        if view.winner is None:
            self._signatures.clear()
            return replace(self._nobody_wins(TableReading((), quality=view.quality, size=view.size)), played=played)
        self._nobody = 0
        reading = view.seats[view.winner]
        mark = (view.winner, *signature(reading))
        if fresh:
            self._signatures.append(mark)
        self._needed = AGREEING_LOOKS if reading.wins else VOTED_LOOKS
        if not self._agreed() or mark == self._offered:
            return Look(reading, seat=view.winner, played=played)
        self._offered, self._hand = mark, _playing(reading.tiles)
        self._log.won(view.winner, [(meld.kind, meld.tiles) for meld in reading.melds])
        facts = self._log.facts(view.winner, reading.win_tile)
        return Look(reading, reading, view.winner, played=played, facts=facts)

    def _nobody_wins(self, seen: TableReading | None) -> Look:
        """No hand lies open. One that was offered and cannot be read for a while (a tile was pushed) is not gone."""
        if self._offered is not None:
            seat = int(str(self._offered[0]))
            left = _playing(self._faces(seat))
            if left.total() >= EMPTY_TABLE_TILES and not another_hand(left, self._hand):
                self._nobody = 0
                return Look(seen)
        self._nobody += 1
        if self._nobody == EMPTY_LOOKS:
            self._offered = None
            return Look(seen, cleared=True)
        return Look(seen)

    def _tell(self, notes: Sequence[QualityNote]) -> None:
        bump = next((note for note in notes if note.kind == "bumped"), None)
        if bump is not None and not self._bumped:
            log.warning("the camera was moved", reason=bump.message_en, shift=round(bump.value, 4))
        self._bumped = bump is not None


def _lies_open(view: TableView, seat: int) -> bool:
    """Whether a seat shows a whole hand, or nearly."""
    reading = view.seats[seat]
    whole = len(reading.concealed) + 3 * len(reading.melds) >= OPEN_TILES
    return view.shows_hand(seat) or (whole and seat in view.lying)


def _playing(tiles: Sequence[TileObservation]) -> Counter[str]:
    return Counter(tile.code for tile in tiles if tile.code != "back" and tile.code[0] != "f")
