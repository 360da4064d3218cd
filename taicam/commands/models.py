"""`taicam models`: the networks, whether they are whole, and their cards."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from vision.model_card import write_cards
from vision.weights import model_card, model_path

app = typer.Typer(no_args_is_help=True, help="List and check the networks, and write their cards.")
NAMES = ("tiles", "rereader")


@app.command("list")
def show(as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False) -> None:
    """Show the networks in use: file, size, sha256, training and headline figures. Damaged files are an error."""
    entries: list[dict[str, Any]] = []
    for name in NAMES:
        path = model_path(name)
        card = model_card(path)
        keep: dict[str, Any] = {
            key: card.get(key) for key in ("sha256", "bytes", "training", "metrics", "calibration") if key in card
        }
        entries.append({"name": name, "path": str(path), **keep})
    if as_json:
        sys.stdout.write(json.dumps(entries, ensure_ascii=False) + "\n")
        return
    table = Table(title="networks")
    for title in ("name", "MB", "sha256", "trained", "R rows: class / exact"):
        table.add_column(title)
    for entry in entries:
        rows = (entry.get("metrics") or {}).get("R rows", {})
        figures = [rows.get(key, [None])[0] for key in ("class_accuracy", "exact_pictures")]
        shown = " / ".join("-" if value is None else f"{value:.3f}" for value in figures)
        training = ", ".join(f"{value} {key}" for key, value in (entry.get("training") or {}).items())
        size = f"{(entry.get('bytes') or 0) / 1e6:.1f}"
        table.add_row(str(entry["name"]), size, str(entry.get("sha256", ""))[:12], training, shown)
    Console(width=None if sys.stdout.isatty() else 120).print(table)


@app.command("card")
def card(
    models: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the networks.")] = Path("models"),
    results: Annotated[Path, typer.Option(metavar="DIR", help="Folder of raw rows.")] = Path("benchmarks/results"),
) -> None:
    """Write models/*.md and the metrics in models/*.json anew from the raw rows; no network is run.

    taicam evaluate --data DIR --split test,val --rows benchmarks/results/tiles.jsonl, then taicam models card
    """
    for path in write_cards(models, results, models / "weaknesses.md"):
        sys.stdout.write(f"{path}\n")
