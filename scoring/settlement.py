"""Who pays whom: a pure step from a score, the players and the stake to payments that sum to zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.errors import SettlementError, nearest
from scoring.flags import flag_mask
from scoring.ruleset import Ruleset
from scoring.score import Score

PLAYERS = range(4)
"""Players are 0..3 in turn order; 1 plays after 0."""

_FLOWER_WIN = flag_mask("flower_win", "eight_flowers")
_ROB_ONE, _ROB_TWO = flag_mask("rob_flower"), flag_mask("rob_flower_mode2")
_ROB = _ROB_ONE | _ROB_TWO

PART_NAMES: dict[str, tuple[str, str, str]] = {
    "base": ("底", "底", "base stake"),
    "hand": ("牌面", "牌面", "hand"),
    "dealer": ("莊家", "庄家", "dealer"),
    "streak": ("連莊拉莊", "连庄拉庄", "dealer's streak"),
    "rob_flower": ("七搶一", "七抢一", "seven rob one"),
    "locked": ("眼牌罰台", "眼牌罚台", "penalty of a locked hand"),
    "over_cap": ("滿台", "满台", "over the cap"),
    "called_no_pung": ("喊碰未碰", "喊碰未碰", "called and not claimed"),
    "false_win": ("詐胡", "诈胡", "false win"),
}
"""Names of the parts of a payment: Traditional, Simplified, English."""


@dataclass(frozen=True, slots=True)
class Stake:
    """What a win costs: `di` 底 once, `tai` for each 台. Whole numbers from 0."""

    di: int
    tai: int

    def __post_init__(self) -> None:
        for name in ("di", "tai"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise SettlementError(f"stake.{name} {value!r}: a whole number from 0, such as 100", f"stake.{name}")


@dataclass(frozen=True, slots=True)
class Part:
    """One reason of a payment: `tai` 台 (0 for the base stake) and the amount it comes to.

    own_names: names a ruleset's file gives, where the part is not one of PART_NAMES.
    """

    key: str
    tai: int
    amount: int
    own_names: tuple[str, str, str] | None = None

    @property
    def names(self) -> tuple[str, str, str]:
        """The part's name: Traditional, Simplified, English."""
        return self.own_names or PART_NAMES[self.key]


@dataclass(frozen=True, slots=True)
class Line:
    """One payment, `amount` from `payer` to `payee`, with what it is made of."""

    payer: int
    payee: int
    amount: int
    tai: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Settlement:
    """All payments of one win or event. `payments[player]` is the net change; the four sum to zero."""

    lines: tuple[Line, ...]

    @property
    def payments(self) -> tuple[int, int, int, int]:
        """Net change of the four players."""
        net = [0, 0, 0, 0]
        for line in self.lines:
            net[line.payer] -= line.amount
            net[line.payee] += line.amount
        return net[0], net[1], net[2], net[3]

    @property
    def payer_tai(self) -> dict[int, int]:
        """台 each payer pays, dealer items and penalties included."""
        return {line.payer: line.tai for line in self.lines}


@dataclass(frozen=True, slots=True)
class Players:
    """Who won, whose tile it was (None on a self-draw) and who deals, by number."""

    winner: int
    loser: int | None
    dealer: int

    def __post_init__(self) -> None:
        for name in ("winner", "loser", "dealer"):
            player = getattr(self, name)
            if player is None and name == "loser":
                continue
            check_player(player, "dealer_player" if name == "dealer" else name)
        if self.loser == self.winner:
            raise SettlementError(f"loser {self.loser}: the winner cannot pay himself; name another player", "loser")


def check_player(player: object, field: str) -> int:
    """The player's number; raises SettlementError for anything but 0, 1, 2, 3."""
    if isinstance(player, bool) or not isinstance(player, int) or player not in PLAYERS:
        raise SettlementError(f"{field} {player!r}: players are 0, 1, 2, 3 in turn order", field)
    return player


def settle(score: Score, *, winner: int, loser: int | None, dealer: int, stake: Stake) -> Settlement:
    """Payments of a winning score under its ruleset.

    winner, loser (None on a self-draw), dealer: players 0..3. A robbed kong's owner and a robbed flower's holder are
    losers. Raises SettlementError where the hand does not win, the players contradict each other or the facts.
    """
    if not score.wins:
        raise SettlementError(f"the hand does not win, there is nothing to pay: {score.reason}", "wins")
    players = Players(winner, loser, dealer)
    if score.facts.context.dealer != (winner == dealer):
        said = "is" if score.facts.context.dealer else "is not"
        raise SettlementError(
            f"dealer_player {dealer}: the winner is player {winner}, but the hand says the winner {said} the dealer",
            "dealer_player",
        )
    return STRATEGIES[score.rules.settlement["strategy"]](score, players, stake)


