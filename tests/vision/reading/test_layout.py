"""Many forms of hand, laid out ideally and with jitter, come back as they were laid, from any side."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.decode_reading import ReadingRules, read_observations
from vision.observation import TableReading

# (rows, concealed, melds, flowers, winning tile)
FORMS = {
    "one row, winner apart": (["123m456m789p11s234s56s | 7s"], "123m456m789p11s234s567s", [], "", "7s"),
    "one row, winner turned": (["123m456m789p11s234s567s'"], "123m456m789p11s234s567s", [], "", "7s"),
    "two rows": (["123m456m789p", "11s234s56s | 7s"], "123m456m789p11s234s567s", [], "", "7s"),
    "melds above": (
        ["234m | EEE | 555p", "123m11s78s | 9s"],
        "123m11s789s",
        [("chow", "234m"), ("pung", "EEE"), ("pung", "555p")],
        "",
        "9s",
    ),
    "melds beside": (
        ["123m11s78s | 9s || 234m | EEE | 555p"],
        "123m11s789s",
        [("chow", "234m"), ("pung", "EEE"), ("pung", "555p")],
        "",
        "9s",
    ),
    "turned tiles in melds": (
        ["2m'34m | EE'E | 555p'", "123m11s78s | 9s"],
        "123m11s789s",
        [("chow", "234m"), ("pung", "EEE"), ("pung", "555p")],
        "",
        "9s",
    ),
    "concealed kong": (
        ["_CC_ | 234m", "123m456p11s78s | 9s"],
        "123m456p11s789s",
        [("kong_concealed", "CCCC"), ("chow", "234m")],
        "",
        "9s",
    ),
    "exposed kong": (
        ["5p'5p5p5p | 234m", "123m789p11s78s | 9s"],
        "123m789p11s789s",
        [("kong_exposed", "5555p"), ("chow", "234m")],
        "",
        "9s",
    ),
    "added kong": (
        ["5p5p5p5p^ | 234m", "123m789p11s78s | 9s"],
        "123m789p11s789s",
        [("kong_added", "5555p"), ("chow", "234m")],
        "",
        "9s",
    ),
    "flowers in a row of their own": (
        ["f1f5f3", "123m456m789p11s234s56s | 7s"],
        "123m456m789p11s234s567s",
        [],
        "f1f3f5",
        "7s",
    ),
    "flowers mixed in": (
        ["f2 | 123m456mf7 789p11s234s56s | 7s"],
        "123m456m789p11s234s567s",
        [],
        "f2f7",
        "7s",
    ),
    "seven pairs and a triplet": (["1133m5577p2299sEE | CC | C"], "1133m5577p2299sEECCC", [], "", "C"),
    "four melds and a lone pair": (
        ["2m'34m | EE'E | 555p' | 7s'89s | 11m'1m", "9p | 9p'"],
        "99p",
        [("chow", "234m"), ("pung", "EEE"), ("pung", "555p"), ("chow", "789s"), ("pung", "111m")],
        "",
        "9p",
    ),
}
TURNED = {"one row, winner turned", "turned tiles in melds", "exposed kong", "four melds and a lone pair"}


def tiles(text: str) -> list[str]:
    from scoring.tiles import parse_tiles

    return sorted(parse_tiles(" ".join([text]))) if text else []


def facts(reading: TableReading) -> tuple[object, ...]:
    """Everything a scorer takes from a reading."""
    melds = sorted((m.kind, tuple(sorted(m.tiles))) for m in reading.melds)
    return sorted(reading.concealed), melds, sorted(reading.flowers), reading.win_tile


def expected(name: str) -> tuple[object, ...]:
    _, concealed, melds, flowers, win = FORMS[name]
    return tiles(concealed), sorted((k, tuple(tiles(t))) for k, t in melds), tiles(flowers), win


def read(observations: list, **keywords: object) -> TableReading:
    # A generous budget: these tests run beside others on a busy machine.
    return read_observations(observations, (2000, 2000), ReadingRules(budget_s=1.0), **keywords)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("jitter", [0.0, 0.02])
def test_forms(scene: type, name: str, jitter: float) -> None:
    reading = read(scene(FORMS[name][0]).seen(jitter=jitter, mix=5))
    assert facts(reading) == expected(name)
    assert reading.status == "accepted", reading.doubts
    assert reading.wins


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=12, deadline=None)
@given(
    angle=st.floats(-180, 180),
    scale=st.floats(0.5, 4),
    shift=st.tuples(st.floats(0, 500), st.floats(0, 500)),
    mix=st.integers(0, 9),
)
def test_rotation_scale_shift_and_order_change_nothing(
    name: str, angle: float, scale: float, shift: tuple[float, float], mix: int
) -> None:
    scene = _scene()
    if name in TURNED and abs((angle % 90) - 45) < 16:
        angle += 32  # there boxes alone do not show what lies sideways; see the test below
    reading = read(scene(FORMS[name][0]).seen(angle=angle, scale=scale, shift=shift, mix=mix))
    assert facts(reading) == expected(name)
    assert reading.status == "accepted", reading.doubts


def _scene() -> type:
    # Hypothesis wants no function-scoped fixture; the builder is stateless, so the fixture's value is taken directly.
    import sys

    return next(m.Scene for n, m in sys.modules.items() if n.endswith("reading.conftest") and hasattr(m, "Scene"))


@pytest.mark.parametrize("name", sorted(TURNED))
@pytest.mark.parametrize("angle", [38.0, 45.0, 52.0, 135.0])
def test_near_45_degrees_what_boxes_do_not_show_is_asked_or_right(scene: type, name: str, angle: float) -> None:
    reading = read(scene(FORMS[name][0]).seen(angle=angle))
    assert facts(reading)[0] == expected(name)[0]
    if reading.status == "accepted":
        assert facts(reading) == expected(name)


@pytest.mark.parametrize("name", sorted(TURNED))
@pytest.mark.parametrize("angle", [0.0, 45.0, 100.0, 180.0, -135.0])
def test_known_tile_angles_settle_every_rotation(scene: type, name: str, angle: float) -> None:
    reading = read(scene(FORMS[name][0]).seen(angle=angle, stands=True))
    assert facts(reading) == expected(name)
    assert reading.status == "accepted", reading.doubts
    assert reading.rotation is not None
    assert abs((reading.rotation - angle + 180) % 360 - 180) < 3


@pytest.mark.parametrize("name", sorted(set(FORMS) - TURNED))
@pytest.mark.parametrize(("bend", "tilt"), [(30.0, 0.0), (-30.0, 0.3), (0.0, 0.8)])
def test_bent_rows_and_perspective(scene: type, name: str, bend: float, tilt: float) -> None:
    reading = read(scene(FORMS[name][0]).seen(bend=bend, tilt=tilt, jitter=0.02))
    assert facts(reading) == expected(name)


def test_upside_down_reads_from_the_other_end_when_the_tiles_say_so(scene: type) -> None:
    rows = ["123m456m789p11s234s567s"]
    upright = read(scene(rows).seen(stands=True))
    turned = read(scene(rows).seen(angle=180, stands=True))
    assert upright.concealed == turned.concealed
    assert upright.win_tile == turned.win_tile == "7s"


def test_thirteen_tile_games(scene: type) -> None:
    seen = scene(["234m | EEE", "123m11s78s | 9s"]).seen(jitter=0.02)
    reading = read_observations(seen, (2000, 2000), ReadingRules(13, budget_s=1.0))
    assert reading.status == "accepted"
    assert len(reading.concealed) == 8 and len(reading.melds) == 2
    pairs = scene(["1133m5577p2299sE | E"]).seen()
    assert read_observations(pairs, (2000, 2000), ReadingRules(13, budget_s=1.0)).wins


def test_strays_are_left_out_and_said(scene: type) -> None:
    hand = scene(["123m456m789p11s234s56s | 7s"]).seen(shift=(400, 900))
    strays = scene(["9m"]).seen(shift=(60, 60)) + scene(["N"]).seen(shift=(1500, 200), angle=80)
    reading = read([*hand, *strays])
    assert facts(reading) == expected("one row, winner apart")
    assert [reading.tiles[i].code for i in reading.indices("left_out")] == ["9m", "N"] or sorted(
        reading.tiles[i].code for i in reading.indices("left_out")
    ) == ["9m", "N"]
    assert any(note.kind == "left_out" and "2" in note.message_zh for note in reading.quality)


def test_a_wall_of_backs_is_left_out(scene: type) -> None:
    hand = scene(["123m456m789p11s234s56s | 7s"]).seen(shift=(500, 900))
    wall = scene(["_" * 17]).seen(shift=(500, 300))
    reading = read([*hand, *wall])
    assert facts(reading) == expected("one row, winner apart")
    assert len(reading.indices("left_out")) == 17


def test_four_backs_of_a_wall_are_no_kong_and_displace_no_meld(scene: type) -> None:
    """Of a wall in front of a player often a few backs are found; with the hand beside a meld 17 tiles are there."""
    hand = scene(["123m456m11s234s56s | 7s || 789p"]).seen(shift=(500, 900))
    for count in (4, 8):
        wall = scene(["____" + " | ____" * (count // 4 - 1)], gap=1.05).seen(shift=(600, 760))
        reading = read([*hand, *wall], upright=0.0)
        assert facts(reading) == (tiles("123m456m11s234s567s"), [("chow", ("7p", "8p", "9p"))], [], "7s")
        assert reading.status == "accepted", reading.doubts
    kong = scene(["123m456m11s234s56s | 7s || ____"]).seen(shift=(500, 900))
    assert [m.kind for m in read(kong).melds] == ["kong_concealed"]


@pytest.mark.parametrize("kong", ["__C", "_C_", "___C^"])
def test_three_backs_and_a_face_on_one_of_them_are_a_concealed_kong(scene: type, kong: str) -> None:
    """The face hides the back it lies on; that the kong has four tiles is asked where three show."""
    reading = read(scene([f"123m456p11s78s | 9s || {kong} | 234m"]).seen())
    assert facts(reading) == (
        tiles("123m456p11s789s"),
        [("chow", ("2m", "3m", "4m")), ("kong_concealed", ("C", "C", "C", "C"))],
        [],
        "9s",
    )
    assert {doubt.kind for doubt in reading.doubts} <= {"stacked"}


def test_a_discard_far_off_does_not_stand_in_for_a_winning_tile_that_was_not_seen(scene: type) -> None:
    hand = scene(["f2f3", "567m66pEEESSWWWNNN"]).seen(shift=(500, 900))
    discard = scene(["3s"]).seen(shift=(640, 640))
    reading = read([*hand, *discard], upright=0.0)
    assert [doubt.kind for doubt in reading.doubts] == ["waiting"]
    assert sorted(reading.concealed) == tiles("567m66pEEESSWWWNNN")
    beside = scene(["f2f3", "567m66pEEESSWWWNNN | S"]).seen(shift=(500, 900))
    assert read([*beside, *discard], upright=0.0).win_tile == "S"


def test_of_two_tiles_apart_the_farther_one_is_likelier_to_have_won(scene: type) -> None:
    """The first of a row lay half a tile from the second, the winning tile more than a whole one from the last."""
    hand = scene(["234p", "11p789pEEENNNFF || F"]).seen(shift=(500, 900))
    first = next(k for k, tile in enumerate(hand) if tile.code == "1p")
    x1, y1, x2, y2 = hand[first].box
    hand[first] = replace(hand[first], box=(x1 - 15, y1, x2 - 15, y2))
    reading = read(hand)
    assert reading.win_tile == "F"
    assert [doubt.kind for doubt in reading.doubts] == ["win_tile"]


def test_a_winning_tile_seen_in_some_looks_only_is_kept_while_fainter_things_are_dropped(scene: type) -> None:
    """Three slivers of a neighbour's tiles, there with a quarter, took the winning tile, there with .62, with them."""
    *hand, winner = scene(["123m456m789p11s234s56s | 7s"]).seen(shift=(500, 900))
    slivers = scene(["C | 8p | 4s"]).seen(shift=(960, 700))
    faint = [replace(tile, confidence=0.27 * tile.confidence) for tile in slivers]
    reading = read([*hand, replace(winner, confidence=0.62 * winner.confidence), *faint], upright=0.0)
    assert facts(reading) == expected("one row, winner apart")


