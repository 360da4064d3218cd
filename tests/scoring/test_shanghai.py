# ruff: noqa: E501 - a table reads best with one case a line
"""Shanghai [004 上海麻将]: patterns, 勒子, 花, 承包, 荒番, from the text."""

from __future__ import annotations

from typing import Any

import pytest
from mainland_helpers import answer, items, paid

from scoring import score_record

PUNGS = "777m 22p | pung:111m pung:999p pung:555s | 2p"
SUIT = "123456789m 234m 55m | | 4m"
WINDS = "EEE SSS WW | pung:NNN pung:FFF | W"
EIGHT = {"flowers": "f1f2f3f4f5f6f7f8"}

PATTERNS: list[tuple[str, str, str, int | None]] = [
    ("每坎牌都是三张一样的或碰杠下的牌", PUNGS, "碰碰胡", None),
    ("由同一花色的牌和风向牌构成", "123456789m EE | pung:FFF | 9m", "混一色", None),
    ("直接结算为1个勒子", SUIT, "清一色", 1),
    ("即混一色的碰碰胡 … 1个勒子", "777m EEE 22m | pung:111m pung:999m | 2m", "混碰", 1),
    ("即清一色的碰碰胡 … 2个勒子", "777m 333m 22m | pung:111m pung:999m | 2m", "清碰", 2),
    ("可以是乱风向的牌 … 2个勒子", "EEE SS WW N CC FF PP | | P", "风一色", 2),
    ("乱风向 with a meld", "SS WW N CC FF PP | pung:EEE | P", "风一色", 2),
    ("风碰 … 4个勒子", WINDS, "风碰", 4),
]


@pytest.mark.parametrize(("text", "hand", "pattern", "le"), PATTERNS)
def test_patterns(text: str, hand: str, pattern: str, le: int | None) -> None:
    found = answer("shanghai", hand)
    assert (found["patterns"], found["le"], found["total"]) == ([pattern], le, le or 0), text


@pytest.mark.parametrize(
    ("hand", "facts"),
    [
        ("123456m 789p 234s 55p | | 4s", ""),
        ("123456m 789p EE | pung:FFF | 9p", ""),
        ("1133557799m 2244p | | 4p", ""),
        ("55p | chow:123m chow:456m chow:789p pung:222s | 5p", ""),
        ("123456m 55p | pung:222s kong_concealed:3333p | 6m", "draw kong_replacement"),
    ],
)
def test_nothing_else_wins(hand: str, facts: str) -> None:
    """胡牌只能胡 …; 大吊车 and 杠开 make no other hand legal."""
    found = answer("shanghai", hand, facts)
    assert not found["wins"]
    assert found["reason_code"] in ("shanghai_patterns", "shape")
    assert "le" not in found


def test_seven_pairs_of_honours_are_loose_honours() -> None:
    assert answer("shanghai", "EE SS WW NN CC FF PP | | P")["patterns"] == ["风一色"]


