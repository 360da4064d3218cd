"""Codec `cobs-crc16`: the protocol's own framing. COBS removes zeros, so a zero always means: a frame ends here."""

from __future__ import annotations

from typing import ClassVar

from cobs import cobs

from device.machine.codecs.base import Codec, CodecError, Decoder, DelimitedDecoder, crc16
from device.machine.messages import Packet, pack_message, unpack_message

HEADER = 4
CHECK = 2
MAX_PAYLOAD = 1024
MAX_BODY = HEADER + MAX_PAYLOAD + CHECK
MAX_ENCODED = MAX_BODY + MAX_BODY // 254 + 1


class CobsCodec(Codec):
    """0 · COBS(version/flags, address, type, sequence, payload, CRC-16) · 0."""

    name: ClassVar[str] = "cobs-crc16"
    max_payload: ClassVar[int] = MAX_PAYLOAD

    def encode(self, packet: Packet) -> bytes:
        payload = pack_message(packet.message)
        if len(payload) > MAX_PAYLOAD:
            raise CodecError(f"a payload of {len(payload)} bytes, at most {MAX_PAYLOAD} fit")
        head = bytes([packet.version << 4 | packet.flags & 0xF, packet.address, packet.code, packet.sequence])
        body = head + payload
        # The zero in front ends whatever noise the line had gathered, so that it does not spoil this frame.
        encoded: bytes = cobs.encode(body + crc16(body).to_bytes(CHECK, "big"))
        return b"\0" + encoded + b"\0"

    def decoder(self) -> Decoder:
        return DelimitedDecoder(b"\0", MAX_ENCODED, _decode)


def _decode(raw: bytes) -> Packet | None:
    try:
        body = cobs.decode(raw)
    except cobs.DecodeError:
        return None
    if not HEADER + CHECK <= len(body) <= MAX_BODY or crc16(body[:-CHECK]) != int.from_bytes(body[-CHECK:], "big"):
        return None
    flags, address, code, sequence = body[:HEADER]
    message = unpack_message(code, body[HEADER:-CHECK])
    return Packet(message, sequence, address, flags & 0xF, flags >> 4)
