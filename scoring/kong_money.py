"""A Sichuan deal as it is paid: 刮风下雨, wins while others play on (血战), what a draw settles. Pure, step by step.

Amounts are multiples of the base (基本分). 流局: 第一步查卫生(花猪), 第二步查大叫,并退回所有刮风下雨所得 [004 四川].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from scoring.errors import SettlementError, nearest
from scoring.payouts import SELF_DRAW_BASE, Names, one_line
from scoring.ruleset import Ruleset
from scoring.settlement import PLAYERS, Line, check_player, paid_winners

KONGS: dict[str, str] = {
    "zhigang": "zhigang", "直杠": "zhigang", "直槓": "zhigang", "kong_open": "zhigang", "kong_exposed": "zhigang",
    "miangang": "miangang", "面下杠": "miangang", "弯杠": "miangang", "kong_added": "miangang",
    "angang": "angang", "下雨": "angang", "暗杠": "angang", "暗槓": "angang", "kong_concealed": "angang",
}  # fmt: skip
"""How a kong may be written: of a discard (直杠), added (面下杠), concealed (下雨)."""

KONG_NAMES: dict[str, Names] = {
    "zhigang": ("刮風(直槓)", "刮风(直杠)", "kong of a discard"),
    "miangang": ("刮風(面下槓)", "刮风(面下杠)", "added kong"),
    "angang": ("下雨(暗槓)", "下雨(暗杠)", "concealed kong"),
}
TRANSFER: Names = ("呼叫轉移", "呼叫转移", "kong money passed on")
REFUND: Names = ("退回刮風下雨", "退回刮风下雨", "kong money returned")
PIG: Names = ("查花豬", "查花猪", "three suits held")
CALL: Names = ("查大叫", "查大叫", "not ready")
WON: Names = ("胡牌", "胡牌", "win")


@dataclass(frozen=True, slots=True)
class Kong:
    """A kong paid for: who holds its money now, and the payments made for it. moved: passed on by 呼叫转移."""

    holder: int
    lines: tuple[Line, ...]
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal so far: players who are `out` (won), kongs paid for, and whether it is over."""

    rules: Ruleset
    out: tuple[int, ...] = ()
    kongs: tuple[Kong, ...] = ()
    over: bool = False

    @property
    def playing(self) -> tuple[int, ...]:
        """The players who have not won yet."""
        return tuple(player for player in PLAYERS if player not in self.out)


Step = tuple[Deal, tuple[Line, ...]]


def deal_over(rules: Ruleset, winners: Iterable[int]) -> bool:
    """血战: 直到有3家都胡; without it the first win ends the deal."""
    return len(set(winners)) >= (3 if rules.options["xuezhan"] else 1)


def forced_win(rules: Ruleset, wall_left: int, ting_hit: bool, dingque: bool | None = None) -> bool:
    """最后四张自动胡: a ready player must take his tile among the last four; 定缺规则中最后四张可以不胡."""
    free = rules.options["dingque"] if dingque is None else dingque
    return ting_hit and wall_left <= 4 and not free


def declare_kong(
    deal: Deal, kind: str, konger: int, feeder: int | None = None, *, robbed: bool = False, everyone: bool | None = None
) -> Step:
    """The money of a kong, at once: 直杠 2 from its feeder (家家有: and 1 from each other), 面下杠 1, 下雨 2 from each.

    Only players still in pay. A robbed 面下杠 pays nothing (刮风下雨无效). Raises SettlementError for a kong that
    cannot be: of a player who is out, of a discard without its feeder, 下雨 robbed.
    """
    kind = _kong_kind(kind)
    _in_play(deal, konger, "konger")
    others = [player for player in deal.playing if player != konger]
    if robbed:
        if kind != "miangang":
            raise SettlementError("robbed: only an added kong (面下杠) can be robbed", "robbed")
        return deal, ()
    amounts = dict.fromkeys(others, 2 if kind == "angang" else 1)
    if kind == "zhigang":
        fed = _in_play(deal, feeder, "feeder")
        if fed == konger:
            raise SettlementError("feeder: another player's discard makes this kong", "feeder")
        all_pay = deal.rules.options["sichuan_direct_kong"] == "everyone" if everyone is None else everyone
        amounts = (amounts if all_pay else {}) | {fed: 2}
    names = KONG_NAMES[kind]
    lines = tuple(one_line(payer, konger, [("kong", amount, names)]) for payer, amount in sorted(amounts.items()))
    return replace(deal, kongs=(*deal.kongs, Kong(konger, lines))), lines


def _kong_kind(kind: str) -> str:
    if kind not in KONGS:
        raise SettlementError(f"kong {kind!r}: {nearest(kind, KONGS)}", "kong")
    return KONGS[kind]


