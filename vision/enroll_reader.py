"""Enrolment on the real networks: the re-reader as the embedder, and a detector that names tiles by a profile."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from vision.enroll import Crops, Embedder, Features, Floats, Profile
from vision.enroll_crops import tile_crops
from vision.observation import TileObservation
from vision.rereader import Rereader
from vision.weights import model_path, sha256_of

Image = npt.NDArray[np.uint8]
_ALTERNATIVES = 8
_FLOOR = 1e-4


class RereaderEmbedder:
    """The shipped re-reader (or `rereader`) as an embedder."""

    def __init__(self, rereader: Rereader | None = None, fingerprint: str | None = None) -> None:
        self.rereader = rereader or Rereader()
        self._fingerprint = fingerprint or f"rereader-{sha256_of(model_path('rereader'))[:12]}"

    @property
    def names(self) -> tuple[str, ...]:
        """Codes in the order of the odds."""
        return self.rereader.names

    @property
    def fingerprint(self) -> str:
        """Of the network file."""
        return self._fingerprint

    def describe(self, crops: Crops) -> Features:
        """Features of Nx64x48x3 crops."""
        reading = self.rereader.read(crops)
        return Features(np.asarray(reading.odds, np.float32), np.asarray(reading.embedding, np.float32))


class FindsTiles(Protocol):
    """A detector."""

    def detect(self, image: Image) -> Sequence[TileObservation]:
        """All tiles of a picture."""
        ...


def describe_tiles(
    image_bgr: Image, tiles: Sequence[TileObservation], embedder: Embedder
) -> tuple[Features, list[int]]:
    """Features of every crop of the tiles, and which tile each row is of (two rows where the angle is not known)."""
    crops = [tile_crops(image_bgr, tile) for tile in tiles]
    owner = [index for index, cut in enumerate(crops) for _ in range(len(cut))]
    if not crops:
        return Features(np.zeros((0, len(embedder.names)), np.float32), np.zeros((0, 1), np.float32)), []
    return embedder.describe(np.concatenate(crops)), owner


class EnrolledDetector:
    """A detector whose tiles are named by the tile set in use.

    Args:
        detector: finds the tiles, and names them for any set.
        embedder: the network the profile was learnt with.
        profile: the set; or a function of the embeddings in view (NxE) that gives it, so that it can recognise the
            set by itself (None: no profile fits, nothing is changed).
    """

    def __init__(
        self,
        detector: FindsTiles,
        embedder: Embedder,
        profile: Profile | Callable[[Floats], Profile | None],
    ) -> None:
        self.detector = detector
        self.embedder = embedder
        self.profile = profile
        self.in_use: Profile | None = profile if isinstance(profile, Profile) else None

    def detect(self, image: Image) -> tuple[TileObservation, ...]:
        """The detector's tiles, named anew; sorted by confidence."""
        return self.rename(image, self.detector.detect(image))

    def rename(self, image: Image, tiles: Sequence[TileObservation]) -> tuple[TileObservation, ...]:
        """Tiles found already, named by the profile."""
        if not tiles:
            return tuple(tiles)
        features, owner = describe_tiles(image, tiles, self.embedder)
        self.in_use = self.profile if isinstance(self.profile, Profile) else self.profile(features.embedding)
        if self.in_use is None:
            return tuple(tiles)
        names = self.embedder.names
        base = np.stack([odds_of(tiles[index], names) for index in owner])
        judged = self.in_use.judge(Features(base, features.embedding))
        renamed = []
        for index, tile in enumerate(tiles):
            rows = [row for row, own in enumerate(owner) if own == index]
            renamed.append(_renamed(tile, _agreed(judged[rows]), names))
        return tuple(sorted(renamed, key=lambda tile: -tile.confidence))


def odds_of(tile: TileObservation, names: Sequence[str]) -> Floats:
    """The tile's odds over all `names`; what its alternatives leave out gets a trace."""
    odds = np.full(len(names), _FLOOR, np.float32)
    position = {name: index for index, name in enumerate(names)}
    for code, probability in tile.alternatives or ((tile.code, 1.0),):
        if code in position:
            odds[position[code]] += probability
    return np.asarray(odds / odds.sum(), dtype=np.float32)


def _agreed(odds: Floats) -> Floats:
    """Of a tile seen either end up: the odds of the end that is surer."""
    return np.asarray(odds[int(odds.max(axis=1).argmax())])


def _renamed(tile: TileObservation, odds: Floats, names: Sequence[str]) -> TileObservation:
    order = np.argsort(-odds)[:_ALTERNATIVES]
    listed = tuple((names[k], float(odds[k])) for k in order if odds[k] > 1e-5 or k == order[0])
    before = tile.alternatives[0][1] if tile.alternatives else 1.0
    there = min(1.0, tile.confidence / max(before, 1e-6))  # that it is a tile at all
    return dataclasses.replace(tile, code=listed[0][0], confidence=there * listed[0][1], alternatives=listed)
