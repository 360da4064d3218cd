"""Tables of one suit, filled as they are asked: how its tiles split into sets, and what would complete it.

A suit's key is its encoded count (see scoring.encoding). Everything here is exact; nothing is ever dropped from the
tables, which stay small because hands repeat the same suits.
"""

from __future__ import annotations

from scoring.encoding import BITS, UNIT

PAIR, TRIPLET, TWO_SIDED, CLOSED, EDGE = 1, 2, 3, 4, 5
"""Where the winning tile went: the pair, a triplet, or a chow it completed from an open, middle or edge wait."""

Split = tuple[int, int, tuple[int, ...], int, int]
"""(mask of triplets, mask of the pair, first kinds of the chows, place of the winning tile, first kind of its set).

Kinds are 0..33. Place and set are 0 and -1 where the winning tile is in another suit.
"""

_Local = tuple[int, tuple[int, ...]]  # (mask of triplets by rank, sorted chow ranks)

_local_sets: tuple[dict[int, tuple[_Local, ...]], dict[int, tuple[_Local, ...]]] = (
    {0: ((0, ()),)},
    {0: ((0, ()),)},
)
_splits: tuple[dict[int, tuple[Split, ...]], ...] = ({}, {}, {}, {})
_placed: tuple[dict[int, tuple[Split, ...]], ...] = ({}, {}, {}, {})
_wanted: tuple[dict[int, int], ...] = ({}, {}, {}, {})
_census: dict[int, int] = {}


def _local(code: int, honours: bool) -> tuple[_Local, ...]:
    """Every way to split a suit into triplets and chows, each once, taking the lowest tile first."""
    table = _local_sets[honours]
    known = table.get(code)
    if known is not None:
        return known
    rank = ((code & -code).bit_length() - 1) // BITS
    count = (code >> (BITS * rank)) & 63
    found: dict[_Local, None] = {}
    if count >= 3:
        for triplets, chows in _local(code - 3 * UNIT[rank], honours):
            found[triplets | 1 << rank, chows] = None
    if not honours and rank < 7 and (code >> (BITS * (rank + 1))) & 63 and (code >> (BITS * (rank + 2))) & 63:
        rest = code - UNIT[rank] - UNIT[rank + 1] - UNIT[rank + 2]
        for triplets, chows in _local(rest, honours):
            found[triplets, tuple(sorted((rank, *chows)))] = None
    table[code] = result = tuple(found)
    return result


def remainder(code: int) -> int:
    """Number of tiles modulo three: 0 splits into sets alone, 2 into sets and the pair, 1 never.

    A count's six bits weigh a power of 64, which is 1 modulo three, so the code itself has that remainder.
    """
    return code % 3


def splits(suit: int, code: int) -> tuple[Split, ...]:
    """Every split of suit 0..3 into sets (and the pair, when the number of tiles asks for one)."""
    known = _splits[suit].get(code)
    if known is None:
        known = _splits[suit][code] = _find_splits(suit, code)
    return known


def _find_splits(suit: int, code: int) -> tuple[Split, ...]:
    base, honours = 9 * suit, suit == 3
    rest = remainder(code)
    if rest == 1:
        return ()
    if rest == 0:
        return tuple(_global(base, triplets, 0, chows) for triplets, chows in _local(code, honours))
    found = []
    for rank in range(9):
        if (code >> (BITS * rank)) & 63 >= 2:
            for triplets, chows in _local(code - 2 * UNIT[rank], honours):
                found.append(_global(base, triplets, 1 << rank, chows))
    return tuple(found)


def _global(base: int, triplets: int, pair: int, chows: tuple[int, ...]) -> Split:
    return triplets << base, pair << base, tuple(base + rank for rank in chows), 0, -1