def test_much_larger_boxes_are_left_out(scene: type) -> None:
    hand = scene(["123m456m789p11s234s56s | 7s"]).seen(shift=(500, 900))
    big = scene(["N"]).seen(shift=(500, 300), scale=3)
    reading = read([*hand, *big])
    assert facts(reading) == expected("one row, winner apart")
    assert "another size" in reading.quality[0].message_en


def test_reading_order_and_roles(scene: type) -> None:
    reading = read(scene(["f1f5", "234m | EEE | 555p", "123m11s78s | 9s"]).seen(mix=3))
    assert [t.code for t in reading.tiles[:8]] == ["1m", "2m", "3m", "1s", "1s", "7s", "8s", "9s"]
    assert reading.roles == (*("concealed",) * 7, "winning", *("meld",) * 9, "flower", "flower")
    assert reading.tiles[reading.win_tile_index or 0].code == "9s"
    for meld in reading.melds:
        assert sorted(reading.tiles[i].code for i in meld.indices) == sorted(meld.tiles)


@pytest.mark.parametrize("lift", [0.2, 0.45])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_tile_lying_on_a_fourth_makes_a_kong(scene: type, lift: float, place: int) -> None:
    """Seen askew, the upper tile seems shifted towards the top of the picture; the one beneath it is hidden."""
    tiles = scene(["EEE | 234m", "123m789p11s78s | 9s"]).seen()
    easts = sorted((t for t in tiles if t.code == "E"), key=lambda t: t.box[0])
    raised = easts[place]
    x1, y1, x2, y2 = raised.box
    moved = replace(raised, box=(x1, y1 - lift * (y2 - y1), x2, y2 - lift * (y2 - y1)))
    reading = read([moved if t is raised else t for t in tiles])
    assert ("kong_added", ("E",) * 4) in facts(reading)[1]
    assert "stacked" in {d.kind for d in reading.doubts}, "it is asked: the picture hints at it, no more"


