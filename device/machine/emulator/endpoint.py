"""Where an emulated machine can be reached: a PTY (with a lasting name), or a TCP port. Both can be unplugged."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from pathlib import Path
from typing import Protocol

from device.errors import DeviceError

PIECE = 4096


class Endpoint(Protocol):
    """The machine's end of the cable."""

    @property
    def address(self) -> str:
        """What a host is to open."""

    def plug(self) -> None: ...

    def unplug(self) -> None: ...

    def read(self, timeout_s: float) -> bytes: ...

    def write(self, data: bytes) -> None: ...


class PtyEndpoint:
    """A pseudo terminal. `link` is a path that always leads to the current one, as udev's names do."""

    def __init__(self, link: Path | None = None) -> None:
        self._link = link
        self._master = self._slave = -1
        self._name = ""

    @property
    def address(self) -> str:
        return str(self._link) if self._link else self._name

    def plug(self) -> None:
        if not hasattr(os, "openpty"):
            raise DeviceError("This system has no PTYs.", "Use --tcp PORT instead.")
        import tty  # noqa: PLC0415  (Unix only)

        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._name = os.ttyname(self._slave)
        if self._link is not None:
            fresh = self._link.with_name(self._link.name + ".new")
            with contextlib.suppress(FileNotFoundError):
                fresh.unlink()
            fresh.symlink_to(self._name)
            fresh.replace(self._link)

    def unplug(self) -> None:
        for fd in (self._master, self._slave):
            if fd >= 0:
                os.close(fd)
        self._master = self._slave = -1
        if self._link is not None:
            with contextlib.suppress(FileNotFoundError):
                self._link.unlink()

    def read(self, timeout_s: float) -> bytes:
        if not select.select([self._master], [], [], timeout_s)[0]:
            return b""
        try:
            return os.read(self._master, PIECE)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Like a UART's: what nobody takes off the line within half a second is lost."""
        end = time.monotonic() + 0.5
        while data:
            left = end - time.monotonic()
            if left <= 0 or not select.select([], [self._master], [], left)[1]:
                return
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self._master, data) :]


class TcpEndpoint:
    """A TCP server for one host at a time: `socket://127.0.0.1:PORT`. A new connection replaces the old one."""

    def __init__(self, port: int = 0, host: str = "127.0.0.1") -> None:
        self._host, self._port = host, port
        self._server: socket.socket | None = None
        self._peer: socket.socket | None = None

    @property
    def address(self) -> str:
        return f"socket://{self._host}:{self._port}"

    def plug(self) -> None:
        try:
            self._server = socket.create_server((self._host, self._port))
        except OSError as error:
            raise DeviceError(
                f"TCP port {self._port} cannot be opened: {error.strerror}.", "Choose another with --tcp PORT."
            ) from error
        self._port = self._server.getsockname()[1]

    def unplug(self) -> None:
        for end in (self._peer, self._server):
            if end is not None:
                end.close()
        self._peer = self._server = None

    def read(self, timeout_s: float) -> bytes:
        assert self._server is not None
        watched = [end for end in (self._server, self._peer) if end is not None]
        ready = select.select(watched, [], [], timeout_s)[0]
        if self._server in ready:
            if self._peer is not None:
                self._peer.close()
            self._peer, _ = self._server.accept()
            self._peer.settimeout(0.5)
            self._peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return b""
        if self._peer is None or self._peer not in ready:
            return b""
        with contextlib.suppress(OSError):
            data = self._peer.recv(PIECE)
            if data:
                return data
        self._drop()
        return b""

    def write(self, data: bytes) -> None:
        if self._peer is not None:
            try:
                self._peer.sendall(data)
            except OSError:
                self._drop()

    def _drop(self) -> None:
        if self._peer is not None:
            self._peer.close()
            self._peer = None
