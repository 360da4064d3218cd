"""Makes the view that displays and pages draw, from how the table stands and the hand on show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scoring.view import HandView, ItemView, Said, ScoreView, SeatView, TableState
from taicam.board import Board
from taicam.facts import WINDS, Facts
from taicam.house import Case
from taicam.ledger import LedgerView
from taicam.match.replay import Played, Standing
from taicam.views import hand_view, item_views, payment_changes, payment_transfers
from taicam.words import WIND_NAMES, Language

NOBODY = ("", "", "", "")
NO_CHANGE = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class TableNow:
    """How the table stands: the round, the deal, and the four places in turn order."""

    round_wind: str = "E"
    hand_number: int = 1
    dealer: int | None = None
    streak: int = 0
    seat_winds: tuple[str, ...] = WINDS
    names: tuple[str, ...] = NOBODY
    totals: tuple[int, ...] = NO_CHANGE


@dataclass(frozen=True, slots=True)
class Shown:
    """The hand on show with what it scores; `changes` are by place, `transfers` (payer, payee, amount) by place."""

    hand: HandView | None = None
    items: tuple[ItemView, ...] = ()
    total: int | None = None
    unit: str = "台"
    changes: tuple[int, ...] = NO_CHANGE
    transfers: tuple[tuple[int, int, int], ...] = ()
    winners: frozenset[int] = field(default_factory=frozenset)
    picture: str = ""
    doubts: tuple[Said, ...] = ()


def free_totals(account: LedgerView) -> tuple[int, ...]:
    """The account of the four places over the hands played outside any match."""
    sums = [0, 0, 0, 0]
    for hand in account.counted():
        for player, change in payment_changes(hand.answer.get("payments") or {}).items():
            sums[player] += change
    return tuple(sums)


def free_table(account: LedgerView, facts: Facts | None = None) -> TableNow:
    """The table when no match runs: places are E S W N, everything else as the facts of the hand say."""
    facts = facts or Facts()
    count = sum(1 for hand in account.counted() if hand.match_id is None)
    return TableNow(
        round_wind=facts.round_wind,
        hand_number=max(1, count),
        dealer=facts.dealer_player,
        streak=facts.streak,
        totals=free_totals(account),
    )


def match_table(standing: Standing, played: Played | None = None) -> TableNow:
    """The table of a match: as it stands for the next hand, or as it stood in the hand just played."""
    progress = standing.progress
    names, totals = tuple(standing.seat_names()), tuple(standing.seat_totals())
    if played is not None:
        return TableNow(
            played.round_wind, played.hand_number, played.dealer, played.streak, played.seat_winds, names, totals
        )
    winds = tuple(progress.seat_wind(place) for place in range(len(WINDS)))
    dealer = progress.dealer if progress.dealer_known else None
    return TableNow(progress.round_wind, progress.hand_number, dealer, progress.streak, winds, names, totals)


def shown_case(case: Case, doubts: tuple[Said, ...] = (), *, scored: bool = True, paid: bool = True) -> Shown:
    """A hand that was read; its score is left out where it still depends on what nobody said, and what it changes
    where it is not recorded yet."""
    wins = case.wins and scored
    answer: Mapping[str, Any] = case.answer if wins else {}
    changes = payment_changes(answer.get("payments") or {}) if paid else {}
    return Shown(
        hand=hand_view(case.record),
        items=item_views(answer),
        total=answer.get("total"),
        unit=str(answer.get("unit") or "台"),
        changes=tuple(changes.get(place, 0) for place in range(4)),
        transfers=payment_transfers([answer]) if paid else (),
        winners=frozenset({case.facts.winner}) if wins else frozenset(),
        picture=case.name,
        doubts=doubts,
    )


def shown_played(played: Played) -> Shown:
    """A hand of a match as it was scored; of several winners the first one's tiles."""
    if not played.wins:
        return Shown(changes=played.changes, transfers=_false_win_transfers(played), picture=played.entry.picture)
    first = played.wins[0]
    return Shown(
        hand=hand_view(first.record),
        items=item_views(first.answer),
        total=first.answer.get("total"),
        unit=str(first.answer.get("unit") or "台"),
        changes=played.changes,
        transfers=payment_transfers(win.answer for win in played.wins),
        winners=frozenset(win.place for win in played.wins),
        picture=played.entry.picture,
    )


def _false_win_transfers(played: Played) -> tuple[tuple[int, int, int], ...]:
    payer = played.submission.place
    if payer is None:
        return ()
    return tuple((payer, payee, change) for payee, change in enumerate(played.changes) if change > 0)


class Presenter:
    """Publishes to one board; seats nobody has a name for are called in `language`."""

    def __init__(self, board: Board, language: Language) -> None:
        self.board = board
        self._language = language

    def show(self, state: TableState, message: Said, table: TableNow, shown: Shown | None = None) -> None:
        """Publish the table and, when there is one, the hand on show."""
        shown = shown or Shown()
        now = self.board.view
        names = [name or WIND_NAMES[self._language][place] for place, name in enumerate(table.names)]
        self.board.publish(
            ScoreView(
                state=state,
                round_wind=table.round_wind,
                hand_number=table.hand_number,
                dealer_wind=table.seat_winds[table.dealer or 0],
                streak=table.streak,
                seats=seat_views(table, shown),
                hand=shown.hand,
                items=shown.items,
                total=shown.total,
                unit=shown.unit,
                message=message,
                doubts=shown.doubts,
                payments=tuple(zip(names, shown.changes, strict=True)) if any(shown.changes) else (),
                transfers=tuple((names[payer], names[payee], amount) for payer, payee, amount in shown.transfers),
                camera=now.camera,
                machine=now.machine,
                picture=shown.picture,
            )
        )


def seat_views(table: TableNow, shown: Shown) -> tuple[SeatView, ...]:
    """The four places with their totals and what the hand on show changed."""
    return tuple(
        SeatView(
            wind=table.seat_winds[place],
            name=table.names[place],
            total=table.totals[place],
            change=shown.changes[place],
            dealer=table.dealer == place,
            winner=place in shown.winners,
        )
        for place in range(4)
    )
