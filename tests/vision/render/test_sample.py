"""The bundled sample: legal hands, true scores, and the command really makes the pictures that are there."""

import json
from importlib import resources
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.training.render.raster import RenderError
from vision.training.render.sample import SHOTS, Shot, check, picture

FOLDER = Path(str(resources.files("taicam"))) / "sample"


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_hands_are_what_they_say(shot: Shot) -> None:
    answer = check(shot)
    assert answer["wins"] is shot.wins
    assert (answer["total"] > 0) is shot.wins


def test_the_sample_holds_what_it_must() -> None:
    truth = json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))["pictures"]
    assert len(truth) == len(SHOTS) >= 14
    kinds = {meld["kind"] for entry in truth for meld in entry["melds"]}
    assert kinds >= {"chow", "pung", "kong_exposed", "kong_concealed"}
    assert any(entry["flowers"] for entry in truth)
    assert sum(not entry["wins"] for entry in truth) == 1
    assert all((FOLDER / entry["picture"]).is_file() for entry in truth)
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 4e6
    assert [entry["picture"] for entry in truth] == [f"{shot.name}.jpg" for shot in SHOTS]


def test_the_command_makes_the_pictures_that_are_there() -> None:
    shot = SHOTS[3]
    scene = picture(shot)
    stored = cv2.imread(str(FOLDER / f"{shot.name}.jpg"))
    assert stored.shape == scene.image.shape
    assert np.abs(stored.astype(int) - scene.image.astype(int)).mean() < 4
    assert {t.code for t in scene.tiles} == {
        "2m",
        "5m",
        "F",
        "back",
        "f6",
        *(f"{n}p" for n in range(1, 7)),
        "7s",
        "8s",
        "9s",
    }


def test_an_illegal_hand_is_refused() -> None:
    with pytest.raises(RenderError, match="too many of 1m"):
        check(Shot("five of a kind", "11111m222333444p55s", "5s"))
    with pytest.raises(RenderError, match="wanted True"):
        check(Shot("not winning", "147m258p369sESWNCFP1m", "1m"))
