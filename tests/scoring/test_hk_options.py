# ruff: noqa: E501 - a table reads best with one case a line
"""Every option of the Hong Kong ruleset changes what it says, and only when it is chosen."""

from __future__ import annotations

from typing import Any

import pytest
from score_helpers import context_from, hand_from, items_of, wanted_items

from scoring import RulesetError, Score, load_ruleset, score_hand

OPEN = "567m 345p 678s 789p 99s | chow:234m | "
CLOSED = "234m 567m 345p 678s 789p 99s | | "
CHICKEN = "567m 345s 678p NN | chow:234m pung:222p | 8p"
BIG = "無字無花大平糊 15"
TRIPLETS = "222m 777m 444s 666s 999p 33p | | 3p"


def score_hk(text: str, facts: str, flowers: str, options: dict[str, Any]) -> Score:
    words = [word for word in facts.split() if not word.startswith("discards=")]
    context = context_from(" ".join(words))
    for word in facts.split():
        if word.startswith("discards="):
            object.__setattr__(context, "discards_count", int(word[9:]))
    return score_hand(hand_from(text, flowers), context, load_ruleset("hk-taiwan", options))


# option, value, (hand, facts, flowers), items by default, items with the option
CASES: list[tuple[str, Any, tuple[str, str, str], str, str]] = [
    ("wu_anke_value", 40, ("222m 777m 444s 666s 33p | kong_concealed:9999p | 3p", "", ""),
     "無字無花 8 五暗簡 30 對對糊 30 門清 5 獨獨 2 暗槓 2", "無字無花 8 五暗簡 40 對對糊 30 門清 5 獨獨 2 暗槓 2"),
    ("hk_absorb", "printed", ("567m CC 678p | chow:234s pung:PPP pung:FFF | 8p", "", ""),
     "小三元 30 無花 1", "小三元 30 無花 1 中發白 2"),
    ("hk_absorb", False, ("99p 678p | pung:EEE pung:NNN pung:WWW pung:SSS | 8p", "", ""),
     "大四喜 100 混一色 30 無花 1", "大四喜 100 混一色 30 無花 1 大三風 40 正圈 1 正位 1"),
    ("hk_absorb", "printed", ("789m 123m 789s 789m EE | chow:123p | 9s", "", ""),
     "平糊 5 半老少 15 一般高 5 姊妹 4 無花 1", "平糊 5 半老少 15 老少 5 一般高 5 姊妹 4 無花 1"),
    ("hk_absorb", "printed", ("1m9m1p9p1s9sESWNCFPW EEE | | W", "", ""),
     "十三么(全么九) 120 正圈 1 無花 1", "十三么(全么九) 120 正圈 1 無花 1 花么九 30"),
    ("hk_honour_reading", "base+extra", ("567m 99m 678s | pung:CCC pung:NNN chow:234m | 8s", "", ""),
     "中發白 1 無花 1", "中發白 1 無花 1 番子(三元) 1 番子(風) 1"),
    ("hk_honour_reading", "base_and_extra", ("567m 99p | chow:234s pung:PPP pung:FFF pung:CCC | 7m", "", ""),
     "大三元 60 無花 1", "大三元 60 無花 1"),
    ("wuzi_wuhua_typo", False, ("567m 345p 678s 99s | chow:234m pung:777p | 8s", "", ""), "無字無花 8", "無字 1 無花 1"),
    ("hk_chicken_reading", "nothing_else", (CHICKEN, "", "f1 f3"), "大雞糊 10 花 2", "花 2"),
    ("hk_chicken_reading", "instead_of_flowers", (CHICKEN, "", "f1 f3"), "大雞糊 10 花 2", "大雞糊 10"),
    ("hk_chicken_reading", "instead_of_flowers", (CHICKEN, "", ""), "大雞糊 10 無花 1", "大雞糊 10"),
    ("da_xiao_wumen", "swapped", ("345s 678p 123s CC | chow:234m pung:NNN | 8p", "", ""),
     "小五門齊 15 無花 1", "小五門齊 10 無花 1"),
    ("da_xiao_wumen", "swapped", ("345p 678s 99p | chow:234m pung:NNN pung:CCC | 8s", "", ""),
     "大五門齊 10 中發白 1 無花 1", "大五門齊 15 中發白 1 無花 1"),
    ("shuang_laoshao_value", 10, ("789m 123m 123p 789p 66s | chow:678s | 6s", "", ""),
     f"{BIG} 老少 5 雙老少 5 姊妹 4 獨獨 2", f"{BIG} 老少 5 雙老少 10 姊妹 4 獨獨 2"),
    ("laoshao_whole_hand", False, ("789m 123m 456s 234p EE | chow:678p | 4p", "", ""),
     "平糊 5 老少 5 無花 1", "平糊 5 半老少 15 無花 1"),
    ("hk_kankan_absorbs", ["五暗簡"], (TRIPLETS, "", ""),
     "無字無花 8 簡簡糊 80 獨獨 2", "無字無花 8 簡簡糊 80 對對糊 30 門清 5 獨獨 2"),
    ("hk_kankan_self_draw", True, (TRIPLETS, "", ""),
     "無字無花 8 簡簡糊 80 獨獨 2", "無字無花 8 五暗簡 30 對對糊 30 門清 5 獨獨 2"),
    ("hk_kankan_self_draw", True, (TRIPLETS, "draw", ""),
     "無字無花 8 簡簡糊 80 獨獨 2 一摸八 8", "無字無花 8 簡簡糊 80 獨獨 2 一摸八 8"),
    ("anjian_triplets_only", False, ("777m 345p 678s 99p | chow:234m chow:789s | 8s", "", ""),
     "無字無花 8", "無字無花 8 兩暗簡 5"),
    ("ron_completed_set_is_open", False, ("123s 456s 789s 345p 678m 99m | | 9s", "", ""),
     f"{BIG} 清龍(明) 10 門清 5", f"{BIG} 清龍(暗) 15 門清 5"),
    ("ron_completed_set_is_open", False, ("123p 456s 789m 123p 456s 99m | | 6s", "", ""),
     f"{BIG} 雙雜龍(明) 35 雙般高 10 門清 5", f"{BIG} 雙雜龍(暗) 50 雙般高 10 門清 5"),
    ("discard_count_scope", "table_before", (OPEN + "8s", "discards=4", ""), f"{BIG} 七子內 20", f"{BIG} 三子內 30"),
    ("discard_count_scope", "table_before", (OPEN + "8s", "draw discards=4", ""),
     f"{BIG} 七子內 20 自摸 1", f"{BIG} 七子內 20 自摸 1"),
    ("discard_count_scope", "own", (OPEN + "8s", "discards=4", ""), f"{BIG} 七子內 20", f"{BIG} 七子內 20"),
    ("special_absorbs_menqing", False, ("11m 33m 66p 77p 22s 44s EE 888s | | 1m", "", ""),
     "哩咕哩咕 40 獨獨 2 無花 1", "哩咕哩咕 40 獨獨 2 無花 1 門清 5"),
    ("special_absorbs_menqing", False, ("147m 159s 269p ESWNCFP E | | E", "", ""), "十六不搭 50 無花 1", "十六不搭 50 無花 1 門清 5"),
    ("special_absorbs_yi_mo_ba", True, ("1m9m1p9p1s9sESWNCFP1m 234s | | 4s", "draw", ""),
     "十三么 100 無花 1 一摸八 8", "十三么 100 無花 1 自摸 1"),
    ("ligu_absorbs_menqing", False, ("11m 33m 66p 77p 22s 44s EE 888s | | 8s", "", ""),
     "哩咕哩咕叫八飛 50 無花 1", "哩咕哩咕叫八飛 50 無花 1 門清 5"),
    ("heaven_absorbs", False, (CLOSED + "8s", "draw dealer heavenly seat=E", ""), f"{BIG} 天糊 100", f"{BIG} 天糊 100 一摸八 8"),
    ("heaven_absorbs", False, (CLOSED + "8s", "earthly", ""), f"{BIG} 地糊 100", f"{BIG} 地糊 100 門清 5"),
    ("hk_yaojiu", "outside_and_orphans", ("111m NNN 11s | pung:FFF pung:WWW pung:999p | 1s", "", ""),
     "花么九 30 對對糊 30 兩暗簡 5 獨獨 2 無花 1 中發白 1 小五門齊 15",
     "全么九 100 對對糊 30 兩暗簡 5 獨獨 2 無花 1 中發白 1 小五門齊 15"),
    ("hk_yaojiu", "outside_and_orphans", ("789m 123m 789s 789m EE | chow:123p | 9s", "", ""),
     "平糊 5 半老少 15 一般高 5 姊妹 4 無花 1", "平糊 5 半老少 15 一般高 5 姊妹 4 無花 1 花么九 30"),
    ("hk_yaojiu", "outside_and_orphans", ("789m 123m 789s 678m EE | chow:123p | 9s", "", ""),
     "平糊 5 老少 5 姊妹 4 無花 1", "平糊 5 老少 5 姊妹 4 無花 1"),
    ("hk_yaojiu", "outside_and_orphans", ("789m 123m 789s 555p EE | chow:123p | 9s", "", ""),
     "老少 5 姊妹 4 無花 1", "老少 5 姊妹 4 無花 1"),
    ("yi_tai_hua_replaces", False, (OPEN + "8s", "", "f1 f2 f3 f4"), "平糊 5 無字 1 一台花 7", "平糊 5 無字 1 一台花 7 花 4 正位花 1"),
    ("ping_wait", "not_single", (OPEN + "7s", "", ""), f"{BIG} 獨獨 2", "無字無花 8 獨獨 2"),
    ("ping_wait", "two_sided", ("4567m 7m 345p 678s 789p | chow:234s | 7m", "", ""), f"{BIG} 假獨 1", "無字無花 8 假獨 1"),
    ("ping_wait", "two_sided", (OPEN + "8s", "", ""), BIG, BIG),
    ("ping_self_draw", False, (OPEN + "8s", "draw", ""), f"{BIG} 自摸 1", "無字無花 8 自摸 1"),
    ("menqing_concealed_kong", False, ("567m 345p 678s 99s 234m | kong_concealed:2222p | 8s", "", ""),
     "無字無花 8 暗槓 2 門清 5", "無字無花 8 暗槓 2"),
    ("quanqiu_counts_single_wait", False, ("99s | chow:234m chow:567m chow:345p chow:789p chow:678s | 9s", "", ""),
     f"{BIG} 全求人 15 獨獨 2", f"{BIG} 全求人 15"),
    ("quanqiu_counts_single_wait", False, ("99s | chow:234m chow:567m chow:345p chow:789p chow:678s | 9s", "draw", ""),
     f"{BIG} 半求人 7 獨獨 2 自摸 1", f"{BIG} 半求人 7 自摸 1"),
    ("quanqiu_concealed_kong", True, ("99s | chow:234m chow:567m chow:345p chow:789p kong_concealed:2222s | 9s", "", ""),
     "無字無花 8 暗槓 2 獨獨 2", "無字無花 8 暗槓 2 獨獨 2 全求人 15"),
    ("banqiu", 0, ("99s | chow:234m chow:567m chow:345p chow:789p chow:678s | 9s", "draw", ""),
     f"{BIG} 半求人 7 獨獨 2 自摸 1", f"{BIG} 獨獨 2 自摸 1"),
    ("exhausted_tile_is_wait", True, ("777m 444s 345p 99p | chow:234m kong_concealed:2222p | 5p", "", ""),
     "無字無花 8 三暗簡 10 暗槓 2 獨獨 2", "無字無花 8 三暗簡 10 暗槓 2"),
    ("single_wait_definition", "by_shape", ("4567m 7m 345p 678s 789p | chow:234s | 7m", "", ""), f"{BIG} 假獨 1", f"{BIG} 獨獨 2"),
    ("earthly_by_ron", False, (CLOSED + "8s", "earthly", ""), f"{BIG} 地糊 100", f"{BIG} 門清 5"),
    ("eight_flowers_counts_zimo", True, ("1m9m1p9p2s5s7s8sEESSWWNCP | | P", "draw eight_flowers", "f1f2f3f4f5f6f7f8"),
     "八隻花 40", "八隻花 40 自摸 1"),
    ("flower_order", "竹菊", (OPEN + "8s", "seat=W", "f8"), "平糊 5 無字 1 花 1", "平糊 5 無字 1 花 1 正位花 1"),
    ("one_tile_two_shapes", True, ("112233445566777m 88m | | 3m", "", ""),
     "哩咕哩咕 40 清一色 80 無字無花 8 獨獨 2", "哩咕哩咕 40 清一色 80 無字無花 8 獨獨 2 雙般高 10 將眼 2 門清 5"),
    ("one_tile_two_shapes", True, (TRIPLETS, "", ""), "無字無花 8 簡簡糊 80 獨獨 2", "無字無花 8 簡簡糊 80 獨獨 2"),
    ("cap", 10, (CLOSED + "8s", "", ""), f"{BIG} 門清 5", f"{BIG} 門清 5"),
]  # fmt: skip


