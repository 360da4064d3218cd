"""Hands read off labelled photos, figures per face, set and light, against cases worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from vision.metrics_groups import grouped, light_of, per_tile, tile_set_of
from vision.metrics_hands import hand_size_of, hand_summary, judge_hand


def row(truth: str, read: str | None, status: str = "accepted", doubts: tuple[str, ...] = ()) -> dict[str, Any]:
    made: dict[str, Any] = {"truth": [[code, 0, 0, 1, 1] for code in truth.split()], "found": []}
    if read is not None:
        made["hand"] = {"size": 13, "status": status, "doubts": list(doubts), "tiles": read.split()}
    return made


@pytest.mark.parametrize(
    ("read", "status", "doubts", "exact", "asked", "silent", "taps"),
    [
        ("1m 2m f1", "accepted", (), True, False, False, 0),
        ("1m 3m f1", "accepted", (), False, False, True, 1),
        ("1m 3m f1", "confirm", ("tile",), False, True, False, 1),
        ("1m 3m f1", "confirm", ("win_tile",), False, False, True, 1),  # asked, but not about the wrong tile
        ("1m 2m f1", "confirm", ("win_tile",), True, False, False, 0),
        ("1m", "confirm", ("count",), False, True, False, 2),
        ("1m 2m f1 9s", "confirm", ("count", "tile"), False, True, False, 1),
        ("", "unreadable", (), False, True, False, 3),
        ("9s 9s f1 E", "confirm", ("tile",), False, True, False, 3),
    ],
)
def test_a_hand_is_judged_by_its_tiles(
    read: str, status: str, doubts: tuple[str, ...], exact: bool, asked: bool, silent: bool, taps: int
) -> None:
    result = judge_hand(row("2m 1m f1", read, status, doubts))
    assert result is not None
    assert (result.exact, result.asked, result.silently_wrong, result.taps) == (exact, asked, silent, taps)


def test_photos_of_other_things_are_no_hands() -> None:
    assert judge_hand(row("1m", None)) is None
    assert hand_summary([row("1m", None)]) == {"hands": 0}


def test_figures_with_intervals_that_never_claim_certainty() -> None:
    rows = [row("1m 2m", "1m 2m")] * 9 + [row("1m 2m", "1m 3m")]
    figures = hand_summary(rows)
    assert figures["hands"] == 10
    assert figures["exact"][0] == 0.9 and figures["silently_wrong"][0] == 0.1 and figures["taps"][0] == 0.1
    assert figures["exact"][1] < 0.9 < figures["exact"][2]
    assert hand_summary(rows[:9])["silently_wrong"] == [0.0, 0.0, 0.3333]
    assert hand_summary(rows[:9])["exact"] == [1.0, 0.6667, 1.0]


@pytest.mark.parametrize(
    ("count", "size"), [(13, None), (14, 13), (15, None), (16, None), (17, 16), (21, 16), (22, None)]
)
def test_only_what_can_be_one_hand_is_one(count: int, size: int | None) -> None:
    assert hand_size_of(["1m"] * count) == size
    assert hand_size_of(["1m"] * count + ["f1", "f8"]) == size  # flowers do not count
    assert hand_size_of(["1m"] * count + ["back"]) is None


def test_per_tile_counts_names_not_boxes() -> None:
    made = {
        "truth": [["1m", 0, 0, 10, 10], ["1m", 20, 0, 30, 10], ["2m", 40, 0, 50, 10]],
        "found": [["1m", 0.9, 0, 0, 10, 10], ["2m", 0.9, 20, 0, 30, 10], ["9s", 0.9, 80, 0, 90, 10]],
    }
    figures = per_tile([made])
    assert list(figures) == ["1m", "2m", "9s"]
    assert figures["1m"] == {"tiles": 2, "read": 1, "right": 1, "precision": 1.0, "recall": 0.5}
    assert figures["2m"] == {"tiles": 1, "read": 1, "right": 0, "precision": 0.0, "recall": 0.0}
    assert figures["9s"] == {"tiles": 0, "read": 1, "right": 0, "precision": 0.0, "recall": None}


def test_groups_leave_out_rows_that_do_not_say() -> None:
    rows: list[dict[str, Any]] = [
        {"set": "R", "brightness": 40.0},
        {"set": "D", "brightness": 100.0},
        {"brightness": 200.0},
        {},
    ]
    assert {name: len(found) for name, found in grouped(rows, tile_set_of).items()} == {"D": 1, "R": 1}
    assert {name: len(found) for name, found in grouped(rows, light_of).items()} == {"bright": 1, "dim": 1, "even": 1}
