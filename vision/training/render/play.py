"""A hand of Taiwanese mahjong played by four simple players: every state of the table and what happened.

The players know nothing of scores: they discard what they can best do without, claim what brings them nearer, and
win as soon as they can. That is enough for tables that look like real ones.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from scoring.encoding import encode, suits_of
from scoring.shapes.distance import distance
from vision.training.render.deals import FLOWERS, KINDS, sort_key
from vision.training.render.tabletop import Seat, Table

#: What can happen. ``exhausted``: nobody won; ``cleared``: the tiles are taken away.
EVENTS = (
    *("dealt", "flower", "draw", "discard", "chow", "pung", "kong_exposed", "kong_concealed", "kong_added"),
    *("win", "exhausted", "cleared"),
)
_DEAD = 16  # tiles at the wall's end that are not drawn


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. ``source`` is the seat a claimed or winning tile came from, None from the wall."""

    kind: str
    seat: int
    tile: str | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Win:
    """How a hand ended. ``hand`` are the concealed tiles with the winning one."""

    seat: int
    tile: str
    source: int | None
    hand: tuple[str, ...]
    melds: tuple[tuple[str, tuple[str, ...]], ...]
    flowers: tuple[str, ...]
    last_tile: bool
    kong_replacement: bool


@dataclass(frozen=True, slots=True)
class Step:
    """The table after an event."""

    event: Event
    table: Table
    win: Win | None = None


@dataclass
class _Hand:
    """A hand being played."""

    rng: Generator
    dealer: int
    table: Table = field(init=False)
    replaced: bool = False  #: the tile just drawn replaces a kong's

    def __post_init__(self) -> None:
        every = [kind for kind in KINDS for _ in range(4)] + list(FLOWERS)
        wall = [every[int(i)] for i in self.rng.permutation(len(every))]
        self.table = Table([Seat() for _ in range(4)], wall, len(every), self.dealer)

    def step(self, kind: str, seat: int, tile: str | None = None, source: int | None = None) -> Step:
        return Step(Event(kind, seat, tile, source), copy.deepcopy(self.table))

    def take(self, back: bool = False) -> str | None:
        """The next tile of the wall, or of its end; None when no more may be drawn."""
        if len(self.table.wall) <= _DEAD:
            return None
        if back:
            return self.table.wall.pop()
        self.table.front += 1
        return self.table.wall.pop(0)

    def deal(self) -> Iterator[Step]:
        for seat in self.table.seats:
            for _ in range(16):
                seat.hand.append(self.table.wall.pop(0))
                self.table.front += 1
            seat.hand.sort(key=sort_key)
        yield self.step("dealt", self.dealer)
        for turn in range(4):
            number = (self.dealer + turn) % 4
            seat = self.table.seats[number]
            while any(tile in FLOWERS for tile in seat.hand):
                flower = next(tile for tile in seat.hand if tile in FLOWERS)
                seat.hand.remove(flower)
                seat.flowers.append(flower)
                replacement = self.take(back=True)
                if replacement is not None:
                    seat.hand.append(replacement)
                seat.hand.sort(key=sort_key)
                yield self.step("flower", number, flower)

    def draw(self, number: int, back: bool = False) -> Iterator[Step]:
        """The seat draws until it holds a playing tile; it stands apart as ``drawn``. None when the wall is out."""
        seat = self.table.seats[number]
        tile = self.take(back)
        while tile is not None and tile in FLOWERS:
            seat.flowers.append(tile)
            yield self.step("flower", number, tile)
            tile = self.take(back=True)
        seat.drawn = tile
        if tile is not None:
            yield self.step("draw", number, tile)


def _away(hand: list[str], melds: int) -> int:
    """Tiles still needed by a hand of 3n + 1 tiles."""
    return distance(suits_of(encode(hand)), melds) + 1


def _melded(seat: Seat) -> int:
    return encode(tile for _, tiles in seat.melds for tile in tiles)


def _complete(hand: list[str], seat: Seat) -> bool:
    return len(hand) % 3 == 2 and distance(suits_of(encode(hand)), _melded(seat)) == 0


def _worst(hand: list[str], seat: Seat, rng: Generator) -> str:
    """The tile whose loss costs least; lone honours and ends go first."""
    melds = _melded(seat)
    best: tuple[float, str] | None = None
    held = Counter(hand)
    for tile in dict.fromkeys(hand):
        rest = list(hand)
        rest.remove(tile)
        cost = _away(rest, melds) * 10.0 + held[tile] * 1.5
        cost += 0.0 if len(tile) == 1 else 1.0 if tile[0] in "19" else 1.6
        cost += float(rng.uniform(0, 1))
        if best is None or cost < best[0]:
            best = (cost, tile)
    assert best is not None
    return best[1]


def _claims(seat: Seat, tile: str, next_in_turn: bool) -> list[tuple[str, list[str]]]:
    """Melds the seat could make with a discard: (kind, tiles from its hand)."""
    held = Counter(seat.hand)
    out: list[tuple[str, list[str]]] = []
    if held[tile] >= 3:
        out.append(("kong_exposed", [tile] * 3))
    if held[tile] >= 2:
        out.append(("pung", [tile] * 2))
    if next_in_turn and len(tile) == 2:
        number, suit = int(tile[0]), tile[1]
        for low in (number - 2, number - 1, number):
            own = [f"{n}{suit}" for n in range(low, low + 3) if n != number]
            if 1 <= low <= 7 and all(held[t] for t in own):
                out.append(("chow", own))
    return out


