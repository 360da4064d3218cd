"""Combinations of several sets in the Hong Kong text [001]: equal chows, sisters, dragons, old-and-young.

What a combination uses is counted apart from what is free ("own" patterns), because the text counts 清龍 without the
老少 of its own 123 and 789, and 三相逄 without the 姊妹 inside it: the ruleset file drops the own ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from scoring.encoding import DRAGON_MASK, FOUR_BIT, WIND_MASK, kinds_in
from scoring.facts import Facts
from scoring.patterns.hongkong import concealed_chows
from scoring.patterns.registry import Args, Options, ReadingPredicate, of_reading, of_reading_with
from scoring.reading import Reading
from scoring.tiles import INDEX

HONOURS = WIND_MASK | DRAGON_MASK
TERMINALS = sum(1 << (9 * suit + rank) for suit in range(3) for rank in (0, 8))
LOW, MIDDLE, HIGH = 0, 3, 6
"""Ranks that 123, 456 and 789 begin with."""


class ChowFacts(NamedTuple):
    """What the chows of a hand make together.

    twins: pairs of equal chows · equal: most equal chows · sisters: numbers in exactly two suits · threes: numbers in
    all three · pure: mask of the suits with 123, 456, 789 · mixed: 1 for 雜龍, 2 for 雙雜龍 · ends: pairs of 123 and
    789 in one suit.
    """

    twins: int
    equal: int
    sisters: int
    threes: int
    pure: int
    mixed: int
    ends: int


def all_chows_of(facts: Facts, reading: Reading) -> tuple[int, ...]:
    """First kinds of all chows, melded ones too, ascending."""
    return tuple(sorted(facts.meld_chows + reading.hand_chows))


@lru_cache(maxsize=1 << 16)
def chow_facts(chows: tuple[int, ...]) -> ChowFacts:
    """The combinations among chows given by their first kinds."""
    counts = {first: chows.count(first) for first in chows}
    suits_of_rank = [sum(1 for suit in range(3) if 9 * suit + rank in counts) for rank in range(7)]
    ends = sum(min(chows.count(9 * suit + LOW), chows.count(9 * suit + HIGH)) for suit in range(3))
    pure = sum(1 << suit for suit in range(3) if all(9 * suit + rank in counts for rank in (LOW, MIDDLE, HIGH)))
    return ChowFacts(
        twins=sum(number // 2 for number in counts.values()),
        equal=max(counts.values(), default=0),
        sisters=suits_of_rank.count(2),
        threes=suits_of_rank.count(3),
        pure=pure,
        mixed=_mixed_dragons(chows),
        ends=ends,
    )


def _mixed_dragons(chows: tuple[int, ...]) -> int:
    """1 where 123, 456, 789 lie in three suits; 2 where five chows make that twice, sharing one chow.

    The text's three forms share the 789, the 456 or the 123; each end may be one chow twice (a) or two (b, c).
    """
    parts = [[first // 9 for first in chows if first % 9 == rank] for rank in (LOW, MIDDLE, HIGH)]
    dragons = [(a, b, c) for a in parts[0] for b in parts[1] for c in parts[2] if len({a, b, c}) == 3]
    if not dragons:
        return 0
    shared, *doubled = sorted(parts, key=len)
    if [len(part) for part in (shared, *doubled)] != [1, 2, 2]:
        return 1
    (one, other), (first, second) = doubled
    whole = [{shared[0], one, first}, {shared[0], other, second}], [{shared[0], one, second}, {shared[0], other, first}]
    return 2 if any(all(len(dragon) == 3 for dragon in pairing) for pairing in whole) else 1


def _chow_facts_of(facts: Facts, reading: Reading) -> ChowFacts:
    return chow_facts(all_chows_of(facts, reading))


# --- equal chows -----------------------------------------------------------------------------------------------------


@of_reading("equal_chows")
def equal_chows(facts: Facts, reading: Reading) -> int:
    """一般高: 兩簡同花色同數字之上牌 [001]."""
    return _chow_facts_of(facts, reading).twins >= 1


@of_reading("twice_equal_chows")
def twice_equal_chows(facts: Facts, reading: Reading) -> int:
    """雙般高: 兩手一般高 [001]."""
    return _chow_facts_of(facts, reading).twins >= 2


@of_reading("three_equal_chows")
def three_equal_chows(facts: Facts, reading: Reading) -> int:
    """太般高: 三簡同花色同數字之上牌 [001]."""
    return _chow_facts_of(facts, reading).equal >= 3


# --- the same numbers in several suits -------------------------------------------------------------------------------


def triplet_ranks(triplets: int) -> tuple[int, int]:
    """Masks of the ranks whose triplets lie in exactly two suits, and in all three."""
    first, second, third = triplets & 511, triplets >> 9 & 511, triplets >> 18 & 511
    threes = first & second & third
    return (first & second | first & third | second & third) & ~threes, threes


@of_reading("sisters")
def sisters(facts: Facts, reading: Reading) -> int:
    """姊妹: 兩簡不同花色相碰牌或同數字之上牌 [001]; a set held twice makes no second one (一般高再加姊妹)."""
    return _chow_facts_of(facts, reading).sisters + triplet_ranks(reading.triplets)[0].bit_count()


@of_reading("own_sisters")
def own_sisters(facts: Facts, reading: Reading) -> int:
    """The three 姊妹 inside each 三相逄."""
    return 3 * three_sisters(facts, reading)


@of_reading("three_sisters")
def three_sisters(facts: Facts, reading: Reading) -> int:
    """三相逄: 三簡筒索萬相碰牌或同數字之上牌 [001]."""
    return _chow_facts_of(facts, reading).threes + triplet_ranks(reading.triplets)[1].bit_count()


# --- dragons ---------------------------------------------------------------------------------------------------------


def _chows_for_dragon(facts: Facts, reading: Reading, *, concealed: bool, discard_opens: bool) -> tuple[int, ...]:
    if not concealed:
        return all_chows_of(facts, reading)
    return tuple(sorted(concealed_chows(facts, reading, discard_opens=discard_opens)))


@of_reading_with("pure_dragon")
def pure_dragon(options: Options, args: Args) -> ReadingPredicate:
    """清龍: 三簡由一到九的數字,由一門花色組成; with `args.concealed` 三簡均為暗簡 [001]."""
    concealed, opens = args.get("concealed", False), options["ron_completed_set_is_open"]
    return lambda facts, reading: (
        chow_facts(_chows_for_dragon(facts, reading, concealed=concealed, discard_opens=opens)).pure > 0
    )


@of_reading_with("mixed_dragon")
def mixed_dragon(options: Options, args: Args) -> ReadingPredicate:
    """雜龍: 三簡由一到九的筒、索、萬組成之上牌; `args.number` = 2 for 雙雜龍, `args.concealed` for 暗 [001]."""
    concealed, opens = args.get("concealed", False), options["ron_completed_set_is_open"]
    number = args.get("number", 1)
    return lambda facts, reading: (
        chow_facts(_chows_for_dragon(facts, reading, concealed=concealed, discard_opens=opens)).mixed >= number
    )


# --- old and young ---------------------------------------------------------------------------------------------------


def ends_of(facts: Facts, reading: Reading) -> int:
    """Number of 老少: 同花色上牌123及789,或碰牌111及999 [001]."""
    triplets = reading.triplets
    pungs = sum(1 for suit in range(3) if triplets >> (9 * suit) & 257 == 257)
    return _chow_facts_of(facts, reading).ends + pungs


@of_reading_with("old_young")
def old_young(_options: Options, args: Args) -> ReadingPredicate:
    """老少, 雙老少 with `args.number` = 2 [001]: those that no 清龍 is made of; with `args.own` those that one is."""
    number, own = args.get("number", 1), args.get("own", False)

    def count(facts: Facts, reading: Reading) -> int:
        used = _chow_facts_of(facts, reading).pure.bit_count()
        return used if own else ends_of(facts, reading) - used >= number

    return count


@of_reading_with("old_young_hand")
def old_young_hand(options: Options, args: Args) -> ReadingPredicate:
    """半老少: 123/789或111/999,加一對番子; 全老少 with `args.terminal_pair`: 加一對么九 [001].

    The whole hand consists of such sets, low and high ones; or, by option, it holds one 老少 and the pair.
    """
    pairs = TERMINALS if args.get("terminal_pair") else HONOURS
    whole = options["laoshao_whole_hand"]

    def count(facts: Facts, reading: Reading) -> int:
        if reading.shape != "standard" or not reading.pair & pairs:
            return False
        return only_ends(facts, reading) if whole else ends_of(facts, reading) > 0

    return count


def only_ends(facts: Facts, reading: Reading) -> bool:
    """Whether every set is 123, 789, 111 or 999, with low and high ones among them."""
    chows = all_chows_of(facts, reading)
    if reading.triplets & ~TERMINALS or any(first % 9 not in (LOW, HIGH) for first in chows):
        return False
    lows = any(first % 9 == LOW for first in chows) or reading.triplets & 0o1001001 > 0
    highs = any(first % 9 == HIGH for first in chows) or reading.triplets & ~0o1001001 > 0
    return lows and highs


# --- four of a kind without a kong -----------------------------------------------------------------------------------


def four_kinds(facts: Facts) -> int:
    """Mask of the kinds of which the hand holds four without a kong."""
    mask = sum(1 << kind for kind in kinds_in(facts.counts & FOUR_BIT))
    for meld in facts.hand.melds if facts.kongs else ():
        if meld.is_kong:
            mask &= ~(1 << INDEX[meld.tiles[0]])
    return mask


@of_reading_with("four_in_hand")
def four_in_hand(_options: Options, args: Args) -> ReadingPredicate:
    """四歸一: 四隻在手; 雙四歸一 asks for `args.number` = 2; `args.eyes` for the four that 四歸二 is made of [001]."""
    number, eyes = args.get("number", 0), args.get("eyes", False)

    def count(facts: Facts, reading: Reading) -> int:
        if reading.shape != "standard" or not facts.counts & FOUR_BIT:
            return 0
        kinds = four_kinds(facts)
        found = (kinds & reading.pair if eyes else kinds & ~reading.pair).bit_count()
        return found >= number if number else found

    return count
