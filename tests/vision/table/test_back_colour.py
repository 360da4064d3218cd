"""A blank 白 taken for a back is told by the colour of the backs seen elsewhere on the table."""

from __future__ import annotations

import numpy as np
import pytest

from vision.back_colour import BackColours
from vision.observation import TileObservation

BLUE, GREY, SHADE = (150, 60, 20), (150, 150, 150), (120, 45, 12)


def back(place: int, blank: float = 0.0, there: float = 0.95) -> TileObservation:
    x = 10.0 + 40 * place
    odds = (("back", 1 - blank), ("P", blank)) if blank else (("back", 0.999),)
    return TileObservation("back", (x, 10.0, x + 30, 50.0), there * odds[0][1], odds, 0.0)


def view(*colours: tuple[int, int, int]) -> np.ndarray:
    image = np.full((60, 20 + 40 * len(colours), 3), (60, 110, 40), np.uint8)
    for place, colour in enumerate(colours):
        image[10:50, 10 + 40 * place : 40 + 40 * place] = colour
    return image


def test_a_doubtful_back_of_another_colour_is_a_blank_tile() -> None:
    colours = BackColours()
    colours.learn(view(BLUE, BLUE, SHADE, BLUE), [back(n) for n in range(4)])
    (told,) = colours.told(view(GREY), [back(0, blank=0.1)])
    assert told.code == "P"
    assert told.alternatives[0][1] == pytest.approx(1.0)
    assert told.presence == pytest.approx(0.95), "it is as surely there as before"


@pytest.mark.parametrize(
    ("colour", "blank", "backs"),
    [(SHADE, 0.1, 4), (GREY, 0.0, 4), (GREY, 0.01, 4), (GREY, 0.1, 2)],
    ids=["like the backs, in shadow", "no doubt", "hardly a doubt", "too few backs seen"],
)
def test_everything_else_stays_a_back(colour: tuple[int, int, int], blank: float, backs: int) -> None:
    colours = BackColours()
    colours.learn(view(*[BLUE] * backs), [back(n) for n in range(backs)])
    tile = back(0, blank)
    assert colours.told(view(colour), [tile]) == [tile]


def test_doubtful_backs_and_faces_teach_nothing() -> None:
    colours = BackColours()
    face = TileObservation("1m", (10.0, 10.0, 40.0, 50.0), 0.99, (("1m", 0.999),), 0.0)
    image = view(GREY, GREY, GREY, GREY)
    colours.learn(image, [back(0, blank=0.2), back(1, there=0.5), back(2), back(3), face])
    tile = back(0, blank=0.2)
    assert colours.told(view(BLUE), [tile]) == [tile], "two sure backs are too few"


def test_a_box_beyond_the_picture_does_no_harm() -> None:
    colours = BackColours()
    colours.learn(view(BLUE, BLUE, BLUE), [back(n) for n in range(3)])
    beyond = TileObservation("back", (150.0, 55.0, 190.0, 90.0), 0.8, (("back", 0.8), ("P", 0.2)), None)
    assert len(colours.told(view(BLUE, BLUE, BLUE), [beyond])) == 1
