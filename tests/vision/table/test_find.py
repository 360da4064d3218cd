"""Finding the table, printing markers, noticing a bumped camera."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.picture import load_picture
from vision.table import CalibrationError, Lens, TableCalibration, save_calibration
from vision.table_bump import BumpWatch, keep_reference
from vision.table_find import corners_from_text, find_edge, find_markers, find_table, print_markers

SIZE = (1600, 1000)
CORNERS = ((430.0, 150.0), (1180.0, 165.0), (1450.0, 900.0), (170.0, 880.0))


def off(found: tuple[tuple[float, float], ...], corners: tuple = CORNERS) -> float:
    return float(np.linalg.norm(np.array(found) - np.array(corners), axis=1).max())


@pytest.mark.parametrize("cloth", [(70, 120, 45), (150, 60, 40), (90, 70, 180)])
def test_edge(view: type, cloth: tuple[int, int, int]) -> None:
    found = find_edge(view(cloth=cloth).picture())
    assert found is not None
    assert off(found.corners) < 12, "pixels of 1600"


def framed(view: type, wide: float, colour: tuple[int, int, int]) -> np.ndarray:
    """A table whose top has a band of that colour about it, `wide` of its side."""
    top = view().plain(1000)
    edge = round(wide * 1000)
    cloth = cv2.copyMakeBorder(
        cv2.resize(top, (1000 - 2 * edge, 1000 - 2 * edge)), edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=colour
    )
    return view(rounded=0.0).picture(cloth)


@pytest.mark.parametrize("wide", [0.03, 0.06, 0.08])
@pytest.mark.parametrize("colour", [(75, 95, 75), (40, 62, 24), (95, 150, 75)])
def test_a_rim_is_none_of_the_table(view: type, wide: float, colour: tuple[int, int, int]) -> None:
    """Of a hue like the cloth's, so that both are found as one patch; rows of tiles lie along the cloth's edge."""
    found = find_edge(framed(view, wide, colour))
    assert found is not None
    table = TableCalibration("cam", SIZE, CORNERS)
    inner = [(wide, wide), (1 - wide, wide), (1 - wide, 1 - wide), (wide, 1 - wide)]
    assert off(found.corners, tuple(map(tuple, table.to_camera(np.array(inner))))) < 14, "pixels of 1600"


def test_a_line_drawn_on_the_cloth_is_no_rim(view: type) -> None:
    top = view().plain(1000)
    cv2.rectangle(top, (50, 50), (950, 950), (200, 220, 210), 5)
    found = find_edge(view(rounded=0.0).picture(top))
    assert found is not None
    assert off(found.corners) < 14


def test_a_patch_with_a_thing_of_its_colour_beside_it_is_not_taken_for_the_table(view: type) -> None:
    image = view(rounded=0.0).picture()
    beside = np.array([(1180, 300), (1500, 330), (1560, 560), (1300, 560)], np.int32)
    cv2.fillConvexPoly(image, beside, view().cloth)
    assert find_edge(image) is None or off(find_edge(image).corners) < 14


def test_edge_through_a_bent_lens(view: type) -> None:
    found = find_edge(view(lens=Lens(-0.14)).picture())
    assert found is not None
    assert found.lens.k1 == pytest.approx(-0.14, abs=0.03)
    assert off(found.corners) < 14


def test_straight_edges_give_no_lens(view: type) -> None:
    found = find_edge(view().picture())
    assert found is not None
    assert found.lens == Lens()


def test_no_table_is_said(view: type) -> None:
    with pytest.raises(CalibrationError, match="--print-markers"):
        find_table(view().floor())
    with pytest.raises(CalibrationError, match="no table"):
        find_table(np.full((600, 800, 3), 90, np.uint8))


def with_markers(view: type, order: tuple[int, ...] = (0, 1, 2, 3)) -> np.ndarray:
    top = view().plain(1400)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for place, number in enumerate(order):
        side = 110
        marker = cv2.copyMakeBorder(
            cv2.aruco.generateImageMarker(dictionary, number, side), 12, 12, 12, 12, cv2.BORDER_CONSTANT, value=255
        )
        left, up = ((0, 0), (1, 0), (1, 1), (0, 1))[place]
        x, y = left * (1400 - 134), up * (1400 - 134)
        top[y : y + 134, x : x + 134] = marker[..., None]
    return view(rounded=0.0).picture(top)


def test_markers(view: type) -> None:
    image = with_markers(view)
    found = find_table(image)
    assert found.how == "markers"
    # The markers' white rim keeps them 12 of 1400 inside the corner.
    assert off(found.corners) < 22


def test_markers_on_the_wrong_corners_are_said(view: type) -> None:
    with pytest.raises(CalibrationError, match="clockwise"):
        find_table(with_markers(view, (1, 0, 2, 3)))


def test_three_markers_are_not_enough(view: type) -> None:
    image = with_markers(view)
    image[700:, 1200:] = 90
    assert find_markers(image) is None


@pytest.mark.parametrize("ending", [".png", ".pdf"])
def test_printed_sheet(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"markers{ending}"
    print_markers(path)
    assert path.stat().st_size > 5000
    if ending == ".png":
        sheet = load_picture(path)
        assert sheet.shape[:2] == (3508, 2480)
        small = cv2.resize(sheet, None, fx=0.3, fy=0.3, interpolation=cv2.INTER_AREA)
        detector = cv2.aruco.ArucoDetector(
            cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), cv2.aruco.DetectorParameters()
        )
        _, ids, _ = detector.detectMarkers(small)
        assert sorted(np.ravel(ids)) == [0, 1, 2, 3]
    else:
        assert path.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(("name", "size"), [("m.txt", 60.0), ("m.pdf", 200.0)])
def test_bad_sheets(tmp_path: Path, name: str, size: float) -> None:
    with pytest.raises(CalibrationError):
        print_markers(tmp_path / name, size)


def test_corners_from_text() -> None:
    assert corners_from_text("1,2 3,4; 5,6 7,8.5") == ((1, 2), (3, 4), (5, 6), (7, 8.5))
    for bad in ("", "1,2 3,4 5,6", "1,2 3,4 5,6 x,y", "1,2,3 4,5 6,7 8,9"):
        with pytest.raises(CalibrationError, match="--corners"):
            corners_from_text(bad)


def moved(image: np.ndarray, shift: float) -> np.ndarray:
    matrix = np.array([[1, 0, shift], [0, 1, shift * 0.4]], np.float32)
    return cv2.warpAffine(image, matrix, SIZE, borderMode=cv2.BORDER_REFLECT)


@pytest.mark.parametrize(("shift", "expected"), [(0.0, False), (4.0, False), (40.0, True), (90.0, True)])
def test_a_bumped_camera_is_noticed(view: type, tmp_path: Path, shift: float, expected: bool) -> None:
    rng = np.random.default_rng(6)
    image = view().picture()
    for _ in range(250):  # things that stand about
        x, y = rng.integers(0, SIZE[0]), rng.integers(0, SIZE[1])
        cv2.circle(image, (int(x), int(y)), int(rng.integers(2, 9)), tuple(int(v) for v in rng.integers(0, 255, 3)), -1)
    calibration = TableCalibration("cam", SIZE, CORNERS)
    save_calibration(calibration, tmp_path)
    keep_reference(tmp_path, calibration, image)
    watch = BumpWatch.load(tmp_path, calibration)
    assert watch is not None
    later = moved(image, shift)
    cv2.rectangle(later, (500, 400), (760, 620), (225, 228, 230), -1)  # tiles were laid since
    result = watch.check((later * 0.9).astype(np.uint8))
    assert result.moved is expected
    assert (result.note() is not None) == expected
    if expected:
        assert result.corners[0][0] - CORNERS[0][0] == pytest.approx(shift, abs=3)


def test_too_little_to_tell_by(view: type, tmp_path: Path) -> None:
    calibration = TableCalibration("cam", SIZE, CORNERS)
    assert BumpWatch.load(tmp_path, calibration) is None
    save_calibration(calibration, tmp_path)
    keep_reference(tmp_path, calibration, view().picture())
    watch = BumpWatch.load(tmp_path, calibration)
    assert watch is not None
    assert watch.check(np.full((1000, 1600, 3), 40, np.uint8)).moved is None
