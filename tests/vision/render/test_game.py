"""Hands played before a camera: legal play, complete truth, the same every time."""

from collections import Counter
from itertools import islice, pairwise

import cv2
import numpy as np
import pytest
from numpy.random import default_rng

from scoring import score_record
from vision.training.render.game import SECONDS, frames, game_frames, still, studio
from vision.training.render.play import EVENTS, Step, play_hand, play_match
from vision.training.render.tabletop import TableLayout, place_table

SIZE = (480, 320)


def _tiles(step: Step) -> Counter[str]:
    table = step.table
    out = Counter(table.wall)
    for seat in table.seats:
        out.update([*seat.hand, *seat.flowers, *seat.discards, *(t for _, tiles in seat.melds for t in tiles)])
        out.update(tile for tile in (seat.drawn, seat.win_tile) if tile)
    return out


@pytest.mark.parametrize("seed", range(4))
def test_no_tile_is_ever_lost_or_doubled(seed: int) -> None:
    steps = list(play_hand(default_rng(seed)))
    for step in steps:
        counts = _tiles(step)
        assert sum(counts.values()) == 144
        assert all(n == (1 if tile[0] == "f" else 4) for tile, n in counts.items())
        assert step.event.kind in EVENTS
        for seat in step.table.seats:
            held = len(seat.hand) + 3 * len(seat.melds) + (seat.drawn is not None)
            assert held in (16, 17) or step.event.kind in ("kong_concealed", "kong_added", "kong_exposed", "dealt")
    assert steps[-1].event.kind in ("win", "exhausted")


def test_wins_are_wins_by_the_rules() -> None:
    wins = [step.win for seed in (0, 4, 5, 6, 7) for step in play_hand(default_rng(seed)) if step.win]
    assert len(wins) == 5
    for win in wins:
        answer = score_record(
            {
                "concealed": list(win.hand),
                "melds": [{"kind": kind, "tiles": list(tiles)} for kind, tiles in win.melds],
                "flowers": list(win.flowers),
                "win_tile": win.tile,
                "self_draw": win.source is None,
                "seat_wind": "ESWN"[win.seat],
                "round_wind": "E",
            }
        )
        assert answer["wins"] is True, answer


def test_the_dealer_moves_on_and_the_table_is_cleared_between_hands() -> None:
    steps = list(play_match(3, hands=2))
    assert [s.event.kind for s in steps if s.event.kind in ("dealt", "cleared")] == ["dealt", "cleared"] * 2
    assert not any(seat.hand for seat in steps[-1].table.seats)


def test_a_tile_stays_where_it_was_put() -> None:
    """From one state to the next only what is played moves."""
    room = studio(5, SIZE)
    layout = TableLayout.random(default_rng(1))
    steps = [step for step in play_hand(default_rng(1)) if step.event.kind == "discard"][:6]
    for before, after in pairwise(steps):
        old = {
            (t.code, t.seat, t.x, t.y)
            for t in place_table(before.table, layout, room.tiles.body)
            if t.role == "discard"
        }
        new = {
            (t.code, t.seat, t.x, t.y) for t in place_table(after.table, layout, room.tiles.body) if t.role == "discard"
        }
        assert len(new - old) == 1


def test_frames_come_in_time_with_their_truth() -> None:
    seen = list(islice(game_frames(4, 2.0, SIZE), 14))
    assert [f.number for f in seen] == list(range(14))
    assert [f.time_s for f in seen] == [n / 2 for n in range(14)]
    assert seen[0].event.kind == "dealt"
    assert seen[0].fresh
    assert seen[0].image.shape == (320, 480, 3)
    assert all(f.tiles for f in seen)
    assert any(f.arm for f in seen)
    still = [f for f in seen if f.event.kind == "dealt"]
    assert len(still) == SECONDS["dealt"] * 2
    assert not np.array_equal(still[0].image, still[1].image)  # the camera's noise
    assert cv2.absdiff(still[0].image, still[1].image).mean() < 12  # and nothing but that
    again = list(islice(frames(4, 2.0, *SIZE), 14))
    assert all(np.array_equal(f.image, image) for f, image in zip(seen, again, strict=True))


def test_a_win_is_laid_open_and_held() -> None:
    step = list(play_hand(default_rng([0, 0, 21])))[-1]
    win = step.win
    assert win is not None
    _, tiles = still(studio(7, (960, 720), elevation=80), step)
    own = [t for t in tiles if t.seat == win.seat and t.role in ("hand", "win")]
    assert Counter(t.code for t in own) == Counter(win.hand)
    assert [t.code for t in own if t.role == "win"] == [win.tile]
    assert all(t.visible > 0.9 and not t.ignore for t in own)
    assert SECONDS["win"] > 2


def test_bad_speeds_are_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        next(game_frames(1, 0.0))
