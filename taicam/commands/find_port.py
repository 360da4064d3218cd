"""`taicam find-port`: the serial ports, and which of them is a mahjong machine."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from device.machine.codecs import CODECS
from device.machine.find import BAUDS, Found, PortInfo, list_serial_ports, probe, stable_path


def as_json_object(found: Found) -> dict[str, Any]:
    """One port as a JSON object; `machine` is null when nobody answered."""
    hello = found.hello
    machine: dict[str, Any] | None = None
    if hello is not None:
        machine = {"serial": hello.serial, "model": hello.model, "firmware": hello.firmware}
        machine.update(codec=found.codec, baud=found.baud)
    return {**asdict(found.port), "usb": found.port.usb, "machine": machine, "problem": found.problem or None}


def command(
    ports: Annotated[
        list[str] | None, typer.Argument(metavar="[PORT]...", help="Ports to ask; all of this machine's if none given.")
    ] = None,
    ask: Annotated[
        bool, typer.Option("--ask/--list-only", help="Say HELLO at each port, or only list what is there.")
    ] = True,
    all_speeds: Annotated[bool, typer.Option("--all-speeds", help="Try every speed from 9600 to 921600.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, one object a line.")] = False,
) -> None:
    """Find the port of the mahjong machine: every serial port, and which of them answers HELLO.

    Asking opens each port and writes a few bytes to it; --list-only does not.
    Exit status 1 when no machine was found.
    """
    known = {port.path: port for port in list_serial_ports()}
    chosen = [known.get(p, PortInfo(p, stable_path(p))) for p in ports] if ports else list(known.values())
    bauds = BAUDS if all_speeds else (115200,)
    found = [probe(port, bauds, tuple(CODECS)) if ask else Found(port) for port in chosen]
    if as_json:
        for entry in found:
            sys.stdout.write(json.dumps(as_json_object(entry), ensure_ascii=False) + "\n")
    elif found:
        _print(found)
    if not found:
        sys.stderr.write(
            "taicam: this machine has no serial port\n  → plug the machine's USB cable in and look with `lsusb`; "
            "without hardware: taicam emulate machine --pty\n"
        )
    if (ask and not any(entry.hello for entry in found)) or not found:
        raise typer.Exit(1)


def _print(found: list[Found]) -> None:
    table = Table(title="序列埠 serial ports")
    for name in ("埠 port", "USB", "名稱 name", "麻將桌 machine"):
        table.add_column(name, overflow="fold")
    for entry in found:
        hello = entry.hello
        machine = f"{hello.model} {hello.serial} ({entry.codec}, {entry.baud})" if hello else entry.problem
        table.add_row(entry.port.stable, entry.port.usb, entry.port.name, machine)
    Console().print(table)
