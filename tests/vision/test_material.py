"""What a network may learn from: scenes left out, the owner's pictures joined, and the record of it."""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from taicam.cli import build
from taicam.errors import TaicamError
from vision.training.classes import CLASSES
from vision.training.material import OWN_WEIGHT, Material
from vision.training.photos import PhotoDataError
from vision.training.recipe import record


def photo(root: Path, split: str, name: str, line: str = "0 0.5 0.5 0.1 0.2\n") -> None:
    for kind in ("images", "labels"):
        (root / kind / split).mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(root / "images" / split / f"{name}.jpg"), np.full((60, 80, 3), 90, np.uint8))
    (root / "labels" / split / f"{name}.txt").write_text(line)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    for name in ("rmd_G_1", "rmd_G_2", "rmd_O_1", "cam_1"):
        photo(root / "real", "train", name)
    photo(root / "real", "test", "rmd_R_1")
    (root / "real" / "data.yaml").write_text(json.dumps({"names": list(CLASSES)}))
    (root / "crops" / "1m").mkdir(parents=True)
    cv2.imwrite(str(root / "crops" / "1m" / "3_r00c00.jpg"), np.full((64, 48, 3), 200, np.uint8))
    return root


@pytest.fixture
def own(tmp_path: Path) -> Path:
    root = tmp_path / "own"
    photo(root, "train", "rmd_G_1")  # the same name as another picture, and other class numbers
    (root / "data.yaml").write_text(json.dumps({"train": "images/train", "names": {0: "9p"}}))
    return root


def test_a_scene_left_out_is_not_learned_from(data: Path) -> None:
    names = [p.path.stem for p in Material(data, leave_out=("G",)).photos()]
    assert names == ["cam_1", "rmd_O_1"]
    assert not [f for f in Material(data, leave_out=("G",)).files() if "rmd_G" in f.name]
    assert Material(data, leave_out=("G",)).crops == data / "crops"


def test_crops_cut_from_a_scene_go_with_it(data: Path) -> None:
    material = Material(data, leave_out=("cam",))
    assert material.crops is None
    assert not [f for f in material.files() if "crops" in f.parts]


def test_captured_pictures_join_by_class_name_and_count_more(data: Path, own: Path) -> None:
    material = Material(data, own)
    photos = material.photos()
    assert [p.path.parents[2].name for p in photos] == ["real"] * 4 + ["own"]
    assert CLASSES[int(photos[-1].classes[0])] == "9p"
    assert material.weight(photos[-1]) == OWN_WEIGHT > material.weight(photos[1])


def test_what_dataset_export_writes_is_what_captured_reads(data: Path, own: Path, tmp_path: Path) -> None:
    words = ["dataset", "export", str(own), str(tmp_path / "exported"), "--to", "yolo"]
    result = CliRunner().invoke(build("dataset"), words)
    assert result.exit_code == 0, result.output
    photos = Material(data, tmp_path / "exported").photos()
    assert [CLASSES[int(photo.classes[0])] for photo in photos] == ["1m"] * 4 + ["9p"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"splits": ("test",)}, "test split never goes into training"),
        ({"leave_out": ("X",)}, r"no photo of scene X to leave out: there are \['G', 'O', 'cam'\]"),
        ({"leave_out": ("G", "O", "cam")}, "every photo is left out"),
    ],
)
def test_what_cannot_be_is_refused(data: Path, settings: dict[str, tuple[str, ...]], says: str) -> None:
    with pytest.raises(PhotoDataError, match=says):
        Material(data, **settings).photos()


def test_an_empty_captured_set_is_refused(data: Path, own: Path) -> None:
    photo(own, "train", "rmd_G_1", "")
    with pytest.raises(PhotoDataError, match="no labelled picture in images/train"):
        Material(data, own).photos()


def test_the_recipe_names_settings_versions_and_every_file(data: Path, own: Path, tmp_path: Path) -> None:
    start = tmp_path / "start.pt"
    start.write_bytes(b"weights")
    path = record("detector", {"seed": 3, "data": data}, Material(data, own), start, tmp_path / "out")
    recipe = json.loads(path.read_text())
    assert recipe["settings"] == {"seed": 3, "data": "data"}
    assert recipe["versions"]["numpy"] == np.__version__
    assert recipe["started_from"]["sha256"] == hashlib.sha256(b"weights").hexdigest()
    lines = (tmp_path / "out" / recipe["data"]["list"]).read_text().splitlines()
    assert len(lines) == recipe["data"]["files"] == 2 + 2 * 5 + 1
    for line in lines:
        digest, file = line.split("  ")
        place = own / file.removeprefix("captured/") if file.startswith("captured/") else data / file
        assert hashlib.sha256(place.read_bytes()).hexdigest() == digest
    changed = data / "crops" / "1m" / "3_r00c00.jpg"
    changed.write_bytes(b"other")
    again = json.loads(record("detector", {}, Material(data, own), None, tmp_path / "two").read_text())
    assert again["data"]["sha256_of_list"] != recipe["data"]["sha256_of_list"]


def test_the_command_refuses_a_folder_that_is_no_data_set(data: Path, tmp_path: Path) -> None:
    if not (find_spec("torch") and find_spec("ultralytics")):
        pytest.skip("needs the train extra: pip install 'taicam[train]'")
    (tmp_path / "nothing").mkdir()
    words = ["train", "--data", str(data), "--captured", str(tmp_path / "nothing"), "--out", str(tmp_path / "o")]
    result = CliRunner().invoke(build("train"), words)
    assert isinstance(result.exception, TaicamError)
    assert "is no YOLO data set" in str(result.exception)
    assert "taicam dataset export" in str(result.exception)
