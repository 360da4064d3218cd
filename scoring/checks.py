"""Facts that cannot all be true: refused by name, never resolved silently."""

from __future__ import annotations

from collections.abc import Callable

from scoring.encoding import count_of
from scoring.errors import ContextError
from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.ruleset import Ruleset

_KONGS_IN_A_ROW = (("kong_kong", flag_mask("kong_kong"), 2), ("kong_kong_kong", flag_mask("kong_kong_kong"), 3))
_REPLACEMENT = flag_mask(
    "kong_replacement", "kong_replacement_open", "kong_replacement_added", "kong_kong", "kong_kong_kong"
)
_ROB = flag_mask("rob_kong", "rob_concealed_kong")
_READY = flag_mask("ready_initial", "ready_first_discard")
_HEAVENLY, _EARTHLY = flag_mask("heavenly"), flag_mask("earthly")
_FLOWER_WIN = flag_mask("flower_win", "eight_flowers")
_ROB_FLOWER = flag_mask("rob_flower", "rob_flower_mode2")
_INITIAL = flag_mask("initial")
_LAST = flag_mask("last_tile", "last_tile_discard")
_DICE = flag_mask("dice_kong")
_KAIBAO_DICE = ((1, 1), (4, 4))
_KONG_DISCARD = flag_mask("kong_discard", "kong_discard_dice")
_FLOWER_REPLACEMENT = flag_mask("flower_replacement")

_EXCLUSIVE: tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...] = (
    (("rob_kong",), ("last_tile", "kong_replacement", "flower_replacement"), "a robbed tile is not drawn"),
    (("rob_kong",), ("kong_replacement_open", "kong_replacement_added"), "a robbed tile is not drawn"),
    (("rob_kong",), ("rob_concealed_kong",), "the robbed kong was either added or concealed"),
    (("heavenly",), ("earthly", "human", "ready_initial", "ready_first_discard"), "heavenly is won before that"),
    (("heavenly", "earthly"), ("last_tile", "rob_kong", "kong_replacement", "after_claim"), "it is the first turn"),
    (("earthly",), ("ready_first_discard", "human"), "earthly is won before any own discard"),
    (("human",), ("ready_initial", "last_tile"), "human follows 地聽 at once"),
    (("ready_initial",), ("ready_first_discard",), "ready is declared once"),
    (("passed_win",), ("passed_win_cleared",), "the passed win is either cleared or not"),
    (("flower_win",), ("rob_flower", "rob_flower_mode2", "rob_kong"), "the eighth flower was drawn or robbed"),
    (("rob_flower",), ("rob_flower_mode2", "rob_kong"), "the eighth flower was robbed in one way"),
    (("last_tile",), ("last_tile_discard",), "the last tile was either won or discarded"),
    (("kong_replacement_open",), ("kong_replacement_added",), "the kong just made was claimed or added"),
)  # fmt: skip


def check_exclusive(facts: Facts, rules: Ruleset) -> None:
    """Raises ContextError where two flags of the hand cannot both be true; `play.together` has pairs that can."""
    flags, together = facts.context.flags, rules.play.get("together", ())
    for left, right, why in _EXCLUSIVE:
        for one in left:
            for other in right:
                if one in flags and other in flags and [one, other] not in together:
                    raise ContextError(f"flags {one} and {other} cannot both be true: {why}; give one", "flags")


def check_taiwan(facts: Facts, rules: Ruleset) -> None:
    """The contradictions of the Taiwanese texts. Raises ContextError naming the field and what is valid."""
    check_exclusive(facts, rules)
    flags = facts.flags
    for test in (_check_kongs, _check_early, _check_flower_wins):
        test(facts, flags)
    if facts.context.dealer and not facts.context.flags.isdisjoint(rules.play.get("non_dealer_flags", ())):
        raise ContextError(
            "dealer: earthly and ready_initial are for the other three; for the dealer heavenly or ready_first_discard",
            "dealer",
        )


def _check_kongs(facts: Facts, flags: int) -> None:
    if flags & _ROB:
        if facts.self_draw:
            raise ContextError("self_draw: a robbed kong is another's tile; give self_draw false", "self_draw")
        if facts.win >= 0 and count_of(facts.counts, facts.win) > 1:
            raise ContextError(
                "win_tile: the robbed kong holds the other three, so the hand can hold only the winning one", "win_tile"
            )
    if flags & _REPLACEMENT:
        if not facts.self_draw:
            raise ContextError("self_draw: a kong's replacement is drawn; give self_draw true", "self_draw")
        if not facts.kongs:
            raise ContextError("flags: kong_replacement needs a kong among the melds", "flags")
        for flag, bit, number in _KONGS_IN_A_ROW:
            if flags & bit and facts.kongs < number:
                raise ContextError(f"flags: {flag} needs {number} kongs among the melds", "flags")
        kinds = {meld.kind for meld in facts.hand.melds}
        for flag, kind in (("kong_replacement_open", "kong_exposed"), ("kong_replacement_added", "kong_added")):
            if flag in facts.context.flags and kind not in kinds:
                raise ContextError(f"flags: {flag} needs a meld of kind {kind}", "flags")


