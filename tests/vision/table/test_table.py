"""Table coordinates, seats and zones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vision.observation import TileObservation
from vision.table import (
    CENTRE,
    MIN_TILE_PIXELS,
    SEATS,
    TILE_SHARE,
    CalibrationError,
    Lens,
    TableCalibration,
    from_seat,
    load_calibration,
    nearest_seat,
    owned,
    save_calibration,
    to_camera_box,
    to_seat,
    too_large,
)

SIZE = (1600, 1000)
CORNERS = ((430.0, 150.0), (1180.0, 165.0), (1450.0, 900.0), (170.0, 880.0))
PLAIN = TableCalibration("default", SIZE, CORNERS)
BENT = TableCalibration("default", SIZE, CORNERS, Lens(-0.2, 0.03))


@settings(max_examples=60, deadline=None)
@given(
    st.floats(-0.3, 0.2),
    st.floats(-0.05, 0.05),
    st.lists(st.tuples(st.floats(0, 1600), st.floats(0, 1000)), min_size=1),
)
def test_a_lens_straightens_what_it_distorts(k1: float, k2: float, points: list[tuple[float, float]]) -> None:
    assume(1 + 3 * k1 + 5 * k2 > 0.15)  # a lens that folds the picture over itself has no inverse
    lens = Lens(k1, k2)
    array = np.array(points)
    there = lens.distort(array, SIZE)
    assert np.allclose(lens.straighten(there, SIZE), array, atol=0.05)


@pytest.mark.parametrize("calibration", [PLAIN, BENT])
def test_table_and_camera_agree(calibration: TableCalibration) -> None:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    assert np.allclose(calibration.to_camera(square), CORNERS, atol=0.05)
    points = np.random.default_rng(1).uniform(0, 1, (50, 2))
    assert np.allclose(calibration.to_table(calibration.to_camera(points)), points, atol=1e-4)


@pytest.mark.parametrize("seat", [*SEATS, CENTRE])
def test_seat_coordinates_invert(seat: int) -> None:
    points = np.random.default_rng(seat).uniform(0, 1, (20, 2))
    assert np.allclose(from_seat(seat, to_seat(seat, points)), points)


def test_seats_run_counter_clockwise_from_the_bottom() -> None:
    places = {0: (0.5, 0.95), 1: (0.95, 0.5), 2: (0.5, 0.05), 3: (0.05, 0.5)}
    for seat, place in places.items():
        found, depth = nearest_seat(np.array(place))
        assert found == seat
        assert depth == pytest.approx(0.05)
    # The player at the bottom has the table's left on the left hand; the one at the top has it on the right.
    assert to_seat(0, np.array([[0.1, 0.9]]))[0, 0] == pytest.approx(0.1)
    assert to_seat(2, np.array([[0.1, 0.1]]))[0, 0] == pytest.approx(0.9)


@pytest.mark.parametrize("calibration", [PLAIN, BENT])
@pytest.mark.parametrize("seat", [*SEATS, CENTRE])
def test_zones_lead_back_to_the_camera(calibration: TableCalibration, seat: int) -> None:
    zone = calibration.zone(seat)
    width, height = zone.size
    assert zone.map_x.shape == (height, width)
    middle = np.array([[width / 2, height / 2]])
    seat_point = to_seat(seat, calibration.to_table(zone.to_camera(middle)))[0]
    assert seat_point[0] == pytest.approx(0.5, abs=0.01)
    assert TILE_SHARE * width >= MIN_TILE_PIXELS * 0.95 if seat != CENTRE else True


def test_a_mark_before_every_seat_comes_out_upright(view: type) -> None:
    """An arrow pointing away from each player points up in that player's zone, and lies at the same place."""
    top = np.zeros((1200, 1200, 3), np.uint8)
    for seat in SEATS:
        tail, head = from_seat(seat, np.array([[0.4, 0.08], [0.4, 0.2]])) * 1200
        cv2.line(top, tuple(np.round(tail).astype(int)), tuple(np.round(head).astype(int)), (255, 255, 255), 8)
        cv2.circle(top, tuple(np.round(head).astype(int)), 22, (0, 0, 255), -1)
    image = view(lens=Lens(-0.1)).picture(top)
    calibration = TableCalibration("default", SIZE, CORNERS, Lens(-0.1))
    for seat in SEATS:
        zone = calibration.zone(seat)
        seen = zone.view(image)
        red = (seen[..., 2].astype(int) - seen[..., 1] > 120) & (seen[..., 2] > 120)
        ys, xs = np.nonzero(red)
        a = -0.04 + xs.mean() / zone.size[0] * 1.08
        assert a == pytest.approx(0.4, abs=0.012), seat
        white = seen.min(axis=2) > 120
        assert np.nonzero(white)[0].mean() > ys.mean() + 20, "the arrow's tail is nearer to the player: lower"


