"""`taicam models` and `taicam train` on the command line: what they show, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from taicam.cli import build
from taicam.errors import JobError, UsageError
from taicam.models_compare import GateRow
from taicam.models_registry import Gate
from vision.weights import model_path, sha256_of

runner = CliRunner()


def run(*words: str) -> str:
    result = runner.invoke(build(words[0]), list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_list_shows_the_shipped_networks_in_use(tmp_path: Path) -> None:
    versions = json.loads(run("models", "list", "--json", "--data", str(tmp_path)))
    assert {(v["kind"], v["version"], v["in_use"]) for v in versions} == {
        ("tiles", "shipped", True),
        ("rereader", "shipped", True),
    }
    assert versions[0]["sha256"] == sha256_of(model_path(versions[0]["kind"]))
    assert "shipped" in run("models", "list", "--data", str(tmp_path))


def test_added_version_waits_until_it_is_promoted(tmp_path: Path) -> None:
    copy = tmp_path / "new.onnx"
    copy.write_bytes(model_path("rereader").read_bytes())
    assert run("models", "add", "rereader", str(copy), "--data", str(tmp_path / "d")).strip() == "rereader 0001"
    versions = json.loads(run("models", "list", "--json", "--data", str(tmp_path / "d")))
    assert [v["in_use"] for v in versions if v["version"] == "0001"] == [False]
    with pytest.raises(JobError, match="no other version"):
        run("models", "rollback", "rereader", "--data", str(tmp_path / "d"))


def test_compare_gives_the_verdict_of_the_gate_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "d"
    for name in ("good", "bad"):
        (tmp_path / f"{name}.onnx").write_bytes(name.encode())
        run("models", "add", "rereader", str(tmp_path / f"{name}.onnx"), "--data", str(data))

    def gate(photos: Path, splits: Sequence[str], limit: int = 0) -> Gate:
        assert (photos, tuple(splits), limit) == (tmp_path, ("val",), 7)
        right = {"good": 10, "bad": 5}  # by the file's first bytes; the shipped one 9
        return lambda paths: [
            GateRow(f"{k}.jpg", 10, right.get(paths["rereader"].read_bytes()[:4].decode("latin1"), 9), False)
            for k in range(20)
        ]

    monkeypatch.setattr("taicam.commands.models.photo_gate", gate)
    common = ["--gate", str(tmp_path), "--limit", "7", "--data", str(data)]
    answer = json.loads(run("models", "compare", "rereader", "0001", *common, "--json"))
    assert (answer["verdict"], answer["than"], answer["tiles_right"]["after"]) == ("better", "shipped", 1.0)
    worse = runner.invoke(build("models"), ["models", "compare", "rereader", "0002", "--than", "0001", *common])
    assert worse.exit_code == 1 and "rereader 0002 against 0001: worse" in worse.stdout
    same = run("models", "compare", "rereader", "0001", "--than", "0001", *common)
    assert "no difference beyond chance" in same
    with pytest.raises(JobError, match="no version '0009'"):
        run("models", "compare", "rereader", "0009", *common)
    assert [v["version"] for v in json.loads(run("models", "list", "--json", "--data", str(data))) if v["in_use"]] == [
        "shipped"
    ] * 2


def test_the_gate_is_a_folder_of_the_data_folder_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["models", "compare", "rereader", "shipped", "--data", str(tmp_path)]
    with pytest.raises(UsageError, match="no photos to decide by") as refused:
        run(*words)
    assert "taicam dataset export CAPTURES" in refused.value.advice
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate/data.yaml").write_text("names: [1m]")
    asked: list[Path] = []

    def gate(photos: Path, splits: Sequence[str], limit: int = 0) -> Gate:
        asked.append(photos)
        return lambda _paths: [GateRow(f"{k}.jpg", 10, 9, False) for k in range(20)]

    monkeypatch.setattr("taicam.commands.models.photo_gate", gate)
    assert "no difference beyond chance" in run(*words)
    assert asked == [tmp_path / "gate"]


@pytest.mark.parametrize("kind", ["tiles", "rereader"])
def test_networks_go_out_as_openvino_and_answer_alike(kind: str, tmp_path: Path) -> None:
    if find_spec("openvino") is None:
        pytest.skip("needs the openvino extra: pip install 'taicam[openvino]'")
    out = run("models", "export", kind, "--openvino", str(tmp_path / "ir"), "--data", str(tmp_path))
    assert f"{kind} shipped; largest difference" in out and "over 4 pictures" in out
    import openvino

    model = openvino.Core().read_model(str(tmp_path / f"ir/{kind}.xml"))
    told = model.get_rt_info(["taicam", "names"])
    assert json.loads(getattr(told, "value", told))[0] == "1m"
    assert (tmp_path / f"ir/{kind}.bin").stat().st_size > 100_000


def test_an_export_that_answers_otherwise_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("openvino") is None:
        pytest.skip("needs the openvino extra: pip install 'taicam[openvino]'")
    monkeypatch.setattr("vision.openvino_ir.TOLERANCE_8_BIT", 0.0)  # not even rounding
    with pytest.raises(JobError, match="cannot be exported") as refused:
        run("models", "export", "rereader", "--openvino", str(tmp_path), "--data", str(tmp_path))
    assert "do not use it" in refused.value.advice


def test_export_says_what_is_missing(tmp_path: Path) -> None:
    words = ["models", "export", "tiles", "--openvino", str(tmp_path), "--data", str(tmp_path)]
    with pytest.raises(JobError, match="no version '0007'"):
        run(*words, "--version", "0007")
    if find_spec("openvino") is None:
        with pytest.raises(JobError, match="cannot be exported") as refused:
            run(*words)
        assert "pip install 'taicam[openvino]'" in refused.value.advice


def test_card_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="is no folder"):
        run("models", "card", "--models", str(tmp_path / "none"))


def test_evaluate_needs_pictures_or_rows() -> None:
    with pytest.raises(UsageError, match="no pictures to measure on"):
        run("evaluate")


def test_train_says_what_is_missing(tmp_path: Path) -> None:
    if not (find_spec("torch") and find_spec("ultralytics")):  # not imported before `vision.training.quiet`
        pytest.skip("needs the train extra: pip install 'taicam[train]'")
    with pytest.raises(UsageError, match="nothing to train on"):
        run("train")
    with pytest.raises(UsageError, match="--size 333 does not fit"):
        run("train", "--data", str(tmp_path), "--size", "333")
    with pytest.raises(UsageError, match="there is no checkpoint"):
        run("train", "--data", str(tmp_path), "--checkpoint", str(tmp_path / "x.pt"))
