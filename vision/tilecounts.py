"""Four of a kind and one of each flower: what can be told of tiles seen one by one, once all are held together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

#: What a group of tiles may be, with probabilities, best first.
Readings = Sequence[tuple[tuple[str, ...], float]]


def settle(groups: Sequence[Readings]) -> list[int]:
    """The reading of each group, by its number, so that no tile is there more often than the game has it.

    Starts from each group's best reading; as long as a tile is there too often, the group whose next reading costs
    least gives way. Where no group has another reading that helps, the tile stays too often: the odds are then wrong
    somewhere, and which of them cannot be told.
    """
    chosen = [0] * len(groups)
    counts = Counter(code for group in groups if group for code in group[0][0])
    for _ in range(8 * len(groups)):
        over = next((code for code, n in sorted(counts.items()) if n > _most(code)), None)
        if over is None:
            break
        ways = []
        for number, group in enumerate(groups):
            now, p = group[chosen[number]] if group else ((), 1.0)
            for other, (codes, q) in enumerate(group):
                if codes.count(over) < now.count(over) and q > 0 and _fits(codes, now, counts, over):
                    ways.append((math.log(max(p, 1e-9) / q), number, other))
        if not ways:
            break
        _, number, other = min(ways)
        counts -= Counter(groups[number][chosen[number]][0])
        counts += Counter(groups[number][other][0])
        chosen[number] = other
    return chosen


def _most(code: str) -> int:
    return 144 if code == "back" else 1 if code[0] == "f" else 4


def _fits(codes: tuple[str, ...], now: tuple[str, ...], counts: Counter[str], over: str) -> bool:
    """Whether a group may change to `codes` without another tile being there too often."""
    after = Counter(codes) - Counter(now)
    return all(counts[code] + n <= _most(code) for code, n in after.items() if code != over)
