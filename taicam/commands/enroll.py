"""`taicam enroll`: learn the look of one's own tile set from a few photos."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from taicam.config import load_settings
from taicam.errors import JobError, UsageError
from taicam.models_registry import ModelRegistry
from taicam.networks import Networks, networks_in_use
from vision.dataset import LabelledBox, Sample, write_sidecar
from vision.dataset.formats import read_dataset
from vision.enroll import Shot, describe_shots, learn_described
from vision.enroll_reader import RereaderEmbedder, describe_tiles, shots_of, shots_of_faces
from vision.enroll_report import report
from vision.enroll_session import FACES
from vision.enroll_store import ProfileStore, check_name, recognise
from vision.picture import load_picture

app = typer.Typer(help="Learn the look of your own tile set.", no_args_is_help=True)

FOLDER = "tile-sets"
_FLOWERLESS = tuple(code for code in FACES if not code.startswith("f"))

Data = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The data folder (else the settings' one).")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]


def _folder(data: Path | None) -> Path:
    return load_settings(None, {"data_dir": data}).data_dir


def _store(data: Path | None) -> ProfileStore:
    return ProfileStore(_folder(data) / FOLDER)


def _networks(data: Path | None) -> Networks:
    """Those in use on this machine: a set learnt with others would serve none."""
    return networks_in_use(ModelRegistry(_folder(data)))


@app.command()
def propose(
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURE...", help="Photos of your tiles, face up.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="New folder for photos and proposals.")],
    data: Data = None,
) -> None:
    """First step: find and name the tiles of your photos, to be corrected before they are learnt from.

    Lay the tiles out a few at a time, in any order, and photograph them two or three times from where the camera will
    hang. Correct the names in the sidecar files, or in Label Studio:

    taicam enroll propose IMG_1.jpg IMG_2.jpg --out mine

    taicam dataset export mine for-label-studio --to labelstudio
    """
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is there already and not empty", "name a new folder")
    loaded = [(path, load_picture(path)) for path in pictures]
    names = [path.name for path in pictures]
    if len({Path(name).stem.casefold() for name in names}) < len(names):
        raise UsageError("two photos have the same name", "rename one of them")
    networks = _networks(data)
    out.mkdir(parents=True, exist_ok=True)
    seen: set[str] = set()
    for path, image in loaded:
        tiles = [tile for tile in networks.detector.detect(image) if tile.code != "back"]
        seen.update(tile.code for tile in tiles)
        boxes = tuple(
            LabelledBox(
                box=tile.box,
                code=tile.code,
                confidence=tile.confidence,
                alternatives=tile.alternatives,
                read_as=tile.code,
                origin="model",
                turn=tile.angle,
            )
            for tile in tiles
        )
        height, width = image.shape[:2]
        sample = Sample(
            image=path.name,
            width=width,
            height=height,
            boxes=boxes,
            state="proposed",
            reason="enrolment",
            model=dict(networks.model),
        )
        (out / path.name).write_bytes(path.read_bytes())
        write_sidecar(sample, (out / path.name).with_suffix(".json"))
        typer.echo(f"{path}: {len(boxes)} tiles")
    missing = [code for code in FACES if code not in seen]
    typer.echo(f"尚缺 not seen yet: {' '.join(missing)}" if missing else "所有牌面都有了 every face was seen")
    typer.echo(f"now correct the names in {out}, then: taicam enroll learn NAME {out}")


@app.command()
def learn(
    name: Annotated[str, typer.Argument(help="What the set is called.")],
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="SOURCE...", help="Labelled photos in any format, or folders of faces (1m/*.jpg)."),
    ],
    no_flowers: Annotated[bool, typer.Option("--no-flowers", help="The set has no flowers: do not miss them.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Learn a set from labelled photos, and report on held-back photos how much better its tiles are named.

    Two or three crops of each face are enough, from two or three photos; a face left out keeps the odds it has.

    taicam enroll learn "grandpa's set" mine
    """
    check_name(name)
    embedder = _networks(data).embedder
    shots: list[Shot] = []
    for source in sources:
        shots += _shots(source, embedder)
    with Progress(disable=as_json or not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task("learning", total=1.0)
        described = describe_shots(shots, embedder, progress=lambda share: bar.update(task, completed=share))
    profile = learn_described(described, embedder, name)
    found = report(described, embedder, _FLOWERLESS if no_flowers else FACES)
    stored = _store(data).save(profile, found.to_json(), shots)
    if as_json:
        record: dict[str, Any] = {
            "name": stored.name,
            "version": stored.version,
            "faces": len(stored.codes),
            "crops": len(shots),
        }
        typer.echo(
            json.dumps(
                {**record, "changes_nothing": stored.changes_nothing, "report": found.to_json()}, ensure_ascii=False
            )
        )
        return
    typer.echo(f"{stored.name}, version {stored.version}: {len(stored.codes)} faces from {len(shots)} crops")
    for line in found.lines():
        typer.echo(line)
    if stored.changes_nothing:
        typer.echo("這副牌原本就讀得很好,未做任何改變 this set is read well as it is: nothing is changed for it")


def _shots(source: Path, embedder: RereaderEmbedder) -> list[Shot]:
    if source.is_dir() and not list(source.glob("*.json")) and any((source / code).is_dir() for code in FACES):
        return shots_of_faces(source)
    dataset = read_dataset(source)
    for issue in dataset.issues:
        typer.echo(f"  {issue}", err=True)
    waiting = [entry for entry in dataset.entries if entry.sample.state == "proposed"]
    if waiting and not any(entry.sample.corrections for entry in waiting):
        typer.echo(
            f"  note: {len(waiting)} photos of {source} are proposals nobody has accepted: wrong names are learnt too",
            err=True,
        )
    usable = [entry for entry in dataset.entries if entry.sample.state != "discarded"]
    shots, problems = shots_of(usable, embedder.rereader)
    for problem in problems:
        typer.echo(f"  {problem}", err=True)
    if not shots:
        raise JobError(f"{source} shows no labelled tile", "label some tiles first: taicam enroll propose --help")
    return shots


@app.command("list")
def list_(data: Data = None, as_json: AsJson = False) -> None:
    """List the sets learnt, with what learning them was worth."""
    store = _store(data)
    infos = [store.info(name) for name in store.names()]
    if as_json:
        typer.echo(json.dumps([info.to_json() for info in infos], ensure_ascii=False))
        return
    for info in infos:
        worth = (
            f"{info.report['before']:.1%} → {info.report['after']:.1%}" if info.report.get("tiles") else "not measured"
        )
        typer.echo(f"{info.name}\tversion {info.version}\t{info.faces} faces\t{info.crops} crops\t{worth}")
    if not infos:
        typer.echo("no tile set is stored yet: taicam enroll propose --help")


@app.command()
def delete(
    name: Annotated[str, typer.Argument(help="The set.")],
    version: Annotated[int | None, typer.Option(help="Only this version: the one before it is used again.")] = None,
    data: Data = None,
) -> None:
    """Delete a set, or its newest version to go back to the one before."""
    _store(data).delete(name, version)
    typer.echo(f"{name} deleted" if version is None else f"version {version} of {name} deleted")


@app.command("recognise")
def recognise_(
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURE...")], data: Data = None, as_json: AsJson = False
) -> None:
    """Say which of the stored sets the tiles in pictures belong to."""
    networks = _networks(data)
    embedder = networks.embedder
    profiles, problems = _store(data).all_for_network(embedder)
    for problem in problems:
        typer.echo(f"  {problem}", err=True)
    for path in pictures:
        image = load_picture(path)
        features, _ = describe_tiles(image, networks.detector.detect(image), embedder)
        found = recognise(profiles, features.embedding)
        far: dict[str, Any] = (
            {p.name: round(p.strangeness(features.embedding), 2) for p in profiles} if len(features.embedding) else {}
        )
        if as_json:
            record = {"image": str(path), "set": found.name if found else None, "strangeness": far}
            typer.echo(json.dumps(record, ensure_ascii=False))
        else:
            typer.echo(f"{path}: {found.name if found else 'none of the stored sets'} {far}")
