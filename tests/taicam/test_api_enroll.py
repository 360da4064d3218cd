"""The wizard's API with a small network: photos in, a correction, learning, the report; sets chosen, deleted."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fastapi.testclient import TestClient

from taicam.board import Board
from taicam.house import House
from taicam.ledger import Ledger
from taicam.pictures import PictureStore
from taicam.session import Session
from taicam.tile_sets import TileSets
from taicam.web.app import WebOptions, create_app
from taicam.web.enrolling import EnrolDesk
from vision.enroll import Features
from vision.observation import TileObservation

NAMES = ("1m", "2m", "E", "C")
SHADES = {"1m": 40, "2m": 100, "E": 160, "C": 220}


class ShadeReader:
    """Names a tile by how bright it is."""

    names = NAMES
    fingerprint = "shade-1"

    def describe(self, crops: Any) -> Features:
        mean = crops.reshape(len(crops), -1).mean(axis=1, keepdims=True) / 255
        far = np.abs(mean - np.array([SHADES[name] / 255 for name in NAMES]))
        odds = np.exp(-20 * far)
        embedding = np.concatenate([mean, mean**2, 1 - mean], axis=1)
        return Features((odds / odds.sum(axis=1, keepdims=True)).astype(np.float32), embedding.astype(np.float32))


def find(image: Any) -> list[TileObservation]:
    """Where the picture has a tile: every 60 pixels across, unless it is empty. It takes every 2m for an E."""
    if image.max() == image.min():
        return []
    found = []
    for at, name in enumerate(NAMES):
        seen = "E" if name == "2m" else name
        box = (10.0 + 60 * at, 10.0, 50.0 + 60 * at, 66.0)
        found.append(TileObservation(seen, box, 0.9, ((seen, 0.9), ("2m", 0.1)), 0.0))
    return found


def photo(spread: int = 0) -> bytes:
    """A picture with one tile of each face."""
    image = np.full((80, 250, 3), 10 + spread, np.uint8)
    for at, name in enumerate(NAMES):
        image[10:66, 10 + 60 * at : 50 + 60 * at] = SHADES[name] + spread
    return cv2.imencode(".png", image)[1].tobytes()


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Ledger.open(tmp_path) as ledger:
        yield Session(ledger, Board(), House())


@pytest.fixture
def client(session: Session, tmp_path: Path) -> TestClient:
    options = WebOptions(data_dir=tmp_path, upload_mb=1)
    app = create_app(session, PictureStore(tmp_path / "pictures"), lambda: None, options)  # type: ignore[arg-type, return-value]
    app.state.enrolment = EnrolDesk(lambda: (find, ShadeReader()), app.state.tile_sets)
    return TestClient(app, base_url="http://localhost", client=("127.0.0.1", 1))


_count = itertools.count()


def key() -> dict[str, str]:
    return {"idempotency-key": f"enrol-key-{next(_count):06d}"}


def upload(client: TestClient, data: bytes, headers: dict[str, str] | None = None) -> Any:
    return client.post("/api/enrolment/photos", files={"photo": ("../../x.png", data)}, headers=headers or key())


def learnt(client: TestClient) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while (state := client.get("/api/enrolment").json())["learning"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return dict(state)


def test_a_set_is_learnt_from_two_photos_and_one_correction(client: TestClient, tmp_path: Path) -> None:
    assert client.get("/api/enrolment").json()["open"] is False
    assert upload(client, photo()).status_code == 409  # not begun yet
    state = client.post("/api/enrolment", json={"flowers": False}, headers=key()).json()
    assert len(state["wanted"]) == 34 and len(state["missing"]) == 34
    same = key()
    upload(client, photo(), same)
    state = upload(client, photo(), same).json()  # a retry: the photo is there once
    assert [one["name"] for one in state["photos"]] == ["1"]
    state = upload(client, photo(6)).json()
    assert state["counts"] == {"1m": 2, "E": 4, "C": 2} and "2m" in state["missing"]
    for name in ("1", "2"):
        tile = f"/api/enrolment/photos/{name}/tiles/1"
        state = client.put(tile, json={"code": "2m", "turned": False}, headers=key()).json()
    assert state["counts"]["2m"] == 2 and "2m" not in state["missing"]
    picture = client.get("/api/enrolment/photos/1/picture.jpg")
    assert cv2.imdecode(np.frombuffer(picture.content, np.uint8), 1).shape == (80, 250, 3)
    strip = client.get("/api/enrolment/photos/1/crops.jpg")
    assert cv2.imdecode(np.frombuffer(strip.content, np.uint8), 1).shape == (64, 48 * 4, 3)
    assert client.post("/api/enrolment/learn", json={"name": "阿公的牌"}, headers=key()).status_code == 202
    state = learnt(client)
    assert state["problem"] == "" and state["result"]["name"] == "阿公的牌"
    report = state["result"]["report"]
    assert report["tiles"] == 8 and report["held_back_photos"] == 2 and report["after"] >= report["before"]
    listed = client.get("/api/tile-sets").json()
    assert [one["name"] for one in listed["sets"]] == ["阿公的牌"] and listed["choice"] == "auto"
    assert client.delete("/api/enrolment", headers=key()).json()["open"] is False
    assert TileSets(tmp_path).store.names() == ["阿公的牌"]


def test_a_box_is_turned_left_out_and_a_photo_taken_back(client: TestClient) -> None:
    client.post("/api/enrolment", json={}, headers=key())
    upload(client, photo())
    tile = "/api/enrolment/photos/1/tiles/0"
    for _ in range(2):  # saying so twice turns it once
        state = client.put(tile, json={"code": "1m", "turned": True}, headers=key()).json()
        assert state["photos"][0]["tiles"][0]["turned"] is True
    state = client.put(tile, json={"code": None}, headers=key()).json()
    assert (state["photos"][0]["tiles"][0]["code"], state["photos"][0]["tiles"][0]["turned"]) == (None, False)
    assert client.put(tile, json={"code": "9z"}, headers=key()).status_code == 422
    for wrong in ("photos/7/tiles/0", "photos/1/tiles/4", "photos/1/tiles/-1"):
        assert client.put(f"/api/enrolment/{wrong}", json={"code": "E"}, headers=key()).status_code == 404
    assert client.delete("/api/enrolment/photos/1", headers=key()).json()["photos"] == []
    assert client.get("/api/enrolment/photos/1/crops.jpg").status_code == 404


def test_what_is_no_photo_of_tiles_is_refused(client: TestClient) -> None:
    client.post("/api/enrolment", json={}, headers=key())
    assert upload(client, b"no picture at all").status_code == 422
    again = key()
    empty = cv2.imencode(".png", np.full((80, 250, 3), 90, np.uint8))[1].tobytes()
    for _ in range(2):  # a refused photo is refused again under its key
        answer = upload(client, empty, again)
        assert answer.status_code == 422 and "找不到牌" in answer.json()["detail_zh"]
    huge = np.zeros((9000, 9000), np.uint8)
    bomb = cv2.imencode(".png", huge)[1].tobytes()
    assert len(bomb) < 1_000_000
    assert upload(client, bomb).status_code == 422
    assert upload(client, b"x" * 1_100_000).status_code == 413
    assert client.post("/api/enrolment/camera", headers=key()).status_code == 404


def test_the_cameras_view_is_a_photo_too(client: TestClient, session: Session) -> None:
    client.post("/api/enrolment", json={}, headers=key())
    session.eye.see(cv2.imdecode(np.frombuffer(photo(), np.uint8), 1), None, "frame 1")
    state = client.post("/api/enrolment/camera", headers=key()).json()
    assert state["photos"][0]["size"] == [250, 80]


def test_learning_says_what_is_wrong(client: TestClient) -> None:
    client.post("/api/enrolment", json={}, headers=key())
    for name in ("../up", "a/b", "", "auto", "none", "x" * 61):
        answer = client.post("/api/enrolment/learn", json={"name": name}, headers=key())
        assert answer.status_code == 422, name
    client.post("/api/enrolment/learn", json={"name": "nothing"}, headers=key())
    assert learnt(client)["problem"]
    assert client.get("/api/tile-sets").json()["sets"] == []


def test_sets_are_chosen_and_deleted(client: TestClient, tmp_path: Path) -> None:
    client.post("/api/enrolment", json={}, headers=key())
    upload(client, photo())
    upload(client, photo(6))
    client.post("/api/enrolment/learn", json={"name": "mine"}, headers=key())
    learnt(client)
    before = TileSets(tmp_path).mark()
    assert client.put("/api/tile-sets/choice", json={"choice": "mine"}, headers=key()).status_code == 200
    assert TileSets(tmp_path).choice == "mine" and TileSets(tmp_path).mark() != before
    assert client.put("/api/tile-sets/choice", json={"choice": "yours"}, headers=key()).status_code == 422
    for name in ("yours", "..", "%2e%2e", "..%2f..", "%00"):
        assert client.delete(f"/api/tile-sets/{name}", headers=key()).status_code in {404, 405, 422}, name
    assert client.delete("/api/tile-sets/mine", headers=key()).status_code == 200
    assert client.get("/api/tile-sets").json() == {"choice": "auto", "sets": [], "problems": []}


def test_a_choice_that_cannot_be_read_falls_back_to_the_settings(tmp_path: Path) -> None:
    (tmp_path / "tile-set.json").write_text("{", encoding="utf-8")
    assert TileSets(tmp_path, "none").choice == "none"
