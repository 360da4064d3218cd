"""Splits, waits, special shapes and distance, against plain enumeration."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from oracle import ALL_TILES, standard_layouts

from scoring import KINDS, parse_tiles
from scoring.encoding import (
    codes_of_mask,
    count_of,
    encode,
    five_of_a_kind,
    join,
    kinds_in,
    kinds_of_mask,
    suits_of,
)
from scoring.flags import flag_mask
from scoring.reading import Reading, Shape
from scoring.shapes.distance import distance
from scoring.shapes.special import SPECIAL_SHAPES, special_shape
from scoring.shapes.standard import standard_readings, standard_waits
from scoring.shapes.suits import CLOSED, EDGE, PAIR, TRIPLET, TWO_SIDED, census, placed, splits, wanted


def codes_of(text: str) -> tuple[int, int, int, int]:
    return suits_of(encode(parse_tiles(text)))


def kind(code: str) -> int:
    return KINDS.index(code)


def layouts_of(readings: list[Reading]) -> set[tuple[tuple[str, ...], ...]]:
    """Readings as sorted sets of tiles, the winning tile's place left out."""
    found = set()
    for reading in readings:
        groups = [(KINDS[k],) * 3 for k in kinds_of_mask(reading.hand_triplets)]
        groups += [tuple(KINDS[k + step] for step in range(3)) for k in reading.hand_chows]
        groups += [(KINDS[k],) * 2 for k in kinds_of_mask(reading.pair)]
        found.add(tuple(sorted(groups)))
    return found


def test_encoding_round_trip() -> None:
    tiles = parse_tiles("1119m 5p 9s EEEE CP")
    counts = encode(tiles)
    assert join(suits_of(counts)) == counts
    assert Counter({KINDS[k]: count_of(counts, k) for k in kinds_in(counts)}) == Counter(tiles)
    assert not five_of_a_kind(counts)
    assert five_of_a_kind(counts + encode(["E"]))
    assert five_of_a_kind(encode(["9m"] * 22))
    assert codes_of_mask(1 << kind("E") | 1) == ("1m", "E")
    assert flag_mask() == 0
    with pytest.raises(KeyError):
        encode(["f1"])


@pytest.mark.parametrize("size", [14, 17])
def test_splits_are_all_layouts(size: int) -> None:
    rng = random.Random(size)
    wall = ALL_TILES * 4
    dense = [tile for tile in wall if tile[-1] == "m"] + [tile for tile in wall if tile in "CE"]
    found = 0
    for number in range(400):
        tiles = rng.sample(dense if number % 2 else wall, size) if number % 8 else _winning(rng, size)
        readings = standard_readings(suits_of(encode(tiles)), -1, 0)
        wanted_layouts = {tuple(sorted(groups for _, groups in layout)) for layout in standard_layouts(tiles)}
        assert layouts_of(readings) == wanted_layouts
        assert len(readings) == len(wanted_layouts)
        found += bool(readings)
    assert found > 40


