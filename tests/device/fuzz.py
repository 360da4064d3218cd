"""The fuzz run: `python tests/device/fuzz.py --cases 200000` puts damaged lines into every codec's decoder.

Each case is a line of real frames that is cut, flipped, shortened, lengthened, shuffled or drowned in noise. Checked:
the decoder never raises; a frame it gives is one that was sent, unless its check happens to hold (counted, and bounded
by the odds of that check); after the damage it takes at most one undamaged frame to find back.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from device.machine.codecs import CODECS, Codec, open_codec
from device.machine.events import BODIES, MachineEvent, UnknownEvent
from device.machine.fields import Choice, Int, Many, PayloadError, Record, Text, Wire
from device.machine.messages import (
    COMMANDS,
    MESSAGES,
    Command,
    Event,
    Events,
    Message,
    Packet,
    pack_message,
)


@dataclass
class FuzzReport:
    codec: str
    cases: int = 0
    frames: int = 0
    delivered: int = 0
    chance: int = 0
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)

    def line(self) -> str:
        return (
            f"fuzz {self.codec}: {self.cases} damaged lines, {self.frames} frames in them, {self.delivered} delivered, "
            f"{self.chance} accepted by chance, {len(self.problems)} problems, {self.seconds:.1f} s"
        )


def random_value(wire: Wire, rng: random.Random) -> object:
    if isinstance(wire, Int):
        return rng.choice((wire.low, wire.high, rng.randint(wire.low, wire.high)))
    if isinstance(wire, Text):
        return "".join(rng.choice('台番AΩ0\0{}"\n') for _ in range(rng.randint(0, 8)))
    if isinstance(wire, Choice):
        return rng.choice(sorted(wire.numbers))
    if isinstance(wire, Many):
        count = wire.count if wire.count is not None else rng.randint(0, 3)
        return tuple(random_value(wire.item, rng) for _ in range(count))
    return rng.randbytes(rng.choice((0, 1, 40, 200)))


def random_record(cls: type[Record], rng: random.Random) -> Record:
    return cls(**{name: random_value(wire, rng) for name, wire in cls.wires()})


def random_event(rng: random.Random) -> MachineEvent:
    kind = rng.choice([*BODIES.values(), UnknownEvent])
    body = UnknownEvent(rng.randint(100, 255), rng.randbytes(5)) if kind is UnknownEvent else random_record(kind, rng)
    return MachineEvent(rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(32), body)  # type: ignore[arg-type]


def random_message(rng: random.Random) -> Message:
    cls = rng.choice(list(MESSAGES.values()))
    if cls is Command:
        return Command(random_record(rng.choice(list(COMMANDS.values())), rng))  # type: ignore[arg-type]
    if cls is Event:
        return Event(random_event(rng))
    if cls is Events:
        return Events(1, 2, 0, 1, tuple(random_event(rng) for _ in range(rng.randint(0, 3))))
    return random_record(cls, rng)  # type: ignore[return-value]


def flip(line: bytearray, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 4)):
        line[rng.randrange(len(line))] ^= 1 << rng.randrange(8)


def drop(line: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(line))
    del line[at : at + rng.randint(1, 6)]


def insert(line: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(line) + 1)
    line[at:at] = rng.randbytes(rng.randint(1, 12))


def cut(line: bytearray, rng: random.Random) -> None:
    del line[rng.randrange(len(line)) :]


def overwrite(line: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(line))
    for index in range(at, min(len(line), at + rng.randint(1, 20))):
        line[index] = rng.choice((0, 0x55, 0xAA, 0xFF, 10, rng.getrandbits(8)))


def double(line: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(line))
    line[at:at] = line[at : at + rng.randint(1, 30)]


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, drop, insert, cut, overwrite, double)


def feed_in_pieces(decoder: object, line: bytes, rng: random.Random) -> list[Packet]:
    got: list[Packet] = []
    while line:
        size = rng.choice((1, 7, 64, len(line)))
        got += decoder.feed(line[:size])  # type: ignore[attr-defined]
        line = line[size:]
    return got


def one_case(codec: Codec, pool: Sequence[tuple[Packet, bytes]], rng: random.Random, report: FuzzReport) -> None:
    chosen = [rng.choice(pool) for _ in range(rng.randint(1, 4))]
    sent = {encoded for _, encoded in chosen}
    line = bytearray(b"".join(encoded for _, encoded in chosen))
    for _ in range(rng.randint(1, 3)):
        if line:
            rng.choice(DAMAGES)(line, rng)
    decoder = codec.decoder()
    report.cases += 1
    report.frames += len(chosen)
    try:
        got = feed_in_pieces(decoder, bytes(line), rng)
        # After the damage: the first good frame may be swallowed by a broken one, the second never.
        marker = [rng.choice(pool) for _ in range(2)]
        got += decoder.silence()
        after = feed_in_pieces(decoder, b"".join(encoded for _, encoded in marker), rng)
    except Exception as error:
        report.problems.append(f"raised {type(error).__name__}: {error} on {bytes(line).hex()}")
        return
    report.delivered += len(got)
    for packet in got:
        try:
            again = codec.encode(packet)
        except (PayloadError, ValueError):
            again = b""
        if again not in sent:
            report.chance += 1
    if not after or after[-1] != marker[-1][0]:
        report.problems.append(f"did not find back after {bytes(line).hex()}")


# How many frames a check of this strength lets pass by chance, per damaged line, with a wide margin.
ODDS = {"cobs-crc16": 4 / 65536, "aa55-xor": 6 / 256, "ascii-line": 2 / 65536}


def run_fuzz(name: str, cases: int, seed: int) -> FuzzReport:
    """Run `cases` damaged lines through the codec `name`."""
    rng = random.Random(seed)
    codec = open_codec(name)
    report = FuzzReport(name)
    pool: list[tuple[Packet, bytes]] = []
    while len(pool) < 400:
        message = random_message(rng)
        if len(pack_message(message)) > min(codec.max_payload, 240):
            continue
        packet = Packet(message, rng.randrange(256))
        pool.append((packet, codec.encode(packet)))
    start = time.monotonic()
    for _ in range(cases):
        one_case(codec, pool, rng, report)
        if len(report.problems) > 10:
            break
    report.seconds = time.monotonic() - start
    if report.chance > max(3.0, cases * ODDS[name]):
        report.problems.append(f"{report.chance} wrong frames accepted: more than chance allows")
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200_000, help="damaged lines over all codecs together")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    failed = False
    for name in sorted(CODECS):
        report = run_fuzz(name, -(-arguments.cases // len(CODECS)), arguments.seed)
        sys.stdout.write(report.line() + "\n")
        for problem in report.problems:
            failed = True
            sys.stdout.write(f"  {problem}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
