"""`taicam train`: train the networks, or go on training them."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from taicam.errors import JobError, UsageError

CHECKPOINTS = Path(__file__).resolve().parents[2] / "models" / "checkpoints"


class Network(StrEnum):
    """Which of the networks."""

    DETECTOR = "detector"
    REREADER = "rereader"
    STACKS = "stacks"


def command(
    network: Annotated[Network, typer.Argument(help="What to train.")] = Network.DETECTOR,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder with real/ (YOLO data set), crops/ and art/.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where checkpoint, log and exported network go.")] = Path(
        "runs/train"
    ),
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from OUT's checkpoint, or from the one shipped.")
    ] = False,
    checkpoint: Annotated[Path | None, typer.Option(help="Go on from this checkpoint.")] = None,
    hours: Annotated[float, typer.Option(min=0.0, help="Time to train; the rate falls towards its end.")] = 1.0,
    steps: Annotated[int, typer.Option(min=0, help="Train so many steps instead of by the clock.")] = 0,
    size: Annotated[int, typer.Option(help="Side of the detector's training windows, pixels.")] = 320,
    batch: Annotated[int, typer.Option(min=2, help="Pictures (or a hundredth of crops) a step and process.")] = 12,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1, help="Workers that average their weights; one a core is best. By default one a GPU, else one."
        ),
    ] = None,
    rendered: Annotated[float, typer.Option(min=0, max=1, help="Share of rendered scenes.")] = 0.3,
    photos: Annotated[float, typer.Option(min=0, max=1, help="Share of real photos.")] = 0.35,
    drawn_sets: Annotated[int, typer.Option(min=0, help="Restyled sets of our own drawings.")] = 160,
    poses: Annotated[
        bool, typer.Option("--poses", help="Re-reader: tiles askew in photos too; the shipped detector tells how.")
    ] = False,
    captured: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Your own pictures, from 'taicam dataset export --to yolo'.")
    ] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option(metavar="SCENE", help="Keep this scene's photos out; may be given repeatedly.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed.")] = 1,
    export: Annotated[bool, typer.Option(help="Export the network to OUT when done.")] = True,
    make_bundle: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Only pack data and checkpoints into one file below 64 MiB.")
    ] = None,
) -> None:
    """Train from labelled photos, tile faces and endless made pictures; runs are resumable and planned by the clock.

    taicam train --data ../shared/data --resume --hours 2 --processes 2

    taicam train rereader --data ../shared/data --resume --hours 0.5 --processes 2

    taicam train stacks --resume --hours 0.5 --processes 2 (tells stacked tiles; from rendered tables alone)

    taicam train --data ../shared/data --captured my-tiles --resume --hours 0.3 --processes 2

    taicam train --data ../shared/data --make-bundle bundle.tar.gz, then on a machine with a GPU:
    python -m vision.training.bundle bundle.tar.gz out 0.2
    """
    for module in ("torch", "ultralytics"):
        if importlib.util.find_spec(module) is None:
            raise JobError(f"training needs {module}", "install it: pip install 'taicam[train]'")
    if network is Network.STACKS:
        start = _start(network, out, resume, checkpoint)
        clock = {"hours": hours, "max_steps": steps, "seed": seed, "processes": processes or 1}
        _stacks(clock | {"batch": 8 * batch}, out, start, export)
        return
    if data is None:
        raise UsageError("nothing to train on", "give --data DIR: a folder with real/, crops/ and art/")
    if make_bundle is not None:
        _bundle(data, make_bundle)
        return
    if size % 32 or not 128 <= size <= 1280:
        raise UsageError(f"--size {size} does not fit", "give a multiple of 32 from 128 to 1280")
    if captured is not None and not (captured / "data.yaml").is_file():
        raise UsageError(
            f"{captured} is no YOLO data set (it has no data.yaml)",
            "write one from your captures: taicam dataset export CAPTURES OUT --to yolo",
        )
    start = _start(network, out, resume, checkpoint)
    material = {"data": data, "captured": captured, "leave_out": tuple(leave_out or ()), "cache": out / "cache"}
    shares = {"rendered": rendered, "drawn_sets": drawn_sets}
    clock = {"hours": hours, "max_steps": steps, "seed": seed}
    from vision.training.photos import PhotoDataError  # noqa: PLC0415
    from vision.training.workers import hands  # noqa: PLC0415

    try:
        if network is Network.DETECTOR:
            mixed = shares | {"photos": photos, "composites": max(0.0, 1 - photos - rendered), "size": size}
            several = dict(zip(("processes", "workers"), hands(processes), strict=True))
            _detector(clock | several | {"batch": batch}, material | mixed, out, start, export)
        else:
            clock["processes"] = processes or 1  # small enough for the CPU, which it stays on
            _rereader(clock | material | shares | {"batch": 8 * batch, "real": photos}, out, start, export, poses)
    except PhotoDataError as error:
        raise JobError("cannot train on this data", str(error)) from error


def _start(network: Network, out: Path, resume: bool, checkpoint: Path | None) -> Path | None:
    if checkpoint is not None:
        if not checkpoint.is_file():
            raise UsageError(
                f"there is no checkpoint {checkpoint}", "check the path, or use --resume for the shipped one"
            )
        return checkpoint
    if not resume:
        return None
    for place in (out / f"{network}.pt", CHECKPOINTS / f"{network}.pt"):
        if place.is_file():
            sys.stderr.write(f"going on from {place}\n")
            return place
    raise UsageError(
        f"no checkpoint of the {network} in {out} or {CHECKPOINTS}", "leave out --resume, or give --checkpoint FILE"
    )


def _bundle(data: Path, file: Path) -> None:
    from vision.training.bundle import make_bundle  # noqa: PLC0415

    size = make_bundle(data, file, tuple(CHECKPOINTS.glob("*.pt")))
    sys.stdout.write(f"{file}: {size / 2**20:.1f} MiB\n")


def _detector(settings: dict[str, Any], mixed: dict[str, Any], out: Path, start: Path | None, export: bool) -> None:
    from vision.training import calibrated  # noqa: PLC0415
    from vision.training.fit import Recipe, fit  # noqa: PLC0415
    from vision.training.recipe import record  # noqa: PLC0415
    from vision.training.stream import Mixture  # noqa: PLC0415

    recipe, mixture = Recipe(threads=1, **settings), Mixture(**mixed)
    record("detector", {"recipe": asdict(recipe), "mixture": asdict(mixture)}, mixture.material, start, out)
    made = fit(recipe, mixture, out, start)
    if export:
        _tell(out / "tiles.onnx", *calibrated.detector(made, out / "tiles.onnx"))


def _rereader(settings: dict[str, Any], out: Path, start: Path | None, export: bool, poses: bool) -> None:
    from vision.detector import Detector  # noqa: PLC0415
    from vision.training import calibrated  # noqa: PLC0415
    from vision.training.export_reread import training_crops  # noqa: PLC0415
    from vision.training.fit_reread import RereadRecipe, fit_reread  # noqa: PLC0415
    from vision.training.poses import write_poses  # noqa: PLC0415
    from vision.training.recipe import record  # noqa: PLC0415

    recipe = RereadRecipe(**settings)
    if poses:
        recipe = replace(recipe, poses=out / "poses.npz")
        count = write_poses(recipe.material.photos(), Detector(rereader=False), out / "poses.npz")
        sys.stderr.write(f"the detector tells how {count} tiles lie in photos whose boxes do not\n")
    record("rereader", asdict(recipe), recipe.material, start, out)
    made = fit_reread(recipe, out, start)
    if export:
        crops = training_crops(recipe)
        _tell(out / "rereader.onnx", *calibrated.rereader(made, out / "rereader.onnx", recipe.data, crops))


def _stacks(settings: dict[str, Any], out: Path, start: Path | None, export: bool) -> None:
    from vision.training.fit_stack import StackRecipe, export_stack, fit_stack  # noqa: PLC0415

    made = fit_stack(StackRecipe(**settings), out, start)
    if export:
        card = export_stack(made, out / "stacked.onnx")
        odds = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in card["held_back"].items())
        _tell(out / "stacked.onnx", card, odds)


def _tell(file: Path, card: dict[str, Any], odds: str) -> None:
    sys.stdout.write(f"{file}: {card['bytes'] / 1e6:.1f} MB after {card['training']}; {odds}\n")
