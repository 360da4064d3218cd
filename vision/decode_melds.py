"""What a laid-down group can be: every legal meld with its probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.tiles import ALL_CODES, KINDS
from vision.decode_odds import TileOdds
from vision.observation import KnownSet

_SUITED = 27
_KEEP = 10
#: How usual the orders of a chow's tiles are: in order, from the other end, or with the claimed tile in the middle or
#: at an end. Six that weighed alike would make a chow of three tiles that may be a pung six times as likely.
CHOW_ORDERS = {(0, 1, 2): 1.0, (2, 1, 0): 0.4, (1, 0, 2): 0.2, (0, 2, 1): 0.2, (2, 0, 1): 0.2, (1, 2, 0): 0.2}


@dataclass(frozen=True, slots=True)
class MeldSlot:
    """Tiles taken to be one meld: `indices` in reading order, `stacked` those lying on or against it, `turned` those
    lying sideways; `turns_known` False where the rotation hides that. `unseen`: tiles that must lie beside two faces
    though none was found: face down, a concealed kong's, or hidden by the upper of the two; `raised` is the
    probability that one of three equal tiles lies on a fourth, or one of two on a third. `known`: the set that lay here
    before, of which only these tiles were found."""

    indices: tuple[int, ...]
    stacked: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()
    turns_known: bool = True
    unseen: int = 0
    raised: float = 0.0
    known: KnownSet | None = None

    @property
    def all_indices(self) -> tuple[int, ...]:
        """Every tile, stacked ones last."""
        return self.indices + self.stacked


@dataclass(frozen=True, slots=True)
class MeldGuess:
    """One legal naming of a slot.

    `codes` follow `MeldSlot.all_indices`: face-down tiles are named by the others (`back` where nothing names them),
    unseen ones come last. `probability` is absolute; `sure_kind` False where the kind must be asked.
    """

    kind: str
    codes: tuple[str, ...]
    probability: float
    sure_kind: bool = True


def meld_guesses(slot: MeldSlot, odds: Sequence[TileOdds]) -> tuple[MeldGuess, ...]:
    """Every legal meld the slot can be, most probable first (at most ten); empty when it can be none."""
    tiles = [odds[i] for i in slot.all_indices]
    if slot.known is not None:
        guesses = _completed(slot.known, tiles)
    elif slot.unseen and len(tiles) == 2:
        kinds = (("kong_concealed", 1.0 - slot.raised, False), ("kong_added", slot.raised, True))
        guesses = [
            MeldGuess(kind, (c,) * 4, p * _same(tiles, c), sure)
            for kind, p, sure in kinds
            for c in _shared_codes(tiles)
        ]
    elif len(tiles) == 4 or any(tile.back > 0.5 for tile in tiles):
        guesses = _kongs(slot, tiles)
    elif len(tiles) == 3:
        guesses = [*_pungs(tiles, slot.raised), *_chows(tiles)]
    else:
        return ()
    guesses = [guess for guess in guesses if guess.probability > 0.0]
    guesses.sort(key=lambda guess: (-guess.probability, guess.codes))
    return tuple(guesses[:_KEEP])


def _completed(known: KnownSet, tiles: Sequence[TileOdds]) -> list[MeldGuess]:
    """The known set of which only these tiles were found: theirs first, then the hidden ones. None where they can be
    none of it."""
    left = Counter(known.tiles)
    codes, probability = [], 1.0
    for tile in tiles:
        face_down = known.kind == "kong_concealed"
        chances = [(tile.back if face_down and tile.back > tile.of(code) else tile.of(code), code) for code in left]
        p, code = max(chances, default=(0.0, ""))
        if p <= 0.0:
            return []
        codes.append(code)
        probability *= p
        left -= Counter([code])
    sure = known.kind in ("chow", "pung")
    return [MeldGuess(known.kind, (*codes, *sorted(left.elements())), probability, sure)]


def _shared_codes(tiles: Sequence[TileOdds]) -> list[str]:
    """Codes that most of the tiles list; one that a single tile does not list is unlikely, not impossible."""
    codes = dict.fromkeys(code for tile in tiles for code, _ in tile.odds if code in KINDS)
    return [code for code in codes if sum(t.of(code) <= 0 for t in tiles) <= (1 if len(tiles) > 2 else 0)]


def _same(tiles: Sequence[TileOdds], code: str) -> float:
    product = 1.0
    for tile in tiles:
        product *= _of(tile, code)
    return product


def _of(tile: TileOdds, code: str) -> float:
    return tile.of(code) or tile.rest / len(ALL_CODES)


def _pungs(tiles: Sequence[TileOdds], raised: float) -> list[MeldGuess]:
    """Pungs, and where a tile may lie on a fourth the kongs they would be."""
    found = []
    for code in _shared_codes(tiles):
        p = _same(tiles, code)
        found.append(MeldGuess("pung", (code,) * 3, p * (1.0 - raised)))
        if raised > 0.0:
            found.append(MeldGuess("kong_added", (code,) * 4, p * raised))
    return found


def _chows(tiles: Sequence[TileOdds]) -> list[MeldGuess]:
    lowest = {
        index - step
        for tile in tiles
        for code, _ in tile.odds
        if code in KINDS and (index := KINDS.index(code)) < _SUITED
        for step in range(3)
        if 0 <= index % 9 - step <= 6
    }
    found = []
    for low in sorted(lowest):
        for order, usual in CHOW_ORDERS.items():
            codes = tuple(KINDS[low + step] for step in order)
            listed = [tile.of(code) for tile, code in zip(tiles, codes, strict=True)]
            if sum(p <= 0 for p in listed) > 1:
                continue
            product = usual
            for tile, code in zip(tiles, codes, strict=True):
                product *= _of(tile, code)
            found.append(MeldGuess("chow", codes, product))
    return found


def _kongs(slot: MeldSlot, tiles: Sequence[TileOdds]) -> list[MeldGuess]:
    """A fourth tile stacked or leaning: added. Face-down tiles: concealed. Four faces in a row: a turned tile says
    exposed; without one it may as well be a concealed kong shown, which must be asked."""
    hidden = [k for k, tile in enumerate(tiles) if tile.back > 0.5]
    if hidden:
        certain = 1.0
        for k in hidden:
            certain *= tiles[k].back
        faces = [tile for k, tile in enumerate(tiles) if k not in hidden]
        if not faces:
            return [MeldGuess("kong_concealed", ("back",) * 4, certain, sure_kind=True)]
        # Nobody lays three faces and a back: it may be a pung's side that looks like one.
        sure = len(faces) < 3
        return [
            MeldGuess("kong_concealed", (code,) * 4, certain * _same(faces, code), sure)
            for code in _shared_codes(faces)
        ]
    if slot.stacked:
        kind, sure = "kong_added", True
    else:
        kind, sure = "kong_exposed", slot.turns_known and bool(slot.turned)
    return [MeldGuess(kind, (code,) * 4, _same(tiles, code), sure) for code in _shared_codes(tiles)]
