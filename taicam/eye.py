"""What the camera sees at this moment, for the people who set it up: the last frame looked at, and what was read."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.observation import TableReading

LONG_SIDE = 1280  # pixels of the picture sent to a page
JPEG_QUALITY = 75


@dataclass(frozen=True, slots=True)
class Sight:
    """One look: the frame (height x width x 3, BGR), the reading, the frame's name, when (monotonic seconds)."""

    image: npt.NDArray[np.uint8]
    reading: TableReading | None
    name: str
    at_s: float


class Eye:
    """Holds the last look; encodes it only when somebody asks, and once however many ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sight: Sight | None = None
        self._encoded: tuple[Sight, bytes] | None = None

    def see(self, image: npt.NDArray[np.uint8], reading: TableReading | None, name: str) -> None:
        """Remember a look; the picture must not be drawn into afterwards."""
        self._sight = Sight(image, reading, name, time.monotonic())

    @property
    def sight(self) -> Sight | None:
        """The last look, if there was one."""
        return self._sight

    def describe(self) -> dict[str, Any] | None:
        """The boxes of the last look as JSON, in pixels of `size`; None when nothing was seen yet."""
        sight = self._sight
        if sight is None:
            return None
        height, width = sight.image.shape[:2]
        quality = sight.reading.quality if sight.reading is not None else ()
        tiles = sight.reading.to_json()["tiles"] if sight.reading is not None else []
        return {
            "name": sight.name,
            "age_s": round(time.monotonic() - sight.at_s, 2),
            "size": [width, height],
            "tiles": [{key: tile[key] for key in ("code", "box", "role", "doubtful", "confidence")} for tile in tiles],
            "quality": [note.message_zh for note in quality],
            "quality_en": [note.message_en for note in quality],
        }

    def jpeg(self) -> bytes | None:
        """The last look as JPEG, no larger than a page needs; None when nothing was seen yet."""
        sight = self._sight
        if sight is None:
            return None
        with self._lock:
            if self._encoded is None or self._encoded[0] is not sight:
                scale = min(1.0, LONG_SIDE / max(sight.image.shape[:2]))
                small = sight.image if scale == 1.0 else cv2.resize(sight.image, None, fx=scale, fy=scale)
                data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
                self._encoded = (sight, data.tobytes())
            return self._encoded[1]
