"""The running appliance over a calibrated table: looks are voted, a hand is offered once, a moved camera is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count as count_from

import cv2
import numpy as np
import pytest

from scoring.tiles import KINDS
from taicam.facts import Facts, Seen
from taicam.table_watch import TableWatcher
from taicam.watch import Look
from vision.observation import ACCEPTED, CONFIRM, MeldReading, TableReading, TileObservation
from vision.reader import HandReader
from vision.table import TableCalibration
from vision.table_bump import BumpWatch
from vision.table_reader import TableReader
from vision.tablelog import WinFacts

SIZE = (1200, 1200)
CORNERS = ((100.0, 100.0), (1100.0, 100.0), (1100.0, 1100.0), (100.0, 1100.0))
HAND = ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p", "2p", "3p", "4s", "5s", "6s", "C", "C"]
TILE = 31  # pixels wide
LEFT, TOP = 162, 262  # of the hand, in its player's zone
ZONE_AT = (60, 790)  # where that zone's corner lies in the camera's picture
POOL = ((500, 620), (700, 520), (560, 420), (420, 560))  # before seats 0 to 3, camera pixels
CLOCK = count_from(0)  # seconds
MIDDLE_AT = (300, 300)  # where the middle's zone begins


def place_of(number: int) -> int:
    """Left edge of a tile of the hand; the last one lies apart."""
    return LEFT + round(number * 1.01 * TILE) + (28 if number == len(HAND) - 1 else 0)


def room(seed: int = 3) -> np.ndarray:
    """A table with things about it that do not move."""
    rng = np.random.default_rng(seed)
    image = np.full((SIZE[1], SIZE[0], 3), 70, np.uint8)
    for _ in range(300):
        x, y = (int(v) for v in rng.integers(0, 1200, 2))
        cv2.circle(image, (x, y), int(rng.integers(3, 11)), tuple(int(v) for v in rng.integers(0, 200, 3)), -1)
    return image


def _tile(image: np.ndarray, x: int, y: int) -> None:
    """A white tile with something printed on it."""
    cv2.rectangle(image, (x, y), (x + TILE, y + 42), (250, 250, 250), -1)
    for at in range(6, 38, 4):
        cv2.line(image, (x + 3, y + at), (x + 9, y + at), (60, 40, 30), 1)
        cv2.line(image, (x + 21, y + at), (x + 28, y + at), (60, 40, 30), 1)


def with_hand(image: np.ndarray, count: int = len(HAND)) -> np.ndarray:
    """The first `count` tiles of the hand laid open before seat 0."""
    out = image.copy()
    for number in range(count):
        _tile(out, place_of(number) + ZONE_AT[0], TOP + ZONE_AT[1])
    return out


def with_discards(image: np.ndarray, *seats: int) -> np.ndarray:
    """A tile thrown by each of these seats."""
    out = image.copy()
    for seat in seats:
        _tile(out, *POOL[seat])
    return out


class Eyes:
    """Finds white tiles where they are drawn; `slips` are what the next looks at the hand take its first tile for."""

    def __init__(self) -> None:
        self.slips: list[tuple[str, float]] = []
        self.asked = 0
        self.thrown = {0: "N", 1: "W", 2: "S", 3: "C"}

    def detect(self, image: np.ndarray, look: int = 0) -> Sequence[TileObservation]:
        self.asked += 1
        height, width = image.shape[:2]
        return list(self._middle(image) if abs(width - height) < 9 else self._hand(image))

    def _middle(self, image: np.ndarray) -> list[TileObservation]:
        found = []
        for seat, (x, y) in enumerate(POOL):
            x1, y1 = x - MIDDLE_AT[0], y - MIDDLE_AT[1]
            if image[y1 + 20, x1 + 15].min() > 240:
                code = self.thrown[seat]
                found.append(TileObservation(code, (x1, y1, x1 + TILE, y1 + 42), 0.99, ((code, 0.999),)))
        return found

    def _hand(self, image: np.ndarray) -> list[TileObservation]:
        there = [n for n in range(len(HAND)) if image[TOP + 20, place_of(n) + 15].min() > 240]
        slip = self.slips.pop(0) if self.slips and 0 in there else None
        out = []
        for number in there:
            code, x = HAND[number], float(place_of(number))
            odds = ((code, 0.999), (KINDS[(KINDS.index(code) + 1) % 27], 0.001))
            if slip and number == 0:
                odds = ((slip[0], slip[1]), (code, 1 - slip[1]))
            out.append(TileObservation(odds[0][0], (x, TOP, x + TILE, TOP + 42), 0.99, odds, 0.0))
        return out


@pytest.fixture
def eyes() -> Eyes:
    return Eyes()


def watcher(eyes: Eyes, reference: np.ndarray | None = None) -> TableWatcher:
    calibration = TableCalibration("cam", SIZE, CORNERS)
    bump = None if reference is None else BumpWatch(calibration, reference)
    return TableWatcher(TableReader(HandReader(eyes), calibration, bump), calibration)


def looks(table: TableWatcher, image: np.ndarray, count: int = 7) -> list[Look]:
    return [table.look(image, float(next(CLOCK))) for _ in range(count)]


def offers(seen: list[Look]) -> list[Look]:
    return [look for look in seen if look.offer is not None]


def test_a_hand_is_offered_once_with_its_seat(eyes: Eyes) -> None:
    table, image = watcher(eyes), room()
    assert offers(looks(table, image)) == []
    (offer,) = offers(looks(table, with_hand(image), 12))
    assert offer.seat == 0
    assert offer.offer is not None
    assert sorted(offer.offer.concealed) == sorted(HAND)
    assert offer.offer.status == ACCEPTED


def test_a_whole_hand_that_does_not_win_as_read_is_asked_about(eyes: Eyes) -> None:
    """A tile surely misread must not make a win vanish; it is offered once, and never accepted."""
    table, image = watcher(eyes), room()
    looks(table, image)
    eyes.slips = [("9m", 1.0)] * 40
    (offer,) = offers(looks(table, with_hand(image), 14))
    assert offer.seat == 0
    assert offer.offer is not None
    assert (offer.offer.status, offer.offer.wins) == (CONFIRM, False)
    (doubt,) = [doubt for doubt in offer.offer.doubts if doubt.kind == "not_winning"]
    assert "does not win" in doubt.message_en
    assert "沒有和" in doubt.message_zh
    assert [look for look in looks(table, image, 8) if look.cleared], "and is gone with the tiles"


def test_a_hand_the_camera_sees_being_played_is_not_offered_when_it_draws(eyes: Eyes) -> None:
    table, image = watcher(eyes), room()
    assert offers(looks(table, with_hand(image, 12), 8)) == [], "it is dealt by fours"
    eyes.slips = [("9m", 1.0)] * 90
    for _ in range(3):
        assert offers(looks(table, with_hand(image, 16), 8)) == []
        assert offers(looks(table, with_hand(image), 12)) == []
    eyes.slips = []
    assert offers(looks(table, with_hand(image, 16), 8)) == []
    (offer,) = offers(looks(table, with_hand(image), 12))
    assert offer.offer is not None
    assert offer.offer.wins


def test_a_hand_laid_open_at_once_without_its_winning_tile_is_asked_about(eyes: Eyes) -> None:
    table, image = watcher(eyes), room()
    looks(table, image)
    (offer,) = offers(looks(table, with_hand(image, 16), 14))
    assert offer.seat == 0
    assert offer.offer is not None
    assert offer.offer.status == CONFIRM
    assert [doubt.kind for doubt in offer.offer.doubts if doubt.kind == "waiting"] == ["waiting"]


def test_a_view_that_has_not_changed_is_not_looked_at_again(eyes: Eyes) -> None:
    table, image = watcher(eyes), room()
    looks(table, image)
    empty = eyes.asked
    assert empty == 5  # every zone once
    looks(table, image, 20)
    assert eyes.asked == empty
    looks(table, with_discards(image, 0))
    assert eyes.asked == empty + 1  # a tile in the middle is looked for there alone
    laid = with_hand(with_discards(image, 0))
    looks(table, laid, 10)
    settled = eyes.asked
    looks(table, laid, 20)
    assert eyes.asked == settled


def test_a_tile_that_slips_in_one_look_is_outvoted(eyes: Eyes) -> None:
    eyes.slips = [("1m", 0.999), ("4m", 0.7), ("1m", 0.999), ("1m", 0.999)]
    found = offers(looks(watcher(eyes), with_hand(room()), 12))
    assert found[-1].offer is not None
    assert sorted(found[-1].offer.concealed) == sorted(HAND)


def test_a_hand_covered_for_a_while_is_not_offered_again(eyes: Eyes) -> None:
    """A napkin, or an arm that rests there: the hand is still the one that was offered."""
    table, image = watcher(eyes), room()
    assert len(offers(looks(table, with_hand(image), 8))) == 1
    covered = looks(table, with_hand(image, 9), 8)
    assert not any(look.cleared for look in covered)
    assert offers(looks(table, with_hand(image), 8)) == []


def test_the_next_hand_is_offered_after_the_table_was_cleared(eyes: Eyes) -> None:
    table, image = watcher(eyes), room()
    first = offers(looks(table, with_hand(image)))
    cleared = [look for look in looks(table, image) if look.cleared]
    again = offers(looks(table, with_hand(image)))
    assert (len(first), len(cleared), len(again)) == (1, 1, 1)


def test_a_moved_camera_is_said_and_nothing_is_accepted_through_it(eyes: Eyes) -> None:
    image = room()
    (offer,) = offers(looks(watcher(eyes, image), with_hand(image)))
    assert offer.offer is not None
    assert offer.offer.status == ACCEPTED
    moved = cv2.warpAffine(room(), np.array([[1, 0, 40], [0, 1, 16]], np.float32), SIZE, borderMode=cv2.BORDER_REFLECT)
    seen = [look for look in looks(watcher(eyes, image), with_hand(moved)) if look.seen is not None]
    assert seen
    assert all(look.seen and any(note.kind == "bumped" for note in look.seen.quality) for look in seen)
    assert offers(seen)
    assert all(look.offer and look.offer.status != ACCEPTED for look in offers(seen))
    nobody = [look.seen for look in looks(watcher(eyes, image), moved) if look.seen is not None]
    assert nobody
    assert all(any(note.kind == "bumped" for note in reading.quality) for reading in nobody)


def _won_by(eyes: Eyes, *, taken: bool) -> Look:
    """Tiles are thrown in turn from seat 0 on; then seat 0 wins, on seat 3's tile or on its own draw."""
    table, image = watcher(eyes), room()
    for count in range(5):
        looks(table, with_discards(image, *range(count)), 4)
    lying = (0, 1, 2) if taken else (0, 1, 2, 3)
    (offer,) = offers(looks(table, with_hand(with_discards(image, *lying)), 8))
    return offer


