"""What the capture process runs: one grabber per kind of live source. Runs only there, where hanging does no harm."""

from __future__ import annotations

import importlib
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from device.cameras.base import Image
from device.cameras.v4l import V4lDevice, apply_controls, lock_controls
from device.cameras.watch import StreamClock

Request = Mapping[str, Any]
JUMP_S = 5.0  # presentation times further apart than this are a break, not a pause
LATEST_S = 15.0


class GrabError(Exception):
    """The source cannot be opened, or gave up; the text is one line for a person, without credentials."""


class Grabber(ABC):
    """`open`, then `grab`/`retrieve` in turn. `retrieve` is skipped for frames nobody wants."""

    @abstractmethod
    def open(self, request: Request) -> dict[str, Any]:
        """Open the source and return the settings as read back."""

    @abstractmethod
    def grab(self) -> float:
        """Wait for the next frame and return the monotonic second it was taken."""

    @abstractmethod
    def retrieve(self) -> Image:
        """The frame last grabbed, BGR."""

    def lock(self) -> dict[str, Any]:
        """Freeze what the automatics have found; returns name -> value, to be applied again after a reconnect."""
        return {}

    @abstractmethod
    def close(self) -> None: ...


class _CaptureGrabber(Grabber):
    """Shared by everything OpenCV opens."""

    def __init__(self) -> None:
        self._capture: cv2.VideoCapture | None = None

    def retrieve(self) -> Image:
        assert self._capture is not None
        ok, image = self._capture.retrieve()
        if not ok or image is None or image.size == 0:
            raise GrabError("a frame could not be decoded")
        if image.ndim == 2:
            image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
        return np.ascontiguousarray(image, np.uint8)

    def close(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None


def fourcc_name(value: float) -> str:
    """The four letters of a FOURCC number, e.g. MJPG."""
    number = int(value)
    return "".join(chr(number >> shift & 0xFF) for shift in (0, 8, 16, 24)).strip("\0 ")


class DeviceGrabber(_CaptureGrabber):
    """A USB or built-in camera through V4L2 (elsewhere: OpenCV's default for the system)."""

    def open(self, request: Request) -> dict[str, Any]:
        address = str(request["address"])
        if address.startswith("/dev/") and not Path(address).exists():
            raise GrabError(f"{address} is not there: the camera is unplugged")
        linux = hasattr(cv2, "CAP_V4L2") and address.startswith("/dev/")
        # Whole seconds only, and 10 by default: far too long to notice a pulled cable.
        os.environ["OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT"] = "2"
        capture = cv2.VideoCapture(os.path.realpath(address), cv2.CAP_V4L2) if linux else cv2.VideoCapture(int(address))
        if not capture.isOpened():
            capture.release()
            raise GrabError(f"{address} cannot be opened: in use by another program, or no rights to it")
        self._capture = capture
        self._address = address if linux else ""
        applied = self._apply_format(request)
        if linux:
            wanted = {**request.get("controls", {}), **request.get("locks", {})}
            with V4lDevice(address) as device:
                applied.update(apply_controls(device, wanted))
        return applied

    def _apply_format(self, request: Request) -> dict[str, Any]:
        """The order matters: many cameras reset the size when the pixel format changes."""
        capture = self._capture
        assert capture is not None
        if request.get("fourcc"):
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*str(request["fourcc"])))
        for prop, key in (
            (cv2.CAP_PROP_FRAME_WIDTH, "width"),
            (cv2.CAP_PROP_FRAME_HEIGHT, "height"),
            (cv2.CAP_PROP_FPS, "fps"),
        ):
            if request.get(key):
                capture.set(prop, float(request[key]))
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        return {
            "width": int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
            "height": int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
            "fps": float(capture.get(cv2.CAP_PROP_FPS)),
            "fourcc": fourcc_name(capture.get(cv2.CAP_PROP_FOURCC)),
        }

    def grab(self) -> float:
        assert self._capture is not None
        if not self._capture.grab():
            gone = self._address and not Path(self._address).exists()
            raise GrabError("the camera was unplugged" if gone else "the camera stopped sending")
        now = time.monotonic()
        driver = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000  # V4L2 stamps with the same clock
        return driver if 0 <= now - driver < 10 else now

    def lock(self) -> dict[str, Any]:
        if not self._address:
            return {}
        with V4lDevice(self._address) as device:
            return lock_controls(device)