@pytest.mark.parametrize(("option", "value", "hand", "default", "chosen"), CASES)
def test_option(option: str, value: Any, hand: tuple[str, str, str], default: str, chosen: str) -> None:
    assert items_of(score_hk(*hand, {})) == wanted_items(default)
    assert items_of(score_hk(*hand, {option: value})) == wanted_items(chosen)


# option, value, (hand, facts), whether it wins by default and with the option
WINS = [
    ("ligu_enabled", False, ("11m 33m 66p 77p 22s 44s EE 888s | | 8s", ""), True, False),
    ("ligu_quads", False, ("11m 33m 66p 77p 22s 4444s 888s | | 8s", ""), True, False),
    ("orphans_concealed_kong", False, ("1m9m1p9p1s9sESWNCFP1m | kong_concealed:5555s | 1m", ""), True, False),
    ("orphans_rob_concealed_kong", True, ("1m9m1p9p1s9sESWNCFP1m 678s | | 7s", "rob_concealed_kong"), False, True),
    ("orphans_rob_concealed_kong", True, (OPEN + "8s", "rob_concealed_kong"), False, False),
    ("guoshui_scope", "off", (OPEN + "8s", "passed_win_same_round"), False, True),
    ("duanqiao_bars_win", False, (OPEN + "8s", "duanqiao"), False, True),
]


