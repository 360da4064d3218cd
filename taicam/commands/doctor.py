"""`taicam doctor`: is this computer ready, and what mends it."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from device.cameras import driver_for
from device.checks import (
    Check,
    check_cameras,
    check_clock,
    check_cores,
    check_disk,
    check_grabbers,
    check_ports,
    check_power,
    check_source,
    check_web_port,
    system_groups,
    usable_cores,
)
from device.errors import DeviceError
from scoring import load_ruleset
from taicam.config import Settings, load_settings, resolve_references
from taicam.errors import JobError, TaicamError
from taicam.ledger.store import FILE_NAME
from taicam.models_registry import KINDS, SHIPPED, ModelRegistry
from vision.weights import WeightsError, model_path

MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "bold red"), "skip": ("-", "dim")}
NOT_CAMERAS = ("sample", "none")


def check_models(data_dir: Path) -> list[Check]:
    """Every network is there and is the one its card describes: the shipped ones, and those put in use instead."""
    checks = [_shipped(name) for name in (*KINDS, "stacked")]
    registry = ModelRegistry(data_dir)
    for kind, shipped in zip(KINDS, tuple(checks), strict=False):
        chosen = registry.chosen(kind)
        if chosen == SHIPPED or shipped.status != "ok":
            continue
        try:
            used = registry.version(kind, chosen)
            checks.append(Check("models", "ok", f"{kind}: version {chosen} is in use, checksum right"))
        except JobError as error:
            used = registry.current(kind)
            problem = f"{kind}: {error.message}; version {used.version} is used instead"
            checks.append(Check("models", "warn", problem, f"taicam models rollback {kind}"))
    return checks


def _shipped(name: str) -> Check:
    try:
        path = model_path(name)
    except WeightsError as error:
        mend = "reinstall taicam, or check the repository out anew: git checkout -- models"
        return Check("models", "fail", str(error), mend)
    return Check("models", "ok", f"{path.name} ({path.stat().st_size / 1e6:.1f} MB), checksum right")


def check_ledger(data_dir: Path) -> Check:
    """The ledger can be read and is whole; looked at only, never changed."""
    path = data_dir / FILE_NAME
    if not path.exists():
        return Check("database", "ok", f"no ledger yet; `taicam run` makes {path}")
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            answer = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error as error:
        return Check(
            "database", "fail", f"{path}: {error}", f"put a backup in its place, or move it away: mv {path} {path}.bad"
        )
    if answer != "ok":
        return Check("database", "fail", f"{path} is damaged: {answer}", "put a backup in its place")
    return Check("database", "ok", str(path))


def check_ruleset(settings: Settings) -> Check:
    """The configured ruleset and its options are valid."""
    try:
        load_ruleset(settings.ruleset, settings.options)
    except ValueError as error:
        return Check("ruleset", "fail", str(error), "taicam rules list")
    return Check("ruleset", "ok", settings.ruleset)


def _running(port: int) -> bool:
    """Whether a taicam already answers on that port of this machine."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1.0) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError, ValueError):
        return False


def _check_configured_source(settings: Settings, running: bool) -> Check:
    source = settings.source
    if source in NOT_CAMERAS:
        return Check("source", "ok", f"{source}: no camera is used")
    if source.startswith("serial://"):
        return Check("source", "skip", "a machine on a serial line", f"taicam machine state {source}")
    if running:
        return Check("source", "skip", "the running taicam has the camera")
    try:
        plain = resolve_references(source)
        driver_for(plain)
    except DeviceError as error:
        return Check("source", "fail", error.problem, error.advice)
    except TaicamError as error:
        return Check("source", "fail", error.message, error.advice)
    return check_source(plain, settings.camera)


def all_checks(settings: Settings) -> Iterable[Check]:
    """Every check, in the order of the report. One that fails in an unforeseen way is a failure, not the end."""
    running = settings.web.enabled and bool(settings.web.port) and _running(settings.web.port)
    web = settings.web
    version = ".".join(str(part) for part in sys.version_info[:3])
    steps: list[Callable[[], Check | list[Check] | None]] = [
        lambda: Check("python", "ok", f"Python {version}"),
        lambda: check_cores(os.environ, usable_cores()),
        check_clock,
        check_power,
        lambda: check_disk(settings.data_dir),
        lambda: check_models(settings.data_dir),
        lambda: check_ruleset(settings),
        lambda: check_ledger(settings.data_dir),
        check_cameras,
        lambda: _check_configured_source(settings, running),
        check_ports,
        system_groups,
        check_grabbers,
        lambda: check_web_port(web.address, web.port, running) if web.enabled else None,
    ]
    for step in steps:
        try:
            found = step()
        except Exception as error:
            found = Check("doctor", "fail", f"a check broke: {type(error).__name__}: {error}", "please report this")
        if isinstance(found, Check):
            yield found
        elif found is not None:
            yield from found


def _print(checks: list[Check]) -> None:
    console = Console(highlight=False)
    for check in checks:
        mark, style = MARKS[check.status]
        console.print(Text.assemble((f"{mark} ", style), (f"{check.name:<17}", "bold"), check.detail))
        if check.mend and check.status != "ok":
            console.print(Text.assemble(" " * 19, ("→ ", style), check.mend))
    failed = sum(check.status == "fail" for check in checks)
    warned = sum(check.status == "warn" for check in checks)
    console.print(f"{len(checks)} checks, {failed} failed, {warned} to look at")


def command(
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the ledger and captures.")] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Settings file (TOML).")] = None,
    source: Annotated[str | None, typer.Option(help="Check this source instead of the configured one.")] = None,
    port: Annotated[int | None, typer.Option(help="Check this web port instead of the configured one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, one object a line.")] = False,
) -> None:
    """Check this computer: cameras, ports, rights, models, cores, clock, disk, database, web port.

    For everything that is wrong it says the command that mends it. Exit status 1 when anything failed; things to
    look at (!) alone do not fail.
    """
    settings = load_settings(config, {"data_dir": data, "source": source, "web": {"port": port}})
    checks = list(all_checks(settings))
    if as_json:
        for check in checks:
            sys.stdout.write(json.dumps(asdict(check), ensure_ascii=False) + "\n")
    else:
        _print(checks)
    if any(check.status == "fail" for check in checks):
        raise typer.Exit(1)
