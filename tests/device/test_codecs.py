"""Every codec: what goes in comes out, however the bytes are cut; what is damaged is refused; it finds back."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from fuzz import run_fuzz
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import packets

from device.errors import SettingsError
from device.machine.codecs import CODECS, CodecError, open_codec
from device.machine.codecs.base import crc16
from device.machine.messages import Ack, Command, ImageData, Packet, Ping, UnknownCommand, UnknownMessage

NAMES = sorted(CODECS)


def packets_for(name: str) -> st.SearchStrategy[Packet]:
    plain = name == "aa55-xor"
    return packets(addresses=not plain, flags=not plain).filter(lambda p: _fits(name, p))


def _fits(name: str, packet: Packet) -> bool:
    try:
        open_codec(name).encode(packet)
    except CodecError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_round_trip_cut_anywhere(name: str) -> None:
    codec = open_codec(name)

    @settings(max_examples=300, deadline=None)
    @given(st.lists(packets_for(name), min_size=1, max_size=4), st.randoms(use_true_random=False))
    def check(sent: list[Packet], random_: random.Random) -> None:
        line = b"".join(codec.encode(p) for p in sent)
        decoder = codec.decoder()
        got: list[Packet] = []
        while line:
            size = random_.randint(1, max(1, len(line)))
            got += decoder.feed(line[:size])
            line = line[size:]
        assert got == sent
        assert decoder.stats.good == len(sent) and decoder.stats.bad == 0

    check()


@pytest.mark.parametrize("name", NAMES)
def test_unknown_types_and_commands_survive(name: str) -> None:
    codec = open_codec(name)
    for message in (UnknownMessage(0x3F, b"\0\1\2"), Command(UnknownCommand(200, b"x"))):
        (packet,) = codec.decoder().feed(codec.encode(Packet(message, 9)))
        assert packet.code == message.CODE if isinstance(message, Command) else message.code
        assert packet.sequence == 9


def test_the_crc_is_ccitt_false() -> None:
    assert crc16(b"123456789") == 0x29B1


def test_cobs_refuses_every_flip_of_up_to_three_bits() -> None:
    """CRC-16 has a Hamming distance of 4 at these lengths: no flip of three bits of the body may pass."""
    codec = open_codec("cobs-crc16")
    packet = Packet(Ping(), 7)
    line = codec.encode(packet)
    for first in range(len(line) * 8):
        for second in range(first, len(line) * 8):
            damaged = bytearray(line)
            for bit in {first, second}:
                damaged[bit // 8] ^= 1 << bit % 8
            assert codec.decoder().feed(bytes(damaged)) in ([], [packet])


@pytest.mark.parametrize("name", NAMES)
def test_an_endless_run_without_an_end_uses_no_memory(name: str) -> None:
    decoder = open_codec(name).decoder()
    for _ in range(200):
        assert decoder.feed(b"{" * 10_000) == []
    size = len(decoder._buffer)  # type: ignore[attr-defined]
    assert size < 10_000
    good = open_codec(name).encode(Packet(Ack(), 3))
    got = decoder.feed(b"\0\n") + decoder.silence() + decoder.feed(good)
    assert got == [Packet(Ack(), 3)]


@pytest.mark.parametrize("name", NAMES)
def test_a_million_random_bytes(name: str) -> None:
    source = random.Random(99)
    decoder = open_codec(name).decoder()
    accepted = 0
    for _ in range(1000):
        accepted += len(decoder.feed(source.randbytes(1000)))
    # A 16-bit check lets one random frame in 65536 pass, an 8-bit one with a fixed end byte one in 65536 as well.
    assert accepted <= 3
    assert decoder.stats.bad > 100 or name == "ascii-line"


def test_too_long_a_payload_is_refused() -> None:
    for name in NAMES:
        codec = open_codec(name)
        with pytest.raises(CodecError, match="at most"):
            codec.encode(Packet(ImageData(1, 0, bytes(5000))))
    with pytest.raises(CodecError, match="no addresses"):
        open_codec("aa55-xor").encode(Packet(Ping(), 1, address=4))
    with pytest.raises(SettingsError, match="aa55-xor, ascii-line, cobs-crc16"):
        open_codec("morse")


def test_ascii_line_is_one_readable_object() -> None:
    line = open_codec("ascii-line").encode(Packet(Ping(), 3))
    assert line.startswith(b'{"type":"PING","seq":3,"crc":"') and line.endswith(b'"}\n')
    assert open_codec("ascii-line").decoder().feed(line.replace(b"\n", b"\r\n")) == [Packet(Ping(), 3)]


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"PING","seq":300',
        b'{"type":"PING","seq":"3"',
        b'{"type":"PING","seq":true',
        b'{"type":"NOPE","seq":3',
        b'{"type":null,"seq":3',
        b'{"seq":3',
        b'{"type":3,"payload":"zz"',
        b'{"type":3,"seq":NaN',
        b"{" + b'"a":[' * 1500,
        b'{"type":"PING",}',
    ],
)
def test_ascii_lines_with_a_right_check_and_wrong_content(line: bytes) -> None:
    full = line + b',"crc":"%04X"}\n' % crc16(line)
    assert open_codec("ascii-line").decoder().feed(full) == []


def test_ascii_line_with_wrong_fields_is_kept_as_unknown() -> None:
    head = b'{"type":"HELLO","seq":1,"protocol":"one","session":5'
    (packet,) = open_codec("ascii-line").decoder().feed(head + b',"crc":"%04X"}\n' % crc16(head))
    assert isinstance(packet.message, UnknownMessage) and "HELLO.protocol" in packet.message.problem


@pytest.mark.parametrize("name", NAMES)
def test_fuzz_briefly(name: str, say: Callable[[str], None]) -> None:
    report = run_fuzz(name, cases=20_000, seed=7)
    assert report.problems == []
    say(report.line())
