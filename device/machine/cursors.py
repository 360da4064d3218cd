"""Where the host remembers how far it has applied a machine's events."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Protocol

log = logging.getLogger("device.machine")
Position = tuple[int, int]
NOTHING: Position = (0, 0)


class CursorStore(Protocol):
    """Remembers, for each machine's serial number, the last event that was applied."""

    def load(self, machine: str) -> Position: ...

    def save(self, machine: str, position: Position) -> None: ...


class MemoryCursors:
    """A store that forgets when the process ends."""

    def __init__(self) -> None:
        self._positions: dict[str, Position] = {}

    def load(self, machine: str) -> Position:
        return self._positions.get(machine, NOTHING)

    def save(self, machine: str, position: Position) -> None:
        self._positions[machine] = position


class FileCursors:
    """Positions in a small JSON file, written whole and flushed to disk, so that a power cut leaves the old or the
    new one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._positions: dict[str, Position] = {}
        if path.is_file():
            try:
                stored = json.loads(path.read_text(encoding="utf-8"))
                self._positions = {str(k): (int(v[0]), int(v[1])) for k, v in stored.items()}
            except (ValueError, TypeError, IndexError, AttributeError):
                # Without it the machine tells everything again, and the keys keep that from counting twice.
                log.warning("%s is damaged and is started anew.", path)

    def load(self, machine: str) -> Position:
        return self._positions.get(machine, (0, 0))

    def save(self, machine: str, position: Position) -> None:
        self._positions[machine] = position
        fresh = self._path.with_name(self._path.name + ".new")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("w", encoding="utf-8") as file:
            json.dump({k: list(v) for k, v in self._positions.items()}, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
