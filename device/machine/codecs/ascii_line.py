"""Codec `ascii-line`: one JSON object a line, for an Arduino and for reading along in a terminal.

`{"type":"PING","seq":3,"crc":"1A2B"}` and a line feed. `crc` is always last: the CRC-16 of all characters before
`,"crc"`, in four hexadecimal digits, so a sketch can sum the line up as it prints it. `addr` and `flags` are left out
when 0.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

from device.machine.codecs.base import Codec, CodecError, Decoder, DelimitedDecoder, crc16
from device.machine.fields import Int, PayloadError
from device.machine.messages import MESSAGE_NAMES, PROTOCOL, Packet, UnknownMessage

MAX_LINE = 4096
_TAIL = re.compile(rb'^(?P<head>\{.*),"crc":"(?P<crc>[0-9A-F]{4})"\}$', re.DOTALL)
_BYTE = Int(1)


class AsciiLineCodec(Codec):
    """See the module. Payloads are limited so that hexadecimal picture data fits a line."""

    name: ClassVar[str] = "ascii-line"
    max_payload: ClassVar[int] = 256

    def encode(self, packet: Packet) -> bytes:
        value: dict[str, Any] = {"type": _name(packet), "seq": packet.sequence}
        if packet.address:
            value["addr"] = packet.address
        if packet.flags:
            value["flags"] = packet.flags
        if packet.version != PROTOCOL:
            value["ver"] = packet.version
        if isinstance(packet.message, UnknownMessage):
            value["payload"] = packet.message.payload.hex()
        else:
            value |= packet.message.dump()
        head = json.dumps(value, separators=(",", ":")).encode("ascii")[:-1]
        line = head + b',"crc":"%04X"}\n' % crc16(head)
        if len(line) > MAX_LINE:
            raise CodecError(f"a line of {len(line)} characters, at most {MAX_LINE} fit")
        return line

    def decoder(self) -> Decoder:
        return DelimitedDecoder(b"\n", MAX_LINE, _decode, padding=b"\r")  # a carriage return is allowed


def _name(packet: Packet) -> str | int:
    return packet.message.code if isinstance(packet.message, UnknownMessage) else packet.message.NAME


def _decode(line: bytes) -> Packet | None:
    match = _TAIL.match(line)
    if match is None or crc16(match["head"]) != int(match["crc"], 16):
        return None
    try:
        value = json.loads(match["head"] + b"}")
        return _packet(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        return None


def _packet(value: dict[str, Any]) -> Packet:
    """Raises PayloadError (a ValueError) when the envelope is wrong; a message that is not understood is kept."""
    sequence, address, flags, version = (
        _BYTE.load(value.get(key, default)) for key, default in (("seq", 0), ("addr", 0), ("flags", 0), ("ver", 1))
    )
    kind = value.get("type")
    if isinstance(kind, str) and kind in MESSAGE_NAMES:
        cls = MESSAGE_NAMES[kind]
        try:
            return Packet(cls.load(value), sequence, address, flags, version)
        except PayloadError as error:
            return Packet(UnknownMessage(cls.CODE, b"", str(error)), sequence, address, flags, version)
    raw = value.get("payload", "")
    payload = bytes.fromhex(raw) if isinstance(raw, str) else b""
    return Packet(UnknownMessage(_BYTE.load(kind), payload, "unknown type"), sequence, address, flags, version)
