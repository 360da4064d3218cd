"""Why an item within reach is not there: asked only when a score is explained, never while it is worked out.

Each function looks at one pattern and returns the code of a message, or nothing where the item was never in reach.
"""

from __future__ import annotations

from collections.abc import Callable

from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.patterns.registry import Args, Options
from scoring.patterns.taiwan import EARTHLY, FLOWER_REPLACEMENT, HUMAN, LAST_TILE, concealed_triplets
from scoring.reading import Reading
from scoring.shapes.suits import TRIPLET

Explanation = Callable[[Facts, Reading, Options, Args], str]
UNMET: dict[str, Explanation] = {}


def why_not(pattern: str) -> Callable[[Explanation], Explanation]:
    """Registers the explanation of a pattern."""

    def wrap(explanation: Explanation) -> Explanation:
        UNMET[pattern] = explanation
        return explanation

    return wrap


@why_not("all_chows")
def _all_chows(facts: Facts, reading: Reading, options: Options, _args: Args) -> str:
    if reading.triplets or reading.shape != "standard":
        return ""
    if facts.suits & 8:
        return "chows_honours"
    if facts.flowers:
        return "chows_flowers"
    if facts.self_draw and not options["ping_self_draw"]:
        return "chows_self_draw"
    return "chows_two_sided" if options["ping_wait"].startswith("two_sided") else "chows_single_wait"


@why_not("concealed_hand")
def _concealed_hand(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "" if facts.exposed else "concealed_kong_opens"


@why_not("all_begged")
def _all_begged(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    hanging = len(facts.hand.concealed) == 2 and not facts.self_draw
    return "begged_concealed_kong" if hanging else ""


@why_not("half_begged")
def _half_begged(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "begged_concealed_kong" if len(facts.hand.concealed) == 2 and facts.self_draw else ""


@why_not("last_draw")
def _last_draw(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "last_tile_ron" if facts.flags & LAST_TILE else ""


@why_not("earthly")
def _earthly(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "earthly_ron" if facts.flags & EARTHLY else ""


@why_not("human")
def _human(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "ready_changed" if facts.flags & HUMAN else ""


@why_not("kong_bloom")
def _kong_bloom(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "flower_replacement" if facts.flags & FLOWER_REPLACEMENT else ""


@why_not("seat_flower")
def _seat_flower(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return "flowers_of_others" if facts.flowers else ""


@why_not("concealed_triplets")
def _concealed_triplets(facts: Facts, reading: Reading, _options: Options, args: Args) -> str:
    by_discard = reading.place == TRIPLET and not facts.self_draw
    return "triplet_by_discard" if by_discard and concealed_triplets(facts, reading) + 1 == args["number"] else ""


@why_not("ready_initial")
def _ready_initial(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return _ready(facts, "ready_initial")


@why_not("ready_first_discard")
def _ready_first_discard(facts: Facts, _reading: Reading, _options: Options, _args: Args) -> str:
    return _ready(facts, "ready_first_discard")


def _ready(facts: Facts, flag: str) -> str:
    declared, void = flag_mask(flag), flag_mask(f"{flag}_void")
    if not facts.flags & (declared | void):
        return ""
    return "ready_changed" if facts.flags & void or facts.exposed else "ready_passed_win"
