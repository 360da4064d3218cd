"""What `taicam doctor` checks of this computer and its hardware. Each check says what is wrong and what mends it.

Every function takes where to look as arguments, so that it can be tried on a made-up system.
"""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from device.cameras import open_camera
from device.cameras.v4l import list_cameras
from device.errors import DeviceError
from device.machine.find import PortInfo, list_serial_ports
from device.redact import redact

Status = Literal["ok", "warn", "fail", "skip"]
SOME_TIME_AGO = 1_790_000_000  # this was written later: a clock before it is wrong
MIN_FREE_MB, LOW_FREE_MB = 500, 2000
GRABBERS = {
    "ModemManager": "sudo systemctl mask --now ModemManager",
    "brltty": "sudo systemctl mask --now brltty brltty-udev",
}
CAMERA_GROUP, SERIAL_GROUPS = "video", ("dialout", "uucp", "plugdev")


@dataclass(frozen=True, slots=True)
class Check:
    """One result. `mend` is the command (or the deed) that mends it; empty when there is nothing to mend."""

    name: str
    status: Status
    detail: str
    mend: str = ""


def check_cameras() -> list[Check]:
    """The cameras that are plugged in, and whether we may open them."""
    cameras = list_cameras()
    if not cameras:
        return [Check("cameras", "warn", "no USB camera is plugged in", "plug one in; look with: taicam find-cameras")]
    return [_camera(f"{camera.name} ({camera.stable})", camera.problem) for camera in cameras]


def _camera(name: str, problem: str) -> Check:
    if not problem:
        return Check("cameras", "ok", name)
    rights = "sudo usermod -aG video $USER, then log in again"
    return Check(
        "cameras", "fail", f"{name}: {problem}", rights if "rights" in problem else "unplug it, plug it in again"
    )


def check_source(source: str, settings: Mapping[str, object], timeout_s: float = 10.0) -> Check:
    """Whether the configured source gives a frame."""
    shown = redact(source)
    try:
        with open_camera(source, **dict(settings)) as camera:
            frame = camera.read(timeout_s=timeout_s)
            asked = camera.health().applied
    except DeviceError as error:
        return Check("source", "fail", redact(error.problem), redact(error.advice))
    height, width = frame.image.shape[:2]
    rate = f", {asked['fps']:g} frames a second" if asked.get("fps") else ""
    if min(height, width) < 700:
        mend = "set a larger size: [camera] width = 1920, height = 1080"
        return Check("source", "warn", f"{shown} gives only {width}x{height}", mend)
    return Check("source", "ok", f"{shown} gives {width}x{height}{rate}")


def check_ports(ports: Sequence[PortInfo] | None = None) -> list[Check]:
    """Serial ports, and whether we may open them."""
    found = list_serial_ports() if ports is None else ports
    if not found:
        return [Check("serial ports", "ok", "none (only a serial machine or display needs one)")]
    checks = []
    for port in found:
        name = f"{port.stable} {port.name}".strip()
        if os.access(port.path, os.R_OK | os.W_OK):
            checks.append(Check("serial ports", "ok", name))
        else:
            mend = "sudo usermod -aG dialout $USER, then log in again"
            checks.append(Check("serial ports", "fail", f"{name}: no rights to open it", mend))
    return checks


def check_groups(names: Iterable[str], existing: Iterable[str], user: str, root: bool) -> Check:
    """Whether the user is in the groups that own cameras and serial ports. `names` are the user's groups."""
    if root:
        return Check("permissions", "ok", "running as root")
    there, mine = set(existing), set(names)
    wanted = [group for group in (CAMERA_GROUP, *SERIAL_GROUPS) if group in there]
    missing = [group for group in wanted if group not in mine]
    if not missing:
        return Check("permissions", "ok", f"{user} is in {', '.join(wanted) or 'no special group, and none is needed'}")
    mend = f"sudo usermod -aG {','.join(missing)} {user}, then log in again"
    return Check("permissions", "warn", f"{user} is not in {', '.join(missing)}", mend)


def system_groups() -> Check:
    """`check_groups` for whoever runs this."""
    try:
        import grp  # noqa: PLC0415  (Unix only)
        import pwd  # noqa: PLC0415
    except ImportError:
        return Check("permissions", "skip", "not a Unix system")
    mine = []
    for number in {*os.getgroups(), os.getegid()}:
        try:
            mine.append(grp.getgrgid(number).gr_name)
        except KeyError:
            continue
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        user = str(os.geteuid())
    return check_groups(mine, [entry.gr_name for entry in grp.getgrall()], user, os.geteuid() == 0)


