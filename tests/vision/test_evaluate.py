"""Evaluation from pictures to rows, figures, page and command; on a small made data set and, if there, the photos."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from taicam.cli import build
from taicam.errors import JobError, UsageError
from vision.evaluate import (
    Evaluation,
    evaluate,
    hand_table,
    missed_targets,
    part_of,
    read_all_rows,
    read_rows,
    table,
    worst,
    write_rows,
)
from vision.evaluate_models import SHIPPED, candidates
from vision.evaluate_page import write_page
from vision.model_card import write_cards
from vision.observation import TileObservation
from vision.training.classes import CLASSES
from vision.training.photos import PhotoDataError, load_photos
from vision.weights import WeightsError, model_path

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


def test_a_photo_of_a_whole_hand_is_read_as_one(data: Path) -> None:
    codes = ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1s", "2s", "3s", "E", "E"]
    boxes = [(4.0 + 13 * k, 40.0, 17.0 + 13 * k, 60.0) for k in range(14)]
    lines = [
        f"{CLASSES.index(code)} {(a + c) / 400:.5f} 0.5 {(c - a) / 200:.5f} 0.2"
        for code, (a, _, c, _) in zip(codes, boxes, strict=True)
    ]
    (data / "labels" / "test" / "rmd_R_test_0.txt").write_text("\n".join(lines))

    def read(_: np.ndarray) -> tuple[TileObservation, ...]:
        # 9m at the end of its row is taken for 9s: no legal hand, so the reader has to ask.
        seen = [*codes[:8], "9s", *codes[9:]]
        return tuple(
            TileObservation(c, box, 0.9, ((c, 0.97), ("1p", 0.01))) for c, box in zip(seen, boxes, strict=True)
        )

    figures = evaluate(data, ["test"], read, "one wrong").to_json()
    part = figures["parts"]["R rows"]
    assert (part["hands"], part["exact"][0], part["silently_wrong"][0], part["taps"][0]) == (1, 0.0, 0.0, 1.0)
    assert set(figures["tile_sets"]) == {"R"} and set(figures["lights"]) == {"dim"}
    assert figures["per_tile"]["9m"]["recall"] == 0
    shown = hand_table(figures["parts"]).splitlines()
    assert len(shown) == 3 and shown[2].startswith("| R rows | 1 | 0.000 (0.000–1.000) | 1.000 (")
    assert hand_table({"val": {"hands": 0}}) == ""


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


def many(data: Path, count: int = 16) -> Path:
    for k in range(count):
        for folder, suffix in (("images", "jpg"), ("labels", "txt")):
            place = data / folder / "test"
            (place / f"rmd_R_test_1{k:02}.{suffix}").write_bytes((place / f"rmd_R_test_0.{suffix}").read_bytes())
    return data


def test_several_readers_side_by_side(data: Path, tmp_path: Path) -> None:
    many(data)
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    write_rows(evaluate(data, ["test"], perfect, "perfect"), good)
    write_rows(evaluate(data, ["test"], lambda p: perfect(p)[:1], "half <blind>"), bad)
    page, rows = tmp_path / "report.html", tmp_path / "all.jsonl"
    words = ["--from-rows", str(good), "--from-rows", str(bad), "--json", str(tmp_path / "out.json")]
    done = CliRunner().invoke(
        build("evaluate"), ["evaluate", *words, "--html", str(page), "--rows", str(rows), "--data", str(data)]
    )
    assert done.exit_code == 1, done.output  # the half-blind one misses targets
    assert "half <blind> against perfect: worse" in " ".join(done.stdout.split())
    figures = json.loads((tmp_path / "out.json").read_text())
    assert [one["reader"] for one in figures["readers"]] == ["perfect", "half <blind>"]
    found = figures["against_first"]["half <blind>"]
    assert found["verdict"] == "worse" and found["tiles_right"]["after"] == 0.5
    text = page.read_text()
    assert text.count("<polyline") == 2 and "Side by side" in text and "half &lt;blind&gt;" in text
    assert "half <blind>" not in text
    assert [one.name for one in read_all_rows(rows)] == ["perfect", "half <blind>"]
    with pytest.raises(ValueError, match="rows of 2 readers"):
        read_rows(rows)


def test_readers_that_cannot_be_held_against_each_other(data: Path, tmp_path: Path) -> None:
    many(data)
    one, few = tmp_path / "one.jsonl", tmp_path / "few.jsonl"
    write_rows(evaluate(data, ["test"], perfect, "perfect"), one)
    write_rows(evaluate(data, ["val"], perfect, "other"), few)
    app = build("evaluate")
    with pytest.raises(UsageError, match="two readers have one name"):
        CliRunner().invoke(app, ["evaluate", *["--from-rows", str(one)] * 2], catch_exceptions=False)
    with pytest.raises(JobError, match="different pictures"):
        words = ["--from-rows", str(one), "--from-rows", str(few)]
        CliRunner().invoke(app, ["evaluate", *words], catch_exceptions=False)
    with pytest.raises(UsageError, match="raw rows name their readers"):
        CliRunner().invoke(app, ["evaluate", "shipped", "--from-rows", str(one)], catch_exceptions=False)


def test_models_are_files_folders_or_the_shipped_ones(tmp_path: Path) -> None:
    shipped = {kind: model_path(kind) for kind in ("tiles", "rereader")}
    for name in ("new", "old"):
        (tmp_path / name).mkdir()
        copyfile(shipped["rereader"], tmp_path / name / "rereader.onnx")
    file = tmp_path / "new" / "rereader.onnx"
    made = candidates([SHIPPED, str(tmp_path / "new"), str(file)])
    assert [(one.name, one.tiles, one.rereader) for one in made] == [
        ("shipped", shipped["tiles"], shipped["rereader"]),
        ("new", shipped["tiles"], file),
        ("rereader", shipped["tiles"], file),
    ]
    two = candidates([str(tmp_path / name / "rereader.onnx") for name in ("new", "old")])
    assert [one.name for one in two] == [str(tmp_path / name / "rereader.onnx") for name in ("new", "old")]
    with pytest.raises(WeightsError, match="named twice"):
        candidates([SHIPPED, SHIPPED])
    with pytest.raises(WeightsError, match="there is no model nowhere"):
        candidates(["nowhere"])
    with pytest.raises(WeightsError, match="holds neither"):
        candidates([str(tmp_path)])


def test_without_a_model_the_networks_in_use_are_measured(
    data: Path, tmp_path: Path, promote_rereader: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAICAM_DATA_DIR", str(tmp_path / "data"))
    promote_rereader(tmp_path / "data")
    words = ["evaluate", "--data", str(data), "--split", "val", "--limit", "1", "--json", "-"]
    done = CliRunner().invoke(build("evaluate"), words, catch_exceptions=False)
    assert "networks: tiles shipped " in done.stderr and "; rereader 0001 " in done.stderr
    assert json.loads(done.stdout)["reader"] == "taicam"
    done = CliRunner().invoke(build("evaluate"), [*words, "shipped"], catch_exceptions=False)
    assert "0001" not in done.stderr


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
