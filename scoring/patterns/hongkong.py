"""The patterns of the Hong Kong 16-tile text ([001]) that it does not share with the Taiwanese ones.

Combinations of several sets (dragons, sisters, old-and-young, four of a kind …) are in hongkong_sets. Values, and which
item stands for which, are in the ruleset file; patterns say only what is there, so that a lower item is present beside
a higher one.
"""

from __future__ import annotations

from scoring.encoding import BITS, DRAGON_MASK, WIND_MASK
from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.patterns.registry import (
    Args,
    HandPredicate,
    Options,
    ReadingPredicate,
    of_hand,
    of_hand_with,
    of_reading,
    of_reading_with,
)
from scoring.patterns.taiwan import (
    EARTHLY,
    FLOWER_REPLACEMENT,
    HEAVENLY,
    KONG_REPLACEMENT,
    PLANTS,
    SEASONS,
    SEAT_FLOWERS,
    all_pungs,
    concealed_triplets,
)
from scoring.reading import Reading
from scoring.shapes.kept import ORPHANS
from scoring.shapes.suits import CLOSED, EDGE, PAIR, TRIPLET, TWO_SIDED
from scoring.tiles import INDEX

KONG_KONG = flag_mask("kong_kong", "kong_kong_kong")
ROB_ANY = flag_mask("rob_kong", "rob_concealed_kong")
REPLACED = KONG_REPLACEMENT | KONG_KONG | FLOWER_REPLACEMENT
ORPHAN_MASK = sum(1 << kind for kind in ORPHANS)
TWO_FIVE_EIGHT = sum(1 << INDEX[f"{rank}{suit}"] for suit in "mps" for rank in (2, 5, 8))

_ORPHAN_TILES = sum(63 << (BITS * kind) for kind in ORPHANS)
_OTHER_TILES = sum(63 << (BITS * kind) for kind in range(34) if kind not in ORPHANS)


# --- flowers and how the hand was won --------------------------------------------------------------------------------


def single_flowers(facts: Facts, options: Options) -> int:
    """The flowers that count one by one: all, less full colours where 一台花 replaces its four."""
    return _free_flowers(facts) if options["yi_tai_hua_replaces"] else facts.flowers


def _free_flowers(facts: Facts) -> int:
    flowers = facts.flowers
    for colour in (SEASONS, PLANTS):
        if flowers & colour == colour:
            flowers &= ~colour
    return flowers


@of_hand_with("flower", needs="flowers")
def flower(options: Options, _args: Args) -> HandPredicate:
    """花: 每隻花一番 [001]."""
    return lambda facts: single_flowers(facts, options).bit_count()


@of_hand_with("own_flower", needs="flowers")
def own_flower(options: Options, _args: Args) -> HandPredicate:
    """正位花: 正位多加1番 [001]."""
    own = SEAT_FLOWERS[options["flower_order"]]
    return lambda facts: (single_flowers(facts, options) & own[facts.flower_seat]).bit_count()


@of_hand("flower_in_set", needs="flowers")
def flower_in_set(facts: Facts) -> int:
    """The flowers of full colours, which 一台花 stands for."""
    return (facts.flowers & ~_free_flowers(facts)).bit_count()


@of_hand_with("own_flower_in_set", needs="flowers")
def own_flower_in_set(options: Options, _args: Args) -> HandPredicate:
    """正位花 of full colours, which 一台花 stands for."""
    own = SEAT_FLOWERS[options["flower_order"]]
    return lambda facts: (facts.flowers & ~_free_flowers(facts) & own[facts.flower_seat]).bit_count()


@of_hand("no_flowers")
def no_flowers(facts: Facts) -> int:
    """無花 [001]."""
    return not facts.flowers


@of_hand("heavenly_as_dealt", needs="flags")
def heavenly_as_dealt(facts: Facts) -> int:
    """天糊 [001]."""
    return as_dealt(facts)


@of_hand_with("earthly_as_dealt", needs="flags")
def earthly_as_dealt(options: Options, _args: Args) -> HandPredicate:
    """地糊 [001], not defined there; a win on a replacement is none, as for 天糊."""
    by_ron = options["earthly_by_ron"]
    return lambda facts: facts.flags & EARTHLY > 0 and not facts.flags & REPLACED and (by_ron or facts.self_draw)


