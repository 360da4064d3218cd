"""A match from hand to hand: state and event in, state out. Who deals, 連莊, round wind, seats, when it is over.

Pure: nothing is kept but in the state, so replaying the same events gives the same state. What differs between rulesets
is the `match` table of their files and the options it names. The Taiwanese texts:
庄家和牌或该盘荒局应连庄;下庄後依逆时针序各家轮流作庄,每次轮到起庄位时即为次一风圈之始 [000];
牌局通常在四位玩家輪流做過四次莊後結束 [003].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from scoring.errors import ScoringError, SettlementError
from scoring.flags import FLAG_BIT
from scoring.ruleset import Ruleset
from scoring.settlement import PLAYERS, check_player, paid_winners
from scoring.tiles import WINDS


class MatchError(ScoringError):
    """An event that contradicts the state of the match; the message says what would be possible."""


@dataclass(frozen=True, slots=True)
class WinEvent:
    """A hand won: one winner, or several on one discard where the ruleset pays them all. loser None: self-drawn.

    dealt: won on the tiles as dealt (起手胡), which several may do at once; bird: on whom the bird (鳥) then fell.
    """

    winners: tuple[int, ...]
    loser: int | None = None
    dealt: bool = False
    bird: int | None = None


@dataclass(frozen=True, slots=True)
class DrawEvent:
    """A hand nobody won: 荒局, or the four kongs of the rulesets that end a hand with them.

    player: who took, replaced or could first have taken the last tile, where the ruleset asks for that (長沙).
    """

    reason: str = "wall"
    player: int | None = None


@dataclass(frozen=True, slots=True)
class FalseWinEvent:
    """詐胡: a win declared without one."""

    player: int


@dataclass(frozen=True, slots=True)
class DealerDrawn:
    """Who deals the coming hand, where dice or what the last hand left untold decide it (每局投骰 [004 四川])."""

    player: int


@dataclass(frozen=True, slots=True)
class WallBreak:
    """開門: the seat where this hand's wall was broken, which is east where the ruleset counts winds from there."""

    player: int


@dataclass(frozen=True, slots=True)
class SeatChange:
    """搬風: `seats[place]` is the person now sitting there, numbered as at the start; `first_dealer` is a place."""

    seats: tuple[int, ...]
    first_dealer: int = 0


Event = WinEvent | DrawEvent | FalseWinEvent | DealerDrawn | WallBreak | SeatChange


@dataclass(frozen=True, slots=True)
class MatchState:
    """The state the coming hand is played in.

    Players are places 0..3 in turn order, `seats[place]` the person there. `streak` is N of 連N, `round_number` counts
    the rounds (圈) of this game from 0, `game` the games (將) from 1, `hand_number` all hands from 1. `east` is the
    place counted as east; `east_known` is false while the ruleset counts it from the wall break and nobody has said
    where that was. `false_winners` have lost this hand's right to win. `seat_change_due`: the seats are drawn anew
    before the next hand. `finished`: no hand follows.
    """

    rules: Ruleset
    seats: tuple[int, ...] = (0, 1, 2, 3)
    first_dealer: int = 0
    dealer: int = 0
    streak: int = 0
    round_number: int = 0
    game: int = 1
    hand_number: int = 1
    east: int = 0
    east_known: bool = True
    false_winners: tuple[int, ...] = ()
    seat_change_due: bool = False
    finished: bool = False
    dealer_known: bool = True
    out: tuple[int, ...] = ()
    drawn_games: int = 0

    @property
    def round_wind(self) -> str:
        """圈風 of the coming hand."""
        return WINDS[self.round_number % 4]

    def seat_wind(self, player: int) -> str:
        """門風 of a place in the coming hand; an assumption while `east_known` is false."""
        return WINDS[(check_player(player, "player") - self.east) % 4]


def start_match(rules: Ruleset, first_dealer: int = 0) -> MatchState:
    """The state before the first hand. Raises SettlementError for a dealer who is no player."""
    check_player(first_dealer, "first_dealer")
    return _dealt(MatchState(rules, first_dealer=first_dealer), first_dealer)


def advance(state: MatchState, event: Event) -> MatchState:
    """The state after an event. Raises MatchError where the event contradicts the state, naming what is possible."""
    if state.finished:
        raise MatchError("the match is over; start another one", "event")
    if state.seat_change_due and not isinstance(event, SeatChange):
        raise MatchError("搬風: four rounds are over, the seats are drawn first; give a SeatChange", "event")
    try:
        return _STEPS[type(event)](state, event)
    except SettlementError as error:
        raise MatchError(str(error), error.field) from None


def replay(state: MatchState, events: Iterable[Event]) -> MatchState:
    """The state after all events in order. Raises as advance."""
    for event in events:
        state = advance(state, event)
    return state


def _dealt(state: MatchState, dealer: int) -> MatchState:
    """The state with its dealer set and the winds counted from there until a wall break says otherwise."""
    from_wall = state.rules.match["seat_winds"] == "wall_break"
    return replace(state, dealer=dealer, east=dealer, east_known=not from_wall, false_winners=(), out=())


def next_hand(state: MatchState, dealer: int | None) -> MatchState:
    """The coming hand, of a ruleset in which the deal does not rotate; dealer None: who deals is not known yet."""
    stays = dealer == state.dealer
    following = replace(
        state,
        streak=state.streak + 1 if stays else 0,
        hand_number=state.hand_number + 1,
        dealer_known=dealer is not None,
    )
    return _dealt(following, state.dealer if dealer is None else dealer)


