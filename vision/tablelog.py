"""What happened at the table, as far as the camera saw it: discards in order, claims and from whom, the hand's end.

Best effort: each entry says how sure it is, and what was not seen is not made up. Fed with what quiet looks found
(`add`); nothing here looks at pixels. Who discarded a tile follows from where it lies and from whose turn it was,
weighed over the whole hand (`vision.turns`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vision.decode_reading import TURNABLE
from vision.observation import KnownSet, TileObservation
from vision.table import SEATS, nearest_seat
from vision.table_reader import Discard
from vision.tablemelds import LaidOpen, LaidSet
from vision.tilecounts import Readings, settle
from vision.turns import Claim, Turn, discarders

#: Two sightings this far apart (share of the table's side) may be the same tile, pushed a little.
_SAME_PLACE = 0.02
#: Two sightings of a set this far apart may be the same one.
_SAME_SET = 0.035
#: Odds that agree less than this are those of two tiles.
_ALIKE = 0.15
#: So many codes of a tile are weighed against the rest of the table.
_KEPT = 4
#: The probability from which one look at a tile is enough, unless the next one does not find it.
_CLEAR = 0.9
#: A tile or set must be seen so often before it counts, and be missing so often before it is gone.
_CONFIRM = 2
_GONE = 2
#: Fewer tiles in the middle and before the players than this after so many: the table was cleared.
_CLEARED = 3
#: Tiles of a set with flowers, and how many each of the four holds.
_ALL, _HELD = 144, 16
#: So many tiles stay undrawn at the end of the wall, as most tables play; near it, the last tile is asked about.
_DEAD, _NEAR_END = 16, 6
_FROM_DISCARD = frozenset({"chow", "pung", "kong_exposed"})
#: The same tile as the discard may have been drawn as well, and something overlooked: likely is never certain.
_SELDOM = 0.97
#: How surely backs are a concealed kong, a kong with which a discard went was claimed, and one with which none was
#: seen to go was not.
_BACKS, _CLAIM_SEEN, _NO_CLAIM_SEEN = 0.9, 0.95, 0.8
#: How much a set that is seen in every look may still be none, in looks.
_ONE_LOOK, _OVERLOOKED = 0.5, 0.1
#: How likely it lies there still, with each of the last looks that did not find it.
_GONE_BY = 0.7
#: A set that plainly was of three tiles and then of four, seen from one place, is of four.
_GREW = 0.99


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One thing that happened. `kind`: `discard`, `chow`, `pung`, `kong_exposed`, `kong_added`, `kong_concealed`,
    `flower`. `source` is the seat a claimed tile came from; `confidence` of the entry as a whole."""

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


@dataclass(frozen=True, slots=True)
class WinFacts:
    """What the log says about a win, each with its confidence; None where it was not seen. `discarder` is None on a
    self-draw."""

    self_draw: tuple[bool, float] | None = None
    discarder: tuple[int, float] | None = None
    kong_replacement: tuple[bool, float] | None = None
    last_tile: tuple[bool, float] | None = None
    kongs: tuple[tuple[str, str, float], ...] = ()  #: of the winner: tile, kind, confidence

    def to_json(self) -> dict[str, Any]:
        """Fact -> [value, confidence]; those not seen are left out."""
        seen = {name: getattr(self, name) for name in ("self_draw", "discarder", "kong_replacement", "last_tile")}
        facts: dict[str, Any] = {n: [fact[0], round(fact[1], 3)] for n, fact in seen.items() if fact is not None}
        if self.kongs:
            facts["kongs"] = [[tile, kind, round(sure, 3)] for tile, kind, sure in self.kongs]
        return facts


