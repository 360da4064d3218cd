"""The tables of platforms and associations: they differ as documented, and their hands score as they say."""

from __future__ import annotations

from typing import Any

import pytest
from score_helpers import score_text, wanted_items

from scoring import Stake, load_ruleset, settle
from scoring.describe import describe, differences, summary
from scoring.rulefile import packaged_table

PLATFORMS = {"association": "taiwan", "gamesofa": "taipei-online", "star31": "taiwan", "pocket": "taiwan"}
OPEN = "456m 789p 234s 678s 55p | chow:123m | "
CLOSED = "123m 456m 789p 234s 678s 55p | | "
TRIPLETS = "111m 777m 444s 666s 999p 22p | | 2p"
BEGGED = "55p | chow:123m chow:789p chow:234s chow:678s chow:456m | 5p"
WINDS = "EEE 99m | pung:SSS pung:WWW pung:NNN pung:111m | 9m"
SMALL_WINDS = "EEE WW 678s | pung:SSS pung:NNN chow:234s | 8s"
HONOURS = "EEE CC | pung:SSS pung:WWW pung:FFF pung:PPP | E"
ONE_SUIT = "111s 333s 555s 777s 99s | pung:222s | 9s"
KONGS = "678s 55p | kong_exposed:1111s kong_added:2222p kong_concealed:4444m chow:789m | 8s"
JUNK = "1m9m1p9p2s5s7s8s EESSWWNCP | | "
ALL = "f12345678"