def _win(state: MatchState, event: WinEvent) -> MatchState:
    winners = [check_player(winner, "winners") for winner in event.winners]
    if not winners or len(set(winners)) != len(winners):
        raise MatchError("winners: one player, or several different ones", "winners")
    if event.dealt and not (event.loser is None and state.rules.known_flags & FLAG_BIT["initial"]):
        raise MatchError(
            "dealt: this ruleset has no win on the tiles as dealt, or a discard was won; leave it out", "dealt"
        )
    if event.loser is None and len(winners) > 1 and not event.dealt:
        raise MatchError("winners: only one player can win by self-draw; name the loser", "winners")
    gone = sorted(player for player in state.out if player in (*winners, event.loser))
    if gone:
        raise MatchError(f"血戰: player {gone[0]} has won this hand already and is out of it", "winners")
    if event.loser is not None:
        paid = paid_winners(state.rules, winners, event.loser)
        if set(paid) != set(winners):
            raise MatchError(f"攔和: the nearest to the discarder wins alone; give winners ({paid[0]},)", "winners")
    barred = sorted(set(winners) & set(state.false_winners))
    if barred:
        raise MatchError(f"詐胡: player {barred[0]} declared a false win in this hand and cannot win it", "winners")
    return NEXT_DEALER[state.rules.match["next_dealer"]](state, event)


def _draw(state: MatchState, event: DrawEvent) -> MatchState:
    reasons = state.rules.match["draws"]
    if event.reason not in reasons:
        raise MatchError(f"draw {event.reason!r}: this ruleset knows {', '.join(reasons)}", "reason")
    if event.player is not None:
        check_player(event.player, "player")
    return NEXT_DEALER[state.rules.match["next_dealer"]](state, event)


def _false_win(state: MatchState, event: FalseWinEvent) -> MatchState:
    """What a false win does to the hand; the texts of [000], [002] and [003] leave it open, so it is an option."""
    player = check_player(event.player, "player")
    consequence = state.rules.options["false_win"]
    if consequence == "goes_on":
        if player in state.false_winners:
            raise MatchError(f"player {player} has declared a false win in this hand already", "player")
        return replace(state, false_winners=(*state.false_winners, player))
    if consequence == "dealer_passes" and player == state.dealer:
        return _pass_deal(state)
    return _dealt(state, state.dealer)


def _dealer_drawn(state: MatchState, event: DealerDrawn) -> MatchState:
    player = check_player(event.player, "player")
    if state.dealer_known:
        raise MatchError(f"player {state.dealer} deals this hand: the last one decided it, or it was told", "event")
    return replace(_dealt(state, player), dealer_known=True)


def _wall_break(state: MatchState, event: WallBreak) -> MatchState:
    player = check_player(event.player, "player")
    if state.rules.match["seat_winds"] != "wall_break":
        raise MatchError("this ruleset counts the winds from the dealer, not from the wall break", "event")
    if state.east_known and state.east != player:
        raise MatchError(f"the wall of this hand was broken at seat {state.east} already", "player")
    return replace(state, east=player, east_known=True)


def _seat_change(state: MatchState, event: SeatChange) -> MatchState:
    """四人新座位之相互顺序不得与前一将完全相同,否则重搬 [000]."""
    if not state.seat_change_due:
        raise MatchError("搬風: the seats are drawn anew only after four rounds", "event")
    if sorted(event.seats) != list(PLAYERS):
        raise MatchError("seats: the four persons 0, 1, 2, 3, each once", "seats")
    first_dealer = check_player(event.first_dealer, "first_dealer")
    start = event.seats.index(state.seats[0])
    if (*event.seats[start:], *event.seats[:start]) == state.seats:
        raise MatchError("搬風: the four sit in the same order as before; draw again", "seats")
    fresh = replace(
        state,
        seats=tuple(event.seats),
        first_dealer=first_dealer,
        streak=0,
        round_number=0,
        game=state.game + 1,
        seat_change_due=False,
    )
    return _dealt(fresh, first_dealer)


_STEPS: dict[type, Callable[..., MatchState]] = {
    WinEvent: _win,
    DrawEvent: _draw,
    FalseWinEvent: _false_win,
    DealerDrawn: _dealer_drawn,
    WallBreak: _wall_break,
    SeatChange: _seat_change,
}


# --- who deals next --------------------------------------------------------------------------------------------------


def _rotating(state: MatchState, event: WinEvent | DrawEvent) -> MatchState:
    """The dealer stays after winning, and after a draw where the option says so; else the next player deals."""
    if isinstance(event, DrawEvent):
        stays = bool(state.rules.options["draw_keeps_dealer"])
    else:
        stays = state.dealer in event.winners
    if stays:
        return _dealt(replace(state, streak=state.streak + 1, hand_number=state.hand_number + 1), state.dealer)
    return _pass_deal(state)


def _pass_deal(state: MatchState) -> MatchState:
    """下莊: the next player deals; back at the first dealer the next round begins, after the last one the game ends."""
    dealer = (state.dealer + 1) % 4
    rounds = state.round_number + (dealer == state.first_dealer)
    over = rounds == state.rules.match["rounds"] > 0  # 0: 周而复始, until the players stop
    follows = state.rules.match["after_game"] == "seat_change"
    following = replace(
        state,
        streak=0,
        round_number=rounds,
        hand_number=state.hand_number + 1,
        seat_change_due=over and follows,
        finished=over and not follows,
    )
    return _dealt(following, dealer)


NEXT_DEALER: dict[str, Callable[[MatchState, WinEvent | DrawEvent], MatchState]] = {"rotating": _rotating}
"""How the next dealer is found, by the name a ruleset's match table gives; scoring.match_winner has more."""
