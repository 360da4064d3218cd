"""Is the new network worse than the old one, or is that chance? A paired bootstrap over the gate pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taicam.errors import JobError

#: Fewer pictures than this show nothing.
LEAST_PICTURES = 15
_DRAWS = 4000
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class GateRow:
    """One gate picture: its tiles, how many of them were found and named rightly, and whether all was (and no more)."""

    picture: str
    tiles: int
    right: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure before and after; `low` and `high` bound the difference with 95 % confidence."""

    before: float
    after: float
    low: float
    high: float

    @property
    def gain(self) -> float:
        """After less before."""
        return self.after - self.before

    def __str__(self) -> str:
        return f"{self.before:.1%} → {self.after:.1%} ({self.gain:+.1%}, 95 % {self.low:+.1%} to {self.high:+.1%})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`worse`: one of the measures fell by more than chance explains; `better`: one rose, and none is worse."""

    pictures: int
    tiles_right: Difference
    exact_pictures: Difference

    @property
    def worse(self) -> bool:
        """Whether the new one may not take over."""
        return self.tiles_right.high < 0 or self.exact_pictures.high < 0

    @property
    def better(self) -> bool:
        """Whether the new one is better beyond chance."""
        return not self.worse and (self.tiles_right.low > 0 or self.exact_pictures.low > 0)

    def summary(self) -> str:
        """For people."""
        return (
            f"tiles right {self.tiles_right}; pictures exactly right {self.exact_pictures}; "
            f"{self.pictures} gate pictures"
        )

    def verdict(self) -> str:
        """One word or two: ``worse``, ``better``, or ``no difference beyond chance``."""
        return "worse" if self.worse else "better" if self.better else "no difference beyond chance"

    def to_json(self) -> dict[str, Any]:
        """JSON form."""

        def one(d: Difference) -> dict[str, float]:
            return {"before": d.before, "after": d.after, "low": d.low, "high": d.high}

        return {
            "pictures": self.pictures,
            "tiles_right": one(self.tiles_right),
            "exact_pictures": one(self.exact_pictures),
            "worse": self.worse,
            "better": self.better,
        }


def gate_rows(rows: Sequence[Mapping[str, Any]]) -> list[GateRow]:
    """Gate rows from the raw rows of `vision.evaluate`."""
    from vision.metrics import count  # noqa: PLC0415 - only where pictures were evaluated

    counted = [(str(row["image"]), count(dict(row))) for row in rows]
    return [GateRow(name, c.tiles, c.right, bool(c.exact)) for name, c in counted]


def compare(old: Sequence[GateRow], new: Sequence[GateRow], seed: int = 0) -> Comparison:
    """Compare two networks on the same pictures. Raises JobError when these differ or are too few."""
    before, after = {row.picture: row for row in old}, {row.picture: row for row in new}
    if before.keys() != after.keys():
        raise JobError(
            f"the two were measured on different pictures ({len(before)} and {len(after)})",
            "measure both on the same gate set",
        )
    if len(before) < LEAST_PICTURES:
        raise JobError(
            f"the gate set has {len(before)} pictures, too few to tell better from worse",
            f"add labelled pictures until there are at least {LEAST_PICTURES}",
        )
    names = sorted(before)
    tiles = np.array([before[name].tiles for name in names], float)
    pick = np.random.default_rng(seed).integers(0, len(names), (_DRAWS, len(names)))
    right = [np.array([side[name].right for name in names], float) for side in (before, after)]
    exact = [np.array([side[name].exact for name in names], float) for side in (before, after)]
    ones = np.ones(len(names))
    return Comparison(len(names), _difference(right, tiles, pick), _difference(exact, ones, pick))


def _difference(values: Sequence[Any], weights: Any, pick: Any) -> Difference:
    total = max(float(weights.sum()), 1.0)
    drawn = np.maximum(weights[pick].sum(axis=1), 1.0)
    spread = (values[1] - values[0])[pick].sum(axis=1) / drawn
    tail = (1 - _LEVEL) / 2
    low, high = (float(q) for q in np.quantile(spread, [tail, 1 - tail]))
    return Difference(float(values[0].sum()) / total, float(values[1].sum()) / total, low, high)
