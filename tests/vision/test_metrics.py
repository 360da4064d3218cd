"""Figures against cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from vision.metrics import calibration_error, confusions, count, lines_of, match, mean_ap, reliability, summary


def row(truth: list[list[object]], found: list[list[object]]) -> dict[str, object]:
    return {"image": "a.jpg", "part": "D", "truth": truth, "found": found}


A: list[object] = ["1m", 0, 0, 10, 10]
B: list[object] = ["2m", 10, 0, 20, 10]


def test_perfect_picture() -> None:
    r = row([A, B], [["1m", 0.9, 0, 0, 10, 10], ["2m", 0.8, 10, 0, 20, 10]])
    c = count(r)
    assert (c.tiles, c.found, c.located, c.right, c.exact, c.lines, c.exact_lines) == (2, 2, 2, 2, 1, 1, 1)
    assert mean_ap([r]) == (1.0, 1.0)


def test_wrong_name_counts_as_located_but_not_right() -> None:
    c = count(row([A], [["3m", 0.9, 0, 0, 10, 10]]))
    assert (c.located, c.right, c.exact) == (1, 0, 0)


def test_second_box_on_one_tile_is_extra_and_spoils_exactness() -> None:
    r = row([A], [["1m", 0.9, 0, 0, 10, 10], ["2m", 0.5, 1, 0, 10, 10]])
    assert match(r).pairs == [(0, 0)]
    assert match(r).extra == [1]
    assert count(r).exact == 0


def test_box_off_by_more_than_half_is_a_miss_and_an_extra() -> None:
    m = match(row([A], [["1m", 0.9, 6, 0, 16, 10]]))
    assert (m.pairs, m.missed, m.extra) == ([], [0], [0])


def test_picture_without_findings_or_tiles() -> None:
    assert match(row([A], [])).missed == [0]
    assert match(row([], [["1m", 0.9, 0, 0, 10, 10]])).extra == [0]
    assert count(row([], [])).exact == 1


def test_average_precision_of_one_hit_after_one_miss() -> None:
    r = row([A], [["1m", 0.9, 50, 50, 60, 60], ["1m", 0.8, 0, 0, 10, 10]])
    assert mean_ap([r])[0] == pytest.approx(0.5)


def test_average_precision_falls_with_looser_boxes() -> None:
    r = row([A], [["1m", 0.9, 0, 0, 10, 13]])  # IoU 0.77
    at_half, averaged = mean_ap([r])
    assert at_half == 1.0
    assert averaged == pytest.approx(0.6)  # 0.50 to 0.75 of ten thresholds


def test_calibration_error_of_an_honest_and_of_a_boastful_reader() -> None:
    honest = [row([A], [["1m", 1.0, 0, 0, 10, 10]])]
    boastful = [row([A], [["2m", 1.0, 0, 0, 10, 10]])]
    assert calibration_error(honest) == 0
    assert calibration_error(boastful) == 1
    assert reliability(boastful) == [(1.0, 0.0, 1)]


def test_lines_join_neighbours_and_not_other_rows() -> None:
    tiles: list[list[object]] = [[f"{k}m", 10 * k, y, 10 * k + 10, y + 14] for y in (0, 60) for k in range(1, 4)]
    assert sorted(map(len, lines_of(row(tiles, [])))) == [3, 3]


def test_summary_has_intervals_around_the_value() -> None:
    good = row([A], [["1m", 0.9, 0, 0, 10, 10]])
    bad = row([A], [])
    figures = summary([good, good, good, bad], draws=300)
    value, low, high = figures["recall"]
    assert value == 0.75
    assert low <= value <= high
    assert low < high
    assert summary([]) == {"pictures": 0}


def test_confusions_name_misses_and_ghosts() -> None:
    r = row([A, B], [["9m", 0.9, 0, 0, 10, 10], ["C", 0.5, 80, 80, 90, 90]])
    assert set(confusions([r])) == {("1m", "9m", 1), ("2m", "-", 1), ("-", "C", 1)}


def test_interval_is_the_same_for_a_seed() -> None:
    rows = [row([A], [["1m", 0.9, 0, 0, 10, 10]]), row([A], [])]
    assert summary(rows) == summary(rows)
    assert np.isfinite(summary(rows)["ece"])


def test_no_mistake_seen_is_not_certainty() -> None:
    good = row([A, B], [["1m", 0.9, 0, 0, 10, 10], ["2m", 0.8, 10, 0, 20, 10]])
    figures = summary([good] * 10, draws=100)
    assert figures["exact_pictures"] == [1.0, 0.7, 1.0]  # three in ten
    assert figures["recall"] == [1.0, 0.85, 1.0]  # three in twenty tiles
    assert summary([row([A], [])] * 10, draws=100)["recall"] == [0.0, 0.0, 0.3]
