"""Driver `picamera2`: a Raspberry Pi camera module. The `picamera2` package comes with Raspberry Pi OS, not PyPI."""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from device.cameras.base import Image
from device.cameras.grabbers import Grabber, GrabError, Request
from device.cameras.live import LiveCamera, LiveSettings
from device.drivers import DriverSettings

MISSING = (
    "the picamera2 library is not installed: sudo apt install python3-picamera2, "
    "and make the virtual environment with --system-site-packages"
)


class PiSettings(LiveSettings):
    """Size and rate; `mains_hz` against flicker; `exposure_us` and `gain`, `colour_gains` (red, blue) and `lens`
    (1 / distance in metres) fix what is otherwise automatic; `lock_after_s` freezes the automatics (0: never)."""

    width: int = Field(default=1920, ge=64)
    height: int = Field(default=1080, ge=64)
    fps: float = Field(default=15.0, gt=0)
    mains_hz: Literal[0, 50, 60] = 60
    exposure_us: int | None = None
    gain: float | None = None
    colour_gains: tuple[float, float] | None = None
    lens: float | None = None
    lock_after_s: float = Field(default=3.0, ge=0)


class PiCamera(LiveCamera):
    """A camera on the ribbon cable. Source: `picamera2` or `picamera2:1` for the second one."""

    settings_type: ClassVar[type[DriverSettings]] = PiSettings
    advice: ClassVar[str] = "Check the ribbon cable with `rpicam-hello --list-cameras`."

    def __init__(self, source: str, settings: PiSettings) -> None:
        super().__init__(source, settings)
        self._settings = settings

    def _request(self) -> Mapping[str, Any]:
        number = self.source.partition(":")[2]
        own = self._settings.model_dump(exclude=set(LiveSettings.model_fields))
        return {"grabber": "picamera2", "address": number or "0", **own}


def controls_for(request: Request) -> dict[str, Any]:
    """libcamera's controls for the settings asked for."""
    controls: dict[str, Any] = {"FrameRate": float(request["fps"])}
    if request.get("mains_hz"):
        controls |= {"AeFlickerMode": 1, "AeFlickerPeriod": round(1e6 / (2 * request["mains_hz"]))}
    if request.get("exposure_us"):
        controls |= {"AeEnable": False, "ExposureTime": request["exposure_us"]}
    if request.get("gain"):
        controls["AnalogueGain"] = request["gain"]
    if request.get("colour_gains"):
        controls |= {"AwbEnable": False, "ColourGains": tuple(request["colour_gains"])}
    if request.get("lens") is not None:
        controls |= {"AfMode": 0, "LensPosition": request["lens"]}
    return controls | dict(request.get("locks", {}))


class PiGrabber(Grabber):
    """Runs in the capture process."""

    def open(self, request: Request) -> dict[str, Any]:
        try:
            library = importlib.import_module("picamera2")
        except ImportError:
            raise GrabError(MISSING) from None
        cameras = library.Picamera2.global_camera_info()
        number = int(request["address"])
        if number >= len(cameras):
            raise GrabError(f"there is no camera number {number}; libcamera sees {len(cameras)}")
        self._camera = library.Picamera2(number)
        size = (int(request["width"]), int(request["height"]))
        # libcamera's RGB888 is B, G, R in memory: what we call BGR.
        config = self._camera.create_video_configuration(
            main={"size": size, "format": "RGB888"}, controls=controls_for(request), buffer_count=2
        )
        self._camera.configure(config)
        self._camera.start()
        actual = self._camera.camera_configuration()["main"]
        return {"width": int(actual["size"][0]), "height": int(actual["size"][1]), "fps": float(request["fps"])}

    def grab(self) -> float:
        request = self._camera.capture_request()
        try:
            self._image = np.ascontiguousarray(request.make_array("main")[:, :, :3], np.uint8)
            sensor_s = float(request.get_metadata().get("SensorTimestamp", 0)) / 1e9
        finally:
            request.release()
        now = time.monotonic()
        return sensor_s if 0 <= now - sensor_s < 10 else now

    def retrieve(self) -> Image:
        return self._image

    def lock(self) -> dict[str, Any]:
        """Fix exposure, gain, colour and focus at what the automatics have found."""
        found = self._camera.capture_metadata()
        locks: dict[str, Any] = {"AeEnable": False, "AwbEnable": False}
        for name in ("ExposureTime", "AnalogueGain", "ColourGains"):
            if name in found:
                locks[name] = found[name]
        if "LensPosition" in found:
            locks |= {"AfMode": 0, "LensPosition": found["LensPosition"]}
        self._camera.set_controls(locks)
        return locks

    def close(self) -> None:
        camera = getattr(self, "_camera", None)
        if camera is not None:
            camera.stop()
            camera.close()