@dataclass(slots=True)
class _Thrown:
    """A tile of the middle over time: votes for its code (by probability) and for the seat it lies before."""

    place: tuple[float, float]
    first_s: float
    codes: dict[str, float] = field(default_factory=dict)
    lies: dict[int, float] = field(default_factory=dict)
    times: int = 0
    missing: int = 0
    claimed: bool = False
    won: bool = False  # somebody won by it
    settled: str = ""  # the code beside everything else on the table

    @property
    def code(self) -> str:
        """The code: as settled, or with most votes."""
        return self.settled or max(self.codes, key=lambda c: self.codes[c])

    @property
    def chances(self) -> dict[str, float]:
        """The share of the votes for each code."""
        total = max(sum(self.codes.values()), 1e-9)
        return {code: votes / total for code, votes in self.codes.items()}

    @property
    def sureness(self) -> float:
        """Share of the votes for it."""
        return self.chances.get(self.code, 0.0)

    @property
    def counts(self) -> bool:
        """Whether it is a discard: seen more than once, taken by somebody, or clearly there at the last look."""
        sure_once = not self.missing and self.codes[self.code] > _CLEAR
        return self.times >= _CONFIRM or self.claimed or self.won or sure_once

    @property
    def lies_there(self) -> bool:
        """Whether it is still in the middle."""
        return not self.claimed and self.missing < _GONE

    def alike(self, tile: TileObservation) -> bool:
        """Whether a sighting may be of this tile, by its face."""
        chances = self.chances
        return sum(min(chances.get(code, 0.0), p) for code, p in _odds(tile)) > _ALIKE


@dataclass(slots=True)
class _Set:
    """A set before a player over time."""

    seat: int
    place: float
    first_s: float
    votes: dict[tuple[str, tuple[str, ...]], float] = field(default_factory=dict)
    times: int = 0
    missing: int = 0
    looked: int = 0
    took: _Thrown | None = None
    grown_s: float | None = None  # when a fourth tile was added
    grown: int = 0
    flat: float = 0.0  # how surely it was of three tiles before it grew,
    four: float = 0.0  # and of four after

    settled: tuple[str, tuple[str, ...]] | None = None  # the reading beside everything else on the table
    told: tuple[str, tuple[str, ...]] | None = None  # what the winner's whole hand says it is

    @property
    def read(self) -> tuple[str, tuple[str, ...]]:
        """Kind and tiles: as the whole hand says, as settled, or with most votes."""
        return self.told or self.settled or max(self.votes, key=lambda read: self.votes[read])

    @property
    def sureness(self) -> float:
        """Share of the votes for them."""
        return 1.0 if self.told else self.votes[self.read] / max(sum(self.votes.values()), 1e-9)

    def readings(self) -> list[tuple[tuple[str, tuple[str, ...]], float]]:
        """What it may be, likeliest first; a set made with a discard holds that tile."""
        if self.told:
            return [(self.told, 1.0)]
        total = max(sum(self.votes.values()), 1e-9)
        fits = self.took.chances if self.took is not None else None
        odds = [
            (read, votes / total * (1.0 if fits is None else max(fits.get(code, 1e-3) for code in read[1])))
            for read, votes in self.votes.items()
        ]
        return sorted(odds, key=lambda each: -each[1])

    def partly(self, tiles: Sequence[tuple[str, float]]) -> bool:
        """Whether most of it is among these tiles and their places: the rest is covered, and nothing is told."""
        left = Counter(self.read[1])
        left -= Counter(code for code, place in tiles if abs(place - self.place) < _SAME_SET)
        return 2 * left.total() < len(self.read[1])

    @property
    def counts(self) -> bool:
        """Whether it is a set: seen more than once."""
        return self.times >= _CONFIRM


