import re
import xml.etree.ElementTree as ET
from itertools import product

import pytest

from vision.drawings import PRESETS, FaceStyle, back_svg, face_svg, ink_svg
from vision.drawings.brush import PROFILES, Stroke, outline
from vision.drawings.faces import CODES
from vision.drawings.glyphs import CHARACTERS, character_path, strokes


@pytest.mark.parametrize(("code", "preset"), list(product(CODES, PRESETS)))
def test_every_face_is_a_wellformed_document_without_fonts_or_outside_files(code: str, preset: str) -> None:
    svg = face_svg(code, PRESETS[preset])
    root = ET.fromstring(svg)
    assert root.attrib["viewBox"] == "0 0 300 400"
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"text", "image", "use", "style"}
    assert svg.count("http") == 1  # only the namespace
    assert "nan" not in svg
    assert len(svg) < 40_000


def test_drawings_are_the_same_every_time_and_differ_between_codes() -> None:
    face_svg.cache_clear()
    first = [face_svg(code) for code in CODES]
    face_svg.cache_clear()
    assert first == [face_svg(code) for code in CODES]
    assert len(set(first)) == 43


def test_back_is_one_of_the_faces_and_a_wrong_code_names_the_right_ones() -> None:
    assert face_svg("back") == back_svg()
    with pytest.raises(ValueError, match=r"1m\.\.9m"):
        face_svg("0m")


@pytest.mark.parametrize(
    ("field", "value"), [("white", "grey"), ("rings", ""), ("index", "middle"), ("five", "5"), ("bird", "dodo")]
)
def test_style_refuses_an_unknown_choice_and_lists_the_known(field: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"FaceStyle.{field}.*choose one of"):
        FaceStyle(**{field: value})


def test_flower_digits_are_checked_and_printed_as_asked() -> None:
    with pytest.raises(ValueError, match="eight digits"):
        FaceStyle(flower_digits=(1, 2, 3))
    swapped = FaceStyle(flower_digits=(1, 2, 3, 4, 1, 2, 4, 3))
    assert ink_svg("f7", swapped) != ink_svg("f7")
    assert ink_svg("f6", swapped) == ink_svg("f6")


def test_styles_change_what_they_name() -> None:
    assert "rect" not in ink_svg("P", FaceStyle(white="blank"))
    assert ink_svg("5m", FaceStyle(five="伍")) != ink_svg("5m")
    assert ink_svg("4m", FaceStyle(five="伍")) == ink_svg("4m")
    assert ink_svg("1s", FaceStyle(bird="peacock")) != ink_svg("1s")
    assert ink_svg("3p", FaceStyle(index="left")).count("<path") == ink_svg("3p").count("<path") + 1
    assert "filter" in face_svg("1m")
    assert "filter" not in face_svg("1m", FaceStyle(engraving=0))


@pytest.mark.parametrize("character", CHARACTERS)
def test_characters_stay_in_their_box(character: str) -> None:
    data = character_path(character, 0, 0, 100, 100, 1.0)
    numbers = [float(n) for n in re.findall(r"-?\d+\.\d", data)]
    assert min(numbers) > -9
    assert max(numbers) < 109
    assert len(strokes(character)) == data.count("Z")


def test_unknown_character_is_named() -> None:
    with pytest.raises(KeyError, match="龍"):
        strokes("龍")


@pytest.mark.parametrize("kind", PROFILES)
def test_outlines_turn_the_same_way_so_overlaps_fill(kind: str) -> None:
    for points in (((10, 10), (90, 20)), ((90, 20), (10, 10)), ((50, 5), (40, 50), (10, 95))):
        ring = outline(Stroke(kind, points), 10)
        area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1], strict=True))
        assert area < 0
