"""The JSON that pages send. Everything is bounded: a page (or a stranger) cannot send a hand of a million tiles."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from taicam.facts import Facts
from taicam.match.submission import Submission

Code = Annotated[str, Field(max_length=4)]
Place = Annotated[int, Field(ge=0, le=3, strict=True)]
Wind = Literal["E", "S", "W", "N"]
Id = Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class MeldIn(_Body):
    kind: Annotated[str, Field(max_length=20)]
    tiles: Annotated[list[Code], Field(max_length=4)]


class HandIn(_Body):
    """The tiles; `concealed` includes `win_tile`."""

    concealed: Annotated[list[Code], Field(max_length=40)]
    melds: Annotated[list[MeldIn], Field(max_length=12)] = []
    flowers: Annotated[list[Code], Field(max_length=16)] = []
    win_tile: Code | None = None


Count = Annotated[int, Field(ge=0, le=144, strict=True)]
Pips = Annotated[int, Field(ge=1, le=6, strict=True)]
Places = Annotated[list[Place], Field(max_length=4)]


class FieldsIn(_Body):
    """What only some rulesets read of a win; see `fields` of GET /api/rules/current for those in force."""

    bird_number: Annotated[int, Field(ge=1, le=9, strict=True)] | None = None
    dice: Annotated[list[Pips], Field(min_length=2, max_length=2)] | None = None
    dingque: Literal["m", "p", "s"] | None = None
    wild: Annotated[list[Code], Field(max_length=8)] | None = None
    won: Places | None = None
    huangfan: Annotated[int, Field(ge=0, le=99, strict=True)] | None = None
    contractor: Places | None = None
    contractors: Places | None = None
    claimed_from_winner: dict[Literal["0", "1", "2", "3"], Annotated[int, Field(ge=0, le=4, strict=True)]] | None = None
    meld_from: Annotated[list[Literal["", "upper", "opposite", "lower"]], Field(max_length=12)] | None = None
    flower_seat: Wind | None = None
    streak_shown: Annotated[int, Field(ge=0, le=999, strict=True)] | None = None
    table_kongs: Count | None = None
    discards_count: Count | None = None
    eyed_players: Places | None = None
    robbed_player: Place | None = None


class WinIn(_Body):
    """One winner. `seat_wind` only where it is not the one counted from the dealer."""

    place: Place
    hand: HandIn
    self_draw: bool = False
    flags: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=30)] = []
    seat_wind: Wind | None = None
    fields: FieldsIn = FieldsIn()


class FactsIn(_Body):
    """What a match would know, for hands outside any match."""

    round_wind: Wind = "E"
    dealer_player: Place | None = None
    streak: Annotated[int, Field(ge=0, le=999)] = 0

    def to_facts(self) -> Facts:
        """In the session's terms."""
        return Facts(round_wind=self.round_wind, dealer_player=self.dealer_player, streak=self.streak)


class SubmissionIn(_Body):
    """One hand: a win (with its winners and discarder), a draw, or a false win (with its place)."""

    outcome: Literal["win", "draw", "false_win"]
    wins: Annotated[list[WinIn], Field(max_length=4)] = []
    loser: Place | None = None
    place: Place | None = None
    facts: FactsIn = FactsIn()
    offer_id: Id | None = None
    photo_id: Id | None = None

    def to_submission(self) -> Submission:
        """In the session's terms. Raises UsageError for facts that contradict each other."""
        return Submission.from_payload(self.model_dump(include={"outcome", "wins", "loser", "place"}))


class VoidIn(_Body):
    reason: Annotated[str, Field(max_length=200)] = ""


class PersonIn(_Body):
    id: Id
    name: Annotated[str, Field(min_length=1, max_length=24)]
    colour: Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")] | None = None  # one that nobody else has


class StakesIn(_Body):
    di: Annotated[int, Field(ge=0, le=10_000_000)]
    tai: Annotated[int, Field(ge=0, le=10_000_000)]


class MatchIn(_Body):
    """A match to start. `seating` names the people at the four places in turn order; the first deals first."""

    title: Annotated[str, Field(max_length=60)] = ""
    people: Annotated[list[PersonIn], Field(min_length=4, max_length=8)]
    seating: Annotated[list[Id], Field(min_length=4, max_length=4)]
    ruleset: Annotated[str, Field(max_length=40)]
    options: Annotated[dict[str, Any], Field(max_length=100)] = {}
    stakes: StakesIn
    start_score: Annotated[int, Field(ge=-10_000_000, le=10_000_000)] = 0
    false_win: Annotated[int, Field(ge=0, le=10_000_000)] = 0


class SeatsIn(_Body):
    seating: Annotated[list[Id], Field(min_length=4, max_length=4)]


class PlaceIn(_Body):
    place: Place


class PairIn(_Body):
    code: Annotated[str, Field(pattern=r"^[0-9]{6}$")]
    name: Annotated[str, Field(max_length=40)] = ""
