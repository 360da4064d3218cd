"""Driver `url`: network cameras, over RTSP, HTTP (MJPEG) or HLS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field

from device.cameras.live import LiveCamera, LiveSettings
from device.drivers import DriverSettings

HLS_STALL_S, HLS_OPEN_S = 12.0, 15.0


class UrlSettings(LiveSettings):
    """`transport` is RTSP's: tcp loses nothing, udp is a little quicker. HLS is paced to its own speed, is seconds
    behind by its nature, and may take its time to open and pause for a whole
    segment before it counts as stalled."""

    transport: Literal["tcp", "udp"] = "tcp"
    ffmpeg: dict[str, str] = Field(default_factory=dict)


class UrlCamera(LiveCamera):
    """A stream from the network. The address, and with it a password, is handed to the capture process in private."""

    settings_type: ClassVar[type[DriverSettings]] = UrlSettings
    advice: ClassVar[str] = "Check that the address, user and password open in VLC, and that the camera is switched on."

    def __init__(self, source: str, settings: UrlSettings) -> None:
        self._hls = urlsplit(source).path.lower().endswith(".m3u8")
        if self._hls:
            longer = {"stall_s": HLS_STALL_S, "open_timeout_s": HLS_OPEN_S}
            settings = settings.model_copy(update={k: max(v, getattr(settings, k)) for k, v in longer.items()})
        super().__init__(source, settings)
        self._settings = settings
        self.__address = source

    def _request(self) -> Mapping[str, Any]:
        rtsp = self.__address.lower().startswith("rtsp")
        options = {"fflags": "nobuffer", "flags": "low_delay"} if not self._hls else {}
        if rtsp:
            options["rtsp_transport"] = self._settings.transport
        return {
            "grabber": "url",
            "address": self.__address,
            "open_timeout_s": self._settings.open_timeout_s,
            # A little before our own stall alarm, so that the capture process gives up by itself.
            "read_timeout_s": max(0.3, self._settings.stall_s - 0.2),
            "ffmpeg": options | self._settings.ffmpeg,
            "paced": self._hls,
            "stamped": rtsp,
        }
