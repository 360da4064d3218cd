"""`taicam capture`: what is kept to learn from, who agreed to it, and looking through it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Literal, cast, get_args

import typer
from rich.console import Console
from rich.table import Table

from taicam.capture import CaptureStore, Library
from taicam.capture.settings import CaptureSettings
from taicam.config import load_settings
from taicam.errors import JobError, UsageError, nearest
from vision.dataset.sample import Reason, State

app = typer.Typer(help="Keep, list and tidy samples to learn from.", no_args_is_help=True)

FOLDER = "captures"
_STATES = get_args(State)
_REASONS = tuple(filter(None, get_args(Reason)))

Data = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The data folder (else the settings' one).")]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings file (TOML).")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def _place(data: Path | None, config: Path | None) -> tuple[Path, CaptureSettings]:
    settings = load_settings(config)
    section = getattr(settings, "capture", None)
    return (data or settings.data_dir) / FOLDER, section if isinstance(section, CaptureSettings) else CaptureSettings()


def _library(data: Path | None, config: Path | None) -> Library:
    folder, settings = _place(data, config)
    return Library(folder, settings)


@app.command()
def status(data: Data = None, config: Config = None, as_json: AsJson = False) -> None:
    """Show consent, how many samples are kept and how large they are, by reason and state."""
    folder, settings = _place(data, config)
    store = CaptureStore(folder, settings)
    rows = store.library.rows() if folder.is_dir() else []
    size = sum(row.bytes for row in rows)
    by_reason = {reason: sum(row.reason == reason for row in rows) for reason in sorted({row.reason for row in rows})}
    by_state = {state: sum(row.state == state for row in rows) for state in _STATES}
    damaged = list(store.library.damaged) if folder.is_dir() else []
    if as_json:
        record = {"folder": str(folder), "consent": store.consent, "samples": len(rows), "bytes": size}
        more = {"reasons": by_reason, "states": by_state, "max_mb": settings.max_mb, "damaged": damaged}
        typer.echo(json.dumps({**record, **more}, ensure_ascii=False))
        return
    typer.echo(f"folder: {folder}")
    typer.echo(
        f"consent 同意保存畫面: {'given 是' if store.consent else 'not given 否 (taicam capture consent --yes)'}"
    )
    typer.echo(f"samples: {len(rows)}, {size / 1e6:.1f} of at most {settings.max_mb} MB")
    typer.echo("  by reason: " + (", ".join(f"{k} {v}" for k, v in by_reason.items()) or "none"))
    typer.echo("  by state: " + ", ".join(f"{k} {v}" for k, v in by_state.items()))
    for message in damaged:
        typer.echo(f"  damaged: {message}", err=True)


@app.command()
def consent(
    yes: Annotated[bool | None, typer.Option("--yes/--no", help="Give or withdraw consent.")] = None,
    by: Annotated[str, typer.Option(help="Who decided, for the record.")] = "",
    data: Data = None,
    config: Config = None,
) -> None:
    """Give or withdraw consent that views of the table are kept on this machine to learn from.

    Nothing is ever kept without it. Only the table is kept (capture.crop = "table"), and nothing leaves the machine by
    itself. What was kept before consent is withdrawn stays until `taicam capture forget`.
    """
    folder, settings = _place(data, config)
    store = CaptureStore(folder, settings)
    if yes is not None:
        store.set_consent(yes, by)
    typer.echo("consent: given 已同意" if store.consent else "consent: not given 未同意")


@app.command("list")
def list_(
    state: Annotated[str | None, typer.Option(help="proposed, accepted or discarded.")] = None,
    reason: Annotated[str | None, typer.Option(help="confirmed, corrected, doubtful, button or sampled.")] = None,
    data: Data = None,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """List the samples, oldest first; with --json one object a line."""
    if state is not None and state not in _STATES:
        raise UsageError(f"there is no state {state!r}", nearest(state, _STATES))
    if reason is not None and reason not in _REASONS:
        raise UsageError(f"there is no reason {reason!r}", nearest(reason, _REASONS))
    rows = _library(data, config).rows(state, reason)
    if as_json:
        for row in rows:
            record = {"id": row.id, "picture": str(row.picture), "state": row.state, "reason": row.reason}
            more = {"captured_at": row.captured_at, "codes": list(row.codes), "bytes": row.bytes}
            typer.echo(json.dumps({**record, **more}, ensure_ascii=False))
        return
    table = Table(title=f"{len(rows)} samples")
    for name in ("id", "captured", "reason", "state", "tiles"):
        table.add_column(name)
    for row in rows:
        table.add_row(row.id, row.captured_at, row.reason, row.state, " ".join(row.codes))
    Console().print(table)


@app.command()
def review(
    samples: Annotated[list[str], typer.Argument(help="Ids as `taicam capture list` shows them.")],
    state: Annotated[str, typer.Option(help="accepted, discarded or proposed.")],
    by: Annotated[str, typer.Option(help="Who looked, for the record.")] = "",
    data: Data = None,
    config: Config = None,
) -> None:
    """Accept samples as labels, or discard them. Boxes and codes are mended on the companion's review page, or in Label
    Studio by `taicam dataset export --to labelstudio`.
    """
    if state not in _STATES:
        raise UsageError(f"there is no state {state!r}", nearest(state, _STATES))
    library = _library(data, config)
    for sample in samples:
        library.review(sample, cast(Literal["proposed", "accepted", "discarded"], state), by=by)
    typer.echo(f"{len(samples)} samples are {state}")


@app.command()
def prune(data: Data = None, config: Config = None) -> None:
    """Apply the caps of size, number and age now; the least useful samples go first."""
    typer.echo(f"{_library(data, config).prune()} samples deleted")


@app.command()
def forget(yes: Yes = False, data: Data = None, config: Config = None) -> None:
    """Delete every sample for good."""
    library = _library(data, config)
    count, size = library.totals()
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"{count} samples ({size / 1e6:.1f} MB) would be deleted", "add --yes to do it")
        if not typer.confirm(f"Delete all {count} samples ({size / 1e6:.1f} MB) for good?"):
            raise JobError("nothing was deleted")
    typer.echo(f"{library.forget()} samples deleted")
