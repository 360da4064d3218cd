# ruff: noqa: E501 - a table reads best with one case a line
"""[003] item by item, with its cap; hands written from the rule text, each with the words it follows from."""

from __future__ import annotations

import pytest
from score_helpers import items_of, score_text, wanted_items

OPEN = "456m 789p 234s 678s 55p | chow:123m | "
CLOSED = "123m 456m 789p 234s 678s 55p | | "
TRIPLETS = "111m 777m 444s 666s 999p 22p | | "
JUNK = "1m9m1p9p2s5s7s8s EESSWWNCP | | P"
EIGHT = "f1f2f3f4f5f6f7f8"

# (hand | melds | winning tile, facts, flowers, items, total, the text)
CASES = [
    (CLOSED + "8s", "draw dealer heavenly", "", "天胡 16 門清 1 不求人 1 自摸 1", 17, "莊家開門摸牌即胡牌; 自摸 outside the cap"),
    (CLOSED + "8s", "draw earthly", "", "地胡 16 門清 1 不求人 1 自摸 1", 17, "第二輪(前八張牌)摸牌即胡牌"),
    (CLOSED + "8s", "draw first_go_around", "", "地胡 16 門清 1 不求人 1 自摸 1", 17, "the first go-around is within eight"),
    (CLOSED + "8s", "draw first_go_around dealer", "", "門清 1 不求人 1 自摸 1", 3, "the dealer's first turn is 天胡 or nothing"),
    (OPEN + "8s", "draw first_go_around", "", "自摸 1", 1, "無吃、碰、槓等狀況下"),
    (CLOSED + "8s", "earthly", "", "門清 1 平胡 2", 3, "摸牌: not on a discard"),
    (CLOSED + "8s", "first_go_around", "", "門清 1 平胡 2", 3, "摸牌: not on a discard"),
    (JUNK, "draw flower_win", EIGHT, "八仙過海 8 自摸 1", 9, "即可算自摸胡牌"),
    (OPEN + "7s", "draw flower_win", EIGHT, "八仙過海 8 槓上開花 1 自摸 1 卡張 1", 11, "the hand complete as well"),
    (OPEN + "7s", "", EIGHT, "花槓 4 花牌 2 卡張 1", 7, "no 滿花 in this table: two sets and the own flowers"),
    (JUNK, "rob_flower", "f1f2f3f4f5f6f7", "七搶一 8", 8, "當別家摸到最後一張花牌時"),
    ("55p 678s | pung:EEE pung:SSS pung:WWW pung:NNN | 8s", "", "", "大四喜 16", 16, "不計圈風刻、門風刻、碰碰胡"),
    ("55s | pung:EEE pung:SSS pung:WWW pung:NNN pung:999s | 5s", "", "", "大四喜 16 混一色 4 全求人 2", 16, "碰碰胡 not, 混一色 yes, capped"),
    ("55p 678s | pung:EEE pung:SSS pung:WWW pung:NNN | 8s", "seat=E", "", "大四喜 16", 16, "東風東 neither"),
    ("NN 678s | chow:456p pung:EEE pung:WWW pung:SSS | 8s", "", "", "小四喜 8 圈風刻 1 門風刻 1", 10, "no exclusion printed"),
    ("NN 678s | chow:456p pung:EEE pung:WWW pung:SSS | 8s", "seat=E", "", "小四喜 8 東風東 2", 10, "東風東"),
    ("678s 55p 234m | pung:CCC pung:FFF pung:PPP | 8s", "", "", "大三元 8", 8, "不計箭刻"),
    ("678s CC 234m | pung:PPP pung:FFF chow:456p | 8s", "", "", "小三元 4", 4, "不計箭刻"),
    ("FF WWW | pung:EEE pung:SSS pung:CCC pung:PPP | W", "", "", "字一色 8 小三元 4 圈風刻 1 門風刻 1", 14, "不計碰碰胡, no −4"),
    ("NN WWW | pung:CCC pung:FFF pung:PPP pung:SSS | W", "draw seat=N round=N", "", "字一色 8 大三元 8 自摸 1", 17, "16 and 自摸 outside"),
    ("456s 789s 234s 678s 55s | chow:123s | 8s", "", "", "清一色 8 平胡 2", 10, "由一種花色的序號牌組成"),
    ("123s 456s 789s EE | chow:123s chow:678s | 9s", "", "", "混一色 4", 4, "一種花色序數牌及字牌"),
    (TRIPLETS + "2p", "", "", "五暗刻 8 碰碰胡 4 門清 1 單吊 1", 14, "nothing excluded"),
    (TRIPLETS + "9p", "draw", "", "五暗刻 8 碰碰胡 4 門清 1 不求人 1 自摸 1", 15, "self-drawn"),
    (TRIPLETS + "9p", "", "", "四暗刻 5 碰碰胡 4 門清 1", 10, "胡他家牌而湊成的刻子,不屬暗刻"),
    ("777m 444s 555s 22p | pung:111m pung:999p | 7m", "draw", "", "三暗刻 2 碰碰胡 4 自摸 1", 7, "三個暗刻"),
    ("777m 444s 666s 22p | pung:111m kong_added:9999p | 2p", "", "", "三暗刻 2 碰碰胡 4 單吊 1", 7, "加槓 is not concealed"),
    (CLOSED + "8s", "draw", "", "門清 1 不求人 1 自摸 1", 3, "門清自摸 共計三台"),
    ("123m 456m 789p 678s 55p | kong_concealed:1111p | 8s", "", "", "屁胡 0", 0, "沒有吃、碰、開槓: a concealed kong opens"),
    ("123m 456m 789p 678s 55p | kong_concealed:1111p | 8s", "draw", "", "自摸 1", 1, "no 不求人 either"),
    ("55p | chow:123m chow:456m chow:789p chow:234s chow:678s | 5p", "", "", "全求人 2", 2, "不計單吊"),
    ("55p | chow:123m chow:456m chow:789p chow:234s chow:678s | 5p", "draw", "", "單吊 1 自摸 1", 2, "no 半求 here"),
    ("55p | kong_concealed:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "", "", "單吊 1", 1, "全部靠吃、碰: not a concealed kong"),
    (OPEN + "7s", "", "f1f2f3f4", "卡張 1 花槓 2 花牌 1", 4, "花槓 and the own flower both"),
    (OPEN + "7s", "", "f5f6f7f8f2", "卡張 1 花槓 2 花牌 2", 5, "the blue four, and both own flowers"),
    (OPEN + "8s", "", "", "平胡 2", 2, "必為兩面聽"),
    (CLOSED + "8s", "", "", "門清 1 平胡 2", 3, "門清 adds"),
    (OPEN + "8s", "draw", "", "自摸 1", 1, "不可自摸"),
    (OPEN + "8s", "", "f1", "屁胡 0", 0, "不可有花牌"),
    ("456m 789p 234s 678s FF | chow:123m | 8s", "", "", "屁胡 0", 0, "不可有字牌"),
    ("789m 234s 678s 34566p | chow:123m | 6p", "", "", "屁胡 0", 0, "nobetan is not 兩面聽"),
    ("789m 234s 678s 45666p | chow:123m | 6p", "", "", "平胡 2", 2, "45 with 66: two-sided"),
    ("789m 678s 234s 567s 55p | chow:123m | 7s", "", "", "平胡 2", 2, "three-sided"),
    ("1133m 5577p 2244s EE 888s | | 8s", "", "", "八對半 8 門清 1", 9, "no exclusion printed"),
    ("1133m 5577p 2244s EE 888s | | 8s", "draw", "", "八對半 8 門清 1 不求人 1 自摸 1", 11, "literal accumulation"),
    ("1133m 5577p 2244s EE 888s | | 1m", "", "", "八對半 8 門清 1 單吊 1", 10, "單聽一副對子"),
    ("1133m 5577p 2244s EE CCC | | C", "", "", "八對半 8 門清 1 三元牌 1", 10, "with a dragon triplet"),
    (OPEN + "8s", "rob_kong", "", "平胡 2 搶槓胡 1", 3, "胡別人開明槓的牌"),
    ("789p 234s 678s 55p | chow:123m kong_concealed:1111p | 8s", "draw kong_replacement", "", "槓上開花 1 自摸 1", 2, "開槓抓牌而胡"),
    (OPEN + "8s", "draw flower_replacement", "f1", "槓上開花 1 自摸 1", 2, "包括補花抓牌"),
    ("456m 789p 678s 55p CCC | chow:123m | 8s", "", "", "三元牌 1", 1, "任何一副中、發、白"),
    ("456m 789p 678s 55p EEE | chow:123m | 8s", "", "", "圈風刻 1", 1, "與圈風相同"),
    ("456m 789p 678s 55p SSS | chow:123m | 8s", "", "", "門風刻 1", 1, "與門風相同"),
    ("456m 789p 678s 55p EEE | chow:123m | 8s", "seat=E", "", "東風東 2", 2, "此時不再計算圈風台及門風台"),
    ("456m 789p 678s 55p SSS | chow:123m | 8s", "round=S", "", "南風南 2", 2, "南風南"),
    ("456m 789p 678s 55p WWW | chow:123m | 8s", "seat=W round=W", "", "西風西 2", 2, "西風西"),
    ("456m 789p 678s 55p NNN | chow:123m | 8s", "seat=N round=N", "", "北風北 2", 2, "北風北"),
    ("456m 789p 678s 55p NNN | chow:123m | 8s", "", "", "屁胡 0", 0, "another wind"),
    (OPEN + "8s", "draw last_tile", "", "海底撈月 1 自摸 1", 2, "摸進海底最後一張牌而自摸"),
    (OPEN + "8s", "last_tile", "", "平胡 2", 2, "not self-drawn"),
    (OPEN + "7s", "", "f2f6", "卡張 1 花牌 2", 3, "自己的方位"),
    ("456m 789p 123s 678s 55p | chow:123m | 3s", "", "", "偏張 1", 1, "聽偏張"),
    ("456m 123p 234s 789s 55p | chow:123m | 7s", "", "", "偏張 1", 1, "8.9 聽 7"),
    (OPEN + "7s", "", "", "卡張 1", 1, "7.9 聽 8"),
    (OPEN + "5p", "", "", "單吊 1", 1, "單聽一副對子"),
    ("1s1s1s3s3s3s5s5s5s9s9s9s 678s 22s | | 8s", "draw", "", "清一色 8 四暗刻 5 門清 1 不求人 1 自摸 1", 16, "15 in the cap, 自摸 beside it"),
    ("222s 444s 666s 888s 99s | pung:111s | 9s", "draw", "", "清一色 8 碰碰胡 4 四暗刻 5 自摸 1", 17, "如超過皆以十六台計算"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "flowers", "items", "total", "text"), CASES)
def test_item(hand: str, facts: str, flowers: str, items: str, total: int, text: str) -> None:
    score = score_text(hand, facts, flowers, "taipei-online")
    assert score.wins, (text, score.reason)
    wanted = wanted_items(items)
    assert items_of(score) == wanted, text
    assert score.total == total
    drawn = wanted.get("自摸", 0)
    assert (score.raw_total, score.capped, score.outside_cap) == (sum(wanted.values()), total - drawn, drawn)


# (hand, facts, options, reason, or nothing where the hand wins)
KONGS = "678s 55p | kong_added:1111p kong_added:2222p kong_added:3333p kong_concealed:4444p | 8s"
REFUSED = [
    ("789p 234s 678s 55p | chow:123m kong_exposed:1111p | 8s", "draw kong_replacement_open", {}, "claimed_kong_replacement"),
    ("789p 234s 678s 55p | chow:123m kong_added:1111p | 8s", "draw kong_replacement", {}, ""),
    ("789p 234s 678s 55p | chow:123m kong_added:1111p | 8s", "draw kong_replacement", {"ming_gang_scope": "claimed_and_added"}, "claimed_kong_replacement"),
    ("789p 678s 55p | chow:123m kong_added:1111p kong_concealed:CCCC | 8s", "draw kong_replacement", {"ming_gang_scope": "claimed_and_added"}, ""),
    ("789p 678s 55p | chow:123m kong_added:1111p kong_concealed:CCCC | 8s", "draw kong_replacement_added", {"ming_gang_scope": "claimed_and_added"}, "claimed_kong_replacement"),
    ("456m 789p 678s 55p | chow:123m kong_exposed:1111p | 8s", "kong_from_upper", {}, "kong_from_upper"),
    ("456m 789p 678s 55p | chow:123m kong_exposed:1111p | 8s", "from=upper,upper", {}, "kong_from_upper"),
    ("456m 789p 678s 55p | chow:123m kong_exposed:1111p | 8s", "from=upper,lower", {}, ""),
    ("456m 789p 678s 55p | chow:123m pung:111p | 8s", "from=upper,upper", {}, ""),
    (KONGS, "", {}, "four_kongs"),
    (KONGS, "", {"four_kong_draw": "total"}, ""),
    (KONGS, "", {"four_kong_draw": "off"}, ""),
    (KONGS, "table_kongs=5", {"four_kong_draw": "total"}, "four_kongs"),
    (OPEN + "8s", "table_kongs=5", {}, "four_kongs"),
    (OPEN + "8s", "table_kongs=4", {}, ""),
    (OPEN + "8s", "passed_win", {}, "passed_win"),
    (OPEN + "8s", "rob_concealed_kong", {}, "robbed_concealed_kong"),
    (OPEN + "8s", "draw after_claim", {}, ""),
    ("1m9m1p9p1s9s ESWNCFP 1m 234s | | 4s", "", {}, "shape"),
    ("1133m 5577p 2244s EEEE 8s | | 8s", "", {}, "shape"),
    ("1133m 5577p 2244s EE | pung:888s | E", "", {}, "shape"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "options", "reason"), REFUSED)
def test_constraint(hand: str, facts: str, options: dict[str, object], reason: str) -> None:
    score = score_text(hand, facts, "", "taipei-online", **options)
    assert (score.reason.code if score.reason else "") == reason
    assert score.wins == (not reason)


def test_cap_is_an_option() -> None:
    hand = "222s 444s 666s 888s 99s | pung:111s | 9s"
    assert score_text(hand, "draw", "", "taipei-online", cap=0).total == 18
    assert score_text(hand, "draw", "", "taipei-online", cap=10).total == 11
    assert score_text(hand, "draw", "", "taiwan", cap=10).total == 11


def test_equal_totals_prefer_the_higher_before_the_cap_and_never_depend_on_order() -> None:
    one = score_text("456m 789p 1s2s3s3s3s 678p | chow:123m | 3s", "", "", "taipei-online")
    other = score_text("678p 3s3s3s2s1s 987p 654m | chow:123m | 3s", "", "", "taipei-online")
    assert items_of(one) == items_of(other)
    assert one.total == 1
    assert [total for _, total in one.alternatives] == [1]
