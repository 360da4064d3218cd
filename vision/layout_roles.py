"""What the groups are: hand, melds, flowers, winning tile, or nothing to do with the hand.

Geometry seldom decides this alone, so this stage makes every plausible `Arrangement` with how well the placing
speaks for it; `decode` weighs them by what the tiles say. The weights are natural logarithms of rough odds: what
counts is that an undecided placing stays undecided and is asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from vision.decode import Arrangement
from vision.decode_melds import MeldSlot, meld_guesses
from vision.decode_odds import TileOdds
from vision.layout import Layout
from vision.layout_pieces import Piece, find_pieces
from vision.observation import KnownSet

_BEAM = 300
_KEEP = 10
_WORST = 14.0
_MAX_SWAPS = 2
_FAR = 2.5
#: Face-down tiles this far from all faces (tile heights) are the wall, not a concealed kong of the hand.
_WALL = 1.0
#: This sure, one of two equal tiles lies on another and is no pair of the hand.
_RAISED = 0.9
#: A tile of the hand set apart lies this near to the rest, tile heights; one farther off is more likely a discard.
_NEAR = 2.0
#: Of tiles apart each counts by its gap, tile widths, from and up to these.
_LEAST_GAP, _MOST_GAP = 0.1, 2.0
#: How unlikely it is that a tile of a set that lay there before is hidden.
_HIDDEN = -1.5


@dataclass(frozen=True, slots=True)
class _Partial:
    weight: float
    concealed: tuple[Piece, ...] = ()
    melds: tuple[tuple[MeldSlot, ...], ...] = ()
    out: tuple[Piece, ...] = ()


def arrangements(
    layout: Layout,
    odds: Sequence[TileOdds],
    hand_size: int = 16,
    keep: int = _KEEP,
    known: Sequence[tuple[KnownSet, frozenset[int]]] = (),
) -> tuple[Arrangement, ...]:
    """Every plausible placing, best first. `hand_size`: tiles held before the winning one (16, or 13); `known`: sets
    that lay here earlier, and the tiles that lie there now."""
    found: dict[tuple[object, ...], Arrangement] = {}
    for flowers in _flower_choices(odds):
        for split in layout.splits:
            pieces, out = find_pieces(split.segments, odds, flowers)
            out.extend((i, "off_size") for i in layout.off_size)
            for partial in _placings(pieces, odds, hand_size, known):
                made = _finish(partial, flowers, out, layout, hand_size, split.cost)
                key = (made.concealed, tuple((m.all_indices, m.known) for m in made.melds), made.flowers)
                if key not in found or found[key].log_prior < made.log_prior:
                    found[key] = made
    ranked = sorted(found.values(), key=lambda a: -a.log_prior)
    return tuple(a for a in ranked if a.log_prior > ranked[0].log_prior - _WORST)[:keep]


def _flower_choices(odds: Sequence[TileOdds]) -> list[frozenset[int]]:
    """The tiles taken for flowers; ones that may or may not be are tried both ways."""
    sure = frozenset(i for i, tile in enumerate(odds) if tile.flower > 0.5)
    unsure = sorted((abs(tile.flower - 0.5), i) for i, tile in enumerate(odds) if 0.02 < tile.flower < 0.98)
    swaps = [i for _, i in unsure[:_MAX_SWAPS]]
    return [sure ^ frozenset(c) for size in range(len(swaps) + 1) for c in combinations(swaps, size)]


def _placings(
    pieces: Sequence[Piece], odds: Sequence[TileOdds], hand_size: int, known: Sequence[tuple[KnownSet, frozenset[int]]]
) -> list[_Partial]:
    """Give every piece a place, keeping the most likely placings."""
    cuts = {piece: _cuts(piece, odds) for piece in pieces}
    hub = _hub(pieces, cuts)
    home = _home_block(pieces, hub)
    marked_rows = {p.segment.row for p in pieces if p.size >= 3 and p.size <= 4 and _marked(p)}
    partials = [_Partial(0.0)]
    for piece in sorted(pieces, key=lambda p: (-p.size, p.tiles)):
        options = _options(piece, pieces, (hub, home, marked_rows), cuts[piece])
        options += _completions(piece, odds, known)
        partials = [_placed(partial, piece, option) for partial in partials for option in options]
        partials = [p for p in partials if sum(len(m) for m in p.melds) <= (hand_size - 1) // 3]
        partials.sort(key=lambda p: -p.weight)
        del partials[_BEAM:]
    for each, there in known:
        # Nothing of it is seen: something lies or leans over it.
        if not any(there.intersection(piece.all_tiles) for piece in pieces):
            covered = MeldSlot((), unseen=len(each.tiles), known=each)
            partials += [
                _Partial(p.weight + _HIDDEN * len(each.tiles), p.concealed, (*p.melds, (covered,)), p.out)
                for p in partials
            ]
    weighed = [_Partial(p.weight - _count_cost(_missing(p, hand_size)), p.concealed, p.melds, p.out) for p in partials]
    weighed.sort(key=lambda p: -p.weight)
    return weighed[: 2 * _KEEP]


def _placed(partial: _Partial, piece: Piece, option: tuple[str, float, tuple[MeldSlot, ...]]) -> _Partial:
    place, weight, slots = option
    total = partial.weight + weight
    if place == "meld":
        return _Partial(total, partial.concealed, (*partial.melds, slots), partial.out)
    if place == "hand":
        return _Partial(total, (*partial.concealed, piece), partial.melds, partial.out)
    return _Partial(total, partial.concealed, partial.melds, (*partial.out, piece))


def _hub(pieces: Sequence[Piece], cuts: dict[Piece, tuple[MeldSlot, ...]]) -> Piece | None:
    """The piece that is the hand, or most of it: the largest that can be no single meld."""
    rest = [p for p in pieces if p.size >= 5 or (p.size == 4 and not cuts[p])]
    return max(rest, key=lambda p: p.size, default=None)


def _home_block(pieces: Sequence[Piece], hub: Piece | None) -> tuple[int, int] | None:
    """The run of pieces where the concealed tiles lie: that of the hub, or, where all are set-sized, that of the pair
    or lone tile."""
    if hub is not None:
        return hub.block
    rest = [p for p in pieces if p.size in (1, 2)]
    return rest[0].block if rest else None


def _marked(piece: Piece) -> bool:
    """Whether it shows by itself that it is a meld: a tile turned, stacked or face down."""
    return bool(piece.turned or piece.stacked or piece.backs)


def _options(
    piece: Piece,
    pieces: Sequence[Piece],
    scene: tuple[Piece | None, tuple[int, int] | None, set[int]],
    cuts: tuple[MeldSlot, ...],
) -> list[tuple[str, float, tuple[MeldSlot, ...]]]:
    hub, home, marked_rows = scene
    options: list[tuple[str, float, tuple[MeldSlot, ...]]] = []
    if _of_the_wall(piece, pieces):
        weight = -6.0 if len(piece.backs) == 4 else -7.0
        return [("out", -0.05, ()), *([("meld", weight, cuts)] if cuts else [])]
    marked = _marked(piece)
    with_hub = hub is not None and hub is not piece
    # Among marked melds, and not where the hand lies, the unmarked groups are melds as well.
    with_melds = piece.segment.row in marked_rows and piece.block != home
    if cuts:
        options.append(("meld", _meld_weight(piece, cuts, with_hub, home, marked), cuts))
    if not piece.backs and not piece.stacked:
        weight = _hand_weight(piece, bool(cuts), with_hub or with_melds, home, marked)
        if piece.size == 1:
            # Discards lie near each other, which tells nothing.
            away = piece.distance(hub) if hub is not None and hub is not piece else _distance(piece, pieces)
            weight -= max(0.0, away - _NEAR)
        options.append(("hand", weight, ()))
    options.append(("out", _out_weight(piece, pieces), ()))
    return options


def _meld_weight(
    piece: Piece, cuts: tuple[MeldSlot, ...], with_hub: bool, home: tuple[int, int] | None, marked: bool
) -> float:
    if len(cuts) > 1:
        # Melds that touch each other look just like a row of the hand.
        return -0.5 if piece.turned else -7.0
    if cuts[0].unseen:
        return -0.5 if cuts[0].raised > _RAISED else -3.5
    if marked:
        return -0.05
    if with_hub:
        return -0.05
    # All groups alike: those beside the pair are more likely sets of an open hand.
    return -1.2 if piece.block == home else -0.1


def _hand_weight(piece: Piece, may_be_meld: bool, with_hub: bool, home: tuple[int, int] | None, marked: bool) -> float:
    if len(piece.turned) > 1:
        return -6.0  # only the winning tile lies sideways in a hand
    if piece.size == 1 or piece.size >= 5 or (piece.size > 2 and not may_be_meld):
        return -0.3
    if piece.size == 2:
        return -0.8 if with_hub else -0.1
    if marked or with_hub:
        return -8.0 if marked or piece.block != home or piece.apart > 0.5 else -6.0
    if piece.size == 4:
        return -4.0
    return -0.2 if piece.block == home else -1.6


def _distance(piece: Piece, pieces: Sequence[Piece]) -> float:
    """Free space to the nearest other faces, tile heights; 0 where there are none."""
    return min((piece.distance(other) for other in pieces if other is not piece and not _face_down(other)), default=0.0)


def _face_down(piece: Piece) -> bool:
    return len(piece.backs) == len(piece.tiles) and not piece.stacked


def _of_the_wall(piece: Piece, pieces: Sequence[Piece]) -> bool:
    return _face_down(piece) and _distance(piece, pieces) > _WALL


def _out_weight(piece: Piece, pieces: Sequence[Piece]) -> float:
    distance = _distance(piece, pieces)
    if distance > _FAR:
        return -0.8 - 0.15 * piece.size
    return -3.0 - 0.8 * piece.size


def _cuts(piece: Piece, odds: Sequence[TileOdds]) -> tuple[MeldSlot, ...]:
    """The piece as one meld, or as several lying against each other; empty when it can be none."""
    raised = piece.segment.raised if len(piece.tiles) == 3 == piece.segment.size else 0.0
    whole = MeldSlot(piece.tiles, piece.stacked, piece.turned, piece.turns_known, raised=raised)
    if len(whole.all_indices) in (3, 4):
        return (whole,) if meld_guesses(whole, odds) else ()
    if piece.size == 2 and not piece.stacked:
        above = piece.segment.raised if piece.segment.size == 2 else 0.0
        pair = MeldSlot(piece.tiles, turns_known=piece.turns_known, unseen=2, raised=above)
        return (pair,) if meld_guesses(pair, odds) else ()
    if piece.stacked or len(piece.tiles) < 6 or len(piece.tiles) > 16:
        return ()
    best: dict[int, tuple[float, tuple[MeldSlot, ...]]] = {0: (0.0, ())}
    for end in range(3, len(piece.tiles) + 1):
        for size in (3, 4):
            before = best.get(end - size)
            if before is None:
                continue
            tiles = piece.tiles[end - size : end]
            slot = MeldSlot(tiles, (), tuple(i for i in piece.turned if i in tiles), piece.turns_known)
            guesses = meld_guesses(slot, odds)
            if not guesses or guesses[0].probability < 0.05:
                continue
            score = before[0] + math.log(guesses[0].probability)
            if end not in best or best[end][0] < score:
                best[end] = (score, (*before[1], slot))
    return best[len(piece.tiles)][1] if len(piece.tiles) in best else ()


def _completions(
    piece: Piece, odds: Sequence[TileOdds], known: Sequence[tuple[KnownSet, frozenset[int]]]
) -> list[tuple[str, float, tuple[MeldSlot, ...]]]:
    """The piece as what is left to see of a set that lay there before."""
    found: list[tuple[str, float, tuple[MeldSlot, ...]]] = []
    for each, there in known:
        unseen = len(each.tiles) - piece.size
        if unseen < 0 or not there.issuperset(piece.all_tiles):
            continue
        # A tile that is taken for a flower and lies against them is not hidden; backs of a kong may be left over.
        if each.kind != "kong_concealed" and len(piece.segment.all_indices) > piece.size:
            continue
        # Whether a fourth tile lies with three that are seen, the group itself says.
        if unseen == 1 and piece.size == 3 and not piece.backs:
            continue
        # Backs that lay there before are not the wall.
        if unseen or _face_down(piece):
            slot = MeldSlot(piece.tiles, piece.stacked, piece.turned, piece.turns_known, unseen, known=each)
            found += [("meld", _HIDDEN * unseen, (slot,))] if meld_guesses(slot, odds) else []
    return found


def _missing(partial: _Partial, hand_size: int) -> int:
    """How many tiles it lacks of a won hand; negative where there are too many."""
    return hand_size + 1 - sum(p.size for p in partial.concealed) - 3 * sum(len(m) for m in partial.melds)


def _count_cost(missing: int) -> float:
    """How unlikely it is that so many tiles are missing."""
    return {0: 0.0, 1: 3.5}.get(missing, 6.0 + 1.2 * abs(missing))


def _finish(
    partial: _Partial,
    flowers: frozenset[int],
    out: Sequence[tuple[int, str]],
    layout: Layout,
    hand_size: int,
    cost: float,
) -> Arrangement:
    concealed = sorted(partial.concealed, key=lambda p: (p.segment.row, p.segment.box[0]))
    left = [*out, *((i, "stray") for piece in partial.out for i in piece.all_tiles)]
    missing = _missing(partial, hand_size)
    slots = sorted((slot for melds in partial.melds for slot in melds), key=lambda s: s.indices)
    return Arrangement(
        concealed=tuple(i for piece in concealed for i in piece.tiles),
        melds=tuple(slots),
        flowers=tuple(sorted(flowers - {i for i, _ in left})),
        win=_winning_tile(concealed) if missing == 0 else (),
        left_out=tuple(sorted(left)),
        missing=missing,
        log_prior=partial.weight - cost,
    )


def _winning_tile(concealed: Sequence[Piece]) -> tuple[tuple[int, float], ...]:
    """Candidates with confidence: a tile set apart, a tile turned, else the last one, which decides nothing."""
    tiles = [i for piece in concealed for i in piece.tiles]
    apart = {p.tiles[0]: p.apart for p in concealed if p.size == 1} if len(concealed) > 1 else {}
    turned = [i for piece in concealed for i in piece.turned]
    if len(turned) == 1 and (not apart or turned[0] in apart):
        marked, sure = dict.fromkeys(turned, 1.0), 0.97
    elif len(apart) == 1 and not turned:
        marked, sure = apart, 0.97
    elif turned or apart:
        # Of several the one farthest apart is likeliest; one turned speaks as one a tile's width apart.
        marked, sure = {**apart, **dict.fromkeys(turned, 1.0)}, 0.9
    else:
        marked, sure = dict.fromkeys(tiles[-1:], 1.0), 0.5
    share = {i: min(max(gap, _LEAST_GAP), _MOST_GAP) for i, gap in marked.items()}
    total = sum(share.values())
    others = [i for i in tiles if i not in marked]
    # With nothing else to be, what is marked is certain.
    sure = sure if others else 1.0
    return (
        *((i, sure * part / total) for i, part in share.items()),
        *((i, (1.0 - sure) / len(others)) for i in others),
    )