@pytest.mark.parametrize(("option", "value", "hand", "default", "chosen"), WINS)
def test_option_of_winning(option: str, value: Any, hand: tuple[str, str], default: bool, chosen: bool) -> None:
    assert score_hk(*hand, "", {}).wins is default
    assert score_hk(*hand, "", {option: value}).wins is chosen


def test_a_robbed_concealed_kong_is_a_robbed_kong() -> None:
    hand = ("1m9m1p9p1s9sESWNCFP1m 678s | | 7s", "rob_concealed_kong", "", {"orphans_rob_concealed_kong": True})
    assert items_of(score_hk(*hand)) == wanted_items("十三么 100 獨獨 2 搶槓 1 無花 1")


def test_a_cap_takes_off_what_is_over_it() -> None:
    score = score_hk(CLOSED + "8s", "", "", {"cap": 10})
    assert (score.total, score.raw_total) == (10, 20)


SETTLED_ELSEWHERE = {
    "hk_half_slip", "dealer_pays_extra_on_others_self_draw", "multi_ron", "dealer_items_in_cap", "draw_keeps_dealer", "false_win",
}  # fmt: skip


def test_every_option_has_a_case() -> None:
    tested = {case[0] for case in (*CASES, *WINS)}
    assert set(load_ruleset("hk-taiwan").options) == tested | SETTLED_ELSEWHERE


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with pytest.raises(RulesetError, match="yi_tai_hua_replaces"):
        load_ruleset("hk-taiwan", {"yi_tai_hua_replace": True})
