"""Whose hand has been laid open: the winning one, or one that may be a misread win."""

from __future__ import annotations

from vision.table_reader import TableView

#: A hand is whole this soon after its faces came into view; one that becomes whole later stands before a camera that
#: sees it as it is played, and has drawn a tile.
OPENING_S = 4.0
#: Tiles a seat must show (a meld counts three) for its hand to be in view.
IN_VIEW = 10


class OpenHands:
    """Tells a hand laid open from one that the camera sees all along, from behind its player.

    A hand that wins as read is open. One with the right number of tiles that does not win as read, or one that lacks
    the winning tile (won from a discard that was left where it lay), is taken for open, to be asked about, when its
    faces have come into view just before: a misread tile must not make a win vanish.
    """

    def __init__(self) -> None:
        self._since: dict[int, float] = {}  # seat -> when its faces came into view, seconds
        self._opened: set[int] = set()  # seats whose hand was whole soon after

    def seat(self, view: TableView, now_s: float) -> int | None:
        """The seat whose hand lies open in `view`, seen at `now_s` (monotonic seconds); call it for every view."""
        for seat, reading in enumerate(view.seats):
            if len(reading.concealed) + 3 * len(reading.melds) < IN_VIEW:
                self._since.pop(seat, None)
                self._opened.discard(seat)
                continue
            since = self._since.setdefault(seat, now_s)
            if view.shows_hand(seat) and now_s - since <= OPENING_S:
                self._opened.add(seat)
        if view.winner is not None:
            return view.winner
        return view.unproven if view.unproven in self._opened else None
