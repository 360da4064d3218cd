"""The hardware page: its figures follow from its formula, its settings are valid, its sketch does what it says."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from device.cameras.opencv import OpenCvSettings
from device.cameras.url import UrlSettings
from device.displays.lcd import LcdSettings
from device.displays.led7 import Led7Settings, bridge_frame, render
from device.displays.nextion import NextionSettings, fields
from device.displays.pages import text_pages
from device.drivers import build_settings
from scoring.view import ScoreView, SeatView
from taicam.config import load_settings
from vision.quality import SMALL, TOO_SMALL

PAGE = (Path(__file__).parents[2] / "docs" / "hardware.md").read_text(encoding="utf-8")
TILE_CM = 2.6
ROWS = {"1080p": 1080, "4K": 2160, "2304x1296": 1296}


def test_the_table_follows_from_the_formula() -> None:
    lines = re.findall(r"^\| (.*?) \| ([\d.]+)° \| (\d+)° \| (.*) \|$", PAGE, re.MULTILINE)
    assert len(lines) == 5
    for name, horizontal, vertical, cells in lines:
        rows = next(number for word, number in ROWS.items() if word in name)
        half = math.atan(math.tan(math.radians(float(horizontal) / 2)) * 9 / 16)
        assert round(math.degrees(2 * half)) == int(vertical), name
        for cover, cell in zip((45, 60, 90), cells.split(" | "), strict=True):
            distance = cover / 2 / math.tan(half)
            assert cell == f"{distance:.0f} cm, {rows * TILE_CM / cover:.0f} px", name


def test_angles_from_the_diagonal() -> None:
    assert round(2 * math.degrees(math.atan(0.872 * math.tan(math.radians(39)))), 1) == pytest.approx(70.4, abs=0.1)
    assert f"{16 / math.hypot(16, 9):.3f}" == "0.872" and f"{9 / math.hypot(16, 9):.3f}" == "0.490"


def test_the_limits_are_those_of_the_reader() -> None:
    assert f"never below {SMALL:.0f}" in PAGE and f"under {TOO_SMALL:.0f} it does not read" in PAGE


@pytest.mark.parametrize("block", re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL))
def test_every_setting_is_valid(block: str, tmp_path: Path) -> None:
    path = tmp_path / "taicam.toml"
    path.write_text(block)
    settings = load_settings(path)
    values = tomllib.loads(block)
    if "camera" in values:
        kind = UrlSettings if "://" in settings.source else OpenCvSettings
        build_settings(kind, "camera", settings.camera)
    if "display" in values:
        kinds = {"nextion": NextionSettings, "lcd": LcdSettings, "led7": Led7Settings}
        build_settings(kinds[settings.display.name], "display", settings.display.settings)


def test_every_nextion_component_is_listed() -> None:
    for target, _ in fields(ScoreView(), "zh"):
        component = target.partition(".")[0]
        head = component.rstrip("0123456789")
        assert component in PAGE or f"{head}0 – {head}" in PAGE, component


def test_the_pages_shown_are_real() -> None:
    seats = (
        SeatView("E", "", 120, -24, dealer=True),
        SeatView("S", "", -40, 24, winner=True),
        SeatView("W"),
        SeatView("N", "", -80),
    )
    view = ScoreView(
        "recorded", "S", 3, "E", 2, seats, total=3, camera="ok", machine="warn",
    )  # fmt: skip
    for page in text_pages(view, 16, 2, "en")[:2]:
        for line in page:
            assert line.strip() in PAGE, line


SHIM = """
#include <cstdint>
#include <cstdio>
#include <cstdlib>
enum { OUTPUT, HIGH, LOW };
static void pinMode(int, int) {}
static void digitalWrite(int, int level) { std::printf(level == HIGH ? "/" : "("); }
struct { void begin() {} void transfer(uint8_t b) { std::printf("%02x", b); } } SPI;
static int next_byte = EOF;
struct {
  void begin(long) {}
  bool available() { if (next_byte == EOF) next_byte = std::getchar(); return next_byte != EOF; }
  uint8_t read() { uint8_t b = next_byte; next_byte = EOF; return b; }
} Serial;
"""


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler (Debian: g++)")
def test_the_bridge_sketch_passes_the_registers_on(tmp_path: Path) -> None:
    (sketch,) = re.findall(r"```cpp\n(.*?)```", PAGE, re.DOTALL)
    source = SHIM + sketch.replace("#include <SPI.h>\n", "") + "int main() { setup(); loop(); }\n"
    (tmp_path / "bridge.cpp").write_text(source)
    subprocess.run(["c++", "-Wall", "-o", tmp_path / "bridge", tmp_path / "bridge.cpp"], check=True)

    def passed_on(data: bytes) -> list[str]:
        done = subprocess.run([tmp_path / "bridge"], input=data, capture_output=True, check=True)
        return [part.rstrip("/") for part in done.stdout.decode().lstrip("/").split("(")[1:]]

    view = ScoreView(seats=tuple(SeatView(w, "", 120, -24) for w in "ESWN"))
    sent = render(view, 4)
    frames = [sent[at : at + 11] for at in range(0, len(sent), 11)]
    assert passed_on(sent) == [frame[2:-1].hex() for frame in frames]
    bad = bytearray(frames[0])
    bad[4] ^= 1
    good = bridge_frame([(1, 2)] * 8)
    assert passed_on(b"noise" + bytes(bad) + good) == [good[2:-1].hex()]


def test_the_unit_is_valid(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    (unit,) = re.findall(r"```systemd\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "taicam.service"
    path.write_text(unit.replace("/opt/taicam/bin/taicam", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, check=False)
    assert "taicam.service" not in done.stderr, done.stderr
