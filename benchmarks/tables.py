"""How well a whole table is read: `python benchmarks/tables.py -n 24`, resumed case by case.

Rendered tables at the moment of a win (`table_scenes.py`): four seats, five camera heights, eight sides, six lights,
six tile sets no training has seen. Each case is read from one frame and from several voted over, with and without the
rules in mind, and adds one raw row to `benchmarks/results/tables.jsonl`. What was found is kept under `--found`: with
`--again` all is read anew in seconds after the reading code has changed. `--report` prints the figures.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reading import judge
from table_scenes import scene

from vision.decode_odds import all_odds, default_calibration
from vision.decode_reading import ReadingRules
from vision.layout import lay_out
from vision.layout_roles import arrangements
from vision.observation import QualityNote, TableReading, TileObservation
from vision.reader import HandReader
from vision.table import SEATS, TableCalibration
from vision.table_reader import TableReader, TableTiles
from vision.voting import fuse

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "tables.jsonl"
FOUND = ROOT / "benchmarks" / "found"
SURE = 0.9  # without the rules a tile less sure than this is asked about


def found_of(number: int, frames: int, reader: HandReader) -> dict[str, Any]:
    """What the networks find in a case: all seats in the first frame, the winner's alone in the others."""
    case = scene(number, frames)
    table = TableReader(reader, case.calibration)
    looks, seconds = [], []
    for place, picture in enumerate(case.frames):
        start = time.perf_counter()
        tiles = table.find(picture, SEATS if place == 0 else (case.winner,), centre=False)
        seconds.append(round(time.perf_counter() - start, 2))
        looks.append(
            {
                "seats": {seat: [asdict(tile) for tile in found] for seat, found in tiles.seats.items()},
                "quality": {seat: [asdict(note) for note in notes] for seat, notes in tiles.quality.items()},
            }
        )
    return {
        "case": case.number,
        "winner": case.winner,
        "hand": case.hand,
        "about": case.about,
        "calibration": case.calibration.to_json(),
        "looks": looks,
        "find_s": seconds,
    }


def _tile(data: dict[str, Any]) -> TileObservation:
    box, odds = tuple(data["box"]), tuple((code, p) for code, p in data["alternatives"])
    return TileObservation(data["code"], box, data["confidence"], odds, data["angle"])


def looks_of(found: dict[str, Any]) -> list[TableTiles]:
    """The looks of a case as the reader takes them; seats seen in the first frame alone stand in every one."""
    size = tuple(found["calibration"]["size"])
    first: dict[int, tuple[TileObservation, ...]] = {}
    looks = []
    for look in found["looks"]:
        seats = {int(seat): tuple(_tile(tile) for tile in tiles) for seat, tiles in look["seats"].items()}
        notes = {int(seat): tuple(QualityNote(**note) for note in ns) for seat, ns in look["quality"].items()}
        first = first or seats
        looks.append(TableTiles({**first, **seats}, {**dict.fromkeys(first, ()), **notes}, (), None, size))
    return looks


def unaided(tiles: Sequence[TileObservation], hand: dict[str, Any]) -> dict[str, Any]:
    """The same tiles without the rules: each is what it looks most like, placed as geometry likes best."""
    odds = all_odds(tiles, default_calibration())
    layout = lay_out([tile.box for tile in tiles], 0.0, [tile.angle for tile in tiles], [True] * len(tiles))
    ways = sorted(arrangements(layout, odds, ReadingRules().hand_size), key=lambda way: -way.log_prior)
    exact = sure = False
    if ways:
        best = ways[0]
        melds = [[odds[i].top for i in slot.all_indices] for slot in best.melds]
        wanted = Counter(tuple(codes) for _, codes in hand["melds"])
        exact = (
            sorted(odds[i].top for i in best.concealed) == hand["concealed"]
            and Counter(tuple(_faces(codes)) for codes in melds) == wanted
            and sorted(odds[i].top for i in best.flowers) == hand["flowers"]
        )
        used = [*best.concealed, *(i for slot in best.melds for i in slot.all_indices), *best.flowers]
        sure = best.complete and all(odds[i].odds[0][1] >= SURE for i in used)
    return {"exact": exact, "asked": not sure, "silently_wrong": sure and not exact}


def _faces(codes: Sequence[str]) -> list[str]:
    shown = [code for code in codes if code != "back"]
    hidden = len(codes) - len(shown)
    return sorted([*shown, *(shown[:1] * hidden)])


