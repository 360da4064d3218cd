"""The hardware commands as a user runs them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from timing import slack_now

from device.machine.emulator.endpoint import PtyEndpoint
from device.machine.emulator.faults import parse_faults
from device.machine.emulator.run import Emulator, EmulatorSettings
from device.machine.events import MachineEvent
from device.machine.link import MachineLink
from device.machine.monitor import RecordingError, decode, events_of, play_back, read_recording
from device.machine.session import LinkUp


def taicam(*words: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "taicam", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout * slack_now(),
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@contextmanager
def emulated(port: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "taicam", "emulate", "machine", "--link", str(port), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert str(port) in process.stdout.readline()
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10 * slack_now())


def test_from_emulator_to_recording_and_back(tmp_path: Path) -> None:
    """What a newcomer without hardware does: emulate, find, watch, record, replay."""
    port, recording = tmp_path / "machine", tmp_path / "session.jsonl"
    with emulated(port, "--pace", "0", "--hands", "3", "--fault", "all=10%") as emulator:
        found = taicam("find-port", str(port), "--json")
        assert found.returncode == 0
        (entry,) = [json.loads(line) for line in found.stdout.splitlines()]
        assert entry["machine"] == {
            "serial": "EMU-0001", "model": "taicam emulator", "firmware": "1.0", "codec": "cobs-crc16", "baud": 115200,
        }  # fmt: skip
        state = taicam("machine", "state", str(port))
        assert json.loads(state.stdout)["machine"] == "EMU-0001"
        watched = taicam("machine", "monitor", str(port), "--json", "--seconds", "3", "--record", str(recording))
        assert watched.returncode == 0
        emulator.wait(timeout=10 * slack_now())
        assert "3 hands" in emulator.communicate()[0]
    lines = [json.loads(line) for line in watched.stdout.splitlines()]
    events = [line for line in lines if line["what"] == "event"]
    assert [e["hand_number"] for e in events if e["kind"] == "round_start"] == [1, 2, 3]
    assert len({e["key"] for e in events}) == len(events)
    replayed = taicam("replay", str(recording), "--events", "--json")
    again = [json.loads(line) for line in replayed.stdout.splitlines()]
    assert [(e["boot"], e["number"]) for e in again] == [(e["boot"], e["number"]) for e in events]
    shown = taicam("replay", str(recording))
    assert "→ HELLO" in shown.stdout and "← HELLO_REPLY" in shown.stdout and "damaged frames" in shown.stderr


def test_a_picture_by_command(tmp_path: Path) -> None:
    data = b"\xff\xd8 a picture \xff\xd9" * 300
    emulator = Emulator(PtyEndpoint(tmp_path / "m"), EmulatorSettings(hands=0), pictures=lambda hand: data)
    emulator.start()
    try:
        got = taicam("machine", "picture", str(tmp_path / "m"), str(tmp_path / "out.jpg"))
        assert got.returncode == 0 and (tmp_path / "out.jpg").read_bytes() == data
        assert taicam("machine", "shuffle", str(tmp_path / "m"), "start").stdout == "ok\n"
        wrong = taicam("machine", "shuffle", str(tmp_path / "m"), "dance")
        assert wrong.returncode == 2 and "valid: start, stop" in wrong.stderr
    finally:
        emulator.stop()


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        (["machine", "state", "/dev/not-there"], 1, "find-port"),
        (["find-port", "/dev/not-there"], 1, ""),
        (["emulate", "machine", "--fault", "earthquake"], 2, "Valid: a rate like drop=10%"),
        (["emulate", "machine", "--fault", "drop=200%"], 2, "not between 0 and 1"),
        (["emulate", "machine", "--codec", "morse"], 2, "valid: aa55-xor"),
        (["emulate", "machine", "--tcp", "1", "--pty"], 2, "choose one"),
        (["emulate", "machine", "--pictures", "/nowhere"], 2, "folder of JPEGs"),
        (["replay", "pyproject.toml"], 2, "is not a recording"),
        (["replay", "/not/there"], 2, "cannot be read"),
        (["machine", "monitor", "/dev/x", "--codec", "morse"], 2, "Known: aa55-xor"),
    ],
)
def test_mistakes_are_told_in_words(words: list[str], status: int, text: str) -> None:
    done = taicam(*words)
    assert done.returncode == status, done.stderr
    assert text in done.stderr


def test_find_cameras_without_one() -> None:
    if Path("/dev/video0").exists():
        pytest.skip("this machine has a camera")
    done = taicam("find-cameras")
    assert done.returncode == 1 and "rtsp://" in done.stderr


# ---- recordings


@pytest.fixture()
def recording(tmp_path: Path) -> Path:
    from device.machine.monitor import Recorder

    path = tmp_path / "rec.jsonl"
    emulator = Emulator(
        PtyEndpoint(tmp_path / "m"), EmulatorSettings(hands=2, tiles=False, faults=parse_faults(["wrong_crc=40%"]))
    )
    emulator.start()
    try:
        with (
            Recorder(path, codec="cobs-crc16", baud=115200) as recorder,
            MachineLink(str(tmp_path / "m"), taps=[recorder]) as link,
        ):
            end = time.monotonic() + 20 * slack_now()
            events = 0
            while not emulator.done.is_set():
                assert time.monotonic() < end
                item = link.next(0.05)
                events += isinstance(item, MachineEvent)
                assert item is None or isinstance(item, MachineEvent | LinkUp)
            time.sleep(0.1)
    finally:
        emulator.stop()
    return path


def test_a_recording_holds_everything(recording: Path) -> None:
    kept = read_recording(recording)
    assert kept.codec == "cobs-crc16" and kept.baud == 115200 and not kept.torn
    traffic = list(decode(kept))
    assert sum(t.bad for t in traffic) > 0  # the damaged frames are there as well
    events = events_of(kept)
    assert [e.number for e in events] == list(range(1, len(events) + 1))
    heard = b"".join(play_back(kept, speed=0))
    assert heard == b"".join(p.data for p in kept.pieces if p.direction == "rx")


def test_a_recording_cut_off_is_read_up_to_there(recording: Path) -> None:
    text = recording.read_text()
    recording.write_text(text[:-20])
    assert read_recording(recording).torn
    lines = text.splitlines()
    recording.write_text("\n".join([lines[0], "garbage", *lines[1:]]) + "\n")
    with pytest.raises(RecordingError, match="line 2 is damaged"):
        read_recording(recording)
    recording.write_text(lines[0].replace('"version": 1', '"version": 9'))
    with pytest.raises(RecordingError, match="another version"):
        read_recording(recording)
    recording.write_text("")
    with pytest.raises(RecordingError, match="not a recording"):
        read_recording(recording)
