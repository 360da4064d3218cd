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
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

ROWS = ROOT / "benchmarks" / "results" / "bodies.jsonl"
BODIES = ("yolo11n.yaml", "yolo26n.yaml")


def train(number: int, data: Path, minutes: float, runs: Path) -> None:
    """One of the bodies from random weights, exported into ``runs``/BODY."""
    from vision.training.export import export_detector  # noqa: PLC0415  (the train extra)
    from vision.training.fit import Recipe, fit  # noqa: PLC0415
    from vision.training.stream import Mixture  # noqa: PLC0415

    body = BODIES[number]
    out = runs / body
    recipe = Recipe(hours=minutes / 60, batch=8, body=body, threads=1, seed=1)
    mixture = Mixture(data, photos=0.45, composites=0.55, drawn_sets=160, cache=runs / "cache", size=256)
    export_detector(fit(recipe, mixture, out), out / "tiles.onnx")


def measure(body: str, data: Path, runs: Path) -> dict[str, Any]:
    """The body's row: size, training, speed in this process, and how the validation photos are read."""
    from vision.detector import Detector  # noqa: PLC0415
    from vision.evaluate import evaluate  # noqa: PLC0415

    file = runs / body / "tiles.onnx"
    training = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))["training"]
    evaluation = evaluate(data / "real", ["val"], Detector(file).detect, body)
    part = next(iter(evaluation.parts().values()))
    row: dict[str, Any] = {"body": body, "bytes": file.stat().st_size} | training
    return row | {key: part[key] for key in ("pictures", "tiles", "precision", "recall", "map50_95", "exact_pictures")}


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as a Markdown table."""
    from vision.evaluate import figure  # noqa: PLC0415

    lines = ["| body | windows | precision | recall | exact | mAP50-95 |", "|---|---|---|---|---|---|"]
    for row in rows:
        shown = [figure(row[key]) for key in ("precision", "recall", "exact_pictures")]
        shown.append("-" if row["map50_95"] is None else f"{row['map50_95']:.3f}")
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
        from vision.training.workers import launch  # noqa: PLC0415  (the train extra)

        launch(train, len(BODIES), (arguments.data, arguments.minutes, arguments.runs))
        found = [measure(body, arguments.data, arguments.runs) for body in BODIES]
        ROWS.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    print(table([json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]))  # noqa: T201


if __name__ == "__main__":
    main()