@of_hand_with("within_discards")
def within_discards(options: Options, args: Args) -> HandPredicate:
    """三子內, 七子內, 十子內: 三隻內食糊 [001]. `args.number` discards; which are counted is an option."""
    number: int = args["number"]
    before = options["discard_count_scope"] == "table_before"

    def count(facts: Facts) -> int:
        discards = facts.context.discards_count
        if discards is None:
            return False
        return int(discards - (before and not facts.self_draw) <= number)

    return count


@of_hand("kong_draw", needs="flags")
def kong_draw(facts: Facts) -> int:
    """槓上自摸: 摃上自摸 … 加1番 [001]."""
    return facts.self_draw and facts.flags & (KONG_REPLACEMENT | KONG_KONG) > 0


@of_hand_with("kongs_in_a_row", needs="flags")
def kongs_in_a_row(_options: Options, args: Args) -> HandPredicate:
    """槓上槓, 槓上槓又槓: 補摃再補摃再自摸 [001]; `args.flag` says which."""
    flag = flag_mask(args["flag"])
    return lambda facts: facts.self_draw and facts.flags & flag > 0


@of_hand("flower_draw", needs="flags")
def flower_draw(facts: Facts) -> int:
    """捕花槓 [001]: a win on a flower's replacement."""
    return facts.self_draw and facts.flags & FLOWER_REPLACEMENT > 0


@of_hand("robbed_any_kong", needs="flags")
def robbed_any_kong(facts: Facts) -> int:
    """搶槓: 當出牌者出沖 [001]; a concealed kong where the option lets 十三么 rob it."""
    return facts.flags & ROB_ANY > 0


@of_hand("exposed_kong")
def exposed_kong(facts: Facts) -> int:
    """明槓 1 each [001]."""
    return facts.kongs - facts.concealed_kongs


@of_hand("concealed_kong")
def concealed_kong(facts: Facts) -> int:
    """暗槓: 食胡計2番 each [001]."""
    return facts.concealed_kongs


# --- the kinds of tiles ----------------------------------------------------------------------------------------------


@of_hand("no_honours")
def no_honours(facts: Facts) -> int:
    """無字 [001]."""
    return not facts.suits & 8


@of_hand("no_honours_no_flowers")
def no_honours_no_flowers(facts: Facts) -> int:
    """無字無花, printed 無花無花 [001]."""
    return not facts.suits & 8 and not facts.flowers


@of_hand("two_suits")
def two_suits(facts: Facts) -> int:
    """缺一門: 無番子,只由筒、索、萬其中兩種花色組成 [001]."""
    return facts.suits in (3, 5, 6)


@of_hand("no_orphans")
def no_orphans(facts: Facts) -> int:
    """斷么九 [001]: no 1, no 9, no honours."""
    return not facts.counts & _ORPHAN_TILES


@of_reading_with("orphan_tiles")
def orphan_tiles(options: Options, args: Args) -> ReadingPredicate:
    """花么九 and 全么九 [001], undefined there; `args.pure` asks for 全么九.

    mixed_and_pure: every tile 1, 9 or honour, 花么九 with both, 全么九 without honours. outside_and_orphans, as
    十三么 (全么九) has honours: 全么九 is every tile 1, 9 or honour, 花么九 such a tile in every set and the pair.
    """
    pure = args.get("pure", False)
    if options["hk_yaojiu"] == "mixed_and_pure":
        return lambda facts, _reading: (
            not facts.counts & _OTHER_TILES and facts.suits & 7 > 0 and facts.suits & 8 == (0 if pure else 8)
        )
    if pure:
        return lambda facts, _reading: not facts.counts & _OTHER_TILES and facts.suits & 7 > 0
    return _outside


def _outside(facts: Facts, reading: Reading) -> int:
    """Whether every set and the pair hold a 1, 9 or honour, with at least one chow among them."""
    chows = facts.meld_chows + reading.hand_chows
    if reading.shape != "standard" or not chows or (reading.triplets | reading.pair) & ~ORPHAN_MASK:
        return False
    return all(first % 9 in (0, 6) for first in chows)


