"""What learning costs in time: keeping views beside a live table, and the wizard's learning of a whole tile set.

    python benchmarks/learning_speed.py [--frames 60] [--print]

- `capture`: the appliance's own live loop over full-HD frames of rendered hands, with the shipped networks and the
  pause between two looks that the settings have by default. Every look is offered and kept, far more than play does.
  Frame by frame the loop runs with and without keeping, in turns: what the loop's own thread spends on keeping a view,
  and how much longer it is busy with a frame. Target 2 ms a frame.
- `wizard`: the wizard's own HTTP interface: a rendered set of 42 faces laid out in thirds, three photos of each third,
  names corrected, then the learning step until its report is there. Target 60 s.

Beside the time by the clock stands the time of all cores together, which a busy machine hardly changes. Raw rows, with
the machine's load, go to benchmarks/results/learning-speed.jsonl. Needs the render extra.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from fastapi.testclient import TestClient

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from device.cameras import EndOfStream, Frame  # noqa: E402
from taicam.board import Board  # noqa: E402
from taicam.capture import CaptureSettings, CaptureStore, Circumstances  # noqa: E402
from taicam.config import ReadingSettings  # noqa: E402
from taicam.facts import Facts  # noqa: E402
from taicam.house import House  # noqa: E402
from taicam.learn_scenes import hands, laid_out, truth_boxes  # noqa: E402
from taicam.learning import Learner, View  # noqa: E402
from taicam.ledger import Ledger  # noqa: E402
from taicam.outcome import Outcome  # noqa: E402
from taicam.pictures import PictureStore  # noqa: E402
from taicam.pipeline import LiveLoop  # noqa: E402
from taicam.session import Session  # noqa: E402
from taicam.watch import HandWatcher  # noqa: E402
from taicam.web.app import WebOptions, create_app  # noqa: E402
from vision.detector import Detector  # noqa: E402
from vision.enroll_session import FACES  # noqa: E402
from vision.reader import HandReader  # noqa: E402
from vision.session import usable_cores  # noqa: E402
from vision.training.render import Scene  # noqa: E402
from vision.training.render.sets import drawn_set  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "learning-speed.jsonl"
CAPTURE_MS, WIZARD_S = 2.0, 60.0
SEED = 77_100  # of the tile set; training draws others
FULL_HD = (1920, 1080)
PHOTOS = 3  # of each third of the set
BLOCK = 6  # frames between two turns


class Frames(threading.Event):
    """A camera that gives the frames it was made with, and the event its loop waits on between two looks: so it knows
    how long the loop was busy with each frame (`busy_ms`)."""

    finite = False

    def __init__(self, images: list[np.ndarray]) -> None:
        super().__init__()
        self._images = images
        self._asked = 0.0
        self.busy_ms: list[float] = []

    def read(self) -> Frame:
        """The next frame."""
        number = len(self.busy_ms)
        if number >= len(self._images):
            raise EndOfStream("the frames are over")
        self._asked = time.perf_counter()
        return Frame(self._images[number], number, time.monotonic(), "benchmark")

    def wait(self, timeout: float | None = None) -> bool:
        """The loop has done with the frame."""
        self.busy_ms.append((time.perf_counter() - self._asked) * 1000)
        return super().wait(timeout)


class TimedLearner(Learner):
    """Notes what the loop's thread spends in it: by the clock, and in its own processor time."""

    def __init__(self, store: CaptureStore) -> None:
        super().__init__(store, "benchmark", lambda reading: Circumstances(camera={"size": list(reading.size)}))
        self.wall: list[float] = []
        self.own: list[float] = []

    def looked(self, view: View, outcome: Outcome | None) -> None:
        """As it is, with the time taken."""
        wall, own = time.perf_counter(), time.thread_time()
        super().looked(view, outcome)
        self.wall.append((time.perf_counter() - wall) * 1000)
        self.own.append((time.thread_time() - own) * 1000)


