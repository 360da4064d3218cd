"""The machine's side of the protocol, without input or output: what a firmware does, and a model for writing one."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from device.machine.events import (
    NOBODY,
    Dealer,
    Dice,
    EventBody,
    Fault,
    MachineEvent,
    Points,
    RoundStart,
    RoundWind,
    TilesDealt,
)
from device.machine.messages import (
    CAPABILITIES,
    PROTOCOL,
    Ack,
    ClearPanel,
    Command,
    CommandBody,
    Event,
    EventAck,
    Events,
    Hello,
    HelloReply,
    ImageData,
    ImageInfo,
    ImageRead,
    ImageRequest,
    LogRead,
    Message,
    Nack,
    Packet,
    Ping,
    Pong,
    ShowScore,
    ShuffleStart,
    ShuffleStop,
    State,
    StateRead,
    pack_message,
)

Position = tuple[int, int]
ImageSource = Callable[[int], bytes | None]


class CameraBusyError(Exception):
    """The camera has not finished its picture: the host is told to ask again."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a machine is, and what it can do."""

    serial: str = "EMU-0001"
    model: str = "taicam emulator"
    firmware: str = "1.0"
    capabilities: tuple[str, ...] = ("persistent_log", "tile_readers", "camera", "panel", "shuffle_control")

    def reply(self, boot: int) -> HelloReply:
        bits = sum(CAPABILITIES[name] for name in self.capabilities)
        return HelloReply(PROTOCOL, boot, bits, self.firmware, self.model, self.serial)


@dataclass(slots=True)
class Table:
    """What STATE reports, kept up by the events."""

    phase: str = "idle"
    dealer: int = 0
    streak: int = 0
    round_wind: str = "E"
    hand_number: int = 0
    dice: tuple[int, ...] = ()
    points: tuple[int, ...] = (0, 0, 0, 0)
    faults: tuple[int, ...] = ()

    def apply(self, body: EventBody) -> None:
        """Follow one event."""
        if isinstance(body, Dealer):
            self.dealer, self.streak = body.seat, body.streak
        elif isinstance(body, RoundWind):
            self.round_wind = body.wind
        elif isinstance(body, RoundStart):
            self.hand_number, self.phase = body.hand_number, "shuffling"
        elif isinstance(body, Dice):
            self.dice, self.phase = body.values, "dealing"
        elif isinstance(body, TilesDealt):
            self.phase = "playing"
        elif isinstance(body, Points):
            self.points, self.phase = body.points, "hand_over"
        elif isinstance(body, Fault):
            others = tuple(code for code in self.faults if code != body.code)
            self.faults = others if body.severity == "cleared" else (*others, body.code)
            self.phase = "fault" if self.faults else "idle"


@dataclass(slots=True)
class EventLog:
    """The event memory: survives a reboot when `persistent`. `before` is the place just before the oldest entry."""

    capacity: int = 512
    persistent: bool = True
    entries: deque[MachineEvent] = field(default_factory=deque)
    before: Position | None = None
    overflowed: int = 0

    def append(self, event: MachineEvent) -> bool:
        """Add the newest entry; True when the oldest had to make room for it."""
        if not self.entries and self.before is None:
            self.before = (event.boot, event.number - 1)
        self.entries.append(event)
        if len(self.entries) <= self.capacity:
            return False
        self.before = None  # the oldest is lost unread: no place before the next one can be vouched for
        self.entries.popleft()
        self.overflowed += 1
        return True

    def acknowledge(self, position: Position) -> int:
        """Forget everything up to `position`, when it is in the log; returns how many entries that were."""
        places = [event.position for event in self.entries]
        if position not in places:
            return 0
        count = places.index(position) + 1
        for _ in range(count):
            self.before = self.entries.popleft().position
        return count

    def after(self, position: Position) -> tuple[list[MachineEvent], bool]:
        """(the entries after `position`, whether some between are lost)."""
        entries = list(self.entries)
        if position == (0, 0):
            return entries, False
        places = [event.position for event in entries]
        if position in places:
            return entries[places.index(position) + 1 :], False
        return entries, position != self.before

    def restart(self) -> None:
        if not self.persistent:
            self.entries.clear()
            self.before = None


