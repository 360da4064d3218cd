"""The patterns of the Ningbo text ([004 浙江宁波麻将]) that it shares with no other."""

from __future__ import annotations

from scoring.encoding import DRAGON_MASK
from scoring.facts import ALL_FLOWERS, Facts
from scoring.patterns.registry import (
    Args,
    HandPredicate,
    Options,
    ReadingPredicate,
    of_hand,
    of_hand_with,
    of_reading_with,
)
from scoring.patterns.taiwan import PLANTS, SEASONS, SEAT_FLOWERS


@of_reading_with("chows_plain_pair")
def chows_plain_pair(options: Options, _args: Args) -> ReadingPredicate:
    """平糊 5: 123,123,123,123,11,而且将头(11)不可以是含台数的风牌; whether 中發白 are such is an option."""
    dragons = 0 if options["ping_dragon_pair"] else DRAGON_MASK
    return lambda facts, reading: (
        not reading.triplets and not reading.pair & (dragons | 1 << facts.seat | 1 << facts.round)
    )


@of_hand("no_wilds")
def no_wilds(facts: Facts) -> int:
    """硬糊 13: 手中没百搭."""
    return facts.wilds == 0


@of_hand_with("three_wilds")
def three_wilds(options: Options, _args: Args) -> HandPredicate:
    """三财神 14: 手指有三张自摸到的百搭 (3张财神必须自摸): each was drawn, the winning tile too where it is one.

    By option the win itself must be a self-draw.
    """
    on_discard = options["three_wilds_on_discard"]
    return lambda facts: facts.wilds == 3 and (facts.self_draw or (on_discard and not facts.wild_win))


@of_hand_with("flower_kongs", needs="flowers")
def flower_kongs(options: Options, _args: Args) -> HandPredicate:
    """杠花 22: own flower 1, all four of a colour 2 in its place, all eight 8; 做百搭的花牌不能算台数."""
    own = SEAT_FLOWERS[options["flower_order"]]
    replaces = options["flower_kong_replaces_seat_flower"]

    def count(facts: Facts) -> int:
        flowers = facts.flowers
        if flowers == ALL_FLOWERS:
            return 8
        tai = 0
        for colour in (SEASONS, PLANTS):
            if flowers & colour == colour:
                tai += 2
                if replaces:
                    flowers &= ~colour
        return tai + (flowers & own[facts.flower_seat]).bit_count()

    return count


@of_reading_with("round_wind_beside_seat", needs="honours")
def round_wind_beside_seat(options: Options, _args: Args) -> ReadingPredicate:
    """圈风 25: 当前圈风对应的牌的杠或刻; the text breaks off where one tile is both winds, so an option says 1 or 2."""
    twice = options["ningbo_double_wind"] > 1
    return lambda facts, reading: reading.triplets >> facts.round & 1 and (twice or facts.seat != facts.round)
