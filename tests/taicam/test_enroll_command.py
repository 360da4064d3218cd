"""`taicam enroll` with the shipped networks: propose, correct, learn, list, recognise, delete."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

import taicam
from taicam.cli import main

pytestmark = pytest.mark.usefixtures("networks")


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["enroll", *map(str, words)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def faces(folder: Path, copies: int) -> Path:
    """Class folders of drawn faces, a little different in each copy."""
    rng = np.random.default_rng(0)
    for number, code in enumerate(("1m", "2m", "3m", "E", "S", "C")):
        (folder / code).mkdir(parents=True)
        own = np.random.default_rng(number)
        points = own.integers(15, 85, (5, 2, 2))
        for copy in range(copies):
            image = np.full((120, 90, 3), 225, np.uint8)
            for one, two in points + rng.integers(-2, 3, points.shape):
                cv2.line(image, (int(one[0] * 0.9), int(one[1])), (int(two[0] * 0.9), int(two[1])), (30, 30, 120), 5)
            assert cv2.imwrite(str(folder / code / f"{copy}.png"), image)
    return folder


@pytest.mark.slow
def test_a_set_learnt_from_faces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    source = faces(tmp_path / "faces", 3)
    status, out, _ = run(capsys, "learn", "草繪", source, "--data", data, "--json")
    record = json.loads(out)
    assert (status, record["name"], record["version"], record["faces"], record["crops"]) == (0, "草繪", 1, 6, 18)
    assert record["report"]["tiles"] == 18
    assert record["report"]["after"] >= record["report"]["before"]
    assert "4m" in record["report"]["missing"]
    status, out, _ = run(capsys, "learn", "草繪", source, "--no-flowers", "--data", data)
    assert "version 2" in out and "→" in out and "f1" not in out
    listed = json.loads(run(capsys, "list", "--data", data, "--json")[1])
    assert [(item["name"], item["version"]) for item in listed] == [("草繪", 2)]
    assert run(capsys, "delete", "草繪", "--version", "2", "--data", data)[0] == 0
    assert "version 1" in run(capsys, "list", "--data", data)[1]
    assert run(capsys, "delete", "草繪", "--data", data)[0] == 0
    assert "no tile set" in run(capsys, "list", "--data", data)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["learn", "a/b", "."], "cannot name a tile set"),
        (["learn", "x", "nowhere"], "does not exist"),
        (["delete", "nobody"], "stored are: none yet"),
        (["propose", "no.jpg", "--out", "o"], "does not exist"),
    ],
)
def test_mistakes(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TAICAM_DATA_DIR", str(tmp_path / "data"))
    status, _, err = run(capsys, *words)
    assert status == 2 and said in err


def test_proposals_come_from_the_networks_in_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], promote_rereader: Callable[[Path], None]
) -> None:
    photo = sorted((Path(taicam.__file__).parent / "sample").glob("*.jpg"))[0]
    data = tmp_path / "data"
    promote_rereader(data)
    assert run(capsys, "propose", photo, "--out", tmp_path / "mine", "--data", data)[0] == 0
    record = json.loads((tmp_path / "mine" / photo.name).with_suffix(".json").read_text(encoding="utf-8"))
    assert record["model"]["tiles"].startswith("shipped ") and record["model"]["rereader"].startswith("0001 ")


@pytest.mark.shared
def test_photos_proposed_corrected_and_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).resolve().parents[3] / "shared/data/real"
    if not root.is_dir():
        pytest.skip("the photos beside the checkout are not here")
    photos = sorted((root / "images/val").glob("*.jpg"))[:2]
    out = tmp_path / "mine"
    status, text, _ = run(capsys, "propose", *photos, "--out", out)
    assert status == 0 and "尚缺" in text
    sidecar = next(out.glob("*.json"))
    record = json.loads(sidecar.read_text(encoding="utf-8"))
    assert record["state"] == "proposed" and len(record["boxes"]) >= 10 and record["boxes"][0]["alternatives"]
    status, text, err = run(capsys, "learn", "D", out, "--data", tmp_path)
    assert status == 0 and "proposals nobody has accepted" in err and "D, version 1" in text
    found = json.loads(run(capsys, "recognise", photos[0], "--data", tmp_path, "--json")[1])
    assert found["strangeness"]["D"] < 2
    assert run(capsys, "propose", photos[0], "--out", out)[0] == 2
