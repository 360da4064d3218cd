"""How a win is paid in the mainland rulesets ([004]): one named strategy each, registered for the ruleset files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from scoring.errors import SettlementError
from scoring.flags import flag_mask
from scoring.patterns.shanghai import flower_count, multiplier
from scoring.ruleset import Ruleset
from scoring.score import Score
from scoring.settlement import PLAYERS, STRATEGIES, Line, Part, Players, Settlement, Stake
from scoring.totals import counted_points, share_parts

Names = tuple[str, str, str]
_FLOWER_WIN = flag_mask("flower_win", "eight_flowers")
_ROB, _EARTHLY = flag_mask("rob_kong"), flag_mask("earthly")
_FROM = {"lower": 1, "opposite": 2, "upper": 3}  # whose discard a meld took, in places after the winner

HAND: Names = ("牌面", "牌面", "hand")
DEALER: Names = ("莊家", "庄家", "dealer")
BIRD: Names = ("中鳥翻倍", "中鸟翻倍", "doubled by the bird")
ROBBED: Names = ("搶槓付三份", "抢杠付三份", "three shares for a robbed kong")
ALL_SHARES: Names = ("點炮包付", "点炮包付", "the discarder pays all three shares")
CONTRACT: Names = ("承包", "承包", "answers for the winner")
SELF_DRAW_BASE: Names = ("自摸加底", "自摸加底", "one base for the self-draw")


def one_line(payer: int, payee: int, parts: Iterable[tuple[str, int, Names]], unit: int = 1, di: int = 0) -> Line:
    """A payment of parts (key, points, names), a point being worth `unit`, and of `di` once; nothing is no part."""
    priced = tuple(Part(key, points, points * unit, names) for key, points, names in parts if points)
    if di:
        priced = (Part("base", 0, di), *priced)
    return Line(payer, payee, sum(part.amount for part in priced), sum(part.tai for part in priced), priced)


def scaled(lines: Iterable[Line], unit: int) -> tuple[Line, ...]:
    """Payments in points as money, a point being worth `unit`."""
    return tuple(
        replace(
            line,
            amount=line.amount * unit,
            parts=tuple(replace(part, amount=part.amount * unit) for part in line.parts),
        )
        for line in lines
    )


def payers_of(score: Score, players: Players, out: tuple[int, ...] = ()) -> list[int]:
    """Who pays: the discarder or robbed konger, or on a self-draw everyone who is not `out`.

    Raises SettlementError where the players contradict how the hand was won.
    """
    if players.winner in out or players.loser in out:
        raise SettlementError(f"won {list(out)}: these players are out and neither win nor pay", "won")
    if score.facts.self_draw or score.facts.flags & _FLOWER_WIN:
        if players.loser is not None:
            raise SettlementError(f"loser {players.loser}: nobody discarded on a self-draw; give loser null", "loser")
        return [player for player in PLAYERS if player != players.winner and player not in out]
    if players.loser is None:
        raise SettlementError("loser: name the discarder, or the owner of the robbed kong (0, 1, 2 or 3)", "loser")
    return [players.loser]


# --- Changsha --------------------------------------------------------------------------------------------------------


def bird_place(dealer: int, number: int) -> int:
    """一表示庄家,二表示下家,三为对家,四为上家,依此类推."""
    return (dealer + number - 1) % 4


def bird_player(score: Score, dealer: int) -> int | None:
    """扎鸟: 以庄家为起点,按牌面数字逆时针计算; None where no bird was drawn."""
    number = score.facts.extra.get("bird_number")
    return None if number is None else bird_place(dealer, number)


def settle_points(score: Score, players: Players, stake: Stake) -> Settlement:
    """Points as printed, for each 小胡 or 大胡; doubled where the bird falls on winner or payer [004 长沙].

    点炮时,鸟如果扎在胡牌方或点炮方,点炮人出双倍分数;自摸时,鸟如果扎在胡牌方,即所有玩家给双倍分数;如果扎在别的玩家,只此一玩家给双倍分数.
    """
    payers = payers_of(score, players)
    if score.facts.flags & _EARTHLY and players.loser not in (None, players.dealer):
        raise SettlementError("loser: earthly is won on the dealer's first discard; name the dealer", "loser")
    best = score.best
    big, number = counted_points(score.rules, best) if best else (False, 0)
    bird = bird_player(score, players.dealer)
    lines = []
    for payer in payers:
        touched = players.dealer in (payer, players.winner)
        hand, dealer = share_parts(score.rules, big, number, self_draw=score.facts.self_draw, dealer=touched)
        double = hand + dealer if bird in (payer, players.winner) else 0
        parts = [("hand", hand, HAND), ("dealer", dealer, DEALER), ("bird", double, BIRD)]
        lines.append(one_line(payer, players.winner, parts, stake.tai, stake.di))
    return Settlement(tuple(lines))


# --- Shanghai --------------------------------------------------------------------------------------------------------


def le_points(score: Score) -> int:
    """Points of one share: 勒子 times their value, or 花 up to one 勒子; 荒番 and 开宝 double both."""
    options = score.rules.options
    if score.total:
        return int(score.total * options["le_value"])
    flowers = options["base_flowers"] + flower_count(score.facts)
    return int(min(flowers * options["point_per_flower"], options["le_value"])) * multiplier(score.facts, options)


@dataclass(frozen=True, slots=True)
class LeWin:
    """A Shanghai win as it is paid: `points` a share, who won how, and who has to answer for the winner (承包)."""

    points: int
    winner: int
    loser: int | None
    robbed: bool = False
    contractors: tuple[int, ...] = ()

    def lines(self, rules: Ruleset, unit: int = 1, di: int = 0) -> list[Line]:
        """点炮者输分,和其他人无关; a self-draw is paid by three; a robbed kong's owner pays three shares.

        承包: an extra share of the contractor's own, three on a self-draw or robbed kong, once for each contract.
        """
        shares = 1 if self.loser is not None and not self.robbed else 3
        names = ROBBED if self.robbed else HAND
        payers = [player for player in PLAYERS if player != self.winner and self.loser in (None, player)]
        if self.contractors and rules.options["chengbao_payment"] == "alone":
            payers = []
        each = self.points * (3 if self.robbed else 1)
        lines = [one_line(payer, self.winner, [("hand", each, names)], unit, di) for payer in payers]
        extra = [("contract", self.points * shares, CONTRACT)]
        return lines + [one_line(player, self.winner, extra, unit) for player in self.contractors]


def contractors_of(score: Score, winner: int) -> tuple[int, ...]:
    """承包: 吃碰杠一家或被一家吃碰杠超过3次(包括3次); each relation counts, a mutual one twice.

    As named, or else counted from whose discards the winner's melds took and the sets claimed from the winner.
    """
    extra, options = score.facts.extra, score.rules.options
    named = (*extra.get("contractors", ()), *extra.get("contractor", ()))
    if named:
        if winner in named:
            raise SettlementError(f"contractor {winner}: the winner answers for nobody here", "contractor")
        return named
    places = [(winner + _FROM[source]) % 4 for source in score.facts.context.meld_from if source in _FROM]
    least = options["chengbao_threshold"]
    claimed = extra.get("claimed_from_winner", {})
    found = [player for player in PLAYERS if places.count(player) >= least]
    return (*found, *(player for player, number in sorted(claimed.items()) if number >= least and player != winner))


def settle_le(score: Score, players: Players, stake: Stake) -> Settlement:
    """勒子 or 花, with 承包 [004 上海]. A robbed kong is paid like a self-draw, by its owner alone."""
    payers_of(score, players)
    win = LeWin(
        points=le_points(score),
        winner=players.winner,
        loser=players.loser,
        robbed=score.facts.flags & _ROB > 0,
        contractors=contractors_of(score, players.winner),
    )
    return Settlement(tuple(win.lines(score.rules, stake.tai, stake.di)))


# --- Sichuan, Ningbo -------------------------------------------------------------------------------------------------


def settle_doubling(score: Score, players: Players, stake: Stake) -> Settlement:
    """One base, doubled for every 番; 自摸加底: 额外收取其他未胡玩家1倍基础分. Who is out pays nothing [004 四川]."""
    payers = payers_of(score, players, score.facts.extra.get("won", ()))
    more = score.facts.self_draw and score.rules.options["zimo_mode"] == "base"
    parts = [("hand", 2**score.total, HAND), ("self_draw", int(more), SELF_DRAW_BASE)]
    return Settlement(tuple(one_line(payer, players.winner, parts, stake.tai, stake.di) for payer in payers))


def settle_each(score: Score, players: Players, stake: Stake) -> Settlement:
    """The hand's points from the discarder, or from each on a self-draw: 三家都要输分 [004 宁波]; the rest is open."""
    payers = payers_of(score, players)
    all_shares = not score.facts.self_draw and score.rules.options["ningbo_settlement"] == "three_shares"
    parts = [("hand", score.total, HAND), ("all_shares", 2 * score.total * all_shares, ALL_SHARES)]
    return Settlement(tuple(one_line(payer, players.winner, parts, stake.tai, stake.di) for payer in payers))


STRATEGIES |= {"points": settle_points, "le": settle_le, "doubling": settle_doubling, "each_pays": settle_each}