def _winning(rng: random.Random, size: int) -> list[str]:
    while True:
        suit = rng.choice("mps")
        tiles = [rng.choice(ALL_TILES)] * 2
        for _ in range(size // 3):
            rank = rng.randint(1, 7)
            chow = [f"{rank + step}{suit}" for step in range(3)]
            tiles += chow if rng.random() < 0.7 else [rng.choice(ALL_TILES)] * 3
        if max(Counter(tiles).values()) <= 4:
            return tiles


def test_waits_are_all_completing_kinds() -> None:
    rng = random.Random(2)
    several = 0
    for _ in range(300):
        tiles = _winning(rng, 17)
        tiles.remove(rng.choice(tiles))
        mask = standard_waits(suits_of(encode(tiles)))
        expected = [tile for tile in ALL_TILES if standard_layouts([*tiles, tile])]
        assert list(codes_of_mask(mask)) == expected
        several += len(expected) > 1
    assert several > 100


@pytest.mark.parametrize(
    "text", ["123m 456p 789s 1122s 33p 2m", "147m 258p 369s ESWNCFP", "11m 22p 33s 44s 5m", "12m 45p 78s E 99p"]
)
def test_no_waits(text: str) -> None:
    assert standard_waits(codes_of(text)) == 0


def test_four_pairs_in_four_suits_are_no_hand() -> None:
    assert standard_readings(codes_of("11m 234m 55p 678p 99s 123s CC"), -1, 0) == []


@pytest.mark.parametrize(
    ("text", "win", "places"),
    [
        ("123m 11p", "1m", [(TWO_SIDED, "1m")]),
        ("123m 11p", "3m", [(EDGE, "1m")]),
        ("123m 11p", "2m", [(CLOSED, "1m")]),
        ("789m 11p", "7m", [(EDGE, "7m")]),
        ("789m 11p", "9m", [(TWO_SIDED, "7m")]),
        ("111m 11p", "1m", [(TRIPLET, "1m")]),
        ("123m 33m", "3m", [(PAIR, "3m"), (EDGE, "1m")]),
        ("111123m 55p", "1m", [(TRIPLET, "1m"), (TWO_SIDED, "1m")]),
        ("123123m 55p", "2m", [(CLOSED, "1m")]),
        ("234345m 55p", "3m", [(CLOSED, "2m"), (TWO_SIDED, "3m")]),
    ],
)
def test_winning_tile_in_every_set_it_could_complete(text: str, win: str, places: list[tuple[int, str]]) -> None:
    readings = standard_readings(codes_of(text), kind(win), 0)
    assert [(reading.place, KINDS[reading.place_kind]) for reading in readings] == places


def test_suit_tables() -> None:
    code = codes_of("111222333m")[0]
    assert len(splits(0, code)) == 2
    assert splits(0, codes_of("1m")[0]) == ()
    assert placed(0, codes_of("12m")[0], 0) == ()
    assert wanted(0, code) == 0
    assert wanted(3, codes_of("EE")[3]) == 1
    assert wanted(3, codes_of("ESW")[3] + 1) == 0
    assert census(codes_of("1223334444m")[0]) == 0x01010101


SHAPE_CASES: list[tuple[Shape, bool, str, str, bool]] = [
    ("ligu", False, "1133m 5577p 2244s EE 888s", "8s", True),
    ("ligu", False, "1133m 5577p 2244s 8888s 1m", "1m", False),
    ("ligu", True, "11333m 5577p 2244s 8888s", "3m", True),
    ("ligu", False, "11333m 5577p 2244s 8888s", "3m", False),
    ("seven_pairs", False, "1133m 5577p 2244s EE", "E", True),
    ("seven_pairs", True, "1111m 5577p 2244s EE", "E", True),
    ("seven_pairs", False, "1111m 5577p 2244s EE", "E", False),
    ("seven_pairs", False, "1133m 5577p 2244s ES", "E", False),
    ("orphans", False, "19m 19p 19s ESWNCFP E", "E", True),
    ("orphans", False, "19m 19p 19s ESWNCFP 1m", "9m", True),
    ("orphans", False, "19m 19p 19s ESWNCF EE", "E", False),
    ("orphans", False, "19m 19p 18s ESWNCFP E", "E", False),
    ("orphans_set", False, "19m 19p 19s ESWNCFP 1m 234s", "4s", True),
    ("orphans_set", False, "19m 19p 19s ESWNCFP 1m EEE", "E", True),
    ("orphans_set", False, "19m 19p 19s ESWNCFP E 123s", "1s", True),
    ("orphans_set", False, "19m 19p 19s ESWNCFP 5m 234s", "4s", False),
    ("orphans_set", False, "19m 19p 19s ESWNCFP 1m 23s 4m", "4m", False),
    ("orphans_set", False, "19m 19p 19s ESWNCFP 1m 235s", "5s", False),
    ("orphans_set", False, "19m 19p 19s ESWNCFF 1m 234s", "4s", False),
    ("unconnected", False, "147m 159s 269p ESWNCFP E", "E", True),
    ("unconnected", False, "147m 159s 269p ESWNCFP 4m", "4m", True),
    ("unconnected", False, "146m 159s 269p ESWNCFP E", "E", False),
    ("unconnected", False, "147m 159s 168p ESWNCFP 6p", "6p", False),
    ("unconnected", False, "14m 159s 2699p ESWNCFP E", "E", False),
    ("unconnected", False, "147m 159s 269p ESWNCF E 8m", "E", False),
    ("unconnected", False, "147m 159s 2699p ESWNCF E", "E", False),
]


@pytest.mark.parametrize(("name", "quads", "text", "win", "complete"), SHAPE_CASES)
def test_special_shape(name: Shape, quads: bool, text: str, win: str, complete: bool) -> None:
    shape = special_shape(name, quads)
    codes = codes_of(text)
    readings = shape.readings(codes, kind(win))
    assert bool(readings) == complete
    assert bool(shape.readings(codes, -1)) == complete
    assert all(reading.shape == name and reading.place for reading in readings)
    assert (shape.size - shape.kept(join(codes)) == 0) == complete
    assert distance(codes, standard=False, shapes=[shape]) == shape.size - shape.kept(join(codes))


@pytest.mark.parametrize("name", SPECIAL_SHAPES)
@pytest.mark.parametrize("quads", [False, True])
def test_special_waits_are_all_completing_kinds(name: Shape, quads: bool) -> None:
    shape = special_shape(name, quads)
    for case_name, case_quads, text, _, complete in SHAPE_CASES:
        if case_name != name or not complete or (case_quads and not quads):
            continue
        tiles = parse_tiles(text)
        for gone in set(tiles):
            rest = list(tiles)
            rest.remove(gone)
            expected = [
                tile
                for tile in ALL_TILES
                if rest.count(tile) < 4 and shape.readings(suits_of(encode([*rest, tile])), kind(tile))
            ]
            assert list(codes_of_mask(shape.waits(suits_of(encode(rest))))) == expected
            assert gone in expected


def test_nothing_waits_far_away() -> None:
    for name in SPECIAL_SHAPES:
        assert special_shape(name).waits(codes_of("123456789m 123456p E")) == 0
    with pytest.raises(KeyError):
        special_shape("standard")


def test_orphans_with_a_set_offer_every_place_of_the_winning_tile() -> None:
    readings = special_shape("orphans_set").readings(codes_of("19m 19p 19s ESWNCFP E 123s"), kind("1s"))
    assert {reading.place for reading in readings} == {PAIR, TWO_SIDED}
    triplet = special_shape("orphans_set").readings(codes_of("19m 19p 19s ESWNCFP EEE 1m"), kind("E"))
    assert {reading.place for reading in triplet} == {PAIR, TRIPLET}


# --- distance --------------------------------------------------------------------------------------------------------


def brute_distance(tiles: list[str], limit: int) -> int:
    """Exchanges needed, by trying them all: every choice of tiles to give and of tiles to take, up to `limit`."""
    if standard_layouts(tiles):
        return 0
    for exchanged in range(1, limit + 1):
        for given in combinations(range(len(tiles)), exchanged):
            rest = [tile for at, tile in enumerate(tiles) if at not in given]
            if _completable(rest, exchanged):
                return exchanged
    return limit + 1


def _completable(tiles: list[str], missing: int) -> bool:
    held = Counter(tiles)
    near = sorted({tile for tile in SMALL if held[tile] < 4})
    if missing == 0:
        return bool(standard_layouts(tiles))
    return any(_completable([*tiles, tile], missing - 1) for tile in near)


SMALL = [f"{rank}m" for rank in range(1, 8)] + ["E", "C"]


def test_distance_is_the_fewest_exchanges() -> None:
    rng = random.Random(4)
    for _ in range(40):
        tiles = rng.sample(SMALL * 4, 8)
        expected = brute_distance(tiles, 2)
        got = distance(suits_of(encode(tiles)))
        assert min(got, 3) == expected, tiles


@pytest.mark.parametrize(
    ("text", "melded", "tiles"),
    [
        ("123m 456m 789p 234s 678s 55p", "", 0),
        ("123m 456m 789p 234s 679s 55p", "", 1),
        ("147m 258p 369s ESWNCFP E", "", 10),
        ("23m 55p E", "", 1),
        ("EE CC F", "", 1),
        ("EE CC F", "EECC", 2),
        ("55p", "", 0),
        ("5p6p", "", 1),
    ],
)
def test_distance_cases(text: str, melded: str, tiles: int) -> None:
    assert distance(codes_of(text), encode(parse_tiles(melded))) == tiles


def test_kept_of_special_shapes() -> None:
    kept = {name: special_shape(name).kept for name in SPECIAL_SHAPES}
    counts = encode(parse_tiles("1133m 5577p 2244s EE 88s E"))
    assert kept["ligu"](counts) == 17
    assert kept["ligu"](encode(parse_tiles("1133m 5577p 2244s ES 88s W"))) == 15
    assert special_shape("ligu", True).kept(encode(parse_tiles("1111m 5577p 2244s EE 888s"))) == 17
    assert special_shape("ligu").kept(encode(parse_tiles("1111m 5577p 2244s EE 888s"))) == 15
    assert kept["seven_pairs"](encode(parse_tiles("1111m 5577p 2244s EE"))) == 12
    assert kept["orphans"](encode(parse_tiles("123456789m 123p E"))) == 4
    assert kept["orphans_set"](encode(parse_tiles("19m 19p 19s ESWNCFP 1m 23s 5s"))) == 16
    assert kept["orphans_set"](encode(parse_tiles("19m 19p 19s ESWNCFP EEE F"))) == 17
    assert kept["unconnected"](encode(parse_tiles("147m 159s 269p ESWNCF 9p 9s"))) == 16
    assert kept["unconnected"](encode(parse_tiles("147m 159s 269p ESWNCFP 2m"))) == 16
