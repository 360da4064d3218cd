"""Observations to a reading: lay out, decode, and say everything that is not sure.

Nothing is guessed silently: what geometry and rules leave open becomes a `Doubt`, and only a reading without doubts
is `accepted`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from scoring.ruleset import Ruleset
from vision.decode import (
    MISREAD_ELSEWHERE,
    Arrangement,
    Decoded,
    HandGuess,
    ShapeRules,
    decode,
    tile_agreement,
)
from vision.decode_doubts import doubts_of, faint_doubt, left_out_note, suggestions_of
from vision.decode_odds import Calibration, TileOdds, all_odds, default_calibration
from vision.ghosts import cloth_pattern
from vision.layout import Layout, lay_out
from vision.layout_raised import sides
from vision.layout_roles import arrangements
from vision.observation import (
    ACCEPTED,
    CONFIRM,
    UNREADABLE,
    Doubt,
    Known,
    KnownSet,
    MeldReading,
    QualityNote,
    TableReading,
    TileObservation,
)
from vision.table_eye import Eye
from vision.tablemelds import seen_at

#: Fewer playing tiles than this are no hand.
FEWEST = 8
#: Where a tile is there with less probability than this, the hand is tried without it as well.
GHOST = 0.75
#: A tile of the hand that is there with less probability than this is asked about, however well the hand wins with it.
FAINT = 0.5
#: Where a back lies as the side of a face beside it would, it is one with this probability.
_SIDE = 0.3
#: So many faces lie in a row laid open, and from these odds for 白 a back among them is a blank 白.
_ROW, _BLANK = 5, 0.003
#: A set lies where it lay before, give or take (tile widths).
_ASIDE = 0.5
_FIFTH = Doubt(
    "fifth_tile",
    "這手牌加上桌上其他的牌,有一種牌超過四張:一定有一張看錯了,請確認。",
    "With what lies elsewhere on the table there would be five of a kind: some tile is misread, please check.",
)
_PAIRS = {"ligu", "seven_pairs"}
#: Faces that look (nearly) alike upside down: they do not tell which way a hand is read.
TURNABLE = frozenset(["1p", "2p", "3p", "4p", "5p", "8p", "9p", "1s", "2s", "4s", "5s", "6s", "8s", "9s", "P", "C"])


@dataclass(frozen=True, slots=True)
class ReadingRules:
    """What of the ruleset the reading needs: tiles held before the winning one (16 or 13) and which shapes win."""

    hand_size: int = 16
    shapes: ShapeRules = field(default_factory=ShapeRules)
    budget_s: float = 0.014

    @classmethod
    def of(cls, ruleset: Ruleset) -> ReadingRules:
        """What reading needs to know of a ruleset."""
        shapes = {use.shape.name for use in ruleset.shapes}
        special = tuple(use.shape for use in ruleset.shapes if use.shape.name not in _PAIRS)
        quads = bool(ruleset.options.get("ligu_quads") or ruleset.options.get("qixiaodui_quads"))
        return cls(ruleset.hand_size - 1, ShapeRules(bool(shapes & _PAIRS), quads, special))


def read_observations(
    observations: Sequence[TileObservation],
    size: tuple[int, int],
    rules: ReadingRules | None = None,
    upright: float | None = None,
    quality: Sequence[QualityNote] = (),
    calibration: Calibration | None = None,
    seen: Sequence[str] = (),
    eye: Eye | None = None,
    known: Known = None,
) -> TableReading:
    """Read a hand out of what was seen.

    Args:
        observations: tiles in pixels of a picture of `size` (width, height).
        rules: the game's, 16 tiles with pairs by default.
        upright: the angle at which the tiles stand, degrees clockwise, when it is known.
        quality: faults of the picture found before; severe ones keep the reading from being accepted.
        calibration: of the detector's odds; the fitted one by default.
        seen: codes surely seen elsewhere on the table.
        eye: the camera's place over the picture, in its pixels, where the picture is the view of a table's zone.
        known: the sets that lay open in this zone earlier in the hand; None where nobody watched.
    """
    rules = rules or ReadingRules()
    calibration = calibration or default_calibration()
    tiles = tuple(observations)
    odds = all_odds(tiles, calibration)
    layouts = _layouts(tiles, upright, eye)
    layout = layouts[0].layout
    odds = _blanks(layouts[0], odds)
    playing = sum(1 for tile in odds if tile.flower <= 0.5 and tile.back <= 0.5)
    if playing < FEWEST:
        return _unreadable(tiles, size, playing, quality, layout.angle)
    placings = _arrangements(layouts, odds, rules.hand_size, _lying(tiles, size, known or ()))
    decoded = decode(odds, placings, rules.shapes, seen, rules.budget_s, known)
    # A tile misread elsewhere must not change a hand; that there would be five of a kind is asked about.
    if _five(odds, seen):
        alone = decode(odds, placings, rules.shapes, (), rules.budget_s, known)
        if MISREAD_ELSEWHERE * alone.best_mass > decoded.best_mass:
            reading = _assemble(tiles, odds, alone, rules, size, layout.angle, tuple(quality), calibration, known, ())
            return replace(reading, status=CONFIRM, doubts=(*reading.doubts, _FIFTH))
    if not decoded.hands:
        return _unreadable(tiles, size, playing, quality, layout.angle)
    return _assemble(tiles, odds, decoded, rules, size, layout.angle, tuple(quality), calibration, known, seen)


def _five(odds: Sequence[TileOdds], seen: Sequence[str]) -> bool:
    """Whether the tiles of a zone, as they look, and those elsewhere make five of a kind; two of a kind may be those of
    a kong whose others lie face down."""
    here = Counter(tile.top for tile in odds if tile.back <= 0.5)
    there = Counter(seen)
    hidden = {2: 4} if sum(tile.back > 0.5 for tile in odds) > 1 else {}
    return any(hidden.get(here[code], here[code]) + there[code] > 4 for code in here if code in there)


def _blanks(scene: _Scene, odds: Sequence[TileOdds]) -> tuple[TileOdds, ...]:
    """The odds with backs that may be a blank 白 made that: among faces laid open in a row none lies face down."""
    out = list(odds)
    for segment in scene.layout.splits[0].segments:
        backs = [i for k in segment.indices if odds[i := scene.kept[k]].back > 0.5]
        if len(segment.indices) - len(backs) < _ROW:
            continue
        for i in backs:
            if odds[i].of("P") > _BLANK:
                others = tuple((code, p) for code, p in odds[i].odds if code not in {"P", "back"})
                share = odds[i].back + odds[i].of("P")
                out[i] = TileOdds((("P", share), *others), odds[i].rest)
    return tuple(out)


@dataclass(frozen=True, slots=True)
class _Scene:
    """A layout of some of the tiles: `kept` are their indices, `weight` the logarithm of how likely just these are
    tiles at all."""

    layout: Layout
    kept: tuple[int, ...]
    weight: float


def _layouts(tiles: Sequence[TileObservation], upright: float | None, eye: Eye | None) -> tuple[_Scene, ...]:
    """The layout of all tiles, and where some may be none (a patch of cloth, a chip, a side) also that without them."""
    there = [tile.presence for tile in tiles]
    if eye is not None:
        for i in sides([tile.box for tile in tiles], [tile.code == "back" for tile in tiles], eye):
            there[i] = min(there[i], _SIDE)
    pattern = cloth_pattern(tiles)
    every = tuple(i for i in range(len(tiles)) if i not in pattern)
    ghosts = [i for i in every if there[i] < GHOST]
    scenes = [_scene(tiles, every, (upright, eye), _doubt_of(there, ghosts, kept=True))]
    if ghosts and len(ghosts) <= len(every) // 3:
        ghosts.sort(key=lambda i: there[i])
        # The faintest, those rather not there, or all.
        for count in sorted({1, sum(there[i] < FAINT for i in ghosts), len(ghosts)} - {0}, reverse=True):
            dropped, rest = ghosts[:count], ghosts[count:]
            kept = tuple(i for i in every if i not in dropped)
            weight = _doubt_of(there, dropped, kept=False) + _doubt_of(there, rest, kept=True)
            scenes.append(_scene(tiles, kept, (upright, eye), weight))
    return tuple(scenes)


def _doubt_of(there: Sequence[float], which: Sequence[int], kept: bool) -> float:
    """Logarithm of the probability that these are (or are not) tiles."""
    shares = [min(max(there[i], 0.03), 0.97) for i in which]
    return sum(math.log(p if kept else 1.0 - p) for p in shares)


def _scene(
    tiles: Sequence[TileObservation], kept: tuple[int, ...], view: tuple[float | None, Eye | None], weight: float
) -> _Scene:
    chosen = [tiles[i] for i in kept]
    layout = lay_out(
        [tile.box for tile in chosen],
        view[0],
        [tile.angle for tile in chosen],
        [tile.code not in TURNABLE for tile in chosen],
        view[1],
        [tile.stacked for tile in chosen],
    )
    return _Scene(layout, kept, weight)


def _arrangements(
    scenes: Sequence[_Scene],
    odds: Sequence[TileOdds],
    hand_size: int,
    known: Sequence[tuple[KnownSet, frozenset[int]]],
) -> list[Arrangement]:
    found = []
    for scene in scenes:
        number = {old: new for new, old in enumerate(scene.kept)}
        lying = [(each, frozenset(number[i] for i in there if i in number)) for each, there in known]
        for arrangement in arrangements(scene.layout, [odds[i] for i in scene.kept], hand_size, known=lying):
            dropped = [(i, "no_tile") for i in range(len(odds)) if i not in set(scene.kept)]
            found.append(_renumbered(arrangement, scene, dropped))
    return found


def _lying(
    tiles: Sequence[TileObservation], size: tuple[int, int], known: Sequence[KnownSet]
) -> list[tuple[KnownSet, frozenset[int]]]:
    """The known sets, and the tiles that lie where along the player's edge each of them lay."""
    width = median([min(tile.size) for tile in tiles]) if tiles else 0.0
    found = []
    for each in known:
        reach = (len(each.tiles) / 2 + _ASIDE) * width
        there = [i for i, tile in enumerate(tiles) if abs(tile.center[0] - seen_at(each.place, size[0])) < reach]
        found.append((each, frozenset(there)))
    return found


