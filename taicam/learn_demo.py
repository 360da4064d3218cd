"""The learning loop from end to end, as a script: `python -m taicam.learn_demo` (`--small` for a quick one).

A tile set that the networks have never seen is rendered and read badly. The appliance runs on pictures of it; hands are
corrected through its API, the rest in review. The owner lays all tiles out once and corrects their names; from that and
from what capture kept the set is enrolled, and read again. Then a network is trained on a little with the captured
samples, compared with the one in use, promoted or refused, and rolled back.

Three kinds of pictures are kept apart: hands played are learnt from, gate pictures decide on promotion (other hands of
the set, and a fixed set of usual tile sets), test hands are for the table at the end and decide nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from taicam.capture import CaptureSettings, CaptureStore, Library
from taicam.learn_scenes import (
    USUAL_SETS,
    Accuracy,
    badly_read_set,
    corrected,
    entries_of,
    hands,
    laid_out,
    measure,
    truth_boxes,
    usual_scenes,
)
from taicam.models_gate import networks_of, photo_gate
from taicam.models_registry import ModelRegistry, PromotionRefusedError
from vision.dataset.entries import Entry, WriteOptions
from vision.dataset.formats import write_dataset
from vision.detector import Detector
from vision.enroll import describe_shots, learn_described
from vision.enroll_reader import EnrolledDetector, RereaderEmbedder, shots_of
from vision.enroll_report import report
from vision.enroll_session import FACES
from vision.enroll_store import ProfileStore
from vision.training.render import Scene
from vision.weights import model_card

_NAME = "demo set"
_CHECKPOINT = Path(__file__).resolve().parents[1] / "models" / "checkpoints" / "rereader.pt"
_APPLIANCE = """
import sys
from pathlib import Path
from taicam.appliance import Appliance, RunOptions
from taicam.config import load_settings
overrides = {"source": sys.argv[1], "data_dir": Path(sys.argv[2]), "web": {"port": int(sys.argv[3])},
             "capture": {"sample_share": 1.0, "sample_interval_s": 0, "keep_free_mb": 0, "queue": 64}}
sys.exit(Appliance(load_settings(None, overrides), RunOptions(headless=True, keep_serving=True)).run())
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything: probes to find a set, hands played, photos of each third of the set laid out, hands
    tested, gate pictures of the set and of each usual set, training steps and batch."""

    probes: int
    played: int
    photos: int
    tested: int
    gate_own: int
    gate_usual: int
    steps: int
    batch: int


FULL = Size(probes=8, played=12, photos=3, tested=30, gate_own=20, gate_usual=4, steps=400, batch=12)
SMALL = Size(probes=4, played=3, photos=2, tested=15, gate_own=10, gate_usual=1, steps=2, batch=2)


def say(text: str) -> None:
    """One line of the story."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(work: Path, size: Size, train: bool = True) -> dict[str, Any]:
    """Play the whole loop in `work`, telling it on standard output; the figures. Raises what a step raises."""
    detector = Detector()
    tiles, probe = badly_read_set(detector.detect, size.probes)
    say(f"1. An unseen tile set ({tiles.name}): {probe}.")
    stream = hands(tiles, 7_000_000)
    played = [next(stream) for _ in range(size.played)]
    tested = [next(stream) for _ in range(size.tested)]
    gate = [next(stream) for _ in range(size.gate_own)]
    entries_of(tested, work / "test-pictures", "test")  # to look at
    before = measure(tested, detector.detect)
    say(f"   On {size.tested} test hands, kept apart until the end: {before}.")
    entries = capture(played, work)
    photos = entries_of(laid_out(tiles, FACES, size.photos, 5), work / "laid-out", "photo")
    after, figures = enrol([*photos, *entries], tested, work, detector)
    models, retrained, both = retrain(entries, [*gate, *usual_scenes(size.gate_usual)], tested, work, size, train)
    columns = {"before": before, "enrolled": after, "retrained": retrained, "both": both}
    say("")
    say(f"   {'':20}" + "".join(f"{title:<12}" for title in columns))
    say("   tiles named rightly " + "".join(f"{accuracy.named:<12.1%}" for accuracy in columns.values()))
    exact = [f"{accuracy.exact} of {accuracy.pictures}" for accuracy in columns.values()]
    say("   exact hands         " + "".join(f"{text:<12}" for text in exact))
    return {
        "set": tiles.name,
        "before": before.named,
        "after": after.named,
        "retrained": retrained.named,
        "both": both.named,
        "exact_before": before.exact,
        "exact_after": after.exact,
        "exact_retrained": retrained.exact,
        "exact_both": both.exact,
        "pictures": before.pictures,
        "gate": {"own": size.gate_own, "usual": len(USUAL_SETS) * size.gate_usual},
        "captured": len(entries),
        "enrolment": figures,
        "models": models,
    }


