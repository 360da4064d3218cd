# ruff: noqa: E501 - a table reads best with one case a line
"""A score explains itself: tiles of items, what was not counted, what was not met, the split, other readings."""

from __future__ import annotations

from typing import Any

import pytest
from score_helpers import context_from, hand_from, score_text

from scoring import Score, read_ruleset, score_hand, view
from scoring.messages import LANGUAGES

OPEN = "456m 789p 234s 678s 55p | chow:123m | "
CLOSED = "123m 456m 789p 234s 678s 55p | | "
ALL = "f1f2f3f4f5f6f7f8"
JUNK = "1m9m1p9p2s5s7s8s EESSWWNCP | | "


def tiles_of(score: Score, key: str) -> str:
    return " ".join(next(item.tiles for item in score.items if item.key == key))


@pytest.mark.parametrize(
    ("hand", "facts", "flowers", "ruleset", "key", "tiles"),
    [
        (OPEN + "8s", "draw", "", "taiwan", "self_draw", "8s"),
        (CLOSED + "8s", "", "", "taiwan", "concealed_hand", ""),
        (JUNK, "draw flower_win", ALL, "taipei-online", "self_draw", ""),
        (JUNK, "draw flower_win", ALL, "taipei-online", "eight_flowers", "f1 f2 f3 f4 f5 f6 f7 f8"),
        (OPEN + "7s", "", "", "taipei-online", "single_wait_closed", "6s 7s 8s"),
        (OPEN + "5p", "", "", "taipei-online", "single_wait_pair", "5p 5p"),
        ("55p | chow:123m pung:CCC chow:789p chow:234s chow:678s | 5p", "", "", "taiwan", "all_begged",
         "1m 2m 3m C C C 7p 8p 9p 2s 3s 4s 6s 7s 8s"),
        ("SS 678s | chow:456p pung:EEE pung:WWW pung:NNN | 8s", "", "", "taiwan", "small_winds", "E E E S S W W W N N N"),
        ("678s CC 234m | pung:PPP kong_exposed:FFFF chow:456p | 8s", "", "", "taiwan", "small_dragons", "C C F F F F P P P"),
        ("678s 55p 234m 789m | pung:CCC pung:FFF | 8s", "", "", "taiwan", "dragon", "C C C F F F"),
        ("456m 789p 678s 55p SSS | chow:123m | 8s", "", "", "taiwan", "seat_wind", "S S S"),
        ("456m 789p 678s 55p EEE | chow:123m | 8s", "", "", "taiwan", "round_wind", "E E E"),
        ("777m 444s 555s 22p | kong_concealed:1111m pung:999p | 7m", "", "", "taiwan", "concealed_three",
         "4s 4s 4s 5s 5s 5s 1m 1m 1m 1m"),
        (OPEN + "7s", "", "f1f2f3f4f6", "taiwan", "flower_set", "f1 f2 f3 f4"),
        (OPEN + "7s", "", "f1f2f3f4f6", "taiwan", "seat_flower", "f6"),
        (OPEN + "7s", "", "f1f2f3f4f6", "taipei-online", "seat_flower", "f2 f6"),
        (OPEN + "7s", "", "f2f5f6f7f8", "taiwan", "seat_flower", "f2"),
    ],
)  # fmt: skip
def test_tiles_of_items(hand: str, facts: str, flowers: str, ruleset: str, key: str, tiles: str) -> None:
    score = score_text(hand, facts, flowers, ruleset)
    assert tiles_of(score, key) == tiles
    assert score.has(key)
    assert score.value_of(key) == next(item.value for item in score.items if item.key == key)


def test_items_come_in_the_order_of_the_table_with_names_in_three_languages() -> None:
    score = score_text("111m 777m 444s 666s 999p 22p | | 2p", "draw", "f2")
    assert [item.name for item in score.items] == ["五暗刻", "不求", "自摸", "独听", "花牌"]
    assert [item.names[0] for item in score.items] == ["五暗刻", "不求", "自摸", "獨聽", "花牌"]
    assert score.items[0].names[2] == "five concealed triplets"
    assert score.unit == "台"


