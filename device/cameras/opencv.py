"""Driver `opencv`: a USB (UVC) or built-in camera, by index, device path, stable id or part of its name."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from device.cameras.base import CameraError
from device.cameras.live import LiveCamera, LiveSettings
from device.cameras.v4l import EXPOSURE_APERTURE_PRIORITY, EXPOSURE_MANUAL, POWER_LINE, list_cameras, stable_path
from device.drivers import DriverSettings

log = logging.getLogger("device.cameras")


class OpenCvSettings(LiveSettings):
    """The size and pixel format to ask for (MJPG spares USB bandwidth: YUYV at 1080p gives 5 frames a second);
    `mains_hz` 50 or 60 stops lamps from flickering in the picture; `exposure`, `gain`, `white_balance` and `focus` are
    the camera's own numbers, None leaves them to it; `lock_after_s` freezes what its automatics have found after so
    many seconds (0: never), so that a hand over the table changes nothing. All are applied again after a reconnect."""

    width: int = Field(default=1920, ge=0)
    height: int = Field(default=1080, ge=0)
    fps: int = Field(default=30, ge=0)
    fourcc: str = Field(default="MJPG", pattern=r"^(?:[A-Z0-9 ]{4})?$")
    mains_hz: Literal[0, 50, 60, None] = 60
    exposure: int | None = None
    gain: int | None = None
    white_balance: int | None = None
    focus: int | None = None
    lock_after_s: float = Field(default=3.0, ge=0)


def controls_for(settings: OpenCvSettings) -> dict[str, int]:
    """The V4L2 controls that the settings ask for."""
    wanted: dict[str, int] = {}
    if settings.mains_hz is not None:
        wanted["power_line_frequency"] = POWER_LINE[settings.mains_hz]
    if settings.exposure is not None:
        wanted |= {"exposure_auto": EXPOSURE_MANUAL, "exposure_absolute": settings.exposure}
    elif not settings.lock_after_s:
        wanted["exposure_auto"] = EXPOSURE_APERTURE_PRIORITY
    if settings.gain is not None:
        wanted["gain"] = settings.gain
    if settings.white_balance is not None:
        wanted |= {"white_balance_auto": 0, "white_balance_temperature": settings.white_balance}
    if settings.focus is not None:
        wanted |= {"focus_auto": 0, "focus_absolute": settings.focus}
    return wanted


class OpenCvCamera(LiveCamera):
    """A camera plugged into this machine. Sources: `0`, `/dev/video0`, `/dev/v4l/by-id/…`, `usb:C920`."""

    settings_type: ClassVar[type[DriverSettings]] = OpenCvSettings

    def __init__(self, source: str, settings: OpenCvSettings) -> None:
        super().__init__(source, settings)
        self._settings = settings

    def _request(self) -> Mapping[str, Any]:
        s = self._settings
        return {
            "grabber": "device",
            "address": resolve(self.source),
            "width": s.width,
            "height": s.height,
            "fps": s.fps,
            "fourcc": s.fourcc,
            "controls": controls_for(s),
            "lock_after_s": s.lock_after_s,
        }

    def open(self) -> None:
        path = resolve(self.source)  # a name that fits several cameras is the caller's mistake: say so at once
        lasting = stable_path(path)
        if self.source.isdigit() and lasting != path:
            log.info(
                "Camera %s is %s: give that name, the number may be another camera's after a restart.", path, lasting
            )
        super().open()


def resolve(source: str) -> str:
    """The device path for a source. A bare index becomes /dev/videoN, and `usb:TEXT` the one camera with TEXT in its
    name or id. Raises CameraError when TEXT fits several."""
    if source.isdigit():
        return f"/dev/video{int(source)}"
    head, _, text = source.partition(":")
    if head != "usb":
        return source
    fitting = [c for c in list_cameras() if text.lower() in f"{c.name} {c.stable}".lower()]
    if len(fitting) > 1:
        names = ", ".join(f"{c.name} ({c.stable})" for c in fitting)
        raise CameraError(f"{source!r} fits {len(fitting)} cameras: {names}.", "Give the whole /dev/v4l/by-id/… path.")
    # Not there (yet): a path that does not exist makes opening fail with that reason, and be tried again.
    return stable_path(fitting[0].path) if fitting else f"/dev/v4l/by-id/{text or 'none'}"
