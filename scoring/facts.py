"""One hand prepared for scoring: counts, melds, winds, flags as numbers, checked for what no hand can be."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from scoring.encoding import UNIT, Codes, encode, five_of_a_kind, kinds_of_mask, suits_of
from scoring.errors import ContextError, HandError, nearest
from scoring.extras import NO_EXTRAS, read_extras
from scoring.flags import FLAG_BIT, FLAGS
from scoring.hand import Hand, Meld, WinContext
from scoring.tiles import FLOWERS, INDEX, KINDS, check_code

if TYPE_CHECKING:
    from scoring.ruleset import Ruleset

_FLOWER_BIT = {code: 1 << index for index, code in enumerate(FLOWERS)}
ALL_FLOWERS = 0b11111111
_WIND_KIND = {"E": 27, "S": 28, "W": 29, "N": 30}


class MeldFacts(NamedTuple):
    """A meld as numbers. `triplet` is a mask (kongs too), `chow` the first kind or -1, the rest counts 0 or 1."""

    counts: int
    triplet: int
    chow: int
    exposed: int
    kong: int
    concealed_kong: int


@lru_cache(maxsize=4096)
def meld_facts(meld: Meld) -> MeldFacts:
    """The numbers of one meld; there are few different melds, so they are kept."""
    first = INDEX[meld.tiles[0]]
    chow = meld.kind == "chow"
    return MeldFacts(
        counts=encode(meld.tiles),
        triplet=0 if chow else 1 << first,
        chow=first if chow else -1,
        exposed=int(meld.exposed),
        kong=int(meld.is_kong),
        concealed_kong=int(meld.kind == "kong_concealed"),
    )


class Facts:
    """A hand and its win, as numbers the patterns read. Built by `gather`; masks as in scoring.encoding.

    codes: concealed tiles by suit, the winning tile among them · counts: all tiles, kongs with four · win: kind of the
    winning tile or -1 · flags: bits of scoring.flags, only those the ruleset knows · seat, round: kinds 27..30 ·
    flower_seat: 0..3 · flowers: bits f1..f8 · suits: bit 0..2 a suit is present, bit 3 honours · waits: mask, known
    once the hand is known to win · wilds: wildcards among the concealed tiles, which no count holds until they stand
    for a kind (scoring.wild) · wild_win: the winning tile is one of them · wild_as: what they stand for · extra: what
    only this ruleset reads (scoring.extras).
    """

    __slots__ = (
        "codes",
        "concealed_kongs",
        "context",
        "counts",
        "exposed",
        "extra",
        "flags",
        "flower_seat",
        "flowers",
        "hand",
        "kongs",
        "meld_chows",
        "meld_triplets",
        "melds",
        "round",
        "seat",
        "self_draw",
        "suits",
        "waits",
        "wild_as",
        "wild_win",
        "wilds",
        "win",
    )

    codes: Codes
    suits: int
    counts: int
    meld_chows: tuple[int, ...]

    def __init__(self, hand: Hand, context: WinContext) -> None:
        self.hand = hand
        self.context = context
        self.self_draw = context.self_draw
        self.seat = _WIND_KIND[context.seat_wind]
        self.round = _WIND_KIND[context.round_wind]
        self.flower_seat = (self.seat if context.flower_seat is None else _WIND_KIND[context.flower_seat]) - 27
        self.win = -1
        self.flags = 0
        self.flowers = 0
        self.melds = len(hand.melds)
        self.meld_triplets = 0
        self.exposed = 0
        self.kongs = 0
        self.concealed_kongs = 0
        self.meld_chows = ()
        self.waits = 0
        self.wilds = 0
        self.wild_win = False
        self.wild_as: tuple[int, ...] = ()
        self.extra = NO_EXTRAS


def gather(hand: Hand, context: WinContext, rules: Ruleset) -> Facts:
    """Prepares a hand for scoring under `rules`.

    Raises HandError for what cannot be a hand (too few or too many tiles, five of a kind, a tile the set does not
    have, a winning tile that is not there) and ContextError for flags that do not exist.
    """
    facts = Facts(hand, context)
    size = len(hand.concealed) + 3 * facts.melds
    if size != rules.hand_size or "initial" in context.flags:
        _check_size(size, context, rules)
    try:
        counts = encode(hand.concealed if not context.wild else _without_wilds(facts, rules))
    except KeyError as error:
        raise HandError(f"{error.args[0]} is no playing tile; flowers go into flowers", "concealed") from None
    facts.codes = suits_of(counts)
    if facts.melds:
        counts = _add_melds(facts, counts)
    facts.counts = counts
    if five_of_a_kind(counts):
        raise HandError(_too_many(counts), "concealed")
    codes = suits_of(counts)
    facts.suits = (codes[0] > 0) | (codes[1] > 0) << 1 | (codes[2] > 0) << 2 | (codes[3] > 0) << 3
    if facts.suits & ~rules.suits:
        raise HandError(_foreign(codes, rules), "concealed")
    if hand.win_tile is not None:
        facts.win = _win_kind(facts)
    if hand.flowers:
        facts.flowers = _flower_mask(hand, rules)
        if context.wild:  # 花牌做百搭牌后不再具有花牌性质 [004]
            facts.flowers &= ~sum(_FLOWER_BIT[code] for code in set(wild_codes(context.wild)) & set(FLOWERS))
    if context.flags:
        facts.flags = _flag_mask(context) & rules.known_flags
    if facts.flowers == ALL_FLOWERS and context.self_draw:
        facts.flags |= rules.all_flowers_flag
    if context.extra:
        facts.extra = read_extras(context.extra, rules)
    return facts


def _add_melds(facts: Facts, counts: int) -> int:
    chows = []
    for meld in facts.hand.melds:
        weight, triplet, chow, exposed, kong, concealed = meld_facts(meld)
        counts += weight
        facts.exposed += exposed
        facts.kongs += kong
        facts.concealed_kongs += concealed
        if chow >= 0:
            chows.append(chow)
        elif facts.meld_triplets & triplet:
            raise HandError(_too_many(counts), "melds")
        else:
            facts.meld_triplets |= triplet
    facts.meld_chows = tuple(chows)
    return counts


def _check_size(size: int, context: WinContext, rules: Ruleset) -> None:
    """A winning hand has the ruleset's number of tiles; 起手胡 is shown on those dealt, one fewer but for the dealer.

    Raises HandError for another number.
    """
    dealt = "initial" in context.flags and rules.known_flags & FLAG_BIT["initial"] > 0
    wanted = rules.hand_size - (dealt and not context.dealer)
    if size != wanted and dealt:
        raise HandError(
            f"{size} tiles: dealt are {rules.hand_size} to the dealer, one fewer to the others", "concealed"
        )
    if size != wanted:
        raise HandError(_wrong_size(size, wanted), "concealed")


def wild_codes(wild: tuple[str, ...]) -> tuple[str, ...]:
    """The codes that are wildcards: those named, and of a flower its whole colour (春夏秋冬四张都作为百搭牌 [004])."""
    codes = dict.fromkeys(wild)
    for code in wild:
        if code in FLOWERS[:4]:
            codes |= dict.fromkeys(FLOWERS[:4])
        elif code in FLOWERS:
            codes |= dict.fromkeys(FLOWERS[4:])
    return tuple(codes)


def _without_wilds(facts: Facts, rules: Ruleset) -> list[str]:
    """The concealed tiles less the wildcards, which are counted. Raises HandError, ContextError for what cannot be."""
    most = rules.play.get("wilds", 0)
    if not most:
        raise ContextError(f"wild: {rules.name} is played without wildcards; leave it out", "wild")
    wild = wild_codes(tuple(check_code(code, "wild") for code in facts.context.wild))
    concealed = facts.hand.concealed
    rest = [code for code in concealed if code not in wild]
    facts.wilds = len(concealed) - len(rest)
    facts.wild_win = facts.hand.win_tile in wild
    held = [code for code in concealed if code in FLOWERS]
    if facts.wilds > most or len(set(held)) < len(held):
        raise HandError(f"{facts.wilds} wildcards: {most} are in play, each flower once", "concealed")
    return rest


def _wrong_size(size: int, wanted: int) -> str:
    word = "小相公 (too few)" if size < wanted else "大相公 (too many)"
    return (
        f"{size} tiles, {word}: a winning hand has {wanted}, the winning tile included and each meld counted as three; "
        "no kong's fourth tile, no flowers"
    )


def _too_many(counts: int) -> str:
    kinds = [KINDS[kind] for kind in range(34) if counts >> (6 * kind) & 63 > 4]
    return f"more than four {' and '.join(kinds)}: each tile exists four times"


def _foreign(codes: Codes, rules: Ruleset) -> str:
    kinds = [kind for suit in range(4) for kind in _kinds_of(suit, codes[suit]) if not rules.suits >> suit & 1]
    shown = " ".join(KINDS[kind] for kind in kinds)
    return f"{shown}: the {rules.name} set has none of these; it is played with {' '.join(rules.suit_letters)}"


def _kinds_of(suit: int, code: int) -> list[int]:
    return kinds_of_mask(sum(1 << (9 * suit + rank) for rank in range(9) if code >> (6 * rank) & 63))


def _win_kind(facts: Facts) -> int:
    tile = facts.hand.win_tile
    if tile is None or tile not in facts.hand.concealed:
        raise HandError(f"the winning tile {tile} is not among the concealed tiles; concealed includes it", "win_tile")
    return -1 if facts.wild_win else INDEX[tile]


def _flower_mask(hand: Hand, rules: Ruleset) -> int:
    if not rules.flowers:
        raise HandError(f"the {rules.name} set has no flowers", "flowers")
    mask = 0
    for code in hand.flowers:
        bit = _FLOWER_BIT[code]
        if mask & bit:
            raise HandError(f"flower {code} is there twice; each flower exists once", "flowers")
        mask |= bit
    return mask


def _flag_mask(context: WinContext) -> int:
    mask = 0
    for flag in context.flags:
        bit = FLAG_BIT.get(flag)
        if bit is None:
            raise ContextError(f"flag {flag!r} is unknown; {nearest(flag, FLAGS)}", "flags")
        mask |= bit
    return mask


def codes_before_win(facts: Facts) -> Codes:
    """The concealed tiles without the winning one, by suit; the hand must name one."""
    first, second, third, fourth = facts.codes
    suit, rank = divmod(facts.win, 9)
    unit = UNIT[rank]
    if suit == 0:
        return first - unit, second, third, fourth
    if suit == 1:
        return first, second - unit, third, fourth
    if suit == 2:
        return first, second, third - unit, fourth
    return first, second, third, fourth - unit