# -- capture ---------------------------------------------------------------------------------------------------------


def capture(played: Sequence[Scene], work: Path) -> list[Entry]:
    """Run the appliance on the hands, correct those it asks about through its API, review the rest."""
    source, data = work / "table", work / "data"
    pictures = {entry.sample.image: number for number, entry in enumerate(entries_of(played, source, "hand"))}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with (work / "appliance.log").open("w") as output:
        words = [sys.executable, "-c", _APPLIANCE, str(source), str(data), str(port)]
        # Consent first: an appliance keeps nothing without it.
        CaptureStore(data / "captures").set_consent(True, "learn-demo")
        process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            api = _Api(f"http://127.0.0.1:{port}", process, work / "appliance.log")
            api.wait_until_done(len(played))
            fixed = sum(_correct(api, offer, played[pictures[offer["picture"]]]) for offer in api.get("/api/offers"))
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    library = Library(data / "captures", CaptureSettings(keep_free_mb=0))
    by_sequence = dict(enumerate(played))
    reviewed = _review(library, by_sequence)
    say(
        f"2. The appliance read {len(played)} hands; {fixed} were corrected through the API, "
        f"{reviewed} in review; {library.totals()[0]} samples kept."
    )
    return [library.entry(row.id) for row in library.rows(state="accepted")]


