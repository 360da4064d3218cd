"""Driver `lcd`: character LCDs on a serial line, in four dialects.

- `serlcd`: HD44780 backpacks as SparkFun's SerLCD and its many likes: 0xFE before a controller command.
- `matrix`: Matrix Orbital: 0xFE before a letter.
- `crystalfontz`: packets with a CRC (CFA533, 631, 633, 635, 735, 835).
- `plain`: two escape codes only, ANSI clear and cursor; what an Arduino or ESP32 sketch speaks most easily.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from device.displays.base import TouchEvent
from device.displays.pages import Page, text_pages
from device.displays.serial_display import SerialDisplay, SerialSettings
from device.displays.words import ascii_only
from device.drivers import DriverSettings
from scoring.view import ScoreView

Dialect = Literal["serlcd", "matrix", "crystalfontz", "plain"]
ROW_STARTS = (0x00, 0x40, 0x14, 0x54)  # HD44780 addresses of the rows of a display 20 columns wide
CFA_CLEAR, CFA_WRITE, CFA_KEY = 0x06, 0x1F, 0x80
CFA_MAX_DATA = 22
CFA_KEYS = {1: "up", 2: "down", 3: "left", 4: "right", 5: "confirm", 6: "undo"}
MATRIX_KEYS = {"A": "up", "B": "down", "C": "left", "D": "right", "E": "confirm", "F": "undo"}


class LcdSettings(SerialSettings):
    """`encoding`: ascii for an HD44780 (which has no Chinese); big5 or gb2312 for a display with a Chinese ROM, such as
    those with an ST7920 (16 columns are 8 Chinese characters there). Chinese needs one of the latter two."""

    dialect: Dialect = "serlcd"
    columns: int = Field(default=16, ge=16, le=40)
    rows: int = Field(default=2, ge=1, le=4)
    encoding: Literal["ascii", "big5", "gb2312"] = "ascii"


def encode_line(line: str, encoding: str) -> bytes:
    """One line in the display's own characters; what it lacks becomes `?` (two of them for a wide character)."""
    if encoding == "ascii":
        return ascii_only(line).encode("ascii")
    out = bytearray()
    for char in line:
        try:
            out += char.encode(encoding)
        except UnicodeEncodeError:
            out += b"?" if ord(char) < 0x2E80 else b"??"
    return bytes(out)


def crc_x25(data: bytes) -> int:
    """The CRC of Crystalfontz packets: CRC-16/X-25 (reflected CCITT, inverted); of "123456789": 0x906E."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if crc & 1 else crc >> 1
    return crc ^ 0xFFFF


def cfa_packet(command: int, data: bytes) -> bytes:
    """command, length, data, CRC low byte first."""
    body = bytes([command, len(data)]) + data
    return body + crc_x25(body).to_bytes(2, "little")


def render_page(page: Page, dialect: Dialect, columns: int, encoding: str = "ascii") -> bytes:
    """The bytes that put `page` on the display, every cell of it; nothing is cleared first, so it does not flicker."""
    lines = [encode_line(line, encoding) for line in page]
    if dialect == "serlcd":
        starts = ROW_STARTS if columns != 16 else (0x00, 0x40, 0x10, 0x50)
        return b"".join(bytes([0xFE, 0x80 | starts[row]]) + line for row, line in enumerate(lines))
    if dialect == "matrix":
        return b"".join(b"\xfeG" + bytes([1, row + 1]) + line for row, line in enumerate(lines))
    if dialect == "crystalfontz":
        return b"".join(_cfa_row(row, line) for row, line in enumerate(lines))
    return b"".join(b"\x1b[%d;1H" % (row + 1) + line for row, line in enumerate(lines))


def _cfa_row(row: int, line: bytes) -> bytes:
    room = CFA_MAX_DATA - 2
    pieces = range(0, len(line), room)
    return b"".join(cfa_packet(CFA_WRITE, bytes([at, row]) + line[at : at + room]) for at in pieces)


BLANK: dict[Dialect, bytes] = {
    "serlcd": b"\xfe\x01",
    "matrix": b"\xfeX",
    "crystalfontz": cfa_packet(CFA_CLEAR, b""),
    "plain": b"\x1b[2J",
}


class KeyReader:
    """Keys of displays that have some: bytes in, touches out. Never raises."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._buffer = bytearray()

    def feed(self, data: bytes) -> tuple[TouchEvent, ...]:
        if self._dialect == "matrix":
            known = [(chr(byte), MATRIX_KEYS[chr(byte)]) for byte in data if chr(byte) in MATRIX_KEYS]
            return tuple(TouchEvent(action, component=ord(key)) for key, action in known)
        if self._dialect != "crystalfontz":
            return ()
        self._buffer += data
        touches = []
        while len(self._buffer) >= 4:
            size = self._buffer[1] + 4
            if self._buffer[1] > CFA_MAX_DATA:
                del self._buffer[0]
                continue
            if len(self._buffer) < size:
                break
            packet = bytes(self._buffer[:size])
            if crc_x25(packet[:-2]) != int.from_bytes(packet[-2:], "little"):
                del self._buffer[0]
                continue
            del self._buffer[:size]
            if packet[0] == CFA_KEY and packet[1] == 1:
                touches.append(_cfa_key(packet[2]))
        return tuple(touches)


def _cfa_key(number: int) -> TouchEvent:
    """1-6 are presses, 7-12 the releases of the same keys."""
    pressed = number <= 6
    key = number if pressed else number - 6
    return TouchEvent(CFA_KEYS.get(key, ""), component=key, pressed=pressed)


class LcdDisplay(SerialDisplay):
    """Turns pages on displays from 16 x 2 upwards."""

    settings_type: ClassVar[type[DriverSettings]] = LcdSettings

    def __init__(self, settings: LcdSettings) -> None:
        self._lcd = settings
        self._keys = KeyReader(settings.dialect)
        super().__init__(settings)

    def greeting(self) -> bytes:
        return self.blank()

    def blank(self) -> bytes:
        return BLANK[self._lcd.dialect]

    def pages(self, view: ScoreView) -> tuple[bytes, ...]:
        s = self._lcd
        lang = s.lang if s.encoding != "ascii" else "en"
        pages = text_pages(view, s.columns, s.rows, lang)
        return tuple(render_page(page, s.dialect, s.columns, s.encoding) for page in pages)

    def hear(self, data: bytes) -> tuple[TouchEvent, ...]:
        return self._keys.feed(data)
