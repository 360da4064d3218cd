"""What a score is made of: items with their tiles, what was not counted and why, how the tiles were read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scoring.encoding import DRAGON_MASK, WIND_MASK, count_of, kinds_in, kinds_of_mask
from scoring.facts import Facts
from scoring.messages import LANGUAGES, Message, message
from scoring.patterns.hongkong_tiles import HONG_KONG_TILES
from scoring.patterns.mainland_tiles import MAINLAND_TILES
from scoring.patterns.taiwan import PLANTS, SEASONS, SEAT_FLOWERS
from scoring.patterns.unmet import UNMET, Explanation
from scoring.reading import Reading
from scoring.shapes.suits import TRIPLET
from scoring.tiles import FLOWERS, KINDS, Language, sort_tiles

if TYPE_CHECKING:
    from scoring.ruleset import ItemSpec, Ruleset
    from scoring.score import Candidate


@dataclass(frozen=True, slots=True)
class Item:
    """One counted item. name: as the rule text spells it; names: Traditional, Simplified, English."""

    key: str
    name: str
    names: tuple[str, str, str]
    value: int
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item the hand has but that is not counted: `by` stands in its place, `quote` is the rule text's reason."""

    key: str
    name: str
    names: tuple[str, str, str]
    value: int
    by: str
    by_names: tuple[str, str, str]
    quote: str

    def because(self, lang: Language = "zh-Hant") -> str:
        """Why it is not counted, as a sentence."""
        return message("dropped", by=self.by_names[LANGUAGES.index(lang)], quote=self.quote).text(lang)


@dataclass(frozen=True, slots=True)
class Unmet:
    """An item within reach or claimed by a flag that the hand does not have, and why."""

    key: str
    name: str
    names: tuple[str, str, str]
    reason: Message


@dataclass(frozen=True, slots=True)
class SetView:
    """One set of the split: chow, pung, a kong kind, pair, or `tiles` for a shape without sets.

    concealed: no discard in it · completed: the winning tile is here.
    """

    kind: str
    tiles: tuple[str, ...]
    concealed: bool
    completed: bool = False


@dataclass(frozen=True, slots=True)
class SplitView:
    """How the tiles were read: concealed sets first, then the pair or pairs, then the melds."""

    shape: str
    sets: tuple[SetView, ...]


def items_of(facts: Facts, rules: Ruleset, candidate: Candidate) -> tuple[Item, ...]:
    """The counted items in the order of the ruleset's table."""
    counted = [(index, value) for index, value in candidate.present if candidate.alive >> index & 1]
    rows = [(rules.items[index], value, candidate.reading_of(index)) for index, value in counted]
    rows.sort(key=lambda row: row[0].order)
    column = rules.name_column()
    return tuple(
        Item(spec.key, spec.names[column], spec.names, value, _TILES[spec.tiles](facts, reading, rules))
        for spec, value, reading in rows
    )


def dropped_items(facts: Facts, rules: Ruleset, candidate: Candidate) -> tuple[Dropped, ...]:
    """The items present but not counted, in the order of the table."""
    column = rules.name_column()
    rows: list[tuple[ItemSpec, Dropped]] = []
    for index, value in candidate.present:
        spec = rules.items[index]
        if candidate.alive >> index & 1:
            continue
        for exclusion in rules.exclusions:
            if spec.key in exclusion.drops and candidate.alive >> rules.index[exclusion.item] & 1:
                by = rules.items[rules.index[exclusion.item]]
                name = spec.names[column]
                rows.append((spec, Dropped(spec.key, name, spec.names, value, by.key, by.names, exclusion.quote)))
                break
    rows.sort(key=lambda row: row[0].order)
    return tuple(row for _, row in rows)


def unmet_items(facts: Facts, rules: Ruleset, candidate: Candidate) -> tuple[Unmet, ...]:
    """The items within reach that the hand does not have, each with the reason."""
    column = rules.name_column()
    present = {index for index, _ in candidate.present}
    found = []
    for index, spec, test in _explained(rules):
        if index not in present:
            code = test(facts, candidate.reading, rules.options, spec.args)
            if code:
                found.append(Unmet(spec.key, spec.names[column], spec.names, message(code)))
    return tuple(found)


@lru_cache(maxsize=256)
def _explained(rules: Ruleset) -> tuple[tuple[int, ItemSpec, Explanation], ...]:
    """The items that can say why they are missing, in the order of the table."""
    ordered = sorted(rules.items, key=lambda item: item.order)
    return tuple((rules.index[spec.key], spec, UNMET[spec.pattern]) for spec in ordered if spec.pattern in UNMET)


