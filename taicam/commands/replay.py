"""`taicam replay`: look at a recorded machine session, or play it again as if the machine were there."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from device.machine.emulator.endpoint import PtyEndpoint
from device.machine.monitor import Recording, decode, describe, events_of, play_back, read_recording


def command(
    file: Annotated[Path, typer.Argument(help="A file made with `taicam machine monitor --record`.")],
    events: Annotated[bool, typer.Option("--events", help="Only the events, each once.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, one object a line.")] = False,
    pty: Annotated[bool, typer.Option("--pty", help="Play the machine's bytes to a pseudo terminal instead.")] = False,
    speed: Annotated[float, typer.Option(min=0, help="With --pty: 2 is twice as fast, 0 at once.")] = 1.0,
) -> None:
    """Show what a recording holds: every packet with its time, or the events alone.

    Damaged frames are counted, not guessed at. With --pty the machine's side is played at its own pace, for watching
    with another program; it answers nothing.
    """
    recording = read_recording(file)
    if recording.torn:
        sys.stderr.write(f"taicam: the last line of {file} is cut off and is left out\n")
    if pty:
        _play(recording, speed)
    elif events:
        for event in events_of(recording):
            line = event.dump()
            sys.stdout.write((json.dumps(line, ensure_ascii=False) if as_json else _words(line)) + "\n")
    else:
        _show(recording, as_json)


def _words(event: dict[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in event.items())


def _show(recording: Recording, as_json: bool) -> None:
    packets = bad = 0
    for traffic in decode(recording):
        bad += traffic.bad
        for packet in traffic.packets:
            packets += 1
            if as_json:
                line = {"t": traffic.t, "dir": traffic.direction, "type": packet.message.NAME, "seq": packet.sequence}
                sys.stdout.write(json.dumps({**line, **packet.message.dump()}, ensure_ascii=False) + "\n")
            else:
                arrow = "←" if traffic.direction == "rx" else "→"
                sys.stdout.write(f"{traffic.t:8.3f} {arrow} {describe(packet)}\n")
    different = len(events_of(recording))
    sys.stderr.write(f"{packets} packets, {bad} damaged frames, {different} different events ({recording.codec})\n")


def _play(recording: Recording, speed: float) -> None:
    endpoint = PtyEndpoint()
    endpoint.plug()
    typer.echo(endpoint.address)
    sys.stdout.flush()
    try:
        for data in play_back(recording, speed):
            endpoint.write(data)
    except KeyboardInterrupt:
        pass
    finally:
        endpoint.unplug()
