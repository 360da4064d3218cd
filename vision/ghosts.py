"""What was found and may be no tile at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vision.observation import TileObservation

#: Where there are more than four of a kind, each must be there with this probability.
_SURE = 0.9


def presence(tile: TileObservation) -> float:
    """The probability that there is a tile: `confidence` is that of the tile and its code together."""
    return tile.confidence / tile.alternatives[0][1] if tile.alternatives else tile.confidence


def cloth_pattern(tiles: Sequence[TileObservation]) -> frozenset[int]:
    """What a cloth's pattern was taken for: of a kind seen more than four times, those not sure to be there at all."""
    counts = Counter(tile.code for tile in tiles if tile.code != "back")
    return frozenset(i for i, tile in enumerate(tiles) if counts[tile.code] > 4 and presence(tile) < _SURE)
