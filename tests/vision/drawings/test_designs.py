"""Every design a maker may choose gives a drawing of its own, inside the tile, and refuses an unknown name."""

from dataclasses import replace
from typing import Any

import pytest

from vision.drawings import FaceStyle, ink_svg
from vision.drawings.bird import BIRDS
from vision.drawings.faces import CODES
from vision.drawings.flowers import MARKS
from vision.drawings.rings import ONES, RINGS
from vision.drawings.sticks import STICKS
from vision.drawings.style import _CHOICES
from vision.drawings.suits import DOT_INKS, STICK_INKS
from vision.drawings.whites import WHITES

TABLES = {
    "rings": (RINGS, "5p"),
    "one": (("", *ONES), "1p"),
    "dot_inks": (DOT_INKS, "9p"),
    "sticks": (STICKS, "8s"),
    "stick_inks": (STICK_INKS, "7s"),
    "bird": (BIRDS, "1s"),
    "white": ((*WHITES, "blank"), "P"),
    "flower_marks": (MARKS, "f3"),
    "eight": (("MW", "WM"), "8s"),
    "hand": (("solid", "heavy", "hollow"), "C"),
    "wan": (("萬", "万"), "2m"),
    "east": (("東", "东"), "E"),
    "fortune": (("發", "发"), "F"),
    "flowers": (("plant", "scene", "line", "pot", "figure"), "f2"),
}


@pytest.mark.parametrize("field", TABLES)
def test_every_choice_of_a_style_is_drawn_in_a_way_of_its_own(field: str) -> None:
    names, code = TABLES[field]
    assert sorted(_CHOICES[field]) == sorted(names)
    chosen: list[dict[str, Any]] = [{field: name} for name in names]
    pictures = {ink_svg(code, FaceStyle(**choice)) for choice in chosen}
    if field == "stick_inks":  # two schemes may share a tile's colours: the whole suit tells them apart
        pictures = {"".join(ink_svg(f"{n}s", FaceStyle(stick_inks=name)) for n in range(2, 10)) for name in names}
    if field == "dot_inks":
        pictures = {"".join(ink_svg(f"{n}p", FaceStyle(dot_inks=name)) for n in range(2, 10)) for name in names}
    if field == "flower_marks":
        pictures = {"".join(ink_svg(f"f{n}", FaceStyle(flower_marks=name)) for n in (3, 7)) for name in names}
    assert len(pictures) == len(tuple(names))


@pytest.mark.parametrize("flowers", ["line", "pot", "figure"])
@pytest.mark.parametrize("variant", range(12))
def test_the_eight_flower_tiles_differ_in_every_variant(flowers: str, variant: int) -> None:
    bare = FaceStyle(flowers=flowers, variant=variant)
    assert len({ink_svg(f"f{n}", bare) for n in range(1, 9)}) == 8


def test_dots_and_sticks_have_as_many_as_their_number_in_every_scheme_and_layout() -> None:
    for name, inks in DOT_INKS.items():
        assert [len(row) for row in inks] == list(range(2, 10)), name
    for name, inks in STICK_INKS.items():
        assert [len(row) for row in inks] == [2, 3, 4, 5, 6, 7, 2, 9], name
    plain = FaceStyle(rings="filled", sticks="bar")
    for share in (0.0, 0.5, 1.0):
        style = replace(plain, gather=share, seven=1.25)
        assert [ink_svg(f"{n}p", style).count("<circle") for n in range(2, 10)] == [3 * n for n in range(2, 10)]
    assert [ink_svg(f"{n}s", plain).count("rotate(") for n in range(2, 10)] == list(range(2, 10))


def test_the_corner_letter_of_the_white_dragon_and_its_place_follow_the_style() -> None:
    left = FaceStyle(index="left")
    assert ink_svg("P", replace(left, index_white="B")) != ink_svg("P", left)
    assert 'translate(38 34) scale(.6)"' in ink_svg("2p", replace(left, index_inset=8.0, index_size=1.2))
    assert 'scale(.900 1.000)"' in ink_svg("2p", FaceStyle(stretch=0.9)).replace("scale(0.", "scale(.")


@pytest.mark.parametrize("code", CODES)
def test_a_frame_is_drawn_round_flower_tiles_only(code: str) -> None:
    framed, bare = ink_svg(code, FaceStyle(flower_frame="red")), ink_svg(code)
    assert (framed != bare) == (code[0] == "f")