def split_view(facts: Facts, reading: Reading) -> SplitView:
    """The reading as sets with their tiles, melds last."""
    if reading.shape in ("eight_flowers", "rob_flower"):
        return SplitView(reading.shape, ())
    sets: list[SetView] = []
    if reading.shape in _LOOSE:
        sets.append(_loose_tiles(facts, reading))
    open_win = not facts.self_draw
    for kind in kinds_of_mask(reading.hand_triplets):
        won = reading.place == TRIPLET and reading.place_kind == kind
        sets.append(SetView("pung", (KINDS[kind],) * 3, not (won and open_win), won))
    placed = False
    for first in sorted(reading.hand_chows):
        won = not placed and reading.place > TRIPLET and reading.place_kind == first
        placed = placed or won
        tiles = (KINDS[first], KINDS[first + 1], KINDS[first + 2])
        sets.append(SetView("chow", tiles, not (won and open_win), won))
    if reading.shape in ("standard", "ligu", "seven_pairs"):
        for kind in kinds_of_mask(reading.pairs):
            won = reading.place != TRIPLET and facts.win == kind and (reading.place == 1)
            size = 4 if reading.quads >> kind & 1 else 2
            sets.append(SetView("pair", (KINDS[kind],) * size, not (won and open_win), won))
    sets.extend(SetView(meld.kind, meld.tiles, not meld.exposed) for meld in facts.hand.melds)
    return SplitView(reading.shape, tuple(sets))


_LOOSE = ("orphans", "orphans_set", "unconnected", "only_258", "only_honours", "dealt")
"""Shapes whose tiles, or most of them, are no sets."""


def _loose_tiles(facts: Facts, reading: Reading) -> SetView:
    """The tiles of a shape without sets, less those its one set takes."""
    tiles = list(facts.hand.concealed)
    for kind in kinds_of_mask(reading.hand_triplets):
        for _ in range(3):
            tiles.remove(KINDS[kind])
    for first in reading.hand_chows:
        for step in range(3):
            tiles.remove(KINDS[first + step])
    won = reading.place == 1
    return SetView("tiles", tuple(sort_tiles(tiles)), not won or facts.self_draw, won)


# --- the tiles an item comes from ------------------------------------------------------------------------------------

TileChoice = Callable[[Facts, Reading, "Ruleset"], tuple[str, ...]]


def _held(facts: Facts, kinds: list[int]) -> tuple[str, ...]:
    return tuple(KINDS[kind] for kind in kinds for _ in range(count_of(facts.counts, kind)))


def _all(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _held(facts, kinds_in(facts.counts))


def _none(_facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return ()


def _win(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return (KINDS[facts.win],) if facts.win >= 0 else ()


def _win_set(facts: Facts, reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    completed = [group.tiles for group in split_view(facts, reading).sets if group.completed]
    return completed[0] if completed else ()


def _melds(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return tuple(code for meld in facts.hand.melds for code in meld.tiles)


def _winds(facts: Facts, reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _held(facts, kinds_of_mask((reading.triplets | reading.pair) & WIND_MASK))


def _dragons(facts: Facts, reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _held(facts, kinds_of_mask((reading.triplets | reading.pair) & DRAGON_MASK))


def _dragon_triplets(facts: Facts, reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _held(facts, kinds_of_mask(reading.triplets & DRAGON_MASK))


def _seat_wind(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _held(facts, [facts.seat])


def _round_wind(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _held(facts, [facts.round])


def _concealed_triplets(facts: Facts, reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    groups = split_view(facts, reading).sets
    return tuple(code for group in groups if group.concealed and group.kind in _CONCEALED for code in group.tiles)


_CONCEALED = ("pung", "kong_concealed")


def _flower_codes(mask: int) -> tuple[str, ...]:
    return tuple(code for index, code in enumerate(FLOWERS) if mask >> index & 1)


def _flowers(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _flower_codes(facts.flowers)


def _flower_sets(facts: Facts, _reading: Reading, _rules: Ruleset) -> tuple[str, ...]:
    return _flower_codes(sum(colour for colour in (SEASONS, PLANTS) if facts.flowers & colour == colour))


def _seat_flowers(facts: Facts, _reading: Reading, rules: Ruleset) -> tuple[str, ...]:
    mask = facts.flowers & SEAT_FLOWERS[rules.options["flower_order"]][facts.flower_seat]
    if rules.options["flower_kong_replaces_seat_flower"]:
        for colour in (SEASONS, PLANTS):
            if facts.flowers & colour == colour:
                mask &= ~colour
    return _flower_codes(mask)


_TILES: dict[str, TileChoice] = {
    "all": _all,
    "none": _none,
    "win": _win,
    "win_set": _win_set,
    "melds": _melds,
    "winds": _winds,
    "dragons": _dragons,
    "dragon_triplets": _dragon_triplets,
    "seat_wind": _seat_wind,
    "round_wind": _round_wind,
    "concealed_triplets": _concealed_triplets,
    "flowers": _flowers,
    "flower_sets": _flower_sets,
    "seat_flowers": _seat_flowers,
    **HONG_KONG_TILES,
    **MAINLAND_TILES,
}
TILE_CHOICES: tuple[str, ...] = tuple(_TILES)
"""What an item's `tiles` may be in a ruleset file."""
