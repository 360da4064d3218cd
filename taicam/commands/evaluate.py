"""`taicam evaluate`: how well networks read labelled photos, one or several side by side."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from taicam.config import load_settings
from taicam.errors import UsageError
from taicam.models_compare import Comparison, compare, gate_rows
from taicam.models_registry import ModelRegistry
from vision.evaluate import Evaluation, evaluate, read_all_rows, write_rows
from vision.evaluate_models import Candidate, candidates
from vision.evaluate_page import write_page

_TILE_COLUMNS = {
    "precision": "precision",
    "recall": "recall",
    "class_accuracy": "class acc.",
    "exact_pictures": "exact pict.",
    "exact_rows": "exact rows",
}
_HAND_COLUMNS = {"exact": "exact", "asked": "asked", "silently_wrong": "silently wrong", "taps": "taps per hand"}


def command(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL]...",
            help="An .onnx file (detector or re-reader), a folder with tiles.onnx, rereader.onnx or both, or "
            "'shipped'. What is left out is the shipped network. Without MODEL: the networks in use on this machine.",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="YOLO data set: data.yaml, images/SPLIT, labels/SPLIT.")
    ] = None,
    split: Annotated[str, typer.Option(help="Splits, separated by commas: test, val, train.")] = "test",
    size: Annotated[int, typer.Option(help="Longest side given to the detector, pixels.")] = 640,
    reread: Annotated[bool, typer.Option(help="Name the tiles with the re-reader.")] = True,
    adapt: Annotated[bool, typer.Option(help="Let the detector look again at a better scale.")] = True,
    rival: Annotated[
        bool, typer.Option("--rival", help="Measure mahjong-detector, too; alone when no MODEL is named.")
    ] = False,
    limit: Annotated[int, typer.Option(min=0, help="At most so many pictures a split; 0 for all.")] = 0,
    rows: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write the raw rows, one JSON line a picture and model.")
    ] = None,
    from_rows: Annotated[
        list[Path] | None,
        typer.Option(metavar="IN", help="Work the figures out anew from raw rows (repeatable); no network is run."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write the figures ('-' to print them).")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write a page with plots and the worst pictures.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of a single reader in the rows.")] = "taicam",
) -> None:
    """Precision, recall, names, exact pictures, rows and hands, mAP and calibration per part, with 95 % intervals.

    Parts: D (rack hands with flowers), R rows and R piles (a tile set never trained on), val, and each training scene;
    also per tile set, per light and per tile. A photo whose labels are one hand (14 tiles, or 17 to 21, and flowers)
    is read as one: exact hands, hands wrong without a question, taps to put a hand right. Several models are shown side
    by side, each held against the first on the same pictures. Exit status 1 when one misses a target of the model card.

    taicam evaluate shipped --data ../shared/data/real --split test,val --rows rows.jsonl --html report.html

    taicam evaluate shipped new/tiles.onnx --data ../shared/data/real --split val --html report.html
    """
    if from_rows:
        if models or rival:
            raise UsageError("raw rows name their readers themselves", "leave MODEL and --rival out, or --from-rows")
        measured = [one for path in from_rows for one in read_all_rows(path)]
    elif data is None:
        raise UsageError("no pictures to measure on", "give --data DIR (labelled pictures) or --from-rows FILE")
    else:
        measured = _measure(models or [], data, split, size, reread, adapt, rival, limit, name)
    against = _against_first(measured)
    if rows is not None:
        write_rows(measured, rows)
    figures = [one.to_json() for one in measured]
    shown = figures[0] if len(figures) == 1 else {"readers": figures, "against_first": _as_json(against)}
    if out is not None and str(out) != "-":
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(shown, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    verdicts = [f"{other} against {measured[0].name}: {_sentence(found)}" for other, found in against.items()]
    if html is not None:
        write_page(measured, html, data, verdicts)
    if out is not None and str(out) == "-":
        sys.stdout.write(json.dumps(shown, ensure_ascii=False) + "\n")
    else:
        _print(figures, verdicts)
    if any(one["missed_targets"] for one in figures):
        raise typer.Exit(1)


def _measure(
    models: Sequence[str],
    data: Path,
    split: str,
    size: int,
    reread: bool,
    adapt: bool,
    rival: bool,
    limit: int,
    name: str,
) -> list[Evaluation]:
    splits = [part.strip() for part in split.split(",") if part.strip()]
    found = []
    for candidate in candidates(models) if models or rival else [_in_use()]:
        detector = candidate.detector(size, reread=reread, adapt=adapt)
        called = candidate.name if len(models) > 1 or rival else name
        found.append(evaluate(data, splits, detector.detect, called, limit))
    if rival:
        from vision.evaluate_rival import rival_reader  # noqa: PLC0415  (a package only tests need)

        found.append(evaluate(data, splits, rival_reader(), "mahjong-detector", limit))
    return found


def _in_use() -> Candidate:
    """The networks that this machine reads with; says which."""
    registry = ModelRegistry(load_settings(None).data_dir)
    used = registry.in_use()
    typer.echo(f"networks: {'; '.join(f'{kind} {one.label}' for kind, one in used.items())}", err=True)
    return Candidate("in use", used["tiles"].path, used["rereader"].path)


def _against_first(measured: Sequence[Evaluation]) -> dict[str, Comparison]:
    """The others, each against the first on the same pictures. Raises UsageError, JobError when they cannot be."""
    names = [one.name for one in measured]
    if len(set(names)) < len(names):
        raise UsageError(f"two readers have one name among {', '.join(names)}", "name them apart with --name")
    first = gate_rows(measured[0].rows)
    return {one.name: compare(first, gate_rows(one.rows)) for one in measured[1:]}


def _sentence(comparison: Comparison) -> str:
    return f"{comparison.verdict()}; {comparison.summary()}"


def _as_json(against: dict[str, Comparison]) -> dict[str, Any]:
    return {name: {"verdict": one.verdict(), **one.to_json()} for name, one in against.items()}


def _print(every: Sequence[dict[str, Any]], verdicts: Sequence[str]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 140)
    for figures in every:
        speed = figures["seconds_per_picture"]
        title = f"{figures['reader']}: {figures['pictures']} pictures" + (f", {speed} s each" if speed else "")
        groups = figures["parts"] | {f"light: {name}": row for name, row in figures["lights"].items()}
        console.print(_tiles(title, groups))
        if any(row["hands"] for row in groups.values()):
            console.print(_hands(groups))
        confusions = ", ".join(f"{a}→{b} {n}×" for a, b, n in figures["confusions"][:12])
        console.print(f"most confused: {confusions or 'nothing'}")
        for line in figures["missed_targets"]:
            console.print(f"[yellow]target missed[/yellow] {line}")
    for line in verdicts:
        console.print(line)


def _tiles(title: str, groups: dict[str, dict[str, Any]]) -> Table:
    table = Table(title=title)
    table.add_column("part")
    for heading in ("pictures", "tiles", *_TILE_COLUMNS.values(), "mAP50-95", "ECE"):
        table.add_column(heading, justify="right")
    for part, row in groups.items():
        cells = [part, str(row["pictures"]), str(row["tiles"]), *(_interval(row[key]) for key in _TILE_COLUMNS)]
        cells += ["-" if row[key] is None else f"{row[key]:.3f}" for key in ("map50_95", "ece")]
        table.add_row(*cells)
    return table


def _hands(groups: dict[str, dict[str, Any]]) -> Table:
    table = Table(title="whole hands")
    table.add_column("part")
    for heading in ("hands", *_HAND_COLUMNS.values()):
        table.add_column(heading, justify="right")
    for part, row in groups.items():
        if row["hands"]:
            table.add_row(part, str(row["hands"]), *(_interval(row[key]) for key in _HAND_COLUMNS))
    return table


def _interval(figure: Sequence[float | None]) -> str:
    value, low, high = figure
    return "-" if value is None else f"{value:.3f}\n[dim]{low:.3f}–{high:.3f}[/dim]"
