"""Whole scenes: the same for a seed, complete, legal, written in the order of the class list."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.training.classes import CLASSES
from vision.training.render import grounds, render_scene, scenes
from vision.training.render.deals import KINDS, Bag, random_hand
from vision.training.render.render import ARRANGEMENTS
from vision.training.render.sets import SetShelf, Sources

SMALL = (320, 256)


@pytest.mark.parametrize("layout", list(ARRANGEMENTS))
def test_every_layout_renders_and_repeats_to_the_byte(layout: str) -> None:
    first = render_scene(5, layout=layout, size=SMALL)
    again = render_scene(5, layout=layout, size=SMALL)
    assert first.image.shape == (256, 320, 3)
    assert first.image.dtype == np.uint8
    assert np.array_equal(first.image, again.image)
    assert first.to_json() == again.to_json()
    assert first.tiles
    assert 10 < first.image.mean() < 245
    assert {t.code for t in first.tiles} <= set(CLASSES)


def test_a_seed_gives_the_same_scene_whatever_was_rendered_before() -> None:
    alone = render_scene(77, size=SMALL)
    for scene in scenes(74, 4, size=SMALL):
        last = scene
    assert np.array_equal(alone.image, last.image)
    assert not np.array_equal(alone.image, render_scene(78, size=SMALL).image)


def test_table_tops_are_made_once() -> None:
    """One takes longer than a whole picture, and there are few."""
    tops = [(kind, number) for kind, (_, count) in grounds._KINDS.items() for number in range(count)]
    for top in tops:
        for level in range(grounds._LEVELS):
            grounds.bank(*top, level)
    before = grounds.bank.cache_info().misses
    for top in tops:
        assert grounds.bank(*top, 0).shape == (grounds._SIDE, grounds._SIDE)
    assert grounds.bank.cache_info().misses == before


def test_another_process_renders_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "vision.training.render", "--out", str(tmp_path), "-n", "3", "--seed", "40"]
    done = subprocess.run([*command, "--size", "320x256"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for seed in (40, 41, 42):
        scene = render_scene(seed, size=SMALL)
        labels = (tmp_path / "labels" / f"render_{seed:07d}.txt").read_text().split("\n")
        assert [line for line in labels if line] == scene.labels(CLASSES)
        truth = json.loads((tmp_path / "truth" / f"render_{seed:07d}.json").read_text())
        assert truth == json.loads(json.dumps(scene.to_json()))
        assert cv2.imread(str(tmp_path / "images" / f"render_{seed:07d}.jpg")).shape == (256, 320, 3)
    assert "42: 'back'" in (tmp_path / "data.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--size", "640"], "WIDTHxHEIGHT"), (["-n", "0"], "at least one"), (["--faces", "/nowhere"], "no such folder")],
)
def test_bad_arguments_say_what_to_do(tmp_path: Path, arguments: list[str], says: str) -> None:
    command = [sys.executable, "-m", "vision.training.render", "--out", str(tmp_path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_unknown_layout_lists_the_known() -> None:
    with pytest.raises(ValueError, match="hand, grid"):
        render_scene(1, layout="moon")


def test_hands_in_scenes_match_their_tiles() -> None:
    for seed in range(4):
        scene = render_scene(seed, layout="win", size=SMALL)
        winners = [hand for hand in scene.hands if hand.wins]
        assert len(winners) == 1
        hand = winners[0]
        assert hand.win_tile in hand.concealed
        assert len(hand.concealed) + 3 * len(hand.melds) == 17
        seat = scene.hands.index(hand)
        shown = Counter(t.tile for t in scene.tiles if t.seat == seat and t.role in ("hand", "win"))
        assert not shown - Counter(hand.concealed)
        for tile in scene.tiles:
            if tile.role == "meld":
                assert tile.kind in ("chow", "pung", "kong_exposed", "kong_added", "kong_concealed")
    used = Counter(t.tile for t in scene.tiles)
    assert all(n <= (1 if code[0] == "f" else 4) for code, n in used.items())


def test_random_hands_are_legal() -> None:
    for seed in range(200):
        bag = Bag(np.random.default_rng(seed))
        hand = random_hand(bag, 5, wins=True)
        tiles = Counter([*hand.concealed, *(t for _, meld in hand.melds for t in meld)])
        assert max(tiles.values()) <= 4
        assert len(hand.concealed) + 3 * len(hand.melds) == 17


def test_a_bag_gives_every_tile_once() -> None:
    for seed in range(20):
        bag = Bag(np.random.default_rng(seed))
        assert Counter(bag.single() for _ in range(4 * len(KINDS))) == dict.fromkeys(KINDS, 4)


def test_sets_differ_and_repeat() -> None:
    shelf, other = SetShelf(), SetShelf(keep=1)
    faces = [shelf.get(n).face("5m", 1) for n in range(4)]
    assert all(np.array_equal(face, other.get(n).face("5m", 1)) for n, face in enumerate(faces))
    assert len({face.tobytes() for face in faces}) == 4


def test_wider_sets_are_cast_in_blocks_of_any_brightness_and_the_usual_ones_stay() -> None:
    usual, wide = SetShelf(keep=1), SetShelf(Sources(wide=True), keep=1)
    bright = [max(wide.get(n).body.face_colour) for n in range(300)]
    shares = [np.mean([low <= value < high for value in bright]) for low, high in ((0, 100), (100, 219), (219, 256))]
    assert shares == pytest.approx([0.2, 0.2, 0.6], abs=0.07)
    same = [wide.get(n).body == usual.get(n).body for n in range(300)]
    assert 0.7 < np.mean(same) < 0.9  # all but the tinted ones


@pytest.mark.shared
def test_real_faces_are_used_where_they_are_beside_the_checkout() -> None:
    data = Path(__file__).parents[4] / "shared" / "data"
    if not (data / "crops").is_dir():
        pytest.skip("no ../shared/data/crops beside the checkout")
    sources = Sources.beside(data)
    assert len(sources.crop_sets()) > 10
    assert not [p for p in sources.art_folders() if "taksuyu" in str(p)]
    names = {SetShelf(sources).get(n).name.split("-")[0] for n in range(14)}
    assert names >= {"crops", "drawn"}
    scene = render_scene(3, size=SMALL, sources=sources)
    assert np.array_equal(scene.image, render_scene(3, size=SMALL, sources=sources).image)
