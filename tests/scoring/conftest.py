"""Shared by the scoring tests: their helper modules, and the rule vectors where they lie beside the checkout."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # score_helpers, oracle
VECTORS = Path(__file__).resolve().parents[3] / "shared" / "rules" / "vectors.jsonl"


@pytest.fixture(scope="session")
def vectors() -> list[dict[str, Any]]:
    """The rule vectors; skips where they do not lie beside the checkout."""
    if not VECTORS.is_file():
        pytest.skip("rule vectors are not beside the checkout (../shared/rules/vectors.jsonl)")
    return [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
