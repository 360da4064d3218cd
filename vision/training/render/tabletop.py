"""A whole table with four seats, at any moment of a hand: who holds what, and where each tile lies."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator, default_rng

from vision.training.render.arrange import Arrangement, pool_rows
from vision.training.render.deals import KINDS, Bag, Laid, random_hand, sort_key
from vision.training.render.placing import (
    DOWN,
    STAND,
    UP,
    Neatness,
    Placed,
    Slot,
    lay_group,
    meld_slots,
    to_seat,
)
from vision.training.render.styles import Body


@dataclass(slots=True)
class Seat:
    """One player's tiles. ``drawn`` stands apart from ``hand``; ``open`` lays the hand face up, ``win_tile`` apart."""

    hand: list[str] = field(default_factory=list)
    drawn: str | None = None
    melds: list[tuple[str, list[str]]] = field(default_factory=list)
    flowers: list[str] = field(default_factory=list)
    discards: list[str] = field(default_factory=list)
    open: bool = False
    win_tile: str | None = None
    self_draw: bool = False
    lying: bool = False  #: the hand lies face down instead of standing


@dataclass(slots=True)
class Table:
    """Everything on the table. ``wall`` is what is left of it, in drawing order; it began ``wall_total`` tiles long."""

    seats: list[Seat]
    wall: list[str]
    wall_total: int = 144
    dealer: int = 0
    front: int = -1  #: tiles drawn from its front; -1: all that are gone were


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How this group lays things out: the same through a whole game."""

    seed: int
    half: float = 430.0  #: half the table's width, mm
    neat: Neatness = field(default_factory=Neatness)
    lean: float = 4.0
    messy: bool = False  #: discards thrown into the middle rather than laid in rows
    win_apart: str = "apart"  #: how the winning tile lies: "apart" or "turned"

    @classmethod
    def random(cls, rng: Generator) -> TableLayout:
        """Any group."""
        return cls(
            seed=int(rng.integers(2**31)),
            half=float(rng.uniform(420, 470)),
            neat=Neatness.random(rng),
            lean=float(rng.choice([0.0, rng.uniform(0, 14)])),
            messy=bool(rng.random() < 0.4),
            win_apart=str(rng.choice(["apart", "turned"])),
        )


def place_table(table: Table, layout: TableLayout, body: Body) -> list[Placed]:
    """Where every tile lies. The same table and layout always give the same places, tile for tile."""
    out: list[Placed] = []
    for number, seat in enumerate(table.seats):
        out += to_seat(_seat_tiles(seat, number, layout, body), number)
    return out + _wall(table, layout, body) + _pool(table, layout, body)


def _seat_tiles(seat: Seat, number: int, layout: TableLayout, body: Body) -> list[Placed]:
    y = -(layout.half - 58)
    left = -(layout.half - 118)
    out = _hand(seat, number, layout, body, left, y)
    rng = default_rng([layout.seed, number, 2])
    right = layout.half - 26
    group = 10
    for kind, tiles in seat.melds:
        slots = meld_slots(kind, tiles, default_rng([layout.seed, number, group]))
        width = sum(body.height if s.turned else body.width for s in slots if not s.level) * 1.01
        like = Placed("", 0, 0, 0, role="meld", kind=kind, group=group)
        tiles_out, _ = lay_group(
            slots, right - width, y - body.height / 2, body, replace(layout.neat, gap=0.0), rng, like
        )
        out += tiles_out
        right -= width + body.width * float(rng.uniform(0.7, 1.0))
        group += 1
    if seat.flowers:
        like = Placed("", 0, 0, 0, role="flower", group=30)
        flowers, _ = lay_group(
            [Slot(f) for f in seat.flowers], left, y + body.height * 0.95, body, layout.neat, rng, like
        )
        out += flowers
    return out


def _hand(seat: Seat, number: int, layout: TableLayout, body: Body, left: float, y: float) -> list[Placed]:
    rng = default_rng([layout.seed, number, 1])
    like = Placed("", 0, 0, 0, role="hand", group=1)
    if seat.open:
        row, x = lay_group([Slot(t) for t in seat.hand], left, y - body.height / 2, body, layout.neat, rng, like)
        if seat.win_tile:
            turned = layout.win_apart == "turned"
            slot, tag = Slot(seat.win_tile, turned=turned), replace(like, role="win", group=2)
            win, _ = lay_group([slot], x + body.width * 0.95, y - body.height / 2, body, layout.neat, rng, tag)
            row += win
        return row
    codes = [*seat.hand, *([seat.drawn] if seat.drawn else [])]
    out, x = [], left
    for i, code in enumerate(codes):
        if seat.drawn and i == len(codes) - 1:
            x += body.width * 0.5
        dy, turn = rng.normal(0, 1.2 * layout.neat.wobble * 10), rng.normal(0, layout.neat.turn * 0.6)
        lie = DOWN if seat.lying else STAND
        out.append(
            replace(
                like,
                code=code,
                x=x + body.width / 2,
                y=y + float(dy),
                angle=float(turn),
                lie=lie,
                lean=0.0 if seat.lying else layout.lean,
            )
        )
        x += body.width * (1.004 + abs(float(np.sin(np.radians(layout.neat.turn)))) * 0.25)
    return out


def _wall(table: Table, layout: TableLayout, body: Body) -> list[Placed]:
    """Four walls, two high, eaten away from the dealer's wall on."""
    stacks = table.wall_total // 8
    gone = table.wall_total - len(table.wall) if table.front < 0 else table.front
    last = gone + len(table.wall) - 1
    pitch = min(body.width * 1.006, (layout.half - 190) * 2 / stacks)
    y = -(layout.half - 168)
    out: list[Placed] = []
    for side in range(4):
        rng = default_rng([layout.seed, side, 3])
        wobble = rng.normal(0, 1, (stacks, 4))
        row: list[Placed] = []
        for k in range(stacks):
            for level in (1, 0):
                place = side * stacks * 2 + k * 2 + (1 - level)  # in drawing order: top before bottom
                if place < gone or place - gone >= len(table.wall):
                    continue
                dx, turn = float(wobble[k, level]) * 0.3, float(wobble[k, 2 + level]) * 0.5
                alone = place == last and level == 1  # its lower neighbour went to replace a flower or a kong
                x = (stacks / 2 - k - 0.5) * max(pitch, body.width * 1.003)
                tile = table.wall[place - gone]
                row.append(
                    Placed(tile, x + dx, y, 0.0 if alone else level * body.depth * 1.001, turn, DOWN, role="wall")
                )
        out += to_seat(row, (table.dealer - side) % 4)
    return out


