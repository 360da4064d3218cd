# ruff: noqa: E501 - a table reads best with one case a line
"""Ningbo [004 浙江宁波麻将], item by item, with wildcards, from the text."""

from __future__ import annotations

import time
from typing import Any

import pytest
from mainland_helpers import answer, items, paid, unmet

from scoring import wild

ANY = {"options": {"minimum": 0}}
CHOWS = "456m 789p 234s 55p | chow:123m | "
WITH_ONE = "4m6m 789p 234s 55p 9s | chow:123m | "
PAIRS = "1133m 5577m 999m 9s9s9s | | "
SUIT = "123456789m 222m 5m 9s | | "

ITEMS: list[tuple[str, str, str, str]] = [
    ("5 平糊", CHOWS + "4s", "", "平糊 1 硬糊 1"),
    ("5 平糊 with a pair of dragons", "456m 789p 234s CC | chow:123m | 4s", "", "平糊 1 硬糊 1"),
    ("5 将头不可以是含台数的风牌: seat", "456m 789p 234s SS | chow:123m | 4s", "", "硬糊 1"),
    ("5 将头不可以是含台数的风牌: round", "456m 789p 234s EE | chow:123m | 4s", "", "硬糊 1"),
    ("5 a wind without 台", "456m 789p 234s WW | chow:123m | 4s", "", "平糊 1 硬糊 1"),
    ("6 边", "456m 789p 123s 55p | chow:123m | 3s", "", "平糊 1 边 1 硬糊 1"),
    ("6 边", "456m 789p 123s 55p | chow:123m | 7p", "", "平糊 1 边 1 硬糊 1"),
    ("7 夹", CHOWS + "3s", "", "平糊 1 夹 1 硬糊 1"),
    ("8 单吊", CHOWS + "5p", "", "平糊 1 单吊 1 硬糊 1"),
    ("9 对倒", "222s 789p 234m 55p | chow:123m | 2s", "", "对倒 1 硬糊 1"),
    ("9 对倒 by draw", "222s 789p 234m 55p | chow:123m | 2s", "draw", "对倒 1 硬糊 1 自摸 1"),
    ("4 排糊", "123m 456m 777m 88m 234m | | 4m", "", "清一色 4 硬糊 1"),
    ("10 大吊 …也要算上单吊的分", "55p | chow:123m chow:456m kong_concealed:1111s chow:234s | 5p", "", "单吊 1 大吊 1 硬糊 1"),
    ("11 碰碰糊", "222s 55p | pung:111m kong_exposed:7777m pung:999p | 2s", "", "碰碰糊 2 对倒 1 硬糊 1"),
    ("12 杠牌后补牌糊牌", "789p 234s 55p | chow:123m kong_added:4444m | 4s", "draw kong_replacement", "硬糊 1 自摸 1 杠上开花 1"),
    ("15 抢杠", "456m 789p 234s 55p | chow:123m | 3s", "rob_kong", "平糊 1 夹 1 硬糊 1 抢杠 1"),
    ("16 海捞", CHOWS + "4s", "draw last_tile", "平糊 1 硬糊 1 自摸 1 海捞 1"),
    ("16 the last tile is drawn, not claimed", CHOWS + "4s", "last_tile", "平糊 1 硬糊 1"),
    ("17 天胡", "123m 456m 789p 123s 55p | | 3s", "draw dealer seat=E heavenly", "天胡 8 平糊 1 硬糊 1"),
    ("17 天胡 without a winning tile", "123m 456m 789p 123s 55p | | ", "draw dealer seat=E heavenly", "天胡 8 平糊 1 硬糊 1"),
    ("18 地胡", "123m 456m 789p 234s 55p | | 4s", "earthly", "地胡 6 平糊 1 硬糊 1"),
    ("19 清一色", "123456789m 234m 55m | | 4m", "", "清一色 4 平糊 1 硬糊 1"),
    ("20 混一色", "123456789m WW | pung:NNN | 9m", "", "混一色 2 硬糊 1"),
    ("21 字一色", "PPP WW | pung:NNN pung:CCC pung:FFF | P", "", "字一色 8 碰碰糊 2 对倒 1 硬糊 1 中发白 3"),
    ("24 25 one wind that is both", "456m 789p 234s 55p | pung:SSS | 4s", "round=S", "硬糊 1 位风 1 圈风 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "hand", "facts", "wanted"), ITEMS)
def test_items(text: str, hand: str, facts: str, wanted: str) -> None:
    found = answer("ningbo", hand, facts, wild=["8s"], **ANY)
    assert items(found) == wanted, text
    assert found["total"] == 1 + found["tai"] == 1 + sum(item["value"] for item in found["items"])


FLOWERS = [
    ("f1", "E", 1), ("f5", "E", 1), ("f2f6", "S", 2), ("f8", "W", 1), ("f7", "W", 0), ("f7", "N", 1), ("f8", "N", 0),
    ("f1f2f3f4", "S", 2), ("f1f2f3f4f6", "S", 3), ("f5f6f7f8", "W", 2), ("f1f2f3f4f5f6f7f8", "E", 8),
]  # fmt: skip


@pytest.mark.parametrize(("flowers", "seat", "tai"), FLOWERS)
def test_flowers(flowers: str, seat: str, tai: int) -> None:
    """22: 西风位杠到秋或竹、北风位杠到冬或菊; 4张,算2台; 8张花算8台."""
    found = answer("ningbo", CHOWS + "4s", f"seat={seat}", flowers=flowers, **ANY)
    assert {item["key"]: item["value"] for item in found["items"]}.get("flower_kongs", 0) == tai
    own = [item["tiles"] for item in found["items"] if item["key"] == "flower_kongs"]
    assert bool(own) == bool(tai)
    if not tai:
        assert unmet(found)["flower_kongs"]


def test_minimum() -> None:
    """必须达到4台或更高台数."""
    found = answer("ningbo", CHOWS + "4s", "draw")
    assert (found["wins"], found["reason_code"], found["tai_if_shape_counted"]) == (False, "minimum", 3)
    assert found["reason_zh"] == "3 台,未達起和的 4 台"
    assert answer("ningbo", CHOWS + "3s", "draw")["total"] == 5


WILDS: list[tuple[str, str, dict[str, Any], str]] = [
    (SUIT + "5m", "draw", {"wild": ["9s"]}, "清一色 4 单吊 1 自摸 1"),
    # One standing of the wildcard, two readings: three sequences are 平糊, three triplets are not.
    # 天胡 needs no winning tile: nothing waited, the wildcard still stands for 3s.
    ("123m 456m 789p 12s 55p 9s | | ", "draw dealer seat=E heavenly", {"wild": ["9s"]}, "天胡 8 平糊 1"),
    ("111222333m 55p 78s 9p | | 5p", "draw", {"wild": ["9p"]}, "平糊 1 单吊 1 自摸 1"),
    (WITH_ONE + "4s", "draw", {"wild": ["9s"]}, "平糊 1 自摸 1"),
    (WITH_ONE + "9s", "draw", {"wild": ["9s"]}, "平糊 1 夹 1 自摸 1"),
    (WITH_ONE + "9s", "", {"wild": ["9s"]}, "平糊 1 夹 1"),
    ("456m 789p 23s 55p f1 | chow:123m | 5p", "draw", {"wild": ["f1"]}, "平糊 1 单吊 1 自摸 1"),
    ("456m 789p 23s 55p f1 | chow:123m | 5p", "draw", {"wild": ["f3"], "flowers": "f2f6"}, "平糊 1 单吊 1 自摸 1 杠花 1"),
    ("123m 456m 78m f1f2 555m f4 | | 8m", "draw", {"wild": ["f3"]}, "清一色 4 三财神 3 平糊 1 夹 1 自摸 1"),
    (PAIRS + "9m", "", {"wild": ["9s"]}, "清一色 4 三财神 3 碰碰糊 2 对倒 1"),
    (PAIRS + "9s", "", {"wild": ["9s"]}, "清一色 4 碰碰糊 2 对倒 1"),
    ("EE 99s9s CCC | pung:FFF pung:PPP | E", "draw", {"wild": ["9s"]}, "字一色 8 三财神 3 碰碰糊 2 单吊 1 自摸 1 中发白 3 圈风 1"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "fields", "wanted"), WILDS)
def test_wildcards(hand: str, facts: str, fields: dict[str, Any], wanted: str) -> None:
    """胡牌时手中的百搭牌可以替代任何牌: the best over all they can stand for; 做百搭的花牌不能算台数."""
    found = answer("ningbo", hand, facts, **fields, **ANY)
    got = items(found)
    assert sorted(got.split(" ")) == sorted(wanted.split(" ")), (got, found.get("wild_as"))
    assert len(found["wild_as"]) >= 1


def test_wildcard_alone_for_the_pair() -> None:
    """财神单吊时,不能捉冲,只能自摸 - said by the flag or seen in the tiles."""
    for flags in ("", "wild_pair_wait"):
        found = answer("ningbo", SUIT + "5m", flags, wild=["9s"])
        assert (found["reason_code"], found["tai_if_shape_counted"]) == ("wild_pair_wait", 5)
    assert len(answer("ningbo", SUIT + "5m", "draw", wild=["9s"])["waits"]) == 34
    pair = "123456789m 22m 55m 9s | | "
    assert answer("ningbo", pair + "5m", wild=["9s"])["wins"]
    assert answer("ningbo", "123m 456m 789m 22m 9s 9s9s | | 9s", wild=["9s"])["reason_code"] == "wild_pair_wait"


WILD_REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"melds": [{"kind": "chi", "tiles": ["1m", "9s", "3m"]}], "wild": ["9s"]}, ""),
    ({"melds": [{"kind": "chi", "tiles": ["7s", "8s", "9s"]}], "wild": ["9s"]}, ""),
    ({"melds": [{"kind": "chi", "tiles": ["1m", "2m", "3m"]}], "wild": ["9s"]}, "wild_in_chi"),
    ({"melds": [{"kind": "pon", "tiles": ["1m", "1m", "1m"]}], "wild": ["9s"]}, "wild_in_pon"),
]


