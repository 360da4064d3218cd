"""The tiles that items of the Hong Kong text come from, by the names a ruleset file gives in `tiles`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import TYPE_CHECKING

from scoring.encoding import WIND_MASK, count_of, kinds_of_mask
from scoring.facts import Facts
from scoring.patterns.hongkong import single_flowers
from scoring.patterns.hongkong_sets import HIGH, LOW, MIDDLE, all_chows_of, chow_facts, four_kinds, triplet_ranks
from scoring.patterns.taiwan import SEAT_FLOWERS
from scoring.reading import Reading
from scoring.tiles import FLOWERS, KINDS

if TYPE_CHECKING:
    from scoring.ruleset import Ruleset

Codes = tuple[str, ...]


def _chow_tiles(firsts: Iterable[int]) -> Codes:
    return tuple(KINDS[first + step] for first in firsts for step in range(3))


def _kind_tiles(facts: Facts, mask: int) -> Codes:
    return tuple(KINDS[kind] for kind in kinds_of_mask(mask) for _ in range(count_of(facts.counts, kind)))


def _pair(_facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    return tuple(KINDS[kind] for kind in kinds_of_mask(reading.pair) for _ in range(2))


def _equal_chows(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    chows = all_chows_of(facts, reading)
    return _chow_tiles(first for first in chows if chows.count(first) > 1)


def _sisters(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    return _same_numbers(facts, reading, 2)


def _three_sisters(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    return _same_numbers(facts, reading, 3)


def _same_numbers(facts: Facts, reading: Reading, suits: int) -> Codes:
    """One set a suit of every number that lies in exactly that many suits."""
    chows = dict.fromkeys(all_chows_of(facts, reading))
    ranks = [first % 9 for first in chows]
    twos, threes = triplet_ranks(reading.triplets)
    wanted = twos if suits == 2 else threes
    triplets = reading.triplets & (wanted | wanted << 9 | wanted << 18)
    return _chow_tiles(first for first in chows if ranks.count(first % 9) == suits) + _kind_tiles(facts, triplets)


def _pure_dragon(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    suits = kinds_of_mask(chow_facts(all_chows_of(facts, reading)).pure)
    return _chow_tiles(9 * suit + rank for suit in suits for rank in (LOW, MIDDLE, HIGH))


def _mixed_dragon(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    """The first chows that make one; all five of a double one."""
    chows = all_chows_of(facts, reading)
    if chow_facts(chows).mixed == 2:
        return _chow_tiles(chows)
    parts = [[first for first in chows if first % 9 == rank] for rank in (LOW, MIDDLE, HIGH)]
    dragons = [dragon for dragon in product(*parts) if len({first // 9 for first in dragon}) == 3]
    return _chow_tiles(dragons[0]) if dragons else ()


def _old_young(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    chows = all_chows_of(facts, reading)
    tiles: Codes = ()
    for suit in range(3):
        low, high = 9 * suit + LOW, 9 * suit + HIGH
        number = min(chows.count(low), chows.count(high))
        tiles += _chow_tiles([low] * number + [high] * number)
        ends = reading.triplets & 257 << (9 * suit)
        if ends.bit_count() == 2:
            tiles += _kind_tiles(facts, ends)
    return tiles


def _four_kinds(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    return _kind_tiles(facts, four_kinds(facts) & ~reading.pair)


def _four_eyes(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    return _kind_tiles(facts, four_kinds(facts) & reading.pair)


def _exposed_kongs(facts: Facts, _reading: Reading, _rules: Ruleset) -> Codes:
    return tuple(code for meld in facts.hand.melds if meld.is_kong and meld.exposed for code in meld.tiles)


def _concealed_kongs(facts: Facts, _reading: Reading, _rules: Ruleset) -> Codes:
    return tuple(code for meld in facts.hand.melds if meld.is_kong and not meld.exposed for code in meld.tiles)


def _wind_triplets(facts: Facts, reading: Reading, _rules: Ruleset) -> Codes:
    return _kind_tiles(facts, reading.triplets & WIND_MASK)


def _single_flowers(facts: Facts, _reading: Reading, rules: Ruleset) -> Codes:
    return _flower_codes(single_flowers(facts, rules.options))


def _own_flowers(facts: Facts, _reading: Reading, rules: Ruleset) -> Codes:
    own = SEAT_FLOWERS[rules.options["flower_order"]][facts.flower_seat]
    return _flower_codes(single_flowers(facts, rules.options) & own)


def _flower_codes(mask: int) -> Codes:
    return tuple(code for index, code in enumerate(FLOWERS) if mask >> index & 1)


HONG_KONG_TILES: dict[str, Callable[[Facts, Reading, Ruleset], Codes]] = {
    "pair": _pair,
    "equal_chows": _equal_chows,
    "sisters": _sisters,
    "three_sisters": _three_sisters,
    "pure_dragon": _pure_dragon,
    "mixed_dragon": _mixed_dragon,
    "old_young": _old_young,
    "four_kinds": _four_kinds,
    "four_eyes": _four_eyes,
    "exposed_kongs": _exposed_kongs,
    "concealed_kongs": _concealed_kongs,
    "wind_triplets": _wind_triplets,
    "single_flowers": _single_flowers,
    "own_flowers": _own_flowers,
}
