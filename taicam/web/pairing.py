"""Pairing: a short code shown where only the people at the table can see it, exchanged once for a token."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

from taicam.ledger.devices import Device, DeviceBook

CODE_DIGITS = 6
CODE_LIFE_S = 600.0
WINDOW_S = 300.0
TRIES_PER_CLIENT = 5
TRIES_IN_ALL = 20
SEEN_EVERY_S = 60.0
CACHE_S = 2.0  # a revoked device is out within this time


class PairingRefusedError(Exception):
    """The code was wrong, or too many were tried; `retry_s` is how long to wait (0: try the code now shown)."""

    def __init__(self, message: str, retry_s: int = 0) -> None:
        super().__init__(message)
        self.retry_s = retry_s


class PairingDesk:
    """Codes and tokens of one appliance. Safe from several threads.

    A million codes, 20 tries in five minutes over all clients, and a new code after every fifth failure and every
    success: guessing one takes years.
    """

    def __init__(self, book: DeviceBook, clock: Callable[[], float] = time.monotonic) -> None:
        self.book = book
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: dict[str, deque[float]] = {}
        self._all_failures: deque[float] = deque()
        self._known: dict[str, tuple[float, Device | None]] = {}
        self._seen: dict[str, float] = {}
        self._new_code()

    def code(self) -> tuple[str, int]:
        """The code of the moment and the seconds it will still be good for."""
        with self._lock:
            if self._clock() >= self._expires:
                self._new_code()
            return self._code, int(self._expires - self._clock())

    def pair(self, code: str, name: str, client: str) -> tuple[Device, str]:
        """Exchange the code for a device and its token. Raises PairingRefusedError."""
        with self._lock:
            now = self._clock()
            self._forget_old(now)
            mine = self._failures.setdefault(client, deque())
            if len(mine) >= TRIES_PER_CLIENT or len(self._all_failures) >= TRIES_IN_ALL:
                oldest = mine[0] if len(mine) >= TRIES_PER_CLIENT else self._all_failures[0]
                raise PairingRefusedError("too many wrong codes", max(1, int(oldest + WINDOW_S - now)))
            if now >= self._expires:
                self._new_code()
            if not hmac.compare_digest(code.encode(), self._code.encode()):
                mine.append(now)
                self._all_failures.append(now)
                if len(self._all_failures) % TRIES_PER_CLIENT == 0:
                    self._new_code()
                raise PairingRefusedError("that is not the code shown now")
            self._failures.pop(client, None)
            self._new_code()
        return self.book.add(name)

    def device(self, token: str | None) -> Device | None:
        """The paired device that holds `token`, if any."""
        if not token:
            return None
        now = self._clock()
        with self._lock:
            cached = self._known.get(token)
        if cached is None or now - cached[0] > CACHE_S:
            cached = (now, self.book.find(token))
            with self._lock:
                if len(self._known) > 1000:
                    self._known.clear()
                self._known[token] = cached
        found = cached[1]
        if found is not None and now - self._seen.get(found.id, -SEEN_EVERY_S) >= SEEN_EVERY_S:
            self._seen[found.id] = now
            self.book.seen(found.id)
        return found

    def revoke(self, device_id: str) -> None:
        """Take a device's right away. Raises UsageError for an unknown one."""
        self.book.revoke(device_id)
        with self._lock:
            self._known.clear()

    def _new_code(self) -> None:
        self._code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}d}"
        self._expires = self._clock() + CODE_LIFE_S

    def _forget_old(self, now: float) -> None:
        for times in (self._all_failures, *self._failures.values()):
            while times and now - times[0] > WINDOW_S:
                times.popleft()
        for client in [name for name, times in self._failures.items() if not times]:
            del self._failures[client]
