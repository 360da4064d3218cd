"""The concealed tiles as a whole: every winning shape they may form, exactly, suit by suit.

Which suit each tile belongs to is tried in order of probability; within a suit all namings are summed at once
(`decode_suits`). Tiles interact across suits only through how many each suit holds, so the sums multiply.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scoring.tiles import INDEX
from vision.decode_odds import TileOdds
from vision.decode_suits import EMPTY, SuitStates, extend, is_complete, naming, over_four, pair_shape

HONOURS = 3
_SUITS = 4
_LEAST = 1e-8
_MOST_ALLOCATIONS = 600
_LIST = 6
_KEEP = 12
_TAIL_FROM = 20
_DIGIT = 7
_LEAST_RATE = 1e-4

#: Packed counts per suit of tiles seen elsewhere (in melds, on the table).
Used = tuple[int, int, int, int]
NOTHING_USED: Used = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Naming:
    """One winning naming of the concealed tiles: `codes` as kind numbers in tile order; `mass` sums every naming with
    the same multiset."""

    kinds: tuple[int, ...]
    mass: float


@dataclass(slots=True)
class Shapes:
    """What was found: `mass` of all winning namings, the most probable multisets, and `unexplored`, a cautious
    estimate of the winning mass not looked at."""

    mass: float = 0.0
    namings: list[Naming] = field(default_factory=list)
    unexplored: float = 0.0


@dataclass(slots=True)
class _Tail:
    """How much of what is looked at late wins: the measure for what is not looked at."""

    seen: float = 0.0
    won: float = 0.0
    count: int = 0

    def add(self, number: int, p: float, won: float) -> None:
        if number >= _TAIL_FROM:
            self.seen, self.won, self.count = self.seen + p, self.won + won, self.count + 1

    def rate(self) -> float:
        """Three times the share seen to win late; everything while too little was looked at to tell."""
        if self.count < _TAIL_FROM or self.seen <= 0.0:
            return 1.0
        return min(1.0, 3.0 * self.won / self.seen + _LEAST_RATE)


def pack(kinds: Sequence[int]) -> Used:
    """Packed counts per suit of kind numbers 0..33."""
    packed = [0, 0, 0, 0]
    for kind in kinds:
        packed[kind // 9] += 1 << (3 * (kind % 9))
    return packed[0], packed[1], packed[2], packed[3]


class ConcealedTiles:
    """The odds of the concealed tiles, ready to be asked for winning shapes (results are cached)."""

    def __init__(self, odds: Sequence[TileOdds]) -> None:
        self._options = [self._by_suit(tile) for tile in odds]
        self._states: dict[tuple[int, int], SuitStates] = {}
        self._complete: dict[tuple[int, int, int], list[tuple[float, int]]] = {}
        self._pairs: dict[tuple[int, int, bool], list[tuple[float, int]]] = {}
        self._standard: dict[Used, Shapes] = {}
        reach = [0, 0, 0, 0]
        for options in self._options:
            for suit, kinds in enumerate(options):
                for kind, _ in kinds:
                    reach[suit] |= _DIGIT << (3 * kind)
        self._reach: Used = (reach[0], reach[1], reach[2], reach[3])
        self.total = 1.0
        for options in self._options:
            self.total *= sum(p for suit in options for _, p in suit)

    @staticmethod
    def _by_suit(tile: TileOdds) -> list[tuple[tuple[int, float], ...]]:
        suits: list[list[tuple[int, float]]] = [[] for _ in range(_SUITS)]
        for code, p in tile.odds:
            kind = INDEX[code]
            if kind < 34:
                suits[kind // 9].append((kind % 9, p))
        return [tuple(s) for s in suits]

    def allocations(self) -> Iterator[tuple[tuple[int, ...], float]]:
        """Which suit every tile is, most probable first, with the probability."""
        ranked = []
        for options in self._options:
            suits = [(sum(p for _, p in s), n) for n, s in enumerate(options) if s]
            if not suits:
                return
            ranked.append(sorted(suits, key=lambda item: (-item[0], item[1])))
        if not ranked:
            yield (), 1.0
            return
        start = 1.0
        for tile in ranked:
            start *= tile[0][0]
        heap: list[tuple[float, tuple[int, ...], int]] = [(-start, (0,) * len(ranked), 0)]
        while heap:
            minus, choice, first = heapq.heappop(heap)
            yield tuple(ranked[i][c][1] for i, c in enumerate(choice)), -minus
            for i in range(first, len(ranked)):
                following = choice[i] + 1
                # Only the last raised tile may be raised further: every choice is reached once.
                if following < len(ranked[i]) and (i == first or choice[i] == 0):
                    p = -minus * ranked[i][following][0] / ranked[i][choice[i]][0]
                    if p > _LEAST:
                        heapq.heappush(heap, (-p, (*choice[:i], following, *choice[i + 1 :]), i))

    def states(self, suit: int, mask: int) -> SuitStates:
        """Everything the tiles in `mask` can be within `suit`."""
        if not mask:
            return EMPTY
        key = (suit, mask)
        found = self._states.get(key)
        if found is None:
            last = mask.bit_length() - 1
            found = extend(self.states(suit, mask & ~(1 << last)), self._options[last][suit])
            self._states[key] = found
        return found

    def complete(self, suit: int, mask: int, used: int) -> list[tuple[float, int]]:
        """Complete multisets (sets, and a pair where two are left over) of a suit: `(mass, packed counts)`."""
        key = (suit, mask, used)
        found = self._complete.get(key)
        if found is None:
            honours = suit == HONOURS
            found = [
                (state[0], counts)
                for counts, state in self.states(suit, mask).states.items()
                if is_complete(counts, honours) and not (used and over_four_together(counts, used))
            ]
            found.sort(reverse=True)
            self._complete[key] = found
        return found

    def standard(self, used: Used, deadline: float) -> Shapes:
        """Sets and a pair. Stops at `deadline` (thread time) with what it has. The answer is shared: do not
        change it."""
        # What no tile here can be makes no difference.
        relevant = (
            used[0] & self._reach[0],
            used[1] & self._reach[1],
            used[2] & self._reach[2],
            used[3] & self._reach[3],
        )
        if relevant not in self._standard:
            self._standard[relevant] = self._standard_shapes(relevant, deadline)
        return self._standard[relevant]

    def _standard_shapes(self, used: Used, deadline: float) -> Shapes:
        shapes = Shapes()
        seen = lost_all = 0.0
        tail = _Tail()
        candidates: list[tuple[float, tuple[int, ...], tuple[int, ...]]] = []
        for number, (suits, p) in enumerate(self.allocations()):
            seen += p
            before = shapes.mass
            masks = _masks(suits)
            lists, lost = self._lists(masks, used)
            if lists is not None:
                mass = 1.0
                for found in lists:
                    mass *= sum(m for m, _ in found)
                shapes.mass += mass
                candidates.extend((m, counts, masks) for m, counts in _products(lists))
            lost_all += lost
            tail.add(number, p, shapes.mass - before)
            if number >= _MOST_ALLOCATIONS or time.thread_time() > deadline:
                break
        shapes.unexplored = (max(0.0, self.total - seen) + lost_all) * tail.rate()
        candidates.sort(key=lambda item: -item[0])
        shapes.namings = [self._named(m, counts, masks) for m, counts, masks in _merged(candidates)[:_KEEP]]
        return shapes

    def _lists(self, masks: tuple[int, ...], used: Used) -> tuple[list[list[tuple[float, int]]] | None, float]:
        remainders = [mask.bit_count() % 3 for mask in masks]
        if remainders.count(2) != 1 or 1 in remainders:
            return None, 0.0
        lost = sum(self.states(s, m).lost for s, m in enumerate(masks))
        lists = [self.complete(s, m, used[s]) for s, m in enumerate(masks)]
        return (lists if all(lists) else None), lost

    def pairs(self, triplets: int, quads: bool, deadline: float) -> Shapes:
        """Hands of pairs with exactly `triplets` (0 or 1) triplets; `quads`: four of a kind may be two pairs.

        Shapes that also part into sets are left to `standard`."""
        shapes = Shapes()
        candidates: list[tuple[float, tuple[int, ...], tuple[int, ...]]] = []
        for number, (suits, _) in enumerate(self.allocations()):
            masks = _masks(suits)
            if sum(mask.bit_count() % 2 for mask in masks) == triplets:
                lists = [self._paired(s, m, quads) for s, m in enumerate(masks)]
                candidates.extend((m, counts, masks) for m, counts in _products(lists) if not _standard_too(counts))
            if number >= _MOST_ALLOCATIONS or time.thread_time() > deadline:
                break
        candidates.sort(key=lambda item: -item[0])
        shapes.mass = sum(m for m, _, _ in candidates)
        shapes.namings = [self._named(m, counts, masks) for m, counts, masks in _merged(candidates)[:_KEEP]]
        return shapes

    def _paired(self, suit: int, mask: int, quads: bool) -> list[tuple[float, int]]:
        key = (suit, mask, quads)
        cached = self._pairs.get(key)
        if cached is not None:
            return cached
        odd_wanted = mask.bit_count() % 2
        found: list[tuple[float, int]] = []
        for counts, state in self.states(suit, mask).states.items():
            odd, single, four = pair_shape(counts)
            if odd == odd_wanted and not single and (quads or not four):
                found.append((state[0], counts))
        found.sort(reverse=True)
        self._pairs[key] = found
        return found

    def _named(self, mass: float, counts: tuple[int, ...], masks: tuple[int, ...]) -> Naming:
        kinds = [0] * len(self._options)
        for suit, (packed, mask) in enumerate(zip(counts, masks, strict=True)):
            tiles = [i for i in range(len(kinds)) if mask >> i & 1]
            for tile, kind in zip(tiles, naming(self.states(suit, mask).states[packed][2]), strict=True):
                kinds[tile] = 9 * suit + kind
        return Naming(tuple(kinds), mass)


def over_four_together(counts: int, used: int) -> bool:
    """Whether two packed counts together hold more than four of a kind (digits up to 4 and 4 need not carry)."""
    while used:
        low = used & -used
        shift = (low.bit_length() - 1) // 3 * 3
        if ((counts >> shift) & 7) + ((used >> shift) & 7) > 4:
            return True
        used &= ~(7 << shift)
    return over_four(counts)


def _masks(suits: tuple[int, ...]) -> tuple[int, ...]:
    masks = [0] * _SUITS
    for i, suit in enumerate(suits):
        masks[suit] |= 1 << i
    return tuple(masks)


def _products(lists: Sequence[Sequence[tuple[float, int]]]) -> list[tuple[float, tuple[int, ...]]]:
    """The most probable combinations, one entry from each list."""
    combined: list[tuple[float, tuple[int, ...]]] = [(1.0, ())]
    for options in lists:
        combined = [(m * p, (*c, counts)) for m, c in combined for p, counts in options[:_LIST]]
        combined.sort(key=lambda item: -item[0])
        del combined[_KEEP:]
    return combined


def _merged(
    candidates: Sequence[tuple[float, tuple[int, ...], tuple[int, ...]]],
) -> list[tuple[float, tuple[int, ...], tuple[int, ...]]]:
    """Equal multisets reached by different suit allocations count together under their best one."""
    first: dict[tuple[int, ...], int] = {}
    merged: list[tuple[float, tuple[int, ...], tuple[int, ...]]] = []
    for mass, counts, masks in candidates:
        if counts in first:
            place = first[counts]
            merged[place] = (merged[place][0] + mass, counts, merged[place][2])
        else:
            first[counts] = len(merged)
            merged.append((mass, counts, masks))
    merged.sort(key=lambda item: -item[0])
    return merged


def _standard_too(counts: tuple[int, ...]) -> bool:
    remainders = []
    for suit, packed in enumerate(counts):
        number = sum((packed >> (3 * k)) & 7 for k in range(9))
        remainders.append(number % 3)
        if not is_complete(packed, suit == HONOURS):
            return False
    return remainders.count(2) == 1
