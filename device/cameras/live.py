"""Live cameras: a supervisor that keeps the newest frame, notices every kind of failure and mends it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from device.cameras.base import (
    Camera,
    CameraError,
    CameraHealth,
    CameraState,
    CameraTimeoutError,
    Frame,
    Refusal,
)
from device.cameras.capture import CaptureProcess, Event
from device.cameras.watch import ContentWatch, Look
from device.drivers import DriverSettings
from device.redact import Redactor

log = logging.getLogger("device.cameras")
FIRST_DELAY_S = 0.2
LAST_DELAY_S = 1.0
CONTENT_FIRST_DELAY_S = 1.0
CONTENT_LAST_DELAY_S = 30.0


class LiveSettings(DriverSettings):
    """Seconds, all of them: `open_timeout_s` for opening, `stall_s` without a frame is a stall, `frozen_s` of the very
    same picture is a frozen camera and `black_s` of black a covered or broken one (0 turns that check off);
    `max_age_s` is the oldest frame handed out, `read_timeout_s` how long `read` waits for one. `patient`: `open` does
    not fail when the camera is not there yet, it is waited for. `max_fps`: frames a second taken over."""

    open_timeout_s: float = Field(default=5.0, gt=0)
    stall_s: float = Field(default=1.5, gt=0)
    frozen_s: float = Field(default=1.5, ge=0)
    black_s: float = Field(default=1.5, ge=0)
    max_age_s: float = Field(default=1.0, gt=0)
    read_timeout_s: float = Field(default=3.0, gt=0)
    patient: bool = False
    max_fps: float = Field(default=15.0, ge=0)


class LiveCamera(Camera):
    """Base of the live drivers; a driver only says what its grabber is to open (`_request`)."""

    settings_type: ClassVar[type[DriverSettings]] = LiveSettings
    advice: ClassVar[str] = "Check the cable and run `taicam find-cameras`."

    def __init__(self, source: str, settings: LiveSettings) -> None:
        self._redact = Redactor(source)
        super().__init__(self._redact(source), settings)
        self._live = settings
        self._ready = threading.Condition()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._capture: CaptureProcess | None = None
        self._newest: Event | None = None
        self._sequence = -1
        self._handed_out = -1
        self._state: CameraState = "closed"
        self._reason = ""
        self._since = time.monotonic()
        self._reopened = 0
        self._applied: dict[str, Any] = {}
        self._refused: tuple[Refusal, ...] = ()
        self._locks: dict[str, Any] = {}
        self._warned: set[str] = set()
        self._watch = ContentWatch(settings.black_s, settings.frozen_s)
        self._content_delay = CONTENT_FIRST_DELAY_S
        self._failed_at = 0.0

    def _request(self) -> Mapping[str, Any]:
        """What the capture process is to open: `grabber`, `address` and that grabber's own fields."""
        raise NotImplementedError

    # ---- what callers use

    def open(self) -> None:
        if self._thread is not None:
            return
        self._stop.clear()
        self._capture = CaptureProcess(self._redact)
        self._set("opening", "")
        self._thread = threading.Thread(target=self._supervise, name=f"camera {self.source}", daemon=True)
        self._thread.start()
        if self._live.patient:
            return
        with self._ready:
            self._ready.wait_for(lambda: self._state != "opening", self._live.open_timeout_s + 3.0)
            state, reason = self._state, self._reason
        if state != "ok":
            self.close()
            raise CameraError(f"Camera {self.source}: {reason or 'no frame came'}.", self.advice)

    def close(self) -> None:
        thread, self._thread = self._thread, None
        self._stop.set()
        if self._capture is not None:
            self._capture.kill()
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2.0)
        if self._capture is not None:
            self._capture.close()
            self._capture = None
        with self._ready:
            self._newest = None
            self._state, self._reason = "closed", ""
            self._ready.notify_all()

    def read(self, max_age_s: float | None = None, timeout_s: float | None = None) -> Frame:
        limit = self._live.max_age_s if max_age_s is None else max_age_s
        end = time.monotonic() + (self._live.read_timeout_s if timeout_s is None else timeout_s)
        with self._ready:
            while True:
                frame = self._take(limit)
                if frame is not None:
                    return frame
                if self._thread is None:
                    raise CameraError(f"{self.source} is not open.", "Call open() first.")
                left = end - time.monotonic()
                if left <= 0:
                    why = self._reason or "no frame came in time"
                    raise CameraTimeoutError(f"Camera {self.source}: {why}.", self.advice)
                self._ready.wait(left)

    def _take(self, max_age_s: float) -> Frame | None:
        """The newest frame, copied out, when it is new, young and from a healthy stream. The lock is held."""
        event = self._newest
        if event is None or self._state != "ok" or self._capture is None or self._sequence == self._handed_out:
            return None
        if time.monotonic() - event["taken"] > max_age_s:
            return None
        image = self._capture.image(event)
        if image is None:
            return None
        self._handed_out = self._sequence
        return Frame(image, self._sequence, event["taken"], self.source)

    def health(self) -> CameraHealth:
        with self._ready:
            return CameraHealth(
                self._state,
                self._reason,
                self._sequence + 1,
                self._reopened,
                time.monotonic() - self._since,
                dict(self._applied),
                self._refused,
            )

    # ---- the supervising thread

    def _supervise(self) -> None:
        capture = self._capture
        assert capture is not None
        delay = FIRST_DELAY_S
        while not self._stop.is_set():
            if self._open_source(capture):
                delay = FIRST_DELAY_S
                if self._state not in ("black", "frozen"):
                    self._watch.reset()  # else the same picture again is still the old trouble
                self._follow(capture)
            if self._stop.wait(delay):
                break
            delay = min(delay * 2, LAST_DELAY_S)

    def _open_source(self, capture: CaptureProcess) -> bool:
        """One try at opening. False, with the reason noted, when it failed or took too long."""
        request = {**self._request(), "locks": self._locks, "max_fps": self._live.max_fps}
        if self._locks:
            request["lock_after_s"] = 0  # what was locked is applied again instead
        number = capture.order_open(request)
        # The process itself may have to start first: some seconds on a small computer.
        end = time.monotonic() + self._live.open_timeout_s + 2.0
        while not self._stop.is_set():
            event = capture.next_event(end - time.monotonic())
            if event is None:
                capture.kill()
                self._set("lost", f"it did not open within {self._live.open_timeout_s:g} s")
                return False
            if event["event"] == "died":
                capture.kill()
                self._set("lost", "the capture process ended")
                return False
            if event.get("number") != number:
                continue
            if event["event"] == "opened":
                self._note_applied(event["applied"])
                return True
            if event["event"] == "failed":
                self._set("lost", self._redact(event["reason"]))
                return False
        return False

    def _note_applied(self, applied: dict[str, Any]) -> None:
        self._applied = applied
        refused = []
        for name, wanted in self._request().items():
            got = applied.get(name)
            if got is not None and wanted and isinstance(wanted, int | str) and got != wanted and name != "address":
                refused.append(Refusal(name, wanted, got))
                self._warn_once(f"asked for {name} {wanted}, the camera gives {got}")
        for name, wanted in dict(self._request().get("controls", {})).items():
            if applied.get(name) != wanted:
                refused.append(Refusal(name, wanted, applied.get(name)))
                self._warn_once(f"asked for {name} {wanted}, the camera has {applied.get(name, 'no such control')}")
        self._refused = tuple(refused)

    def _warn_once(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            log.warning("Camera %s: %s.", self.source, text)

    def _follow(self, capture: CaptureProcess) -> None:
        """Take frames over until the stream fails, or its content has been bad for so long that a reopening is due."""
        bad_since: float | None = None
        last = time.monotonic()
        while not self._stop.is_set():
            event = capture.next_event(last + self._live.stall_s - time.monotonic())
            if event is None:
                self._set("stalled", f"no frame for {self._live.stall_s:g} s")
                capture.kill()
                return
            if event["event"] in ("lost", "died"):
                self._set("lost", self._redact(event.get("reason", "the capture process ended")))
                return
            if event["event"] == "locked":
                self._locks = event["locks"]
                self._applied.update(event["locks"])
            if event["event"] != "frame":
                continue
            last = time.monotonic()
            verdict = self._watch.feed(Look(*event["look"]), last)
            self._publish(event, verdict)
            if verdict == "ok":
                bad_since, self._content_delay = None, CONTENT_FIRST_DELAY_S
                continue
            bad_since = bad_since or last
            if last - bad_since >= self._content_delay:
                self._content_delay = min(self._content_delay * 2, CONTENT_LAST_DELAY_S)
                return

    def _publish(self, event: Event, verdict: CameraState) -> None:
        with self._ready:
            self._sequence += 1
            self._newest = event
        reasons = {
            "black": f"only black for {self._live.black_s:g} s: is the lens covered, or the light off?",
            "frozen": f"the same picture for {self._live.frozen_s:g} s",
        }
        self._set(verdict, reasons.get(verdict, ""))

    def _set(self, state: CameraState, reason: str) -> None:
        """Change state; a failure is logged once, and its end once."""
        if self._stop.is_set():
            return  # our own ending of the process is no failure
        now = time.monotonic()
        with self._ready:
            before, since = self._state, self._since
            self._reason = reason
            if state != before:
                self._state, self._since = state, now
            if state == "ok" and before not in ("ok", "opening"):
                self._reopened += 1
            self._ready.notify_all()
        if state in (before, "opening"):
            return
        if state == "ok":
            if before != "opening":
                log.info("Camera %s is back after %.1f s.", self.source, now - self._failed_at)
        elif before == "ok" or (before == "opening" and self._live.patient):
            self._failed_at = since if before == "opening" else now
            log.warning("Camera %s: %s. It is being reopened.", self.source, reason or state)
