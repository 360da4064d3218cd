"""The learning side of a running appliance: views kept, networks switched between two hands, only the table kept."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from taicam.capture import CaptureStore, Library

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("networks")]
_keys = itertools.count()


def send(running: Any, path: str, body: Mapping[str, Any] | None = None, method: str = "POST") -> Any:
    headers = {"Content-Type": "application/json", "Idempotency-Key": f"learning-key-{next(_keys):06d}"}
    data = json.dumps(body or {}).encode()
    request = urllib.request.Request(running.url + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def kept(running: Any, count: int) -> dict[str, Any]:
    """Keep the present view; the sidecar of the newest sample once there are so many."""
    assert send(running, "/api/capture/keep") == {"status": "queued"}
    running.wait_for(lambda _: running.get("/api/capture")["samples"] >= count)
    newest = max((running.data / "captures").glob("0*.json"))
    return dict(json.loads(newest.read_text(encoding="utf-8")))


def clear(running: Any, camera: Any) -> None:
    """Clear the table, and wait until the appliance has seen that and looks no more."""
    camera.clear()
    running.looked_through(tiles=False)


def lay(running: Any, camera: Any, picture: Path) -> None:
    """Lay a hand on the empty table, and wait until the appliance has looked at it: its first look of all may still be
    at the empty table."""
    before = running.sight().get("name")
    camera.show(picture)

    def looked(_state: Any) -> bool:
        seen = running.sight()
        return bool(seen.get("tiles")) if before is None else seen["name"] != before

    running.wait_for(looked)


def test_networks_change_between_two_hands_and_of_a_calibrated_table_nothing_else_is_kept(
    appliance: Any, camera: Any, sample: Path, promote_rereader: Callable[[Path], None]
) -> None:
    running = appliance("--source", camera.url)
    send(running, "/api/capture/consent", {"given": True})
    lay(running, camera, sample / "02-pungs-and-dragons.jpg")
    first = kept(running, 1)
    assert first["model"]["rereader"].startswith("shipped ") and first["model"]["tiles"].startswith("shipped ")
    assert first["camera"] == {"source": camera.url, "name": "default"}
    promote_rereader(running.data)
    clear(running, camera)
    lay(running, camera, sample / "06-half-flush.jpg")
    second = kept(running, 2)
    assert second["model"]["rereader"].startswith("0001 ") and second["model"]["tiles"] == first["model"]["tiles"]
    corners = [[100.0, 80.0], [1180.0, 80.0], [1180.0, 880.0], [100.0, 880.0]]
    send(running, "/api/calibration", {"corners": corners}, "PUT")
    clear(running, camera)
    lay(running, camera, sample / "07-full-flush-concealed.jpg")
    third = kept(running, 3)
    assert third["calibration"]["corners"] == corners and third["table"] == "default"
    assert (third["width"], third["height"]) == (1080, 800) and third["extra"]["offset"] == [100, 80]
    assert running.process.poll() is None  # one process all the while


def test_hands_that_an_automatic_table_shows_are_kept_too(
    appliance: Any, own_environment: dict[str, str], sample: Path, tmp_path: Path
) -> None:
    link, data, config = tmp_path / "machine", tmp_path / "data", tmp_path / "taicam.toml"
    config.write_text("[capture]\nsample_share = 1.0\nsample_interval_s = 0\nkeep_free_mb = 0\n", encoding="utf-8")
    CaptureStore(data / "captures").set_consent(True)
    words = ["--link", str(link), "--hands", "2", "--pace", "0.1", "--pictures", str(sample)]
    machine = subprocess.Popen([sys.executable, "-m", "taicam", "emulate", "machine", *words], env=own_environment)
    try:
        deadline = time.monotonic() + 60
        while not link.exists():
            assert time.monotonic() < deadline and machine.poll() is None
            time.sleep(0.1)
        running = appliance("--source", f"serial://{link}", "--config", str(config), data=data)
        running.wait_for(lambda state: len(state["table"]["offers"]) + state["table"]["hands"] == 2)
        assert running.stop() == 0  # what nobody answered is kept as doubtful
    finally:
        machine.kill()
        machine.wait(10)
    rows = Library(data / "captures").rows()
    assert len(rows) == 2 and {row.reason for row in rows} <= {"sampled", "doubtful"}
    assert all(len(row.codes) > 10 for row in rows)
