# ruff: noqa: E501 - a table reads best with one case a line
"""Sichuan [004 四川麻将]: 缺門, 定缺, 刮風下雨, 查花豬, 查大叫, 血戰. The 番 are those of the published table in the file."""

from __future__ import annotations

from typing import Any

import pytest
from mainland_helpers import answer, items, paid, unmet

from scoring import score_record

PLAIN = "123456m 789p 234p 55p | | 4p"

ITEMS: list[tuple[str, str, str, int]] = [
    (PLAIN, "", "", 1),
    ("456m 789p 234p 55p | pung:111m | 4p", "", "", 1),
    ("456m 789p 55p | kong_concealed:1111m kong_exposed:2222p | 9p", "", "根 2", 4),
    ("111m 777m 33p | pung:999m pung:666p | 3p", "", "对对胡 1", 2),
    ("123456789m 234m 55m | | 4m", "", "清一色 2", 4),
    ("1133557799m 2244m | | 4m", "", "清一色 2 七对 2", 16),
    ("1111m 335577m 2244p | | 4p", "", "七对 2 根 1", 8),
    ("222m 55p | pung:888m pung:555m pung:222p | 5p", "", "对对胡 1 将对 2", 8),
    ("123m 123m 99p | pung:111p kong_added:9999m | 9p", "", "带幺九 2 根 1", 8),
    ("55p | pung:111m pung:777m pung:999p pung:222p | 5p", "", "对对胡 1 金钩钓 1", 4),
    ("123m 789p 55p 234m | kong_concealed:8888m | 4m", "draw kong_replacement", "根 1 杠上花 1", 4),
    (PLAIN, "kong_discard", "杠上炮 1", 2),
    (PLAIN, "kong_discard_dice", "杠上炮 1", 2),
    ("123456m 789p 234p 55p | | 4p", "rob_kong", "抢杠胡 1", 2),
    (PLAIN, "draw last_tile", "海底 1", 2),
    (PLAIN, "last_tile_discard", "海底 1", 2),
    ("123456m 789p 234p 55p | | ", "draw dealer heavenly", "天胡 5", 32),
    (PLAIN, "draw earthly", "地胡 5", 32),
]


@pytest.mark.parametrize(("hand", "facts", "wanted", "multiple"), ITEMS)
def test_items(hand: str, facts: str, wanted: str, multiple: int) -> None:
    found = answer("sichuan", hand, facts)
    assert items(found) == wanted
    assert found["multiple"] == multiple == 2 ** found["total"]


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("456m 789p 234p 55p | chow:123m | 4p", "", {}, "no_chow"),
    ("456m 789p 55p | kong_concealed:1111m kong_exposed:2222s | 9p", "", {}, "three_suits"),
    (PLAIN, "", {"dingque": "m"}, "void_suit"),
    (PLAIN, "", {"dingque": "筒"}, "void_suit"),
    ("123456m 789p 234p 55p | | 4p", "rob_concealed_kong", {}, "robbed_concealed_kong"),
    ("123456m 789p 235p 55p | | 5p", "", {}, "shape"),
    ("1133557799m 2244m | | 4m", "", {"options": {"seven_pairs_enabled": False}}, "shape"),
]


@pytest.mark.parametrize(("hand", "facts", "fields", "code"), REFUSED)
def test_no_win(hand: str, facts: str, fields: dict[str, Any], code: str) -> None:
    found = answer("sichuan", hand, facts, **fields)
    assert (found["wins"], found["reason_code"]) == (False, code)
    assert "multiple" not in found


@pytest.mark.parametrize("suit", ["s", "索", "条", "條"])
def test_void_suit(suit: str) -> None:
    assert answer("sichuan", PLAIN, dingque=suit)["wins"]
    assert "a suit" in answer("sichuan", PLAIN, dingque="x")["error"]
    assert "has none of these" in answer("sichuan", "123456m 789p EEE 55p | | E")["error"]


def test_options() -> None:
    pungs = "111m 777m 33p | pung:999m pung:666p | 3p"
    assert items(answer("sichuan", pungs, options={"sichuan_fan_table": "none"})) == ""
    assert items(answer("sichuan", pungs, options={"fan_all_pungs": 2})) == "对对胡 2"
    middle = "234456m 567p 55p 678p | | 8p"
    assert items(answer("sichuan", middle, options={"fan_no_ends": 1, "fan_closed": 1})) == "断幺九 1 门清 1"
    assert items(answer("sichuan", PLAIN, "draw", options={"zimo_mode": "自摸加番"})) == "自摸加番 1"
    capped = answer("sichuan", "1133557799m 2244m | | 4m", options={"cap": 3})
    assert (capped["total"], capped["raw_total"]) == (3, 4)
    assert unmet(answer("sichuan", PLAIN, "earthly"))["earthly"] == "these rules ask for a win on the draw"


