"""What every camera is: a source of numbered, time-stamped frames."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from device.drivers import DriverSettings, build_settings
from device.errors import DeviceError

Image = npt.NDArray[np.uint8]
CameraState = Literal["closed", "opening", "ok", "stalled", "black", "frozen", "lost"]


class CameraError(DeviceError):
    """The camera cannot be opened or cannot give a frame; the message says what to do."""


class CameraSourceError(CameraError, ValueError):
    """What was given as a source is nothing that a camera driver reads: bad input, not a failing camera."""


class CameraTimeoutError(CameraError):
    """No frame young enough came in time. A live camera is being mended meanwhile: just read again."""


class UnreadablePictureError(CameraError):
    """One picture or frame of a finite source cannot be decoded; the next `read` goes on with the next one."""


class EndOfStream(CameraError):  # noqa: N818  (it is no error of the camera: the film is over)
    """A finite source (pictures, a film) has given every frame it has."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture from a camera.

    `image` is height x width x 3, uint8, BGR. `sequence` counts the source's frames from 0 and only rises (gaps are
    frames nobody asked for in time). `monotonic_s` is `time.monotonic()` when the frame was taken. `source` is the
    camera (credentials removed), `name` the file or moment it came from, e.g. `hand_03.png`.
    """

    image: Image
    sequence: int
    monotonic_s: float
    source: str
    name: str = ""

    @property
    def age_s(self) -> float:
        """Seconds since the frame was taken."""
        return time.monotonic() - self.monotonic_s


@dataclass(frozen=True, slots=True)
class Refusal:
    """A setting the camera did not take: what was `wanted`, what it has instead (None: it has no such setting)."""

    name: str
    wanted: Any
    got: Any


@dataclass(frozen=True, slots=True)
class CameraHealth:
    """How a camera is doing: `reason` is one line for a person, empty when all is well.

    `applied` holds the settings as the camera read them back (name -> value), `refused` those it did not take;
    `reopened` counts mended failures.
    """

    state: CameraState
    reason: str = ""
    frames: int = 0
    reopened: int = 0
    since_s: float = 0.0
    applied: Mapping[str, Any] = field(default_factory=dict)
    refused: tuple[Refusal, ...] = ()

    @property
    def ok(self) -> bool:
        return self.state == "ok"


class Camera(ABC):
    """One source of frames. Use it as a context manager, or call `open` and `close`.

    `finite` sources deliver every picture in order and then raise EndOfStream; live ones hand out only the newest
    frame, never the same one twice, and never one older than `max_age_s`.
    """

    settings_type: ClassVar[type[DriverSettings]] = DriverSettings
    finite: ClassVar[bool] = False

    def __init__(self, source: str, settings: DriverSettings) -> None:
        self.source = source

    @classmethod
    def create(cls, source: str, settings: Mapping[str, Any]) -> Self:
        """Build the camera from plain settings. Raises SettingsError for an unknown or wrong one."""
        return cls(source, build_settings(cls.settings_type, cls.__name__, settings))

    @abstractmethod
    def open(self) -> None:
        """Make ready to read. Raises CameraError when the source cannot be used at all."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the device. May be called twice."""

    @abstractmethod
    def read(self, max_age_s: float | None = None, timeout_s: float | None = None) -> Frame:
        """The next frame.

        Finite source: the next picture in order; raises UnreadablePictureError for one that cannot be decoded,
        EndOfStream after the last. Live source: the newest frame not yet handed out, waiting up to `timeout_s` (the
        driver's setting when None) for one younger than `max_age_s`; raises CameraTimeoutError with the reason when
        none came.
        """

    @abstractmethod
    def health(self) -> CameraHealth:
        """The camera's state now; never raises, never waits."""

    def frames(self) -> Iterator[Frame]:
        """Every frame of a finite source, in order, skipping pictures that cannot be read."""
        while True:
            try:
                yield self.read()
            except UnreadablePictureError:
                continue
            except EndOfStream:
                return

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
