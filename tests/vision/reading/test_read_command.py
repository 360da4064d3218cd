"""`taicam read` and `taicam calibrate` as a user or a program meets them, with the shipped networks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from taicam.cli import main
from vision import detector as detector_module
from vision import rereader as rereader_module
from vision.detector import Detector
from vision.enroll import Shot, learn
from vision.enroll_crops import tile_crops
from vision.enroll_reader import RereaderEmbedder
from vision.enroll_store import ProfileStore
from vision.picture import load_picture
from vision.session import open_network

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "taicam" / "sample"
pytestmark = pytest.mark.skipif(
    not (ROOT / "models" / "tiles.onnx").is_file() or not (SAMPLE / "truth.json").is_file(),
    reason="the networks or the sample pictures are not there",
)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    out = capsys.readouterr()
    return int(left.value.code or 0), out.out, out.err


def entry(name: str) -> dict:
    pictures = json.loads((SAMPLE / "truth.json").read_text(encoding="utf-8"))["pictures"]
    return next(p for p in pictures if p["picture"].startswith(name))


def test_json_is_as_contracted_and_right(capsys: pytest.CaptureFixture[str]) -> None:
    truth = entry("03")
    path = SAMPLE / truth["picture"]
    status, out, _ = run(capsys, "read", "--json", path)
    answer = json.loads(out)
    assert status == 0
    assert answer["image"] == str(path)
    for tile in answer["tiles"]:
        assert {"code", "box", "confidence", "alternatives"} <= set(tile)
        assert len(tile["box"]) == 4 and 0 <= tile["confidence"] <= 1
    assert sorted(answer["hand"]["concealed"]) == sorted(truth["concealed"])
    assert answer["hand"]["win_tile"] == truth["win_tile"]


def test_bad_pictures_give_an_error_object_and_the_rest_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = tmp_path / "note.jpg"
    text.write_text("not a picture")
    torn = tmp_path / "torn.jpg"
    torn.write_bytes((SAMPLE / entry("01")["picture"]).read_bytes()[:20000])
    blank = tmp_path / "blank.png"
    cv2.imwrite(str(blank), np.full((400, 600, 3), 120, np.uint8))
    good = SAMPLE / entry("01")["picture"]
    status, out, _ = run(capsys, "read", "--json", text, torn, tmp_path / "none.jpg", blank, good)
    answers = [json.loads(line) for line in out.splitlines()]
    assert status == 2
    assert [a.get("code") for a in answers] == ["not_a_picture", "torn", "missing", None, None]
    assert all("error" in a and "image" in a for a in answers[:3])
    assert answers[3]["status"] == "unreadable" and answers[3]["doubts"][0]["kind"] == "no_tiles"
    assert answers[4]["status"] in {"accepted", "confirm"}


def test_a_large_picture_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    path = SAMPLE / entry("01")["picture"]
    status, out, _ = run(capsys, "read", "--json", path, "--max-megapixels", "0.5")
    assert status == 2 and json.loads(out)["code"] == "too_large"


def test_score_comes_with_the_hand(capsys: pytest.CaptureFixture[str]) -> None:
    truth = entry("03")
    path = SAMPLE / truth["picture"]
    words = ["--seat-wind", truth["seat_wind"], "--round-wind", truth["round_wind"]]
    words += ["--self-draw"] if truth["self_draw"] else []
    status, out, _ = run(capsys, "read", "--json", "--score", *words, path)
    answer = json.loads(out)
    assert status == 0
    assert answer["score"]["wins"] is True
    assert answer["score"]["total"] == truth["total"]


def test_people_get_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    drawn = tmp_path / "debug.png"
    path = SAMPLE / entry("03")["picture"]
    status, out, _ = run(capsys, "read", "--score", path, "--debug-picture", drawn)
    assert status == 0
    assert "手牌" in out and "和的牌" in out and "台" in out
    before, after = load_picture(path), load_picture(drawn)
    assert after.shape[0] > before.shape[0], "a legend is added below"
    assert np.abs(after[: before.shape[0]].astype(int) - before).mean() > 0.5


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--ruleset", "nowhere"], "nowhere"),
        (["--score", "--seat-wind", "X"], "--seat-wind"),
        (["--option", "ligu_enabled"], "NAME=VALUE"),
        (["--mode", "table"], "calibrate"),
    ],
)
def test_bad_usage_says_what_would_be_valid(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], says: str
) -> None:
    path = SAMPLE / entry("01")["picture"]
    status, _, err = run(capsys, "read", *words, "--data", tmp_path, path)
    assert status == 2
    assert says in err
    assert "Traceback" not in err


def table_picture(path: Path) -> Path:
    """A cloth on a floor, seen askew, with things on the floor to recognise it by."""
    rng = np.random.default_rng(1)
    image = np.full((900, 1400, 3), (110, 130, 150), np.uint8)
    for _ in range(400):
        at = (int(rng.integers(0, 1400)), int(rng.integers(0, 900)))
        cv2.circle(image, at, int(rng.integers(2, 9)), tuple(int(v) for v in rng.integers(0, 255, 3)), -1)
    cv2.fillConvexPoly(image, np.array([[380, 120], [1050, 130], [1260, 800], [160, 790]], np.int32), (70, 120, 45))
    cv2.imwrite(str(path), image)
    return path


def test_calibrate_find_check_and_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = table_picture(tmp_path / "table.png")
    drawn = tmp_path / "drawn.png"
    status, out, err = run(
        capsys, "calibrate", picture, "--find", "--json", "--data", tmp_path, "--debug-picture", drawn
    )
    assert status == 0, err
    found = json.loads(out)
    assert np.abs(np.array(found["corners"]) - [[380, 120], [1050, 130], [1260, 800], [160, 790]]).max() < 8
    assert Path(found["file"]).is_file() and drawn.is_file()
    status, out, _ = run(capsys, "calibrate", picture, "--check", "--json", "--data", tmp_path)
    assert (status, json.loads(out)["moved"]) == (0, False)
    shifted = tmp_path / "moved.png"
    cv2.imwrite(str(shifted), np.roll(cv2.imread(str(picture)), 60, axis=1))
    status, out, _ = run(capsys, "calibrate", shifted, "--check", "--json", "--data", tmp_path)
    assert (status, json.loads(out)["moved"]) == (1, True)
    status, out, _ = run(capsys, "read", "--json", "--mode", "table", "--data", tmp_path, picture)
    answer = json.loads(out)
    assert status == 0
    assert [s["seat"] for s in answer["seats"]] == [0, 1, 2, 3] and answer["winner"] is None


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--find"], "picture is needed"),
        (["PICTURE"], "--find or --corners"),
        (["PICTURE", "--corners", "1,2 3,4"], "--corners"),
        (["PICTURE", "--corners", "1260,800 160,790 380,120 1050,130", "--camera", "a/b"], "camera name"),
        (["PICTURE", "--check", "--camera", "unknown"], "not calibrated"),
        (["--print-markers", "sheet.txt"], ".pdf or .png"),
    ],
)
def test_calibrate_bad_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], says: str) -> None:
    picture = table_picture(tmp_path / "table.png")
    named = [str(picture) if word == "PICTURE" else word for word in words]
    status, _, err = run(capsys, "calibrate", *named, "--data", tmp_path)
    assert status == 2
    assert says in err and "Traceback" not in err


def test_markers_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sheet = tmp_path / "markers.pdf"
    status, out, _ = run(capsys, "calibrate", "--print-markers", sheet)
    assert status == 0 and sheet.read_bytes().startswith(b"%PDF")
    assert "桌角" in out.replace("\n", "")  # (wrapped to the console)


def test_an_enrolled_set_is_used_and_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Learnt from one sample picture as the networks name it, recognised by itself in the next use."""
    path = SAMPLE / entry("03")["picture"]
    image = load_picture(path)
    found = Detector().detect(image)
    tiles = [tile for tile in found if tile.code != "back" and tile.confidence > 0.8]
    shots = [Shot(tile_crops(image, tile)[0], tile.code, path.name) for tile in tiles]
    ProfileStore(tmp_path / "tile-sets").save(learn(shots, RereaderEmbedder(), "ours"), shots=shots)
    status, out, _ = run(capsys, "read", "--json", "--data", tmp_path, "--tile-set", "ours", path)
    answer = json.loads(out)
    assert (status, answer["tile_set"]) == (0, "ours")
    assert sorted(answer["hand"]["concealed"]) == sorted(entry("03")["concealed"])
    status, out, _ = run(capsys, "read", "--json", "--data", tmp_path, "--tile-set", "none", path)
    assert (status, json.loads(out)["tile_set"]) == (0, None)
    status, _, err = run(capsys, "read", "--data", tmp_path, "--tile-set", "theirs", path)
    assert status == 2
    assert "stored are: ours" in err
    assert "Traceback" not in err


