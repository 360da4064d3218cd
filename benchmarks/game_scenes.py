"""Hands played to the win, with full truth: a case is drawn from its number alone.

The tables are as varied as those of `table_scenes.py`. Pictures are taken where something comes to lie open before the
winner: of the discard that is claimed, of the set laid down, of the last moment before the win, and of the win itself.
In every second case some of the winner's triplets are made kongs, which are rare in play and hard to read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from table_scenes import FACE_SEEN, FIRST_SEED, calibration_of, room_of, seen_from

from scoring.encoding import encode, suits_of
from scoring.shapes.distance import distance
from vision.picture import Picture
from vision.table import TableCalibration
from vision.training.render.game import SECONDS, Painted, Studio
from vision.training.render.grounds import paint_ground
from vision.training.render.play import Event, Step, Win, play_hand
from vision.training.render.post import expose
from vision.training.render.raster import Image
from vision.training.render.tabletop import Seat, Table

SIZE = (1920, 1080)
#: Pictures of a table before something happens, of a set just laid down, and of the win: a hand that does not win as
#: read is offered after five looks.
BEFORE, LAID, WON = 2, 3, 8
KONGS = 0.5  # share of the cases in which some triplets are made kongs
ARMS = ("", "", "win", "meld")  # nobody's; over the winning tile at first; resting over a set through all of the win
CLAIMS = frozenset({"chow", "pung", "kong_exposed"})


@dataclass(frozen=True, slots=True)
class Moment:
    """The table as it lies for a while: `pictures` of it from `time_s` on; `arm` in so many of the first of them."""

    step: Step
    pictures: int
    time_s: float
    arm: int = 0


@dataclass
class Game:
    """One case: a hand that somebody wins, at a table that follows from the case's number alone."""

    number: int
    attempt: int | None = None  # which hand was the first that somebody won, where it is known

    def __post_init__(self) -> None:
        self.seed = FIRST_SEED + 50_000 + self.number
        self.light, self.high, self.side = seen_from(self.number, default_rng([self.seed, 51]))
        self.kongs = bool(default_rng([self.seed, 53]).random() < KONGS)
        self.steps = self._played()
        self.arm = str(default_rng([self.seed, 54]).choice(ARMS))
        if self.arm == "meld" and not self.last.seats[self.win.seat].melds:
            self.arm = ""

    def _played(self) -> list[Step]:
        """The first hand that somebody wins, with kongs where the case asks for some and the hand allows it."""
        for attempt in range(1000) if self.attempt is None else (self.attempt,):
            rng = default_rng([self.seed, 55, attempt])
            steps = list(play_hand(rng, int(rng.integers(4))))
            if steps[-1].win is None:
                continue
            made = with_kongs(steps, rng) if self.kongs else steps
            if made is not None:
                self.attempt = attempt
                return made
        raise RuntimeError(f"case {self.number}: nobody wins")

    @property
    def win(self) -> Win:
        """How it ends."""
        win = self.steps[-1].win
        assert win is not None
        return win

    @property
    def last(self) -> Table:
        """The table at the win."""
        return self.steps[-1].table

    @cached_property
    def room(self) -> Studio:
        """The table, its tiles, camera and light."""
        return room_of(self.seed, SIZE, self.light, self.high, self.side)

    @cached_property
    def calibration(self) -> TableCalibration:
        """By the table's true corners."""
        return calibration_of(self.room, SIZE)

    def about(self) -> dict[str, Any]:
        """What kind of case it is."""
        return {
            "light": self.light,
            "elevation": round(self.high, 1),
            "side": round(self.side % 360, 1),
            "set": self.room.tiles.name,
            "heap": self.room.layout.messy,
            "win": self.room.layout.win_apart,
            "arm": self.arm,
            "kongs": self.kongs,
        }

    def moments(self) -> Iterator[Moment]:
        """Where pictures are taken, with the time that passes at the table in between."""
        clock, shown = 0.0, -1
        for n, step in enumerate(self.steps):
            last = n == len(self.steps) - 1
            opens = step.event.seat == self.win.seat and (step.event.kind in CLAIMS or "kong" in step.event.kind)
            if (opens or last) and shown < n - 1:
                yield Moment(self.steps[n - 1], BEFORE, clock - SECONDS[self.steps[n - 1].event.kind])
            if last:
                yield Moment(step, WON, clock, {"": 0, "win": 1, "meld": WON}[self.arm])
            elif opens:
                yield Moment(step, LAID, clock)
                shown = n
            clock += SECONDS[step.event.kind] + 2.0

    @cached_property
    def _ground(self) -> Image:
        return paint_ground(self.room.ground, self.room.floor, self.room.camera, default_rng([self.seed, 32]))

    def painted(self, step: Step) -> Painted:
        """The table at a step; at the win with the arm over a set, where one rests there."""
        if step.win is not None and self.arm == "meld":
            melds = self.last.seats[self.win.seat].melds
            code = melds[int(default_rng([self.seed, 56]).integers(len(melds)))][1][-1]
            step = replace(step, event=Event("pung", self.win.seat, code))
        return Painted(self.room, step, self._ground)

    def pictures(self, moment: Moment) -> Iterator[Picture]:
        """The pictures of a moment, each with the camera's own noise."""
        painted = self.painted(moment.step)
        # What lies still looks alike in all of them: the arm too.
        arm = painted.with_arm(0).image if moment.arm else painted.stage.image
        for number in range(moment.pictures):
            image = arm if number < moment.arm else painted.stage.image
            key = round(moment.time_s * 1000) + number
            yield np.asarray(
                expose(image, default_rng([self.seed, 33]), self.room.look, default_rng([self.seed, key, 34])), np.uint8
            )

    def faces(self) -> list[str]:
        """Those of the winner's tiles whose faces show at the win, nobody's arm in the way."""
        truth = self.painted(self.steps[-1]).truth
        mine = [t for t in truth if t.seat == self.win.seat and t.role in ("hand", "win", "meld", "flower")]
        return sorted(t.code for t in mine if t.code != "back" and t.visible > FACE_SEEN)


