"""Small files that are whole or not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def mark_of(path: Path) -> tuple[int, int]:
    """A value that changes whenever the file is written anew, (0, 0) where there is none; cheap enough to ask often."""
    try:
        stat = path.stat()
    except OSError:
        return (0, 0)
    return (stat.st_mtime_ns, stat.st_ino)


def write_json(path: Path, value: Any) -> None:
    """Write one JSON value in place of what is there, its folder too; a reader sees the old file or the new one.

    Raises OSError when it cannot be written; then the old one stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)
