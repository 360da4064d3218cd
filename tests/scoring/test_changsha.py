# ruff: noqa: E501 - a table reads best with one case a line
"""Changsha [004 长沙麻将], case by case from the text."""

from __future__ import annotations

from typing import Any

import pytest
from mainland_helpers import answer, items, paid, unmet
from score_helpers import hand_from

from scoring import SettlementError, Stake, WinContext, load_ruleset, score_hand, settle

PLAIN = "123m 456p 789s 345s 55p | | 5s"
PUNGS = "111m 777s 33p | pung:999m pung:666p | 3p"
ODD_PAIR = "123m 456p 789s 345s 33p | | 5s"
NON_DEALER = {"winner": 1, "dealer_player": 0}
RON = NON_DEALER | {"loser": 2}

HANDS: list[tuple[str, str, str, str]] = [
    ("2、5、8作将,其余成刻子或顺子", PLAIN, "", "小胡 1"),
    ("乱将", PUNGS, "", "碰碰胡 1"),
    ("乱将 清一色", "123456789m 22233m | | 3m", "", "清一色 1"),
    ("手上任意七对牌", "1133m 6677p 99s 44s 88s | | 8s", "", "七小对 1"),
    ("任意七对牌", "1111m 3366p 7799s 44s | | 4s", "", "七小对 1"),
    ("每一张牌都为2、5、8,可碰", "55m 88p 2p 55p 22s 5s 8s | pung:222m | 8s", "", "将将胡 1"),
    ("算加法", "222m 555m 88p 555p 888s | | 8s", "", "碰碰胡 1 将将胡 1"),
    ("算加法", "22m 55m 88m 22p 55p 88p 22s | | 2s", "", "将将胡 1 七小对 1"),
    ("算加法", "1122334455m 7799m | | 9m", "", "清一色 1 七小对 1"),
    ("庄家起牌后,即已经胡牌", "1122m 3366p 7799s 44s | | ", "draw dealer heavenly", "天胡 1 七小对 1"),
    ("庄家打出第一张牌时,给闲家点炮", PLAIN, "earthly", "地胡 1"),
    ("地胡 by draw is no such win", PLAIN, "draw earthly", "小胡 1"),
    ("海底胡牌,为大胡", PLAIN, "draw last_tile", "海底捞月 1"),
    ("乙玩家没有要得到海底,而又可以胡这张海底牌", PLAIN, "last_tile_discard", "海底炮 1"),
    ("the taker's tile, said the other way", PLAIN, "last_tile", "海底炮 1"),
    ("没掷骰子补张可胡牌,算作自摸", "123m 456p 345s 55p | kong_concealed:1111p | 5s", "draw kong_replacement", "小胡 1"),
    ("开杠掷骰子 … 能被开杠者胡则算大胡", "123m 456p 345s 55p | kong_concealed:1111p | 5s", "draw dice_kong", "杠上开花 1"),
    ("补海底牌,此局则无海底牌", "123m 456p 345s 55p | kong_concealed:1111p | 5s", "draw dice_kong last_tile", "杠上开花 1"),
    ("补海底牌,此局则无海底牌", "123m 456p 345s 55p | kong_concealed:1111p | 5s", "draw kong_replacement last_tile", "小胡 1"),
    ("只有明杠可以抢胡", "123m 456p 789s 567s 55p | | 6s", "rob_kong", "抢杠胡 1"),
    ("胡了打出的该补张牌则算杠上炮", PLAIN, "kong_discard_dice", "杠上炮 1"),
    ("杠上炮 of the last tile: 不存在海底炮", PLAIN, "kong_discard_dice last_tile_discard", "杠上炮 1"),
    ("只对该玩家漏胡的那张牌 … 禁止炮胡", PLAIN, "draw passed_win_same_tile", "小胡 1"),
    ("摸牌后一切正常", PLAIN, "passed_win_same_tile passed_win_cleared", "小胡 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "hand", "facts", "wanted"), HANDS)
def test_items(text: str, hand: str, facts: str, wanted: str) -> None:
    found = answer("changsha", hand, facts)
    assert found["wins"], text
    assert items(found) == wanted
    assert found["class"] == ("小胡" if wanted == "小胡 1" else "大胡")


REFUSED: list[tuple[str, str, str]] = [
    (ODD_PAIR, "", "pair_of_258_needed"),
    (ODD_PAIR, "draw last_tile", "pair_of_258_needed"),
    (ODD_PAIR, "draw dealer heavenly", "pair_of_258_needed"),
    ("55m 88p 2p 55p 22s 5s 8s | pung:333m | 8s", "", "shape"),
    ("123m 456p 789s 346s 55p | | 6s", "", "shape"),
    (PLAIN, "passed_win_same_tile", "passed_same_tile"),
    ("123m 456p 789s 567s 55p | | 6s", "rob_concealed_kong", "robbed_concealed_kong"),
]


@pytest.mark.parametrize(("hand", "facts", "code"), REFUSED)
def test_no_win(hand: str, facts: str, code: str) -> None:
    found = answer("changsha", hand, facts)
    assert (found["wins"], found["reason_code"]) == (False, code)


DEALT: list[tuple[str, str, str]] = [
    ("1111m 25m 79p 1246s 9s | | ", "", "四喜 1"),
    ("134679m 1346p 79s 3s | | ", "", "板板胡 1"),
    ("111m 333p 25m 78p 126s | | ", "", "六六顺 1"),
    ("1111m 3333p 2m 78p 12s | | ", "", "四喜 1 六六顺 1"),
    ("111333m 479m 1144p | | ", "", "板板胡 1 缺一色 1 六六顺 1"),
    ("1234567789m 258m | | ", "", "缺一色 1"),
    ("1111m 25m 79p 1246s 99s | | ", "dealer", "四喜 1"),
    ("1122334455m 7799m | | ", "dealer", "天胡 1 清一色 1 七小对 1"),
    ("111m 333m 479m 444p 33p | | ", "dealer", "板板胡 1 缺一色 1 六六顺 1"),
]


@pytest.mark.parametrize(("hand", "facts", "wanted"), DEALT)
def test_dealt(hand: str, facts: str, wanted: str) -> None:
    """起完牌后 … 即可胡牌; 小胡和大胡之间按照大胡计算."""
    found = answer("changsha", hand, facts, hand_kind="initial")
    assert items(found) == wanted
    assert found["split"]["sets"]
    assert items(answer("changsha", hand, facts, hand_kind="initial", tiles13="dealer" not in facts)) == wanted


def test_dealt_nothing() -> None:
    found = answer("changsha", "134679m 1346p 79s 5s | | ", hand_kind="initial")
    assert not found["wins"]
    odd = answer("changsha", "123m 456p 789s 345s 33p | | ", "dealer", hand_kind="initial")
    assert not odd["wins"]


def test_dealt_quads_by_option() -> None:
    hand = "1111m 333p 25m 78p 12s | | "
    assert items(answer("changsha", hand, hand_kind="initial")) == "四喜 1 六六顺 1"
    strict = answer("changsha", hand, hand_kind="initial", options={"liuliushun_quads": False})
    assert items(strict) == "四喜 1"


DEALT_ERRORS = [
    ("1111m 25m 79p 1246s 99s | | ", "", "14 tiles: dealt are 14 to the dealer, one fewer to the others"),
    ("1111m 25m 79p 1246s 9s | | ", "dealer", "13 tiles: dealt are 14"),
    ("1111m 25m 79p 12s | pung:222s | ", "", "no melds"),
    ("1111m 25m 79p 1246s 9s | | 9s", "", "win_tile null"),
]


@pytest.mark.parametrize(("hand", "facts", "says"), DEALT_ERRORS)
def test_dealt_errors(hand: str, facts: str, says: str) -> None:
    assert says in answer("changsha", hand, facts, hand_kind="initial")["error"]


def test_other_rulesets_have_no_dealt_hands() -> None:
    assert "did you mean" in answer("ningbo", PLAIN, hand_kind="initials")["error"]
    assert answer("ningbo", PLAIN, hand_kind="initial")["field"] == "hand_kind"


# --- payments --------------------------------------------------------------------------------------------------------

PAYMENTS: list[tuple[str, str, str, dict[str, Any], list[int]]] = [
    ("点炮方输10分", PLAIN, "", RON, [0, 10, -10, 0]),
    ("如果点炮方为庄家,则庄家多输10分", PLAIN, "", NON_DEALER | {"loser": 0}, [-20, 20, 0, 0]),
    ("如果捉炮方为庄家,点炮的闲家多输10分", PLAIN, "dealer", {"winner": 0, "loser": 2, "dealer_player": 0}, [20, 0, -20, 0]),
    ("庄家自摸,闲家每人输20分", PLAIN, "draw dealer", {"winner": 0, "dealer_player": 0}, [60, -20, -20, -20]),
    ("闲家自摸,庄家输20分,闲家输10分", PLAIN, "draw", NON_DEALER, [-20, 40, -10, -10]),
    ("大胡: 庄家输40分,闲家输30分", PUNGS, "draw", NON_DEALER, [-40, 100, -30, -30]),
    ("大胡: 点炮方输60分", PUNGS, "", RON, [0, 60, -60, 0]),
    ("大胡, 庄家多输10分", PLAIN, "earthly", NON_DEALER | {"loser": 0}, [-70, 70, 0, 0]),
    ("大胡之间可以累计计算", "1122334455m 7799m | | 9m", "", NON_DEALER | {"loser": 0}, [-140, 140, 0, 0]),
    ("鸟扎在胡牌方", PLAIN, "", RON | {"bird_number": 2}, [0, 20, -20, 0]),
    ("鸟扎在点炮方", PLAIN, "", RON | {"bird_number": 7}, [0, 20, -20, 0]),
    ("鸟不在其中", PLAIN, "", RON | {"bird_number": 9}, [0, 10, -10, 0]),
    ("自摸时,鸟扎在胡牌方,所有玩家给双倍", PLAIN, "draw", NON_DEALER | {"bird_number": 6}, [-40, 80, -20, -20]),
    ("扎在别的玩家,只此一玩家给双倍", PLAIN, "draw", NON_DEALER | {"bird_number": 4}, [-20, 50, -10, -20]),
    ("以庄家为起点", PLAIN, "draw", {"winner": 3, "dealer_player": 2, "bird_number": 1}, [-10, -10, -40, 60]),
    ("以海底为牌为鸟", PLAIN, "draw last_tile", NON_DEALER | {"bird_number": 5}, [-80, 140, -30, -30]),
    ("四喜计分等同小胡自摸", "1111m 25m 79p 1246s 9s | | ", "", NON_DEALER | {"hand_kind": "initial"}, [-20, 40, -10, -10]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "hand", "facts", "fields", "wanted"), PAYMENTS)
def test_payments(text: str, hand: str, facts: str, fields: dict[str, Any], wanted: list[int]) -> None:
    found = answer("changsha", hand, facts, **fields)
    assert paid(found) == wanted, text
    assert found["total"] == wanted[fields["winner"]]
    if "bird_number" in fields:
        assert found["bird_player"] == (fields["dealer_player"] + fields["bird_number"] - 1) % 4


def test_stake_multiplies_and_adds() -> None:
    found = answer("changsha", PLAIN, "", **RON, bird_number=2, stake={"di": 5, "tai": 2})
    assert paid(found) == [0, 45, -45, 0]
    assert found["total"] == 20
    parts = [(part["key"], part["name"], part["amount"]) for part in found["payment_lines"][0]["parts"]]
    assert parts == [("base", "底", 5), ("hand", "牌面", 20), ("bird", "中鳥翻倍", 20)]


def test_total_without_players() -> None:
    """A discarder who is not named does not deal, but for 地胡."""
    assert answer("changsha", PLAIN, "dealer")["total"] == 20
    assert answer("changsha", PLAIN, "earthly")["total"] == 70
    assert answer("changsha", PUNGS, "draw")["total"] == 100
    assert "payments" not in answer("changsha", PUNGS, "draw")
    assert "dealer_player" in answer("changsha", PLAIN, winner=1, loser=2)["payments_need"]


def test_options() -> None:
    two = "1122334455m 7799m | | 9m"
    once = answer("changsha", two, options={"changsha_multi_big": "once"}, **NON_DEALER, loser=0)
    assert paid(once) == [-130, 130, 0, 0]
    assert answer("changsha", PUNGS, options={"changsha_big_ron": 40})["total"] == 40
    plain = answer("changsha", PLAIN, "last_tile_discard", options={"haidipao_is_big": False})
    assert items(plain) == "小胡 1"
    loose = "55m 88p 2p 55p 22s 5s 8s | pung:222m | 8s"
    strict = answer("changsha", loose, options={"jiangjiang_shape": "sets"})
    assert not strict["wins"]
    sets = answer("changsha", "222m 555m 88p 555p 888s | | 8s", options={"jiangjiang_shape": "sets"})
    assert items(sets) == "碰碰胡 1 将将胡 1"
    assert answer("changsha", PLAIN, "passed_win_same_tile", options={"guoshui_scope": "off"})["wins"]


ERRORS: list[tuple[str, str, dict[str, Any], str]] = [
    (PLAIN, "", {"bird_number": 0}, "bird_number 0: a whole number from 1 to 9"),
    (PLAIN, "", {"bird_number": "5"}, "a whole number from 1 to 9"),
    (PLAIN, "", {"tiles13": 1}, "tiles13 1: true or false"),
    (PLAIN, "draw last_tile", {"bird_number": 4}, "以海底牌为鸟"),
    (PLAIN, "dealer earthly", {}, "earthly is for the other three"),
    (PLAIN, "draw kong_discard_dice", {}, "another player's"),
    (PLAIN, "draw dice_kong", {}, "after an own kong"),
    (PLAIN, "draw", NON_DEALER | {"loser": 2}, "nobody discarded on a self-draw"),
    (PLAIN, "", NON_DEALER, "name the discarder"),
    (PLAIN, "earthly", RON, "name the dealer"),
    (PLAIN, "", {"flowers": ["f1"]}, "has no flowers"),
    ("123m EEE 789s 345s 55p | | 5s", "", {}, "has none of these"),
    (PLAIN, "", {"wild": ["9s"]}, ""),
]


@pytest.mark.parametrize(("hand", "facts", "fields", "says"), ERRORS)
def test_errors(hand: str, facts: str, fields: dict[str, Any], says: str) -> None:
    found = answer("changsha", hand, facts, **fields)
    assert says in found["error"] if says else found["ignored"] == ["wild"]


def test_library_refuses_unknown_facts() -> None:
    rules = load_ruleset("changsha")
    with pytest.raises(ValueError, match="did you mean bird_number"):
        score_hand(hand_from(PLAIN), WinContext(extra=(("bird_numbr", 3),)), rules)
    with pytest.raises(ValueError, match="without wildcards"):
        score_hand(hand_from(PLAIN), WinContext(wild=("9s",)), rules)
    refused = score_hand(hand_from(ODD_PAIR), WinContext(), rules)
    with pytest.raises(SettlementError, match="does not win"):
        settle(refused, winner=1, loser=2, dealer=0, stake=Stake(0, 1))


def test_what_was_within_reach() -> None:
    kong = "123m 456p 345s 55p | kong_concealed:1111p | 5s"
    found = answer("changsha", kong, "draw kong_replacement last_tile")
    assert unmet(found)["kong_bloom"].startswith("the kong's tile was drawn without the dice")
    assert unmet(found)["last_draw"].startswith("the last tile replaced a kong")
    assert unmet(answer("changsha", PLAIN, "draw earthly"))["earthly"].startswith("it is won on the dealer's")
    dropped = answer("changsha", "123m 456m 789m 222m 55m | | 5m")["not_counted"]
    assert [(row["key"], row["by"], row["quote"]) for row in dropped] == [
        ("small_win", "one_suit", "小胡和大胡之间按照大胡计算")
    ]


def test_waits_and_tiles() -> None:
    found = answer("changsha", "55m 88p 2p 55p 22s 5s 8s | pung:222m | 8s")
    assert found["waits"] == [f"{rank}{suit}" for suit in "mps" for rank in "258"]
    assert found["split"]["shape"] == "only_258"
    four = answer("changsha", "1111m 3333p 2m 78p 12s | | ", hand_kind="initial")["items"]
    assert four[0]["tiles"] == ["1m"] * 4 + ["3p"] * 4
    assert four[1]["tiles"] == four[0]["tiles"]
