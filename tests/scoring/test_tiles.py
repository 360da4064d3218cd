"""Tile codes as text and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import ALL_CODES, FLOWERS, KINDS, TileError, format_tiles, parse_tiles, tile_name
from scoring.tiles import check_code, sort_tiles


def test_kinds_order_is_the_contract() -> None:
    assert KINDS[:9] == tuple(f"{rank}m" for rank in range(1, 10))
    assert KINDS[9] == "1p"
    assert KINDS[18] == "1s"
    assert KINDS[27:] == ("E", "S", "W", "N", "C", "F", "P")
    assert tuple(f"f{number}" for number in range(1, 9)) == FLOWERS
    assert (*KINDS, *FLOWERS, "back") == ALL_CODES


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("123m 456p EEE CC f1f2", "1m 2m 3m 4p 5p 6p E E E C C f1 f2"),
        ("1m2m3m", "1m 2m 3m"),
        ("1234567z", "E S W N P F C"),
        ("東南西北中發白", "E S W N C F P"),
        ("东发", "E F"),
        ("f12 f8", "f1 f2 f8"),
        ("11m,22p", "1m 1m 2p 2p"),
        ("back back", "back back"),
        ("", ""),
    ],
)
def test_parse(text: str, codes: str) -> None:
    assert parse_tiles(text) == codes.split()


@pytest.mark.parametrize("text", ["12", "0m", "8z", "1x", "X", "f", "f9", "fm", "123mx", "e", "١m", "bac"])
def test_parse_refuses_and_says_what_is_valid(text: str) -> None:
    with pytest.raises(TileError, match=r"valid|did you mean|must be|honours are") as error:
        parse_tiles(text, "concealed")
    assert error.value.field == "concealed"


def test_format() -> None:
    assert (
        format_tiles(["1m", "2m", "3m", "E", "E", "C", "f1", "f2", "back", "back", "4p"])
        == "123m EE C f1f2 back back 4p"
    )
    with pytest.raises(TileError):
        format_tiles(["1x"])


@given(st.lists(st.sampled_from(ALL_CODES)))
def test_format_and_parse_undo_each_other(codes: list[str]) -> None:
    assert parse_tiles(format_tiles(codes)) == codes


@given(st.text(max_size=12))
def test_any_text_is_tiles_or_a_clear_error(text: str) -> None:
    try:
        codes = parse_tiles(text)
    except TileError as error:
        assert str(error)
    else:
        assert set(codes) <= set(ALL_CODES)


def test_names() -> None:
    assert [tile_name(code) for code in ("1m", "9p", "5s", "C", "F", "f7", "back")] == [
        "一萬",
        "九筒",
        "五索",
        "中",
        "發",
        "菊",
        "牌背",
    ]
    assert tile_name("1m", "zh-Hans") == "一万"
    assert tile_name("f6", "zh-Hans") == "兰"
    assert tile_name("3s", "en") == "3 bamboos"
    assert tile_name("P", "en") == "white dragon"
    assert len({tile_name(code, "en") for code in ALL_CODES}) == len(ALL_CODES)
    with pytest.raises(TileError):
        tile_name("10m")


def test_check_and_sort() -> None:
    assert check_code("E") == "E"
    with pytest.raises(TileError, match="did you mean"):
        check_code("1M")
    with pytest.raises(TileError):
        check_code(5)
    assert sort_tiles(["f1", "C", "E", "2p", "9m"]) == ["9m", "2p", "E", "C", "f1"]
