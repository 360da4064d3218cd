"""Shared by the hardware tests: their helper modules, and figures that are printed at the end of the run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # camera_servers and the like
from timing import slack_now

_FIGURES: list[str] = []


@pytest.fixture()
def slack() -> float:
    """What a time limit is multiplied by: 1 on an idle machine, more where others keep the cores busy."""
    return slack_now()


@pytest.fixture()
def say() -> Callable[[str], None]:
    """Note a measured figure; all of them are printed after the last test, whether or not output is captured."""
    return _FIGURES.append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _FIGURES:
        terminalreporter.section("hardware figures")
        for line in _FIGURES:
            terminalreporter.line(line)
