"""The patterns of the Taiwanese 16-tile texts ([000], [002], [003]). Values and exclusions are in the ruleset files."""

from __future__ import annotations

from scoring.encoding import DRAGON_MASK, WIND_MASK
from scoring.facts import ALL_FLOWERS, Facts
from scoring.flags import FLAGS, flag_mask
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
from scoring.reading import Reading
from scoring.shapes.suits import CLOSED, EDGE, PAIR, TRIPLET, TWO_SIDED
from scoring.tiles import INDEX

LAST_TILE = flag_mask("last_tile")
LAST_TILE_DISCARD = flag_mask("last_tile_discard")
ROB_KONG = flag_mask("rob_kong")
KONG_REPLACEMENT = flag_mask("kong_replacement", "kong_replacement_open", "kong_replacement_added")
FLOWER_REPLACEMENT = flag_mask("flower_replacement")
HEAVENLY = flag_mask("heavenly")
EARTHLY = flag_mask("earthly")
HUMAN = flag_mask("human")
FIRST_DRAW = flag_mask("first_draw")
FIRST_GO_AROUND = flag_mask("first_draw", "first_go_around")
FLOWER_WIN = flag_mask("flower_win", "eight_flowers")  # two names of one fact; a ruleset knows the one it uses
ROB_FLOWER = flag_mask("rob_flower")
ROB_FLOWER_MODE2 = flag_mask("rob_flower_mode2")
ANY_FLOWER_WIN = FLOWER_WIN | ROB_FLOWER | ROB_FLOWER_MODE2
UNLOCKED_AND_PASSED = flag_mask("not_locked", "passed_win_earlier")

SEASONS, PLANTS = 0b1111, 0b1111 << 4
SEAT_FLOWERS: dict[str, tuple[int, ...]] = {
    "chrysanthemum-3": tuple(0b10001 << seat for seat in range(4)),
    "bamboo-3": (0b10001, 0b100010, 0b10000100, 0b1001000),
}
"""Masks of a seat's own flowers (0: east) for each value of the option flower_order."""


# --- the hand as a whole -------------------------------------------------------------------------------------------


@of_hand_with("concealed_hand")
def concealed_hand(options: Options, _args: Args) -> HandPredicate:
    """門清: 无吃、碰、明杠,允许暗杠 [000 item 3]; [003] 沒有吃、碰、開槓."""
    if options["menqing_concealed_kong"]:
        return lambda facts: facts.exposed == 0
    return lambda facts: facts.melds == 0


@of_hand_with("unaided")
def unaided(options: Options, args: Args) -> HandPredicate:
    """不求: 无吃.碰.明杠,并自摸 [000 item 4]."""
    concealed = concealed_hand(options, args)
    return lambda facts: facts.self_draw and concealed(facts)


@of_hand_with("all_begged")
def all_begged(options: Options, _args: Args) -> HandPredicate:
    """全求: 手牌皆已吃碰外露,仅剩一牌单钓和铳 [000 item 5]."""
    allowed = options["quanqiu_concealed_kong"]
    return lambda facts: (
        len(facts.hand.concealed) == 2 and not facts.self_draw and (allowed or not facts.concealed_kongs)
    )


@of_hand_with("half_begged")
def half_begged(options: Options, _args: Args) -> HandPredicate:
    """半求: 暗牌剩1张并自摸 [000 item 6]."""
    allowed = options["quanqiu_concealed_kong"]
    return lambda facts: len(facts.hand.concealed) == 2 and facts.self_draw and (allowed or not facts.concealed_kongs)


@of_hand("robbed_kong", needs="flags")
def robbed_kong(facts: Facts) -> int:
    """搶槓: 他人加杠已碰之刻子恰为本家成和 [000 item 12]."""
    return facts.flags & ROB_KONG > 0


@of_hand("last_draw", needs="flags")
def last_draw(facts: Facts) -> int:
    """海底撈月: 摸海底牌而成和 [000 item 25]; the last discard has no item."""
    return facts.self_draw and facts.flags & LAST_TILE > 0


@of_hand("all_honours", needs="honours")
def all_honours(facts: Facts) -> int:
    """字一色: 全为字牌 [000 item 13]."""
    return facts.suits == 8


