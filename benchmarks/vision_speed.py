"""How fast the eyes are: the detector, the re-reader on a full table, and the renderer that makes training pictures.

    python benchmarks/vision_speed.py [--rounds 9] [--scenes 64]

Three figures, two of them with the target they are held to; the parts take turns within a round. Beside the time by
the clock stands the time of all cores together, which a busy machine hardly changes: half of it is what two free cores
take at best. Raw rows, with the machine's load, go to benchmarks/results/vision-speed.jsonl.

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
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

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


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of one call: by the clock, and of all cores together."""
    start, used = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - start) * 1000, (time.process_time() - used) * 1000


def _render(first: int, count: int) -> tuple[float, float]:
    """Render so many scenes of one block of seeds, their tile sets made beforehand: milliseconds as in ``timed``."""
    cv2.setNumThreads(1)

    def scenes(side: int) -> None:
        for number in range(count):
            render_scene(first + number, size=(side, side))

    scenes(64)
    return timed(lambda: scenes(640))


def scenes_a_second(count: int) -> tuple[float, float]:
    """Of two processes at once: by the clock of the slower one, and by the time they had a core."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        spent = list(pool.map(_render, (SEED, SEED + 64), (count, count)))
    return 2000 * count / max(wall for wall, _ in spent), sum(1000 * count / used for _, used in spent)


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
    work: dict[str, Callable[[], object]] = {
        "read 68 tiles, ms": lambda: reader.observe(image, found, detector.names),
        "network alone on 68 crops, ms": lambda: reader.read(crops),
        "detect at 640, ms": lambda: detector.find(square),
    }
    times: dict[str, list[tuple[float, float]]] = {key: [] for key in work}
    for number in range(arguments.rounds + 1):
        for key, one in work.items():
            spent = timed(one)
            if number:  # the first round warms up
                times[key].append(spent)
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    note = {"cores": cores, "load": round(load, 1), "python": platform.python_version()}
    rows = []
    for key, spent in times.items():
        wall, used = ([round(pair[which], 1) for pair in spent] for which in (0, 1))
        rows.append({"what": key, "wall": wall, "all_cores": used} | note)
        print(  # noqa: T201
            f"{key}: fastest {min(wall)}, median {statistics.median(wall)}; "
            f"of all cores together {min(used)}, which two free ones share as {min(used) / 2:.1f} at best"
        )
    if arguments.scenes:
        wall_rate, core_rate = scenes_a_second(min(arguments.scenes, 64))
        rows.append(
            {"what": "scenes a second", "wall": [round(wall_rate, 1)], "all_cores": [round(core_rate, 1)]} | note
        )
        print(f"scenes of 640 x 640 a second: {wall_rate:.1f}; {core_rate:.1f} for two free cores")  # noqa: T201
    print(f"wanted: 68 tiles in {READ_MS:.0f} ms, {SCENES_S:.0f} scenes a second; load {load:.1f}")  # noqa: T201
    if not arguments.dry:
        RESULTS.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
