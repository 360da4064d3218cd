"""How well a whole table is read: `python benchmarks/tables.py -n 24`, resumed case by case.

Rendered tables (`table_scenes.py`) at the moment of a win, and with `--playing` in the midst of play, when nothing must
be offered: four seats, five camera heights, eight sides, six lights, twelve tile sets no training has seen. A win is
read from one frame and from several voted over, with and without the rules in mind, and with `--enrolled` with its tile
set enrolled from photos of all faces. Each case adds one raw row to
`benchmarks/results/tables.jsonl`. What was found is kept under `--found`, found anew when the networks change: with
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
from functools import cache
from pathlib import Path
from typing import Any

import table_scenes
from reading import judge
from table_scenes import scene, seed_of, style, style_of

from taicam.learn_scenes import laid_out, truth_boxes
from vision.decode_odds import all_odds, default_calibration
from vision.decode_reading import ReadingRules
from vision.detector import Detector
from vision.enroll import Shot, learn
from vision.enroll_crops import tile_crops
from vision.enroll_reader import EnrolledDetector, RereaderEmbedder
from vision.enroll_session import FACES
from vision.layout import lay_out
from vision.layout_roles import arrangements
from vision.observation import QualityNote, TableReading, TileObservation
from vision.reader import HandReader
from vision.rereader import Rereader
from vision.table import SEATS, TableCalibration
from vision.table_reader import TableReader, TableTiles, TableView
from vision.voting import fuse
from vision.weights import model_path, sha256_of

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "tables.jsonl"
FOUND = ROOT / "benchmarks" / "found"
Figure = Callable[[dict[str, Any], str], Any]
#: What is told of a win, from its row and the way it was read.
JUDGED: dict[str, Figure] = {
    "seat": lambda row, way: row[way]["seat_read"] == row["seat"],
    "melds: groups and kinds": lambda row, way: row[way]["melds_right"],
    "melds: groups alone": lambda row, way: row[way]["melds_right_but_kind"],
    "flowers": lambda row, way: row[way]["flowers_right"],
    "winning tile": lambda row, way: row[way]["win_right"],
    "hand exact": lambda row, way: row[way]["exact"],
    "silently wrong": lambda row, way: row[way]["silently_wrong"],
}
SURE = 0.9  # without the rules a tile less sure than this is asked about


def found_of(number: int, frames: int, reader: HandReader, win: bool) -> dict[str, Any]:
    """What the networks find in a case: in all zones in the first frame, in the winner's alone in the others."""
    case = scene(number, frames if win else 1, win=win)
    table = TableReader(reader, case.calibration)
    looks = []
    for place, picture in enumerate(case.frames):
        start = time.perf_counter()
        found = table.find(picture, SEATS if place == 0 or case.winner is None else (case.winner,), centre=False)
        seats = {seat: [asdict(tile) for tile in tiles] for seat, tiles in found.seats.items()}
        quality = {seat: [asdict(note) for note in notes] for seat, notes in found.quality.items()}
        looks.append({"seats": seats, "quality": quality, "find_s": round(time.perf_counter() - start, 2)})
    return {
        "networks": networks(),
        "case": case.number,
        "winner": case.winner,
        "hand": case.hand,
        "faces": case.faces,
        "about": case.about,
        "calibration": case.calibration.to_json(),
        "looks": looks,
    }


@cache
def with_set(number: int) -> HandReader:
    """A reader for which the tile set of that number was enrolled: every face laid out and photographed three times
    near by, as its owner does it."""
    rereader = Rereader()
    embedder = RereaderEmbedder(rereader)
    shots = [
        Shot(tile_crops(photo.image, TileObservation(tile.code, tile.box, 1.0, (), tile.turn))[0], tile.code, str(n))
        for n, photo in enumerate(laid_out(style(number), FACES, 3, number))
        for tile in truth_boxes(photo)
    ]
    return HandReader(EnrolledDetector(Detector(rereader=rereader), embedder, learn(shots, embedder, f"set {number}")))


