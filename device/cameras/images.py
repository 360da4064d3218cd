"""Driver `images`: one picture, or a folder of pictures in natural order."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
from pydantic import Field

from device.cameras.base import Camera, CameraError, CameraHealth, EndOfStream, Frame, Image, UnreadablePictureError
from device.drivers import DriverSettings

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
MAX_PIXELS = 50_000_000


class ImagesSettings(DriverSettings):
    """`interval_s`: pause between pictures (a slide show); `loop`: begin again after the last."""

    interval_s: float = Field(default=0.0, ge=0)
    loop: bool = False


def natural_key(path: Path) -> list[tuple[int, int, str]]:
    """Sorts hand2 before hand10."""
    parts = re.split(r"(\d+)", path.name.lower())
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]


def list_pictures(source: Path) -> tuple[Path, ...]:
    """The pictures of a folder in natural order (hidden files left out), or the one picture.

    Raises CameraError when there are none.
    """
    if source.is_file():
        return (source,)
    if not source.is_dir():
        raise CameraError(f"There is no picture or folder {source}.", "Check the path.")
    found = sorted(
        (p for p in source.iterdir() if p.suffix.lower() in SUFFIXES and not p.name.startswith(".") and p.is_file()),
        key=natural_key,
    )
    if not found:
        raise CameraError(
            f"The folder {source} holds no pictures.", f"Put pictures into it ({', '.join(sorted(SUFFIXES))})."
        )
    return tuple(found)


def decode_picture(path: Path) -> Image:
    """The picture as BGR with its EXIF orientation applied. Raises UnreadablePictureError, naming the file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadablePictureError(
            f"{path} cannot be read: {error.strerror}.", "Check the file and its rights."
        ) from error
    image = None
    if data:
        try:
            image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:
            image = None
    if image is None:
        raise UnreadablePictureError(f"{path} is not a picture that can be read.", "Save it again as JPEG or PNG.")
    if image.shape[0] * image.shape[1] > MAX_PIXELS:
        raise UnreadablePictureError(
            f"{path} has {image.shape[1]}x{image.shape[0]} pixels, more than {MAX_PIXELS // 1_000_000} megapixels.",
            "Scale it down to about 12 megapixels.",
        )
    return np.asarray(image, dtype=np.uint8)


class ImagesCamera(Camera):
    """Every picture once, in order, then EndOfStream."""

    settings_type: ClassVar[type[DriverSettings]] = ImagesSettings
    finite: ClassVar[bool] = True

    def __init__(self, source: str, settings: ImagesSettings) -> None:
        super().__init__(source, settings)
        self._settings = settings
        self._pictures: tuple[Path, ...] = ()
        self._next = 0
        self._read_at = 0.0

    @property
    def pictures(self) -> tuple[Path, ...]:
        """The files this source goes through."""
        return self._pictures

    def open(self) -> None:
        self._pictures = list_pictures(Path(self.source).expanduser())
        self._next = 0

    def close(self) -> None:
        self._pictures = ()

    def read(self, max_age_s: float | None = None, timeout_s: float | None = None) -> Frame:
        if not self._pictures:
            raise CameraError(f"{self.source} is not open.", "Call open() first.")
        if self._next >= len(self._pictures) and not self._settings.loop:
            raise EndOfStream(f"{self.source}: all {len(self._pictures)} pictures have been read.")
        self._pace()
        sequence = self._next
        self._next += 1
        path = self._pictures[sequence % len(self._pictures)]
        return Frame(decode_picture(path), sequence, time.monotonic(), self.source, path.name)

    def _pace(self) -> None:
        wait = self._read_at + self._settings.interval_s - time.monotonic()
        if self._next and wait > 0:
            time.sleep(wait)
        self._read_at = time.monotonic()

    def health(self) -> CameraHealth:
        if not self._pictures:
            return CameraHealth("closed")
        return CameraHealth("ok", frames=self._next, applied={"pictures": len(self._pictures)})
