# ruff: noqa: E501 - a table reads best with one case a line
"""[001] item by item: hands written from the rule text, each with the words it follows from."""

from __future__ import annotations

import pytest
from score_helpers import context_from, hand_from, items_of, wanted_items

from scoring import Score, load_ruleset, score_hand

# A plain hand: five chows, all three suits, no flowers, nothing else (seat south, round east: score_helpers).
OPEN = "567m 345p 678s 789p 99s | chow:234m | "
CLOSED = "234m 567m 345p 678s 789p 99s | | "
BIG = "無字無花大平糊 15"
PLAIN = "平糊 5 無字 1"
# A hand of triplets with two chows: nothing but 中發白 or what a case puts into it.
MIXED = "567m 345p 678s 99p | chow:234m "


def score_hk(text: str, facts: str = "", flowers: str = "", **options: object) -> Score:
    words = [word for word in facts.split() if not word.startswith("discards=")]
    discards = [int(word[9:]) for word in facts.split() if word.startswith("discards=")]
    context = context_from(" ".join(words))
    if discards:
        object.__setattr__(context, "discards_count", discards[0])
    return score_hand(hand_from(text, flowers), context, load_ruleset("hk-taiwan", options))


# (hand | melds | winning tile, facts, flowers, items counted, the text)
CASES = [
    # 中發白, 正圈, 正位
    (MIXED + "pung:CCC | 8s", "", "", "中發白 1 無花 1", "中發白 … 1"),
    ("567m 678s 99p | chow:234m pung:CCC kong_added:FFFF | 8s", "", "", "中發白 2 無花 1 明槓 1", "1 each, kongs too"),
    (MIXED + "pung:EEE | 8s", "", "", "正圈 1 無花 1", "正圈"),
    (MIXED + "pung:SSS | 8s", "", "", "正位 1 無花 1", "正位"),
    (MIXED + "pung:EEE | 8s", "seat=E", "", "正圈 1 正位 1 無花 1", "one tile may be both"),
    (MIXED + "pung:NNN | 8s", "", "", "無花 1 大雞糊 10", "a guest wind is nothing"),
    # 花, 無花, 無字
    (OPEN + "8s", "", "f1", f"{PLAIN} 花 1", "每隻花一番"),
    (OPEN + "8s", "", "f2", f"{PLAIN} 花 1 正位花 1", "正位多加1番"),
    (OPEN + "8s", "", "f2 f6", f"{PLAIN} 花 2 正位花 2", "one of each colour"),
    (OPEN + "8s", "seat=W", "f7", f"{PLAIN} 花 1 正位花 1", "菊三"),
    (OPEN + "8s", "seat=N", "f7", f"{PLAIN} 花 1", "竹四 is north's"),
    (OPEN + "8s", "", "f1 f2 f3 f4", f"{PLAIN} 一台花 7", "我地打開一台花計7番"),
    (OPEN + "8s", "", "f1 f2 f3 f4 f6 f7", f"{PLAIN} 一台花 7 花 2 正位花 1", "the other colour counts singly"),
    ("567m 345p 678s 789p EE | chow:234m | 8s", "", "", "平糊 5 無花 1", "番子 as the eyes"),
    ("567m 345p 678s 99s | chow:234m pung:777p | 8s", "", "", "無字無花 8", "無花無花 8"),
    ("567m 345p 678s 99s | chow:234m pung:777p | 8s", "", "f1", "無字 1 花 1", "a flower leaves 無字"),
    # 八隻花
    ("1m9m1p9p2s5s7s8sEESSWWNCP | | P", "draw eight_flowers", "f1f2f3f4f5f6f7f8", "八隻花 40", "即食糊"),
    ("1m9m1p9p2s5s7s8sEESSWWNCP | | P", "draw", "f1f2f3f4f5f6f7f8", "八隻花 40", "即食糊, no flag needed"),
    ("1m9m1p9p2s5s7s8sEESSWWNCP | | ", "draw eight_flowers", "f1f2f3f4f5f6f7f8", "八隻花 40", "no winning tile"),
    (OPEN + "8s", "draw eight_flowers", "f1f2f3f4f5f6f7f8", f"{PLAIN} 自摸 1 八隻花 40", "the hand is complete too"),
    # 獨獨, 假獨, 對碰, 將眼
    (OPEN + "7s", "", "", f"{BIG} 獨獨 2", "卡窿"),
    ("567m 345p 123s 789p 66s | chow:234m | 3s", "", "", f"{BIG} 獨獨 2", "偏章"),
    ("567m 345p 678s 789p 33s | chow:234m | 3s", "", "", f"{BIG} 獨獨 2", "單叫"),
    ("4567m 7m 345p 678s 789p | chow:234s | 7m", "", "", f"{BIG} 假獨 1", "4567萬,若食7萬"),
    ("567m 345p 678s 789p 55s | chow:234m | 5s", "", "", f"{BIG} 將眼 2 假獨 1", "5 678 waits for 5 and 8"),
    ("567m 345p 678s 789p 22s | chow:234m | 8s", "", "", f"{BIG} 將眼 2", "二五八眼"),
    ("567m 345p 678s 99s 999p | chow:234m | 9p", "", "", "無字無花 8 對碰 2", "99p and 99s"),
    ("567m 345p 678s 99s 999p | chow:234m | 9p", "draw", "", "無字無花 8 對碰 2 自摸 1", "self-drawn"),
    ("567m 345p 678s 99s 234m 999p | | 9p", "", "", "無字無花 8 門清 5 對碰 2", "closed"),
    # 缺一門, 斷么九, 五門齊
    ("567m 345p 678p 789p 99m | chow:234m | 8p", "", "", f"{BIG} 缺一門 5", "兩種花色組成"),
    ("567m 345p 678p 789p EE | chow:234m | 8p", "", "", "平糊 5 無花 1", "無番子"),
    ("567m 345p 678s 567p 66s | chow:234m | 8s", "", "", f"{BIG} 斷么九 5 姊妹 2", "no 1, 9, honours"),
    ("345p 678s 99p | chow:234m pung:NNN pung:CCC| 8s", "", "", "大五門齊 10 中發白 1 無花 1", "每種花色均有一簡"),
    ("345s 678p 123s CC | chow:234m pung:NNN | 8p", "", "", "小五門齊 15 無花 1", "其一花色只有一對"),
    ("345s 678p 99p | pung:NNN pung:CCC pung:FFF | 8p", "", "", "中發白 2 無花 1", "no characters"),
    # 自摸, 門清, 一摸八
    (CLOSED + "8s", "", "", f"{BIG} 門清 5", "門清"),
    (CLOSED + "8s", "draw", "", f"{BIG} 一摸八 8", "自摸門清不求人"),
    (OPEN + "8s", "draw", "", f"{BIG} 自摸 1", "自摸"),
    ("567m 345p 678s 99s | chow:234m kong_concealed:2222p | 8s", "", "", "無字無花 8 暗槓 2", "chow: no 門清"),
    ("567m 345p 678s 99s 234m | kong_concealed:2222p | 8s", "", "", "無字無花 8 暗槓 2 門清 5", "暗摃算唔算門清? 算"),
    ("567m 345p 678s 99s 234m | kong_concealed:2222p | 8s", "draw", "", "無字無花 8 暗槓 2 一摸八 8", "算"),
    # 大雞糊
    ("567m 345s 678p NN | chow:234m pung:222p | 8p", "", "f1 f3", "大雞糊 10 花 2", "不計花(有花或無花),0番牌"),
    ("567m 345s 678p NN | chow:234m pung:222p | 8p", "", "", "大雞糊 10 無花 1", "有花或無花"),
    ("567m 345s 678p NN | chow:234m pung:222p | 8p", "", "f1 f2 f3 f4", "大雞糊 10 一台花 7", "有花"),
    ("567m 345s 678p NN | chow:234m pung:222p | 8p", "draw", "f1", "自摸 1 花 1", "自摸 is a 番"),
    # 哩咕哩咕
    ("11m 33m 66p 77p 22s 44s EE 888s | | 8s", "", "", "哩咕哩咕叫八飛 50 無花 1", "叫八飛"),
    ("11m 33m 66p 77p 22s 44s EE 888s | | 1m", "", "", "哩咕哩咕 40 獨獨 2 無花 1", "八對半"),
    ("11m 33m 66p 77p 22s 44s EE 888s | | 1m", "draw", "", "哩咕哩咕 40 獨獨 2 無花 1 一摸八 8", "only 門清 is implied"),
    ("11m 33m 66p 77p 22s 4444s 888s | | 8s", "", "", "哩咕哩咕(一款四隻) 50 無字無花 8", "內有一款四隻"),
    ("11m 33m 66p 2222s 4444s 888s | | 1m", "", "", "哩咕哩咕(兩款四隻) 60 獨獨 2 無字無花 8", "內有兩款四隻"),
    ("1111m 2222s 4444s EE 888s | | E", "", "", "哩咕哩咕(兩款四隻) 60 獨獨 2 無花 1", "three are more than two"),
    ("11m 33m 66p 77p 22s 44s CCC EE | | 1m", "", "", "哩咕哩咕 40 獨獨 2 無花 1 中發白 1", "the triplet counts"),
    ("11m 33m 66m 77m 22m 44m EE 888m | | 1m", "", "", "哩咕哩咕 40 獨獨 2 無花 1 混一色 30", "one suit and honours"),
    # 十三么, 十六不搭
    ("1m9m1p9p1s9sESWNCFP1m 234s | | 4s", "", "", "十三么 100 無花 1", "十三么加一簡"),
    ("1m9m1p9p1s9sESWNCFP1m 555s | | P", "", "", "十三么 100 無花 1 獨獨 2", "單叫"),
    ("1m9m1p9p1s9sESWNCFPW EEE | | W", "", "", "十三么(全么九) 120 正圈 1 無花 1", "全么九"),
    ("1m9m1p9p1s9sESWNCFPW PPP | | W", "", "f1", "十三么(全么九) 120 中發白 1 花 1", "waits for any orphan"),
    ("1m9m1p9p1s9sESWNCFP1m | kong_concealed:5555s | 1m", "", "", "十三么 100 無花 1 暗槓 2", "只可門清: a concealed kong is"),
    ("1m9m1p9p1s9sESWNCFP1m 234s | | 4s", "draw", "", "十三么 100 無花 1 一摸八 8", "self-drawn"),
    ("147m 159s 269p ESWNCFP E | | E", "", "", "十六不搭 50 無花 1", "叫十六飛"),
    ("147m 159s 269p ESWNCFP 4m | | 4m", "", "f1 f3", "十六不搭 50 花 2", "其中一隻成一對"),
    ("147m 159s 269p ESWNCFP E | | 4m", "", "", "十六不搭 50 獨獨 2 無花 1", "one kind only: between 1 and 7"),
    # 暗簡, 簡簡糊
    ("777m 444s 345p 678s 99p | chow:234m | 8s", "", "", "無字無花 8 兩暗簡 5", "兩暗簡"),
    ("777m 444s 345p 99p | chow:234m kong_concealed:2222p | 5p", "", "", "無字無花 8 三暗簡 10 暗槓 2 獨獨 2", "開摃算唔算暗簡? 我地都算; no fifth 2p"),
    ("222m 777m 345s 678s 999p 33p | | 3p", "", "", "無字無花 8 三暗簡 10 門清 5 獨獨 2", "triplets alone"),
    ("222m 777m 444s 666s 99p 33p 9p | | 9p", "", "", "無字無花 8 四暗簡 20 對對糊 30 門清 5 對碰 2", "by a discard: not concealed"),
    ("222m 777m 444s 666s 99p 33p 9p | | 9p", "draw", "", "無字無花 8 簡簡糊 80 一摸八 8 對碰 2", "簡簡糊"),
    ("222m 777m 444s 666s 999p 33p | | 3p", "", "", "無字無花 8 簡簡糊 80 獨獨 2", "discard of the eyes"),
    ("222m 777m 444s 666s 33p | kong_concealed:9999p | 3p", "", "", "無字無花 8 五暗簡 30 對對糊 30 門清 5 獨獨 2 暗槓 2", "不得開槓"),
    # 一色, 對對糊, 么九
    ("567s 345s 678s 99s | chow:234s pung:WWW | 8s", "", "", "混一色 30 無花 1", "混一色"),
    ("567s 234s 678s 678s 99s | chow:345s | 8s", "", "", f"清一色 80 {BIG} 一般高 5", "清一色"),
    ("777m 444s 11p | pung:222m pung:999p pung:555s | 7m", "", "", "無字無花 8 對對糊 30 對碰 2", "對對糊"),
    ("FF WWW | pung:EEE pung:SSS pung:CCC pung:PPP | W", "", "", "全字對對糊 100 小三元 30 大三風 40 正圈 1 正位 1 無花 1 對碰 2", "全字對對糊"),
    ("111m NNN 11s | pung:FFF pung:WWW pung:999p | 1s", "", "", "花么九 30 對對糊 30 兩暗簡 5 獨獨 2 無花 1 中發白 1 小五門齊 15", "花么九"),
    ("111m 999m 11s | pung:999s pung:111p pung:999p | 1s", "", "", "全么九 100 全老少 30 對對糊 30 兩暗簡 5 獨獨 2 無字無花 8 姊妹 2 三相逄 10", "全么九"),
    # 三元, 四喜
    ("567m CC 678p | chow:234s pung:PPP pung:FFF | 8p", "", "", "小三元 30 無花 1", "小三元"),
    ("567m 99p | chow:234s pung:PPP pung:FFF pung:CCC | 7m", "", "", "大三元 60 無花 1", "大三元"),
    ("567m EE 678p | chow:234s pung:NNN pung:WWW | 8p", "", "", "小三風 20 無花 1", "兩簡風牌碰牌,以及一對風牌"),
    ("567m 678p 99p | pung:SSS pung:NNN pung:WWW | 8p", "", "", "大三風 40 正位 1 無花 1", "三簡風牌碰牌"),
    ("567m EE 678p | pung:SSS pung:NNN pung:WWW | 8p", "", "", "小四喜 80 正位 1 無花 1", "小四喜"),
    ("99p 678p | pung:EEE pung:NNN pung:WWW pung:SSS | 8p", "", "", "大四喜 100 混一色 30 無花 1", "大四喜"),
    # 全求人, 半求人, 海底
    ("99s | chow:234m chow:567m chow:345p chow:789p chow:678s | 9s", "", "", f"{BIG} 全求人 15 獨獨 2", "連食胡對眼都係(靠人)打出"),
    ("99s | chow:234m chow:567m chow:345p chow:789p chow:678s | 9s", "draw", "", f"{BIG} 半求人 7 獨獨 2 自摸 1", "除左食胡對眼係自摸既"),
    ("99s | chow:234m chow:567m chow:345p chow:789p kong_concealed:2222s | 9s", "", "", "無字無花 8 暗槓 2 獨獨 2", "全手牌都係見光"),
    (OPEN + "8s", "draw last_tile", "", f"{BIG} 自摸 1 海底撈月 5", "海底撈月"),
    (OPEN + "8s", "last_tile", "", BIG, "a discard is not drawn"),
    # 般高
    ("567m 345p 678s 345p 99s | chow:234m | 8s", "", "", f"{BIG} 一般高 5", "兩簡同花色同數字之上牌"),
    ("678s 678s 345p 345p 99m | chow:234m | 8s", "", "", f"{BIG} 雙般高 10", "兩手一般高"),
    ("345p 345p 345p 678s 99m | chow:234m | 8s", "", "", f"{BIG} 太般高 15", "三簡同花色同數字之上牌"),
    ("345p 345p 345p 678s 678s 99m | | 8s", "", "", f"{BIG} 太般高 15 門清 5", "the highest"),
    # 姊妹, 三相逄
    ("567m 567p 678s 789p 99s | chow:234m | 8s", "", "", f"{BIG} 姊妹 2", "兩簡不同花色 … 同數字之上牌"),
    ("555m 555p 678s 99s | chow:234m chow:789p | 8s", "", "", "無字無花 8 姊妹 2 兩暗簡 5", "666萬加666筒"),
    ("123m 123m 123p 678s 99s | chow:456p | 8s", "", "", f"{BIG} 一般高 5 姊妹 2", "計一般高再加姊妹"),
    ("567m 567p 567s 678s 99s | chow:234p | 8s", "", "", f"{BIG} 三相逄 10", "三簡筒索萬"),
    ("567m 567p 567s 99s | chow:234p chow:234s | 7s", "", "", f"{BIG} 三相逄 10 姊妹 2", "another number's 姊妹 is free"),
    ("345p 678s 99s | pung:222m pung:222p pung:222s | 8s", "", "", "無字無花 8 三相逄 10", "相碰牌"),
    # 清龍, 雜龍
    ("123s 456s 789s 345p 678m 99m | | 8m", "", "", f"{BIG} 清龍(暗) 15 門清 5", "三簡均為暗簡"),
    ("123s 456s 789s 345p 678m 99m | | 9s", "", "", f"{BIG} 清龍(明) 10 門清 5", "finished by a discard"),
    ("123s 456s 789s 345p 678m 99m | | 9s", "draw", "", f"{BIG} 清龍(暗) 15 一摸八 8", "self-drawn"),
    ("123s 789s 345p 678m 99m | chow:456s | 8m", "", "", f"{BIG} 清龍(明) 10", "one set claimed"),
    ("123s 456s 789s 345p 99m | chow:123s | 5p", "", "", f"{BIG} 清龍(暗) 15 一般高 5", "the concealed 123 makes it"),
    ("123s 789s 456s 99m | chow:123s chow:789s | 9m", "", "", f"{BIG} 清龍(暗) 15 雙般高 10 老少 5 缺一門 5 獨獨 2", "a second 老少 is free"),
    ("123p 456s 789m 345m 678s 99p | | 8s", "", "", f"{BIG} 雜龍(暗) 20 門清 5", "筒、索、萬組成之上牌"),
    ("123p 456s 345m 678s 99p | chow:789m | 8s", "", "", f"{BIG} 雜龍(明) 15", "one set claimed"),
    ("123p 456s 789m 345m 678s 99p | | 7m", "", "", f"{BIG} 雜龍(明) 15 門清 5 獨獨 2", "finished by a discard"),
    ("123456789p 456s 789m 99s | | 9s", "", "", f"{BIG} 清龍(暗) 15 雜龍(暗) 20 姊妹 4 門清 5 獨獨 2", "一條清龍 … 一條雜龍"),
    ("123p 456s 789m 123p 456s 33m | | 3m", "", "", f"{BIG} 雙雜龍(暗) 50 雙般高 10 門清 5 獨獨 2", "(a)"),
    ("123p 456s 789m 123m 789p 99s | | 9s", "", "", f"{BIG} 雙雜龍(暗) 50 姊妹 4 門清 5 老少 5 雙老少 5 獨獨 2", "(b)"),
    ("123p 456s 789m 456m 66p | chow:789s | 6p", "", "", f"{BIG} 雙雜龍(明) 35 姊妹 4 獨獨 2", "(c)"),
    ("123p 456s 789m 123p 456s 99m | | 6s", "", "", f"{BIG} 雙雜龍(明) 35 雙般高 10 門清 5", "one of five open"),
    ("123p 456s 789m 123p 678s 99m | | 8s", "", "", f"{BIG} 雜龍(暗) 20 一般高 5 門清 5", "a set twice makes one"),
    # 四歸
    ("555m 567m 345p 678s 99p | chow:789s | 8s", "", "", "無字無花 8 四歸一 5", "四隻在手"),
    ("345m 567m 55m 345p 678s | chow:789s | 5p", "", "", f"{BIG} 四歸二 10 將眼 2 姊妹 2", "兩隻為眼,兩隻上章"),
    ("555m 567m 333p 345p 99s | chow:789s | 5p", "", "", "無字無花 8 雙四歸一 15 兩暗簡 5", "雙四歸一"),
    ("345m 567m 55m 333p 345p | chow:789s | 5p", "", "", "無字無花 8 四歸二 10 四歸一 5 將眼 2 姊妹 2", "one of each"),
    ("345p 678s 99p | chow:234m kong_added:5555m chow:678p | 8s", "", "", "無字無花 8 明槓 1 姊妹 2", "a kong is no 四歸一"),
    # 老少
    ("789m 345p 678s 66s | chow:123m chow:567p | 8s", "", "", f"{BIG} 老少 5", "123及789"),
    ("345p 678s 66s | pung:111m pung:999m chow:567p | 8s", "", "", "無字無花 8 老少 5", "111及999"),
    ("789m 123m 123p 789p 66s | chow:678s | 6s", "", "", f"{BIG} 老少 5 雙老少 5 姊妹 4 獨獨 2", "a second one 5 more"),
    ("789m 123m 789s 789m EE | chow:123p | 9s", "", "", "平糊 5 半老少 15 一般高 5 姊妹 4 無花 1", "加一對番子"),
    ("789m 123m 789s 789m 99p | chow:123s | 9p", "", "", f"{BIG} 全老少 30 一般高 5 姊妹 4 獨獨 2", "加一對么九"),
    ("123m 123p 111s 123s EE | chow:123p | 3s", "", "", "三相逄 10 一般高 5 四歸一 5 獨獨 2 無花 1", "no 老 without 789 or 999"),
    # 天糊, 地糊, 三子內
    (CLOSED + "8s", "draw dealer heavenly seat=E", "", f"{BIG} 天糊 100", "天糊"),
    (CLOSED + "7s", "draw dealer heavenly seat=E", "", f"{BIG} 天糊 100", "no tile was waited for"),
    (CLOSED, "draw dealer heavenly seat=E", "", f"{BIG} 天糊 100", "no winning tile"),
    (CLOSED + "8s", "draw dealer heavenly seat=E", "f2", f"{PLAIN} 一摸八 8 花 1", "補花食胡,都唔算天胡"),
    ("567m 345p 678s 99s 234m | kong_concealed:2222p | 7s", "draw dealer heavenly kong_replacement seat=E", "", "無字無花 8 暗槓 2 一摸八 8 槓上自摸 1 獨獨 2", "開槓自摩 … 唔算天胡"),
    (CLOSED + "8s", "earthly", "", f"{BIG} 地糊 100", "地糊"),
    (CLOSED + "8s", "draw earthly", "f5", f"{PLAIN} 地糊 100 花 1", "地糊"),
    (CLOSED + "8s", "draw earthly flower_replacement", "f5", f"{PLAIN} 一摸八 8 捕花槓 1 花 1", "補花食胡"),
    (OPEN + "8s", "discards=3", "", f"{BIG} 三子內 30", "三隻內食糊"),
    (OPEN + "8s", "discards=4", "", f"{BIG} 七子內 20", "七隻內食糊"),
    (OPEN + "8s", "discards=7", "", f"{BIG} 七子內 20", "七隻內食糊"),
    (OPEN + "8s", "discards=10", "", f"{BIG} 十子內 10", "十隻內食糊"),
    (OPEN + "8s", "discards=11", "", BIG, "eleven"),
    # 槓
    ("567m 345p 678s 99s | chow:234m kong_concealed:2222p | 8s", "draw kong_replacement", "", "無字無花 8 自摸 1 槓上自摸 1 暗槓 2", "摃上自摸 … 加1番"),
    ("567m 345p 678s 99s | chow:234m kong_exposed:2222p | 8s", "draw kong_replacement_open", "", "無字無花 8 自摸 1 槓上自摸 1 明槓 1", "明槓"),
    ("567m 678s 99s | chow:234m kong_added:2222p kong_concealed:5555p | 8s", "draw kong_replacement kong_kong", "", "無字無花 8 自摸 1 槓上槓 40 暗槓 2 明槓 1", "補摃再補摃再自摸"),
    ("567m 678s 99s | kong_added:2222p kong_concealed:5555p kong_concealed:8888p | 8s", "draw kong_kong_kong", "", "無字無花 8 自摸 1 槓上槓又槓 80 暗槓 4 明槓 1 兩暗簡 5", "槓上槓又槓"),
    (OPEN + "8s", "draw flower_replacement", "f1", f"{PLAIN} 花 1 自摸 1 捕花槓 1", "捕花槓"),
    (OPEN + "8s", "rob_kong", "", f"{BIG} 搶槓 1", "當出牌者出沖"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "facts", "flowers", "expected", "quote"), CASES)
