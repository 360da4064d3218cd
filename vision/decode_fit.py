"""Fit how far the detector's odds are to be trusted: `python -m vision.decode_fit --data DIR --split val --write`.

Temperature and floor are those that make the true codes of labelled photos most probable. The threshold above which a
hand goes unasked is set on made-up winning hands whose tiles have the odds of photographed tiles of that code, drawn at
random: the lowest at which wrong hands that would go unasked stay well below the limit.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from scoring.tiles import ALL_CODES, KINDS
from vision.decode import Arrangement, decode
from vision.decode_melds import MeldSlot
from vision.decode_odds import CALIBRATION_FILE, Calibration, TileOdds, from_mapping, together
from vision.metrics import match
from vision.observation import TileObservation

#: Wrong hands that go unasked, of all hands: half of what is allowed, for photos are kinder than tables.
LIMIT = 0.001
_TEMPERATURES = tuple(float(t) for t in np.geomspace(0.5, 3.0, 25))
_FLOORS = (0.0005, 0.001, 0.0015, 0.002, 0.003, 0.004, 0.006, 0.01)
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985, 0.99, 0.9925, 0.995)
_BINS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0001)

Odds = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A tile that was found: the class scores given, the true code, and the photo it is from."""

    odds: Odds
    truth: str
    photo: str = ""


def negative_log_likelihood(tiles: Sequence[Labelled], calibration: Calibration) -> float:
    """Mean surprise at the true codes; the floor is spread over all codes."""
    total = 0.0
    for tile in tiles:
        p = from_mapping(dict(tile.odds), calibration).of(tile.truth)
        total -= math.log(p + calibration.floor / len(ALL_CODES))
    return total / len(tiles)


def fit(tiles: Sequence[Labelled]) -> Calibration:
    """Temperature and floor under which the true codes are most probable (the threshold is left as it is)."""
    options = [Calibration(t, f) for t in _TEMPERATURES for f in _FLOORS]
    return min(options, key=lambda c: negative_log_likelihood(tiles, c))


def reliability(tiles: Sequence[Labelled], calibration: Calibration) -> list[dict[str, float]]:
    """For bins of the best code's probability: how many, mean probability, share right."""
    tops = [(from_mapping(dict(t.odds), calibration).odds[0], t.truth) for t in tiles]
    rows = []
    for low, high in pairwise(_BINS):
        inside = [(p, code == truth) for (code, p), truth in tops if low <= p < high]
        if inside:
            mean = sum(p for p, _ in inside) / len(inside)
            right = sum(ok for _, ok in inside) / len(inside)
            rows.append({"from": low, "count": len(inside), "mean": round(mean, 4), "right": round(right, 4)})
    return rows


@dataclass(frozen=True, slots=True)
class Trial:
    """One made-up hand: right as the detector names it, right after decoding, and the probability given."""

    plain: bool
    decoded: bool
    probability: float


def random_win(rng: random.Random) -> tuple[list[str], list[list[str]]]:
    """A winning hand of the 16-tile game: concealed codes and 0 to 3 melds, sequences as common as in play."""
    while True:
        melds = rng.choice([0, 0, 1, 1, 2, 3])
        sets = [_random_set(rng) for _ in range(5)]
        pair = [rng.choice(KINDS)] * 2
        codes = [c for s in sets for c in s] + pair
        if max(codes.count(c) for c in set(codes)) <= 4:
            concealed = [c for s in sets[melds:] for c in s] + pair
            rng.shuffle(concealed)
            return concealed, sets[:melds]


def _random_set(rng: random.Random) -> list[str]:
    if rng.random() < 0.35:
        return [rng.choice(KINDS)] * 3
    low = 9 * rng.randrange(3) + rng.randrange(7)
    return list(KINDS[low : low + 3])


def simulate(tiles: Sequence[Labelled], calibration: Calibration, hands: int, seed: int = 1) -> list[Trial]:
    """Decode made-up hands whose tiles look like the photographed ones.

    Equal tiles of a hand are drawn from one photo as far as it has them: what a set's 九萬 is taken for, its other
    九萬 are often taken for too.
    """
    pool: dict[str, dict[str, list[TileOdds]]] = defaultdict(lambda: defaultdict(list))
    for tile in tiles:
        pool[tile.truth][tile.photo].append(from_mapping(dict(tile.odds), calibration))
    rng = random.Random(seed)
    trials: list[Trial] = []
    while len(trials) < hands:
        concealed, melds = random_win(rng)
        codes = concealed + [c for meld in melds for c in meld]
        if not all(pool.get(code) for code in codes):
            continue
        drawn = {code: _drawn(rng, pool[code], codes.count(code)) for code in sorted(set(codes))}
        odds = together([drawn[code].pop() for code in codes], calibration)
        trials.append(_trial(odds, codes, len(concealed), len(melds)))
    return trials


