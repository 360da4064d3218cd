"""Video4Linux by its ioctls: what a camera is, what it can do, and the controls OpenCV does not reach.

Only what a camera over a table needs: mains frequency, exposure, white balance, focus. The numbers are those of
`linux/videodev2.h` and `linux/v4l2-controls.h`.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

try:
    from fcntl import ioctl as _system_ioctl
except ImportError:  # not a Unix
    _system_ioctl = None  # type: ignore[assignment]

Ioctl = Callable[[int, int, bytearray], object]

QUERYCAP = 0x80685600
ENUM_FMT = 0xC0405602
ENUM_FRAMESIZES = 0xC02C564A
ENUM_FRAMEINTERVALS = 0xC034564B
G_CTRL = 0xC008561B
S_CTRL = 0xC008561C
CAP_VIDEO_CAPTURE = 0x1
CAP_DEVICE_CAPS = 0x80000000
BUF_TYPE_VIDEO_CAPTURE = 1
DISCRETE = 1

CONTROLS = {
    "power_line_frequency": 0x00980918,
    "white_balance_auto": 0x0098090C,
    "white_balance_temperature": 0x0098091A,
    "gain": 0x00980913,
    "exposure_auto": 0x009A0901,
    "exposure_absolute": 0x009A0902,
    "exposure_dynamic_framerate": 0x009A0903,
    "focus_absolute": 0x009A090A,
    "focus_auto": 0x009A090C,
}
POWER_LINE = {0: 0, 50: 1, 60: 2}
EXPOSURE_MANUAL, EXPOSURE_APERTURE_PRIORITY = 1, 3
# (the automatic, its value when off, the value it steers): the first must be off before the last can be set.
LOCKS = (
    ("exposure_auto", EXPOSURE_MANUAL, "exposure_absolute"),
    ("white_balance_auto", 0, "white_balance_temperature"),
    ("focus_auto", 0, "focus_absolute"),
)
_ORDER = {name: rank for rank, (auto, _, value) in enumerate(LOCKS) for name in (auto, value)}
BY_ID = Path("/dev/v4l/by-id")
SYS = Path("/sys/class/video4linux")


@dataclass(frozen=True, slots=True)
class Mode:
    """One way a camera can send: pixel format (MJPG, YUYV …), width, height, frames a second (best first)."""

    fourcc: str
    width: int
    height: int
    fps: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class CameraInfo:
    """One camera of this machine. `stable` is the path to configure: it survives a reboot and another USB port order
    where the system gives such a name, else it is `path`."""

    path: str
    stable: str
    name: str
    bus: str = ""
    modes: tuple[Mode, ...] = ()
    problem: str = ""
    controls: Mapping[str, int] = field(default_factory=dict)


class V4lDevice:
    """An open video device node. `ioctl` may be replaced, for tests without hardware."""

    def __init__(self, path: str, ioctl: Ioctl | None = None) -> None:
        self._path = path
        self._ioctl: Ioctl | None = ioctl or _system_ioctl
        self._fd = -1

    def __enter__(self) -> Self:
        self._fd = os.open(self._path, os.O_RDWR | os.O_NONBLOCK)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._fd)
        self._fd = -1

    def _call(self, request: int, data: bytearray) -> bool:
        """One ioctl; False when the device does not know it or the index is past the end."""
        if self._ioctl is None:
            return False
        try:
            self._ioctl(self._fd, request, data)
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOTTY, errno.EACCES, errno.EBUSY, errno.ERANGE, errno.EIO):
                return False
            raise
        return True

    def capability(self) -> tuple[str, str, bool]:
        """(card name, bus, whether it captures video; the second node of a UVC camera only carries metadata)."""
        data = bytearray(104)
        if not self._call(QUERYCAP, data):
            return "", "", False
        _, card, bus, _, caps, device_caps = struct.unpack_from("<16s32s32sIII", data)
        flags = device_caps if caps & CAP_DEVICE_CAPS else caps
        return _text(card), _text(bus), bool(flags & CAP_VIDEO_CAPTURE)

    def modes(self) -> tuple[Mode, ...]:
        """Every discrete mode the camera lists."""
        found: list[Mode] = []
        for index in range(64):
            data = bytearray(64)
            struct.pack_into("<II", data, 0, index, BUF_TYPE_VIDEO_CAPTURE)
            if not self._call(ENUM_FMT, data):
                break
            (pixel,) = struct.unpack_from("<I", data, 44)
            fourcc = struct.pack("<I", pixel & 0x7FFFFFFF).decode("ascii", "replace").strip("\0 ")
            found += [Mode(fourcc, w, h, self._rates(pixel, w, h)) for w, h in self._sizes(pixel)]
        return tuple(found)

    def _sizes(self, pixel: int) -> list[tuple[int, int]]:
        sizes: list[tuple[int, int]] = []
        for index in range(128):
            data = bytearray(44)
            struct.pack_into("<II", data, 0, index, pixel)
            if not self._call(ENUM_FRAMESIZES, data):
                break
            kind, width, height = struct.unpack_from("<III", data, 8)
            if kind != DISCRETE:  # stepwise: width and height are the smallest; the largest follow
                _, width, _, _, height, _ = struct.unpack_from("<6I", data, 12)
                return [(width, height)]
            sizes.append((width, height))
        return sizes

    def _rates(self, pixel: int, width: int, height: int) -> tuple[float, ...]:
        rates: list[float] = []
        for index in range(64):
            data = bytearray(52)
            struct.pack_into("<IIII", data, 0, index, pixel, width, height)
            if not self._call(ENUM_FRAMEINTERVALS, data):
                break
            kind, numerator, denominator = struct.unpack_from("<III", data, 16)
            if numerator:
                rates.append(round(denominator / numerator, 2))
            if kind != DISCRETE:
                break
        return tuple(sorted(rates, reverse=True))

    def get(self, name: str) -> int | None:
        """The value of a control, or None when the camera has none of that name."""
        data = bytearray(struct.pack("<Ii", CONTROLS[name], 0))
        return int(struct.unpack("<Ii", data)[1]) if self._call(G_CTRL, data) else None

    def set(self, name: str, value: int) -> bool:
        """Set a control; False when the camera does not have it or refuses the value."""
        return self._call(S_CTRL, bytearray(struct.pack("<Ii", CONTROLS[name], value)))


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


def apply_controls(device: V4lDevice, wanted: Mapping[str, int]) -> dict[str, int]:
    """Set each control and read it back; returns what the camera then has (controls it lacks are left out)."""
    ordered = sorted(wanted, key=lambda name: (_ORDER.get(name, -1), not name.endswith("_auto"), name))
    for name in ordered:
        device.set(name, wanted[name])
    back = {name: device.get(name) for name in ordered}
    return {name: value for name, value in back.items() if value is not None}


def lock_controls(device: V4lDevice) -> dict[str, int]:
    """Switch exposure, white balance and focus from automatic to the values the automatics have found.

    Returns the controls as read back; the caller keeps them to apply again after a reconnect.
    """
    locks: dict[str, int] = {}
    for auto, off, value_name in LOCKS:
        value = device.get(value_name)
        if value is None or device.get(auto) is None:
            continue
        locks.update({auto: off, value_name: value})
    return apply_controls(device, locks)


def stable_path(path: str, by_id: Path = BY_ID) -> str:
    """The by-id link that leads to `path`, or `path` itself where the system has none."""
    target = os.path.realpath(path)
    if by_id.is_dir():
        for link in sorted(by_id.iterdir()):
            if os.path.realpath(link) == target:
                return str(link)
    return path


def list_cameras(sys: Path = SYS, dev: Path = Path("/dev"), by_id: Path = BY_ID) -> tuple[CameraInfo, ...]:
    """The capture devices of this machine, by node number. A node we may not open is listed with its problem."""
    if not sys.is_dir():
        return ()
    found = []
    for entry in sorted(sys.iterdir(), key=lambda p: (len(p.name), p.name)):
        path = str(dev / entry.name)
        name_file = entry / "name"
        name = name_file.read_text().strip() if name_file.is_file() else entry.name
        try:
            with V4lDevice(path) as device:
                card, bus, captures = device.capability()
                if not captures:
                    continue
                controls = {key: value for key in CONTROLS if (value := device.get(key)) is not None}
                found.append(
                    CameraInfo(path, stable_path(path, by_id), card or name, bus, device.modes(), "", controls)
                )
        except PermissionError:
            problem = "no rights to open it: sudo usermod -aG video $USER, then log in again"
            found.append(CameraInfo(path, stable_path(path, by_id), name, problem=problem))
        except OSError as error:
            found.append(CameraInfo(path, stable_path(path, by_id), name, problem=str(error.strerror or error)))
    return tuple(found)