def test_turning_the_table_turns_the_seats(view: type) -> None:
    """With the corners named from the next player's side, every zone shows what the last seat's showed before."""
    image = view().picture()
    turned = TableCalibration("default", SIZE, (*CORNERS[1:], CORNERS[0]))
    for seat in SEATS:
        before = PLAIN.zone((seat - 1) % 4).view(image).astype(int)
        after = turned.zone(seat).view(image).astype(int)
        assert before.shape == after.shape
        assert np.abs(before - after).mean() < 2.0


@pytest.mark.parametrize(
    ("half", "owner"), [((10, 13), 0), ((13, 10), 1), ((11, 11), 1)], ids=["upright for 0", "upright for 1", "unclear"]
)
def test_tiles_at_a_table_corner_belong_to_one_seat(half: tuple[int, int], owner: int) -> None:
    """To the player they stand upright for; where the box does not say, to the nearer edge (seat 1's here)."""
    point = from_seat(0, np.array([[0.95, 0.12]]))
    tiles = {}
    for seat in (0, 1):
        zone = PLAIN.zone(seat)
        where = PLAIN.to_camera(point)
        distance = (zone.map_x - where[0, 0]) ** 2 + (zone.map_y - where[0, 1]) ** 2
        y, x = np.unravel_index(int(distance.argmin()), distance.shape)
        w, h = half if seat == 0 else (half[1], half[0])
        box = (float(x) - w, float(y) - h, float(x) + w, float(y) + h)
        tiles[seat] = owned(zone, [TileObservation("1m", box, 0.9)], PLAIN)
    assert [len(tiles[0]), len(tiles[1])] == [int(owner == 0), int(owner == 1)]


def test_a_turned_tile_goes_with_its_meld() -> None:
    zone = PLAIN.zone(0)
    width, height = zone.size
    left = 0.9 * width
    boxes = [(left, height - 100, left + 20, height - 74), (left + 21, height - 100, left + 41, height - 74)]
    turned = (left + 42, height - 94, left + 68, height - 74)
    tiles = [TileObservation("1m", box, 0.9) for box in [*boxes, turned]]
    assert len(owned(zone, tiles, PLAIN)) == 3


def test_a_set_that_gapes_beside_its_raised_tile_stays_one() -> None:
    """The upper tile of a kong seems shifted from its neighbour, by which two of its tiles went to the next player."""
    zone = PLAIN.zone(0)
    width, height = zone.size
    left, top = 0.945 * width, height - 100
    upright, raised = (left, top, left + 20, top + 27), (left + 27, top - 2, left + 54, top + 18)
    covered = (left + 51, top, left + 68, top + 27)
    tiles = [TileObservation("2p", box, 0.9) for box in (upright, raised, covered)]
    assert len(owned(zone, tiles, PLAIN)) == 3


def test_two_tiles_at_a_corner_of_which_each_is_nearer_to_another_player_are_somebodys() -> None:
    """An upright one and one sideways, what is seen of a kong: no majority, so the middle of both decides."""
    upright, sideways = at(0, [(0.889, 0.076)], (36, 48))[0], at(0, [(0.937, 0.069)], (62, 42))[0]
    assert len(owned(PLAIN.zone(0), [upright, sideways], PLAIN)) == 2
    zone, seen = PLAIN.zone(1), []
    for place, (w, h) in (((0.889, 0.076), (48, 36)), ((0.937, 0.069), (42, 62))):
        x, y = PLAIN.to_zone(1, PLAIN.to_camera(from_seat(0, np.array([place]))))[0]
        seen.append(TileObservation("1m", (x - w / 2, y - h / 2, x + w / 2, y + h / 2), 0.9))
    assert owned(zone, seen, PLAIN) == []


def test_a_tile_cut_by_a_zones_inner_edge_lies_in_the_middle() -> None:
    middle = PLAIN.zone(0).size[0] / 2
    cut = TileObservation("6p", (middle - 20, 0.0, middle + 20, 27.0), 0.9)
    own = replace(cut, box=(middle - 20, 6.0, middle + 20, 58.0))
    assert owned(PLAIN.zone(0), [cut, own], PLAIN) == [own]


def at(seat: int, places: list[tuple[float, float]], size: tuple[float, float]) -> list[TileObservation]:
    """Tiles in seat 0's zone whose middles are at places `(a, d)` of `seat`."""
    out = []
    for x, y in PLAIN.to_zone(0, PLAIN.to_camera(from_seat(seat, np.array(places)))):
        w, h = size[0] / 2, size[1] / 2
        out.append(TileObservation("1m", (float(x) - w, float(y) - h, float(x) + w, float(y) + h), 0.9))
    return out


