"""A film of whole hands with its truth: ``python -m vision.training.render.film --out match.avi --hands 2``.

Beside the film, ``match.truth.jsonl`` has one line a frame: time, the last event, who holds what, every visible tile,
and the win while it lies open.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2

from vision.training.render.game import GameFrame, game_frames, studio
from vision.training.render.light import LIGHTS
from vision.training.render.raster import RenderError


def truth_of(frame: GameFrame) -> dict[str, Any]:
    """A frame's truth as plain data; the picture is left out."""
    return {
        "frame": frame.number,
        "time_s": round(frame.time_s, 3),
        "hand": frame.hand,
        "event": asdict(frame.event),
        "fresh": frame.fresh,
        "arm": frame.arm,
        "win": asdict(frame.win) if frame.win else None,
        "seats": [asdict(seat) for seat in frame.table.seats],
        "dealer": frame.table.dealer,
        "tiles": [asdict(tile) for tile in frame.tiles],
    }


def write_film(path: Path, shown: Iterator[GameFrame], fps: float) -> int:
    """Write the frames as a film (Motion JPEG in .avi, MPEG-4 in .mp4) and their truth beside it. Returns the count.

    Raises ``RenderError`` when OpenCV cannot write such a film here.
    """
    codec = cv2.VideoWriter.fourcc(*("mp4v" if path.suffix == ".mp4" else "MJPG"))
    writer: cv2.VideoWriter | None = None
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.with_suffix(".truth.jsonl").open("w", encoding="utf-8") as truth:
            for frame in shown:
                if writer is None:
                    height, width = frame.image.shape[:2]
                    writer = cv2.VideoWriter(str(path), codec, fps, (width, height))
                    if not writer.isOpened():
                        raise RenderError(f"{path}: OpenCV cannot write this kind of film; give a name ending in .avi")
                writer.write(frame.image)
                truth.write(json.dumps(truth_of(frame), ensure_ascii=False) + "\n")
                count += 1
    finally:
        if writer is not None:
            writer.release()
    return count


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m vision.training.render.film", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the film, .avi or .mp4")
    parser.add_argument("--seed", type=int, default=1, help="the match; the same seed, the same film")
    parser.add_argument("--hands", type=int, default=1, help="how many hands are played (default 1)")
    parser.add_argument("--fps", type=float, default=5.0, help="pictures a second (default 5)")
    parser.add_argument("--pace", type=float, default=1.0, help="2 plays twice as fast (default 1)")
    parser.add_argument("--width", type=int, default=1920)
    parser.add_argument("--height", type=int, default=1080)
    parser.add_argument("--elevation", type=float, help="camera height angle in degrees, 90 is overhead")
    parser.add_argument("--light", choices=sorted(LIGHTS), help="light over the table")
    a = parser.parse_args()
    size = (a.width, a.height)
    try:
        room = studio(a.seed, size, elevation=a.elevation, light=a.light)
        count = write_film(a.out, game_frames(a.seed, a.fps, size, a.hands, a.pace, room), a.fps)
    except (RenderError, ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1 if isinstance(error, OSError) else 2
    sys.stdout.write(f"{count} frames, {count / a.fps:.0f} s of play, in {a.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