LE: list[tuple[str, str, str, dict[str, Any], list[str], int, int]] = [
    ("杠开 lifts", "777m 22p | pung:111m pung:999p kong_added:5555s | 2p", "draw kong_replacement", {}, ["碰碰胡", "杠开"], 1, 1),
    ("大吊车 lifts", "22p | pung:111m pung:999p pung:555s pung:777m | 2p", "", {}, ["碰碰胡", "大吊车"], 1, 1),
    ("达到或超过勒子按照原牌型计算", "22m | pung:111m pung:999m pung:777m pung:333m | 2m", "", {}, ["清碰", "大吊车"], 2, 1),
    ("也按照勒子算, by option", "22m | pung:111m pung:999m pung:777m pung:333m | 2m", "", {"options": {"shanghai_at_le": "one"}}, ["清碰", "大吊车"], 1, 1),
    ("清碰+开宝为4勒子", "777m 333m 22m | pung:111m pung:999m | 2m", "kaibao", {}, ["清碰"], 4, 2),
    ("开宝 by the dice: 1", SUIT, "", {"dice": [1, 1]}, ["清一色"], 2, 2),
    ("开宝 by the dice: 4", SUIT, "", {"dice": [4, 4]}, ["清一色"], 2, 2),
    ("no 开宝", SUIT, "", {"dice": [1, 4]}, ["清一色"], 1, 1),
    ("no 开宝", SUIT, "", {"dice": [2, 2]}, ["清一色"], 1, 1),
    ("风碰+荒番为8勒子", WINDS, "huangfan", {}, ["风碰"], 8, 2),
    ("荒番(3) is ×2", SUIT, "", {"huangfan": 3}, ["清一色"], 2, 2),
    ("荒番(3), each by option", SUIT, "", {"huangfan": 3, "options": {"huangfan_multiplier": "each"}}, ["清一色"], 8, 8),
    ("both", SUIT, "huangfan kaibao", {}, ["清一色"], 4, 4),
    ("八花齐 2", "19m 457p 238s ESWCFF | | F", "draw eight_flowers", EIGHT, ["八花齐"], 2, 1),
    ("八花齐 on a lower hand", SUIT, "draw flower_win", EIGHT, ["八花齐"], 2, 1),
    ("八花齐 on a higher hand", WINDS, "draw eight_flowers", EIGHT, ["风碰"], 4, 1),
    ("其他胡法照算", SUIT, "draw", EIGHT, ["清一色"], 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "hand", "facts", "fields", "patterns", "le", "multiplier"), LE)
def test_le(
    text: str, hand: str, facts: str, fields: dict[str, Any], patterns: list[str], le: int, multiplier: int
) -> None:
    found = answer("shanghai", hand, facts, **fields)
    assert (found["patterns"], found["le"], found["multiplier"]) == (patterns, le, multiplier), text


HUA = [
    ("777m 22p | kong_concealed:PPPP kong_exposed:SSSS pung:555s | 2p", "", 6),
    ("NNN 22p | pung:777m kong_added:9999p pung:555s | 2p", "f1f6", 4),
    ("CCC 22p | kong_exposed:FFFF kong_concealed:1111p kong_concealed:EEEE | 2p", "", 10),
    (WINDS, "", 5),
    ("EEE SS WW N CC FF PP | | P", "", 1),
    ("123456789m EE | chow:123m | 9m", "f1", 1),
]


@pytest.mark.parametrize(("hand", "flowers", "hua"), HUA)
def test_hua(hand: str, flowers: str, hua: int) -> None:
    """筒条万: 明杠1 暗杠2; 东南西北: 刻1 明杠2 暗杠3; 中发白: 刻2 明杠3 暗杠4; flowers 1."""
    found = answer("shanghai", hand, flowers=flowers)
    assert found["hua"] == hua == sum(row["hua"] for row in found["hua_parts"])


def test_points_below_and_at_le() -> None:
    """勒子 caps what a hand below it pays; 开宝 doubles both. What 花 and 勒子 are worth is not in the text."""
    assert answer("shanghai", PUNGS)["points"] == 1
    assert answer("shanghai", HUA[0][0])["points"] == 7
    assert answer("shanghai", HUA[2][0])["points"] == 10
    assert answer("shanghai", HUA[2][0], "kaibao")["points"] == 20
    assert answer("shanghai", SUIT)["points"] == 10
    options = {"le_value": 50, "base_flowers": 3, "point_per_flower": 2}
    assert answer("shanghai", HUA[0][0], options=options)["points"] == 18
    assert answer("shanghai", WINDS, options=options)["points"] == 200


