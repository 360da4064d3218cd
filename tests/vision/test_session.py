"""Opening a network is quiet: nothing in HOME, no report to anybody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_opening_a_network_leaves_nothing_in_home(tmp_path: Path) -> None:
    script = """
from vision.session import open_network
from vision.weights import model_path
open_network(model_path("rereader"), 1)
"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ORT_", "XDG_"))}
    environment |= {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("*")), "onnxruntime keeps its reports in HOME: see vision/session.py"
