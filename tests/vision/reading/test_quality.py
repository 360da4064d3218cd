"""Faults of a picture are noticed and named; a good picture passes without a word."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.observation import TileObservation
from vision.quality import assess

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "real"


def table(tile: int = 40, light: float = 1.0) -> tuple[np.ndarray, list[TileObservation]]:
    """A green cloth with a row of white tiles, each with dark strokes, and the boxes."""
    image = np.full((12 * tile, 16 * tile, 3), (60, 110, 40), np.uint8)
    rng = np.random.default_rng(1)
    tiles = []
    for number in range(12):
        x, y = int(tile * (1.5 + number * 1.05)), 5 * tile
        height = int(tile * 1.33)
        image[y : y + height, x : x + tile] = (225, 228, 230)
        for _ in range(5):
            a = rng.integers(tile // 6, tile - tile // 6, 2)
            b = rng.integers(tile // 6, height - tile // 6, 2)
            start, end = (int(x + a[0]), int(y + b[0])), (int(x + a[1]), int(y + b[1]))
            cv2.line(image, start, end, (40, 30, 120), max(1, tile // 12), cv2.LINE_AA)
        tiles.append(TileObservation("1m", (x, y, x + tile, y + height), 0.9))
    return (image * light).astype(np.uint8), tiles


def kinds(image: np.ndarray, tiles: list[TileObservation]) -> dict[str, bool]:
    return {note.kind: note.severe for note in assess(image, tiles)}


def test_a_good_picture_has_no_fault() -> None:
    assert kinds(*table()) == {}


@pytest.mark.parametrize(("light", "expected"), [(0.38, {"dark": False}), (0.2, {"dark": True})])
def test_dark(light: float, expected: dict[str, bool]) -> None:
    image, tiles = table(light=light)
    assert kinds(image, tiles).get("dark") == expected["dark"]
    assert "light" in assess(image, tiles)[0].message_en


def test_black_picture_without_tiles_is_dark() -> None:
    assert kinds(np.zeros((100, 100, 3), np.uint8), []) == {"dark": True}


@pytest.mark.parametrize(("sigma", "told"), [(0, False), (1, False), (3, True), (6, True)])
def test_a_picture_so_blurred_that_no_tiles_are_found_in_it_says_so(sigma: float, told: bool) -> None:
    """A table far out of focus was said to have no tiles on it, to be moved nearer."""
    image, _ = table()
    seen = cv2.GaussianBlur(image, (0, 0), sigma) if sigma else image
    assert ("blurred" in kinds(seen, [])) is told


def test_a_bare_cloth_with_a_soft_shadow_is_not_blurred() -> None:
    shade = np.tile(np.linspace(60, 200, 400), (300, 1))[..., None].repeat(3, axis=2)
    noisy = np.clip(shade + np.random.default_rng(2).normal(0, 3, shade.shape), 0, 255).astype(np.uint8)
    assert kinds(noisy, []) == {}


def test_blurred() -> None:
    image, tiles = table()
    soft = cv2.GaussianBlur(image, (0, 0), 2.4)
    very = cv2.GaussianBlur(image, (0, 0), 6)
    assert kinds(soft, tiles).get("blurred") is True  # every second hand of these is read wrong: never without a word
    assert kinds(very, tiles).get("blurred") is True


def test_blur_is_judged_at_the_size_of_the_tiles() -> None:
    image, tiles = table(tile=160)
    assert "blurred" not in kinds(cv2.GaussianBlur(image, (0, 0), 2.4), tiles)


def test_small() -> None:
    image, tiles = table(tile=18)
    assert kinds(image, tiles).get("small") is False
    image, tiles = table(tile=10)
    assert kinds(image, tiles).get("small") is True


def test_glare_names_the_tile() -> None:
    image, tiles = table()
    x1, y1, x2, y2 = (int(v) for v in tiles[4].box)
    image[y1:y2, x1 : x2 - 8] = 255
    note = next(n for n in assess(image, tiles) if n.kind == "glare")
    assert not note.severe
    assert note.box == tiles[4].box


def test_cut_off() -> None:
    image, tiles = table()
    x1 = int(tiles[0].box[0]) + 10
    moved = [TileObservation("1m", (max(0, t.box[0] - x1), t.box[1], t.box[2] - x1, t.box[3]), 0.9) for t in tiles]
    assert "cut_off" in kinds(image[:, x1:], moved)


def test_a_persons_hand_between_the_tiles_but_not_a_wooden_table() -> None:
    skin = (120, 150, 205)
    image, tiles = table()
    x, y = int(tiles[5].box[0]), int(tiles[5].box[1])
    cv2.ellipse(image, (x + 60, y + 40), (70, 40), 20, 0, 360, skin, -1)
    assert "person" in kinds(image, tiles[:5] + tiles[9:])
    wood, tiles = table()
    wood[(wood == (60, 110, 40)).all(axis=2)] = skin
    assert "person" not in kinds(wood, tiles)


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="the photos beside the checkout are not there")
def test_real_photos_are_mostly_without_fault() -> None:
    files = sorted((SHARED / "images" / "val").glob("*.jpg"))[::6]
    severe = 0
    for file in files:
        image = cv2.imread(str(file))
        height, width = image.shape[:2]
        tiles = []
        for line in (SHARED / "labels" / "val" / f"{file.stem}.txt").read_text().splitlines():
            x, y, w, h = (float(v) for v in line.split()[1:])
            box = ((x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height)
            tiles.append(TileObservation("1m", box, 0.9))
        severe += any(note.severe for note in assess(image, tiles))
    assert severe == 0
