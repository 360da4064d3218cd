"""Driver `video`: a film file, every frame in order, or at its own pace."""

from __future__ import annotations

import time
from pathlib import Path
from typing import ClassVar, Literal

import cv2
import numpy as np
from pydantic import Field

from device.cameras.base import Camera, CameraError, CameraHealth, EndOfStream, Frame
from device.drivers import DriverSettings

DEFAULT_FPS = 25.0


class VideoSettings(DriverSettings):
    """`pace`: `every` gives each frame in order, as fast as it is read; `clock` plays at the film's own speed and
    leaves out what was not read in time, as a live camera would. `step`: give only every n-th frame. `loop`: begin
    again at the end."""

    pace: Literal["every", "clock"] = "every"
    step: int = Field(default=1, ge=1)
    loop: bool = False


class VideoCamera(Camera):
    """The frames of a film, then EndOfStream. `Frame.name` is the moment in the film, as 00:01:02.345."""

    settings_type: ClassVar[type[DriverSettings]] = VideoSettings
    finite: ClassVar[bool] = True

    def __init__(self, source: str, settings: VideoSettings) -> None:
        super().__init__(source, settings)
        self._settings = settings
        self._capture: cv2.VideoCapture | None = None
        self._fps = DEFAULT_FPS
        self._position = 0  # frames taken from this pass of the film
        self._passes_frames = 0  # frames of the passes before it
        self._delivered = 0
        self._started = 0.0

    def open(self) -> None:
        path = Path(self.source).expanduser()
        if not path.is_file():
            raise CameraError(f"There is no video file {path}.", "Check the path.")
        capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        if not capture.isOpened():
            capture.release()
            raise CameraError(
                f"{path} is not a video that can be read.", "Convert it: ffmpeg -i FILE -c:v libx264 film.mp4"
            )
        fps = float(capture.get(cv2.CAP_PROP_FPS))
        self._fps = fps if 0.1 < fps < 1000 else DEFAULT_FPS
        self.close()
        self._capture = capture
        self._position = self._passes_frames = self._delivered = 0
        self._started = time.monotonic()

    def close(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    def read(self, max_age_s: float | None = None, timeout_s: float | None = None) -> Frame:
        if self._capture is None:
            raise CameraError(f"{self.source} is not open.", "Call open() first.")
        target = self._target()
        while True:
            while self._position < target and self._capture.grab():
                self._position += 1
            ok, image = self._capture.read()
            if ok and image is not None:
                break
            self._rewind_or_end()
            target = 0
        number = self._position
        self._position += 1
        self._delivered += 1
        sequence = self._passes_frames + number
        return Frame(np.asarray(image, np.uint8), sequence, time.monotonic(), self.source, _stamp(number / self._fps))

    def _target(self) -> int:
        """The number of the frame to give next within this pass of the film."""
        if self._settings.pace == "every":
            # From the first frame on, every step-th.
            return 0 if self._position == 0 else self._position + self._settings.step - 1
        due = self._started + (self._position + 0.0) / self._fps - time.monotonic()
        if due > 0:
            time.sleep(due)
        return max(self._position, int((time.monotonic() - self._started) * self._fps))

    def _rewind_or_end(self) -> None:
        assert self._capture is not None
        if not self._settings.loop:
            raise EndOfStream(f"{self.source}: the film is over after {self._delivered} frames.")
        if self._position == 0:
            raise CameraError(f"{self.source} holds no frame that can be decoded.", "Convert or replace the film.")
        self._passes_frames += self._position
        self._position = 0
        self._started = time.monotonic()
        self._capture.release()
        self._capture = cv2.VideoCapture(str(Path(self.source).expanduser()), cv2.CAP_FFMPEG)

    def health(self) -> CameraHealth:
        if self._capture is None:
            return CameraHealth("closed")
        return CameraHealth("ok", frames=self._delivered, applied={"fps": self._fps})


def _stamp(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours:02d}:{minutes:02d}:{rest:06.3f}"
