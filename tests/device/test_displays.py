"""Displays: golden bytes of each, touches parsed, and nothing that happens to one reaches its caller."""

from __future__ import annotations

import io
import logging
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing import slack_now

from device.displays import TouchEvent, open_display
from device.displays.lcd import KeyReader, cfa_packet, crc_x25, encode_line, render_page
from device.displays.led7 import bridge_frame, seat_digits, start_up
from device.displays.led7 import render as render_led
from device.displays.machine import show_score
from device.displays.nextion import NextionReader, command, fields
from device.displays.nextion import render as render_nextion
from device.displays.pages import text_pages
from device.displays.words import ascii_only, cells, fit, short_number
from device.errors import SettingsError
from device.machine.emulator.core import Identity
from device.machine.emulator.endpoint import PtyEndpoint
from device.machine.emulator.run import Emulator, EmulatorSettings
from device.machine.link import MachineLink
from device.machine.messages import ShowScore
from scoring.view import HandView, ItemView, MeldView, Said, ScoreView, SeatView

SEATS = (
    SeatView("E", "阿明", 120, -24, dealer=True),
    SeatView("S", "Mei", -40, 24, winner=True),
    SeatView("W", "阿華", 0, 0),
    SeatView("N", "老王", -80, 0),
)
WON = ScoreView(
    state="recorded",
    round_wind="S",
    hand_number=3,
    dealer_wind="E",
    streak=2,
    seats=SEATS,
    hand=HandView(("1m", "2m", "3m", "C", "C"), (MeldView("pung", ("E", "E", "E")),), ("f1",), "9s"),
    items=(ItemView("concealed", "門清", "concealed hand", 1), ItemView("flower", "正花", "own flower", 2)),
    total=3,
    message=Said("阿明放槍", "阿明 dealt in"),
    camera="ok",
    machine="warn",
)
WHICH = Said("第 3 張是 2萬 還是 3萬？", "is the third 2m or 3m?")
ASKING = ScoreView(
    state="confirm",
    seats=SEATS,
    total=8,
    doubts=(WHICH,),
    camera="ok",
)


# ---- text pages


def test_sixteen_columns_tell_all_that_matters() -> None:
    assert text_pages(WON, 16, 2, "en") == (
        ("S3 D:Ex2    C+M!", "S +24 3tai      "),
        ("  *E  +S   W   N", " 120 -40   0 -80"),
        ("total 3 tai     ", "concealed hand 1"),
        ("own flower     2", "                "),
    )
    assert text_pages(WON, 16, 2, "zh") == (
        ("南3 莊東連2 C+M!", "南 +24 3台      "),
        (" *東 +南  西  北", " 120 -40   0 -80"),
        ("合計 3 台       ", "門清           1"),
        ("正花           2", "                "),
    )
    assert text_pages(ASKING, 16, 2, "en") == (("E1 D:E      C+M-", "confirm? 8tai   "),)


def test_twenty_by_four_in_one_look() -> None:
    assert text_pages(WON, 20, 4, "en")[0] == (
        "S3 D:Ex2        C+M!",
        "S +24 3tai          ",
        "                    ",
        "                    ",
    )
    assert text_pages(WON, 20, 4, "en")[1] == (
        "   *E   +S    W    N",
        "  120  -40    0  -80",
        "  -24  +24          ",
        "                    ",
    )


@settings(max_examples=200, deadline=None)
@given(
    st.integers(16, 40),
    st.integers(1, 4),
    st.sampled_from(["zh", "en"]),
    st.integers(-(10**9), 10**9),
    st.text(max_size=30),
)
def test_every_page_has_exactly_its_size(columns: int, rows: int, lang: str, total: int, name: str) -> None:
    seats = tuple(SeatView(w, name, total, -total) for w in "ESWN")
    view = ScoreView(state="recorded", seats=seats, items=(ItemView("k", name, name, total),), total=3, streak=99)
    for page in text_pages(view, columns, rows, lang):  # type: ignore[arg-type]
        assert len(page) == rows
        assert [cells(line) for line in page] == [columns] * rows


def test_numbers_are_never_cut() -> None:
    shown = {0: "  0", 999: "999", -99: "-99", 1234: " 1k", -12345: "###", 10**9: "###", 10**6: " 1M"}
    assert {n: short_number(n, 3) for n in shown} == shown
    assert short_number(1_500_000, 4) == "  2M"
    assert ascii_only("café 台") == "cafe ?"
    assert fit("台台", 3) == "台 "


# ---- character LCDs


