"""A machine on a real line: the session run on a thread, with reconnecting, recording and a way to ask for things.

    with MachineLink("/dev/serial/by-id/…", cursors=FileCursors(path)) as link:
        for item in link.events():
            ...  # a MachineEvent, LinkUp, LinkDown or EventsLost; asking for the next one confirms this one

An event is confirmed only when the next is asked for. When the program dies, the last one (after a burst, the last
few) comes again after the restart, with the same `key`: record under that key, and it is applied exactly once.
"""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from device.machine.codecs import DecoderStats, open_codec
from device.machine.cursors import CursorStore, MemoryCursors
from device.machine.events import MachineEvent
from device.machine.exchange import DEFAULT_TIMING, Timing
from device.machine.jobs import CommandJob, ImageJob, MachineError
from device.machine.messages import CommandBody, Packet, State
from device.machine.session import (
    HostSession,
    Notice,
    SessionState,
    SessionStats,
)
from device.redact import redact
from device.transport import SerialTransport, Transport, TransportError

log = logging.getLogger("device.machine")
Direction = Literal["rx", "tx"]
Tap = Callable[[Direction, bytes, Sequence[Packet]], None]
FIRST_DELAY_S, LAST_DELAY_S = 0.1, 1.0
SILENCE_S = 0.05  # a longer gap never lies within a frame
READ_S = 0.004
BURST = 8


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """How the link is doing, for a health mark and for bug reports."""

    state: SessionState
    reason: str
    machine: str
    model: str
    stats: SessionStats
    decoder: DecoderStats
    reconnects: int
    waiting: int

    @property
    def ok(self) -> bool:
        return self.state == "up"


class Member:
    """One machine of a line: its session, and the queue to its user."""

    def __init__(self, session: HostSession) -> None:
        self.session = session
        self.lock = threading.RLock()
        self.queue: queue.Queue[MachineEvent | Notice | None] = queue.Queue()

    def deliver(self) -> None:
        """Move what the session has ready to the queue; called on the line's thread."""
        while self.queue.qsize() < HostSession.MAX_WAITING:
            with self.lock:
                item = self.session.take()
            if item is None:
                return
            self.queue.put(item)


class MachineBus:
    """A line with one machine or, half duplex, several. Owns the port and the thread; `machine(address)` is a user's
    end of one.

    `port` may be `serial:///dev/ttyUSB0` as the command line writes it. On a shared line only the host starts to
    talk, and only to one machine at a time.
    """

    def __init__(
        self,
        port: str,
        addresses: Sequence[int] = (0,),
        *,
        codec: str = "cobs-crc16",
        baud: int = 115200,
        half_duplex: bool = False,
        cursors: CursorStore | None = None,
        timing: Timing = DEFAULT_TIMING,
        transport: Transport | None = None,
        taps: Sequence[Tap] = (),
    ) -> None:
        self.port = redact(port)
        self._transport = transport or SerialTransport(port.removeprefix("serial://"), baud)
        self._codec = open_codec(codec)
        self._decoder = self._codec.decoder()
        self._taps = list(taps)
        self._timing = replace(timing, baud=baud)
        self._half_duplex = half_duplex or len(addresses) > 1
        number, store = secrets.randbits(32), cursors or MemoryCursors()
        self.members = {
            address: Member(
                HostSession(
                    number,
                    store,
                    self._timing,
                    address=address,
                    half_duplex=self._half_duplex,
                    max_payload=self._codec.max_payload,
                )
            )
            for address in addresses
        }
        self._turn = 0
        self.reconnects = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; a port that is not there yet is waited for."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name=f"machine {self.port}", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=3)
        for member in self.members.values():
            member.queue.put(None)

    def machine(self, address: int) -> MachineLink:
        """The user's end of the machine at `address`."""
        return MachineLink(self.port, address=address, bus=self)

    @property
    def max_payload(self) -> int:
        return self._codec.max_payload

    @property
    def decoder_stats(self) -> DecoderStats:
        return self._decoder.stats

    @property
    def running(self) -> bool:
        return self._thread is not None and not self._stop.is_set()

    # ---- the thread

    def _run(self) -> None:
        delay = FIRST_DELAY_S
        told = False
        while not self._stop.is_set():
            try:
                self._transport.open()
                self._decoder.reset()
                told, delay = False, FIRST_DELAY_S
                self._talk()
            except TransportError as error:
                if not told:
                    told = True
                    log.warning("%s It is being tried again.", error)
                self._line_lost(error.problem.rstrip("."))
                self.reconnects += 1
            except Exception:
                # One bad moment must not end the table's link for good.
                log.exception("The link to %s failed; it is started anew.", self.port)
                self._line_lost("an internal error")
            self._transport.close()
            self._stop.wait(delay)
            delay = min(LAST_DELAY_S, delay * 2)

    def _line_lost(self, reason: str) -> None:
        for member in self.members.values():
            with member.lock:
                member.session.lost(reason)
            member.deliver()

    def _talk(self) -> None:
        heard_at = time.monotonic()
        quiet_told = False
        while not self._stop.is_set():
            data = self._transport.read(READ_S)
            now = time.monotonic()
            packets: list[Packet] = []
            if data:
                packets, heard_at, quiet_told = self._decoder.feed(data), now, False
                self._tap("rx", data, packets)
            elif not quiet_told and now - heard_at > SILENCE_S:
                packets, quiet_told = self._decoder.silence(), True
            self._hand_round(packets, now)
            self._write(now)

    def _hand_round(self, packets: Sequence[Packet], now: float) -> None:
        for packet in packets:
            member = self.members.get(packet.address)
            if member is not None:
                with member.lock:
                    member.session.receive(packet, now)
        for member in self.members.values():
            member.deliver()

    def _write(self, now: float) -> None:
        """Let sessions send: all of them on a line of their own, one at a time on a shared one."""
        speaking = list(self.members.values())
        if self._half_duplex:
            if not speaking[self._turn].session.waiting_for_answer:
                self._turn = (self._turn + 1) % len(speaking)
            speaking = [speaking[self._turn]]
        for member in speaking:
            with member.lock:
                packets = member.session.send(now)
            for packet in packets:
                data = self._codec.encode(packet)
                self._transport.write(data)
                self._tap("tx", data, [packet])
            member.deliver()

    def _tap(self, direction: Direction, data: bytes, packets: Sequence[Packet]) -> None:
        for tap in self._taps:
            tap(direction, data, packets)


