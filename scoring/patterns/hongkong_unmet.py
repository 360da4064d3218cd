"""Why an item of the Hong Kong text within reach is not there (see scoring.patterns.unmet)."""

from __future__ import annotations

from scoring.facts import Facts
from scoring.patterns.hongkong import as_dealt
from scoring.patterns.hongkong_sets import all_chows_of, chow_facts
from scoring.patterns.registry import Args, Options
from scoring.patterns.taiwan import EARTHLY, HEAVENLY, concealed_triplets
from scoring.patterns.unmet import why_not
from scoring.reading import Reading
from scoring.shapes.suits import TRIPLET


@why_not("heavenly_as_dealt")
def _heavenly(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "dealt_replaced" if facts.flags & HEAVENLY and not as_dealt(facts) else ""


@why_not("earthly_as_dealt")
def _earthly(facts: Facts, _reading: Reading, options: Options, _args: Args) -> str:
    if not facts.flags & EARTHLY:
        return ""
    return "dealt_replaced" if facts.self_draw or options["earthly_by_ron"] else "earthly_ron"


@why_not("pure_dragon")
def _pure_dragon(facts: Facts, reading: Reading, _options: Options, args: Args) -> str:
    held = chow_facts(all_chows_of(facts, reading)).pure > 0
    return "dragon_open" if held and args.get("concealed") else ""


@why_not("mixed_dragon")
def _mixed_dragon(facts: Facts, reading: Reading, _options: Options, args: Args) -> str:
    held = chow_facts(all_chows_of(facts, reading)).mixed >= args.get("number", 1)
    return "dragon_open" if held and args.get("concealed") else ""


@why_not("big_only_chows")
def _big_only_chows(facts: Facts, reading: Reading, _options: Options, _args: Args) -> str:
    chows_only = reading.shape == "standard" and not reading.triplets
    return "chows_honours_or_flowers" if chows_only and (facts.suits & 8 or facts.flowers) else ""


@why_not("at_least_concealed")
def _at_least_concealed(facts: Facts, reading: Reading, _options: Options, args: Args) -> str:
    by_discard = reading.place == TRIPLET and not facts.self_draw
    return "triplet_by_discard" if by_discard and concealed_triplets(facts, reading) + 1 == args["number"] else ""


@why_not("five_concealed_no_kong")
def _five_concealed(facts: Facts, reading: Reading, options: Options, _args: Args) -> str:
    if concealed_triplets(facts, reading) != 5:
        return ""
    return "kong_opens_kankan" if facts.kongs else "earthly_ron"


@why_not("within_discards")
def _within_discards(facts: Facts, _reading: Reading, _options: Options, args: Args) -> str:
    return "discards_unknown" if facts.context.discards_count is None and args["number"] == 3 else ""