CASES = [
    # 中華麻將競技協會
    ("association", TRIPLETS, "", "", "五暗刻 16 獨聽 1"),
    ("association", ONE_SUIT, "", "", "清一色 12 四暗刻 6 對對和 4"),
    ("association", CLOSED + "8s", "earthly", "", "人胡 16 平和 2"),
    ("association", CLOSED + "8s", "draw earthly", "", "地和 16 不求 1 自摸 1"),
    ("association", CLOSED + "8s", "human ready_first_discard", "", "地聽一發 8 平和 2"),
    ("association", CLOSED + "8s", "ready_first_discard", "", "地聽 4 平和 2"),
    ("association", JUNK, "draw flower_win", ALL, "八仙過海 8"),
    ("association", JUNK, "draw flower_win dealt_flowers", ALL, "配牌花胡 12"),
    ("association", JUNK, "rob_flower dealt_flowers", "f1234567", "配牌花胡 12"),
    ("association", CLOSED + "8s", "draw dealt_flowers", "f1", "門清 1 不求 1 自摸 1"),
    # 神來也
    ("gamesofa", OPEN + "8s", "", "", "平胡 2"),
    ("gamesofa", "123s 345s 456m 55p 789p | chow:123m | 3s", "", "", "屁胡 0"),  # 12345 胡 3
    ("gamesofa", "123s 345s 456m 55p 789p | chow:123m | 1s", "", "", "平胡 2"),  # 23 waits for 1 and 4
    ("gamesofa", "567s 789s 456m 55p 123p | chow:123m | 7s", "", "", "屁胡 0"),  # 56789 胡 7
    ("gamesofa", "33s 456s 456m 789p 123p | chow:123m | 3s", "", "", "屁胡 0"),  # 3456 胡 3, 多面單吊
    ("gamesofa", "234s 678s 456m 55p 789p | chow:123m | 2s", "", "", "平胡 2"),
    ("gamesofa", TRIPLETS, "", "", "五暗刻 8 碰碰胡 4 門清 1 單吊 1"),
    ("gamesofa", CLOSED + "8s", "draw heavenly dealer", "", "天胡 24 門清 1 不求人 1 自摸 1"),
    ("gamesofa", CLOSED + "8s", "draw earthly", "", "地胡 16 門清 1 不求人 1 自摸 1"),
    ("gamesofa", CLOSED + "8s", "human ready_first_discard", "", "人胡 8 平胡 2 門清 1"),
    ("gamesofa", CLOSED + "8s", "ready_first_discard declared_ready", "", "地聽 4 平胡 2"),
    ("gamesofa", CLOSED + "8s", "draw ready_first_discard", "", "地聽 4 不求人 1 自摸 1"),
    ("gamesofa", OPEN + "8s", "declared_ready", "", "平胡 2 宣告聽牌 1"),
    ("gamesofa", OPEN + "7s", "", "", "中洞 1"),
    ("gamesofa", "456m 789p 234s 789s 55p | chow:123m | 7s", "", "", "邊張 1"),
    ("gamesofa", BEGGED, "", "", "全求人 2"),
    ("gamesofa", BEGGED, "draw", "", "半求人 1 自摸 1"),
    ("gamesofa", HONOURS, "", "", "字一色 8 小三元 4 門風刻 1 圈風刻 1"),
    ("gamesofa", WINDS, "", "", "大四喜 16 碰碰胡 4 湊一色 4 單吊 1"),
    ("gamesofa", SMALL_WINDS, "", "", "小四喜 8 湊一色 4 門風刻 1 圈風刻 1"),
    ("gamesofa", ONE_SUIT, "", "", "清一色 8 四暗刻 5 碰碰胡 4"),
    ("gamesofa", OPEN + "8s", "draw", "f12346", "自摸 1 花槓 2 正花 1"),
    ("gamesofa", OPEN + "8s", "draw flower_replacement", "f1", "自摸 1 槓上開花 1"),
    ("gamesofa", JUNK, "draw flower_win", ALL, "八仙過海 8"),
    ("gamesofa", JUNK, "draw flower_win dealt_flowers", ALL, "八仙過海 8 配牌花胡 4"),
    ("gamesofa", JUNK, "rob_flower", "f1234567", "七搶一 8"),
    ("gamesofa", OPEN + "8s", "draw rob_flower", ALL, "七搶一 8 槓上開花 1"),
    # 明星3缺1, 見花見字
    ("star31", OPEN + "8s", "", "", "平胡 2 無字無花 2"),
    ("star31", OPEN + "8s", "draw", "f13", "自摸 1 見花見台 2"),
    ("star31", OPEN + "8s", "draw", "f1234", "自摸 1 見花見台 4 春夏秋冬、梅蘭竹菊 2"),
    ("star31", "456m 789p 678s 55p NNN | pung:CCC | 8s", "", "", "三元牌 1 見風見台 1"),
    ("star31", HONOURS, "", "", "小三元 4 字一色 8 碰碰胡 4 見風見台 3"),
    ("star31", WINDS, "", "", "大四喜 16 混一色 4 碰碰胡 4 獨聽 1"),
    ("star31", SMALL_WINDS, "", "", "小四喜 8 混一色 4"),
    ("star31", TRIPLETS, "", "", "五暗刻 8 碰碰胡 4 門清 1 獨聽 1 無字無花 2"),
    ("star31", ONE_SUIT, "", "", "清一色 8 四暗刻 5 碰碰胡 4 無字無花 2"),
    ("star31", KONGS, "", "", "無字無花 2 槓牌 2 暗槓 2"),
    ("star31", BEGGED, "", "", "全求 2 無字無花 2"),
    ("star31", BEGGED, "draw", "", "自摸 1 獨聽 1 無字無花 2"),
    ("star31", OPEN + "8s", "declared_ready", "", "平胡 2 聽牌 1 無字無花 2"),
    ("star31", CLOSED + "8s", "ready_initial declared_ready dealer", "", "天聽 8 平胡 2 門清 1 無字無花 2"),
    ("star31", CLOSED + "8s", "ready_first_discard declared_ready", "", "地聽 4 平胡 2 門清 1 無字無花 2"),
    ("star31", CLOSED + "8s", "draw heavenly dealer", "", "天胡 24 門清 1 不求 1 自摸 1 無字無花 2"),
    ("star31", CLOSED + "8s", "draw earthly", "", "地胡 16 門清 1 不求 1 自摸 1 無字無花 2"),
    ("star31", OPEN + "8s", "draw flower_replacement", "f1", "自摸 1 槓上開花 1 見花見台 1"),
    ("star31", JUNK, "draw flower_win", ALL, "八仙過海 8 見花見台 8 春夏秋冬、梅蘭竹菊 4"),
    # 口袋麻將
    ("pocket", OPEN + "7s", "", "", "平胡 2 獨聽 1"),
    ("pocket", CLOSED + "8s", "draw", "", "門清自摸 3"),
    ("pocket", OPEN + "8s", "draw", "", "自摸 1"),
    ("pocket", CLOSED + "8s", "draw heavenly dealer", "", "天胡 24"),
    ("pocket", CLOSED + "8s", "draw earthly", "", "地胡 16"),
    ("pocket", CLOSED + "8s", "human", "", "人胡 8 平胡 2"),
    ("pocket", CLOSED + "8s", "ready_initial declared_ready", "", "天聽 16 平胡 2"),
    ("pocket", CLOSED + "8s", "draw ready_initial", "", "天聽 16 門清自摸 3"),
    ("pocket", CLOSED + "8s", "ready_first_discard declared_ready", "", "地聽 8 平胡 2 門清 1"),
    ("pocket", OPEN + "8s", "last_tile_discard declared_ready", "", "平胡 2 聽牌 1 河底撈魚 1"),
    ("pocket", OPEN + "8s", "draw", "f12346", "自摸 1 花槓 1 門花 2"),
    ("pocket", WINDS, "", "", "大四喜 16 混一色 4 碰碰胡 4 獨聽 1 門風 1 圈風 1"),
    ("pocket", HONOURS, "", "", "小三元 4 字一色 16 門風 1 圈風 1"),
    ("pocket", TRIPLETS, "", "", "五暗刻 8 碰碰胡 4 門清 1 獨聽 1"),
    ("pocket", BEGGED, "", "", "平胡 2 全求人 2 獨聽 1"),
    ("pocket", BEGGED, "draw", "", "自摸 1 半求人 1 獨聽 1"),
    ("pocket", JUNK, "draw flower_win", ALL, "八仙過海 8"),
]


