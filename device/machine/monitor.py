"""Watching a line: traffic in words, recordings for bug reports, and reading them again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from device.errors import DeviceError
from device.machine.codecs import CODECS, open_codec
from device.machine.events import MachineEvent
from device.machine.link import Direction
from device.machine.messages import Event, Events, Packet, UnknownMessage

FORMAT = "taicam-recording"
FORMAT_VERSION = 1
ADVICE = "Give a file made with `taicam machine monitor --record`."


class RecordingError(DeviceError, ValueError):
    """A file that is no recording, or a damaged one."""


def describe(packet: Packet) -> str:
    """One packet in one line: `EVENT #0 boot=… kind=button …`."""
    message = packet.message
    address = f" @{packet.address}" if packet.address else ""
    repeat = " (again)" if packet.flags & 1 else ""
    if isinstance(message, UnknownMessage):
        problem = f": {message.problem}" if message.problem else ""
        return f"type {message.code:#04x} #{packet.sequence}{address}{repeat} {message.payload.hex(' ')}{problem}"
    if isinstance(message, Events):
        inner = "; ".join(describe_event(event) for event in message.events) or "none"
        flags = (" GAP" if message.gap else "") + (" more follow" if message.more else "")
        return f"EVENTS #{packet.sequence}{address} {len(message.events)}{flags}: {inner}"
    if isinstance(message, Event):
        return f"EVENT{address}{repeat} {describe_event(message.event)}"
    fields = " ".join(f"{name}={_short(value)}" for name, value in message.dump().items())
    return f"{message.NAME} #{packet.sequence}{address}{repeat} {fields}".rstrip()


def describe_event(event: MachineEvent) -> str:
    """One event in a few words."""
    values = event.dump()
    kind = values.pop("kind")
    place = f"{values.pop('boot'):08x}/{values.pop('number')}"
    values.pop("uptime_ms")
    return f"{place} {kind} " + " ".join(f"{name}={_short(value)}" for name, value in values.items())


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


class Recorder:
    """A tap that writes every byte of the line, with its time, to a file of JSON lines."""

    def __init__(self, path: Path, *, codec: str, baud: int) -> None:
        self._file: IO[str] = path.open("w", encoding="utf-8")
        self._begin = time.monotonic()
        self._write({"format": FORMAT, "version": FORMAT_VERSION, "codec": codec, "baud": baud})

    def _write(self, value: dict[str, Any]) -> None:
        self._file.write(json.dumps(value) + "\n")
        self._file.flush()  # a recording is wanted most when the program is killed

    def __call__(self, direction: Direction, data: bytes, packets: Sequence[Packet]) -> None:
        self._write({"t": round(time.monotonic() - self._begin, 4), "dir": direction, "hex": data.hex()})

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes of a recording: `t` seconds from its beginning, `rx` from the machine or `tx` to it."""

    t: float
    direction: Direction
    data: bytes


@dataclass(frozen=True, slots=True)
class Recording:
    codec: str
    baud: int
    pieces: tuple[Piece, ...]
    torn: bool  # the last line was cut off: the program was killed while writing


@dataclass(frozen=True, slots=True)
class Traffic:
    """One line of a recording, decoded. `bad` counts the frames in it whose check failed."""

    t: float
    direction: Direction
    packets: tuple[Packet, ...]
    bad: int


def read_recording(path: Path) -> Recording:
    """Raises RecordingError for a file that is none; one whose last line is cut off is read up to there."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(f"{path} cannot be read.", ADVICE) from error
    head = _object(lines[0]) if lines else None
    if head is None or head.get("format") != FORMAT:
        raise RecordingError(f"{path} is not a recording.", ADVICE)
    if head.get("version") != FORMAT_VERSION or head.get("codec") not in CODECS:
        raise RecordingError(f"{path} was made by another version of taicam.", "Replay it with the version it names.")
    pieces, torn = [], False
    for number, line in enumerate(lines[1:], 2):
        piece = _piece(_object(line))
        if piece is not None:
            pieces.append(piece)
        elif number == len(lines):
            torn = True
        else:
            raise RecordingError(f"{path}, line {number} is damaged.", "Remove that line to replay the rest.")
    return Recording(str(head["codec"]), int(head.get("baud", 0)), tuple(pieces), torn)


def _object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _piece(value: dict[str, Any] | None) -> Piece | None:
    try:
        if value is None or value["dir"] not in ("rx", "tx"):
            return None
        return Piece(float(value["t"]), value["dir"], bytes.fromhex(value["hex"]))
    except (KeyError, TypeError, ValueError):
        return None


def decode(recording: Recording) -> Iterator[Traffic]:
    """The recording's packets, in order, each direction through its own decoder."""
    codec = open_codec(recording.codec)
    decoders = {"rx": codec.decoder(), "tx": codec.decoder()}
    for piece in recording.pieces:
        decoder = decoders[piece.direction]
        before = decoder.stats.bad
        packets = tuple(decoder.feed(piece.data))
        yield Traffic(piece.t, piece.direction, packets, decoder.stats.bad - before)


def events_of(recording: Recording) -> list[MachineEvent]:
    """Every different event the machine told, in the order of its log: by boot as first heard, then by number."""
    seen: dict[tuple[int, int], MachineEvent] = {}
    for traffic in decode(recording):
        for packet in traffic.packets:
            if isinstance(packet.message, Event):
                seen.setdefault(packet.message.event.position, packet.message.event)
            elif isinstance(packet.message, Events):
                for event in packet.message.events:
                    seen.setdefault(event.position, event)
    boots = list(dict.fromkeys(boot for boot, _ in seen))
    return [seen[place] for place in sorted(seen, key=lambda place: (boots.index(place[0]), place[1]))]


def play_back(recording: Recording, speed: float = 1.0) -> Iterator[bytes]:
    """The machine's bytes at the pace they came; `speed` 2 is twice as fast, 0 at once."""
    begin = time.monotonic()
    for piece in recording.pieces:
        if piece.direction == "rx":
            wait = begin + piece.t / speed - time.monotonic() if speed else 0.0
            if wait > 0:
                time.sleep(wait)
            yield piece.data
