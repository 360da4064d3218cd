"""`taicam machine`: talk to a mahjong machine on a serial line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from device.machine.cursors import FileCursors
from device.machine.events import MachineEvent
from device.machine.link import Direction, MachineLink, Tap
from device.machine.messages import Packet, ShuffleStart, ShuffleStop
from device.machine.monitor import Recorder, describe
from device.machine.session import EventsLost, LinkDown, LinkUp, Notice
from taicam.errors import JobError, UsageError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Watch a serial mahjong machine, ask it for its state or a picture, have it shuffle.",
)
Port = Annotated[str, typer.Argument(help="Device, socket://HOST:PORT, rfc2217://HOST:PORT; see `taicam find-port`.")]
Codec = Annotated[str, typer.Option(help="Framing: cobs-crc16, aa55-xor or ascii-line.")]
Baud = Annotated[int, typer.Option(min=1200, max=4_000_000, help="Speed in bits a second.")]
Address = Annotated[int, typer.Option(min=0, max=254, help="Its address on a shared line; 0 point to point.")]
HalfDuplex = Annotated[bool, typer.Option("--half-duplex", help="RS-485: ask for everything, drop the echo.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON, one object a line.")]
WAIT_S = 6.0


@contextmanager
def _connected(port: str, *, wait_s: float = WAIT_S, **settings: Any) -> Iterator[MachineLink]:
    """A link that is up. Raises JobError when the machine does not answer in time."""
    with MachineLink(port, **settings) as link:
        end = time.monotonic() + wait_s
        while not link.health().ok:
            if time.monotonic() > end:
                reason = link.health().reason or "it does not answer"
                raise JobError(f"no machine at {port}: {reason}", "`taicam find-port` asks every port and speed")
            time.sleep(0.02)
        yield link


def _traffic_printer() -> Tap:
    begin = time.monotonic()

    def show(direction: Direction, data: bytes, packets: Sequence[Packet]) -> None:
        for packet in packets:
            arrow = "←" if direction == "rx" else "→"
            sys.stdout.write(f"{time.monotonic() - begin:8.3f} {arrow} {describe(packet)}\n")
        sys.stdout.flush()

    return show


def item_json(item: MachineEvent | Notice) -> dict[str, object]:
    """An event or a notice as one JSON object."""
    if isinstance(item, MachineEvent):
        return {"what": "event", "machine": item.machine, "key": item.key, **item.dump()}
    names: dict[type[object], str] = {LinkUp: "up", LinkDown: "down", EventsLost: "lost"}
    return {"what": names[type(item)]} | {name: getattr(item, name) for name in item.__dataclass_fields__}


@app.command("monitor")
def monitor(
    port: Port,
    codec: Codec = "cobs-crc16",
    baud: Baud = 115200,
    address: Address = 0,
    half_duplex: HalfDuplex = False,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every byte to this file as well.")] = None,
    cursors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Remember there what was shown, and let the machine forget it.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="Stop after so many seconds.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a machine's traffic live, decoded; with --json the events alone, one object a line.

    Watching takes the events off the machine: do not do it beside a running `taicam run`. With --record FILE the
    bytes are kept for a bug report; `taicam replay FILE` shows them again.
    """
    taps: list[Tap] = [] if as_json else [_traffic_printer()]
    with ExitStack() as stack:
        if record is not None:
            taps.append(stack.enter_context(Recorder(record, codec=codec, baud=baud)))
        store = FileCursors(cursors) if cursors else None
        link = MachineLink(
            port, address=address, codec=codec, baud=baud, half_duplex=half_duplex, taps=taps, cursors=store
        )
        stack.enter_context(link)
        _watch(link, seconds, _print_json if as_json else _print_notice)


def _watch(link: MachineLink, seconds: float | None, show: Callable[[MachineEvent | Notice], None]) -> None:
    end = time.monotonic() + seconds if seconds is not None else None
    try:
        while end is None or time.monotonic() < end:
            item = link.next(0.1)
            if item is not None:
                show(item)
    except KeyboardInterrupt:
        pass
    health = link.health()
    sys.stderr.write(
        f"{health.machine}: {health.state}; {health.stats.events} events, {health.stats.repeats} requests repeated, "
        f"{health.decoder.bad} damaged frames, {health.reconnects} reconnects\n"
    )


def _print_json(item: MachineEvent | Notice) -> None:
    sys.stdout.write(json.dumps(item_json(item), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _print_notice(item: MachineEvent | Notice) -> None:
    if not isinstance(item, MachineEvent):
        sys.stdout.write(f"         * {json.dumps(item_json(item), ensure_ascii=False)}\n")
        sys.stdout.flush()


@app.command("state")
def state(
    port: Port, codec: Codec = "cobs-crc16", baud: Baud = 115200, address: Address = 0, half_duplex: HalfDuplex = False
) -> None:
    """Show who the machine is and the state of its table, as one JSON object."""
    with _connected(port, codec=codec, baud=baud, address=address, half_duplex=half_duplex) as link:
        health, snapshot = link.health(), link.snapshot()
        table = snapshot.dump() if snapshot else {}
        sys.stdout.write(
            json.dumps({"machine": health.machine, "model": health.model, **table}, ensure_ascii=False) + "\n"
        )


@app.command("picture")
def picture(
    port: Port,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the JPEG.")],
    camera: Annotated[int, typer.Option(min=0, max=255, help="Which of its cameras.")] = 0,
    codec: Codec = "cobs-crc16",
    baud: Baud = 115200,
    address: Address = 0,
    half_duplex: HalfDuplex = False,
) -> None:
    """Take a picture with the machine's own camera."""
    with _connected(port, codec=codec, baud=baud, address=address, half_duplex=half_duplex) as link:
        data = link.request_image(camera, timeout_s=120)
    out.write_bytes(data)
    typer.echo(f"{out}: {len(data)} bytes")


@app.command("shuffle")
def shuffle(
    port: Port,
    what: Annotated[str, typer.Argument(help="start or stop.")],
    codec: Codec = "cobs-crc16",
    baud: Baud = 115200,
    address: Address = 0,
    half_duplex: HalfDuplex = False,
) -> None:
    """Start or stop the machine's shuffling."""
    commands = {"start": ShuffleStart(), "stop": ShuffleStop()}
    if what not in commands:
        raise UsageError(f"the machine cannot {what!r} shuffling", "valid: start, stop")
    with _connected(port, codec=codec, baud=baud, address=address, half_duplex=half_duplex) as link:
        link.command(commands[what])
    typer.echo("ok")
