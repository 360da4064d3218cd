"""How fast the eyes are: the detector, the re-reader on a full table, and the renderer that makes training pictures.

    python benchmarks/vision_speed.py [--rounds 9] [--scenes 64]

Three figures, each with the target it is held to; the parts take turns within a round, and the fastest and the median
round are kept, so that a busy machine can be told from a slow program. Raw rows go to
benchmarks/results/vision-speed.jsonl.

- the re-reader naming 68 tiles of a rendered table: all of it (cutting, every look), and one plain pass of the network
  over 68 crops, which no care can undercut. Target 25 ms.
- the detector over a picture of 640 x 640 pixels, one look.
- the renderer, 640 x 640 pixels, in two processes, its tile sets made beforehand. Target 25 scenes a second.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from vision.detector import Detector  # noqa: E402
from vision.findings import Findings, joined  # noqa: E402
from vision.rereader import Rereader  # noqa: E402
from vision.training.render import render_scene  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "vision-speed.jsonl"
TILES = 68
READ_MS, SCENES_S = 25.0, 25.0
SEED = 1 << 41  # never trained on


def found_on_a_table(detector: Detector) -> tuple[np.ndarray, Findings]:
    """Four rendered hands side by side in one picture, and the first 68 findings in it."""
    image = np.empty((1280, 1280, 3), np.uint8)
    parts = []
    for number in range(4):
        x, y = number % 2 * 640, number // 2 * 640
        image[y : y + 640, x : x + 640] = render_scene(SEED + number, "hand", size=(640, 640)).image
        found = detector.find(np.ascontiguousarray(image[y : y + 640, x : x + 640]))
        parts.append(found.moved(1.0, (x, y)))
    found = joined(parts)
    return image, found.keep(np.arange(TILES) % len(found))


def timed(work: Any) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def _render(first: int, count: int) -> float:
    """Render so many scenes of one block of seeds and return the seconds, its tile sets made beforehand."""
    cv2.setNumThreads(1)
    for number in range(count):
        render_scene(first + number, size=(64, 64))
    start = time.perf_counter()
    for number in range(count):
        render_scene(first + number, size=(640, 640))
    return time.perf_counter() - start


def scenes_a_second(count: int) -> float:
    """Two processes at once; the slower one counts."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        seconds = list(pool.map(_render, (SEED, SEED + 64), (count, count)))
    return 2 * count / max(seconds)


def main() -> None:
    """Measure, print and keep the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--scenes", type=int, default=64, help="a process, at most 64; 0 leaves the renderer out")
    parser.add_argument("--dry", action="store_true", help="leave the committed rows as they are")
    arguments = parser.parse_args()
    detector, reader = Detector(threads=2, adapt=False), Rereader(threads=2)
    image, found = found_on_a_table(detector)
    square = np.ascontiguousarray(cv2.resize(image, (640, 640), interpolation=cv2.INTER_AREA))
    crops = np.random.default_rng(1).integers(0, 256, (TILES, 64, 48, 3), np.uint8)
    work = {
        "read_68_tiles_ms": lambda: reader.observe(image, found, detector.names),
        "network_68_crops_ms": lambda: reader.read(crops),
        "detect_640_ms": lambda: detector.find(square),
    }
    times: dict[str, list[float]] = {key: [] for key in work}
    for number in range(arguments.rounds + 1):
        for key, one in work.items():
            spent = timed(one)
            if number:  # the first round warms up
                times[key].append(spent)
    rows: list[dict[str, Any]] = [
        {
            "what": key,
            "rounds": [round(v, 2) for v in values],
            "fastest": min(values),
            "median": statistics.median(values),
        }
        for key, values in times.items()
    ]
    if arguments.scenes:
        rate = scenes_a_second(min(arguments.scenes, 64))
        rows.append({"what": "render_640_scenes_s", "rounds": [round(rate, 2)], "fastest": rate, "median": rate})
    note = {
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
    }
    for row in rows:
        row.update({key: round(row[key], 2) for key in ("fastest", "median")} | note)
        print(f"{row['what']}: fastest {row['fastest']}, median {row['median']}")  # noqa: T201
    print(f"wanted: reading 68 tiles in {READ_MS:.0f} ms, {SCENES_S:.0f} scenes a second")  # noqa: T201
    if not arguments.dry:
        RESULTS.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
