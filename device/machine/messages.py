"""Every message of the protocol, and the packet that carries one.

Types below 0x80 go from host to machine, the others from machine to host: whoever hears its own echo on a shared line
knows it by the type. `docs/machine-protocol.md` is the specification; this is its code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from device.machine.events import WINDS, MachineEvent
from device.machine.fields import (
    Int,
    Nested,
    PayloadError,
    Reader,
    Record,
    Wire,
    blob,
    choice,
    many,
    nested,
    text,
    u8,
    u16,
    u32,
    wire_field,
)

PROTOCOL = 1
POINT_TO_POINT = 0
BROADCAST = 255
FLAG_REPEAT = 0x1
CAPABILITIES = {
    "persistent_log": 1 << 0,
    "tile_readers": 1 << 1,
    "camera": 1 << 2,
    "panel": 1 << 3,
    "shuffle_control": 1 << 4,
    "half_duplex": 1 << 5,
}
PHASES = {0: "idle", 1: "shuffling", 2: "dealing", 3: "playing", 4: "hand_over", 5: "fault"}
PANEL_STATES = {0: "idle", 1: "aiming", 2: "reading", 3: "confirm", 4: "recorded", 5: "not_winning"}
REASONS = {
    1: "unknown_type",
    2: "bad_argument",
    3: "busy",
    4: "fault",
    5: "not_supported",
    6: "no_image",
}


class Message(Record):
    """Base of the messages; CODE is the type byte, NAME its word in JSON and in the monitor."""


# ---- host to machine


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """Who is there? `session` is a random number the host makes anew each time it starts."""

    CODE: ClassVar[int] = 0x01
    NAME: ClassVar[str] = "HELLO"
    protocol: int = u8()
    session: int = u32()


@dataclass(frozen=True, slots=True)
class Ping(Message):
    CODE: ClassVar[int] = 0x02
    NAME: ClassVar[str] = "PING"


@dataclass(frozen=True, slots=True)
class StateRead(Message):
    CODE: ClassVar[int] = 0x03
    NAME: ClassVar[str] = "STATE_READ"


@dataclass(frozen=True, slots=True)
class EventAck(Message):
    """All events up to and including (boot, number) are applied and may be forgotten. Has no reply."""

    CODE: ClassVar[int] = 0x04
    NAME: ClassVar[str] = "EVENT_ACK"
    boot: int = u32()
    number: int = u32()


@dataclass(frozen=True, slots=True)
class LogRead(Message):
    """The events after (boot, number), oldest first, in at most `max_bytes` of payload. Also the poll of a shared line,
    and then an acknowledgement too: `ack_boot`, `ack_number` as in EVENT_ACK (0, 0: none)."""

    CODE: ClassVar[int] = 0x06
    NAME: ClassVar[str] = "LOG_READ"
    boot: int = u32()
    number: int = u32()
    max_bytes: int = u16()
    ack_boot: int = u32(default=0)
    ack_number: int = u32(default=0)


class CommandBody(Record):
    """Base of the commands."""


@dataclass(frozen=True, slots=True)
class ShowScore(CommandBody):
    """What the machine's own panel shows. `winner` is a seat or 255; `tai` the hand's value."""

    CODE: ClassVar[int] = 1
    NAME: ClassVar[str] = "show_score"
    state: str = choice(PANEL_STATES)
    round_wind: str = choice(WINDS)
    hand_number: int = u32()
    dealer: int = u8()
    streak: int = u8()
    winner: int = u8()
    tai: int = u16()
    totals: tuple[int, ...] = many(Int(4, signed=True), 4)
    changes: tuple[int, ...] = many(Int(4, signed=True), 4)
    line: str = text(60)


@dataclass(frozen=True, slots=True)
class ShuffleStart(CommandBody):
    CODE: ClassVar[int] = 2
    NAME: ClassVar[str] = "shuffle_start"


@dataclass(frozen=True, slots=True)
class ShuffleStop(CommandBody):
    CODE: ClassVar[int] = 3
    NAME: ClassVar[str] = "shuffle_stop"


@dataclass(frozen=True, slots=True)
class ImageRequest(CommandBody):
    """Take a picture with the machine's camera number `camera`; answered by IMAGE_INFO."""

    CODE: ClassVar[int] = 4
    NAME: ClassVar[str] = "image_request"
    camera: int = u8()