def _pool(table: Table, layout: TableLayout, body: Body) -> list[Placed]:
    out: list[Placed] = []
    if not layout.messy:
        for number, seat in enumerate(table.seats):
            rng = default_rng([layout.seed, number, 4])
            out += to_seat(pool_rows(seat.discards, body, rng), number)
        return out
    places = _heap(layout, body)
    longest = max(len(seat.discards) for seat in table.seats)
    for turn in range(longest):
        for number, seat in enumerate(table.seats):
            if turn < len(seat.discards):
                x, y, angle = places[(turn * 4 + number) % len(places)]
                out.append(Placed(seat.discards[turn], x, y, 0.0, angle, UP, role="discard", seat=number))
    return out


def _heap(layout: TableLayout, body: Body) -> list[tuple[float, float, float]]:
    """Free places in the middle, nearest first, so that thrown tiles do not cut into one another."""
    rng = default_rng([layout.seed, 5])
    inner = layout.half - 200
    reach = float(np.hypot(body.width, body.height)) * 1.0
    steps = int(2 * inner / reach)
    out = []
    for i in range(steps):
        for j in range(steps):
            x = -inner + (i + 0.5) * 2 * inner / steps + rng.normal(0, 0.4)
            y = -inner + (j + 0.5) * 2 * inner / steps + rng.normal(0, 0.4)
            out.append((float(x), float(y), float(rng.uniform(0, 360))))
    return sorted(out, key=lambda p: p[0] ** 2 + p[1] ** 2 + float(rng.uniform(0, 60**2)))


