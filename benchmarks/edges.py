"""How well a table is found by its edge: `python benchmarks/edges.py -n 32`.

Rendered tables with a raised rim and without, empty and with a hand laid open, of every cloth and in every light. Each
adds a raw row to `benchmarks/results/edges.jsonl`: how far the worst corner found lies from the true one (the corner of
the cloth, or of the rim's inner side), as a share of the table's side; None where no table was found. `--report` prints
the figures of the rows kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from vision.picture import Picture
from vision.table import CalibrationError
from vision.table_find import find_table
from vision.training.render import props
from vision.training.render.geometry import fit
from vision.training.render.grounds import paint_ground, random_ground
from vision.training.render.light import LIGHTS
from vision.training.render.post import Look, expose
from vision.training.render.scene import paint_scene
from vision.training.render.sets import drawn_set
from vision.training.render.tabletop import TableLayout, place_table, random_table

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "edges.jsonl"
FIRST_SEED = (1 << 41) + 500_000
SIZE = (1280, 720)
HALF = 450.0  # of the cloth, mm
#: Corners nearer than this (share of the side) to the true ones serve as they are.
RIGHT = 0.03


@dataclass(frozen=True, slots=True)
class Case:
    """A picture and its table's true corners: far left, far right, near right, near left as the camera sees it."""

    picture: Picture
    corners: NDArray[np.float64]
    about: dict[str, Any]


def case(number: int) -> Case:
    """Case `number`; the same number, the same picture."""
    rng = default_rng([FIRST_SEED + number, 61])
    rimmed, laid = number % 2 == 0, number // 2 % 2 == 1
    light = sorted(LIGHTS)[number % len(LIGHTS)]
    high, side = float(rng.uniform(46, 88)), float(rng.normal(0, 20))
    outer = HALF + 70
    square = np.array([(-1, 1, 0), (1, 1, 0), (1, -1, 0), (-1, -1, 0)], np.float64)
    camera = fit(square * outer, side, high, 0.0, 1.1 * SIZE[0], SIZE, float(rng.uniform(0.75, 0.95)))
    things = props.rim((0.0, 0.0), (HALF + 35, HALF + 35), rng) if rimmed else []
    # Where the cloth ends to be seen: at the inner side of the rim (its blocks are turned about their middle line).
    wide = 2 * float(things[0].half[1]) if rimmed else 70.0
    half = HALF + 35 - wide / 2
    ground = random_ground(rng, (HALF + 35, HALF + 35) if rimmed else (half, half), (0.0, 0.0))
    floor = random_ground(rng, (9e4, 9e4), (0.0, 0.0))
    tiles = drawn_set(FIRST_SEED, width=48)
    layout = replace(TableLayout.random(rng), half=HALF - 15)
    placed = place_table(random_table(rng, win=True), layout, tiles.body) if laid else []
    empty = paint_ground(ground, floor, camera, rng)
    stage = paint_scene(empty, camera, LIGHTS[light], placed, tiles, things, 0.3)
    picture = expose(stage.image, rng, Look(0.5, 0.5, 0.5, 0.6, jpeg=False, bright=228))
    about = {"rimmed": rimmed, "laid": laid, "cloth": ground.kind, "light": light, "elevation": round(high, 1)}
    pixels, _ = camera.project(square * half)
    return Case(np.asarray(picture, np.uint8), np.asarray(pixels, np.float64), {**about, "side": round(side, 1)})


def row_of(number: int, made: Case) -> dict[str, Any]:
    """The raw row of a case."""
    try:
        found = find_table(made.picture)
    except CalibrationError as error:
        return {"case": number, **made.about, "off": None, "says": str(error)}
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    matrix = cv2.getPerspectiveTransform(made.corners.astype(np.float32), square)
    seen = cv2.perspectiveTransform(np.array(found.corners, np.float32)[None], matrix)[0]
    # Which corner is the first is the user's to say; any turn of the right ones is right.
    off = min(float(np.linalg.norm(np.roll(seen, turn, axis=0) - square, axis=1).max()) for turn in range(4))
    return {"case": number, **made.about, "off": round(off, 4), "confidence": round(found.confidence, 3)}


def report(rows: list[dict[str, Any]]) -> str:
    """The figures as a Markdown table."""
    lines = ["| tables | found right | found, but off | not found, said |", "|---|---|---|---|"]
    for rimmed in (False, True):
        for laid in (False, True):
            of = [row for row in rows if (row["rimmed"], row["laid"]) == (rimmed, laid)]
            right = sum(row["off"] is not None and row["off"] <= RIGHT for row in of)
            off = sum(row["off"] is not None and row["off"] > RIGHT for row in of)
            name = f"{'with a rim' if rimmed else 'plain'}, {'tiles on it' if laid else 'empty'}"
            lines.append(f"| {name} ({len(of)}) | {right} | {off} | {len(of) - right - off} |")
    return "\n".join(lines)


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=32, help="how many cases (default 32)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--pictures", type=Path, help="keep the pictures in this folder, and take them from there")
    parser.add_argument("--rows", type=Path, default=RESULTS, help="where the raw rows are kept")
    parser.add_argument("--report", action="store_true", help="print the figures of the rows kept, run nothing")
    a = parser.parse_args()
    if not a.report:
        with a.rows.open("w", encoding="utf-8") as out:
            for number in range(a.first, a.first + a.n):
                out.write(json.dumps(row_of(number, _kept(number, a.pictures))) + "\n")
                out.flush()
    sys.stdout.write(report([json.loads(line) for line in a.rows.read_text(encoding="utf-8").splitlines()]) + "\n")
    return 0


def _kept(number: int, folder: Path | None) -> Case:
    if folder is None:
        return case(number)
    file = folder / f"{number}.npz"
    if not file.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        made = case(number)
        np.savez(file, picture=made.picture, corners=made.corners, about=json.dumps(made.about))
        return made
    data = np.load(file)
    return Case(data["picture"], data["corners"], json.loads(str(data["about"])))


if __name__ == "__main__":
    sys.exit(main())