def full_hd(scene: Scene, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """A scene on a full-HD frame, again and again with a sensor's noise."""
    height = FULL_HD[1]
    width = round(scene.image.shape[1] * height / scene.image.shape[0])
    frame = np.full((height, FULL_HD[0], 3), 90, np.uint8)
    frame[:, :width] = cv2.resize(scene.image, (width, height), interpolation=cv2.INTER_CUBIC)
    while True:
        yield np.clip(frame + rng.normal(0, 2, frame.shape), 0, 255).astype(np.uint8)


def capture(frames: int) -> dict[str, object]:
    """The live loop with and without keeping, block by block."""
    rng = np.random.default_rng(1)
    stream = hands(drawn_set(SEED), SEED)
    reader = HandReader(Detector())
    interval = ReadingSettings().interval_s
    spent: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder)) as ledger:
        settings = CaptureSettings(sample_share=1.0, sample_interval_s=0, keep_free_mb=0, duplicate_bits=0, queue=8)
        with CaptureStore(Path(folder) / "captures", settings) as store:
            store.set_consent(True, "benchmark")
            learner = TimedLearner(store)
            for block in range(-(-frames // BLOCK)):
                made = full_hd(next(stream), rng)
                images = [next(made) for _ in range(BLOCK)]
                for keeping in (True, False) if block % 2 else (False, True):
                    session = Session(ledger, Board(), House())
                    session.learner = learner if keeping else None
                    camera = Frames(images)
                    loop = LiveLoop(camera, HandWatcher(reader), session, interval, Facts(), lambda *_: None)  # type: ignore[arg-type]
                    loop.run(camera)
                    spent[keeping] += camera.busy_ms
                store.flush(60)
            counts = store.status().counts
    longer = np.array(spent[True]) - np.array(spent[False])
    draws = np.median(longer[np.random.default_rng(0).integers(0, len(longer), (4000, len(longer)))], axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return {
        "part": "capture",
        "frames": len(longer),
        "looks": len(learner.wall),
        "kept": counts.get("kept", 0),
        "loop_ms_median": round(statistics.median(learner.wall), 3),
        "loop_ms_95": round(float(np.quantile(learner.wall, 0.95)), 3),
        "loop_ms_worst": round(max(learner.wall), 3),
        "loop_cpu_ms_mean": round(statistics.mean(learner.own), 3),
        "interval_s": interval,
        "frame_ms_without": round(statistics.median(spent[False]), 1),
        "longer_ms_median": round(float(np.median(longer)), 1),
        "longer_ms_interval": [round(float(low), 1), round(float(high), 1)],
        "target_ms": CAPTURE_MS,
    }


def wizard() -> dict[str, object]:
    """A whole set through the wizard's interface."""
    scenes = laid_out(drawn_set(SEED), FACES, PHOTOS, 3)
    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder)) as ledger:
        options = WebOptions(data_dir=Path(folder))
        session = Session(ledger, Board(), House())
        app = create_app(session, PictureStore(Path(folder) / "pictures"), lambda: None, options)  # type: ignore[arg-type, return-value]
        client = TestClient(app, base_url="http://localhost", client=("127.0.0.1", 1))
        number = iter(range(10_000))

        def key() -> dict[str, str]:
            return {"idempotency-key": f"speed-key-{next(number):06d}"}

        client.post("/api/enrolment", json={}, headers=key()).raise_for_status()
        adding = []
        corrected = 0
        for scene in scenes:
            data = cv2.imencode(".jpg", scene.image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
            began = time.perf_counter()
            answer = client.post("/api/enrolment/photos", files={"photo": ("photo.jpg", data)}, headers=key())
            adding.append(time.perf_counter() - began)
            photo = answer.raise_for_status().json()["photos"][-1]
            corrected += correct(client, photo, scene, key)
        began, used = time.perf_counter(), time.process_time()
        client.post("/api/enrolment/learn", json={"name": "measured"}, headers=key()).raise_for_status()
        while (state := client.get("/api/enrolment").json())["learning"]:
            time.sleep(0.05)
        seconds, cpu = time.perf_counter() - began, time.process_time() - used
        assert state["problem"] == "", state["problem"]
        report = state["result"]["report"]
    return {
        "part": "wizard",
        "photos": len(scenes),
        "faces": len(report["counts"]),
        "crops": sum(report["counts"].values()),
        "corrected": corrected,
        "photo_s_median": round(statistics.median(adding), 2),
        "learn_s": round(seconds, 1),
        "learn_cpu_s": round(cpu, 1),
        "before": report["before"],
        "after": report["after"],
        "target_s": WIZARD_S,
    }


def correct(client: TestClient, photo: dict, scene: Scene, key) -> int:  # type: ignore[no-untyped-def, type-arg]
    """Put the names of a photo right, as its owner does by tap; how many were wrong."""
    truth = truth_boxes(scene)
    wrong = 0
    for index, tile in enumerate(photo["tiles"]):
        x, y = (tile["box"][0] + tile["box"][2]) / 2, (tile["box"][1] + tile["box"][3]) / 2
        there = [box.code for box in truth if box.box[0] < x < box.box[2] and box.box[1] < y < box.box[3]]
        code = there[0] if there else None
        if code != tile["code"]:
            wrong += 1
            path = f"/api/enrolment/photos/{photo['name']}/tiles/{index}"
            client.put(path, json={"code": code}, headers=key()).raise_for_status()
    return wrong


def show(rows: list[dict[str, object]]) -> str:
    """The rows in words."""
    lines = []
    for row in rows:
        where = f"({row['cores']} cores, load {row['load']})"
        if row["part"] == "capture":
            lines.append(
                f"capture: {row['loop_ms_median']} ms a look in the loop's thread, 95 % below {row['loop_ms_95']} ms; "
                f"a frame takes {row['longer_ms_median']} ms longer {row['longer_ms_interval']} of "
                f"{row['frame_ms_without']} ms; {row['looks']} looks, {row['kept']} kept {where}"
            )
        else:
            lines.append(
                f"wizard: {row['faces']} faces, {row['crops']} crops of {row['photos']} photos learnt in "
                f"{row['learn_s']} s ({row['learn_cpu_s']} s of processor); {row['photo_s_median']} s a photo {where}"
            )
    return "\n".join(lines)


def main() -> None:
    """Measure, or print what was measured last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--print", action="store_true", help="only print the rows stored")
    arguments = parser.parse_args()
    if arguments.print:
        sys.stdout.write(show([json.loads(line) for line in RESULTS.read_text().splitlines()]) + "\n")
        return
    rows = []
    for measure in (lambda: capture(arguments.frames), wizard):
        machine = {"cores": usable_cores(), "machine": platform.machine(), "load": round(os.getloadavg()[0], 1)}
        rows.append({**measure(), **machine})
        sys.stdout.write(show(rows[-1:]) + "\n")
        sys.stdout.flush()
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