class _Api:
    """The appliance's HTTP interface."""

    def __init__(self, base: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.base = base
        self._process = process
        self._log = log

    def get(self, path: str) -> Any:
        """The JSON at `path`."""
        with urllib.request.urlopen(self.base + path, timeout=30) as answer:
            return json.load(answer)

    def post(self, path: str, body: dict[str, Any]) -> int:
        """Send JSON; the status."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return int(error.code)

    def wait_until_done(self, pictures: int, limit_s: float = 600.0) -> None:
        """Wait until the appliance has gone through the pictures. Raises RuntimeError with its log when it fails."""
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            text = self._log.read_text(errors="replace")
            if self._process.poll() is not None:
                raise RuntimeError(f"the appliance ended early:\n{text[-2000:]}")
            if "Ctrl-C" in text:  # its report is out: it now only serves
                return
            time.sleep(0.3)
        raise RuntimeError(f"the appliance did not get through {pictures} pictures in {limit_s:.0f} s")


def _correct(api: _Api, offer: dict[str, Any], scene: Scene) -> bool:
    """Confirm an offered hand with its true tiles, as a player does on the tablet."""
    laid = scene.hands[0]
    hand = {
        "concealed": list(laid.concealed),
        "melds": [{"kind": kind, "tiles": list(tiles)} for kind, tiles in laid.melds],
        "flowers": list(laid.flowers),
        "win_tile": laid.win_tile or laid.concealed[-1],
    }
    win = {"place": 0, "hand": hand, "self_draw": True}
    body = {"outcome": "win", "wins": [win], "facts": {"dealer_player": 1}, "offer_id": offer["offer_id"]}
    return api.post("/api/hands", body) == 201


def _review(library: Library, scenes: dict[int, Scene]) -> int:
    """Look through what waits, as on the review page; how many samples needed it."""
    done = 0
    for row in library.rows(state="proposed"):
        sample = library.entry(row.id).sample
        scene = scenes.get((sample.sequence or 0) % len(scenes))
        if scene is None:
            continue
        boxes = corrected(sample, truth_boxes(scene))
        library.review(row.id, "accepted" if len(boxes) > 1 else "discarded", boxes, by="learn-demo")
        done += 1
    return done


# -- enrol -----------------------------------------------------------------------------------------------------------


def enrol(
    entries: Sequence[Entry], tested: Sequence[Scene], work: Path, detector: Detector
) -> tuple[Accuracy, dict[str, Any]]:
    """Learn the set from labelled photos and samples; how the test hands are read then."""
    embedder = RereaderEmbedder()
    shots, _problems = shots_of(entries, embedder.rereader, most=2)
    began, used = time.monotonic(), time.process_time()
    described = describe_shots(shots, embedder)
    profile = learn_described(described, embedder, _NAME)
    seconds, cpu = time.monotonic() - began, time.process_time() - used
    found = report(described, embedder, FACES)
    store = ProfileStore(work / "data" / "tile-sets")
    store.save(profile, found.to_json(), shots)
    after = measure(tested, EnrolledDetector(detector, embedder, store.load(_NAME)).detect)
    photos = len({shot.photo for shot in shots})
    say(
        f"3. Enrolled from {photos} photos and captured samples: {len(shots)} crops of {len(profile.codes)} faces, "
        f"{seconds:.1f} s ({cpu:.1f} s of processor)."
    )
    for line in found.lines():
        say(f"   {line}")
    say(f"   The test hands again: {after}.")
    return after, {
        "crops": len(shots),
        "faces": len(profile.codes),
        "seconds": seconds,
        "cpu_s": cpu,
        **found.to_json(),
    }


# -- retrain ---------------------------------------------------------------------------------------------------------


def retrain(
    entries: Sequence[Entry],
    gate_scenes: Sequence[Scene],
    tested: Sequence[Scene],
    work: Path,
    size: Size,
    train: bool,
) -> tuple[dict[str, Any], Accuracy, Accuracy]:
    """Train on with the samples where training is possible; compare on the gate scenes, promote or refuse, roll back.

    Also how the new network reads the test hands, and how it does with the set enrolled for it.
    """
    registry = ModelRegistry(work / "data")
    shipped = registry.current("rereader")
    network, how = (
        shipped.path,
        "no training asked for, or torch is not installed: the same network stands in for a new one",
    )
    if train and importlib.util.find_spec("torch") is not None and _CHECKPOINT.is_file():
        network = _train(entries, work, size)
        steps = model_card(network)["training"]["steps"] - shipped.card["training"]["steps"]
        how = f"trained on for {steps} steps with the captured samples"
    added = registry.add("rereader", network)
    labelled = entries_of(gate_scenes, work / "gate-pictures", "val")
    write_dataset(labelled, work / "gate", "yolo", WriteOptions(pictures="link"))
    gate = photo_gate(work / "gate", ("val",))
    say(f"4. Network {added.version}: {how}.")
    refused = False
    try:
        comparison = registry.promote("rereader", added.version, gate)
        say(f"   Compared and promoted: {comparison.summary()}.")
    except PromotionRefusedError as error:
        comparison, refused = error.comparison, True
        say(f"   Compared and refused: {comparison.summary()}. Promoted by force, to show the way back.")
        registry.promote("rereader", added.version, gate, force=True)
    in_use = registry.current("rereader").version
    detector, embedder = networks_of(registry.paths())  # as an appliance takes them up between two hands
    retrained = measure(tested, detector.detect)
    profile = ProfileStore(work / "data" / "tile-sets").for_network(_NAME, embedder)
    both = measure(tested, EnrolledDetector(detector, embedder, profile).detect)
    back = registry.rollback("rereader").version
    say(f"   In use: {in_use}; rolled back to: {back}.")
    result = {"how": how, "refused": refused, "in_use": in_use, "after_rollback": back}
    return {**result, "comparison": comparison.to_json()}, retrained, both


def _train(entries: Sequence[Entry], work: Path, size: Size) -> Path:
    """The re-reader trained on with the samples, by the command that owners use."""
    data, out = work / "training", work / "trained"
    named = [Entry(e.sample.model_copy(update={"split": "train"}), e.picture) for e in entries]
    write_dataset(named, data / "real", "yolo", WriteOptions(pictures="link"))
    shots, _problems = shots_of(entries, RereaderEmbedder().rereader, most=2)
    for number, shot in enumerate(shots):
        place = data / "crops" / shot.code
        place.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(place / f"{number}.png"), shot.crop[6:-6, 5:-5])  # the face without its margin
    words = [
        *(sys.executable, "-m", "taicam", "train", "rereader", "--data", str(data), "--out", str(out)),
        *("--checkpoint", str(_CHECKPOINT), "--steps", str(size.steps), "--batch", str(size.batch)),
        *("--drawn-sets", "4", "--rendered", "0", "--photos", "0.6"),
    ]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    made = out / "rereader.onnx"
    if done.returncode or not made.is_file():
        raise RuntimeError(f"the training failed:\n{(done.stdout + done.stderr)[-2000:]}")
    return made


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m taicam.learn_demo", description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a quick run")
    parser.add_argument("--no-train", action="store_true", help="leave the training out")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in this new folder and keep it")
    arguments = parser.parse_args()
    work = arguments.keep or Path(tempfile.mkdtemp(prefix="taicam-learn-"))
    work.mkdir(parents=True, exist_ok=True)
    if any(work.iterdir()):
        parser.error(f"{work} is not empty: name a new folder")
    try:
        figures = run(work, SMALL if arguments.small else FULL, not arguments.no_train)
        (work / "figures.json").write_text(json.dumps(figures, ensure_ascii=False, indent=1), encoding="utf-8")
    finally:
        if arguments.keep is None:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