def _renumbered(arrangement: Arrangement, scene: _Scene, dropped: list[tuple[int, str]]) -> Arrangement:
    if not dropped:
        return replace(arrangement, log_prior=arrangement.log_prior + scene.weight)
    place = scene.kept

    def of(indices: Sequence[int]) -> tuple[int, ...]:
        return tuple(place[i] for i in indices)

    return replace(
        arrangement,
        concealed=of(arrangement.concealed),
        melds=tuple(
            replace(m, indices=of(m.indices), stacked=of(m.stacked), turned=of(m.turned)) for m in arrangement.melds
        ),
        flowers=of(arrangement.flowers),
        win=tuple((place[i], p) for i, p in arrangement.win),
        left_out=tuple(sorted([*((place[i], reason) for i, reason in arrangement.left_out), *dropped])),
        log_prior=arrangement.log_prior + scene.weight,
    )


def _unreadable(
    tiles: tuple[TileObservation, ...],
    size: tuple[int, int],
    playing: int,
    quality: Sequence[QualityNote],
    angle: float,
) -> TableReading:
    if not tiles:
        doubt = Doubt(
            "no_tiles",
            "畫面中沒有看到麻將牌。請把牌面朝上攤開、靠近一點再拍。",
            "No tiles are seen. Lay the tiles face up and move closer.",
        )
    else:
        doubt = Doubt(
            "few_tiles",
            f"只看到 {playing} 張牌,不足以成為一手牌。請把整手牌攤開再拍。",
            f"Only {playing} tiles are seen, too few for a hand. Lay out the whole hand and take it again.",
        )
    return TableReading(
        tiles,
        doubts=(doubt,),
        quality=tuple(quality),
        roles=("left_out",) * len(tiles),
        status=UNREADABLE,
        size=size,
        rotation=angle if tiles else None,
    )


