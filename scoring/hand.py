"""What is scored: the winner's tiles, and the facts about the win that no camera sees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from scoring.errors import ContextError, HandError, TileError, nearest
from scoring.tiles import INDEX, WINDS, check_code

MeldKind = Literal["chow", "pung", "kong_exposed", "kong_added", "kong_concealed"]
MELD_KINDS: tuple[str, ...] = get_args(MeldKind)
MELD_ALIASES: dict[str, str] = {
    "chi": "chow",
    "pon": "pung",
    "kong_open": "kong_exposed",
    "kong": "kong_exposed",
    "吃": "chow",
    "碰": "pung",
    "明槓": "kong_exposed",
    "加槓": "kong_added",
    "暗槓": "kong_concealed",
}
"""Spellings accepted on input beside MELD_KINDS."""


@dataclass(frozen=True, slots=True)
class Meld:
    """A set laid down: chow 吃, pung 碰, kong_exposed 明槓, kong_added 加槓, kong_concealed 暗槓.

    `kind` may be given in any spelling of MELD_ALIASES and is stored as one of MELD_KINDS; tiles are stored sorted.
    Raises HandError when the tiles are not such a set, TileError for an unknown tile.
    """

    kind: str
    tiles: tuple[str, ...]

    def __post_init__(self) -> None:
        kind = MELD_ALIASES.get(self.kind, self.kind)
        if kind not in MELD_KINDS:
            raise HandError(f"meld kind {self.kind!r}: {nearest(self.kind, MELD_KINDS)}", "melds")
        indices = sorted(INDEX[check_code(code, "melds")] for code in self.tiles)
        _check_set(kind, indices, self.tiles)
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "tiles", tuple(sorted(self.tiles, key=INDEX.__getitem__)))

    @property
    def is_kong(self) -> bool:
        """Whether four tiles lie here; a kong counts as three towards the hand."""
        return len(self.tiles) == 4

    @property
    def exposed(self) -> bool:
        """Whether it took another player's discard: everything but a concealed kong."""
        return self.kind != "kong_concealed"


def _check_set(kind: str, indices: list[int], tiles: Iterable[str]) -> None:
    shown = " ".join(str(code) for code in tiles)
    if indices and indices[-1] >= 34:
        raise HandError(f"meld {shown}: flowers and face-down tiles form no set", "melds")
    if kind == "chow":
        in_suit = len(indices) == 3 and indices[2] < 27 and indices[0] // 9 == indices[2] // 9
        if not in_suit or indices[1] != indices[0] + 1 or indices[2] != indices[0] + 2:
            raise HandError(f"meld {shown}: a chow is three consecutive tiles of one suit, such as 3m 4m 5m", "melds")
        return
    size = 3 if kind == "pung" else 4
    if len(indices) != size or indices[0] != indices[-1]:
        raise HandError(f"meld {shown}: a {kind} is {size} equal tiles", "melds")


@dataclass(frozen=True, slots=True)
class Hand:
    """The winner's tiles. `concealed` includes the winning tile and leaves melds and flowers out.

    Sequences are stored as tuples. Whether the number of tiles is right depends on the ruleset, so it is checked when
    the hand is scored. Raises TileError for an unknown tile, HandError for a flower among the concealed tiles' places.
    """

    concealed: tuple[str, ...]
    melds: tuple[Meld, ...] = ()
    flowers: tuple[str, ...] = ()
    win_tile: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "concealed", tuple(self.concealed))
        object.__setattr__(self, "melds", tuple(self.melds))
        object.__setattr__(self, "flowers", tuple(self.flowers))
        for code in self.concealed:
            if code not in INDEX:
                check_code(code, "concealed")
        for code in self.flowers:
            if not 34 <= INDEX.get(code, -1) <= 41:
                raise TileError(f"{code!r} is not a flower; flowers are f1-f8", "flowers")
        if self.win_tile is not None and self.win_tile not in INDEX:
            check_code(self.win_tile, "win_tile")

    @property
    def tiles(self) -> tuple[str, ...]:
        """All playing tiles: concealed, then melds (four for a kong); flowers left out."""
        return self.concealed + tuple(code for meld in self.melds for code in meld.tiles)


@dataclass(frozen=True, slots=True)
class WinContext:
    """The facts of a win.

    `seat_wind` is the seat's own wind (in the Taiwanese texts it follows the wall break, not the dealer);
    `flower_seat` only where a group counts flowers from another seat. `streak` is the dealer's N of 連N, whoever wins;
    `streak_shown` what the dealer's marker shows. `flags` are names of scoring.flags.FLAGS. `meld_from` says of each
    meld whose discard it took ("upper", "opposite", "lower", or "" where nobody's). `table_kongs` counts all kongs on
    the table. `eyed_players` are players who had locked their hand (眼牌), by number. `wild` are the codes that are
    wildcards in this hand. `discards_count` counts all discards so far. `extra` holds what only one ruleset knows.
    """

    self_draw: bool = False
    seat_wind: str = "E"
    round_wind: str = "E"
    dealer: bool = False
    streak: int = 0
    flags: frozenset[str] = frozenset()
    flower_seat: str | None = None
    streak_shown: int | None = None
    meld_from: tuple[str, ...] = ()
    table_kongs: int | None = None
    eyed_players: tuple[int, ...] = ()
    wild: tuple[str, ...] = ()
    discards_count: int | None = None
    extra: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "flags", frozenset(self.flags))
        for field in ("seat_wind", "round_wind", "flower_seat"):
            wind = getattr(self, field)
            if wind not in WINDS and not (field == "flower_seat" and wind is None):
                raise ContextError(f"{field} {wind!r}: a wind is one of E, S, W, N", field)
        for field in ("streak", "streak_shown"):
            number = getattr(self, field)
            if number is not None and not (isinstance(number, int) and number >= 0):
                raise ContextError(f"{field} {number!r}: a streak is a whole number from 0", field)
