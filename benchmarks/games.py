"""Whole hands played to the win, read as the appliance reads them: `python benchmarks/games.py -n 24`, case by case.

The pictures of `game_scenes.py` go through the real `TableWatcher`, so that the table log knows what lay before a
player when the hand is won. A row says what was offered with the log, what the same pictures give without it, what it
knew, and what is true; rows lie in `benchmarks/results/games.jsonl`. What the networks found is kept under `--found`,
found anew when the networks change: with `--again` all is read anew in seconds after the reading code has changed.
`--report` prints the figures.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import game_scenes
import numpy as np
import tables
from game_scenes import SIZE, WON, Game
from reading import judge
from table_scenes import truth_of
from tables import JUDGED, Figure, as_it_lies, keep, tile_of

from taicam.facts import Seen
from taicam.table_watch import SHRINK, TableWatcher
from vision.observation import Known, QualityNote, TableReading
from vision.picture import Picture
from vision.reader import HandReader
from vision.table import CENTRE, TableCalibration
from vision.table_reader import Discard, TableReader, TableTiles, TableView
from vision.weights import sha256_of

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "games.jsonl"
FOUND = ROOT / "benchmarks" / "found"
FPS = 3.0


@cache
def networks() -> str:
    """Says which networks and which scenes what was found belongs to."""
    return f"{tables.networks()}-{sha256_of(Path(game_scenes.__file__))[:8]}"


@dataclass
class Found:
    """What was found of a case, kept in a file: by picture and zone the tiles and the picture's faults, and every
    picture small and grey, in which alone the watcher sees what has changed."""

    number: int
    folder: Path
    again: bool = False
    data: dict[str, Any] = field(default_factory=dict)
    small: list[Picture] = field(default_factory=list)
    fresh: int = 0  # zones in which the networks looked anew

    def __post_init__(self) -> None:
        self._file, self._greys = (self.folder / f"game-{self.number}{end}" for end in (".json", ".npz"))
        if self._file.is_file() and self._greys.is_file():
            data = json.loads(self._file.read_text(encoding="utf-8"))
            if self.again or data["networks"] == networks():
                self.data = data
                self.small = list(np.load(self._greys)["small"])
        self.game = Game(self.number, self.data.get("attempt"))
        self.moments = list(self.game.moments())
        self.times = [m.time_s + n / FPS for m in self.moments for n in range(m.pictures)]
        self._pictures: tuple[int, list[Picture]] = (-1, [])
        if not self.data:
            small = [_small(picture) for m in self.moments for picture in self.game.pictures(m)]
            self.small = small
            self.data = {
                "networks": networks(),
                "attempt": self.game.attempt,
                "faces": self.game.faces(),
                "calibration": self.game.calibration.to_json(),
                "about": self.game.about(),
                "zones": {},
            }
            self.fresh = 1
        self.calibration = TableCalibration.from_json(self.data["calibration"])

    @property
    def first_of_win(self) -> int:
        """The number of the first picture of the win."""
        return len(self.times) - WON

    def seen(self, number: int) -> Picture:
        """A picture as the watcher takes it: that one, or what its small grey one was made from looks the same."""
        grey = self.small[number].repeat(SHRINK, axis=0).repeat(SHRINK, axis=1)
        return np.repeat(grey[..., None], 3, axis=2)

    def picture(self, number: int) -> Picture:
        """The picture itself, rendered anew."""
        before = 0
        for which, moment in enumerate(self.moments):
            if number < before + moment.pictures:
                if self._pictures[0] != which:
                    self._pictures = which, list(self.game.pictures(moment))
                return self._pictures[1][number - before]
            before += moment.pictures
        raise IndexError(number)

    def zone(self, number: int, zone: int, look: Callable[[Picture], dict[str, Any]]) -> dict[str, Any]:
        """What was found in a zone of a picture: kept, or by `look`."""
        key = f"{number}/{zone}"
        if key not in self.data["zones"]:
            self.data["zones"][key] = json.loads(json.dumps(look(self.picture(number))))
            self.fresh += 1
        kept: dict[str, Any] = self.data["zones"][key]
        return kept

    def keep(self) -> None:
        """Write down what is new."""
        if self.fresh:
            np.savez_compressed(self._greys, small=np.array(self.small))
            self._file.write_text(json.dumps(self.data), encoding="utf-8")


def _small(picture: Picture) -> Picture:
    size = (picture.shape[1] // SHRINK, picture.shape[0] // SHRINK)
    return np.asarray(
        cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY), np.uint8
    )


class Remembering(TableReader):
    """A reader that looks at what was found before; `aided` by the log, or by the pictures alone."""

    def __init__(self, reader: HandReader, found: Found, aided: bool) -> None:
        super().__init__(reader, found.calibration)
        self.found, self.aided, self.number = found, aided, 0
        self.known: Mapping[int, Known] = {}

    def find(self, image: Picture, seats: Sequence[int] = (), centre: bool = True) -> TableTiles:
        """What was found in this picture; the networks look where nobody looked yet."""
        found, quality = {}, {}
        discards: tuple[Discard, ...] = ()
        for seat in seats:
            kept = self.found.zone(self.number, seat, lambda picture, seat=seat: self._at_seat(picture, seat))
            found[seat] = tuple(tile_of(tile) for tile in kept["tiles"])
            quality[seat] = tuple(QualityNote(**note) for note in kept["quality"])
        if centre:
            kept = self.found.zone(self.number, CENTRE, self._at_centre)
            discards = tuple(Discard(tile_of(d["tile"]), d["seat"], tuple(d["place"])) for d in kept["discards"])
        return TableTiles(found, quality, discards, None, SIZE)

    def _at_seat(self, picture: Picture, seat: int) -> dict[str, Any]:
        self._look = self.number  # each picture is looked at as its own number says, whatever is kept of the others
        tiles = super().find(picture, (seat,), centre=False)
        return {
            "tiles": [asdict(tile) for tile in tiles.seats[seat]],
            "quality": [asdict(note) for note in tiles.quality[seat]],
        }

    def _at_centre(self, picture: Picture) -> dict[str, Any]:
        self._look = self.number
        return {"discards": [asdict(discard) for discard in super().find(picture, ()).discards]}

    def view(self, looks: Sequence[TableTiles], known: Mapping[int, Known] | None = None) -> TableView:
        """As the appliance reads, or without the log."""
        self.known = known or {}
        return super().view(looks, known if self.aided else None)


# -- rows --------------------------------------------------------------------------------------------------------


def row_of(found: Found, reader: HandReader) -> dict[str, Any]:
    """The raw row of a case."""
    start = time.process_time()
    winner = found.game.win.seat
    hand = as_it_lies(truth_of(found.game.last, winner), found.data["faces"])
    row = {"case": found.number, "networks": found.data["networks"], "about": found.data["about"], "seat": winner}
    row |= {"hand": hand, "pictures": len(found.times)}
    for name, aided in (("log", True), ("alone", False)):
        row[name] = _read(found, Remembering(reader, found, aided), hand)
    return {**row, "zones": len(found.data["zones"]), "read_s": round(time.process_time() - start, 2)}


def _read(found: Found, table: Remembering, hand: dict[str, Any]) -> dict[str, Any]:
    watcher = TableWatcher(table, found.calibration)
    offers: list[tuple[int | None, TableReading]] = []
    early = 0
    for number, now_s in enumerate(found.times):
        table.number = number
        look = watcher.look(found.seen(number), now_s)
        if look.offer is not None:
            early += number < found.first_of_win
            read = Seen.of(look.facts).named(look.offer) if table.aided and look.facts is not None else look.offer
            offers.append((look.seat, read))
    known = {"known": [asdict(each) for each in table.known.get(found.game.win.seat) or ()]} if table.aided else {}
    if not offers:
        nothing = judge(hand, TableReading((), status="unreadable"), ())
        return {**nothing, "offers": 0, "early": early, "seat_read": None, "read": None, **known}
    judged = [judge(hand, reading, ()) for _, reading in offers]
    seat, reading = offers[-1]
    silent = any(one["silently_wrong"] for one in judged)
    silent |= any(each.status == "accepted" and at != found.game.win.seat for at, each in offers)
    told = {"offers": len(offers), "early": early, "seat_read": seat, "read": reading.hand_record()}
    return {**judged[-1], "silently_wrong": silent, **told, **known}


def report(rows: Sequence[dict[str, Any]]) -> str:
    """The figures as Markdown tables."""
    parts = [("all", rows)]
    parts += [
        (name, [row for row in rows if rule(row)])
        for name, rule in (
            ("not called blurred", lambda row: "blurred" not in row["log"]["quality"]),
            ("with a kong", lambda row: any("kong" in kind for kind, _ in row["hand"]["melds"])),
            ("an arm over a set", lambda row: row["about"]["arm"] == "meld"),
        )
    ]
    names: dict[str, Figure] = {
        **JUDGED,
        "exact and nothing asked": lambda row, way: row[way]["exact"] and row[way]["status"] == "accepted",
        "asked or unreadable": lambda row, way: row[way]["status"] != "accepted",
        "offered before the win": lambda row, way: row[way]["early"],
        "offered more than once": lambda row, way: row[way]["offers"] > 1,
        "not offered": lambda row, way: not row[way]["offers"],
    }
    heads = [f"{name} ({len(of)}), {way}" for name, of in parts for way in ("without", "with the log")]
    lines = ["| wins | " + " | ".join(heads) + " |", "|" + "---|" * (len(heads) + 1)]
    for name, rule in names.items():
        cells = [f"{sum(bool(rule(row, way)) for row in of)}" for _, of in parts for way in ("alone", "log")]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _kept(path: Path) -> dict[int, dict[str, Any]]:
    if not path.is_file():
        return {}
    return {row["case"]: row for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def _show(row: dict[str, Any]) -> str:
    lines = [f"{row['case']} seat {row['seat']} {row['about']}", f"  true  {row['hand']}"]
    for way in ("alone", "log"):
        read = row[way]
        lines.append(
            f"  {way:5} {read['status']} {read['doubts']} {read['quality']} {read['seat_read']} {read['read']}"
        )
    return "\n".join([*lines, f"  known {row['log']['known']}", ""])


def _worth_showing(row: dict[str, Any]) -> bool:
    return any(not row[way]["exact"] or row[way]["status"] != "accepted" for way in ("log", "alone"))


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=24, help="how many cases (default 24)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long; the next run goes on from there")
    parser.add_argument("--found", type=Path, default=FOUND, help="where what was found is kept between runs")
    parser.add_argument("--rows", type=Path, default=RESULTS, help="where the raw rows are kept")
    parser.add_argument("--again", action="store_true", help="read what was found of these cases anew")
    parser.add_argument("--show", action="store_true", help="print every case not read exactly or asked about")
    parser.add_argument("--pictures", type=Path, help="write the pictures of these cases there and read nothing")
    parser.add_argument("--report", action="store_true", help="print the figures of the rows kept, run nothing")
    a = parser.parse_args()
    rows = _kept(a.rows)
    if a.report:
        sys.stdout.write(report(list(rows.values())) + "\n")
        return 0
    if a.pictures is not None:
        for number in range(a.first, a.first + a.n):
            write_pictures(number, a.pictures)
        return 0
    a.found.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + 60 * a.minutes if a.minutes else float("inf")
    reader = HandReader()
    for number in range(a.first, a.first + a.n):
        if time.monotonic() > deadline:
            break
        kept = rows.get(number)
        if not a.again and kept is not None and kept["networks"] == networks():
            continue
        if a.again and not (a.found / f"game-{number}.json").is_file():
            continue
        found = Found(number, a.found, a.again)
        row = rows[number] = row_of(found, reader)
        found.keep()
        keep(a.rows, rows)
        if a.show and _worth_showing(row):
            sys.stdout.write(_show(row))
            sys.stdout.flush()
    sys.stdout.write(report([rows[n] for n in range(a.first, a.first + a.n) if n in rows]) + "\n")
    return 0


def write_pictures(number: int, folder: Path) -> None:
    """Write one picture of each moment of a case, to look at."""
    folder.mkdir(parents=True, exist_ok=True)
    game = Game(number)
    for place, moment in enumerate(game.moments()):
        event = moment.step.event
        picture = next(iter(game.pictures(moment)))
        cv2.imwrite(str(folder / f"{number}-{place:02}-{event.kind}-{event.seat}-{event.tile}.png"), picture)


if __name__ == "__main__":
    sys.exit(main())
