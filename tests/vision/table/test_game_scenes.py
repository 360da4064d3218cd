"""The hands that `benchmarks/games.py` reads: kongs made of triplets leave a hand that wins, tile for tile."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scoring.encoding import encode, suits_of
from scoring.shapes.distance import distance

ROOT = Path(__file__).resolve().parents[3]
DEVELOPMENT = range(14)


@pytest.fixture(scope="module")
def games() -> Any:
    """The first cases, played and not rendered."""
    pytest.importorskip("resvg_py", reason="the renderer is not installed: pip install 'taicam[render]'")
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import game_scenes

    yield [game_scenes.Game(number) for number in DEVELOPMENT]
    sys.path.remove(str(ROOT / "benchmarks"))


def test_every_hand_wins_and_no_tile_is_there_five_times(games: Any) -> None:
    for game in games:
        for step in game.steps:
            seats = step.table.seats
            tiles = Counter(
                [code for seat in seats for code in [*seat.hand, *seat.discards, *seat.flowers]]
                + [code for seat in seats for _, codes in seat.melds for code in codes]
                + [code for seat in seats for code in (seat.drawn, seat.win_tile if seat.open else None) if code]
                + step.table.wall
            )
            assert max(tiles.values()) <= 4
        seat = game.last.seats[game.win.seat]
        melded = encode(code for _, codes in seat.melds for code in codes)
        assert distance(suits_of(encode([*seat.hand, seat.win_tile])), melded) == 0
        assert len(seat.hand) + 1 + 3 * len(seat.melds) == 17


def test_kongs_of_every_kind_are_played(games: Any) -> None:
    kinds = {kind for game in games for kind, _ in game.last.seats[game.win.seat].melds}
    assert {"chow", "pung", "kong_exposed", "kong_added", "kong_concealed"} <= kinds
    added = next(g for g in games if any(kind == "kong_added" for kind, _ in g.last.seats[g.win.seat].melds))
    code = next(codes[0] for kind, codes in added.last.seats[added.win.seat].melds if kind == "kong_added")
    lay = [("pung", [code] * 3) in step.table.seats[added.win.seat].melds for step in added.steps]
    assert any(lay), "it lay there as a pung first"


def test_pictures_are_taken_of_each_set_and_of_what_was_before(games: Any) -> None:
    for game in games:
        moments = list(game.moments())
        times = [moment.time_s for moment in moments]
        assert times == sorted(times)
        assert moments[-1].step.win is not None
        seat = game.win.seat
        opened = len(game.last.seats[seat].melds)
        laid = [m for m in moments if m.step.event.seat == seat and m.pictures == 3]
        assert len(laid) >= opened