def _check_early(facts: Facts, flags: int) -> None:
    if flags & _HEAVENLY:
        if not facts.context.dealer:
            raise ContextError("dealer: heavenly is the dealer's win; give dealer true, or earthly", "dealer")
        if not facts.self_draw:
            raise ContextError("self_draw: heavenly is won on the tiles as dealt; give self_draw true", "self_draw")
    if flags & (_HEAVENLY | _EARTHLY) and (facts.exposed or (facts.melds and not flags & _REPLACEMENT)):
        raise ContextError("flags: heavenly and earthly are won on the tiles as dealt, without melds", "flags")


def _check_flower_wins(facts: Facts, flags: int) -> None:
    number = facts.flowers.bit_count()
    if flags & _FLOWER_REPLACEMENT and not (facts.self_draw and number):
        raise ContextError("flags: flower_replacement is a self-draw after a flower; give both", "flags")
    if flags & _FLOWER_WIN:
        if number != 8:
            raise ContextError(f"flowers: flower_win needs all eight flowers, here are {number}", "flowers")
        if not facts.self_draw:
            raise ContextError("self_draw: the flowers of flower_win are drawn; give self_draw true", "self_draw")
    if flags & _ROB_FLOWER:
        least = 7 if "rob_flower" in facts.context.flags else 6
        if number < least:
            raise ContextError(
                f"flowers: {'rob_flower' if least == 7 else 'rob_flower_mode2'} needs {least} or more flowers, "
                f"here are {number}",
                "flowers",
            )


def check_mainland(facts: Facts, rules: Ruleset) -> None:
    """The contradictions of [004]. Raises ContextError naming the field and what is valid."""
    check_exclusive(facts, rules)
    flags = facts.flags
    for test in (_check_kongs, _check_early, _check_flower_wins, _check_dice):
        test(facts, flags)
    if facts.context.dealer and flags & _EARTHLY:
        raise ContextError("dealer: earthly is for the other three; give dealer false, or heavenly", "dealer")
    if flags & _INITIAL and (facts.melds or facts.hand.win_tile is not None):
        raise ContextError("flags: initial is shown on the tiles as dealt; no melds, win_tile null", "flags")
    if "kaibao" in facts.context.flags and facts.extra.get("dice", _KAIBAO_DICE[0]) not in _KAIBAO_DICE:
        raise ContextError(
            "dice: kaibao is two ones or two fours (点数为1、4); give those, or leave kaibao out", "dice"
        )
    _check_bird(facts, flags)


def _check_bird(facts: Facts, flags: int) -> None:
    bird = facts.extra.get("bird_number")
    last = flags & _LAST and not flags & (_REPLACEMENT | _DICE)
    if bird is not None and last and facts.win >= 0 and facts.win % 9 + 1 != bird:
        raise ContextError(
            f"bird_number {bird}: on a last-tile win that tile is the bird (以海底牌为鸟); give {facts.win % 9 + 1}",
            "bird_number",
        )


def _check_dice(facts: Facts, flags: int) -> None:
    if flags & _DICE and not (facts.self_draw and facts.kongs):
        raise ContextError(
            "flags: dice_kong is a draw after an own kong; on a discard of that tile give kong_discard_dice", "flags"
        )
    if flags & _KONG_DISCARD and facts.self_draw:
        raise ContextError(
            "self_draw: the tile of kong_discard was another player's; give self_draw false", "self_draw"
        )


CONTRADICTIONS: dict[str, Callable[[Facts, Ruleset], None]] = {
    "exclusive": check_exclusive,
    "taiwan": check_taiwan,
    "mainland": check_mainland,
}
"""Named checks; a ruleset's play table names one."""


def check_win_tile(facts: Facts, rules: Ruleset) -> None:
    """Raises ContextError where no winning tile is named though the win needs one."""
    optional = flag_mask(*rules.play.get("win_tile_optional", ()))
    if facts.win < 0 and not facts.wild_win and not facts.flags & optional:
        raise ContextError("win_tile: name the tile that completed the hand", "win_tile")
