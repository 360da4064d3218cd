"""Codec `aa55-xor`: AA LEN CMD SEQ DATA XOR 55, as makers' boards often speak.

LEN counts DATA; XOR is over LEN, CMD, SEQ and DATA. There is no address and no version: point to point only. A frame
may hold AA and 55 itself, and one wrong frame in 256 passes an XOR, so prefer `cobs-crc16` where there is a choice.
"""

from __future__ import annotations

from functools import reduce
from operator import xor
from typing import ClassVar

from device.machine.codecs.base import Codec, CodecError, Decoder
from device.machine.messages import POINT_TO_POINT, Packet, pack_message, unpack_message

START, END = 0xAA, 0x55
AROUND = 6  # bytes besides the data
MAX_PAYLOAD = 250


def check_of(data: bytes) -> int:
    """All bytes XORed together."""
    return reduce(xor, data, 0)


class Aa55Codec(Codec):
    """See the module."""

    name: ClassVar[str] = "aa55-xor"
    max_payload: ClassVar[int] = MAX_PAYLOAD

    def encode(self, packet: Packet) -> bytes:
        payload = pack_message(packet.message)
        if len(payload) > MAX_PAYLOAD:
            raise CodecError(f"a payload of {len(payload)} bytes, at most {MAX_PAYLOAD} fit")
        if packet.address != POINT_TO_POINT:
            raise CodecError("aa55-xor has no addresses: use cobs-crc16 on a shared line")
        inner = bytes([len(payload), packet.code, packet.sequence]) + payload
        return bytes([START]) + inner + bytes([check_of(inner), END])

    def decoder(self) -> Decoder:
        return Aa55Decoder()


class Aa55Decoder(Decoder):
    """Looks for a frame at every AA; when one fails, the search goes on at the byte after that AA."""

    def __init__(self) -> None:
        super().__init__()
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Packet]:
        self._buffer += data
        return self._scan(waiting=True)

    def silence(self) -> list[Packet]:
        """A false start with a long LEN would keep real frames waiting: look behind it."""
        packets = self._scan(waiting=False)
        self._buffer.clear()
        return packets

    def _scan(self, waiting: bool) -> list[Packet]:
        """Every frame in the buffer; when `waiting`, stop at one that may still be completed."""
        packets = []
        buffer, at = self._buffer, 0
        while True:
            start = buffer.find(START, at)
            self.stats.skipped += (start if start >= 0 else len(buffer)) - at
            if start < 0:
                at = len(buffer)
                break
            at = start
            if len(buffer) - at < 2 and waiting:
                break
            frame = bytes(buffer[at : at + MAX_PAYLOAD + AROUND])
            size = frame[1] + AROUND if len(frame) > 1 else AROUND
            if waiting and len(frame) < size <= MAX_PAYLOAD + AROUND:
                break
            packet = _decode(frame[:size]) if size <= len(frame) else None
            if packet is None:
                self.stats.bad += 1
                at += 1
            else:
                self.stats.good += 1
                packets.append(packet)
                at += size
        del buffer[:at]
        return packets

    def reset(self) -> None:
        self._buffer.clear()


def _decode(frame: bytes) -> Packet | None:
    if frame[-1] != END or check_of(frame[1:-2]) != frame[-2]:
        return None
    return Packet(unpack_message(frame[2], frame[4:-2]), frame[3])
