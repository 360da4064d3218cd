"""Sentences for players, in Traditional Chinese, Simplified Chinese and English."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.tiles import Language

_TEXTS: dict[str, tuple[str, str, str]] = {
    "shape": (
        "不成和牌型:還差 {tiles} 張",
        "不成和牌型:还差 {tiles} 张",
        "not a winning shape: {tiles} {tile_word} away",
    ),
    "claimed_kong_replacement": (
        "碰槓(大明槓)之補牌不得自摸和牌",
        "碰杠(大明杠)之补牌不得自摸和牌",
        "the replacement tile after a claimed kong may not win",
    ),
    "robbed_concealed_kong": (
        "暗槓不能搶:只有加槓的牌可以搶",
        "暗杠不能抢:只有加杠的牌可以抢",
        "a concealed kong cannot be robbed, only an added one",
    ),
    "passed_win": (
        "過水:得和未和之後,尚未打出(或加槓)一張非和之牌,不得和牌",
        "过水:得和未和之后,尚未打出(或加杠)一张非和之牌,不得和牌",
        "a win was passed, and no non-winning tile has been discarded (or added to a kong) since: no win until then",
    ),
    "passed_win_same_round": (
        "同一圈之內曾可食糊而沒有食,再食即作詐糊",
        "同一圈之内曾可食糊而没有食,再食即作诈糊",
        "a win was passed in this go-around: taking one now is a false win",
    ),
    "broken_hand": (
        "斷橋:開牌時整散了手牌,不可食糊",
        "断桥:开牌时整散了手牌,不可食糊",
        "the hand was scattered when it was laid open: no win",
    ),
    "after_claim": (
        "本次打序始於吃、碰,並非摸牌,不得自摸",
        "本次打序始于吃、碰,并非摸牌,不得自摸",
        "this turn began with a claim, not a draw: no self-draw win",
    ),
    "kong_from_upper": (
        "不可槓上家的牌",
        "不可杠上家的牌",
        "a kong may not be claimed from the player before",
    ),
    "four_kongs": (
        "四槓和局:本局不計和牌",
        "四杠和局:本局不计和牌",
        "four kongs end the deal as a draw",
    ),
    "rearranged_kong": (
        "暗槓前換了牌再補牌成和,所聽含同巡打過的牌",
        "暗杠前换了牌再补牌成和,所听含同巡打过的牌",
        "the hand was rearranged before its concealed kong and waits for a tile discarded in the same go-around",
    ),
    "own_exposed_tile": (
        "和牌的那張是自己外露過或說出過的牌,本盤不得以它和銃",
        "和牌的那张是自己外露过或说出过的牌,本盘不得以它和铳",
        "the winning tile belongs to tiles the winner had shown or named: no win on a discard with it in this hand",
    ),
    "kong_after_claim": (
        "吃、碰之後接著開槓",
        "吃、碰之后接着开杠",
        "a kong was made right after a claim",
    ),
    "concealed_kong_after_claimed": (
        "碰槓(大明槓)補牌之後接著暗槓",
        "碰杠(大明杠)补牌之后接着暗杠",
        "a concealed kong was made on the replacement of a claimed kong",
    ),
    "late_claim": (
        "牌牆摸序末三張內吃、碰或碰槓",
        "牌墙摸序末三张内吃、碰或碰杠",
        "a tile was claimed within the last three of the wall",
    ),
    "claimed_tile_discarded": (
        "吃、碰之後打出同張(或同絡)的牌",
        "吃、碰之后打出同张(或同络)的牌",
        "a tile like the one claimed (or of the same run) was discarded with the claim",
    ),
    "unlocked_passed_win": (
        "未眼牌而曾過水未和",
        "未眼牌而曾过水未和",
        "a win was passed while the hand was not locked",
    ),
    "consequence_no_win": ("此和不成立", "此和不成立", "this win does not count"),
    "consequence_false_win": (
        "視同詐和,依同桌的詐和罰則處理",
        "视同诈和,依同桌的诈和罚则处理",
        "treated as a false win: the table's penalty for one applies",
    ),
    "consequence_wait": (
        "此次不得和,解除過水之後才可再和",
        "此次不得和,解除过水之后才可再和",
        "no win now; once the passed win is cleared the hand may win again",
    ),
    "consequence_draw": ("本局和局,無人付款", "本局和局,无人付款", "the hand is a draw, nobody pays"),
    "consequence_item": (
        "天聽、地聽不計,和牌仍有效",
        "天听、地听不计,和牌仍有效",
        "the ready item is lost, the win stands",
    ),
    "consequence_table": (
        "規則未載罰則,由同桌議定;台數未受影響",
        "规则未载罚则,由同桌议定;台数未受影响",
        "the rules name no penalty: the table decides; the total is not touched",
    ),
    "minimum": (
        "{total} {unit},未達起和的 {minimum} {unit}",
        "{total} {unit},未达起和的 {minimum} {unit}",
        "{total} {unit}, below the minimum of {minimum}",
    ),
    "passed_same_tile": (
        "漏胡:放過的這張牌,自己動牌(摸、碰、上、槓)之前不得再胡別家打出的",
        "漏胡:放过的这张牌,自己动牌(摸、碰、上、杠)之前不得再胡别家打出的",
        "this tile was passed before, and there was no own draw or claim since: no win on another player's",
    ),
    "no_chow": ("不可以吃", "不可以吃", "chows may not be claimed in these rules"),
    "three_suits": (
        "必須缺門:手上有三種花色",
        "必须缺门:手上有三种花色",
        "the hand has all three suits; one must be missing",
    ),
    "void_suit": (
        "手上還有定缺花色的牌",
        "手上还有定缺花色的牌",
        "a tile of the suit declared void is still held",
    ),
    "wild_in_meld": (
        "百搭不可吃、碰、槓",
        "百搭不可吃、碰、杠",
        "a wildcard may not be part of a meld",
    ),
    "wild_pair_wait": (
        "財神單吊,不能捉沖,只能自摸",
        "财神单吊,不能捉冲,只能自摸",
        "a wildcard waiting alone for its pair may win only by self-draw",
    ),
    "shanghai_patterns": (
        "至少要碰碰胡、混一色、清一色、混碰、清碰、風一色、風碰或八花齊",
        "至少要碰碰胡、混一色、清一色、混碰、清碰、风一色、风碰或八花齐",
        "none of the patterns that may win: all pungs, half or full flush, all honours, or eight flowers",
    ),
    "pair_of_258_needed": (
        "小胡要二、五、八作將",
        "小胡要二、五、八作将",
        "a plain win needs a pair of 2, 5 or 8",
    ),
    "kong_without_dice": (
        "沒擲骰子補張,算作自摸",
        "没掷骰子补张,算作自摸",
        "the kong's tile was drawn without the dice: a plain self-draw",
    ),
    "last_tile_replaced": (
        "海底牌被補張,此局無海底",
        "海底牌被补张,此局无海底",
        "the last tile replaced a kong, so there is no last-tile win",
    ),
    "earthly_drawn": (
        "地胡須胡莊家打出的第一張牌",
        "地胡须胡庄家打出的第一张牌",
        "it is won on the dealer's first discard, not by self-draw",
    ),
    "wilds_not_drawn": (
        "三張財神必須自摸",
        "三张财神必须自摸",
        "the three wildcards must be self-drawn",
    ),
    "wild_held": ("手中有百搭", "手中有百搭", "a wildcard is held"),
    "pair_of_value": (
        "將頭是含台數的風牌",
        "将头是含台数的风牌",
        "the pair is a wind that counts",
    ),
    "pair_of_dragons": (
        "將頭是中發白",
        "将头是中发白",
        "the pair is dragons",
    ),
    "dropped": (
        "已計「{by}」:{quote}",
        "已计“{by}”:{quote}",
        "counted as {by} instead ({quote})",
    ),
    "carry_made": (
        "玩家 {player} 欠玩家 {winner} {after}",
        "玩家 {player} 欠玩家 {winner} {after}",
        "player {player} owes player {winner} {after}",
    ),
    "carry_raised": (
        "玩家 {player} 再被玩家 {winner} 食糊:{before} 多輸五成 {more},再加 {added},共欠 {after}",
        "玩家 {player} 再被玩家 {winner} 食糊:{before} 多输五成 {more},再加 {added},共欠 {after}",
        "player {player} is eaten by player {winner} again: {before}, half as much more {more}, and {added}: {after}",
    ),
    "carry_paid": (
        "玩家 {player} 付玩家 {winner} {amount}",
        "玩家 {player} 付玩家 {winner} {amount}",
        "player {player} pays player {winner} {amount}",
    ),
    "carry_paid_back": (
        "玩家 {player} 食返玩家 {winner},所欠 {owed} 只付 {amount}",
        "玩家 {player} 食返玩家 {winner},所欠 {owed} 只付 {amount}",
        "player {player} ate player {winner} back and pays {amount} of the {owed} owed",
    ),
    "chows_honours": (
        "有字牌,不計平和",
        "有字牌,不计平和",
        "an honour tile is held",
    ),
    "chows_flowers": (
        "有花牌,不計平和",
        "有花牌,不计平和",
        "a flower is held",
    ),
    "chows_self_draw": (
        "自摸,不計平和",
        "自摸,不计平和",
        "the winning tile was self-drawn",
    ),
    "chows_single_wait": (
        "獨聽,不計平和",
        "独听,不计平和",
        "only one kind was waited for",
    ),
    "chows_two_sided": (
        "不是兩面聽,不計平胡",
        "不是两面听,不计平胡",
        "the wait was not two-sided",
    ),
    "concealed_kong_opens": (
        "有暗槓,此規則不算門清",
        "有暗杠,此规则不算门清",
        "a concealed kong opens the hand in these rules",
    ),
    "begged_concealed_kong": (
        "暗槓不是吃碰外露",
        "暗杠不是吃碰外露",
        "a concealed kong is no claimed set",
    ),
    "last_tile_ron": (
        "海底牌不是自摸",
        "海底牌不是自摸",
        "the last tile was not self-drawn",
    ),
    "earthly_ron": (
        "此規則須摸牌即胡",
        "此规则须摸牌即胡",
        "these rules ask for a win on the draw",
    ),
    "ready_changed": (
        "聽牌宣告已解除(換牌、靠張或吃碰)",
        "听牌宣告已解除(换牌、靠张或吃碰)",
        "the declaration was voided: the hand was changed or opened",
    ),
    "ready_passed_win": (
        "未眼牌而曾過水未和",
        "未眼牌而曾过水未和",
        "the hand was not locked and a win had been passed",
    ),
    "flower_replacement": (
        "補花成和,此規則不算槓上開花",
        "补花成和,此规则不算杠上开花",
        "a flower's replacement is no kong replacement in these rules",
    ),
    "flowers_of_others": (
        "花牌不合門序,或已併入花槓、滿花",
        "花牌不合门序,或已并入花杠、满花",
        "the flowers are other seats' or counted in a set",
    ),
    "dealt_replaced": (
        "開槓或補花後食糊,不算天糊、地糊",
        "开杠或补花后食糊,不算天糊、地糊",
        "won on a replacement for a kong or flower, not on the tiles as dealt",
    ),
    "dragon_open": (
        "其中一組是上牌,或由他家打出的牌完成,不算暗龍",
        "其中一组是上牌,或由他家打出的牌完成,不算暗龙",
        "one of its sets was claimed or finished by a discard",
    ),
    "chows_honours_or_flowers": (
        "有字牌或花牌,只計平糊",
        "有字牌或花牌,只计平糊",
        "an honour tile or a flower is held, so it is the plain one",
    ),
    "kong_opens_kankan": (
        "不得開槓",
        "不得开杠",
        "a kong was made",
    ),
    "discards_unknown": (
        "不知枱面已打出幾多隻牌",
        "不知台面已打出多少只牌",
        "the number of discards on the table is not known",
    ),
    "triplet_by_discard": (
        "和他家舍牌而成之刻子不是暗刻",
        "和他家舍牌而成之刻子不是暗刻",
        "a triplet finished by a discard is not concealed",
    ),
}  # fmt: skip
LANGUAGES: tuple[Language, ...] = ("zh-Hant", "zh-Hans", "en")
"""The order of every triple of texts and names in this package."""


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence for players: `code` is stable, `text(language)` words it."""

    code: str
    values: tuple[tuple[str, object], ...] = ()

    def text(self, lang: Language = "zh-Hant") -> str:
        """The sentence in that language."""
        return _TEXTS[self.code][LANGUAGES.index(lang)].format(**dict(self.values))

    def __str__(self) -> str:
        return f"{self.text('zh-Hant')} ({self.text('en')})"


def message(code: str, **values: object) -> Message:
    """The message of that code with its values filled in."""
    return Message(code, tuple(sorted(values.items())))