@of_reading("five_kinds", needs="honours")
def five_kinds(facts: Facts, reading: Reading) -> int:
    """大五門齊: 由筒、索、萬、風牌及三元組成,每種花色均有一簡 [001]."""
    return reading.shape == "standard" and _kinds_of_sets(facts, reading) == 31


@of_reading("five_kinds_with_pair", needs="honours")
def five_kinds_with_pair(facts: Facts, reading: Reading) -> int:
    """小五門齊: 由筒、索、萬、風牌及三元組成,其一花色只有一對 [001]."""
    if reading.shape != "standard":
        return False
    sets = _kinds_of_sets(facts, reading)
    return sets != 31 and sets | _kinds_of_mask(reading.pair) == 31


def _kinds_of_sets(facts: Facts, reading: Reading) -> int:
    """Bits of what the sets are of: three suits, winds, dragons."""
    bits = _kinds_of_mask(reading.triplets)
    for first in facts.meld_chows + reading.hand_chows:
        bits |= 1 << first // 9
    return bits


def _kinds_of_mask(mask: int) -> int:
    bits = sum(1 << suit for suit in range(3) if mask >> (9 * suit) & 511)
    return bits | (mask & WIND_MASK > 0) << 3 | (mask & DRAGON_MASK > 0) << 4


@of_reading_with("honour_triplet", needs="honours")
def honour_triplet(_options: Options, args: Args) -> ReadingPredicate:
    """番子 [001], where 各多加1番 is read as 1 for any honour triplet and 1 more for 中發白, 正圈, 正位."""
    mask = {"winds": WIND_MASK, "dragons": DRAGON_MASK}[args["of"]]
    return lambda _facts, reading: (reading.triplets & mask).bit_count()


@of_reading("two_winds_and_pair", needs="honours")
def two_winds_and_pair(_facts: Facts, reading: Reading) -> int:
    """小三風: 牌面有兩簡風牌碰牌,以及一對風牌 [001]."""
    return reading.pair & WIND_MASK > 0 and (reading.triplets & WIND_MASK).bit_count() == 2


@of_reading("three_winds", needs="honours")
def three_winds(_facts: Facts, reading: Reading) -> int:
    """大三風: 牌面有三簡風牌碰牌 [001]."""
    return (reading.triplets & WIND_MASK).bit_count() >= 3


# --- the shape -------------------------------------------------------------------------------------------------------


@of_reading("two_five_eight_pair")
def two_five_eight_pair(_facts: Facts, reading: Reading) -> int:
    """將眼: 二五八眼 [001]."""
    return reading.shape == "standard" and reading.pair & TWO_FIVE_EIGHT > 0


@of_reading_with("only_wait")
def only_wait(options: Options, _args: Args) -> ReadingPredicate:
    """獨獨: 單叫,偏章,卡窿 [001]: one kind alone completes the hand; by option the shape of the last set tells."""
    if options["single_wait_definition"] == "by_shape":
        return lambda facts, reading: _waiting(facts) > 0 and reading.place in (PAIR, CLOSED, EDGE)
    return lambda facts, _reading: _waiting(facts).bit_count() == 1


@of_reading("false_single_wait")
def false_single_wait(facts: Facts, reading: Reading) -> int:
    """假獨: 糊牌似是單釣,而實際上並非單釣 [001]."""
    return reading.shape == "standard" and reading.place == PAIR and _waiting(facts).bit_count() > 1


@of_reading("double_pair_wait")
def double_pair_wait(facts: Facts, reading: Reading) -> int:
    """對碰 [001]: the winning tile makes one of two pairs waited for a triplet."""
    return reading.shape == "standard" and reading.place == TRIPLET and _waiting(facts) & reading.pair > 0


def _waiting(facts: Facts) -> int:
    """The waits; none for a hand complete as dealt."""
    return 0 if as_dealt(facts) else facts.waits


def as_dealt(facts: Facts) -> bool:
    """Whether the dealer's own tiles were complete: 開牌補牌食胡,如:開槓自摩,補花食胡,都唔算天胡 [001].

    Whoever holds a flower or a kong had it replaced.
    """
    return facts.flags & HEAVENLY > 0 and not (facts.flags & REPLACED or facts.flowers or facts.kongs)


