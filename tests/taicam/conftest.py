"""Readings made by hand, a session on a real ledger, and the hands both use."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from taicam.board import Board
from taicam.house import House
from taicam.ledger import Ledger
from taicam.session import Session
from vision.observation import ACCEPTED, CONFIRM, UNREADABLE, Doubt, MeldReading, QualityNote, TableReading
from vision.observation import TileObservation as Tile

#: 平和-like hand won on 8s: 門清 and no more when it is not self-drawn.
PLAIN = ["1m", "2m", "3m", "4m", "5m", "6m", "7p", "8p", "9p", "2s", "3s", "4s", "6s", "7s", "8s", "5p", "5p"]
#: The same with one tile spoilt: no winning shape.
SPOILT = ["1m", "2m", "3m", "4m", "5m", "6m", "7p", "8p", "9p", "2s", "3s", "4s", "6s", "7s", "8s", "5p", "9m"]


def reading(
    concealed: list[str],
    win_tile: str | None = "8s",
    *,
    melds: tuple[tuple[str, tuple[str, ...]], ...] = (),
    flowers: tuple[str, ...] = (),
    status: str = ACCEPTED,
    doubts: tuple[Doubt, ...] = (),
    quality: tuple[QualityNote, ...] = (),
) -> TableReading:
    """A reading as the reader gives it, with a box and odds for every tile."""
    codes = [*concealed, *(code for _, tiles in melds for code in tiles), *flowers]
    tiles = tuple(
        Tile(
            code,
            (10.0 + 40 * n, 10.0, 45.0 + 40 * n, 60.0),
            0.97,
            ((code, 0.97), ("9m" if code != "9m" else "1p", 0.02)),
        )
        for n, code in enumerate(codes)
    )
    roles = ["concealed"] * len(concealed) + ["meld"] * sum(len(t) for _, t in melds) + ["flower"] * len(flowers)
    at = len(concealed)
    groups = []
    for kind, meld in melds:
        groups.append(MeldReading(kind, meld, tuple(range(at, at + len(meld)))))
        at += len(meld)
    win_index = max((n for n, code in enumerate(concealed) if code == win_tile), default=None)
    if win_index is not None:
        roles[win_index] = "winning"
    return TableReading(
        tiles=tiles,
        concealed=tuple(concealed),
        melds=tuple(groups),
        flowers=flowers,
        win_tile=win_tile,
        doubts=doubts,
        quality=quality,
        roles=tuple(roles),
        status=status,
        probability=0.99,
        win_tile_index=win_index,
        size=(1200, 400),
    )


def doubtful(concealed: list[str], index: int = 4) -> TableReading:
    """A reading whose tile `index` must be looked at."""
    doubt = Doubt("tile", f"第 {index + 1} 張不確定", f"tile {index + 1} is not certain", index)
    return reading(concealed, status=CONFIRM, doubts=(doubt,))


def unreadable() -> TableReading:
    """What a picture without a hand gives."""
    note = QualityNote("blurred", "照片模糊:請重拍", "blurred: take it again", 3.0, severe=True)
    return TableReading(tiles=(), status=UNREADABLE, quality=(note,))


@pytest.fixture
def readings() -> Any:
    """The functions above, for tests."""

    class Made:
        plain = staticmethod(lambda: reading(PLAIN))
        spoilt = staticmethod(lambda: reading(SPOILT))
        doubtful = staticmethod(lambda: doubtful(PLAIN))
        unreadable = staticmethod(unreadable)
        make = staticmethod(reading)

    return Made


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def session(ledger: Ledger) -> Session:
    return Session(ledger, Board(), House())


@pytest.fixture(autouse=True)
def _own_log_settings() -> Iterator[None]:
    """A command run in this process sets up logging for the whole of it: put back what was there."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level
