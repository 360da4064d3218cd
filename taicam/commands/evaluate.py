"""`taicam evaluate`: how well the detector and the re-reader do on labelled photos."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from taicam.errors import UsageError
from vision.detector import Detector
from vision.evaluate import Evaluation, evaluate, read_rows, write_rows
from vision.evaluate_page import write_page


def command(
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="YOLO data set: data.yaml, images/SPLIT, labels/SPLIT.")
    ] = None,
    split: Annotated[str, typer.Option(help="Splits, separated by commas: test, val, train.")] = "test",
    model: Annotated[Path | None, typer.Option(help="Detector .onnx; the shipped one by default.")] = None,
    size: Annotated[int, typer.Option(help="Longest side given to the detector, pixels.")] = 640,
    reread: Annotated[bool, typer.Option(help="Name the tiles with the re-reader.")] = True,
    adapt: Annotated[bool, typer.Option(help="Let the detector look again at a better scale.")] = True,
    rival: Annotated[bool, typer.Option("--rival", help="Measure the package mahjong-detector instead.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="At most so many pictures a split; 0 for all.")] = 0,
    rows: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write the raw rows, one JSON line a picture.")
    ] = None,
    from_rows: Annotated[
        Path | None, typer.Option(metavar="IN", help="Work the figures out anew from raw rows; nothing is read.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write the figures ('-' to print them).")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write a page with plots and the worst pictures.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the reader in the rows.")] = "taicam",
) -> None:
    """Precision, recall, names, exact pictures and rows, mAP and calibration per part, with 95 % intervals.

    Parts: D (rack hands with flowers), R rows and R piles (a tile set never trained on), val, and each training scene.
    Exit status 1 when a target of the model card is missed.

    taicam evaluate --data ../shared/data/real --split test,val --rows benchmarks/results/tiles.jsonl --html report.html
    """
    if from_rows is not None:
        evaluation = read_rows(from_rows)
    else:
        if data is None:
            raise UsageError("no pictures to measure on", "give --data DIR (labelled pictures) or --from-rows FILE")
        evaluation = _measure(data, split, model, size, reread, adapt, rival, limit, name)
    if rows is not None:
        write_rows(evaluation, rows)
    figures = evaluation.to_json()
    if out is not None and str(out) != "-":
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if html is not None:
        write_page(evaluation, html, data)
    if out is not None and str(out) == "-":
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    else:
        _print(figures)
    if figures["missed_targets"]:
        raise typer.Exit(1)


def _measure(
    data: Path, split: str, model: Path | None, size: int, reread: bool, adapt: bool, rival: bool, limit: int, name: str
) -> Evaluation:
    splits = [part.strip() for part in split.split(",") if part.strip()]
    if rival:
        from vision.evaluate_rival import rival_reader  # noqa: PLC0415  (a package only tests need)

        return evaluate(data, splits, rival_reader(), "mahjong-detector", limit)
    detector = Detector(model, size, rereader=None if reread else False, adapt=adapt)
    return evaluate(data, splits, detector.detect, name, limit)


def _print(figures: dict[str, object]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 140)
    parts = figures["parts"]
    assert isinstance(parts, dict)
    table = Table(title=f"{figures['reader']}: {figures['pictures']} pictures, {figures['seconds_per_picture']} s each")
    table.add_column("part")
    for title in (
        "pictures",
        "tiles",
        "precision",
        "recall",
        "class acc.",
        "exact pict.",
        "exact rows",
        "mAP50-95",
        "ECE",
    ):
        table.add_column(title, justify="right")
    for part, row in parts.items():
        cells = [part, str(row["pictures"]), str(row.get("tiles", 0))]
        for key in ("precision", "recall", "class_accuracy", "exact_pictures", "exact_rows"):
            value, low, high = row.get(key, (None, None, None))
            cells.append("-" if value is None else f"{value:.3f}\n[dim]{low:.3f}–{high:.3f}[/dim]")
        cells += ["-" if row.get(key) is None else f"{row[key]:.3f}" for key in ("map50_95", "ece")]
        table.add_row(*cells)
    console.print(table)
    confusions = figures["confusions"]
    assert isinstance(confusions, list)
    console.print("most confused: " + (", ".join(f"{a}→{b} {n}×" for a, b, n in confusions[:12]) or "nothing"))
    missed = figures["missed_targets"]
    assert isinstance(missed, list)
    for line in missed:
        console.print(f"[yellow]target missed[/yellow] {line}")
