"""A game of 16-tile mahjong as a machine sees it: dice, dealing, the winner's tiles, buttons, points."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from device.machine.events import (
    NOBODY,
    Button,
    Dealer,
    Dice,
    EventBody,
    Points,
    RoundStart,
    RoundWind,
    TilesDealt,
    TileSeen,
)

SUITS = "mps"
HONOURS = ("E", "S", "W", "N", "C", "F", "P")
WINDS = "ESWN"
DRAW_ODDS = 0.08


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One finished hand. `winner` is NOBODY for a draw; `concealed` has 17 tiles with the winning one when no meld is
    open; every meld takes three (a kong four) from them."""

    number: int
    winner: int
    from_seat: int
    self_draw: bool
    concealed: tuple[str, ...]
    melds: tuple[tuple[str, ...], ...]
    flowers: tuple[str, ...]
    win_tile: str
    dealer: int
    streak: int
    round_wind: str


class Game:
    """Plays hand after hand. The same seed plays the same game. `base` and `each` are points for the totals only."""

    def __init__(self, seed: int = 0, *, tiles: bool = True, base: int = 3, each: int = 1) -> None:
        self._rng = random.Random(seed)
        self._tiles = tiles
        self._base, self._each = base, each
        self.points = [0, 0, 0, 0]
        self.dealer, self.streak, self.round, self.number = 0, 0, 0, 0
        self.played: list[PlayedHand] = []
        self.current: PlayedHand | None = None

    def hand(self) -> Iterator[EventBody]:
        """The events of the next hand, in order. `current` is the hand once it is won; it is in `played` once
        the last event is taken."""
        self.number += 1
        rng = self._rng
        yield RoundStart(self.number)
        yield RoundWind(WINDS[self.round])
        yield Dealer(self.dealer, self.streak)
        dice = tuple(rng.randint(1, 6) for _ in range(3))
        yield Dice(dice)
        yield TilesDealt((self.dealer + sum(dice) - 1) % 4, 16)
        if rng.random() < DRAW_ODDS:
            yield Button(self.dealer, "draw")
            self._finish(self._drawn())
            return
        hand = self.current = self._won()
        if self._tiles:
            yield from self._shown(hand)
        yield Button(hand.winner, "self_draw" if hand.self_draw else "win", hand.from_seat)
        self._pay(hand)
        yield Points(tuple(self.points))
        yield Button(hand.winner, "confirm")
        self._finish(hand)

    def _drawn(self) -> PlayedHand:
        wind = WINDS[self.round]
        return PlayedHand(self.number, NOBODY, NOBODY, False, (), (), (), "", self.dealer, self.streak, wind)

    def _won(self) -> PlayedHand:
        rng = self._rng
        sets, pair = self._deal_sets()
        winner = rng.randrange(4)
        self_draw = rng.random() < 0.35
        others = [seat for seat in range(4) if seat != winner]
        opened = rng.randint(0, 3)
        melds = tuple(tuple(tiles) for tiles in sets[:opened])
        concealed = [tile for tiles in sets[opened:] for tile in tiles] + [pair, pair]
        flowers = tuple(sorted(rng.sample([f"f{n}" for n in range(1, 9)], rng.randint(0, 3))))
        return PlayedHand(
            self.number, winner, NOBODY if self_draw else rng.choice(others), self_draw, tuple(sorted(concealed)),
            melds, flowers, rng.choice(concealed), self.dealer, self.streak, WINDS[self.round],
        )  # fmt: skip

    def _deal_sets(self) -> tuple[list[list[str]], str]:
        """Five sets and a pair, no tile used more than four times."""
        rng = self._rng
        used: Counter[str] = Counter()
        sets: list[list[str]] = []
        while len(sets) < 5:
            tiles = self._a_set()
            if all(used[tile] + tiles.count(tile) <= 4 for tile in tiles):
                used.update(tiles)
                sets.append(tiles)
        kinds = [f"{n}{suit}" for suit in SUITS for n in range(1, 10)] + list(HONOURS)
        return sets, rng.choice([tile for tile in kinds if used[tile] <= 2])

    def _a_set(self) -> list[str]:
        rng = self._rng
        if rng.random() < 0.65:
            low, suit = rng.randint(1, 7), rng.choice(SUITS)
            return [f"{low + step}{suit}" for step in range(3)]
        if rng.random() < 0.3:
            return [rng.choice(HONOURS)] * 3
        return [f"{rng.randint(1, 9)}{rng.choice(SUITS)}"] * 3

    def _shown(self, hand: PlayedHand) -> Iterator[EventBody]:
        rest = list(hand.concealed)
        rest.remove(hand.win_tile)
        for zone, tiles in (("hand", rest), ("flower", hand.flowers), ("win_tile", (hand.win_tile,))):
            for tile in tiles:
                yield TileSeen(zone, hand.winner, tile)
        for meld in hand.melds:
            for tile in meld:
                yield TileSeen("meld", hand.winner, tile)

    def _pay(self, hand: PlayedHand) -> None:
        value = self._base + self._each * self._rng.randint(1, 8)
        payers = [s for s in range(4) if s != hand.winner] if hand.self_draw else [hand.from_seat]
        for seat in payers:
            self.points[seat] -= value
            self.points[hand.winner] += value

    def _finish(self, hand: PlayedHand) -> None:
        """The dealer stays after winning and after a draw; else the deal moves on, after four the round."""
        self.played.append(hand)
        if hand.winner in (self.dealer, NOBODY):
            self.streak = min(255, self.streak + 1)
            return
        self.streak = 0
        self.dealer = (self.dealer + 1) % 4
        if self.dealer == 0:
            self.round = (self.round + 1) % 4
