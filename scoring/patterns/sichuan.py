"""The patterns of Sichuan's 番. The text ([004 四川麻将]) has no table; this is the one most often published."""

from __future__ import annotations

from scoring.encoding import FOUR_BIT
from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.patterns.mainland import LAST_DISCARD, by_discard, only_258
from scoring.patterns.registry import HandPredicate, of_hand, of_reading
from scoring.patterns.taiwan import EARTHLY, LAST_TILE, all_pungs
from scoring.reading import Reading

KONG_DISCARD = flag_mask("kong_discard", "kong_discard_dice")
_ENDS = sum(1 << (9 * suit + rank) for suit in range(3) for rank in (0, 8))
_MIDDLE = sum(63 << (6 * kind) for kind in range(27) if not _ENDS >> kind & 1)

kong_discard: HandPredicate = of_hand("kong_discard", needs="flags")(by_discard(KONG_DISCARD))
"""杠上炮: the tile discarded after a kong is won."""


@of_hand("roots")
def roots(facts: Facts) -> int:
    """根: four of a kind, in a kong or not, each."""
    return (facts.counts & FOUR_BIT).bit_count()


@of_hand("last_tile_any", needs="flags")
def last_tile_any(facts: Facts) -> int:
    """海底: won on the last tile of the wall, drawn or discarded."""
    return facts.flags & (LAST_TILE | LAST_DISCARD) > 0


@of_hand("earthly_on_draw", needs="flags")
def earthly_on_draw(facts: Facts) -> int:
    """地胡: a non-dealer wins on the first draw."""
    return facts.flags & EARTHLY > 0 and facts.self_draw


@of_hand("no_ends")
def no_ends(facts: Facts) -> int:
    """断幺九: no 1 and no 9."""
    return not facts.counts & ~_MIDDLE


@of_hand("closed_hand")
def closed_hand(facts: Facts) -> int:
    """门清: nothing claimed; concealed kongs allowed."""
    return facts.exposed == 0


@of_reading("pungs_of_258")
def pungs_of_258(facts: Facts, reading: Reading) -> int:
    """将对: 对对胡 of 2, 5 and 8 alone."""
    return only_258(facts) and all_pungs(facts, reading)


@of_reading("ends_in_every_set")
def ends_in_every_set(_facts: Facts, reading: Reading) -> int:
    """带幺九: a 1 or a 9 in every set and in the pair; there is no chow among the melds."""
    triplets_fit = not (reading.triplets | reading.pairs) & ~_ENDS
    return reading.shape == "standard" and triplets_fit and all(first % 9 in (0, 6) for first in reading.hand_chows)