PAYMENTS: list[tuple[str, dict[str, Any], list[int]]] = [
    ("", {"winner": 1, "loser": 2}, [0, 1, -1, 0]),
    ("draw", {"winner": 1}, [-2, 6, -2, -2]),
    ("draw", {"winner": 1, "won": [3]}, [-2, 4, -2, 0]),
    ("draw", {"winner": 1, "won": [3], "stake": {"di": 0, "tai": 10}}, [-20, 40, -20, 0]),
    ("draw", {"winner": 1, "options": {"zimo_mode": "none"}}, [-1, 3, -1, -1]),
    ("draw", {"winner": 1, "options": {"zimo_mode": "fan"}}, [-2, 6, -2, -2]),
]


@pytest.mark.parametrize(("facts", "fields", "wanted"), PAYMENTS)
def test_payments(facts: str, fields: dict[str, Any], wanted: list[int]) -> None:
    """自摸加底: 额外收取其他未胡玩家1倍基础分; who has won already pays nothing."""
    assert paid(answer("sichuan", PLAIN, facts, **fields)) == wanted


def test_players_who_are_out() -> None:
    for fields in ({"winner": 1, "loser": 2, "won": [2]}, {"winner": 1, "loser": 2, "won": [1]}):
        assert "are out" in answer("sichuan", PLAIN, **fields)["error"]


# --- a deal ----------------------------------------------------------------------------------------------------------


def case(**fields: Any) -> dict[str, Any]:
    return score_record({"ruleset": "sichuan", "hand_kind": "settlement"} | fields)


