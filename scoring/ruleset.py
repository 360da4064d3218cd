"""A ruleset with its options chosen: items, exclusions, shapes and everything else the engine reads."""

from __future__ import annotations

import graphlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from scoring.errors import RulesetError, nearest
from scoring.explain import TILE_CHOICES
from scoring.facts import Facts
from scoring.flags import flag_mask
from scoring.options import OptionSpec, choose, option_spec
from scoring.patterns import PATTERNS
from scoring.patterns.registry import NEEDS, HandPredicate, ReadingPredicate
from scoring.reading import Shape
from scoring.rulechecks import SUITS, check_known, check_names
from scoring.rulefile import Table, packaged_names, packaged_table, parse_rules
from scoring.shapes.special import SPECIAL_SHAPES, SpecialShape, special_shape
from scoring.totals import TOTALS, Finish

_Predicate = TypeVar("_Predicate")
_SUIT_BIT = {suit: 1 << at for at, suit in enumerate(SUITS)}


@dataclass(frozen=True, slots=True)
class ItemSpec:
    """One row of a ruleset's table. names: Traditional, Simplified, English. value: 台 for each time it counts.

    order: its place in the table as written, which is the order items are shown in.
    """

    key: str
    pattern: str
    args: Mapping[str, Any]
    names: tuple[str, str, str]
    value: int
    tiles: str
    outside_cap: bool
    without_hand: tuple[str, ...]
    only_beside: tuple[str, ...] | None
    order: int


@dataclass(frozen=True, slots=True)
class Exclusion:
    """`item` being counted, `drops` are not; `quote` is why, in the rule text's words."""

    item: str
    drops: tuple[str, ...]
    quote: str


@dataclass(frozen=True, slots=True)
class ShapeUse:
    """A special shape this ruleset wins with beside `kongs` concealed kongs, unless the flag bit is set on the hand.

    any_melds: the shape asks only for its kinds of tiles, in melds or not.
    """

    shape: SpecialShape
    unless_flag: int
    kongs: int = 0
    any_melds: bool = False

    def fits(self, facts: Facts) -> bool:
        """Whether the hand's melds and flags leave the shape open to it."""
        if facts.flags & self.unless_flag:
            return False
        if self.any_melds:
            return not facts.meld_chows and not facts.meld_triplets & ~self.shape.kinds
        return facts.melds == self.kongs == facts.concealed_kongs


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset:
    """Everything the engine reads of a ruleset. Items come in an order in which no item drops an earlier one.

    hand_rows[has], reading_rows[has]: (index of the item, predicate, value) of the patterns that can count in a hand
    with what `has` says: bit 0 flags, bit 1 flowers, bit 2 honours (scoring.patterns.registry.NEEDS). last_rows: those
    that wait for all others. drops[i]: bits of the items that item i drops. outside: bits of the items outside the cap.
    bare[shape]: bits of the items a flower win without a hand may have. suits: bits of the suits in the tile set,
    honours 8. cap 0 is no cap. all_flowers_flag: bit of the flag that eight self-drawn flowers set, 0 for none.
    both_shapes: whether two shapes of one hand are counted together. required: bits of the items of which a winning
    reading has one (0: every complete hand wins). minimum: least total of the items that wins. finish: makes the total
    of a reading's items where it is not their sum (scoring.totals). judged: whether any of these three asks anything.
    sources: where a table that is no rule text is from (title, url, date, note).
    """

    name: str
    script: str
    unit: str
    source: str
    titles: Mapping[str, str]
    hand_size: int
    suits: int
    suit_letters: tuple[str, ...]
    flowers: bool
    specs: Mapping[str, OptionSpec]
    options: Mapping[str, Any]
    items: tuple[ItemSpec, ...]
    exclusions: tuple[Exclusion, ...]
    standard: bool
    shapes: tuple[ShapeUse, ...]
    cap: int
    total: Mapping[str, Any]
    settlement: Mapping[str, Any]
    play: Mapping[str, Any]
    match: Mapping[str, Any]
    known_flags: int
    all_flowers_flag: int
    both_shapes: bool
    sources: tuple[Mapping[str, str], ...] = ()
    index: Mapping[str, int] = field(default_factory=dict)
    hand_rows: tuple[tuple[tuple[int, HandPredicate, int], ...], ...] = ()
    reading_rows: tuple[tuple[tuple[int, ReadingPredicate, int], ...], ...] = ()
    drops: tuple[int, ...] = ()
    dropping: int = 0
    outside: int = 0
    bare: Mapping[str, int] = field(default_factory=dict)
    last_rows: tuple[tuple[int, int, int, HandPredicate], ...] = ()
    required: int = 0
    minimum: int = 0
    finish: Finish | None = None
    judged: bool = False

    def name_column(self) -> int:
        """Which of an item's names its rule text uses: 0 Traditional, 1 Simplified."""
        return 1 if self.script == "zh-Hans" else 0

    def item(self, key: str) -> ItemSpec:
        """The item of that key; raises RulesetError for an unknown one."""
        if key not in self.index:
            raise RulesetError(f"item {key!r} is unknown in {self.name}; {nearest(key, self.index)}", "items")
        return self.items[self.index[key]]


