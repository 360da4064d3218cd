"""What a machine's events say about the game: who deals, whose wind, who has won with which tiles. Pure.

Feed it every event in order; it answers with what a match has to do. Winds come from the dealer's seat, as at a real
table: the dealer is east, the next in turn south.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from device.machine.events import (
    Button,
    Dealer,
    Fault,
    MachineEvent,
    Points,
    RoundStart,
    RoundWind,
    TileSeen,
)

WINDS = "ESWN"


@dataclass(frozen=True, slots=True)
class WinAnnounced:
    """Somebody pressed the winning button: ask for a picture, or use `tiles` where the table has readers.

    `key` names the announcement for ever: record the hand under it. Seats are places, `seat_wind` the winner's wind;
    `from_seat` is None for a self-draw and when the machine cannot know. `tiles` maps zones (hand, meld, flower,
    win_tile) to codes, empty without readers.
    """

    key: str
    hand_number: int
    seat: int
    seat_wind: str
    from_seat: int | None
    self_draw: bool
    dealer: int
    streak: int
    round_wind: str
    tiles: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HandDrawn:
    """The wall is used up and nobody has won."""

    key: str
    hand_number: int


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A player agrees with what the display shows."""

    key: str
    seat: int


@dataclass(frozen=True, slots=True)
class UndoAsked:
    """A player wants the last entry taken back."""

    key: str
    seat: int


@dataclass(frozen=True, slots=True)
class HandStarted:
    """A new hand begins: whatever waited for a confirmation is over."""

    key: str
    hand_number: int


@dataclass(frozen=True, slots=True)
class MachineFault:
    """The machine is in trouble (or, `cleared`, out of it); `text` is for people."""

    key: str
    code: int
    severity: str
    text: str


TableNews = WinAnnounced | HandDrawn | Confirmed | UndoAsked | HandStarted | MachineFault


class MachineTable:
    """Follows one machine's events."""

    def __init__(self) -> None:
        self.dealer: int | None = None
        self.streak = 0
        self.round_wind = "E"
        self.hand_number = 0
        self.points: tuple[int, ...] = (0, 0, 0, 0)
        self._tiles: dict[tuple[int, str], list[str]] = {}

    def wind_of(self, seat: int) -> str:
        """A seat's wind, by the dealer's place; by the seat's own number while no dealer is known."""
        return WINDS[(seat - (self.dealer or 0)) % 4]

    def feed(self, event: MachineEvent) -> TableNews | None:
        """Take in the next event; returns what it means for the match, None when it only adds to the picture."""
        body = event.body
        match body:
            case Dealer():
                self.dealer, self.streak = body.seat % 4, body.streak
            case RoundWind():
                self.round_wind = body.wind
            case Points():
                self.points = body.points
            case TileSeen():
                self._tile(body)
            case RoundStart():
                self.hand_number = body.hand_number
                self._tiles.clear()
                return HandStarted(event.key, body.hand_number)
            case Button():
                return self._pressed(event, body)
            case Fault():
                return MachineFault(event.key, body.code, body.severity, body.text)
        return None

    def _tile(self, seen: TileSeen) -> None:
        zone = self._tiles.setdefault((seen.seat, seen.zone), [])
        if seen.present:
            zone.append(seen.tile)
        elif seen.tile in zone:
            zone.remove(seen.tile)

    def _pressed(self, event: MachineEvent, button: Button) -> TableNews | None:
        if button.button == "confirm":
            return Confirmed(event.key, button.seat)
        if button.button == "undo":
            return UndoAsked(event.key, button.seat)
        if button.button == "draw":
            return HandDrawn(event.key, self.hand_number)
        if button.seat > 3:
            return None  # a win by nobody is a firmware's mistake
        known = button.button == "win" and button.from_seat < 4 and button.from_seat != button.seat
        return WinAnnounced(
            event.key,
            self.hand_number,
            button.seat,
            self.wind_of(button.seat),
            button.from_seat if known else None,
            button.button == "self_draw",
            self.dealer or 0,
            self.streak,
            self.round_wind,
            {zone: tuple(tiles) for (seat, zone), tiles in self._tiles.items() if seat == button.seat and tiles},
        )