def with_kongs(steps: Sequence[Step], rng: Generator) -> list[Step] | None:
    """The same hand with some of the winner's triplets made kongs by a fourth tile that was never drawn from the wall:
    claimed, added to a pung or declared from the hand. None where no triplet can be one."""
    win = steps[-1].win
    assert win is not None
    made: list[Step] | None = None
    held = Counter(win.hand)
    codes = [codes[0] for kind, codes in win.melds if kind == "pung"]
    codes += [code for code, count in held.items() if count == 3 and code != win.tile]
    for code in (str(c) for c in rng.permutation(sorted(codes))):
        if made is None or rng.random() < 0.4:
            made = _kong(made or steps, win.seat, code, str(rng.choice(["kong_exposed", "kong_added"])), rng) or made
    return made


def _kong(steps: Sequence[Step], winner: int, code: str, claimed: str, rng: Generator) -> list[Step] | None:
    """The hand with the winner's triplet of `code` a kong: a claimed one as `claimed` says, else a concealed one."""
    if code not in steps[-1].table.wall:
        return None
    pung = ("pung", [code] * 3)
    first = next((n for n, s in enumerate(steps) if pung in s.table.seats[winner].melds), None)
    kind = claimed if first is not None else "kong_concealed"
    if kind != "kong_exposed":
        own = [
            n
            for n, step in enumerate(steps[:-1])
            if (step.event.kind, step.event.seat) == ("draw", winner)
            and (first or 0) < n
            and (first is not None or step.table.seats[winner].hand.count(code) == 3)
        ]
        if not own:
            return None
        first = int(rng.choice(own))
    assert first is not None
    place = len(steps[first].table.seats[winner].melds)
    made = [
        _changed(step, winner, code, kind, place, n == first) if n >= first else step for n, step in enumerate(steps)
    ]
    # The triplet may have been a pair and part of a sequence.
    return made if _wins(made[-1].table.seats[winner]) else None


def _wins(seat: Seat) -> bool:
    tiles = [*seat.hand, *([seat.win_tile] if seat.win_tile else [])]
    return distance(suits_of(encode(tiles)), encode(code for _, codes in seat.melds for code in codes)) == 0


def _changed(step: Step, winner: int, code: str, kind: str, place: int, now: bool) -> Step:
    table = deepcopy(step.table)
    seat = table.seats[winner]
    del table.wall[len(table.wall) - 1 - table.wall[::-1].index(code)]
    if kind == "kong_concealed":
        seat.hand = [tile for tile in seat.hand if tile != code]
        seat.melds.insert(place, (kind, [code] * 4))
    else:
        seat.melds[seat.melds.index(("pung", [code] * 3))] = (kind, [code] * 4)
    event = Event(kind, winner, code, step.event.source) if now else step.event
    win = step.win and replace(step.win, melds=tuple((k, tuple(codes)) for k, codes in seat.melds))
    return Step(event, table, win)
