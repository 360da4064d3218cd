"""Why an item of the mainland rulesets that was within reach is not there."""

from __future__ import annotations

from scoring.encoding import WIND_MASK
from scoring.facts import Facts
from scoring.patterns.changsha import DICE_KONG
from scoring.patterns.registry import Args, Options
from scoring.patterns.taiwan import EARTHLY, KONG_REPLACEMENT, LAST_TILE
from scoring.patterns.unmet import why_not
from scoring.reading import Reading


@why_not("dice_kong_bloom")
def _dice_kong_bloom(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "kong_without_dice" if facts.flags & KONG_REPLACEMENT and facts.self_draw else ""


@why_not("last_tile_drawn")
def _last_tile_drawn(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    replaced = facts.flags & (KONG_REPLACEMENT | DICE_KONG) and facts.flags & LAST_TILE
    return "last_tile_replaced" if replaced else ""


@why_not("earthly_on_discard")
def _earthly_on_discard(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "earthly_drawn" if facts.flags & EARTHLY else ""


@why_not("earthly_on_draw")
def _earthly_on_draw(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "earthly_ron" if facts.flags & EARTHLY else ""


@why_not("three_wilds")
def _three_wilds(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "wilds_not_drawn" if facts.wilds == 3 else ""


@why_not("no_wilds")
def _no_wilds(_facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "wild_held"


@why_not("chows_plain_pair")
def _chows_plain_pair(_facts: Facts, reading: Reading, _options: Options, _args: Args) -> str:
    if reading.triplets:
        return ""
    return "pair_of_value" if reading.pair & WIND_MASK else "pair_of_dragons"


@why_not("flower_kongs")
def _flower_kongs(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "flowers_of_others" if facts.flowers else ""
