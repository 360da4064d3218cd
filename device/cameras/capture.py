"""Our end of the capture process: start it, give orders, receive events, end it however stuck it is."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

from device.cameras.base import Image
from device.cameras.ring import FrameRing, create_fd
from device.redact import Redactor

log = logging.getLogger("device.cameras")
Event = dict[str, Any]


class CaptureProcess:
    """One capture process and its shared frames. Used by one supervising thread; `image` by any."""

    def __init__(self, redact: Redactor) -> None:
        self._redact = redact
        self._ring_fd = create_fd()
        self._ring = FrameRing(self._ring_fd)
        self._ring_lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._events: queue.Queue[Event] = queue.Queue()
        self._number = 0

    def order_open(self, request: Mapping[str, Any]) -> int:
        """Tell the process (started when there is none) to open a source; returns the number its events will bear."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        self._number += 1
        line = json.dumps({"open": {**request, "number": self._number}}) + "\n"
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except OSError:
            self.kill()
        return self._number

    def next_event(self, timeout_s: float) -> Event | None:
        """The next event of the current order, or None after `timeout_s` without one."""
        try:
            return self._events.get(timeout=max(0.0, timeout_s))
        except queue.Empty:
            return None

    def image(self, event: Event) -> Image | None:
        """The pixels of a `frame` event, or None when they have been overwritten since."""
        height, width, depth = event["shape"]
        with self._ring_lock:
            return self._ring.read(event["slot"], event["counter"], event["slot_bytes"], (height, width, depth))

    def _start(self) -> None:
        self.kill()
        read_end, write_end = os.pipe()
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),  # noqa: PTH109
            "OPENCV_FFMPEG_LOGLEVEL": "-8",
            "OPENCV_LOG_LEVEL": "ERROR",
            "OMP_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "device.cameras.child", str(self._ring_fd), str(write_end)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(self._ring_fd, write_end),
            env=environment,
        )
        os.close(write_end)
        # Each process has its own queue: a straggler from a killed one is never taken for the new one's.
        self._events = queue.Queue()
        threading.Thread(target=_pump_events, args=(read_end, self._events), daemon=True).start()
        threading.Thread(target=self._pump_errors, args=(self._process,), daemon=True).start()

    def _pump_errors(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            log.debug("capture process: %s", self._redact(line.decode(errors="replace").rstrip()))

    def kill(self) -> None:
        """End the process at once. One stuck in the kernel is left to it; a new one can be started all the same."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        try:
            process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            log.warning("A capture process does not end: the camera's driver is stuck. Unplug the camera.")
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()

    def close(self) -> None:
        """End the process and free the shared memory."""
        self.kill()
        with self._ring_lock:
            self._ring.close()


def _pump_events(fd: int, events: queue.Queue[Event]) -> None:
    with os.fdopen(fd, "rb") as stream:
        for line in stream:
            try:
                events.put(json.loads(line))
            except ValueError:
                continue  # the process was killed in the middle of a line
    events.put({"event": "died"})
