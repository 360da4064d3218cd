"""Scoring a hand: every reading is tried, the best total wins, and the result can say why."""

from __future__ import annotations

from scoring import wild
from scoring.checks import CONTRADICTIONS, check_win_tile
from scoring.encoding import FOUR_BIT, codes_of_mask, count_of, join, kinds_of_mask
from scoring.explain import Dropped, Item, SplitView, Unmet
from scoring.explain import dropped_items as _dropped_items
from scoring.explain import items_of as _items_of
from scoring.explain import split_view as _split_view
from scoring.explain import unmet_items as _unmet_items
from scoring.facts import Facts, codes_before_win, gather
from scoring.flags import flag_mask
from scoring.hand import Hand, WinContext
from scoring.messages import Message, message
from scoring.patterns.registry import ReadingPredicate
from scoring.patterns.taiwan import ANY_FLOWER_WIN, FLOWER_WIN
from scoring.reading import Reading
from scoring.refusals import REFUSALS
from scoring.ruleset import Ruleset
from scoring.shapes.distance import distance
from scoring.shapes.standard import standard_readings, standard_waits
from scoring.violations import Violation, violations_of

_HAND_COMPLETE = flag_mask("hand_complete")
_INITIAL = flag_mask("initial")

Rows = tuple[tuple[int, ReadingPredicate, int], ...]
Counted = tuple[int, int]  # (index of the item in the ruleset, what it adds)


class Candidate:
    """One reading with what it scores: `present` all items found, `alive` the bits of those that count.

    second: where two shapes are counted together, the other reading and the bits of the items that it adds.
    """

    __slots__ = ("alive", "inside", "outside", "present", "reading", "second", "total")

    def __init__(self, rules: Ruleset, reading: Reading, present: list[Counted], alive: int) -> None:
        inside = outside = 0
        for index, value in present:
            bit = 1 << index
            if alive & bit:
                if rules.outside & bit:
                    outside += value
                else:
                    inside += value
        self.reading = reading
        self.present = present
        self.alive = alive
        self.inside = inside
        self.outside = outside
        self.total = (min(rules.cap, inside) if rules.cap else inside) + outside
        self.second: tuple[Reading, int] | None = None

    def reading_of(self, index: int) -> Reading:
        """The reading that the item of that index comes from."""
        return self.second[0] if self.second and self.second[1] >> index & 1 else self.reading