def test_lcd_golden_bytes() -> None:
    page = ("S3 D:Ex2    C+M!", "S +24 3tai      ")
    assert render_page(page, "serlcd", 16) == b"\xfe\x80S3 D:Ex2    C+M!\xfe\xc0S +24 3tai      "
    assert render_page(page, "matrix", 16) == b"\xfeG\x01\x01S3 D:Ex2    C+M!\xfeG\x01\x02S +24 3tai      "
    assert render_page(page, "plain", 16) == b"\x1b[1;1HS3 D:Ex2    C+M!\x1b[2;1HS +24 3tai      "
    assert render_page(page, "crystalfontz", 16) == bytes.fromhex(
        "1f120000" + b"S3 D:Ex2    C+M!".hex() + "af6b" + "1f120001" + b"S +24 3tai      ".hex() + "dfe8"
    )
    long = ("x" * 40, "y" * 40)
    assert render_page(long, "crystalfontz", 40).count(b"\x1f\x16") == 4  # twenty characters a packet


def test_lcd_rows_of_four_line_displays() -> None:
    page = ("a" * 20, "b" * 20, "c" * 20, "d" * 20)
    sent = render_page(page, "serlcd", 20)
    assert [sent[at : at + 2] for at in range(0, 88, 22)] == [b"\xfe\x80", b"\xfe\xc0", b"\xfe\x94", b"\xfe\xd4"]


def test_crystalfontz_packets_as_the_makers_code_builds_them() -> None:
    """The bytes that the independent `crystalfontz` package (from the maker's own C) gives for the same packets."""
    assert crc_x25(b"123456789") == 0x906E
    assert cfa_packet(0x06, b"") == bytes.fromhex("0600975b")
    assert cfa_packet(0x80, b"\x05") == bytes.fromhex("8001055584")
    text = b"\x00\x01E3 D:E x2  C+M-"
    assert cfa_packet(0x1F, text) == bytes.fromhex("1f110001453320443a452078322020432b4d2d2739")


def test_chinese_lcds_get_two_bytes_a_character() -> None:
    assert encode_line("南3 莊東", "big5") == "南3 莊東".encode("big5")
    assert encode_line("东é🀄", "big5") == b"??" + b"?" + b"??"  # as wide as what it stands for
    assert encode_line("南3", "ascii") == b"?3"


def test_lcd_keys() -> None:
    reader = KeyReader("crystalfontz")
    press, release = cfa_packet(0x80, b"\x05"), cfa_packet(0x80, b"\x0b")
    noise = b"\x80\x01\x05\x00\x00"
    stream = noise + press + cfa_packet(0x5F, b"") + release
    got: list[TouchEvent] = []
    for byte in stream:
        got += reader.feed(bytes([byte]))
    assert got == [
        TouchEvent("confirm", component=5, pressed=True),
        TouchEvent("confirm", component=5, pressed=False),
    ]
    assert KeyReader("matrix").feed(b"xE") == (TouchEvent("confirm", component=ord("E")),)
    assert KeyReader("serlcd").feed(b"E") == ()


# ---- seven segments


def test_led_golden_bytes() -> None:
    assert seat_digits(SEATS[0]) == bytes([0x80, 0x00, 0x30, 0x6D, 0x7E, 0x01, 0x6D, 0x33])  # "  120-24", dealer
    assert seat_digits(SEATS[1]) == bytes([0x00, 0x00, 0x01, 0x33, 0x7E, 0x00, 0x6D, 0xB3])  # "  -40 24", winner
    assert bridge_frame([(1, 0x7E), (2, 0x30)]) == bytes([0xA5, 2, 2, 0x30, 1, 0x7E, 2 ^ 2 ^ 0x30 ^ 1 ^ 0x7E])
    assert start_up(1, 8) == bytes.fromhex("a5010f000ea5010b070da501090008a5010a0803a5010c010c")
    sent = render_led(WON, 4)
    assert len(sent) == 8 * 11
    # The leftmost digit of all four seats is register 8, the farthest chip (north) first.
    assert sent[:11] == bytes([0xA5, 4, 8, 0x00, 8, 0x00, 8, 0x00, 8, 0x80, 4 ^ 0x80])


def test_led_without_seats_is_dark() -> None:
    assert set(render_led(ScoreView(), 2)[3::7]) == {0}


# ---- Nextion


