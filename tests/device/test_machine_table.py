"""What a machine's events mean for the match."""

from __future__ import annotations

from itertools import count

from device.machine.emulator.game import Game
from device.machine.events import (
    NOBODY,
    Button,
    Dealer,
    EventBody,
    Fault,
    MachineEvent,
    RoundStart,
    RoundWind,
    TileSeen,
)
from device.machine.table import (
    Confirmed,
    HandDrawn,
    HandStarted,
    MachineFault,
    MachineTable,
    TableNews,
    UndoAsked,
    WinAnnounced,
)


def feed(table: MachineTable, *bodies: EventBody) -> list[TableNews]:
    numbers = count(1)
    news = [table.feed(MachineEvent(7, next(numbers), 0, body, "T7")) for body in bodies]
    return [entry for entry in news if entry is not None]


def test_a_win_with_all_that_is_known() -> None:
    news = feed(
        MachineTable(),
        RoundStart(12),
        RoundWind("S"),
        Dealer(2, 3),
        TileSeen("hand", 0, "1m"),
        TileSeen("hand", 0, "2m"),
        TileSeen("hand", 1, "9s"),
        TileSeen("hand", 0, "2m", 0),
        TileSeen("win_tile", 0, "3m"),
        Button(0, "win", 1),
        Button(1, "confirm"),
        Button(1, "undo"),
        Fault(3, "stopped", "jam"),
    )
    assert news == [
        HandStarted("T7/00000007/1", 12),
        WinAnnounced("T7/00000007/9", 12, 0, "W", 1, False, 2, 3, "S", {"hand": ("1m",), "win_tile": ("3m",)}),
        Confirmed("T7/00000007/10", 1),
        UndoAsked("T7/00000007/11", 1),
        MachineFault("T7/00000007/12", 3, "stopped", "jam"),
    ]


def test_winds_go_round_from_the_dealer() -> None:
    table = MachineTable()
    assert [table.wind_of(seat) for seat in range(4)] == ["E", "S", "W", "N"]
    feed(table, Dealer(3, 0))
    assert [table.wind_of(seat) for seat in range(4)] == ["S", "W", "N", "E"]


def test_what_a_firmware_may_get_wrong() -> None:
    (win,) = feed(MachineTable(), Button(1, "win", 1))  # thrown by the winner itself
    assert isinstance(win, WinAnnounced) and win.from_seat is None and win.dealer == 0
    (win,) = feed(MachineTable(), Button(1, "self_draw", 2))
    assert isinstance(win, WinAnnounced) and win.self_draw and win.from_seat is None
    assert feed(MachineTable(), Button(200, "win")) == []
    (win,) = feed(MachineTable(), Button(1, "win", 9))
    assert isinstance(win, WinAnnounced) and win.from_seat is None
    assert feed(MachineTable(), TileSeen("hand", 0, "1m", 0)) == []


def test_tiles_of_the_hand_before_are_gone() -> None:
    table = MachineTable()
    feed(table, RoundStart(1), TileSeen("hand", 0, "1m"), RoundStart(2))
    (win,) = feed(table, Button(0, "self_draw"))
    assert isinstance(win, WinAnnounced) and win.tiles == {} and win.hand_number == 2


def test_a_whole_game_of_the_emulator() -> None:
    game, table = Game(4), MachineTable()
    news = [entry for _ in range(60) for entry in feed(table, *game.hand())]
    wins = [entry for entry in news if isinstance(entry, WinAnnounced)]
    played = [hand for hand in game.played if hand.winner != NOBODY]
    assert [w.seat for w in wins] == [h.winner for h in played]
    assert [(w.self_draw, w.dealer, w.streak, w.round_wind) for w in wins] == [
        (h.self_draw, h.dealer, h.streak, h.round_wind) for h in played
    ]
    assert [w.from_seat for w in wins] == [None if h.self_draw else h.from_seat for h in played]
    for win, hand in zip(wins, played, strict=True):
        assert sorted([*win.tiles["hand"], *win.tiles["win_tile"]]) == sorted(hand.concealed)
    assert len([e for e in news if isinstance(e, HandDrawn)]) == 60 - len(played) > 0
    assert len([e for e in news if isinstance(e, HandStarted)]) == 60