@pytest.mark.parametrize(("ruleset", "hand", "facts", "flowers", "items"), CASES)
def test_hands(ruleset: str, hand: str, facts: str, flowers: str, items: str) -> None:
    score = score_text(hand, facts, flowers, ruleset)
    assert {item.names[0]: item.value for item in score.items} == wanted_items(items)
    assert score.total == sum(wanted_items(items).values())


ITEMS: dict[str, dict[str, tuple[int | None, int | None]]] = {
    "association": {
        "concealed_four": (5, 6), "concealed_five": (12, 16), "ready_first_discard": (6, 4),
        "earthly_by_discard": (None, 16), "dealt_flowers": (None, 12),
    },
    "gamesofa": {
        "heavenly": (16, 24), "human": (None, 8), "ready_first_discard": (None, 4), "declared_ready": (None, 1),
        "dealt_flowers": (None, 4), "half_begged": (None, 1), "ligu": (8, None), "double_east": (2, None),
        "double_south": (2, None), "double_west": (2, None), "double_north": (2, None),
    },
    "star31": {
        "heavenly": (16, 24), "human": (8, None), "rob_flower": (8, None), "ready_first_discard": (6, 4),
        "declared_ready": (None, 1), "all_honours": (16, 8), "all_honours_overlap": (-4, None), "one_suit": (12, 8),
        "concealed_five": (12, 8), "ligu": (8, None), "half_begged": (1, None), "seat_wind": (1, None),
        "round_wind": (1, None), "wind": (None, 1), "all_flowers": (8, None), "seat_flower": (1, None),
        "any_flower": (None, 1), "no_honours_no_flowers": (None, 2), "exposed_kong": (None, 1),
        "concealed_kong": (None, 2),
    },
    "pocket": {
        "heavenly": (16, 24), "ready_initial": (8, 16), "ready_first_discard": (6, 8), "declared_ready": (None, 1),
        "all_honours_overlap": (-4, None), "one_suit": (12, 8), "concealed_five": (12, 8), "ligu": (8, None),
        "unaided": (1, 3), "all_flowers": (8, None), "flower_set": (2, 1), "last_discard": (None, 1),
    },
}  # fmt: skip
"""What docs/house-rules.md says of each table: its base's value and its own."""


@pytest.mark.parametrize("name", PLATFORMS)
def test_differences_are_the_documented_ones(name: str) -> None:
    base = PLATFORMS[name]
    rows = differences(load_ruleset(base), load_ruleset(name))
    assert {row["key"]: (row["left"], row["right"]) for row in rows if row["what"] == "item"} == ITEMS[name]
    assert [row["key"] for row in rows if row["what"] == "ruleset"] == (["cap"] if name == "gamesofa" else [])
    assert packaged_table(name)["extends"] == base


@pytest.mark.parametrize("name", PLATFORMS)
def test_sources_are_data(name: str) -> None:
    rules = load_ruleset(name)
    told = describe(rules)
    assert told["sources"]
    for source in told["sources"]:
        assert source["title"]
        assert source["url"].startswith("http")
    assert summary(rules)["source"] == rules.source
    assert describe(load_ruleset("taiwan"))["sources"] == []


@pytest.mark.parametrize(
    ("loser", "dealer", "streak", "paid"),
    [
        (2, 0, 3, {2: 100 + 20 * 2}),  # two who do not deal
        (0, 0, 3, {0: 100 + 20 * (2 + 1 + 6)}),  # the dealer deals in: 1 + 2N
        (None, 0, 1, {0: 100 + 20 * (1 + 1 + 2), 2: 100 + 20, 3: 100 + 20}),  # self-draw: only the dealer pays it
    ],
)
def test_dealer_items_of_a_platform(loser: int | None, dealer: int, streak: int, paid: dict[int, Any]) -> None:
    facts = f"streak={streak}" + (" draw" if loser is None else "")
    score = score_text(OPEN + "8s", facts, "", "gamesofa")
    settlement = settle(score, winner=1, loser=loser, dealer=dealer, stake=Stake(100, 20))
    assert {line.payer: line.amount for line in settlement.lines} == paid