class MachineCore:
    """One machine. Feed it packets and time; it gives packets back.

    `boot` numbers come from `new_boot`; `pictures(camera)` gives the JPEG its camera would take, None for no
    camera, or raises CameraBusyError.
    `refuse` is a hook of the fault injector: a NACK reason for the next command, or None.
    """

    WINDOW = 8

    def __init__(
        self,
        new_boot: Callable[[], int],
        identity: Identity | None = None,
        *,
        address: int = 0,
        max_payload: int = 1024,
        log: EventLog | None = None,
        pictures: ImageSource | None = None,
        now: float = 0.0,
        resend_s: float = 0.5,
    ) -> None:
        self.identity = identity or Identity()
        self.address = address
        self.log = log or EventLog()
        self.table = Table()
        self.panel: ShowScore | None = None
        self.commands: list[CommandBody] = []
        self.refuse: Callable[[CommandBody], str | None] = lambda command: None
        self._new_boot = new_boot
        self._max_payload = max_payload
        self._pictures = pictures
        self._resend_s = resend_s
        self._half_duplex = "half_duplex" in self.identity.capabilities
        self._image_number = 0
        self.boot = 0
        self._start(now)

    def _start(self, now: float) -> None:
        self.boot = self._new_boot()
        self._number = 0
        self._booted_at = now
        self._host: int | None = None
        self._last_command: tuple[int, bytes, Message] | None = None
        self._image: tuple[int, bytes] | None = None
        self._sent = 0  # how many of the log's first entries have been sent and not acknowledged
        self._resend_at = 0.0

    def reboot(self, now: float) -> list[Packet]:
        """Power off and on: all but the log is forgotten; the machine says so by itself."""
        self.log.restart()
        self.table = Table()
        self.panel = None
        self._start(now)
        return [] if self._half_duplex else [self._packet(self.identity.reply(self.boot), 0)]

    @property
    def connected(self) -> bool:
        """Whether a host has greeted since the start."""
        return self._host is not None

    def happen(self, body: EventBody, now: float) -> MachineEvent:
        """Something happened at the table: log it."""
        self._number += 1
        uptime = int((now - self._booted_at) * 1000) & 0xFFFFFFFF
        event = MachineEvent(self.boot, self._number, uptime, body)
        if self.log.append(event):
            self._sent = max(0, self._sent - 1)
        self.table.apply(body)
        return event

    # ---- the line

    def receive(self, packet: Packet, now: float) -> list[Packet]:
        """Answer one packet."""
        if not packet.from_host or packet.address != self.address or packet.version != PROTOCOL:
            return []
        return [self._packet(message, packet.sequence) for message in self._answers(packet, now)]

    def _packet(self, message: Message, sequence: int) -> Packet:
        return Packet(message, sequence, self.address)

    def _answers(self, packet: Packet, now: float) -> Sequence[Message]:
        message = packet.message
        match message:
            case Hello():
                answer: Message = self._greet(message)
            case Ping():
                answer = Pong(self.boot, self._number)
            case StateRead():
                answer = self._state(now)
            case LogRead():
                self._acked((message.ack_boot, message.ack_number))
                answer = self._read_log(message)
            case Command():
                answer = self._command(packet.sequence, message)
            case EventAck():
                self._acked((message.boot, message.number))
                return ()
            case ImageRead():
                return self._read_image(message)
            case _:
                answer = Nack("unknown_type", f"type {packet.code:#04x}")
        return (answer,)

    def _greet(self, hello: Hello) -> Message:
        if hello.session != self._host:
            self._host = hello.session
            self._last_command = None  # a new host counts its sequence numbers anew
        self._sent = 0
        return self.identity.reply(self.boot)

    def _state(self, now: float) -> State:
        t = self.table
        uptime = int((now - self._booted_at) * 1000) & 0xFFFFFFFF
        return State(
            self.boot, self._number, uptime, t.phase, t.dealer, t.streak, t.round_wind, t.hand_number, t.dice,
            t.points, t.faults,
        )  # fmt: skip

    def _read_log(self, request: LogRead) -> Events:
        entries, gap = self.log.after((request.boot, request.number))
        budget = min(request.max_bytes, self._max_payload) - 11  # what EVENTS has besides the entries
        chosen: list[MachineEvent] = []
        for event in entries:
            budget -= len(event.pack())
            if budget < 0 or len(chosen) == 255:
                break
            chosen.append(event)
        self._sent = max(self._sent, len(self.log.entries) - len(entries) + len(chosen))
        return Events(self.boot, self._number, int(gap), int(len(chosen) < len(entries)), tuple(chosen))

    def _acked(self, position: Position) -> None:
        self._sent = max(0, self._sent - self.log.acknowledge(position))

    def _command(self, sequence: int, message: Command) -> Message:
        """Do a command once, however often it comes."""
        raw = pack_message(message)
        if self._last_command is not None and self._last_command[:2] == (sequence, raw):
            return self._last_command[2]
        reason = self.refuse(message.command)
        if reason is not None:
            answer: Message = Nack(reason, "")
        else:
            answer = self._perform(message.command)
        if not (isinstance(answer, Nack) and answer.reason == "busy"):
            self._last_command = (sequence, raw, answer)
        return answer

    def _perform(self, command: CommandBody) -> Message:
        if isinstance(command, ImageRequest):
            return self._take_picture(command)
        if isinstance(command, ShowScore):
            if command.winner not in (0, 1, 2, 3, NOBODY):
                return Nack("bad_argument", "winner")
            self.panel = command
        elif isinstance(command, ClearPanel):
            self.panel = None
        elif isinstance(command, ShuffleStart):
            self.table.phase = "shuffling"
        elif isinstance(command, ShuffleStop):
            self.table.phase = "idle"
        else:
            return Nack("not_supported", "")
        self.commands.append(command)
        return Ack()

    def _take_picture(self, command: ImageRequest) -> Message:
        try:
            data = self._pictures(command.camera) if self._pictures else None
        except CameraBusyError:
            return Nack("busy", "the picture is being taken")
        if not data:
            return Nack("no_image", f"camera {command.camera}")
        self._image_number = self._image_number % 0xFFFF + 1
        self._image = (self._image_number, data)
        self.commands.append(command)
        return ImageInfo(self._image_number, len(data), zlib.crc32(data))

    def _read_image(self, request: ImageRead) -> Sequence[Message]:
        if self._image is None or self._image[0] != request.image:
            return [Nack("no_image", f"image {request.image}")]
        size = request.size
        data = self._image[1]
        if not size or request.offset >= len(data) or size + 6 > self._max_payload:
            return [Nack("bad_argument", "offset or size")]
        ends = min(len(data), request.offset + size * max(1, request.count))
        return [ImageData(request.image, at, data[at : at + size]) for at in range(request.offset, ends, size)]

    def tick(self, now: float) -> list[Packet]:
        """Events to send unasked: the first WINDOW of the log, and those again when no acknowledgement comes."""
        if self._half_duplex or self._host is None:
            return []
        if self._sent and now >= self._resend_at:
            self._sent = 0
        entries = list(islice(self.log.entries, self._sent, self.WINDOW))
        if entries:
            self._sent += len(entries)
            self._resend_at = now + self._resend_s
        return [self._packet(Event(event), 0) for event in entries]
