"""The table log on disk: one line of JSON a hand, in `table-log.jsonl` of the data folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from taicam.logs import get_logger
from vision.tablelog import LogEntry

log = get_logger(__name__)
NAME = "table-log.jsonl"
FULL = 16 * 2**20  # bytes; then it becomes table-log.1.jsonl, and the one before is dropped


class TableLogs:
    """Keeps what was seen of every hand. Best effort: a full disk must not stop the table."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME

    def add(self, entries: Sequence[LogEntry]) -> None:
        """Write one hand."""
        line = {"at_utc": datetime.now(UTC).isoformat(timespec="seconds"), "log": [e.to_json() for e in entries]}
        try:
            if self._path.is_file() and self._path.stat().st_size > FULL:
                self._path.replace(self._path.with_name("table-log.1.jsonl"))
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            log.warning("the table log cannot be written", reason=str(error), advice="free some room on the disk")