def test_what_was_not_counted_and_why() -> None:
    score = score_text("111m 777m 444s 666s 999p 22p | | 2p")
    rows = [(row.key, row.by, row.quote, row.value) for row in score.dropped]
    assert rows == [
        ("all_pungs", "concealed_five", "不计门清.对对和", 4),
        ("concealed_hand", "concealed_five", "不计门清.对对和", 1),
    ]
    assert [score.dropped[0].because(language) for language in LANGUAGES] == [
        "已計「五暗刻」:不计门清.对对和",
        "已计“五暗刻”:不计门清.对对和",
        "counted as five concealed triplets instead (不计门清.对对和)",
    ]
    assert not score.has("all_pungs")
    assert score.value_of("all_pungs") == 0
    assert not score.has("no such item")


UNMET_CASES: list[tuple[str, str, str, str, dict[str, Any], str, str]] = [
    ("456m 789p 234s 678s FF | chow:123m | 8s", "", "", "taiwan", {}, "all_chows", "chows_honours"),
    (OPEN + "8s", "", "f1", "taiwan", {}, "all_chows", "chows_flowers"),
    (OPEN + "8s", "draw", "", "taiwan", {}, "all_chows", "chows_self_draw"),
    (OPEN + "7s", "", "", "taiwan", {}, "all_chows", "chows_single_wait"),
    (OPEN + "7s", "", "", "taipei-online", {}, "all_chows", "chows_two_sided"),
    (OPEN + "7s", "draw", "", "taiwan", {"ping_self_draw": True}, "all_chows", "chows_single_wait"),
    ("456m 789p 234s 678s 55p | kong_concealed:1111m | 8s", "", "", "taipei-online", {}, "concealed_hand", "concealed_kong_opens"),
    ("55p | kong_concealed:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "", "", "taiwan", {}, "all_begged", "begged_concealed_kong"),
    ("55p | kong_concealed:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "draw", "", "taiwan", {}, "half_begged", "begged_concealed_kong"),
    (OPEN + "8s", "last_tile", "", "taiwan", {}, "last_draw", "last_tile_ron"),
    (CLOSED + "8s", "earthly", "", "taipei-online", {}, "earthly", "earthly_ron"),
    (OPEN + "8s", "human", "", "taiwan", {}, "human", "ready_changed"),
    (OPEN + "8s", "draw flower_replacement", "f1", "taiwan", {}, "kong_bloom", "flower_replacement"),
    (OPEN + "8s", "", "f1", "taiwan", {}, "seat_flower", "flowers_of_others"),
    ("777m 444s 555s 22p | pung:111m pung:999p | 7m", "", "", "taiwan", {}, "concealed_three", "triplet_by_discard"),
    ("111m 777m 444s 666s 999p 22p | | 9p", "", "", "taiwan", {}, "concealed_five", "triplet_by_discard"),
    (OPEN + "8s", "ready_initial", "", "taiwan", {}, "ready_initial", "ready_changed"),
    (CLOSED + "8s", "ready_initial_void", "", "taiwan", {}, "ready_initial", "ready_changed"),
    (CLOSED + "8s", "ready_first_discard not_locked passed_win_earlier", "", "taiwan", {}, "ready_first_discard", "ready_passed_win"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "flowers", "ruleset", "options", "key", "code"), UNMET_CASES)
def test_what_was_within_reach(
    hand: str, facts: str, flowers: str, ruleset: str, options: dict[str, Any], key: str, code: str
) -> None:
    score = score_text(hand, facts, flowers, ruleset, **options)
    rows = {row.key: row for row in score.unmet}
    assert rows[key].reason.code == code
    assert all(row.reason.text(language) for row in score.unmet for language in LANGUAGES)
    assert not score.has(key)


def test_nothing_unmet_where_nothing_was_in_reach() -> None:
    score = score_text("777m 444s 666s 99p 234p | pung:111m | 4p", "draw")
    assert score.unmet == ()


def views(score: Score) -> list[tuple[str, str, bool, bool]]:
    assert score.split is not None
    return [(group.kind, " ".join(group.tiles), group.concealed, group.completed) for group in score.split.sets]


def test_split_of_a_standard_hand() -> None:
    score = score_text("456m 789p 888s 55p | chow:123m kong_concealed:CCCC | 8s")
    assert views(score) == [
        ("pung", "8s 8s 8s", False, True),
        ("chow", "4m 5m 6m", True, False),
        ("chow", "7p 8p 9p", True, False),
        ("pair", "5p 5p", True, False),
        ("chow", "1m 2m 3m", False, False),
        ("kong_concealed", "C C C C", True, False),
    ]
    assert score.shape == "standard"


def test_split_marks_one_of_equal_chows() -> None:
    score = score_text("234m 234m 789p 678s 55p | chow:123m | 4m")
    assert [group for group in views(score) if group[3]] == [("chow", "2m 3m 4m", False, True)]


def test_split_of_ligu_and_of_loose_shapes() -> None:
    ligu = score_text("1133m 5577p 2244s EE 888s | | 1m")
    assert ("pair", "1m 1m", False, True) in views(ligu)
    assert ("pung", "8s 8s 8s", True, False) in views(ligu)
    quads = score_text("11333m 5577p 2244s 8888s | | 8s", "draw", ligu_quads=True)
    assert ("pair", "8s 8s 8s 8s", True, True) in views(quads)
    rules = read_ruleset('name = "h"\nextends = "taiwan"\n[[shapes]]\nname = "orphans_set"\n')
    loose = score_hand(hand_from("19m 19p 19s ESWNCFP 1m 234s | | 1m"), context_from(""), rules)
    assert views(loose)[0] == ("tiles", "1m 1m 9m 1p 9p 1s 9s E S W N C F P", False, True)
    assert views(loose)[1] == ("chow", "2s 3s 4s", True, False)
    triplet = score_hand(hand_from("19m 19p 19s ESWNCFP 1m 222s | | 2s"), context_from(""), rules)
    assert views(triplet)[:2] == [
        ("tiles", "1m 1m 9m 1p 9p 1s 9s E S W N C F P", True, False),
        ("pung", "2s 2s 2s", False, True),
    ]


def test_flower_win_has_no_split_to_show() -> None:
    score = score_text(JUNK + "P", "draw flower_win", ALL)
    assert score.split is not None
    assert score.split.sets == ()
    assert score.waits == ()


def test_other_readings_with_their_totals() -> None:
    score = score_text("111222333m 456p 789s 55s | | 2m")
    assert score.total == 3
    totals = [total for _, total in score.alternatives]
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] == 1
    assert {split.shape for split, _ in score.alternatives} == {"standard"}


def test_no_win_has_nothing_to_show() -> None:
    score = score_text("123m 456m 789p 234s 679s 55p | | 9s")
    assert score.split is None
    assert score.shape == ""
    assert score.alternatives == ()
    assert score.value_of("self_draw") == 0
    assert str(score.reason) == "不成和牌型:還差 1 張 (not a winning shape: 1 tile away)"
    assert score.reason is not None
    assert score.reason.text("zh-Hans") == "不成和牌型:还差 1 张"
    far = score_text("147m 258p 369s ESWNCFP E | | E")
    assert far.reason is not None
    assert far.reason.text("en") == "not a winning shape: 8 tiles away"


def test_refused_hand_still_shows_its_split() -> None:
    score = score_text(CLOSED + "8s", "passed_win")
    assert not score.wins
    assert score.split is not None
    assert not score.has("concealed_hand")


def test_view_values_have_defaults() -> None:
    """What displays draw: everything may be left out."""
    shown = view.ScoreView(seats=(view.SeatView("E"),), items=(view.ItemView("self_draw", "自摸", "self-drawn", 1),))
    assert shown.state == "idle"
    assert shown.seats[0].total == 0
    assert view.HandView(melds=(view.MeldView("pung", ("C",) * 3),)).win_tile is None
