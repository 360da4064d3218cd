"""Class odds of a tile made into probabilities that mean what they say.

A detector's class scores are sharper (or duller) than its hit rate. One temperature and one floor, fitted on photos
that were not trained on (`python -m vision.decode_fit`) and kept in `decode_calibration.json`, set that right.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scoring.tiles import ALL_CODES
from vision.observation import TileObservation

CALIBRATION_FILE = Path(__file__).with_name("decode_calibration.json")
MAX_ALTERNATIVES = 6
_NEGLIGIBLE = 1e-6
_SMALLEST = 1e-9


@dataclass(frozen=True, slots=True)
class Calibration:
    """`temperature` > 1 flattens odds; `floor` is the share of tiles whose true code is not among the alternatives;
    `accept` is the probability a whole reading needs to go unasked; `independence`: how much one more equal tile of
    the same picture tells (a set's 九萬 that looks like 五萬 once does so every time: 0 nothing new, 1 all new);
    `source` says what it was fitted on."""

    temperature: float = 1.6
    floor: float = 0.002
    accept: float = 0.99
    independence: float = 0.3
    source: str = "not fitted"


@cache
def default_calibration() -> Calibration:
    """The fitted calibration kept as data beside this module."""
    data: dict[str, Any] = json.loads(CALIBRATION_FILE.read_text(encoding="utf-8"))
    return Calibration(
        float(data["temperature"]),
        float(data["floor"]),
        float(data["accept"]),
        float(data["independence"]),
        str(data.get("source", "")),
    )


@dataclass(frozen=True, slots=True)
class TileOdds:
    """Probabilities of one tile: `odds` most probable first, `rest` the mass on codes not listed."""

    odds: tuple[tuple[str, float], ...]
    rest: float

    def of(self, code: str) -> float:
        """Probability of `code`, 0 when not listed."""
        return next((p for c, p in self.odds if c == code), 0.0)

    @property
    def flower(self) -> float:
        """Probability that it is any flower."""
        return sum(p for c, p in self.odds if c[0] == "f")

    @property
    def back(self) -> float:
        """Probability that it lies face down."""
        return self.of("back")

    @property
    def top(self) -> str:
        """The most probable code."""
        return self.odds[0][0]


def tile_odds(tile: TileObservation, calibration: Calibration) -> TileOdds:
    """Calibrated odds of one observation; one without alternatives gets what its confidence leaves as `rest`."""
    known = {c: float(p) for c, p in tile.alternatives if c in ALL_CODES and p > 0 and math.isfinite(p)}
    if known:
        return from_mapping(known, calibration)
    return from_mapping({tile.code: 1.0}, calibration, single=tile.confidence)


def from_mapping(raw: Mapping[str, float], calibration: Calibration, single: float | None = None) -> TileOdds:
    """Calibrated odds from class scores (need not sum to one). `single`: the confidence of an only alternative."""
    power = 1.0 / calibration.temperature
    rest = calibration.floor
    if single is not None:
        rest = max(rest, 1.0 - min(max(float(single), 0.0), 1.0) ** power)
    return _ranked({code: max(p, _SMALLEST) ** power for code, p in raw.items()}, rest)


def _ranked(scores: Mapping[str, float], rest: float) -> TileOdds:
    share = (1.0 - rest) / sum(scores.values())
    ranked = sorted(((code, s * share) for code, s in scores.items()), key=lambda item: (-item[1], item[0]))
    kept = [(c, p) for c, p in ranked[:MAX_ALTERNATIVES] if p > _NEGLIGIBLE] or ranked[:1]
    return TileOdds(tuple(kept), max(1.0 - sum(p for _, p in kept), 0.0))


def all_odds(tiles: Sequence[TileObservation], calibration: Calibration) -> tuple[TileOdds, ...]:
    """Calibrated odds of every observation of one picture, in order."""
    return together([tile_odds(tile, calibration) for tile in tiles], calibration)


def together(odds: Sequence[TileOdds], calibration: Calibration) -> tuple[TileOdds, ...]:
    """Odds of tiles seen in one picture: equal tiles are misread alike, so k of them weigh as `1 + (k - 1) *
    independence` would, not as k."""
    counts = Counter(tile.top for tile in odds)
    return tuple(_weakened(tile, counts[tile.top], calibration) for tile in odds)


def _weakened(tile: TileOdds, count: int, calibration: Calibration) -> TileOdds:
    if count == 1 or len(tile.odds) == 1:
        return tile
    count = min(count, 4)
    power = (1 + (count - 1) * calibration.independence) / count
    return _ranked({code: p**power for code, p in tile.odds}, tile.rest)