def random_table(rng: Generator, win: bool) -> Table:
    """A table somewhere in a hand; with ``win``, at the moment the winner has laid the hand open."""
    bag = Bag(rng)
    winner = int(rng.integers(4)) if win else -1
    seats = []
    for number in range(4):
        laid = random_hand(bag, 5, wins=number == winner, exposed=float(rng.uniform(0, 0.6)))
        seats.append(_seat_of(laid, number == winner, rng))
    pool = bag_rest(bag, rng)
    turns = int(rng.integers(0, 17))
    for seat in seats:
        for _ in range(max(0, turns - int(rng.integers(0, 3)))):
            if pool:  # many kongs may leave less than late in a hand has been discarded
                seat.discards.append(pool.pop())
    spare = [*bag.flowers, *pool]
    return Table(seats, [spare[int(i)] for i in rng.permutation(len(spare))], 144, int(rng.integers(4)))


def _seat_of(laid: Laid, wins: bool, rng: Generator) -> Seat:
    hand = list(laid.concealed)
    if wins and laid.win_tile:
        hand.remove(laid.win_tile)
        return Seat(hand, None, laid.melds, laid.flowers, [], True, laid.win_tile, laid.self_draw)
    hand = hand[:-1]
    return Seat(sorted(hand, key=sort_key), None, laid.melds, laid.flowers, [], lying=bool(rng.random() < 0.1))


def bag_rest(bag: Bag, rng: Generator) -> list[str]:
    """All playing tiles still in the bag, shuffled."""
    rest = [kind for kind in KINDS for _ in range(bag.left[kind])]
    return [rest[int(i)] for i in rng.permutation(len(rest))]


def hands_of(table: Table) -> list[Laid]:
    """The four seats as laid hands; the winner's concealed tiles include the winning one."""
    out = []
    for seat in table.seats:
        concealed = [*seat.hand, *([seat.win_tile] if seat.win_tile else []), *([seat.drawn] if seat.drawn else [])]
        out.append(
            Laid(
                sorted(concealed, key=sort_key),
                seat.melds,
                seat.flowers,
                seat.win_tile,
                seat.self_draw,
                bool(seat.win_tile),
            )
        )
    return out


def whole_table(body: Body, rng: Generator) -> Arrangement:
    """Four seats in the middle of a hand."""
    return _arranged(random_table(rng, win=False), TableLayout.random(rng), body, None)


def won_table(body: Body, rng: Generator) -> Arrangement:
    """Four seats when somebody has won and laid the hand open."""
    return _arranged(random_table(rng, win=True), TableLayout.random(rng), body, None)


def won_seat(body: Body, rng: Generator) -> Arrangement:
    """The winner's side of such a table, seen close."""
    table = random_table(rng, win=True)
    winner = next(i for i, seat in enumerate(table.seats) if seat.open)
    return _arranged(table, TableLayout.random(rng), body, winner)


def kong_seat(body: Body, rng: Generator) -> Arrangement:
    """As ``won_seat``, the exposed sets being triplets and kongs, of which many lie with their fourth tile on top."""
    table = random_table(rng, win=True)
    winner = next(i for i, seat in enumerate(table.seats) if seat.open)
    seat = table.seats[winner]
    kinds = ("pung", "kong_exposed", "kong_added", "kong_concealed")
    seat.melds = []
    for code in rng.permutation(KINDS)[: int(rng.integers(2, 6))]:
        kind = str(rng.choice(kinds, p=[0.45, 0.2, 0.2, 0.15]))
        seat.melds.append((kind, [str(code)] * (3 if kind == "pung" else 4)))
    seat.hand = seat.hand[: 16 - 3 * len(seat.melds)]
    return _arranged(table, TableLayout.random(rng), body, winner)


def _arranged(table: Table, layout: TableLayout, body: Body, seat: int | None) -> Arrangement:
    placed = place_table(table, layout, body)
    focus = (
        placed
        if seat is None
        else [t for t in placed if t.seat == seat and t.role in ("hand", "win", "meld", "flower")]
    )
    span = (40.0, 90.0) if seat is None else (26.0, 88.0)
    return Arrangement(placed, hands_of(table), focus, span, layout.half, 0.0 if seat is None else 90.0 * seat)
