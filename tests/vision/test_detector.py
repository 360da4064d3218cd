"""The shipped networks at run time, on the bundled sample pictures and on bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taicam
from vision.detector import Detector
from vision.findings import overlaps
from vision.picture import load_picture
from vision.rereader import Rereader
from vision.weights import WeightsError, model_path

SAMPLE = sorted((Path(taicam.__file__).parent / "sample").glob("*.jpg"))


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(threads=2)


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    return load_picture(SAMPLE[0])


def test_finds_a_whole_hand_with_odds_that_add_up(detector: Detector, picture: np.ndarray) -> None:
    seen = detector.detect(picture)
    assert 14 <= len(seen) <= 26
    height, width = picture.shape[:2]
    for tile in seen:
        x1, y1, x2, y2 = tile.box
        assert 0 <= x1 < x2 <= width
        assert 0 <= y1 < y2 <= height
        assert tile.alternatives[0][0] == tile.code
        assert sum(p for _, p in tile.alternatives) == pytest.approx(1, abs=0.05)
        assert 0 < tile.confidence <= 1
    assert [t.confidence for t in seen] == sorted((t.confidence for t in seen), reverse=True)


def test_no_tile_is_seen_twice(detector: Detector) -> None:
    for path in SAMPLE[:3]:
        boxes = np.array([tile.box for tile in detector.detect(load_picture(path))], np.float32)
        for k in range(len(boxes) - 1):
            assert overlaps(boxes[k], boxes[k + 1 :])[0].max() < 0.5


def test_same_picture_same_answer(detector: Detector, picture: np.ndarray) -> None:
    assert detector.detect(picture) == detector.detect(picture)


def test_boxes_follow_the_picture_when_it_is_larger(detector: Detector, picture: np.ndarray) -> None:
    twice = np.repeat(np.repeat(picture, 2, axis=0), 2, axis=1)
    small = sorted(tile.box for tile in detector.detect(picture))
    large = sorted(tile.box for tile in detector.detect(twice))
    assert len(small) == len(large)
    for a, b in zip(small, large, strict=True):
        assert np.allclose(np.array(a) * 2, b, atol=12)


def test_turned_upside_down_it_reads_the_same_tiles(detector: Detector, picture: np.ndarray) -> None:
    upright = sorted(t.code for t in detector.detect(picture))
    turned = sorted(t.code for t in detector.detect(np.ascontiguousarray(picture[::-1, ::-1])))
    different = sum(a != b for a, b in zip(upright, turned, strict=False)) + abs(len(upright) - len(turned))
    assert different <= 2


def test_tiles_far_away_are_looked_at_again(detector: Detector, picture: np.ndarray) -> None:
    wide = np.full((picture.shape[0] * 3, picture.shape[1] * 3, 3), 90, np.uint8)
    wide[: picture.shape[0], : picture.shape[1]] = picture
    near, far = len(detector.detect(picture)), len(detector.detect(wide))
    assert abs(near - far) <= 1


def test_further_looks_are_taken_at_other_scales(detector: Detector, picture: np.ndarray) -> None:
    wide = np.full((picture.shape[0] * 3, picture.shape[1] * 3, 3), 90, np.uint8)
    wide[: picture.shape[0], : picture.shape[1]] = picture
    looks = [detector.detect(wide, look) for look in range(4)]
    boxes = [sorted(tile.box for tile in seen) for seen in looks]
    assert boxes[0] != boxes[1] != boxes[2] != boxes[0]
    assert boxes[3] == boxes[0], "after three scales the first comes again"
    assert max(map(len, looks)) - min(map(len, looks)) <= 1


def test_empty_table_has_no_tiles(detector: Detector) -> None:
    assert detector.detect(np.full((480, 640, 3), (60, 110, 40), np.uint8)) == ()


def test_works_without_the_rereader(picture: np.ndarray) -> None:
    seen = Detector(rereader=False, threads=2).detect(picture)
    assert 14 <= len(seen) <= 26


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((100, 100), np.uint8),
        np.zeros((100, 100, 4), np.uint8),
        np.zeros((100, 100, 3), float),
        np.zeros((3, 9, 3), np.uint8),
    ],
)
def test_arrays_that_are_no_pictures_are_refused(detector: Detector, image: np.ndarray) -> None:
    with pytest.raises(ValueError, match="give HxWx3 uint8"):
        detector.detect(image)


def test_bad_settings_and_foreign_networks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="multiple of 32"):
        Detector(size=650)
    with pytest.raises(ValueError, match="between 0 and 1"):
        Detector(confidence=0)
    with pytest.raises(WeightsError, match="no network at"):
        Detector(tmp_path / "missing.onnx")
    with pytest.raises(WeightsError, match="not a taicam tile detector"):
        Detector(model_path("rereader"))
    with pytest.raises(WeightsError, match="not a taicam re-reader"):
        Rereader(model_path("tiles"))
