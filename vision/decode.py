"""The rules as a second pair of eyes: the most probable consistent hands, with probabilities that mean what they say.

Consistent means: at most four of a kind and one of each flower over everything visible, the right number of tiles,
legal melds, and a winning shape where a win is claimed. The sums behind the probabilities are exact but for what time
did not allow to look at; a cautious estimate of that is carried along (`Decoded.explored`) and counts against the
reading, so running out of time makes it less sure.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scoring.encoding import encode, suits_of
from scoring.shapes.distance import distance
from scoring.shapes.special import SpecialShape
from scoring.tiles import FLOWERS, INDEX, KINDS
from vision.decode_hand import ConcealedTiles, Naming, Shapes, Used, pack
from vision.decode_known import told, twice
from vision.decode_melds import MeldGuess, MeldSlot, meld_guesses
from vision.decode_odds import TileOdds
from vision.decode_order import best_first
from vision.decode_special import fitting, pairs_shape, special_shapes
from vision.observation import Known

#: A tile named with more than this is surely seen, and how often one of those of a kind is another one all the same, or
#: was counted twice.
SURE_ELSEWHERE, MISREAD_ELSEWHERE = 0.98, 0.02
#: How often a claimed hand does not win, over how much denser almost-winning hands lie than winning ones.
_NOT_WINNING = (0.05 / 0.95) / 300.0
#: The same where tiles are missing: it cannot win as it lies, which says little about the tiles that are there. One
#: that lacks a single tile must be ready to win: else any tile that may be a flower would make a losing hand short.
_INCOMPLETE = 0.05 / 0.95
#: Share of a tile's unlisted codes that would complete the hand too.
_REST_COMPLETES = 0.03
#: Where so much of the probability is in the usual shapes, the others are not looked for.
_SHAPE_FOUND = 0.5
_MELD_COMBINATIONS = 8
_MELD_LEAST = 1e-4
_KEEP = 12


@dataclass(frozen=True, slots=True)
class Arrangement:
    """One way of placing the tiles, from `layout_roles`. Indices point into the observations. `win` are candidates for
    the winning tile with probabilities; `missing` is how many tiles it lacks of a won hand, negative for too many;
    `log_prior` how well geometry likes it; `left_out` pairs of tile and reason; `remarks` are stable words for doubts
    of placing."""

    concealed: tuple[int, ...]
    melds: tuple[MeldSlot, ...] = ()
    flowers: tuple[int, ...] = ()
    win: tuple[tuple[int, float], ...] = ()
    left_out: tuple[tuple[int, str], ...] = ()
    missing: int = 0
    log_prior: float = 0.0
    remarks: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the number of tiles is that of a won hand."""
        return self.missing == 0


@dataclass(frozen=True, slots=True)
class ShapeRules:
    """Which shapes win beside sets and a pair. `pairs`: pairs and a triplet (16-tile games) or seven pairs (13-tile
    games); `quads`: four of a kind may stand for two pairs; `special`: all other shapes."""

    pairs: bool = True
    quads: bool = False
    special: tuple[SpecialShape, ...] = ()


@dataclass(frozen=True, slots=True)
class HandGuess:
    """One consistent hand. `codes` of every tile in use, by observation index; `probability` of the whole of it."""

    arrangement: Arrangement
    codes: dict[int, str]
    melds: tuple[MeldGuess, ...]
    wins: bool
    probability: float

    def key(self) -> tuple[object, ...]:
        """What makes two guesses the same hand for a scorer (without the winning tile)."""
        concealed = tuple(sorted(self.codes[i] for i in self.arrangement.concealed))
        melds = tuple(sorted((m.kind, tuple(sorted(m.codes))) for m in self.melds))
        return concealed, melds, tuple(sorted(self.codes[i] for i in self.arrangement.flowers))


@dataclass(frozen=True, slots=True)
class Decoded:
    """All hands found, best first, their probabilities summing to at most one. `winning` is the probability that the
    tiles win; `explored` the share of the probability that was looked at before time ran out; `mass` what all hands
    weigh together, to compare decodings of the same tiles."""

    hands: tuple[HandGuess, ...]
    winning: float
    explored: float
    mass: float = 0.0

    @property
    def best_mass(self) -> float:
        """What the best hand weighs."""
        return self.hands[0].probability * self.mass if self.hands else 0.0


