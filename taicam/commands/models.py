"""`taicam models`: the networks of this machine, which are in use, and their cards."""

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from taicam.config import load_settings
from taicam.errors import JobError, UsageError
from taicam.models_compare import Comparison
from taicam.models_gate import photo_gate
from taicam.models_registry import ModelRegistry, ModelVersion
from vision.model_card import write_cards
from vision.openvino_ir import OpenVinoError, to_openvino
from vision.picture import load_picture

app = typer.Typer(no_args_is_help=True, help="List and check the networks, put others in use, write their cards.")

Data = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The data folder (else the settings' one).")]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings file (TOML).")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Kind = Annotated[str, typer.Argument(help="tiles or rereader.")]


Gate = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Labelled photos (YOLO) that both versions must read; DATA/gate by default."),
]
Split = Annotated[str, typer.Option(help="Split of the gate photos.")]
_CHECKED_ON = 4  # pictures of the sample an export is checked on


def _gate_photos(gate: Path | None, data: Path | None, config: Path | None) -> Path:
    """The folder of the gate photos. Raises UsageError when there is none."""
    if gate is not None:
        return gate
    folder = (data or load_settings(config).data_dir) / "gate"
    if not (folder / "data.yaml").is_file():
        raise UsageError(
            f"no photos to decide by: {folder} is no YOLO data set",
            f"write one there and keep it: taicam dataset export CAPTURES {folder} --to yolo --split val --until DAY, "
            "of evenings that no network is trained on; or give --gate DIR",
        )
    return folder


def _registry(data: Path | None, config: Path | None) -> ModelRegistry:
    return ModelRegistry(data or load_settings(config).data_dir)


@app.command("list")
def show(data: Data = None, config: Config = None, as_json: AsJson = False) -> None:
    """Show every version of the networks: in use, size, sha256, training and headline figures."""
    versions = _registry(data, config).versions()
    if as_json:
        sys.stdout.write(json.dumps([version.to_json() for version in versions], ensure_ascii=False) + "\n")
        return
    table = Table(title="networks")
    for title in ("kind", "version", "in use", "MB", "sha256", "trained", "unseen set: names / exact pictures"):
        table.add_column(title)
    for version in versions:
        table.add_row(*_cells(version))
    Console(width=None if sys.stdout.isatty() else 140).print(table)


def _cells(version: ModelVersion) -> list[str]:
    rows = (version.card.get("metrics") or {}).get("R rows", {})
    figures = [rows.get(key, [None])[0] for key in ("class_accuracy", "exact_pictures")]
    shown = " / ".join("-" if value is None else f"{value:.3f}" for value in figures)
    training = ", ".join(f"{value} {key}" for key, value in (version.card.get("training") or {}).items())
    size = f"{version.path.stat().st_size / 1e6:.1f}"
    return [version.kind, version.version, "yes" if version.in_use else "", size, version.sha256[:12], training, shown]


@app.command()
def add(
    kind: Kind,
    file: Annotated[Path, typer.Argument(help="The .onnx file; the JSON beside it becomes its card.")],
    data: Data = None,
    config: Config = None,
) -> None:
    """Copy a network in as a new version; it is not in use before it is promoted."""
    version = _registry(data, config).add(kind, file)
    sys.stdout.write(f"{version.kind} {version.version}\n")


@app.command()
def compare(
    kind: Kind,
    version: Annotated[str, typer.Argument(help="As listed; 'shipped' for the one that came with taicam.")],
    gate: Gate = None,
    than: Annotated[str, typer.Option(help="The version to hold it against; the one in use by default.")] = "",
    split: Split = "val",
    limit: Annotated[int, typer.Option(min=0, help="At most so many photos; 0 for all.")] = 0,
    data: Data = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Say whether a version would pass the gate: worse, better, or no difference beyond chance. Nothing is changed.

    Exit status 1 when it is worse, which is when promote would refuse it.
    """
    registry = _registry(data, config)
    other = than or registry.current(kind).version
    photos = photo_gate(_gate_photos(gate, data, config), (split,), limit)
    found = registry.compare(kind, version, photos, than=other)
    if as_json:
        facts = {"kind": kind, "version": version, "than": other, "verdict": found.verdict(), **found.to_json()}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
    else:
        _show(f"{kind} {version} against {other}: {found.verdict()}", found)
    if found.worse:
        raise typer.Exit(1)


def _show(title: str, found: Comparison) -> None:
    table = Table(title=f"{title} ({found.pictures} gate pictures)")
    for heading in ("", "before", "after", "difference", "95 % interval"):
        table.add_column(heading)
    for name, one in (("tiles right", found.tiles_right), ("pictures exactly right", found.exact_pictures)):
        table.add_row(
            name, f"{one.before:.2%}", f"{one.after:.2%}", f"{one.gain:+.2%}", f"{one.low:+.2%} to {one.high:+.2%}"
        )
    Console(width=None if sys.stdout.isatty() else 120).print(table)


@app.command()
def promote(
    kind: Kind,
    version: Annotated[str, typer.Argument(help="As listed; 'shipped' for the one that came with taicam.")],
    gate: Gate = None,
    split: Split = "val",
    force: Annotated[bool, typer.Option("--force", help="Promote it even if it is worse.")] = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Put a version in use if it reads the gate photos not worse than the present one (exit status 1 if it does)."""
    photos = photo_gate(_gate_photos(gate, data, config), (split,))
    comparison = _registry(data, config).promote(kind, version, photos, force=force)
    sys.stdout.write(f"{kind} {version} is in use: {comparison.summary()}\n")


@app.command()
def rollback(kind: Kind, data: Data = None, config: Config = None) -> None:
    """Put the version that was in use before back."""
    version = _registry(data, config).rollback(kind)
    sys.stdout.write(f"{kind} {version.version} is in use again\n")


@app.command("export")
def export_(
    kind: Kind,
    openvino: Annotated[Path, typer.Option("--openvino", metavar="DIR", help="Write OpenVINO IR (.xml, .bin) there.")],
    version: Annotated[str, typer.Option(help="As listed; the one in use by default.")] = "",
    data: Data = None,
    config: Config = None,
) -> None:
    """Write a network in another program's format, checked to answer as it does. Needs the openvino extra.

    taicam models export tiles --openvino out
    """
    registry = _registry(data, config)
    chosen = registry.version(kind, version) if version else registry.current(kind)
    sample = sorted(Path(str(resources.files("taicam") / "sample")).glob("*.jpg"))[:_CHECKED_ON]
    try:
        file, worst = to_openvino(chosen.path, openvino, [load_picture(path) for path in sample])
    except OpenVinoError as error:
        raise JobError("the network cannot be exported", str(error)) from None
    sys.stdout.write(f"{file}: {kind} {chosen.version}; largest difference {worst:.1g} over {len(sample)} pictures\n")


@app.command("card")
def card(
    models: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the networks.")] = Path("models"),
    results: Annotated[Path, typer.Option(metavar="DIR", help="Folder of raw rows.")] = Path("benchmarks/results"),
) -> None:
    """Write models/*.md and the metrics in models/*.json anew from the raw rows; no network is run.

    taicam evaluate --data DIR --split test,val --rows benchmarks/results/tiles.jsonl, then taicam models card
    """
    if not models.is_dir():
        raise JobError(f"{models} is no folder", "run it in the checkout, or give --models DIR")
    for path in write_cards(models, results, models / "weaknesses.md"):
        sys.stdout.write(f"{path}\n")
