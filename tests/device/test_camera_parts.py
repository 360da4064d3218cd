"""The cameras' parts: controls over V4L2, judging frames, the frame ring, finding cameras, what a driver asks for."""

from __future__ import annotations

import os
import sys
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_v4l import FakeCamera

from device.cameras import CameraError, make_camera, v4l
from device.cameras.find import best_mode, find_cameras
from device.cameras.grabbers import DeviceGrabber, GrabError, fourcc_name
from device.cameras.opencv import OpenCvSettings, controls_for, resolve
from device.cameras.picamera import PiGrabber
from device.cameras.ring import SLOTS, FrameRing, create_fd
from device.cameras.v4l import CONTROLS, Mode, V4lDevice, apply_controls, list_cameras, lock_controls, stable_path
from device.cameras.watch import ContentWatch, Look, StreamClock, look_at
from device.errors import SettingsError
from device.redact import Redactor, redact, secrets_of


@pytest.fixture()
def node(tmp_path: Path) -> Path:
    path = tmp_path / "video0"
    path.touch()
    return path


def name_of(number: int) -> str:
    return next(name for name, value in CONTROLS.items() if value == number)


# ---- V4L2


def test_modes_and_name(node: Path) -> None:
    with V4lDevice(str(node), FakeCamera()) as device:
        assert device.capability() == ("HD Pro Webcam C920", "usb-0000:01", True)
        modes = device.modes()
    assert modes[0] == Mode("MJPG", 1920, 1080, (30.0, 15.0))
    assert len(modes) == 4
    assert best_mode(modes) == modes[0]  # not YUYV at the same size, which gives 5 frames a second
    assert best_mode(()) is None


def test_controls_are_set_in_the_right_order_and_read_back(node: Path) -> None:
    camera = FakeCamera()
    wanted = controls_for(OpenCvSettings(mains_hz=60, exposure=120, white_balance=5000, focus=10))
    with V4lDevice(str(node), camera) as device:
        back = apply_controls(device, wanted)
    assert back == wanted
    assert back["power_line_frequency"] == 2
    names = [name_of(number) for number, _ in camera.set_calls]
    assert names.index("exposure_auto") < names.index("exposure_absolute")


def test_what_a_camera_lacks_or_refuses_is_seen_in_what_is_read_back(node: Path) -> None:
    camera = FakeCamera()
    del camera.values[CONTROLS["focus_absolute"]]
    with V4lDevice(str(node), camera) as device:
        back = apply_controls(device, {"focus_absolute": 10, "exposure_absolute": 77})
    assert back == {"exposure_absolute": 250}  # refused while the automatic is on


def test_locking_keeps_what_the_automatics_found(node: Path) -> None:
    camera = FakeCamera()
    with V4lDevice(str(node), camera) as device:
        locks = lock_controls(device)
    assert locks == {
        "exposure_auto": 1, "exposure_absolute": 250, "white_balance_auto": 0, "white_balance_temperature": 4012,
        "focus_auto": 0, "focus_absolute": 15,
    }  # fmt: skip
    fresh = FakeCamera()  # the same camera after its cable was pulled: all automatic again
    with V4lDevice(str(node), fresh) as device:
        assert apply_controls(device, {"power_line_frequency": 2, **locks}) == {"power_line_frequency": 2, **locks}


def test_a_camera_that_goes_away_is_an_oserror(node: Path) -> None:
    camera = FakeCamera()
    with V4lDevice(str(node), camera) as device:
        camera.gone = True
        with pytest.raises(OSError, match="No such device"):
            device.get("gain")


