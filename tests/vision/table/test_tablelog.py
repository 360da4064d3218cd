"""The log of a played hand, from what a perfect eye would see of every moment."""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np
import pytest

from vision.observation import MeldReading, TableReading, TileObservation
from vision.table_reader import Discard, TableView
from vision.tablelog import TableLog
from vision.training.render.play import Step, play_match
from vision.training.render.styles import Body
from vision.training.render.tabletop import TableLayout, place_table

BODY = Body(26.0, 35.0, 19.0, 2.3, 0.38, (214, 234, 244), (84, 110, 30), 0.35, 0.92)


@lru_cache
def match_of(seed: int) -> tuple[Step, ...]:
    return tuple(play_match(seed, 1))


def tile(code: str, wrong: str = "9m", p: float = 0.95) -> TileObservation:
    return TileObservation(code, (0, 0, 1, 1), p, ((code, p), (wrong, 1 - p)))


def view(step: Step, layout: TableLayout, rng: random.Random, miss: float = 0.0) -> TableView:
    """What a table reader would say of this moment; each tile of the middle is overlooked with probability `miss`."""
    placed = [t for t in place_table(step.table, layout, BODY) if t.role == "discard"]
    discards = []
    for t in placed:
        if rng.random() < miss:
            continue
        place = (0.5 + t.x / 900 + rng.gauss(0, 0.001), 0.5 - t.y / 900 + rng.gauss(0, 0.001))
        seat = t.seat if not layout.messy else rng.randrange(4)
        discards.append(Discard(tile(t.code), seat, place))
    readings = []
    for seat in step.table.seats:
        melds = tuple(MeldReading(kind, tuple(codes)) for kind, codes in seat.melds)
        readings.append(TableReading((), melds=melds, flowers=tuple(seat.flowers)))
    return TableView(tuple(readings), tuple(discards), None, (), (1920, 1080))


def log_of(seed: int, messy: bool, miss: float = 0.0, views: int = 3) -> tuple[TableLog, list[Step]]:
    layout = TableLayout(seed=seed, messy=messy)
    log, steps, rng = TableLog(), [], random.Random(seed)
    clock = 0.0
    for step in match_of(seed):
        steps.append(step)
        for _ in range(views):
            log.add(view(step, layout, rng, miss), clock)
            clock += 0.25
    return log, steps


def discards_of(steps: list[Step]) -> list[tuple[int, str]]:
    return [(s.event.seat, str(s.event.tile)) for s in steps if s.event.kind == "discard"]


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize("messy", [False, True])
def test_discards_in_order_with_their_seats(seed: int, messy: bool) -> None:
    log, steps = log_of(seed, messy)
    truth = discards_of(steps)
    got = [(e.seat, e.tiles[0]) for e in log.entries if e.kind == "discard"]
    assert [code for _, code in got] == [code for _, code in truth]
    right = sum(a == b for a, b in zip(got, truth, strict=True))
    assert right >= len(truth) * (0.98 if not messy else 0.75)


def test_claims_and_from_whom() -> None:
    wanted = found = sourced = 0
    for seed in (3, 4, 5):
        log, steps = log_of(seed, messy=False)
        claims = [s.event for s in steps if s.event.kind in ("chow", "pung", "kong_exposed")]
        entries = [e for e in log.entries if e.kind in ("chow", "pung", "kong_exposed")]
        wanted += len(claims)
        found += sum((c.kind, c.seat) == (e.kind, e.seat) for c, e in zip(claims, entries, strict=False))
        sourced += sum(c.source == e.source for c, e in zip(claims, entries, strict=False))
        assert len(entries) == len(claims)
    assert wanted >= 5
    assert found == wanted
    assert sourced >= 0.9 * wanted


def test_tiles_overlooked_now_and_then_change_nothing() -> None:
    log, steps = log_of(4, messy=False, miss=0.08, views=8)
    assert [e.tiles[0] for e in log.entries if e.kind == "discard"] == [code for _, code in discards_of(steps)]


def test_a_misread_moment_is_outvoted() -> None:
    log = TableLog()
    empty = TableReading(())

    def shown(code: str, p: float) -> TableView:
        return TableView(
            (empty,) * 4, (Discard(tile(code, "1p" if code != "1p" else "2p", p), 0, (0.5, 0.6)),), None, (), (9, 9)
        )

    for code, p in (("2p", 0.6), ("1p", 0.9), ("1p", 0.9), ("1p", 0.8)):
        log.add(shown(code, p), 0.0)
    assert [e.tiles for e in log.entries] == [("1p",)]
    assert log.entries[0].confidence < 0.98


def test_clearing_the_table_begins_anew() -> None:
    log, _ = log_of(5, messy=False)
    assert log.entries[-1].kind == "cleared"
    assert log.last_discard() is None
    before = len(log.entries)
    empty = TableView((TableReading(()),) * 4, (), None, (), (9, 9))
    assert log.add(empty, 1e3) == [] and len(log.entries) == before


def test_facts_of_a_win() -> None:
    log = TableLog()
    readings = (TableReading(()),) * 4
    for number in range(3):
        discards = (Discard(tile("5p", p=1.0), 1, (0.7, 0.5)),)
        log.add(TableView(readings, discards, None, (), (9, 9)), number * 0.2)
    assert log.facts(3, "5p")["discarder"][0] == 1
    assert log.facts(3, "5p")["discarder"][1] < 0.9, "it may have been drawn as well"
    assert "discarder" not in log.facts(1, "5p"), "nobody wins by their own discard"
    assert TableLog().facts(0, "5p") == {}
    assert np.all([0 <= c <= 1 for _, c in log.facts(3, "5p").values()])
