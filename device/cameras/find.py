"""The cameras of this machine, with a snapshot of each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import cv2

from device.cameras import CameraError, make_camera
from device.cameras.v4l import CameraInfo, Mode, list_cameras

SNAPSHOT_S = 8.0


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """One camera: what to give as `--source`, and, when asked for, a snapshot or why there is none."""

    source: str
    info: CameraInfo
    snapshot: Path | None = None
    problem: str = ""


def best_mode(modes: tuple[Mode, ...]) -> Mode | None:
    """The mode to use over a table: the most pixels at 10 frames a second or more, MJPG before others."""
    fast = [mode for mode in modes if not mode.fps or max(mode.fps) >= 10] or list(modes)
    return max(fast, key=lambda m: (m.width * m.height, m.fourcc == "MJPG"), default=None)


def find_cameras(snapshots: Path | None = None) -> tuple[FoundCamera, ...]:
    """Every camera; with a folder in `snapshots`, one JPEG of each is put there."""
    infos = list(list_cameras())
    if find_spec("picamera2") is not None:
        infos.append(CameraInfo("picamera2", "picamera2", "Raspberry Pi camera"))
    return tuple(_look(info, snapshots) for info in infos)


def _look(info: CameraInfo, folder: Path | None) -> FoundCamera:
    if info.problem or folder is None:
        return FoundCamera(info.stable, info, problem=info.problem)
    mode = best_mode(info.modes)
    size = {"width": mode.width, "height": mode.height, "fourcc": mode.fourcc} if mode else {}
    camera = make_camera(info.stable, **size)
    try:
        with camera:
            frame = camera.read(timeout_s=SNAPSHOT_S)
    except CameraError as error:
        return FoundCamera(info.stable, info, problem=str(error))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{Path(info.stable).name}.jpg"
    path.write_bytes(cv2.imencode(".jpg", frame.image)[1].tobytes())
    return FoundCamera(info.stable, info, path)