@pytest.mark.parametrize(("fields", "flag"), WILD_REFUSED)
def test_no_wildcard_in_a_meld(fields: dict[str, Any], flag: str) -> None:
    found = answer("ningbo", "456m 789p 234s 55p | | 4s", flag, **fields)
    assert (found["wins"], found["reason_code"]) == (False, "wild_in_meld")


WILD_ERRORS: list[tuple[str, dict[str, Any], str]] = [
    (CHOWS + "4s", {"wild": ["9x"]}, "is not a tile"),
    ("45m 9999s 234s 55p | chow:123m | 4s", {"wild": ["9s"]}, "4 wildcards: 3 are in play"),
    ("456m 789p 23s 5p f1 f1 | chow:123m | 5p", {"wild": ["f1"]}, "each flower once"),
    ("456m 789p 23s 55p f1 | chow:123m | 5p", {}, "flowers go into flowers"),
]


@pytest.mark.parametrize(("hand", "fields", "says"), WILD_ERRORS)
def test_wild_errors(hand: str, fields: dict[str, Any], says: str) -> None:
    assert says in answer("ningbo", hand, **fields)["error"]


def test_far_from_a_hand() -> None:
    found = answer("ningbo", "147m 258p 147s ES W C 9s | | C", wild=["9s"])
    assert found["reason_en"] == "not a winning shape: 8 tiles away"
    assert "tai" not in found
    assert answer("ningbo", "147m 258p 147s ES W C F | | C")["reason_code"] == "shape"


