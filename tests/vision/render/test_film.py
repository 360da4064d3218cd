"""A film and its truth agree frame by frame."""

import json
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.training.render.film import write_film
from vision.training.render.game import game_frames, studio
from vision.training.render.light import LIGHTS
from vision.training.render.raster import RenderError

SIZE = (320, 240)


def test_film_and_truth_have_the_same_frames(tmp_path: Path) -> None:
    path = tmp_path / "match.avi"
    room = studio(3, SIZE, elevation=75, light="office")
    assert write_film(path, islice(game_frames(3, 2.0, SIZE, room=room), 9), 2.0) == 9
    lines = [json.loads(line) for line in path.with_suffix(".truth.jsonl").read_text().splitlines()]
    assert [line["frame"] for line in lines] == list(range(9))
    assert lines[0]["event"]["kind"] == "dealt"
    assert len(lines[0]["seats"]) == 4
    film = cv2.VideoCapture(str(path))
    pictures = []
    while True:
        ok, picture = film.read()
        if not ok:
            break
        pictures.append(picture)
    assert len(pictures) == 9
    first = next(game_frames(3, 2.0, SIZE, room=room)).image
    assert np.abs(pictures[0].astype(int) - first.astype(int)).mean() < 8


def test_six_lights_differ() -> None:
    assert len(LIGHTS) == 6
    pictures = [next(game_frames(3, 2.0, SIZE, room=studio(3, SIZE, light=name))).image for name in LIGHTS]
    for i, one in enumerate(pictures):
        assert all(cv2.absdiff(one, other).mean() > 1 for other in pictures[i + 1 :])


def test_a_film_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RenderError, match=r"\.avi"):
        write_film(tmp_path / "match.xyz", islice(game_frames(3, 2.0, SIZE), 2), 2.0)
