"""The learning loop as a script, at small size: the real appliance, the real networks, a rendered set."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from vision.weights import WeightsError, model_path


def _hashes(folder: Path) -> set[str]:
    return {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.jpg")}


@pytest.mark.slow
@pytest.mark.e2e
def test_an_unseen_set_is_captured_corrected_enrolled_and_read_better(tmp_path: Path) -> None:
    if importlib.util.find_spec("resvg_py") is None:
        pytest.skip("the renderer is not installed: pip install 'taicam[render]'")
    try:
        model_path("tiles")
        model_path("rereader")
    except WeightsError as error:
        pytest.skip(f"the networks are not here: {error}")
    work = tmp_path / "demo"
    words = [sys.executable, "-m", "taicam.learn_demo", "--small", "--no-train", "--keep", str(work)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads((work / "figures.json").read_text(encoding="utf-8"))
    assert figures["captured"] >= 3 and figures["pictures"] == 15
    assert figures["after"] > figures["before"]
    assert figures["models"]["in_use"] == "0001" and figures["models"]["after_rollback"] == "shipped"
    assert figures["models"]["comparison"]["worse"] is False
    assert figures["models"]["comparison"]["pictures"] == 15 and figures["gate"] == {"own": 10, "usual": 5}
    played, tested, gate = (_hashes(work / place) for place in ("table", "test-pictures", "gate-pictures"))
    assert (len(played), len(tested), len(gate)) == (3, 15, 15) and not (
        played & gate | tested & gate | played & tested
    )
    assert figures["retrained"] == figures["before"] and figures["both"] >= figures["after"] - 0.02
    assert all(word in done.stdout for word in ("before", "enrolled", "retrained", "both"))
    again = subprocess.run(words, check=False, capture_output=True, text=True, timeout=120)
    assert again.returncode == 2 and "not empty" in again.stderr