def test_the_networks_in_use_read_each_opened_once(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    promote_rereader: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where a tile set is learnt with the same re-reader that names the tiles."""
    data, path = tmp_path / "data", SAMPLE / entry("03")["picture"]
    status, out, _ = run(capsys, "read", "--json", "--data", data, path)
    shipped = json.loads(out)
    assert status == 0 and all(version.startswith("shipped ") for version in shipped["model"].values())
    assert not data.exists()  # reading leaves nothing behind
    promote_rereader(data)
    noise = np.random.default_rng(0).integers(0, 255, (4, 64, 48, 3), dtype=np.uint8)
    shots = [Shot(crop, code, photo) for crop, code, photo in zip(noise, ("1m", "1m", "2m", "2m"), "abab", strict=True)]
    ProfileStore(data / "tile-sets").save(learn(shots, RereaderEmbedder(), "ours", copies=1), shots=shots)
    opened = []

    def counted(file: Path, threads: int | None = None) -> object:
        opened.append(file)
        return open_network(file, threads)

    for module in (detector_module, rereader_module):
        monkeypatch.setattr(module, "open_network", counted)
    status, out, _ = run(capsys, "read", "--json", "--data", data, path)
    answer = json.loads(out)
    assert status == 0
    assert answer["model"]["tiles"] == shipped["model"]["tiles"]
    assert answer["model"]["rereader"].startswith("0001 ")
    assert sorted(file.name for file in opened) == ["rereader.onnx", "tiles.onnx"]
    assert next(file for file in opened if file.name == "rereader.onnx").is_relative_to(data)
    assert answer["tiles"] == shipped["tiles"]
    assert "rereader 0001" in run(capsys, "read", "--data", data, path)[1].splitlines()[-1]


def test_a_table_picture_says_what_was_decided_of_every_seat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), np.full((700, 900, 3), 120, np.uint8))
    corners = "100,100 800,100 850,650 50,650"
    assert run(capsys, "calibrate", picture, "--corners", corners, "--data", tmp_path)[0] == 0
    drawn = tmp_path / "drawn.png"
    words = ("read", picture, "--mode", "table", "--data", tmp_path, "--json", "--debug-picture", drawn)
    status, out, _ = run(capsys, *words)
    answer = json.loads(out)
    assert status == 0
    assert (answer["winner"], answer["unproven"], len(answer["seats"])) == (None, None, 4)
    assert load_picture(drawn).shape[0] > 700, "the seats are listed below the picture"
