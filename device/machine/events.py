"""What a machine reports: one frozen dataclass for each kind of event.

Seats are places at the table, 0 to 3 counter-clockwise from the side that the machine marks as its first; they are
not winds. 255 stands for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from device.machine.fields import (
    Int,
    PayloadError,
    Reader,
    Record,
    Wire,
    choice,
    many,
    text,
    u8,
    u16,
    u32,
    wire_field,
)

NOBODY = 255
WINDS = {0: "E", 1: "S", 2: "W", 3: "N"}
BUTTONS = {1: "win", 2: "self_draw", 3: "draw", 4: "undo", 5: "confirm"}
ZONES = {1: "hand", 2: "meld", 3: "flower", 4: "river", 5: "wall", 6: "win_tile"}
SEVERITIES = {0: "cleared", 1: "warning", 2: "stopped"}


def _tile_numbers() -> dict[int, str]:
    """The byte of every tile: high digit the family, low digit the number."""
    table = {0x10 * suit + n: f"{n}{letter}" for suit, letter in ((1, "m"), (2, "p"), (3, "s")) for n in range(1, 10)}
    table |= {0x41 + index: wind for index, wind in enumerate("ESWN")}
    table |= {0x51 + index: dragon for index, dragon in enumerate("CFP")}
    table |= {0x60 + n: f"f{n}" for n in range(1, 9)}
    return table | {0x7F: "back"}


TILES = _tile_numbers()


class EventBody(Record):
    """Base of the event kinds; CODE is the kind's byte, NAME its word in JSON."""


@dataclass(frozen=True, slots=True)
class Dice(EventBody):
    """Dice thrown; each value 1 to 6."""

    CODE: ClassVar[int] = 1
    NAME: ClassVar[str] = "dice"
    values: tuple[int, ...] = many(Int(1))


@dataclass(frozen=True, slots=True)
class Dealer(EventBody):
    """Who deals, and for the how-many-th time in a row beyond the first."""

    CODE: ClassVar[int] = 2
    NAME: ClassVar[str] = "dealer"
    seat: int = u8()
    streak: int = u8()


@dataclass(frozen=True, slots=True)
class RoundWind(EventBody):
    CODE: ClassVar[int] = 3
    NAME: ClassVar[str] = "round_wind"
    wind: str = choice(WINDS)


@dataclass(frozen=True, slots=True)
class RoundStart(EventBody):
    """A hand begins; `hand_number` counts the machine's hands and only rises."""

    CODE: ClassVar[int] = 4
    NAME: ClassVar[str] = "round_start"
    hand_number: int = u32()


@dataclass(frozen=True, slots=True)
class TilesDealt(EventBody):
    """The walls are up and `per_seat` tiles lie before each player; `first_seat` got the first four."""

    CODE: ClassVar[int] = 5
    NAME: ClassVar[str] = "tiles_dealt"
    first_seat: int = u8()
    per_seat: int = u8()


@dataclass(frozen=True, slots=True)
class Button(EventBody):
    """A player pressed a button. For `win`, `from_seat` is who threw the tile, NOBODY when the machine cannot know."""

    CODE: ClassVar[int] = 6
    NAME: ClassVar[str] = "button"
    seat: int = u8()
    button: str = choice(BUTTONS)
    from_seat: int = u8(default=NOBODY)


@dataclass(frozen=True, slots=True)
class TileSeen(EventBody):
    """A table with readers saw a tile laid down (`present` 1) or taken away (0) in a seat's zone."""

    CODE: ClassVar[int] = 7
    NAME: ClassVar[str] = "tile_seen"
    zone: str = choice(ZONES)
    seat: int = u8()
    tile: str = choice(TILES)
    present: int = u8(default=1)


@dataclass(frozen=True, slots=True)
class Points(EventBody):
    """Sticks or points before each seat, as the machine counts them."""

    CODE: ClassVar[int] = 8
    NAME: ClassVar[str] = "points"
    points: tuple[int, ...] = many(Int(4, signed=True), 4)


