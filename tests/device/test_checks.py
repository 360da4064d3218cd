"""The doctor: every check on a made-up system, good and bad, each bad one with what mends it."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from camera_servers import MjpegServer
from timing import slack_now

from device.checks import (
    Check,
    check_clock,
    check_cores,
    check_disk,
    check_grabbers,
    check_groups,
    check_ports,
    check_power,
    check_source,
    check_web_port,
    system_groups,
    usable_cores,
)
from device.machine.find import PortInfo
from taicam.commands.doctor import check_ledger, check_models
from taicam.ledger.store import FILE_NAME


def bad(check: Check | None, status: str, mend: str) -> None:
    assert check is not None
    assert check.status == status
    assert mend in check.mend, check


def test_clock(tmp_path: Path) -> None:
    bad(check_clock(0.0), "fail", "timedatectl set-ntp true")
    assert check_clock(1_800_000_000, tmp_path / "none" / "synchronized").status == "ok"
    bad(check_clock(1_800_000_000, tmp_path / "synchronized"), "warn", "timedatectl")
    (tmp_path / "synchronized").touch()
    assert check_clock(1_800_000_000, tmp_path / "synchronized").status == "ok"


def test_cores(tmp_path: Path) -> None:
    assert check_cores({}, 2).status == "ok"
    bad(check_cores({"OMP_NUM_THREADS": "8"}, 2), "fail", "unset OMP_NUM_THREADS")
    assert check_cores({}, 1).status == "warn"
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert usable_cores(tmp_path / "cpu.max") == 0.5
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert usable_cores(tmp_path / "cpu.max") == usable_cores(tmp_path / "none") >= 1


def test_groups() -> None:
    there = ["root", "dialout", "video", "plugdev"]
    assert check_groups(["video", "dialout", "plugdev"], there, "mei", root=False).status == "ok"
    assert check_groups([], there, "root", root=True).status == "ok"
    assert check_groups([], ["root"], "mei", root=False).status == "ok"
    bad(check_groups(["video"], there, "mei", root=False), "warn", "sudo usermod -aG dialout,plugdev mei")
    assert system_groups().status in ("ok", "warn")


def test_grabbers(tmp_path: Path) -> None:
    assert check_grabbers(tmp_path, has_adapter=True)[0].status == "ok"
    for number, name in ((12, "ModemManager"), (13, "brltty"), (14, "bash")):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "comm").write_text(f"{name}\n")
    found = check_grabbers(tmp_path, has_adapter=True)
    assert [c.status for c in found] == ["fail", "fail"]
    bad(found[0], "fail", "systemctl mask --now ModemManager")
    bad(found[1], "fail", "systemctl mask --now brltty")
    assert {c.status for c in check_grabbers(tmp_path, has_adapter=False)} == {"warn"}


def test_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_disk(tmp_path / "not" / "yet").status in ("ok", "warn")
    usage = type(os.statvfs(tmp_path)), lambda path: type("U", (), {"free": 100_000_000})()
    monkeypatch.setattr("shutil.disk_usage", usage[1])
    bad(check_disk(tmp_path), "fail", "--data DIR")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    bad(check_disk(tmp_path), "fail", "chown")


def test_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check_ports([])[0].status == "ok"
    port = tmp_path / "ttyUSB0"
    port.touch()
    info = PortInfo(str(port), str(port), "CH340", 0x1A86, 0x7523)
    assert info.usb == "1a86:7523"
    assert check_ports([info])[0].status == "ok"
    monkeypatch.setattr("os.access", lambda path, mode: False)
    bad(check_ports([info])[0], "fail", "usermod -aG dialout")


def test_web_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        bad(check_web_port("127.0.0.1", number, answers=False), "fail", f"--port {number + 1}")
        assert check_web_port("127.0.0.1", number, answers=True).status == "ok"
    assert check_web_port("127.0.0.1", number, answers=False).status == "ok"
    assert check_web_port("127.0.0.1", 0, answers=False).status == "ok"


def test_power(tmp_path: Path) -> None:
    path = tmp_path / "throttled"
    assert check_power(path) is None
    for bits, status in (("0\n", "ok"), ("50005\n", "fail"), ("50000\n", "warn"), ("4\n", "warn")):
        path.write_text(bits)
        check = check_power(path)
        assert check is not None and check.status == status


def test_source() -> None:
    server = MjpegServer(password="open-sesame-42")
    server.start()
    try:
        small = check_source(server.url, {})
        bad(small, "warn", "width = 1920")
        assert "320x180" in small.detail and "open-sesame-42" not in str(small)
    finally:
        server.kill()
    gone = check_source(server.url, {"open_timeout_s": 1})
    assert gone.status == "fail" and gone.mend and "open-sesame-42" not in str(gone)
    bad(check_source("/dev/v4l/by-id/none", {}), "fail", "find-cameras")
    bad(check_source("0", {"widht": 3}), "fail", "width")


def test_ledger(tmp_path: Path) -> None:
    assert check_ledger(tmp_path).status == "ok"
    path = tmp_path / FILE_NAME
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (x)")
        connection.executemany("insert into t values (?)", [("x" * 500,)] * 500)
    assert check_ledger(tmp_path).status == "ok"
    data = bytearray(path.read_bytes())
    data[4096:12288] = os.urandom(8192)
    path.write_bytes(data)
    assert check_ledger(tmp_path).status == "fail"
    path.write_bytes(b"this is no database" * 100)
    bad(check_ledger(tmp_path), "fail", "mv ")


def test_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sound = check_models(tmp_path)
    assert [(check.status, check.detail.split()[0]) for check in sound] == [
        ("ok", "tiles.onnx"),
        ("ok", "rereader.onnx"),
        ("ok", "stacked.onnx"),
    ]
    (tmp_path / "tiles.onnx").write_bytes(b"torn")
    (tmp_path / "tiles.json").write_text(json.dumps({"sha256": "0" * 64}))
    monkeypatch.setenv("TAICAM_MODELS", str(tmp_path))
    bad(check_models(tmp_path)[0], "fail", "reinstall")


def test_a_damaged_network_that_was_put_in_use_is_told(
    promote_rereader: Callable[[Path], None], tmp_path: Path
) -> None:
    promote_rereader(tmp_path)
    assert [(c.status, "0001 is in use" in c.detail) for c in check_models(tmp_path)][-1] == ("ok", True)
    (tmp_path / "models" / "rereader" / "0001" / "rereader.onnx").write_bytes(b"torn")
    damaged = check_models(tmp_path)[-1]
    bad(damaged, "warn", "taicam models rollback rereader")
    assert "version shipped is used instead" in damaged.detail


def doctor(*words: str, data: Path) -> tuple[int, list[dict[str, str]]]:
    command = [sys.executable, "-m", "taicam", "doctor", "--json", "--data", str(data), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 * slack_now())
    assert "Traceback" not in done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_doctor_says_all_and_fails_when_something_is_wrong(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        status, checks = doctor("--source", "sample", "--port", str(number), data=tmp_path)
    assert status == 1
    failed = [check for check in checks if check["status"] == "fail"]
    assert "web port" in {check["name"] for check in failed}
    assert all(check["mend"] for check in failed)
    named = {"cores", "clock", "disk", "models", "database", "cameras", "source", "serial ports", "permissions"}
    assert named <= {check["name"] for check in checks}
    assert {"adapter grabbers", "web port", "ruleset"} <= {check["name"] for check in checks}


def test_doctor_with_a_source_that_is_not_there(tmp_path: Path) -> None:
    status, checks = doctor("--source", "nowhere.mp4", "--port", "0", data=tmp_path)
    assert status == 1
    (source,) = [check for check in checks if check["name"] == "source"]
    assert source["status"] == "fail" and "find-cameras" in source["mend"]