@pytest.mark.parametrize("size", [(38, 38), (37, 50), (50, 37)])
def test_a_row_along_another_edge_is_that_players_however_its_faces_look(size: tuple[int, int]) -> None:
    """A hand standing there shows its faces to a camera behind its player, upright or not as the camera has it."""
    row = at(1, [(0.14 + 0.03 * i, 0.07) for i in range(6)], size)
    assert owned(PLAIN.zone(0), row, PLAIN) == []
    own = at(0, [(0.97 - 0.03 * i, 0.09) for i in range(6)], size)
    assert len(owned(PLAIN.zone(0), own, PLAIN)) == 6


@pytest.mark.parametrize("a", [0.7, 0.75, 0.79, 0.28])
def test_a_winning_tile_laid_sideways_is_its_own_players(a: float) -> None:
    tile = at(0, [(a, 0.08)], (50, 37))
    assert owned(PLAIN.zone(0), tile, PLAIN) == tile


def test_sides_of_tiles_do_not_make_a_neighbours_flowers_ones_own() -> None:
    flowers = [replace(tile, code="f2") for tile in at(0, [(0.9, 0.2), (0.9, 0.163)], (50, 37))]
    # Beside them a standing hand's tops and sides, found as blank ones and a back, upright for seat 0.
    tops = [replace(tile, code="P") for tile in at(0, [(0.925, 0.2), (0.925, 0.165)], (26, 44))]
    side = [replace(tile, code="back") for tile in at(0, [(0.87, 0.17)], (35, 49))]
    assert owned(PLAIN.zone(0), flowers, PLAIN) == []
    assert owned(PLAIN.zone(0), [*flowers, *tops, *side], PLAIN) == []


def test_boxes_come_back_in_camera_pixels() -> None:
    zone = PLAIN.zone(0)
    width, height = zone.size
    x1, y1, x2, y2 = to_camera_box(zone, (width / 2 - 20, height / 2 - 20, width / 2 + 20, height / 2 + 20))
    assert x1 < x2 and y1 < y2
    middle = to_seat(0, PLAIN.to_table(np.array([[(x1 + x2) / 2, (y1 + y2) / 2]])))[0]
    assert middle[0] == pytest.approx(0.5, abs=0.01)


def test_scaling_keeps_the_table_and_refuses_another_shape() -> None:
    half = PLAIN.scaled((800, 500))
    assert np.allclose(half.to_table(np.array([[400.0, 250.0]])), PLAIN.to_table(np.array([[800.0, 500.0]])))
    with pytest.raises(CalibrationError, match="calibrate again"):
        PLAIN.scaled((1000, 1000))


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        (CORNERS[:3], "four"),
        (tuple(reversed(CORNERS)), "wrong way round"),
        ((CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]), "no four-sided"),
        (((0, 0), (50, 0), (50, 50), (0, 50)), "2 %"),
        ((*CORNERS[:3], (9000.0, 0.0)), "far outside"),
        ((*CORNERS[:3], (float("nan"), 0.0)), "not a number"),
    ],
)
def test_impossible_corners_are_refused(corners: tuple, words: str) -> None:
    with pytest.raises(CalibrationError, match=words):
        TableCalibration("default", SIZE, corners)


def test_kept_and_loaded(tmp_path: Path) -> None:
    path = save_calibration(BENT, tmp_path)
    assert load_calibration(tmp_path, "default") == BENT
    assert json.loads(path.read_text())["lens"]["k1"] == -0.2
    with pytest.raises(CalibrationError, match="there is one for: default"):
        load_calibration(tmp_path, "other")
    path.write_text("{")
    with pytest.raises(CalibrationError, match="calibrate again"):
        load_calibration(tmp_path, "default")
    path.write_text('{"camera": "x"}')
    with pytest.raises(CalibrationError, match="not a calibration"):
        load_calibration(tmp_path, "default")
    with pytest.raises(CalibrationError, match="camera name"):
        load_calibration(tmp_path, "../etc/passwd")


@pytest.mark.parametrize(("side", "large"), [(28.0, False), (45.0, False), (92.0, True)])
def test_a_console_in_the_middle_is_no_discard(side: float, large: bool) -> None:
    """Two lights on the console of an automatic table were read as a 二筒 once nothing else lay there."""
    calibration = TableCalibration(
        "c", (1920, 1080), ((500.0, 60.0), (1460.0, 60.0), (1460.0, 1020.0), (500.0, 1020.0))
    )
    zone = calibration.zone(CENTRE)
    share = zone.to_camera(np.array([[100.0, 100.0], [200.0, 100.0]]))
    scale = 100.0 / float(share[1, 0] - share[0, 0])
    box = (300.0, 300.0, 300.0 + side * scale, 300.0 + 1.3 * min(side, 60.0) * scale)
    assert too_large(TileObservation("2p", box, 0.5, (("2p", 0.99),)), zone, calibration) is large
