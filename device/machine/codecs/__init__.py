"""Codecs: how packets become bytes on the line. Drivers by name."""

from __future__ import annotations

from device.drivers import driver_class
from device.machine.codecs.base import Codec, CodecError, Decoder, DecoderStats

__all__ = ["CODECS", "Codec", "CodecError", "Decoder", "DecoderStats", "open_codec"]

CODECS = {
    "aa55-xor": "device.machine.codecs.aa55:Aa55Codec",
    "ascii-line": "device.machine.codecs.ascii_line:AsciiLineCodec",
    "cobs-crc16": "device.machine.codecs.cobs_crc16:CobsCodec",
}


def open_codec(name: str) -> Codec:
    """The codec `name`. Raises SettingsError, naming the known ones, for another."""
    codec: Codec = driver_class("codec", name, CODECS)()
    return codec
