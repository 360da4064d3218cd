"""The shapes that are not sets and a pair. Those with `kinds` ask only what the tiles are, in melds or not; all others
need every tile concealed: no melds, no kongs.

Each shape is a `SpecialShape`: `readings` for a complete hand, `near` a cheap test on the tiles without the winning
one that is true whenever one more tile could complete the shape.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from scoring.encoding import BITS, SEVENS, Codes, count_of, join, kinds_in, kinds_of_mask
from scoring.reading import Reading, Shape
from scoring.shapes.kept import (
    ORPHANS,
    ligu_kept,
    orphans_kept,
    orphans_set_kept,
    seven_pairs_kept,
    unconnected_kept,
)
from scoring.shapes.suits import PAIR, TRIPLET, census, placed, splits

Readings = Callable[[Codes, int], list[Reading]]

_ORPHAN_MASK = sum(1 << kind for kind in ORPHANS)
_ORPHAN_COUNTS = sum(1 << (6 * kind) for kind in ORPHANS)


@dataclass(frozen=True, slots=True)
class SpecialShape:
    """A named shape of `size` tiles; see the module's docstring. kept: most tiles that can stay on the way to it.

    kinds: where the shape is any tiles of some kinds, the mask of these.
    """

    name: Shape
    size: int
    readings: Readings
    near: Callable[[Codes], bool]
    kept: Callable[[int], int]
    kinds: int = 0

    def waits(self, codes: Codes) -> int:
        """Mask of the kinds that complete this shape when one more tile comes to `codes`."""
        if not self.near(codes):
            return 0
        counts = join(codes)
        mask = 0
        for kind in range(34):
            suit, rank = divmod(kind, 9)
            if count_of(counts, kind) < 4:
                grown = tuple(code + (1 << (6 * rank)) if at == suit else code for at, code in enumerate(codes))
                if self.readings((grown[0], grown[1], grown[2], grown[3]), kind):
                    mask |= 1 << kind
        return mask


def _total_census(codes: Codes) -> tuple[int, int, int, int]:
    """Numbers of kinds held once, twice, three and four times."""
    total = sum(map(census, codes))
    return total & 255, total >> 8 & 255, total >> 16 & 255, total >> 24 & 255


def _masks(codes: Codes) -> dict[int, int]:
    """Mask of the kinds for each count 1..4."""
    counts = join(codes)
    masks = {1: 0, 2: 0, 3: 0, 4: 0}
    for kind in kinds_in(counts):
        masks[count_of(counts, kind)] |= 1 << kind
    return masks


def _pair_reading(shape: Shape, codes: Codes, win: int) -> Reading:
    masks = _masks(codes)
    place = 0
    if win >= 0:
        place = TRIPLET if masks[3] >> win & 1 else PAIR
    reading = Reading(shape, masks[3], masks[3], 0, (), place, win)
    reading.pairs = masks[2] | masks[4]
    reading.quads = masks[4]
    return reading


def _ligu_readings(quads: bool) -> Readings:
    def readings(codes: Codes, win: int) -> list[Reading]:
        ones, twos, threes, fours = _total_census(codes)
        if ones or threes != 1 or twos + 2 * fours != 7 or (fours and not quads):
            return []
        return [_pair_reading("ligu", codes, win)]

    return readings


def _ligu_near(codes: Codes) -> bool:
    """Sixteen tiles one short: eight pairs; or a triplet, six pairs and a single; or, with quads, two triplets."""
    ones, twos, threes, fours = _total_census(codes)
    return (ones, threes) in ((0, 0), (1, 1), (0, 2)) and ones + 2 * twos + 3 * threes + 4 * fours == 16


def _seven_pairs_readings(quads: bool) -> Readings:
    def readings(codes: Codes, win: int) -> list[Reading]:
        ones, twos, threes, fours = _total_census(codes)
        if ones or threes or twos + 2 * fours != 7 or (fours and not quads):
            return []
        return [_pair_reading("seven_pairs", codes, win)]

    return readings


def _seven_pairs_near(codes: Codes) -> bool:
    ones, _twos, threes, _fours = _total_census(codes)
    return ones + threes == 1


def _orphans_readings(codes: Codes, win: int) -> list[Reading]:
    masks = _masks(codes)
    if masks[1] | masks[2] != _ORPHAN_MASK or masks[2].bit_count() != 1 or masks[3] or masks[4]:
        return []
    return [Reading("orphans", 0, 0, masks[2], (), PAIR if win >= 0 else 0, win)]


def _orphans_near(codes: Codes) -> bool:
    return sum(1 for kind in kinds_in(join(codes)) if _ORPHAN_MASK >> kind & 1) >= 12


def _orphans_set_readings(codes: Codes, win: int) -> list[Reading]:
    """Thirteen orphans, one of them twice, and one more set."""
    counts = join(codes)
    if any(not count_of(counts, kind) for kind in ORPHANS):
        return []
    rest = counts - _ORPHAN_COUNTS
    found = []
    for twin in ORPHANS:
        if count_of(rest, twin):
            last = rest - (1 << (6 * twin))
            found.extend(_with_set(last, 1 << twin, win))
    return found


def _with_set(counts: int, pair: int, win: int) -> list[Reading]:
    """Readings of three left-over tiles as a set; the winning tile lies in the set or among the orphans."""
    kind = kinds_in(counts)[0]
    suit = kind // 9
    code = counts >> (54 * suit)
    if code >= 1 << 54:  # the left-over tiles are of several suits
        return []
    found = []
    for split in splits(suit, code):
        if win < 0 or _ORPHAN_MASK >> win & 1:
            place = PAIR if win >= 0 else 0
            found.append(Reading("orphans_set", split[0], split[0], pair, split[2], place, win))
    if win >= 0 and win // 9 == suit:
        for split in placed(suit, code, win % 9):
            found.append(Reading("orphans_set", split[0], split[0], pair, split[2], split[3], split[4]))
    return found


def _unconnected_readings(codes: Codes, win: int) -> list[Reading]:
    """十六不搭: the seven honours, three tiles of each suit at least three apart, one of these sixteen twice."""
    masks = _masks(codes)
    if masks[2].bit_count() != 1 or masks[3] or masks[4]:
        return []
    singles = masks[1] | masks[2]
    ranks = [kinds_of_mask(singles >> (9 * suit) & 511) for suit in range(3)]
    if (singles >> 27).bit_count() != 7 or any(len(held) != 3 for held in ranks):
        return []
    if any(held[1] - held[0] < 3 or held[2] - held[1] < 3 for held in ranks):
        return []
    return [Reading("unconnected", 0, 0, masks[2], (), PAIR if win >= 0 else 0, win)]


def _unconnected_near(codes: Codes) -> bool:
    ones, twos, threes, fours = _total_census(codes)
    return ones >= 14 and twos <= 1 and not threes and not fours


def _any_of(name: Shape, kinds: int) -> SpecialShape:
    """Any fourteen tiles of those kinds, sets or not."""
    others = sum(63 << (BITS * kind) for kind in range(34) if not kinds >> kind & 1)

    def readings(codes: Codes, win: int) -> list[Reading]:
        return [] if join(codes) & others else [Reading(name, 0, 0, 0, (), 0, win)]

    def near(codes: Codes) -> bool:
        return not join(codes) & others

    def kept(counts: int) -> int:
        return sum(count_of(counts, kind) for kind in kinds_of_mask(kinds))

    return SpecialShape(name, 14, readings, near, kept, kinds)


TWO_FIVE_EIGHT = sum(1 << (9 * suit + rank) for suit in range(3) for rank in (1, 4, 7))
"""Mask of 2, 5 and 8 of each suit, the 將 of several rulesets."""


def special_shape(name: Shape, quads: bool = False) -> SpecialShape:
    """The shape of that name; `quads` lets four equal tiles stand as two pairs. Raises KeyError for another name."""
    shapes = (
        SpecialShape("ligu", 17, _ligu_readings(quads), _ligu_near, partial(ligu_kept, quads=quads)),
        SpecialShape(
            "seven_pairs", 14, _seven_pairs_readings(quads), _seven_pairs_near, partial(seven_pairs_kept, quads=quads)
        ),
        SpecialShape("orphans", 14, _orphans_readings, _orphans_near, orphans_kept),
        SpecialShape("orphans_set", 17, _orphans_set_readings, _orphans_near, orphans_set_kept),
        SpecialShape("unconnected", 17, _unconnected_readings, _unconnected_near, unconnected_kept),
        _any_of("only_258", TWO_FIVE_EIGHT),
        _any_of("only_honours", SEVENS),
    )
    return {shape.name: shape for shape in shapes}[name]


SPECIAL_SHAPES: tuple[Shape, ...] = (
    "ligu", "seven_pairs", "orphans", "orphans_set", "unconnected", "only_258", "only_honours",
)  # fmt: skip