def test_who_dealt_in_is_seen(eyes: Eyes) -> None:
    offer = _won_by(eyes, taken=True)
    assert offer.facts is not None
    seen = Seen.of(offer.facts)
    assert (seen.self_draw, seen.loser, seen.asks) == (False, 3, "")
    told = seen.told(Facts(), offer.offer or TableReading(()))
    assert (told.self_draw, told.loser, told.flags) == (False, 3, ())


def test_a_self_draw_is_seen(eyes: Eyes) -> None:
    eyes.thrown[3] = "9p"
    offer = _won_by(eyes, taken=False)
    assert offer.facts is not None
    seen = Seen.of(offer.facts)
    assert (seen.self_draw, seen.loser, seen.asks) == (True, None, "")
    assert seen.told(Facts(), TableReading(())).self_draw


def test_what_the_log_is_not_sure_of_is_asked() -> None:
    nothing = Seen.of(WinFacts())
    assert (nothing.self_draw, nothing.loser, nothing.asks) == (None, None, "how_won")
    assert nothing.told(Facts(self_draw=True), TableReading(())) == Facts(self_draw=True)
    likely = Seen.of(WinFacts(self_draw=(False, 0.95), discarder=(2, 0.8)))
    assert (likely.loser, likely.asks) == (None, "who_dealt_in")
    doubtful = Seen.of(WinFacts(self_draw=(True, 0.8), kong_replacement=(True, 0.95)))
    assert (doubtful.asks, doubtful.flags) == ("how_won", ())
    replaced = Seen.of(WinFacts(self_draw=(True, 0.95), kong_replacement=(True, 0.95)))
    kong = TableReading((), melds=(MeldReading("kong_concealed", ("5p",) * 4),))
    assert replaced.told(Facts(), kong).flags == ("kong_replacement",)
    assert replaced.told(Facts(), TableReading(())).flags == (), "without a kong nothing replaces one"


def test_a_kong_takes_the_kind_it_was_seen_to_become() -> None:
    read = TableReading((), melds=(MeldReading("kong_exposed", ("5p",) * 4), MeldReading("pung", ("E",) * 3)))
    sure = Seen.of(WinFacts(kongs=(("5p", "kong_added", 0.95), ("E", "kong_added", 0.95))))
    assert [meld.kind for meld in sure.named(read).melds] == ["kong_added", "pung"]
    unsure = Seen.of(replace(sure.log, kongs=(("5p", "kong_added", 0.8),)))
    assert unsure.named(read) == read


def test_the_log_of_a_hand_is_handed_over_once_the_table_was_cleared(eyes: Eyes) -> None:
    table, image = watcher(eyes), room()
    for count in range(5):
        looks(table, with_discards(image, *range(count)), 4)
    played = [look.played for look in looks(table, image) if look.played]
    assert len(played) == 1
    assert [(e.kind, e.seat, e.tiles[0]) for e in played[0]] == [
        ("discard", 0, "N"), ("discard", 1, "W"), ("discard", 2, "S"), ("discard", 3, "C"),
    ]  # fmt: skip