def test_listing_and_lasting_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sys_folder, dev, by_id = tmp_path / "sys", tmp_path / "dev", tmp_path / "by-id"
    for folder in (sys_folder / "video0", sys_folder / "video10", sys_folder / "video2", dev, by_id):
        folder.mkdir(parents=True)
    for name in ("video0", "video2", "video10"):
        (dev / name).touch()
        (sys_folder / name / "name").write_text(f"camera {name}\n")
    (by_id / "usb-046d_C920-video-index0").symlink_to(dev / "video2")
    camera = FakeCamera()
    monkeypatch.setattr(v4l, "_system_ioctl", camera)
    found = list_cameras(sys_folder, dev, by_id)
    assert [Path(c.path).name for c in found] == ["video0", "video2", "video10"]
    assert found[1].stable == str(by_id / "usb-046d_C920-video-index0")
    assert found[0].stable == found[0].path
    assert found[0].controls["focus_absolute"] == 15
    assert stable_path(str(dev / "video10"), by_id) == str(dev / "video10")
    (dev / "video0").unlink()
    assert "No such file" in list_cameras(sys_folder, dev, by_id)[0].problem
    monkeypatch.setattr(v4l.os, "open", lambda *a: (_ for _ in ()).throw(PermissionError(13, "no")))
    assert "usermod -aG video" in list_cameras(sys_folder, dev, by_id)[0].problem
    assert list_cameras(tmp_path / "nothing") == ()


def test_cameras_by_part_of_their_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve("0") == "/dev/video0"
    assert resolve("/dev/v4l/by-id/x") == "/dev/v4l/by-id/x"
    cameras = tuple(
        v4l.CameraInfo(f"/dev/video{n}", f"/dev/v4l/by-id/cam{n}", name) for n, name in ((0, "C920"), (2, "C270"))
    )
    monkeypatch.setattr("device.cameras.opencv.list_cameras", lambda: cameras)
    monkeypatch.setattr("device.cameras.opencv.stable_path", lambda path: f"stable {path}")
    assert resolve("usb:c270") == "stable /dev/video2"
    assert "unplugged" not in resolve("usb:nothing")
    with pytest.raises(CameraError, match=r"fits 2 cameras: C920 .*by-id"):
        resolve("usb:C")


def test_finding_without_any() -> None:
    if not Path("/sys/class/video4linux").exists():
        assert find_cameras() == ()


class FakeCapture:
    """OpenCV's capture as it behaves over V4L2: setting the format resets the size."""

    def __init__(self, *arguments: object) -> None:
        self.values = {3: 640.0, 4: 480.0, 5: 30.0, 6: float(int.from_bytes(b"YUYV", "little")), 0: 0.0}
        self.good = True

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def set(self, prop: int, value: float) -> bool:
        if prop == 6:
            self.values |= {3: 640.0, 4: 480.0}
        self.values[prop] = min(value, 1280.0) if prop == 3 else value
        return True

    def get(self, prop: int) -> float:
        return self.values.get(prop, 0.0)

    def grab(self) -> bool:
        return self.good

    def retrieve(self) -> tuple[bool, Any]:
        return True, np.zeros((4, 4), np.uint8)

    def release(self) -> None: ...


