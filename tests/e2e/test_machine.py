"""A whole automatic machine, emulated on a pseudo terminal, drives a match: every hand once, whatever happens."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def emulate(link: Path, environment: dict[str, str], *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "taicam", "emulate", "machine", "--link", str(link), *words]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    deadline = time.monotonic() + 30
    while not link.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


def test_hands_announced_by_the_machine_are_offered_once_each(
    appliance: Any, own_environment: dict[str, str], tmp_path: Path
) -> None:
    link = tmp_path / "machine"
    machine = emulate(link, own_environment, "--hands", "6", "--pace", "0.02", "--fault", "all=5%")
    try:
        running = appliance("--source", f"serial://{link}")
        state = running.wait_for(lambda view: len(view["table"]["offers"]) + view["table"]["hands"] >= 6, timeout=120)
        assert state["machine"] in {"ok", "warn", "fail"}
        time.sleep(2)
        offers, hands = running.get("/api/offers"), running.get("/api/hands")
        pictures = [one["picture"] for one in (*offers, *hands)]
        assert sorted(pictures) == sorted(set(pictures))
        assert running.stop() == 0
        again = appliance("--source", f"serial://{link}", data=running.data)
        time.sleep(3)
        assert len(again.get("/api/offers")) == len(offers)
        assert again.stop() == 0
    finally:
        machine.kill()
        machine.wait(10)
