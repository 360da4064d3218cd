"""Segments as the hand sees them: flowers and face-down tiles taken out, with how they lie to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from vision.decode_melds import MeldSlot, meld_guesses
from vision.decode_odds import TileOdds
from vision.layout import Segment

#: Gaps of a row that differ by this factor are of two kinds: within the hand and between hand and melds.
_GAP_KINDS = 1.6
#: Faces between backs are those of a kong when they are the same with this probability, names alone known.
_KONG = 0.001
#: So much wider than high, tile by tile, is no row of tiles lying on the table.
_TOPS = 1.5


@dataclass(frozen=True, slots=True)
class Piece:
    """Playing tiles of one segment, in reading order. `backs` are the face-down ones among them (only in a group of
    four); `block` tells runs of pieces apart that clearly wider gaps separate."""

    segment: Segment
    tiles: tuple[int, ...]
    stacked: tuple[int, ...]
    turned: tuple[int, ...]
    backs: tuple[int, ...]
    block: tuple[int, int]
    turns_known: bool
    height: float

    @property
    def size(self) -> int:
        """Number of tiles, stacked ones included."""
        return len(self.tiles) + len(self.stacked)

    @property
    def all_tiles(self) -> tuple[int, ...]:
        """Every tile, stacked ones last."""
        return self.tiles + self.stacked

    @property
    def apart(self) -> float:
        """The narrower of the gaps beside it, in tile widths."""
        return min(self.segment.gap_before, self.segment.gap_after)

    def distance(self, other: Piece) -> float:
        """Free space between two pieces, in tile heights."""
        a, b = self.segment.box, other.segment.box
        across = max(a[0] - b[2], b[0] - a[2], 0.0)
        down = max(a[1] - b[3], b[1] - a[3], 0.0)
        return float((across**2 + down**2) ** 0.5) / max(self.height, 1e-6)


def find_pieces(
    segments: Sequence[Segment], odds: Sequence[TileOdds], flowers: frozenset[int]
) -> tuple[list[Piece], list[tuple[int, str]]]:
    """Pieces, and the tiles left out with the reason (`wall`, `face_down`)."""
    blocks = _blocks(segments)
    heights = [s.box[3] - s.box[1] for s in segments]
    height = median(heights) if heights else 1.0
    pieces: list[Piece] = []
    out: list[tuple[int, str]] = []
    for segment, block in zip(segments, blocks, strict=True):
        tiles = tuple(i for i in segment.indices if i not in flowers)
        stacked = tuple(i for i in segment.stacked if i not in flowers)
        backs = tuple(i for i in tiles if odds[i].back > 0.5)
        if backs and (_flat(segment, len(tiles)) or not _may_be_kong(tiles, backs, stacked, odds)):
            out.extend((i, "wall" if len(backs) > 4 else "face_down") for i in backs)
            tiles = tuple(i for i in tiles if i not in backs)
            backs = ()
        if not tiles and stacked:
            tiles, stacked = stacked, ()
        if tiles:
            turned = tuple(i for i in segment.turned if i in tiles)
            pieces.append(Piece(segment, tiles, stacked, turned, backs, block, segment.turns_known, height))
    return pieces, out


def _flat(segment: Segment, count: int) -> bool:
    """Whether the tiles of a segment are far wider than high, as the tops of standing ones are seen."""
    x1, y1, x2, y2 = segment.box
    return x2 - x1 > _TOPS * count * (y2 - y1)


def _may_be_kong(
    tiles: tuple[int, ...], backs: tuple[int, ...], stacked: tuple[int, ...], odds: Sequence[TileOdds]
) -> bool:
    """Whether a group with face-down tiles may be a concealed kong: four in a row whose faces are the same, or three
    backs, the fourth not found or face up on one of them, which may hide the one beneath. A back beside other faces is
    most likely a tile's side."""
    if stacked:
        return (len(tiles), len(backs), len(stacked)) == (3, 3, 1)
    if len(tiles) == 3:
        return len(backs) >= 2
    guesses = meld_guesses(MeldSlot(tiles), odds) if len(tiles) == 4 else ()
    return bool(guesses) and guesses[0].probability > _KONG


def _blocks(segments: Sequence[Segment]) -> list[tuple[int, int]]:
    """`(row, number)`: a new number where the gap is clearly wider than the row's others."""
    gaps = sorted(s.gap_before for s in segments if s.gap_before not in (0.0, float("inf")))
    wide = float("inf")
    for small, large in pairwise(gaps):
        if large > _GAP_KINDS * max(small, 0.2):
            wide = large
            break
    blocks: list[tuple[int, int]] = []
    number = 0
    for segment in segments:
        if segment.gap_before >= wide or segment.gap_before == float("inf"):
            number += 1
        blocks.append((segment.row, number))
    return blocks
