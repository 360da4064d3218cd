"""Hands, melds and the facts of a win."""

from __future__ import annotations

from typing import Any

import pytest

from scoring import ContextError, Hand, HandError, Meld, TileError, WinContext


@pytest.mark.parametrize(
    ("kind", "tiles", "stored"),
    [
        ("chi", ("3m", "1m", "2m"), "chow"),
        ("pon", ("C",) * 3, "pung"),
        ("kong_open", ("5p",) * 4, "kong_exposed"),
        ("kong_added", ("5p",) * 4, "kong_added"),
        ("暗槓", ("5p",) * 4, "kong_concealed"),
    ],
)
def test_meld_spellings(kind: str, tiles: tuple[str, ...], stored: str) -> None:
    meld = Meld(kind, tiles)
    assert meld.kind == stored
    assert list(meld.tiles) == sorted(tiles)
    assert meld.is_kong == stored.startswith("kong")
    assert meld.exposed == (stored != "kong_concealed")


@pytest.mark.parametrize(
    ("kind", "tiles", "says"),
    [
        ("pung", ("1s", "1s", "2s"), "3 equal tiles"),
        ("pung", ("1s", "1s"), "3 equal tiles"),
        ("kong_concealed", ("1s",) * 3, "4 equal tiles"),
        ("chow", ("1s", "2s", "4s"), "consecutive"),
        ("chow", ("1s", "2s", "2s"), "consecutive"),
        ("chow", ("9m", "1p", "2p"), "consecutive"),
        ("chow", ("8m", "9m", "1p"), "consecutive"),
        ("chow", ("E", "S", "W"), "consecutive"),
        ("chow", ("1s", "2s"), "consecutive"),
        ("chow", (), "consecutive"),
        ("pung", ("f1", "f1", "f1"), "flowers"),
        ("kan", ("1s",) * 4, "valid|did you mean"),
    ],
)
def test_no_such_meld(kind: str, tiles: tuple[str, ...], says: str) -> None:
    with pytest.raises(HandError, match=says) as error:
        Meld(kind, tiles)
    assert error.value.field == "melds"


def test_meld_of_unknown_tile() -> None:
    with pytest.raises(TileError, match="1x"):
        Meld("pung", ("1x",) * 3)


def test_hand_keeps_tuples_and_all_tiles() -> None:
    values: Any = {"concealed": ["1m", "E"], "melds": [Meld("kong_exposed", ("C",) * 4)], "flowers": ["f1"]}
    hand = Hand(**values, win_tile="E")
    assert hand.concealed == ("1m", "E")
    assert hand.flowers == ("f1",)
    assert hand.tiles == ("1m", "E", "C", "C", "C", "C")
    assert hash(hand)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"concealed": ("1x",)}, "concealed"),
        ({"concealed": ("1m",), "flowers": ("1m",)}, "flowers"),
        ({"concealed": ("1m",), "flowers": ("f9",)}, "flowers"),
        ({"concealed": ("1m",), "win_tile": "10m"}, "win_tile"),
    ],
)
def test_hand_of_unknown_tiles(values: dict[str, Any], field: str) -> None:
    with pytest.raises(TileError) as error:
        Hand(**values)
    assert error.value.field == field


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"seat_wind": "X"}, "seat_wind"),
        ({"round_wind": None}, "round_wind"),
        ({"flower_seat": "C"}, "flower_seat"),
        ({"streak": -1}, "streak"),
        ({"streak_shown": 1.5}, "streak_shown"),
    ],
)
def test_facts_that_cannot_be(values: dict[str, Any], field: str) -> None:
    with pytest.raises(ContextError) as error:
        WinContext(**values)
    assert error.value.field == field


def test_flags_may_be_any_sequence() -> None:
    values: Any = {"flags": ["last_tile", "last_tile"]}
    assert WinContext(**values).flags == frozenset({"last_tile"})
    assert WinContext(flower_seat="N", streak_shown=0).streak_shown == 0
