"""Bytes to and from a serial device: five methods over pySerial's addresses.

An address is a device (`/dev/ttyUSB0`, a by-id path, a PTY) or what `serial_for_url` takes: `socket://host:port`,
`rfc2217://host:port`, `loop://`. Whatever way a cable is pulled, it ends as TransportError.
"""

from __future__ import annotations

import contextlib
import errno
import select
import time
from collections.abc import Iterator
from typing import Any, Protocol

import serial

from device.errors import DeviceError
from device.redact import redact

WRITE_TIMEOUT_S = 2.0
PIECE = 4096


class TransportError(DeviceError):
    """The port cannot be opened, or is gone."""


class Transport(Protocol):
    """What a link or a display needs of a line. All raise TransportError when the line is gone."""

    def open(self) -> None:
        """Open the line (again). Nothing is sent, and nothing on the device reset as far as that can be helped."""

    def close(self) -> None:
        """Close it. Never raises."""

    def read(self, timeout_s: float) -> bytes:
        """Whatever has arrived, waiting up to `timeout_s` for the first byte; empty when nothing came."""

    def write(self, data: bytes) -> None:
        """Send all of `data`."""

    def discard(self) -> None:
        """Throw away what has arrived and was not read."""


@contextlib.contextmanager
def _as_transport_error(port: str) -> Iterator[None]:
    """pySerial raises SerialException, bare OSError (`in_waiting` on a pulled adapter), or TypeError and ValueError
    when another thread closed the port meanwhile."""
    try:
        yield
    except serial.SerialTimeoutException as error:
        raise TransportError(f"{port} takes no more bytes.", "Check the cable and the device's power.") from error
    except (serial.SerialException, OSError, TypeError, ValueError, AttributeError) as error:
        # pySerial's own texts (a failed select, a closed descriptor) would only puzzle people.
        raise TransportError(f"{port} is gone (unplugged, or switched off).", "Check the cable.") from error


class SerialTransport:
    """A Transport over pySerial: 8N1, DTR and RTS low on open (raising them resets many boards), exclusive."""

    def __init__(self, port: str, baud: int = 115200) -> None:
        self.port = port
        self._name = redact(port)
        self._baud = baud
        self._serial: Any = None
        self._fd = -1

    def open(self) -> None:
        self.close()
        try:
            line = serial.serial_for_url(self.port, do_not_open=True, timeout=0)
            if not self.port.startswith("rfc2217://"):  # which refuses to open with one
                line.write_timeout = WRITE_TIMEOUT_S
            with contextlib.suppress(AttributeError, ValueError, serial.SerialException):
                line.dtr = False
                line.rts = False
            if "://" not in self.port:
                line.exclusive = True
            line.baudrate = self._baud
            line.open()
        except (serial.SerialException, OSError, ValueError, NotImplementedError) as error:
            raise _open_error(self._name, error) from error
        self._serial = line
        self._fd = _fileno(line)

    def close(self) -> None:
        line, self._serial, self._fd = self._serial, None, -1
        if line is not None:
            with contextlib.suppress(Exception):
                line.close()

    def read(self, timeout_s: float) -> bytes:
        with _as_transport_error(self._name):
            line = self._serial
            if self._fd >= 0:
                if not select.select([self._fd], [], [], timeout_s)[0]:
                    return b""
                data: bytes = line.read(PIECE)
                if not data:
                    raise serial.SerialException("the other side hung up")
                return data
            end = time.monotonic() + timeout_s
            while True:
                waiting = line.in_waiting
                if waiting:
                    return bytes(line.read(min(PIECE, waiting)))
                if time.monotonic() >= end:
                    return b""
                time.sleep(0.002)

    def write(self, data: bytes) -> None:
        with _as_transport_error(self._name):
            self._serial.write(data)

    def discard(self) -> None:
        with _as_transport_error(self._name):
            self._serial.reset_input_buffer()


def _fileno(line: Any) -> int:
    try:
        return int(line.fileno())
    except (AttributeError, OSError, serial.SerialException):  # io.UnsupportedOperation is an OSError
        return -1


def _open_error(port: str, error: Exception) -> TransportError:
    number = getattr(error, "errno", None)
    text = str(error).lower()
    if number == errno.EACCES or "permission" in text:
        return TransportError(f"No rights to open {port}.", "Run: sudo usermod -aG dialout $USER, then log in again.")
    if number == errno.ENOENT or "no such file" in text:
        return TransportError(f"{port} is not there.", "Plug the device in; `taicam find-port` lists the ports.")
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in text or "busy" in text:
        return TransportError(
            f"{port} is in use by another program.",
            f"Find it with `fuser {port}`; ModemManager and brltty are the usual ones (`taicam doctor`).",
        )
    if isinstance(error, ValueError) and "://" in port:
        return TransportError(f"{port} is not an address of a serial line.", "Give e.g. socket://host:port.")
    return TransportError(f"{port} cannot be opened: {redact(str(error))}.", "`taicam find-port` lists the ports.")