@dataclass(frozen=True, slots=True)
class ClearPanel(CommandBody):
    CODE: ClassVar[int] = 5
    NAME: ClassVar[str] = "clear_panel"


@dataclass(frozen=True, slots=True)
class UnknownCommand(CommandBody):
    """A command this version does not know; the machine answers not_supported."""

    NAME: ClassVar[str] = "unknown"
    command: int = 0
    body: bytes = b""


COMMANDS: dict[int, type[CommandBody]] = {
    c.CODE: c for c in (ShowScore, ShuffleStart, ShuffleStop, ImageRequest, ClearPanel)
}
COMMAND_NAMES = {c.NAME: c for c in COMMANDS.values()}


class _CommandWire(Wire):
    def pack(self, value: Any) -> bytes:
        if isinstance(value, UnknownCommand):
            return bytes([value.command]) + value.body
        return bytes([value.CODE]) + bytes(value.pack())

    def unpack(self, reader: Reader) -> CommandBody:
        (code,) = reader.take(1)
        data = reader.rest()
        return COMMANDS[code].unpack(data) if code in COMMANDS else UnknownCommand(code, data)

    def dump(self, value: Any) -> dict[str, Any]:
        if isinstance(value, UnknownCommand):
            return {"name": value.command, "body": value.body.hex()}
        return {"name": value.NAME, **value.dump()}

    def load(self, value: Any) -> CommandBody:
        if not isinstance(value, Mapping):
            raise PayloadError(f"{value!r} is not an object")
        name = value.get("name")
        if isinstance(name, str) and name in COMMAND_NAMES:
            return COMMAND_NAMES[name].load(value)
        if isinstance(name, int) and isinstance(value.get("body"), str):
            try:
                return UnknownCommand(Int(1).load(name), bytes.fromhex(value["body"]))
            except ValueError:
                raise PayloadError("command.body is not hexadecimal text") from None
        raise PayloadError(f"command {name!r} is none of {', '.join(COMMAND_NAMES)}")


def _command_body() -> Any:
    return wire_field(_CommandWire())


@dataclass(frozen=True, slots=True)
class Command(Message):
    """Do something. Repeated with the same sequence until answered by ACK, NACK or IMAGE_INFO."""

    CODE: ClassVar[int] = 0x07
    NAME: ClassVar[str] = "COMMAND"
    command: CommandBody = _command_body()  # noqa: RUF009


@dataclass(frozen=True, slots=True)
class ImageRead(Message):
    """`count` chunks of `size` bytes each of image `image`, from `offset` on; answered by as many IMAGE_DATA."""

    CODE: ClassVar[int] = 0x08
    NAME: ClassVar[str] = "IMAGE_READ"
    image: int = u16()
    offset: int = u32()
    size: int = u16()
    count: int = u8()


# ---- machine to host


@dataclass(frozen=True, slots=True)
class HelloReply(Message):
    """`boot` is a number that differs from every earlier boot's; `capabilities` the sum of CAPABILITIES bits."""

    CODE: ClassVar[int] = 0x81
    NAME: ClassVar[str] = "HELLO_REPLY"
    protocol: int = u8()
    boot: int = u32()
    capabilities: int = u32()
    firmware: str = text(32)
    model: str = text(32)
    serial: str = text(32)

    def has(self, capability: str) -> bool:
        return bool(self.capabilities & CAPABILITIES[capability])


@dataclass(frozen=True, slots=True)
class Pong(Message):
    CODE: ClassVar[int] = 0x82
    NAME: ClassVar[str] = "PONG"
    boot: int = u32()
    last: int = u32()


