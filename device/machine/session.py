"""The host's side of the conversation with one machine, without input or output: packets and time in, packets out.

One request is outstanding at a time and is repeated until answered. Events are accepted strictly in the order of the
machine's log: an event that does not follow the last accepted one makes the session read the log instead, so that
nothing is lost, doubled or reordered whatever the line does.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from device.machine.cursors import NOTHING, CursorStore, Position
from device.machine.events import MachineEvent
from device.machine.exchange import DEFAULT_TIMING, Exchange, Job, Question, Timing
from device.machine.messages import (
    FLAG_REPEAT,
    PROTOCOL,
    Event,
    EventAck,
    Events,
    Hello,
    HelloReply,
    LogRead,
    Message,
    Packet,
    Ping,
    Pong,
    State,
    StateRead,
)

log = logging.getLogger("device.machine")
SessionState = Literal["down", "catching_up", "up", "incompatible"]


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The machine answers and everything it had to tell is told. `reboot`: it has started anew since last time."""

    machine: str
    model: str
    firmware: str
    boot: int
    reboot: bool


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The machine does not answer; it is being tried again."""

    machine: str
    reason: str


@dataclass(frozen=True, slots=True)
class EventsLost:
    """The machine has forgotten events nobody had read: hands may be missing after `after`. To be shown to people."""

    machine: str
    after: Position


Notice = LinkUp | LinkDown | EventsLost


@dataclass(slots=True)
class _Open:
    """The outstanding request."""

    exchange: Exchange
    sequence: int
    deadline: float
    tries: int = 1


@dataclass(slots=True)
class SessionStats:
    """Counts for `monitor` and for bug reports."""

    events: int = 0
    duplicates: int = 0
    out_of_order: int = 0
    log_reads: int = 0
    repeats: int = 0
    echoes: int = 0
    strangers: int = 0
    reboots: int = 0
    downs: int = 0


@dataclass(slots=True)
class _Log:
    """Where we are in the machine's log: accepted from the line, and applied by our user."""

    received: Position = NOTHING
    applied: Position = NOTHING
    acked: Position = NOTHING
    again: bool = False  # an event came twice: our acknowledgement must have been lost
    waiting: deque[MachineEvent | Notice] = field(default_factory=deque)