def test_nextion_golden_bytes() -> None:
    sent = render_nextion(WON, "zh", "utf-8")
    parts = sent.split(b"\xff\xff\xff")
    assert parts[0] == 'title.txt="南風圈 第3局 莊東 連2拉2"'.encode()
    assert parts[1:5] == [
        'state.txt="已記錄"'.encode(),
        b"state.pco=2016",
        'total.txt="3 台"'.encode(),
        'hand.txt="一萬二萬三萬中中 +九索 碰 東東東 春"'.encode(),
    ]
    assert 'seat0.txt="東* 阿明"'.encode() in parts and b'change1.txt="+24"' in parts
    assert 'item1.txt="正花 2"'.encode() in parts and b'item2.txt=""' in parts
    assert parts[-2:] == [b"machine.pco=65504", b""]
    assert len(parts) - 1 == len(fields(WON, "zh"))
    english = render_nextion(WON, "en", "ascii", {"title": "t0"}).split(b"\xff\xff\xff")
    assert english[0] == b't0.txt="S round, hand 3, dealer E streak 2"'
    assert english[4] == b'hand.txt="1m 2m 3m C C +9s pung E E E f1"'


def test_nextion_text_cannot_break_out() -> None:
    assert command("t.txt", 'a"b\\c\nd', "utf-8") == b't.txt="a\\"b\\\\c\\rd"\xff\xff\xff'
    for encoding in ("utf-8", "big5", "gb2312", "ascii"):
        raw = command("t.txt", "ÿ台\xff�", encoding)
        assert raw.count(b"\xff") == 3


def test_nextion_touches() -> None:
    reader = NextionReader({"0:5": "confirm", "6": "undo"})
    messages = ("65000501", "65000600", "6702ff00ff01", "1a", "65010901")
    stream = b"".join(bytes.fromhex(message) + b"\xff\xff\xff" for message in messages)
    got: list[TouchEvent] = []
    for byte in stream:
        got += reader.feed(bytes([byte]))
    assert got == [
        TouchEvent("confirm", 0, 5, True),
        TouchEvent("undo", 0, 6, False),
        TouchEvent("", x=0x02FF, y=0x00FF, pressed=True),
        TouchEvent("", 1, 9, True),
    ]
    assert not reader.restarted
    reader.feed(bytes.fromhex("000000ffffff88ffffff"))
    assert reader.restarted


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_nextion_reader_finds_back_after_any_noise(noise: bytes) -> None:
    reader = NextionReader({})
    reader.feed(noise)
    reader.feed(b"\xff\xff\xff")
    for _ in range(3):
        got = reader.feed(bytes.fromhex("65000501ffffff"))
    assert got == (TouchEvent("", 0, 5, True),)


# ---- the machine's panel


def test_machine_panel_command() -> None:
    assert show_score(WON) == ShowScore("recorded", "S", 3, 0, 2, 1, 3, (120, -40, 0, -80), (-24, 24, 0, 0), "阿明放槍")
    huge = ScoreView(message=Said("台" * 50), total=10**9, streak=1000, seats=(SeatView("E", total=10**12),))
    fitted = show_score(huge)
    assert len(fitted.pack()) <= 250 and fitted.line == "台" * 20 and fitted.tai == 0xFFFF


def test_machine_panel_over_its_link(tmp_path: Path) -> None:
    emulator = Emulator(PtyEndpoint(tmp_path / "m"), EmulatorSettings(hands=0, identity=Identity("P-1")))
    emulator.start()
    try:
        with MachineLink(str(tmp_path / "m")) as link, open_display("machine", link=link) as display:
            display.show(WON)
            until(lambda: emulator.core.panel == show_score(WON))
            display.clear()
            until(lambda: emulator.core.panel is None and display.health().shown == 2)
            assert display.health().ok
    finally:
        emulator.stop()


# ---- a real line


def until(condition: Callable[[], bool], limit_s: float = 5.0) -> None:
    end = time.monotonic() + limit_s * slack_now()
    while not condition():
        assert time.monotonic() < end, "not within the limit"
        time.sleep(0.01)


def read_all(end: PtyEndpoint, wait_s: float = 0.6) -> bytes:
    """All that comes within `wait_s`; for the first byte there is more patience."""
    data, stop, patience = b"", time.monotonic() + wait_s, time.monotonic() + 6 * slack_now()
    while time.monotonic() < stop or (not data and time.monotonic() < patience):
        data += end.read(0.05)
    return data


def nothing_comes(end: PtyEndpoint) -> bool:
    stop = time.monotonic() + 0.3
    return all(not end.read(0.05) for _ in iter(lambda: time.monotonic() < stop, False))


