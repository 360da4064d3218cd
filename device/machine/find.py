"""Which serial ports this machine has, and which of them answers HELLO."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from serial.tools import list_ports

from device.machine.codecs import CODECS, open_codec
from device.machine.messages import PROTOCOL, Hello, HelloReply, Packet
from device.transport import SerialTransport, Transport, TransportError

BY_ID = Path("/dev/serial/by-id")
BAUDS = (115200, 921600, 460800, 230400, 57600, 38400, 19200, 9600)
PATIENCE_S = 0.8
AGAIN_S = 0.3


@dataclass(frozen=True, slots=True)
class PortInfo:
    """One serial port. `stable` is the path to configure: it survives a reboot and another USB socket where the
    system gives such a name, else it is `path`. `vid`, `pid` are USB numbers, None for a built-in port."""

    path: str
    stable: str
    name: str = ""
    vid: int | None = None
    pid: int | None = None
    serial: str = ""

    @property
    def usb(self) -> str:
        """VID:PID in hexadecimal, as `lsusb` and udev rules write it; empty for a built-in port."""
        return f"{self.vid:04x}:{self.pid:04x}" if self.vid is not None and self.pid is not None else ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a probe found at a port: the machine's HELLO and how it was spoken to, or why there was no answer."""

    port: PortInfo
    hello: HelloReply | None = None
    codec: str = ""
    baud: int = 0
    problem: str = ""


def stable_path(path: str, by_id: Path = BY_ID) -> str:
    """The by-id link that leads to `path`, or `path` itself where there is none."""
    target = os.path.realpath(path)
    if by_id.is_dir():
        for link in sorted(by_id.iterdir()):
            if os.path.realpath(link) == target:
                return str(link)
    return path


def list_serial_ports() -> tuple[PortInfo, ...]:
    """The serial ports of this machine, USB adapters first. Built-in ports without hardware behind them are left
    out."""
    found = []
    for port in list_ports.comports():
        if port.vid is None and port.hwid == "n/a":
            continue
        name = port.product or port.description or ""
        found.append(
            PortInfo(port.device, stable_path(port.device), name, port.vid, port.pid, port.serial_number or "")
        )
    return tuple(sorted(found, key=lambda p: (p.vid is None, p.path)))


def say_hello(line: Transport, codec_name: str, patience_s: float = PATIENCE_S) -> HelloReply | None:
    """Ask an open line who is there; None when nobody answers in this codec. Raises TransportError."""
    codec = open_codec(codec_name)
    decoder = codec.decoder()
    hello = codec.encode(Packet(Hello(PROTOCOL, secrets.randbits(32)), 1))
    line.discard()
    begin = time.monotonic()
    ask_at = begin
    while (now := time.monotonic()) - begin < patience_s:
        if now >= ask_at:
            line.write(hello)
            ask_at = now + AGAIN_S
        data = line.read(0.02)
        for packet in decoder.feed(data) if data else decoder.silence():
            if isinstance(packet.message, HelloReply):
                return packet.message
    return None


def probe(
    port: PortInfo,
    bauds: Sequence[int] = (115200,),
    codecs: Sequence[str] = tuple(CODECS),
    patience_s: float = PATIENCE_S,
) -> Found:
    """Try every speed and codec at `port` until one answers. Opens it exclusively; boards are not reset on purpose."""
    for baud in bauds:
        line = SerialTransport(port.path, baud)
        try:
            line.open()
            for codec in codecs:
                hello = say_hello(line, codec, patience_s)
                if hello is not None:
                    return Found(port, hello, codec, baud)
        except TransportError as error:
            return Found(port, problem=str(error))
        finally:
            line.close()
    return Found(port, problem="no machine answers here")


def probe_all(ports: Sequence[PortInfo], bauds: Sequence[int], codecs: Sequence[str]) -> Iterator[Found]:
    """Probe one port after the other."""
    for port in ports:
        yield probe(port, bauds, codecs)
