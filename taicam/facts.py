"""What no camera sees about a win, and what is assumed when nobody said it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from taicam.errors import UsageError

WINDS = ("E", "S", "W", "N")


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
