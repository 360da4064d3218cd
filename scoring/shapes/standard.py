"""The ordinary shape: sets and one pair, whatever the number of tiles."""

from __future__ import annotations

from scoring.encoding import Codes
from scoring.reading import Reading
from scoring.shapes.suits import placed, remainder, splits, wanted


def standard_readings(codes: Codes, win: int, meld_triplets: int) -> list[Reading]:
    """Every split of the concealed tiles, the winning kind (-1: none) in every set it could have completed.

    Empty where the tiles are not sets and exactly one pair. Order and content depend on the counts alone.
    """
    characters, dots, bamboos, honours = codes
    if characters % 3 + dots % 3 + bamboos % 3 + honours % 3 != 2:  # as remainder: exactly one suit holds a pair
        return []
    win_suit, win_rank = divmod(win, 9)
    first = placed(0, characters, win_rank) if win_suit == 0 else splits(0, characters)
    second = placed(1, dots, win_rank) if win_suit == 1 else splits(1, dots)
    third = placed(2, bamboos, win_rank) if win_suit == 2 else splits(2, bamboos)
    fourth = placed(3, honours, win_rank) if win_suit == 3 else splits(3, honours)
    readings = []
    for a in first:
        for b in second:
            for c in third:
                for d in fourth:
                    triplets = a[0] | b[0] | c[0] | d[0]
                    readings.append(
                        Reading(
                            "standard",
                            triplets,
                            triplets | meld_triplets,
                            a[1] | b[1] | c[1] | d[1],
                            a[2] + b[2] + c[2],
                            a[3] | b[3] | c[3] | d[3],
                            a[4] & b[4] & c[4] & d[4],  # -1 is all ones: the one that is set remains
                        )
                    )
    return readings


def standard_waits(codes: Codes) -> int:
    """Mask of the kinds that complete sets and a pair when one more tile comes to `codes`."""
    rests = [remainder(code) for code in codes]
    total = sum(rests)
    if total == 1:  # one suit lacks a tile to hold the pair, the others are sets
        waiting = rests.index(1)
        return wanted(waiting, codes[waiting]) << (9 * waiting) if _complete(codes, waiting, waiting) else 0
    if total != 4 or rests.count(2) != 2:
        return 0
    # two suits of 3n+2: one is complete with its pair, the other lacks a tile to be sets alone
    first = rests.index(2)
    second = rests.index(2, first + 1)
    if not _complete(codes, first, second):
        return 0
    mask = 0
    if splits(second, codes[second]):
        mask |= wanted(first, codes[first]) << (9 * first)
    if splits(first, codes[first]):
        mask |= wanted(second, codes[second]) << (9 * second)
    return mask


def _complete(codes: Codes, one: int, other: int) -> bool:
    """Whether every suit but those two is sets alone."""
    return all(suit in (one, other) or splits(suit, codes[suit]) for suit in range(4))
