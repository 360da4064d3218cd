"""Judging frames without looking at their meaning: black, frozen, and when a stream's frame was really taken. Pure."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np

from device.cameras.base import Image

Verdict = Literal["ok", "black", "frozen"]
BLACK_MEAN = 8.0
BLACK_SPREAD = 4.0
ROW_STEP = 8


@dataclass(frozen=True, slots=True)
class Look:
    """What the watch needs of one frame: mean and spread of its brightness (0-255), and a digest of its pixels."""

    mean: float
    spread: float
    digest: int

    @property
    def black(self) -> bool:
        return self.mean < BLACK_MEAN and self.spread < BLACK_SPREAD


def look_at(image: Image) -> Look:
    """A quick look at every 8th row: under a millisecond for a 1080p frame."""
    rows = np.ascontiguousarray(image[::ROW_STEP])
    sample = rows[:, ::ROW_STEP]
    return Look(float(sample.mean()), float(sample.std()), zlib.crc32(rows.data))


class ContentWatch:
    """Says when a stream has been black, or bit-for-bit the same picture, for longer than allowed.

    `black_s` and `frozen_s` are seconds; 0 turns that check off. A live sensor's noise makes two frames differ even
    over a still table, so an unchanged picture means a hung camera or server.
    """

    def __init__(self, black_s: float, frozen_s: float) -> None:
        self._black_s = black_s
        self._frozen_s = frozen_s
        self.reset()

    def reset(self) -> None:
        """Forget what was seen: a new connection begins."""
        self._digest: int | None = None
        self._same_since = 0.0
        self._black_since: float | None = None

    def feed(self, look: Look, now: float) -> Verdict:
        """Take in one frame's look at `now` (monotonic seconds) and judge the stream."""
        if look.digest != self._digest:
            self._digest, self._same_since = look.digest, now
        if not look.black:
            self._black_since = None
        elif self._black_since is None:
            self._black_since = now
        if self._black_since is not None and self._black_s and now - self._black_since >= self._black_s:
            return "black"
        if self._frozen_s and now - self._same_since >= self._frozen_s:
            return "frozen"
        return "ok"


class StreamClock:
    """When a stream's frame was taken, from its presentation time.

    A decoder that falls behind, or a network that held packets back, hands out frames that are old although they
    arrive now. The smallest difference between arrival and presentation time seen so far is taken as no delay at all;
    what exceeds it is the frame's age on arrival.
    """

    RESET_BACKWARDS_S = 1.0
    DRIFT_PER_S = 0.0005  # lets the base follow a sender's clock that runs a little slow

    def __init__(self) -> None:
        self._offset: float | None = None
        self._last_pts = 0.0
        self._last_arrival = 0.0

    def taken_at(self, pts_s: float, arrival_s: float) -> float:
        """The monotonic second at which the frame with `pts_s` was taken; never after `arrival_s`."""
        offset = arrival_s - pts_s
        if self._offset is None or pts_s < self._last_pts - self.RESET_BACKWARDS_S:
            self._offset = offset
        else:
            self._offset = min(offset, self._offset + self.DRIFT_PER_S * max(0.0, arrival_s - self._last_arrival))
        self._last_pts, self._last_arrival = pts_s, arrival_s
        return min(arrival_s, pts_s + self._offset)
