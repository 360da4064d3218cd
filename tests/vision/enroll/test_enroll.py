"""Enrolling a set mends what is misread, leaves alone what is read well, and survives being stored."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vision.enroll import Described, EnrolError, Features, Profile, Shot, choose, describe_shots, learn
from vision.enroll_crops import fit_crop, tile_crops, variants
from vision.enroll_report import report
from vision.enroll_session import Enrolment
from vision.enroll_store import ProfileStore, Recogniser, check_name, recognise
from vision.observation import TileObservation

Shots = Callable[..., list[Shot]]


def right(reader: Any, shots: list[Shot], profile: Profile | None = None) -> float:
    features = reader.describe(np.stack([shot.crop for shot in shots]))
    odds = features.odds if profile is None else profile.judge(features)
    return float(np.mean([reader.names[k] == shot.code for k, shot in zip(odds.argmax(axis=1), shots, strict=True)]))


def test_an_unseen_set_is_named_better_and_a_known_one_no_worse(reader: Any, shots: Shots) -> None:
    gains = []
    for style in range(1, 7):
        profile = learn(shots(style), reader, f"set {style}")
        test = shots(style, 6, seed=99)
        gains.append(right(reader, test, profile) - right(reader, test))
    assert np.mean(gains) > 0.1 and min(gains) > -0.03
    known = learn(shots(0), reader, "known")
    test = shots(0, 6, seed=99)
    assert right(reader, test, known) >= right(reader, test) - 0.01


@pytest.mark.parametrize(("bad_light", "helped"), [("1m", True), ("own", False)])
def test_a_set_read_well_only_at_its_best_still_needs_help(bad_light: str, helped: bool) -> None:
    names, shots, rng = ("1m", "2m"), 24, np.random.default_rng(3)
    codes = tuple(names[k % 2] for k in range(shots))
    label = np.array([names.index(code) for code in codes])
    odds = np.empty((shots, 3, 2), np.float32)
    odds[np.arange(shots), :, label], odds[np.arange(shots), :, 1 - label] = 0.99, 0.01
    if bad_light == "1m":  # laid out well every tile is read; in both distorted forms all are taken for 1m
        odds[:, 1:] = (0.6, 0.4)
    embedding = rng.normal(0, 0.05, (shots, 3, 4)).astype(np.float32)
    embedding[np.arange(shots), :, label] += 1
    described = Described(codes, tuple(f"photo {k // 8}" for k in range(shots)), odds, embedding)
    assert (choose(described, names) != (0.0, 0.0)) is helped


def test_tiles_unlike_all_that_was_learnt_do_not_become_sure(reader: Any, shots: Shots) -> None:
    """Tiles that look like none of the enrolled ones are hardly surely any of them: one in seven was, and wrongly."""
    for style in range(1, 7):
        profile = learn(shots(style), reader, f"set {style}")
        others = shots(20 + style, 4, seed=99)
        features = reader.describe(np.stack([shot.crop for shot in others]))
        odds = profile.judge(features)
        assert np.allclose(odds.sum(axis=1), 1, atol=1e-5)
        named = [reader.names[k] for k in odds.argmax(axis=1)]
        sure = odds.max(axis=1) > 0.9
        assert not [shot.code for s, n, shot in zip(sure, named, others, strict=True) if s and n != shot.code]


def test_one_crop_a_face_is_enough_to_gain(reader: Any, shots: Shots) -> None:
    gains = []
    for style in range(1, 7):
        test = shots(style, 6, seed=99)
        gains.append(right(reader, test, learn(shots(style, 1), reader, "one")) - right(reader, test))
    assert np.mean(gains) > 0.03


def test_faces_that_were_not_enrolled_can_still_be_named(reader: Any, shots: Shots) -> None:
    some = [shot for shot in shots(0) if shot.code not in ("E", "S")]
    profile = learn(some, reader, "some")
    others = [shot for shot in shots(0, 4, seed=5) if shot.code in ("E", "S")]
    assert right(reader, others, profile) > 0.85
    features = reader.describe(np.stack([shot.crop for shot in others]))
    assert np.allclose(profile.judge(features).sum(axis=1), 1, atol=1e-5)


def test_the_report_holds_photos_back(reader: Any, shots: Shots) -> None:
    described = describe_shots(shots(3, 4), reader)
    found = report(described, reader, (*reader.names, "f1"))
    assert found.held_back == 4 and found.tiles == len(described.codes)
    assert found.right_after - found.right_before == found.mended - found.broken
    assert found.missing == ("f1",)
    assert sum(c.times for c in found.confused) <= found.tiles - found.right_after
    assert "→" in found.lines()[0] and json.dumps(found.to_json())
    alone = report(describe_shots(shots(3, 1), reader), reader)
    assert alone.tiles == 0 and "second photo" in alone.lines()[0]


def test_bad_input_says_what_to_do(reader: Any, shots: Shots) -> None:
    with pytest.raises(EnrolError, match="two different faces"):
        learn([shot for shot in shots(1) if shot.code == "E"], reader, "x")
    with pytest.raises(EnrolError, match="f9"):
        learn([Shot(shots(1)[0].crop, "f9"), *shots(1)], reader, "x")
    for name in ("", "../x", "a/b", "x" * 61, ".hidden"):
        with pytest.raises(EnrolError, match="cannot name"):
            check_name(name)
    assert check_name(" 阿公的牌 2 ") == "阿公的牌 2"


class TestStore:
    def test_versions_checksums_and_another_network(self, reader: Any, shots: Shots, tmp_path: Path) -> None:
        store = ProfileStore(tmp_path / "sets")
        assert store.names() == []
        taken = shots(2)
        profile = learn(taken, reader, "阿公的牌")
        first = store.save(profile, {"after": 0.9}, taken)
        second = store.save(profile)
        assert (first.version, second.version, store.names(), store.versions("阿公的牌")) == (
            1,
            2,
            ["阿公的牌"],
            [1, 2],
        )
        info = store.info("阿公的牌", 1)
        assert (info.faces, info.crops, info.report["after"]) == (12, 36, 0.9)
        features = reader.describe(np.stack([shot.crop for shot in taken]))
        assert np.allclose(store.load("阿公的牌").judge(features), profile.judge(features), atol=1e-6)
        with pytest.raises(EnrolError, match="another network"):
            store.load("阿公的牌", fingerprint="coarse-2")
        store.delete("阿公的牌", 2)
        assert store.versions("阿公的牌") == [1]
        store.delete("阿公的牌")
        with pytest.raises(EnrolError, match="stored are: none yet"):
            store.info("阿公的牌")

    def test_a_new_network_learns_the_set_anew_from_its_crops(self, reader: Any, shots: Shots, tmp_path: Path) -> None:
        store = ProfileStore(tmp_path)
        taken = shots(2)
        store.save(learn(taken, reader, "a"), {}, taken)
        store.save(learn(taken, reader, "b"))  # without crops
        newer = type(reader)("coarse-2", seed=5)
        profiles, problems = store.all_for_network(newer)
        assert [(p.name, p.version, p.fingerprint) for p in profiles] == [("a", 2, "coarse-2")]
        assert len(problems) == 1 and "'b'" in problems[0]
        assert store.info("a").report["tiles"] == len(taken)
        assert store.all_for_network(newer)[0][0].version == 2

    @pytest.mark.parametrize("spoil", ["numbers", "json", "gone"])
    def test_damage_is_noticed(self, spoil: str, reader: Any, shots: Shots, tmp_path: Path) -> None:
        store = ProfileStore(tmp_path)
        store.save(learn(shots(2), reader, "a"))
        if spoil == "numbers":
            path = tmp_path / "a/v0001.npz"
            path.write_bytes(path.read_bytes()[:-7] + b"1234567")
        elif spoil == "json":
            (tmp_path / "a/v0001.json").write_text('{"format": 1}')
        else:
            (tmp_path / "a/v0001.npz").unlink()
        with pytest.raises(EnrolError, match="enrol the set again"):
            store.load("a")
        assert store.all_for_network(reader)[1]


def test_the_set_in_view_is_recognised(reader: Any, shots: Shots) -> None:
    profiles = [learn(shots(style), reader, str(style)) for style in (1, 2, 3, 4)]
    hits = 0
    for style in (1, 2, 3, 4):
        test = shots(style, 1, seed=50)
        found = recognise(profiles, reader.describe(np.stack([shot.crop for shot in test])).embedding)
        hits += found is not None and found.name == str(style)
    assert hits >= 3
    embedding = reader.describe(np.stack([shot.crop for shot in shots(2, 1, seed=51)])).embedding
    assert recognise(profiles, embedding[:2]) is None
    watcher = Recogniser(profiles)
    first = watcher(embedding)
    assert first is not None and watcher(embedding[:2]) is first
    blank = reader.describe(np.random.default_rng(0).integers(0, 255, (12, 64, 48, 3), dtype=np.uint8)).embedding
    assert recognise(profiles, blank) is None and watcher(blank) is None


class TestWizard:
    def table(self, shots: list[Shot]) -> tuple[np.ndarray, list[TileObservation]]:
        """A photo with the faces laid out, and where they lie."""
        image = np.full((80 * 3, 60 * 4, 3), 90, np.uint8)
        tiles = []
        for index, shot in enumerate(shots):
            x, y = 60 * (index % 4) + 6, 80 * (index // 4) + 8
            image[y : y + 64, x : x + 48] = shot.crop
            inner = (x + 48 * 0.097, y + 64 * 0.097, x + 48 * 0.903, y + 64 * 0.903)
            tiles.append(TileObservation("1m" if index == 3 else shot.code, inner, 0.9, (), 0.0))
        return image, tiles

    def test_photos_in_corrections_profile_out(self, reader: Any, shots: Shots) -> None:
        boxes: list[TileObservation] = []
        wizard = Enrolment(lambda _: boxes, reader, (*reader.names, "f1"))
        for number in range(3):
            image, found = self.table(shots(2, 1, seed=number))
            boxes[:] = found
            wizard.add("table.jpg", image)
        assert [photo.name for photo in wizard.photos] == ["table.jpg", "table.jpg'", "table.jpg''"]
        assert wizard.missing() == ("4m", "f1")
        for number in range(3):
            wizard.correct(number, 3, "4m")
        assert wizard.missing() == ("f1",) and wizard.counts()["1m"] == 3
        assert json.dumps(wizard.to_json())
        shares: list[float] = []
        profile, found_report = wizard.finish("mine", shares.append)
        assert shares[-1] == 1.0 and len(profile.codes) == 12
        assert found_report.held_back == 3 and found_report.after >= found_report.before
        test = shots(2, 4, seed=77)
        assert right(reader, test, profile) > right(reader, test)

    def test_boxes_thrown_out_turned_and_mistakes(self, reader: Any, shots: Shots) -> None:
        image, tiles = self.table(shots(2, 1))
        wizard = Enrolment(lambda _: [], reader)
        with pytest.raises(EnrolError, match="no tiles were found in empty"):
            wizard.add("empty.jpg", image)
        wizard.add("a", image, tiles)
        wizard.correct(0, 3, None)
        before = next(s for s in wizard.shots() if s.code == "E").crop
        wizard.turn(0, reader.names.index("E"))
        after = next(s for s in wizard.shots() if s.code == "E").crop
        assert np.array_equal(after, before[::-1, ::-1]) and len(wizard.shots()) == 11
        with pytest.raises(EnrolError, match="valid are"):
            wizard.correct(0, 0, "zz")
        with pytest.raises(EnrolError, match="has no tile 99"):
            wizard.correct(0, 99, "E")
        wizard.remove(0)
        with pytest.raises(EnrolError, match="there is no photo 0"):
            wizard.remove(0)


def test_crops_are_cut_the_right_way_up() -> None:
    face = np.zeros((100, 75, 3), np.uint8)
    face[:50] = 255  # white half on top
    image = np.full((300, 300, 3), 90, np.uint8)
    image[100:200, 110:185] = face
    box = (110.0, 100.0, 185.0, 200.0)
    upright = tile_crops(image, TileObservation("1m", box, 1.0, (), 0.0))
    assert upright.shape == (1, 64, 48, 3) and upright[0, 20, 24, 0] > 200
    assert upright[0, 44, 24, 0] < 50
    down = np.rot90(image, 2).copy()
    again = tile_crops(down, TileObservation("1m", (115.0, 100.0, 190.0, 200.0), 1.0, (), 180.0))
    assert np.abs(again[0].astype(int) - upright[0]).mean() < 12
    right_side = np.rot90(image, -1).copy()  # clockwise: the top points right
    turned = tile_crops(right_side, TileObservation("1m", (100.0, 110.0, 200.0, 185.0), 1.0, (), 90.0))
    assert np.abs(turned[0].astype(int) - upright[0]).mean() < 12
    both = tile_crops(image, TileObservation("1m", box, 1.0, (), None))
    assert both.shape == (2, 64, 48, 3) and np.array_equal(both[0], both[1][::-1, ::-1])
    assert fit_crop(face).shape == (64, 48, 3)
    assert variants(upright[0], 0, np.random.default_rng(0)).shape == (0, 64, 48, 3)


def test_learning_a_whole_set_takes_seconds() -> None:
    """42 faces, three crops each, features as wide as the re-reader's; the network's own time comes on top."""
    rng = np.random.default_rng(0)
    names = tuple(f"c{n}" for n in range(43))

    class Fast:
        fingerprint = "fast"

        def __init__(self) -> None:
            self.names = names

        def describe(self, crops: np.ndarray) -> Features:
            return Features(
                np.full((len(crops), 43), 1 / 43, np.float32), rng.normal(size=(len(crops), 128)).astype(np.float32)
            )

    shots = [Shot(np.zeros((64, 48, 3), np.uint8), names[k], str(n)) for n in range(3) for k in range(42)]
    began = time.process_time()
    learn(shots, Fast(), "x")
    assert time.process_time() - began < 20
