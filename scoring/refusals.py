"""Play rules a scorer can check: what makes a complete hand no win, and what is broken without costing it.

A ruleset lists the ones it has, and says what follows (scoring.violations).
"""

from __future__ import annotations

from collections.abc import Callable

from scoring.encoding import count_of
from scoring.facts import Facts, wild_codes
from scoring.flags import flag_mask
from scoring.patterns.registry import Options
from scoring.shapes.kept import ORPHANS
from scoring.wild import lone_wild

Refusal = Callable[[Facts, Options], bool]
REFUSALS: dict[str, Refusal] = {}
"""Refusal by key; the key is also that of its message."""

_OPEN, _ADDED = flag_mask("kong_replacement_open"), flag_mask("kong_replacement_added")
_REPLACEMENT = flag_mask("kong_replacement")
_ROB_CONCEALED = flag_mask("rob_concealed_kong")
_READY = flag_mask("ready_initial", "ready_first_discard")
_UNLOCKED_AND_PASSED = flag_mask("not_locked", "passed_win_earlier")
_PASSED = flag_mask("passed_win")
_PASSED_TILE = flag_mask("passed_win_same_tile")
_PASSED_CLEARED = flag_mask("passed_win_cleared")
_WILD_PAIR = flag_mask("wild_pair_wait")
_WILD_MELD = flag_mask("wild_in_chi", "wild_in_pon")
_PASSED_ROUND = flag_mask("passed_win_same_round")
_BROKEN = flag_mask("duanqiao")
_AFTER_CLAIM = flag_mask("after_claim")
_FROM_UPPER = flag_mask("kong_from_upper")
_REARRANGED = flag_mask("rearranged_kong")
_OWN_EXPOSED = flag_mask("own_exposed_tile")


def _refusal(key: str) -> Callable[[Refusal], Refusal]:
    def wrap(test: Refusal) -> Refusal:
        REFUSALS[key] = test
        return test

    return wrap


@_refusal("claimed_kong_replacement")
def claimed_kong_replacement(facts: Facts, options: Options) -> bool:
    """碰杠之补牌不得自摸和牌,补得花牌再补之牌亦然 [000]; 明槓不能自摸 [003], whose option may add 加槓.

    Without a flag saying which kong was replaced, an added kong is meant where the hand has no other kind.
    """
    if facts.flags & _OPEN:
        return True
    if options.get("ming_gang_scope") != "claimed_and_added":
        return False
    only_exposed = facts.flags & _REPLACEMENT > 0 and facts.kongs > 0 and not facts.concealed_kongs
    return facts.flags & _ADDED > 0 or only_exposed


@_refusal("robbed_concealed_kong")
def robbed_concealed_kong(facts: Facts, options: Options) -> bool:
    """他人加杠已碰之刻子 [000 item 12]: only an added kong is robbed; by option of [001] 十三么 robs any: 行就行d."""
    if options.get("orphans_rob_concealed_kong") and all(count_of(facts.counts, kind) for kind in ORPHANS):
        return False
    return facts.flags & _ROB_CONCEALED > 0


@_refusal("passed_win")
def passed_win(facts: Facts, options: Options) -> bool:
    """过水: 其後迄本身打出(或加杠)一张非和之牌前不得和牌 [000], self-draw included."""
    return facts.flags & _PASSED > 0 and options["guoshui_scope"] != "off"


@_refusal("passed_win_same_round")
def passed_win_same_round(facts: Facts, options: Options) -> bool:
    """可以食糊,而沒有食糊,但同一圈之內,食糊另一家,亦作詐糊 [001]: any tile waited for, self-draw included."""
    return facts.flags & (_PASSED | _PASSED_ROUND) > 0 and options["guoshui_scope"] != "off"


@_refusal("broken_hand")
def broken_hand(facts: Facts, options: Options) -> bool:
    """斷橋: 食胡開牌時整散了手牌 … 斷橋者不可食胡 [001]."""
    return facts.flags & _BROKEN > 0 and bool(options["duanqiao_bars_win"])


@_refusal("after_claim")
def after_claim(facts: Facts, _options: Options) -> bool:
    """进牌非始于摸牌之打序,不得自摸 [000 item 23]."""
    return facts.flags & _AFTER_CLAIM > 0 and facts.self_draw


@_refusal("rearranged_kong")
def rearranged_kong(facts: Facts, _options: Options) -> bool:
    """暗杠前所摸之牌如靠新入手牌而补牌成和时,其可和之牌如含同巡打过之牌,此自摸无效 [000]."""
    return facts.flags & _REARRANGED > 0 and facts.self_draw


