"""Wildcards 百搭: every way in which they complete a hand, found suit by suit.

胡牌时手中的百搭牌可以替代任何牌 [004]. A suit that some wildcards are added to is all sets, or sets and the pair; which
kinds they can stand for is worked out once a suit and kept. A wildcard may stand for a kind of which four are held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from functools import lru_cache
from itertools import combinations_with_replacement

from scoring.encoding import BITS, SUIT_BITS, UNIT, Codes, codes_of_mask
from scoring.facts import Facts, codes_before_win
from scoring.reading import Reading
from scoring.shapes.distance import wild_distance
from scoring.shapes.standard import standard_readings
from scoring.shapes.suits import remainder, splits

Added = tuple[int, ...]  # kinds the wildcards of a suit stand for


@lru_cache(maxsize=1 << 16)
def fillings(suit: int, code: int, wilds: int) -> tuple[Added, ...]:
    """Every choice of kinds for `wilds` wildcards that makes the suit split, ascending."""
    found = []
    for ranks in combinations_with_replacement(range(7 if suit == 3 else 9), wilds):
        if splits(suit, code + sum(UNIT[rank] for rank in ranks)):
            found.append(tuple(9 * suit + rank for rank in ranks))
    return tuple(found)


def _shares(codes: Codes, wilds: int) -> Iterator[tuple[int, int, int, int]]:
    """The ways to share the wildcards among the suits so that one suit holds the pair, the others sets alone."""
    for first in range(wilds + 1):
        for second in range(wilds + 1 - first):
            for third in range(wilds + 1 - first - second):
                share = first, second, third, wilds - first - second - third
                rests = [remainder(code + number) for code, number in zip(codes, share, strict=True)]
                if 1 not in rests and rests.count(2) == 1:
                    yield share


def completions(codes: Codes, wilds: int) -> Iterator[Added]:
    """Every choice of kinds for the wildcards that makes the tiles sets and a pair, each once."""
    for share in _shares(codes, wilds):
        first, second, third, fourth = (fillings(suit, codes[suit], share[suit]) for suit in range(4))
        for a in first:
            for b in second:
                for c in third:
                    for d in fourth:
                        yield a + b + c + d


Way = tuple[int, int]  # (wildcards used, pairs made)


@lru_cache(maxsize=1 << 16)
def _ways(suit: int, code: int, wilds: int) -> frozenset[Way]:
    """How a suit can be completed with up to `wilds` wildcards."""
    usable = [number for number in range(wilds + 1) if remainder(code + number) != 1]
    return frozenset((number, remainder(code + number) // 2) for number in usable if fillings(suit, code, number))


def _together(suits: Iterable[tuple[int, int]], wilds: int) -> set[Way]:
    """How several suits, as (suit, code), can be completed together."""
    ways = {(0, 0)}
    for suit, code in suits:
        more = _ways(suit, code, wilds)
        ways = {(used + number, pairs + pair) for used, pairs in ways for number, pair in more}
    return ways


def completes(codes: Codes, wilds: int, pairs: int = 1) -> bool:
    """Whether the wildcards make the tiles sets and `pairs` pairs."""
    return (wilds, pairs) in _together(enumerate(codes), wilds)


def grown(codes: Codes, kinds: Added) -> Codes:
    """The tiles with one more of each of those kinds."""
    more = list(codes)
    for kind in kinds:
        more[kind // 9] += UNIT[kind % 9]
    return more[0], more[1], more[2], more[3]


def readings(facts: Facts) -> Iterator[tuple[Facts, Reading]]:
    """Every reading of a hand with wildcards, with the facts as they are when these stand for what they do in it."""
    for added in completions(facts.codes, facts.wilds):
        standing = copy(facts)
        standing.codes = grown(facts.codes, added)
        standing.counts = facts.counts + sum(1 << (BITS * kind) for kind in added)
        whole = [standing.counts >> (SUIT_BITS * suit) & ((1 << SUIT_BITS) - 1) for suit in range(4)]
        standing.suits = sum(1 << suit for suit in range(4) if whole[suit])
        standing.wild_as = added
        for win in dict.fromkeys(added) if facts.wild_win else (facts.win,):
            placed = standing if win == standing.win else copy(standing)
            placed.win = win
            for reading in standard_readings(standing.codes, win, facts.meld_triplets):
                reading.wild_as = added
                yield placed, reading


def before_win(facts: Facts) -> tuple[Codes, int]:
    """The tiles without the winning one, and how many wildcards are among them."""
    if facts.wild_win:
        return facts.codes, facts.wilds - 1
    return (codes_before_win(facts), facts.wilds) if facts.win >= 0 else (facts.codes, facts.wilds)


def waits(facts: Facts) -> int:
    """Mask of the kinds that completed the hand before the winning tile came."""
    codes, wilds = before_win(facts)
    mask = 0
    for suit, code in enumerate(codes):
        others = _together(((other, codes[other]) for other in range(4) if other != suit), wilds)
        for rank in range(7 if suit == 3 else 9):
            ways = _ways(suit, code + UNIT[rank], wilds)
            if any((wilds - number, 1 - pair) in others for number, pair in ways):
                mask |= 1 << (9 * suit + rank)
    return mask


def lone_wild(facts: Facts) -> bool:
    """财神单吊: all other tiles were sets already and a wildcard waited alone for its pair, so any tile won."""
    codes, wilds = before_win(facts)
    return wilds > 0 and completes(codes, wilds - 1, 0)


def away(facts: Facts) -> int:
    """How many tiles must be exchanged until the hand is complete."""
    melded = facts.counts - sum(code << (SUIT_BITS * suit) for suit, code in enumerate(facts.codes))
    return wild_distance(facts.codes, melded, facts.wilds)


def standing_for(facts: Facts) -> tuple[str, ...]:
    """The codes the wildcards stand for in the reading chosen, ascending."""
    return tuple(code for kind in facts.wild_as for code in codes_of_mask(1 << kind))