def test_a_pung_laid_unevenly_is_asked_about_and_no_kong(scene: type) -> None:
    """As 東東東 lay in front of a rack in a photo, the middle one a quarter of its width off: who saw a fourth?"""
    tiles = scene(["EEE | 234m", "123m789p11s78s | 9s"]).seen()
    middle = sorted((t for t in tiles if t.code == "E"), key=lambda t: t.box[0])[1]
    x1, y1, x2, y2 = middle.box
    moved = replace(middle, box=(x1, y1 - 0.15 * (y2 - y1), x2, y2 - 0.15 * (y2 - y1)))
    reading = read([moved if t is middle else t for t in tiles])
    assert ("pung", ("E",) * 3) in facts(reading)[1]
    assert {d.kind for d in reading.doubts} == {"stacked"}


@pytest.mark.parametrize("down", [0.14, 0.18])
def test_on_a_table_a_tile_lying_sideways_off_the_line_may_lie_on_a_fourth(scene: type, down: float) -> None:
    """As a kong was seen from straight above and read as a pung without asking."""
    tiles_seen = scene(["123m23344s577sSS | S || EEE'"]).seen()
    turned = max((t for t in tiles_seen if t.code == "E"), key=lambda t: t.box[0])
    x1, y1, x2, y2 = turned.box
    shift = down * (turned.size[0])  # before, it lies flush with the others' lower edges
    moved = replace(turned, box=(x1, y1 + shift, x2, y2 + shift))
    reading = read([moved if t is turned else t for t in tiles_seen], upright=0.0)
    assert "stacked" in {doubt.kind for doubt in reading.doubts}
    assert read(tiles_seen, upright=0.0).melds[0].kind == "pung"


