"""`taicam read`: what hand a picture shows."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import cv2
import typer

from scoring import load_ruleset
from taicam.commands.read_print import print_error, print_reading
from taicam.config import load_settings
from taicam.errors import UsageError, nearest
from taicam.models_registry import ModelRegistry
from taicam.networks import Networks, networks_in_use
from taicam.tile_sets import TileSets
from vision.decode_reading import ReadingRules
from vision.enroll import EnrolError
from vision.enroll_reader import enrolled_detector
from vision.observation import UNREADABLE, TableReading
from vision.picture import MAX_PIXELS, Picture, PictureError, load_picture
from vision.reader import FindsTiles, HandReader
from vision.reader_picture import debug_picture

_FACTS = "What the picture does not show (with --score)"
WINDS = ("E", "S", "W", "N")


class Mode(StrEnum):
    """What the camera looks at."""

    HAND = "hand"
    TABLE = "table"


def command(
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE...", help="Pictures (JPEG, PNG, WebP, BMP).")],
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object a picture.")] = False,
    score: Annotated[bool, typer.Option("--score", help="Score the hand read.")] = False,
    ruleset: Annotated[str, typer.Option(help="Ruleset; `taicam rules list` shows them.")] = "taiwan",
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the ruleset.")] = None,
    mode: Annotated[
        Mode, typer.Option(help="One hand in view, or the whole table (see `taicam calibrate`).")
    ] = Mode.HAND,
    camera: Annotated[str, typer.Option(help="Name of the calibration used with --mode table.")] = "default",
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the calibrations, enrolled tile sets and promoted networks."),
    ] = None,
    debug: Annotated[
        Path | None,
        typer.Option(
            "--debug-picture", metavar="OUT", help="Draw everything decided: a file, or a folder for several."
        ),
    ] = None,
    tile_set: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Enrolled tile set, auto or none; by default the appliance's (see `taicam enroll`)."
        ),
    ] = None,
    max_megapixels: Annotated[float, typer.Option(min=0.01, help="Refuse larger pictures.")] = MAX_PIXELS / 1e6,
    self_draw: Annotated[
        bool, typer.Option("--self-draw", help="Won by the own draw.", rich_help_panel=_FACTS)
    ] = False,
    seat_wind: Annotated[str, typer.Option(help="Winner's seat: E S W N.", rich_help_panel=_FACTS)] = "E",
    round_wind: Annotated[str, typer.Option(help="Round wind: E S W N.", rich_help_panel=_FACTS)] = "E",
    dealer: Annotated[bool, typer.Option("--dealer", help="The winner deals.", rich_help_panel=_FACTS)] = False,
    streak: Annotated[int, typer.Option(min=0, help="The dealer's streak N.", rich_help_panel=_FACTS)] = 0,
    flag: Annotated[
        list[str] | None, typer.Option(help="Such as last_tile or rob_kong.", rich_help_panel=_FACTS)
    ] = None,
) -> None:
    """Read the tiles of pictures: the hand, its melds, flowers and winning tile, and everything that is not sure.

    Each picture gives one JSON object with --json (a picture that cannot be read gives one with "error", and the
    rest goes on; the exit status is then 2), or a table for people. A reading whose "status" is "accepted" leaves
    nothing to ask; "confirm" lists in "doubts" what to check; "unreadable" shows no hand. The networks are those in
    use on this machine (`taicam models list`); "model" says which.

    taicam read hand.jpg --score --self-draw --seat-wind S
    """
    facts = _facts(self_draw, seat_wind, round_wind, dealer, streak, flag or [])
    options = dict(_option(text) for text in option or ())
    rules = ReadingRules.of(load_ruleset(ruleset, options))
    several = len(images) > 1
    if debug is not None and several and debug.suffix:
        raise UsageError(f"--debug-picture {debug} is one file for {len(images)} pictures", "name a folder")
    folder = load_settings(None, {"data_dir": data}).data_dir
    networks = networks_in_use(ModelRegistry(folder))
    read = _reader(mode, HandReader(_detector(networks, TileSets(folder), tile_set), rules), camera, data)
    failed = False
    for path in images:
        try:
            image = load_picture(path, int(max_megapixels * 1e6))
        except PictureError as error:
            failed = True
            _report_error(path, error, as_json)
            continue
        answer, drawn = read(image, facts | {"ruleset": ruleset, "options": options} if score else None)
        if debug is not None:
            _write_picture(debug / f"{path.stem}.png" if several or not debug.suffix else debug, drawn())
        if as_json:
            told = {"image": str(path), **answer, "model": networks.model}
            sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
            sys.stdout.flush()
        else:
            print_reading(str(path), answer)
    if not as_json:
        typer.echo(f"辨識網路 networks: {networks}")
    raise typer.Exit(2 if failed else 0)


Answer = tuple[dict[str, Any], Callable[[], Picture]]
Reads = Callable[[Picture, Mapping[str, Any] | None], Answer]


def _detector(networks: Networks, sets: TileSets, choice: str | None) -> FindsTiles:
    """The detector in use, with an enrolled tile set where one is."""
    try:
        detector, problems = enrolled_detector(networks.detector, sets.store, choice or sets.choice, networks.embedder)
    except EnrolError as error:
        raise UsageError(str(error), "see `taicam enroll`, or use --tile-set auto") from None
    for problem in problems:
        typer.echo(f"taicam: {problem}", err=True)
    return detector


def _reader(mode: Mode, reader: HandReader, camera: str, data: Path | None) -> Reads:
    if mode is Mode.TABLE:
        from taicam.commands.read_table import table_reader  # noqa: PLC0415

        return table_reader(reader, camera, data)

    def read(image: Picture, record: Mapping[str, Any] | None) -> Answer:
        reading = reader.read(image)
        return answer_of(reading, record), lambda: debug_picture(image, reading)

    return read


def answer_of(reading: TableReading, record: Mapping[str, Any] | None) -> dict[str, Any]:
    """The JSON form of a reading, with its score where `record` (facts and ruleset) is given."""
    answer = reading.to_json()
    if record is not None:
        answer["score"] = score_of(reading, record)
    return answer


def score_of(reading: TableReading, record: Mapping[str, Any]) -> dict[str, Any]:
    """The score of the hand read, or the reason why there is none."""
    if reading.status == UNREADABLE:
        return {"error": "no hand was read, so there is nothing to score", "field": "concealed"}
    from scoring import score_record  # noqa: PLC0415

    return score_record({"id": "picture", **reading.hand_record(), **record})


def _facts(
    self_draw: bool, seat_wind: str, round_wind: str, dealer: bool, streak: int, flags: Sequence[str]
) -> dict[str, Any]:
    for name, value in (("--seat-wind", seat_wind), ("--round-wind", round_wind)):
        if value not in WINDS:
            raise UsageError(f"{name} is {value!r}", f"use one of {nearest(value, WINDS)}")
    return {
        "self_draw": self_draw,
        "seat_wind": seat_wind,
        "round_wind": round_wind,
        "dealer": dealer,
        "streak": streak,
        "flags": list(flags),
    }


def _option(text: str) -> tuple[str, Any]:
    name, found, value = text.partition("=")
    if not found or not name.strip():
        raise UsageError(f"--option {text!r} is not NAME=VALUE", "write for example --option ligu_enabled=false")
    word = value.strip()
    try:
        return name.strip(), json.loads(word.lower() if word.lower() in {"true", "false"} else word)
    except ValueError:
        return name.strip(), word


def _report_error(path: Path, error: PictureError, as_json: bool) -> None:
    if as_json:
        entry = {"image": str(path), "error": error.en, "error_zh": error.zh, "code": error.code}
        sys.stdout.write(json.dumps(entry, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    else:
        print_error(error)


def _write_picture(path: Path, picture: Picture) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = path.suffix or ".png"
    try:
        _, data = cv2.imencode(kind, picture)
    except cv2.error:
        raise UsageError(
            f"--debug-picture {path}: {kind} is not a kind of picture", "end the name in .png or .jpg"
        ) from None
    path.write_bytes(data.tobytes())