class HostSession:
    """The conversation with the machine at `address`. Not for several threads at once."""

    MAX_WAITING = 2000  # beyond this many unapplied events no more are taken from the machine

    def __init__(
        self,
        session: int,
        cursors: CursorStore,
        timing: Timing = DEFAULT_TIMING,
        *,
        address: int = 0,
        half_duplex: bool = False,
        max_payload: int = 1024,
    ) -> None:
        self.address = address
        self.timing = timing
        self.stats = SessionStats()
        self.state: SessionState = "down"
        self.machine: HelloReply | None = None
        self.snapshot: State | None = None
        self.reason = "not connected yet"
        self._session = session
        self._cursors = cursors
        self._half_duplex = half_duplex
        self._max_payload = max_payload
        self._open: _Open | None = None
        self._sequence = 0
        self._jobs: deque[Job] = deque()
        self._log = _Log()
        self._last_heard = -1e9
        self._next_poll = 0.0
        self._next_hello = 0.0
        self._need_log = False
        self._followed = ""  # serial number of the machine whose log we follow
        self._rebooted = False
        self._down_told = False

    # ---- for our user

    @property
    def name(self) -> str:
        return self.machine.serial if self.machine else (self._followed or f"machine {self.address}")

    @property
    def waiting_for_answer(self) -> bool:
        return self._open is not None

    def take(self) -> MachineEvent | Notice | None:
        """The next event or notice, oldest first; None when there is none now."""
        return self._log.waiting.popleft() if self._log.waiting else None

    def done(self, event: MachineEvent) -> None:
        """`event` and all before it have been applied: remember that, and let the machine forget them."""
        self._log.applied = event.position
        self._cursors.save(event.machine, event.position)

    def submit(self, job: Job) -> None:
        """Queue an exchange; it runs when the machine answers and nothing more urgent is due."""
        if self.state == "incompatible":
            job.failed(self.reason)
        else:
            self._jobs.append(job)

    def lost(self, reason: str) -> None:
        """The line itself is gone (unplugged, port closed); whoever owns it has logged that."""
        self._go_down(reason, quiet=True)

    # ---- for the line

    def receive(self, packet: Packet, now: float) -> None:
        """Take in one packet from the line."""
        if packet.from_host:
            self.stats.echoes += 1  # our own bytes, as a two-wire adapter gives them back
            return
        if packet.address != self.address or packet.version != PROTOCOL:
            self.stats.strangers += 1
            return
        self._last_heard = now
        message = packet.message
        if isinstance(message, Event):
            self._spontaneous(message.event)
        elif self._open is not None and packet.sequence == self._open.sequence:
            current = self._open
            self._notice_boot(message)
            if self._open is not current:
                return  # the machine has restarted: the question is void
            if current.exchange.answer(message, now):
                if self._open is current:
                    self._open = None
                self._drop_finished()
            else:
                current.tries, current.deadline = 1, now + self._patience(current.exchange)  # there is progress
        elif isinstance(message, HelloReply):
            if self.machine is None or message.boot != self.machine.boot:
                self._go_down("it has started anew")  # and says so by itself
        else:
            self._notice_boot(message)

    def send(self, now: float) -> list[Packet]:
        """What must go out now. Call it often: at least every few milliseconds while packets flow."""
        if self.state in ("up", "catching_up") and now - self._last_heard > self.timing.dead:
            self._go_down("it does not answer any more")
        out: list[Packet] = []
        if self._open is not None and now >= self._open.deadline:
            out += self._repeat(now)
        if self._open is None:
            exchange = self._next(now)
            if exchange is not None:
                out.append(self._ask(exchange, now))
        out += self._acknowledge()
        return out

    def _patience(self, exchange: Exchange) -> float:
        return self.timing.reply + self.timing.wire(64 + exchange.reply_bytes)

    def _ask(self, exchange: Exchange, now: float) -> Packet:
        self._sequence = self._sequence % 255 + 1  # 0 is for what nobody asked for
        self._open = _Open(exchange, self._sequence, now + self._patience(exchange))
        return Packet(exchange.message(), self._sequence, self.address)

    def _repeat(self, now: float) -> list[Packet]:
        current = self._open
        assert current is not None
        if current.tries >= (current.exchange.tries or self.timing.tries):
            self._go_down("it does not answer")
            return []
        current.tries += 1
        current.deadline = now + self._patience(current.exchange)
        self.stats.repeats += 1
        return [Packet(current.exchange.message(), current.sequence, self.address, FLAG_REPEAT)]

    def _next(self, now: float) -> Exchange | None:
        """The most urgent thing to ask."""
        if self.state in ("down", "incompatible"):
            if now < self._next_hello:
                return None
            self._next_hello = now + self.timing.hello
            # On a shared line the others must not wait for one that is switched off.
            tries = 1 if self._half_duplex else None
            return Question(Hello(PROTOCOL, self._session), HelloReply, self._hello_answered, 128, tries)
        if self.state == "catching_up" and self.snapshot is None:
            return Question(StateRead(), State, self._stated, 128)
        if (self._need_log or self.state == "catching_up") and self._room():
            return self._read_log()
        self._drop_finished()  # its user may have given up waiting
        if self.state == "up":
            # One that waits for a busy machine does not hold up the others.
            ready = next((job for job in self._jobs if now >= job.not_before), None)
            if ready is not None:
                return ready
        return self._idle(now)

    def _idle(self, now: float) -> Exchange | None:
        if self._half_duplex and now >= self._next_poll and self._room():
            self._next_poll = now + self.timing.poll
            return self._read_log()
        if now - self._last_heard >= self.timing.ping:
            return Question(Ping(), Pong, lambda message, at: None)
        return None

    def _room(self) -> bool:
        return len(self._log.waiting) < self.MAX_WAITING

    def _read_log(self) -> Exchange:
        self.stats.log_reads += 1
        # At most a fifth of a second of line, so that a slow line stays responsive; one event always fits.
        budget = max(300, min(self._max_payload, int(0.2 * self.timing.baud / 10)))
        budget = min(budget, self._max_payload)
        asked = self._log.received
        request = LogRead(*asked, budget, *self._log.applied)
        return Question(request, Events, lambda m, now: self._log_answered(m, asked), budget + 32)

    # ---- answers

    def _hello_answered(self, message: Message, now: float) -> None:
        assert isinstance(message, HelloReply)
        self._greeted(message, now)

    def _greeted(self, hello: HelloReply, now: float) -> None:
        if hello.protocol != PROTOCOL:
            if self.state != "incompatible":
                self.state = "incompatible"
                self.reason = f"it speaks protocol {hello.protocol}, this program {PROTOCOL}: update the older one"
                self._log.waiting.append(LinkDown(hello.serial, self.reason))
            return
        before, self.machine = self.machine, hello
        if hello.serial != self._followed:
            self._followed = hello.serial
            start = self._cursors.load(hello.serial)
            self._log.received = self._log.applied = self._log.acked = start
            before = None
        if before is not None and before.boot != hello.boot:
            self.stats.reboots += 1
        self._rebooted = before is not None and before.boot != hello.boot
        self._abandon("the machine has started anew")
        self.state, self.snapshot, self.reason = "catching_up", None, ""
        self._last_heard = now

    def _stated(self, message: Message, now: float) -> None:
        assert isinstance(message, State)
        self.snapshot = message

    def _log_answered(self, message: Message, asked: Position) -> None:
        assert isinstance(message, Events)
        if message.gap:
            self._log.waiting.append(EventsLost(self.name, asked))
            log.warning("Machine %s has forgotten events after %s: hands may be missing.", self.name, asked)
        for event in message.events:
            self._accept(event)
        if message.gap and not message.events:
            self._log.received = (message.boot, message.last)  # nothing is left: go on from now
        self._need_log = bool(message.more)
        if self.state == "catching_up" and not message.more:
            self._come_up()

    def _come_up(self) -> None:
        machine = self.machine
        assert machine is not None
        self.state, self._down_told = "up", False
        log.info("Machine %s (%s, firmware %s) is connected.", machine.serial, machine.model, machine.firmware)
        self._log.waiting.append(LinkUp(machine.serial, machine.model, machine.firmware, machine.boot, self._rebooted))

    def _accept(self, event: MachineEvent) -> None:
        self._log.received = event.position
        self.stats.events += 1
        self._log.waiting.append(MachineEvent(event.boot, event.number, event.uptime_ms, event.body, machine=self.name))

    def _spontaneous(self, event: MachineEvent) -> None:
        if self.state != "up" or self._reading_log():
            return  # whatever it is, the log being read has it too
        boot, number = self._log.received
        if event.boot == boot and event.number == number + 1:
            if self._room():
                self._accept(event)
        elif event.boot == boot and event.number <= number:
            self.stats.duplicates += 1
            self._log.again = True
        else:
            self.stats.out_of_order += 1
            self._need_log = True

    def _reading_log(self) -> bool:
        return self._open is not None and isinstance(self._open.exchange.message(), LogRead)

    def _acknowledge(self) -> list[Packet]:
        """Tell the machine what is applied; on a shared line the next poll does."""
        state = self._log
        if self._half_duplex or self.state != "up" or state.applied == NOTHING:
            return []
        if state.applied == state.acked and not state.again:
            return []
        state.acked, state.again = state.applied, False
        return [Packet(EventAck(*state.applied), 0, self.address)]

    def _notice_boot(self, message: Message) -> None:
        """Any message that carries another boot number than HELLO did means that the machine has restarted."""
        if isinstance(message, Pong | State | Events) and self.machine is not None and self.state != "down":
            if message.boot != self.machine.boot:
                self._go_down("it has started anew")
            elif isinstance(message, Pong) and self._behind(message.last) and not self._half_duplex:
                self._need_log = True

    def _behind(self, last: int) -> bool:
        assert self.machine is not None
        boot, number = self._log.received
        return last > 0 and (boot != self.machine.boot or number < last)

    def _abandon(self, reason: str) -> None:
        """Drop the outstanding request; a job that it was part of fails."""
        current, self._open = self._open, None
        if current is not None and isinstance(current.exchange, Job) and current.exchange in self._jobs:
            self._jobs.remove(current.exchange)
            current.exchange.failed(reason)

    def _drop_finished(self) -> None:
        self._jobs = deque(job for job in self._jobs if not job.finished)

    def _go_down(self, reason: str, quiet: bool = False) -> None:
        """Forget what was outstanding and start again with HELLO."""
        self._abandon(reason)
        self._need_log = False
        self._next_hello = 0.0 if self.state != "down" else self._next_hello
        if self.state != "down":
            self.stats.downs += 1
        if self.state == "incompatible":
            self._down_told = True
        self.state, self.reason = "down", reason
        if not self._down_told:
            self._down_told = True
            if not quiet:
                log.warning("Machine %s: %s. It is being tried again.", self.name, reason)
            self._log.waiting.append(LinkDown(self.name, reason))
