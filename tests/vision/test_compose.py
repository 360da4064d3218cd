"""Made training pictures: repeatable, with truth that fits what is drawn, never mirrored."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.training.classes import BACK, CLASSES, FACES, INDEX
from vision.training.compose import compose
from vision.training.crops import BLURRED, NO_TURN, DrawnCrops, out_of_focus
from vision.training.faces import FACE_HEIGHT, FACE_WIDTH, FaceBank
from vision.training.layouts import arrange
from vision.training.sample import filled, pose_of


@pytest.fixture(scope="module")
def bank() -> FaceBank:
    """Faces that need no drawing: a red mark at the top left of each, so that a mirror image would show."""
    out = FaceBank()
    for number, code in enumerate(FACES):
        face = np.full((FACE_HEIGHT, FACE_WIDTH, 3), 235, np.uint8)
        cv2.rectangle(face, (10, 10), (44, 44), (20, 20, 220), -1)
        cv2.putText(face, str(number), (20, 100), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (20, 20, 20), 3)
        out.add("test", code, face)
    return out


def test_the_class_list_is_that_of_the_rules() -> None:
    from scoring.tiles import ALL_CODES

    assert sorted(CLASSES) == sorted(ALL_CODES)
    assert CLASSES[BACK] == "back"


def test_same_seed_same_picture(bank: FaceBank) -> None:
    one, other = (compose(np.random.default_rng(4), bank, [], 256, 40.0) for _ in range(2))
    assert np.array_equal(one.image, other.image)
    assert np.array_equal(one.targets, other.targets)


def test_truth_lies_inside_and_has_poses(bank: FaceBank) -> None:
    seen = 0
    for seed in range(25):
        sample = compose(np.random.default_rng(seed), bank, [], 256, 40.0)
        assert sample.image.shape == (256, 256, 3)
        boxes = sample.targets[:, 1:5]
        assert (boxes >= 0).all()
        assert (boxes <= 256).all()
        assert (boxes[:, 2:] > boxes[:, :2]).all()
        assert np.hypot(sample.targets[:, 5], sample.targets[:, 6]) == pytest.approx(np.ones(len(boxes)), abs=1e-4)
        seen += len(boxes)
    assert seen > 80


def test_arrangements_are_right_handed() -> None:
    for seed in range(40):
        for tile in arrange(np.random.default_rng(seed), 0.7):
            assert np.linalg.det(tile.axes) == pytest.approx(1, abs=1e-6)


def test_pose_is_the_same_after_half_a_turn_and_tells_quarter_turns() -> None:
    quad = np.array([[0, 0], [30, 0], [30, 40], [0, 40]], float)
    assert pose_of(quad) == pytest.approx(pose_of(np.roll(quad, 2, axis=0)))
    assert pose_of(quad)[0] == pytest.approx(1)
    assert pose_of(quad)[2] == pytest.approx(3 / 7)
    turned = quad @ np.array([[0, 1], [-1, 0]])
    assert pose_of(turned)[0] == pytest.approx(-1)


def test_drawn_crops_know_their_turn(bank: FaceBank) -> None:
    maker = DrawnCrops(bank, [], 1)
    rng = np.random.default_rng(2)
    checked = 0
    for _ in range(40):
        for crop in maker.group(rng):
            if crop.turn == NO_TURN or crop.label not in {INDEX["1m"], INDEX["E"], INDEX["7p"], INDEX["C"]}:
                continue
            checked += 1
            assert crop.image.shape == (64, 48, 3)
            assert crop.turn in {0, 1, 2, 3}
    assert checked > 5


def test_windows_are_moved_so_that_the_picture_fills_them() -> None:
    linear = np.eye(2) * 2
    shift = filled(np.array([50.0, -900.0]), linear, (400, 400), 320)
    assert shift.tolist() == [0.0, -480.0]


def test_some_crops_are_blurred_against_their_own_size() -> None:
    """Small tiles out of focus, or seen by a camera that moves, look so once they are enlarged to a crop."""
    crop = np.zeros((64, 48, 3), np.uint8)
    crop[:, 22:26] = 255
    rng = np.random.default_rng(5)
    seen = [out_of_focus(rng, crop) for _ in range(600)]
    assert all(each.shape == crop.shape and each.dtype == np.uint8 for each in seen)
    changed = [each for each in seen if (each != crop).any()]
    # A stroke moved along itself looks as before.
    assert 0.75 * BLURRED < len(changed) / len(seen) < BLURRED + 0.05
    contrast = [int(each[32].max()) - int(each[32].min()) for each in changed]
    assert min(contrast) < 110
    assert max(contrast) > 200