@of_hand("one_suit")
def one_suit(facts: Facts) -> int:
    """清一色: 全为一种花色且无字牌 [000 item 14]."""
    return facts.suits in (1, 2, 4)


@of_hand("half_flush", needs="honours")
def half_flush(facts: Facts) -> int:
    """湊一色: 除字牌外全为一种花色 [000 item 15]."""
    return facts.suits in (9, 10, 12)


@of_hand_with("seat_flower", needs="flowers")
def seat_flower(options: Options, _args: Args) -> HandPredicate:
    """花牌: 合开门序1台,持同色花杠改计2台 [000 item 26]; whether instead of it is an option."""
    own = SEAT_FLOWERS[options["flower_order"]]
    replaced = options["flower_kong_replaces_seat_flower"]

    def count(facts: Facts) -> int:
        flowers = facts.flowers
        if replaced:
            if flowers & SEASONS == SEASONS:
                flowers &= ~SEASONS
            if flowers & PLANTS == PLANTS:
                flowers &= ~PLANTS
        return (flowers & own[facts.flower_seat]).bit_count()

    return count


@of_hand("flower_set", needs="flowers")
def flower_set(facts: Facts) -> int:
    """花槓: 持同色花杠改计2台 [000 item 26]; a colour each."""
    flowers = facts.flowers
    return (flowers & SEASONS == SEASONS) + (flowers & PLANTS == PLANTS)


@of_hand("all_flowers", needs="flowers")
def all_flowers(facts: Facts) -> int:
    """滿花: 持满花(8花牌)改计8台 [000 item 26]."""
    return facts.flowers == ALL_FLOWERS


@of_hand("eight_flowers", needs="flags")
def eight_flowers(facts: Facts) -> int:
    """八仙過海: 取得全部8张花牌时,应补牌并和牌 [000 item 29]."""
    return facts.flags & FLOWER_WIN > 0


@of_hand_with("ready_initial", needs="flags")
def ready_initial(options: Options, _args: Args) -> HandPredicate:
    """天聽: 闲家配牌补花後即宣布听牌 [000 item 31], while it stands."""
    return _declared("ready_initial", options)


@of_hand_with("ready_first_discard", needs="flags")
def ready_first_discard(options: Options, _args: Args) -> HandPredicate:
    """地聽: 打出第1张牌即宣布听牌,本身须门清 [000 item 32], while it stands."""
    return _declared("ready_first_discard", options)


def _declared(flag: str, options: Options) -> HandPredicate:
    """不换牌 [000 item 31] means no claimed set; 如未眼牌,和牌後如发现曾过水未和,不计 … 和牌仍有效."""
    declared, void = flag_mask(flag), flag_mask(f"{flag}_void")
    lost = UNLOCKED_AND_PASSED if options["unlocked_ready_passed_win"] else 1 << len(FLAGS)

    def count(facts: Facts) -> int:
        flags = facts.flags
        return flags & declared > 0 and not flags & void and not facts.exposed and flags & lost != lost

    return count


@of_hand("heavenly", needs="flags")
def heavenly(facts: Facts) -> int:
    """天和: 庄家于配牌补花後即和牌 [000 item 33]."""
    return facts.flags & HEAVENLY > 0


@of_hand_with("earthly", needs="flags")
def earthly(options: Options, args: Args) -> HandPredicate:
    """地和: 闲家起牌天听摸第1张牌自摸,或和各家打出其第一张牌 [000 item 34]; [003] 第二輪(前八張牌)摸牌即胡牌.

    A non-dealer who wins on the first draw without a set was ready as dealt, so that fact alone is enough; where the
    item's args say `first_go_around`, any draw of the first go-around is.
    """
    by_ron = options["earthly_by_ron"]
    early = FIRST_GO_AROUND if args.get("first_go_around") else FIRST_DRAW

    def count(facts: Facts) -> int:
        flags = facts.flags
        if flags & EARTHLY:
            return by_ron or facts.self_draw
        return flags & early > 0 and facts.self_draw and not facts.melds and not facts.context.dealer

    return count


