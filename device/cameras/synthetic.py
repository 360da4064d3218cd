"""Driver `synthetic`: a function that makes frames, played as a live camera."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from device.cameras.live import LiveCamera, LiveSettings
from device.drivers import DriverSettings


class SyntheticSettings(LiveSettings):
    """`factory` is `module:callable`; called with `options` it returns an iterator of frames (height x width x 3,
    uint8, BGR). Frozen and black checks are off unless asked for: a drawing has no noise."""

    factory: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    options: dict[str, Any] = Field(default_factory=dict)
    fps: float = Field(default=10.0, gt=0, le=240)
    frozen_s: float = Field(default=0.0, ge=0)
    black_s: float = Field(default=0.0, ge=0)
    open_timeout_s: float = Field(default=20.0, gt=0)
    stall_s: float = Field(default=10.0, gt=0)
    max_age_s: float = Field(default=2.0, gt=0)


class SyntheticCamera(LiveCamera):
    """Frames from a function, made in the capture process. Source: `synthetic`, or `synthetic:module:callable`."""

    settings_type: ClassVar[type[DriverSettings]] = SyntheticSettings
    advice: ClassVar[str] = "Name the frame maker as module:callable, e.g. synthetic:mypackage.scenes:frames."

    @classmethod
    def create(cls, source: str, settings: Mapping[str, Any]) -> SyntheticCamera:
        named = source.partition(":")[2]
        values = {**settings, "factory": named} if named else dict(settings)
        return super().create(source, values)

    def __init__(self, source: str, settings: SyntheticSettings) -> None:
        super().__init__(source, settings)
        self._settings = settings

    def _request(self) -> Mapping[str, Any]:
        s = self._settings
        return {"grabber": "synthetic", "factory": s.factory, "options": s.options, "fps": s.fps}
