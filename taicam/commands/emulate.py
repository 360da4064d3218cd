"""`taicam emulate`: hardware for people who have none."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from device.machine.codecs import CODECS
from device.machine.emulator.core import Identity
from device.machine.emulator.endpoint import Endpoint, PtyEndpoint, TcpEndpoint
from device.machine.emulator.faults import HELP as FAULTS_HELP
from device.machine.emulator.faults import parse_faults
from device.machine.emulator.run import Emulator, EmulatorSettings, picture_maker
from taicam.errors import UsageError

DRAWN = "taicam.commands.emulate_render:picture_of"

app = typer.Typer(
    no_args_is_help=True, pretty_exceptions_enable=False, help="Play a mahjong machine without the hardware."
)


@app.callback()
def _root() -> None:
    """Play a mahjong machine without the hardware."""


@app.command("machine")
def machine(
    pty: Annotated[bool, typer.Option("--pty", help="Be reached at a pseudo terminal (the default).")] = False,
    link: Annotated[Path | None, typer.Option(metavar="PATH", help="A lasting name for the pseudo terminal.")] = None,
    tcp: Annotated[int | None, typer.Option(metavar="PORT", help="Be reached at this TCP port instead.")] = None,
    hands: Annotated[int | None, typer.Option(min=0, help="Hands to play; endless when left out.")] = None,
    pace: Annotated[float, typer.Option(min=0, help="Seconds between events; 0 is as fast as they are taken.")] = 0.5,
    events_only: Annotated[bool, typer.Option("--events-only", help="Do not report the winner's tiles.")] = False,
    pictures: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Its camera's pictures: 'drawn' (the hand just won, by our renderer), a "
            "folder of JPEGs, or module:callable.",
        ),
    ] = None,
    fault: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help=f"Trouble to make; may be given again. {FAULTS_HELP}")
    ] = None,
    codec: Annotated[str, typer.Option(help=f"Framing: {', '.join(sorted(CODECS))}.")] = "cobs-crc16",
    address: Annotated[int, typer.Option(min=0, max=254, help="Address on a shared line.")] = 0,
    forgetful: Annotated[bool, typer.Option("--forgetful", help="Lose the event memory on a reboot.")] = False,
    serial: Annotated[str, typer.Option(help="Serial number it answers with.")] = "EMU-0001",
    seed: Annotated[int, typer.Option(help="The same number plays the same game.")] = 0,
) -> None:
    """Run a whole automatic mahjong machine: it deals, plays hands, and reports them as the protocol says.

    Then, in another terminal: `taicam machine monitor PORT`, or `taicam run --source serial://PORT`.
    """
    if tcp is not None and (pty or link is not None):
        raise UsageError("--tcp and --pty cannot both be given", "choose one")
    if codec not in CODECS:
        raise UsageError(f"there is no codec {codec!r}", f"valid: {', '.join(sorted(CODECS))}")
    if len(serial.encode()) > 32:
        raise UsageError("--serial is longer than 32 bytes", "choose a shorter serial number")
    endpoint: Endpoint = TcpEndpoint(tcp) if tcp is not None else PtyEndpoint(link)
    settings = EmulatorSettings(
        codec=codec,
        identity=Identity(serial),
        address=address,
        hands=hands,
        pace_s=pace,
        tiles=not events_only,
        persistent=not forgetful,
        faults=parse_faults(fault or []),
        seed=seed,
    )
    source = DRAWN if pictures == "drawn" else pictures
    _serve(Emulator(endpoint, settings, picture_maker(source) if source else None))


def _serve(emulator: Emulator) -> None:
    emulator.start()
    typer.echo(f"麻將桌模擬器 machine emulator: {emulator.endpoint.address}")
    typer.echo(f"  taicam machine monitor {emulator.endpoint.address}")
    sys.stdout.flush()
    try:
        while not emulator.done.is_set():
            time.sleep(0.2)
        time.sleep(0.5)
    except KeyboardInterrupt:
        pass
    finally:
        emulator.stop()
        counts = emulator.counts
        typer.echo(
            f"{len(emulator.game.played)} hands, {emulator.events} events, {counts.frames} frames, "
            f"trouble made: {counts.done or 'none'}"
        )
