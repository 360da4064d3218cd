"""Whether a plain tile is a blank 白 or lies face down: the backs seen elsewhere on the table tell by their colour."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.observation import Box, TileObservation
from vision.picture import Picture

#: So many sure backs must have been seen, and so many of the latest are remembered.
_LEAST, _MOST = 3, 60
#: Of a back's odds and presence: from these it is surely one.
_SURE, _THERE = 0.97, 0.7
#: Colour difference (CIELAB). Of 793 backs on rendered tables 999 in 1,000 are within 21 of a like one, all of 48 blank
#: tiles more than 33 away.
_OTHER = 27.0
#: Odds for 白 from which a tile taken for a back may be blank.
_MAY_BE = 0.03
#: The middle of a box, without neighbours and edges: share of its width and height.
_MIDDLE = 0.5


class BackColours:
    """The colours of the backs of the tile set on the table, learnt as they are seen."""

    def __init__(self) -> None:
        self._seen: deque[np.ndarray] = deque(maxlen=_MOST)

    def learn(self, view: Picture, tiles: Iterable[TileObservation]) -> None:
        """Remember the colours of what surely are backs (tiles in pixels of `view`, HxWx3 uint8 BGR)."""
        for tile in tiles:
            if dict(tile.alternatives).get("back", 0.0) > _SURE and tile.presence > _THERE:
                self._seen.append(_colour(view, tile.box))

    def told(self, view: Picture, tiles: Sequence[TileObservation]) -> list[TileObservation]:
        """The tiles of a view, doubtful backs of another colour than the backs seen made what they are else."""
        if len(self._seen) < _LEAST:
            return list(tiles)
        return [self._blank(tile) if self._differs(view, tile) else tile for tile in tiles]

    def _differs(self, view: Picture, tile: TileObservation) -> bool:
        if tile.code != "back" or dict(tile.alternatives).get("P", 0.0) < _MAY_BE:
            return False
        apart = np.linalg.norm(np.stack(self._seen) - _colour(view, tile.box), axis=1)
        return bool(np.sort(apart)[_LEAST - 1] > _OTHER)

    @staticmethod
    def _blank(tile: TileObservation) -> TileObservation:
        odds = dict(tile.alternatives)
        odds["P"] += odds.pop("back")
        ranked = tuple(sorted(odds.items(), key=lambda each: -each[1]))
        return replace(tile, code=ranked[0][0], confidence=tile.presence * ranked[0][1], alternatives=ranked)


def _colour(view: Picture, box: Box) -> np.ndarray:
    """The mean colour of a box's middle, CIELAB."""
    x1, y1, x2, y2 = box
    off_x, off_y = (x2 - x1) * (1 - _MIDDLE) / 2, (y2 - y1) * (1 - _MIDDLE) / 2
    left, top = max(0, round(x1 + off_x)), max(0, round(y1 + off_y))
    part = view[top : max(top + 1, round(y2 - off_y)), left : max(left + 1, round(x2 - off_x))]
    mean = np.array(cv2.mean(part)[:3], np.float32) / np.float32(255)
    return np.asarray(cv2.cvtColor(mean[None, None], cv2.COLOR_BGR2LAB)[0, 0])
