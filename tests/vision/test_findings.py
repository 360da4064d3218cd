"""One finding a tile: what the network says several times is merged, neighbours are kept apart."""

from __future__ import annotations

import numpy as np
import pytest

from vision.findings import Findings, halves, in_line, joined, merge, overlaps, plausible, softmax


def made(*boxes: tuple[float, float, float, float], tile: list[float] | None = None) -> Findings:
    count = len(boxes)
    classes = np.zeros((count, 43), np.float32)
    classes[np.arange(count), np.arange(count) % 43] = 5
    return Findings(
        np.array(boxes, np.float32).reshape(-1, 4),
        np.array(tile or [0.9 - 0.1 * k for k in range(count)], np.float32),
        classes,
        np.tile(np.array([1, 0, 0.43], np.float32), (count, 1)),
    )


def test_nothing_found_stays_nothing() -> None:
    out = merge(made())
    assert len(out) == 0
    assert out.classes.shape == (0, 43)


def test_neighbours_side_by_side_stay_two() -> None:
    assert len(merge(made((0, 0, 30, 40), (30, 0, 60, 40)))) == 2


def test_tiles_askew_whose_boxes_overlap_by_a_third_stay_two() -> None:
    out = merge(made((0, 0, 50, 50), (25, 0, 75, 50)))
    assert len(out) == 2


def test_same_tile_found_twice_with_other_names_becomes_one_with_both_odds() -> None:
    out = merge(made((0, 0, 30, 40), (1, 1, 31, 41), tile=[0.8, 0.8]))
    assert len(out) == 1
    odds = softmax(out.classes)[0]
    assert odds[0] == pytest.approx(odds[1])
    assert odds[0] > 0.15
    assert np.allclose(out.boxes[0], [0.5, 0.5, 30.5, 40.5])


def test_small_box_inside_a_larger_one_is_dropped() -> None:
    out = merge(made((0, 0, 60, 80), (10, 10, 30, 40)))
    assert len(out) == 1
    assert np.allclose(out.boxes[0], [0, 0, 60, 80])


def test_surest_comes_first_and_decides() -> None:
    out = merge(made((0, 0, 30, 40), (100, 0, 130, 40), tile=[0.4, 0.9]))
    assert out.tile.tolist() == pytest.approx([0.9, 0.4])
    assert out.boxes[0, 0] == 100


def test_overlaps_of_disjoint_and_contained_boxes() -> None:
    iou, inside = overlaps(
        np.array([0, 0, 10, 10], np.float32), np.array([[20, 20, 30, 30], [0, 0, 5, 10]], np.float32)
    )
    assert iou.tolist() == pytest.approx([0, 0.5])
    assert inside.tolist() == pytest.approx([0, 1])


def test_moved_and_joined_keep_rows_together() -> None:
    both = joined([made((0, 0, 10, 10)), made((0, 0, 10, 10)).moved(2, (5, 6))])
    assert both.boxes.tolist() == [[0, 0, 10, 10], [5, 6, 25, 26]]
    assert len(both.keep(np.array([1]))) == 1


def test_odd_sizes_among_tiles_are_dropped_unless_very_sure() -> None:
    row = [(40.0 * k, 0.0, 40.0 * k + 36, 48.0) for k in range(6)]
    tray, part = (0.0, 60.0, 140.0, 220.0), (300.0, 60.0, 312.0, 76.0)
    scores = [0.9] * 6 + [0.6, 0.6]
    assert plausible(made(*row, tray, part, tile=scores)).tolist() == [True] * 6 + [False, False]
    assert plausible(made(*row, tray, tile=[0.9] * 6 + [0.8])).all()


def test_sizes_may_change_slowly_with_distance() -> None:
    boxes, at = [], 0.0
    for k in range(12):
        width = 20 * 1.12**k
        boxes.append((at, 0.0, at + width, width * 1.3))
        at += width
    assert plausible(made(*boxes, tile=[0.6] * 12)).all()


def test_few_findings_are_not_judged_by_size() -> None:
    assert plausible(made((0, 0, 30, 40), (100, 0, 300, 300), tile=[0.9, 0.4])).all()


ROW = tuple((27.0 * k, 0.0, 27.0 * k + 26, 36.0) for k in range(6))


def test_a_box_as_large_as_two_tiles_of_its_row_has_two_halves() -> None:
    """Two grey tiles flush with each other were found as one."""
    two = (162.0, 1.0, 216.0, 37.0)
    ((number, parts),) = halves(made(*ROW, two, tile=[0.8] * 7), 0.33)
    assert number == 6
    assert parts.tolist() == [[162, 1, 189, 37], [189, 1, 216, 37]]
    one_above_another = (162.0, 0.0, 188.0, 74.0)
    ((_, parts),) = halves(made(*ROW, one_above_another, tile=[0.8] * 7), 0.33)
    assert parts.tolist() == [[162, 0, 188, 37], [162, 37, 188, 74]]


@pytest.mark.parametrize("box", [(162, 8, 198, 34), (162, 0, 196, 36), (162, 0, 216, 72), (162, 0, 243, 36)], ids=str)
def test_a_turned_tile_a_wide_one_a_tray_and_three_have_none(box: tuple[float, float, float, float]) -> None:
    assert halves(made(*ROW, box, tile=[0.8] * 7), 0.33) == []


def test_few_tiles_do_not_tell_how_large_one_is() -> None:
    assert halves(made(*ROW[:2], (54, 0, 108, 36), tile=[0.8] * 3), 0.33) == []


@pytest.mark.parametrize(
    ("box", "told"),
    [
        ((163, 2, 189, 38), True),  # the next of the row
        ((220, 6, 256, 32), True),  # set apart and turned, level with it
        ((330, 0, 356, 36), False),  # far off
        ((220, 60, 246, 96), False),  # neither beside nor level
        ((163, 0, 176, 18), False),  # a part of a tile, or a die
        ((140, 0, 166, 36), False),  # over a tile that is there
    ],
    ids=str,
)
def test_what_is_hardly_seen_counts_in_line_with_tiles(box: tuple[float, ...], told: bool) -> None:
    boxes = np.array([*ROW, box], np.float32)
    firm = np.arange(7) < 6
    assert in_line(boxes, firm, ~firm).tolist() == [False] * 6 + [told]
    assert not in_line(boxes, firm, np.zeros(7, bool)).any()
    assert not in_line(boxes, np.zeros(7, bool), ~firm).any()


def test_a_row_goes_on_over_several_hardly_seen() -> None:
    firm = np.array([True, True, True, False, False, False])
    assert in_line(np.array(ROW, np.float32), firm, ~firm).tolist() == (~firm).tolist()