class TableLog:
    """The hand being played, from what was found in quiet pictures, shown in order."""

    def __init__(self) -> None:
        self._tidy = 0.8  # how often a tile lies before the player who discarded it: shows over the evening
        self._forget()

    def _forget(self) -> None:
        self._pool: list[_Thrown] = []
        self._sets: list[_Set] = []
        self._flowers: dict[str, tuple[int, int, float]] = {}  # code -> seat, times seen, first seen
        self._open: dict[int, LaidOpen] = {}
        self._looked: dict[int, int] = {}
        self._middle = 0
        self._empty = 0

    def add(
        self,
        discards: Sequence[Discard] | None,
        laid: Mapping[int, LaidOpen],
        time_s: float,
        hand: Sequence[str] = (),
    ) -> list[LogEntry] | None:
        """Take what one quiet look found: the tiles of the middle (None when it was not looked at anew), and what lies
        open before the seats looked at; `hand` are the concealed tiles of a winner, now shown. Returns the whole hand
        once the table has been cleared after it, and begins anew; None as long as it goes on."""
        if discards is not None:
            shown = [d for d in discards if d.tile.code != "back" and d.tile.code[0] != "f"]
            self._middle = len(shown)
            self._see_pool(shown, time_s)
        for seat, seen in laid.items():
            self._open[seat] = seen
            self._looked[seat] = self._looked.get(seat, 0) + 1
            self._see_sets(seat, seen, time_s)
            self._see_flowers(seat, seen.flowers, time_s)
        self._link()
        self._settle(hand)
        return self._cleared()

    # -- what is seen -----------------------------------------------------------------------------------------

    def _see_pool(self, discards: Sequence[Discard], time_s: float) -> None:
        free = set(range(len(discards)))
        near = sorted(
            (_distance(thrown.place, discards[n].place), k, n)
            for k, thrown in enumerate(self._pool)
            if not thrown.claimed
            for n in free
            if thrown.alike(discards[n].tile)
        )
        found: set[int] = set()
        for distance, k, n in near:
            if distance < _SAME_PLACE and k not in found and n in free:
                found.add(k)
                free.discard(n)
                _vote(self._pool[k], discards[n])
        swept = len(discards) < _CLEARED <= len(self._pool)
        for k, thrown in enumerate(self._pool):
            # That a tile was swept up with all the others says nothing against it.
            thrown.missing += k not in found and not (swept and thrown.times < _CONFIRM)
        for n in sorted(free):
            self._pool.append(_Thrown(discards[n].place, time_s))
            _vote(self._pool[-1], discards[n])

    def _see_sets(self, seat: int, seen: LaidOpen, time_s: float) -> None:
        mine = [known for known in self._sets if known.seat == seat]
        free = list(seen.sets)
        for known in mine:
            alike = [s for s in free if known.read[1][:3] == s.tiles[:3]]
            near = [s for s in alike or free if abs(s.place - known.place) < _SAME_SET]
            again = min(near or alike, key=lambda s: abs(s.place - known.place), default=None)
            if again is None and known.partly(seen.tiles):
                continue
            known.looked += 1
            if again is None:
                known.missing += 1
                continue
            free.remove(again)
            _vote_set(known, again, time_s)
        for fresh in free:
            self._sets.append(_Set(seat, fresh.place, time_s))
            _vote_set(self._sets[-1], fresh, time_s)
        # Seen once and then no more: it was none.
        self._sets = [s for s in self._sets if s.counts or s.missing < _GONE]

    def _see_flowers(self, seat: int, flowers: Sequence[str], time_s: float) -> None:
        for code in flowers:
            whose, times, first = self._flowers.get(code, (seat, 0, time_s))
            self._flowers[code] = (whose, times + 1, first) if whose == seat or times > 1 else (seat, 1, time_s)

    def _link(self) -> None:
        """Find the discard that each new set was made with: the latest that has left the middle and fits."""
        for laid in self._sets:
            if not laid.counts or laid.took is not None or laid.looked > _CONFIRM + 2:
                continue
            kind, tiles = laid.read
            if kind == "kong_concealed":
                continue
            gone = [t for t in self._pool if t.missing and not t.claimed and t.code in tiles]
            latest = max(gone, key=lambda t: t.first_s, default=None)
            newer = [t for t in self._pool if latest and t.counts and t.first_s > latest.first_s and t.lies_there]
            # What was taken was the last tile thrown; since then the taker alone may have thrown one.
            if latest is not None and sum(t.first_s < laid.first_s for t in newer) <= 1:
                latest.claimed = True
                laid.took = latest

    def known(self, seat: int) -> tuple[KnownSet, ...] | None:
        """The sets that lay open before a player as the looks show them, nothing of it from how a winner's hand was
        read; None where nobody looked while that player's hand was hidden."""
        if self._looked.get(seat, 0) < _CONFIRM:
            return None
        return tuple(_known(laid) for laid in self._sets if laid.seat == seat and laid.times >= _CONFIRM)

    @property
    def unsettled(self) -> bool:
        """Whether one more look at the middle would tell something: the table may have been cleared."""
        return self._empty > 0

    def unsettled_at(self, seat: int) -> bool:
        """Whether one more look at a seat would tell something: a set there was seen only once."""
        mine = [s for s in self._sets if s.seat == seat]
        return any(s.times + s.missing < _CONFIRM or (s.grown == 1 and not s.missing) for s in mine)

    def _settle(self, hand: Sequence[str] = ()) -> None:
        """Hold everything that lies there together: no tile is there more than four times."""
        lying = [t for t in self._pool if t.counts and not t.claimed]
        sets = [s for s in self._sets if s.counts]
        tiles = [sorted(t.chances.items(), key=lambda each: -each[1])[:_KEPT] for t in lying]
        readings = [s.readings() for s in sets]
        groups: list[Readings] = [[((code,), p) for code, p in odds] for odds in tiles]
        groups += [[(read[1], p) for read, p in odds] for odds in readings]
        groups += [[((code,), 1.0)] for code in hand]
        chosen = settle(groups)
        for thrown, odds, n in zip(lying, tiles, chosen[: len(lying)], strict=True):
            thrown.settled = odds[n][0]
        for laid, options, n in zip(sets, readings, chosen[len(lying) : len(lying) + len(sets)], strict=True):
            laid.settled = options[n][0]
            if laid.took is not None:
                held, fits = laid.settled[1], laid.took.chances
                laid.took.settled = max(dict.fromkeys(held), key=lambda code: fits.get(code, 0.0))

    def _cleared(self) -> list[LogEntry] | None:
        known = sum(t.counts for t in self._pool) + 3 * len(self._sets)
        shown = self._middle + sum(3 * len(seen.sets) for seen in self._open.values())
        self._empty = self._empty + 1 if shown < _CLEARED <= known else 0
        if self._empty < _CONFIRM:
            return None
        played = self.entries()
        self._forget()
        return played

    # -- what it means ----------------------------------------------------------------------------------------

    def entries(self) -> list[LogEntry]:
        """The hand so far, in the order it was first seen."""
        thrown = self._discards()
        seats = self._seats(thrown)
        of = {id(t): seat for t, seat in zip(thrown, seats, strict=True)}
        found = [
            LogEntry("discard", seat, (t.code,), t.first_s, sure * t.sureness)
            for t, (seat, sure) in zip(thrown, seats, strict=True)
        ]
        for laid in self._sets:
            if laid.counts:
                found += _entries_of(laid, of.get(id(laid.took)))
        found += [
            LogEntry("flower", seat, (code,), first, 0.95 if times > _CONFIRM else 0.9)
            for code, (seat, times, first) in self._flowers.items()
            if times >= _CONFIRM
        ]
        return sorted(found, key=lambda entry: (entry.time_s, entry.kind == "discard"))

    def _discards(self) -> list[_Thrown]:
        return sorted((t for t in self._pool if t.counts), key=lambda t: t.first_s)

    def _seats(self, thrown: Sequence[_Thrown]) -> list[tuple[int, float]]:
        """Who threw each of these tiles, and how sure that is."""
        claims = []
        for laid in self._sets:
            kind = _kind(laid)
            if laid.counts and kind in _FROM_DISCARD:
                took = next((n for n, t in enumerate(thrown) if t is laid.took), None)
                claims.append(Claim(laid.seat, laid.first_s, kind == "chow", took))
        turns = [Turn(t.first_s, tuple(t.lies.get(s, 0.0) / t.times for s in SEATS)) for t in thrown]
        seats, self._tidy = discarders(turns, claims, self._tidy)
        return seats

    def won(self, seat: int, sets: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        """The whole hand of `seat` was read with the rules in mind, its `sets` (kind, tiles) among it: of what those
        before it may be, they are this."""
        left = [(kind, tuple(sorted(tiles))) for kind, tiles in sets if kind in ("chow", "pung")]
        unread = []
        for laid in (s for s in self._sets if s.seat == seat and s.counts):
            if laid.read in left:
                left.remove(laid.read)
            else:
                unread.append(laid)
        for laid in unread:
            read = max(left, key=lambda each: laid.votes.get(each, 0.0), default=None)
            if read is not None and laid.votes.get(read):
                laid.told = read
                left.remove(read)
        self._settle()

    def facts(self, seat: int, win_tile: str | None) -> WinFacts:
        """What was seen of a win of `seat`, whose hand now lies open."""
        facts = self._how_won(seat, win_tile) if win_tile is not None else WinFacts()
        return replace(facts, kongs=tuple(self._kongs(seat)))

    def _kongs(self, seat: int) -> Iterator[tuple[str, str, float]]:
        for laid in self._sets:
            kind, tiles = _kind(laid), laid.read[1]
            if laid.counts and laid.seat == seat and len(tiles) == 4 and tiles[0] != "back":
                # That nobody's discard went with it may have been overlooked.
                yield tiles[0], kind, laid.sureness * (_NO_CLAIM_SEEN if kind == "kong_concealed" else _CLAIM_SEEN)

    def _how_won(self, seat: int, win_tile: str) -> WinFacts:
        last = max(self._pool, key=lambda t: t.first_s, default=None)
        if last is None:
            return WinFacts()
        thrown = sorted({id(t): t for t in [*self._discards(), last]}.values(), key=lambda t: t.first_s)
        giver, sure = self._seats(thrown)[-1]
        latest_set = max((s for s in self._sets if s.counts), key=_moment, default=None)
        after_set = latest_set is not None and _moment(latest_set) > last.first_s
        if not last.lies_there and not last.claimed and last.code == win_tile and giver != seat:
            last.won = True
            sure *= last.sureness * _SELDOM
            return WinFacts((False, sure), (giver, sure), (False, sure), self._last_tile(0))
        if not last.lies_there or not last.counts:
            return WinFacts()
        own_kong = after_set and latest_set is not None and latest_set.seat == seat and len(latest_set.read[1]) == 4
        turn = own_kong or (not after_set and giver == (seat - 1) % 4)
        # A tile that still lies there was not won by: the winner drew, if the turn was theirs.
        drew = _SELDOM * sure * last.sureness if turn else 0.6
        return WinFacts((True, drew), None, (own_kong, drew if not own_kong else 0.9 * drew), self._last_tile(1))

    def _last_tile(self, drawn: int) -> tuple[bool, float]:
        """Whether the wall was used up, from everything that has left it."""
        kongs = sum(s.counts and len(s.read[1]) == 4 for s in self._sets)
        lying = sum(t.counts and t.lies_there for t in self._pool)
        flowers = sum(times >= _CONFIRM for _, times, _ in self._flowers.values())
        left = _ALL - 4 * _HELD - kongs - flowers - lying - drawn
        return (False, 0.99) if left > _DEAD + _NEAR_END else (left <= _DEAD, 0.6)


def _kind(laid: _Set) -> str:
    kind = laid.read[0]
    if kind != "kong":
        return kind
    if laid.grown_s is not None:
        return "kong_added"
    return "kong_exposed" if laid.took is not None else "kong_concealed"


def _known(laid: _Set) -> KnownSet:
    """What the looks at a set show, its kind as far as play tells."""
    faces: dict[tuple[str, ...], float] = {}
    for (_, codes), votes in laid.votes.items():
        faces[codes[:3]] = faces.get(codes[:3], 0.0) + votes
    shown = max(faces, key=lambda codes: faces[codes])
    mine = {read: votes for read, votes in laid.votes.items() if read[1][:3] == shown}
    total, four = faces[shown], sum(votes for (_, codes), votes in mine.items() if len(codes) == 4)
    down = sum(votes for (kind, _), votes in mine.items() if kind == "kong_concealed")
    # One look more or less tells whether it was there at all.
    there = (laid.times + _ONE_LOOK) / (laid.looked + 1 + _ONE_LOOK + _OVERLOOKED)
    sure = there * _GONE_BY**laid.missing * total / sum(laid.votes.values())
    if four <= total / 2:
        kind, tiles = max(mine, key=lambda read: mine[read] * (len(read[1]) == 3))
        return KnownSet(kind, tiles, laid.place, sure, 1.0 - four / total)
    tiles = (*shown, shown[0])
    if laid.grown_s is not None and laid.grown >= _CONFIRM:
        plain = min(laid.flat, laid.four)
        return KnownSet("kong_added", tiles, laid.place, sure, _GREW if plain > _CLEAR else plain, _SELDOM)
    if down > four / 2:
        return KnownSet("kong_concealed", tiles, laid.place, sure * (_BACKS if shown[0] == "back" else 1.0))
    if laid.took is not None:
        return KnownSet("kong_exposed", tiles, laid.place, sure, four / total, _CLAIM_SEEN)
    return KnownSet("kong_concealed", tiles, laid.place, sure, four / total, _NO_CLAIM_SEEN)


def _threes(laid: _Set) -> float:
    """The share of the votes for three tiles."""
    three = sum(votes for (_, codes), votes in laid.votes.items() if len(codes) == 3)
    return three / max(sum(laid.votes.values()), 1e-9)


def _moment(laid: _Set) -> float:
    return laid.first_s if laid.grown_s is None else laid.grown_s


def _entries_of(laid: _Set, giver: tuple[int, float] | None) -> list[LogEntry]:
    """A set as it was made, and as it grew."""
    kind, tiles = _kind(laid), laid.read[1]
    source, sure = giver if giver is not None else (None, 0.5)
    if kind == "kong_concealed":
        return [LogEntry(kind, laid.seat, tiles, laid.first_s, laid.sureness * 0.9)]
    if source is None and kind == "chow":
        source, sure = (laid.seat - 1) % 4, 0.9  # only the discard of the player before may be taken for a chow
    if laid.grown_s is None:
        return [LogEntry(kind, laid.seat, tiles, laid.first_s, laid.sureness * sure, source)]
    return [
        LogEntry("pung", laid.seat, tiles[:3], laid.first_s, laid.sureness * sure, source),
        LogEntry("kong_added", laid.seat, tiles, laid.grown_s, laid.sureness),
    ]


def _vote(seen: _Thrown, discard: Discard) -> None:
    seen.place = discard.place
    seen.missing = 0
    seen.times += 1
    for seat, share in _lies_before(discard).items():
        seen.lies[seat] = seen.lies.get(seat, 0.0) + share
    for code, p in _odds(discard.tile):
        seen.codes[code] = seen.codes.get(code, 0.0) + p


def _lies_before(discard: Discard) -> dict[int, float]:
    """Whose pool a tile lies in: told by how it stands and by where it lies, half each where they differ. One that
    looks alike upside down does not tell its player from the one opposite."""
    stands, near = discard.seat, nearest_seat(np.array(discard.place))[0]
    if discard.tile.code in TURNABLE and abs(stands - near) == 2:
        stands = near
    return {stands: 1.0} if stands == near else {stands: 0.5, near: 0.5}


def _vote_set(known: _Set, seen: LaidSet, time_s: float) -> None:
    known.place = seen.place
    known.missing = 0
    known.times += 1
    if seen.kind == "kong" and known.counts and known.votes and known.read[0] == "pung":
        # A fourth tile beside or on a pung that lay there: it is asked for twice, like everything.
        known.grown += 1
        if known.grown == 1:
            known.grown_s, known.flat, known.four = time_s, _threes(known), 1.0
        three = sum(sure for kind, codes, sure in seen.others if (kind, codes[0]) == ("pung", seen.tiles[0]))
        known.four = min(known.four, seen.confidence / (seen.confidence + three))
        if known.grown >= _CONFIRM:
            known.votes = {("kong", seen.tiles): sum(known.votes.values())}
        return
    if known.grown < _CONFIRM:
        known.grown, known.grown_s = 0, None
    for kind, tiles, sure in ((seen.kind, seen.tiles, seen.confidence), *seen.others):
        known.votes[(kind, tiles)] = known.votes.get((kind, tiles), 0.0) + sure


def _odds(tile: TileObservation) -> tuple[tuple[str, float], ...]:
    return tile.alternatives or ((tile.code, tile.confidence),)


def _distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)
