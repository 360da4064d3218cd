"""Patterns that several of the mainland rulesets ([004]) share. Values and exclusions are in the ruleset files."""

from __future__ import annotations

from scoring.encoding import BITS
from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.patterns.registry import Args, HandPredicate, Options, ReadingPredicate, of_hand, of_reading_with
from scoring.patterns.taiwan import EARTHLY, HEAVENLY, KONG_REPLACEMENT
from scoring.reading import Reading
from scoring.shapes.special import TWO_FIVE_EIGHT
from scoring.shapes.suits import CLOSED, EDGE, PAIR, TRIPLET

INITIAL = flag_mask("initial")
LAST_DISCARD = flag_mask("last_tile_discard")
ONE_SUIT = (1, 2, 4)
OTHER_THAN_258 = sum(63 << (BITS * kind) for kind in range(34) if not TWO_FIVE_EIGHT >> kind & 1)
"""The counts of all kinds but 2, 5 and 8 of the three suits."""


@of_hand("drawn")
def drawn(facts: Facts) -> int:
    """自摸: 所需的最后一张牌由自己抓来 [004 宁波]."""
    return facts.self_draw


@of_hand("lone_tile")
def lone_tile(facts: Facts) -> int:
    """大吊, 大吊车: 其他牌都吃碰杠下,只剩一张牌单吊胡 [004]; 金鉤釣 where Sichuan tables have it."""
    return len(facts.hand.concealed) == 2


@of_hand("earthly_on_discard", needs="flags")
def earthly_on_discard(facts: Facts) -> int:
    """地胡: 庄家打出第一张牌,有闲家糊这张牌 [004 长沙, 宁波]."""
    return facts.flags & EARTHLY > 0 and not facts.self_draw


@of_hand("kong_opening", needs="flags")
def kong_opening(facts: Facts) -> int:
    """杠开: 杠牌后补张的牌如果能胡 [004 上海]; 杠上花 in Sichuan."""
    return facts.flags & KONG_REPLACEMENT > 0 and facts.self_draw


@of_reading_with("won_place")
def won_place(_options: Options, args: Args) -> ReadingPredicate:
    """边, 夹, 单吊, 对倒 [004 宁波]: the set that the winning tile completed; none for tiles that won as dealt."""
    place = {"pair": PAIR, "closed": CLOSED, "edge": EDGE, "triplet": TRIPLET}[args["place"]]
    return lambda facts, reading: reading.place == place and not facts.flags & HEAVENLY


def only_258(facts: Facts) -> bool:
    """Whether every tile is a 2, 5 or 8."""
    return not facts.counts & OTHER_THAN_258


def is_seven_pairs(reading: Reading) -> bool:
    """Whether the hand is read as seven pairs."""
    return reading.shape == "seven_pairs"


def by_discard(mask: int) -> HandPredicate:
    """A predicate: won on another player's tile while one of those flags is set."""
    return lambda facts: facts.flags & mask > 0 and not facts.self_draw
