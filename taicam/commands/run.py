"""`taicam run`: the appliance."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from scoring import load_ruleset
from taicam import logs
from taicam.appliance import Appliance, RunOptions
from taicam.config import load_settings
from taicam.errors import UsageError
from taicam.facts import Facts

_FACTS = "What the camera cannot see"


def parse_option(text: str) -> tuple[str, Any]:
    """`name=value` of a ruleset option; true/false and whole numbers become what they mean."""
    name, found, value = text.partition("=")
    if not found or not name.strip():
        raise UsageError(f"--option {text!r} is not NAME=VALUE", "write for example --option ligu_enabled=false")
    word = value.strip()
    if word.lower() in {"true", "false"}:
        return name.strip(), word.lower() == "true"
    try:
        return name.strip(), int(word)
    except ValueError:
        return name.strip(), word


def command(
    source: Annotated[
        str | None,
        typer.Option(
            help="Camera index or device, video file, picture, folder of pictures, rtsp/http address, "
            "'sample' (the bundled pictures), or 'none' (pages only)."
        ),
    ] = None,
    headless: Annotated[bool, typer.Option("--headless", help="No display on this terminal.")] = False,
    port: Annotated[int | None, typer.Option(help="Port of the pages; 0 takes a free one.")] = None,
    host: Annotated[str | None, typer.Option(help="Address the pages listen on.")] = None,
    pairing: Annotated[
        bool | None,
        typer.Option("--pairing/--no-pairing", help="Tablets pair with a code before they may change anything."),
    ] = None,
    https: Annotated[
        bool | None, typer.Option("--https", help="Serve the pages over https, with a certificate made here.")
    ] = None,
    no_web: Annotated[bool, typer.Option("--no-web", help="Serve no pages.")] = False,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the ledger and captures.")] = None,
    ruleset: Annotated[str | None, typer.Option(help="Ruleset to score with; `taicam rules list` shows them.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the ruleset.")] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Settings file (TOML).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object a picture.")] = False,
    once: Annotated[bool, typer.Option("--once", help="End after the last picture, also on a terminal.")] = False,
    seat_wind: Annotated[str, typer.Option(help="Winner's seat: E S W N.", rich_help_panel=_FACTS)] = "E",
    round_wind: Annotated[str, typer.Option(help="Round wind: E S W N.", rich_help_panel=_FACTS)] = "E",
    self_draw: Annotated[
        bool, typer.Option("--self-draw", help="Won by the own draw.", rich_help_panel=_FACTS)
    ] = False,
) -> None:
    """Watch a table: read what is won, score it, show it, and keep the account.

    Pictures and folders are gone through once and end with a table of what was read; a camera is watched until
    Ctrl-C. A hand that was read without a doubt is recorded; one in doubt waits to be confirmed; a picture that
    shows no hand is reported, and the run goes on. Every picture is recorded once, however often it is run.

    A folder that holds a truth.json is held against it. Settings not given here come from the environment
    (TAICAM_…), then from the settings file; `taicam config` shows them.

    [bold]taicam run --source sample[/bold] goes through the bundled pictures, without any hardware.
    """
    overrides = {
        "source": source,
        "data_dir": data,
        "ruleset": ruleset,
        "options": dict(parse_option(text) for text in option or ()) or None,
        "web": {"port": port, "host": host, "pairing": pairing, "https": https, "enabled": False if no_web else None},
    }
    settings = load_settings(config, overrides)
    logs.configure(settings.log.level or ("INFO" if headless else "WARNING"), settings.log.style)
    load_ruleset(settings.ruleset, settings.options)  # refuse an unknown ruleset or option before anything starts
    facts = Facts.from_mapping({"seat_wind": seat_wind, "round_wind": round_wind, "self_draw": self_draw})
    keep_serving = sys.stdout.isatty() and not (once or as_json)
    raise typer.Exit(Appliance(settings, RunOptions(headless, as_json, facts, keep_serving)).run())
