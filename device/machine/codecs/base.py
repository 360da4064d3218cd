"""What every codec is: packets to bytes, and a decoder that takes bytes as they come and never raises."""

from __future__ import annotations

import binascii
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from device.machine.messages import Packet


class CodecError(ValueError):
    """A packet that this codec cannot carry, e.g. too long a payload."""


@dataclass(slots=True)
class DecoderStats:
    """Counts since the decoder was made: frames accepted, frames whose check failed, bytes that belonged to none."""

    good: int = 0
    bad: int = 0
    skipped: int = 0


class Decoder(ABC):
    """Takes bytes in whatever pieces they arrive and gives the packets whose check holds."""

    def __init__(self) -> None:
        self.stats = DecoderStats()

    @abstractmethod
    def feed(self, data: bytes) -> list[Packet]:
        """The packets completed by `data`, in order. Never raises, whatever the bytes."""

    def silence(self) -> list[Packet]:
        """The line has been silent for longer than any gap within a frame: what is half received will not go on."""
        return []

    @abstractmethod
    def reset(self) -> None:
        """Drop what is half received: the line was reopened."""


class DelimitedDecoder(Decoder):
    """Splits at a delimiter byte; a run longer than `longest` bytes is dropped up to the next one.

    `decode` gives the packet of what stands between two delimiters, None when its check fails; `padding` are bytes
    allowed in front of a delimiter.
    """

    def __init__(
        self, delimiter: bytes, longest: int, decode: Callable[[bytes], Packet | None], padding: bytes = b""
    ) -> None:
        super().__init__()
        self._delimiter, self._longest, self._decode, self._padding = delimiter, longest, decode, padding
        self._buffer = bytearray()
        self._overrun = False

    def feed(self, data: bytes) -> list[Packet]:
        packets = []
        *ended, rest = bytes(data).split(self._delimiter)
        for piece in ended:
            self._take(piece)
            packet = self._finish()
            if packet is not None:
                packets.append(packet)
        self._take(rest)
        return packets

    def _take(self, piece: bytes) -> None:
        if self._overrun or len(self._buffer) + len(piece) > self._longest:
            self.stats.skipped += len(self._buffer) + len(piece)
            self._buffer.clear()
            self._overrun = True
        else:
            self._buffer += piece

    def _finish(self) -> Packet | None:
        raw, self._buffer = bytes(self._buffer).rstrip(self._padding), bytearray()
        overrun, self._overrun = self._overrun, False
        if not raw:
            self.stats.bad += overrun
            return None
        packet = self._decode(raw)
        if packet is None:
            self.stats.bad += 1
        else:
            self.stats.good += 1
        return packet

    def reset(self) -> None:
        self._buffer.clear()
        self._overrun = False


class Codec(ABC):
    """One framing. `max_payload` is the longest payload in bytes that fits one frame."""

    name: ClassVar[str]
    max_payload: ClassVar[int]

    @abstractmethod
    def encode(self, packet: Packet) -> bytes:
        """The frame's bytes. Raises CodecError for a packet that does not fit."""

    @abstractmethod
    def decoder(self) -> Decoder:
        """A new decoder, with nothing received yet."""


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, no reflection, no final XOR; of "123456789": 0x29B1.

    The standard library's C routine is this very CRC, some 400 times faster than a table in Python.
    """
    return binascii.crc_hqx(data, 0xFFFF)
