"""Makes the view that displays and pages draw, from the account and the hand on show."""

from __future__ import annotations

from scoring.view import ScoreView, SeatView, TableState
from taicam.board import Board
from taicam.facts import WINDS, Facts
from taicam.house import Case, House
from taicam.ledger import LedgerView
from taicam.views import hand_view, item_views, payment_changes, payment_lines
from taicam.words import WIND_NAMES


def totals(account: LedgerView) -> list[int]:
    """The running account of the four places, in turn order, over every hand that counts."""
    sums = [0, 0, 0, 0]
    for hand in account.counted():
        for player, change in payment_changes(hand.answer.get("payments") or {}).items():
            sums[player] += change
    return sums


class Presenter:
    """Publishes to one board in the words of one house."""

    def __init__(self, board: Board, house: House) -> None:
        self.board = board
        self.house = house

    def show(
        self,
        account: LedgerView,
        state: TableState,
        message: str,
        *,
        case: Case | None = None,
        picture: str = "",
        doubts: tuple[str, ...] = (),
    ) -> None:
        """Publish the account and, when there is one, the hand of `case`."""
        facts = case.facts if case else Facts()
        wins = case is not None and case.wins
        answer = case.answer if case and wins else {}
        now = self.board.view
        self.board.publish(
            ScoreView(
                state=state,
                round_wind=facts.round_wind,
                hand_number=max(1, len(account.counted())),
                dealer_wind=WINDS[facts.dealer_player or 0],
                streak=facts.streak,
                seats=self.seats(account, case),
                hand=hand_view(case.record) if case else None,
                items=item_views(answer),
                total=answer.get("total"),
                unit=str(answer.get("unit") or "台"),
                message=message,
                doubts=doubts,
                payments=payment_lines(answer, WIND_NAMES[self.house.language]),
                camera=now.camera,
                machine=now.machine,
                picture=case.name if case else picture,
            )
        )

    def seats(self, account: LedgerView, case: Case | None = None) -> tuple[SeatView, ...]:
        """The four places with their totals, and what the hand of `case` changes."""
        wins = case is not None and case.wins
        changes = payment_changes(case.answer.get("payments") or {}) if case and wins else {}
        facts = case.facts if case else Facts()
        sums = totals(account)
        return tuple(
            SeatView(
                wind=wind,
                total=sums[player],
                change=changes.get(player, 0),
                dealer=facts.dealer_player == player,
                winner=wins and facts.winner == player,
            )
            for player, wind in enumerate(WINDS)
        )
