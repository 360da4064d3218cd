"""Enrolment on the real networks: the re-reader as the embedder, and a detector that names tiles by a profile."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from vision.dataset.classes import canonical_code
from vision.dataset.entries import Entry, picture_files
from vision.enroll import Crops, Embedder, Features, Floats, Profile, Shot
from vision.enroll_crops import fit_crop, tile_crops
from vision.enroll_store import ProfileStore, Recogniser
from vision.observation import TileObservation
from vision.picture import PictureError, load_picture
from vision.rereader import Rereader

Image = npt.NDArray[np.uint8]
_ALTERNATIVES = 8
_FLOOR = 1e-4


class RereaderEmbedder:
    """The shipped re-reader (or `rereader`) as an embedder."""

    def __init__(self, rereader: Rereader | None = None) -> None:
        self.rereader = rereader or Rereader()

    @property
    def names(self) -> tuple[str, ...]:
        """Codes in the order of the odds."""
        return self.rereader.names

    @property
    def fingerprint(self) -> str:
        """Of the network file."""
        return self.rereader.name

    def describe(self, crops: Crops) -> Features:
        """Features of Nx64x48x3 crops."""
        reading = self.rereader.read(crops)
        return Features(np.asarray(reading.odds, np.float32), np.asarray(reading.embedding, np.float32))


class FindsTiles(Protocol):
    """A detector."""

    def detect(self, image: Image, look: int = 0) -> Sequence[TileObservation]:
        """All tiles of a picture; `look` counts the pictures of a scene that stays as it is."""
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

    @property
    def tile_set(self) -> str | None:
        """Name of the set that named the last tiles, None where none fitted."""
        return None if self.in_use is None else self.in_use.name

    def detect(self, image: Image, look: int = 0) -> tuple[TileObservation, ...]:
        """The detector's tiles, named anew; sorted by confidence."""
        return self.rename(image, self.detector.detect(image, look))

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
    code, sure = listed[0]
    return dataclasses.replace(tile, code=code, confidence=tile.presence * sure, alternatives=listed)


def shots_of(entries: Sequence[Entry], rereader: Rereader, most: int = 4) -> tuple[list[Shot], list[str]]:
    """The crops of labelled pictures, at most `most` of a face from one picture, and what could not be used.

    The way a tile stands is taken from its label, else found by the re-reader.
    """
    shots: list[Shot] = []
    problems: list[str] = []
    for entry in entries:
        if entry.picture is None:
            problems.append(f"{entry.sample.image}: the picture is missing")
            continue
        try:
            image = load_picture(entry.picture)
        except PictureError as error:
            problems.append(error.en)
            continue
        boxes = [box for box in entry.sample.boxes if box.code in rereader.names and box.code != "back"]
        seen = [TileObservation(box.code, box.box, 1.0, (), box.turn) for box in boxes]
        angles = [tile.angle for tile in rereader.refine(image, seen)]
        taken: Counter[str] = Counter()
        for box, tile, angle in zip(boxes, seen, angles, strict=True):
            if taken[box.code] < most:
                taken[box.code] += 1
                placed = tile if box.turn is not None else dataclasses.replace(tile, angle=angle or 0.0)
                shots.append(Shot(tile_crops(image, placed)[0], box.code, entry.sample.image))
    return shots, problems


def shots_of_faces(folder: Path) -> list[Shot]:
    """The crops of a folder of class folders (`1m/*.jpg` …), each picture one upright face from edge to edge.

    Each file counts as a photo of its own place in its folder: first files together, second files together.
    """
    shots = []
    for place in sorted(path for path in folder.iterdir() if path.is_dir()):
        code = canonical_code(place.name)
        for number, file in enumerate(picture_files(place) if code is not None else ()):
            shots.append(Shot(fit_crop(load_picture(file)), str(code), f"crop {number}"))
    return shots


def enrolled_detector(
    detector: FindsTiles, store: ProfileStore, choice: str, embedder: Embedder
) -> tuple[FindsTiles, list[str]]:
    """The detector with a tile set in use, and what is wrong with stored sets.

    `choice` is the name of a set, `auto` (recognised from the tiles in view) or `none`. With `auto` and no set stored
    the detector is given back as it is. `embedder` is of the re-reader in use: a set learnt with another one is learnt
    anew with it. Raises EnrolError for a name that is not stored.
    """
    if choice == "none" or (choice == "auto" and not store.names()):
        return detector, []
    if choice != "auto":
        return EnrolledDetector(detector, embedder, store.for_network(choice, embedder)), []
    profiles, problems = store.all_for_network(embedder)
    if not profiles:
        return detector, problems
    return EnrolledDetector(detector, embedder, Recogniser(profiles)), problems
