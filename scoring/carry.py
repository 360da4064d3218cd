"""拉 [001]: winnings left standing from hand to hand, as a pure state, exact to the cent.

台灣麻雀食胡毋須立即交收,輸的數目先放於自己位. A loser eaten again by the same winner first owes half as much more
(輸家先多輸前一鋪數目的百分之五十); who is not eaten again owes what he owed, and nobody pays (所有輸家仍然毋須交收).
When another player wins, all debts are paid, and a loser who eats the winner pays half (輸家反過來食番先前羸家,則輸家
可少付輸前累積數目的百分之五十). Several winners on one discard are carried one after the other, in turn order from the
discarder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from scoring.errors import SettlementError
from scoring.messages import Message, message
from scoring.ruleset import Ruleset
from scoring.settlement import PLAYERS, Line, Part, Players, Settlement, Stake, check_player

Amounts = tuple[Decimal, Decimal, Decimal, Decimal]
ZERO = Decimal(0)
NOTHING: Amounts = (ZERO, ZERO, ZERO, ZERO)
_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Carry:
    """What stands on the table: `owed[player]` to `winner`, whose own place is 0; winner None where nothing stands.

    Raises SettlementError for a winner who is no player, for debts below 0 and for debts to nobody.
    """

    winner: int | None = None
    owed: Amounts = NOTHING

    def __post_init__(self) -> None:
        if self.winner is not None:
            check_player(self.winner, "carry_state.winner")
        if len(self.owed) != 4 or any(amount < 0 for amount in self.owed):
            raise SettlementError("carry_state.owed: what each player owes, 0 or more", "carry_state.owed")
        if any(self.owed[player] for player in PLAYERS if self.winner in (None, player)):
            raise SettlementError(
                "carry_state.owed: debts are to the winner; name him, and 0 for him", "carry_state.owed"
            )


@dataclass(frozen=True, slots=True)
class Debt:
    """How a debt grew: `before`, `more` for being eaten again by the same winner, `added` by this win."""

    player: int
    before: Decimal
    more: Decimal
    added: Decimal

    @property
    def after(self) -> Decimal:
        """What the player owes now."""
        return self.before + self.more + self.added


@dataclass(frozen=True, slots=True)
class Paid:
    """A debt paid: `owed` before, `amount` what was paid, less than owed where the player ate the winner back."""

    payer: int
    payee: int
    owed: Decimal
    amount: Decimal


@dataclass(frozen=True, slots=True)
class CarryStep:
    """What one win does: the state after it, the debts it made or raised, the debts that are paid now."""

    state: Carry
    debts: tuple[Debt, ...]
    paid: tuple[Paid, ...]

    @property
    def payments(self) -> Amounts:
        """Net change of the four players; sums to zero."""
        net = [ZERO] * 4
        for row in self.paid:
            net[row.payer] -= row.amount
            net[row.payee] += row.amount
        return net[0], net[1], net[2], net[3]

    @property
    def reasons(self) -> tuple[Message, ...]:
        """Each payment and each debt as a sentence; players are numbered from 1."""
        told = []
        for row in self.paid:
            code = "carry_paid" if row.amount == row.owed else "carry_paid_back"
            sums = {"owed": number(row.owed), "amount": number(row.amount)}
            told.append(message(code, player=row.payer + 1, winner=row.payee + 1, **sums))
        for debt in self.debts:
            code = "carry_raised" if debt.before else "carry_made"
            sums = {name: number(getattr(debt, name)) for name in ("before", "more", "added", "after")}
            told.append(message(code, player=debt.player + 1, winner=(self.state.winner or 0) + 1, **sums))
        return tuple(told)


def carry_win(state: Carry, win: Settlement, rules: Ruleset, stake: Stake) -> CarryStep:
    """Carries the payments of a win (scoring.settle) instead of paying them.

    Raises SettlementError where the ruleset settles every hand at once, and for payments that are not one win's.
    """
    table = _carry_table(rules)
    payees = {line.payee for line in win.lines}
    if len(payees) != 1:
        raise SettlementError("settlement: the payments of one win, all to its winner", "settlement")
    winner = payees.pop()
    added = {line.payer: Decimal(line.amount) for line in win.lines}
    if state.winner in (None, winner):
        debts = tuple(_raised(state, player, amount, table) for player, amount in sorted(added.items()))
        return CarryStep(_with_debts(winner, state.owed, debts), debts, ())
    eaten_back = state.winner in added
    less = Decimal(stake.tai if rules.options.get("hk_half_slip") == "28.5" else 0)
    paid = tuple(
        _paid(state, player, table["back_percent"] if eaten_back and player == winner else None, less)
        for player in PLAYERS
        if state.owed[player]
    )
    debts = tuple(Debt(player, ZERO, ZERO, amount) for player, amount in sorted(added.items()))
    return CarryStep(_with_debts(winner, NOTHING, debts), debts, paid)


def settle_carry(state: Carry) -> CarryStep:
    """Everything owed is paid in full, as at the end of a match."""
    paid = tuple(_paid(state, player, None, ZERO) for player in PLAYERS if state.owed[player])
    return CarryStep(Carry(), (), paid)


def _carry_table(rules: Ruleset) -> Mapping[str, Any]:
    table = rules.settlement.get("carry")
    if table is None:
        raise SettlementError(f"{rules.name} pays every win at once: nothing is carried over", "ruleset")
    return dict(table)


def _raised(state: Carry, player: int, added: Decimal, table: Mapping[str, Any]) -> Debt:
    before = state.owed[player]
    return Debt(player, before, _cents(before * table["more_percent"] / 100), added)


def _with_debts(winner: int, owed: Amounts, debts: tuple[Debt, ...]) -> Carry:
    now = list(owed)
    for debt in debts:
        now[debt.player] = debt.after
    return Carry(winner, (now[0], now[1], now[2], now[3]))


def _paid(state: Carry, player: int, percent: int | None, less: Decimal) -> Paid:
    owed = state.owed[player]
    amount = owed if percent is None else max(ZERO, _cents(owed * percent / 100) - less)
    return Paid(player, state.winner or 0, owed, amount)


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(_CENT, ROUND_HALF_UP)


# --- as JSON values --------------------------------------------------------------------------------------------------


def win_of_event(event: Mapping[str, Any], stake: Stake) -> Settlement:
    """A win given as `{"winner": 0, "loser": null, "fan": 16}`: `fan` is what each payer pays, dealer items included.

    Where they pay differently, `payer_tai` names them, as in `{"payer_tai": {"0": 18, "1": 15, "3": 15}}`. Raises
    SettlementError naming the field at fault.
    """
    winner = check_player(event.get("winner"), "events.winner")
    loser = event.get("loser")
    players = Players(winner, loser, winner)
    payers = [player for player in PLAYERS if player != winner and players.loser in (None, player)]
    each = event.get("payer_tai")
    if each is None:
        each = {str(player): event.get("fan") for player in payers}
    if not isinstance(each, Mapping) or set(each) != {str(player) for player in payers}:
        raise SettlementError(f"events.payer_tai {each!r}: an object with the 番 of each payer", "events.payer_tai")
    return Settlement(tuple(_line(player, winner, each[str(player)], stake) for player in payers))


def _line(payer: int, payee: int, fan: object, stake: Stake) -> Line:
    if isinstance(fan, bool) or not isinstance(fan, int) or fan < 0:
        raise SettlementError(f"events.fan {fan!r}: a whole number from 0", "events.fan")
    parts = (Part("base", 0, stake.di), Part("hand", fan, fan * stake.tai))
    return Line(payer, payee, stake.di + fan * stake.tai, fan, parts)


def carry_of(value: object) -> Carry:
    """A state from JSON, `{"winner": 0, "owed": {"1": 26}}`; null is the empty one. Raises SettlementError."""
    if value is None:
        return Carry()
    owed = value.get("owed") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(owed, Mapping) or not set(owed) <= set("0123"):
        raise SettlementError(
            f'carry_state {value!r}: an object such as {{"winner": 0, "owed": {{"1": 26}}}}', "carry_state"
        )
    amounts = [_money(owed.get(str(player), 0)) for player in PLAYERS]
    return Carry(value.get("winner"), (amounts[0], amounts[1], amounts[2], amounts[3]))


def _money(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SettlementError(f"carry_state.owed {value!r}: amounts of money, such as 29.5", "carry_state.owed")
    return _cents(Decimal(str(value)))


def carry_answer(state: Carry) -> dict[str, Any]:
    """A state as JSON values: debts by player, the winner they are owed to, and both again to be handed back."""
    owed = {str(player): number(amount) for player, amount in enumerate(state.owed) if amount}
    return {"carry": owed, "carry_winner": state.winner, "carry_state": {"winner": state.winner, "owed": owed}}


def number(amount: Decimal) -> int | float:
    """An amount as JSON has it: a whole number where it is one."""
    return int(amount) if amount == amount.to_integral_value() else float(amount)
