"""How well scenes are read that were kept out of training: both networks trained anew without each scene in turn.

    python benchmarks/leave_out.py --data ../shared/data --base-minutes 20 --minutes 6

First a base that has seen none of these scenes is trained from random weights; from it, for each scene, both networks
go on with the photos of all the others, side by side, one single-threaded process each, and read a sample of the
scene's photos. They are thus far less trained than the shipped ones: the figures say how reading carries over to a new
scene after so short a training, not how well the shipped networks read. Raw rows go to
benchmarks/results/leave-out.jsonl (one a photo; the reader's name holds the scene) and the trainings to
leave-out-runs.jsonl; `--print` makes the table from them.

Some photos of these scenes have tiles nobody labelled: finding those counts as a mistake, so precision is a lower
bound.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from vision.detector import Detector  # noqa: E402
from vision.evaluate import evaluate, figure, read_all_rows, write_rows  # noqa: E402
from vision.rereader import Rereader  # noqa: E402
from vision.training.drawn import drawn_faces  # noqa: E402
from vision.training.photos import load_photos  # noqa: E402

ROWS = ROOT / "benchmarks" / "results" / "leave-out.jsonl"
RUNS = ROOT / "benchmarks" / "results" / "leave-out-runs.jsonl"
SCENES = ("gray", "T", "O", "G")
FIGURES = ("precision", "recall", "class_accuracy", "exact_pictures")


def train(
    without: Sequence[str], base: Path | None, out: Path, length: list[str], arguments: argparse.Namespace
) -> None:
    """Both networks without some scenes, side by side; raises SystemExit when one fails."""
    common = ["--data", str(arguments.data), "--seed", str(arguments.seed), *length]
    common += ["--drawn-sets", str(arguments.drawn_sets)]
    for scene in without:
        common += ["--leave-out", scene]
    kinds = {
        "detector": ["--size", "256", "--batch", "8", "--photos", "0.5", "--rendered", "0"],
        "rereader": ["--photos", "0.4", "--rendered", "0"],
    }
    jobs = []
    for kind, words in kinds.items():
        place = out / kind
        place.mkdir(parents=True, exist_ok=True)
        if not (place / "cache").is_symlink():
            (place / "cache").symlink_to((arguments.runs / "cache").resolve())
        start = [] if base is None else ["--checkpoint", str(base / kind / f"{kind}.pt")]
        command = [sys.executable, "-m", "taicam", "train", kind, *common, *words, *start, "--out", str(place)]
        jobs.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL))
    failed = [job.wait() for job in jobs]  # (all of them, before anything is said)
    if any(failed):
        raise SystemExit(f"training without {', '.join(without)} failed: its own message stands above")


def photos_of(scene: str, data: Path, folder: Path, most: int) -> Path:
    """A data set of links to at most so many photos of the scene, evenly spread over its files."""
    photos = [photo for photo in load_photos(data / "real", "train") if photo.scene == scene]
    chosen = [photos[k * len(photos) // min(most, len(photos))] for k in range(min(most, len(photos)))]
    for kind in ("images", "labels"):
        (folder / kind / "train").mkdir(parents=True)
    (folder / "data.yaml").write_bytes((data / "real" / "data.yaml").read_bytes())
    for photo in chosen:
        label = data / "real" / "labels" / "train" / f"{photo.path.stem}.txt"
        (folder / "images" / "train" / photo.path.name).symlink_to(photo.path.resolve())
        (folder / "labels" / "train" / label.name).symlink_to(label.resolve())
    return folder


def measure(scene: str, data: Path, out: Path, most: int) -> Path:
    """Rows of the networks in ``out`` on the scene they have not seen."""
    with tempfile.TemporaryDirectory() as folder:
        photos = photos_of(scene, data, Path(folder) / "photos", most)
        rereader = Rereader(out / "rereader" / "rereader.onnx")
        detector = Detector(out / "detector" / "tiles.onnx", rereader=rereader)
        evaluation = evaluate(photos, ["train"], detector.detect, f"without {scene}")
    write_rows(evaluation, out / "rows.jsonl")
    return out / "rows.jsonl"


def table() -> str:
    """The committed rows as a Markdown table, with how long each training was."""
    runs = {run["scene"]: run for run in map(json.loads, RUNS.read_text(encoding="utf-8").splitlines())}
    lines = ["| scene left out | windows / crops trained on | photos (tiles) | precision | recall | names | exact |"]
    lines.append("|---|---|---|---|---|---|---|")
    for evaluation in read_all_rows(ROWS):
        scene = evaluation.name.removeprefix("without ")
        figures = next(iter(evaluation.parts().values()))
        run = runs[scene]
        trained = f"{run['windows']:,} / {run['crops']:,}"
        shown = [figure(figures[key]) for key in FIGURES]
        lines.append(f"| {scene} | {trained} | {figures['pictures']} ({figures['tiles']}) | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the trainings asked for, or print the table of those made before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with real/, crops/ and art/")
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--base-minutes", type=float, default=20.0, help="of training without any of the scenes")
    parser.add_argument("--minutes", type=float, default=6.0, help="of training on, for each scene left out")
    parser.add_argument("--steps", type=int, default=0, help="train so many steps instead, to try the chain")
    parser.add_argument("--most", type=int, default=60, help="photos of a scene to read")
    parser.add_argument("--drawn-sets", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("runs/leave-out"), help="where the networks go")
    parser.add_argument("--dry", action="store_true", help="leave the committed rows as they are")
    parser.add_argument("--print", action="store_true", dest="show", help="only print the table")
    arguments = parser.parse_args()
    if arguments.show:
        print(table())  # noqa: T201
        return
    if arguments.data is None:
        raise SystemExit("nothing to train on: give --data DIR, a folder with real/, crops/ and art/")
    if arguments.drawn_sets:
        drawn_faces(arguments.runs / "cache", arguments.drawn_sets)  # made once, for all the trainings
    base = arguments.runs / "base"
    if not (base / "rereader" / "rereader.json").is_file():
        train(SCENES, None, base, length_of(arguments.base_minutes, arguments.steps), arguments)
    for scene in arguments.scenes.split(","):
        out = arguments.runs / scene
        begin = time.monotonic()
        train([scene], base, out, length_of(arguments.minutes, arguments.steps), arguments)
        seconds = time.monotonic() - begin
        rows = measure(scene, arguments.data.resolve(), out, arguments.most).read_text(encoding="utf-8")
        cards = {"detector": "tiles.json", "rereader": "rereader.json"}
        done = {kind: json.loads((out / kind / card).read_text())["training"] for kind, card in cards.items()}
        asked = None if arguments.steps else [arguments.base_minutes, arguments.minutes]
        run = {"scene": scene, "seed": arguments.seed, "minutes_asked": asked}
        run |= {"wall_s": round(seconds), "windows": done["detector"]["images"], "crops": done["rereader"]["crops"]}
        run |= {"hours": [done["detector"]["hours"], done["rereader"]["hours"]]}
        print(json.dumps(run))  # noqa: T201
        if not arguments.dry:
            replace_lines(ROWS, "reader", f"without {scene}", rows)
            replace_lines(RUNS, "scene", scene, json.dumps(run) + "\n")


def length_of(minutes: float, steps: int) -> list[str]:
    """The words that say how long to train."""
    return ["--steps", str(steps)] if steps else ["--hours", f"{minutes / 60:.4f}"]


def replace_lines(path: Path, key: str, value: str, lines: str) -> None:
    """Put lines into a file of JSON lines in place of those whose ``key`` is ``value``."""
    old = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.is_file() else []
    kept = [line for line in old if json.loads(line)[key] != value]
    path.write_text("".join(kept) + lines, encoding="utf-8")


if __name__ == "__main__":
    main()