def decode(
    odds: Sequence[TileOdds],
    arrangements: Sequence[Arrangement],
    rules: ShapeRules | None = None,
    seen: Sequence[str] = (),
    budget_s: float = 0.014,
    known: Known = None,
) -> Decoded:
    """The most probable consistent hands over all arrangements.

    Args:
        odds: calibrated odds of every observation.
        arrangements: ways of placing them; ones whose melds can be no melds drop out.
        rules: which shapes win.
        seen: codes surely seen elsewhere on the table; they count towards four of a kind.
        budget_s: seconds of processor time after which it stops with what it has; what else the machine does must not
            change a reading.
        known: the sets that lay open before the player earlier; None where nobody watched.
    """
    deadline = time.thread_time() + budget_s
    rules = rules or ShapeRules()
    weighed: list[HandGuess] = []
    unexplored = 0.0
    total = 0.0
    cache: dict[tuple[int, ...], ConcealedTiles] = {}
    elsewhere = Counter({code: min(count, 4) for code, count in Counter(seen).items() if code in KINDS})
    for arrangement in sorted(arrangements, key=lambda a: -a.log_prior):
        tiles = cache.get(arrangement.concealed)
        if tiles is None:
            tiles = cache[arrangement.concealed] = ConcealedTiles([odds[i] for i in arrangement.concealed])
        part = _decode_one(odds, arrangement, tiles, rules, elsewhere, deadline, known)
        weighed.extend(part.hands)
        unexplored += part.unexplored
        total += part.mass
    return _posterior(odds, weighed, total, unexplored)


@dataclass(slots=True)
class _Part:
    hands: list[HandGuess]
    mass: float = 0.0
    unexplored: float = 0.0


def _decode_one(
    odds: Sequence[TileOdds],
    arrangement: Arrangement,
    tiles: ConcealedTiles,
    rules: ShapeRules,
    elsewhere: Counter[str],
    deadline: float,
    known: Known,
) -> _Part:
    prior = math.exp(arrangement.log_prior)
    flowers, flower_mass = _flowers([odds[i] for i in arrangement.flowers])
    part = _Part([])
    if flower_mass <= 0.0:
        return part
    slots = [told(meld_guesses(slot, odds), known) for slot in arrangement.melds]
    first = 0.0
    for number, (melds, p_melds) in enumerate(_meld_combinations(slots, elsewhere)):
        first = first or p_melds
        if number >= _MELD_COMBINATIONS or p_melds < _MELD_LEAST * first:
            break
        used = _used(melds, elsewhere)
        weight = prior * flower_mass * p_melds * twice(melds, known)
        shapes = _shapes(arrangement, tiles, rules, used, deadline)
        if rules.special and arrangement.complete and shapes.mass < _SHAPE_FOUND * tiles.total:
            melded = [code for meld in melds for code in meld.codes[:3]]
            concealed = [odds[i] for i in arrangement.concealed]
            shapes = _together(shapes, special_shapes(concealed, melded, rules.special, used, deadline))
        part.unexplored += weight * shapes.unexplored
        part.mass += weight * shapes.mass
        for naming in shapes.namings:
            codes = _codes(arrangement, melds, flowers, naming.kinds)
            part.hands.append(HandGuess(arrangement, codes, melds, True, weight * naming.mass))
        plain = _plain(odds, arrangement, used)
        # What does not win carries the whole of the rest, under its own small prior.
        unready = arrangement.missing == 1 and not (plain and _ready(plain, melds, rules))
        losing = _NOT_WINNING if arrangement.complete or unready else _INCOMPLETE
        missed = weight * losing * max(0.0, tiles.total - shapes.mass)
        part.mass += missed
        if plain is not None:
            codes = _codes(arrangement, melds, flowers, plain.kinds)
            share = min(plain.mass / max(tiles.total, 1e-12), 1.0)
            wins = any(sorted(n.kinds) == sorted(plain.kinds) for n in shapes.namings)
            if not wins:
                part.hands.append(HandGuess(arrangement, codes, melds, False, missed * share))
    return part


def _shapes(arrangement: Arrangement, tiles: ConcealedTiles, rules: ShapeRules, used: Used, deadline: float) -> Shapes:
    if not arrangement.complete or len(arrangement.concealed) % 3 != 2:
        return Shapes()
    shapes = tiles.standard(used, deadline)
    count = len(arrangement.concealed)
    if not rules.pairs or arrangement.melds or count not in (14, 17):
        return shapes
    return _together(shapes, tiles.pairs(1 if count == 17 else 0, rules.quads, deadline))


def _together(shapes: Shapes, others: Shapes) -> Shapes:
    namings = sorted([*shapes.namings, *others.namings], key=lambda n: -n.mass)[:_KEEP]
    return Shapes(shapes.mass + others.mass, namings, shapes.unexplored + others.unexplored)


def _flowers(tiles: Sequence[TileOdds]) -> tuple[tuple[str, ...], float]:
    """The most probable distinct flowers and the summed probability of all distinct namings (up to a handful)."""
    options = [[(c, p) for c, p in tile.odds if c in FLOWERS] for tile in tiles]
    if not all(options):
        return (), 0.0
    best: tuple[str, ...] | None = None
    mass = 0.0
    for number, (choice, p) in enumerate(best_first(options)):
        codes = tuple(options[i][c][0] for i, c in enumerate(choice))
        if len(set(codes)) == len(codes):
            mass += p
            best = best or codes
        if number >= 60:
            break
    return (best, mass) if best is not None else ((), 0.0)


