"""What a hand waits for, and how far it is from winning."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.encoding import codes_of_mask, count_of, encode, five_of_a_kind, join, kinds_of_mask, suits_of
from scoring.errors import HandError
from scoring.facts import Facts, meld_facts
from scoring.hand import Hand, Meld, WinContext
from scoring.ruleset import Ruleset
from scoring.shapes.distance import distance
from scoring.shapes.standard import standard_waits


def waits_of(concealed: Iterable[str], melds: Iterable[Meld], ruleset: Ruleset) -> tuple[str, ...]:
    """The kinds that complete a hand one tile short (16 tiles of 17, melds counted as three), in tile order.

    Every shape the ruleset wins with counts. A kind of which the player holds all four is no wait, unless the option
    exhausted_tile_is_wait says so. Empty where the hand is not ready. Raises HandError for another number of tiles or
    five of a kind.
    """
    hand = Hand(tuple(concealed), tuple(melds))
    facts = _facts(hand, ruleset.hand_size - 1)
    mask = standard_waits(facts.codes) if ruleset.standard else 0
    for use in ruleset.shapes:
        if use.fits(facts):
            mask |= use.shape.waits(facts.codes)
    if not ruleset.options["exhausted_tile_is_wait"]:
        mask = sum(1 << kind for kind in kinds_of_mask(mask) if count_of(facts.counts, kind) < 4)
    return codes_of_mask(mask)


def tiles_away(concealed: Iterable[str], melds: Iterable[Meld], ruleset: Ruleset) -> int:
    """How many tiles must still come for the hand to win: 0 for a complete hand, 1 for one that is ready.

    The hand may have its winning tile (17 tiles) or be one short (16); of 17 the tiles to exchange are counted.
    Raises HandError for another number of tiles or five of a kind.
    """
    hand = Hand(tuple(concealed), tuple(melds))
    size = len(hand.concealed) + 3 * len(hand.melds)
    short = int(size == ruleset.hand_size - 1)
    facts = _facts(hand, ruleset.hand_size - short)
    shapes = [use.shape for use in ruleset.shapes if use.fits(facts)]
    melded = facts.counts - join(facts.codes)
    return short + distance(facts.codes, melded, standard=ruleset.standard, shapes=shapes)


def _facts(hand: Hand, wanted: int) -> Facts:
    """The hand's counts, checked; nothing is known of how it is won."""
    size = len(hand.concealed) + 3 * len(hand.melds)
    if size != wanted:
        raise HandError(f"{size} tiles, each meld counted as three: {wanted} are needed here", "concealed")
    facts = Facts(hand, WinContext())
    try:
        counts = encode(hand.concealed)
    except KeyError as error:
        raise HandError(f"{error.args[0]} is no playing tile", "concealed") from None
    facts.codes = suits_of(counts)
    for meld in hand.melds:
        numbers = meld_facts(meld)
        counts += numbers.counts
        facts.concealed_kongs += numbers.concealed_kong
        facts.meld_triplets |= numbers.triplet
        facts.meld_chows += (numbers.chow,) if numbers.chow >= 0 else ()
    facts.counts = counts
    if five_of_a_kind(counts):
        raise HandError("more than four of a kind: each tile exists four times", "concealed")
    return facts
