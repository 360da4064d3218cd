"""The data folder belongs to one running appliance at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from taicam.errors import JobError

LOCK_NAME = "taicam.lock"


class DataDirLock:
    """Held while an appliance runs on a data folder, so that two of them never record the same hand twice."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / LOCK_NAME
        self._file: int | None = None

    def __enter__(self) -> DataDirLock:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise JobError(
                f"the data folder {self._path.parent} cannot be written: {error.strerror}",
                "choose another with --data DIR, or change its owner",
            ) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(file, 32).decode(errors="replace").strip() or "?"
            os.close(file)
            raise JobError(
                f"another taicam (process {holder}) already runs on {self._path.parent}",
                "stop it first, or give this one its own --data DIR",
            ) from None
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