def _meld_combinations(
    slots: Sequence[Sequence[MeldGuess]], elsewhere: Counter[str]
) -> Iterator[tuple[tuple[MeldGuess, ...], float]]:
    if not all(slots):
        return
    options = [[(str(n), guess.probability) for n, guess in enumerate(slot)] for slot in slots]
    for number, (choice, p) in enumerate(best_first(options)):
        melds = tuple(slot[c] for slot, c in zip(slots, choice, strict=True))
        counts = Counter(code for meld in melds for code in meld.codes if code != "back") + elsewhere
        if not counts or max(counts.values()) <= 4:
            yield melds, p
        if number >= 60:
            return


def _used(melds: Sequence[MeldGuess], elsewhere: Counter[str]) -> Used:
    kinds = [INDEX[code] for meld in melds for code in meld.codes if code != "back"]
    for code, count in elsewhere.items():
        kinds.extend([INDEX[code]] * count)
    return pack(kinds)


def _plain(odds: Sequence[TileOdds], arrangement: Arrangement, used: Used) -> Naming | None:
    """Each concealed tile named for itself, then the least sure ones renamed until no kind is there five times."""
    options = [[(INDEX[c], p) for c, p in odds[i].odds if INDEX[c] < 34] for i in arrangement.concealed]
    if not all(options):
        return None
    choice = [0] * len(options)
    base = Counter({9 * s + k: (used[s] >> (3 * k)) & 7 for s in range(4) for k in range(9)})
    for _ in range(3 * len(options)):
        counts = base + Counter(options[i][c][0] for i, c in enumerate(choice))
        over = {kind for kind, count in counts.items() if count > 4}
        movable = [
            (options[i][c + 1][1] / options[i][c][1], i)
            for i, c in enumerate(choice)
            if options[i][c][0] in over and c + 1 < len(options[i])
        ]
        if not over or not movable:
            break
        choice[max(movable)[1]] += 1
    mass = math.prod(options[i][c][1] for i, c in enumerate(choice))
    return Naming(tuple(options[i][c][0] for i, c in enumerate(choice)), mass)


def _ready(plain: Naming, melds: Sequence[MeldGuess], rules: ShapeRules) -> bool:
    """Whether one more tile would make the hand win."""
    codes = [KINDS[kind] for kind in plain.kinds]
    if any("back" in meld.codes for meld in melds):
        melded, full = 0, None
    else:
        melded = encode(code for meld in melds for code in meld.codes)
        full = encode([*codes, *(code for meld in melds for code in meld.codes[:3])])
    if distance(suits_of(encode(codes)), melded) == 0:
        return True
    size = len(codes) + 3 * len(melds)
    shapes = fitting(rules.special, size + 1, bool(melds))
    if rules.pairs and not melds:
        shapes.append(pairs_shape(size))
    return full is not None and any(shape.kept(full) >= size for shape in shapes)


def _codes(
    arrangement: Arrangement, melds: Sequence[MeldGuess], flowers: Sequence[str], kinds: Sequence[int]
) -> dict[int, str]:
    codes = {i: KINDS[k] for i, k in zip(arrangement.concealed, kinds, strict=True)}
    codes.update(zip(arrangement.flowers, flowers, strict=True))
    for slot, meld in zip(arrangement.melds, melds, strict=True):
        # A kong may have more tiles than were seen: face down, or beneath another.
        codes.update(zip(slot.all_indices, meld.codes, strict=False))
    return codes


def _posterior(odds: Sequence[TileOdds], weighed: list[HandGuess], total: float, unexplored: float) -> Decoded:
    everything = total + unexplored
    if everything <= 0.0 or not weighed:
        return Decoded((), 0.0, 1.0)
    merged: dict[tuple[object, ...], HandGuess] = {}
    for guess in sorted(weighed, key=lambda g: -g.probability):
        key = guess.key()
        if key in merged:
            merged[key] = replace(merged[key], probability=merged[key].probability + guess.probability)
        else:
            merged[key] = guess
    ranked = sorted(merged.values(), key=lambda g: -g.probability)[:_KEEP]
    used = ranked[0].codes
    rest = sum(odds[i].rest for i in used)
    sure = max(0.0, 1.0 - _REST_COMPLETES * rest) / everything
    hands = tuple(replace(g, probability=min(g.probability * sure, 1.0)) for g in ranked)
    winning = sum(g.probability for g in weighed if g.wins) / everything
    return Decoded(hands, min(winning, 1.0), total / everything, everything)


def tile_agreement(decoded: Decoded, indices: Sequence[int]) -> dict[int, float]:
    """For each tile of the best hand: the probability that it is what the best hand says, among the hands that use
    it."""
    if not decoded.hands:
        return {}
    best = decoded.hands[0]
    agreement = {}
    for i in indices:
        using = [g for g in decoded.hands if i in g.codes]
        same = sum(g.probability for g in using if g.codes[i] == best.codes[i])
        agreement[i] = same / max(sum(g.probability for g in using), 1e-12)
    return agreement
