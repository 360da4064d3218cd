"""Hands of other shapes than sets and a pair are read as winning where the ruleset has the shape."""

from __future__ import annotations

import time

import pytest

from scoring import load_ruleset
from scoring.tiles import KINDS, parse_tiles
from vision.decode import Arrangement, Decoded, ShapeRules, decode
from vision.decode_melds import MeldSlot
from vision.decode_odds import TileOdds
from vision.decode_reading import ReadingRules

ORPHANS = "19m 19p 19s ESWNCFP E 567s"
UNCONNECTED = "147m 258p 369s ESWNCFP 1m"


def odds(code: str, wrong: str | None = None, p: float = 0.0) -> TileOdds:
    """Mostly `code`, or mostly `wrong`, and a little of two others."""
    others = [k for k in (KINDS[(KINDS.index(code) + n) % 34] for n in (1, 2)) if k != wrong]
    if wrong is None:
        return TileOdds(((code, 0.97), *((k, 0.015) for k in others)), 0.0)
    return TileOdds(tuple(sorted([(code, p), (wrong, 0.95 - p), (others[0], 0.05)], key=lambda o: -o[1])), 0.0)


def decoded(text: str, ruleset: str, misread: tuple[int, str] | None = None, melds: int = 0) -> Decoded:
    """What is made of the tiles, the last three times `melds` of them laid out as melds."""
    codes = parse_tiles(text)
    tiles = [odds(code) for code in codes]
    if misread is not None:
        tiles[misread[0]] = odds(codes[misread[0]], misread[1], 0.08)
    laid = len(codes) - 3 * melds
    slots = tuple(MeldSlot(tuple(range(i, i + 3))) for i in range(laid, len(codes), 3))
    rules = ReadingRules.of(load_ruleset(ruleset)).shapes
    return decode(tiles, [Arrangement(tuple(range(laid)), slots)], rules, budget_s=2.0)


@pytest.mark.parametrize("text", [ORPHANS, UNCONNECTED])
def test_the_shape_wins_where_the_ruleset_has_it(text: str) -> None:
    best = decoded(text, "hk-taiwan").hands[0]
    assert best.wins
    assert sorted(best.codes.values()) == sorted(parse_tiles(text))
    assert best.probability > 0.9
    assert not decoded(text, "taiwan").hands[0].wins


@pytest.mark.parametrize(("text", "place", "wrong"), [(ORPHANS, 0, "2m"), (UNCONNECTED, 4, "8m")])
def test_a_misread_tile_is_put_right(text: str, place: int, wrong: str) -> None:
    best = decoded(text, "hk-taiwan", (place, wrong)).hands[0]
    assert best.wins
    assert sorted(best.codes.values()) == sorted(parse_tiles(text))


def test_a_hand_of_some_kinds_counts_its_melds() -> None:
    assert decoded("22558m 258p 222s 888s", "changsha", melds=1).hands[0].wins
    assert not decoded("22558m 258p 222s 999s", "changsha", melds=1).hands[0].wins


def test_five_of_a_kind_is_no_such_hand() -> None:
    seen = ["2s"]
    codes = parse_tiles("22558m 2589p 22222s")
    rules = ShapeRules(special=ReadingRules.of(load_ruleset("changsha")).shapes.special)
    tiles = [TileOdds(((code, 1.0),), 0.0) for code in codes]
    found = decode(tiles, [Arrangement(tuple(range(14)))], rules, seen)
    assert not any(hand.wins for hand in found.hands)


def test_it_keeps_its_time() -> None:
    tiles = [TileOdds(tuple((KINDS[(7 * i + k) % 34], 0.2) for k in range(5)), 0.0) for i in range(17)]
    rules = ReadingRules.of(load_ruleset("hk-taiwan")).shapes
    start = time.thread_time()  # what other threads of the tests do is not its own
    decode(tiles, [Arrangement(tuple(range(17)))], rules, budget_s=0.02)
    assert time.thread_time() - start < 0.2