@pytest.mark.parametrize("name", ["nextion", "led7", "lcd"])
def test_a_display_that_dies_is_waited_for(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "device.displays")
    end = PtyEndpoint(tmp_path / "display")
    display = open_display(name, port=str(tmp_path / "display"))
    begin = time.monotonic()
    display.show(WON)  # nothing there: no error, no waiting
    assert time.monotonic() - begin < 0.05 * slack_now()
    until(lambda: "not there" in display.health().reason)
    end.plug()
    first = read_all(end, 0.5)
    assert first and display.health().ok
    end.unplug()
    until(lambda: not display.health().ok)
    display.show(replace(ASKING, seats=tuple(replace(seat, total=seat.total + 1) for seat in SEATS)))
    end.plug()
    second = read_all(end, 0.5)
    assert second and second != first
    assert display.health().ok and display.health().reopened == 1
    display.clear()
    assert read_all(end)
    display.close()
    end.unplug()
    assert len([r for r in caplog.records if "being tried again" in r.getMessage()]) == 2


def test_pages_turn_and_come_again(tmp_path: Path) -> None:
    end = PtyEndpoint(tmp_path / "display")
    end.plug()
    with open_display("lcd", port=str(tmp_path / "display"), page_s=0.1) as display:
        display.show(WON)
        sent = read_all(end, 1.0)
        assert sent.count(b"S3 D:Ex2") >= 2 and b"own flower" in sent
    end.unplug()


def test_nextion_touch_and_restart_over_the_line(tmp_path: Path) -> None:
    end = PtyEndpoint(tmp_path / "display")
    end.plug()
    with open_display("nextion", port=str(tmp_path / "display"), touch={"0:5": "confirm"}) as display:
        display.show(WON)
        assert b"title.txt" in read_all(end)
        assert nothing_comes(end)  # nothing new: nothing sent
        end.write(bytes.fromhex("65000501ffffff"))
        until(lambda: display.touches() == (TouchEvent("confirm", 0, 5, True),))
        assert display.touches() == ()
        end.write(bytes.fromhex("000000ffffff88ffffff"))  # it was switched off and on
        assert b"title.txt" in read_all(end)
    end.unplug()


def test_a_view_that_cannot_be_drawn_stops_nothing(tmp_path: Path) -> None:
    end = PtyEndpoint(tmp_path / "display")
    end.plug()
    with open_display("lcd", port=str(tmp_path / "display")) as display:
        display.show(ScoreView(camera="nonsense"))  # type: ignore[arg-type]
        until(lambda: "KeyError" in display.health().reason)
        display.show(WON)
        until(lambda: display.health().ok and display.health().shown == 1)
    end.unplug()


# ---- the console


def drawn(view: ScoreView, **wanted: object) -> str:
    stream = io.StringIO()
    open_display("console", stream=stream, width=72, colour=False, **wanted).show(view)
    return stream.getvalue()


def test_console_shows_the_table_in_both_languages() -> None:
    chinese = drawn(WON)
    words = "南風圈 第3局 莊東 連2拉2|已記錄 recorded  3 台|門清|concealed hand|合計|東莊|南胡|+24|胡 九索|碰 東 東 東"
    for word in words.split("|"):
        assert word in chinese, word
    english = drawn(WON, lang="en")
    for word in ("S round, hand 3, dealer E streak 2", "recorded  3 tai", "win 9s", "pung E E E", "E dealer", "S wins"):
        assert word in english, word
    assert "🀇 🀈 🀉 🀄 🀄" in drawn(WON, tiles="unicode")
    assert all(cells(line) <= 72 for line in chinese.splitlines())
    assert "第 3 張是 2萬 還是 3萬？" in drawn(ASKING)


def test_console_says_each_thing_once_and_keeps_quiet_while_aiming() -> None:
    stream = io.StringIO()
    display = open_display("console", stream=stream, width=72, colour=False)
    display.show(ScoreView(state="aiming"))
    display.show(ScoreView(state="reading"))
    assert stream.getvalue() == ""
    display.show(WON)
    once = stream.getvalue()
    display.show(WON)
    assert stream.getvalue() == once != ""


def test_console_survives_a_closed_pipe() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    stream = os.fdopen(write_end, "w", buffering=1)
    display = open_display("console", stream=stream, width=72)
    display.show(WON)
    assert not display.health().ok
    display.close()


def test_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match="'port' is wrong"):
        open_display("lcd")
    with pytest.raises(SettingsError, match="'dialect'"):
        open_display("lcd", port="x", dialect="morse")
    with pytest.raises(SettingsError, match=r"no setting 'colums'.*did you mean columns"):
        open_display("lcd", port="x", colums=20)
