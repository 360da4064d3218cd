"""`taicam dataset`: labelled pictures in and out of other tools' formats, and what is wrong with them."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from scoring.tiles import ALL_CODES
from taicam.errors import JobError, UsageError
from vision.dataset.check import CheckReport, check_dataset
from vision.dataset.entries import Dataset, Entry, ReadOptions, WriteOptions
from vision.dataset.formats import read_dataset, write_dataset
from vision.dataset.issues import Issue
from vision.dataset.report import write_report

app = typer.Typer(help="Export, import and check labelled pictures.", no_args_is_help=True)

_ISSUES_SHOWN = 20

Format = Annotated[str | None, typer.Option("--format", "-f", help="taicam, yolo, coco, labelstudio, cvat or voc.")]
Rename = Annotated[
    list[str] | None,
    typer.Option("--rename", help="NAME=CODE: what a class name found there is called here; may be given repeatedly."),
]
Split = Annotated[str | None, typer.Option(help="Split (train, val, test), noted where none is known.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.command("export")
def export_(
    source: Annotated[Path, typer.Argument(help="Folder or file of labelled pictures, in any format known.")],
    target: Annotated[Path, typer.Argument(help="New folder to write.")],
    to: Annotated[str, typer.Option("--to", "-t", help="taicam, yolo, coco, labelstudio, cvat or voc.")] = "yolo",
    format: Format = None,
    rename: Rename = None,
    proposed: Annotated[bool, typer.Option(help="Also export samples nobody has reviewed yet.")] = False,
    link: Annotated[bool, typer.Option("--link", help="Hard-link pictures instead of copying them.")] = False,
    classes: Annotated[
        Path | None, typer.Option(help="Text file with the class order wanted, one name a line.")
    ] = None,
    split: Split = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="Only pictures taken on this day or later.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DAY", help="Only pictures taken before this day.")] = None,
    as_json: AsJson = False,
) -> None:
    """Convert labelled pictures (captured samples among them) to the format of another tool.

    Classes are matched by name, whatever their order. What the format cannot hold is counted and named.

    taicam dataset export ~/.local/share/taicam/captures out --to labelstudio

    taicam dataset export ~/.local/share/taicam/captures gate --split val --until 2026-12-01
    """
    dataset = _within(_marked(_read(source, format, rename), None, split), since, until)
    options = WriteOptions(
        pictures="link" if link else "copy", proposed=proposed, classes=None if classes is None else _lines(classes)
    )
    report = write_dataset(dataset.entries, target, to, options)
    issues = [*dataset.issues, *report.issues]
    result = {**report.to_json(), "target": str(target), "format": to, "issues": [i.to_json() for i in issues]}
    _finish(result, issues, as_json, f"{report.pictures} pictures with {report.boxes} boxes written to {target} ({to})")


@app.command("import")
def import_(
    source: Annotated[Path, typer.Argument(help="What another tool exported: a folder or file, unpacked.")],
    target: Annotated[Path, typer.Argument(help="New folder for the pictures with their sidecars.")],
    format: Format = None,
    rename: Rename = None,
    tile_set: Annotated[str | None, typer.Option(help="Name of the tile set, noted where none is known.")] = None,
    split: Split = None,
    link: Annotated[bool, typer.Option("--link", help="Hard-link pictures instead of copying them.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take labelled pictures from another tool: pictures and a sidecar JSON each, ready for training.

    Example: taicam dataset import project-3-at-2026-01-05.json mine --rename "red five=5m"
    """
    dataset = _marked(_read(source, format, rename), tile_set, split)
    report = write_dataset(dataset.entries, target, "taicam", WriteOptions(pictures="link" if link else "copy"))
    issues = [*dataset.issues, *report.issues]
    result = {**report.to_json(), "target": str(target), "format": "taicam", "issues": [i.to_json() for i in issues]}
    _finish(result, issues, as_json, f"{report.pictures} pictures with {report.boxes} boxes taken into {target}")