def _wanted_claim(seat: Seat, tile: str, next_in_turn: bool, rng: Generator) -> tuple[str, list[str]] | None:
    """The claim that brings the hand nearer, if any and if the player feels like it."""
    before = _away(seat.hand, _melded(seat))
    for kind, own in _claims(seat, tile, next_in_turn):
        rest = list(seat.hand)
        for used in own:
            rest.remove(used)
        melds = _melded(seat) + encode([*own, tile])
        if kind == "kong_exposed":
            after = _away(rest, melds)
        else:
            after = min(_away([*rest[:i], *rest[i + 1 :]], melds) for i in range(len(rest)))
        eager = 0.85 if kind != "chow" else 0.55
        if after < before - (1 if kind == "kong_exposed" else 0) and rng.random() < eager:
            return kind, own
    return None


def play_hand(rng: Generator, dealer: int = 0) -> Iterator[Step]:
    """One hand from the deal to the win (the winner's tiles laid open) or to the end of the wall."""
    hand = _Hand(rng, dealer)
    yield from hand.deal()
    number, must_draw, back = dealer, True, False
    while True:
        seat = hand.table.seats[number]
        if must_draw:
            yield from hand.draw(number, back)
            if seat.drawn is None:
                yield hand.step("exhausted", number)
                return
            if _complete([*seat.hand, seat.drawn], seat):
                yield _win(hand, number, seat.drawn, None, back)
                return
            kong = _own_kong(seat, rng)
            if kong is not None:
                yield hand.step(kong[0], number, kong[1])
                back = True
                continue
        tile = _discard(seat, rng)
        yield hand.step("discard", number, tile)
        claim = _claimed(hand, number, tile)
        if claim is None:
            number, must_draw, back = (number + 1) % 4, True, False
            continue
        taker, kind, own = claim
        if kind == "win":
            yield _win(hand, taker, tile, number, False)
            return
        yield _take_discard(hand, taker, kind, own, tile, number)
        number, must_draw, back = taker, kind == "kong_exposed", kind == "kong_exposed"


def _discard(seat: Seat, rng: Generator) -> str:
    if seat.drawn is not None:
        seat.hand.append(seat.drawn)
        seat.drawn = None
    tile = _worst(seat.hand, seat, rng)
    seat.hand.remove(tile)
    seat.hand.sort(key=sort_key)
    seat.discards.append(tile)
    return tile


def _own_kong(seat: Seat, rng: Generator) -> tuple[str, str] | None:
    """Declare a kong from the seat's own tiles, sometimes; the hand then draws again."""
    tiles = [*seat.hand, *([seat.drawn] if seat.drawn else [])]
    for i, (kind, meld) in enumerate(seat.melds):
        if kind == "pung" and meld[0] in tiles and rng.random() < 0.9:
            tiles.remove(meld[0])
            seat.melds[i] = ("kong_added", [*meld, meld[0]])
            seat.hand, seat.drawn = sorted(tiles, key=sort_key), None
            return "kong_added", meld[0]
    for tile, n in Counter(tiles).items():
        if n == 4 and rng.random() < 0.8:
            seat.melds.append(("kong_concealed", [tile] * 4))
            seat.hand, seat.drawn = sorted((t for t in tiles if t != tile), key=sort_key), None
            return "kong_concealed", tile
    return None


def _claimed(hand: _Hand, giver: int, tile: str) -> tuple[int, str, list[str]] | None:
    """Who takes the discard: a win before a pung or kong before a chow."""
    found: list[tuple[int, int, str, list[str]]] = []
    for turn in range(1, 4):
        number = (giver + turn) % 4
        seat = hand.table.seats[number]
        if _complete([*seat.hand, tile], seat):
            return number, "win", []
        claim = _wanted_claim(seat, tile, turn == 1, hand.rng)
        if claim is not None:
            found.append((1 if claim[0] == "chow" else 0, number, claim[0], claim[1]))
    if not found:
        return None
    _, number, kind, own = min(found, key=lambda each: each[:2])
    return number, kind, own


def _take_discard(hand: _Hand, taker: int, kind: str, own: list[str], tile: str, giver: int) -> Step:
    seat = hand.table.seats[taker]
    for used in own:
        seat.hand.remove(used)
    hand.table.seats[giver].discards.pop()
    tiles = sorted([*own, tile], key=sort_key)
    seat.melds.append((kind, tiles))
    return hand.step(kind, taker, tile, giver)


def _win(hand: _Hand, number: int, tile: str, source: int | None, replacement: bool) -> Step:
    seat = hand.table.seats[number]
    if source is not None:
        hand.table.seats[source].discards.pop()
    seat.drawn, seat.win_tile, seat.open, seat.self_draw = None, tile, True, source is None
    win = Win(
        seat=number,
        tile=tile,
        source=source,
        hand=tuple(sorted([*seat.hand, tile], key=sort_key)),
        melds=tuple((kind, tuple(tiles)) for kind, tiles in seat.melds),
        flowers=tuple(seat.flowers),
        last_tile=len(hand.table.wall) <= _DEAD,
        kong_replacement=replacement,
    )
    return Step(Event("win", number, tile, source), copy.deepcopy(hand.table), win)


def cleared(dealer: int) -> Step:
    """The table after the tiles have been taken away."""
    return Step(Event("cleared", dealer), Table([Seat() for _ in range(4)], [], 144, dealer))


def play_match(seed: int, hands: int | None = None) -> Iterator[Step]:
    """Hand after hand; the dealer stays on a win of his own or a drawn hand, else the deal moves on."""
    dealer, number = 0, 0
    while hands is None or number < hands:
        last: Step | None = None
        for last in play_hand(np.random.default_rng([seed, number, 21]), dealer):
            yield last
        assert last is not None
        if last.win is not None and last.win.seat != dealer:
            dealer = (dealer + 1) % 4
        yield cleared(dealer)
        number += 1
