"""How many tiles of a hand can stay on the way to each special shape. Counts are those of a whole encoded hand."""

from __future__ import annotations

from scoring.encoding import count_of
from scoring.tiles import INDEX

ORPHANS: tuple[int, ...] = tuple(
    INDEX[code] for code in ("1m", "9m", "1p", "9p", "1s", "9s", "E", "S", "W", "N", "C", "F", "P")
)
_SPREADS = tuple((low, mid, high) for low in range(3) for mid in range(low + 3, 6) for high in range(mid + 3, 9))


def _pair_parts(counts: list[int], quads: bool) -> list[int]:
    """What each possible pair already has, the fullest first; four of a kind are two pairs where `quads`."""
    parts = []
    for count in counts:
        parts += [2] * (count // 2) + [1] * (count % 2) if quads else [min(count, 2)]
    return sorted(parts, reverse=True)


def _all_counts(counts: int) -> list[int]:
    return [count_of(counts, kind) for kind in range(34)]


def ligu_kept(counts: int, quads: bool) -> int:
    """Seven pairs and a triplet, the triplet being any kind."""
    held = _all_counts(counts)
    best = 0
    for kind, count in enumerate(held):
        rest = [*held[:kind], *held[kind + 1 :]]
        best = max(best, min(count, 3) + sum(_pair_parts(rest, quads)[:7]))
    return best


def seven_pairs_kept(counts: int, quads: bool) -> int:
    """Seven pairs."""
    return sum(_pair_parts(_all_counts(counts), quads)[:7])


def orphans_kept(counts: int) -> int:
    """Each orphan once, one of them twice."""
    held = [count_of(counts, kind) for kind in ORPHANS]
    return sum(1 for count in held if count) + (max(held) > 1)


def orphans_set_kept(counts: int) -> int:
    """Each orphan once, one of them twice, and one more set."""
    single = sum(1 for kind in ORPHANS if count_of(counts, kind))
    spare = counts - sum(1 << (6 * kind) for kind in ORPHANS if count_of(counts, kind))
    best = _best_set(spare)
    for kind in ORPHANS:
        if count_of(spare, kind):
            best = max(best, 1 + _best_set(spare - (1 << (6 * kind))))
    return single + best


def _best_set(counts: int) -> int:
    """Most tiles of one triplet or chow."""
    best = max(min(3, count_of(counts, kind)) for kind in range(34))
    for kind in range(27):
        if kind % 9 < 7:
            best = max(best, sum(1 for step in range(3) if count_of(counts, kind + step)))
    return best


def unconnected_kept(counts: int) -> int:
    """Seven honours and three tiles a suit at least three apart, one of these sixteen twice."""
    honours = [count_of(counts, kind) for kind in range(27, 34)]
    plain = [sum(1 for count in honours if count)]
    gains = [int(max(honours) > 1)]
    for suit in range(3):
        held = [count_of(counts, 9 * suit + rank) for rank in range(9)]
        spreads = [[held[rank] for rank in spread] for spread in _SPREADS]
        plain.append(max(sum(1 for count in spread if count) for spread in spreads))
        twin = max(sum(1 for count in spread if count) + (max(spread) > 1) for spread in spreads)
        gains.append(twin - plain[-1])
    return sum(plain) + max(gains)
