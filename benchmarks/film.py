"""Ten minutes of play before a camera, through `taicam run`: `python benchmarks/film.py`, then `--report`.

A match is rendered to a film (`runs/films`; four players, a tile set no training has seen, arms reaching in), three
pictures a second. `taicam run` reads that film as its own process with its own data folder, calibrated with the true
corners; it looks at every picture of the film, however long a look takes, so film time is not wall time. Somebody at
the table starts a match, and confirms each offered win through the pages' API, mending what is wrong. What the
appliance wrote (its ledger and its table log) is then held against what was played: one raw row a hand, and one for the
run, in `benchmarks/results/film.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import cv2
from table_scenes import calibration_of, style

from taicam.ledger import EventKind, Ledger
from taicam.table_logs import NAME as TABLE_LOG
from vision.table import TableCalibration, save_calibration
from vision.table_bump import keep_reference
from vision.training.render.film import write_film
from vision.training.render.game import SECONDS, Studio, game_frames, studio
from vision.training.render.play import Event, Win, play_match

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "film.jsonl"
FILMS = ROOT / "runs" / "films"
SIZE = (1920, 1080)
CLAIMS = ("chow", "pung", "kong_exposed", "kong_added", "kong_concealed")
STARTED = re.compile(r"display: (http://\S+)/display")
POLL_S = 0.25
Said = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Film:
    """A film to be made: which match, which tile set, how the table is seen. `pace` 1 is a quick table. The
    camera is switched on `skip` steps into the first hand."""

    seed: int
    hands: int
    style: int
    elevation: float
    azimuth: float
    light: str
    messy: bool = False
    fps: float = 3.0
    pace: float = 0.6
    skip: int = 0

    def room(self) -> Studio:
        """The table with its camera."""
        room = studio(self.seed, SIZE, self.elevation, self.azimuth, style(self.style), light=self.light)
        return replace(room, layout=replace(room.layout, messy=self.messy))

    def calibration(self) -> TableCalibration:
        """The table's corners as they are."""
        return calibration_of(self.room(), SIZE, "default")


FILM_OF = {"tidy": Film(seed=8, hands=4, style=1, elevation=76.0, azimuth=8.0, light="office")}


@dataclass(slots=True)
class Hand:
    """What was played in one hand; `begin`, `won`, `end` in seconds of the film."""

    begin: float
    won: float = 0.0
    end: float = 0.0
    events: list[Event] = field(default_factory=list)
    win: Win | None = None

    def discards(self) -> list[Said]:
        """Seat and tile, in order."""
        return [(event.seat, event.tile) for event in self.events if event.kind == "discard"]

    def claims(self) -> list[Said]:
        """Kind, seat and the claimed tile, in order."""
        return [(event.kind, event.seat, event.tile) for event in self.events if event.kind in CLAIMS]

    def sources(self) -> list[Said]:
        """The same with whose discard it was."""
        return [(e.kind, e.seat, e.tile, e.source) for e in self.events if e.kind in CLAIMS]


def played(film: Film) -> list[Hand]:
    """Every hand of the film."""
    hands: list[Hand] = []
    clock = 0.0
    for number, step in enumerate(play_match(film.seed, film.hands)):
        if step.event.kind == "dealt":
            hands.append(Hand(clock))
        hand = hands[-1]
        hand.events.append(step.event)
        if step.win is not None:
            hand.win, hand.won = step.win, clock
        if step.event.kind == "cleared":
            hand.end = clock
        if number >= film.skip:
            clock += SECONDS[step.event.kind] / film.pace
    return hands


def render(film: Film, folder: Path) -> Path:
    """The film, one part a hand, so that a broken run goes on where it was; returns the list of parts to play."""
    room = film.room()
    for hand in range(film.hands):
        part = folder / f"{hand}.avi"
        if part.with_suffix(".done").is_file():
            continue
        start = time.monotonic()
        skip = 0 if hand else film.skip
        frames = game_frames(film.seed, film.fps, SIZE, hand + 1, film.pace, room, hand, skip, measured=False)
        count = write_film(part, frames, film.fps)
        part.with_suffix(".done").touch()
        _say(f"{part}: {count} pictures in {time.monotonic() - start:.0f} s")
    parts = "".join(f"file {hand}.avi\n" for hand in range(film.hands))
    (folder / "film.avi").write_text(f"ffconcat version 1.0\n{parts}", encoding="utf-8")
    return folder / "film.avi"


