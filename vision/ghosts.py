"""What was found and may be no tile at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vision.layout_rows import chains, find_frame
from vision.observation import TileObservation

#: Where there are more than four of a kind, each must be there with this probability.
_SURE = 0.9
#: Tiles of a row lie no farther apart than this (tile widths).
_EDGE_TO_EDGE = 0.2


def cloth_pattern(tiles: Sequence[TileObservation]) -> frozenset[int]:
    """What a cloth's pattern was taken for: of a kind seen more than four times, those not sure to be there at all, but
    for what lies edge to edge in a row of which most surely is there: misread, the row's own tiles."""
    counts = Counter(tile.code for tile in tiles if tile.code != "back")
    doubtful = {i for i, tile in enumerate(tiles) if counts[tile.code] > 4 and tile.presence < _SURE}
    if not doubtful:
        return frozenset()
    _, links = find_frame([tile.box for tile in tiles], None, [tile.angle for tile in tiles])
    rows = chains(len(tiles), [link for link in links if link.gap < _EDGE_TO_EDGE])
    return frozenset(doubtful - {i for row in rows if 2 * len(doubtful & set(row)) < len(row) for i in row})
