"""The bundled sample: ``python -m vision.training.render.sample --out taicam/sample``.

Whole hands laid open on different tables, drawn from our own tiles, with ``truth.json`` beside them. Every hand is
checked by ``scoring`` before it is drawn: legal counts, and winning or not as it says.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import default_rng

from scoring import parse_tiles, score_record
from vision.drawings import PRESETS, FaceStyle
from vision.training.render import props
from vision.training.render.arrange import Arrangement
from vision.training.render.deals import Laid, sort_key
from vision.training.render.geometry import fit
from vision.training.render.grounds import Ground, ramp_of
from vision.training.render.light import LIGHTS
from vision.training.render.placing import HandPlan, Neatness, lay_hand
from vision.training.render.post import Look
from vision.training.render.raster import RenderError
from vision.training.render.render import Room, points_of, shoot
from vision.training.render.scene import Scene
from vision.training.render.sets import TileSet, drawn_set
from vision.training.render.solids import Block
from vision.training.render.styles import Body

SIZE = (1280, 960)
_NEAT = Neatness(gap=0.012, wobble=0.018, turn=0.5)

#: Table tops: kind, bank number, hue, saturation, value, depth.
_TABLES: dict[str, tuple[str, int, float, float, float, float]] = {
    "green": ("felt", 0, 0.39, 0.72, 0.36, 0.25),
    "blue": ("weave", 1, 0.61, 0.62, 0.42, 0.25),
    "oak": ("wood", 0, 0.085, 0.42, 0.72, 0.22),
    "walnut": ("wood", 1, 0.06, 0.55, 0.36, 0.3),
    "grey": ("rubber", 0, 0.58, 0.12, 0.34, 0.3),
    "red": ("felt", 1, 0.985, 0.68, 0.42, 0.25),
    "white": ("smooth", 0, 0.6, 0.03, 0.82, 0.12),
    "turquoise": ("weave", 0, 0.5, 0.5, 0.55, 0.2),
}
_BODIES: dict[str, Body] = {
    "green back": Body(26.5, 35.5, 20.0, 2.2, 0.34, (241, 249, 252), (88, 138, 30), 0.5, 0.93),
    "amber back": Body(27.0, 36.5, 21.0, 2.4, 0.3, (250, 252, 253), (40, 165, 226), 0.6, 0.92),
    "blue back": Body(26.0, 34.5, 18.0, 2.0, 0.4, (232, 243, 248), (160, 96, 38), 0.4, 0.92),
    "ivory": Body(26.0, 35.0, 19.0, 2.3, 0.38, (214, 234, 244), (84, 110, 30), 0.35, 0.92),
}


@dataclass(frozen=True)
class Shot:
    """One picture of the sample. Tiles in text form; ``facts`` are fields of a scoring record."""

    name: str
    concealed: str  #: the winning tile among them
    win: str | None
    melds: tuple[tuple[str, str], ...] = ()
    flowers: str = ""
    wins: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict)
    tiles: str = "house"
    body: str = "green back"
    table: str = "green"
    lamp: str = "day"
    view: tuple[float, float, float] = (0.0, 55.0, 0.0)  #: azimuth, elevation, roll
    rows: int = 1
    place_melds: str = "above"
    place_flowers: str = "above"
    place_win: str = "apart"
    things: int = 2

    def record(self) -> dict[str, Any]:
        """The hand as a scoring record."""
        return {
            "concealed": sorted(parse_tiles(self.concealed), key=sort_key),
            "melds": [{"kind": kind, "tiles": parse_tiles(text)} for kind, text in self.melds],
            "flowers": parse_tiles(self.flowers) if self.flowers else [],
            "win_tile": self.win,
            "ruleset": "taiwan",
            "seat_wind": "E",
            "round_wind": "E",
            "self_draw": False,
            "dealer": False,
            "streak": 0,
            "flags": [],
            **self.facts,
        }


def _on(loser: int, seat: str = "S", dealer: int = 0, round_wind: str = "E") -> dict[str, Any]:
    return {"seat_wind": seat, "round_wind": round_wind, "loser": loser, "dealer_player": dealer}


def _self(seat: str = "S", dealer: int = 0, round_wind: str = "E", **more: Any) -> dict[str, Any]:
    return {"seat_wind": seat, "round_wind": round_wind, "self_draw": True, "dealer_player": dealer, **more}


SHOTS: tuple[Shot, ...] = (
    Shot("01-all-chows", "234567m345678p23455s", "8p", facts=_on(3), rows=2, view=(-7, 64, 0)),
    Shot(
        "02-pungs-and-dragons", "333m777p99s", "9s", (("pung", "CCC"), ("pung", "111s"), ("pung", "EEE")), "f1f5",
        facts=_on(2, "E", 0), body="amber back", table="blue", lamp="lamp", view=(-12, 62, 1.5), tiles="taiwan",
    ),
    Shot(
        "03-seven-pairs-and-a-triplet", "114477m2255p33s888s99s", "8s", flowers="f3", facts=_self("W", 1),
        table="oak", lamp="day", view=(8, 68, 0), rows=2, place_flowers="right",
    ),
    Shot(
        "04-two-kongs", "123456p789s22m", "2m", (("kong_exposed", "5555m"), ("kong_concealed", "FFFF")), "f6",
        facts=_self("N", 0, flags=["kong_replacement"]), tiles="bold", body="blue back", table="grey", lamp="lamp",
        view=(5, 58, -1),
    ),
    Shot("05-not-winning", "123456m79p13s55pEEENW", "W", flowers="f2", wins=False, table="walnut", body="ivory",
         facts={"seat_wind": "E"}, view=(-6, 60, 0)),
    Shot(
        "06-half-flush", "111234s678s99s", "9s", (("pung", "SSS"), ("chow", "345s")), "f2f4f8", facts=_on(0, "S", 0),
        tiles="jade", body="ivory", table="red", lamp="evening", view=(14, 56, 0), place_melds="right",
    ),
    Shot(
        "07-full-flush-concealed", "11123344556677899m", "5m", facts=_self("E", 0, streak=1),
        body="amber back", table="turquoise", view=(0, 74, 0), tiles="taiwan",
    ),
    Shot(
        "08-small-three-dragons", "CCFFF456s", "6s", (("pung", "PPP"), ("chow", "234p"), ("pung", "999m")), "f7",
        facts=_on(1, "W", 3), table="green", lamp="lamp", view=(-20, 52, 0), tiles="indexed", body="amber back",
        place_win="turned",
    ),
    Shot(
        "09-big-hand-of-winds", "EEESSS99p", "9p", (("pung", "WWW"), ("pung", "NNN"), ("chow", "123s")),
        facts=_on(3, "E", 1), table="white", body="green back", view=(4, 64, 0), lamp="day",
    ),
    Shot(
        "10-last-tile", "345m345p345678s88p", "8s", (("chow", "678m"),), "f1f2", table="blue", body="blue back",
        facts=_self("S", 2, "S", flags=["last_tile"]), view=(18, 50, 2), lamp="evening", tiles="bold", rows=2,
    ),
    Shot(
        "11-all-claimed", "EE", "E",
        (("chow", "123m"), ("pung", "444p"), ("chow", "567s"), ("pung", "NNN"), ("chow", "789p")),
        facts=_on(2, "N", 0), table="oak", body="green back", lamp="lamp", view=(-8, 60, 0), place_melds="above",
    ),
    Shot(
        "12-three-concealed-triplets", "222555m888p345s66s", "5s", (("chow", "456p"),), "f5f6",
        facts=_on(0, "W", 3, "W"), table="walnut", body="amber back", tiles="taiwan", view=(10, 66, -1.5), lamp="day",
    ),
    Shot(
        "13-upside-down", "123789m123p77s", "3p", (("chow", "567s"), ("pung", "FFF")), "f4", facts=_on(1, "E", 2),
        table="grey", body="ivory", tiles="jade", view=(180, 60, 0), lamp="day", place_melds="right",
    ),
    Shot(
        "14-kong-robbed", "234567m22678p456s", "6s", (("kong_exposed", "EEEE"),),
        facts={**_on(3, "S", 1), "flags": ["rob_kong"]}, table="turquoise",
        body="blue back", tiles="house", view=(-15, 57, 0), lamp="evening", place_flowers="left",
    ),
    Shot(
        "15-five-flowers", "111m99p345s", "5s", (("pung", "777s"), ("chow", "234m"), ("chow", "456p")), "f1f3f5f7f8",
        facts=_self("E", 3), table="red", body="green back", tiles="house", view=(0, 70, 0), lamp="lamp",
    ),
    Shot(
        "16-five-concealed-triplets", "111333m777p555s66sNNN", "N", (), "f8", facts=_self("W", 2, "S"),
        table="green", body="blue back", tiles="indexed", view=(-3, 80, 90), lamp="day", rows=1,
    ),
)  # fmt: skip


def check(shot: Shot) -> dict[str, Any]:
    """The score of a shot's hand. Raises ``RenderError`` where the hand is not legal or not what it says."""
    record = shot.record()
    used = Counter([*record["concealed"], *(t for meld in record["melds"] for t in meld["tiles"]), *record["flowers"]])
    over = [tile for tile, n in used.items() if n > (1 if tile[0] == "f" else 4)]
    if over:
        raise RenderError(f"{shot.name}: too many of {', '.join(over)}")
    answer = score_record(record)
    if "error" in answer:
        raise RenderError(f"{shot.name}: {answer['error']}")
    if bool(answer["wins"]) != shot.wins:
        raise RenderError(f"{shot.name}: wins is {answer['wins']}, wanted {shot.wins}: {answer.get('reason', '')}")
    return answer


