"""A detector with a tile set in use: names improve, boxes stay, and other sets are left alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.enroll import EnrolError, Shot, learn
from vision.enroll_reader import EnrolledDetector, enrolled_detector, odds_of, shots_of_faces
from vision.enroll_store import ProfileStore, Recogniser
from vision.observation import TileObservation

Shots = Callable[..., list[Shot]]
Image = np.ndarray


class LaidOut:
    """Finds the tiles of a photo laid out from crops, and names them as the reader does."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.tiles: list[TileObservation] = []

    def photo(self, shots: Sequence[Shot]) -> Image:
        """A picture of the crops; `detect` then finds these."""
        image = np.full((80 * 3, 60 * 4, 3), 90, np.uint8)
        odds = self.reader.describe(np.stack([shot.crop for shot in shots])).odds
        self.tiles = []
        for index, shot in enumerate(shots):
            x, y = 60 * (index % 4) + 6, 80 * (index // 4) + 8
            image[y : y + 64, x : x + 48] = shot.crop
            box = (x + 48 * 0.097, y + 64 * 0.097, x + 48 * 0.903, y + 64 * 0.903)
            order = np.argsort(-odds[index])
            listed = tuple((self.reader.names[k], float(odds[index, k])) for k in order[:8])
            self.tiles.append(TileObservation(listed[0][0], box, 0.9 * listed[0][1], listed, 0.0))
        return image

    def detect(self, image: Image, look: int = 0) -> Sequence[TileObservation]:
        """Those of the last photo."""
        return tuple(self.tiles)


def right(tiles: Sequence[TileObservation], shots: Sequence[Shot], finder: LaidOut) -> int:
    truth = {tile.box: shot.code for tile, shot in zip(finder.tiles, shots, strict=True)}
    return sum(tile.code == truth[tile.box] for tile in tiles)


def test_tiles_of_an_enrolled_set_are_named_better(reader: Any, shots: Shots) -> None:
    before = after = 0
    for style in range(1, 6):
        finder = LaidOut(reader)
        detector = EnrolledDetector(finder, reader, learn(shots(style), reader, str(style)))
        seen = shots(style, 1, seed=40)
        renamed = detector.detect(finder.photo(seen))
        before += right(finder.tiles, seen, finder)
        after += right(renamed, seen, finder)
        assert {tile.box for tile in renamed} == {tile.box for tile in finder.tiles}
        assert [t.confidence for t in renamed] == sorted((t.confidence for t in renamed), reverse=True)
        assert all(0 < t.confidence <= 0.9 + 1e-6 and t.alternatives[0][0] == t.code for t in renamed)
    assert after > before


def test_auto_uses_the_set_in_view_and_leaves_strangers_alone(reader: Any, shots: Shots, tmp_path: Path) -> None:
    store = ProfileStore(tmp_path)
    finder = LaidOut(reader)
    assert enrolled_detector(finder, store, "auto", reader) == (finder, [])
    for style in (2, 3):
        store.save(learn(shots(style), reader, f"set {style}"))
    assert enrolled_detector(finder, store, "none", reader) == (finder, [])
    detector, problems = enrolled_detector(finder, store, "auto", reader)
    assert isinstance(detector, EnrolledDetector) and isinstance(detector.profile, Recogniser) and not problems
    assert detector.in_use is None
    detector.detect(finder.photo(shots(3, 1, seed=8)))
    assert detector.in_use is not None and detector.in_use.name == "set 3"
    noise = [Shot(np.random.default_rng(n).integers(0, 255, (64, 48, 3), dtype=np.uint8), "1m") for n in range(12)]
    image = finder.photo(noise)
    assert detector.detect(image) == tuple(finder.tiles) and detector.in_use is None
    finder.tiles = []
    assert detector.detect(image) == ()
    named, _ = enrolled_detector(finder, store, "set 2", reader)
    assert isinstance(named, EnrolledDetector) and named.in_use is not None and named.in_use.name == "set 2"
    with pytest.raises(EnrolError, match="stored are: set 2, set 3"):
        enrolled_detector(finder, store, "set 9", reader)


def test_odds_keep_a_trace_of_what_is_not_listed() -> None:
    odds = odds_of(TileObservation("1m", (0, 0, 1, 1), 0.9, (("1m", 0.8), ("2m", 0.2))), ("1m", "2m", "3m"))
    assert odds.argmax() == 0 and 0 < odds[2] < 0.001 and odds.sum() == pytest.approx(1)
    alone = odds_of(TileObservation("2m", (0, 0, 1, 1), 0.9), ("1m", "2m", "3m"))
    assert alone[1] > 0.99


def test_folders_of_faces_become_shots(tmp_path: Path) -> None:
    for name in ("1m", "east", "cats"):
        (tmp_path / name).mkdir()
        for number in range(2):
            assert cv2.imwrite(str(tmp_path / name / f"{number}.png"), np.full((120, 90, 3), 40 * number, np.uint8))
    found = shots_of_faces(tmp_path)
    assert sorted((shot.code, shot.photo) for shot in found) == [
        ("1m", "crop 0"),
        ("1m", "crop 1"),
        ("E", "crop 0"),
        ("E", "crop 1"),
    ]
    assert found[0].crop.shape == (64, 48, 3)