def _assemble(
    tiles: tuple[TileObservation, ...],
    odds: tuple[TileOdds, ...],
    decoded: Decoded,
    rules: ReadingRules,
    size: tuple[int, int],
    angle: float,
    quality: tuple[QualityNote, ...],
    calibration: Calibration,
    known: Known,
    seen: Sequence[str],
) -> TableReading:
    best = decoded.hands[0]
    order, roles = _order(best.arrangement, len(tiles))
    win_index, win_confidence = _winning(best, decoded)
    agreement = tile_agreement(decoded, tuple(best.codes))
    doubts = doubts_of(odds, decoded, rules.hand_size, agreement, (win_index, win_confidence), calibration, known, seen)
    asked = {doubt.tile_index for doubt in doubts}
    faint = [i for i in best.codes if tiles[i].presence < FAINT and odds[i].back <= 0.5 and i not in asked]
    doubts = (*doubts, *(faint_doubt(i, best.codes[i]) for i in faint))
    place = {old: new for new, old in enumerate(order)}
    note = left_out_note(best.arrangement)
    quality = (*quality, *note)
    severe = any(n.severe for n in quality)
    if win_index is not None:
        roles[place[win_index]] = "winning"
    flowers = tuple(best.codes[i] for i in best.arrangement.flowers)
    return TableReading(
        tiles=tuple(_named(tiles[i], best.codes.get(i), odds[i]) for i in order),
        concealed=tuple(best.codes[i] for i in best.arrangement.concealed),
        melds=_melds(best, decoded, place),
        flowers=flowers,
        win_tile=None if win_index is None else best.codes[win_index],
        doubts=tuple(replace(d, tile_index=None if d.tile_index is None else place[d.tile_index]) for d in doubts),
        quality=quality,
        roles=tuple(roles),
        status=CONFIRM if doubts or severe else ACCEPTED,
        probability=best.probability,
        win_tile_index=None if win_index is None else place[win_index],
        win_tile_confidence=win_confidence,
        wins=best.wins if best.arrangement.complete else None,
        suggestions=tuple(replace(s, tile_index=place[s.tile_index]) for s in suggestions_of(odds, decoded, agreement)),
        size=size,
        rotation=angle,
    )


