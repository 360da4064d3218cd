"""Tile counts as whole numbers: six bits a kind, nine kinds a suit, so a suit is one dictionary key.

Six bits hold any count a hand can show (at most 22 tiles) with room to test "five or more" in one addition.
Masks of kinds are plain 34-bit numbers, bit i standing for KINDS[i].
"""

from __future__ import annotations

from collections.abc import Iterable

from scoring.tiles import INDEX, KINDS

BITS = 6
SUIT_BITS = 9 * BITS
SUIT_MASK = (1 << SUIT_BITS) - 1
UNIT: tuple[int, ...] = tuple(1 << (BITS * rank) for rank in range(9))
"""Weight of one tile of each rank within its suit (honours are the fourth suit, ranks 0..6)."""

WEIGHT: dict[str, int] = {code: 1 << (BITS * INDEX[code]) for code in KINDS}
"""Weight of one tile in the count of a whole hand."""

_ALL = sum(WEIGHT.values())
_FIVE_TEST = _ALL * 27  # 27 + 5 = 32 sets the top bit of the kind's six
_FIVE_BIT = _ALL * 32
FOUR_BIT = _ALL * 4

SEVENS = 0b1111111 << 27
WIND_MASK = 0b1111 << 27
DRAGON_MASK = 0b111 << 31

Codes = tuple[int, int, int, int]
"""Counts of characters, dots, bamboos and honours, each encoded as above."""


def encode(codes: Iterable[str]) -> int:
    """Counts of the playing tiles in one number; raises KeyError for a flower or a face-down tile."""
    return sum(map(WEIGHT.__getitem__, codes))


def suits_of(counts: int) -> Codes:
    """The four suits of an encoded hand."""
    return (
        counts & SUIT_MASK,
        (counts >> SUIT_BITS) & SUIT_MASK,
        (counts >> (2 * SUIT_BITS)) & SUIT_MASK,
        counts >> (3 * SUIT_BITS),
    )


def join(codes: Codes) -> int:
    """The encoded hand of four suits; undoes suits_of."""
    return codes[0] | codes[1] << SUIT_BITS | codes[2] << (2 * SUIT_BITS) | codes[3] << (3 * SUIT_BITS)


def five_of_a_kind(counts: int) -> int:
    """Bits set where a kind is held five times or more, 0 where none is."""
    return (counts + _FIVE_TEST) & _FIVE_BIT


def count_of(counts: int, kind: int) -> int:
    """How many tiles of kind 0..33 an encoded hand holds."""
    return (counts >> (BITS * kind)) & 63


def kinds_in(counts: int) -> list[int]:
    """The kinds an encoded hand holds, each once, ascending."""
    found = []
    while counts:
        kind = ((counts & -counts).bit_length() - 1) // BITS
        found.append(kind)
        counts &= ~(63 << (BITS * kind))
    return found


def kinds_of_mask(mask: int) -> list[int]:
    """The kinds of a 34-bit mask, ascending."""
    kinds = []
    while mask:
        low = mask & -mask
        kinds.append(low.bit_length() - 1)
        mask ^= low
    return kinds


def codes_of_mask(mask: int) -> tuple[str, ...]:
    """The tile codes of a 34-bit mask, ascending."""
    return tuple(KINDS[kind] for kind in kinds_of_mask(mask))