def _drawn(rng: random.Random, photos: Mapping[str, list[TileOdds]], count: int) -> list[TileOdds]:
    """So many tiles of one code: those of one photo (rather of one with several), then of others."""
    names = sorted(photos)
    first = rng.choices(names, weights=[len(photos[n]) for n in names])[0]
    others = [n for n in names if n != first] or [first]
    drawn = rng.sample(photos[first], min(count, len(photos[first])))
    while len(drawn) < count:
        drawn.append(rng.choice(photos[rng.choice(others)]))
    return drawn


def _trial(odds: Sequence[TileOdds], codes: list[str], concealed: int, melds: int) -> Trial:
    slots = tuple(MeldSlot(tuple(range(start, start + 3))) for start in range(concealed, concealed + 3 * melds, 3))
    hands = decode(odds, [Arrangement(tuple(range(concealed)), slots)], budget_s=0.05).hands
    plain = [tile.top for tile in odds] == codes
    if not hands:
        return Trial(plain, False, 0.0)
    return Trial(plain, [hands[0].codes[i] for i in range(len(codes))] == codes, hands[0].probability)


def threshold(trials: Sequence[Trial], limit: float = LIMIT) -> float:
    """The lowest acceptance at which wrong hands going unasked stay within `limit` of all hands."""
    for level in _THRESHOLDS:
        wrong = sum(1 for t in trials if t.probability >= level and not t.decoded)
        # The upper end of what so many wrong ones may stand for (rule of three and its kin).
        if (wrong + 1.6 * math.sqrt(wrong) + 1.5) / len(trials) <= limit:
            return level
    return _THRESHOLDS[-1]


def summary(trials: Sequence[Trial], accept: float) -> dict[str, float]:
    """Shares of all hands."""
    count = len(trials)
    unasked = [t for t in trials if t.probability >= accept]
    return {
        "hands": count,
        "right_as_detected": round(sum(t.plain for t in trials) / count, 5),
        "right_decoded": round(sum(t.decoded for t in trials) / count, 5),
        "asked": round(1 - len(unasked) / count, 5),
        "silently_wrong": round(sum(not t.decoded for t in unasked) / count, 6),
        "right_turned_wrong": round(sum(t.plain and not t.decoded for t in trials) / count, 6),
        "right_turned_silently_wrong": round(sum(t.plain and not t.decoded for t in unasked) / count, 6),
    }


def labelled_tiles(data: Path, split: str) -> list[Labelled]:
    """Find the tiles of labelled photos with the shipped detector (needs the photos and their labels)."""
    from vision.detector import Detector  # noqa: PLC0415 - only this command needs them
    from vision.picture import load_picture  # noqa: PLC0415
    from vision.training.classes import CLASSES  # noqa: PLC0415
    from vision.training.photos import load_photos  # noqa: PLC0415

    detector = Detector()
    tiles: list[Labelled] = []
    for photo in load_photos(data, split):
        found = detector.detect(load_picture(photo.path))
        truth = [[CLASSES[int(k)], *(float(v) for v in box)] for k, box in zip(photo.classes, photo.boxes, strict=True)]
        tiles.extend(paired(truth, found, photo.path.name))
    return tiles


def paired(truth: Sequence[Sequence[Any]], found: Sequence[TileObservation], photo: str = "") -> list[Labelled]:
    """The tiles found where there is one, with its true code."""
    row = {"truth": truth, "found": [[t.code, t.confidence, *t.box] for t in found]}
    return [
        Labelled(dict(found[f].alternatives) or {found[f].code: 1.0}, str(truth[t][0]), photo)
        for t, f in match(row).pairs
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m vision.decode_fit", description="Fit how far the detector's odds are to be trusted."
    )
    parser.add_argument("--data", type=Path, required=True, help="YOLO folder with data.yaml, images/ and labels/")
    parser.add_argument("--split", default="val", help="photos the detector was not trained on (default val)")
    parser.add_argument("--hands", type=int, default=6000, help="made-up hands for the threshold (default 6000)")
    parser.add_argument("--write", action="store_true", help=f"keep the result in {CALIBRATION_FILE.name}")
    arguments = parser.parse_args(argv)
    try:
        tiles = labelled_tiles(arguments.data, arguments.split)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if len(tiles) < 200:
        sys.stderr.write(f"only {len(tiles)} labelled tiles were found: at least 200 are needed\n")
        return 2
    fitted = fit(tiles)
    trials = simulate(tiles, fitted, arguments.hands)
    accept = threshold(trials)
    result = {
        "temperature": round(fitted.temperature, 4),
        "floor": fitted.floor,
        "accept": accept,
        "source": f"{len(tiles)} tiles of split {arguments.split!r}, {arguments.hands} made-up hands",
        "negative_log_likelihood": round(negative_log_likelihood(tiles, fitted), 5),
        "reliability": reliability(tiles, fitted),
        "made_up_hands": summary(trials, accept),
    }
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    if arguments.write:
        CALIBRATION_FILE.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
