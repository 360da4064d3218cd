"""What must hold for every hand of the mainland rulesets."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from hands_mainland import all_count, make_case, with_wilds
from oracle import ALL_TILES
from oracle_mainland import MainlandCase

from scoring import Hand, Meld, Score, Stake, WinContext, load_ruleset, read_ruleset, score_hand, settle
from scoring.describe import describe
from scoring.messages import LANGUAGES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rulesets-open-points.md"
NAMES = ("changsha", "ningbo", "shanghai", "sichuan")
CLAIMS = ["chow", "pung", "kong_exposed", "kong_added", "kong_concealed"]
FLAGS = {
    "changsha": ["last_tile", "last_tile_discard", "kong_discard_dice", "dice_kong", "rob_kong", "heavenly", "earthly"],
    "ningbo": ["last_tile", "rob_kong", "kong_replacement", "flower_replacement", "heavenly", "earthly"],
    "shanghai": ["last_tile", "kaibao", "huangfan", "kong_replacement", "eight_flowers"],
    "sichuan": ["last_tile", "kong_discard", "rob_kong", "kong_replacement", "heavenly", "earthly"],
}


def cases(name: str, number: int) -> list[MainlandCase]:
    rng = random.Random(31)
    rules = load_ruleset(name)
    claims = CLAIMS[1:] if name == "sichuan" else CLAIMS
    made = [make_case(rng, honours=rules.flowers, claims=claims, flags=FLAGS[name]) for _ in range(number)]
    return [with_wilds(rng, case) for case in made] if name == "ningbo" else made


def scored(case: MainlandCase, rules: Any) -> Score:
    hand = Hand(
        tuple(case.concealed),
        tuple(Meld(kind, tuple(tiles)) for kind, tiles in case.melds),
        tuple(case.flowers),
        case.win,
    )
    context = WinContext(
        case.drawn, case.seat, case.round, case.dealer, flags=frozenset(case.flags), wild=tuple(case.wild)
    )
    return score_hand(hand, context, rules)


def told(score: Score) -> tuple[bool, int, list[tuple[str, int]]]:
    return score.wins, score.total, sorted((item.key, item.value) for item in score.items)


@pytest.mark.parametrize("name", NAMES)
def test_order_of_tiles_does_not_matter(name: str) -> None:
    rng, rules = random.Random(1), load_ruleset(name)
    for case in cases(name, 400):
        before = told(scored(case, rules))
        rng.shuffle(case.concealed)
        rng.shuffle(case.melds)
        rng.shuffle(case.flowers)
        assert told(scored(case, rules)) == before


@pytest.mark.parametrize("name", NAMES)
def test_payments_sum_to_zero_and_go_to_the_winner(name: str) -> None:
    rules = load_ruleset(name)
    for case in cases(name, 600):
        score = scored(case, rules)
        if score.wins:
            winner = 0 if case.dealer else 1
            loser = None if case.drawn else 0 if "earthly" in case.flags else 2
            paid = settle(score, winner=winner, loser=loser, dealer=0, stake=Stake(3, 5))
            assert sum(paid.payments) == 0 < paid.payments[winner]
            assert all(line.payee == winner and line.amount == sum(p.amount for p in line.parts) for line in paid.lines)
            assert all(len(part.names) == 3 and all(part.names) for line in paid.lines for part in line.parts)


def test_waits_are_the_tiles_that_complete_the_hand() -> None:
    """With wildcards too: every kind is tried in the winning tile's place."""
    rules, checked = load_ruleset("ningbo"), 0
    for case in cases("ningbo", 60):
        if case.win in case.wild or not scored(case, rules).split:
            continue
        case.flags, case.drawn, won = set(), True, case.win
        at, found = case.concealed.index(won), []
        waits = scored(case, rules).waits
        for tile in ALL_TILES:
            if tile not in case.wild and all_count(case, tile) - (tile == won) < 4:
                case.concealed[at] = case.win = tile
                found += [tile] if scored(case, rules).split else []
                case.concealed[at] = case.win = won
        assert found == [tile for tile in waits if tile not in case.wild and all_count(case, tile) - (tile == won) < 4]
        checked += len(found)
    assert checked > 100


@pytest.mark.parametrize("name", ["ningbo", "sichuan", "shanghai"])
def test_raising_a_value_never_lowers_a_total(name: str) -> None:
    rules = load_ruleset(name)
    for item in rules.items:
        more = f'[[items]]\nkey = "{item.key}"\nvalue = {item.value + 3}\n'
        raised = read_ruleset(f'name = "raised"\nextends = "{name}"\n{more}')
        for case in cases(name, 40):
            assert scored(case, raised).total >= scored(case, rules).total


def test_flowers_that_are_nobodys_change_nothing_but_flowers() -> None:
    for case in cases("shanghai", 300):
        case.flags.discard("eight_flowers")
        with_flower, without = MainlandCase(**vars(case)), MainlandCase(**vars(case))
        with_flower.flowers, without.flowers = ["f1"], []
        assert told(scored(with_flower, load_ruleset("shanghai"))) == told(scored(without, load_ruleset("shanghai")))


def test_a_cap_is_never_passed() -> None:
    rules = load_ruleset("sichuan", {"cap": 3})
    for case in cases("sichuan", 400):
        assert scored(case, rules).total <= 3


@pytest.mark.parametrize("name", NAMES)
def test_every_hand_explains_itself(name: str) -> None:
    rules = load_ruleset(name)
    for case in cases(name, 300):
        score = scored(case, rules)
        assert (score.reason is None) == score.wins
        for language in LANGUAGES:
            assert score.wins or score.reason is None or score.reason.text(language)
            assert all(row.because(language) for row in score.dropped)
            assert all(row.reason.text(language) for row in score.unmet)
        if score.split and score.shape != "eight_flowers":
            shown = sorted(tile for group in score.split.sets for tile in group.tiles)
            kongs = sum(len(tiles) == 4 for _, tiles in case.melds)
            assert len(shown) == 14 + kongs
        assert all(total <= score.total for _, total in score.alternatives) or not score.wins


@pytest.mark.parametrize("name", NAMES)
def test_descriptions_say_what_is_not_from_the_text(name: str) -> None:
    page = describe(load_ruleset(name))
    open_points = {row["key"] for row in page["options"] if row["not_from_text"]}
    expected = {
        "changsha": {"liuliushun_quads"},
        "ningbo": {"ningbo_settlement", "ningbo_double_wind"},
        "shanghai": {"le_value", "base_flowers", "point_per_flower"},
        "sichuan": {"sichuan_fan_table", "fan_one_suit", "seven_pairs_enabled", "cap"},
    }
    assert expected[name] <= open_points
    assert all(row["zh"] and row["en"] for row in page["options"])


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_open_points_names_every_option_not_from_the_text(name: str) -> None:
    named = set(re.findall(r"`([a-z0-9_]+)`", PAGE.read_text(encoding="utf-8")))
    assert {key for key, spec in load_ruleset(name).specs.items() if spec.not_from_text} <= named


@pytest.mark.parametrize("name", NAMES)
def test_a_house_may_extend_it(name: str) -> None:
    house = read_ruleset(f'name = "house"\nextends = "{name}"\n[total]\nbase = 2\n')
    assert house.total["base"] == 2
    assert house.match["next_dealer"] == load_ruleset(name).match["next_dealer"]
