"""How far a hand is from winning: the fewest tiles to exchange until it is complete."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from scoring.encoding import BITS, SUIT_BITS, SUIT_MASK, Codes, join
from scoring.shapes.special import SpecialShape

_NONE = -99


def distance(codes: Codes, meld_counts: int = 0, *, standard: bool = True, shapes: Iterable[SpecialShape] = ()) -> int:
    """Fewest tiles of `codes` (a whole hand, winning tile included) to exchange until it is complete.

    meld_counts: the encoded tiles of the melds, whose copies are not to be had again. shapes: special shapes that
    count too. 0 for a complete hand.
    """
    size = sum(_tiles(code) for code in codes)
    best = _standard_kept(codes, meld_counts, size) if standard else _NONE
    for shape in shapes:
        best = max(best, shape.kept(join(codes)))
    return size - best


def wild_distance(codes: Codes, meld_counts: int, wilds: int) -> int:
    """As distance, for sets and a pair, where `wilds` wildcards beside `codes` stand for whatever is missing."""
    size = sum(_tiles(code) for code in codes) + wilds
    return max(0, size - wilds - _standard_kept(codes, meld_counts, size))


def _tiles(code: int) -> int:
    return sum((code >> (BITS * rank)) & 63 for rank in range(9))


def _standard_kept(codes: Codes, meld_counts: int, size: int) -> int:
    """Most tiles that can stay on the way to sets and a pair."""
    sets = size // 3
    totals = {(0, 0): 0}
    for suit, code in enumerate(codes):
        melded = meld_counts >> (SUIT_BITS * suit) & SUIT_MASK
        grown: dict[tuple[int, int], int] = {}
        for (made, pairs), kept in totals.items():
            for (more, pair), gain in suit_kept(code, melded, suit == 3).items():
                key = (made + more, pairs + pair)
                if key[0] <= sets and key[1] <= 1:
                    grown[key] = max(grown.get(key, _NONE), kept + gain)
        totals = grown
    return totals[sets, 1]


@lru_cache(maxsize=1 << 16)
def suit_kept(code: int, melded: int, honours: bool) -> dict[tuple[int, int], int]:
    """For each (sets 0..5, pairs 0..1) of one suit: the most of its tiles that such an arrangement can use.

    Walks the ranks with the chows begun one and two ranks before; three equal chows are three triplets, so at most two
    begin at a rank. An arrangement uses at most four of a kind, melds included.
    """
    states = {(0, 0, 0, 0): 0}
    for rank in range(7 if honours else 9):
        held = (code >> (BITS * rank)) & 63
        free = 4 - ((melded >> (BITS * rank)) & 63)
        grown: dict[tuple[int, int, int, int], int] = {}
        for (sets, pair, last, before), kept in states.items():
            for begun, triplet, twin in _steps(free - last - before, honours or rank > 6):
                made = sets + begun + triplet
                if made > 5 or pair + twin > 1:
                    continue
                used = last + before + begun + 3 * triplet + 2 * twin
                key = (made, pair + twin, begun, last)
                grown[key] = max(grown.get(key, _NONE), kept + min(held, used))
        states = grown
    best: dict[tuple[int, int], int] = {}
    for (sets, pair, _, _), kept in states.items():
        best[sets, pair] = max(best.get((sets, pair), _NONE), kept)
    return best


@lru_cache(maxsize=64)
def _steps(room: int, no_chow: bool) -> tuple[tuple[int, int, int], ...]:
    """(chows begun, triplets, pairs) that fit into `room` tiles of one rank."""
    chows = (0,) if no_chow else (0, 1, 2)
    return tuple(
        (begun, triplet, twin)
        for begun in chows
        for triplet in (0, 1)
        for twin in (0, 1)
        if begun + 3 * triplet + 2 * twin <= room
    )
