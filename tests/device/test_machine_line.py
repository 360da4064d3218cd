"""The link and the emulator over real lines: a PTY, TCP, RFC 2217, a shared two-wire bus."""

from __future__ import annotations

import os
import queue
import random
import select
import socket
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import pytest
from timing import slack_now

from device.machine.cursors import FileCursors
from device.machine.emulator.core import Identity
from device.machine.emulator.endpoint import PtyEndpoint, TcpEndpoint
from device.machine.emulator.faults import Faults, Rates, mixture, parse_faults
from device.machine.emulator.game import PlayedHand
from device.machine.emulator.run import Emulator, EmulatorSettings
from device.machine.events import NOBODY, Button, MachineEvent, RoundStart, TileSeen
from device.machine.jobs import MachineError, MachineRefused
from device.machine.link import MachineBus, MachineLink
from device.machine.messages import ShowScore, ShuffleStart
from device.machine.session import EventsLost, LinkDown, LinkUp
from device.transport import SerialTransport, TransportError

Say = Callable[[str], None]


@dataclass
class Book:
    """What a host's ledger would keep: hands put together from events, each event recorded under its key once."""

    keys: list[str] = field(default_factory=list)
    hands: list[tuple[int, int, str]] = field(default_factory=list)  # (hand number, winner, tiles)
    repeats: int = 0
    number: int = 0
    tiles: list[str] = field(default_factory=list)

    def record(self, event: MachineEvent) -> None:
        if event.key in self.keys[-200:]:
            self.repeats += 1
            return
        self.keys.append(event.key)
        body = event.body
        if isinstance(body, RoundStart):
            self.number, self.tiles = body.hand_number, []
        elif isinstance(body, TileSeen):
            self.tiles.append(body.tile)
        elif isinstance(body, Button) and body.button == "draw":
            self.hands.append((self.number, NOBODY, ""))
        elif isinstance(body, Button) and body.button == "confirm":
            self.hands.append((self.number, body.seat, " ".join(self.tiles)))


def as_played(hand: PlayedHand) -> tuple[int, int, str]:
    """The same for a hand the emulator played."""
    if hand.winner == NOBODY:
        return hand.number, NOBODY, ""
    rest = list(hand.concealed)
    rest.remove(hand.win_tile)
    tiles = [*rest, *hand.flowers, hand.win_tile, *(tile for meld in hand.melds for tile in meld)]
    return hand.number, hand.winner, " ".join(tiles)


@pytest.fixture()
def port(tmp_path: Path) -> Path:
    return tmp_path / "machine"


def follow(link: MachineLink, book: Book, finished: Callable[[], bool], limit_s: float) -> list[object]:
    """Apply everything until `finished`; returns the notices."""
    notices: list[object] = []
    end = time.monotonic() + limit_s * slack_now()
    while not finished():
        assert time.monotonic() < end, f"not finished in time: {link.health()}"
        item = link.next(0.05)
        if isinstance(item, MachineEvent):
            book.record(item)
        elif item is not None:
            notices.append(item)
    while (item := link.next(0.2)) is not None:
        if isinstance(item, MachineEvent):
            book.record(item)
    return notices


