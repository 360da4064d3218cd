"""Scripted trouble: what happens to a machine's frames on the way, and what happens to the machine."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, fields, replace

from device.errors import SettingsError

ACTIONS = ("reboot", "unplug", "silence", "garbage", "nack")


@dataclass(frozen=True, slots=True)
class Rates:
    """How often, from 0 to 1, each thing happens to a frame in either direction."""

    drop: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    corrupt: float = 0.0
    wrong_crc: float = 0.0
    garbage: float = 0.0
    nack: float = 0.0


@dataclass(frozen=True, slots=True)
class Action:
    """Something that happens once: `what` for `seconds`, after so many hands or so many seconds from the start."""

    what: str
    seconds: float = 0.0
    after_hands: int | None = None
    after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Faults:
    """Everything that is to go wrong. `baud` > 0 makes the line as slow as that many bits a second."""

    rates: Rates = Rates()
    actions: tuple[Action, ...] = ()
    baud: int = 0


_RATE = re.compile(r"^(\w+)=([\d.]+)(%?)$")
_ACTION = re.compile(r"^(\w+)(?::([\d.]+)s?)?@(\d+(?:\.\d+)?)(hands?|s)$")
HELP = (
    f"Valid: a rate like drop=10% ({', '.join(f.name for f in fields(Rates))}), all=10% for a mixture, baud=9600, "
    f"or an action like reboot@50hands, unplug:2s@90hands, silence:5s@30s ({', '.join(ACTIONS)})."
)


def parse_faults(words: list[str]) -> Faults:
    """Faults from words of the command line. Raises SettingsError, with what is valid, for one it does not know."""
    faults = Faults()
    for word in words:
        rate, action = _RATE.match(word), _ACTION.match(word)
        if rate:
            faults = _with_rate(faults, rate[1], float(rate[2]) / (100 if rate[3] else 1), word)
        elif action and action[1] in ACTIONS:
            when = float(action[3])
            hands = int(when) if action[4].startswith("hand") else None
            entry = Action(action[1], float(action[2] or 1.0), hands, None if hands is not None else when)
            faults = replace(faults, actions=(*faults.actions, entry))
        else:
            raise SettingsError(f"There is no fault {word!r}.", HELP)
    return faults


def _with_rate(faults: Faults, name: str, value: float, word: str) -> Faults:
    if name == "baud":
        return replace(faults, baud=int(value))
    if not 0 <= value <= 1:
        raise SettingsError(f"The rate in {word!r} is not between 0 and 1 (or 0% and 100%).", HELP)
    if name == "all":
        return replace(faults, rates=mixture(value))
    if name not in {f.name for f in fields(Rates)}:
        raise SettingsError(f"There is no fault {word!r}.", HELP)
    return replace(faults, rates=replace(faults.rates, **{name: value}))


def mixture(rate: float) -> Rates:
    """Every frame fault, together as often as `rate`."""
    each = rate / 6
    return Rates(each, each, each, each, each, each)


@dataclass(slots=True)
class FaultCounts:
    """How often each thing was done; `frames` is how many frames passed."""

    frames: int = 0
    done: dict[str, int] = field(default_factory=dict)

    def count(self, what: str) -> None:
        self.done[what] = self.done.get(what, 0) + 1

    @property
    def faults(self) -> int:
        return sum(self.done.values())


class FaultyLine:
    """One direction of a line: frames go in, what arrives of them comes out."""

    def __init__(self, rates: Rates, rng: random.Random, counts: FaultCounts) -> None:
        self._rates = rates
        self._rng = rng
        self._counts = counts
        self._held: bytes | None = None

    def carry(self, frame: bytes) -> bytes:
        """The bytes that arrive for `frame` (perhaps with an earlier one that was held back)."""
        self._counts.frames += 1
        fault = self._pick()
        if fault:
            self._counts.count(fault)
        out = self._apply(fault, frame)
        if self._held is not None and fault != "reorder":
            out, self._held = out + self._held, None
        return out

    def _pick(self) -> str:
        dice = self._rng.random()
        for name in ("drop", "duplicate", "reorder", "corrupt", "wrong_crc", "garbage"):
            dice -= getattr(self._rates, name)
            if dice < 0:
                return name
        return ""

    def _apply(self, fault: str, frame: bytes) -> bytes:
        rng = self._rng
        if fault == "drop":
            return b""
        if fault == "duplicate":
            return frame + frame
        if fault == "reorder":
            out, self._held = self._held or b"", frame
            return out
        if fault == "garbage":
            return rng.randbytes(rng.randint(1, 60)) + frame
        if fault in ("corrupt", "wrong_crc"):
            return self._spoil(frame, fault)
        return frame

    def _spoil(self, frame: bytes, fault: str) -> bytes:
        """Flip bits anywhere (corrupt), or in the check just before the end of the frame (wrong_crc)."""
        damaged = bytearray(frame)
        places = range(len(frame)) if fault == "corrupt" else range(max(0, len(frame) - 3), len(frame) - 1)
        for _ in range(self._rng.randint(1, 3)):
            damaged[self._rng.choice(places)] ^= 1 << self._rng.randrange(8)
        return bytes(damaged)

    def drain(self) -> bytes:
        """A frame still held back, when nothing more comes to overtake it."""
        out, self._held = self._held or b"", None
        return out