def settle_taiwan(score: Score, players: Players, stake: Stake) -> Settlement:
    """底 + 台 × (hand + dealer items) from the discarder, or from all three on a self-draw [000], [002], [003]."""
    payers, robbed = _payers(score, players)
    lines = [_line(score, players, payer, stake, alone=payer == robbed) for payer in payers]
    lines += _locked_lines(score, players, payers, stake)
    return Settlement(tuple(lines))


def _payers(score: Score, players: Players) -> tuple[list[int], int | None]:
    """Who pays, and who of them pays 七搶一 on top of the hand."""
    flags = score.facts.flags
    others = [player for player in PLAYERS if player != players.winner]
    if flags & _ROB:
        _need_loser(players, "the robbed player")
        if score.rules.options["rob_flower_payment"] == "three":
            return others, None
        if flags & _ROB_TWO and score.shape != "rob_flower":
            return others, players.loser
        return [player for player in others if player == players.loser], None
    if flags & _FLOWER_WIN or score.facts.self_draw:
        if players.loser is not None:
            raise SettlementError(f"loser {players.loser}: nobody discarded on a self-draw; give loser null", "loser")
        return others, None
    _need_loser(players, "the discarder, or the owner of the robbed kong")
    return [player for player in others if player == players.loser], None


def _need_loser(players: Players, who: str) -> None:
    if players.loser is None:
        raise SettlementError(f"loser: name {who} (0, 1, 2 or 3)", "loser")


def _line(score: Score, players: Players, payer: int, stake: Stake, *, alone: bool) -> Line:
    """What one player pays."""
    parts = [("base", 0), ("hand", score.total)]
    extra = score.rules.item("rob_flower").value if alone else 0
    dealer, streak = _dealer_items(score, players, payer)
    for key, tai in (("rob_flower", extra), ("dealer", dealer), ("streak", streak)):
        if tai:
            parts.append((key, tai))
    over = _over_cap(score, extra, dealer + streak)
    if over:
        parts.append(("over_cap", -over))
    if payer in score.facts.context.eyed_players and score.rules.options.get("yanpai_penalty_scope", "none") != "none":
        parts.append(("locked", 1))
    return _priced(payer, players.winner, parts, stake)


def _priced(payer: int, payee: int, parts: Iterable[tuple[str, int]], stake: Stake) -> Line:
    priced = tuple(Part(key, tai, stake.di if key == "base" else tai * stake.tai) for key, tai in parts)
    return Line(payer, payee, sum(part.amount for part in priced), sum(part.tai for part in priced), priced)


def _dealer_items(score: Score, players: Players, payer: int) -> tuple[int, int]:
    """作莊 and 連N拉N on this payment: where payer or winner deals. A lower streak shown binds the dealer who wins."""
    context, rules = score.facts.context, score.rules
    if players.dealer not in (payer, players.winner):
        return 0, 0
    others_draw = score.facts.self_draw and not score.facts.flags & _ROB_ONE and payer == players.dealer
    if others_draw and not rules.options["dealer_pays_extra_on_others_self_draw"]:
        return 0, 0
    streak = context.streak
    if players.winner == players.dealer and context.streak_shown is not None:
        streak = min(streak, context.streak_shown)
    return rules.settlement["dealer_tai"], rules.settlement["streak_tai"] * streak


def _over_cap(score: Score, extra: int, dealer_items: int) -> int:
    """What falls off a payment because the hand with its extras passes the cap."""
    cap = score.rules.cap
    if not cap:
        return 0
    capped = score.capped + extra
    if score.rules.options["dealer_items_in_cap"]:
        capped += dealer_items
    return max(0, capped - cap)


def _locked_lines(score: Score, players: Players, payers: list[int], stake: Stake) -> list[Line]:
    """眼牌罰台 of players who pay nothing else, where the option charges every locked hand."""
    if score.rules.options.get("yanpai_penalty_scope") != "all":
        return []
    locked = [player for player in score.facts.context.eyed_players if player not in (*payers, players.winner)]
    return [_priced(player, players.winner, [("locked", 1)], stake) for player in locked]


STRATEGIES: dict[str, Callable[[Score, Players, Stake], Settlement]] = {"taiwan": settle_taiwan}
"""How a win is paid, by the name a ruleset file gives."""