class Score:
    """The result of a hand. What explains it is worked out when it is asked for.

    wins: whether the hand wins · total: 台 of the hand, dealer items not included, after the cap · raw_total: before
    the cap · capped: the part under the cap · unit: 台, 番 … · reason: why a hand does not win.
    """

    __slots__ = ("_best", "_candidates", "facts", "raw_total", "reason", "rules", "total", "wins")

    def __init__(
        self,
        facts: Facts,
        rules: Ruleset,
        candidates: list[Candidate],
        best: Candidate | None,
        reason: Message | None = None,
    ) -> None:
        self.facts = facts
        self.rules = rules
        self._candidates = candidates
        self._best = best
        self.reason = reason
        self.wins = reason is None
        self.total = best.total if best and reason is None else 0
        self.raw_total = best.inside + best.outside if best and reason is None else 0

    @property
    def best(self) -> Candidate | None:
        """The reading that counts, with all its items; None without a complete hand."""
        return self._best

    @property
    def unit(self) -> str:
        """What the total counts."""
        return self.rules.unit

    @property
    def capped(self) -> int:
        """The part of the total that falls under the cap, after it."""
        return self.total - self._best.outside if self._best and self.wins else 0

    @property
    def outside_cap(self) -> int:
        """The part of the total that no cap touches."""
        return self._best.outside if self._best and self.wins else 0

    @property
    def items(self) -> tuple[Item, ...]:
        """What counts, in the order of the ruleset's table, each with the tiles it comes from."""
        return _items_of(self.facts, self.rules, self._best) if self._best and self.wins else ()

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """What the hand has but is not counted, each with the item that stands in its place and the text's words."""
        return _dropped_items(self.facts, self.rules, self._best) if self._best and self.wins else ()

    @property
    def unmet(self) -> tuple[Unmet, ...]:
        """What was within reach or claimed by a flag but is not met, each with the reason."""
        return _unmet_items(self.facts, self.rules, self._best) if self._best and self.wins else ()

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Play rules that were broken and what follows, whether the hand wins or not; the total is never touched."""
        return violations_of(self.facts, self.rules, self.reason)

    @property
    def split(self) -> SplitView | None:
        """How the tiles were read, melds included; None without a complete hand."""
        return _split_view(self.facts, self._best.reading) if self._best else None

    @property
    def second_split(self) -> SplitView | None:
        """How the tiles were read a second time, where two shapes are counted together; None elsewhere."""
        return _split_view(self.facts, self._best.second[0]) if self._best and self._best.second else None

    @property
    def alternatives(self) -> tuple[tuple[SplitView, int], ...]:
        """Every other reading with its total, the best first."""
        others = [candidate for candidate in self._candidates if candidate is not self._best]
        others.sort(key=lambda candidate: -candidate.total)
        return tuple((_split_view(self.facts, other.reading), other.total) for other in others)

    @property
    def waits(self) -> tuple[str, ...]:
        """The kinds that would have completed the hand before the winning tile came; none without a winning tile."""
        return codes_of_mask(self.facts.waits)

    @property
    def shape(self) -> str:
        """The shape the hand won with (scoring.reading.Shape), empty without one."""
        return self._best.reading.shape if self._best else ""

    def has(self, key: str) -> bool:
        """Whether the item of that key counts."""
        at = self.rules.index.get(key)
        return self._best is not None and self.wins and at is not None and bool(self._best.alive >> at & 1)

    def value_of(self, key: str) -> int:
        """What the item of that key adds, 0 where it does not count."""
        if not self.has(key) or self._best is None:
            return 0
        at = self.rules.index[key]
        return sum(value for index, value in self._best.present if index == at)


def score_hand(hand: Hand, context: WinContext, ruleset: Ruleset) -> Score:
    """Scores a hand: the best of all its readings, or why it does not win.

    Raises HandError for tiles that cannot be a hand of this ruleset and ContextError for facts that contradict each
    other or the tiles; the error's `field` names the field at fault.
    """
    facts = gather(hand, context, ruleset)
    if facts.flags:
        CONTRADICTIONS[ruleset.play["contradictions"]](facts, ruleset)
    if facts.win < 0:
        check_win_tile(facts, ruleset)
    if facts.wilds:
        return _score_wild(facts, ruleset)
    readings = _readings(facts, ruleset)
    if not readings:
        return Score(facts, ruleset, [], None, _no_shape(facts, ruleset))
    if readings[0].shape != "eight_flowers" and readings[0].shape != "rob_flower":
        facts.waits = find_waits(facts, ruleset)
    has = (facts.flags > 0) | (facts.flowers > 0) << 1 | facts.suits >> 3 << 2
    found = _hand_items(facts, ruleset, has)
    rows = ruleset.reading_rows[has]
    candidates = [_candidate(facts, ruleset, reading, found, rows) for reading in readings]
    if ruleset.judged:
        return _judged(facts, ruleset, candidates)
    best = _best_of(candidates)
    if ruleset.both_shapes:
        best = _both_shapes(ruleset, candidates, best)
    reason = _refused(facts, ruleset) if facts.flags or ruleset.play["refusals"] else None
    return Score(facts, ruleset, candidates, best, reason)


def _best_of(candidates: list[Candidate]) -> Candidate:
    best = candidates[0]
    for other in candidates:
        if _better(other, best):
            best = other
    return best


def _judged(facts: Facts, rules: Ruleset, candidates: list[Candidate]) -> Score:
    """The score under a ruleset that asks more of a hand than its shape: a pattern it must have, a least total."""
    legal = _with_required(rules, candidates)
    if rules.finish:
        for candidate in candidates:
            rules.finish(rules, facts, candidate)
    best = _best_of(legal or candidates)
    reason = _refused(facts, rules)
    tai = best.inside + best.outside
    if not reason and not legal:
        reason = message(rules.play["required_message"])
    if not reason and tai < rules.minimum:
        reason = message("minimum", total=tai, unit=rules.total.get("item_unit", rules.unit), minimum=rules.minimum)
    return Score(facts, rules, legal or candidates, best, reason)


def _with_required(rules: Ruleset, candidates: list[Candidate]) -> list[Candidate]:
    """The readings that have one of the items a win must have; those of a complete hand before the tiles as dealt."""
    if not rules.required:
        return candidates
    legal = [row for row in candidates if any(rules.required >> index & 1 for index, _ in row.present)]
    return [row for row in legal if row.reading.shape != "dealt"] or legal


def _score_wild(facts: Facts, rules: Ruleset) -> Score:
    """The score of a hand with wildcards: the best over all they can stand for."""
    if facts.win >= 0 or facts.wild_win:
        facts.waits = wild.waits(facts)
    candidates, standing_of = [], {}
    standing: Facts | None = None
    for placed, reading in wild.readings(facts):
        if placed is not standing:
            standing = placed
            has = (placed.flags > 0) | (placed.flowers > 0) << 1 | placed.suits >> 3 << 2
            found, rows = _hand_items(placed, rules, has), rules.reading_rows[has]
        candidates.append(_candidate(placed, rules, reading, found, rows))
        standing_of[id(candidates[-1])] = placed
    if not candidates:
        return Score(facts, rules, [], None, _shape_message(wild.away(facts)))
    score = _judged(facts, rules, candidates)
    score.facts = standing_of[id(score.best)]
    return score


def _readings(facts: Facts, rules: Ruleset) -> list[Reading]:
    """Every reading of the tiles; for a flower win whose hand is not complete the flowers alone.

    The tiles as dealt (起手胡) can be read as such whether they are a complete hand or not.
    """
    readings = standard_readings(facts.codes, facts.win, facts.meld_triplets) if rules.standard else []
    for use in rules.shapes:
        if use.fits(facts):
            readings.extend(use.shape.readings(facts.codes, facts.win))
    if facts.flags & ANY_FLOWER_WIN and not (readings and (facts.self_draw or facts.flags & _HAND_COMPLETE)):
        shape = "eight_flowers" if facts.flags & FLOWER_WIN else "rob_flower"
        return [Reading(shape, 0, 0, 0, (), 0, facts.win)]  # type: ignore[arg-type]
    if facts.flags & _INITIAL:
        readings.append(Reading("dealt", 0, 0, 0, (), 0, -1))
    return readings


def find_waits(facts: Facts, rules: Ruleset) -> int:
    """Mask of the kinds that complete the tiles held before the winning one; 0 where there is no winning tile."""
    if facts.win < 0:
        return 0
    before = codes_before_win(facts)
    mask = standard_waits(before) if rules.standard else 0
    for use in rules.shapes:
        if use.fits(facts):
            mask |= use.shape.waits(before)
    return mask & ~_exhausted(facts, mask, rules)


def _exhausted(facts: Facts, mask: int, rules: Ruleset) -> int:
    """The kinds of `mask` that cannot come because the player holds all four already."""
    if rules.options["exhausted_tile_is_wait"]:
        return 0
    held = facts.counts - (1 << (6 * facts.win))
    if not held & FOUR_BIT:
        return 0
    return sum(1 << kind for kind in kinds_of_mask(mask) if count_of(held, kind) == 4)


def _hand_items(facts: Facts, rules: Ruleset, has: int) -> list[Counted]:
    found = []
    for index, predicate, value in rules.hand_rows[has]:
        count = predicate(facts)
        if count:
            found.append((index, value * count))
    return found


def _candidate(facts: Facts, rules: Ruleset, reading: Reading, of_hand: list[Counted], rows: Rows) -> Candidate:
    """Counts one reading: all items present, less those that others stand for, under the cap."""
    present = of_hand.copy()
    for index, predicate, value in rows:
        count = predicate(facts, reading)
        if count:
            present.append((index, value * count))
    alive = 0
    for index, _ in present:
        alive |= 1 << index
    allowed = rules.bare.get(reading.shape)
    if allowed is not None:
        alive &= allowed
    dropping = alive & rules.dropping
    while dropping:
        low = dropping & -dropping
        if alive & low:  # what is dropped itself drops nothing
            alive &= ~rules.drops[low.bit_length() - 1]
        dropping ^= low
    for index, beside, value, holds in rules.last_rows:
        if not alive & ~beside and holds(facts):
            alive = alive & ~rules.drops[index] | 1 << index
            present.append((index, value))
    return Candidate(rules, reading, present, alive)


def _better(one: Candidate, other: Candidate) -> bool:
    """Whether `one` counts for more than `other`; of two alike under a cap, the one that has more before it."""
    return one.total > other.total or (
        one.total == other.total and one.inside + one.outside > other.inside + other.outside
    )


def _both_shapes(rules: Ruleset, candidates: list[Candidate], best: Candidate) -> Candidate:
    """一牌兩食 [001]: 計兩種牌形總番數. The best union of two readings of different shapes, an item of both once."""
    for at, first in enumerate(candidates):
        for second in candidates[at + 1 :]:
            if first.reading.shape != second.reading.shape:
                union = _union(rules, second, first) if _better(second, first) else _union(rules, first, second)
                if _better(union, best):
                    best = union
    return best


def _union(rules: Ruleset, lead: Candidate, other: Candidate) -> Candidate:
    """Both readings' items, each reading having dropped its own; the lead's where both count one."""
    added = other.alive & ~lead.alive
    present = [row for row in lead.present if not added >> row[0] & 1]
    present += [row for row in other.present if added >> row[0] & 1]
    union = Candidate(rules, lead.reading, present, lead.alive | added)
    union.second = other.reading, added
    return union


def _refused(facts: Facts, rules: Ruleset) -> Message | None:
    for key in rules.play["refusals"]:
        if REFUSALS[key](facts, rules.options):
            return message(key)
    return None


def _no_shape(facts: Facts, rules: Ruleset) -> Message:
    return _shape_message(distance_of(facts, rules))


def _shape_message(tiles: int) -> Message:
    return message("shape", tiles=tiles, tile_word="tile" if tiles == 1 else "tiles")


def distance_of(facts: Facts, rules: Ruleset) -> int:
    """How many tiles must be exchanged until the hand wins, over all shapes of the ruleset."""
    shapes = [use.shape for use in rules.shapes if use.fits(facts)]
    meld_counts = facts.counts - join(facts.codes)
    return distance(facts.codes, meld_counts, standard=rules.standard, shapes=shapes)
