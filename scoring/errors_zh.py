"""What is wrong with a record, in Traditional Chinese: players read it on the page where they mend it.

One table: the sentence as the code raises it, with `{}` for what is filled in, and its translation with `{0}`, `{1}` …
in the order of the English one. A test finds every sentence that the package raises and has none here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from scoring.errors import ScoringError

FIELD_NAMES: dict[str, str] = {
    "concealed": "手牌", "melds": "副露", "flowers": "花牌", "win_tile": "和牌張", "self_draw": "自摸",
    "seat_wind": "門風", "round_wind": "圈風", "flower_seat": "花牌位", "dealer": "莊家", "streak": "連莊數",
    "streak_shown": "連莊示記", "flags": "和牌情況", "winner": "和牌者", "winners": "和牌者", "loser": "放銃者",
    "dealer_player": "莊家", "robbed_player": "被搶花者", "stake": "底與台", "stake.di": "底", "stake.tai": "台",
    "ruleset": "規則", "hand_kind": "記錄種類", "meld_from": "副露來源", "table_kongs": "全桌槓數",
    "eyed_players": "眼牌者", "discards_count": "已打出張數", "wild": "百搭", "events": "事件", "tiles": "牌",
    "options": "規則選項", "carry_state": "拉莊帳", "amount": "罰額", "player": "玩家", "event": "事件",
    "reason": "原因", "seats": "座位", "dice": "骰子", "dingque": "定缺", "bird_number": "鳥牌", "won": "已和者",
    "contractor": "承包者", "contractors": "承包者", "konger": "開槓者", "feeder": "點槓者",
}  # fmt: skip
"""What players call the fields of a record."""

_SENTENCES: tuple[tuple[str, str], ...] = (
    # tiles and hands
    ("{} tiles, 小相公 (too few): a winning hand has {}, {}",
     "只有 {0} 張,小相公:和牌須 {1} 張(含和牌張,每副吃碰槓算三張;槓的第四張和花牌不算)"),
    ("{} tiles, 大相公 (too many): a winning hand has {}, {}",
     "有 {0} 張,大相公:和牌須 {1} 張(含和牌張,每副吃碰槓算三張;槓的第四張和花牌不算)"),
    ("{} tiles: dealt are {} to the dealer, one fewer to the others", "{0} 張:配牌莊家 {1} 張,其他人少一張"),
    ("{} tiles, each meld counted as three: {} are needed here", "{0} 張(每副吃碰槓算三張):這裡須 {1} 張"),
    ("more than four of a kind: each tile exists four times", "同一種牌超過四張:每種牌只有四張"),
    ("more than four {}: each tile exists four times", "{0} 超過四張:每種牌只有四張"),
    ("{}: the {} set has none of these; it is played with {}", "{0}:{1} 規則沒有這些牌,只用 {2}"),
    ("{} wildcards: {} are in play, each flower once", "百搭 {0} 張:一副牌只有 {1} 張,每張花牌一張"),
    ("the winning tile {} is not among the concealed tiles; concealed includes it",
     "和牌張 {0} 不在手牌裡:手牌須包含和牌張"),
    ("the {} set has no flowers", "{0} 規則不用花牌"),
    ("{} is no playing tile; flowers go into flowers", "{0} 不是手牌:花牌請放到花牌欄"),
    ("{} is no playing tile", "{0} 不是可以打的牌"),
    ("flower {} is there twice; each flower exists once", "花牌 {0} 重複:每張花牌只有一張"),
    ("{} is not a flower; flowers are f1-f8", "{0} 不是花牌:花牌是 f1 到 f8"),
    ("{}: digits 1-9 must be followed by m (characters), p (dots) or s (bamboos), or 1-7 by z (honours)",
     "{0}:數字 1-9 之後須接 m(萬)、p(筒)或 s(索),或 1-7 之後接 z(字牌)"),
    ("{}: {} is not a tile; honours are E S W N C F P, flowers f1-f8, suits 1-9 with m, p or s",
     "{0}:{1} 不是牌;字牌是 E S W N C F P,花牌 f1-f8,數牌 1-9 接 m、p 或 s"),
    ("{} is not a tile; {}", "{0} 不是牌;{1}"),
    ("meld {}: flowers and face-down tiles form no set", "副露 {0}:花牌和蓋著的牌不能成搭"),
    ("meld {}: a chow is three consecutive tiles of one suit, such as 3m 4m 5m",
     "副露 {0}:吃是同花色連續三張,例如 3m 4m 5m"),
    ("meld {}: a {} is {} equal tiles", "副露 {0}:{1} 須 {2} 張相同"),
    ("meld kind {}: {}", "副露種類 {0};{1}"),
    ("melds {}: each is an object such as {}", "副露 {0}:每一副須像 {1}"),
    ("concealed is missing: a list of tile codes, the winning tile included", "沒有手牌:請給手牌,含和牌張"),
    ("win_tile {}: one tile code such as 5p, or null", "和牌張 {0}:請給一張牌,例如 5p"),
    ("win_tile: name the tile that completed the hand", "請指明和牌張"),
    ("{}: a list of tile codes such as 5p, or text such as 123m 55p", "{0}:請給牌的列表,或像 123m 55p 的文字"),
    # facts of the win
    ("{}: a wind is one of E, S, W, N", "{0}:請選東(E)、南(S)、西(W)、北(N)"),
    ("{}: one of E, S, W, N", "{0}:請選東(E)、南(S)、西(W)、北(N)"),
    ("{}: a streak is a whole number from 0", "{0}:連莊數是 0 以上的整數"),
    ("flag {} is unknown; {}", "和牌情況 {0} 不明;{1}"),
    ("flags: a list of names, such as last_tile", "和牌情況:請給名稱的列表,例如 last_tile"),
    ("flags {} and {} cannot both be true: {}; give one", "和牌情況 {0} 與 {1} 不能同時成立,請只留一個"),
    ("dealer: earthly and ready_initial are for the other three; for the dealer heavenly or ready_first_discard",
     "地和、天聽是閒家的;莊家請用天和或地聽"),
    ("dealer: earthly is for the other three; give dealer false, or heavenly", "地胡是閒家的:請改為閒家,或用天胡"),
    ("dealer: heavenly is the dealer's win; give dealer true, or earthly", "天和是莊家的:請改為莊家,或用地和"),
    ("self_draw: heavenly is won on the tiles as dealt; give self_draw true", "天和是配牌即和:請改為自摸"),
    ("flags: heavenly and earthly are won on the tiles as dealt, without melds", "天和、地和是配牌所成,不能有副露"),
    ("self_draw: a robbed kong is another's tile; give self_draw false", "搶槓是別家的牌:不是自摸"),
    ("win_tile: the robbed kong holds the other three, so the hand can hold only the winning one",
     "搶槓的另外三張在別家,手牌裡只能有和牌的那一張"),
    ("self_draw: a kong's replacement is drawn; give self_draw true", "槓後補牌是自己摸的:請改為自摸"),
    ("flags: kong_replacement needs a kong among the melds", "槓上開花須有槓"),
    ("flags: {} needs {} kongs among the melds", "{0} 須有 {1} 個槓"),
    ("flags: {} needs a meld of kind {}", "{0} 須有 {1} 的副露"),
    ("flags: flower_replacement is a self-draw after a flower; give both", "補花成和須有花牌並且自摸"),
    ("flowers: flower_win needs all eight flowers, here are {}", "八仙過海須八張花牌,這裡有 {0} 張"),
    ("self_draw: the flowers of flower_win are drawn; give self_draw true", "八仙過海的花是自己摸的:請改為自摸"),
    ("flowers: {} needs {} or more flowers, here are {}", "七搶一({0})須 {1} 張以上的花牌,這裡有 {2} 張"),
    # players, stakes, payments
    ("{}: players are 0, 1, 2, 3 in turn order", "{0}:玩家是 0、1、2、3,依輪序"),
    ("loser {}: the winner cannot pay himself; name another player", "放銃者 {0} 就是和牌者:請另選一家"),
    ("loser {}: nobody discarded on a self-draw; give loser null", "自摸沒有放銃者:請清除放銃者 {0}"),
    ("loser: name the discarder, or the owner of the robbed kong (0, 1, 2 or 3)", "請指明放銃者或被搶槓者"),
    ("loser: name the robbed player (0, 1, 2 or 3)", "請指明被搶花者"),
    ("loser: name {} (0, 1, 2 or 3)", "請指明付錢的人({0})"),
    ("dealer_player {}: the winner is player {}, but the hand says the winner {} the dealer",
     "莊家是玩家 {0},和牌者是玩家 {1},與手牌所說的是否莊家不合"),
    ("stake {}: an object such as {}", "底與台 {0}:須像 {1}"),
    ("stake is missing: an object such as {}", "沒有底與台:須像 {0}"),
    ("{}: a whole number from 0, such as 100", "{0}:0 以上的整數,例如 100"),
    ("winners: one or more players, not the discarder", "和牌者:一家以上,不能是放銃者"),
    ("the hand does not win, there is nothing to pay: {}", "沒有和牌,不必付錢:{0}"),
    ("events.discarder: nobody calls his own discard; name another player", "喊碰未碰:不能是自己打的牌,請另選一家"),
    ("amount {}: what each other player gets, a whole number from 0", "罰額 {0}:付給每一家的數目,0 以上的整數"),
    ("event {} is unknown in {}; {}", "事件 {0} 不在 {1} 規則裡;{2}"),
    # the match
    ("the match is over; start another one", "牌局已結束,請另開一局"),
    ("搬風: four rounds are over, the seats are drawn first; give a SeatChange", "搬風:四圈已打完,請先重新抓位"),
    ("搬風: the seats are drawn anew only after four rounds", "搬風:四圈打完才重新抓位"),
    ("搬風: the four sit in the same order as before; draw again", "搬風:四人順序與前一將相同,請重搬"),
    ("winners: one player, or several different ones", "和牌者:一家,或不同的幾家"),
    ("winners: only one player can win by self-draw; name the loser", "自摸只有一家和牌:多家和牌請指明放銃者"),
    ("攔和: the nearest to the discarder wins alone; give winners ({},)", "攔和:離放銃者最近的玩家 {0} 一家和牌"),
    ("血戰: player {} has won this hand already and is out of it", "血戰:玩家 {0} 本局已和,不再參與"),
    ("詐胡: player {} declared a false win in this hand and cannot win it", "玩家 {0} 本局詐胡過,不得再和"),
    ("player {} has declared a false win in this hand already", "玩家 {0} 本局已詐胡過"),
    ("player {} deals this hand: the last one decided it, or it was told", "本局由玩家 {0} 作莊,已經決定"),
    ("draw {}: this ruleset knows {}", "和局 {0}:這個規則有 {1}"),
    ("dealt: this ruleset has no win on the tiles as dealt, or a discard was won; leave it out",
     "這個規則沒有配牌即和,或這是放銃:請清除"),
    ("this ruleset counts the winds from the dealer, not from the wall break", "這個規則的風位由莊家算起,不看開門"),
    ("the wall of this hand was broken at seat {} already", "本局已在座位 {0} 開門"),
    ("seats: the four persons 0, 1, 2, 3, each once", "座位:0、1、2、3 四人各一次"),
    # what one region's rules have
    ("flags: initial is shown on the tiles as dealt; no melds, win_tile null", "起手胡是配牌時亮的:不能有副露與和牌張"),
    ("bird_number {}: on a last-tile win that tile is the bird (以海底牌为鸟); give {}",
     "海底胡牌以海底牌為鳥:鳥牌應是 {1},不是 {0}"),
    ("flags: dice_kong is a draw after an own kong; on a discard of that tile give kong_discard_dice",
     "擲骰開槓是自己開槓後摸到的牌;別家打出的請用 kong_discard_dice"),
    ("self_draw: the tile of kong_discard was another player's; give self_draw false", "別家開槓打出的牌不是自摸"),
    ("dice: kaibao is two ones or two fours (点数为1、4); give those, or leave kaibao out",
     "開寶須骰子是兩個一或兩個四:請改骰子,或不選開寶"),
    ("kind {}: {}", "種類 {0};{1}"),
    ("kong {}: {}", "槓 {0};{1}"),
    ("winner: name the player who won (0, 1, 2 or 3)", "請指明和牌者"),
    ("winners: one on a self-draw; one or more on a discard, with the loser named",
     "自摸一家和牌;放銃一家以上並指明放銃者"),
    ("loser {}: name who discarded or whose kong was robbed; null on a self-draw",
     "放銃者 {0}:請指明放銃者或被搶槓者,自摸則清除"),
    ("loser {}: name who discarded; null on a self-draw", "放銃者 {0}:請指明放銃者,自摸則清除"),
    ("loser: earthly is won on the dealer's first discard; name the dealer", "地胡胡的是莊家的第一張牌:放銃者是莊家"),
    ("won {}: these players are out and neither win nor pay", "玩家 {0} 已和,不再和牌也不付錢"),
    ("contractor {}: the winner answers for nobody here", "承包者 {0} 就是和牌者:不能承包自己"),
    ("call_transfer_to {}: another player, who is still in", "呼叫轉移給 {0}:須是還在局中的另一家"),
    ("mode {}: 家家有 or 承包制", "方式 {0}:家家有或承包制"),
    ("games {}: each game is draw or win", "牌局 {0}:每一局是 draw 或 win"),
    ("events: a list of objects such as {}", "事件:須是列表,每一項像 {0}"),
    ("konger {}: has no kong money to pass on", "玩家 {0} 沒有槓錢可以轉移"),
    ("pigs: a hand of three suits cannot be ready (必须缺门可胡)", "花豬:三門牌不可能聽牌(須缺一門)"),
    ("max_fan: give the highest possible multiple of ready player {}", "請給聽牌的玩家 {0} 最大可能的倍數"),
    ("robbed: only an added kong (面下杠) can be robbed", "只有加槓(面下槓)可以搶"),
    ("feeder: another player's discard makes this kong", "點槓:須是別家打出的牌"),
    ("{}: the deal is over", "{0}:本局已結束"),
    ("{}: player {} has won and is out", "{0}:玩家 {1} 已和,不再參與"),
    ("settlement: the payments of one win, all to its winner", "須是一次和牌的付款,全部付給和牌者"),
    ("{} pays every win at once: nothing is carried over", "{0} 規則當局付清,不拉莊帳"),
    ("events.payer_tai {}: an object with the 番 of each payer", "請給每個付錢者的番數,不是 {0}"),
    ("carry_state.owed {}: amounts of money, such as 29.5", "拉莊帳 {0}:須是金額,例如 29.5"),
    ("carry_state.owed: what each player owes, 0 or more", "拉莊帳:每家所欠,0 以上"),
    ("carry_state.owed: debts are to the winner; name him, and 0 for him", "拉莊帳:欠的是和牌者;請指明他,他自己是 0"),
    ("{}: two dice, such as [4, 4]", "{0}:兩顆骰子,例如 [4, 4]"),
    ("{}: a suit: m (萬), p (筒) or s (索)", "{0}:花色是 m(萬)、p(筒)或 s(索)"),
    ("{}: sets claimed by player, such as {}", "{0}:各家被吃碰的副數,例如 {1}"),
    ("{}: players are 0, 1, 2, 3 in turn order; one, or a list", "{0}:玩家是 0、1、2、3,一家或列表"),
    ("{}: a whole number from {} to {}", "{0}:{1} 到 {2} 的整數"),
    ("{} is nothing {} reads; {}", "{1} 規則不看 {0};{2}"),
    ("{}: an object by player, such as {}", "{0}:依玩家列出,例如 {1}"),
    ("{}: an object such as {}", "{0}:須像 {1}"),
    # the record and its ruleset
    ("hand_kind {} is unknown in {}; {}", "記錄種類 {0} 不在 {1} 規則裡;{2}"),
    ("wild: {} is played without wildcards; leave it out", "{0} 規則沒有百搭,請清除"),
    ("ruleset {} is unknown; {}", "沒有規則 {0};{1}"),
    ("ruleset {}: a name is text; {}", "規則 {0}:名稱須是文字;{1}"),
    ("option {} is unknown here; {}", "這個規則沒有選項 {0};{1}"),
    ("option {} = {}: true or false", "選項 {0} 不能是 {1}:請選是或否"),
    ("option {} = {}: a whole number from 0", "選項 {0} 不能是 {1}:0 以上的整數"),
    ("option {} = {}: a list of item keys", "選項 {0} 不能是 {1}:請給台型的列表"),
    ("option {} = {}: one of {}", "選項 {0} 不能是 {1}:可用 {2}"),
    ("options {}: an object of option names and values", "規則選項 {0}:須是選項名稱與值"),
    ("{}: {} is unknown; {}", "{0}:沒有 {1};{2}"),
    ("{}: a whole number from 0", "{0}:0 以上的整數"),
    ("{}: true or false", "{0}:請選是或否"),
    ("{}: a list", "{0}:須是列表"),
    ("not JSON: {}; each line is one JSON object", "不是 JSON({0}):每一行須是一個 JSON 物件"),
    ("{}: each line is one JSON object", "{0}:每一行是一個 JSON 物件"),
    # ruleset files
    ("a ruleset file has a name, such as name = 'our-house'", "規則檔須有名稱,例如 name = 'our-house'"),
    ("not a ruleset file: {}", "不是規則檔:{0}"),
    ("{} means nothing in a ruleset file; {}", "規則檔裡沒有 {0} 這個字;{1}"),
    ("remove.{}: {} is not there; {}", "remove.{0}:沒有 {1} 可以去掉;{2}"),
    ("defaults: option {} is unknown; {}", "defaults:沒有選項 {0};{1}"),
    ("option {}: type {}; {}", "選項 {0}:沒有種類 {1};{2}"),
    ("{} = {}: it is {}", "{0} 不能是 {1}:須是{2}"),
    ("{}: {} is missing", "{0}:缺少 {1}"),
    ("items.{}: its value is a whole number, its names three texts (繁體, 简体, English)",
     "台型 {0}:value 是整數,names 是三個名稱(繁體、简体、English)"),
    ("items.{}: has no value; give it value = 1 or a value_option",
     "台型 {0} 沒有台數:請給 value = 1 或 value_option"),
    ("items.{}: the pattern {} needs {} in args or among the options", "台型 {0}:牌型 {1} 須在 args 或選項裡有 {2}"),
    ("items.{}: only_beside needs a pattern of the whole hand", "台型 {0}:only_beside 只能用於看整副牌的牌型"),
    ("item {} is unknown in {}; {}", "{1} 規則沒有台型 {0};{2}"),
    ("exclusions go in a circle: {}; take one of them out", "不另計的台型繞成一圈:{0};請去掉其中一個"),
)  # fmt: skip
_HINTS: tuple[tuple[str, str], ...] = (
    ("did you mean {}?", "是不是 {0}?"),
    ("valid: {}", "可用:{0}"),
    ("it has none", "它沒有"),
)


Patterns = list[tuple[re.Pattern[str], str]]


def patterns_of(rows: Iterable[tuple[str, str]]) -> Patterns:
    """A table of English sentences (`{}` for what is filled in) and translations, made ready for `translated`."""
    return [(re.compile("(.*?)".join(map(re.escape, english.split("{}"))), re.DOTALL), zh) for english, zh in rows]


_PATTERNS, _HINT_PATTERNS = patterns_of(_SENTENCES), patterns_of(_HINTS)


def error_zh(error: ScoringError) -> str:
    """The error's sentence in Traditional Chinese; for one without a translation the field's name and the original."""
    return sentence_zh(str(error)) or f"「{_field_name(error.field)}」有誤,請檢查後再試({error})"


def sentence_zh(text: str) -> str:
    """The translation of a sentence of the table, empty where it has none."""
    return translated(text, _PATTERNS)


def translated(text: str, patterns: Patterns, part: Callable[[str], str] | None = None) -> str:
    """The translation of `text` by the first sentence it fits, empty where it fits none.

    part: what becomes of what is filled in; left out, hints are translated and fields get the names players know.
    """
    for pattern, zh in patterns:
        found = pattern.fullmatch(text)
        if found:
            return zh.format(*map(part or _part_zh, found.groups()))
    return ""


def _part_zh(part: str) -> str:
    """What was filled in: a hint is translated, a field gets the name players know, all else stays."""
    for pattern, zh in _HINT_PATTERNS:
        found = pattern.fullmatch(part)
        if found:
            return zh.format(*(part.replace(" or ", "、").replace(", ", "、") for part in found.groups()))
    field, space, value = part.partition(" ")
    if field in FIELD_NAMES:
        return f"{FIELD_NAMES[field]}{space}{value}"
    return part.replace(" and ", "、")


def _field_name(field: str) -> str:
    return FIELD_NAMES.get(field) or FIELD_NAMES.get(field.partition(".")[0]) or field or "記錄"
