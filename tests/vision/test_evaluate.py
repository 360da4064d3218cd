"""Evaluation from pictures to rows, figures, page and command; on a small made data set and, if there, the photos."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from taicam.cli import build
from vision.evaluate import Evaluation, evaluate, missed_targets, part_of, read_rows, table, worst, write_rows
from vision.evaluate_page import write_page
from vision.model_card import write_cards
from vision.observation import TileObservation
from vision.training.classes import CLASSES
from vision.training.photos import PhotoDataError, load_photos

PHOTOS = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"
needs_photos = pytest.mark.skipif(not PHOTOS.is_dir(), reason="the labelled photos are not beside the checkout")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    root = tmp_path / "set"
    for split in ("val", "test"):
        (root / "images" / split).mkdir(parents=True)
        (root / "labels" / split).mkdir(parents=True)
        for k in range(3):
            cv2.imwrite(str(root / "images" / split / f"rmd_R_{split}_{k}.jpg"), np.full((100, 200, 3), 80, np.uint8))
            text = f"{CLASSES.index('1m')} 0.1 0.5 0.1 0.3\n{CLASSES.index('2m')} 0.2 0.5 0.1 0.3\n"
            (root / "labels" / split / f"rmd_R_{split}_{k}.txt").write_text(text)
    (root / "data.yaml").write_text(json.dumps({"names": list(CLASSES)}))
    return root


def perfect(_: np.ndarray) -> tuple[TileObservation, ...]:
    return (
        TileObservation("1m", (10, 35, 30, 65), 0.9, (("1m", 1.0),)),
        TileObservation("2m", (30, 35, 50, 65), 0.9, (("2m", 1.0),)),
    )


def test_perfect_and_blind_readers(data: Path) -> None:
    good = evaluate(data, ["test"], perfect, "perfect").parts()["R rows"]
    assert [good[key][0] for key in ("precision", "recall", "class_accuracy", "exact_pictures", "exact_rows")] == [
        1
    ] * 5
    blind = evaluate(data, ["test"], lambda _: (), "blind")
    assert blind.parts()["R rows"]["recall"][0] == 0
    assert any(line.startswith("R rows: recall 0.0000, wanted 0.985") for line in missed_targets(blind.parts()))
    assert len(worst(blind.rows)) == 3


def test_rows_survive_writing_and_reading(data: Path, tmp_path: Path) -> None:
    evaluation = evaluate(data, ["val", "test"], perfect, "perfect")
    write_rows(evaluation, tmp_path / "rows.jsonl")
    again = read_rows(tmp_path / "rows.jsonl")
    assert again.parts() == evaluation.parts()
    assert "| R rows | 3 | 6 |" in table(again.parts())
    with pytest.raises(ValueError, match="no file of raw rows"):
        read_rows(tmp_path / "missing.jsonl")


def test_page_shows_the_worst_pictures(data: Path, tmp_path: Path) -> None:
    evaluation = evaluate(data, ["test"], lambda p: perfect(p)[:1], "half")
    write_page(evaluation, tmp_path / "report.html", data)
    page = (tmp_path / "report.html").read_text()
    assert "rmd_R_test_0.jpg" in page
    assert "2m missed" in page
    assert page.count("data:image/jpeg;base64") == 3


def test_malformed_data_sets_are_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(PhotoDataError, match=r"data\.yaml is missing"):
        load_photos(tmp_path / "nowhere", "test")
    with pytest.raises(PhotoDataError, match="train is missing"):
        load_photos(data, "train")
    (data / "data.yaml").write_text("names: [1m, joker]\n")
    with pytest.raises(PhotoDataError, match="joker"):
        load_photos(data, "test")
    (data / "data.yaml").write_text("nc: 2\n")
    with pytest.raises(PhotoDataError, match="no 'names'"):
        load_photos(data, "test")


def test_classes_go_by_name_not_by_number(data: Path) -> None:
    names = [*CLASSES[1:], CLASSES[0]]
    (data / "data.yaml").write_text(json.dumps({"names": names}))
    codes = [CLASSES[k] for k in load_photos(data, "test")[0].classes]
    assert codes == ["2m", "3m"]


def test_command_works_figures_out_from_rows_and_fails_on_missed_targets(data: Path, tmp_path: Path) -> None:
    write_rows(evaluate(data, ["test"], perfect, "perfect"), tmp_path / "good.jsonl")
    write_rows(evaluate(data, ["test"], lambda _: (), "blind"), tmp_path / "bad.jsonl")
    app, runner = build("evaluate"), CliRunner()
    good = runner.invoke(app, ["evaluate", "--from-rows", str(tmp_path / "good.jsonl"), "--json", "-"])
    assert good.exit_code == 0
    assert json.loads(good.stdout)["parts"]["R rows"]["pictures"] == 3
    bad = runner.invoke(app, ["evaluate", "--from-rows", str(tmp_path / "bad.jsonl")])
    assert bad.exit_code == 1
    assert "target missed" in bad.stdout


def test_cards_are_made_from_rows(data: Path, tmp_path: Path) -> None:
    results, models = tmp_path / "results", tmp_path / "models"
    models.mkdir()
    (models / "tiles.json").write_text(json.dumps({"training": {"steps": 7}, "bytes": 1_000_000}))
    write_rows(evaluate(data, ["test"], perfect, "both networks"), results / "tiles.jsonl")
    write_rows(evaluate(data, ["test"], lambda _: (), "blind"), results / "ablation-blind.jsonl")
    write_cards(models, results)
    card = json.loads((models / "tiles.json").read_text())
    assert card["metrics"]["R rows"]["recall"][0] == 1
    page = (models / "tiles.md").read_text()
    assert "riichimahjongdetection" in page
    assert "| blind | R rows | 0.000" in page
    assert "steps 7" in page


@needs_photos
@pytest.mark.shared
@pytest.mark.slow
def test_shipped_networks_read_unseen_tiles_as_the_card_says() -> None:
    photos = [p for p in load_photos(PHOTOS, "test") if part_of(p, "test") == "R rows"]
    evaluation = evaluate(PHOTOS, ["test"])
    figures = evaluation.parts()["R rows"]
    assert figures["pictures"] == len(photos) == 9
    assert figures["recall"][0] >= 0.97
    assert figures["class_accuracy"][0] >= 0.97
    assert isinstance(evaluation, Evaluation)
