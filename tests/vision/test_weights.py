"""Finding the networks, and refusing damaged ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vision.session import open_network, usable_cores
from vision.weights import WeightsError, model_card, model_path, sha256_of


def test_shipped_networks_are_whole_and_small() -> None:
    paths = [model_path("tiles"), model_path("rereader")]
    for path in paths:
        assert model_card(path)["sha256"] == sha256_of(path)
    assert sum(path.stat().st_size for path in paths) <= 25e6


def test_missing_network_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAICAM_MODELS", str(tmp_path))
    with pytest.raises(WeightsError, match=r"no network nothing\.onnx in .*TAICAM_MODELS"):
        model_path("nothing")


def test_chosen_folder_comes_first_and_damage_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAICAM_MODELS", str(tmp_path))
    file = tmp_path / "tiles.onnx"
    file.write_bytes(b"whole")
    file.with_suffix(".json").write_text(json.dumps({"sha256": sha256_of(file)}))
    assert model_path("tiles") == file
    file.write_bytes(b"half")
    with pytest.raises(WeightsError, match="does not match the sha256"):
        model_path("tiles")


def test_broken_card_and_broken_network_are_named(tmp_path: Path) -> None:
    file = tmp_path / "x.onnx"
    file.write_bytes(b"no network")
    assert model_card(file) == {}
    with pytest.raises(WeightsError, match=r"x\.onnx cannot be opened"):
        open_network(file)
    file.with_suffix(".json").write_text("{")
    with pytest.raises(WeightsError, match="not valid JSON"):
        model_card(file)


def test_cores_are_those_the_process_may_use() -> None:
    assert usable_cores() >= 1