@dataclass(frozen=True, slots=True)
class State(Message):
    """The whole of what the machine knows; `last` is the number of its newest event in this boot."""

    CODE: ClassVar[int] = 0x83
    NAME: ClassVar[str] = "STATE"
    boot: int = u32()
    last: int = u32()
    uptime_ms: int = u32()
    phase: str = choice(PHASES)
    dealer: int = u8()
    streak: int = u8()
    round_wind: str = choice(WINDS)
    hand_number: int = u32()
    dice: tuple[int, ...] = many(Int(1))
    points: tuple[int, ...] = many(Int(4, signed=True), 4)
    faults: tuple[int, ...] = many(Int(2))


@dataclass(frozen=True, slots=True)
class Event(Message):
    """One event, sent unasked; sent again until acknowledged. Not on a shared line."""

    CODE: ClassVar[int] = 0x84
    NAME: ClassVar[str] = "EVENT"
    event: MachineEvent = nested(MachineEvent)  # noqa: RUF009


@dataclass(frozen=True, slots=True)
class Events(Message):
    """Answer to LOG_READ: consecutive entries of the log. `gap` is 1 when entries between the place asked for and the
    first one here are lost; `more` is 1 when others follow. `boot` and `last` are those of PONG."""

    CODE: ClassVar[int] = 0x85
    NAME: ClassVar[str] = "EVENTS"
    boot: int = u32()
    last: int = u32()
    gap: int = u8()
    more: int = u8()
    events: tuple[MachineEvent, ...] = many(Nested(MachineEvent))


@dataclass(frozen=True, slots=True)
class Ack(Message):
    CODE: ClassVar[int] = 0x86
    NAME: ClassVar[str] = "ACK"


@dataclass(frozen=True, slots=True)
class Nack(Message):
    CODE: ClassVar[int] = 0x87
    NAME: ClassVar[str] = "NACK"
    reason: str = choice(REASONS)
    detail: str = text(100)


@dataclass(frozen=True, slots=True)
class ImageInfo(Message):
    """A picture is ready: a JPEG of `size` bytes with this CRC-32 (as zip and PNG use it)."""

    CODE: ClassVar[int] = 0x88
    NAME: ClassVar[str] = "IMAGE_INFO"
    image: int = u16()
    size: int = u32()
    crc32: int = u32()


@dataclass(frozen=True, slots=True)
class ImageData(Message):
    CODE: ClassVar[int] = 0x89
    NAME: ClassVar[str] = "IMAGE_DATA"
    image: int = u16()
    offset: int = u32()
    data: bytes = blob()


@dataclass(frozen=True, slots=True)
class UnknownMessage(Message):
    """A type this version does not know, or one whose payload is not valid for it."""

    NAME: ClassVar[str] = "UNKNOWN"
    code: int = 0
    payload: bytes = b""
    problem: str = ""


MESSAGES: dict[int, type[Message]] = {
    m.CODE: m
    for m in (
        Hello, Ping, StateRead, EventAck, LogRead, Command, ImageRead,
        HelloReply, Pong, State, Event, Events, Ack, Nack, ImageInfo, ImageData,
    )
}  # fmt: skip
MESSAGE_NAMES = {m.NAME: m for m in MESSAGES.values()}


@dataclass(frozen=True, slots=True)
class Packet:
    """A message on its way. `sequence` pairs a reply with its request; `address` names the machine on a shared line
    (0 point to point); `flags` bit 0 marks a repetition."""

    message: Message
    sequence: int = 0
    address: int = POINT_TO_POINT
    flags: int = 0
    version: int = PROTOCOL

    @property
    def code(self) -> int:
        return self.message.code if isinstance(self.message, UnknownMessage) else self.message.CODE

    @property
    def from_host(self) -> bool:
        return self.code < 0x80


def pack_message(message: Message) -> bytes:
    """The payload bytes of any message."""
    return message.payload if isinstance(message, UnknownMessage) else message.pack()


def unpack_message(code: int, payload: bytes) -> Message:
    """The message of type `code`; one that cannot be understood comes back as UnknownMessage, never as an error."""
    if code not in MESSAGES:
        return UnknownMessage(code, payload, "unknown type")
    try:
        return MESSAGES[code].unpack(payload)
    except PayloadError as error:
        return UnknownMessage(code, payload, str(error))
