"""The emulator as a running thing: a machine, a game, a line and whatever is to go wrong."""

from __future__ import annotations

import importlib
import logging
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from device.errors import SettingsError
from device.machine.codecs import open_codec
from device.machine.emulator.core import CameraBusyError, EventLog, Identity, MachineCore
from device.machine.emulator.endpoint import Endpoint
from device.machine.emulator.faults import Action, FaultCounts, Faults, FaultyLine
from device.machine.emulator.game import Game, PlayedHand
from device.machine.events import Button, EventBody
from device.machine.messages import CommandBody, ImageRequest, Packet

log = logging.getLogger("device.emulator")
PictureMaker = Callable[[PlayedHand | None], bytes | None]
ROOM = 48  # unacknowledged events at which a game without a pace waits for the host
LOOK = 10  # times the pace that players take to look at a win
MID_HAND = 3  # a scripted action strikes after this many events of its hand


@dataclass(frozen=True, slots=True)
class EmulatorSettings:
    """`hands` to play (None: for ever); `pace_s` between events (0: as fast as the host takes them); `tiles`: report
    the winner's tiles as a table with readers does; `resend_s`: patience before events are sent again; `faults`: see
    `parse_faults`; `seed`: the same game again."""

    codec: str = "cobs-crc16"
    identity: Identity = field(default_factory=Identity)
    address: int = 0
    hands: int | None = None
    pace_s: float = 0.0
    tiles: bool = True
    persistent: bool = True
    log_capacity: int = 512
    resend_s: float = 0.5
    faults: Faults = field(default_factory=Faults)
    seed: int = 0


def picture_maker(source: str) -> PictureMaker:
    """Pictures for the machine's camera: a folder (in turn), one file, or `module:callable` which is given the hand
    just won (or None) and returns JPEG bytes. Raises SettingsError when there is none."""
    path = Path(source)
    if path.exists():
        files = [path] if path.is_file() else sorted(p for p in path.iterdir() if p.suffix.lower() in (".jpg", ".jpeg"))
        if not files:
            raise SettingsError(f"The folder {source} holds no JPEG.", "Give a folder of .jpg files.")
        turn = cycle(files)
        return lambda hand: next(turn).read_bytes()
    module, _, name = source.partition(":")
    try:
        maker: PictureMaker = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingsError(
            f"There are no pictures in {source!r} ({error}).", "Give a folder of JPEGs, or module:callable."
        ) from error
    return maker


class Photographer:
    """Takes pictures beside the machine's work: one that takes long (drawn, say) must not make the machine deaf."""

    QUICK_S = 0.05
    GIVEN_UP_S = 6.0  # nobody has asked for so long: the picture begun is not wanted any more

    def __init__(self, maker: PictureMaker, game: Game) -> None:
        self._maker, self._game = maker, game
        self._thread: threading.Thread | None = None
        self._hand: PlayedHand | None = None
        self._picture: bytes | None = None
        self._asked_at = 0.0

    def __call__(self, camera: int) -> bytes | None:
        """The picture of the table as it was when first asked; raises CameraBusyError until it is done."""
        before, self._asked_at = self._asked_at, time.monotonic()
        if self._thread is None or self._asked_at - before > self.GIVEN_UP_S:
            self._hand = self._game.current
            self._thread = threading.Thread(target=self._take, args=(self._hand,), daemon=True)
            self._thread.start()
        self._thread.join(self.QUICK_S)
        if self._thread.is_alive():
            raise CameraBusyError
        self._thread = None
        return self._picture

    def _take(self, hand: PlayedHand | None) -> None:
        try:
            picture = self._maker(hand)
        except Exception:
            log.exception("The emulated camera's picture failed.")
            picture = None
        if hand is self._hand:
            self._picture = picture