def test_three_wilds_are_read_fast() -> None:
    hand = "123m 456p 55s 9s9s9s | pung:222s | 5s"
    start = time.thread_time()
    for _ in range(10):
        assert answer("ningbo", hand, "draw", wild=["9s"], **ANY)["wins"]
    assert (time.thread_time() - start) / 10 < 0.2
    assert len(wild.fillings(0, 0, 3)) > 10


OPTIONS: list[tuple[dict[str, Any], str, str, dict[str, Any], str]] = [
    ({"ningbo_ping_with_single_wait": "not_ping"}, CHOWS + "3s", "", {}, "夹 1 硬糊 1"),
    ({"ping_dragon_pair": False}, "456m 789p 234s CC | chow:123m | 4s", "", {}, "硬糊 1"),
    ({"ningbo_double_wind": 1}, "456m 789p 234s 55p | pung:SSS | 4s", "round=S", {}, "硬糊 1 位风 1"),
    ({"heaven_counts_zimo": True}, "123m 456m 789p 123s 55p | | 3s", "draw dealer heavenly", {}, "天胡 8 平糊 1 硬糊 1 自摸 1"),
    ({"three_wilds_on_discard": False}, PAIRS + "9m", "", {"wild": ["9s"]}, "清一色 4 碰碰糊 2 对倒 1"),
    ({"flower_kong_replaces_seat_flower": False}, CHOWS + "4s", "", {"flowers": "f1f2f3f4"}, "平糊 1 硬糊 1 杠花 3"),
    ({"flower_order": "菊竹"}, CHOWS + "4s", "seat=W", {"flowers": "f7"}, "平糊 1 硬糊 1 杠花 1"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "hand", "facts", "fields", "wanted"), OPTIONS)
