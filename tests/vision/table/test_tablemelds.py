"""What lies open before a player in the middle of a hand, from boxes; and all tiles of a table held together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vision.observation import TileObservation
from vision.table_eye import Eye
from vision.tablemelds import LaidOpen, laid_open
from vision.tilecounts import settle

SIZE = (1080, 350)  # a seat's zone, pixels: the table's side is 1000
WIDTH, HEIGHT = 30.0, 40.0
ROW = 255.0  # where sets lie, near the player's edge
WALL = 120.0


def row(
    codes: str, x: float, y: float = ROW, odds: dict[int, tuple[tuple[str, float], ...]] | None = None
) -> list[TileObservation]:
    """Tiles side by side from `x` on; `odds` of those (by place) that are not sure."""
    tiles = []
    for place, code in enumerate(codes.split()):
        left = x + place * WIDTH * 1.01
        tiles.append(
            TileObservation(
                code,
                (left, y, left + WIDTH, y + HEIGHT),
                0.98,
                (odds or {}).get(place, ((code, 0.995), ("P", 0.003))),
                0.0 if code != "back" else None,
            )
        )
    return tiles


def read(tiles: list[TileObservation]) -> list[tuple[str, str]]:
    return [(one.kind, " ".join(one.tiles)) for one in laid_open(tiles, SIZE).sets]


def test_sets_and_flowers_of_an_unfinished_hand() -> None:
    tiles = row("f3 f6", 150, 215) + row("7s 8s 9s", 700) + row("E E E", 820)
    laid = laid_open(tiles, SIZE)
    assert laid.flowers == ("f3", "f6")
    assert sorted((s.kind, s.tiles[0]) for s in laid.sets) == [("chow", "7s"), ("pung", "E")]
    assert all(s.confidence > 0.9 for s in laid.sets)
    places = {s.kind: s.place for s in laid.sets}
    assert places["chow"] == pytest.approx(0.7, abs=0.02)
    assert places["pung"] == pytest.approx(0.82, abs=0.02)


@pytest.mark.parametrize(
    ("codes", "kind"),
    [("5p 5p 5p 5p", "kong"), ("back 5p 5p back", "kong_concealed"), ("back back back back", "kong_concealed")],
)
def test_kongs(codes: str, kind: str) -> None:
    ((found, tiles),) = read(row(codes, 700))
    assert found == kind
    assert tiles in ("5p 5p 5p 5p", "back back back back")


def test_a_stacked_kong_is_told_by_where_the_camera_is() -> None:
    """The upper tile of three, sideways, seems shifted up and to the right, over the middle one."""
    boxes = [(1275.7, 286.1, 1325.7, 325.9), (1325.4, 287.5, 1362.2, 335.4), (1364.0, 287.3, 1403.2, 337.6)]
    three = [TileObservation("P", box, 0.92, (("P", 0.999),)) for box in boxes]
    ((kong,),) = (laid_open(three, (1515, 491), Eye(776, 1094, 2065)).sets,)
    assert (kong.kind, kong.tiles) == ("kong", ("P",) * 4)
    ((pung,),) = (laid_open(three, (1515, 491), Eye(776, -1094, 2065)).sets,)
    assert (pung.kind, pung.tiles) == ("pung", ("P",) * 3)


def test_the_wall_and_three_tiles_that_are_no_set_are_none() -> None:
    assert laid_open(row("back back back back", 300, WALL), SIZE) == LaidOpen()
    assert read(row("1m 5p E", 700)) == []
    assert read(row("1m 2m", 700)) == []


def test_the_tops_of_standing_tiles_are_no_set_of_blank_ones() -> None:
    assert read(row("P P P", 700)) == [("pung", "P P P")]
    assert read(row("P P P", 300) + row("P P", 480)) == []


def test_a_kong_of_which_a_back_is_hidden_beneath_a_face() -> None:
    assert read(row("back back 5p", 700)) == [("kong_concealed", "5p 5p 5p 5p")]
    assert read(row("back back back", 700)) == [("kong_concealed", "back back back back")]
    assert read(row("back 5p 6p", 700)) == []


def test_whether_three_alike_hide_a_fourth_is_as_sure_as_it_shows() -> None:
    three = row("5p 5p 5p", 700)
    x1, y1, x2, y2 = three[1].box
    (found,) = laid_open([three[0], replace(three[1], box=(x1, y1 - 3, x2, y2 - 3)), three[2]], SIZE).sets
    chances = {found.kind: found.confidence} | {kind: sure for kind, _, sure in found.others}
    assert chances.keys() == {"pung", "kong"}
    assert all(0.02 < chance < 0.98 for chance in chances.values())


def test_a_chow_in_an_odd_order_is_less_likely_than_three_alike() -> None:
    """As in reading a whole hand."""
    odds = {0: (("2m", 0.7), ("9s", 0.3)), 1: (("3m", 0.6), ("2m", 0.4)), 2: (("1m", 0.55), ("2m", 0.45))}
    (found,) = laid_open(row("2m 3m 1m", 700, odds=odds), SIZE).sets
    assert (found.kind, found.tiles) == ("pung", ("2m",) * 3)
    (chow,) = laid_open(row("2m 3m 1m", 700), SIZE).sets
    assert (chow.kind, chow.tiles) == ("chow", ("1m", "2m", "3m"))


def test_a_set_tells_what_an_unsure_tile_is() -> None:
    """Alone the middle tile would be taken for 3m; between these two it is 2m."""
    unsure = {1: (("3m", 0.6), ("2m", 0.4))}
    laid = laid_open(row("1m 2m 3m", 700, odds=unsure), SIZE)
    assert laid.sets[0].tiles == ("1m", "2m", "3m")
    assert laid.sets[0].confidence < 0.5
    both = {0: (("1m", 0.5), ("2m", 0.5)), 2: (("3m", 0.5), ("2m", 0.5))}
    laid = laid_open(row("1m 2m 3m", 700, odds=both), SIZE)
    kinds = {kind for kind, _, _ in laid.sets[0].others} | {laid.sets[0].kind}
    assert kinds == {"chow", "pung"}


def test_no_tile_is_there_more_often_than_the_game_has_it() -> None:
    pung = [(("3m", "3m", "3m"), 0.99)]
    chow = [(("2m", "3m", "4m"), 0.95)]
    discard = [(("3m",), 0.55), (("2m",), 0.44)]
    assert settle([discard, pung, chow]) == [1, 0, 0]
    assert settle([discard, pung]) == [0, 0]
    other = [(("3m",), 0.52), (("8m",), 0.47)]
    assert settle([discard, other, pung]) == [0, 1, 0], "the one that costs less gives way"
    assert settle([[(("3m",), 0.9)], pung, chow]) == [0, 0, 0], "nobody else can give way: nothing is made up"
    assert settle([[(("f1",), 0.6), (("f5",), 0.4)], [(("f1",), 0.9)]]) == [1, 0]
    assert settle([]) == []