class MachineLink:
    """One machine. `MachineLink(port, …)` takes the same settings as MachineBus and owns the line by itself."""

    def __init__(self, port: str, *, address: int = 0, bus: MachineBus | None = None, **settings: Any) -> None:
        self._bus = bus or MachineBus(port, (address,), **settings)
        member = self._bus.members[address]
        self._session, self._lock, self._queue = member.session, member.lock, member.queue
        self._unconfirmed: MachineEvent | None = None
        self._applied: MachineEvent | None = None  # the last one confirmed, when that is not yet on disk
        self._unsaved = 0

    def start(self) -> None:
        self._bus.start()

    def close(self) -> None:
        """Stop the line (of all machines on it). What was not confirmed comes again next time."""
        self.save()
        self._bus.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # ---- events

    def events(self) -> Iterator[MachineEvent | Notice]:
        """Events and notices as they come, until the link is closed. Asking for the next confirms the one before."""
        while True:
            item = self.next(None)
            if item is None:
                return
            yield item

    def next(self, timeout_s: float | None = 0.0) -> MachineEvent | Notice | None:
        """Confirm the event given before, and wait for the next; None after `timeout_s`, or once the link is closed."""
        self.confirm()
        try:
            item = (
                self._queue.get(timeout=timeout_s) if timeout_s is None or timeout_s > 0 else self._queue.get_nowait()
            )
        except queue.Empty:
            return None
        if isinstance(item, MachineEvent):
            self._unconfirmed = item
        return item

    def confirm(self) -> None:
        """The event last given out has been applied.

        It is remembered on disk, and the machine told to forget it, at once when nothing else is waiting, and for
        every eighth of a burst: a flush to disk for each would wear out a memory card.
        """
        event, self._unconfirmed = self._unconfirmed, None
        if event is not None:
            self._applied = event
            self._unsaved += 1
        if self._applied is not None and (self._queue.empty() or self._unsaved >= BURST):
            self.save()

    def save(self) -> None:
        """Remember now what has been confirmed."""
        event, self._applied, self._unsaved = self._applied, None, 0
        if event is not None:
            with self._lock:
                self._session.done(event)

    # ---- asking for things

    def command(self, command: CommandBody, timeout_s: float = 5.0) -> Any:
        """Have the machine do something; returns None, or what the answer carries.

        Raises MachineRefused when it says no, MachineError when it does not answer in time.
        """
        return self._do(CommandJob(command), timeout_s)

    def request_image(self, camera: int = 0, timeout_s: float = 30.0) -> bytes:
        """A JPEG from the machine's own camera. Raises like `command`."""
        job = ImageJob(camera, self._bus.max_payload)
        data: bytes = self._do(job, timeout_s)
        return data

    def _do(self, job: CommandJob, timeout_s: float) -> Any:
        with self._lock:
            self._session.submit(job)
        try:
            return job.future.result(timeout_s)
        except FutureTimeout:
            with self._lock:
                job.cancel()
                reason = self._session.reason or "no answer in time"
            raise MachineError(f"The machine did not do {job.command.NAME}: {reason}.", "Check the cable.") from None

    # ---- looking at it

    def snapshot(self) -> State | None:
        """The machine's state as it was when it last connected."""
        return self._session.snapshot

    def health(self) -> LinkHealth:
        with self._lock:
            s = self._session
            hello = s.machine
            return LinkHealth(
                s.state,
                s.reason,
                s.name,
                hello.model if hello else "",
                replace(s.stats),
                replace(self._bus.decoder_stats),
                self._bus.reconnects,
                self._queue.qsize(),
            )
