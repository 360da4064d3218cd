"""The capture process: `python -m device.cameras.child FRAMES_FD EVENTS_FD`.

A driver or a network library that hangs in here can be killed; in our own process it could not. Orders come as JSON
lines on standard input (so an address with a password is never on a command line); events go back as JSON lines on
EVENTS_FD, pixels through the ring of `device.cameras.ring`. The end of standard input ends the process.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from typing import Any

from device.cameras.grabbers import GRABBERS, Grabber, GrabError
from device.cameras.ring import FrameRing
from device.cameras.watch import look_at
from device.drivers import driver_class


class Child:
    """Obeys `open` and `close`, and streams in between."""

    def __init__(self, ring: FrameRing, events_fd: int) -> None:
        self._ring = ring
        self._events = events_fd
        self._orders: queue.Queue[dict[str, Any]] = queue.Queue()

    def listen(self) -> None:
        """Read orders until our parent is gone; then end at once, whatever the driver is doing."""
        for line in sys.stdin:
            self._orders.put(json.loads(line))
        os._exit(0)

    def tell(self, event: str, **facts: Any) -> None:
        data = json.dumps({"event": event, **facts}).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._events, data) :]
        except BrokenPipeError:
            os._exit(0)

    def run(self) -> None:
        """Serve orders for ever."""
        while True:
            order: dict[str, Any] | None = self._orders.get()
            while order is not None and "open" in order:
                order = self._stream(order["open"])  # a new order may interrupt the stream

    def _stream(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Open and stream until the source fails or another order comes; returns that order."""
        grabber: Grabber = driver_class("capture", request["grabber"], GRABBERS)()
        number = request["number"]
        opened = False
        try:
            applied = grabber.open(request)
            opened = True
            self.tell("opened", number=number, applied=applied)
            return self._pump(grabber, request)
        except GrabError as error:
            self.tell("lost" if opened else "failed", number=number, reason=str(error))
        except Exception as error:
            # A driver may raise anything; our parent decides what to do with it.
            kind = type(error).__name__
            self.tell("lost" if opened else "failed", number=number, reason=f"{kind}: {error}")
        finally:
            grabber.close()
        return None

    def _pump(self, grabber: Grabber, request: dict[str, Any]) -> dict[str, Any]:
        period = 1.0 / float(request["max_fps"]) if request.get("max_fps") else 0.0
        lock_at = time.monotonic() + float(request["lock_after_s"]) if request.get("lock_after_s") else None
        due = 0.0
        while True:
            try:
                return self._orders.get_nowait()
            except queue.Empty:
                pass
            taken = grabber.grab()
            now = time.monotonic()
            if lock_at is not None and now >= lock_at:
                lock_at = None
                self.tell("locked", number=request["number"], locks=grabber.lock())
            if now < due - 0.001:
                continue
            due = max(due + period, now + period / 2)
            image = grabber.retrieve()
            look = look_at(image)
            slot, counter = self._ring.write(image)
            self.tell(
                "frame",
                number=request["number"],
                slot=slot,
                counter=counter,
                slot_bytes=self._ring.slot_bytes,
                shape=image.shape,
                taken=taken,
                look=[look.mean, look.spread, look.digest],
            )


def main() -> None:
    """Run the capture process on the two inherited file descriptors."""
    frames_fd, events_fd = int(sys.argv[1]), int(sys.argv[2])
    import cv2  # noqa: PLC0415  (after the check of the arguments: it is slow)

    cv2.setNumThreads(1)
    child = Child(FrameRing(frames_fd), events_fd)
    threading.Thread(target=child.listen, daemon=True).start()
    try:
        child.run()
    except KeyboardInterrupt:
        os._exit(0)


if __name__ == "__main__":
    main()
