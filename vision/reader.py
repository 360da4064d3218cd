"""The whole way from one picture of a hand to a reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from vision.decode_odds import Calibration
from vision.decode_reading import ReadingRules, read_observations
from vision.observation import TableReading, TileObservation
from vision.quality import assess

Picture = npt.NDArray[np.uint8]


class FindsTiles(Protocol):
    """What the reader needs of a detector."""

    def detect(self, image: Picture, look: int = 0) -> Sequence[TileObservation]:
        """All tiles of a picture; `look` counts the pictures of a scene that stays as it is."""
        ...


class HandReader:
    """Reads one winner's hand from a picture, at any rotation.

    Args:
        detector: anything with `detect`; the shipped network by default, opened at the first picture.
        rules: tiles a hand has and shapes that win; the 16-tile game by default.
        calibration: of the detector's odds; the fitted one by default.
    """

    def __init__(
        self,
        detector: FindsTiles | None = None,
        rules: ReadingRules | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        self._detector = detector
        self.rules = rules or ReadingRules()
        self._calibration = calibration

    @property
    def detector(self) -> FindsTiles:
        """The detector in use. Raises what opening the network raises when it is missing or damaged."""
        if self._detector is None:
            from vision.detector import Detector  # noqa: PLC0415 - costs a second, not needed when one is given

            self._detector = Detector()
        return self._detector

    @property
    def tile_set(self) -> str | None:
        """The enrolled tile set that named the tiles of the last picture; None for no set in particular."""
        return getattr(self._detector, "tile_set", None)

    def read(self, image: Picture) -> TableReading:
        """Read a picture (HxWx3 uint8, BGR, as `vision.picture.load_picture` gives it).

        Never raises for what the picture shows: an empty, blurred or crowded one comes back as `unreadable` or
        `confirm` with the reasons.
        """
        tiles = tuple(self.detector.detect(image))
        return self.read_tiles(image, tiles)

    def read_tiles(
        self, image: Picture, tiles: Sequence[TileObservation], upright: float | None = None
    ) -> TableReading:
        """The same for tiles already found in the picture."""
        size = int(image.shape[1]), int(image.shape[0])
        reading = read_observations(tiles, size, self.rules, upright, assess(image, tiles), self._calibration)
        return replace(reading, tile_set=self.tile_set)
