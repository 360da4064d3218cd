"""One way to read a winning hand, as the patterns see it."""

from __future__ import annotations

from typing import Literal

Shape = Literal[
    "standard",
    "seven_pairs",
    "ligu",
    "orphans",
    "orphans_set",
    "unconnected",
    "only_258",
    "only_honours",
    "dealt",
    "eight_flowers",
    "rob_flower",
]
"""standard: sets and a pair · seven_pairs · ligu: seven pairs and a triplet · orphans: thirteen orphans ·
orphans_set: thirteen orphans and a set · unconnected: 十六不搭 · only_258: 將將胡 · only_honours: 亂風向 ·
dealt: 起手胡, which asks for no complete hand · eight_flowers, rob_flower: flower wins without a complete hand."""


class Reading:
    """A split of the tiles with the winning tile placed. Masks and kinds as in scoring.encoding.

    hand_triplets, hand_chows: sets of the concealed tiles, chows by their first kind; triplets: those of the melds
    (kongs too) as well. pair: mask of the pair; pairs: mask of all pairs of a pair shape (a quad counted as two pairs
    is in `quads` too). place, place_kind: where the winning tile went (scoring.shapes.suits) and the first kind of that
    set. wild_as: kinds the wildcards stand for.
    """

    __slots__ = (
        "hand_chows",
        "hand_triplets",
        "pair",
        "pairs",
        "place",
        "place_kind",
        "quads",
        "shape",
        "triplets",
        "wild_as",
    )

    def __init__(
        self,
        shape: Shape,
        hand_triplets: int,
        triplets: int,
        pair: int,
        hand_chows: tuple[int, ...],
        place: int,
        place_kind: int,
    ) -> None:
        self.shape = shape
        self.hand_triplets = hand_triplets
        self.triplets = triplets
        self.pair = pair
        self.hand_chows = hand_chows
        self.place = place
        self.place_kind = place_kind
        self.pairs = pair
        self.quads = 0
        self.wild_as: tuple[int, ...] = ()
