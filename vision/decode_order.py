"""Choices of one option for each of several things, most probable first."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence


def best_first(options: Sequence[Sequence[tuple[str, float]]]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Choices of one option each (sorted best first, all with some), by falling product of their probabilities."""
    start = math.prod(option[0][1] for option in options)
    heap: list[tuple[float, tuple[int, ...], int]] = [(-start, (0,) * len(options), 0)]
    while heap:
        minus, choice, first = heapq.heappop(heap)
        yield choice, -minus
        for i in range(first, len(options)):
            following = choice[i] + 1
            if following < len(options[i]) and options[i][choice[i]][1] > 0:
                p = -minus * options[i][following][1] / options[i][choice[i]][1]
                heapq.heappush(heap, (-p, (*choice[:i], following, *choice[i + 1 :]), i))
