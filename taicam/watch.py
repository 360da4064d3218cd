"""How a live view is looked at: one hand held under the camera, or the whole calibrated table.

Both wait until nothing moves and several looks agree; a look at a view that has not changed costs next to nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from taicam.logs import get_logger
from vision.observation import UNREADABLE, QualityNote, TableReading
from vision.reader import HandReader
from vision.table_reader import TableReader, TableTiles
from vision.voting import MotionGate, Voter, signature

Picture = npt.NDArray[np.uint8]
log = get_logger(__name__)

EMPTY_TABLE_TILES = 5  # fewer tiles in view than this: the hand has been cleared away
EMPTY_LOOKS = 3
UNREADABLE_LOOKS = 6  # quiet looks at tiles that make no hand, before the players are told what is wrong
AGREEING_LOOKS = 2
VOTED_LOOKS = 5
STILL_SIZE = (96, 54)  # a view is compared with the last one at this size, pixels
STILL_DIFFERENCE = 6.0  # grey levels (of 255) the strongest cell may differ in a view that has not changed


@dataclass(frozen=True, slots=True)
class Look:
    """One look. `seen`: what to show of it, None when nothing was read. `offer`: a hand that has become stable, or an
    unreadable view that has stayed so. `seat`: whose hand it is, where the view tells. `cleared`: the tiles are gone.
    """

    seen: TableReading | None = None
    offer: TableReading | None = None
    seat: int | None = None
    cleared: bool = False


class Watcher(Protocol):
    """Looks at one frame after another, height x width x 3, uint8, BGR."""

    def look(self, image: Picture, now_s: float) -> Look:
        """Look at the next frame, taken at `now_s` (monotonic seconds)."""
        ...

    def taken(self, reading: TableReading) -> None:
        """The offered hand was recorded or is being asked about: do not offer it again until the table changes."""
        ...


class _Stillness:
    """Whether the view is the one that was already dealt with."""

    def __init__(self) -> None:
        self._last: npt.NDArray[np.int16] | None = None

    def unchanged(self, image: Picture) -> bool:
        small = cv2.cvtColor(cv2.resize(image, STILL_SIZE, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        now = small.astype(np.int16)
        before, self._last = self._last, now
        return before is not None and float(np.abs(now - before).max()) <= STILL_DIFFERENCE


class HandWatcher:
    """One hand under the camera: tiles voted over several frames."""

    def __init__(self, reader: HandReader) -> None:
        self._reader = reader
        self._voter = Voter(reader.read_tiles)
        self._still = _Stillness()
        self._done = False  # nothing is left to find out about this view
        self._empty = 0
        self._quiet = 0

    def look(self, image: Picture, now_s: float) -> Look:
        if self._still.unchanged(image) and self._done:
            return Look()
        self._done = False
        if not self._voter.quiet(image):
            self._quiet = 0
            return Look()
        tiles = tuple(self._reader.detector.detect(image))
        size = (int(image.shape[1]), int(image.shape[0]))
        seen = TableReading(tiles, roles=("left_out",) * len(tiles), size=size)
        if len(tiles) < EMPTY_TABLE_TILES:
            return self._nothing(seen)
        self._empty = 0
        self._quiet += 1
        offered = self._voter.add(image, tiles, now_s)
        if offered is None and self._quiet == UNREADABLE_LOOKS:
            reading = self._reader.read_tiles(image, tiles)
            offered = reading if reading.status == UNREADABLE else None
        self._done = self._quiet >= UNREADABLE_LOOKS
        return Look(offered or seen, offered)

    def taken(self, reading: TableReading) -> None:
        self._voter.recorded(reading)

    def _nothing(self, seen: TableReading) -> Look:
        self._quiet = 0
        self._empty += 1
        if self._empty < EMPTY_LOOKS:
            return Look(seen)
        self._done = True
        if self._empty == EMPTY_LOOKS:
            self._voter.reset()
        return Look(seen, cleared=self._empty == EMPTY_LOOKS)


class TableWatcher:
    """A calibrated table: the seat whose hand lies open is read, voted over the quiet looks, once two readings agree.

    That the camera was moved is logged once, shown as long as it lasts, and leaves no hand accepted.
    """

    def __init__(self, reader: TableReader) -> None:
        self._reader = reader
        self._gate = MotionGate()
        self._still = _Stillness()
        self._looks: deque[TableTiles] = deque(maxlen=VOTED_LOOKS)
        self._signatures: deque[tuple[object, ...]] = deque(maxlen=AGREEING_LOOKS)
        self._offered: tuple[object, ...] | None = None
        self._done = False
        self._empty = 0
        self._bumped = False

    def look(self, image: Picture, now_s: float) -> Look:
        if self._still.unchanged(image) and self._done:
            return Look()
        self._done = False
        if not self._gate.quiet(image):
            self._looks.clear()
            self._signatures.clear()
            return Look()
        self._looks.append(self._reader.find(image, centre=False))
        view = self._reader.view(tuple(self._looks))
        self._tell(view.quality)
        if view.winner is None:
            return self._nothing(TableReading((), quality=view.quality, size=view.size))
        self._empty = 0
        reading = view.seats[view.winner]
        self._signatures.append((view.winner, *signature(reading)))
        if len(self._signatures) < AGREEING_LOOKS or len(set(self._signatures)) > 1:
            return Look(reading, seat=view.winner)
        self._done = True
        if self._signatures[-1] == self._offered:
            return Look(reading, seat=view.winner)
        self._offered = self._signatures[-1]
        return Look(reading, reading, view.winner)

    def _tell(self, notes: Sequence[QualityNote]) -> None:
        bump = next((note for note in notes if note.kind == "bumped"), None)
        if bump is not None and not self._bumped:
            log.warning("the camera was moved", reason=bump.message_en, shift=round(bump.value, 4))
        self._bumped = bump is not None

    def taken(self, reading: TableReading) -> None:
        """Nothing to do: what was offered is not offered again while it lies there."""

    def _nothing(self, seen: TableReading) -> Look:
        self._signatures.clear()
        self._empty += 1
        if self._empty == EMPTY_LOOKS:
            self._offered = None
            self._done = True
            return Look(seen, cleared=True)
        self._done = self._empty > EMPTY_LOOKS
        return Look(seen)
