"""Boxes and poses to upright crops: the geometry must bring a turned tile back upright."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.rectify import CROP_HEIGHT, CROP_WIDTH, MARGIN, crop_matrix, cut, cut_all, face_quad


def rectangle(angle: float, width: float, height: float, centre: tuple[float, float]) -> np.ndarray:
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    return corners @ np.array([[c, s], [-s, c]]) + np.array(centre)


@settings(deadline=None, max_examples=60)
@given(st.floats(-89, 89), st.floats(20, 90), st.floats(1.2, 1.6))
def test_quad_of_a_turned_rectangle_is_found_again(angle: float, width: float, ratio: float) -> None:
    true = rectangle(angle, width, width * ratio, (200, 150))
    box = np.concatenate([true.min(0), true.max(0)])
    turn = np.deg2rad(2 * angle)
    found = face_quad(box, float(np.cos(turn)), float(np.sin(turn)), 1 / (1 + ratio))
    assert np.abs(found - true).max() < 1e-6 * 200


def test_odd_narrow_share_falls_back_to_a_usual_tile() -> None:
    box = np.array([0, 0, 43, 57.0])
    quad = face_quad(box, 1.0, 0.0, float("nan"))
    assert np.allclose(quad, [[0, 0], [43, 0], [43, 57], [0, 57]], atol=0.5)


@pytest.mark.parametrize("angle", [0, 30, 77, -45])
def test_crop_of_a_turned_tile_stands_upright(angle: float) -> None:
    picture = np.full((400, 400, 3), 60, np.uint8)
    quad = rectangle(angle, 60, 84, (200, 200))
    cv2.fillConvexPoly(picture, quad.astype(np.int32), (240, 240, 240))
    top = (quad[0] + quad[1]) / 2 * 0.7 + (quad[2] + quad[3]) / 2 * 0.3
    cv2.circle(picture, (int(top[0]), int(top[1])), 9, (0, 0, 255), -1)
    crop = cut(picture, quad)
    assert crop.shape == (CROP_HEIGHT, CROP_WIDTH, 3)
    red = (crop[..., 2].astype(int) - crop[..., 0] > 100).nonzero()
    assert len(red[0]) > 20
    assert red[0].mean() < CROP_HEIGHT * 0.45
    assert abs(red[1].mean() - CROP_WIDTH / 2) < 3


def test_margin_shows_what_lies_around() -> None:
    quad = np.array([[0, 0], [30, 0], [30, 40], [0, 40]], float)
    corner = cv2.perspectiveTransform(quad[None], crop_matrix(quad))[0][0]
    assert corner[0] == pytest.approx(MARGIN / (1 + 2 * MARGIN) * CROP_WIDTH)


def test_large_tiles_are_averaged_not_sampled() -> None:
    stripes = np.zeros((800, 800, 3), np.uint8)
    stripes[:, ::2] = 255
    crop = cut(stripes, np.array([[100, 100], [600, 100], [600, 760], [100, 760]], float))
    assert crop.std() < 25


def test_tile_at_the_edge_of_the_picture_gives_a_whole_crop() -> None:
    picture = np.full((50, 50, 3), 200, np.uint8)
    assert cut(picture, np.array([[-20, -20], [20, -20], [20, 30], [-20, 30]], float)).min() > 150


def test_many_tiles_are_cut_as_one_by_one() -> None:
    picture = cv2.GaussianBlur(np.random.default_rng(1).integers(0, 256, (500, 700, 3), np.uint8), (0, 0), 3)
    quads = [rectangle(40 * k, 30 * 1.6**k, 42 * 1.6**k, (120.0 + 90 * k, 200 + 20 * k)) for k in range(6)]
    crops = cut_all(picture, quads)
    assert crops.shape == (6, CROP_HEIGHT, CROP_WIDTH, 3)
    assert all(np.array_equal(crop, cut(picture, quad)) for crop, quad in zip(crops, quads, strict=True))
    assert cut_all(picture, []).shape == (0, CROP_HEIGHT, CROP_WIDTH, 3)


@pytest.mark.parametrize("size", [40, 75, 160, 330])
def test_crops_of_any_size_lie_alike(size: int) -> None:
    """However often the picture is halved on the way, the tile's edges come out in the same place."""
    picture = np.full((600, 600, 3), 40, np.uint8)
    quad = rectangle(0, size * 0.75, size, (300.0, 290.0))
    cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), (240, 240, 240), cv2.LINE_AA, 4)
    rows = (cut(picture, quad)[..., 0] > 140).any(1).nonzero()[0]
    face = CROP_HEIGHT / (1 + 2 * MARGIN)
    assert abs(len(rows) - face) <= 1.5 + CROP_HEIGHT / size
    assert abs((rows[0] + rows[-1] + 1) / 2 - CROP_HEIGHT / 2) <= 1
