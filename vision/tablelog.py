"""What happened at the table, as far as the camera saw it: discards in order, claims and from whom, the round's end.

Best effort: each entry says how sure it is, and what was not seen is not made up. Fed with views of a quiet table
(`TableView`); nothing here looks at pixels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from vision.observation import TableReading, TileObservation
from vision.table import SEATS
from vision.table_reader import Discard, TableView

#: Two sightings this far apart (share of the table's side) may be the same tile, pushed a little.
_SAME_PLACE = 0.02
#: A tile must be seen so often before it counts, and be missing so often before it is gone.
_CONFIRM = 2
_GONE = 5
#: Fewer tiles in the middle and on the edges than this after many: the table was cleared.
_CLEARED = 3


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One thing that happened. `kind`: `discard`, `chow`, `pung`, `kong_exposed`, `kong_added`, `kong_concealed`,
    `flower`, `cleared`. `source` is the seat a claimed tile came from; `confidence` of the entry as a whole."""

    kind: str
    seat: int | None
    tiles: tuple[str, ...]
    time_s: float
    confidence: float
    source: int | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "kind": self.kind,
            "seat": self.seat,
            "tiles": list(self.tiles),
            "time_s": round(self.time_s, 2),
            "confidence": round(self.confidence, 3),
            "source": self.source,
        }


@dataclass(slots=True)
class _Seen:
    """A tile of the middle over time: votes for its code (by probability) and for the seat it lies before."""

    place: tuple[float, float]
    first_s: float
    codes: dict[str, float] = field(default_factory=dict)
    seats: Counter[int] = field(default_factory=Counter)
    times: int = 0
    missing: int = 0
    entry: int | None = None
    seat: int = 0
    seat_sure: float = 0.0

    @property
    def code(self) -> str:
        """The code with most votes."""
        return max(self.codes, key=lambda c: self.codes[c])

    @property
    def sureness(self) -> float:
        """Share of the votes for it."""
        return self.codes[self.code] / max(sum(self.codes.values()), 1e-9)


