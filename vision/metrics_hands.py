"""How well whole hands are read off labelled photos: exact before any touch, wrong without being asked, taps to mend.

A row may bear ``"hand": {"size", "status", "doubts", "tiles"}``: what the reader made of a photo whose labels are one
hand. Labels name tiles, not groups nor the winning tile, so a hand is exact when its tiles are, and the question which
tile won does not count as a question about them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.metrics import Row, unsure
from vision.observation import ACCEPTED

#: Playing tiles of a whole hand -> tiles held before the winning one. Kongs make a 16-tile hand longer; those of a
#: 13-tile hand are left out, because 17 tiles could be either.
HAND_SIZES = {14: 13, **dict.fromkeys(range(17, 22), 16)}
_UNLABELLED = "win_tile"


def hand_size_of(codes: Sequence[str]) -> int | None:
    """16 or 13 when so many labelled tiles can be one hand, else None."""
    if "back" in codes:
        return None
    return HAND_SIZES.get(sum(not code.startswith("f") for code in codes))


@dataclass(frozen=True, slots=True)
class HandResult:
    """One hand. `taps`: tiles to put right, add or take away before *confirm*."""

    exact: bool
    asked: bool
    taps: int

    @property
    def silently_wrong(self) -> bool:
        """Wrong, and nobody was asked about any of its tiles."""
        return not self.exact and not self.asked


def judge_hand(row: Row) -> HandResult | None:
    """The hand of one row; None where the row has none."""
    hand = row.get("hand")
    if hand is None:
        return None
    truth, read = Counter(entry[0] for entry in row["truth"]), Counter(hand["tiles"])
    missing, surplus = sum((truth - read).values()), sum((read - truth).values())
    questions = [kind for kind in hand["doubts"] if kind != _UNLABELLED]
    asked = bool(questions) or (hand["status"] != ACCEPTED and not hand["doubts"])
    return HandResult(missing == surplus == 0, asked, max(missing, surplus))


def hand_summary(rows: Sequence[Row], draws: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Figures of all hands in the rows, each ``[value, low, high]`` with a 95 % bootstrap interval over hands.

    Nothing but ``hands: 0`` where no row has a hand.
    """
    results = [result for result in map(judge_hand, rows) if result is not None]
    if not results:
        return {"hands": 0}
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(results), (draws, len(results)))
    columns = {
        "exact": [r.exact for r in results],
        "asked": [r.asked for r in results],
        "silently_wrong": [r.silently_wrong for r in results],
        "taps": [r.taps for r in results],
    }
    out: dict[str, Any] = {"hands": len(results)}
    for name, values in columns.items():
        numbers = np.array(values, np.float64)
        low, high = np.percentile(numbers[picks].mean(axis=1), [2.5, 97.5])
        if name != "taps":
            low, high = unsure(float(numbers.mean()), low, high, len(numbers))
        out[name] = [round(float(v), 4) for v in (numbers.mean(), low, high)]
    return out
