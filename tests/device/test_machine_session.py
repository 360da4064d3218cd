"""The host's and the machine's side talking in virtual time over a line that does anything: exactly once, in order."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.machine.codecs import Decoder, open_codec
from device.machine.cursors import MemoryCursors
from device.machine.emulator.core import EventLog, Identity, MachineCore
from device.machine.emulator.faults import FaultCounts, FaultyLine, Rates, mixture
from device.machine.events import Button, MachineEvent, RoundStart
from device.machine.exchange import Timing
from device.machine.jobs import CommandJob, ImageJob, MachineError, MachineRefused
from device.machine.messages import (
    Ack,
    ClearPanel,
    Command,
    Event,
    EventAck,
    HelloReply,
    ImageRequest,
    LogRead,
    Packet,
    ShuffleStart,
    UnknownCommand,
)
from device.machine.session import EventsLost, HostSession, LinkDown, LinkUp, Notice

FAST = Timing(reply=0.05, hello=0.05, ping=0.2, dead=0.6, baud=921600)
STEP = 0.005
CHECKED = ["cobs-crc16", "ascii-line"]  # an XOR is too weak a check to promise anything on such a line
NO_FAULTS = Rates()


class World:
    """A host, a machine and the line between them, stepped by hand."""

    def __init__(
        self, seed: int = 0, rates: Rates = NO_FAULTS, *, half_duplex: bool = False, log: EventLog | None = None,
        codec: str = "cobs-crc16", pictures: Callable[[int], bytes | None] | None = None,
        delay: float = 0.0,
    ) -> None:  # fmt: skip
        self.rng = random.Random(seed)
        self.now = 0.0
        self.codec = open_codec(codec)
        self.cursors = MemoryCursors()
        self.half_duplex = half_duplex
        boots = count(1000)
        extra = ("half_duplex",) if half_duplex else ()
        identity = replace(Identity(), capabilities=(*Identity().capabilities, *extra))
        self.machine = MachineCore(
            lambda: next(boots), identity, log=log, pictures=pictures, max_payload=self.codec.max_payload
        )
        counts = FaultCounts()
        self.to_machine, self.to_host = FaultyLine(rates, self.rng, counts), FaultyLine(rates, self.rng, counts)
        self.counts = counts
        self.machine_decoder, self.host_decoder = self.codec.decoder(), self.codec.decoder()
        self.inward: deque[tuple[float, bytes]] = deque()
        self.outward: deque[tuple[float, bytes]] = deque()
        self.delay = delay
        self.plugged = True
        self.got: list[MachineEvent | Notice] = []
        self.applied: dict[str, MachineEvent] = {}
        self.doubled = 0
        self.start_host()

    def start_host(self) -> None:
        """The program starts (again): it knows only what the cursors say."""
        self.host = HostSession(
            self.rng.getrandbits(32), self.cursors, FAST, half_duplex=self.half_duplex,
            max_payload=self.codec.max_payload,
        )  # fmt: skip

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            self.now += STEP
            self._carry(self.host.send(self.now), self.to_machine, self.inward)
            self._carry(self.machine.tick(self.now), self.to_host, self.outward)
            self._arrive()

    def _carry(self, packets: Sequence[Packet], line: FaultyLine, under_way: deque[tuple[float, bytes]]) -> None:
        """Put packets on the line; they arrive in order, after as long as the line takes."""
        for packet in packets:
            data = line.carry(self.codec.encode(packet))
            last = under_way[-1][0] if under_way else 0.0
            if self.plugged:
                under_way.append((max(last, self.now + self.rng.random() * self.delay), data))

    def _arrive(self) -> None:
        if not self.plugged:
            self.inward.clear()
            self.outward.clear()
            return
        for packet in self._due(self.inward, self.to_machine, self.machine_decoder):
            self._carry(self.machine.receive(packet, self.now), self.to_host, self.outward)
        for packet in self._due(self.outward, self.to_host, self.host_decoder):
            self.host.receive(packet, self.now)

    def _due(self, under_way: deque[tuple[float, bytes]], line: FaultyLine, decoder: Decoder) -> list[Packet]:
        """What has arrived by now; when nothing is under way, what was held back, and the silence after it."""
        packets: list[Packet] = []
        while under_way and under_way[0][0] <= self.now:
            packets += decoder.feed(under_way.popleft()[1])
        if not under_way:
            packets += decoder.feed(line.drain()) + decoder.silence()
        return packets

    def apply(self, *, confirm: bool = True) -> None:
        """Take what is ready; `confirm` False is a program that dies after acting and before remembering it."""
        while (item := self.host.take()) is not None:
            self.got.append(item)
            if isinstance(item, MachineEvent):
                self.doubled += item.key in self.applied
                self.applied.setdefault(item.key, item)
                if confirm:
                    self.host.done(item)

    def reboot(self) -> None:
        self._carry(self.machine.reboot(self.now), self.to_host, self.outward)

    def settle(self, seconds: float = 20.0) -> None:
        for _ in range(int(seconds / STEP)):
            self.step()
            self.apply()
            if self.host.state == "up" and not self.machine.log.entries:
                break


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.booleans(),
    st.sampled_from(["cobs-crc16", "ascii-line"]),
)
def test_every_event_is_applied_exactly_once_and_in_order(seed: int, rate: float, half: bool, codec: str) -> None:
    world = World(seed, mixture(rate), half_duplex=half, codec=codec, delay=seed % 4 * 0.01)
    rng = random.Random(seed)
    happened: list[tuple[int, int]] = []
    for number in range(120):
        happened.append(world.machine.happen(RoundStart(number), world.now).position)
        world.step(rng.randint(0, 6))
        if rng.random() < 0.7:
            world.apply()
        elif rng.random() < 0.05:
            world.apply(confirm=False)
            world.start_host()
        dice = rng.random()
        if dice < 0.02:
            world.reboot()
        elif dice < 0.04:
            world.start_host()
        elif dice < 0.06:
            world.plugged = not world.plugged
            world.host.lost("unplugged")
    world.plugged = True
    world.settle()
    assert [event.position for event in world.applied.values()] == happened
    assert not [item for item in world.got if isinstance(item, EventsLost)]
    assert not world.machine.log.entries  # all acknowledged


def test_an_event_sent_again_while_the_log_is_read_counts_once() -> None:
    world = World(1)
    before = world.machine.happen(RoundStart(0), world.now)
    world.settle(2)
    events = [world.machine.happen(RoundStart(number), world.now) for number in range(1, 4)]
    world.host.receive(Packet(Event(events[1])), world.now)  # the first one was lost
    (ask,) = world.host.send(world.now)
    assert isinstance(ask.message, LogRead)
    for event in events:
        world.host.receive(Packet(Event(event)), world.now)  # sent again before the machine has heard the question
    for answer in world.machine.receive(ask, world.now):
        world.host.receive(answer, world.now)
    world.apply()
    got = [item for item in world.got if isinstance(item, MachineEvent)]
    assert [event.position for event in got] == [event.position for event in [before, *events]]


def test_only_what_is_applied_is_acknowledged() -> None:
    world = World(1)
    world.settle(2)
    for number in range(3):
        world.machine.happen(RoundStart(number), world.now)
    world.step(5)
    items = [item for item in iter(world.host.take, None) if isinstance(item, MachineEvent)]
    assert len(items) == 3
    world.host.done(items[0])
    acks = [packet.message for packet in world.host.send(world.now) if isinstance(packet.message, EventAck)]
    assert acks == [EventAck(*items[0].position)]
    world.step(2)
    assert len(world.machine.log.entries) == 3  # our own call of `send` kept that acknowledgement from the line
    world.start_host()  # the program dies here: the other two must come again
    world.settle(5)
    assert list(world.applied) == [items[1].key, items[2].key]


def test_without_restarts_nothing_comes_twice() -> None:
    world = World(5, mixture(0.3), delay=0.02)
    for number in range(300):
        world.machine.happen(RoundStart(number), world.now)
        world.step(3)
        world.apply()
    world.settle()
    assert world.doubled == 0 and len(world.applied) == 300
    assert world.host.stats.duplicates >= 5 and world.host.stats.out_of_order >= 10  # the line did do its worst


def test_a_machine_that_forgets_says_so() -> None:
    world = World(1, log=EventLog(persistent=False))
    world.settle(2)
    world.plugged = False
    world.host.lost("unplugged")
    for number in range(3):
        world.machine.happen(RoundStart(number), world.now)
    world.reboot()
    world.machine.happen(RoundStart(9), world.now)
    world.plugged = True
    world.settle()
    first = world.got.index(next(item for item in world.got if isinstance(item, MachineEvent)))
    assert [e.body for e in world.got if isinstance(e, MachineEvent)] == [RoundStart(9)]
    # Nothing had been read before, so there was no place to go on from: the loss cannot be seen. Now there is one.
    world.machine.happen(RoundStart(10), world.now)
    world.plugged = False
    world.reboot()
    world.machine.happen(RoundStart(11), world.now)
    world.plugged = True
    world.settle()
    later = world.got[first + 1 :]
    lost = [index for index, item in enumerate(later) if isinstance(item, EventsLost)]
    assert len(lost) == 1
    assert isinstance(later[lost[0] + 1], MachineEvent)


def test_a_full_event_memory_says_so_once() -> None:
    world = World(1, log=EventLog(capacity=10))
    world.machine.happen(RoundStart(0), world.now)
    world.settle(2)
    world.plugged = False
    for number in range(25):
        world.machine.happen(RoundStart(number), world.now)
    world.plugged = True
    world.settle()
    assert len([i for i in world.got if isinstance(i, EventsLost)]) == 1
    numbers = [e.body.hand_number for e in world.applied.values() if isinstance(e.body, RoundStart)]
    assert numbers == [0, *range(15, 25)]


def test_a_log_lost_whole_does_not_stop_the_table() -> None:
    world = World(1, log=EventLog(persistent=False))
    world.machine.happen(RoundStart(0), world.now)
    world.settle(2)
    world.reboot()
    world.settle(2)
    world.machine.happen(RoundStart(1), world.now)
    world.settle(2)
    assert len([i for i in world.got if isinstance(i, EventsLost)]) == 1
    assert len(world.applied) == 2


def test_silence_is_noticed_and_the_return_too() -> None:
    world = World(1)
    world.settle(2)
    world.plugged = False
    begin = world.now
    while world.host.state == "up":
        world.step()
        assert world.now - begin < 1.0
    world.apply()
    assert isinstance(world.got[-1], LinkDown)
    world.plugged = True
    world.settle(2)
    assert isinstance(world.got[-1], LinkUp) and not world.got[-1].reboot
    assert len([i for i in world.got if isinstance(i, LinkDown)]) == 1


def test_a_reboot_is_told() -> None:
    world = World(1)
    world.settle(2)
    world.reboot()
    world.settle(2)
    assert isinstance(world.got[-1], LinkUp) and world.got[-1].reboot
    assert world.host.stats.reboots == 1


def run_job(world: World, job: CommandJob, seconds: float = 30.0) -> None:
    world.settle(5)
    world.host.submit(job)
    for _ in range(int(seconds / STEP)):
        if job.future.done():
            return
        world.step()


def test_a_command_is_done_once_however_often_it_is_sent() -> None:
    for seed in range(40):
        world = World(seed, mixture(0.4))
        job = CommandJob(ShuffleStart())
        run_job(world, job)
        assert job.future.result(0) is None
        assert world.machine.commands == [ShuffleStart()]


def test_busy_is_waited_out_and_refusals_are_told() -> None:
    world = World(2)
    left = iter([True] * 5)
    world.machine.refuse = lambda command: "busy" if next(left, False) else None
    job = CommandJob(ClearPanel())
    run_job(world, job)
    assert job.future.result(0) is None
    world.machine.refuse = lambda command: "busy"
    job = CommandJob(ClearPanel())
    run_job(world, job)
    with pytest.raises(MachineRefused, match="busy"):
        job.future.result(0)
    world.machine.refuse = lambda command: None
    job = CommandJob(UnknownCommand(77, b"abc"))
    run_job(world, job)
    with pytest.raises(MachineRefused, match="not_supported"):
        job.future.result(0)


def test_a_late_answer_to_the_command_before_is_not_this_ones() -> None:
    world = World(2)
    world.settle(2)
    first, second = CommandJob(ShuffleStart()), CommandJob(ClearPanel())
    world.host.submit(first)
    (asked,) = [p for p in world.host.send(world.now) if isinstance(p.message, Command)]
    world.host.receive(Packet(Ack(), asked.sequence), world.now)
    assert first.future.done()
    world.host.submit(second)
    world.host.send(world.now)
    world.host.receive(Packet(Ack(), asked.sequence), world.now)  # the line has doubled it
    assert not second.future.done()


def test_a_job_that_waits_for_a_busy_machine_holds_up_no_other() -> None:
    world = World(2, pictures=lambda camera: b"a picture")
    world.settle(2)
    world.machine.refuse = lambda command: "busy" if isinstance(command, ImageRequest) else None
    picture, other = ImageJob(0, 1024), CommandJob(ClearPanel())
    world.host.submit(picture)
    world.step(4)
    world.host.submit(other)
    world.step(8)
    assert other.future.done() and not picture.future.done()
    world.machine.refuse = lambda command: None
    world.step(200)
    assert picture.future.result(0) == b"a picture"


def test_a_command_to_a_dead_machine_fails() -> None:
    world = World(2)
    world.settle(2)
    world.plugged = False
    job = CommandJob(ClearPanel())
    world.host.submit(job)
    world.step(400)
    with pytest.raises(MachineError, match="did not answer"):
        job.future.result(0)


@pytest.mark.parametrize("codec", ["cobs-crc16", "aa55-xor", "ascii-line"])
def test_a_picture_arrives_whole(codec: str) -> None:
    picture = random.Random(4).randbytes(30_000)
    rates = Rates(drop=0.05, duplicate=0.03, reorder=0.03, corrupt=0.0 if codec == "aa55-xor" else 0.05)
    world = World(3, rates, codec=codec, pictures=lambda camera: picture if camera == 0 else None)
    job = ImageJob(0, world.codec.max_payload)
    run_job(world, job, 120)
    assert job.future.result(0) == picture
    none = ImageJob(1, world.codec.max_payload)
    run_job(world, none)
    with pytest.raises(MachineRefused, match="no_image"):
        none.future.result(0)


def test_a_picture_with_a_wrong_checksum_is_taken_again() -> None:
    good = random.Random(4).randbytes(5000)
    world = World(3, pictures=lambda camera: good)
    real = world.machine._read_image
    bad_left = [2]

    def spoilt(request):  # type: ignore[no-untyped-def]
        answers = list(real(request))
        if bad_left[0]:
            bad_left[0] -= 1
            answers[0] = replace(answers[0], data=bytes(len(answers[0].data)))
        return answers

    world.machine._read_image = spoilt  # type: ignore[method-assign]
    job = ImageJob(0, 1024)
    run_job(world, job)
    assert job.future.result(0) == good


def test_another_protocol_is_refused_in_words() -> None:
    world = World(1)
    world.machine.identity = replace(world.machine.identity)
    real = Identity.reply
    world.machine._greet = lambda hello: replace(real(world.machine.identity, 5), protocol=9)  # type: ignore[method-assign]
    world.step(100)
    world.apply()
    downs = [i for i in world.got if isinstance(i, LinkDown)]
    assert len(downs) == 1 and "protocol 9" in downs[0].reason
    job = CommandJob(ClearPanel())
    world.host.submit(job)
    with pytest.raises(MachineError, match="protocol 9"):
        job.future.result(0)


def test_own_echo_and_strangers_are_dropped() -> None:
    world = World(1, half_duplex=True)
    world.settle(2)
    sent = world.host.send(world.now + 1.0)
    for packet in sent:
        world.host.receive(packet, world.now)
    assert world.host.stats.echoes == len(sent) > 0
    world.host.receive(Packet(HelloReply(1, 2, 0, "", "", "X"), 0, address=9), world.now)
    assert world.host.stats.strangers == 1
    assert world.host.machine is not None and world.host.machine.serial == "EMU-0001"


def test_events_of_an_unknown_kind_are_kept() -> None:
    from device.machine.events import UnknownEvent

    world = World(1)
    world.machine.happen(UnknownEvent(200, b"new"), world.now)
    world.machine.happen(Button(1, "confirm"), world.now)
    world.settle(2)
    assert [e.body for e in world.applied.values()] == [UnknownEvent(200, b"new"), Button(1, "confirm")]


def events_of(world: World) -> Iterator[MachineEvent]:
    return (item for item in world.got if isinstance(item, MachineEvent))
