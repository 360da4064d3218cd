"""A match from hand to hand: who deals, 連莊, winds, seats, the end, and what contradicts the state."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scoring import (
    DrawEvent,
    FalseWinEvent,
    MatchError,
    MatchState,
    Ruleset,
    SeatChange,
    SettlementError,
    Stake,
    WallBreak,
    WinEvent,
    advance,
    load_ruleset,
    read_ruleset,
    settle_events,
    settle_false_win,
    start_match,
)
from scoring.match import Event, replay
from scoring.settlement import paid_winners

TAIWAN, ONLINE = load_ruleset("taiwan"), load_ruleset("taipei-online")


def passed(state: MatchState, times: int) -> MatchState:
    """The deal passes on `times` times, the next player winning by self-draw."""
    for _ in range(times):
        state = advance(state, WinEvent(((state.dealer + 1) % 4,)))
    return state


def test_dealer_stays_after_winning_and_after_a_draw() -> None:
    """庄家和牌或该盘荒局应连庄 [000]."""
    state = start_match(TAIWAN, first_dealer=2)
    assert (state.dealer, state.streak, state.round_wind, state.hand_number) == (2, 0, "E", 1)
    state = advance(state, WinEvent((2,), 1))
    assert (state.dealer, state.streak, state.hand_number) == (2, 1, 2)
    state = advance(state, DrawEvent())
    assert (state.dealer, state.streak, state.hand_number) == (2, 2, 3)
    state = advance(state, WinEvent((2,)))
    assert (state.dealer, state.streak) == (2, 3)


def test_deal_passes_on_and_the_round_turns_at_the_first_dealer() -> None:
    """每次轮到起庄位时即为次一风圈之始 [000]."""
    state = advance(start_match(TAIWAN, 2), WinEvent((0,), 2))
    assert (state.dealer, state.streak, state.round_wind) == (3, 0, "E")
    state = passed(state, 2)
    assert (state.dealer, state.round_wind) == (1, "E")
    state = passed(state, 1)
    assert (state.dealer, state.round_wind, state.round_number) == (2, "S", 1)
    assert passed(state, 4).round_wind == "W"


def test_online_the_deal_passes_after_a_draw() -> None:
    """莊家如果胡牌,則下一把可繼續連莊,否則即由莊家的下家做莊 [003]."""
    assert advance(start_match(ONLINE), DrawEvent()).dealer == 1
    assert advance(start_match(ONLINE), DrawEvent("four_kongs")).dealer == 1
    assert advance(start_match(load_ruleset("taipei-online", {"draw_keeps_dealer": True})), DrawEvent()).dealer == 0
    with pytest.raises(MatchError, match="this ruleset knows wall"):
        advance(start_match(TAIWAN), DrawEvent("four_kongs"))


def test_online_match_ends_after_four_rounds() -> None:
    """牌局通常在四位玩家輪流做過四次莊後結束 [003]."""
    state = passed(start_match(ONLINE), 15)
    assert not state.finished
    state = passed(state, 1)
    assert state.finished
    for event in (WinEvent((0,)), DrawEvent(), SeatChange((1, 0, 2, 3))):
        with pytest.raises(MatchError, match="is over"):
            advance(state, event)


def test_seats_are_drawn_anew_after_four_rounds() -> None:
    """次将起每将于原座位搬风 … 相互顺序不得与前一将完全相同,否则重搬 [000]."""
    state = passed(start_match(TAIWAN, 1), 16)
    assert state.seat_change_due
    assert not state.finished
    with pytest.raises(MatchError, match="搬風"):
        advance(state, WinEvent((0,)))
    for seats in ((0, 1, 2, 3), (2, 3, 0, 1), (3, 0, 1, 2)):
        with pytest.raises(MatchError, match="draw again"):
            advance(state, SeatChange(seats))
    state = advance(state, SeatChange((2, 0, 1, 3), first_dealer=3))
    assert (state.seats, state.dealer, state.first_dealer) == ((2, 0, 1, 3), 3, 3)
    assert (state.game, state.round_wind, state.streak, state.seat_change_due) == (2, "E", 0, False)
    with pytest.raises(MatchError, match="only after four rounds"):
        advance(state, SeatChange((0, 1, 2, 3)))


@pytest.mark.parametrize("seats", [(0, 1, 2), (0, 0, 1, 2), (1, 2, 3, 4)])
def test_seats_hold_everybody_once(seats: tuple[int, ...]) -> None:
    with pytest.raises(MatchError, match="each once"):
        advance(passed(start_match(TAIWAN), 16), SeatChange(seats))


def test_winds_come_from_the_wall_break() -> None:
    """开门位即为该一盘之东位 [000]: an assumption until somebody says where it was."""
    state = start_match(TAIWAN)
    assert not state.east_known
    assert state.seat_wind(0) == "E"
    state = advance(state, WallBreak(3))
    assert state.east_known
    assert [state.seat_wind(player) for player in range(4)] == ["S", "W", "N", "E"]
    assert advance(state, WallBreak(3)) == state
    with pytest.raises(MatchError, match="at seat 3 already"):
        advance(state, WallBreak(1))
    following = advance(state, WinEvent((1,), 2))
    assert not following.east_known
    assert following.seat_wind(1) == "E"
    with pytest.raises(SettlementError):
        state.seat_wind(4)


def house(lines: str) -> Ruleset:
    return read_ruleset(f'name = "house"\nextends = "taiwan"\n{lines}')


def test_winds_may_come_from_the_dealer() -> None:
    state = start_match(house('[match]\nseat_winds = "dealer"\n'), 1)
    assert state.east_known
    assert state.seat_wind(2) == "S"
    with pytest.raises(MatchError, match="from the dealer"):
        advance(state, WallBreak(0))


def test_false_win_is_an_option() -> None:
    state = advance(advance(start_match(TAIWAN), WinEvent((0,))), WallBreak(2))
    replayed = advance(state, FalseWinEvent(1))
    assert (replayed.dealer, replayed.streak, replayed.hand_number, replayed.east_known) == (0, 1, 2, False)
    going = start_match(load_ruleset("taiwan", {"false_win": "goes_on"}))
    going = advance(going, FalseWinEvent(1))
    assert going.false_winners == (1,)
    with pytest.raises(MatchError, match="cannot win it"):
        advance(going, WinEvent((1,)))
    with pytest.raises(MatchError, match="already"):
        advance(going, FalseWinEvent(1))
    assert advance(going, WinEvent((2,), 1)).false_winners == ()
    passing = start_match(load_ruleset("taiwan", {"false_win": "dealer_passes"}))
    assert advance(passing, FalseWinEvent(0)).dealer == 1
    assert advance(passing, FalseWinEvent(1)).dealer == 0


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (WinEvent(()), "one player"),
        (WinEvent((1, 1), 2), "different"),
        (WinEvent((1, 2)), "name the loser"),
        (WinEvent((4,), 1), "players are 0, 1, 2, 3"),
        (WinEvent((1,), 1), "not the discarder"),
        (WinEvent((1,), 7), "players are 0, 1, 2, 3"),
        (WinEvent((1, 0), 2), "攔和"),
        (FalseWinEvent(5), "players are 0, 1, 2, 3"),
        (WallBreak(-1), "players are 0, 1, 2, 3"),
    ],
)
def test_events_that_cannot_be(event: Event, says: str) -> None:
    with pytest.raises(MatchError, match=says):
        advance(start_match(TAIWAN), event)


def test_first_dealer_is_a_player() -> None:
    wrong: Any = "0"
    with pytest.raises(SettlementError):
        start_match(TAIWAN, wrong)


def test_several_winners_where_all_are_paid() -> None:
    rules = load_ruleset("taiwan", {"multi_ron": "all"})
    assert advance(start_match(rules), WinEvent((1, 0), 2)).streak == 1
    assert advance(start_match(rules), WinEvent((1, 3), 2)).dealer == 1


def random_event(rng: random.Random, state: MatchState) -> Event:
    if state.seat_change_due:
        order = list(state.seats)
        order[1], order[3] = order[3], order[1]
        return SeatChange(tuple(order), rng.randrange(4))
    choice = rng.random()
    if choice < 0.1:
        return DrawEvent()
    if choice < 0.15:
        return FalseWinEvent(rng.randrange(4))
    if choice < 0.3 and not state.east_known:
        return WallBreak(rng.randrange(4))
    winner = rng.randrange(4)
    return WinEvent((winner,), None if rng.random() < 0.4 else (winner + rng.randint(1, 3)) % 4)


@pytest.mark.parametrize("name", ["taiwan", "taiwan-alt", "taipei-online"])
def test_a_thousand_hands(name: str) -> None:
    """A played-out match never contradicts itself, its account sums to zero, and replaying it gives the same."""
    rules, rng = load_ruleset(name), random.Random(name)
    state = start = start_match(rules, 1)
    events: list[Event] = []
    totals, games = [0, 0, 0, 0], 0
    for _ in range(1000):
        if state.finished:
            games += 1
            assert replay(start, events) == state
            state, events = start, []
        event = random_event(rng, state)
        before = state
        state = advance(state, event)
        events.append(event)
        if isinstance(event, FalseWinEvent):
            totals = [a + b for a, b in zip(totals, settle_false_win(event.player, 50).payments, strict=True)]
        if isinstance(event, WinEvent | DrawEvent) and not state.seat_change_due:
            assert state.hand_number == before.hand_number + 1
            assert (state.dealer == before.dealer) == (state.streak == before.streak + 1)
        assert sorted(state.seats) == [0, 1, 2, 3]
        assert 0 <= state.round_number <= 4
        assert sorted(state.seat_wind(player) for player in range(4)) == sorted("ESWN")
        assert sum(totals) == 0
    assert replay(start, events) == state
    assert games > 0 or state.game > 3


def test_false_win_payment() -> None:
    assert settle_false_win(2, 100).payments == (100, 100, -300, 100)
    for wrong in (-1, True, 1.5):
        amount: Any = wrong
        with pytest.raises(SettlementError, match="whole number"):
            settle_false_win(2, amount)
    with pytest.raises(SettlementError):
        settle_false_win(4, 100)
    assert settle_events([], Stake(1, 1), TAIWAN).payments == (0, 0, 0, 0)
    assert paid_winners(TAIWAN, [1], 2) == (1,)