def test_options(options: dict[str, Any], hand: str, facts: str, fields: dict[str, Any], wanted: str) -> None:
    assert items(answer("ningbo", hand, facts, options=options | {"minimum": 0}, **fields)) == wanted


def test_what_was_within_reach() -> None:
    assert unmet(answer("ningbo", WITH_ONE + "4s", "draw", wild=["9s"], **ANY))["no_wilds"] == "a wildcard is held"
    seat = answer("ningbo", "456m 789p 234s SS | chow:123m | 4s", **ANY)
    assert unmet(seat)["all_chows"] == "the pair is a wind that counts"
    dragons = answer("ningbo", "456m 789p 234s CC | chow:123m | 4s", options={"minimum": 0, "ping_dragon_pair": False})
    assert unmet(dragons)["all_chows"] == "the pair is dragons"
    wilds = answer("ningbo", PAIRS + "9s", wild=["9s"])
    assert unmet(wilds)["three_wilds"] == "the three wildcards must be self-drawn"
    three = answer("ningbo", PAIRS + "9m", wild=["9s"])["items"]
    assert next(item["tiles"] for item in three if item["key"] == "three_wilds") == ["9s"] * 3


def test_payments() -> None:
    """自摸,三家都要输分; the rest the text leaves open: one share, or three by option."""
    hand = "55p | chow:123m chow:456m chow:789p chow:234s | 5p"
    assert paid(answer("ningbo", hand, winner=1, loser=3)) == [0, 5, 0, -5]
    assert paid(answer("ningbo", hand, "draw", winner=1)) == [-6, 18, -6, -6]
    assert paid(answer("ningbo", hand, "dealer", winner=1, loser=3)) == [0, 5, 0, -5]
    three = {"ningbo_settlement": "three_shares"}
    found = answer("ningbo", hand, winner=1, loser=3, options=three, stake={"di": 2, "tai": 10})
    assert paid(found) == [0, 152, 0, -152]
    assert [part["key"] for part in found["payment_lines"][0]["parts"]] == ["base", "hand", "all_shares"]