def _tile_set(shot: Shot) -> TileSet:
    body = _BODIES[shot.body]
    style: FaceStyle = PRESETS[shot.tiles]
    return drawn_set(SHOTS.index(shot) + 1, style, body, width=176)


def picture(shot: Shot) -> Scene:
    """The shot, taken."""
    number = SHOTS.index(shot) + 1
    rng = default_rng([2024, number])
    record = shot.record()
    melds = [(str(m["kind"]), list(m["tiles"])) for m in record["melds"]]
    laid = Laid(record["concealed"], melds, record["flowers"], shot.win, bool(record["self_draw"]), shot.wins)
    plan = HandPlan(shot.rows, shot.place_win, shot.place_melds, shot.place_flowers, 1.0, 0.55, "ends", 0.0)
    tiles = _tile_set(shot)
    placed = lay_hand(laid, plan, tiles.body, _NEAT, rng)
    points = points_of(placed, tiles.body)
    azimuth, elevation, roll = shot.view
    camera = fit(points, azimuth, elevation, roll, 1.25 * SIZE[0], SIZE, 0.86)
    kind, bank, hue, saturation, value, depth = _TABLES[shot.table]
    middle = points.mean(0)
    top = Ground(kind, bank, 0.0 if kind == "wood" else 25.0, 1.0, ramp_of(hue, saturation, value, depth), (460, 460),
                 (float(middle[0]), float(middle[1] + 180)))  # fmt: skip
    floor = Ground("planks", 0, 20.0, 1.0, ramp_of(0.07, 0.4, 0.35, 0.25), (9e4, 9e4), (0, 0))
    spots = np.array([(t.x, t.y) for t in placed])
    reach = np.stack([spots.min(0) - 120, spots.max(0) + 200])
    things: list[Block] = props.scattered(rng, spots, reach, shot.things)
    room = Room(top, floor, LIGHTS[shot.lamp], tuple(things))
    look = Look(light=0.3, colour=0.25, blur=0.3, noise=0.45, jpeg=False, bright=238)
    arrangement = Arrangement(placed, [laid], placed)
    return shoot(arrangement, tiles, camera, room, look, rng, "hand", {"name": shot.name}, fine=2)


def write(out: Path) -> int:
    """Draw all shots into ``out`` and write ``truth.json``. Returns the bytes written."""
    out.mkdir(parents=True, exist_ok=True)
    entries, total = [], 0
    for shot in SHOTS:
        answer = check(shot)
        scene = picture(shot)
        file = out / f"{shot.name}.jpg"
        cv2.imwrite(str(file), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 88])
        total += file.stat().st_size
        entries.append({"picture": file.name, **shot.record(), "wins": shot.wins, "total": answer.get("total")})
    text = json.dumps({"pictures": entries}, ensure_ascii=False, indent=1)
    (out / "truth.json").write_text(text + "\n", encoding="utf-8")
    return total + len(text)


def main() -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m vision.training.render.sample", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("taicam/sample"), help="folder to write to (taicam/sample)")
    arguments = parser.parse_args()
    try:
        size = write(arguments.out)
    except (RenderError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{len(SHOTS)} pictures, {size / 1e6:.1f} MB, in {arguments.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