def check_grabbers(proc: Path = Path("/proc"), has_adapter: bool | None = None) -> list[Check]:
    """Programs that open every new serial adapter and so take the machine's or the display's away."""
    running = set()
    for entry in proc.iterdir() if proc.is_dir() else ():
        if entry.name.isdigit():
            try:
                running.add((entry / "comm").read_text().strip())
            except OSError:
                continue
    adapter = any(port.vid is not None for port in list_serial_ports()) if has_adapter is None else has_adapter
    found = [name for name in GRABBERS if name in running or name.lower() in running]
    if not found:
        return [Check("adapter grabbers", "ok", "neither ModemManager nor brltty is running")]
    status: Status = "fail" if adapter else "warn"
    return [Check("adapter grabbers", status, f"{n} is running and takes serial adapters", GRABBERS[n]) for n in found]


def usable_cores(cgroup: Path = Path("/sys/fs/cgroup/cpu.max")) -> float:
    """The cores this process may use: its affinity, cut by a container's quota."""
    cores = float(len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else float(os.cpu_count() or 1)
    try:
        quota, period = cgroup.read_text().split()
        if quota != "max":
            cores = min(cores, int(quota) / int(period))
    except (OSError, ValueError):
        pass
    return cores


def check_cores(environment: Mapping[str, str], cores: float) -> Check:
    """Threads set from outside that are more than the cores make everything many times slower."""
    for name in ("OMP_NUM_THREADS", "TAICAM_THREADS"):
        value = environment.get(name, "")
        if value.isdigit() and int(value) > cores:
            return Check("cores", "fail", f"{name}={value}, but only {cores:g} cores may be used", f"unset {name}")
    if cores < 2:
        return Check("cores", "warn", f"{cores:g} core: reading a picture takes longer", "give it 2 cores or more")
    return Check("cores", "ok", f"{cores:g} cores may be used")


def check_clock(now: float | None = None, synchronised: Path = Path("/run/systemd/timesync/synchronized")) -> Check:
    """A clock before this program was written is wrong (a Raspberry Pi has none of its own)."""
    now = time.time() if now is None else now
    stamp = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    mend = "sudo timedatectl set-ntp true (without a network: sudo timedatectl set-time 'YYYY-MM-DD HH:MM')"
    if now < SOME_TIME_AGO:
        return Check("clock", "fail", f"the clock says {stamp}", mend)
    if synchronised.parent.is_dir() and not synchronised.exists():
        return Check("clock", "warn", f"{stamp}, not synchronised since the start", mend)
    return Check("clock", "ok", stamp)


def check_disk(folder: Path) -> Check:
    """Room, and the right to write, where the data are kept (or will be)."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if not os.access(place, os.W_OK):
        return Check(
            "disk", "fail", f"{folder} cannot be written to", f"sudo chown -R $USER {place}, or give --data DIR"
        )
    free = shutil.disk_usage(place).free // 1_000_000
    if free < LOW_FREE_MB:
        status: Status = "fail" if free < MIN_FREE_MB else "warn"
        return Check("disk", status, f"only {free} MB free at {place}", "delete old captures, or give --data DIR")
    return Check("disk", "ok", f"{free / 1000:.0f} GB free at {place}")


def check_web_port(host: str, port: int, answers: bool) -> Check:
    """Whether the pages can be served; `answers`: a taicam is already running there."""
    if answers:
        return Check("web port", "ok", f"taicam is running on port {port}")
    if port == 0:
        return Check("web port", "ok", "a free port is chosen")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            mend = f"choose another: taicam run --port {port + 1}   (who has it: ss -ltnp 'sport = :{port}')"
            return Check("web port", "fail", f"{host}:{port}: {error.strerror}", mend)
    return Check("web port", "ok", f"{host}:{port} is free")


def check_power(path: Path = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")) -> Check | None:
    """A Raspberry Pi's own note of too little voltage or too much heat; None on other computers."""
    try:
        bits = int(path.read_text().strip(), 16)
    except (OSError, ValueError):
        return None
    if bits & 0x1 or bits & 0x10000:
        return Check(
            "power", "fail" if bits & 1 else "warn", "the voltage was too low", "use the official power supply"
        )
    if bits & 0x4 or bits & 0x40000:
        return Check("power", "warn", "it was slowed down for heat", "give it a heat sink or a fan")
    return Check("power", "ok", "voltage and temperature are fine")