class UrlGrabber(_CaptureGrabber):
    """RTSP, HTTP/MJPEG, HLS and the rest of FFmpeg's network streams, with time-outs on open and on read."""

    def open(self, request: Request) -> dict[str, Any]:
        address = str(request["address"])
        options = "|".join(f"{key};{value}" for key, value in dict(request.get("ffmpeg", {})).items())
        os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = options
        limits = [
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            int(float(request["open_timeout_s"]) * 1000),
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            int(float(request["read_timeout_s"]) * 1000),
        ]
        try:
            capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
        except cv2.error as error:
            raise GrabError("the address is not one FFmpeg can open") from error
        if not capture.isOpened():
            capture.release()
            raise GrabError("the stream does not answer, or refuses the address or password")
        self._capture = capture
        self._paced = bool(request.get("paced"))
        self._stamped = bool(request.get("stamped"))
        self._clock = StreamClock()
        self._start: float | None = None  # monotonic second of presentation time 0
        self._last_pts = self._due = 0.0
        return {
            "width": int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
            "height": int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
            "fps": float(capture.get(cv2.CAP_PROP_FPS)),
        }

    def grab(self) -> float:
        assert self._capture is not None
        if not self._capture.grab():
            raise GrabError("the stream stopped")
        now = time.monotonic()
        pts = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        if self._paced:
            return self._pace(pts, now)
        return self._clock.taken_at(pts, now) if self._stamped and pts > 0 else now

    def _pace(self, pts: float, now: float) -> float:
        """HLS comes a segment at a time: play it at its own speed instead of in bursts."""
        jumped = self._start is None or not 0 <= pts - self._last_pts < JUMP_S
        if self._start is None or jumped or abs(self._start + pts - now) > LATEST_S:
            self._start = max(now, self._due) - pts  # a new beginning, or the sender's clock was set
        self._last_pts, self._due = pts, self._start + pts
        if self._due > now:
            time.sleep(self._due - now)
        return time.monotonic()


class SyntheticGrabber(Grabber):
    """Frames made by a function: `module:callable` returning an iterator of BGR arrays."""

    def open(self, request: Request) -> dict[str, Any]:
        module, _, name = str(request["factory"]).partition(":")
        try:
            factory = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise GrabError(f"the frame maker {request['factory']} cannot be found ({error})") from error
        self._frames: Iterator[Any] = iter(factory(**dict(request.get("options", {}))))
        self._period = 1.0 / float(request["fps"])
        self._due = time.monotonic()
        self._image: Image | None = None
        return {"fps": float(request["fps"]), "factory": request["factory"]}

    def grab(self) -> float:
        try:
            frame = next(self._frames)
        except StopIteration:
            raise GrabError("the frame maker has no more frames") from None
        image = np.ascontiguousarray(frame, np.uint8)
        if image.ndim != 3 or image.shape[2] != 3:
            raise GrabError(f"the frame maker gave an array of shape {image.shape}, not height x width x 3")
        self._image = image
        wait = self._due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        self._due = max(self._due + self._period, time.monotonic())
        return time.monotonic()

    def retrieve(self) -> Image:
        assert self._image is not None
        return self._image

    def close(self) -> None:
        self._frames = iter(())


GRABBERS = {
    "device": "device.cameras.grabbers:DeviceGrabber",
    "url": "device.cameras.grabbers:UrlGrabber",
    "synthetic": "device.cameras.grabbers:SyntheticGrabber",
    "picamera2": "device.cameras.picamera:PiGrabber",
}
