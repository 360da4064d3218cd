"""A match of 1,000 Hong Kong hands: scored, settled, carried, with events between wins, draws and seat changes."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from decimal import Decimal

from hands_hk import make_hand

from scoring import Hand, Meld, Settlement, Stake, WinContext, load_ruleset, score_hand, settle, settle_events
from scoring.carry import Carry, carry_win, settle_carry
from scoring.match import (
    DrawEvent,
    Event,
    FalseWinEvent,
    MatchState,
    SeatChange,
    WinEvent,
    advance,
    replay,
    start_match,
)
from scoring.settlement import event_names

RULES = load_ruleset("hk-taiwan")
STAKE = Stake(10, 1)
HANDS = 1000


@dataclass
class Account:
    """What moved between the four persons so far, and what still stands."""

    carry: Carry
    net: list[Decimal]

    def add(self, payments: tuple[Decimal, ...] | tuple[int, ...]) -> None:
        assert sum(payments) == 0
        self.net = [before + change for before, change in zip(self.net, payments, strict=True)]


def win_in(state: MatchState, rng: random.Random) -> tuple[WinEvent, Settlement]:
    """A random winning hand of a random player, whose facts agree with the state."""
    while True:
        made = make_hand(rng)
        winner = rng.randrange(4)
        others = [player for player in range(4) if player != winner]
        case = replace(made.case, flags=made.case.flags - {"heavenly", "earthly"})
        context = WinContext(
            self_draw=case.drawn,
            seat_wind=state.seat_wind(winner),
            round_wind=state.round_wind,
            dealer=winner == state.dealer,
            streak=state.streak,
            flags=frozenset(case.flags),
            discards_count=made.discards,
        )
        melds = tuple(Meld(kind, tuple(tiles)) for kind, tiles in case.melds)
        score = score_hand(Hand(tuple(case.concealed), melds, tuple(case.flowers), case.win), context, RULES)
        if score.wins and winner not in state.false_winners:
            loser = None if case.drawn else rng.choice(others)
            win = settle(score, winner=winner, loser=loser, dealer=state.dealer, stake=STAKE)
            return WinEvent((winner,), loser), win


def check_state(before: MatchState, event: Event, after: MatchState) -> None:
    """摸和臨庄; otherwise the next player deals with no streak."""
    if isinstance(event, FalseWinEvent | SeatChange):
        return
    stays = isinstance(event, DrawEvent) or before.dealer in event.winners
    assert after.dealer == (before.dealer if stays else (before.dealer + 1) % 4)
    assert after.streak == (before.streak + 1 if stays else 0)
    assert after.hand_number == before.hand_number + 1
    assert after.seat_wind(after.dealer) == "E"
    assert 0 <= after.round_number <= 4


def test_a_thousand_hands() -> None:
    rng = random.Random(2005)
    state = start_match(RULES)
    account, events = Account(Carry(), [Decimal(0)] * 4), []
    wins = 0
    while state.hand_number <= HANDS:
        if state.seat_change_due:
            account.add(settle_carry(account.carry).payments)
            account.carry = Carry()
            event: Event = SeatChange(rng.choice([(1, 0, 3, 2), (0, 2, 1, 3), (3, 1, 0, 2)]), rng.randrange(4))
            if event.seats in {(*state.seats[turn:], *state.seats[:turn]) for turn in range(4)}:
                event = SeatChange((*event.seats[1::-1], *event.seats[2:]), event.first_dealer)
        elif rng.random() < 0.15:
            event = DrawEvent()
        elif rng.random() < 0.05 and not state.false_winners:
            event = FalseWinEvent(rng.randrange(4))
            account.add(settle_events([{"kind": "詐糊", "player": event.player}], STAKE, RULES).payments)
        else:
            if rng.random() < 0.2:
                between = {"kind": rng.choice(event_names(RULES)), "player": rng.randrange(4)}
                account.add(settle_events([between], STAKE, RULES).payments)
            event, win = win_in(state, rng)
            step = carry_win(account.carry, win, RULES, STAKE)
            account.add(step.payments)
            account.carry = step.state
            assert account.carry.winner == event.winners[0]
            wins += 1
        after = advance(state, event)
        check_state(state, event, after)
        events.append(event)
        state = after
    account.add(settle_carry(account.carry).payments)
    assert sum(account.net) == 0
    assert wins > 700
    assert replay(start_match(RULES), events) == state
