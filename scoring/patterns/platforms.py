"""The patterns that only the tables of platforms and associations have. Their files name where each table is from."""

from __future__ import annotations

from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.patterns.registry import of_hand, of_reading
from scoring.patterns.taiwan import ANY_FLOWER_WIN, EARTHLY, LAST_TILE_DISCARD
from scoring.reading import Reading

DECLARED_READY = flag_mask("declared_ready")
DEALT_FLOWERS = flag_mask("dealt_flowers")


@of_hand("declared_ready", needs="flags")
def declared_ready(facts: Facts) -> int:
    """聽牌: the hand was declared ready and locked; allowed with melds, unlike 天聽 and 地聽."""
    return facts.flags & DECLARED_READY > 0


@of_hand("dealt_flowers", needs="flags")
def dealt_flowers(facts: Facts) -> int:
    """配牌花胡: the flowers of 八仙過海 or 七搶一 were there when the tiles had been dealt."""
    return facts.flags & DEALT_FLOWERS > 0 and facts.flags & ANY_FLOWER_WIN > 0


@of_hand("any_flower", needs="flowers")
def any_flower(facts: Facts) -> int:
    """見花見台: every flower counts, whoever's seat it belongs to."""
    return facts.flowers.bit_count()


@of_hand("earthly_by_discard", needs="flags")
def earthly_by_discard(facts: Facts) -> int:
    """人胡: ready as dealt and won on a player's first discard, which [000] calls 地和."""
    return facts.flags & EARTHLY > 0 and not facts.self_draw


@of_reading("last_discard", needs="flags")
def last_discard(facts: Facts, _reading: Reading) -> int:
    """河底撈魚: won on the last discard of the hand."""
    return facts.flags & LAST_TILE_DISCARD > 0 and not facts.self_draw
