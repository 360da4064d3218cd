"""`taicam find-cameras`: what is plugged in, under names that last."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from device.cameras.find import FoundCamera, best_mode, find_cameras


def as_json_object(camera: FoundCamera) -> dict[str, Any]:
    """One camera as a JSON object."""
    return {
        "source": camera.source,
        **asdict(camera.info),
        "snapshot": str(camera.snapshot) if camera.snapshot else None,
        "problem": camera.problem or None,
    }


def _modes(camera: FoundCamera) -> str:
    best = best_mode(camera.info.modes)
    if best is None:
        return "-"
    fps = f" {max(best.fps):g}/s" if best.fps else ""
    return f"{best.width}x{best.height} {best.fourcc}{fps} (+{len(camera.info.modes) - 1})"


def command(
    snapshots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Take a picture with each camera and put it there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, one object a line.")] = False,
) -> None:
    """List the cameras of this machine, with the name to give to `taicam run --source`.

    The name is a stable one where the system has it, so that it still means the same camera after a reboot.
    Exit status 1 when there is no camera that works.
    """
    cameras = find_cameras(snapshots)
    if as_json:
        for camera in cameras:
            sys.stdout.write(json.dumps(as_json_object(camera), ensure_ascii=False) + "\n")
    elif cameras:
        table = Table(title="鏡頭 cameras")
        for name in ("--source", "名稱 name", "最佳 best mode", "照片 snapshot"):
            table.add_column(name, overflow="fold")
        for camera in cameras:
            last = camera.problem or (str(camera.snapshot) if camera.snapshot else "--snapshots DIR")
            table.add_row(camera.source, camera.info.name, _modes(camera), last)
        Console().print(table)
    if not cameras:
        sys.stderr.write(
            "taicam: no camera found\n  → plug one in and look with `lsusb`; "
            "a network camera is given by its address: taicam run --source rtsp://…\n"
        )
    if not any(not camera.problem for camera in cameras):
        raise typer.Exit(1)
