"""Finite sources: every picture and every frame, in order, and clear words when something is wrong."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from device.cameras import CameraError, EndOfStream, UnreadablePictureError, make_camera, open_camera
from device.errors import SettingsError


def numbered(number: int, size: tuple[int, int] = (120, 160)) -> np.ndarray:
    """A picture that carries its number as 8 black or white bars, so that it survives lossy coding."""
    image = np.full((*size, 3), 90, np.uint8)
    width = size[1] // 8
    for bit in range(8):
        image[:, bit * width : (bit + 1) * width] = 255 if number >> bit & 1 else 0
    return image


def number_of(image: np.ndarray) -> int:
    width = image.shape[1] // 8
    middle = image.shape[0] // 2
    return sum(1 << bit for bit in range(8) if image[middle, bit * width + width // 2].mean() > 127)


@pytest.fixture()
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 25, (160, 120))
    for number in range(40):
        writer.write(numbered(number))
    writer.release()
    return path


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    for number in (1, 2, 10, 9):
        cv2.imwrite(str(tmp_path / f"hand{number}.png"), numbered(number))
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / ".hidden.png").write_bytes(b"no picture")
    return tmp_path


def test_folder_in_natural_order_then_end(folder: Path) -> None:
    with open_camera(str(folder)) as camera:
        frames = list(camera.frames())
        with pytest.raises(EndOfStream):
            camera.read()
    assert [number_of(f.image) for f in frames] == [1, 2, 9, 10]
    assert [f.sequence for f in frames] == [0, 1, 2, 3]
    assert frames[0].name == "hand1.png"
    assert frames[0].monotonic_s <= frames[1].monotonic_s


def test_a_bad_picture_is_named_and_the_rest_goes_on(folder: Path) -> None:
    (folder / "hand3.png").write_bytes(b"\x89PNG torn")
    with open_camera(str(folder)) as camera:
        camera.read()
        camera.read()
        with pytest.raises(UnreadablePictureError, match=r"hand3\.png is not a picture"):
            camera.read()
        assert number_of(camera.read().image) == 9


def test_loop_begins_again(folder: Path) -> None:
    with open_camera(str(folder), loop=True) as camera:
        frames = [camera.read() for _ in range(6)]
    assert [number_of(f.image) for f in frames] == [1, 2, 9, 10, 1, 2]
    assert [f.sequence for f in frames] == [0, 1, 2, 3, 4, 5]


def test_exif_orientation_is_applied(tmp_path: Path) -> None:
    path = tmp_path / "turned.jpg"
    ok, data = cv2.imencode(".jpg", numbered(5))
    assert ok
    raw = data.tobytes()
    # An APP1 segment with one EXIF entry: orientation 6 (turn a quarter to the right).
    entry = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    path.write_bytes(raw[:2] + b"\xff\xe1" + (len(entry) + 2).to_bytes(2, "big") + entry + raw[2:])
    with open_camera(str(path)) as camera:
        assert camera.read().image.shape == (160, 120, 3)


def test_video_gives_every_frame_in_order(film: Path) -> None:
    with open_camera(str(film)) as camera:
        frames = list(camera.frames())
    assert [number_of(f.image) for f in frames] == list(range(40))
    assert [f.sequence for f in frames] == list(range(40))
    assert frames[25].name == "00:00:01.000"


def test_video_step_and_loop(film: Path) -> None:
    with open_camera(str(film), step=13) as camera:
        assert [number_of(f.image) for f in camera.frames()] == [0, 13, 26, 39]
    with open_camera(str(film), loop=True) as camera:
        frames = [camera.read() for _ in range(85)]
    assert [number_of(f.image) for f in frames] == [n % 40 for n in range(85)]
    assert [f.sequence for f in frames] == list(range(85))


def test_video_clock_keeps_the_films_own_pace(film: Path) -> None:
    with open_camera(str(film), pace="clock") as camera:
        frames = list(camera.frames())
    assert frames[-1].monotonic_s - frames[0].monotonic_s >= 1.3  # 40 frames at 25 a second
    numbers = [number_of(f.image) for f in frames]
    assert numbers == sorted(set(numbers))
    assert numbers == [f.sequence for f in frames]


def test_what_cannot_be_opened_says_so(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="holds no pictures"):
        open_camera(str(tmp_path))
    (tmp_path / "film.mp4").write_bytes(b"this is no film" * 100)
    with pytest.raises(CameraError, match="not a video"):
        open_camera(str(tmp_path / "film.mp4"))
    with pytest.raises(CameraError, match="find-cameras"):
        make_camera("no-such-thing")
    with pytest.raises(CameraError, match="No driver reads"):
        make_camera("gopher://x")
    with pytest.raises(CameraError, match="machine on a serial line"):
        make_camera("serial:///dev/ttyUSB0")
    with pytest.raises(CameraError, match="No camera source"):
        make_camera("  ")


def test_unknown_settings_and_drivers_are_refused_with_the_valid_ones(film: Path) -> None:
    with pytest.raises(SettingsError, match=r"did you mean loop\?.*pace, step, loop"):
        make_camera(str(film), lop=True)
    with pytest.raises(SettingsError, match="'step' is wrong"):
        make_camera(str(film), step=0)
    with pytest.raises(SettingsError, match="Did you mean video"):
        make_camera(str(film), driver="vidio")


def test_reading_before_opening_is_refused(film: Path) -> None:
    with pytest.raises(CameraError, match="not open"):
        make_camera(str(film)).read()
