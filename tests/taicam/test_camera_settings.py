"""Camera settings changed while a real stream runs: applied, kept, refused, and never anything a stranger may abuse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from taicam.board import Board
from taicam.camera_settings import AdjustableCamera, describe_settings
from taicam.errors import JobError, UsageError
from taicam.house import House
from taicam.ledger import Ledger
from taicam.pictures import PictureStore
from taicam.session import Session
from taicam.web.app import WebOptions, create_app

SOURCE = "synthetic:test_camera_settings:frames"
KEY = {"idempotency-key": "key-00000001"}


def frames() -> Iterator[Any]:
    """Noise, as a sensor's."""
    rng = np.random.default_rng(0)
    while True:
        yield rng.integers(60, 120, (48, 64, 3), np.uint8)


@pytest.fixture
def found_by_the_capture_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def camera(tmp_path: Path, found_by_the_capture_process: None) -> Iterator[AdjustableCamera]:
    with AdjustableCamera(SOURCE, "synthetic", {"fps": 20.0}, tmp_path) as opened:
        yield opened


def test_what_can_be_set_of_a_usb_camera() -> None:
    described = {one["name"]: one for one in describe_settings("opencv")}
    assert {"width", "height", "fps", "fourcc", "mains_hz", "exposure", "gain", "focus"} <= set(described)
    assert described["mains_hz"]["choices"] == [0, 50, 60, None]
    assert described["exposure"] | {"kind": "integer", "nullable": True, "default": None} == described["exposure"]
    assert described["width"]["minimum"] == 0
    assert "stall_s" not in described and "patient" not in described
    assert "ffmpeg" not in {one["name"] for one in describe_settings("url")}
    assert not {"factory", "options"} & {one["name"] for one in describe_settings("synthetic")}


def test_a_change_is_applied_kept_and_taken_back(camera: AdjustableCamera, tmp_path: Path) -> None:
    before = camera.read(timeout_s=30).sequence
    camera.change({"fps": 40.0})
    assert camera.health().applied["fps"] == 40.0
    assert camera.read(timeout_s=30).sequence > before
    kept = AdjustableCamera(SOURCE, "synthetic", {"fps": 20.0}, tmp_path)
    assert next(one["value"] for one in kept.to_json()["settings"] if one["name"] == "fps") == 40.0
    camera.change({})
    assert camera.health().applied["fps"] == 20.0


@pytest.mark.parametrize(
    "values", [{"factory": "os:system"}, {"patient": True}, {"fps": -1}, {"fps": "fast"}, {"nothing": 1}]
)
def test_what_cannot_be_set_changes_nothing(camera: AdjustableCamera, values: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        camera.change(values)
    assert camera.read(timeout_s=30).image.shape == (48, 64, 3)
    assert not (tmp_path / "camera-settings.json").exists()


def test_a_camera_that_does_not_open_with_them_goes_on_with_the_old_ones(
    camera: AdjustableCamera, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = camera.read(timeout_s=30).sequence
    make = camera._make

    def without_frames(own: Any) -> Any:
        made = make(own)
        if own.get("patient") is False:
            made._request = lambda: {"grabber": "synthetic", "factory": "nowhere:frames", "options": {}, "fps": 1.0}  # type: ignore[attr-defined]
        return made

    monkeypatch.setattr(camera, "_make", without_frames)
    with pytest.raises(JobError, match="the old settings are used again"):
        camera.change({"fps": 5.0})
    assert camera.read(timeout_s=30).sequence > before
    assert camera.health().applied["fps"] == 20.0


def test_kept_settings_that_no_longer_fit_are_left_out(tmp_path: Path, found_by_the_capture_process: None) -> None:
    for text in ("{", '{"driver": "synthetic", "values": {"fps": -3}}', '{"driver": "url", "values": {"fps": 3}}'):
        (tmp_path / "camera-settings.json").write_text(text, encoding="utf-8")
        made = AdjustableCamera(SOURCE, "synthetic", {"fps": 20.0}, tmp_path)
        assert next(one["value"] for one in made.to_json()["settings"] if one["name"] == "fps") == 20.0


def test_over_the_api(camera: AdjustableCamera, tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        session = Session(ledger, Board(), House())
        app = create_app(session, PictureStore(tmp_path / "p"), lambda: None, WebOptions(data_dir=tmp_path))  # type: ignore[arg-type, return-value]
        client = TestClient(app, base_url="http://localhost", client=("127.0.0.1", 1))
        assert client.get("/api/camera-settings").json() == {"live": False}
        assert client.put("/api/camera-settings", json={"values": {}}, headers=KEY).status_code == 404
        session.camera = camera
        told = client.put("/api/camera-settings", json={"values": {"fps": 30}}, headers=KEY).json()
        assert told["applied"]["fps"] == 30.0 and told["refused"] == [] and told["state"] == "ok"
        assert client.get("/api/camera-settings").json()["settings"] == told["settings"]
        for values in ({"factory": "os:system"}, {"fps": 0}, {"fps": None}):
            answer = client.put("/api/camera-settings", json={"values": values}, headers=KEY)
            assert answer.status_code == 422, values