def test_items(text: str, facts: str, flowers: str, expected: str, quote: str) -> None:
    score = score_hk(text, facts, flowers)
    assert score.wins, (str(score.reason), quote)
    wanted = wanted_items(expected)
    assert items_of(score) == wanted, quote
    assert score.total == sum(wanted.values())


REFUSED = [
    ("11m 33m 66p 77p 22s 44s EE | kong_concealed:8888s | E", "", "shape", "瀝胡都唔可以摃"),
    ("1m9m1p9p1s9sESWNCFP1m | chow:234s | 1m", "", "shape", "只可門清"),
    ("1m9m1p9p1s9sESWNCFP1m | kong_exposed:5555s | 1m", "", "shape", "只可門清"),
    ("1m9m1p9p1s9sESWNCFP1m 235s | | 5s", "", "shape", "加一簡"),
    ("137m 159s 269p ESWNCFP E | | E", "", "shape", "若有1同3,搭2即成一簡"),
    ("147m 159s 269p ESWNCF EE | | E", "", "shape", "all seven honours"),
    ("147m 159s 269p ESWNCFP 8m | | E", "", "shape", "其中一隻成一對"),
    ("234m 567m 345p 679s 789p 99s | | 9s", "", "shape", "679"),
    (OPEN + "8s", "passed_win_same_round", "passed_win_same_round", "同一圈之內,食糊另一家,亦作詐糊"),
    (OPEN + "8s", "draw passed_win_same_round", "passed_win_same_round", "自摸 1萬唔食得"),
    (OPEN + "8s", "passed_win", "passed_win_same_round", "可以食糊,而沒有食糊"),
    (OPEN + "8s", "duanqiao", "broken_hand", "斷橋者不可食胡"),
    (OPEN + "8s", "rob_concealed_kong", "robbed_concealed_kong", "冇搶暗摃"),
    (OPEN + "8s", "draw after_claim", "after_claim", "no tile was drawn"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "facts", "code", "quote"), REFUSED)
def test_refused(text: str, facts: str, code: str, quote: str) -> None:
    score = score_hk(text, facts)
    assert not score.wins, quote
    assert score.reason is not None
    assert score.reason.code == code
    assert all(score.reason.text(language) for language in ("zh-Hant", "zh-Hans", "en"))


def test_a_passed_win_is_cleared_by_the_next_go_around() -> None:
    assert score_hk(OPEN + "8s", "passed_win_cleared").total == 15


def test_the_printed_example_of_48() -> None:
    """44(筒) 789(筒) 123456789(索) 79(萬),食8萬 … 共48番; 莊 1 is the payer's."""
    score = score_hk("44p 789p 123456789s 789m | | 8m", "discards=11")
    assert items_of(score) == wanted_items("無字無花大平糊 15 門清 5 清龍(暗) 15 三相逄 10 獨獨 2")
    assert score.total == 47
