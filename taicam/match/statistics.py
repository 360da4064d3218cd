"""What the evening comes to: per person, and who gives whom how much at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from taicam.match.replay import Played, Standing


@dataclass(slots=True)
class PersonStatistics:
    """Counts of one person; `best` is the highest total of a hand, `tai` the sum over wins."""

    hands: int = 0
    wins: int = 0
    self_draws: int = 0
    deal_ins: int = 0
    false_wins: int = 0
    tai: int = 0
    best: int | None = None
    best_hand: str = ""
    course: list[int] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """As a JSON object, with the average 台 a win."""
        return {
            "hands": self.hands,
            "wins": self.wins,
            "self_draws": self.self_draws,
            "deal_ins": self.deal_ins,
            "false_wins": self.false_wins,
            "average": round(self.tai / self.wins, 2) if self.wins else None,
            "best": self.best,
            "best_hand": self.best_hand,
            "course": self.course,
        }


def statistics(standing: Standing) -> dict[str, PersonStatistics]:
    """Person id -> statistics over the hands that count; `course` is the total before the first and after each hand."""
    found = {person.id: PersonStatistics() for person in standing.setup.people}
    totals = {person.id: standing.setup.start_score for person in standing.setup.people}
    for person, numbers in found.items():
        numbers.course.append(totals[person])
    for played in standing.hands:
        for person, change in zip(played.seating, played.changes, strict=True):
            totals[person] += change
            found[person].hands += 1
        for person, numbers in found.items():
            numbers.course.append(totals[person])
        _count(played, found)
    return found


def _count(played: Played, found: Mapping[str, PersonStatistics]) -> None:
    submission = played.submission
    if submission.loser is not None:
        found[played.seating[submission.loser]].deal_ins += 1
    if submission.place is not None:
        found[played.seating[submission.place]].false_wins += 1
    for win, scored in zip(submission.wins, played.wins, strict=True):
        numbers = found[played.seating[win.place]]
        total = int(scored.answer.get("total") or 0)
        numbers.wins += 1
        numbers.self_draws += win.self_draw
        numbers.tai += total
        if numbers.best is None or total > numbers.best:
            numbers.best, numbers.best_hand = total, played.entry.hand_id


@dataclass(frozen=True, slots=True)
class Transfer:
    """One payment at the end: `payer` gives `payee` `amount`, both person ids."""

    payer: str
    payee: str
    amount: int


def settle_up(balances: Mapping[str, int]) -> list[Transfer]:
    """The fewest transfers that bring every balance (which sum to zero) to nothing.

    People are split into as many groups as possible whose balances sum to zero; a group of n needs n - 1 transfers,
    and no plan needs fewer. At most eight people, so every subset can be looked at.
    """
    people = [person for person, balance in balances.items() if balance != 0]
    transfers: list[Transfer] = []
    for group in _zero_groups(people, balances):
        transfers.extend(_within(group, balances))
    return transfers


def _zero_groups(people: list[str], balances: Mapping[str, int]) -> list[list[str]]:
    """A partition into the greatest number of groups summing to zero, by dynamic programming over subsets."""
    count = len(people)
    sums = [0] * (1 << count)
    best: list[list[list[str]]] = [[] for _ in range(1 << count)]
    for subset in range(1, 1 << count):
        low = (subset & -subset).bit_length() - 1
        sums[subset] = sums[subset & (subset - 1)] + balances[people[low]]
        options = [best[subset ^ (1 << member)] for member in range(count) if subset >> member & 1]
        groups = max(options, key=len)
        if sums[subset] == 0:
            done = {person for group in groups for person in group}
            rest = [people[member] for member in range(count) if subset >> member & 1 and people[member] not in done]
            groups = [*groups, rest] if rest else groups
        best[subset] = groups
    return best[-1] if count else []


def _within(group: list[str], balances: Mapping[str, int]) -> list[Transfer]:
    owed = sorted(((balances[p], p) for p in group if balances[p] > 0), reverse=True)
    owing = sorted(((-balances[p], p) for p in group if balances[p] < 0), reverse=True)
    transfers = []
    while owed and owing:
        (get, payee), (give, payer) = owed.pop(0), owing.pop(0)
        amount = min(get, give)
        transfers.append(Transfer(payer, payee, amount))
        if get > amount:
            owed.insert(0, (get - amount, payee))
        if give > amount:
            owing.insert(0, (give - amount, payer))
    return transfers