def ruleset_names() -> tuple[str, ...]:
    """Names of the rulesets that come with the package."""
    return packaged_names()


def load_ruleset(name: str, options: Mapping[str, Any] | None = None) -> Ruleset:
    """The packaged ruleset of that name with `options` chosen.

    Raises RulesetError for an unknown name, an unknown option or a wrong value, naming what would be valid.
    """
    if not isinstance(name, str):
        raise RulesetError(f"ruleset {name!r}: a name is text; {nearest(name, packaged_names())}", "ruleset")
    try:
        chosen = json.dumps(options or {}, sort_keys=True)
    except (TypeError, ValueError):  # no JSON, so no option either: let the checks say which
        return build_ruleset(packaged_table(name), options or {})
    return _load(name, chosen)


@lru_cache(maxsize=256)
def _load(name: str, chosen: str) -> Ruleset:
    """Loading takes milliseconds and a match asks for the same rules with every hand, so they are kept."""
    return build_ruleset(packaged_table(name), json.loads(chosen))


def read_ruleset(text: str, options: Mapping[str, Any] | None = None) -> Ruleset:
    """A ruleset from the text of a ruleset file, which may extend a packaged one. Raises RulesetError."""
    return build_ruleset(parse_rules(text), options or {})


def build_ruleset(table: Table, chosen: Mapping[str, Any]) -> Ruleset:
    """A ruleset from a whole table (scoring.rulefile) and the options chosen. Raises RulesetError."""
    specs = {key: option_spec(key, row) for key, row in table["options"].items()}
    options = choose(specs, chosen)
    check_names(table, options)
    items = [item for order, row in enumerate(table["items"]) if (item := _item(row, order, options))]
    known = {item.key for item in items}
    exclusions = _exclusions(table, options, known, items)
    ordered = _ordered(items, exclusions)
    play = table["play"]
    tiles = table["tiles"]
    rules = Ruleset(
        name=table["name"],
        script=table["script"],
        unit=table["unit"],
        source=table["source"],
        titles=table["title"],
        hand_size=tiles["hand"],
        suits=sum(_SUIT_BIT[letter] for letter in tiles["suits"]),
        suit_letters=tuple(tiles["suits"]),
        flowers=tiles["flowers"],
        specs=specs,
        options=options,
        items=ordered,
        exclusions=exclusions,
        standard=any(row["name"] == "standard" for row in table["shapes"]),
        shapes=_shapes(table["shapes"], options),
        minimum=options.get("minimum", 0),
        finish=TOTALS.get(table["total"].get("strategy", "sum")),
        cap=options.get("cap", table["total"].get("cap", 0)),
        total=table["total"],
        settlement=table["settlement"],
        play=play,
        match=table.get("match", {}),
        known_flags=flag_mask(*play.get("flags", [])),
        all_flowers_flag=flag_mask(play["all_flowers_flag"]) if "all_flowers_flag" in play else 0,
        both_shapes=options.get("one_tile_two_shapes", False),
        sources=tuple(table.get("sources", ())),
    )
    return _compile(rules)


