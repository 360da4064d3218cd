# ruff: noqa: E501 - a table reads best with one case a line
"""[000] item by item: hands written from the rule text, each with the words it follows from."""

from __future__ import annotations

import pytest
from score_helpers import items_of, score_text, wanted_items

# The plain hand of these tables: all chows but for what a case changes, seat south, round east (score_helpers).
OPEN = "456m 789p 234s 678s 55p | chow:123m | "
CLOSED = "123m 456m 789p 234s 678s 55p | | "
TRIPLETS = "111m 777m 444s 666s 999p 22p | | "

# (hand | melds | winning tile, facts, flowers, items counted, the text)
CASES = [
    # 1 风字刻
    ("456m 789p 678s 55p SSS | chow:123m | 8s", "", "", "风字刻(开门) 1", "合开门序1台"),
    ("456m 789p 678s 55p EEE | chow:123m | 8s", "", "", "风字刻(圈) 1", "合圈序加1台"),
    ("456m 789p 678s 55p EEE | chow:123m | 8s", "seat=E", "", "风字刻(开门) 1 风字刻(圈) 1", "both: 2"),
    ("456m 789p 678s 55p NNN | chow:123m | 8s", "", "", "", "neither seat nor round: no 台"),
    ("456m 789p 678s 55p WWW | chow:123m | 8s", "seat=W round=N", "", "风字刻(开门) 1", "seat only"),
    ("789p 678s 55p 123m | chow:123m kong_exposed:SSSS | 8s", "", "", "风字刻(开门) 1", "a kong is a triplet"),
    ("789p 678s 55p 123m | chow:123m kong_concealed:EEEE | 8s", "", "", "风字刻(圈) 1", "a concealed kong too"),
    ("456m 789p 678s 345s SS | chow:123m | 8s", "", "", "", "东南西北任一刻: a pair is no triplet"),
    # 2 箭字刻
    ("456m 789p 678s 55p CCC | chow:123m | 8s", "", "", "箭字刻 1", "中发白任一刻"),
    ("456m 678s 55p CCC FFF | chow:123m | 8s", "", "", "箭字刻 2", "各计1台"),
    ("678s 55p 456m | chow:123m kong_added:PPPP pung:CCC | 8s", "", "", "箭字刻 2", "kongs count as triplets"),
    ("456m 789p 678s 234s PP | chow:123m | 8s", "", "", "", "a dragon pair has no 台"),
    # 3 门清
    ("123m 456m 789p 234s 678s 55p | | 7s", "", "", "门清 1 独听 1", "和牌前无吃、碰、明杠"),
    ("123m 456m 789p 678s 55p | kong_concealed:1111p | 8s", "", "", "门清 1", "允许暗杠"),
    ("123m 456m 789p 678s 55p | kong_exposed:1111p | 8s", "", "", "", "明杠 opens the hand"),
    ("123m 456m 789p 678s 55p | kong_added:1111p | 8s", "", "", "", "加杠 began as 碰"),
    ("123m 456m 789p 678s 55p | pung:111p | 8s", "", "", "", "碰 opens the hand"),
    # 4 不求 自摸
    (CLOSED + "8s", "draw", "", "门清 1 不求 1 自摸 1", "与门清合称门清一摸三"),
    ("123m 456m 789p 678s 55p | kong_concealed:1111p | 8s", "draw", "", "门清 1 不求 1 自摸 1", "允许暗杠"),
    (OPEN + "8s", "draw", "", "自摸 1", "吃: no 不求"),
    # 5 全求
    ("55p | chow:123m chow:456m chow:789p chow:234s chow:678s | 5p", "", "", "全求 2 独听 1", "加计独听1台,共3台"),
    ("CC | chow:123m chow:456m chow:789p pung:222s pung:FFF | C", "", "", "全求 2 独听 1 箭字刻 1", "和铳"),
    ("55p | pung:111m pung:444m pung:777p pung:222s pung:888s | 5p", "", "", "全求 2 独听 1 对对和 4", "all pungs"),
    ("55p | kong_exposed:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "", "", "全求 2 独听 1", "明杠外露"),
    ("55p | kong_added:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "", "", "全求 2 独听 1", "加杠外露"),
    ("55p | kong_concealed:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "", "", "独听 1", "暗杠 is not 外露"),
    # 6 半求
    ("55p | chow:123m chow:456m chow:789p chow:234s chow:678s | 5p", "draw", "", "半求 1 独听 1 自摸 1", "共3台"),
    ("55p | kong_concealed:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "draw", "", "独听 1 自摸 1", "暗杠"),
    # 7 平和
    (OPEN + "8s", "", "", "平和 2", "无花、无字、无刻、非独听、非自摸"),
    (CLOSED + "8s", "", "", "门清 1 平和 2", "允许门清加1台"),
    (OPEN + "8s", "draw", "", "自摸 1", "非自摸"),
    (OPEN + "8s", "", "f1", "", "无花: another seat's flower"),
    (OPEN + "8s", "", "f2", "花牌 1", "无花: the own flower"),
    (OPEN + "7s", "", "", "独听 1", "非独听: 中洞"),
    ("456m 789p 123s 678s 55p | chow:123m | 3s", "", "", "独听 1", "非独听: 站壁"),
    (OPEN + "5p", "", "", "独听 1", "非独听: 单钓"),
    ("456m 789p 234s 678s FF | chow:123m | 8s", "", "", "", "无字: honour pair"),
    ("456m 789p 222s 678s 55p | chow:123m | 8s", "", "", "", "无刻"),
    ("456m 789p 234s 678s 55p | pung:111m | 8s", "", "", "", "无刻: a melded one"),
    ("789m 234s 678s 34566p | chow:123m | 6p", "", "", "平和 2", "nobetan waits for two kinds: 非独听"),
    ("789m 234s 678s 33456p | chow:123m | 3p", "", "", "平和 2", "nobetan, the other end"),
    ("789m 678s 234s 567s 55p | chow:123m | 7s", "", "", "平和 2", "three-sided wait"),
    (OPEN + "8s", "rob_kong", "", "平和 2 抢杠 1", "抢杠 is no self-draw"),
    # 8 对对和
    ("777m 444s 22p | pung:111m pung:999p pung:555s | 7m", "", "", "对对和 4", "除将牌外全为刻子"),
    ("777m 444s 22p | kong_exposed:1111m pung:999p kong_added:5555s | 7m", "", "", "对对和 4", "刻子或杠子"),
    ("777m 456s 22p | pung:111m pung:999p pung:555s | 7m", "", "", "", "one chow: none"),
    # 11 独听
    ("456m 789p 23s4s 444s 55p | chow:123m | 3s", "", "", "独听 1", "2 and 4 of 234444: 3s alone"),
    ("456m 123p 55s 345s 678s | chow:789p | 5s", "", "", "平和 2", "34 with 55: two kinds"),
    ("456m 789p 234s 666s 55p | chow:123m | 5p", "", "", "独听 1", "单钓 beside a triplet"),
    ("789m 234s 33334566p | chow:123m | 6p", "", "", "独听 1", "3p held four times: no wait"),
    # 12 抢杠
    (CLOSED + "8s", "rob_kong", "", "门清 1 平和 2 抢杠 1", "他人加杠"),
    ("456m 789p 234s 678s 55p | pung:CCC | 8s", "rob_kong", "", "箭字刻 1 抢杠 1", "他人加杠"),
    # 13 字一色
    ("FF WWW | pung:EEE pung:SSS pung:CCC pung:PPP | W", "", "",
     "字一色 16 小三元 4 字一色减除 -4 风字刻(开门) 1 风字刻(圈) 1", "累计台数后减除4台"),
    ("NN WWW | pung:CCC pung:FFF pung:PPP pung:SSS | W", "seat=N round=N", "",
     "字一色 16 大三元 8 字一色减除 -4", "箭字刻不另计台"),
    ("NN WWW | pung:CCC pung:FFF pung:EEE pung:SSS | W", "seat=N round=N", "",
     "字一色 16 小四喜 8 字一色减除 -4 箭字刻 2", "two dragons outside 三元 count"),
    ("FF WWW | pung:CCC pung:NNN pung:EEE pung:SSS | W", "", "",
     "字一色 16 大四喜 16 字一色减除 -4 箭字刻 1", "圈序与开门序不另计台"),
    ("EEESSSWWWCCCFFFPP | | P", "draw seat=N round=N", "",
     "字一色 16 小三元 4 字一色减除 -4 五暗刻 12 不求 1 自摸 1 独听 1", "五暗刻 on top"),
    # 14 清一色
    ("456s 789s 234s 678s 55s | chow:123s | 8s", "", "", "清一色 12 平和 2", "全为一种花色且无字牌"),
    ("111m 234m 456m 678m 999m 55m | | 5m", "draw", "", "清一色 12 门清 1 不求 1 自摸 1", "self-drawn"),
    # 15 凑一色
    ("123s 456s 789s 678s 55s | pung:NNN | 8s", "", "", "凑一色 4", "除字牌外全为一种花色"),
    ("123s 456s 789s EE | chow:123s chow:678s | 9s", "", "", "凑一色 4", "the honour pair is enough"),
    ("55s | pung:EEE pung:SSS pung:CCC pung:FFF pung:WWW | 5s", "round=N", "",
     "凑一色 4 对对和 4 全求 2 独听 1 风字刻(开门) 1 箭字刻 2", "one suited pair is enough"),
    # 16-18 暗刻
    ("777m 444s 555s 22p | pung:111m pung:999p | 7m", "", "", "对对和 4", "和铳 triplet is not 摸得"),
    ("777m 444s 555s 22p | pung:111m pung:999p | 7m", "draw", "", "三暗刻 2 对对和 4 自摸 1", "摸得之刻子"),
    ("777m 444s 555s 22p | pung:111m pung:999p | 2p", "", "", "三暗刻 2 对对和 4 独听 1", "the pair by discard"),
    ("555s 22p | kong_concealed:1111s kong_concealed:9999m chow:123m chow:456p | 2p", "", "", "三暗刻 2 独听 1",
     "包含暗杠"),
    ("555s 22p | kong_exposed:1111s kong_concealed:9999m pung:111m chow:456p | 2p", "", "", "独听 1", "明杠 is not 暗"),
    ("777m 444s 666s 999p 22p | pung:111m | 2p", "", "", "四暗刻 5 对对和 4 独听 1", "四副"),
    ("777m 444s 666s 999p 22p | pung:111m | 9p", "", "", "三暗刻 2 对对和 4", "four drops to three"),
    ("777m 444s 666s 999p 123m 22p | | 3m", "", "", "四暗刻 5 门清 1 独听 1", "四暗刻 does not exclude 门清"),
    (TRIPLETS + "2p", "", "", "五暗刻 12 独听 1", "不计门清.对对和"),
    (TRIPLETS + "2p", "draw", "", "五暗刻 12 独听 1 不求 1 自摸 1", "如为自摸,加计不求"),
    (TRIPLETS + "9p", "draw", "", "五暗刻 12 不求 1 自摸 1", "摸得"),
    (TRIPLETS + "9p", "", "", "四暗刻 5 对对和 4 门清 1", "finished by a discard"),
    ("777m 444s 666s 999p 22p | kong_concealed:1111m | 2p", "", "", "五暗刻 12 独听 1", "包含暗杠"),
    ("111222333m 456p 789s 55s | | 6p", "draw", "", "三暗刻 2 门清 1 不求 1 自摸 1", "the best reading"),
    ("111222333m 456p 789s 55s | | 2m", "", "", "门清 1 平和 2", "chows beat two concealed triplets"),
    ("111222333444m 678p 55s | | 8p", "", "", "四暗刻 5 门清 1", "four triplets beat three chows and a triplet"),
    # 19 大四喜
    ("55p 678s | pung:EEE pung:SSS pung:WWW pung:NNN | 8s", "", "", "大四喜 16", "圈序与开门序不另计台"),
    ("55s | pung:EEE pung:SSS pung:WWW pung:NNN pung:999s | 5s", "", "",
     "大四喜 16 对对和 4 凑一色 4 全求 2 独听 1", "对对和, 凑一色 add"),
    ("55s | pung:EEE pung:SSS pung:WWW pung:NNN pung:CCC | 5s", "", "",
     "大四喜 16 对对和 4 凑一色 4 全求 2 独听 1 箭字刻 1", "箭字刻 adds"),
    # 20 小四喜
    ("NN 678s | chow:456p pung:EEE pung:WWW pung:SSS | 8s", "", "", "小四喜 8 风字刻(开门) 1 风字刻(圈) 1", "各加1台"),
    ("SS 678s | chow:456p pung:EEE pung:WWW pung:NNN | 8s", "", "", "小四喜 8 风字刻(圈) 1", "the seat is the pair"),
    ("EE 678s | chow:456p pung:SSS pung:WWW pung:NNN | 8s", "seat=E", "", "小四喜 8", "both are the pair"),
    # 21 大三元
    ("678s 55p 234m | pung:CCC pung:FFF pung:PPP | 8s", "", "", "大三元 8", "箭字刻不另计台"),
    ("678s 55p | pung:CCC pung:FFF pung:PPP pung:EEE | 8s", "", "", "大三元 8 风字刻(圈) 1", "the round wind beside it"),
    # 22 小三元
    ("678s CC 234m | pung:PPP pung:FFF chow:456p | 8s", "", "", "小三元 4", "箭字刻不另计台"),
    ("678s CC | pung:PPP pung:FFF pung:SSS chow:456p | 8s", "", "", "小三元 4 风字刻(开门) 1", "a wind beside it"),
    ("678s 55p 234m 789m | pung:CCC pung:FFF | 8s", "", "", "箭字刻 2", "two dragons without the pair"),
    # 24 杠上开花
    ("789p 234s 678s 55p | chow:123m kong_added:1111p | 8s", "draw kong_replacement", "", "杠上开花 1 自摸 1", "加计自摸1台"),
    ("123m 789p 234s 678s 55p | kong_concealed:1111p | 8s", "draw kong_replacement", "",
     "杠上开花 1 自摸 1 门清 1 不求 1", "暗杠"),
    (OPEN + "8s", "draw flower_replacement", "f1", "自摸 1", "补花 is not 杠上开花 here"),
    # 25 海底捞月
    (OPEN + "8s", "draw last_tile", "", "海底捞月 1 自摸 1", "加计自摸1台"),
    (OPEN + "8s", "last_tile", "", "平和 2", "the last discard has no item"),
    (OPEN + "8s", "last_tile_discard", "", "平和 2", "the last discard has no item"),
    ("789p 234s 678s 55p | chow:123m kong_added:1111p | 8s", "draw kong_replacement last_tile", "",
     "杠上开花 1 海底捞月 1 自摸 1", "both count"),
    # 26 花牌
    (OPEN + "7s", "", "f2", "独听 1 花牌 1", "合开门序1台: 夏 is south"),
    (OPEN + "7s", "", "f2f6", "独听 1 花牌 2", "夏 and 兰"),
    (OPEN + "7s", "", "f1f5f3f7f4f8", "独听 1", "other seats' flowers"),
    (OPEN + "7s", "seat=W", "f7", "独听 1 花牌 1", "菊 is number 3, west"),
    (OPEN + "7s", "seat=N", "f8", "独听 1 花牌 1", "竹 is number 4, north"),
    (OPEN + "7s", "seat=E", "f1f5", "独听 1 花牌 2", "春 and 梅 are east"),
    (OPEN + "7s", "", "f1f2f3f4", "独听 1 花杠 2", "持同色花杠改计2台"),
    (OPEN + "7s", "", "f5f6f7f8", "独听 1 花杠 2", "the blue four"),
    (OPEN + "7s", "", "f1f2f3f4f6", "独听 1 花杠 2 花牌 1", "own flower of the other colour"),
    (OPEN + "7s", "", "f1f2f3f5f6f7", "独听 1 花牌 2", "two incomplete colours"),
    (OPEN + "7s", "", "f1f2f3f4f5f7f8", "独听 1 花杠 2", "seven flowers"),
    (OPEN + "7s", "", "f1f2f3f4f5f6f7f8", "独听 1 满花 8", "持满花改计8台"),
    (OPEN + "7s", "flower_seat=W", "f3", "独听 1 花牌 1", "a flower seat of its own"),
    # 27-30 花和
    ("1m9m1p9p2s5s7s8s EESSWWNCP | | P", "draw flower_win", "f1f2f3f4f5f6f7f8", "八仙过海 8", "手牌未和毋须翻开"),
    ("1m9m1p9p2s5s7s8s EESSWWNCP | | ", "draw flower_win", "f1f2f3f4f5f6f7f8", "八仙过海 8", "no winning tile needed"),
    ("123m 789p 234s 678s 55p | kong_concealed:1111p | 8s", "draw flower_win hand_complete kong_replacement",
     "f1f2f3f4f5f6f7f8", "八仙过海 8 杠上开花 1 自摸 1 门清 1 不求 1", "牌面台数照算加计八仙过海8台"),
    (OPEN + "7s", "draw flower_win", "f1f2f3f4f5f6f7f8", "八仙过海 8 杠上开花 1 自摸 1 独听 1", "补得之牌恰为杠上开花"),
    ("1m9m1p9p2s5s7s8s EESSWWNCP | | P", "rob_flower", "f1f2f3f4f5f6f7", "七抢一 8", "暗牌不计"),
    ("1m9m1p9p2s5s7s8s EESSWWNCP | | P", "rob_flower_mode2", "f1f3f4f5f7f8", "七抢一 8", "own six"),
    (OPEN + "7s", "draw rob_flower hand_complete", "f1f2f3f4f5f6f7", "七抢一 8 杠上开花 1 自摸 1 独听 1", "仍视同放铳"),
    (OPEN + "7s", "draw rob_flower_mode2 hand_complete", "f1f3f4f5f7f8", "杠上开花 1 自摸 1 独听 1", "不含抢得之花牌"),
    (OPEN + "7s", "draw rob_flower_mode2", "f1f2f3f4f5f7", "杠上开花 1 自摸 1 独听 1 花杠 2", "own flowers are 牌面"),
    # 31 天听
    (CLOSED + "8s", "ready_initial", "", "天听 8 平和 2", "不计门清"),
    (CLOSED + "8s", "draw ready_initial", "", "天听 8 不求 1 自摸 1", "如自摸则加计不求.自摸2台"),
    (TRIPLETS + "2p", "ready_initial", "", "天听 8 五暗刻 12 独听 1", "with 五暗刻"),
    (CLOSED + "8s", "ready_initial_void", "", "门清 1 平和 2", "如换牌则解除"),
    (CLOSED + "8s", "ready_initial ready_initial_void", "", "门清 1 平和 2", "declared, then voided"),
    (CLOSED + "8s", "ready_initial not_locked passed_win_earlier", "", "门清 1 平和 2", "不计天听,和牌仍有效"),
    (CLOSED + "8s", "ready_initial passed_win_earlier", "", "天听 8 平和 2", "眼牌: it stands"),
    (CLOSED + "8s", "ready_initial not_locked", "", "天听 8 平和 2", "no win was passed: it stands"),
    (OPEN + "8s", "ready_initial", "", "平和 2", "a claimed set changed the hand"),
    # 32 地听
    (CLOSED + "8s", "ready_first_discard", "", "地听 6 平和 2", "不计门清"),
    (CLOSED + "8s", "draw ready_first_discard", "", "地听 6 不求 1 自摸 1", "加计不求.自摸2台"),
    (CLOSED + "8s", "ready_first_discard dealer", "", "地听 6 平和 2", "庄家打出第1张牌视为地听"),
    (OPEN + "8s", "ready_first_discard", "", "平和 2", "本身须门清"),
    (CLOSED + "8s", "ready_first_discard ready_first_discard_void", "", "门清 1 平和 2", "否则解除地听"),
    (CLOSED + "8s", "ready_first_discard not_locked passed_win_earlier", "", "门清 1 平和 2", "和牌仍有效"),
    # 33 天和
    (CLOSED + "8s", "draw dealer heavenly", "", "天和 16", "不计门清一摸三"),
    (CLOSED + "7s", "draw dealer heavenly", "", "天和 16", "no wait, no 独听"),
    (CLOSED, "draw dealer heavenly", "", "天和 16", "no winning tile to name"),
    ("111m 777m 444s 666s EEE 22p | | 2p", "draw dealer heavenly seat=E", "",
     "天和 16 五暗刻 12 风字刻(开门) 1 风字刻(圈) 1", "adds to the hand's items"),
    (CLOSED + "8s", "draw dealer heavenly", "f2", "天和 16 花牌 1", "配牌补花後"),
    # 34 地和
    (CLOSED + "8s", "draw earthly", "", "地和 16 不求 1 自摸 1", "如自摸则加计不求.自摸2台"),
    (CLOSED + "8s", "earthly", "", "地和 16 平和 2", "和各家打出其第一张牌"),
    (CLOSED + "8s", "earthly ready_initial", "", "地和 16 平和 2", "不计天听,门清"),
    (CLOSED + "8s", "draw first_draw", "", "地和 16 不求 1 自摸 1", "摸第1张牌自摸 is 地和 in itself"),
    (CLOSED + "8s", "draw first_draw dealer", "", "门清 1 不求 1 自摸 1", "not for the dealer"),
    (CLOSED + "8s", "first_draw", "", "门清 1 平和 2", "a discard is no first draw"),
    # 35 人和
    (CLOSED + "8s", "human", "", "人和 8 平和 2", "不计地听,门清"),
    (CLOSED + "7s", "draw human", "", "人和 8 不求 1 自摸 1 独听 1", "加计不求.自摸2台"),
    (CLOSED + "8s", "human ready_first_discard", "", "人和 8 平和 2", "不计地听"),
    (OPEN + "8s", "human", "", "平和 2", "地听 was not kept closed"),
    # 36 呖咕呖咕
    ("1133m 5577p 2244s EE 888s | | 8s", "", "", "呖咕呖咕 8", "七个对子与一个刻子; 门清 is implied"),
    ("1133m 5577p 2244s EE 888s | | 8s", "draw", "", "呖咕呖咕 8 不求 1 自摸 1", "self-drawn"),
    ("1133m 5577p 2244s EE 888s | | 1m", "", "", "呖咕呖咕 8 独听 1", "the triplet held: one kind waits"),
    ("1133m 5577p 2244s EE CCC | | C", "", "", "呖咕呖咕 8 箭字刻 1", "其中刻子如为有价字牌,台数加计"),
    ("1133m 5577p 2244s FF SSS | | S", "", "", "呖咕呖咕 8 风字刻(开门) 1", "有价字牌"),
    ("11335577s 2299s EE CCC | | C", "", "",
     "呖咕呖咕 8 箭字刻 1 凑一色 4", "如符合凑一色应予加计"),
    ("1122335566779988s 8s | | 8s", "", "", "呖咕呖咕 8 清一色 12", "如符合清一色应予加计"),
    ("112233m 445566p 77999s | | 7s", "", "", "呖咕呖咕 8", "seven pairs beat 一二三 twice"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "flowers", "items", "text"), CASES)
def test_item(hand: str, facts: str, flowers: str, items: str, text: str) -> None:
    score = score_text(hand, facts, flowers)
    assert score.wins, (text, score.reason)
    wanted = wanted_items(items)
    assert items_of(score) == wanted, text
    assert score.total == sum(wanted.values())


ALT_CASES = [
    (TRIPLETS + "2p", "", "", "五暗刻 13 独听 1", "五暗刻13台"),
    (TRIPLETS + "2p", "draw", "", "五暗刻 13 独听 1 不求 1 自摸 1", "加计不求"),
    (CLOSED + "8s", "ready_first_discard", "", "地听 4 平和 2", "地听4台"),
    (CLOSED + "8s", "ready_initial", "", "天听 8 平和 2", "as [000]"),
    (CLOSED + "8s", "human", "", "人和 8 平和 2", "as [000]"),
    (OPEN + "8s", "", "", "平和 2", "as [000]"),
    ("456s 789s 234s 678s 55s | chow:123s | 8s", "", "", "清一色 12 平和 2", "as [000]"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "flowers", "items", "text"), ALT_CASES)
def test_second_text(hand: str, facts: str, flowers: str, items: str, text: str) -> None:
    assert items_of(score_text(hand, facts, flowers, "taiwan-alt")) == wanted_items(items), text


# (hand, facts, flowers, options, items, the option's meaning)
OPTION_CASES = [
    (TRIPLETS + "2p", "", "", {"wu_anke_value": 20}, "五暗刻 20 独听 1", "another value"),
    (TRIPLETS + "2p", "", "", {"wu_anke_excludes": []}, "五暗刻 12 独听 1 门清 1 对对和 4", "nothing excluded"),
    (TRIPLETS + "2p", "", "", {"wu_anke_excludes": ["门清"]}, "五暗刻 12 独听 1 对对和 4", "by the item's name"),
    (TRIPLETS + "2p", "", "", {"wu_anke_excludes": True}, "五暗刻 12 独听 1", "true: what the text lists"),
    (TRIPLETS + "2p", "", "", {"wu_anke_excludes": "concealed_hand, all_pungs"}, "五暗刻 12 独听 1", "as text"),
    (CLOSED + "8s", "ready_first_discard", "", {"di_ting_value": 4}, "地听 4 平和 2", "di_ting_value"),
    ("NN WWW | pung:CCC pung:FFF pung:PPP pung:SSS | W", "seat=N round=N", "", {"zi_yi_se_minus": 0},
     "字一色 16 大三元 8", "no −4"),
    ("NN WWW | pung:CCC pung:FFF pung:PPP pung:SSS | W", "seat=N round=N", "", {"zi_yi_se_minus": -6},
     "字一色 16 大三元 8 字一色减除 -6", "a minus may be written with its sign"),
    ("NN WWW | pung:CCC pung:FFF pung:PPP pung:SSS | W", "seat=N round=N", "", {"zi_yi_se_value": 8},
     "字一色 8 大三元 8 字一色减除 -4", "zi_yi_se_value"),
    ("456s 789s 234s 678s 55s | chow:123s | 8s", "", "", {"qing_yi_se_value": 8}, "清一色 8 平和 2", "qing_yi_se_value"),
    (OPEN + "7s", "", "", {"ping_wait": "any"}, "平和 2 独听 1", "any wait"),
    ("789m 234s 678s 34566p | chow:123m | 6p", "", "", {"ping_wait": "two_sided"}, "", "nobetan is not two-sided"),
    (OPEN + "8s", "draw", "", {"ping_self_draw": True}, "平和 2 自摸 1", "ping_self_draw"),
    ("123m 456m 789p 678s 55p | kong_concealed:1111p | 8s", "", "", {"menqing_concealed_kong": False}, "", "开槓"),
    (OPEN + "7s", "", "f1f2f3f4", {"flower_kong_replaces_seat_flower": False}, "独听 1 花杠 2 花牌 1", "both"),
    ("55p | chow:123m chow:456m chow:789p chow:234s chow:678s | 5p", "", "", {"quanqiu_counts_single_wait": False},
     "全求 2", "不計單吊"),
    ("55p | kong_concealed:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "", "",
     {"quanqiu_concealed_kong": True}, "全求 2 独听 1", "allowed"),
    ("55p | kong_concealed:1111m chow:456m chow:789p chow:234s chow:678s | 5p", "draw", "",
     {"quanqiu_concealed_kong": True}, "半求 1 独听 1 自摸 1", "allowed for 半求 too"),
    ("55p | chow:123m chow:456m chow:789p chow:234s chow:678s | 5p", "draw", "", {"banqiu": 0}, "独听 1 自摸 1", "none"),
    ("55p | chow:123m chow:456m chow:789p chow:234s chow:678s | 5p", "draw", "", {"banqiu": False}, "独听 1 自摸 1", "off"),
    ("55p | chow:123m chow:456m chow:789p chow:234s chow:678s | 5p", "draw", "", {"banqiu": 7}, "半求 7 独听 1 自摸 1", "7"),
    ("789m 234s 33334566p | chow:123m | 6p", "", "", {"exhausted_tile_is_wait": True}, "", "3p counts as a wait"),
    ("1133m 5577p 2244s EE 888s | | 8s", "", "", {"ligu_absorbs_menqing": False}, "呖咕呖咕 8 门清 1", "literal"),
    ("11333m 5577p 2244s 8888s | | 3m", "", "", {"ligu_quads": True}, "呖咕呖咕 8", "a quad as two pairs"),
    (OPEN + "8s", "draw flower_replacement", "f1", {"flower_replacement_is_kong_win": True}, "杠上开花 1 自摸 1", "[003]"),
    ("456m 678s 55p CCC EEE | chow:123m | 8s", "", "", {"dragon_round_bonus": True},
     "箭字刻 1 风字刻(圈) 1 箭字刻合圈序 1", "合圈序加1台"),
    ("456m 678s 55p CCC SSS | chow:123m | 8s", "", "", {"dragon_round_bonus": True}, "箭字刻 1 风字刻(开门) 1", "no round"),
    (CLOSED + "8s", "draw dealer heavenly", "", {"heaven_counts_zimo": True}, "天和 16 门清 1 不求 1 自摸 1", "[003]"),
    ("1m9m1p9p2s5s7s8s EESSWWNCP | | P", "draw flower_win", "f1f2f3f4f5f6f7f8", {"eight_flowers_counts_zimo": True},
     "八仙过海 8 自摸 1", "[003]"),
    (CLOSED + "8s", "earthly", "", {"earthly_by_ron": False}, "门清 1 平和 2", "by draw only"),
    (OPEN + "7s", "seat=W", "f8", {"flower_order": "bamboo-3"}, "独听 1 花牌 1", "竹 is 3"),
    (OPEN + "7s", "seat=N", "f7", {"flower_order": "竹菊"}, "独听 1 花牌 1", "菊 is 4"),
    ("789m 234s 678s 34566p | chow:123m | 6p", "", "", {"single_wait_definition": "by_shape"}, "平和 2 独听 1", "by shape"),
    ("789p 234s 678s 55p | chow:123m kong_added:1111p | 8s", "draw kong_replacement last_tile", "",
     {"kong_win_on_last_tile": False}, "杠上开花 1 自摸 1", "the higher only"),
    (CLOSED + "8s", "passed_win", "", {"guoshui_scope": "off"}, "门清 1 平和 2", "no 过水"),
    (CLOSED + "8s", "ready_initial not_locked passed_win_earlier", "", {"unlocked_ready_passed_win": False},
     "天听 8 平和 2", "it stands"),
    (OPEN + "7s", "draw rob_flower hand_complete", "f1f2f3f4f5f6f7", {"hand_items_with_rob_flower": False},
     "七抢一 8 杠上开花 1 独听 1", "as a discard: no 自摸"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "flowers", "options", "items", "text"), OPTION_CASES)
def test_option(hand: str, facts: str, flowers: str, options: dict[str, object], items: str, text: str) -> None:
    score = score_text(hand, facts, flowers, **options)
    assert score.wins, (text, score.reason)
    assert items_of(score) == wanted_items(items), text


# (hand, facts, flowers, reason code, the text)
NO_WIN = [
    ("123m 456m 789p 234s 679s 55p | | 9s", "", "", "shape", "679 is no set"),
    ("123m 456m 789p ESW 678s 55p | | W", "", "", "shape", "honours form no chow"),
    ("1m9m1p9p1s9s ESWNCFP 1m 234s | | 4s", "", "", "shape", "十三么 is not in this table"),
    ("147m 159s 269p ESWNCFP E | | E", "", "", "shape", "十六不搭 is not in this table"),
    ("1133m 5577p 2244s EE | pung:888s | E", "", "", "shape", "必须门清"),
    ("1133m 5577p 2244s EE | kong_concealed:8888s | E", "", "", "shape", "七个对子与一个刻子, no kong"),
    ("1133m 5577p 2244s EE 888s | | 8s", "ligu_disabled", "", "shape", "选用: switched off for this hand"),
    ("11333m 5577p 2244s 8888s | | 3m", "", "", "shape", "a quad is not two pairs"),
    ("22446688m 113355779p | | 9p", "", "", "shape", "eight pairs and a single"),
    ("789p 234s 678s 55p | chow:123m kong_exposed:1111p | 8s", "draw kong_replacement kong_replacement_open", "",
     "claimed_kong_replacement", "碰杠之补牌不得自摸和牌"),
    ("789p 234s 678s 55p | chow:123m kong_exposed:1111p | 8s", "draw kong_replacement_open flower_replacement", "f1",
     "claimed_kong_replacement", "补得花牌再补之牌亦然"),
    (CLOSED + "8s", "rob_concealed_kong", "", "robbed_concealed_kong", "加杠已碰之刻子 only"),
    (CLOSED + "8s", "passed_win", "", "passed_win", "不得和牌"),
    (CLOSED + "8s", "draw passed_win", "", "passed_win", "self-draw included"),
    ("456m 789p 678s 55p | chow:123m kong_concealed:1111p | 8s", "draw passed_win kong_replacement", "", "passed_win",
     "过水时之暗杠非为解除过水"),
    (CLOSED + "8s", "draw after_claim", "", "after_claim", "自摸必须始於摸牌"),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "flowers", "code", "text"), NO_WIN)
def test_no_win(hand: str, facts: str, flowers: str, code: str, text: str) -> None:
    score = score_text(hand, facts, flowers)
    assert not score.wins, text
    assert score.reason is not None
    assert score.reason.code == code
    assert score.total == score.raw_total == score.capped == score.outside_cap == 0
    assert score.items == score.dropped == score.unmet == ()


def test_claim_then_discard_win_is_no_self_draw() -> None:
    assert score_text(CLOSED + "8s", "after_claim").wins
    assert score_text(CLOSED + "8s", "draw passed_win_cleared").wins
    assert not score_text("1133m 5577p 2244s EE 888s | | 8s", ligu_enabled=False).wins