@dataclass(frozen=True, slots=True)
class Fault(EventBody):
    """Something is wrong with the machine (or `cleared`); `text` is for a person."""

    CODE: ClassVar[int] = 9
    NAME: ClassVar[str] = "fault"
    code: int = u16()
    severity: str = choice(SEVERITIES)
    text: str = text(100)


@dataclass(frozen=True, slots=True)
class UnknownEvent(EventBody):
    """A kind, or a value in one, that this version does not know: kept whole, so that nothing is lost."""

    NAME: ClassVar[str] = "unknown"
    kind: int = 0
    body: bytes = b""


BODIES: dict[int, type[EventBody]] = {
    body.CODE: body for body in (Dice, Dealer, RoundWind, RoundStart, TilesDealt, Button, TileSeen, Points, Fault)
}
BODY_NAMES = {body.NAME: body for body in BODIES.values()}


class _BodyWire(Wire):
    """Kind byte, length byte, body: so that an unknown kind can be skipped."""

    def pack(self, value: Any) -> bytes:
        if isinstance(value, UnknownEvent):
            return bytes([value.kind, len(value.body)]) + value.body
        body = value.pack()
        if len(body) > 255:
            raise PayloadError(f"an event body of {len(body)} bytes, at most 255 allowed")
        return bytes([value.CODE, len(body)]) + bytes(body)

    def unpack(self, reader: Reader) -> EventBody:
        kind, size = reader.take(2)
        data = reader.take(size)
        if kind not in BODIES:
            return UnknownEvent(kind, data)
        try:
            return BODIES[kind].unpack(data)
        except PayloadError:
            return UnknownEvent(kind, data)


def _event_body() -> Any:
    return wire_field(_BodyWire())


@dataclass(frozen=True, slots=True)
class MachineEvent(Record):
    """One entry of a machine's log.

    `boot` is the boot in which it happened, `number` counts from 1 within that boot; together they name the event for
    ever. `uptime_ms` is the machine's clock since that boot. `machine` is filled in by the host: the serial number.
    """

    NAME: ClassVar[str] = "event"
    boot: int = u32()
    number: int = u32()
    uptime_ms: int = u32()
    body: EventBody = _event_body()  # noqa: RUF009
    machine: str = ""

    @property
    def position(self) -> tuple[int, int]:
        """(boot, number): the event's place in the log."""
        return self.boot, self.number

    @property
    def key(self) -> str:
        """A name for ever: the key under which to record what the event causes, so that it is never done twice."""
        return f"{self.machine or 'machine'}/{self.boot:08x}/{self.number}"

    def dump(self) -> dict[str, Any]:
        head: dict[str, Any] = {"boot": self.boot, "number": self.number, "uptime_ms": self.uptime_ms}
        if isinstance(self.body, UnknownEvent):
            return {**head, "kind": self.body.kind, "body": self.body.body.hex()}
        return {**head, "kind": self.body.NAME, **self.body.dump()}

    @classmethod
    def load(cls, value: Mapping[str, Any]) -> MachineEvent:
        numbers = []
        for name in ("boot", "number", "uptime_ms"):
            if name not in value:
                raise PayloadError(f"event.{name} is missing")
            numbers.append(Int(4).load(value[name]))
        boot, number, uptime_ms = numbers
        return cls(boot, number, uptime_ms, _load_body(value))


def _load_body(value: Mapping[str, Any]) -> EventBody:
    kind = value.get("kind")
    if isinstance(kind, str) and kind in BODY_NAMES:
        return BODY_NAMES[kind].load(value)
    if not isinstance(kind, int):
        raise PayloadError(f"event.kind {kind!r} is none of {', '.join(BODY_NAMES)}")
    raw = value.get("body", "")
    if not isinstance(raw, str) or len(raw) > 510:
        raise PayloadError("event.body is not hexadecimal text of at most 255 bytes")
    try:
        return UnknownEvent(Int(1).load(kind), bytes.fromhex(raw))
    except ValueError:
        raise PayloadError("event.body is not hexadecimal text") from None
