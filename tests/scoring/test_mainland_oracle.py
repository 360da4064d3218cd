"""The engine and independent slow scorers agree on 20,000 random hands of each mainland ruleset."""

from __future__ import annotations

import random
from typing import Any

import oracle_mainland as slow
import pytest
from hands_mainland import make_case, with_wilds
from oracle_mainland import MainlandCase

from scoring import Hand, Meld, Score, Stake, WinContext, load_ruleset, score_hand, settle
from scoring.tells import told

SEEDS = range(10)
HANDS_A_SEED = 2000
CLAIMS = ["chow", "pung", "kong_exposed", "kong_added", "kong_concealed"]
LAST = ["last_tile", "last_tile_discard", "kong_replacement", "rob_kong", "rob_concealed_kong", "heavenly", "earthly"]


def engine(case: MainlandCase, ruleset: str) -> Score:
    melds = tuple(Meld(kind, tuple(tiles)) for kind, tiles in case.melds)
    hand = Hand(tuple(case.concealed), melds, tuple(case.flowers), case.win)
    context = WinContext(
        case.drawn, case.seat, case.round, case.dealer,
        flags=frozenset(case.flags), wild=tuple(case.wild), extra=tuple(case.extra.items()),
    )  # fmt: skip
    return score_hand(hand, context, load_ruleset(ruleset))


def items_of(score: Score) -> dict[str, int]:
    return {item.name: item.value for item in score.items}


def run(seed: int, check: Any, share: float = 0.4, **kinds: Any) -> None:
    rng = random.Random(5000 + seed)
    wins = sum(check(rng, make_case(rng, **kinds)) for _ in range(HANDS_A_SEED))
    assert wins > HANDS_A_SEED * share


def check_changsha(rng: random.Random, case: MainlandCase) -> bool:
    if rng.random() < 0.5 and not case.flags & {"last_tile", "last_tile_discard"}:
        case.extra["bird_number"] = rng.randint(1, 9)
    expected, score = slow.changsha(case), engine(case, "changsha")
    assert score.wins == (expected is not None), case
    if expected is None:
        return False
    total, alternatives = expected
    assert items_of(score) in alternatives, (case, items_of(score), alternatives)
    winner, loser = (0 if case.dealer else 1), None if case.drawn else slow.loser_of(case)
    paid = settle(score, winner=winner, loser=loser, dealer=0, stake=Stake(0, 1)).payments
    assert (paid[winner], sum(paid)) == (total, 0), (case, paid, total)
    if "bird_number" not in case.extra:
        assert score.total == total
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_changsha(seed: int) -> None:
    flags = [*LAST, "dice_kong", "kong_discard_dice", "passed_win_same_tile", "passed_win_cleared"]
    run(seed, check_changsha, honours=False, claims=CLAIMS, flags=flags)


def check_ningbo(rng: random.Random, case: MainlandCase) -> bool:
    case = with_wilds(rng, case)
    expected, score = slow.ningbo(case), engine(case, "ningbo")
    if expected is None:
        assert score.reason is not None, case
        assert score.reason.code == "shape", case
        return False
    total, alternatives, legal = expected
    assert told(score, None)["tai" if legal else "tai_if_shape_counted"] == total, (case, items_of(score), expected)
    assert score.wins == legal, (case, score.reason, expected)
    if legal:
        assert score.total == 1 + total
        assert items_of(score) in alternatives, (case, items_of(score), alternatives)
    return legal


@pytest.mark.parametrize("seed", SEEDS)
def test_ningbo(seed: int) -> None:
    flags = [flag for flag in LAST if flag != "last_tile_discard"] + ["flower_replacement", "wild_pair_wait"]
    run(seed, check_ningbo, honours=True, claims=CLAIMS, flags=flags)


def check_shanghai(rng: random.Random, case: MainlandCase) -> bool:
    if rng.random() < 0.3:
        case.extra["huangfan"] = rng.randint(0, 2)
    if rng.random() < 0.3 and "kaibao" not in case.flags:
        case.extra["dice"] = [rng.choice((1, 4)), rng.choice((1, 4))]
    expected, score = slow.shanghai(case), engine(case, "shanghai")
    assert score.wins == (expected is not None), (case, score.reason, expected)
    if expected is None:
        return False
    total, alternatives, hua, multiplier = expected
    answer = told(score, None)
    assert sorted(answer["patterns"]) in [sorted(names) for names in alternatives], (case, answer, alternatives)
    got = (score.total, answer["le"], answer["hua"], answer["multiplier"])
    assert got == (total, total or None, hua, multiplier), (case, answer, expected)
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_shanghai(seed: int) -> None:
    flags = [flag for flag in LAST if flag not in ("heavenly", "earthly")]
    flags += ["passed_win_same_tile", "passed_win_cleared", "kaibao", "huangfan", "eight_flowers", "eight_flowers"]
    run(seed, check_shanghai, 0.3, honours=True, claims=CLAIMS, flags=flags)


def check_sichuan(rng: random.Random, case: MainlandCase) -> bool:
    if rng.random() < 0.5:
        case.extra["dingque"] = rng.choice("mps")
    expected, score = slow.sichuan(case), engine(case, "sichuan")
    assert score.wins == (expected is not None), (case, score.reason, expected)
    if expected is None:
        return False
    total, alternatives = expected
    assert score.total == total, (case, items_of(score), alternatives)
    assert items_of(score) in alternatives, (case, items_of(score), alternatives)
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_sichuan(seed: int) -> None:
    claims = ["pung", "kong_exposed", "kong_added", "kong_concealed"] + (["chow"] if seed == 0 else [])
    run(seed, check_sichuan, 0.25, honours=False, claims=claims, flags=[*LAST, "kong_discard"])