@_refusal("own_exposed_tile")
def own_exposed_tile(facts: Facts, _options: Options) -> bool:
    """非因得归咎於他人之因素而外露或说出暗牌或搭子,本盘内不得 … 和铳该暗牌或搭子 [000]."""
    return facts.flags & _OWN_EXPOSED > 0 and not facts.self_draw


@_refusal("kong_from_upper")
def kong_from_upper(facts: Facts, _options: Options) -> bool:
    """不可槓上家的牌 [003]."""
    if facts.flags & _FROM_UPPER:
        return True
    sources = zip(facts.hand.melds, facts.context.meld_from, strict=False)
    return any(meld.kind == "kong_exposed" and source == "upper" for meld, source in sources)


@_refusal("four_kongs")
def four_kongs(facts: Facts, options: Options) -> bool:
    """單獨完成四槓也是和局 / 局中各家槓牌合計超過四組,即可算和局 [003]."""
    scope = options["four_kong_draw"]
    if scope == "off":
        return False
    total = max(facts.context.table_kongs or 0, facts.kongs)
    return total > 4 or (scope == "single" and facts.kongs == 4)


# --- [004] -----------------------------------------------------------------------------------------------------------


@_refusal("passed_same_tile")
def passed_same_tile(facts: Facts, options: Options) -> bool:
    """漏胡: 只针对1张牌, until the own claim, kong or draw [上海]; 在玩家摸牌前禁止炮胡,只对…漏胡的那张牌有效 [长沙].

    A self-draw is a draw, so it is never barred.
    """
    passed = facts.flags & _PASSED_TILE > 0 and not facts.flags & _PASSED_CLEARED
    return passed and not facts.self_draw and options["guoshui_scope"] != "off"


@_refusal("no_chow")
def no_chow(facts: Facts, _options: Options) -> bool:
    """不可以吃 [四川]."""
    return bool(facts.meld_chows)


@_refusal("three_suits")
def three_suits(facts: Facts, _options: Options) -> bool:
    """必须缺门可胡,即胡牌的时候不能有三种花色的牌 [四川]."""
    return facts.suits == 7


@_refusal("void_suit")
def void_suit(facts: Facts, _options: Options) -> bool:
    """定缺: 手上不能留定缺花色的牌 [四川]."""
    void = facts.extra.get("dingque")
    return void is not None and facts.suits >> int(void) & 1 > 0


@_refusal("wild_in_meld")
def wild_in_meld(facts: Facts, _options: Options) -> bool:
    """吃牌组成的顺子中不能有百搭 …,不能碰别人打出的百搭 [宁波]."""
    wild = wild_codes(facts.context.wild)
    return facts.flags & _WILD_MELD > 0 or any(code in wild for meld in facts.hand.melds for code in meld.tiles)


@_refusal("wild_pair_wait")
def wild_pair_wait(facts: Facts, _options: Options) -> bool:
    """财神单吊时,不能捉冲,只能自摸 [宁波]."""
    return not facts.self_draw and (facts.flags & _WILD_PAIR > 0 or (facts.wilds > 0 and lone_wild(facts)))


# --- broken rules that leave the win standing ------------------------------------------------------------------------


def _flagged(name: str) -> Refusal:
    bit = flag_mask(name)
    return lambda facts, _options: facts.flags & bit > 0


def unlocked_passed_win(facts: Facts, options: Options) -> bool:
    """如未眼牌,和牌後如发现曾过水未和,不计天听,和牌仍有效 [000 items 31, 32]."""
    flags = facts.flags
    passed = flags & _UNLOCKED_AND_PASSED == _UNLOCKED_AND_PASSED and flags & _READY > 0
    return passed and bool(options["unlocked_ready_passed_win"])


NOTICES: dict[str, Refusal] = {
    name: _flagged(name)
    for name in ("kong_after_claim", "concealed_kong_after_claimed", "late_claim", "claimed_tile_discarded")
} | {"unlocked_passed_win": unlocked_passed_win}
"""Broken rules that leave the win standing, by key; the key is also that of the message. 行牌禁制 1, 3, 6, 7
[000]."""

CONSEQUENCES: tuple[str, ...] = ("no_win", "false_win", "wait", "draw", "item", "table")
"""What may follow: the win does not count, is a false win, has to wait, the hand is a draw, an item is lost, or the
table decides."""
