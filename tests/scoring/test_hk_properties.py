"""What holds for every Hong Kong hand: order, suits, flowers, values, both shapes, zero sums."""

from __future__ import annotations

import random
from dataclasses import replace

from hands_hk import HongKongCase, make_hand

from scoring import Hand, Meld, Score, Stake, WinContext, load_ruleset, score_hand, settle
from scoring.carry import Carry, carry_win
from scoring.rulefile import packaged_table
from scoring.ruleset import Ruleset, build_ruleset

RULES = load_ruleset("hk-taiwan")
FLOWER_ITEMS = {"flower", "own_flower", "flower_set"}


def hand_of(made: HongKongCase) -> Hand:
    case = made.case
    melds = tuple(Meld(kind, tuple(tiles)) for kind, tiles in case.melds)
    return Hand(tuple(case.concealed), melds, tuple(case.flowers), case.win)


def context_of(made: HongKongCase) -> WinContext:
    case = made.case
    flags = frozenset(case.flags)
    return WinContext(case.drawn, case.seat, case.round, case.dealer, flags=flags, discards_count=made.discards)


def scored(made: HongKongCase, rules: Ruleset = RULES) -> Score:
    return score_hand(hand_of(made), context_of(made), rules)


def winning(seed: int, number: int) -> list[tuple[HongKongCase, Score]]:
    rng = random.Random(seed)
    found: list[tuple[HongKongCase, Score]] = []
    while len(found) < number:
        made = make_hand(rng)
        score = scored(made)
        if score.wins:
            found.append((made, score))
    return found


def counted(score: Score) -> dict[str, int]:
    return {item.key: item.value for item in score.items}


def test_order_changes_nothing() -> None:
    rng = random.Random(11)
    for made, score in winning(1, 400):
        hand = hand_of(made)
        concealed, melds, flowers = list(hand.concealed), list(hand.melds), list(hand.flowers)
        rng.shuffle(concealed)
        rng.shuffle(melds)
        rng.shuffle(flowers)
        other = Hand(tuple(concealed), tuple(melds), tuple(flowers), hand.win_tile)
        assert counted(score_hand(other, context_of(made), RULES)) == counted(score)


def test_suits_are_alike() -> None:
    swap = str.maketrans("mps", "smp")

    def turned(code: str) -> str:
        return code.translate(swap) if len(code) == 2 else code

    for made, score in winning(2, 300):
        case = made.case
        melds = [(kind, [turned(code) for code in tiles]) for kind, tiles in case.melds]
        other = replace(case, concealed=[*map(turned, case.concealed)], melds=melds, win=turned(case.win))
        again = scored(HongKongCase(other, made.discards))
        assert counted(again) == counted(score)
        assert again.total == score.total


def test_one_more_flower_changes_only_flower_items() -> None:
    for made, score in winning(3, 400):
        case = made.case
        if not 0 < len(case.flowers) < 7 or "heavenly" in case.flags:
            continue
        for flower in ("f1", "f6", "f8"):
            if flower not in case.flowers:
                more = HongKongCase(replace(case, flowers=[*case.flowers, flower]), made.discards)
                before, after = counted(score), counted(scored(more))
                different = {key for key in before | after if before.get(key) != after.get(key)}
                assert different <= FLOWER_ITEMS


def test_the_first_flower_takes_only_what_asks_for_none() -> None:
    """無花, 無字無花 and 無字無花大平糊 end; what they stood for comes back, or another reading is better now."""
    for made, score in winning(4, 400):
        if made.case.flowers or made.case.flags & {"heavenly"}:
            continue
        more = HongKongCase(replace(made.case, flowers=["f1"]), made.discards)
        lost = sum(score.value_of(key) for key in ("no_flowers", "no_honours_no_flowers", "big_only_chows"))
        assert score.total - lost <= scored(more).total


def test_raising_a_value_never_lowers_a_total() -> None:
    hands = winning(5, 60)
    for item in RULES.items:
        table = packaged_table("hk-taiwan")
        table["items"] = [_raised(row, item.value + 3) if row["key"] == item.key else row for row in table["items"]]
        higher = build_ruleset(table, {})
        for made, score in hands:
            total = scored(made, higher).total
            assert total >= score.total
            assert total > score.total or not score.has(item.key)


def _raised(row: dict[str, object], value: int) -> dict[str, object]:
    return {key: old for key, old in row.items() if key != "value_option"} | {"value": value}


def test_the_best_reading_is_the_highest_and_its_items_add_up() -> None:
    for _, score in winning(6, 300):
        assert all(total <= score.total for _, total in score.alternatives)
        assert sum(item.value for item in score.items) == score.total


def test_both_shapes_count_for_no_less_than_one() -> None:
    both = load_ruleset("hk-taiwan", {"one_tile_two_shapes": True})
    more = 0
    for made, score in winning(7, 600):
        two = scored(made, both)
        assert two.total >= score.total
        assert sum(item.value for item in two.items) == two.total
        assert len({item.key for item in two.items}) == len(two.items)
        more += two.second_split is not None
    assert more > 3


def test_a_capped_total_never_passes_its_cap() -> None:
    capped = load_ruleset("hk-taiwan", {"cap": 40})
    for made, score in winning(8, 300):
        assert scored(made, capped).total == min(40, score.total)


def test_payments_and_debts_sum_to_zero() -> None:
    rng = random.Random(9)
    state, stake = Carry(), Stake(10, 1)
    for made, score in winning(9, 300):
        winner = rng.randrange(4)
        others = [player for player in range(4) if player != winner]
        dealer = winner if made.case.dealer else rng.choice(others)
        win = settle(
            score, winner=winner, loser=None if made.case.drawn else rng.choice(others), dealer=dealer, stake=stake
        )
        assert sum(win.payments) == 0
        for line in win.lines:
            items = 1 if dealer in (winner, line.payer) else 0
            assert line.tai == score.total + items
            assert line.amount == 10 + line.tai == sum(part.amount for part in line.parts)
        step = carry_win(state, win, RULES, stake)
        state = step.state
        assert sum(step.payments) == 0
