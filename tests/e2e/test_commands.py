"""The command line as a user meets it: real processes, exit statuses, and no traceback for a foreseeable mistake."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

pytestmark = pytest.mark.e2e
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def fails(result: subprocess.CompletedProcess[str], status: int, *words: str) -> None:
    """The command failed as contracted: status, words on standard error, a next step, no traceback."""
    assert result.returncode == status, result.stderr
    for word in words:
        assert word in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr) < 2000


def test_help_and_version_need_no_heavy_import(taicam: Run) -> None:
    began = time.monotonic()
    assert "run" in taicam("--help").stdout
    assert taicam("--version").stdout.startswith("taicam ")
    assert time.monotonic() - began < 60
    probe = "import sys, taicam.cli; taicam.cli.build(None); print('cv2' in sys.modules, 'sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("command", ["run", "ledger", "config", "devices"])
def test_every_command_explains_itself(taicam: Run, command: str) -> None:
    result = taicam(command, "--help")
    assert result.returncode == 0
    assert len(result.stdout) > 300


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["rum"], 2, ["rum"]),
        (["run", "--port", "many"], 2, ["--port", "valid integer"]),
        (["run", "--ruleset", "tawain"], 2, ["tawain", "taiwan"]),
        (["run", "--option", "ligu_enable=true"], 2, ["ligu_enable", "ligu_enabled"]),
        (["run", "--option", "ligu_enabled"], 2, ["NAME=VALUE"]),
        (["run", "--seat-wind", "X"], 2, ["seat_wind"]),
        (["run", "--config", "none.toml"], 2, ["none.toml"]),
        (["run", "--source", "no/such/folder", "--port", "0"], 2, ["no/such/folder"]),
        (["ledger", "list", "--data", "nowhere"], 1, ["there is no ledger", "taicam run"]),
        (["devices", "code", "--port", "1"], 1, ["no taicam answers"]),
    ],
)
def test_mistakes_say_what_is_wrong_and_what_to_do(taicam: Run, words: list[str], status: int, said: list[str]) -> None:
    fails(taicam(*words), status, *said)


def test_a_secret_in_a_source_never_shows(taicam: Run) -> None:
    result = taicam("run", "--source", "rtsp://admin:hunter2@127.0.0.1:1/x", "--port", "0", "--no-web")
    assert result.returncode == 1
    assert "hunter2" not in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def write_bad_pictures(folder: Path, sample: Path) -> None:
    folder.mkdir()
    (folder / "a-not-a-picture.jpg").write_text("I am not a picture")
    (folder / "b-empty.png").write_bytes(b"")
    torn = (sample / "01-all-chows.jpg").read_bytes()
    (folder / "c-torn.jpg").write_bytes(torn[: len(torn) // 20])
    cv2.imwrite(str(folder / "d-no-tiles.png"), np.full((600, 800, 3), 90, np.uint8))
    whole = cv2.imread(str(sample / "01-all-chows.jpg"))
    cv2.imwrite(str(folder / "e-blurred.jpg"), cv2.GaussianBlur(whole, (0, 0), 25))
    cv2.imwrite(str(folder / "f-huge.png"), np.zeros((10_000, 10_000, 3), np.uint8))
    shutil.copy(sample / "11-all-claimed.jpg", folder / "g-good.jpg")
    shutil.copy(sample / "11-all-claimed.jpg", folder / "h-good-again.jpg")


@pytest.mark.slow
def test_pictures_that_fail_are_reported_and_the_run_goes_on(taicam: Run, sample: Path, tmp_path: Path) -> None:
    write_bad_pictures(tmp_path / "pictures", sample)
    result = taicam("run", "--source", "pictures", "--data", "data", "--port", "0", "--json")
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr
    rows = {row["picture"]: row for row in map(json.loads, result.stdout.splitlines())}
    bad = [rows[name] for name in sorted(rows) if name[0] in "abcdef"]
    assert [row["status"] for row in bad] == ["failed"] * 6
    assert all(row["problem"] for row in bad)
    assert "pixels" in rows["f-huge.png"]["problem"]
    good, again = rows["g-good.jpg"], rows["h-good-again.jpg"]
    assert good["status"] in {"recorded", "confirm"}
    assert good["hand_id"] == again["hand_id"]  # the same hand on two pictures counts once


@pytest.mark.slow
def test_the_sample_runs_end_to_end_and_twice_records_nothing_twice(taicam: Run, sample: Path) -> None:
    first = taicam("run", "--source", "sample", "--data", "data", "--port", "0", timeout=300)
    assert first.returncode == 0, first.stderr
    assert "Traceback" not in first.stderr
    truth = json.loads((sample / "truth.json").read_text(encoding="utf-8"))["pictures"]
    assert f"total {len(truth)}" in first.stdout
    for entry in truth:
        assert entry["picture"] in first.stdout
    assert "wrong 0" in first.stdout
    kept = taicam("ledger", "export", "--format", "events", "--data", "data").stdout
    again = taicam("run", "--source", "sample", "--data", "data", "--port", "0", timeout=300)
    assert again.returncode == 0
    assert taicam("ledger", "export", "--format", "events", "--data", "data").stdout == kept


@pytest.fixture
def offered(taicam: Run, sample: Path, tmp_path: Path) -> dict[str, Any]:
    """A data folder with one real hand in it, recorded or waiting to be confirmed."""
    (tmp_path / "one").mkdir()
    shutil.copy(sample / "11-all-claimed.jpg", tmp_path / "one" / "hand.jpg")
    result = taicam("run", "--source", "one", "--data", "data", "--port", "0", "--json", "--seat-wind", "S")
    assert result.returncode == 0, result.stderr
    row: dict[str, Any] = json.loads(result.stdout)
    return row


@pytest.mark.slow
def test_a_hand_goes_from_the_picture_through_the_ledger(taicam: Run, offered: dict[str, Any], sample: Path) -> None:
    truth = json.loads((sample / "truth.json").read_text(encoding="utf-8"))["pictures"]
    true = next(entry for entry in truth if entry["picture"] == "11-all-claimed.jpg")
    if offered["status"] == "confirm":
        waiting = json.loads(taicam("ledger", "offers", "--data", "data", "--json").stdout)
        assert waiting["offer_id"] == offered["hand_id"]
        record = json.dumps({key: true[key] for key in ("concealed", "melds", "flowers", "win_tile")})
        for _ in range(2):
            words = ["ledger", "confirm", offered["hand_id"], "--record", record, "--key", "tap-0001", "--data", "data"]
            assert taicam(*words).returncode == 0
    listed = taicam("ledger", "list", "--data", "data", "--json").stdout.splitlines()
    assert len(listed) == 1
    hand = json.loads(listed[0])
    assert sorted(hand["record"]["concealed"]) == sorted(true["concealed"])
    shown = taicam("ledger", "show", hand["hand_id"][:6], "--data", "data")
    assert f"total {hand['answer']['total']}" in shown.stdout
    rows = list(csv.DictReader(io.StringIO(taicam("ledger", "export", "--data", "data").stdout)))
    assert [row["hand_id"] for row in rows] == [hand["hand_id"]]
    assert rows[0]["total"] == str(hand["answer"]["total"])
    assert taicam("ledger", "void", str(hand["seq"]), "--data", "data", "--reason", "test").returncode == 0
    assert json.loads(taicam("ledger", "list", "--data", "data", "--json").stdout)["voided"] is True
    assert taicam("ledger", "restore", str(hand["seq"]), "--data", "data").returncode == 0
    fails(taicam("ledger", "show", "zzz", "--data", "data"), 2, "no hand match", "ledger list")
    fails(taicam("ledger", "confirm", "zzz", "--data", "data"), 2, "waits to be confirmed")
    fails(taicam("ledger", "confirm", "zzz", "--record", "{", "--data", "data"), 2, "not JSON")


def test_a_torn_or_foreign_ledger_is_refused_in_words(taicam: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ledger.sqlite3").write_text("my shopping list")
    fails(taicam("ledger", "list", "--data", "data"), 1, "not a taicam ledger", "--data DIR")
    fails(taicam("run", "--source", "none", "--data", "data", "--port", "0"), 1, "not a taicam ledger")


def test_a_data_folder_that_cannot_be_used_is_refused_in_words(taicam: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    fails(taicam("run", "--source", "none", "--data", "file/data", "--port", "0"), 1, "file/data", "--data DIR")


def test_one_appliance_a_folder_and_one_a_port(taicam: Run, appliance: Any, tmp_path: Path) -> None:
    running = appliance("--source", "none")
    fails(taicam("run", "--source", "none", "--data", str(running.data), "--port", "0"), 1, "already runs")
    port = running.url.rsplit(":", 1)[1]
    fails(taicam("run", "--source", "none", "--data", "other", "--port", port), 1, "already in use", "--port")
    assert running.stop() == 0


def test_healthz_answers_and_sigterm_ends_it_cleanly_and_soon(appliance: Any) -> None:
    running = appliance("--source", "none")
    assert running.get("/healthz")["status"] == "ok"
    began = time.monotonic()
    assert running.stop() == 0
    assert time.monotonic() - began < 15


def test_an_idle_appliance_uses_next_to_no_processor(appliance: Any) -> None:
    running = appliance("--source", "none")
    deadline, used = time.monotonic() + 60, 0.0
    while (now := _cpu_s(running.process.pid)) - used > 0.05:  # it has still to finish its start
        assert time.monotonic() < deadline
        used = now
        time.sleep(1.0)
    before = _cpu_s(running.process.pid)
    time.sleep(3.0)
    assert _cpu_s(running.process.pid) - before < 0.3


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_on_a_terminal_it_goes_on_serving_until_ctrl_c(
    sample: Path, own_environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    shutil.copy(sample / "11-all-claimed.jpg", tmp_path / "one" / "hand.jpg")
    mine, theirs = pty.openpty()
    words = [sys.executable, "-m", "taicam", "run", "--source", "one", "--data", "data", "--port", "0"]
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, cwd=tmp_path, env=own_environment)
    os.close(theirs)
    text = _read_until(mine, "Ctrl-C", 200)
    assert "Ctrl-C" in text
    address = re.search(r"(http://\S+)/display", text)
    assert address
    time.sleep(1.0)
    with urllib.request.urlopen(f"{address[1]}/healthz", timeout=20) as answer:
        assert json.load(answer)["status"] == "ok"
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    os.close(mine)


def _read_until(descriptor: int, word: str, timeout: float) -> str:
    text, deadline = "", time.monotonic() + timeout
    while word not in text and time.monotonic() < deadline:
        ready, _, _ = select.select([descriptor], [], [], 0.2)
        if ready:
            try:
                text += os.read(descriptor, 65536).decode(errors="replace")
            except OSError:
                return text
    return text


def test_https_with_a_certificate_of_its_own(appliance: Any) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is missing")
    running = appliance("--source", "none", "--https")
    assert running.url.startswith("https://127.0.0.1:")
    key = running.data / "tls" / "key.pem"
    assert key.stat().st_mode & 0o077 == 0
    trust = ssl.create_default_context(cafile=str(running.data / "tls" / "cert.pem"))
    with urllib.request.urlopen(f"{running.url}/healthz", timeout=20, context=trust) as answer:
        assert json.load(answer)["status"] == "ok"
    assert running.stop() == 0
