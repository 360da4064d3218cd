"""Calibrating through the API, the camera's view, and keeping views to learn from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fastapi.testclient import TestClient

from taicam.board import Board
from taicam.capture import CaptureSettings, CaptureStore
from taicam.house import House
from taicam.learning import Learner, View
from taicam.ledger import Ledger
from taicam.pictures import PictureStore
from taicam.session import Session
from taicam.web.app import WebOptions, create_app
from vision.table import load_calibration

CORNERS = [[200.0, 100.0], [1080.0, 110.0], [1240.0, 690.0], [60.0, 680.0]]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Ledger.open(tmp_path) as ledger, CaptureStore(tmp_path / "captures", CaptureSettings()) as store:
        made = Session(ledger, Board(), House())
        made.learner = Learner(store, "test")
        yield made


@pytest.fixture
def client(session: Session, tmp_path: Path) -> TestClient:
    app = create_app(session, PictureStore(tmp_path / "pictures"), lambda: None, WebOptions(data_dir=tmp_path))  # type: ignore[arg-type, return-value]
    headers = {"idempotency-key": "key-00000001"}
    return TestClient(app, base_url="http://localhost", client=("127.0.0.1", 1), headers=headers)


def view() -> np.ndarray:
    image = np.full((720, 1280, 3), (60, 90, 50), np.uint8)
    cv2.putText(image, "taicam", (400, 400), cv2.FONT_HERSHEY_SIMPLEX, 4, (250, 250, 250), 8)
    return image


def test_without_a_camera_there_is_nothing_to_see(client: TestClient) -> None:
    for path in ("/api/camera", "/api/camera.jpg", "/api/calibration", "/api/calibration/view.jpg"):
        assert client.get(path).status_code == 404, path
    assert client.put("/api/calibration", json={"corners": CORNERS}).status_code == 404
    assert client.get("/api/calibration/found").status_code == 404
    assert client.post("/api/capture/keep").status_code == 404


def test_the_corners_are_kept_and_every_seat_has_its_view(
    client: TestClient, session: Session, readings: Any, tmp_path: Path
) -> None:
    session.eye.see(view(), readings.plain(), "frame 1")
    seen = client.get("/api/camera").json()
    assert seen["size"] == [1280, 720]
    assert len(seen["tiles"]) == 17
    assert client.put("/api/calibration", json={"corners": CORNERS}).status_code == 200
    kept = load_calibration(tmp_path, "default")
    assert [list(corner) for corner in kept.corners] == CORNERS
    assert client.get("/api/calibration").json()["corners"] == CORNERS
    for path in ("view", "seat/0", "seat/1", "seat/2", "seat/3"):
        picture = client.get(f"/api/calibration/{path}.jpg")
        image = cv2.imdecode(np.frombuffer(picture.content, np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        assert min(image.shape[:2]) > 50
    assert client.get("/api/calibration/seat/4.jpg").status_code == 404


@pytest.mark.parametrize(
    "corners",
    [
        [[0, 0], [0, 0], [0, 0], [0, 0]],
        [[200, 100], [1240, 690], [1080, 110], [60, 680]],  # crossed over
        [[0, 0], [1, 0], [1, 1]],
        [[0, 0], [1, 0], [1, 1], ["x", 0]],
        [[1e30, 0], [1, 0], [1, 1], [0, 1]],
    ],
)
def test_corners_that_are_no_table_are_refused(
    client: TestClient, session: Session, readings: Any, corners: Any, tmp_path: Path
) -> None:
    session.eye.see(view(), readings.plain(), "frame 1")
    assert client.put("/api/calibration", json={"corners": corners}).status_code == 422
    assert not list(tmp_path.glob("calibrations/*.json"))


def test_views_are_kept_only_with_consent_and_carry_the_correction(
    client: TestClient, session: Session, readings: Any
) -> None:
    learner = session.learner
    assert learner is not None
    session.eye.see(view(), readings.plain(), "frame 1")
    assert client.post("/api/capture/keep").json() == {"status": "no_consent"}
    assert client.post("/api/capture/consent", json={"given": True}).status_code == 200
    outcome = session.offer(readings.doubtful(), "frame 2", _facts())
    learner.looked(View(view(), readings.doubtful()), outcome)
    concealed = list(readings.plain().concealed)
    concealed[concealed.index("5m")] = "6m"
    hand = {"concealed": concealed, "melds": [], "flowers": [], "win_tile": "8s"}
    learner.settled(outcome.hand_id, hand, "h1", "tablet")
    assert learner.store.flush(20)
    rows = learner.store.library.rows()
    assert [row.reason for row in rows] == ["corrected"]
    sample = learner.store.library.entry(rows[0].id).sample
    assert sorted(box.code for box in sample.boxes) == sorted(concealed)
    assert client.get("/api/capture").json()["samples"] == 1


def _facts() -> Any:
    from taicam.facts import Facts

    return Facts(self_draw=True, dealer_player=0)


def test_kept_views_are_reviewed(client: TestClient, session: Session, readings: Any) -> None:
    learner = session.learner
    assert learner is not None
    client.post("/api/capture/consent", json={"given": True})
    session.eye.see(view(), readings.plain(), "frame 1")
    client.post("/api/capture/keep")
    assert learner.store.flush(20)
    (row,) = client.get("/api/capture/samples").json()
    sample = client.get(f"/api/capture/samples/{row['id']}").json()
    assert len(sample["boxes"]) == 17
    picture = client.get(f"/api/capture/samples/{row['id']}/picture")
    assert picture.headers["content-type"] == "image/jpeg"
    boxes = [{"box": box["box"], "code": box["code"]} for box in sample["boxes"]]
    boxes[0]["code"] = "C"
    review = f"/api/capture/samples/{row['id']}/review"
    wrong = [{**boxes[0], "code": "9z"}]
    assert client.post(review, json={"state": "accepted", "boxes": wrong}).status_code == 422
    assert client.post(review, json={"state": "accepted", "boxes": boxes}).status_code == 200
    kept = learner.store.library.entry(row["id"]).sample
    assert (kept.state, kept.boxes[0].code, kept.boxes[0].origin) == ("accepted", "C", "person")
    assert kept.boxes[0].alternatives == learner.store.library.entry(row["id"]).sample.boxes[0].alternatives
    assert client.get("/api/capture/samples?state=proposed").json() == []
    assert client.get("/api/capture/samples/nothing").status_code == 422
    assert client.delete(f"/api/capture/samples/{row['id']}").status_code == 200
    assert client.get("/api/capture/samples").json() == []