@pytest.mark.e2e
@pytest.mark.slow
def test_two_hundred_hands_through_every_trouble(port: Path, say: Say) -> None:
    """200 hands, 10 % of all frames spoilt, two reboots and two unplugs in the middle of hands, the host restarted
    twice: every hand logged exactly once, in order."""
    script = ["all=10%", "reboot@40hands", "unplug:1.2s@80hands", "reboot@120hands", "unplug:1.2s@160hands"]
    settings = EmulatorSettings(hands=200, faults=parse_faults(script), seed=11, resend_s=0.1)
    emulator = Emulator(PtyEndpoint(port), settings)
    emulator.start()
    cursors = port.parent / "cursors.json"
    book, notices, begin = Book(), [], time.monotonic()
    try:
        for stop_at in (60, 140, 200):
            with MachineLink(str(port), cursors=FileCursors(cursors)) as link:
                done = emulator.done.is_set if stop_at == 200 else lambda at=stop_at: len(book.hands) >= at
                notices += follow(link, book, done, 60)
                health = link.health()
    finally:
        emulator.stop()
    played = [as_played(hand) for hand in emulator.game.played]
    done = emulator.counts.done
    frame_faults = sum(n for name, n in done.items() if name not in ("reboot", "unplug"))
    say(
        f"end to end over a PTY: {len(played)} hands played, {len(book.hands)} logged, "
        f"{len({h[0] for h in book.hands})} different, {emulator.events} events sent, {len(book.keys)} applied; "
        f"{emulator.counts.frames} frames, {frame_faults} spoilt ({frame_faults / emulator.counts.frames:.1%}), "
        f"{emulator.reboots} reboots, {emulator.unplugs} unplugs, 2 host restarts, {book.repeats} repeats kept out; "
        f"{time.monotonic() - begin:.0f} s"
    )
    assert len(played) == 200
    assert book.hands == played
    assert len(book.keys) == len(set(book.keys)) == emulator.events
    assert emulator.reboots == 2 and emulator.unplugs == 2
    assert 0.08 < frame_faults / emulator.counts.frames < 0.12
    assert not [n for n in notices if isinstance(n, EventsLost)]
    assert len([n for n in notices if isinstance(n, LinkUp) and n.reboot]) == 2
    assert health.decoder.bad > 0


@pytest.mark.parametrize("codec", ["aa55-xor", "ascii-line"])
def test_the_other_codecs_play_too(port: Path, codec: str) -> None:
    rates = Rates(drop=0.04, duplicate=0.03, reorder=0.03)
    emulator = Emulator(PtyEndpoint(port), EmulatorSettings(codec=codec, hands=12, faults=Faults(rates)))
    emulator.start()
    book = Book()
    try:
        with MachineLink(str(port), codec=codec) as link:
            follow(link, book, emulator.done.is_set, 30)
    finally:
        emulator.stop()
    assert book.hands == [as_played(hand) for hand in emulator.game.played]
    assert len(book.hands) == 12


def test_tcp_slow_line_and_silence() -> None:
    script = parse_faults(["baud=57600", "silence:0.8s@2hands", "garbage:1s@4hands", "unplug:0.5s@5hands"])
    emulator = Emulator(TcpEndpoint(), EmulatorSettings(hands=7, faults=script))
    emulator.start()
    book = Book()
    try:
        with MachineLink(emulator.endpoint.address, baud=57600) as link:
            follow(link, book, emulator.done.is_set, 40)
    finally:
        emulator.stop()
    assert book.hands == [as_played(hand) for hand in emulator.game.played]
    assert len(book.hands) == 7


def test_a_program_that_died_before_remembering_is_told_again(port: Path) -> None:
    emulator = Emulator(PtyEndpoint(port), EmulatorSettings(hands=1))
    emulator.start()
    cursors = FileCursors(port.parent / "cursors.json")
    try:
        first: list[MachineEvent] = []
        link = MachineLink(str(port), cursors=cursors)
        link.start()
        for item in link.events():
            if isinstance(item, MachineEvent):
                first.append(item)
                if len(first) == 12:
                    break  # the twelfth is acted upon, and never confirmed: the program dies
        link._bus.close()
        remembered = [event.position for event in first].index(cursors.load("EMU-0001"))
        assert 7 <= remembered <= 10  # at least every eighth of a burst, and never the one not confirmed
        with MachineLink(str(port), cursors=FileCursors(port.parent / "cursors.json")) as again:
            second: list[MachineEvent] = []
            while len(second) < 12 - remembered:
                item = again.next(3.0 * slack_now())
                assert item is not None
                second += [item] if isinstance(item, MachineEvent) else []
            assert [event.key for event in second[:-1]] == [event.key for event in first[remembered + 1 :]]
            assert second[-1].number == 13
    finally:
        emulator.stop()


