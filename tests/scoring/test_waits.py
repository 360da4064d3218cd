"""Waits and distance as anybody asks for them."""

from __future__ import annotations

import random

import pytest
from hand_maker import make_case
from oracle import waits

from scoring import HandError, Meld, load_ruleset, parse_tiles, tiles_away, waits_of

RULES = load_ruleset("taiwan")


@pytest.mark.parametrize(
    ("concealed", "melds", "kinds"),
    [
        ("123m 456m 789p 234s 678s 5p", [], "5p"),
        ("456m 789p 234s 78s 55p", ["chow:123m"], "6s 9s"),
        ("789m 234s 3333456p", ["chow:123m"], "6p"),
        ("1133m 5577p 2244s EE 88s", [], "1m 3m 5p 7p 2s 4s 8s E"),
        ("147m 258p 369s ESWNCFP", [], ""),
    ],
)
def test_waits(concealed: str, melds: list[str], kinds: str) -> None:
    sets = [Meld(meld.split(":")[0], tuple(parse_tiles(meld.split(":")[1]))) for meld in melds]
    assert waits_of(parse_tiles(concealed), sets, RULES) == tuple(kinds.split())


def test_shapes_that_are_switched_off_are_no_waits() -> None:
    tiles = parse_tiles("1133m 5577p 2244s EE 88s")
    assert waits_of(tiles, [], load_ruleset("taiwan", {"ligu_enabled": False})) == ()


def test_an_exhausted_kind_may_count() -> None:
    tiles, melds = parse_tiles("789m 234s 3333456p"), [Meld("chow", ("1m", "2m", "3m"))]
    assert waits_of(tiles, melds, load_ruleset("taiwan", {"exhausted_tile_is_wait": True})) == ("3p", "6p")


def test_waits_agree_with_the_oracle() -> None:
    rng = random.Random(9)
    for _ in range(300):
        case = make_case(rng)
        case.flags = set()
        before = list(case.concealed)
        before.remove(case.win)
        melds = [Meld(kind, tuple(tiles)) for kind, tiles in case.melds]
        rules = load_ruleset(case.rules)
        found = waits_of(before, melds, rules)
        assert list(found) == waits(case)
        assert (tiles_away(before, melds, rules) == 1) or not found
        assert (tiles_away(case.concealed, melds, rules) == 0) == (case.win in found)


@pytest.mark.parametrize(
    ("concealed", "melds", "away"),
    [
        ("123m 456m 789p 234s 678s 55p", 0, 0),
        ("123m 456m 789p 234s 678s 5p", 0, 1),
        ("123m 456m 789p 234s 679s 55p", 0, 1),
        ("456m 789p 234s 67s 5p 9p", 1, 2),
        ("55p", 5, 0),
        ("5p", 5, 1),
    ],
)
def test_tiles_away(concealed: str, melds: int, away: int) -> None:
    sets = [Meld("pung", (code,) * 3) for code in ("1m", "E", "C", "F", "P")][:melds]
    assert tiles_away(parse_tiles(concealed), sets, RULES) == away


@pytest.mark.parametrize(
    ("tiles", "says"),
    [
        ("123m", "3 tiles"),
        ("123m 456m 789p 234s 678s 55p 5p", "18 tiles"),
        ("11111m 456m 789p 234s 67s", "more than four"),
    ],
)
def test_hands_that_cannot_be(tiles: str, says: str) -> None:
    for ask in (waits_of, tiles_away):
        with pytest.raises(HandError, match=says):
            ask(parse_tiles(tiles), [], RULES)
    with pytest.raises(HandError, match="no playing tile"):
        waits_of([*parse_tiles("123m 456m 789p 234s 678s"), "f1"], [], RULES)