def placed(suit: int, code: int, rank: int) -> tuple[Split, ...]:
    """The splits of a suit with the winning tile (rank 0..8 of it) in every different set it could have completed."""
    key = code << 4 | rank
    known = _placed[suit].get(key)
    if known is None:
        kind = 9 * suit + rank
        known = tuple(_with_place(split, place) for split in splits(suit, code) for place in _places(split, kind))
        _placed[suit][key] = known
    return known


def _with_place(split: Split, place: tuple[int, int]) -> Split:
    return split[0], split[1], split[2], place[0], place[1]


def _places(split: Split, kind: int) -> list[tuple[int, int]]:
    triplets, pair, chows, _, _ = split
    places = []
    if pair >> kind & 1:
        places.append((PAIR, kind))
    if triplets >> kind & 1:
        places.append((TRIPLET, kind))
    for first in dict.fromkeys(chows):
        if first <= kind <= first + 2:
            places.append((_chow_place(first % 9, kind - first), first))
    return places


def _chow_place(first_rank: int, position: int) -> int:
    """Which wait the tile at `position` 0..2 completed in the chow starting at `first_rank` 0..6."""
    if position == 1:
        return CLOSED
    if (position == 0 and first_rank == 6) or (position == 2 and first_rank == 0):
        return EDGE
    return TWO_SIDED


def wanted(suit: int, code: int) -> int:
    """Mask of the ranks that one more tile of would make the suit split: into sets, or sets and a pair."""
    known = _wanted[suit].get(code)
    if known is None:
        rest = remainder(code)
        if rest == 2:
            known = _wanted_by_sets(code, suit == 3)
        elif rest == 1:
            known = _wanted_by_pair(suit, code)
        else:
            known = 0
        _wanted[suit][code] = known
    return known


def _wanted_by_sets(code: int, honours: bool) -> int:
    """Ranks that make the suit all sets. Sets have a rank sum divisible by three, which leaves three ranks to test."""
    start, stop, step = (0, 7, 1) if honours else (2 * _rank_sum(code) % 3, 9, 3)
    mask = 0
    for rank in range(start, stop, step):
        if _all_sets(code + UNIT[rank], honours):
            mask |= 1 << rank
    return mask


def _wanted_by_pair(suit: int, code: int) -> int:
    """Ranks that make the suit sets and a pair: a single tile's twin, or the last tile of a set beside a pair."""
    honours = suit == 3
    # the single must satisfy rank = sum of all ranks (modulo three), for the sets' sum is divisible by three
    start, step = (0, 1) if honours else (_rank_sum(code) % 3, 3)
    mask = 0
    for rank in range(9):
        count = (code >> (BITS * rank)) & 63
        if count and (rank - start) % step == 0 and _all_sets(code - UNIT[rank], honours):
            mask |= 1 << rank
        if count >= 2:
            mask |= wanted(suit, code - 2 * UNIT[rank])
    return mask


def _rank_sum(code: int) -> int:
    return sum(rank * ((code >> (BITS * rank)) & 63) for rank in range(1, 9))


def _all_sets(code: int, honours: bool) -> bool:
    """Whether a suit is all sets. Triplets first is enough: three equal chows are three triplets."""
    while code:
        low = code & -code
        rank = (low.bit_length() - 1) // BITS
        unit = UNIT[rank]
        count = (code >> (BITS * rank)) & 63
        chows = count % 3
        code -= count * unit
        if chows:
            if honours or rank > 6:
                return False
            if (code >> (BITS * (rank + 1))) & 63 < chows or (code >> (BITS * (rank + 2))) & 63 < chows:
                return False
            code -= chows * (UNIT[rank + 1] + UNIT[rank + 2])
    return True


def census(code: int) -> int:
    """How many kinds of a suit are held once, twice, thrice, four times: a byte each, from the low one up."""
    known = _census.get(code)
    if known is None:
        known = 0
        for rank in range(9):
            count = (code >> (BITS * rank)) & 63
            if count:
                known += 1 << (8 * (count - 1))
        _census[code] = known
    return known