class TableLog:
    """Gathers entries from views of the quiet table, shown in order."""

    def __init__(self) -> None:
        self.entries: list[LogEntry] = []
        self._empty = 0
        self._agreed = self._compared = 0
        self._forget()

    def _forget(self) -> None:
        """Begin a new hand."""
        self._pool: list[_Seen] = []
        self._melds: dict[int, list[tuple[str, tuple[str, ...]]]] = {seat: [] for seat in SEATS}
        self._candidates: dict[tuple[int, str, tuple[str, ...]], int] = {}
        self._flowers: dict[int, Counter[str]] = {seat: Counter() for seat in SEATS}
        self._flower_votes: Counter[tuple[int, str, int]] = Counter()

    def add(self, view: TableView, time_s: float) -> list[LogEntry]:
        """Take one view; returns the entries it added."""
        before = len(self.entries)
        gone = self._see_pool(view.discards, time_s)
        for seat in SEATS:
            self._see_melds(seat, view.seats[seat], gone, time_s)
            self._see_flowers(seat, view.seats[seat], time_s)
        self._see_cleared(view, time_s)
        return self.entries[before:]

    def _see_pool(self, discards: Sequence[Discard], time_s: float) -> list[_Seen]:
        """Match the tiles of the middle with those known; returns the ones that have just gone."""
        free = list(range(len(discards)))
        for seen in self._pool:
            near = [(_distance(seen.place, discards[n].place), n) for n in free]
            distance, n = min(near, default=(1.0, -1))
            # A tile long out of sight has been taken; only the very same one may come back to its place.
            back = seen.missing < _GONE or (n >= 0 and discards[n].tile.code == seen.code)
            if distance < _SAME_PLACE and back:
                free.remove(n)
                _vote(seen, discards[n])
            else:
                seen.missing += 1
        for n in free:
            if discards[n].tile.code == "back":
                continue
            fresh = _Seen(discards[n].place, time_s)
            _vote(fresh, discards[n])
            self._pool.append(fresh)
        for seen in self._pool:
            self._confirm(seen)
        self._pool = [s for s in self._pool if s.entry is not None or s.missing < _GONE]
        return [s for s in self._pool if s.missing == _GONE]

    def _confirm(self, seen: _Seen) -> None:
        """Enter a discard once it was seen often enough, and keep its code and seat up to date."""
        if seen.times < _CONFIRM:
            return
        if seen.entry is None:
            seat, sure = self._discarder(seen)
            seen.seat, seen.seat_sure = seat, sure
            seen.entry = len(self.entries)
            self.entries.append(LogEntry("discard", seat, (seen.code,), seen.first_s, sure * seen.sureness))
        elif not seen.missing:
            entry = LogEntry("discard", seen.seat, (seen.code,), seen.first_s, seen.seat_sure * seen.sureness)
            self.entries[seen.entry] = entry

    def _discarder(self, seen: _Seen) -> tuple[int, float]:
        """Who discarded a tile: where it lies says so at a tidy table, whose turn it was at an untidy one. Which of
        the two this table is shows in how often they agree."""
        lies = seen.seats.most_common(1)[0][0]
        turn = self._turn()
        if turn is None:
            return lies, 0.7
        self._compared += 1
        self._agreed += lies == turn
        if lies == turn:
            return lies, 0.98
        tidy = (self._agreed + 2) / (self._compared + 3)
        return (lies, 0.8 * tidy) if tidy > 0.6 else (turn, 0.85)

    def _turn(self) -> int | None:
        """Whose discard comes next; None at the beginning of a hand."""
        for entry in reversed(self.entries):
            if entry.kind == "cleared" or entry.seat is None:
                return None
            if entry.kind == "discard":
                return (entry.seat + 1) % 4
            if entry.kind != "flower":
                return entry.seat
        return None

    def _see_melds(self, seat: int, reading: TableReading, gone: Sequence[_Seen], time_s: float) -> None:
        now = [(m.kind, tuple(sorted(m.tiles))) for m in reading.melds if "back" not in m.tiles]
        fresh = list(now)
        for known in self._melds[seat]:
            if known in fresh:
                fresh.remove(known)
        for kind, tiles in fresh:
            key = (seat, kind, tiles)
            self._candidates[key] = self._candidates.get(key, 0) + 1
            if self._candidates[key] >= _CONFIRM:
                del self._candidates[key]
                self._enter_meld(seat, kind, tiles, gone, time_s)
        for key in [k for k in self._candidates if k[0] == seat and (k[1], k[2]) not in fresh]:
            del self._candidates[key]

    def _enter_meld(self, seat: int, kind: str, tiles: tuple[str, ...], gone: Sequence[_Seen], time_s: float) -> None:
        pung = ("pung", tiles[:3])
        if len(tiles) == 4 and pung in self._melds[seat]:
            self._melds[seat].remove(pung)
            kind = "kong_added"
        self._melds[seat].append((kind, tiles))
        source, sure = None, 0.9
        if kind in ("chow", "pung", "kong_exposed"):
            source, sure = self._source(seat, kind, tiles, gone)
        self.entries.append(LogEntry(kind, seat, tiles, time_s, sure, source))

    def _source(self, seat: int, kind: str, tiles: tuple[str, ...], gone: Sequence[_Seen]) -> tuple[int | None, float]:
        """Whose discard was claimed: one that has just left the middle, or lay there too briefly to be entered."""
        if kind == "chow":
            # Only the discard of the player before may be taken for a chow.
            return (seat - 1) % 4, 0.95
        taken = [s for s in [*gone, *(p for p in self._pool if 0 < p.missing < _GONE)] if s.code in tiles]
        if not taken:
            return None, 0.6
        latest = max(taken, key=lambda s: s.first_s)
        giver, sure = (latest.seat, latest.seat_sure) if latest.entry is not None else self._discarder(latest)
        return (None, 0.5) if giver == seat else (giver, 0.9 * sure)

    def _see_flowers(self, seat: int, reading: TableReading, time_s: float) -> None:
        for code, count in Counter(reading.flowers).items():
            if count <= self._flowers[seat][code]:
                continue
            self._flower_votes[(seat, code, count)] += 1
            if self._flower_votes[(seat, code, count)] >= _CONFIRM:
                self._flowers[seat][code] = count
                self.entries.append(LogEntry("flower", seat, (code,), time_s, 0.9))

    def _see_cleared(self, view: TableView, time_s: float) -> None:
        shown = len(view.discards) + sum(len(m.tiles) for r in view.seats for m in r.melds)
        known = sum(1 for s in self._pool if s.entry is not None and s.missing < 3 * _GONE) + sum(
            len(m) for m in self._melds.values()
        )
        self._empty = self._empty + 1 if shown < _CLEARED and (known >= _CLEARED or self._empty) else 0
        if self._empty == _CONFIRM:
            self.entries.append(LogEntry("cleared", None, (), time_s, 0.95))
            self._forget()

    def last_discard(self) -> LogEntry | None:
        """The latest discard of the hand being played."""
        for entry in reversed(self.entries):
            if entry.kind == "cleared":
                return None
            if entry.kind == "discard":
                return entry
        return None

    def facts(self, seat: int, win_tile: str | None) -> dict[str, tuple[Any, float]]:
        """What the log says about a win of `seat`: fact -> (value, confidence). A fact that was not seen is missing.

        `discarder`: the seat whose last discard is the winning tile; `self_draw`: the last discard is another tile.
        """
        last = self.last_discard()
        if last is None or win_tile is None:
            return {}
        if last.tiles == (win_tile,) and last.seat != seat:
            # The same tile may have been drawn as well: likely, not certain.
            return {"discarder": (last.seat, 0.85 * last.confidence), "self_draw": (False, 0.85 * last.confidence)}
        if last.confidence > 0.9 and last.tiles != (win_tile,):
            return {"self_draw": (True, 0.7)}
        return {}

    def to_json(self) -> list[dict[str, Any]]:
        """All entries as JSON."""
        return [entry.to_json() for entry in self.entries]


def _vote(seen: _Seen, discard: Discard) -> None:
    seen.place = discard.place
    seen.missing = 0
    seen.times += 1
    seen.seats[discard.seat] += 1
    for code, p in _odds(discard.tile):
        seen.codes[code] = seen.codes.get(code, 0.0) + p


def _odds(tile: TileObservation) -> tuple[tuple[str, float], ...]:
    return tile.alternatives or ((tile.code, tile.confidence),)


def _distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)
