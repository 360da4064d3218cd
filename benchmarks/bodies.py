"""Which nano body finds tiles better after the same time: YOLO11n or YOLO26n, under the same head.

    python benchmarks/bodies.py --data ../shared/data --minutes 12

Both are trained side by side from random weights, one single-threaded process each, on the same mixture of photos and
composites, and read the validation photos with the shipped re-reader. Raw rows go to benchmarks/results/bodies.jsonl,
one a body; `--print` makes the table from them.
"""

from __future__ import annotations

import argparse
import json
import sys
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

ROWS = ROOT / "benchmarks" / "results" / "bodies.jsonl"
BODIES = ("yolo11n.yaml", "yolo26n.yaml")


def train(body: str, data: Path, minutes: float, runs: Path) -> None:
    """One body from random weights, exported into ``runs``/BODY."""
    from vision.training.export import export_detector  # noqa: PLC0415  (the train extra)
    from vision.training.fit import Recipe, fit  # noqa: PLC0415
    from vision.training.stream import Mixture  # noqa: PLC0415

    out = runs / body
    recipe = Recipe(hours=minutes / 60, batch=8, body=body, threads=1, seed=1)
    mixture = Mixture(data, photos=0.45, composites=0.55, drawn_sets=160, cache=runs / "cache", size=256)
    export_detector(fit(recipe, mixture, out), out / "tiles.onnx")


def measure(body: str, data: Path, runs: Path) -> dict[str, object]:
    """The body's row: size, training, speed in this process, and how the validation photos are read."""
    from vision.detector import Detector  # noqa: PLC0415
    from vision.evaluate import evaluate  # noqa: PLC0415

    file = runs / body / "tiles.onnx"
    training = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))["training"]
    evaluation = evaluate(data / "real", ["val"], Detector(file).detect, body)
    part = next(iter(evaluation.parts().values()))
    row: dict[str, object] = {"body": body, "bytes": file.stat().st_size} | training
    return row | {key: part[key] for key in ("pictures", "tiles", "precision", "recall", "map50_95", "exact_pictures")}


def table(rows: list[dict[str, object]]) -> str:
    """Rows as a Markdown table."""
    lines = ["| body | windows | precision | recall | mAP50-95 | exact |", "|---|---|---|---|---|---|"]
    for row in rows:
        shown = [
            f"{value[0]:.3f} ({value[1]:.3f}–{value[2]:.3f})" if isinstance(value, list | tuple) else f"{value:.3f}"
            for value in (row[key] for key in ("precision", "recall", "map50_95", "exact_pictures"))
        ]
        lines.append(f"| {row['body']} | {row['images']:,} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    """Train and read, or print the table of what was read before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with real/, crops/ and art/")
    parser.add_argument("--minutes", type=float, default=12.0)
    parser.add_argument("--runs", type=Path, default=Path("runs/bodies"))
    parser.add_argument("--print", action="store_true", dest="show", help="only print the table")
    arguments = parser.parse_args()
    if not arguments.show:
        if arguments.data is None:
            raise SystemExit("nothing to train on: give --data DIR, a folder with real/, crops/ and art/")
        jobs = [
            get_context("spawn").Process(target=train, args=(body, arguments.data, arguments.minutes, arguments.runs))
            for body in BODIES
        ]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        if any(job.exitcode for job in jobs):
            raise SystemExit("a training failed: its own message stands above")
        found = [measure(body, arguments.data, arguments.runs) for body in BODIES]
        ROWS.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    print(table([json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]))  # noqa: T201


if __name__ == "__main__":
    main()