@cache
def networks() -> str:
    """Says which networks and which scenes what was found belongs to."""
    files = [*(model_path(name) for name in ("tiles", "rereader", "stacked")), Path(table_scenes.__file__)]
    return "-".join(sha256_of(file)[:8] for file in files)


def tile_of(data: dict[str, Any]) -> TileObservation:
    """A tile as it was kept."""
    box, odds = tuple(data["box"]), tuple((code, p) for code, p in data["alternatives"])
    return TileObservation(data["code"], box, data["confidence"], odds, data["angle"], data["stacked"])


def looks_of(found: dict[str, Any], calibration: TableCalibration) -> list[TableTiles]:
    """The looks of a case as the reader takes them; seats seen in the first frame alone stand in every one."""
    first: dict[int, tuple[TileObservation, ...]] = {}
    looks = []
    for look in found["looks"]:
        seats = {int(seat): tuple(tile_of(tile) for tile in tiles) for seat, tiles in look["seats"].items()}
        notes = {int(seat): tuple(QualityNote(**note) for note in ns) for seat, ns in look["quality"].items()}
        first = first or seats
        quality = {**dict.fromkeys(first, ()), **notes}
        looks.append(TableTiles({**first, **seats}, quality, (), None, calibration.size))
    return looks


def as_it_lies(hand: dict[str, Any], faces: Sequence[str]) -> dict[str, Any]:
    """The hand with a kong of which no face shows as four backs: what these are no picture tells, and it is asked."""
    melds = [[kind, codes if codes[0] in faces else ["back"] * len(codes)] for kind, codes in hand["melds"]]
    return {**hand, "melds": melds}


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


def row_of(found: dict[str, Any], kind: str = "win") -> dict[str, Any]:
    """The raw row of a case. A win is judged from the first frame, from all voted over, and both without the rules; of
    a table in play it says whose hand would be offered."""
    calibration = TableCalibration.from_json(found["calibration"])
    table = TableReader(HandReader(_nothing()), calibration)
    looks, winner, hand = looks_of(found, calibration), found["winner"], found["hand"]
    row: dict[str, Any] = {"case": found["case"], "networks": found["networks"], "about": found["about"]}
    if winner is None:
        view = table.view(looks)
        wins = [[reading.status, reading.wins, len(reading.concealed)] for reading in view.seats]
        return {"kind": "playing", **row, "offered": _offered(view), "seats": wins}
    hand = as_it_lies(hand, found["faces"])
    row = {"kind": kind, **row, "seat": winner, "hand": hand}
    for name, used in (("one", looks[:1]), ("voted", looks)):
        view = table.view(used)
        tiles = used[0].seats[winner] if len(used) == 1 else fuse([look.seats[winner] for look in used])
        reading: TableReading = view.seats[winner]
        named = Counter(tile.code for tile in tiles)
        row[name] = {
            **judge(hand, reading, tiles),
            "faces_named": not Counter(found["faces"]) - named,
            "seat_read": _offered(view),
            "read": reading.hand_record(),
            "alone": unaided(tiles, hand),
        }
    return {**row, "find_s": [look["find_s"] for look in found["looks"]]}


def _offered(view: TableView) -> int | None:
    """The seat whose hand is offered: one that wins as read, else one laid open that is asked about."""
    return view.unproven if view.winner is None else view.winner


class _nothing:  # noqa: N801 - a detector that is never asked
    def detect(self, image: object, look: int = 0) -> Sequence[TileObservation]:
        raise AssertionError("tiles come from what was found before")


