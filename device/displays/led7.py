"""Driver `led7`: one MAX7219 with eight seven-segment digits for each seat, in a chain behind a serial bridge.

Each seat shows its total in five digits and the last change in three: `  120-24`. A point after the first digit marks
the dealer, one after the last the winner. The bridge is any small board that passes register writes on
(`docs/hardware.md` has one in 20 lines): a frame is A5, the number of chips, then (register, data) for every chip,
the one farthest from the bridge first, then the XOR of all bytes after A5.
"""

from __future__ import annotations

from functools import reduce
from operator import xor
from typing import ClassVar

from pydantic import Field

from device.displays.serial_display import SerialDisplay, SerialSettings
from device.displays.words import short_number, signed
from device.drivers import DriverSettings
from scoring.view import ScoreView, SeatView

START = 0xA5
DIGITS = 8
NOOP, DECODE, INTENSITY, SCAN_LIMIT, SHUTDOWN, TEST = 0x00, 0x09, 0x0A, 0x0B, 0x0C, 0x0F
POINT = 0x80
# Bits of the MAX7219: 6 a (top), 5 b, 4 c, 3 d (bottom), 2 e, 1 f, 0 g (middle).
SEGMENTS = {
    " ": 0x00, "-": 0x01, "0": 0x7E, "1": 0x30, "2": 0x6D, "3": 0x79, "4": 0x33, "5": 0x5B, "6": 0x5F, "7": 0x70,
    "8": 0x7F, "9": 0x7B, "k": 0x37, "M": 0x76, "+": 0x31, "#": 0x63,
}  # fmt: skip


class Led7Settings(SerialSettings):
    """`chips`: how many are chained, one for each seat in the view's order; `brightness` 0 to 15."""

    baud: int = Field(default=115200, ge=1200)
    chips: int = Field(default=4, ge=1, le=8)
    brightness: int = Field(default=8, ge=0, le=15)


def bridge_frame(registers: list[tuple[int, int]]) -> bytes:
    """One latch of the chain: (register, data) for each chip, nearest first."""
    body = bytes([len(registers)]) + b"".join(bytes(pair) for pair in reversed(registers))
    return bytes([START]) + body + bytes([reduce(xor, body, 0)])


def seat_digits(seat: SeatView) -> bytes:
    """The eight digits of one seat, left to right, as segment bits."""
    change = signed(seat.change).replace("+", "") if seat.change else ""
    if len(change) > 3:
        change = short_number(seat.change, 3)
    text = short_number(seat.total, 5) + change.rjust(3)
    digits = bytearray(SEGMENTS[char] for char in text)
    digits[0] |= POINT if seat.dealer else 0
    digits[-1] |= POINT if seat.winner else 0
    return bytes(digits)


def render(view: ScoreView, chips: int) -> bytes:
    """Eight frames, one for each digit; chips without a seat stay dark."""
    rows = [seat_digits(seat) for seat in view.seats[:chips]]
    rows += [bytes(DIGITS)] * (chips - len(rows))
    # Register 8 is the leftmost digit of the usual modules.
    return b"".join(bridge_frame([(DIGITS - place, row[place]) for row in rows]) for place in range(DIGITS))


def start_up(chips: int, brightness: int) -> bytes:
    """Test off, all eight digits scanned, no BCD decoding, brightness, awake."""
    steps = ((TEST, 0), (SCAN_LIMIT, 7), (DECODE, 0), (INTENSITY, brightness), (SHUTDOWN, 1))
    return b"".join(bridge_frame([step] * chips) for step in steps)


class Led7Display(SerialDisplay):
    """See the module."""

    settings_type: ClassVar[type[DriverSettings]] = Led7Settings

    def __init__(self, settings: Led7Settings) -> None:
        self._led = settings
        super().__init__(settings)

    def greeting(self) -> bytes:
        return start_up(self._led.chips, self._led.brightness)

    def pages(self, view: ScoreView) -> tuple[bytes, ...]:
        # The start-up goes before every picture: a chip that lost power for a moment comes back by itself.
        return (self.greeting() + render(view, self._led.chips),)

    def blank(self) -> bytes:
        return b"".join(bridge_frame([(place, 0)] * self._led.chips) for place in range(1, DIGITS + 1))
