"""Cameras: `open_camera(source)` finds the driver for anything `--source` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from device.cameras.base import (
    Camera,
    CameraError,
    CameraHealth,
    CameraSourceError,
    CameraTimeoutError,
    EndOfStream,
    Frame,
    UnreadablePictureError,
)
from device.drivers import driver_class
from device.redact import redact

__all__ = [
    "DRIVERS",
    "Camera",
    "CameraError",
    "CameraHealth",
    "CameraSourceError",
    "CameraTimeoutError",
    "EndOfStream",
    "Frame",
    "UnreadablePictureError",
    "driver_for",
    "make_camera",
    "open_camera",
]

DRIVERS = {
    "images": "device.cameras.images:ImagesCamera",
    "opencv": "device.cameras.opencv:OpenCvCamera",
    "picamera2": "device.cameras.picamera:PiCamera",
    "synthetic": "device.cameras.synthetic:SyntheticCamera",
    "url": "device.cameras.url:UrlCamera",
    "video": "device.cameras.video:VideoCamera",
}
STREAM_SCHEMES = ("rtsp://", "rtsps://", "http://", "https://", "rtmp://", "udp://", "srt://")
PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
VALID = (
    "Give a camera index (0), a device path (/dev/v4l/by-id/…), a picture, a folder of pictures, a video file, "
    "or an rtsp:// or http:// address; `taicam find-cameras` lists the cameras that are plugged in."
)


def driver_for(source: str) -> str:
    """The name of the driver that reads `source`. Raises CameraSourceError when nothing can."""
    source = source.strip()
    if not source:
        raise CameraSourceError("No camera source was given.", VALID)
    if source.lower().startswith(STREAM_SCHEMES):
        return "url"
    if source.lower().startswith("serial://"):
        raise CameraSourceError(
            f"{redact(source)} is a machine on a serial line, not a camera.",
            "Its pictures come from device.machine; give `taicam run --source serial://…`.",
        )
    if "://" in source:
        raise CameraSourceError(f"No driver reads {redact(source)}.", VALID)
    head = source.partition(":")[0]
    if head in ("synthetic", "picamera2"):
        return head
    if source.isdigit() or source.startswith("/dev/") or head == "usb":
        return "opencv"
    path = Path(source).expanduser()
    if path.is_dir() or (path.is_file() and path.suffix.lower() in PICTURE_SUFFIXES):
        return "images"
    if path.is_file():
        return "video"
    raise CameraSourceError(f"There is no file, folder or camera named {source!r}.", VALID)


def make_camera(source: str | int, **settings: Any) -> Camera:
    """The camera for `source`, not yet opened. `driver=NAME` in `settings` overrides the guess.

    Raises CameraSourceError for a source nothing can read, SettingsError for a setting the driver does not have.
    """
    text = str(source)
    values = dict(settings)
    name = values.pop("driver", None) or driver_for(text)
    camera: Camera = driver_class("camera", str(name), DRIVERS).create(text, values)
    return camera


def open_camera(source: str | int, **settings: Any) -> Camera:
    """`make_camera` and `open()`: ready to read. Close it, or use it as a context manager."""
    camera = make_camera(source, **settings)
    camera.open()
    return camera
