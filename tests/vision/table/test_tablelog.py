"""The log of a played hand, from what a perfect eye would see of every moment."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import lru_cache

import pytest

from vision.observation import TileObservation
from vision.table_reader import Discard
from vision.tablelog import LogEntry, TableLog, WinFacts
from vision.tablemelds import LaidOpen, LaidSet
from vision.training.render.play import Step, play_match
from vision.training.render.styles import Body
from vision.training.render.tabletop import TableLayout, place_table

BODY = Body(26.0, 35.0, 19.0, 2.3, 0.38, (214, 234, 244), (84, 110, 30), 0.35, 0.92)
CLAIMS = ("chow", "pung", "kong_exposed")


@lru_cache
def match_of(seed: int) -> tuple[Step, ...]:
    return tuple(play_match(seed, 1))


def tile(code: str, wrong: str = "9m", p: float = 0.95) -> TileObservation:
    wrong = wrong if wrong != code else "8m"
    return TileObservation(code, (0, 0, 1, 1), p, ((code, p), (wrong, 1 - p)))


@dataclass
class Played:
    """A hand shown to a log. `messy`: tiles are thrown into the middle; `miss`: share of sightings that fail."""

    seed: int
    messy: bool = False
    miss: float = 0.0
    views: int = 2
    log: TableLog = field(default_factory=TableLog)
    steps: list[Step] = field(default_factory=list)
    entries: list[LogEntry] = field(default_factory=list)
    facts: WinFacts | None = None
    cleared: int = 0

    def __post_init__(self) -> None:
        layout = TableLayout(seed=self.seed, messy=self.messy)
        rng = random.Random(self.seed)
        clock = 0.0
        for step in match_of(self.seed):
            self.steps.append(step)
            looks, enough = 0, max(self.views, 2 if step.win else 1)
            while looks < enough or self.log.unsettled or any(self.log.unsettled_at(seat) for seat in range(4)):
                looks += 1
                played = self.log.add(self._discards(step, layout, rng), laid_of(step), clock)
                if played is not None:
                    self.cleared += 1
                    self.entries = played
                clock += 0.25
            if step.win is not None:
                self.facts = self.log.facts(step.win.seat, step.win.tile)

    def _discards(self, step: Step, layout: TableLayout, rng: random.Random) -> list[Discard]:
        discards = []
        for t in place_table(step.table, layout, BODY):
            if t.role != "discard" or rng.random() < self.miss:
                continue
            place = (0.5 + t.x / 900 + rng.gauss(0, 0.001), 0.5 - t.y / 900 + rng.gauss(0, 0.001))
            seat = rng.randrange(4) if layout.messy else t.seat
            discards.append(Discard(tile(t.code), seat, place))
        return discards

    def read(self, *kinds: str) -> list[LogEntry]:
        return [entry for entry in self.entries if entry.kind in kinds]


def laid_of(step: Step) -> dict[int, LaidOpen]:
    laid = {}
    for number, seat in enumerate(step.table.seats):
        sets = []
        for place, (kind, codes) in enumerate(seat.melds):
            shown = "kong" if kind in ("kong_exposed", "kong_added") else kind
            sets.append(LaidSet(shown, tuple(codes), 0.9 - 0.11 * place, 0.98))
        laid[number] = LaidOpen(tuple(sets), tuple(seat.flowers))
    return laid


def discards_of(steps: list[Step]) -> list[tuple[int, str]]:
    return [(s.event.seat, str(s.event.tile)) for s in steps if s.event.kind == "discard"]


@pytest.mark.parametrize("seed", [3, 4, 8])
@pytest.mark.parametrize("views", [1, 2])
def test_discards_in_order_with_their_seats(seed: int, views: int) -> None:
    played = Played(seed, views=views)
    truth = discards_of(played.steps)
    assert [(e.seat, e.tiles[0]) for e in played.read("discard")] == truth
    assert all(e.confidence > 0.9 for e in played.read("discard"))
    assert played.cleared == 1


@pytest.mark.parametrize("seed", [3, 4])
def test_tiles_thrown_into_a_heap_follow_the_turns(seed: int) -> None:
    played = Played(seed, messy=True)
    truth = discards_of(played.steps)
    got = [(e.seat, e.tiles[0]) for e in played.read("discard")]
    assert [code for _, code in got] == [code for _, code in truth]
    # Until the first claim nothing tells at such a table who began.
    assert sum(a == b for a, b in zip(got, truth, strict=True)) >= 0.85 * len(truth)
    sure = [a == b for a, b, e in zip(got, truth, played.read("discard"), strict=True) if e.confidence > 0.9]
    assert sure
    assert sum(sure) >= 0.95 * len(sure)


def test_claims_and_from_whom() -> None:
    wanted = found = 0
    for seed in (3, 4, 5, 8):
        played = Played(seed)
        claims = [s.event for s in played.steps if s.event.kind in CLAIMS]
        entries = played.read(*CLAIMS)
        assert [(c.kind, c.seat, c.source) for c in claims] == [(e.kind, e.seat, e.source) for e in entries]
        assert all(c.tile in e.tiles for c, e in zip(claims, entries, strict=True))
        wanted += len(claims)
        found += len(entries)
    assert found == wanted >= 10


def test_a_kong_is_of_the_kind_it_was_seen_to_become() -> None:
    kinds = ("kong_exposed", "kong_added", "kong_concealed")
    seen = []
    for seed in (1, 2, 6, 10):
        played = Played(seed)
        truth = [(s.event.kind, s.event.seat) for s in played.steps if s.event.kind in kinds]
        got = [(e.kind, e.seat) for e in played.read(*kinds)]
        assert got == truth
        seen += truth
    log = TableLog()
    for number, sets in enumerate([(), ("pung",), ("pung",), ("kong",), ("kong",)]):
        laid = tuple(LaidSet(kind, ("5p",) * (4 if kind == "kong" else 3), 0.8, 0.99) for kind in sets)
        thrown = [Discard(tile("5p"), 0, (0.5, 0.6))] if number == 0 else []
        log.add(thrown, {1: LaidOpen(laid)}, float(number))
    assert [e.kind for e in log.entries()] == ["discard", "pung", "kong_added"]
    assert log.facts(1, "9s").kongs[0][:2] == ("5p", "kong_added")


def test_tiles_overlooked_now_and_then_change_nothing() -> None:
    played = Played(4, miss=0.04, views=3)
    assert [e.tiles[0] for e in played.read("discard")] == [code for _, code in discards_of(played.steps)]


def test_a_misread_moment_is_outvoted() -> None:
    log = TableLog()
    for number, (code, p) in enumerate((("2p", 0.6), ("1p", 0.9), ("1p", 0.9), ("1p", 0.8))):
        log.add([Discard(tile(code, "1p" if code != "1p" else "2p", p), 0, (0.5, 0.6))], {}, float(number))
    (entry,) = log.entries()
    assert entry.tiles == ("1p",)
    assert entry.confidence < 0.98


def test_another_tile_at_the_same_place_is_another_discard() -> None:
    """A discard is taken for a pung; the next one of that player comes to lie where it lay."""
    log = TableLog()
    for number, code in enumerate(["E", "E", "3s", "3s"]):
        laid = {1: LaidOpen((LaidSet("pung", ("E",) * 3, 0.8, 0.99),) if number > 1 else ())}
        log.add([Discard(tile(code), 0, (0.5, 0.6))], laid, float(number))
    assert [(e.kind, e.tiles[0]) for e in log.entries()] == [("discard", "E"), ("pung", "E"), ("discard", "3s")]
    assert log.entries()[1].source == 0


def test_a_white_dragon_upside_down_is_not_the_opposite_players() -> None:
    """It looks alike both ways up: where it lies says whose it is, also before the turns say anything."""
    log = TableLog()
    far, left = (0.5, 0.36), (0.36, 0.5)
    log.add([Discard(tile("P"), 0, far)], {}, 0.0)
    log.add([Discard(tile("P"), 0, far), Discard(tile("F"), 3, left)], {}, 1.0)
    assert [(e.seat, e.tiles[0]) for e in log.entries()] == [(2, "P"), (3, "F")]
    turned = TableLog()
    turned.add([Discard(tile("F"), 2, (0.5, 0.36))], {}, 0.0)
    assert turned.entries()[0].confidence > 0.7


def test_a_winners_open_hand_tells_what_a_doubtful_discard_cannot_be() -> None:
    log = TableLog()
    doubtful = TileObservation("3m", (0, 0, 1, 1), 0.5, (("3m", 0.55), ("2m", 0.45)))
    thrown = [Discard(doubtful, 0, (0.5, 0.6)), Discard(tile("3m", "7m"), 1, (0.65, 0.5))]
    for moment in (0.0, 1.0):
        log.add(thrown, {}, moment)
    assert {e.tiles[0] for e in log.entries()} == {"3m"}
    log.add(thrown, {}, 2.0, hand=("3m", "3m", "3m", "5p", "5p"))
    assert [e.tiles[0] for e in log.entries()] == ["2m", "3m"]


def test_a_winners_hand_read_as_a_whole_names_its_sets_and_what_was_claimed() -> None:
    log = TableLog()
    doubtful = TileObservation("3m", (0, 0, 1, 1), 0.5, (("3m", 0.55), ("2m", 0.45)))
    pung = LaidSet("pung", ("3m",) * 3, 0.8, 0.6, (("pung", ("2m",) * 3, 0.35),))
    log.add([Discard(doubtful, 0, (0.5, 0.6))], {}, 0.0)
    for moment in (1.0, 2.0):
        log.add([], {1: LaidOpen((pung,))}, moment)
    assert [e.tiles[0] for e in log.entries()] == ["3m", "3m"]
    log.won(1, [("pung", ("2m",) * 3), ("chow", ("5p", "6p", "7p"))])
    assert [(e.kind, e.tiles[0], e.source) for e in log.entries()] == [("discard", "2m", None), ("pung", "2m", 0)]
    log.won(1, [("pung", ("9s",) * 3)])
    assert log.entries()[1].tiles[0] == "2m", "what it cannot be is not believed"


def test_a_set_that_flickers_once_is_none() -> None:
    log = TableLog()
    log.add([], {2: LaidOpen((LaidSet("chow", ("1m", "2m", "3m"), 0.5, 0.6),))}, 0.0)
    for number in range(3):
        log.add([], {2: LaidOpen()}, 1.0 + number)
    assert log.entries() == []


def test_clearing_the_table_begins_anew() -> None:
    played = Played(5)
    assert played.log.entries() == []
    assert played.log.add([], {seat: LaidOpen() for seat in range(4)}, 1e3) is None


def test_how_a_hand_was_won() -> None:
    drawn = thrown = 0
    for seed in (1, 2, 3, 5, 6, 7, 8, 10):
        played = Played(seed)
        win = next((s.win for s in played.steps if s.win), None)
        if win is None:
            continue
        facts = played.facts
        assert facts is not None
        assert facts.self_draw is not None
        assert facts.self_draw[0] is (win.source is None), seed
        assert facts.self_draw[1] > 0.9
        if win.source is None:
            drawn += 1
            assert facts.discarder is None
        else:
            thrown += 1
            assert facts.discarder is not None
            assert facts.discarder[0] == win.source
            assert 0.9 < facts.discarder[1] < 1
        assert facts.last_tile is not None
        assert facts.last_tile[0] is win.last_tile or facts.last_tile[1] < 0.9
    assert thrown >= 3


def test_what_was_not_seen_is_not_said() -> None:
    log = TableLog()
    assert log.facts(0, "5p") == WinFacts()
    assert log.facts(0, None) == WinFacts()
    log.add([Discard(tile("5p", p=1.0), 1, (0.7, 0.5))], {}, 0.0)
    log.add([], {}, 1.0)
    mine = log.facts(1, "5p")
    assert mine.discarder is None, "nobody wins by their own discard"
    other = log.facts(3, "6p")
    assert other.self_draw is None, "the last discard has gone and is not what was won by"


def pung_of(code: str, p: float = 0.99) -> LaidSet:
    return LaidSet("pung", (code,) * 3, 0.8, p)


def kong_of(code: str, kind: str = "kong", p: float = 0.99) -> LaidSet:
    return LaidSet(kind, (code,) * 4, 0.8, p)


def shown(*looks: LaidSet, thrown: str = "") -> TableLog:
    """A log of looks at a set before seat 1; a tile `thrown` before is gone when it lies there."""
    log = TableLog()
    lying = [Discard(tile(code), 2, (0.4 + 0.05 * n, 0.4)) for n, code in enumerate("ESWN")]
    for number in range(2):
        taken = [Discard(tile(thrown), 0, (0.5, 0.6))] if thrown else []
        log.add([*lying, *taken], {1: LaidOpen()}, float(number))
    for number, look in enumerate(looks):
        log.add(lying, {1: LaidOpen((look,))}, 2.0 + number)
    return log


def test_what_is_known_of_a_seat() -> None:
    assert TableLog().known(1) is None, "nobody looked"
    assert shown().known(1) == ()
    assert shown(pung_of("5p")).known(1) == (), "one look is none"
    (pung,) = shown(*[pung_of("5p")] * 3).known(1) or ()
    assert (pung.kind, pung.tiles, pung.place) == ("pung", ("5p",) * 3, 0.8)
    assert 0.9 < pung.confidence < 1
    (often,) = shown(*[pung_of("5p")] * 9).known(1) or ()
    assert often.confidence > pung.confidence
    (doubtful,) = shown(*[LaidSet("pung", ("5p",) * 3, 0.8, 0.6, (("pung", ("6p",) * 3, 0.38),))] * 3).known(1) or ()
    assert doubtful.confidence < 0.7


def test_the_kind_of_a_known_kong() -> None:
    (claimed,) = shown(*[kong_of("5p")] * 3, thrown="5p").known(1) or ()
    assert (claimed.kind, claimed.sure_kind >= 0.9) == ("kong_exposed", True)
    (unclaimed,) = shown(*[kong_of("5p")] * 3).known(1) or ()
    assert (unclaimed.kind, unclaimed.sure_kind < 0.9) == ("kong_concealed", True)
    (down,) = shown(*[kong_of("5p", "kong_concealed")] * 3).known(1) or ()
    assert (down.kind, down.sure_kind) == ("kong_concealed", 1.0)
    (grown,) = shown(*[pung_of("5p")] * 3, *[kong_of("5p")] * 2, thrown="5p").known(1) or ()
    assert (grown.kind, grown.tiles, grown.sure_size >= 0.98) == ("kong_added", ("5p",) * 4, True)


def test_a_pung_that_seems_to_have_grown_is_not_surely_a_kong() -> None:
    """Its tiles lie as before; how neatly the player lays others made it look otherwise."""
    seems = LaidSet("kong", ("5p",) * 4, 0.8, 0.67, (("pung", ("5p",) * 3, 0.32),))
    (kong,) = shown(*[pung_of("5p")] * 3, *[seems] * 3, thrown="5p").known(1) or ()
    assert kong.sure_size < 0.7


def test_three_tiles_of_which_one_may_lie_on_a_fourth_are_not_surely_three() -> None:
    look = LaidSet("pung", ("5p",) * 3, 0.8, 0.7, (("kong", ("5p",) * 4, 0.28),))
    (pung,) = shown(*[look] * 4).known(1) or ()
    assert pung.kind == "pung"
    assert pung.confidence > 0.9, "that it lies there, and of which tile, is sure"
    assert pung.sure_size == pytest.approx(0.7 / 0.98)


def test_a_set_that_is_partly_covered_is_not_less_known() -> None:
    log = shown(*[pung_of("5p")] * 3)
    before = log.known(1)
    for number in range(4):
        log.add(None, {1: LaidOpen((), (), (("5p", 0.79), ("5p", 0.81)))}, 9.0 + number)
    assert log.known(1) == before
    for number in range(4):
        log.add(None, {1: LaidOpen()}, 19.0 + number)
    (gone,) = log.known(1) or ()
    assert gone.confidence < 0.2


def test_how_a_winners_hand_was_read_is_not_what_lay_there_before() -> None:
    look = LaidSet("pung", ("3m",) * 3, 0.8, 0.6, (("pung", ("2m",) * 3, 0.35),))
    log = shown(*[look] * 3)
    before = log.known(1)
    log.won(1, [("pung", ("2m",) * 3)])
    assert [e.tiles[0] for e in log.entries() if e.kind == "pung"] == ["2m"]
    assert log.known(1) == before
