"""`taicam devices`: the tablets and phones that may change things."""

from __future__ import annotations

import json
import ssl
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from taicam.config import load_settings
from taicam.errors import JobError
from taicam.ledger import Ledger
from taicam.ledger.devices import DeviceBook

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="List and revoke paired tablets and phones; show the code.",
)
Data = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Folder of the ledger.")]


@app.command("list")
def list_devices(
    data: Data = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, one object a line.")] = False,
) -> None:
    """List every device that was ever paired."""
    settings = load_settings(None, {"data_dir": data})
    with Ledger.open(settings.data_dir, create=False) as ledger:
        devices = DeviceBook(ledger).all()
    if as_json:
        for device in devices:
            line = {name: getattr(device, name) for name in ("id", "name", "paired_utc", "seen_utc", "revoked_utc")}
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        return
    table = Table(title="裝置 devices")
    for name in ("id", "名稱 name", "配對 paired (UTC)", "最近 last seen (UTC)", "移除 revoked"):
        table.add_column(name)
    for device in devices:
        table.add_row(device.id, device.name, device.paired_utc[:19], device.seen_utc[:19], device.revoked_utc[:19])
    Console().print(table)


@app.command("revoke")
def revoke(device: Annotated[str, typer.Argument(help="Id shown by `devices list`.")], data: Data = None) -> None:
    """Take a device's right to change things away, at once."""
    settings = load_settings(None, {"data_dir": data})
    with Ledger.open(settings.data_dir, create=False) as ledger:
        DeviceBook(ledger).revoke(device)
    typer.echo("已移除 revoked")


@app.command("code")
def code(
    port: Annotated[int | None, typer.Option(help="Port of the running taicam.")] = None,
) -> None:
    """Ask the running taicam for the pairing code of the moment."""
    settings = load_settings(None, {"web": {"port": port}})
    scheme = "https" if settings.web.https else "http"
    url = f"{scheme}://127.0.0.1:{settings.web.port}/api/pairing"
    # The certificate is one this machine made itself, and loopback is this machine: there is nobody to vouch for it.
    trust = ssl._create_unverified_context() if settings.web.https else None
    try:
        with urllib.request.urlopen(url, timeout=5, context=trust) as answer:
            told = json.load(answer)
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        raise JobError(f"no taicam answers at {url}: {error}", "start `taicam run`, or give its --port") from None
    if not told.get("pairing"):
        raise JobError("pairing is off", "start it with `taicam run --pairing`")
    typer.echo(f"{told['code']}  ({told['seconds']} s)  {told['url']}/#pair/{told['code']}")
