"""Driver `nextion`: Nextion (and compatible) HMI touch displays.

Commands are text ended by three FF bytes; so are the display's own messages. The page on the display needs components
of these names (`docs/hardware.md` lists them); `names` in the settings maps them to others. The `nextion` package on
PyPI is an asyncio client that owns the port; this driver only needs bytes, and bytes can be tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from device.displays.base import Lang, TouchEvent
from device.displays.serial_display import SerialDisplay, SerialSettings
from device.displays.words import MELDS, STATES, round_title, signed, tile_word, unit, wind
from device.drivers import DriverSettings
from scoring.view import HandView, ScoreView

END = b"\xff\xff\xff"
COLOURS = {
    "idle": 33808, "aiming": 2047, "reading": 2047, "confirm": 65504, "recorded": 2016, "not_winning": 63488,
}  # fmt: skip
HEALTH_COLOURS = {"ok": 2016, "warn": 65504, "fail": 63488, "off": 33808}
GREEN, RED, WHITE = 2016, 63488, 65535
MAX_ITEMS = 8
TOUCH, POSITION, POSITION_ASLEEP, PAGE, READY = 0x65, 0x67, 0x68, 0x66, 0x88
# How many bytes follow each message's first byte, before the three FF; anything else is a status byte alone.
LENGTHS = {TOUCH: 3, POSITION: 5, POSITION_ASLEEP: 5, PAGE: 1, 0x71: 4}
STRING = 0x70


class NextionSettings(SerialSettings):
    """`encoding` as set in the Nextion Editor; `names`: our component names to the page's; `touch`: which component
    (its id, or `page:id`) means what, e.g. {"0:5": "confirm", "0:6": "undo"}."""

    baud: int = Field(default=115200, ge=2400)
    lang: Lang = "zh"
    encoding: Literal["utf-8", "big5", "gb2312", "ascii"] = "utf-8"
    names: dict[str, str] = Field(default_factory=dict)
    touch: dict[str, str] = Field(default_factory=dict)


def fields(view: ScoreView, lang: Lang) -> list[tuple[str, str | int]]:
    """(component.attribute, value) of the whole page, in a fixed order. Pure."""
    state = STATES[lang].get(view.state, view.state)
    total = "" if view.total is None else f"{view.total} {unit(view, lang)}"
    out: list[tuple[str, str | int]] = [
        ("title.txt", round_title(view, lang)),
        ("state.txt", state),
        ("state.pco", COLOURS.get(view.state, WHITE)),
        ("total.txt", total),
        ("hand.txt", hand_text(view.hand, lang) if view.hand else ""),
        ("message.txt", view.line.text(lang)),
    ]
    for index in range(4):
        seat = view.seats[index] if index < len(view.seats) else None
        head = f"{wind(seat.wind, lang)}{'*' if seat.dealer else ''} {seat.name}".rstrip() if seat else ""
        change = signed(seat.change) if seat and seat.change else ""
        out += [
            (f"seat{index}.txt", head),
            (f"total{index}.txt", str(seat.total) if seat else ""),
            (f"change{index}.txt", change),
            (f"change{index}.pco", GREEN if seat and seat.change > 0 else RED),
        ]
    for index in range(MAX_ITEMS):
        item = view.items[index] if index < len(view.items) else None
        name = (item.name_zh if lang == "zh" else item.name_en) if item else ""
        out.append((f"item{index}.txt", f"{name} {item.value}" if item else ""))
    out += [("camera.pco", HEALTH_COLOURS[view.camera]), ("machine.pco", HEALTH_COLOURS[view.machine])]
    return out


def hand_text(hand: HandView, lang: Lang) -> str:
    """The hand in one line of words."""
    gap = "" if lang == "zh" else " "
    parts = [gap.join(tile_word(code, lang) for code in hand.concealed)] if hand.concealed else []
    if hand.win_tile:
        parts.append(f"+{tile_word(hand.win_tile, lang)}")
    for meld in hand.melds:
        tiles = gap.join(tile_word(code, lang) for code in meld.tiles)
        parts.append(f"{MELDS[lang].get(meld.kind, meld.kind)} {tiles}")
    if hand.flowers:
        parts.append(gap.join(tile_word(code, lang) for code in hand.flowers))
    return " ".join(parts)


def command(target: str, value: str | int, encoding: str) -> bytes:
    """One assignment. Quotes and backslashes are escaped, line ends become `\\r`; none of the encodings
    has an FF byte, so no text can end the command."""
    if isinstance(value, int):
        return f"{target}={value}".encode("ascii") + END
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\r\n", "\\r").replace("\n", "\\r")
    raw = text.encode(encoding, "replace")
    return target.encode("ascii") + b'="' + raw + b'"' + END


def render(view: ScoreView, lang: Lang, encoding: str, names: Mapping[str, str] | None = None) -> bytes:
    """The whole page as bytes."""
    known = names or {}
    out = []
    for target, value in fields(view, lang):
        component, _, attribute = target.partition(".")
        out.append(command(f"{known.get(component, component)}.{attribute}", value, encoding))
    return b"".join(out)


class NextionReader:
    """The display's messages: bytes in, touches out. Never raises; finds back after noise."""

    LIMIT = 300

    def __init__(self, touch: Mapping[str, str]) -> None:
        self._touch = dict(touch)
        self._buffer = bytearray()
        self.restarted = False  # set when the display says that it has started: all must be written again

    def feed(self, data: bytes) -> tuple[TouchEvent, ...]:
        self._buffer += data
        touches = []
        while self._buffer:
            size = self._size()
            if size is None:
                break
            raw = bytes(self._buffer[:size])
            del self._buffer[:size]
            touch = self._message(raw[: -len(END)]) if raw.endswith(END) else None
            if touch is not None:
                touches.append(touch)
        return tuple(touches)

    def _size(self) -> int | None:
        """Bytes of the message at the front, None while it is incomplete; 1 to skip a byte that begins none."""
        first = self._buffer[0]
        if first in LENGTHS:
            # Counted, not searched for: a coordinate may itself be FF.
            size = 1 + LENGTHS[first] + len(END)
            if len(self._buffer) < size:
                return None
            return size if self._buffer[size - 3 : size] == END else 1
        end = self._buffer.find(END)
        if end < 0:
            return 1 if len(self._buffer) > self.LIMIT else None
        return end + len(END)

    def _message(self, body: bytes) -> TouchEvent | None:
        if body[:1] == bytes([TOUCH]):
            _, page, component, pressed = body
            action = self._touch.get(f"{page}:{component}", self._touch.get(str(component), ""))
            return TouchEvent(action, page, component, bool(pressed))
        if body[:1] in (bytes([POSITION]), bytes([POSITION_ASLEEP])):
            x, y = int.from_bytes(body[1:3], "big"), int.from_bytes(body[3:5], "big")
            return TouchEvent("", pressed=bool(body[5]), x=x, y=y)
        if body in (bytes([READY]), b"\0\0\0"):
            self.restarted = True
        return None


class NextionDisplay(SerialDisplay):
    """See the module."""

    settings_type: ClassVar[type[DriverSettings]] = NextionSettings

    def __init__(self, settings: NextionSettings) -> None:
        self._hmi = settings
        self._reader = NextionReader(settings.touch)
        super().__init__(settings)

    def greeting(self) -> bytes:
        """Three FF end whatever half command the line held; bkcmd=0 stops an answer to each command."""
        return END + b"bkcmd=0" + END

    def pages(self, view: ScoreView) -> tuple[bytes, ...]:
        return (render(view, self._hmi.lang, self._hmi.encoding, self._hmi.names),)

    def blank(self) -> bytes:
        return render(ScoreView(), self._hmi.lang, self._hmi.encoding, self._hmi.names)

    def hear(self, data: bytes) -> tuple[TouchEvent, ...]:
        touches = self._reader.feed(data)
        if self._reader.restarted:
            self._reader.restarted = False
            self.write_again()
        return touches
