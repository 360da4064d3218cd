"""Displays on a serial line: a thread of their own writes the newest view, so that nothing of it reaches scoring."""

from __future__ import annotations

import logging
import threading
import time
from abc import abstractmethod
from collections import deque
from typing import ClassVar

from pydantic import Field

from device.displays.base import Display, DisplayHealth, Lang, TouchEvent
from device.drivers import DriverSettings
from device.transport import SerialTransport, Transport, TransportError
from scoring.view import ScoreView

log = logging.getLogger("device.displays")
FIRST_DELAY_S, LAST_DELAY_S = 0.2, 5.0
READ_S = 0.05
MAX_TOUCHES = 100


class SerialSettings(DriverSettings):
    """`port`: device or pySerial address; `refresh_s`: all is written again so often, for a display that was switched
    off and on; `page_s`: how long each page of a small display stays."""

    port: str
    baud: int = Field(default=9600, ge=1200, le=4_000_000)
    lang: Lang = "en"
    refresh_s: float = Field(default=10.0, gt=0)
    page_s: float = Field(default=3.0, gt=0)


class SerialDisplay(Display):
    """Base of the serial drivers. A driver renders a view to one or several pages of bytes, each writing the whole
    display; this class does the rest: reconnecting, refreshing, turning pages, reading touches."""

    settings_type: ClassVar[type[DriverSettings]] = SerialSettings

    def __init__(self, settings: SerialSettings) -> None:
        super().__init__(settings)
        self._serial = settings
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._view: ScoreView | None = None
        self._cleared = self._again = False
        self._fault = "not connected yet"
        self._shown = self._reopened = 0
        self._touches: deque[TouchEvent] = deque(maxlen=MAX_TOUCHES)
        self._line: Transport = SerialTransport(settings.port, settings.baud)
        self._thread = threading.Thread(target=self._run, name=f"display {settings.port}", daemon=True)
        self._thread.start()

    # ---- what a driver says

    def greeting(self) -> bytes:
        """Bytes to send once after opening."""
        return b""

    @abstractmethod
    def pages(self, view: ScoreView) -> tuple[bytes, ...]:
        """The bytes of each page for `view`. Pure."""

    @abstractmethod
    def blank(self) -> bytes:
        """The bytes that clear the display."""

    def hear(self, data: bytes) -> tuple[TouchEvent, ...]:
        """Take in bytes from the display; returns the touches they complete."""
        return ()

    def write_again(self) -> None:
        """The display has lost what it showed: write all of it at once."""
        self._again = True

    # ---- what callers use

    def show(self, view: ScoreView) -> None:
        with self._lock:
            if view == self._view and not self._cleared:
                return
            self._view, self._cleared = view, False
        self._wake.set()

    def clear(self) -> None:
        with self._lock:
            self._cleared = True
        self._wake.set()

    def health(self) -> DisplayHealth:
        return DisplayHealth(not self._fault, self._fault, self._shown, self._reopened)

    def touches(self) -> tuple[TouchEvent, ...]:
        with self._lock:
            found = tuple(self._touches)
            self._touches.clear()
        return found

    def close(self) -> None:
        self._stop.set()
        self._wake.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    # ---- the thread

    def _run(self) -> None:
        delay = FIRST_DELAY_S
        while not self._stop.is_set():
            try:
                self._line.open()
                self._line.write(self.greeting())
                if self._fault and self._shown:
                    self._reopened += 1
                self._fault, delay = "", FIRST_DELAY_S
                self._serve()
            except TransportError as error:
                self._failed(str(error))
            except Exception as error:
                # Whatever is wrong with a view or a driver, the table goes on.
                self._failed(f"{type(error).__name__}: {error}")
            self._line.close()
            self._stop.wait(delay)
            delay = min(LAST_DELAY_S, delay * 2)

    def _failed(self, reason: str) -> None:
        if not self._fault or self._fault == "not connected yet":
            log.warning("Display %s: %s It is being tried again.", self.name, reason)
        self._fault = reason

    def _serve(self) -> None:
        """Write what is to be shown, until the line fails or we are closed."""
        written: ScoreView | None = None
        blank = False
        page, due = 0, 0.0
        while not self._stop.is_set():
            data = self._line.read(READ_S)
            if data:
                touched = self.hear(data)
                with self._lock:
                    self._touches.extend(touched)
            with self._lock:
                view, cleared = self._view, self._cleared
            now = time.monotonic()
            if self._again:
                self._again, due, blank = False, 0.0, False
            if cleared:
                if not blank:
                    self._line.write(self.blank())
                    blank, written = True, None
                continue
            if view is None or (view == written and now < due):
                continue
            pages = self.pages(view)
            page = 0 if view != written else (page + 1) % len(pages)
            self._line.write(pages[page])
            self._shown += view != written
            written, blank = view, False
            due = now + (self._serial.page_s if len(pages) > 1 else self._serial.refresh_s)