def test_settings_are_applied_read_back_and_applied_again(node: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    camera = FakeCamera()
    monkeypatch.setattr(v4l, "_system_ioctl", camera)
    monkeypatch.setattr("device.cameras.grabbers.cv2.VideoCapture", FakeCapture)
    settings = OpenCvSettings(width=1920, height=1080, mains_hz=50)
    request = {
        "address": str(node), "width": 1920, "height": 1080, "fps": 30, "fourcc": "MJPG",
        "controls": controls_for(settings),
    }  # fmt: skip
    grabber = DeviceGrabber()
    # /dev/… makes it a V4L2 device; the made-up node stands in for one.
    monkeypatch.setattr("device.cameras.grabbers.V4lDevice", lambda path: V4lDevice(str(node), camera))
    monkeypatch.setattr("device.cameras.grabbers.Path.exists", lambda self: True)
    applied = grabber.open({**request, "address": "/dev/video0"})
    assert applied["fourcc"] == "MJPG" and applied["height"] == 1080
    assert applied["width"] == 1280  # the camera cannot do 1920: what it gives is what is told
    assert applied["power_line_frequency"] == 1
    locks = grabber.lock()
    assert locks["exposure_absolute"] == 250
    assert grabber.retrieve().shape == (4, 4, 3)
    assert grabber.grab() > 0
    grabber.close()
    camera.values = FakeCamera().values
    again = DeviceGrabber().open({**request, "address": "/dev/video0", "locks": locks})
    assert {name: again[name] for name in locks} == locks
    monkeypatch.setattr("device.cameras.grabbers.Path.exists", lambda self: False)
    with pytest.raises(GrabError, match="unplugged"):
        DeviceGrabber().open({**request, "address": "/dev/video0"})


def test_a_camera_that_gives_less_than_asked_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    camera: Any = make_camera("/dev/video0", width=1920, height=1080, mains_hz=60)
    for _ in range(2):
        camera._note_applied({"width": 1280, "height": 720, "fourcc": "MJPG", "power_line_frequency": 1})
    told = [r.getMessage() for r in caplog.records]
    assert len(told) == 3
    assert "asked for width 1920, the camera gives 1280" in told[0]
    assert "asked for power_line_frequency 2, the camera has 1" in told[2]
    assert camera.health().applied["width"] == 1280
    refused = [(one.name, one.wanted, one.got) for one in camera.health().refused]
    assert refused == [("width", 1920, 1280), ("height", 1080, 720), ("power_line_frequency", 2, 1)]


def test_fourcc() -> None:
    assert fourcc_name(float(int.from_bytes(b"MJPG", "little"))) == "MJPG"
    assert fourcc_name(0) == ""


def test_opencv_settings_are_checked() -> None:
    with pytest.raises(SettingsError, match="mains_hz"):
        make_camera("0", mains_hz=55)
    with pytest.raises(SettingsError, match="fourcc"):
        make_camera("0", fourcc="mjpeg")
    assert controls_for(OpenCvSettings(mains_hz=None, lock_after_s=0)) == {"exposure_auto": 3}


# ---- Raspberry Pi camera, by a stand-in for the library (which needs the Pi's hardware)


def fake_picamera2(calls: list[tuple[str, Any]]) -> types.ModuleType:
    class Request:
        def make_array(self, name: str) -> np.ndarray:
            return np.full((72, 128, 3), 7, np.uint8)

        def get_metadata(self) -> dict[str, int]:
            return {"SensorTimestamp": 0}

        def release(self) -> None:
            calls.append(("release", None))

    class Picamera2:
        def __init__(self, number: int) -> None: ...

        @staticmethod
        def global_camera_info() -> list[dict[str, str]]:
            return [{"Model": "imx708"}]

        def create_video_configuration(self, **wanted: Any) -> dict[str, Any]:
            calls.append(("configuration", wanted))
            return wanted

        def configure(self, config: dict[str, Any]) -> None: ...
        def start(self) -> None: ...
        def stop(self) -> None: ...
        def close(self) -> None: ...

        def camera_configuration(self) -> dict[str, Any]:
            return {"main": {"size": (128, 72)}}

        def capture_request(self) -> Request:
            return Request()

        def capture_metadata(self) -> dict[str, Any]:
            return {"ExposureTime": 8000, "AnalogueGain": 2.0, "ColourGains": (1.5, 1.9), "LensPosition": 1.1}

        def set_controls(self, controls: dict[str, Any]) -> None:
            calls.append(("controls", controls))

    module = types.ModuleType("picamera2")
    module.Picamera2 = Picamera2  # type: ignore[attr-defined]
    return module


def test_picamera(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, Any]] = []
    monkeypatch.setitem(sys.modules, "picamera2", fake_picamera2(calls))
    camera: Any = make_camera("picamera2", width=128, height=72, mains_hz=60)
    request = {**camera._request(), "locks": {}}
    grabber = PiGrabber()
    assert grabber.open(request)["width"] == 128
    assert calls[0][1]["main"]["format"] == "RGB888"  # libcamera's word for B, G, R
    assert calls[0][1]["controls"]["AeFlickerPeriod"] == 8333
    assert grabber.grab() > 0
    assert grabber.retrieve().shape == (72, 128, 3)
    locks = grabber.lock()
    assert locks["ExposureTime"] == 8000 and locks["AeEnable"] is False and locks["LensPosition"] == 1.1
    grabber.close()
    grabber.open({**request, "locks": locks})
    assert calls[-1][1]["controls"]["ExposureTime"] == 8000
    with pytest.raises(GrabError, match="no camera number 3"):
        PiGrabber().open({**request, "address": "3"})
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(GrabError, match="apt install python3-picamera2"):
        PiGrabber().open(request)