def _order(arrangement: Arrangement, count: int) -> tuple[list[int], list[str]]:
    """Reading order: the hand, its melds, flowers, then what was left out."""
    order = list(arrangement.concealed)
    roles = ["concealed"] * len(order)
    for slot in arrangement.melds:
        order.extend(slot.all_indices)
        roles.extend(["meld"] * len(slot.all_indices))
    order.extend(arrangement.flowers)
    roles.extend(["flower"] * len(arrangement.flowers))
    rest = sorted(set(range(count)) - set(order))
    return order + rest, roles + ["left_out"] * len(rest)


def _winning(best: HandGuess, decoded: Decoded) -> tuple[int | None, float]:
    """The likeliest winning tile and how sure its *code* is: equal tiles are as good as each other."""
    candidates = best.arrangement.win
    if not candidates:
        return None, 0.0
    index = max(candidates, key=lambda c: c[1])[0]
    code = best.codes[index]
    by_place = sum(p for i, p in candidates if best.codes[i] == code)
    named = sum(g.probability for g in decoded.hands if g.codes.get(index) == code)
    total = sum(g.probability for g in decoded.hands)
    return index, by_place * (named / total if total > 0 else 0.0)


def _named(tile: TileObservation, code: str | None, odds: TileOdds) -> TileObservation:
    """The tile as decoded; a face-down one stays face down, whatever its meld says it is."""
    if code is None or code == tile.code or odds.back > 0.5:
        return tile
    return replace(tile, code=code, confidence=odds.of(code))


def _melds(best: HandGuess, decoded: Decoded, place: dict[int, int]) -> tuple[MeldReading, ...]:
    total = sum(g.probability for g in decoded.hands) or 1.0
    melds = []
    for slot, guess in zip(best.arrangement.melds, best.melds, strict=True):
        key = guess.kind, tuple(sorted(guess.codes))
        same = sum(
            g.probability for g in decoded.hands if any((m.kind, tuple(sorted(m.codes))) == key for m in g.melds)
        )
        confidence = same / total * (1.0 if guess.sure_kind else 0.6)
        melds.append(
            MeldReading(guess.kind, guess.codes, tuple(place[i] for i in slot.all_indices), min(confidence, 1.0))
        )
    return tuple(melds)