def report(rows: Sequence[dict[str, Any]]) -> str:
    """The figures as Markdown tables: the wins, and the tables in play."""
    wins = [row for row in rows if row["kind"] == "win"]
    enrolled = [row for row in rows if row["kind"] == "enrolled"]
    playing = [row for row in rows if row["kind"] == "playing"]
    sharp = [row for row in wins if "blurred" not in row["voted"]["quality"]]
    found = [row for row in wins if row["voted"]["faces_named"]]
    columns = [
        ("one frame", "one", wins),
        ("voted", "voted", wins),
        ("voted, of pictures not called blurred", "voted", sharp),
        ("voted, where every face was found and named rightly", "voted", found),
        ("voted, with the tile set enrolled", "voted", enrolled),
    ]
    columns = [column for column in columns if column[2]]
    lines = [f"| of {len(wins)} wins | " + " | ".join(head for head, _, _ in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    names: dict[str, Figure] = {
        "every face found and named rightly": lambda row, way: row[way]["faces_named"],
        **JUDGED,
        "asked or unreadable": lambda row, way: row[way]["status"] != "accepted",
        "without the rules: tiles and groups right": lambda row, way: row[way]["alone"]["exact"],
        "without the rules: silently wrong": lambda row, way: row[way]["alone"]["silently_wrong"],
        "without the rules: asked": lambda row, way: row[way]["alone"]["asked"],
    }
    for name, rule in names.items():
        cells = []
        for _, way, of in columns:
            count = sum(bool(rule(row, way)) for row in of)
            cells.append(f"{count} of {len(of)} ({count / max(len(of), 1):.1%})")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    invented = sum(row["offered"] is not None for row in playing)
    return "\n".join([*lines, "", f"{len(playing)} tables in play: a hand is offered in {invented}."])


def _kept(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    if not path.is_file():
        return {}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(row["kind"], row["case"]): row for row in rows}


def keep(path: Path, rows: dict[Any, dict[str, Any]]) -> None:
    """Write the rows in the order of their keys, all or none."""
    text = "".join(json.dumps(rows[n], ensure_ascii=False) + "\n" for n in sorted(rows))
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def _show(row: dict[str, Any]) -> str:
    if row["kind"] == "playing":
        return f"playing {row['case']}: offered {row['offered']} {row['seats']} {row['about']}\n"
    read = row["voted"]
    return (
        f"{row['case']} {read['status']} {read['doubts']} {read['quality']} seat {row['seat']}->{read['seat_read']} "
        f"{row['about']}\n  true {row['hand']}\n  read {read['read']}\n"
    )


def _wrong(row: dict[str, Any]) -> bool:
    return row["offered"] is not None if row["kind"] == "playing" else not row["voted"]["exact"]


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=24, help="how many cases (default 24)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--frames", type=int, default=3, help="pictures of each win")
    parser.add_argument("--playing", action="store_true", help="tables in the midst of play instead of wins")
    parser.add_argument("--enrolled", action="store_true", help="read wins with their tile set enrolled")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long; the next run goes on from there")
    parser.add_argument("--found", type=Path, default=FOUND, help="where what was found is kept between runs")
    parser.add_argument("--rows", type=Path, default=RESULTS, help="where the raw rows are kept")
    parser.add_argument("--again", action="store_true", help="read what was found of these cases anew; run no network")
    parser.add_argument("--show", action="store_true", help="print every case not read exactly")
    parser.add_argument("--report", action="store_true", help="print the figures of the rows kept, run nothing")
    a = parser.parse_args()
    rows = _kept(a.rows)
    if a.report:
        sys.stdout.write(report(list(rows.values())) + "\n")
        return 0
    kind = "playing" if a.playing else "enrolled" if a.enrolled else "win"
    a.found.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + 60 * a.minutes if a.minutes else float("inf")
    reader = HandReader()
    for number in range(a.first, a.first + a.n):
        if time.monotonic() > deadline:
            break
        file = a.found / f"{kind}-{number}.json"
        found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
        if not a.again and (found is None or found["networks"] != networks()):
            own = with_set(style_of(seed_of(number))) if a.enrolled else reader
            found = json.loads(json.dumps(found_of(number, a.frames, own, not a.playing)))
            file.write_text(json.dumps(found), encoding="utf-8")
        if found is None:
            continue
        row = rows[kind, number] = row_of(found, kind)
        keep(a.rows, rows)
        if a.show and _wrong(row):
            sys.stdout.write(_show(row))
            sys.stdout.flush()
    sys.stdout.write(report(list(rows.values())) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
