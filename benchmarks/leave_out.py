"""How well scenes are read that were kept out of training: both networks trained anew without any of them.

    python benchmarks/leave_out.py --data ../shared/data --minutes 45

One pair of networks is trained from random weights without the scenes G, O, T and gray, side by side, one
single-threaded process each; it then reads a sample of each scene's photos. So a scene is read by networks that have
seen neither it nor the three others, which asks more than leaving out one at a time and costs one training instead of
four. They are far less trained than the shipped ones: the figures say how reading carries over to new scenes, not how
well the shipped networks read. A second run trains on from the first. Raw rows go to benchmarks/results/leave-out.jsonl
(one a photo; the reader's name holds the scene), the training to leave-out-run.json; `--print` makes the table.

Some photos of these scenes have tiles nobody labelled: finding those counts as a mistake, so precision is a lower
bound. The crops were cut from photos of other scenes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from vision.detector import Detector  # noqa: E402
from vision.evaluate import Evaluation, evaluate, figure, read_all_rows, write_rows  # noqa: E402
from vision.rereader import Rereader  # noqa: E402
from vision.training.drawn import drawn_faces  # noqa: E402
from vision.training.photos import load_photos  # noqa: E402

ROWS = ROOT / "benchmarks" / "results" / "leave-out.jsonl"
RUN = ROOT / "benchmarks" / "results" / "leave-out-run.json"
SCENES = ("gray", "T", "O", "G")
FIGURES = ("precision", "recall", "class_accuracy", "exact_pictures")
#: What each network is trained with, and the card it leaves.
NETWORKS = {
    "detector": (["--size", "256", "--batch", "8", "--photos", "0.2", "--rendered", "0.3"], "tiles.json"),
    "rereader": (["--photos", "0.2", "--rendered", "0.2"], "rereader.json"),
}


def train(data: Path, runs: Path, words: list[str]) -> None:
    """Both networks without the scenes, side by side, on from where ``runs`` has them; raises SystemExit when one
    fails."""
    jobs = []
    for network, (shares, _) in NETWORKS.items():
        place = runs / network
        place.mkdir(parents=True, exist_ok=True)
        if not (place / "cache").is_symlink():
            (place / "cache").symlink_to((runs / "cache").resolve())
        before = place / f"{network}.pt"
        start = ["--checkpoint", str(before)] if before.is_file() else []
        without = [word for scene in SCENES for word in ("--leave-out", scene)]
        command = [sys.executable, "-m", "taicam", "train", network, "--data", str(data), "--out", str(place), *words]
        jobs.append(subprocess.Popen([*command, *shares, *without, *start], cwd=ROOT, stdout=subprocess.DEVNULL))
    failed = [job.wait() for job in jobs]  # (all of them, before anything is said)
    if any(failed):
        raise SystemExit("training failed: its own message stands above")


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


def measure(data: Path, runs: Path, most: int) -> list[Evaluation]:
    """What the networks in ``runs`` read in each scene they have not seen."""
    detector = Detector(runs / "detector" / "tiles.onnx", rereader=Rereader(runs / "rereader" / "rereader.onnx"))
    found = []
    for scene in SCENES:
        with tempfile.TemporaryDirectory() as folder:
            photos = photos_of(scene, data, Path(folder) / "photos", most)
            found.append(evaluate(photos, ["train"], detector.detect, f"without {scene}"))
    return found


def table() -> str:
    """The committed rows as a Markdown table, under how long the training was."""
    run = json.loads(RUN.read_text(encoding="utf-8"))
    lines = [f"{run['windows']:,} windows, {run['crops']:,} crops.", ""]
    lines += ["| scene | photos (tiles) | precision | recall | names | exact |", "|---|---|---|---|---|---|"]
    for evaluation in read_all_rows(ROWS):
        scene = evaluation.name.removeprefix("without ")
        figures = next(iter(evaluation.parts().values()))
        shown = " | ".join(figure(figures[key]) for key in FIGURES)
        lines.append(f"| {scene} | {figures['pictures']} ({figures['tiles']}) | {shown} |")
    return "\n".join(lines)


def main() -> None:
    """Train and read, or print the table of what was read before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with real/, crops/ and art/")
    parser.add_argument("--minutes", type=float, default=45.0, help="of training")
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
    drawn_faces(arguments.runs / "cache", arguments.drawn_sets)  # made once, for both
    length = ["--steps", str(arguments.steps)] if arguments.steps else ["--hours", f"{arguments.minutes / 60:.4f}"]
    words = [*length, "--seed", str(arguments.seed), "--drawn-sets", str(arguments.drawn_sets)]
    train(arguments.data.resolve(), arguments.runs, words)
    found = measure(arguments.data.resolve(), arguments.runs, arguments.most)
    done = {
        network: json.loads((arguments.runs / network / card).read_text(encoding="utf-8"))["training"]
        for network, (_, card) in NETWORKS.items()
    }
    run = {"windows": done["detector"]["images"], "crops": done["rereader"]["crops"]}
    run["hours"] = {network: facts["hours"] for network, facts in done.items()}
    print(json.dumps(run))  # noqa: T201
    if not arguments.dry:
        write_rows(found, ROWS)
        RUN.write_text(json.dumps(run) + "\n", encoding="utf-8")
        print(table())  # noqa: T201


if __name__ == "__main__":
    main()