class Emulator:
    """One emulated machine on one endpoint. `run` it, or `start` it on a thread of its own."""

    def __init__(
        self, endpoint: Endpoint, settings: EmulatorSettings | None = None, pictures: PictureMaker | None = None
    ) -> None:
        self.settings = settings = settings or EmulatorSettings()
        self.endpoint = endpoint
        self.game = Game(settings.seed, tiles=settings.tiles)
        self.counts = FaultCounts()
        self._rng = random.Random(settings.seed + 1)
        codec = open_codec(settings.codec)
        self._encode = codec.encode
        self._wire = codec.decoder()  # what the host sends, as it arrives
        self._inner = codec.decoder()  # the same after the faults
        self._inward = FaultyLine(settings.faults.rates, self._rng, self.counts)
        self._outward = FaultyLine(settings.faults.rates, self._rng, self.counts)
        self.core = MachineCore(
            lambda: secrets.randbits(32) or 1,
            settings.identity,
            address=settings.address,
            max_payload=codec.max_payload,
            log=EventLog(settings.log_capacity, settings.persistent),
            pictures=Photographer(pictures, self.game) if pictures else None,
            now=time.monotonic(),
            resend_s=settings.resend_s,
        )
        self.core.refuse = self._refuse
        self.reboots = self.unplugs = self.events = 0
        self.done = threading.Event()  # every hand is played and acknowledged
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._script: Iterator[EventBody] = iter(())
        self._in_hand = 0
        self._over = False
        self._next_event = 0.0
        self._actions = list(settings.faults.actions)
        self._until: dict[str, float] = {}

    # ---- running

    def start(self) -> None:
        """Plug in and run on a thread of its own."""
        self.endpoint.plug()
        self._thread = threading.Thread(target=self.run, name="emulated machine", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=3)
        self.endpoint.unplug()

    def run(self) -> None:
        """Play until stopped. The endpoint must be plugged in."""
        begin = time.monotonic()
        while not self._stop.is_set():
            now = time.monotonic()
            self._act(now, now - begin)
            if self._until.get("unplug", 0.0) > now:
                self._play(now)  # the game goes on without the cable
                self._stop.wait(0.005)
                continue
            self._plug_again()
            self._serve(now)
            self._play(now)
            if self._over and not self.core.log.entries:
                self.done.set()

    def _serve(self, now: float) -> None:
        """Take in what the host sent, and send what there is to say."""
        out: list[Packet] = []
        for packet in self._wire.feed(self.endpoint.read(0.003)):
            for arrived in self._inner.feed(self._inward.carry(self._encode(packet))):
                out += self.core.receive(arrived, now)
        out += self.core.tick(now)
        for packet in out:
            self._write(self._outward.carry(self._encode(packet)), now)
        if not out:
            self._write(self._outward.drain(), now)
            for arrived in self._inner.feed(self._inward.drain()):
                for packet in self.core.receive(arrived, now):
                    self._write(self._encode(packet), now)

    def _write(self, data: bytes, now: float) -> None:
        if not data or self._until.get("silence", 0.0) > now:
            return
        baud = self.settings.faults.baud
        if not baud:
            self.endpoint.write(data)
            return
        step = max(1, baud // 10 // 50)  # a fiftieth of a second at a time
        for at in range(0, len(data), step):
            self.endpoint.write(data[at : at + step])
            time.sleep(len(data[at : at + step]) * 10 / baud)

    # ---- the game

    def _play(self, now: float) -> None:
        """Let the next thing happen at the table, when it is time."""
        waits = not self.settings.pace_s and len(self.core.log.entries) >= ROOM
        if self._over or waits or now < self._next_event or (not self.core.connected and not self.reboots):
            return
        body = next(self._script, None)
        if body is None:
            if self.settings.hands is not None and len(self.game.played) >= self.settings.hands:
                self._over = True
                return
            self._script, self._in_hand = self.game.hand(), 0
            body = next(self._script)
        self._in_hand += 1
        self.events += 1
        self.core.happen(body, now)
        won = isinstance(body, Button) and body.button in ("win", "self_draw")
        # After a win the players look at the display before they press on.
        self._next_event = now + self.settings.pace_s * (LOOK if won else 1)

    # ---- trouble

    def _act(self, now: float, elapsed: float) -> None:
        for action in list(self._actions):
            if action.after_hands is not None:
                due = len(self.game.played) >= action.after_hands and self._in_hand >= MID_HAND
            else:
                due = elapsed >= (action.after_s or 0.0)
            if due and self._until.get("unplug", 0.0) <= now:
                self._actions.remove(action)
                self._do(action, now)

    def _do(self, action: Action, now: float) -> None:
        log.info("The machine's script: %s for %.1f s.", action.what, action.seconds)
        self.counts.count(action.what)
        if action.what == "reboot":
            self.reboots += 1
            for packet in self.core.reboot(now):
                self._write(self._outward.carry(self._encode(packet)), now)
        elif action.what == "unplug":
            self.unplugs += 1
            self.endpoint.unplug()
            self._until["unplug"] = now + action.seconds
        elif action.what == "garbage":
            self._write(self._rng.randbytes(int(500 * action.seconds)), now)
        else:
            self._until[action.what] = now + action.seconds

    def _plug_again(self) -> None:
        if self._until.pop("unplug", None) is not None:
            self._wire.reset()
            self.endpoint.plug()

    def _refuse(self, command: CommandBody) -> str | None:
        storm = self._until.get("nack", 0.0) > time.monotonic()
        if storm or self._rng.random() < self.settings.faults.rates.nack:
            self.counts.count("nacked " + ("picture" if isinstance(command, ImageRequest) else "command"))
            return "busy"
        return None