@dataclass
class Appliance:
    """The real `taicam run` over a film, and somebody who answers it."""

    film: Film
    source: Path
    data: Path
    command: Sequence[str] = (sys.executable, "-m", "taicam")
    asked: list[dict[str, Any]] = field(default_factory=list)

    def run(self) -> float:
        """Play the film to its end; returns the seconds it took."""
        shutil.rmtree(self.data, ignore_errors=True)
        calibration = self.film.calibration()
        save_calibration(calibration, self.data)
        first = cv2.VideoCapture(str(self.source), cv2.CAP_FFMPEG).read()[1]
        keep_reference(self.data, calibration, first)
        config = self.data / "taicam.toml"
        config.write_text('language = "en"\n[reading]\nmode = "table"\n[camera]\nstep = 1\n', encoding="utf-8")
        words = ("run", "--source", self.source, "--headless", "--port", "0", "--data", self.data, "--config", config)
        start = time.monotonic()
        home = {"HOME": str(self.data), "XDG_CONFIG_HOME": str(self.data), "PYTHONPATH": str(ROOT)}
        with (self.data / "run.log").open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [*self.command, *map(str, words)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **home, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
            try:
                self._answer(process)
            finally:
                if process.poll() is None:
                    process.terminate()
                process.wait(60)
        if process.returncode:
            raise RuntimeError(f"taicam run ended with {process.returncode}: see {self.data / 'run.log'}")
        return time.monotonic() - start

    def _answer(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        url = next((found[1] for line in process.stdout if (found := STARTED.search(line))), None)
        if url is None:
            raise RuntimeError(f"taicam run did not start: see {self.data / 'run.log'}")
        threading.Thread(target=process.stdout.read, daemon=True).start()
        people = [{"id": f"p{n}", "name": name} for n, name in enumerate("ABCD")]
        match = {"people": people, "seating": [p["id"] for p in people], "ruleset": "taiwan"}
        _post(f"{url}/api/matches", {**match, "stakes": {"di": 100, "tai": 20}}, "match")
        hands = played(self.film)
        while process.poll() is None:
            try:
                for waiting in _get(f"{url}/api/offers"):
                    self._settle(url, _get(f"{url}/api/offers/{waiting['offer_id']}"), hands)
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                pass  # withdrawn in between, or the film is over
            time.sleep(POLL_S)

    def _settle(self, url: str, offer: dict[str, Any], hands: Sequence[Hand]) -> None:
        """What a person at the table does: confirm the hand as it lies there, or say that it is none."""
        hand = _hand_at(hands, _seconds(offer["picture"]))
        self.asked.append(offer)
        if hand is None or hand.win is None:
            _post(f"{url}/api/offers/{offer['offer_id']}/dismiss", {}, offer["offer_id"])
            return
        win = hand.win
        tiles = {
            "concealed": list(win.hand),
            "melds": [{"kind": kind, "tiles": list(codes)} for kind, codes in win.melds],
            "flowers": list(win.flowers),
            "win_tile": win.tile,
        }
        one = {"place": win.seat, "hand": tiles, "self_draw": win.source is None, "flags": _flags(win)}
        body = {"outcome": "win", "wins": [one], "loser": win.source, "offer_id": offer["offer_id"]}
        _post(f"{url}/api/hands", body, offer["offer_id"])


def _flags(win: Win) -> list[str]:
    return ["kong_replacement"] if win.kong_replacement else []


def _hand_at(hands: Sequence[Hand], moment: float) -> Hand | None:
    """The hand whose winning tiles lie open at a moment of the film."""
    return next((hand for hand in hands if hand.win is not None and hand.won <= moment < hand.end), None)


def _seconds(stamp: str) -> float:
    hours, minutes, seconds = stamp.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=120) as answer:
        return json.load(answer)


def _post(url: str, body: dict[str, Any], key: str) -> Any:
    headers = {"content-type": "application/json", "idempotency-key": f"film-{key:0>8}"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{url}: {error.read().decode()}") from None


# -- against the truth ----------------------------------------------------------------------------------------


def rows_of(name: str, film: Film, data: Path) -> Iterator[dict[str, Any]]:
    """A row a hand, from the appliance's own ledger and table log."""
    hands = played(film)
    logs = [json.loads(line)["log"] for line in (data / TABLE_LOG).read_text(encoding="utf-8").splitlines()]
    with Ledger.open(data) as ledger:
        events = list(ledger.events(after=0))
    offers = [e for e in events if e.kind is EventKind.HAND_OFFERED]
    withdrawn = {e.payload["offer_id"] for e in events if e.kind is EventKind.OFFER_DISMISSED and e.actor == "taicam"}
    recorded = [e for e in events if e.kind is EventKind.HAND_RECORDED]
    mine: dict[int, list[dict[str, Any]]] = {n: [] for n in range(-1, len(hands))}
    for event in offers:
        at = _hand_at(hands, _seconds(event.payload["picture"]))
        mine[hands.index(at) if at is not None else -1].append(dict(event.payload))
    offer_of = {e.payload.get("offer_id") for e in recorded}
    lines = _matched(hands, logs)
    for number, hand in enumerate(hands):
        told = [_offer_row(offer, hand, withdrawn) for offer in mine[number]]
        yield {
            "film": name,
            "hand": number,
            "win": None
            if hand.win is None
            else {"seat": hand.win.seat, "tile": hand.win.tile, "from": hand.win.source},
            "offers": told,
            "recorded": sum(offer["offer_id"] in offer_of for offer in mine[number]),
            "log": _log_row(hand, lines.get(number, [])),
        }
    yield {"film": name, "hand": None, "invented": [offer["picture"] for offer in mine[-1]], "logs": len(logs)}


def _offer_row(offer: dict[str, Any], hand: Hand, withdrawn: set[str]) -> dict[str, Any]:
    win, record, seen = hand.win, offer["record"], offer.get("seen") or {}
    assert win is not None
    melds = sorted((meld["kind"], *sorted(meld["tiles"])) for meld in record["melds"])
    return {
        "at": offer["picture"],
        "withdrawn": offer["offer_id"] in withdrawn,
        "seat": offer.get("place") == win.seat,
        "tiles": sorted(record["concealed"]) == sorted(win.hand),
        "melds": melds == sorted((kind, *sorted(tiles)) for kind, tiles in win.melds),
        "flowers": sorted(record["flowers"]) == sorted(win.flowers),
        "win_tile": record["win_tile"] == win.tile,
        "asked": list(offer["doubts"]),
        "seen": seen,
        "how_won": _told(seen.get("self_draw"), win.source is None),
        "discarder": "none" if win.source is None else _told(seen.get("discarder"), win.source),
    }


def _told(fact: Sequence[Any] | None, truth: object) -> str:
    """`right` or `wrong` where the appliance was sure enough to fill it in, else `asked`."""
    if fact is None or fact[1] < 0.9:
        return "asked"
    return "right" if fact[0] == truth else "wrong"


def _matched(hands: Sequence[Hand], logs: Sequence[list[dict[str, Any]]]) -> dict[int, list[dict[str, Any]]]:
    """The log of each hand: the one that agrees most with what was played."""
    matched: dict[int, list[dict[str, Any]]] = {}
    for entries in logs:
        said = _discards(entries)
        number = max(range(len(hands)), key=lambda n: _agreement(hands[n].discards(), said))
        matched.setdefault(number, []).extend(entries)
    return matched


def _discards(entries: Sequence[dict[str, Any]]) -> list[Said]:
    return [(entry["seat"], entry["tiles"][0]) for entry in entries if entry["kind"] == "discard"]


def _agreement(truth: Sequence[Said], said: Sequence[Said]) -> int:
    blocks = SequenceMatcher(None, list(truth), list(said), autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def _log_row(hand: Hand, entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    truth, said = hand.discards(), _discards(entries)
    tiles = _agreement([t for _, t in truth], [t for _, t in said])
    claims = [(e["kind"], e["seat"], tuple(e["tiles"]), e["source"]) for e in entries if e["kind"] in CLAIMS]
    found = Counter[Said]()
    sources: list[bool] = []
    left = list(hand.sources())
    for kind, seat, codes, source in claims:
        match = next((c for c in left if c[0] == kind and c[1] == seat and c[2] in codes), None)
        found[(kind, seat, codes)] += match is None
        if match is not None:
            left.remove(match)
            sources.append(source == match[3])
    return {
        "discards": len(truth),
        "right": _agreement(truth, said),
        "tile_right": tiles,
        "entered": len(said),
        "claims": len(hand.claims()),
        "claims_right": len(sources),
        "claims_from": sum(sources),
        "claims_invented": [list(map(str, key)) for key, n in found.items() if n],
        "claims_missed": [list(map(str, claim)) for claim in left],
        "truth": [f"{seat}{tile}" for seat, tile in truth],
        "said": [f"{seat}{tile}" for seat, tile in said],
    }


def report(rows: Sequence[dict[str, Any]]) -> str:
    """The figures as a table in Markdown."""
    out = []
    for name in dict.fromkeys(row["film"] for row in rows):
        mine = [row for row in rows if row["film"] == name]
        hands, about = [row for row in mine if row["hand"] is not None], next(r for r in mine if r["hand"] is None)
        wins = [row for row in hands if row["win"]]
        offers = [[o for o in row["offers"] if not o["withdrawn"]] for row in wins]
        last = [each[-1] for each in offers if each]
        once, more, never = (sum(test(len(o)) for o in offers) for test in ((1).__eq__, (1).__lt__, (0).__eq__))
        again = sum(offer["withdrawn"] for row in wins for offer in row["offers"])
        total = {key: sum(row["log"][key] for row in hands) for key in hands[0]["log"] if key not in _LISTS}
        exact = sum(all(o[key] for key in ("seat", "tiles", "melds", "flowers", "win_tile")) for o in last)
        facts = Counter((key, o[key]) for o in last for key in ("how_won", "discarder"))
        lines = [
            ("film", f"{about['film_s']:.0f} s, {len(hands)} hands, read in {about['wall_s']:.0f} s"),
            ("wins", f"{len(wins)}: offered once {once}, more than once {more}, missed {never}"),
            ("wins invented", str(len(about["invented"]))),
            ("questions put anew while the tiles lay there", str(again)),
            ("hands recorded", str(sum(row["recorded"] for row in wins))),
            ("offered hand exact in every tile, seat, set, flower, winning tile", f"{exact} of {len(last)}"),
            ("self-draw or not", _facts(facts, "how_won")),
            ("discarder of the win", _facts(facts, "discarder")),
            ("discards right in tile and seat", f"{total['right']} of {total['discards']}, {total['entered']} entered"),
            ("discards right in tile", f"{total['tile_right']} of {total['discards']}"),
            ("claims and kongs right", f"{total['claims_right']} of {total['claims']}"),
            ("… with whose discard it was", f"{total['claims_from']} of {total['claims']}"),
        ]  # fmt: skip
        out += [f"| {name} | |", "|---|---|", *(f"| {key} | {value} |" for key, value in lines), ""]
    return "\n".join(out)


_LISTS = frozenset({"truth", "said", "claims_invented", "claims_missed"})


def _facts(facts: Counter[tuple[str, str]], key: str) -> str:
    return ", ".join(f"{facts[(key, word)]} {word}" for word in ("right", "asked", "wrong"))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def measure(name: str, film: Film, folder: Path, command: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Render what is missing, run the appliance over it, and return the rows."""
    source = render(film, folder)
    appliance = Appliance(film, source, folder / "data", *([command] if command else []))
    wall = appliance.run()
    rows = list(rows_of(name, film, appliance.data))
    hands = played(film)
    seconds = hands[-1].end + SECONDS["cleared"] / film.pace
    rows[-1] |= {"film_s": round(seconds, 1), "fps": film.fps, "pace": film.pace, "wall_s": round(wall, 1)}
    return rows


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--film", choices=sorted(FILM_OF), default="tidy", help="which film (default tidy)")
    parser.add_argument("--render-only", action="store_true", help="make the film and stop")
    parser.add_argument("--report", action="store_true", help="print the figures of the rows kept, run nothing")
    a = parser.parse_args()
    kept = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()] if RESULTS.is_file() else []
    if not a.report:
        film, folder = FILM_OF[a.film], FILMS / a.film
        if a.render_only:
            render(film, folder)
            return 0
        kept = [row for row in kept if row["film"] != a.film] + measure(a.film, film, folder)
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
        RESULTS.write_text(text, encoding="utf-8")
    _say(report(kept))
    return 0


if __name__ == "__main__":
    sys.exit(main())
