"""uvicorn in a thread of its own: started before the table is watched, ended within seconds."""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from taicam.config import is_loopback
from taicam.errors import JobError
from taicam.web.certificate import Certificate

START_TIMEOUT_S = 15.0


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Raises JobError saying what to do when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise JobError(
                f"port {port} on {host} is already in use", "choose another with --port N (0: any)"
            ) from None
        if isinstance(error, OSError) and error.errno == errno.EACCES:
            raise JobError(f"port {port} needs more rights", "choose one above 1023 with --port N") from None
        raise JobError(f"cannot listen on {host}: {error}", "give an address of this machine with --host") from None
    listener.listen(64)
    return listener


def own_address(host: str) -> str:
    """This machine's address on the network: the one its packets would leave by (none is sent)."""
    if host not in {"0.0.0.0", "::"}:
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


class WebServer:
    """One FastAPI application on one socket; `before_stop` ends what would otherwise keep connections open."""

    def __init__(
        self,
        app: FastAPI,
        host: str,
        port: int,
        before_stop: Callable[[], None] = lambda: None,
        certificate: Certificate | None = None,
    ) -> None:
        self._before_stop = before_stop
        self._scheme = "http" if certificate is None else "https"
        self._socket = bind(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=2,
            server_header=False,
            lifespan="on",
            ssl_certfile=certificate.cert if certificate else None,
            ssl_keyfile=certificate.key if certificate else None,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="web", daemon=True)

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"{self._scheme}://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{self.port}"

    @property
    def public_url(self) -> str:
        """The address other devices on the network reach these pages at (the same when only this machine may)."""
        return self.url if is_loopback(self.host) else f"{self._scheme}://{own_address(self.host)}:{self.port}"

    def start(self) -> None:
        """Serve; returns when requests are answered. Raises JobError when that does not come about."""
        self._thread.start()
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise JobError(
                    "the web server did not start", "see the lines above; `taicam doctor` checks this machine"
                )
            time.sleep(0.02)

    def stop(self) -> None:
        """End every stream and the server."""
        self._before_stop()
        self._server.should_exit = True
        self._thread.join(timeout=10)
        self._socket.close()
