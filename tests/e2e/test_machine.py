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


def _told(running: Any) -> list[str]:
    """The hands there are, open or recorded, each by the name of its announcement."""
    while True:
        offers, hands = running.get("/api/offers"), running.get("/api/hands")
        if running.get("/api/offers") == offers:  # none was settled in between, to be counted twice
            return [one["picture"] for one in (*offers, *hands)]


def test_hands_announced_by_the_machine_are_offered_once_each(
    appliance: Any, own_environment: dict[str, str], tmp_path: Path
) -> None:
    link = tmp_path / "machine"
    machine = emulate(link, own_environment, "--pace", "0.02", "--fault", "all=5%")
    try:
        running = appliance("--source", f"serial://{link}")
        state = running.wait_for(lambda view: len(view["table"]["offers"]) + view["table"]["hands"] >= 6, timeout=120)
        assert state["machine"] in {"ok", "warn", "fail"}
        before = _told(running)
        assert len(before) == len(set(before))
        assert running.stop() == 0
        # The machine plays on, and remembers: what it told already is not taken again.
        again = appliance("--source", f"serial://{link}", data=running.data)
        again.wait_for(lambda view: len(view["table"]["offers"]) + view["table"]["hands"] >= len(before) + 3)
        after = _told(again)
        assert len(after) == len(set(after)) and set(before) < set(after)
        assert again.stop() == 0
    finally:
        machine.kill()
        machine.wait(10)
