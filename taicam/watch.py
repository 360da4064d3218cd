"""How a live view is looked at: one hand held under the camera (a whole table: `taicam.table_watch`).

It waits until nothing moves and several looks agree; a look at a view that has not changed costs next to nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from vision.observation import UNREADABLE, TableReading
from vision.reader import HandReader
from vision.tablelog import LogEntry, WinFacts
from vision.voting import Voter

Picture = npt.NDArray[np.uint8]

EMPTY_TABLE_TILES = 5  # fewer tiles in view than this: the hand has been cleared away
EMPTY_LOOKS = 3
OTHER_TILES = 4  # so many tiles that were not in a hand make it another one
UNREADABLE_LOOKS = 6  # quiet looks at tiles that make no hand, before the players are told what is wrong
AGREEING_LOOKS = 2
VOTED_LOOKS = 5
STILL_SIZE = (96, 54)  # a view is compared with the last one at this size, pixels
STILL_DIFFERENCE = 6.0  # grey levels (of 255) the strongest cell may differ in a view that has not changed


def another_hand(tiles: Counter[str], known: Counter[str]) -> bool:
    """Whether these tiles are another hand than the known one, not the same with a tile or two read otherwise."""
    return (tiles - known).total() >= OTHER_TILES


@dataclass(frozen=True, slots=True)
class Look:
    """One look. `seen`: what to show of it, None when nothing was read. `offer`: a hand that has become stable, or an
    unreadable view that has stayed so. `seat`: whose hand it is, where the view tells. `cleared`: the tiles are gone.
    `facts`: what the table log saw of the win offered; `played`: the log of a hand that has just been swept up.
    """

    seen: TableReading | None = None
    offer: TableReading | None = None
    seat: int | None = None
    cleared: bool = False
    facts: WinFacts | None = None
    played: tuple[LogEntry, ...] = ()


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
        tiles = tuple(self._reader.detector.detect(image, self._quiet))
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
