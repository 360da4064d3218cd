"""What no camera sees about a win, and what is assumed when nobody said it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from taicam.errors import UsageError
from vision.observation import MeldReading, TableReading
from vision.tablelog import WinFacts

WINDS = ("E", "S", "W", "N")
SURE = 0.9  # what the table log saw less surely than this is asked


@dataclass(frozen=True, slots=True)
class Facts:
    """The circumstances of one win. Players are 0..3 in turn order; without a match the winner sits at `seat_wind`
    counted from player 0 in the east, unless `place` says where. `None` for `dealer_player` or `loser`: nobody said.
    """

    seat_wind: str = "E"
    round_wind: str = "E"
    self_draw: bool = False
    dealer: bool = False
    streak: int = 0
    flags: tuple[str, ...] = ()
    dealer_player: int | None = None
    loser: int | None = None
    ruleset: str | None = None
    place: int | None = None

    @property
    def winner(self) -> int:
        """The winner's place in turn order: where the machine or the table's view says so, else by the seat wind."""
        return WINDS.index(self.seat_wind) if self.place is None else self.place

    @property
    def payable(self) -> bool:
        """Whether enough is known to say who pays."""
        return self.dealer_player is not None and (self.self_draw or self.loser is not None)

    def to_record(self) -> dict[str, Any]:
        """The facts in the fields of a scoring record."""
        record: dict[str, Any] = {
            "seat_wind": self.seat_wind,
            "round_wind": self.round_wind,
            "self_draw": self.self_draw,
            "dealer": self.dealer or self.dealer_player == self.winner,
            "streak": self.streak,
            "flags": list(self.flags),
        }
        if self.payable:
            record |= {"winner": self.winner, "loser": self.loser, "dealer_player": self.dealer_player}
        return record

    @classmethod
    def from_mapping(cls, entry: Mapping[str, Any]) -> Facts:
        """The facts among the fields of `entry`; others are left alone. Raises UsageError for a wrong value."""
        values = {field.name: entry[field.name] for field in fields(cls) if entry.get(field.name) is not None}
        if values.get("place") is None and entry.get("winner") is not None:
            values["place"] = entry["winner"]
        values["flags"] = tuple(values.get("flags", ()))
        for name in ("seat_wind", "round_wind"):
            if values.get(name, "E") not in WINDS:
                raise UsageError(f"{name} {values[name]!r}: a wind is one of E, S, W, N", "mend that and try again")
        if values.get("dealer") and "dealer_player" not in values:
            values["dealer_player"] = cls(**{k: v for k, v in values.items() if k in {"seat_wind", "place"}}).winner
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the camera saw of a win besides its tiles. Only what it is sure of counts: None and () are to be asked."""

    log: WinFacts
    self_draw: bool | None = None
    loser: int | None = None
    flags: tuple[str, ...] = ()

    @classmethod
    def of(cls, log: WinFacts) -> Seen:
        """The sure part of what the table log says."""
        self_draw = log.self_draw[0] if log.self_draw and log.self_draw[1] >= SURE else None
        loser = log.discarder[0] if log.discarder and log.discarder[1] >= SURE and self_draw is False else None
        replaced = log.kong_replacement is not None and log.kong_replacement[0] and log.kong_replacement[1] >= SURE
        return cls(log, self_draw, loser, ("kong_replacement",) if replaced and self_draw else ())

    @property
    def asks(self) -> str:
        """What must be asked, as a key of `taicam.words`; empty where all was seen."""
        if self.self_draw is None:
            return "how_won"
        return "who_dealt_in" if not self.self_draw and self.loser is None else ""

    def told(self, facts: Facts, reading: TableReading) -> Facts:
        """`facts` of the hand read, with what was seen; what was not stays as it was, and so does what that hand cannot
        have been: no tile replaces a kong that is not there."""
        kong = any(len(meld.tiles) == 4 for meld in reading.melds)
        flags = tuple(dict.fromkeys([*facts.flags, *(self.flags if kong else ())]))
        self_draw = facts.self_draw if self.self_draw is None else self.self_draw
        return replace(facts, self_draw=self_draw, loser=facts.loser if self.loser is None else self.loser, flags=flags)

    def named(self, reading: TableReading) -> TableReading:
        """A reading whose kongs are of the kind they were seen to become."""
        kinds = {tile: kind for tile, kind, sure in self.log.kongs if sure >= SURE}

        def kong(meld: MeldReading) -> MeldReading:
            kind = kinds.get(meld.tiles[0]) if len(meld.tiles) == 4 else None
            return meld if kind is None or not meld.kind.startswith("kong") else replace(meld, kind=kind)

        return replace(reading, melds=tuple(kong(meld) for meld in reading.melds))

    def details(self) -> dict[str, Any]:
        """What an offer keeps of it: the facts taken as true, and all that was seen with its confidence."""
        return {"seen": self.log.to_json(), "loser": self.loser}
