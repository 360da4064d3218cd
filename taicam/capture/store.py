"""The capture store: takes views from the running appliance without ever making it wait, and keeps the useful ones.

`offer` only decides and queues; a thread of its own crops, hashes, encodes and writes. A live loop says when it rests
between two looks (`resting`); the writer works in those rests, because reading needs every core. A full queue, a full
disk or a fault costs samples, never play.
"""

from __future__ import annotations

import datetime
import json
import math
import queue
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from taicam.capture.labels import make_sample
from taicam.capture.library import Library, stamp, utc_now
from taicam.capture.settings import CaptureSettings
from taicam.capture.verdict import Circumstances, Verdict
from taicam.files import mark_of, write_json
from taicam.logs import get_logger
from vision.observation import TableReading

log = get_logger(__name__)

Image = npt.NDArray[np.uint8]
#: What became of an offer: queued for writing; not wanted by the policy; no consent; queue full; storage has failed.
Offer = Literal["queued", "unwanted", "no_consent", "busy", "paused"]
_PAUSE_S = 60.0
_PATIENCE_S = 3.0  # how long a view waits for a rest long enough: a slow machine's loop may have none
_FIRST_GUESS_S = 0.1
_CONSENT = "consent.json"


@dataclass(frozen=True, slots=True)
class CaptureStatus:
    """For a health page. `problem` is empty when all is well; sizes in bytes."""

    consent: bool
    samples: int
    bytes: int
    waiting: int
    counts: dict[str, int] = field(default_factory=dict)
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "consent": self.consent,
            "samples": self.samples,
            "bytes": self.bytes,
            "waiting": self.waiting,
            "counts": dict(self.counts),
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True)
class _Job:
    image: Image
    reading: TableReading
    verdict: Verdict
    circumstances: Circumstances


