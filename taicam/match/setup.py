"""Who plays, by which rules and for what: fixed when a match starts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring import load_ruleset
from taicam.errors import UsageError
from taicam.house import House
from taicam.words import Language

PLACES = 4
MAX_PEOPLE = 8
NAME_LENGTH = 24
# For people who have chosen none: told apart from each other, and from the light and the dark page (3:1 and more).
COLOURS = ("#b8860b", "#2e9e5b", "#3d8bfd", "#f0533e", "#a970ff", "#0f9aa8", "#e0529c", "#8b8f7a")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_ID = re.compile(r"[A-Za-z0-9_-]{1,24}")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at the table; totals follow people, not seats."""

    id: str
    name: str
    colour: str


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """A match as it was started. `seating` names the person at each place in turn order; place 0 deals first.

    `false_win` is what 詐胡 costs: points paid to each of the other three.
    """

    match_id: str
    people: tuple[Person, ...]
    seating: tuple[str, ...]
    ruleset: str
    options: Mapping[str, Any]
    di: int
    tai: int
    start_score: int = 0
    false_win: int = 0
    title: str = ""

    def person(self, person_id: str) -> Person:
        """The person of that id. Raises UsageError."""
        for person in self.people:
            if person.id == person_id:
                return person
        raise UsageError(f"nobody in this match has the id {person_id!r}", "see the people of the match")

    def house(self, language: Language) -> House:
        """The rules of this match in the form scoring cases are built from."""
        return House(self.ruleset, self.options, self.di, self.tai, language)

    def to_payload(self) -> dict[str, Any]:
        """The setup as it is kept in the ledger."""
        return {
            "title": self.title,
            "people": [{"id": p.id, "name": p.name, "colour": p.colour} for p in self.people],
            "seating": list(self.seating),
            "ruleset": self.ruleset,
            "options": dict(self.options),
            "stakes": {"di": self.di, "tai": self.tai},
            "start_score": self.start_score,
            "false_win": self.false_win,
        }

    @classmethod
    def from_payload(cls, match_id: str, payload: Mapping[str, Any]) -> MatchSetup:
        """The setup from what the ledger keeps, or a page sent. Raises UsageError naming the wrong field."""
        try:
            setup = cls(
                match_id=match_id,
                people=_people(payload["people"]),
                seating=tuple(str(person) for person in payload["seating"]),
                ruleset=str(payload["ruleset"]),
                options=dict(payload["options"]),
                di=int(payload["stakes"]["di"]),
                tai=int(payload["stakes"]["tai"]),
                start_score=int(payload["start_score"]),
                false_win=int(payload["false_win"]),
                title=str(payload["title"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f"the match cannot be understood: {error}", "see the fields of POST /api/matches"
            ) from None
        _check(setup)
        return setup


def _people(told: Sequence[Mapping[str, Any]]) -> tuple[Person, ...]:
    """Who has no colour gets the first one that nobody at the table has."""
    used = {str(p["colour"]).lower() for p in told}
    free = (colour for colour in COLOURS if colour not in used)
    return tuple(Person(str(p["id"]), str(p["name"]).strip(), str(p["colour"] or next(free, COLOURS[0]))) for p in told)


def _check(setup: MatchSetup) -> None:
    ids = [person.id for person in setup.people]
    if len({person.name for person in setup.people}) != len(ids):
        raise UsageError("two people have the same name", "give everybody a name of their own")
    if not PLACES <= len(ids) <= MAX_PEOPLE or len(set(ids)) != len(ids):
        raise UsageError(f"a match has {PLACES} to {MAX_PEOPLE} different people", "add or take away names")
    for person in setup.people:
        if not _ID.fullmatch(person.id) or not _COLOUR.fullmatch(person.colour):
            raise UsageError(f"person {person.id!r}: id or colour cannot be used", "colours are like #6fd6a0")
        if not 1 <= len(person.name) <= NAME_LENGTH:
            raise UsageError(f"the name {person.name!r} is empty or too long", f"1 to {NAME_LENGTH} letters")
    check_seating(setup, setup.seating)
    for name, value in (("di", setup.di), ("tai", setup.tai), ("false_win", setup.false_win)):
        if not 0 <= value <= 10_000_000:
            raise UsageError(f"{name} cannot come to {value}", "give a number from 0 to 10000000")
    load_ruleset(setup.ruleset, setup.options)


def check_seating(setup: MatchSetup, seating: tuple[str, ...]) -> None:
    """Raises UsageError unless `seating` names four different people of the match."""
    if len(seating) != PLACES or len(set(seating)) != PLACES:
        raise UsageError("four different people must sit at the table", "give every seat one person")
    for person_id in seating:
        setup.person(person_id)