def _in_play(deal: Deal, player: object, field: str) -> int:
    number = check_player(player, field)
    if deal.over or number in deal.out:
        why = "the deal is over" if deal.over else f"player {number} has won and is out"
        raise SettlementError(f"{field} {number}: {why}", field)
    return number


def pass_on(deal: Deal, konger: int, winner: int) -> Step:
    """呼叫转移: 某玩家杠牌后打出的牌其他玩家可以胡,那么该玩家的刮风下雨所得则转移给胡牌玩家; of the last kong."""
    held = [at for at, kong in enumerate(deal.kongs) if kong.holder == konger and not kong.moved]
    if not held:
        raise SettlementError(f"konger {konger}: has no kong money to pass on", "konger")
    last = deal.kongs[held[-1]]
    line = one_line(konger, winner, [("transfer", sum(row.amount for row in last.lines), TRANSFER)])
    kongs = list(deal.kongs)
    kongs[held[-1]] = Kong(winner, last.lines, moved=True)
    return replace(deal, kongs=tuple(kongs)), (line,)


def win(deal: Deal, points: Mapping[int, int], loser: int | None, *, after_kong: bool = False) -> Step:
    """Wins at one moment: `points` by winner, from the discarder, or on a self-draw from each who is still in.

    一炮多响: 均可胡牌. A self-draw takes one base more from each (自摸加底) where the option says so. after_kong: the
    tile was discarded after a kong, whose money goes to the nearest winner.
    """
    winners = [_in_play(deal, winner, "winner") for winner in points]
    if not winners or (loser is None and len(winners) > 1):
        raise SettlementError("winners: one on a self-draw; one or more on a discard, with the loser named", "winners")
    if loser is None:
        extra = int(deal.rules.options["zimo_mode"] == "base")
        payers = [player for player in deal.playing if player not in winners]
    else:
        extra, payers = 0, [_in_play(deal, loser, "loser")]
        winners = list(paid_winners(deal.rules, winners, loser))
    parts = {winner: [("hand", points[winner], WON), ("self_draw", extra, SELF_DRAW_BASE)] for winner in winners}
    lines = tuple(one_line(payer, winner, parts[winner]) for winner in winners for payer in payers)
    out = (*deal.out, *winners)
    after = replace(deal, out=out, over=deal_over(deal.rules, out))
    if after_kong and loser is not None:
        after, passed = pass_on(after, loser, winners[0])
        lines += passed
    return after, lines


@dataclass(frozen=True, slots=True)
class DrawPayments:
    """What a draw settles: 花猪, 大叫, and the kong money that goes back."""

    pigs: tuple[Line, ...]
    calls: tuple[Line, ...]
    refunds: tuple[Line, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """All of them."""
        return self.pigs + self.calls + self.refunds


def draw(
    deal: Deal, ready: Iterable[int], pigs: Iterable[int] = (), best: Mapping[int, int] | None = None
) -> tuple[Deal, DrawPayments]:
    """流局. 花猪赔给非花猪玩家16倍点数; 没听牌的玩家(花猪不用)赔给听牌的玩家最大的可能番, and return their kong money.

    ready: who is 听牌; pigs: who holds three suits; best: each ready player's highest possible multiple. Raises
    SettlementError where a pig is said to be ready, or a best value is missing.
    """
    ready_ones = [_in_play(deal, player, "ting") for player in ready]
    pig_ones = [_in_play(deal, player, "pigs") for player in pigs]
    if set(ready_ones) & set(pig_ones):
        raise SettlementError("pigs: a hand of three suits cannot be ready (必须缺门可胡)", "pigs")
    options = deal.rules.options
    paid_by_pigs = PLAYERS if options["pig_pays_winners"] else deal.playing
    pig = [("pig", options["pig_multiple"], PIG)]
    pig_lines = [one_line(payer, payee, pig) for payer in pig_ones for payee in paid_by_pigs if payee not in pig_ones]
    late = [player for player in deal.playing if player not in (*ready_ones, *pig_ones)]
    calls = [
        one_line(payer, payee, [("call", points, CALL)])
        for payer in late
        for payee in ready_ones
        if (points := _best_of(best, payee))
    ]
    unready = (*late, *pig_ones)
    refunds = [
        one_line(row.payee, row.payer, [("refund", row.amount, REFUND)])
        for kong in deal.kongs
        if kong.holder in unready and not kong.moved
        for row in kong.lines
    ]
    return replace(deal, over=True), DrawPayments(tuple(pig_lines), tuple(calls), tuple(refunds))


def _best_of(best: Mapping[int, int] | None, player: int) -> int:
    if best is None or player not in best:
        raise SettlementError(f"max_fan: give the highest possible multiple of ready player {player}", "max_fan")
    return best[player]
