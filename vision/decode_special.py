"""Winning shapes that are neither sets and a pair nor pairs: thirteen orphans, 十六不搭, hands of some kinds only.

The scorer's own test of each shape decides (`scoring.shapes.special`); namings are tried most probable first.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from scoring.encoding import encode, suits_of
from scoring.shapes.special import SpecialShape, special_shape
from scoring.tiles import INDEX
from vision.decode_hand import Naming, Shapes, Used
from vision.decode_odds import TileOdds
from vision.decode_order import best_first

_TRIED = 400
_KEEP = 12


def pairs_shape(hand_size: int) -> SpecialShape:
    """The pairs a game of `hand_size` tiles plays with: 嚦咕嚦咕 of 16, seven pairs of 13."""
    return special_shape("ligu" if hand_size == 16 else "seven_pairs")


def fitting(shapes: Sequence[SpecialShape], size: int, melded: bool) -> list[SpecialShape]:
    """Those that a hand of `size` tiles can have, some of them `melded`."""
    return [shape for shape in shapes if shape.size == size and (shape.kinds or not melded)]


def special_shapes(
    tiles: Sequence[TileOdds],
    melded: Sequence[str],
    shapes: Sequence[SpecialShape],
    used: Used,
    deadline: float,
) -> Shapes:
    """The likeliest namings of the concealed `tiles` that make one of `shapes`, with the melds' codes `melded`.

    `used` are packed counts of what is elsewhere, melds included. Stops at `deadline` (thread time).
    """
    size = len(tiles) + len(melded)
    possible = fitting(shapes, size, bool(melded))
    options = [[(code, p) for code, p in tile.odds if INDEX[code] < 34] for tile in tiles]
    found = Shapes()
    if not possible or not all(options) or "back" in melded:
        return found
    by_tiles: dict[tuple[int, ...], Naming] = {}
    for number, (choice, p) in enumerate(best_first(options)):
        if number >= _TRIED or time.thread_time() > deadline:
            break
        codes = [options[i][c][0] for i, c in enumerate(choice)]
        kinds = tuple(INDEX[code] for code in codes)
        if _too_many(kinds, used):
            continue
        packed = suits_of(encode([*codes, *melded]))
        if any(shape.readings(packed, -1) for shape in possible):
            key = tuple(sorted(kinds))
            before = by_tiles.get(key)
            by_tiles[key] = Naming(before.kinds, before.mass + p) if before else Naming(kinds, p)
    found.namings = sorted(by_tiles.values(), key=lambda naming: -naming.mass)[:_KEEP]
    found.mass = sum(naming.mass for naming in by_tiles.values())
    return found


def _too_many(kinds: Sequence[int], used: Used) -> bool:
    return any(kinds.count(kind) + ((used[kind // 9] >> (3 * (kind % 9))) & 7) > 4 for kind in set(kinds))
