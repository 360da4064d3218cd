"""The engine and an independent slow scorer agree on 20,000 random hands, two thirds and more of them winning."""

from __future__ import annotations

import random

import pytest
from hand_maker import make_case
from oracle import Case, best, completes, waits

from scoring import Hand, Meld, Score, WinContext, load_ruleset, score_hand

SEEDS = range(20)
HANDS_A_SEED = 1000


def engine(case: Case) -> Score:
    hand = Hand(
        tuple(case.concealed), tuple(Meld(kind, tuple(t)) for kind, t in case.melds), tuple(case.flowers), case.win
    )
    context = WinContext(case.drawn, case.seat, case.round, case.dealer, flags=frozenset(case.flags))
    return score_hand(hand, context, load_ruleset(case.rules))


def check(case: Case) -> bool:
    """Compares one hand; returns whether it wins."""
    score = engine(case)
    expected = best(case)
    assert score.wins == (expected is not None), case
    if score.reason is not None and score.reason.code == "shape":
        assert not completes(case, case.concealed), case
    elif score.wins:
        assert set(score.waits) == set(waits(case)), case
    if expected is None:
        return False
    points, alternatives = expected
    got = {item.name: item.value for item in score.items}
    assert score.total == points, (case, got, alternatives)
    assert got in alternatives, (case, got, alternatives)
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_engine_agrees_with_oracle(seed: int) -> None:
    rng = random.Random(seed)
    wins = sum(check(make_case(rng)) for _ in range(HANDS_A_SEED))
    assert wins >= HANDS_A_SEED * 2 / 3