def test_passed_win() -> None:
    """漏胡只针对1张牌; 动牌 (a draw is one) lifts it."""
    assert answer("shanghai", SUIT, "passed_win_same_tile")["reason_code"] == "passed_same_tile"
    for facts in ("draw passed_win_same_tile", "passed_win_same_tile passed_win_cleared", "passed_win_earlier"):
        assert answer("shanghai", SUIT, facts)["wins"]
    robbed = answer("shanghai", "123456789m 345m 22m | | 1m", "rob_concealed_kong")
    assert robbed["reason_code"] == "robbed_concealed_kong"


PAYMENTS: list[tuple[str, str, str, dict[str, Any], list[int]]] = [
    ("点炮者输分", SUIT, "", {"winner": 3, "loser": 1}, [0, -10, 0, 10]),
    ("自摸", SUIT, "draw", {"winner": 3}, [-10, -10, -10, 30]),
    ("八花齐 is drawn", "19m 457p 238s ESWCFF | | F", "draw eight_flowers", EIGHT | {"winner": 0}, [60, -20, -20, -20]),
    ("杠的人付3份", "123456789m 345m 22m | | 1m", "rob_kong", {"winner": 0, "loser": 2}, [30, 0, -30, 0]),
    ("承包者付一份", SUIT, "", {"winner": 0, "loser": 2, "contractor": 1}, [20, -10, -10, 0]),
    ("the contractor discards", SUIT, "", {"winner": 0, "loser": 1, "contractor": 1}, [20, -20, 0, 0]),
    ("自摸记分时承包者付3份", SUIT, "draw", {"winner": 0, "contractors": [1]}, [60, -40, -10, -10]),
    ("抢杠时承包付3份", "123456789m 345m 22m | | 1m", "rob_kong", {"winner": 0, "loser": 2, "contractor": 1}, [60, -30, -30, 0]),
    ("重复计算", SUIT, "", {"winner": 0, "loser": 2, "contractors": [1, 1]}, [30, -20, -10, 0]),
    ("alone, by option", SUIT, "draw", {"winner": 0, "contractor": 1, "options": {"chengbao_payment": "alone"}}, [30, -30, 0, 0]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "hand", "facts", "fields", "wanted"), PAYMENTS)
def test_payments(text: str, hand: str, facts: str, fields: dict[str, Any], wanted: list[int]) -> None:
    assert paid(answer("shanghai", hand, facts, **fields)) == wanted, text


def test_contracts_are_counted() -> None:
    """如果吃碰杠一家或被一家吃碰杠超过3次(包括3次),则承包(包含反承包在内)."""
    hand = "22m 345m | chow:123m chow:456m chow:789m | 5m"
    from_upper = answer("shanghai", hand, winner=1, loser=2, meld_from=["upper"] * 3)
    assert paid(from_upper) == [-10, 20, -10, 0]
    two = answer("shanghai", hand, winner=1, loser=2, meld_from=["upper", "upper", "lower"])
    assert paid(two) == [0, 10, -10, 0]
    back = answer("shanghai", hand, winner=1, loser=2, claimed_from_winner={"3": 3, "0": 2, "1": 4})
    assert paid(back) == [0, 20, -10, -10]
    mutual = answer("shanghai", hand, winner=1, loser=2, meld_from=["upper"] * 3, claimed_from_winner={"0": 3})
    assert paid(mutual) == [-20, 30, -10, 0]


ERRORS: list[tuple[str, dict[str, Any], str]] = [
    ("", {"dice": [1]}, "two dice"),
    ("", {"dice": [0, 7]}, "two dice"),
    ("kaibao", {"dice": [1, 4]}, "two ones or two fours"),
    ("", {"huangfan": -1}, "from 0 to 99"),
    ("", {"contractor": 4, "winner": 0, "loser": 1}, "players are 0, 1, 2, 3"),
    ("", {"contractor": 0, "winner": 0, "loser": 1}, "answers for nobody"),
    ("", {"claimed_from_winner": [3]}, "by player"),
    ("", {"claimed_from_winner": {"1": 9}}, "from 0 to 4"),
]