@of_reading_with("only_chows")
def only_chows(options: Options, _args: Args) -> ReadingPredicate:
    """平糊 [001]: five chows; honours, flowers, a single wait (the text's example has 卡窿) and 自摸 do not bar it."""
    wait, self_drawn = options["ping_wait"], options["ping_self_draw"]

    def count(facts: Facts, reading: Reading) -> int:
        if reading.triplets or reading.shape != "standard" or (facts.self_draw and not self_drawn):
            return False
        if wait == "two_sided":
            return reading.place == TWO_SIDED
        return wait == "any" or facts.waits.bit_count() != 1

    return count


@of_reading_with("big_only_chows")
def big_only_chows(options: Options, args: Args) -> ReadingPredicate:
    """無字無花大平糊 [001]: 平糊 without honours and flowers."""
    plain = only_chows(options, args)
    return lambda facts, reading: not facts.suits & 8 and not facts.flowers and plain(facts, reading)


@of_reading("all_honour_pungs", needs="honours")
def all_honour_pungs(facts: Facts, reading: Reading) -> int:
    """全字對對糊 [001]."""
    return facts.suits == 8 and all_pungs(facts, reading)


@of_reading_with("at_least_concealed")
def at_least_concealed(options: Options, args: Args) -> ReadingPredicate:
    """兩暗簡 … 五暗簡 [001]: at least `args.number` concealed triplets, kongs among them (開摃算唔算暗簡? 我地都算)."""
    number = args["number"]
    if options["anjian_triplets_only"]:
        return lambda facts, reading: concealed_triplets(facts, reading) >= number
    return lambda facts, reading: (
        concealed_triplets(facts, reading) + len(concealed_chows(facts, reading, discard_opens=True)) >= number
    )


@of_reading_with("five_concealed_no_kong")
def five_concealed_no_kong(options: Options, _args: Args) -> ReadingPredicate:
    """簡簡糊: 不得開槓 [001]; five concealed triplets."""
    drawn_only = options["hk_kankan_self_draw"]
    return lambda facts, reading: (
        not facts.kongs and concealed_triplets(facts, reading) == 5 and (facts.self_draw or not drawn_only)
    )


def concealed_chows(facts: Facts, reading: Reading, *, discard_opens: bool) -> tuple[int, ...]:
    """First kinds of the chows made without another's tile; one that a discard finished is open if `discard_opens`."""
    if facts.self_draw or not discard_opens or reading.place <= TRIPLET:
        return reading.hand_chows
    chows = list(reading.hand_chows)
    chows.remove(reading.place_kind)
    return tuple(chows)


# --- special shapes --------------------------------------------------------------------------------------------------


@of_reading("ligu_eight_ways")
def ligu_eight_ways(_facts: Facts, reading: Reading) -> int:
    """哩咕哩咕叫八飛 [001]: eight different pairs before the win, so the winning tile made the triplet."""
    return reading.shape == "ligu" and reading.place == TRIPLET and not reading.quads


@of_reading_with("ligu_quads")
def ligu_quads(_options: Options, args: Args) -> ReadingPredicate:
    """哩咕哩咕(內有一款四隻), (內有兩款四隻) [001]: four equal tiles as two pairs, `args.number` times or more."""
    number = args["number"]
    return lambda _facts, reading: reading.shape == "ligu" and reading.quads.bit_count() >= number


@of_reading("orphans")
def orphans(_facts: Facts, reading: Reading) -> int:
    """十三么: 十三么加一簡,只可門清 [001]; the set may be a concealed kong, which leaves 門清 as it is."""
    return reading.shape in ("orphans_set", "orphans")


@of_reading("orphans_of_orphans")
def orphans_of_orphans(_facts: Facts, reading: Reading) -> int:
    """十三么(全么九) [001]: the set is of orphan tiles too."""
    return reading.shape == "orphans_set" and reading.hand_triplets & ORPHAN_MASK > 0


@of_reading("unconnected")
def unconnected(_facts: Facts, reading: Reading) -> int:
    """十六不搭 [001]."""
    return reading.shape == "unconnected"
