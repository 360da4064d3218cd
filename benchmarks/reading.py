"""How well whole hands are read: `python benchmarks/reading.py hands|sample|decode -n 60 --seed 7000`.

Rendered scenes that no training used (their seeds start at 7,000,000), or the bundled sample; `decode` takes the time
of decoding alone, for 25 tiles of five alternatives each. Every run adds its raw rows to
`benchmarks/results/reading.jsonl`; `--report` prints the figures of what is there without running anything.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import default_rng

from scoring.tiles import FLOWERS, KINDS
from vision.decode import Arrangement, decode
from vision.decode_melds import MeldSlot
from vision.decode_odds import TileOdds
from vision.observation import TableReading, TileObservation
from vision.picture import Picture, load_picture
from vision.reader import HandReader
from vision.training.render.arrange import hand as arranged
from vision.training.render.deals import Bag, random_hand
from vision.training.render.geometry import fit
from vision.training.render.placing import HandPlan
from vision.training.render.post import Look
from vision.training.render.render import _random_room, points_of, shoot, tile_set_of

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "reading.jsonl"
FIRST_SEED = 7_000_000


@dataclass(frozen=True, slots=True)
class Case:
    """One picture of a hand and the truth about it."""

    name: str
    image: Picture
    hand: dict[str, Any]
    about: dict[str, Any]


def rendered_hands(count: int, seed: int, cache: Path | None) -> Iterator[Case]:
    """Winning hands laid open in every usual way, from any side, in any light."""
    for number in range(seed, seed + count):
        rng = default_rng([FIRST_SEED + number, 17])
        laid = random_hand(Bag(rng), 5, wins=bool(rng.random() < 0.93))
        plan = HandPlan.random(rng)
        tiles = tile_set_of(FIRST_SEED + number, rng)
        arrangement = arranged(tiles.body, rng, plan, laid)
        view = {
            "azimuth": round(float(rng.normal(0, 12) if rng.random() < 0.75 else rng.uniform(-180, 180)), 1),
            "elevation": round(float(rng.uniform(42, 88)), 1),
            "roll": round(float(rng.normal(0, 4)), 1),
        }
        size = (1280, 960)
        points = points_of(arrangement.focus, tiles.body)
        camera = fit(points, view["azimuth"], view["elevation"], view["roll"], 1.25 * size[0], size, 0.88)
        hand = {
            "concealed": sorted(laid.concealed),
            "melds": [[kind, sorted(codes)] for kind, codes in laid.melds],
            "flowers": sorted(laid.flowers),
            "win_tile": laid.win_tile,
            "wins": laid.wins,
        }
        about = {**view, "rows": plan.rows, "win": plan.win, "melds": plan.melds, "flowers": plan.flowers}
        file = cache / f"hand-{number}.png" if cache else None
        if file is not None and file.is_file():
            image = load_picture(file)
        else:
            look = Look(*(float(x) for x in rng.uniform(0.3, 1.0, 4)))
            image = shoot(arrangement, tiles, camera, _random_room(arrangement, rng), look, rng).image
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                cv2.imwrite(str(file), image)
        yield Case(f"hand-{number}", np.asarray(image, np.uint8), hand, {**about, "set": tiles.name})


def sample_hands() -> Iterator[Case]:
    """The pictures that come with the package."""
    folder = ROOT / "taicam" / "sample"
    for entry in json.loads((folder / "truth.json").read_text(encoding="utf-8"))["pictures"]:
        hand = {
            "concealed": sorted(entry["concealed"]),
            "melds": [[m["kind"], sorted(m["tiles"])] for m in entry["melds"]],
            "flowers": sorted(entry["flowers"]),
            "win_tile": entry["win_tile"],
            "wins": entry["wins"],
        }
        yield Case(entry["picture"], load_picture(folder / entry["picture"]), hand, {})


def judge(hand: dict[str, Any], reading: TableReading, found: Sequence[TileObservation]) -> dict[str, Any]:
    """What of a reading is right."""
    # An added kong is an exposed one: no ruleset tells them apart once it lies there.
    melds = sorted([m.kind.replace("added", "exposed"), sorted(m.tiles)] for m in reading.melds)
    wanted = sorted([kind.replace("added", "exposed"), codes] for kind, codes in hand["melds"])
    groups = sorted(reading.concealed) == hand["concealed"] and melds == wanted
    flowers = sorted(reading.flowers) == hand["flowers"]
    win = reading.win_tile == hand["win_tile"]
    bare = sorted(codes for _, codes in melds) == sorted(codes for _, codes in wanted)
    shown = sorted([*hand["concealed"], *(c for _, codes in wanted for c in codes), *hand["flowers"]])
    return {
        "exact": groups and flowers and win,
        "tiles_right": sorted([*reading.concealed, *(c for _, cs in melds for c in cs), *reading.flowers]) == shown,
        "tiles_right_as_detected": sorted(t.code for t in found if t.code != "back") == shown,
        "melds_right": melds == wanted,
        "melds_right_but_kind": bare,
        "sizes_right": sorted(len(c) for _, c in melds) == sorted(len(c) for _, c in wanted),
        "flowers_right": flowers,
        "win_right": win,
        "status": reading.status,
        "silently_wrong": reading.status == "accepted" and not (groups and flowers and win),
        "probability": round(reading.probability, 5),
        "doubts": [d.kind for d in reading.doubts],
        "quality": [n.kind for n in reading.quality],
    }


def run(cases: Iterator[Case], kind: str, show: bool) -> list[dict[str, Any]]:
    """Read every case; returns the raw rows."""
    reader = HandReader()
    rows = []
    for case in cases:
        start = time.perf_counter()
        found = tuple(reader.detector.detect(case.image))
        middle = time.perf_counter()
        reading = reader.read_tiles(case.image, found)
        end = time.perf_counter()
        row = {
            "kind": kind,
            "case": case.name,
            "commit": _commit(),
            **judge(case.hand, reading, found),
            "detect_ms": round(1000 * (middle - start)),
            "read_ms": round(1000 * (end - middle)),
            "about": case.about,
        }
        rows.append(row)
        if show and not row["exact"]:
            sys.stdout.write(f"{case.name} {row['status']} {row['doubts']} {case.about}\n")
            sys.stdout.write(f"  true {case.hand}\n  read {reading.hand_record()}\n")
    return rows


def decode_times(count: int, seed: int) -> list[dict[str, Any]]:
    """Processor time of decoding a winning hand with a meld and eight flowers, every tile with five alternatives."""
    rows = []
    for number in range(seed, seed + count):
        rng = random.Random(number)
        codes = [KINDS[low + step] for low in rng.sample(range(0, 27, 9), 3) for step in _sets(rng)]
        codes = [*codes[:12], *[rng.choice(KINDS[27:])] * 2, *codes[12:15]]
        tiles = [_unsure(rng, code, KINDS) for code in codes] + [_unsure(rng, code, FLOWERS) for code in FLOWERS]
        arrangement = Arrangement(tuple(range(14)), (MeldSlot((14, 15, 16)),), tuple(range(17, 25)))
        start = time.process_time()
        decoded = decode(tiles, [arrangement])
        spent = 1000 * (time.process_time() - start)
        row = {"kind": "decode", "case": f"decode-{number}", "commit": _commit(), "tiles": 25, "alternatives": 5}
        rows.append({**row, "decode_ms": round(spent, 2), "explored": round(decoded.explored, 4)})
    return rows


def _sets(rng: random.Random) -> list[int]:
    """Two sets of a suit, as steps from its lowest tile."""
    low, same = rng.randrange(7), rng.randrange(9)
    return [low, low + 1, low + 2, same, same, same]


def _unsure(rng: random.Random, code: str, family: Sequence[str]) -> TileOdds:
    """Flat odds: what the tile is has 30 to 70 % and is the likeliest two times in three."""
    first = rng.uniform(0.3, 0.7)
    others = [rng.uniform(0.5, 1.0) for _ in range(4)]
    ranked = sorted([first, *(p * (0.998 - first) / sum(others) for p in others)], reverse=True)
    codes = rng.sample([other for other in family if other != code], 4)
    codes.insert(0 if rng.random() < 0.67 else rng.randrange(1, 5), code)
    return TileOdds(tuple(zip(codes, ranked, strict=True)), 0.002)


def _commit() -> str:
    answer = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    return answer.stdout.strip()


def report(rows: Sequence[dict[str, Any]]) -> str:
    """The figures of rows, one line a kind."""
    lines = []
    for kind in sorted({row["kind"] for row in rows}):
        of_kind = [row for row in rows if row["kind"] == kind]
        if kind == "decode":
            spent = sorted(row["decode_ms"] for row in of_kind)
            lines.append(
                f"decode: 25 tiles of 5 alternatives, {len(spent)} times: median {spent[len(spent) // 2]:.1f} ms, "
                f"longest {spent[-1]:.1f} ms of processor time"
            )
            continue
        shares = {
            key: sum(bool(row[key]) for row in of_kind) / len(of_kind)
            for key in (
                "exact",
                "tiles_right_as_detected",
                "tiles_right",
                "melds_right",
                "melds_right_but_kind",
                "flowers_right",
                "win_right",
                "silently_wrong",
            )
        }
        asked = sum(row["status"] != "accepted" for row in of_kind) / len(of_kind)
        times = sorted(row["read_ms"] for row in of_kind)
        figures = "  ".join(f"{key} {value:.1%}" for key, value in shares.items())
        lines.append(
            f"{kind}: {len(of_kind)} pictures  {figures}  asked {asked:.1%}  "
            f"layout, decoding and quality {times[len(times) // 2]} ms"
        )
    return "\n".join(lines)


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["hands", "sample", "decode"], default="sample")
    parser.add_argument("-n", type=int, default=60, help="how many rendered hands (default 60)")
    parser.add_argument("--seed", type=int, default=0, help="number of the first one")
    parser.add_argument("--cache", type=Path, help="keep rendered pictures here between runs")
    parser.add_argument("--show", action="store_true", help="print every hand not read exactly")
    parser.add_argument("--dry", action="store_true", help="keep no rows")
    parser.add_argument("--report", action="store_true", help="print the figures of the rows kept, run nothing")
    arguments = parser.parse_args()
    if arguments.report:
        rows = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
        latest = {row["kind"]: row["commit"] for row in rows}
        sys.stdout.write(report([row for row in rows if row["commit"] == latest[row["kind"]]]) + "\n")
        return 0
    if arguments.what == "decode":
        rows = decode_times(arguments.n, arguments.seed)
    elif arguments.what == "sample":
        rows = run(sample_hands(), "sample", arguments.show)
    else:
        rows = run(rendered_hands(arguments.n, arguments.seed, arguments.cache), "hands", arguments.show)
    if not arguments.dry:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    sys.stdout.write(report(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