@pytest.mark.parametrize(("facts", "fields", "says"), ERRORS)
def test_errors(facts: str, fields: dict[str, Any], says: str) -> None:
    assert says in answer("shanghai", SUIT, facts, **fields)["error"]


# --- settlements without a hand --------------------------------------------------------------------------------------


def case(**fields: Any) -> dict[str, Any]:
    return score_record({"ruleset": "shanghai", "hand_kind": "settlement"} | fields)


def test_drawn_games() -> None:
    """第1局和局 … 第4局有人胡牌 … 第5局为荒番(2)."""
    found = case(games=["draw", "draw", "draw", "win", "win", "win", "win"])
    assert found["huangfan_before"] == [0, 1, 2, 3, 2, 1, 0]
    assert found["huangfan_after"] == 0
    assert "payments" not in found


CASES: list[tuple[dict[str, Any], list[int]]] = [
    ({"kind": "ron", "points": 2, "winner": 3, "loser": 1}, [0, -2, 0, 2]),
    ({"kind": "点炮", "winner": 3, "loser": 1}, [0, -1, 0, 1]),
    ({"kind": "self_draw", "points": 1, "winner": 0, "contractor": 1}, [6, -4, -1, -1]),
    ({"kind": "ron", "points": 1, "winner": 0, "loser": 2, "contractor": 1}, [2, -1, -1, 0]),
    ({"kind": "rob_kong", "points": 2, "winner": 0, "loser": 2}, [6, 0, -6, 0]),
    ({"kind": "抢杠", "points": 2, "winner": 0, "konger": 2, "contractor": 1}, [12, -6, -6, 0]),
    ({"kind": "ron", "points": 1, "winner": 0, "loser": 2, "contractor": 1, "mutual": True}, [3, -2, -1, 0]),
    ({"kind": "ron", "points": {"0": 2, "3": 4}, "winners": [0, 3], "loser": 2}, [2, 0, -6, 4]),
    ({"kind": "ron", "points": 2, "winner": 3, "loser": 1, "stake": {"di": 0, "tai": 5}}, [0, -10, 0, 10]),
]


@pytest.mark.parametrize(("fields", "wanted"), CASES)
def test_cases(fields: dict[str, Any], wanted: list[int]) -> None:
    assert paid(case(**fields)) == wanted


CASE_ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "tsumo", "winner": 0}, "kind 'tsumo'"),
    ({"kind": 3, "winner": 0}, "kind 3"),
    ({"kind": "ron", "winner": 0}, "name who discarded"),
    ({"kind": "self_draw", "winner": 0, "loser": 1}, "null on a self-draw"),
    ({"kind": "ron", "loser": 1}, "name the player who won"),
    ({"kind": "ron", "winner": 1, "loser": 1}, "cannot pay himself"),
    ({"kind": "ron", "winner": 0, "loser": 1, "contractor": 0}, "answers for nobody"),
    ({"kind": "ron", "winner": 0, "loser": 1, "points": -1}, "from 0"),
    ({"kind": "ron", "winner": 0, "loser": 1, "points": {"9": 1}}, "by player"),
    ({"kind": "ron", "winner": 0, "loser": 1, "points": {"1": 1}}, "from 0"),
    ({"games": ["lost"]}, "draw or win"),
    ({"games": "draw"}, ""),
]


@pytest.mark.parametrize(("fields", "says"), CASE_ERRORS)
def test_case_errors(fields: dict[str, Any], says: str) -> None:
    found = case(**fields)
    assert says in found["error"] if says else found["huangfan_after"] == 1


def test_unknown_fields_are_named() -> None:
    assert case(kind="ron", winner=0, loser=1, honba=3)["ignored"] == ["honba"]


def test_what_stands_in_whose_place() -> None:
    found = answer("shanghai", "777m 333m 22m | pung:111m pung:999m | 2m")
    assert items(found) == "清碰 2"
    assert {row["key"] for row in found["not_counted"]} == {"one_suit", "all_pungs"}