def _holds(when: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    check_known(when, options, "when")
    return all(options[key] == value for key, value in when.items())


def _item(row: Table, order: int, options: Mapping[str, Any]) -> ItemSpec | None:
    """An item, or None where the options leave it out."""
    key: str = row["key"]
    pattern: str = row.get("pattern", key)
    check_known([pattern], PATTERNS, f"items.{key}.pattern")
    if not _holds(row.get("when", {}), options):
        return None
    if "value_option" in row:
        check_known([row["value_option"]], options, f"items.{key}.value_option")
        value = options[row["value_option"]]
        if not value:
            return None
    elif "value" in row:
        value = row["value"]
    else:
        raise RulesetError(f"items.{key}: has no value; give it value = 1 or a value_option", f"items.{key}")
    beside = row.get("only_beside")
    names = row.get("names", [key] * 3)
    if not isinstance(value, int) or len(names) != 3:
        raise RulesetError(
            f"items.{key}: its value is a whole number, its names three texts (繁體, 简体, English)", f"items.{key}"
        )
    check_known([row.get("tiles", "none")], TILE_CHOICES, f"items.{key}.tiles")
    return ItemSpec(
        key=key,
        pattern=pattern,
        args=row.get("args", {}),
        names=(names[0], names[1], names[2]),
        value=value * row.get("sign", 1),
        tiles=row.get("tiles", "none"),
        outside_cap=row.get("outside_cap", False),
        without_hand=tuple(row.get("without_hand", ())),
        only_beside=None if beside is None else tuple(beside),
        order=order,
    )


def _exclusions(
    table: Table, options: Mapping[str, Any], known: set[str], items: list[ItemSpec]
) -> tuple[Exclusion, ...]:
    named = {name: item.key for item in items for name in (*item.names, item.key)}
    everything = [row["key"] for row in table["items"]]
    found = []
    for row in table["exclusions"]:
        where = f"exclusions.{row['item']}"
        check_known([row["item"]], everything, where)
        if "drops_option" in row:
            lists = [key for key, value in options.items() if isinstance(value, tuple)]
            check_known([row["drops_option"]], lists, f"{where}.drops_option")
            words = options[row["drops_option"]]
            check_known(words, [*named, *everything], f"options.{row['drops_option']}")
        else:
            words = row.get("drops", ())
            check_known(words, everything, where)
        if row["item"] in known and _holds(row.get("when", {}), options):
            drops = tuple(named[word] for word in words if word in named)
            found.append(Exclusion(row["item"], drops, row.get("quote", "")))
    return tuple(found)


def _ordered(items: list[ItemSpec], exclusions: tuple[Exclusion, ...]) -> tuple[ItemSpec, ...]:
    """Items with every item before those it drops, otherwise as written; raises RulesetError on a circle."""
    graph: dict[str, set[str]] = {item.key: set() for item in items}
    for exclusion in exclusions:
        for key in exclusion.drops:
            graph[key].add(exclusion.item)
    sorter = graphlib.TopologicalSorter(graph)
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        circle = " -> ".join(error.args[1])
        raise RulesetError(f"exclusions go in a circle: {circle}; take one of them out", "exclusions") from None
    by_key = {item.key: item for item in items}
    order: list[ItemSpec] = []
    while sorter.is_active():
        ready = sorted((by_key[key] for key in sorter.get_ready()), key=lambda item: item.order)
        order.extend(ready)
        sorter.done(*(item.key for item in ready))
    return tuple(order)


def _shapes(rows: list[Table], options: Mapping[str, Any]) -> tuple[ShapeUse, ...]:
    uses = []
    for row in rows:
        name: Shape = row["name"]
        check_known([name], ("standard", *SPECIAL_SHAPES), "shapes")
        if name == "standard" or not _holds(row.get("when", {}), options):
            continue
        flag = flag_mask(row["unless_flag"]) if "unless_flag" in row else 0
        shape = special_shape(name, bool(options.get(row.get("quads", ""), False)))
        uses.append(ShapeUse(shape, flag, row.get("concealed_kongs", 0), row.get("any_melds", False)))
    return tuple(uses)


def _compile(rules: Ruleset) -> Ruleset:
    """Fills in the numbers the hot path reads."""
    index = {item.key: at for at, item in enumerate(rules.items)}
    drops = [0] * len(rules.items)
    for exclusion in rules.exclusions:
        for key in exclusion.drops:
            drops[index[exclusion.item]] |= 1 << index[key]
    hand_rows, reading_rows, last_rows = [], [], []
    for at, item in enumerate(rules.items):
        hand, reading = _predicates(item, rules.options)
        if item.only_beside is not None and hand:
            beside = sum(1 << index[key] for key in item.only_beside if key in index)
            last_rows.append((at, beside, item.value, hand))
        elif hand:
            hand_rows.append((at, hand, item.value))
        elif reading and item.only_beside is None:
            reading_rows.append((at, reading, item.value))
        else:
            raise RulesetError(f"items.{item.key}: only_beside needs a pattern of the whole hand", f"items.{item.key}")
    required = sum(1 << index[key] for key in rules.play.get("required", ()) if key in index)
    compiled = {
        "required": required,
        "judged": bool(required or rules.minimum or rules.finish),
        "index": index,
        "hand_rows": _by_needs(rules, hand_rows),
        "reading_rows": _by_needs(rules, reading_rows),
        "last_rows": tuple(last_rows),
        "drops": tuple(drops),
        "dropping": sum(1 << at for at, dropped in enumerate(drops) if dropped),
        "outside": sum(1 << at for at, item in enumerate(rules.items) if item.outside_cap),
        "bare": {
            shape: sum(1 << at for at, item in enumerate(rules.items) if shape in item.without_hand)
            for shape in ("eight_flowers", "rob_flower")
        },
    }
    for name, value in compiled.items():
        object.__setattr__(rules, name, value)
    return rules


def _by_needs(
    rules: Ruleset, rows: list[tuple[int, _Predicate, int]]
) -> tuple[tuple[tuple[int, _Predicate, int], ...], ...]:
    """The rows for each combination of what a hand has, a bit for each of NEEDS."""
    needs = [PATTERNS[rules.items[row[0]].pattern].needs for row in rows]
    return tuple(
        tuple(row for row, need in zip(rows, needs, strict=True) if not need or has >> NEEDS.index(need) & 1)
        for has in range(1 << len(NEEDS))
    )


def _predicates(item: ItemSpec, options: Mapping[str, Any]) -> tuple[HandPredicate | None, ReadingPredicate | None]:
    """The item's predicate, of the hand or of a reading; raises RulesetError where args or options lack a word."""
    pattern = PATTERNS[item.pattern]
    try:
        hand = pattern.hand(options, item.args) if pattern.hand else None
        reading = pattern.reading(options, item.args) if pattern.reading else None
    except KeyError as error:
        raise RulesetError(
            f"items.{item.key}: the pattern {item.pattern} needs {error.args[0]!r} in args or among the options",
            f"items.{item.key}.args",
        ) from None
    return hand, reading
