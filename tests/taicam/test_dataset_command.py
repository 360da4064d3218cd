"""`taicam dataset` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import yaml

from taicam.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["dataset", *map(str, words)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


@pytest.fixture
def yolo(tmp_path: Path) -> Path:
    folder = tmp_path / "yolo"
    for split, seed in (("train", 1), ("val", 2)):
        (folder / f"images/{split}").mkdir(parents=True)
        (folder / f"labels/{split}").mkdir(parents=True)
        blocks = np.random.default_rng(seed).integers(0, 255, (6, 8, 3), dtype=np.uint8)
        cv2.imwrite(str(folder / f"images/{split}/{split}.png"), cv2.resize(blocks, (160, 120)))
        (folder / f"labels/{split}/{split}.txt").write_text("1 0.5 0.5 0.2 0.4\n0 0.2 0.5 0.2 0.4\n")
    names = {"train": "images/train", "val": "images/val", "names": ["red five", "2s"]}
    (folder / "data.yaml").write_text(yaml.safe_dump(names))
    return folder


def test_import_rename_export_and_the_classes_keep_their_names(
    yolo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "import", yolo, tmp_path / "a", "--rename", "red five=5m", "--tile-set", "mine")
    assert (status, err) == (0, "") and "2 pictures with 4 boxes" in out
    sidecar = json.loads((tmp_path / "a/val.json").read_text(encoding="utf-8"))
    assert [box["code"] for box in sidecar["boxes"]] == ["2s", "5m"]
    assert (sidecar["tile_set"], sidecar["split"]) == ("mine", "val")
    (tmp_path / "order.txt").write_text("5m\n2s\n1m\n")
    status, out, _ = run(
        capsys, "export", tmp_path / "a", tmp_path / "b", "--classes", tmp_path / "order.txt", "--json"
    )
    result: dict[str, Any] = json.loads(out)
    assert (status, result["boxes"], result["lost"]) == (0, 4, {"tile_set": 2})
    assert (tmp_path / "b/labels/val/val.txt").read_text().startswith("1 0.5")


def test_unknown_classes_are_named_and_left_out(yolo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "import", yolo, tmp_path / "a")
    assert status == 0 and "2 boxes" in out
    assert "labels/train/train.txt: line 2: class 'red five' is no tile" in err


def test_a_gate_is_made_of_what_was_taken_before_a_day(
    yolo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "import", yolo, tmp_path / "a", "--rename", "red five=5m")
    for name, day in (("train", "2026-11-30T20:00:00Z"), ("val", "2026-12-02T20:00:00Z")):
        sidecar = tmp_path / f"a/{name}.json"
        record = json.loads(sidecar.read_text(encoding="utf-8"))
        record.pop("split")
        sidecar.write_text(json.dumps({**record, "captured_at": day}), encoding="utf-8")
    status, out, _ = run(capsys, "export", tmp_path / "a", tmp_path / "gate", "--split", "val", "--until", "2026-12-01")
    assert status == 0 and "1 pictures" in out
    assert [p.name for p in (tmp_path / "gate/images/val").iterdir()] == ["train.png"]
    status, out, _ = run(capsys, "export", tmp_path / "a", tmp_path / "rest", "--since", "2026-12-01")
    assert status == 0 and [p.name for p in (tmp_path / "rest/images/train").iterdir()] == ["val.png"]
    status, _, err = run(capsys, "export", tmp_path / "a", tmp_path / "x", "--since", "yesterday")
    assert status == 2 and "2026-12-31" in err


def test_check_says_what_is_wrong_by_its_exit_status_and_writes_a_page(
    yolo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = run(capsys, "check", yolo, "--rename", "red five=5m", "--report", tmp_path / "page")
    assert status == 0 and "nothing to mend" in out
    assert (tmp_path / "page/index.html").is_file()
    (yolo / "images/val/again.png").write_bytes((yolo / "images/train/train.png").read_bytes())
    status, out, _ = run(capsys, "check", yolo, "--json")
    found = json.loads(out)
    assert status == 1 and found["unknown_classes"] == {"red five": 2}
    assert found["pairs"][0]["splits"] in (["train", "val"], ["val", "train"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["import", "nowhere", "x"], "does not exist"),
        (["import", ".", "x", "--rename", "5m"], "NAME=CODE"),
        (["import", ".", "x", "--rename", "a=12m"], "no tile"),
        (["export", ".", "x", "--format", "csv"], "choose one of"),
    ],
)
def test_mistakes_leave_with_status_2_and_advice(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = run(capsys, *words)
    assert status == 2 and said in err


def test_a_target_in_use_is_left_alone(yolo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(yolo.rglob("*"))
    status, _, err = run(capsys, "import", yolo, yolo)
    assert status == 2 and "not empty" in err
    assert sorted(yolo.rglob("*")) == before
