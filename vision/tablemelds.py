"""What lies open before a player in the middle of a hand: sets of three and four, and flowers.

`decode_reading` reads whole hands; while a hand is played only its exposed part is seen, and that is what this reads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scoring.tiles import KINDS
from vision.decode_melds import CHOW_ORDERS
from vision.decode_odds import TileOdds, all_odds, default_calibration
from vision.layout import Segment, lay_out
from vision.observation import TileObservation
from vision.table import SEAT_DEPTH
from vision.table_eye import Eye

#: Face-down tiles deeper on the table than this (share of its side) are the wall, not a concealed kong.
_WALL_FROM = 0.14
#: A set whose tiles fit it with less probability than this is none.
_LIKELY = 0.25
#: So many readings of a set are kept, each at least this likely beside the others.
_KEPT, _TRACE = 4, 0.002
_ZONE_WIDTH = 1.08  # of the table's side


def place_of(x: float, width: float) -> float:
    """The place along a player's edge, 0 to 1, of what is seen at `x` of their zone's view, `width` pixels wide."""
    return x / width * _ZONE_WIDTH - (_ZONE_WIDTH - 1) / 2


def seen_at(place: float, width: float) -> float:
    """Where in such a view a place along the edge is seen, pixels."""
    return (place + (_ZONE_WIDTH - 1) / 2) / _ZONE_WIDTH * width


@dataclass(frozen=True, slots=True)
class LaidSet:
    """One set: `kind` `chow`, `pung`, `kong` (whose kind only the play tells) or `kong_concealed`; sorted `tiles`,
    all `back` where none shows; `place` along the player's edge, 0 to 1; `confidence` that it is just this set, and
    what else it may be (kind, tiles, probability)."""

    kind: str
    tiles: tuple[str, ...]
    place: float
    confidence: float
    others: tuple[tuple[str, tuple[str, ...], float], ...] = ()


@dataclass(frozen=True, slots=True)
class LaidOpen:
    """The open part of a seat's tiles; `tiles` are all that were found with their places along the edge, of which a set
    may show only some."""

    sets: tuple[LaidSet, ...] = ()
    flowers: tuple[str, ...] = ()
    tiles: tuple[tuple[str, float], ...] = ()


def laid_open(tiles: Sequence[TileObservation], size: tuple[int, int], eye: Eye | None = None) -> LaidOpen:
    """Sets and flowers among the `tiles` of a seat's zone (pixels of a zone of `size`, upright for its player); `eye`:
    the camera's place over it, where known."""
    scale = size[0] / _ZONE_WIDTH

    def of_the_wall(i: int) -> bool:
        return tiles[i].code == "back" and SEAT_DEPTH - tiles[i].center[1] / scale >= _WALL_FROM

    odds = all_odds(tiles, default_calibration())
    flowers = tuple(sorted(o.top for o in odds if o.flower > 0.5))
    playing = [i for i, o in enumerate(odds) if o.flower <= 0.5]
    there = tuple((odds[i].top, place_of(tiles[i].center[0], size[0])) for i in playing if not of_the_wall(i))
    if len(playing) < 3:
        return LaidOpen((), flowers, there)
    # The wall's row shows best how the picture is turned.
    own = [tiles[i] for i in playing]
    layout = lay_out([t.box for t in own], 0.0, [t.angle for t in own], eye=eye, stacked=[t.stacked for t in own])
    # A set has four blank 白: where more are seen they are the tops of tiles that stand.
    tops = sum(odds[i].top == "P" for i in playing) > 4
    sets = []
    for segment in layout.splits[0].segments:
        found = _set_of(segment, [odds[playing[i]] for i in segment.all_indices])
        if found is not None and not any(of_the_wall(playing[i]) for i in segment.indices):
            middle = sum(tiles[playing[i]].center[0] for i in segment.indices) / len(segment.indices)
            place = place_of(middle, size[0])
            (kind, codes, sure), *others = found
            if tops and codes[0] == "P":
                continue
            sets.append(LaidSet(kind, codes, place, sure, tuple(others)))
    return LaidOpen(tuple(sets), flowers, there)


_Read = tuple[str, tuple[str, ...], float]


def _set_of(segment: Segment, odds: Sequence[TileOdds]) -> list[_Read] | None:
    """Kinds, tiles and probabilities of the sets these tiles may be, likeliest first; None where they are none."""
    faces = [o for o in odds if o.back <= 0.5]
    # Of three backs one may be hidden beneath a face that lies on another.
    if len(odds) == 4 or (len(odds) == 3 and len(faces) <= 1):
        return _four(faces)
    if len(odds) != 3 or len(faces) != 3:
        return None
    found: list[_Read] = []
    for codes, sure in _ranked(_threes(), faces):
        if len(set(codes)) > 1:
            found.append(("chow", codes, sure))
            continue
        found.append(("pung", codes, sure * (1.0 - segment.raised)))
        found.append(("kong", codes[:1] * 4, sure * segment.raised))
    found.sort(key=lambda read: -read[2])
    return [read for read in found if read[2] > _TRACE] or None


def _four(faces: Sequence[TileOdds]) -> list[_Read] | None:
    """A kong, of whose four tiles these show their faces."""
    if not faces:
        return [("kong_concealed", ("back",) * 4, 0.8)]
    if len(faces) == 3:
        return None
    kind = "kong_concealed" if len(faces) < 4 else "kong"
    ranked = _ranked(((code,) * len(faces) for code in KINDS), faces)
    return [(kind, codes[:1] * 4, sure) for codes, sure in ranked] or None


def _ranked(sets: Iterable[tuple[str, ...]], odds: Sequence[TileOdds]) -> list[tuple[tuple[str, ...], float]]:
    """The likeliest sets for tiles with these odds; none where even the best does not fit. The probability of each:
    against the other sets, and at most how well its worst tile fits."""
    chances: dict[tuple[str, ...], tuple[float, float]] = {}
    for codes in sets:
        ways = {tuple(range(len(codes))): 1.0} if len(set(codes)) == 1 else CHOW_ORDERS
        fits = [([o.of(codes[k]) for o, k in zip(odds, order, strict=True)], usual) for order, usual in ways.items()]
        chances[codes] = max((usual * math.prod(fit), min(fit)) for fit, usual in fits)
    total = sum(chance for chance, _ in chances.values())
    best = sorted(chances, key=lambda codes: -chances[codes][0])[:_KEPT]
    if not total or min(chances[best[0]][0] / total, chances[best[0]][1]) < _LIKELY:
        return []
    return [(c, min(chances[c][0] / total, chances[c][1])) for c in best if chances[c][0] > _TRACE * total]


def _threes() -> Iterator[tuple[str, ...]]:
    yield from ((code,) * 3 for code in KINDS)
    yield from ((f"{n}{s}", f"{n + 1}{s}", f"{n + 2}{s}") for s in "mps" for n in range(1, 8))