def paid_winners(
    rules: Ruleset, winners: Iterable[int], loser: int, shapes: Mapping[int, str] | None = None
) -> tuple[int, ...]:
    """Who of several winners on one discard is paid: the nearest in turn order (拦和), or all where the option says.

    shapes: the shapes that winners won with; a shape the ruleset's settlement names in `never_cut` is paid beside the
    nearest. Returned in turn order from the discarder. Raises SettlementError for a winner who is no player or the
    discarder.
    """
    check_player(loser, "loser")
    distinct = {check_player(winner, "winners") for winner in winners}
    if loser in distinct or not distinct:
        raise SettlementError("winners: one or more players, not the discarder", "winners")
    ordered = sorted(distinct, key=lambda player: (player - loser) % 4)
    if rules.options["multi_ron"] == "all":
        return tuple(ordered)
    uncut = rules.settlement.get("never_cut", ())
    return (ordered[0], *(player for player in ordered[1:] if (shapes or {}).get(player) in uncut))


# --- events without a win --------------------------------------------------------------------------------------------


def _called_no_pung(event: Mapping[str, Any], stake: Stake) -> list[Line]:
    """喊碰未碰: 罚1台付予打出该牌(上家之舍牌除外)者 [000]."""
    player = check_player(event.get("player"), "events.player")
    discarder = check_player(event.get("discarder"), "events.discarder")
    if player == discarder:
        raise SettlementError("events.discarder: nobody calls his own discard; name another player", "events.discarder")
    if discarder == (player - 1) % 4:
        return []
    return [_priced(player, discarder, [("called_no_pung", 1)], stake)]


EVENTS: dict[str, Callable[[Mapping[str, Any], Stake], list[Line]]] = {"喊碰未碰": _called_no_pung}
"""Payments between wins, by the name a ruleset's play table gives."""


def _event_of_table(row: Mapping[str, Any], event: Mapping[str, Any], stake: Stake) -> list[Line]:
    """An event whose payment the ruleset's file states: `di` 底 and `tai` 台 between its player and each other one."""
    player = check_player(event.get("player"), "events.player")
    tai, amount = row.get("tai", 0), row.get("di", 0) * stake.di + row.get("tai", 0) * stake.tai
    part = Part(row["names"][0], tai, amount, tuple(row["names"]))
    others = [other for other in PLAYERS if other != player]
    pairs = [(player, other) if row["pays"] == "player" else (other, player) for other in others]
    return [Line(payer, payee, amount, tai, (part,)) for payer, payee in pairs]


def event_names(rules: Ruleset) -> tuple[str, ...]:
    """The events a ruleset pays for between wins, by their first names."""
    known = [kind for kind in EVENTS if kind in rules.play.get("events", ())]
    return (*known, *(row["names"][0] for row in rules.settlement.get("events", ())))


def _event_lines(event: Mapping[str, Any], stake: Stake, rules: Ruleset) -> list[Line]:
    kind = event.get("kind") if isinstance(event, Mapping) else event
    if isinstance(event, Mapping):
        if kind in EVENTS and kind in rules.play.get("events", ()):
            return EVENTS[kind](event, stake)
        for row in rules.settlement.get("events", ()):
            if kind in row["names"]:
                return _event_of_table(row, event, stake)
    known = event_names(rules)
    hint = nearest(kind, known) if known else "it has none"
    raise SettlementError(f"event {kind!r} is unknown in {rules.name}; {hint}", "events")


def settle_events(events: Iterable[Mapping[str, Any]], stake: Stake, rules: Ruleset) -> Settlement:
    """Payments of events such as `{"kind": "喊碰未碰", "player": 1, "discarder": 3}`, all together.

    Raises SettlementError for an event this ruleset does not have, naming those it has.
    """
    return Settlement(tuple(line for event in events for line in _event_lines(event, stake, rules)))


def settle_false_win(player: int, amount: int) -> Settlement:
    """詐胡: `amount` from the player who declared it to each of the other three.

    The Taiwanese texts name no amount, so the group does. Raises SettlementError for no player or no whole amount.
    """
    check_player(player, "player")
    if isinstance(amount, bool) or not isinstance(amount, int) or amount < 0:
        raise SettlementError(f"amount {amount!r}: what each other player gets, a whole number from 0", "amount")
    part = Part("false_win", 0, amount)
    return Settlement(tuple(Line(player, other, amount, 0, (part,)) for other in PLAYERS if other != player))
