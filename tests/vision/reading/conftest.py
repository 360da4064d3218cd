"""Ideal scenes of hands: boxes as a perfect detector would see them, from a short text per row.

A row is text such as `123m456p77s | EEE | 2p'`: tiles as `scoring.parse_tiles` reads them, `|` a gap between groups
(`||` a wider one), `'` after a tile turns it, `^` stacks it on the tile before the last, `_` is a face-down tile.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from scoring.tiles import FLOWERS, KINDS, parse_tiles
from vision.observation import TileObservation

WIDTH, HEIGHT = 30.0, 40.0
TOKEN = re.compile(r"\|+|_|[1-9]+[mpsz]['^]?|[ESWNCFP]['^]?|f[1-8]['^]?")


@dataclass
class Scene:
    """Tiles on a plane (unit: pixels before the camera), ready to be seen from any side."""

    rows: Sequence[str]
    gap: float = 0.7
    slack: float = 0.03
    row_gap: float = 0.35
    seed: int = 1
    tiles: list[tuple[str, float, float, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            self._lay(row, number * HEIGHT * (1 + self.row_gap))

    def _lay(self, row: str, y: float) -> None:
        x = 0.0
        rng = random.Random(self.seed)
        for token in TOKEN.findall(row):
            if token[0] == "|":
                x += self.gap * WIDTH * len(token)
                continue
            mark = token[-1] if token[-1] in "'^" else ""
            codes = ["back"] if token == "_" else parse_tiles(token.rstrip("'^"))
            for place, code in enumerate(codes):
                last = place == len(codes) - 1
                if mark == "^" and last:
                    beneath = self.tiles[-2]
                    self.tiles.append((code, beneath[1] + 2, beneath[2] - 0.45 * HEIGHT, False))
                    continue
                turned = mark == "'" and last
                width = HEIGHT if turned else WIDTH
                drop = (HEIGHT - WIDTH) / 2 if turned else 0.0
                self.tiles.append((code, x + width / 2, y + drop, turned))
                x += width + rng.random() * self.slack * WIDTH

    def seen(
        self,
        angle: float = 0.0,
        scale: float = 1.0,
        shift: tuple[float, float] = (100.0, 100.0),
        jitter: float = 0.0,
        odds: Callable[[str], Sequence[tuple[str, float]]] | None = None,
        tilt: float = 0.0,
        bend: float = 0.0,
        mix: int | None = None,
        stands: bool = False,
    ) -> list[TileObservation]:
        """What a perfect detector reports. `angle` degrees clockwise; `tilt` a perspective's strength (0..1); `bend`
        bows the rows by that many pixels; `jitter` moves every box edge (share of a tile width); `mix` shuffles;
        `stands` reports each tile's angle."""
        rng = random.Random(self.seed + 7)
        middle = np.array([[x, y] for _, x, y, _ in self.tiles]).mean(axis=0)
        span = max(*(abs(x - middle[0]) for _, x, _, _ in self.tiles), HEIGHT * 2)
        observations = []
        for code, x, y, turned in self.tiles:
            w, h = (HEIGHT, WIDTH) if turned else (WIDTH, HEIGHT)
            corners = np.array(
                [[x - w / 2, y - h / 2], [x + w / 2, y - h / 2], [x + w / 2, y + h / 2], [x - w / 2, y + h / 2]]
            )
            corners -= middle
            corners[:, 1] += bend * (1 - (corners[:, 0].mean() / span) ** 2)
            depth = 1.0 - tilt * 0.25 * corners[:, 1:] / span
            corners = corners / depth * np.array([1.0, 1.0 - 0.35 * tilt])
            turn = math.radians(angle)
            matrix = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
            corners = corners @ matrix.T * scale
            low, high = corners.min(axis=0), corners.max(axis=0)
            edge = [rng.gauss(0, jitter * WIDTH * scale) for _ in range(4)]
            box = (
                float(low[0] + edge[0] + shift[0]),
                float(low[1] + edge[1] + shift[1]),
                float(high[0] + edge[2] + shift[0]),
                float(high[1] + edge[3] + shift[1]),
            )
            ranked = tuple(odds(code)) if odds else sure(code)
            stand = (angle + (90.0 if turned else 0.0)) % 360.0 if stands else None
            observations.append(TileObservation(ranked[0][0], box, ranked[0][1], ranked, stand))
        if mix is not None:
            random.Random(mix).shuffle(observations)
        return observations


def sure(code: str) -> tuple[tuple[str, float], ...]:
    """Odds of a detector that is sure."""
    if code == "back":
        return (("back", 0.9995),)
    family = FLOWERS if code in FLOWERS else KINDS
    other = family[(family.index(code) + 1) % len(family)]
    return ((code, 0.9990), (other, 0.0003))


@pytest.fixture
def scene() -> type[Scene]:
    """The scene builder."""
    return Scene