class CaptureStore:
    """Offers go in here, samples come to lie in `library`. Start it with `start()` or as a context manager.

    `offer` keeps a reference to the frame until it is written: the caller must not draw into it afterwards.
    """

    def __init__(
        self,
        folder: Path,
        settings: CaptureSettings | None = None,
        *,
        clock: Callable[[], datetime.datetime] = utc_now,
        seed: int | None = None,
    ) -> None:
        self.folder = folder
        self.settings = settings or CaptureSettings()
        self.library = Library(folder, self.settings, clock)
        self._clock = clock
        self._random = random.Random(seed)
        self._queue: queue.Queue[_Job | None] = queue.Queue(self.settings.queue)
        self._thread: threading.Thread | None = None
        self._counts: Counter[str] = Counter()
        self._problem = ""
        self._paused_until = 0.0
        self._last_chance = -1e9
        self._rest = threading.Condition()
        self._rest_until = math.inf  # until a live loop says otherwise nobody is disturbed
        self._took: deque[float] = deque([_FIRST_GUESS_S], maxlen=8)  # seconds the last writings took
        self._consent_seen = (0, 0)
        self._consent = False

    # -- consent ---------------------------------------------------------------------------------------------------

    @property
    def consent(self) -> bool:
        """Whether the players have agreed that views of the table are kept; as other programs say, too
        (`taicam capture consent` beside a running table)."""
        mark = mark_of(self.folder / _CONSENT)
        if mark != self._consent_seen:
            self._consent_seen, self._consent = mark, self._read_consent()
        return self._consent

    def set_consent(self, given: bool, by: str = "") -> None:
        """Give or withdraw consent. Withdrawn: nothing more is kept; what is kept stays until `library.forget()`.

        Raises OSError when it cannot be written down; then nothing changes.
        """
        write_json(self.folder / _CONSENT, {"given": given, "by": by, "at": stamp(self._clock())})

    def _read_consent(self) -> bool:
        try:
            record = json.loads((self.folder / _CONSENT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(record, dict) and record.get("given") is True

    # -- the live loop -----------------------------------------------------------------------------------------------

    def offer(
        self,
        frame_bgr: Image,
        reading: TableReading,
        verdict: Verdict,
        circumstances: Circumstances | None = None,
    ) -> Offer:
        """Offer a view (HxWx3 uint8, as read by `reading`); returns at once and never raises for want of room."""
        if not self.consent:
            return "no_consent"
        if not self._wanted(verdict):
            return "unwanted"
        if time.monotonic() < self._paused_until or self._thread is None:
            self._counts["paused"] += 1
            return "paused"
        try:
            self._queue.put_nowait(_Job(frame_bgr, reading, verdict, circumstances or Circumstances()))
        except queue.Full:
            self._counts["busy"] += 1
            return "busy"
        return "queued"

    def resting(self, seconds: float) -> None:
        """The live loop does nothing for so long from now on: a time to write. ``math.inf``: it has ended."""
        with self._rest:
            self._rest_until = time.monotonic() + seconds
            self._rest.notify_all()

    def _wanted(self, verdict: Verdict) -> bool:
        settings = self.settings
        if verdict.kind != "passing":
            return bool(getattr(settings, verdict.kind))
        now = time.monotonic()
        if now - self._last_chance < settings.sample_interval_s or self._random.random() >= settings.sample_share:
            return False
        self._last_chance = now
        return True

    def start(self) -> None:
        """Start the writer."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="capture", daemon=True)
            self._thread.start()

    def close(self, timeout_s: float = 10.0) -> None:
        """Write what is queued and stop."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self.resting(math.inf)
            try:
                self._queue.put(None, timeout=timeout_s)
            except queue.Full:
                return
            thread.join(timeout_s)

    def __enter__(self) -> CaptureStore:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until everything offered so far is written. False when that takes longer."""
        deadline = time.monotonic() + timeout_s
        while self._queue.unfinished_tasks:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    # -- the writer --------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            job = self._queue.get()
            try:
                if job is None:
                    return
                self._await_rest()
                began = time.monotonic()
                self._take(job)
                self._took.append(time.monotonic() - began)
            except OSError as error:
                self._fail(error)
            except Exception as error:  # a fault here must never end the thread, let alone the game
                self._counts["failed"] += 1
                log.error("a sample could not be kept", reason=repr(error))
            finally:
                self._queue.task_done()

    def _await_rest(self) -> None:
        """Wait for a rest that a writing fits into, but not for ever."""
        deadline = time.monotonic() + _PATIENCE_S
        with self._rest:
            while (now := time.monotonic()) < deadline and now + max(self._took) > self._rest_until:
                self._rest.wait(deadline - now)

    def _fail(self, error: OSError) -> None:
        self._counts["failed"] += 1
        self._paused_until = time.monotonic() + _PAUSE_S
        reason = error.strerror or str(error)
        self._problem = f"samples cannot be written ({reason}): free some space or check {self.folder}"
        log.warning("capture pauses", reason=reason, seconds=_PAUSE_S)

    def _take(self, job: _Job) -> None:
        if not self.consent:
            return  # withdrawn while it waited
        made = make_sample(
            job.image,
            job.reading,
            job.verdict,
            job.circumstances,
            table_only=self.settings.crop == "table",
            now=stamp(self._clock()),
        )
        if made is None:
            self._counts["no_table"] += 1
            return
        image, sample = made
        self._counts[self.library.keep(sample, self._encode(image))] += 1
        self._problem = ""

    def _encode(self, image: Image) -> bytes:
        options = [cv2.IMWRITE_JPEG_QUALITY, self.settings.quality] if self.settings.format == "jpg" else []
        ok, data = cv2.imencode(f".{self.settings.format}", image, options)
        if not ok:
            raise ValueError("the frame could not be encoded")
        return bytes(data.tobytes())

    def status(self) -> CaptureStatus:
        """How it stands. Raises OSError when the folder cannot be read."""
        samples, size = self.library.totals()
        counts = {**self._counts, "dropped": self.library.dropped}
        return CaptureStatus(self.consent, samples, size, self._queue.qsize(), counts, self._problem)