@app.command()
def check(
    source: Annotated[Path, typer.Argument(help="Folder or file of labelled pictures, in any format known.")],
    format: Format = None,
    rename: Rename = None,
    report: Annotated[
        Path | None, typer.Option("--report", "-r", help="Folder for a page with contact sheets (index.html).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look for what spoils training or measuring: the same picture in two splits, boxes that cannot be right, unknown
    or missing classes, tile sets shared between training and test.

    Exit status 1 when something must be mended.

    Example: taicam dataset check mine --report mine-report
    """
    dataset = _read(source, format, rename, keep_unknown=True)
    found = check_dataset(dataset)
    page = write_report(dataset, found, report) if report is not None else None
    if as_json:
        typer.echo(json.dumps({**found.to_json(), "page": None if page is None else str(page)}, ensure_ascii=False))
    else:
        typer.echo("\n".join(_summary(found)))
        _show_issues(found.issues)
        if page is not None:
            typer.echo(f"report: {page}")
    raise typer.Exit(0 if found.ok else 1)


def _read(source: Path, format: str | None, rename: list[str] | None, keep_unknown: bool = False) -> Dataset:

    renames: dict[str, str] = {}
    for text in rename or []:
        name, equals, code = text.rpartition("=")
        if not equals or not name:
            raise UsageError(f"--rename {text!r} is not NAME=CODE", "for example --rename 'red five=5m'")
        if code not in ALL_CODES:
            raise UsageError(f"--rename: {code!r} is no tile", f"valid codes: {' '.join(ALL_CODES)}")
        renames[name] = code
    return read_dataset(source, format, ReadOptions(renames, keep_unknown))


def _marked(dataset: Dataset, tile_set: str | None, split: str | None) -> Dataset:
    """The same with tile set and split noted where none is known."""
    entries = []
    for entry in dataset.entries:
        known = {"tile_set": entry.sample.tile_set or tile_set, "split": entry.sample.split or split}
        entries.append(Entry(entry.sample.model_copy(update=known), entry.picture))
    return Dataset(entries, dataset.issues)


def _within(dataset: Dataset, since: str | None, until: str | None) -> Dataset:
    """Only the pictures taken from `since` on and before `until` (days, UTC); those of an unknown day are left out."""
    for day in filter(None, (since, until)):
        try:
            date.fromisoformat(day)
        except ValueError:
            raise UsageError(f"{day!r} is no day", "write it as 2026-12-31") from None
    if since is None and until is None:
        return dataset
    low, high = since or "", until or "9999"
    kept = [entry for entry in dataset.entries if low <= (entry.sample.captured_at or "9999") < high]
    return Dataset(kept, dataset.issues)


def _lines(path: Path) -> list[str]:
    try:
        return [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the class order {path}: {error}", "give a text file, one name a line") from None


def _finish(result: dict[str, Any], issues: list[Issue], as_json: bool, line: str) -> None:
    """Print what was done; status 1 when nothing came through."""
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        typer.echo(line)
        if result["lost"]:
            lost = ", ".join(f"{name} ({count})" for name, count in sorted(result["lost"].items()))
            typer.echo(f"not held by this format, left behind: {lost}")
        _show_issues(issues)
    if result["pictures"] == 0:
        raise JobError("no picture came through", "see the remarks above; --proposed exports unreviewed samples")


def _show_issues(issues: list[Issue]) -> None:
    for issue in issues[:_ISSUES_SHOWN]:
        typer.echo(f"  {issue}", err=True)
    if len(issues) > _ISSUES_SHOWN:
        typer.echo(f"  ... and {len(issues) - _ISSUES_SHOWN} more: see --json", err=True)


def _summary(found: CheckReport) -> list[str]:
    across = [pair for pair in found.pairs if pair.across]
    splits = ", ".join(f"{name} {count}" for name, count in found.splits.items())
    lines = [
        f"{found.pictures} pictures, {found.boxes} boxes ({splits})",
        f"pairs of nearly the same picture: {len(across)} across splits, {len(found.pairs) - len(across)} within one "
        f"({sum(pair.same for pair in found.pairs)} of all are the same picture)",
        f"boxes that can hardly be right: {len(found.faults)}",
    ]
    lines += [f"  {fault.image}: {fault.message}" for fault in found.faults[:_ISSUES_SHOWN]]
    lines.append("unknown classes: " + (", ".join(f"{n} ({c})" for n, c in found.unknown.items()) or "none"))
    lines.append(f"pictures without boxes: {len(found.empty)}; labels without picture: {len(found.missing_pictures)}")
    for split, codes in found.missing_classes.items():
        if codes:
            lines.append(f"{split} lacks {' '.join(codes)}")
    for split, codes in found.scarce_classes.items():
        if codes:
            lines.append(f"{split} has few of {' '.join(codes)}")
    for name, places in found.shared_sets.items():
        lines.append(f"tile set {name} is in {', '.join(places)}")
    for look in found.looks:
        lines.append(
            f"{look.split}/{look.group}: {look.share:.0%} of {look.tiles} tiles have a look-alike in train "
            f"(median likeness {look.median:.2f})"
        )
    lines.append("nothing to mend" if found.ok else "something to mend: see above")
    return lines
