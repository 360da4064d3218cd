"""How well rendered tile sets are read that no training has drawn: usual ones, dark blocks, odd colours, other
makers' designs.

    python benchmarks/unseen_sets.py --name shipped

Twelve sets of each kind, each as four winning hands. Adds one raw row a set and network to
benchmarks/results/unseen-sets.jsonl (in place of older ones of that name) and prints the table; `--print` only prints.
`--detector` and `--rereader` read with other networks than the shipped ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from numpy.random import default_rng

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from taicam.learn_scenes import hands, measure, odd_set  # noqa: E402
from vision.detector import Detector  # noqa: E402
from vision.rereader import Rereader  # noqa: E402
from vision.training.render import TileSet  # noqa: E402
from vision.training.render.sets import drawn_set  # noqa: E402
from vision.training.render.styles import dark_set, random_body, random_style, wider_style  # noqa: E402

ROWS = ROOT / "benchmarks" / "results" / "unseen-sets.jsonl"
SETS, HANDS = 12, 4
FIRST_SEED = 1 << 42  # training draws below 2**36, calibration from 2**40, the table scenes from 2**41


def dark(seed: int) -> TileSet:
    """A set in a dark block with pale inks."""
    rng = default_rng([seed, 31])
    style, body = dark_set(rng, random_style(rng), random_body(rng))
    return drawn_set(seed, style=style, body=body)


def usual(seed: int) -> TileSet:
    """A set in a pale block."""
    return drawn_set(seed, body=random_body(default_rng([seed, 1])))


def wider(seed: int) -> TileSet:
    """A set in a pale block with the designs of many more makers."""
    return drawn_set(seed, body=random_body(default_rng([seed, 1])), looks=wider_style)


KINDS: dict[str, Callable[[int], TileSet]] = {"usual": usual, "dark": dark, "odd": odd_set, "wider": wider}


def table(rows: list[dict[str, object]]) -> str:
    """Rows as a Markdown table: shares of tiles and of hands."""
    lines = ["| networks | sets | tiles found | named rightly, of those | exact hands |", "|---|---|---|---|---|"]
    for name in dict.fromkeys(str(row["name"]) for row in rows):
        for kind in KINDS:
            mine = [row for row in rows if row["name"] == name and row["kind"] == kind]
            if mine:
                tiles, found, right, pictures, exact = (
                    sum(int(str(row[key])) for row in mine) for key in ("tiles", "found", "right", "pictures", "exact")
                )
                lines.append(
                    f"| {name} | {kind} ({len(mine)}) | {found / tiles:.3f} | {right / max(found, 1):.3f} "
                    f"| {exact} of {pictures} |"
                )
    return "\n".join(lines)


def main() -> None:
    """Read the sets with one pair of networks, or print the table of those read before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", default="shipped")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--detector", type=Path)
    parser.add_argument("--rereader", type=Path)
    parser.add_argument("--print", action="store_true", dest="show")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()] if ROWS.is_file() else []
    if not arguments.show:
        kinds = arguments.kinds.split(",")
        rows = [row for row in rows if row["name"] != arguments.name or row["kind"] not in kinds]
        detector = Detector(arguments.detector, rereader=Rereader(arguments.rereader) if arguments.rereader else None)
        for kind in kinds:
            for number in range(SETS):
                seed = FIRST_SEED + 100 * number
                stream = hands(KINDS[kind](seed), seed)
                accuracy = measure([next(stream) for _ in range(HANDS)], detector.detect)
                rows.append({"name": arguments.name, "kind": kind, "set": number} | asdict(accuracy))
        ROWS.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    print(table(rows))  # noqa: T201


if __name__ == "__main__":
    main()
