"""Facts of a win that only one ruleset reads: their names, and what each may be.

They come in `WinContext.extra` as (name, value) pairs, or in a record as fields; a ruleset's `play.fields` lists those
it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scoring.errors import ContextError, nearest

if TYPE_CHECKING:
    from scoring.ruleset import Ruleset

NO_EXTRAS: Mapping[str, Any] = MappingProxyType({})
SUIT_WORDS = {
    "m": 0, "p": 1, "s": 2, "万": 0, "萬": 0, "筒": 1, "饼": 1, "餅": 1, "条": 2, "條": 2, "索": 2,
}  # fmt: skip
"""How a suit may be written, and its number."""


def _is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _whole(low: int, high: int) -> Callable[[str, object], int]:
    def check(name: str, value: object) -> int:
        if not isinstance(value, int) or not _is_whole(value, low, high):
            raise ContextError(f"{name} {value!r}: a whole number from {low} to {high}", name)
        return value

    return check


def _players(name: str, value: object) -> tuple[int, ...]:
    """One player or a list of them; a player named twice counts twice."""
    listed = value if isinstance(value, list | tuple) else [value]
    if not all(_is_whole(player, 0, 3) for player in listed):
        raise ContextError(f"{name} {value!r}: players are 0, 1, 2, 3 in turn order; one, or a list", name)
    return tuple(listed)


def _dice(name: str, value: object) -> tuple[int, int]:
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(_is_whole(pips, 1, 6) for pips in value):
        raise ContextError(f"{name} {value!r}: two dice, such as [4, 4]", name)
    return value[0], value[1]


def _suit(name: str, value: object) -> int:
    if not isinstance(value, str) or value not in SUIT_WORDS:
        raise ContextError(f"{name} {value!r}: a suit: m (萬), p (筒) or s (索)", name)
    return SUIT_WORDS[value]


def _boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ContextError(f"{name} {value!r}: true or false", name)
    return value


def _claims(name: str, value: object) -> dict[int, int]:
    """How many sets each player has claimed from the winner."""
    if not isinstance(value, Mapping) or not set(map(str, value)) <= set("0123"):
        raise ContextError(f'{name} {value!r}: sets claimed by player, such as {{"2": 3}}', name)
    return {int(player): _whole(0, 4)(name, number) for player, number in value.items()}


EXTRAS: dict[str, Callable[[str, object], Any]] = {
    "dingque": _suit,
    "dice": _dice,
    "bird_number": _whole(1, 9),
    "huangfan": _whole(0, 99),
    "contractor": _players,
    "contractors": _players,
    "claimed_from_winner": _claims,
    "won": _players,
    "tiles13": _boolean,
}
"""定缺 · the two dice thrown · the number on 鳥 · drawn games before this one (荒番) · who has to answer for the winner
(承包, twice in a mutual contract) · sets claimed from the winner by player · who is out already (血戰) · whether the
dealt hand has 13 tiles, which its number of tiles tells anyhow."""


def read_extras(extra: Iterable[tuple[str, object]], rules: Ruleset) -> dict[str, Any]:
    """The checked values by name. Raises ContextError for a name the ruleset does not read or a wrong value."""
    known = [name for name in rules.play.get("fields", ()) if name in EXTRAS]
    values = {}
    for name, value in extra:
        if name not in known:
            raise ContextError(f"{name!r} is nothing {rules.name} reads; {nearest(name, known)}", str(name))
        values[name] = EXTRAS[name](name, value)
    return values