def test_flat_pungs_are_no_kongs(scene: type) -> None:
    reading = read(scene(["EEE | 234m", "123m789p11s78s | 9s"]).seen(jitter=0.015))
    assert "pung" in {kind for kind, _ in facts(reading)[1]}
    assert reading.status == "accepted"


@pytest.mark.parametrize(("across", "down"), [(0.0, -0.17), (0.0, 0.17), (0.17, 0.0), (-0.17, 0.0)])
def test_on_a_table_a_kong_stacked_is_asked_whichever_way_the_camera_looks(
    scene: type, across: float, down: float
) -> None:
    tiles = scene(["123456m234p567sPP | EEE"]).seen()
    middle = sorted((t for t in tiles if t.code == "E"), key=lambda t: t.box[0])[1]
    x1, y1, x2, y2 = middle.box
    dx, dy = across * (y2 - y1), down * (y2 - y1)
    moved = replace(middle, box=(x1 + dx, y1 + dy, x2 + dx, y2 + dy))
    reading = read_observations([moved if t is middle else t for t in tiles], (1200, 600), upright=0.0)
    assert "stacked" in {doubt.kind for doubt in reading.doubts} or reading.melds[0].kind.startswith("kong")
    plain = read_observations(tiles, (1200, 600), upright=0.0)
    assert "stacked" not in {doubt.kind for doubt in plain.doubts}
    assert plain.melds[0].kind == "pung"


def test_a_blank_white_in_an_open_row_is_no_back(scene: type) -> None:
    """A 白 without a frame looks like a pale back; among faces laid open none lies face down."""
    codes = "123456789m 123s PP_ NN"
    seen = scene([codes]).seen()
    blank = next(k for k, tile in enumerate(seen) if tile.code == "back")
    seen[blank] = replace(seen[blank], alternatives=(("back", 0.53), ("P", 0.466), ("S", 0.001)))
    reading = read(seen)
    assert sorted(reading.concealed).count("P") == 3
    assert reading.wins
    sure_back = [replace(tile, alternatives=(("back", 0.99996), ("P", 1e-05))) for tile in seen[blank : blank + 1]]
    other = read([*seen[:blank], *sure_back, *seen[blank + 1 :]])
    assert sorted(other.concealed).count("P") == 2  # a coloured back stays one