KONGS: list[tuple[str, dict[str, Any], list[int]]] = [
    ("直杠, 承包制", {"kong": "zhigang", "konger": 0, "feeder": 2, "mode": "承包制"}, [2, 0, -2, 0]),
    ("直杠 by the option", {"kong": "直杠", "konger": 0, "feeder": 2}, [2, 0, -2, 0]),
    ("直杠 by the option", {"kong": "直杠", "konger": 0, "feeder": 2, "options": {"sichuan_direct_kong": "家家有"}}, [4, -1, -2, -1]),
    ("家家有", {"kong": "zhigang", "konger": 0, "feeder": 2, "mode": "家家有"}, [4, -1, -2, -1]),
    ("家家有, one out", {"kong": "zhigang", "konger": 0, "feeder": 2, "mode": "家家有", "won": [3]}, [3, -1, -2, 0]),
    ("面下杠", {"kong": "miangang", "konger": 1, "won": [0]}, [0, 2, -1, -1]),
    ("下雨", {"kong": "angang", "konger": 3, "base": 5}, [-10, -10, -10, 30]),
    ("抢杠 … 刮风下雨无效", {"kong": "miangang", "konger": 1, "robbed": True}, [0, 0, 0, 0]),
    ("抢杠 … 刮风下雨无效", {"kong": "面下杠", "konger": 1, "robbed_by": 0}, [0, 0, 0, 0]),
    ("呼叫转移", {"kong": "angang", "konger": 1, "call_transfer_to": 2}, [-2, 0, 4, -2]),
    ("呼叫转移 of a fed kong", {"kong": "zhigang", "konger": 1, "feeder": 2, "call_transfer_to": 2}, [0, 0, 0, 0]),
    ("一炮多响", {"kind": "ron", "loser": 3, "winners": [0, 1], "points": {"0": 2, "1": 4}}, [2, 4, 0, -6]),
    ("自摸", {"kind": "self_draw", "winner": 0, "points": 2, "won": [3]}, [6, -3, -3, 0]),
    ("花猪", {"end": "draw", "pigs": [0, 1], "ting": [2, 3], "max_fan": {"2": 1, "3": 1}}, [-32, -32, 32, 32]),
    ("花猪 beside one who is not ready", {"end": "draw", "pigs": [0], "ting": [2, 3], "max_fan": {"2": 2, "3": 4}}, [-48, 10, 18, 20]),
    ("查大叫", {"end": "draw", "pigs": [], "ting": [0, 2, 3], "max_fan": {"0": 1, "2": 2, "3": 4}}, [1, -7, 2, 4]),
    ("花猪 and one who is out", {"end": "draw", "pigs": [0], "ting": [1, 2], "max_fan": {}, "won": [3]}, [-32, 16, 16, 0]),
    ("花猪 pays the winner too, by option", {"end": "draw", "pigs": [0], "ting": [1, 2], "max_fan": {}, "won": [3], "options": {"pig_pays_winners": True}}, [-48, 16, 16, 16]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fields", "wanted"), KONGS)
def test_one_event(text: str, fields: dict[str, Any], wanted: list[int]) -> None:
    found = case(**fields)
    assert paid(found) == wanted, text
    assert "ignored" not in found


def test_refund_of_kong_money() -> None:
    """如果流局的时候玩家还没有叫牌,则必须退回全部刮风下雨所得."""
    lost = case(kong="angang", konger=3, end="draw", ting=[0, 1], pigs=[])
    assert lost["kong_refund"] == {"0": 2, "1": 2, "2": 2, "3": -6}
    assert lost["payments_need"].startswith("max_fan")
    kept = case(kong="angang", konger=3, end="draw", ting=[3], pigs=[], max_fan={"3": 1})
    assert kept["kong_refund"] == dict.fromkeys("0123", 0)
    assert paid(kept) == [-3, -3, -3, 9]
    pig = case(kong="angang", konger=3, end="draw", ting=[], pigs=[3])
    assert pig["kong_refund"]["3"] == -6
    assert paid(pig) == [16, 16, 16, -48]


def test_a_whole_deal() -> None:
    """血战: wins, kongs and a draw one after the other; who is out neither pays nor is paid."""
    events = [
        {"kind": "下雨", "konger": 0},
        {"kind": "ron", "winner": 1, "loser": 0, "points": 4, "after_kong": True},
        {"kind": "面下杠", "konger": 2},
        {"kind": "self_draw", "winner": 3, "points": 1},
        {"kind": "draw", "ting": [0], "max_fan": {"0": 8}},
    ]
    found = case(events=events)
    # 下雨 +6 -2 -2 -2; 胡 4 and the 6 passed on to 1; 面下杠 by 2: 1 from 0 and 3; 自摸 2 each from 0 and 2; 查大叫 8, refund
    assert paid(found) == [6 - 4 - 6 - 1 - 2 + 8 + 1, -2 + 4 + 6, -2 + 2 - 2 - 8 - 2, -2 - 1 + 4 + 1]
    assert found["kong_refund"] == {"0": 1, "1": 0, "2": -2, "3": 1}
    assert found["deal_over"]


def test_when_a_deal_is_over() -> None:
    """血战到底: 直到有3家都胡; otherwise the first win ends it."""
    assert case(winners_so_far=[0, 2])["deal_over"] is False
    assert case(winners_so_far=[0, 2, 3])["deal_over"] is True
    assert case(winners_so_far=[0], options={"xuezhan": False})["deal_over"] is True
    assert case(kind="ron", winners=[0, 1, 2], loser=3, points=1)["deal_over"] is True


FORCED = [
    (3, True, False, True), (4, True, False, True), (5, True, False, False), (3, False, False, False),
    (3, True, True, False), (3, True, None, False),
]  # fmt: skip


@pytest.mark.parametrize(("left", "hit", "dingque", "forced"), FORCED)
def test_last_four(left: int, hit: bool, dingque: bool | None, forced: bool) -> None:
    """最后四张自动胡; 定缺规则中最后四张可以不胡."""
    assert case(wall_left=left, ting_hit=hit, dingque_rules=dingque)["forced_win"] is forced


ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"kong": "x", "konger": 0}, "kong 'x'"),
    ({"kong": "angang", "konger": 4}, "players are 0, 1, 2, 3"),
    ({"kong": "angang", "konger": 0, "won": [0]}, "has won and is out"),
    ({"kong": "angang", "konger": 0, "robbed": True}, "only an added kong"),
    ({"kong": "zhigang", "konger": 0}, "feeder None"),
    ({"kong": "zhigang", "konger": 0, "feeder": 0}, "another player's discard"),
    ({"kong": "zhigang", "konger": 0, "feeder": 1, "mode": "x"}, "家家有 or 承包制"),
    ({"kong": "miangang", "konger": 0, "robbed": True, "call_transfer_to": 1}, "no kong money"),
    ({"kong": "angang", "konger": 0, "call_transfer_to": 0}, "another player"),
    ({"kind": "ron", "winner": 0, "loser": 1, "after_kong": True}, "no kong money"),
    ({"kind": "ron", "winner": 0}, "name who discarded"),
    ({"kind": "self_draw", "winners": [0, 1]}, "one on a self-draw"),
    ({"kind": "ron", "winner": 0, "loser": 1, "won": [1]}, "has won and is out"),
    ({"end": "draw", "pigs": [0], "ting": [0]}, "cannot be ready"),
    ({"end": "draw", "ting": [0], "max_fan": {"1": 3}}, "highest possible multiple"),
    ({"events": [{"kind": "draw"}, {"kind": "下雨", "konger": 1}]}, "the deal is over"),
    ({"events": "x"}, "a list of objects"),
    ({"wall_left": -1}, "from 0"),
    ({"kind": "x"}, "kind 'x'"),
]


@pytest.mark.parametrize(("fields", "says"), ERRORS)
def test_errors(fields: dict[str, Any], says: str) -> None:
    assert says in case(**fields)["error"]