def row_of(found: dict[str, Any]) -> dict[str, Any]:
    """The raw row of a case: judged from the first frame, from all voted over, and both without the rules."""
    calibration = TableCalibration.from_json(found["calibration"])
    table = TableReader(HandReader(_nothing()), calibration)
    looks, winner, hand = looks_of(found), found["winner"], found["hand"]
    row: dict[str, Any] = {"case": found["case"], "seat": winner, "about": found["about"], "hand": hand}
    for name, used in (("one", looks[:1]), ("voted", looks)):
        view = table.view(used)
        tiles = used[0].seats[winner] if len(used) == 1 else fuse([look.seats[winner] for look in used])
        reading: TableReading = view.seats[winner]
        row[name] = {
            **judge(hand, reading, tiles),
            "seat_read": view.winner,
            "read": reading.hand_record(),
            "alone": unaided(tiles, hand),
        }
    return {**row, "find_s": found["find_s"]}


class _nothing:  # noqa: N801 - a detector that is never asked
    def detect(self, image: object) -> Sequence[TileObservation]:
        raise AssertionError("tiles come from what was found before")


def report(rows: Sequence[dict[str, Any]]) -> str:
    """The figures as a Markdown table, one column a way of reading."""
    columns = [("one", "one frame"), ("voted", "voted")]
    lines = ["| of " + str(len(rows)) + " tables | one frame | voted |", "|---|---|---|"]
    names: dict[str, Callable[[dict[str, Any], str], Any]] = {
        "seat": lambda row, way: row[way]["seat_read"] == row["seat"],
        "melds: groups and kinds": lambda row, way: row[way]["melds_right"],
        "melds: groups alone": lambda row, way: row[way]["melds_right_but_kind"],
        "flowers": lambda row, way: row[way]["flowers_right"],
        "winning tile": lambda row, way: row[way]["win_right"],
        "hand exact": lambda row, way: row[way]["exact"],
        "silently wrong": lambda row, way: row[way]["silently_wrong"],
        "asked": lambda row, way: row[way]["status"] != "accepted",
        "without the rules: tiles and groups right": lambda row, way: row[way]["alone"]["exact"],
        "without the rules: silently wrong": lambda row, way: row[way]["alone"]["silently_wrong"],
        "without the rules: asked": lambda row, way: row[way]["alone"]["asked"],
    }
    for name, rule in names.items():
        counts = [sum(bool(rule(row, way)) for row in rows) for way, _ in columns]
        lines.append(f"| {name} | " + " | ".join(f"{c} ({c / max(len(rows), 1):.1%})" for c in counts) + " |")
    return "\n".join(lines)


def _kept(path: Path) -> dict[int, dict[str, Any]]:
    if not path.is_file():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["case"]: row for row in rows}


def _keep(path: Path, rows: dict[int, dict[str, Any]]) -> None:
    text = "".join(json.dumps(rows[n], ensure_ascii=False) + "\n" for n in sorted(rows))
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def _show(row: dict[str, Any]) -> str:
    read = row["voted"]
    return (
        f"{row['case']} {read['status']} {read['doubts']} {read['quality']} seat {row['seat']}->{read['seat_read']} "
        f"{row['about']}\n  true {row['hand']}\n  read {read['read']}\n"
    )


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=24, help="how many cases (default 24)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--frames", type=int, default=3, help="pictures of each case")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long; the next run goes on from there")
    parser.add_argument("--found", type=Path, default=FOUND, help="where what was found is kept between runs")
    parser.add_argument("--again", action="store_true", help="read all that was found before anew; run no network")
    parser.add_argument("--show", action="store_true", help="print every case not read exactly")
    parser.add_argument("--report", action="store_true", help="print the figures of the rows kept, run nothing")
    a = parser.parse_args()
    rows = _kept(RESULTS)
    if a.report:
        sys.stdout.write(report(list(rows.values())) + "\n")
        return 0
    a.found.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + 60 * a.minutes if a.minutes else float("inf")
    reader = HandReader()
    numbers = sorted(int(p.stem) for p in a.found.glob("*.json")) if a.again else range(a.first, a.first + a.n)
    for number in numbers:
        if time.monotonic() > deadline:
            break
        file = a.found / f"{number}.json"
        if not a.again and number in rows:
            continue
        if not file.is_file():
            file.write_text(json.dumps(found_of(number, a.frames, reader)), encoding="utf-8")
        rows[number] = row_of(json.loads(file.read_text(encoding="utf-8")))
        _keep(RESULTS, rows)
        if a.show and not rows[number]["voted"]["exact"]:
            sys.stdout.write(_show(rows[number]))
            sys.stdout.flush()
    sys.stdout.write(report(list(rows.values())) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