@of_hand("human", needs="flags")
def human(facts: Facts) -> int:
    """人和: 宣告地听後 … 和各家打出宣告後第一张牌或摸次1张牌自摸 [000 item 35]."""
    return facts.flags & HUMAN > 0 and not facts.exposed


@of_hand("always")
def always(_facts: Facts) -> int:
    """For items whose data alone say when they count, such as 屁胡: 無任何台型胡牌 [003]."""
    return 1


# --- one reading of the tiles ----------------------------------------------------------------------------------------


@of_reading_with("self_draw")
def self_draw(options: Options, _args: Args) -> ReadingPredicate:
    """自摸: 和牌之牌张自己摸得 [000 item 23]; for eight flowers alone only where the option says so [003 八仙過海]."""
    bare = options["eight_flowers_counts_zimo"]
    return lambda facts, reading: (
        bare if reading.shape == "eight_flowers" else facts.self_draw and reading.shape != "rob_flower"
    )


@of_reading("rob_flower", needs="flags")
def rob_flower(facts: Facts, reading: Reading) -> int:
    """七搶一 [002 item 30]. With six of one's own and a complete hand it is charged to the robbed player alone."""
    flags = facts.flags
    return flags & ROB_FLOWER > 0 or (flags & ROB_FLOWER_MODE2 > 0 and reading.shape == "rob_flower")


@of_reading("seat_wind", needs="honours")
def seat_wind(facts: Facts, reading: Reading) -> int:
    """風字刻(開門): 东南西北任一刻,合开门序1台 [000 item 1]."""
    return reading.triplets >> facts.seat & 1


@of_reading("round_wind", needs="honours")
def round_wind(facts: Facts, reading: Reading) -> int:
    """風字刻(圈): 合圈序1台 [000 item 1]."""
    return reading.triplets >> facts.round & 1


@of_reading_with("double_wind", needs="honours")
def double_wind(_options: Options, args: Args) -> ReadingPredicate:
    """東風東 …: 當圈風與門風都成立時 … 算2台 [003]; one item a wind, `args.wind`, because each has its own name."""
    kind = INDEX[args["wind"]]
    return lambda facts, reading: facts.seat == facts.round == kind and reading.triplets >> kind & 1


@of_reading("dragon", needs="honours")
def dragon(_facts: Facts, reading: Reading) -> int:
    """箭字刻: 中发白任一刻,各计1台 [000 item 2]."""
    return (reading.triplets & DRAGON_MASK).bit_count()


@of_reading("dragon_round", needs="honours")
def dragon_round(facts: Facts, reading: Reading) -> int:
    """箭字刻 … 合圈序加1台 [000 items 2, 21, 22], where a group reads it as a bonus on the round wind's triplet."""
    return reading.triplets & DRAGON_MASK > 0 and reading.triplets >> facts.round & 1


@of_reading_with("all_chows")
def all_chows(options: Options, _args: Args) -> ReadingPredicate:
    """平和: 有将、无花、无字、无刻、非独听、非自摸 [000 item 7]; [003] 必為兩面聽."""
    wait, self_drawn = options["ping_wait"], options["ping_self_draw"]

    def count(facts: Facts, reading: Reading) -> int:
        if reading.triplets or facts.suits & 8 or facts.flowers or reading.shape != "standard":
            return 0
        if facts.self_draw and not self_drawn:
            return 0
        if wait == "two_sided":
            return reading.place == TWO_SIDED
        if wait == "two_sided_only":
            return _only_two_sided(facts, reading)
        return wait == "any" or facts.waits.bit_count() != 1

    return count


def _only_two_sided(facts: Facts, reading: Reading) -> bool:
    """Whether the winning tile could not also be read as the pair's, or as the edge or middle of a chow beside it."""
    win = facts.win
    if reading.place != TWO_SIDED or reading.pair >> win & 1:
        return False
    rank = win % 9
    return all(
        win - first not in _SINGLE_AT.get(rank, (1,)) for first in reading.hand_chows if first <= win <= first + 2
    )


_SINGLE_AT = {2: (1, 2), 6: (0, 1)}
"""By rank of the winning tile: its places in a chow that are a middle or an edge wait (12 for 3, 89 for 7)."""


