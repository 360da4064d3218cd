"""The protocol's page says what the code does: every table, every byte of the examples."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from device.machine.codecs import open_codec
from device.machine.codecs.ascii_line import _packet as packet_from_json
from device.machine.codecs.base import crc16
from device.machine.codecs.cobs_crc16 import MAX_ENCODED, MAX_PAYLOAD
from device.machine.events import BODIES, TILES, MachineEvent
from device.machine.fields import Blob, Choice, Int, Many, Nested, Text, Wire
from device.machine.messages import CAPABILITIES, COMMANDS, MESSAGES, ImageData, Packet, pack_message

PAGE = (Path(__file__).parents[2] / "docs" / "machine-protocol.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```example\n(.*?)```", PAGE, re.DOTALL)


def type_word(wire: Wire) -> str:
    """The type of a field as the page writes it."""
    if isinstance(wire, Int):
        return f"{'i' if wire.signed else 'u'}{wire.size * 8}"
    if isinstance(wire, Many):
        item = type_word(wire.item)
        return f"{item} × {wire.count}" if wire.count else f"list of {item}"
    words = {Choice: "u8", Blob: "bytes", Nested: "event"}
    return f"text ≤ {wire.limit}" if isinstance(wire, Text) else words.get(type(wire), "command")


def section(title: str) -> str:
    found = re.search(rf"^### {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found, f"the page has no section {title!r}"
    return found[1]


def rows(text: str) -> list[tuple[str, str, str]]:
    table = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.splitlines() if "|" in line]
    return [(r[0], r[1], r[2]) for r in table if len(r) == 3 and r[0] not in ("field", "---")]


@pytest.mark.parametrize(
    ("title", "record"),
    [(f"{m.CODE:#04x} {m.NAME}".replace("0X", "0x"), m) for m in MESSAGES.values()]
    + [(f"{b.CODE} {b.NAME}", b) for b in (*BODIES.values(), *COMMANDS.values())],
)
def test_tables(title: str, record: type) -> None:
    text = section(title)
    if not record.wires():  # type: ignore[attr-defined]
        assert "No fields." in text
        return
    stated = rows(text)
    assert [(name, kind) for name, kind, _ in stated] == [
        (name, type_word(wire))
        for name, wire in record.wires()  # type: ignore[attr-defined]
    ]
    for (name, _, meaning), (_, wire) in zip(stated, record.wires(), strict=True):  # type: ignore[attr-defined]
        if isinstance(wire, Choice) and wire.words != TILES:
            expected = ", ".join(f"{number} {word}" for number, word in wire.words.items())
            assert meaning == expected, f"{title}.{name}"


def test_every_section_is_a_message() -> None:
    stated = set(re.findall(r"^### (0x[0-9A-Fa-f]{2}) ", PAGE, re.MULTILINE))
    assert {int(code, 16) for code in stated} == set(MESSAGES)


def test_numbers_in_the_text() -> None:
    assert ", ".join(f"{bit} {name}" for name, bit in CAPABILITIES.items()) in PAGE
    assert str(MAX_PAYLOAD) in PAGE and str(MAX_ENCODED) in PAGE
    assert [name for name, _ in MachineEvent.wires()] == ["boot", "number", "uptime_ms", "body"]
    for low, high, first, last in re.findall(
        r"^\| 0x(\w\w) – 0x(\w\w) \|.*?`(\w\w?)`.*?`(\w\w?)`\) \|$", PAGE, re.MULTILINE
    ):
        assert TILES[int(low, 16)] == first and TILES[int(high, 16)] == last


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples(text: str) -> None:
    lines = text.strip().splitlines()
    packet = packet_from_json(json.loads(lines[0]))
    body = bytes([packet.version << 4 | packet.flags, packet.address, packet.code, packet.sequence])
    body += pack_message(packet.message)
    stated = dict(line.split(None, 1) for line in lines[1:])
    assert stated.pop("body") == f"{body.hex(' ').upper()}, CRC {crc16(body):04X}"
    assert "cobs-crc16" in stated
    for codec, line in stated.items():
        encoded = open_codec(codec).encode(packet)
        assert line == encoded.hex(" ").upper()
        assert open_codec(codec).decoder().feed(encoded)[0].message == packet.message
    # The JSON of the page, with its check, is what the ascii-line codec sends.
    head = lines[0][:-1].encode()
    assert open_codec("ascii-line").encode(packet) == head + b',"crc":"%04X"}\n' % crc16(head)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler (Debian: gcc)")
def test_the_c_code_of_the_page_makes_the_same_frames(tmp_path: Path) -> None:
    (code,) = re.findall(r"```c\n(.*?)```", PAGE, re.DOTALL)
    main = """
#include <stdint.h>
#include <stdio.h>
%s
int main(void) {
  static uint8_t body[1100], out[1200];
  unsigned size;
  while (scanf("%%u", &size) == 1) {
    for (unsigned i = 0; i < size; i++) { unsigned byte; if (scanf("%%2x", &byte) != 1) return 1; body[i] = byte; }
    uint16_t crc = crc16(body, size);
    body[size] = crc >> 8; body[size + 1] = crc & 255;
    size_t n = cobs(body, size + 2, out);
    printf("00");
    for (size_t i = 0; i < n; i++) printf("%%02x", out[i]);
    printf("00\\n");
  }
}
"""
    (tmp_path / "page.c").write_text(main % code)
    subprocess.run(["cc", "-Wall", "-Werror", "-o", tmp_path / "page", tmp_path / "page.c"], check=True)
    rng = random.Random(1)
    sizes = [0, 1, 247, 248, 249, 250, 251, 502, 503, 1018, *(rng.randrange(1018) for _ in range(60))]
    packets = [
        Packet(ImageData(1, 2, rng.choice((rng.randbytes(size), b"\1" * size, bytes(size)))), size % 256)
        for size in sizes
    ]
    asked = ""
    for packet in packets:
        body = bytes([0x10, 0, packet.code, packet.sequence]) + pack_message(packet.message)
        asked += f"{len(body)} {body.hex()}\n"
    made = subprocess.run([tmp_path / "page"], input=asked, capture_output=True, text=True, check=True).stdout.split()
    assert made == [open_codec("cobs-crc16").encode(packet).hex() for packet in packets]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 9