def test_a_damaged_cursor_file_is_started_anew(tmp_path: Path) -> None:
    path = tmp_path / "cursors.json"
    path.write_text('{"EMU": [1')
    cursors = FileCursors(path)
    assert cursors.load("EMU") == (0, 0)
    cursors.save("EMU", (7, 8))
    assert FileCursors(path).load("EMU") == (7, 8)


def jpeg(seed: int, size: tuple[int, int]) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 255, (*size, 3), np.uint8)
    return cv2.imencode(".jpg", cv2.GaussianBlur(noise, (0, 0), 2), [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes()


def test_a_picture_over_a_bad_line_at_921600_baud(port: Path, say: Say) -> None:
    picture = jpeg(1, (720, 1280))
    faults = Faults(mixture(0.10), baud=921600)
    emulator = Emulator(PtyEndpoint(port), EmulatorSettings(hands=0, faults=faults), pictures=lambda hand: picture)
    emulator.start()
    try:
        with MachineLink(str(port), baud=921600) as link:
            wait_up(link)
            begin = time.monotonic()
            got = link.request_image(timeout_s=60 * slack_now())
            seconds = time.monotonic() - begin
    finally:
        emulator.stop()
    assert got == picture
    say(f"picture over serial: {len(got)} bytes, 10 % of frames spoilt, {seconds:.1f} s at 921600 baud")


def test_a_slow_camera_does_not_make_the_machine_deaf(port: Path) -> None:
    def slow(hand: PlayedHand | None) -> bytes:
        time.sleep(4.0)  # longer than the host's patience with a machine that does not answer
        return b"a picture"

    emulator = Emulator(PtyEndpoint(port), EmulatorSettings(hands=0), pictures=slow)
    emulator.start()
    try:
        with MachineLink(str(port)) as link:
            wait_up(link)
            assert link.request_image(timeout_s=20 * slack_now()) == b"a picture"
            assert link.health().stats.downs == 0
    finally:
        emulator.stop()


def test_a_camera_that_fails_is_no_camera(port: Path) -> None:
    def broken(hand: PlayedHand | None) -> bytes:
        raise OSError("no more pictures")

    emulator = Emulator(PtyEndpoint(port), EmulatorSettings(hands=0), pictures=broken)
    emulator.start()
    try:
        with MachineLink(str(port)) as link:
            wait_up(link)
            with pytest.raises(MachineRefused, match="no_image"):
                link.request_image(timeout_s=10 * slack_now())
    finally:
        emulator.stop()


def wait_up(link: MachineLink, limit_s: float = 10.0) -> None:
    end = time.monotonic() + limit_s * slack_now()
    while not link.health().ok:
        assert time.monotonic() < end, link.health()
        time.sleep(0.01)


def test_commands_through_a_storm_of_refusals(port: Path) -> None:
    emulator = Emulator(PtyEndpoint(port), EmulatorSettings(hands=0, faults=parse_faults(["nack=50%"])))
    emulator.start()
    score = ShowScore("recorded", "E", 3, 0, 1, 2, 8, (10, -10, 0, 0), (8, -8, 0, 0), "自摸 8 台")
    try:
        with MachineLink(str(port)) as link:
            wait_up(link)
            for _ in range(5):
                link.command(score)
                link.command(ShuffleStart())
            assert emulator.core.panel == score
            assert emulator.core.commands.count(score) == 5
            with pytest.raises(MachineRefused, match="no_image"):
                link.request_image(timeout_s=10 * slack_now())
            state = link.snapshot()
            assert state is not None and state.phase == "idle"
    finally:
        emulator.stop()


def test_asking_a_machine_that_is_not_there(tmp_path: Path) -> None:
    with MachineLink(str(tmp_path / "nothing")) as link:
        with pytest.raises(MachineError, match=r"nothing is not there|not connected"):
            link.command(ShuffleStart(), timeout_s=0.4)
        assert not link.health().ok
        assert isinstance(link.next(0.5), LinkDown)
        assert link.next(0.3) is None  # told once


def test_closing_ends_the_events(port: Path) -> None:
    emulator = Emulator(PtyEndpoint(port), EmulatorSettings(hands=0))
    emulator.start()
    try:
        link = MachineLink(str(port))
        link.start()

        def close_when_up() -> None:
            wait_up(link)
            time.sleep(0.2)
            link.close()

        threading.Thread(target=close_when_up).start()
        assert [type(item) for item in link.events()] == [LinkUp]
    finally:
        emulator.stop()


# ---- RS-485: several machines on two wires


class TwoWires:
    """A PTY for the host whose bytes come back to it as an echo and reach every machine."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.address = os.ttyname(self.slave)
        self.taps: list[queue.Queue[bytes]] = []
        self.lock = threading.Lock()
        self.stop = threading.Event()
        threading.Thread(target=self.carry, daemon=True).start()

    def carry(self) -> None:
        while not self.stop.is_set():
            if select.select([self.master], [], [], 0.02)[0]:
                data = os.read(self.master, 4096)
                self.put(data)
                for tap in self.taps:
                    tap.put(data)

    def put(self, data: bytes) -> None:
        with self.lock:
            os.write(self.master, data)

    def tap(self) -> queue.Queue[bytes]:
        self.taps.append(queue.Queue())
        return self.taps[-1]


class BusEnd:
    """One machine's end of the two wires."""

    def __init__(self, wires: TwoWires) -> None:
        self.wires = wires
        self.queue = wires.tap()
        self.address = wires.address

    def plug(self) -> None: ...

    def unplug(self) -> None: ...

    def read(self, timeout_s: float) -> bytes:
        try:
            return self.queue.get(timeout=timeout_s)
        except queue.Empty:
            return b""

    def write(self, data: bytes) -> None:
        if data:
            self.wires.put(data)


def test_three_machines_share_two_wires() -> None:
    """Addresses 1, 2 and 3 play; 4 is switched off and must not hold the others up."""
    wires = TwoWires()
    emulators = [
        Emulator(
            BusEnd(wires),
            EmulatorSettings(
                identity=Identity(f"TABLE-{address}", capabilities=("persistent_log", "half_duplex", "panel")),
                address=address,
                hands=4,
                seed=address,
                faults=Faults(Rates(drop=0.03, corrupt=0.03)),
            ),
        )
        for address in (1, 2, 3)
    ]
    for emulator in emulators:
        emulator.start()
    bus = MachineBus(wires.address, (1, 2, 3, 4))
    books = {address: Book() for address in (1, 2, 3)}
    bus.start()
    try:
        links = {address: bus.machine(address) for address in (1, 2, 3, 4)}
        end = time.monotonic() + 40 * slack_now()
        while not all(e.done.is_set() for e in emulators):
            assert time.monotonic() < end, [links[a].health() for a in links]
            for address, book in books.items():
                item = links[address].next(0.005)
                if isinstance(item, MachineEvent):
                    assert item.machine == f"TABLE-{address}"
                    book.record(item)
        links[2].command(ShuffleStart(), timeout_s=10 * slack_now())
        assert emulators[1].core.commands == [ShuffleStart()]
        assert not links[4].health().ok
        assert bus.members[1].session.stats.echoes > 0
    finally:
        bus.close()
        for emulator in emulators:
            emulator.stop()
        wires.stop.set()
    for emulator, book in zip(emulators, books.values(), strict=True):
        assert book.hands == [as_played(hand) for hand in emulator.game.played]
        assert len(book.hands) == 4


# ---- the transport


def test_a_port_is_ours_alone(port: Path) -> None:
    end = PtyEndpoint(port)
    end.plug()
    first, second = SerialTransport(str(port)), SerialTransport(str(port))
    first.open()
    with pytest.raises(TransportError, match=r"in use by another program.*ModemManager"):
        second.open()
    first.close()
    second.open()
    second.close()
    end.unplug()


def test_unplugging_is_a_transport_error_both_ways(port: Path) -> None:
    end = PtyEndpoint(port)
    end.plug()
    line = SerialTransport(str(port))
    line.open()
    line.write(b"hello")
    assert end.read(1.0) == b"hello"
    end.write(b"world")
    assert line.read(1.0) == b"world"
    assert line.read(0.01) == b""
    end.unplug()
    with pytest.raises(TransportError, match="gone"):
        for _ in range(3):
            line.read(0.1)
    with pytest.raises(TransportError, match="gone"):
        line.write(b"x")
    line.close()
    line.close()
    with pytest.raises(TransportError, match="not there"):
        line.open()


def test_loop_and_wrong_addresses() -> None:
    loop = SerialTransport("loop://")
    loop.open()
    loop.write(b"abc")
    assert loop.read(0.5) == b"abc"
    assert loop.read(0.01) == b""
    loop.write(b"abc")
    loop.discard()
    assert loop.read(0.01) == b""
    loop.close()
    with pytest.raises(TransportError, match="not an address"):
        SerialTransport("morse://x").open()
    with pytest.raises(TransportError, match="cannot be opened"):
        SerialTransport("socket://127.0.0.1:1").open()


RFC2217 = """
import os, socket, sys, threading, serial, serial.rfc2217
class Pty(serial.Serial):  # a PTY has no modem lines
    cts = dsr = ri = cd = False
    def _update_dtr_state(self): pass
    def _update_rts_state(self): pass
    def _update_break_state(self): pass
line = Pty(sys.argv[1], timeout=0.02)
server = socket.create_server(("127.0.0.1", int(sys.argv[2])))
print("ready", flush=True)
peer, _ = server.accept()
class Peer:
    def write(self, data): peer.sendall(data)
    def flush(self): pass
manager = serial.rfc2217.PortManager(line, Peer())
def outward():
    while True:
        data = line.read(line.in_waiting or 1)
        if data: peer.sendall(b"".join(manager.escape(data)))
threading.Thread(target=outward, daemon=True).start()
while True:
    data = peer.recv(1024)
    if not data: break
    line.write(b"".join(manager.filter(data)))
"""


@pytest.fixture()
def rfc2217(port: Path) -> Iterator[tuple[Emulator, str]]:
    """An emulated machine on a PTY, shared over the network by pySerial's own RFC 2217 server."""
    emulator = Emulator(PtyEndpoint(port), EmulatorSettings(hands=3))
    emulator.start()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        number = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", RFC2217, str(port), str(number)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert server.stdout is not None and server.stdout.readline().strip() == b"ready"
    yield emulator, f"rfc2217://127.0.0.1:{number}"
    server.kill()
    server.wait()
    emulator.stop()


@pytest.mark.filterwarnings("ignore:set:DeprecationWarning")
def test_over_rfc2217(rfc2217: tuple[Emulator, str]) -> None:
    emulator, address = rfc2217
    book = Book()
    with MachineLink(address) as link:
        follow(link, book, emulator.done.is_set, 30)
    assert book.hands == [as_played(hand) for hand in emulator.game.played]
    assert len(book.hands) == 3


def test_the_same_seed_plays_the_same_game() -> None:
    from device.machine.emulator.game import Game

    def play(seed: int) -> list[PlayedHand]:
        game = Game(seed)
        for _ in range(30):
            list(game.hand())
        return game.played

    assert play(1) == play(1) != play(2)
    for hand in play(3):
        if hand.winner != NOBODY:
            tiles = [*hand.concealed, *(t for meld in hand.melds for t in meld)]
            assert len(tiles) == 17 and max(tiles.count(t) for t in tiles) <= 4
            assert hand.win_tile in hand.concealed
    assert {hand.winner for hand in play(random.Random(0).randint(0, 9))} >= {0, 1, 2, 3}
