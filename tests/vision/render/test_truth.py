"""The truth of a scene is measured in the picture itself."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.random import default_rng

from vision.training.render import tabletop
from vision.training.render.arrange import ARRANGEMENTS
from vision.training.render.geometry import fit
from vision.training.render.light import Lighting
from vision.training.render.placing import DOWN, STAND, Placed
from vision.training.render.render import points_of
from vision.training.render.scene import READABLE, paint_scene, truths
from vision.training.render.sets import TileSet

Colour = Callable[[str], tuple[int, int, int]]
SIZE = (480, 400)


def _paint(placed: list[Placed], tiles: TileSet, light: Lighting, view: tuple[float, float, float]):
    camera = fit(points_of(placed, tiles.body), *view, 700.0, SIZE, 0.8)
    stage = paint_scene(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), camera, light, placed, tiles, (), 0.0)
    return stage, truths(stage, placed, tiles)


def _pixels(image: np.ndarray, colour: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    wanted = np.array(colour, np.float32)
    return np.nonzero((np.abs(image.astype(np.float32) - wanted) < 7).all(2))


@pytest.mark.parametrize("view", [(0, 89, 0), (25, 55, 8), (180, 35, -20), (90, 60, 90)])
def test_boxes_hold_exactly_the_face(flat_tiles: TileSet, even_light: Lighting, colour: Colour, view) -> None:
    codes = ["1m", "5p", "E", "f3", "C"]
    placed = [Placed(code, i * 60.0, (i % 2) * 50.0, 0.0, angle=i * 33.0) for i, code in enumerate(codes)]
    stage, tiles = _paint(placed, flat_tiles, even_light, view)
    assert [t.code for t in tiles] == codes
    for tile in tiles:
        ys, xs = _pixels(stage.image, colour(tile.code))
        seen = np.array([xs.min(), ys.min(), xs.max() + 1, ys.max() + 1])
        # the painted face is the whole front, bevels too; the box goes round its flat part
        edge = np.linalg.norm(np.array(tile.quad[1]) - np.array(tile.quad[0])) / 26.0 * 1.6
        assert np.abs(np.array(tile.box) - seen).max() <= 1.3 * edge + 1, (tile.code, tile.box, seen)
        assert (np.array(tile.box)[:2] > seen[:2] - 1).all() and (np.array(tile.box)[2:] < seen[2:] + 1).all()
        assert tile.visible > 0.97
        assert not tile.ignore


def test_corners_say_which_way_a_face_stands(flat_tiles: TileSet, even_light: Lighting) -> None:
    placed = [Placed("1m", 0, 0, 0, angle=0), Placed("2m", 80, 0, 0, angle=-90), Placed("3m", 160, 0, 0, angle=180)]
    _, tiles = _paint(placed, flat_tiles, even_light, (0, 89, 0))
    assert [round(t.angle) % 360 for t in tiles] == [0, 90, 180]
    for tile in tiles:
        quad = np.array(tile.quad, np.float32)
        assert cv2.contourArea(quad, oriented=True) > 0  # clockwise as seen: never a mirror image
        width, height = np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])
        assert 0.68 < width / height < 0.8


def test_face_down_and_turned_away_tiles_are_backs(flat_tiles: TileSet, even_light: Lighting) -> None:
    placed = [Placed("1m", 0, 0, 0, lie=DOWN), Placed("2m", 60, 0, 0, lie=STAND), Placed("3m", 120, 0, 0, 180, STAND)]
    _, tiles = _paint(placed, flat_tiles, even_light, (0, 40, 0))
    assert [(t.code, t.tile) for t in tiles] == [("back", "1m"), ("2m", "2m"), ("back", "3m")]


def test_hidden_tiles_are_left_out_and_nearly_hidden_ones_ignored(flat_tiles: TileSet, even_light: Lighting) -> None:
    body = flat_tiles.body
    under = Placed("1m", 0, 0, 0)
    half = Placed("2m", 100, 0, 0)
    placed = [
        under, Placed("3m", 0, 0, body.depth),  # wholly covered
        half, Placed("4m", 100 + body.width * 0.5, 0, body.depth),  # half covered
        Placed("5m", 200, 0, 0), Placed("6m", 200 + body.width * 0.2, 2, body.depth),  # a strip to be seen
    ]  # fmt: skip
    _, tiles = _paint(placed, flat_tiles, even_light, (0, 88, 0))
    by_code = {t.code: t for t in tiles}
    assert "1m" not in by_code
    assert 0.4 < by_code["2m"].visible < 0.6
    assert not by_code["2m"].ignore
    assert by_code["5m"].visible < READABLE
    assert by_code["5m"].ignore
    x1, _, x2, _ = by_code["2m"].box
    whole = by_code["4m"].box
    assert x2 - x1 < 0.66 * (whole[2] - whole[0])  # the box goes round the visible part only


def test_kongs_are_seen_with_a_tile_on_top(flat_tiles: TileSet) -> None:
    stacked = 0
    for seed in range(12):
        placed = tabletop.kong_seat(flat_tiles.body, default_rng(seed)).placed
        stacked += sum(t.role == "meld" and t.z > 0 for t in placed)
        melds = [t for t in placed if t.role == "meld"]
        assert all(len({t.code for t in melds if (t.seat, t.group) == (m.seat, m.group)}) in (1, 3) for m in melds)
    assert stacked > 6


@pytest.mark.parametrize("name", ["hand", "grid", "pile", "rack", "pool", "wall"])
def test_every_arrangement_owns_its_pixels(
    flat_tiles: TileSet, even_light: Lighting, colour: Colour, name: str
) -> None:
    for seed in range(3):
        rng = default_rng(seed)
        placed = ARRANGEMENTS[name](flat_tiles.body, rng).placed
        stage, tiles = _paint(placed, flat_tiles, even_light, (float(rng.uniform(-40, 40)), 62, 0))
        assert len(tiles) > 1
        for tile in tiles:
            x1, y1, x2, y2 = tile.box
            assert 0 <= x1 < x2 <= SIZE[0] and 0 <= y1 < y2 <= SIZE[1]
            if tile.visible > 0.97 and not tile.ignore:
                middle = np.array(tile.quad).mean(0).astype(int)
                if 0 < middle[0] < SIZE[0] - 1 and 0 < middle[1] < SIZE[1] - 1:
                    seen = stage.image[middle[1], middle[0]].astype(int)
                    ratio = seen / np.maximum(np.array(colour(tile.code)), 1)
                    assert np.ptp(ratio[np.array(colour(tile.code)) > 30]) < 0.12, (name, seed, tile.code, seen)


def test_no_two_tiles_share_a_place(flat_tiles: TileSet) -> None:
    """Nothing is laid into anything else: middles of tiles on the same level keep their distance."""
    for name, arrange in ARRANGEMENTS.items():
        for seed in range(6):
            placed = arrange(flat_tiles.body, default_rng(seed)).placed
            for i, a in enumerate(placed):
                for b in placed[i + 1 :]:
                    if abs(a.z - b.z) < 5 and a.lie != STAND:
                        gap = float(np.hypot(a.x - b.x, a.y - b.y))
                        assert gap > flat_tiles.body.width * 0.93, (name, seed, a, b)
