"""The engine and an independent slow scorer agree on 20,000 random hands of the Hong Kong ruleset."""

from __future__ import annotations

import random

import pytest
from hands_hk import HongKongCase, make_hand
from oracle_hk import best, completes, dealt_complete, waits

from scoring import Hand, Meld, Score, WinContext, load_ruleset, score_hand

SEEDS = range(20)
HANDS_A_SEED = 1000


def engine(made: HongKongCase, **options: object) -> Score:
    case = made.case
    melds = tuple(Meld(kind, tuple(tiles)) for kind, tiles in case.melds)
    hand = Hand(tuple(case.concealed), melds, tuple(case.flowers), case.win)
    context = WinContext(
        case.drawn, case.seat, case.round, case.dealer, flags=frozenset(case.flags), discards_count=made.discards
    )
    return score_hand(hand, context, load_ruleset("hk-taiwan", options))


def check(made: HongKongCase, both: bool) -> bool:
    """Compares one hand; returns whether it wins."""
    case = made.case
    score = engine(made, one_tile_two_shapes=True) if both else engine(made)
    waiting = waits(case)
    expected = best(case, waiting, made.discards, both)
    assert score.wins == (expected is not None), case
    if score.reason is not None and score.reason.code == "shape":
        assert not completes(case, case.concealed), case
    elif score.wins and score.shape != "eight_flowers" and not dealt_complete(case):
        assert set(score.waits) == set(waiting), case
    if expected is None:
        return False
    total, alternatives = expected
    got = {item.name: item.value for item in score.items}
    assert score.total == total, (made, got, alternatives)
    assert got in alternatives, (made, got, alternatives)
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_engine_agrees_with_oracle(seed: int) -> None:
    rng = random.Random(1000 + seed)
    wins = sum(check(make_hand(rng), both=seed % 5 == 4) for _ in range(HANDS_A_SEED))
    assert wins >= HANDS_A_SEED * 2 / 3
