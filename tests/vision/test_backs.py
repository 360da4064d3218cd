"""Which backs count."""

from __future__ import annotations

import numpy as np

from vision.backs import beside_faces, four_in_row, in_company, least_of_backs, outgrown


def test_backs_count_as_beside_when_a_row_leads_to_a_face() -> None:
    boxes = np.array([[40 * k, 0, 40 * k + 38, 50] for k in range(5)] + [[600, 400, 640, 450]], np.float32)
    back = np.array([False, True, True, True, True, True])
    assert beside_faces(boxes, back, np.ones(6, bool)).tolist() == [True] * 5 + [False]
    assert not beside_faces(boxes, np.ones(6, bool), np.ones(6, bool)).any()


def test_a_single_back_is_in_no_company_and_those_of_a_concealed_kong_are() -> None:
    boxes = np.array([[30 * k, 0, 30 * k + 30, 40] for k in (0, 1, 2, 3, 20)], np.float32)
    back = np.array([True, False, False, True, True])  # back, face, face, back; one far off
    assert in_company(boxes, back).tolist() == [True, True, True, True, False]
    assert not in_company(boxes[:1], back[:1]).any()


def test_four_backs_in_a_row_level_with_faces_are_a_kong_face_down() -> None:
    faces = [(x, 232.0, x + 35.0, 278.0) for x in (583.0, 619.0, 655.0)]
    kong = [(1040.0, 232.0, 1076.0, 279.0), (1076.0, 232.0, 1111.0, 279.0), (1110.0, 232.0, 1144.0, 278.0)]
    kong.append((1143.0, 232.0, 1179.0, 278.0))
    pattern = [(1149.0, 134.0, 1172.0, 167.0), (1149.0, 99.0, 1172.0, 132.0), (1020.0, 250.0, 1040.0, 270.0)]

    def found(backs: list[tuple[float, float, float, float]]) -> list[bool]:
        boxes = np.array([*faces, *backs], np.float32)
        back = np.arange(len(boxes)) >= len(faces)
        return four_in_row(boxes, back, np.ones(len(boxes), np.bool_)).tolist()[len(faces) :]

    assert found([*kong, *pattern]) == [True] * 4 + [False] * 3
    longer = [(1179.0 + 35 * k, 232.0, 1214.0 + 35 * k, 278.0) for k in range(8)]
    for more in range(1, 9):
        assert not any(found([*kong, *longer[:more]])), "a wall, or a hand that stands"
    assert not any(found(kong[:3]))
    assert not any(found([(x1, y1 - 120, x2, y2 - 120) for x1, y1, x2, y2 in kong])), "not in line with the hand"


def test_the_squares_of_a_cloth_are_no_backs_however_sure() -> None:
    """Sixty squares of a checked cloth, each found with 0.9, left nothing of the hand: its tiles were the odd ones."""
    hand = [(28.0 * k, 200.0, 28.0 * k + 27, 235.0) for k in range(11)]
    kong = [(400.0 + 28 * k, 200.0, 427.0 + 28 * k, 235.0) for k in range(4)]
    squares = [(50.0 * x, 50.0 * y, 50.0 * x + 52, 50.0 * y + 52) for x in range(15) for y in range(3)]
    boxes = np.array([*hand, *kong, *squares], np.float32)
    faces = np.arange(len(boxes)) < len(hand)
    assert outgrown(boxes, faces).tolist() == [False] * 15 + [True] * 45
    least = least_of_backs(boxes, ~faces, np.ones(len(boxes), bool))
    assert (least[11:15] < 0.9).all()
    assert np.isinf(least[15:]).all()
    assert not outgrown(boxes, np.arange(len(boxes)) < 3).any(), "three faces do not tell"


def test_slivers_of_a_neighbours_tiles_do_not_make_a_kong_too_large() -> None:
    hand = [(25.0 * k, 210.0, 25.0 * k + 24, 243.0) for k in range(11)]
    kong = [(864.0 + 25 * k, 210.0, 888.0 + 25 * k, 243.0) for k in range(4)]
    slivers = [(926.0, 20.0 + 25 * k, 940.0, 44.0 + 25 * k) for k in range(6)]
    boxes = np.array([*hand, *kong, *slivers], np.float32)
    faces = (np.arange(len(boxes)) < 11) | (np.arange(len(boxes)) >= 15)
    assert not outgrown(boxes, faces).any()