@of_reading("all_pungs")
def all_pungs(facts: Facts, reading: Reading) -> int:
    """對對和: 除将牌外全为刻子 [000 item 8]."""
    return not reading.hand_chows and not facts.meld_chows and reading.shape == "standard"


def concealed_triplets(facts: Facts, reading: Reading) -> int:
    """配得或摸得之刻子(包含暗杠) [000 item 16]: a triplet finished by a discard does not count."""
    finished_by_discard = reading.place == TRIPLET and not facts.self_draw
    return reading.hand_triplets.bit_count() - finished_by_discard + facts.concealed_kongs


@of_reading_with("concealed_triplets")
def exactly_concealed(_options: Options, args: Args) -> ReadingPredicate:
    """三暗刻, 四暗刻, 五暗刻 [000 items 16-18]: exactly `args.number` concealed triplets."""
    number = args["number"]
    return lambda facts, reading: concealed_triplets(facts, reading) == number


@of_reading("big_winds", needs="honours")
def big_winds(_facts: Facts, reading: Reading) -> int:
    """大四喜: 东南西北四刻全齐 [000 item 19]."""
    return reading.triplets & WIND_MASK == WIND_MASK


@of_reading("small_winds", needs="honours")
def small_winds(_facts: Facts, reading: Reading) -> int:
    """小四喜: 东南西北组成之刻子与将牌 [000 item 20]."""
    return reading.pair & WIND_MASK > 0 and (reading.triplets | reading.pair) & WIND_MASK == WIND_MASK


@of_reading("big_dragons", needs="honours")
def big_dragons(_facts: Facts, reading: Reading) -> int:
    """大三元: 中发白三刻全齐 [000 item 21]."""
    return reading.triplets & DRAGON_MASK == DRAGON_MASK


@of_reading("small_dragons", needs="honours")
def small_dragons(_facts: Facts, reading: Reading) -> int:
    """小三元: 中发白组成之刻子与将牌 [000 item 22]."""
    return reading.pair & DRAGON_MASK > 0 and (reading.triplets | reading.pair) & DRAGON_MASK == DRAGON_MASK


@of_reading("all_honours_overlap", needs="honours")
def all_honours_overlap(facts: Facts, reading: Reading) -> int:
    """字一色: 如包含大/小四喜或大/小三元应累计台数后减除4台 [000 item 13], once."""
    return facts.suits == 8 and any(
        pattern(facts, reading) for pattern in (big_winds, small_winds, big_dragons, small_dragons)
    )


@of_reading("ligu")
def ligu(_facts: Facts, reading: Reading) -> int:
    """嚦咕嚦咕: 由七个对子与一个刻子组成必须门清 [000 item 36]."""
    return reading.shape == "ligu"


@of_reading_with("kong_bloom", needs="flags")
def kong_bloom(options: Options, _args: Args) -> ReadingPredicate:
    """槓上開花: 於杠尾补牌而成和 [000 item 24]; items 29 and 30 name a completing flower-win replacement so too."""
    flags = KONG_REPLACEMENT | (FLOWER_REPLACEMENT if options["flower_replacement_is_kong_win"] else 0)
    flags |= ANY_FLOWER_WIN
    return lambda facts, _reading: facts.self_draw and facts.flags & flags > 0


def _waits_for_one(facts: Facts, reading: Reading, by_shape: bool) -> bool:
    """Whether the wait was single: one kind only or, by shape, a set that only this tile could fill."""
    if facts.flags & HEAVENLY or facts.win < 0:
        return False
    return reading.place in (PAIR, CLOSED, EDGE) if by_shape else facts.waits.bit_count() == 1


@of_reading_with("single_wait")
def single_wait(options: Options, args: Args) -> ReadingPredicate:
    """獨聽: 只听一洞 [000 item 11]. `args.place` (pair, closed, edge) asks for that last set, as [003] names it."""
    by_shape = options["single_wait_definition"] == "by_shape"
    place = {"pair": PAIR, "closed": CLOSED, "edge": EDGE}.get(args.get("place", ""))
    if place is None:
        return lambda facts, reading: _waits_for_one(facts, reading, by_shape)
    return lambda facts, reading: reading.place == place and _waits_for_one(facts, reading, by_shape)
