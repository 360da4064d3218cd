"""The pictures hands were read from, kept small beside the ledger for the editor and the history."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from taicam.logs import get_logger

log = get_logger(__name__)
LONG_SIDE = 1600  # pixels; enough to see every tile
JPEG_QUALITY = 85
HELD = 24  # pictures in memory
DEFAULT_LIMIT = 2 * 1024**3  # bytes in all; the oldest pictures go first
_ID = re.compile(r"[0-9a-f]{20}")


class PictureStore:
    """Pictures in one folder, named by their content. Nothing here ever stops a hand from being recorded.

    A picture may be held in memory first, and is written only when the hand it belongs to is recorded.
    """

    def __init__(self, folder: Path, limit: int = DEFAULT_LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._lock = threading.Lock()
        self._held: OrderedDict[str, bytes] = OrderedDict()

    def put(self, image: npt.NDArray[np.uint8]) -> str:
        """Keep `image` (height x width x 3, BGR) and return its id; empty when it could not be kept."""
        picture_id = self.hold(image)
        return picture_id if self.keep(picture_id) else ""

    def hold(self, image: npt.NDArray[np.uint8]) -> str:
        """Hold `image` in memory and return its id; the oldest held picture goes when there are too many."""
        scale = min(1.0, LONG_SIDE / max(image.shape[:2]))
        small = image if scale == 1.0 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        if not done:
            return ""
        picture_id = hashlib.sha256(data.tobytes()).hexdigest()[:20]
        with self._lock:
            self._held[picture_id] = data.tobytes()
            while len(self._held) > HELD:
                self._held.popitem(last=False)
        return picture_id

    def keep(self, picture_id: str) -> bool:
        """Write a held picture to the disk; False when that cannot be done."""
        data = self._held.get(picture_id)
        if data is None:
            return self.read(picture_id) is not None
        try:
            with self._lock:
                self._write(picture_id, data)
                self._tidy()
        except OSError as error:
            log.warning("a picture could not be kept", reason=str(error))
            return False
        return True

    def read(self, picture_id: str) -> bytes | None:
        """The JPEG of a picture, or None; an id that is not one of ours never reaches the file system."""
        held = self._held.get(picture_id)
        if held is not None:
            return held
        if not _ID.fullmatch(picture_id):
            return None
        try:
            return (self._folder / f"{picture_id}.jpg").read_bytes()
        except OSError:
            return None

    def _write(self, picture_id: str, data: bytes) -> None:
        path = self._folder / f"{picture_id}.jpg"
        if path.exists():
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(data)
        part.replace(path)

    def _tidy(self) -> None:
        files = sorted(self._folder.glob("*.jpg"), key=lambda file: file.stat().st_mtime)
        size = sum(file.stat().st_size for file in files)
        for file in files[:-1]:
            if size <= self._limit:
                return
            size -= file.stat().st_size
            file.unlink(missing_ok=True)
