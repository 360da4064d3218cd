"""Several frames make one reading: better than any of them, offered once, not while something moves."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from scoring.tiles import KINDS
from vision.decode_reading import ReadingRules, read_observations
from vision.observation import CONFIRM, TableReading, TileObservation
from vision.voting import MotionGate, Voter, VotingSettings, fuse

HAND = ["123m456m789p11s234s56s | 7s"]
NEXT = ["EEE | SSS", "222p333p44p55s | 5s"]


def cloth(seed: int = 0, light: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    image = np.full((240, 320, 3), 90 + light, np.uint8)
    cv2.rectangle(image, (60, 100), (260, 140), (220 + light, 225 + light, 228 + light), -1)
    return np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)


def read(image: np.ndarray, tiles: list[TileObservation]) -> TableReading:
    return read_observations(tiles, (1000, 1000), ReadingRules(budget_s=0.5))


def unsure(seed: int, right: float) -> Callable[[str], tuple[tuple[str, float], ...]]:
    rng = random.Random(seed)

    def odds(code: str) -> tuple[tuple[str, float], ...]:
        p = min(0.99, max(0.05, rng.gauss(right, 0.25)))
        other = KINDS[(KINDS.index(code) + 1) % 34]
        return tuple(sorted(((code, p), (other, 1 - p)), key=lambda pair: -pair[1]))

    return odds


def test_frames_together_are_righter_than_any_of_them(scene: type) -> None:
    truth = [tile.code for tile in scene(HAND).seen()]
    frames = [scene(HAND).seen(jitter=0.03, mix=n, odds=unsure(n, 0.7)) for n in range(7)]
    single = [
        sum(a.code == b for a, b in zip(scene(HAND).seen(odds=unsure(n, 0.7)), truth, strict=True)) for n in range(7)
    ]
    fused = fuse(frames)
    assert len(fused) == len(truth)
    right = sorted(tile.code for tile in fused) == sorted(truth)
    assert right
    assert max(single) < len(truth)


def test_odds_grow_with_frames_but_not_as_if_each_were_new(scene: type) -> None:
    odds = (("1m", 0.8), ("2m", 0.2))
    tile = TileObservation("1m", (0, 0, 30, 40), 0.8, odds)
    one, five = fuse([[tile]])[0], fuse([[tile]] * 5)[0]
    fully = fuse([[tile]] * 5, VotingSettings(independence=1.0))[0]
    assert one.alternatives[0][1] == pytest.approx(0.8)
    assert one.alternatives[0][1] < five.alternatives[0][1] < fully.alternatives[0][1]


def test_a_tile_is_as_surely_there_in_many_frames_as_in_one() -> None:
    """Its name grows surer with every frame; that it is a tile at all must not seem to grow less so."""
    tile = TileObservation("3m", (0, 0, 30, 40), 0.96 * 0.76, (("3m", 0.76), ("2m", 0.24)))
    fused = fuse([[tile]] * 5)[0]
    assert fused.alternatives[0][1] > 0.9
    assert fused.presence == pytest.approx(0.96)
    assert fused.confidence == pytest.approx(0.96 * fused.alternatives[0][1])


def test_five_misread_alike_stay_tiles_over_many_frames(scene: type) -> None:
    def odds(code: str) -> tuple[tuple[str, float], ...]:
        return (("3m", 0.7), ("2m", 0.299)) if code == "2m" else ((code, 0.999),)

    frame = scene(["33m234p333s56s | 7s", "888p | 222m"]).seen(odds=odds)
    frame = [replace(tile, confidence=0.96 * tile.alternatives[0][1]) for tile in frame]
    for count in (1, 5):
        reading = read(cloth(), fuse([frame] * count))
        assert reading.wins, count
        assert ("pung", ("2m", "2m", "2m")) in [(meld.kind, meld.tiles) for meld in reading.melds]


def test_a_tile_missed_in_some_frames_stays_and_a_flicker_goes(scene: type) -> None:
    frames = [scene(HAND).seen() for _ in range(5)]
    frames[1] = frames[1][:-1]
    frames[3] = [*frames[3], TileObservation("9m", (900, 900, 930, 940), 0.5, (("9m", 1.0),))]
    fused = fuse(frames)
    assert len(fused) == 17
    assert all(tile.code != "9m" for tile in fused)


def test_a_tile_missed_in_most_frames_is_a_doubtful_one_not_none(scene: type) -> None:
    """Looks at other scales miss other tiles: a winning hand must not vanish for one that a single look found."""
    frames = [scene(HAND).seen() for _ in range(3)]
    frames[0], frames[2] = frames[0][:-1], frames[2][:-1]
    fused = fuse(frames)
    assert sorted(tile.presence for tile in fused)[0] == pytest.approx(frames[1][-1].presence / 3)
    reading = read(cloth(), fused)
    assert reading.wins
    assert reading.win_tile == "7s"
    assert reading.status == CONFIRM, "what one look in three shows is asked about"


def test_a_code_seen_late_counts_as_unlikely_before() -> None:
    box = (0.0, 0.0, 30.0, 40.0)
    first = TileObservation("1m", box, 0.9, (("1m", 0.9), ("2m", 0.1)))
    late = TileObservation("9m", box, 0.6, (("9m", 0.6), ("1m", 0.4)))
    fused = fuse([[first], [first], [late]], VotingSettings(independence=1.0))[0]
    assert fused.code == "1m"


def test_motion_gate() -> None:
    gate = MotionGate()
    assert not gate.quiet(cloth(0)), "the first frame has nothing before it"
    assert gate.quiet(cloth(1))
    assert gate.quiet(cloth(2, light=25)), "a lamp's flicker is no motion"
    moving = cloth(3)
    cv2.circle(moving, (150, 120), 45, (120, 150, 205), -1)
    assert not gate.quiet(moving)
    assert gate.quiet(moving)


def play(voter: Voter, script: list[tuple[np.ndarray, list[TileObservation]]], step: float = 0.1) -> list[TableReading]:
    offered = []
    for number, (image, tiles) in enumerate(script):
        if voter.quiet(image):
            reading = voter.add(image, tiles, number * step)
            if reading is not None:
                offered.append(reading)
    return offered


def test_offered_once_when_stable(scene: type) -> None:
    tiles = scene(HAND).seen()
    voter = Voter(read)
    script = [(cloth(n), tiles) for n in range(4)]
    assert play(voter, script) == [], "three quiet frames of 0.2 s are not yet stable"
    offered = play(Voter(read), [(cloth(n), tiles) for n in range(30)])
    assert len(offered) == 1
    assert offered[0].win_tile == "7s"


def test_slow_cameras_are_stable_by_time(scene: type) -> None:
    tiles = scene(HAND).seen()
    offered = play(Voter(read), [(cloth(n), tiles) for n in range(3)], step=1.0)
    assert len(offered) == 1


def test_nothing_is_offered_while_something_moves(scene: type) -> None:
    tiles = scene(HAND).seen()
    script = []
    for number in range(20):
        image = cloth(number)
        cv2.circle(image, (40 + 12 * number, 120), 40, (120, 150, 205), -1)
        script.append((image, tiles))
    assert play(Voter(read), script) == []


def test_a_recorded_hand_comes_back_only_after_other_tiles(scene: type) -> None:
    tiles, following = scene(HAND).seen(), scene(NEXT).seen()
    voter = Voter(read)
    first = play(voter, [(cloth(n), tiles) for n in range(8)])
    assert len(first) == 1
    voter.recorded(first[0])
    pushed = scene(HAND).seen(angle=4, shift=(130, 90), jitter=0.03)
    assert play(voter, [(cloth(n), pushed) for n in range(8)]) == [], "pushed about, it is the same hand"
    assert play(voter, [(cloth(n), tiles[:12]) for n in range(8)]) == [], "partly covered too"
    assert play(voter, [(cloth(n), []) for n in range(8)]) == [], "and an empty table is no hand"
    assert play(voter, [(cloth(n), tiles) for n in range(8)]) == [], "nor is it new when it is seen again"
    second = play(voter, [(cloth(n), following) for n in range(8)])
    assert len(second) == 1
    assert len(play(voter, [(cloth(n), tiles) for n in range(8)])) == 1 or voter.recorded(second[0]) is None


def test_incomplete_hands_are_not_offered(scene: type) -> None:
    partial = scene(["123m456m789p11s2s"]).seen()
    assert play(Voter(read), [(cloth(n), partial) for n in range(12)]) == []


def test_a_correction_before_recording_is_offered_again(scene: type) -> None:
    """The player turns the winning tile: the reading changes, so it is offered anew."""
    plain = scene(["123m456m789p11s234s567s"]).seen()
    marked = scene(["123m456m789p11s234s56s | 7s"]).seen()
    voter = Voter(read)
    first = play(voter, [(cloth(n), plain) for n in range(8)])
    second = play(voter, [(cloth(n), scene(["12m456m789p11s234s567s | 3m"]).seen()) for n in range(8)])
    assert [r.win_tile for r in first + second] == ["7s", "3m"]
    assert play(voter, [(cloth(n), marked) for n in range(8)])[0].win_tile == "7s"
