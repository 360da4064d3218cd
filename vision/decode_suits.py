"""What a few tiles of one suit can be: every multiset of codes they may form, with its probability.

A suit's tiles are a packed integer, three bits a kind. Tiles are added one by one and equal multisets merge, so the
probabilities are sums over all ways tiles can be named, not only the best one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

#: Kinds of a suit; honours are a suit of seven kinds without sequences.
_DIGIT = 0o7
_LOW_BITS = 0o111111111
MAX_STATES = 400
_DROP = 1e-7

Path = tuple["Path", int] | None


@dataclass(slots=True)
class SuitStates:
    """`states`: packed counts -> (summed probability, best single naming's probability, that naming). `lost` is the
    probability of what was dropped to stay small."""

    states: dict[int, tuple[float, float, Path]]
    lost: float = 0.0


EMPTY = SuitStates({0: (1.0, 1.0, None)})


def extend(before: SuitStates, options: tuple[tuple[int, float], ...]) -> SuitStates:
    """Add one tile that is kind `k` with probability `p` for each `(k, p)`. A fifth of a kind is impossible."""
    states: dict[int, tuple[float, float, Path]] = {}
    impossible = 0.0
    for counts, (mass, best, path) in before.states.items():
        for kind, p in options:
            shift = 3 * kind
            if (counts >> shift) & _DIGIT >= 4:
                impossible += mass * p
                continue
            key = counts + (1 << shift)
            found = states.get(key)
            if found is None:
                states[key] = (mass * p, best * p, (path, kind))
            elif best * p > found[1]:
                states[key] = (found[0] + mass * p, best * p, (path, kind))
            else:
                states[key] = (found[0] + mass * p, found[1], found[2])
    return _pruned(states, before.lost * sum(p for _, p in options))


def _pruned(states: dict[int, tuple[float, float, Path]], lost: float) -> SuitStates:
    if not states:
        return SuitStates(states, lost)
    limit = max(s[0] for s in states.values()) * _DROP
    if len(states) > MAX_STATES:
        limit = max(limit, sorted((s[0] for s in states.values()), reverse=True)[MAX_STATES])
    kept = {key: s for key, s in states.items() if s[0] > limit}
    if len(kept) < len(states):
        lost += sum(s[0] for key, s in states.items() if key not in kept)
    return SuitStates(kept, lost)


def naming(path: Path) -> list[int]:
    """The kinds of a naming in the order the tiles were added."""
    kinds: list[int] = []
    while path is not None:
        path, kind = path
        kinds.append(kind)
    kinds.reverse()
    return kinds


def over_four(counts: int) -> bool:
    """Whether any kind of the packed counts is there more than four times."""
    return bool((counts >> 2) & ((counts >> 1) | counts) & _LOW_BITS)


@lru_cache(maxsize=200_000)
def is_complete(counts: int, honours: bool) -> bool:
    """Whether packed counts part into sets, with one pair when their number leaves two over."""
    digits = [(counts >> (3 * k)) & _DIGIT for k in range(9)]
    left = sum(digits) % 3
    if left == 0:
        return _only_sets(digits, honours)
    if left == 1:
        return False
    for kind in range(9):
        if digits[kind] >= 2:
            digits[kind] -= 2
            if _only_sets(digits, honours):
                return True
            digits[kind] += 2
    return False


def _only_sets(digits: list[int], honours: bool) -> bool:
    if honours:
        return all(d % 3 == 0 for d in digits)
    # Three equal sequences are three triplets, so only what a triplet leaves over starts sequences.
    first = second = 0
    for digit in digits:
        start = digit - first
        if start < 0:
            return False
        start %= 3
        first, second = second + start, start
        if first > 4:
            return False
    return first == 0 and second == 0


def pair_shape(counts: int) -> tuple[int, bool, bool]:
    """For hands of pairs: how many kinds are there an odd number of times, whether any is there only once, and
    whether any is there four times."""
    low, middle, high = counts & _LOW_BITS, (counts >> 1) & _LOW_BITS, (counts >> 2) & _LOW_BITS
    return low.bit_count(), bool(low & ~middle & ~high), bool(high)