# ---- judging frames


def test_black_and_frozen_are_told_after_their_time() -> None:
    watch = ContentWatch(black_s=1.5, frozen_s=1.5)
    day = [Look(120, 40, digest) for digest in range(100)]
    for index in range(30):
        assert watch.feed(day[index], index / 10) == "ok"
    verdicts = [watch.feed(day[29], 3 + index / 10) for index in range(20)]
    assert verdicts.index("frozen") == 14  # the same picture since 2.9
    assert watch.feed(day[31], 5.0) == "ok"
    night = [replace(look, mean=2.0, spread=1.0) for look in day]
    verdicts = [watch.feed(night[index], 6 + index / 10) for index in range(20)]
    assert verdicts.index("black") == 15
    assert watch.feed(day[50], 8.1) == "ok"
    off = ContentWatch(0, 0)
    assert {off.feed(night[0], second) for second in range(100)} == {"ok"}


def test_a_dark_room_is_not_black() -> None:
    dark = np.random.default_rng(1).integers(0, 30, (200, 300, 3), np.uint8)
    assert not look_at(dark).black
    assert look_at(np.zeros((200, 300, 3), np.uint8)).black
    changed = dark.copy()
    changed[8, 100] += 1
    assert look_at(changed).digest != look_at(dark).digest


def test_stream_clock_dates_late_frames_back() -> None:
    clock = StreamClock()
    assert [clock.taken_at(pts, 100 + pts) for pts in (0.0, 0.04, 0.08)] == [100.0, 100.04, 100.08]
    assert clock.taken_at(0.12, 103.0) == pytest.approx(100.12, abs=0.01)  # held back for three seconds
    assert clock.taken_at(0.16, 103.0) == pytest.approx(100.16, abs=0.01)
    assert clock.taken_at(3.0, 103.0) == pytest.approx(103.0, abs=0.01)
    assert clock.taken_at(0.0, 200.0) == 200.0  # the stream began anew
    assert clock.taken_at(1.0, 200.5) == 200.5  # never after its arrival


# ---- the ring


def test_frames_through_shared_memory() -> None:
    fd = create_fd()
    writer, reader = FrameRing(fd), FrameRing(os.dup(fd))
    rng = np.random.default_rng(5)
    tickets = []
    frames = [rng.integers(0, 255, (40, 60 + index, 3), np.uint8) for index in range(SLOTS + 2)]
    for frame in frames:
        slot, counter = writer.write(frame)
        tickets.append((slot, counter, writer.slot_bytes, frame.shape))
    read = [reader.read(*ticket) for ticket in tickets]  # type: ignore[arg-type]
    assert read[0] is None and read[1] is None  # overwritten, and known to be
    for got, frame in zip(read[2:], frames[2:], strict=True):
        assert np.array_equal(got, frame)
    big = rng.integers(0, 255, (400, 600, 3), np.uint8)  # another size in the middle of a stream
    slot, counter = writer.write(big)
    assert np.array_equal(reader.read(slot, counter, writer.slot_bytes, big.shape), big)  # type: ignore[arg-type]
    writer.close()
    reader.close()


# ---- secrets


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("rtsp://me:pa:ss@w@rd@10.0.0.5/s1", "rtsp://***@10.0.0.5/s1"),
        ("open http://u:p@h/x and rtsp://a@b/c failed", "open http://***@h/x and rtsp://***@b/c failed"),
        ("http://h/v?user=me&password=x&size=2", "http://h/v?user=***&password=***&size=2"),
        ("http://h/v?access_token=abc#t", "http://h/v?access_token=***#t"),
        ("no secret here: a@b.c", "no secret here: a@b.c"),
    ],
)
def test_redact(text: str, clean: str) -> None:
    assert redact(text) == clean


def test_a_sources_own_secrets_are_found_anywhere() -> None:
    clean = Redactor("rtsp://me:hush@h/s?token=abc")
    assert clean("Basic me:hush, then hush, then abc") == "Basic ***, then ***, then ***"
    assert secrets_of("/dev/video0") == ()
