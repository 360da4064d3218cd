"""What a table shows: the one value every display and web page draws from.

Pure data. `device.displays` renders it to bytes or text, `taicam.web` to JSON; both import it from here
because `scoring` is the only package both may know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

TableState = Literal["idle", "aiming", "reading", "confirm", "recorded", "not_winning"]
"""idle: nothing in view · aiming: tiles seen, not settled · reading · confirm: a doubtful reading waits for a tap ·
recorded: the ledger has it · not_winning: read, but no winning hand."""

HealthMark = Literal["ok", "warn", "fail", "off"]


class Said(NamedTuple):
    """Words for players in both languages; false where nothing is said."""

    zh: str = ""
    en: str = ""

    def __bool__(self) -> bool:
        return bool(self.zh or self.en)

    def text(self, lang: str) -> str:
        """The words in `lang` ("en", or anything else for Chinese); the other one where that is missing."""
        return (self.en or self.zh) if lang == "en" else (self.zh or self.en)


NOTHING = Said()


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat: `wind` is E, S, W or N; `total` and `change` are points of the running account."""

    wind: str
    name: str = ""
    total: int = 0
    change: int = 0
    dealer: bool = False
    winner: bool = False


@dataclass(frozen=True, slots=True)
class ItemView:
    """One scored item, e.g. 門清 1, with the tile codes it comes from."""

    key: str
    name_zh: str
    name_en: str
    value: int
    tiles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MeldView:
    kind: str
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HandView:
    """The tiles of the hand on show, as codes; `concealed` leaves the winning tile out."""

    concealed: tuple[str, ...] = ()
    melds: tuple[MeldView, ...] = ()
    flowers: tuple[str, ...] = ()
    win_tile: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreView:
    """Everything a display shows at one moment.

    `total` counts `unit` (台, 番, 花 …); `doubts` are short sentences on what must be confirmed;
    `payments` are name and net change; `transfers` say who pays whom how much, (payer, payee, amount).
    `message` is one line for the player; `picture` names the picture or frame it came from.
    """

    state: TableState = "idle"
    round_wind: str = "E"
    hand_number: int = 1
    dealer_wind: str = "E"
    streak: int = 0
    seats: tuple[SeatView, ...] = ()
    hand: HandView | None = None
    items: tuple[ItemView, ...] = ()
    total: int | None = None
    unit: str = "台"
    message: Said = NOTHING
    doubts: tuple[Said, ...] = ()
    payments: tuple[tuple[str, int], ...] = ()
    transfers: tuple[tuple[str, str, int], ...] = ()
    camera: HealthMark = "off"
    machine: HealthMark = "off"
    picture: str = ""
    sequence: int = 0

    @property
    def line(self) -> Said:
        """What a display with room for one line says: the message, else the first doubt."""
        return self.message or next(iter(self.doubts), NOTHING)
