"""Small files that are whole or not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_json(path: Path, value: Any) -> None:
    """Write one JSON value in place of what is there, its folder too; a reader sees the old file or the new one.

    Raises OSError when it cannot be written; then the old one stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)
