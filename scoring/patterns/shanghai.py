"""The patterns of the Shanghai text ([004 上海麻将]), its 花 and what doubles its 勒子."""

from __future__ import annotations

from typing import NamedTuple

from scoring.encoding import DRAGON_MASK, WIND_MASK, count_of
from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.patterns.mainland import ONE_SUIT
from scoring.patterns.registry import Options, of_reading
from scoring.patterns.taiwan import all_pungs
from scoring.reading import Reading
from scoring.tiles import INDEX

KAIBAO, HUANGFAN = flag_mask("kaibao"), flag_mask("huangfan")
_HALF = (9, 10, 12)
_KONG_HUA = {"kong_exposed": 1, "kong_added": 1, "kong_concealed": 2}
_LIFTS = frozenset({"kong_opening", "lone_tile"})


@of_reading("half_flush_pungs", needs="honours")
def half_flush_pungs(facts: Facts, reading: Reading) -> int:
    """混碰: 即混一色的碰碰胡."""
    return facts.suits in _HALF and all_pungs(facts, reading)


@of_reading("one_suit_pungs")
def one_suit_pungs(facts: Facts, reading: Reading) -> int:
    """清碰: 即清一色的碰碰胡."""
    return facts.suits in ONE_SUIT and all_pungs(facts, reading)


@of_reading("all_honours_pungs", needs="honours")
def all_honours_pungs(facts: Facts, reading: Reading) -> int:
    """风碰: 即全副牌都是风向牌且是碰碰胡."""
    return facts.suits == 8 and all_pungs(facts, reading)


def at_least_one_le(pattern: str) -> bool:
    """Whether the pattern makes a hand below one 勒子 worth one: 杠开和大吊车可以将不足勒子的牌型直接计算为勒子."""
    return pattern in _LIFTS


def is_kaibao(facts: Facts) -> bool:
    """开宝: 2个骰子点数一样、点数为1、4."""
    return facts.flags & KAIBAO > 0 or facts.extra.get("dice") in ((1, 1), (4, 4))


def drawn_games(facts: Facts) -> int:
    """荒番 standing in this game: how many games were drawn and not yet won off."""
    return max(int(facts.extra.get("huangfan", 0)), int(facts.flags & HUANGFAN > 0))


def multiplier(facts: Facts, options: Options) -> int:
    """积分*2, and 勒子数也*2, for 开宝 and for 荒番 each; an option doubles for every drawn game."""
    games = drawn_games(facts)
    if options["huangfan_multiplier"] == "double":
        games = min(games, 1)
    return int(2 ** (games + is_kaibao(facts)))


class FlowerPart(NamedTuple):
    """花 of one kind: what it is for (`flower`, or a set by its kind), the tile, how many."""

    what: str
    kind: int
    hua: int


def flower_parts(facts: Facts) -> tuple[FlowerPart, ...]:
    """花, a row for each thing that has some: flowers 1; suit kongs 1 or 2; winds 1, 2, 3; dragons 2, 3, 4.

    筒条万每有一个明杠计一朵花 …;东南西北每有一刻计一朵花 …;中发白每有一刻计2朵花 …. A triplet in hand counts,
    the winning tile in it or not.
    """
    parts = [FlowerPart("flower", index, 1) for index in range(8) if facts.flowers >> index & 1]
    for meld in facts.hand.melds:
        index = INDEX[meld.tiles[0]]
        hua = 0 if meld.kind == "chow" else _triplet_hua(index) + _KONG_HUA.get(meld.kind, 0)
        if hua:
            parts.append(FlowerPart(meld.kind, index, hua))
    for index in range(27, 34):
        if count_of(facts.counts, index) >= 3 and not facts.meld_triplets >> index & 1:
            parts.append(FlowerPart("pung", index, _triplet_hua(index)))
    return tuple(parts)


def _triplet_hua(kind: int) -> int:
    bit = 1 << kind
    return 1 if bit & WIND_MASK else 2 if bit & DRAGON_MASK else 0


def flower_count(facts: Facts) -> int:
    """花 in all."""
    return sum(part.hua for part in flower_parts(facts))
