"""The patterns of the Changsha text ([004 长沙麻将]): 小胡, 大胡, and the hands shown on the tiles dealt (起手胡)."""

from __future__ import annotations

from scoring.encoding import FOUR_BIT, count_of, kinds_in
from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.patterns.mainland import INITIAL, LAST_DISCARD, ONE_SUIT, OTHER_THAN_258, is_seven_pairs, only_258
from scoring.patterns.registry import Args, Options, ReadingPredicate, of_hand, of_reading, of_reading_with
from scoring.patterns.taiwan import HEAVENLY, KONG_REPLACEMENT, LAST_TILE
from scoring.reading import Reading
from scoring.shapes.special import TWO_FIVE_EIGHT

DICE_KONG = flag_mask("dice_kong")
DICE_DISCARD = flag_mask("kong_discard_dice")
_REPLACED = KONG_REPLACEMENT | DICE_KONG


def is_dealt(reading: Reading) -> bool:
    """Whether the tiles are read as dealt, no complete hand asked for."""
    return reading.shape == "dealt"


@of_reading("pair_of_258")
def pair_of_258(_facts: Facts, reading: Reading) -> int:
    """小胡: 2、5、8作将,其余成刻子或顺子."""
    return reading.shape == "standard" and reading.pair & TWO_FIVE_EIGHT > 0


@of_reading_with("all_258")
def all_258(options: Options, _args: Args) -> ReadingPredicate:
    """将将胡: 玩家手上每一张牌都为2、5、8,可碰; whether they must be sets or pairs besides is an option."""
    any_shape = options["jiangjiang_shape"] == "any"
    return lambda facts, reading: (
        only_258(facts) and not is_dealt(reading) and (any_shape or reading.shape != "only_258")
    )


@of_reading("one_suit_hand")
def one_suit_hand(facts: Facts, reading: Reading) -> int:
    """清一色: 乱将,有筒、索、万三种。任意一种可吃可碰."""
    return facts.suits in ONE_SUIT and not is_dealt(reading)


@of_reading("seven_pairs")
def seven_pairs(_facts: Facts, reading: Reading) -> int:
    """七小对: 手上任意七对牌."""
    return is_seven_pairs(reading)


@of_reading("heavenly_hand", needs="flags")
def heavenly_hand(facts: Facts, reading: Reading) -> int:
    """天胡: 单指庄家。庄家起牌后,即已经胡牌; the dealer's tiles as dealt that win are it, said or not."""
    return facts.flags & HEAVENLY > 0 or (facts.flags & INITIAL > 0 and not is_dealt(reading))


@of_hand("last_tile_drawn", needs="flags")
def last_tile_drawn(facts: Facts) -> int:
    """海底捞月: 海底胡牌,为大胡; 如果补张时只剩下海底,则补海底牌,此局则无海底牌."""
    return facts.self_draw and facts.flags & LAST_TILE > 0 and not facts.flags & _REPLACED


@of_hand("last_tile_of_another", needs="flags")
def last_tile_of_another(facts: Facts) -> int:
    """海底炮: 甲玩家要了海底,而又不能胡牌;乙玩家没有要得到海底,而又可以胡这张海底牌."""
    taken = facts.flags & (LAST_TILE | LAST_DISCARD) > 0
    return taken and not facts.self_draw and not facts.flags & DICE_DISCARD


@of_hand("dice_kong_bloom", needs="flags")
def dice_kong_bloom(facts: Facts) -> int:
    """杠上开花: 选择开杠掷骰子(听牌的情况下)… 一旦补张的牌能被开杠者胡则算大胡; without dice a plain 自摸."""
    return facts.self_draw and facts.flags & DICE_KONG > 0


@of_hand("dice_kong_discard", needs="flags")
def dice_kong_discard(facts: Facts) -> int:
    """杠上炮: 如果有其他玩家胡了打出的该补张牌则算杠上炮,属大胡."""
    return facts.flags & DICE_DISCARD > 0 and not facts.self_draw


@of_reading("dealt_four", needs="flags")
def dealt_four(facts: Facts, reading: Reading) -> int:
    """四喜: 起完牌后,玩家手上已有四张一样的牌."""
    return is_dealt(reading) and facts.counts & FOUR_BIT > 0


@of_reading("dealt_without_258", needs="flags")
def dealt_without_258(facts: Facts, reading: Reading) -> int:
    """板板胡: 起完牌后,玩家手上没有一张2、5、8."""
    return is_dealt(reading) and not facts.counts & ~OTHER_THAN_258


@of_reading("dealt_missing_suit", needs="flags")
def dealt_missing_suit(facts: Facts, reading: Reading) -> int:
    """缺一色: 起完牌后,玩家手上筒、索、万任缺一门."""
    return is_dealt(reading) and facts.suits != 7


@of_reading_with("dealt_two_triplets", needs="flags")
def dealt_two_triplets(options: Options, _args: Args) -> ReadingPredicate:
    """六六顺: 起完牌后,玩家手上已有2个刻子; whether four of a kind hold one is an option."""
    held = (3, 4) if options["liuliushun_quads"] else (3,)
    return lambda facts, reading: (
        is_dealt(reading) and sum(count_of(facts.counts, kind) in held for kind in kinds_in(facts.counts)) >= 2
    )
