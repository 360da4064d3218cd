"""From a source of frames to outcomes: pictures one by one, a live view when it has settled.

Both loops wait on the source or on the stop event, never in a busy loop, and go on after a picture that fails.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from device.cameras import Camera, CameraError, EndOfStream, Frame, UnreadablePictureError
from taicam.errors_zh import problem_of
from taicam.facts import WINDS, Facts, Seen
from taicam.learning import View
from taicam.logs import get_logger
from taicam.outcome import Outcome
from taicam.pictures import PictureStore
from taicam.session import Session
from taicam.watch import Look, Watcher
from vision.observation import UNREADABLE, TableReading
from vision.picture import PictureError
from vision.tablelog import LogEntry

log = get_logger(__name__)


class Reader(Protocol):
    """What reads a picture (`vision.reader.HandReader`): height x width x 3, uint8, BGR."""

    def read(self, image: npt.NDArray[np.uint8]) -> TableReading:
        """The hand in the picture."""
        ...


FactsFor = Callable[[str], Facts]
Played = Callable[[Sequence[LogEntry]], None]
OnOutcome = Callable[[Outcome, TableReading | None], None]


def picture_digest(image: npt.NDArray[np.uint8]) -> str:
    """A name for the picture's content: the same pixels, the same name."""
    return hashlib.sha256(np.ascontiguousarray(image).tobytes()).hexdigest()


def run_pictures(
    camera: Camera,
    reader: Reader,
    session: Session,
    facts_for: FactsFor,
    stop: threading.Event,
    pictures: PictureStore | None = None,
) -> Iterator[tuple[Outcome, TableReading | None]]:
    """Read every picture of a finite source in order, and yield what came of each (with its reading, if any)."""
    session.show_health("ok")
    while not stop.is_set():
        try:
            frame = camera.read()
        except EndOfStream:
            return
        except UnreadablePictureError as error:
            yield session.fail(_name_in(error), str(error), problem_of(error)), None
            continue
        yield _read_one(frame, reader, session, facts_for, pictures)


def _read_one(
    frame: Frame, reader: Reader, session: Session, facts_for: FactsFor, pictures: PictureStore | None
) -> tuple[Outcome, TableReading | None]:
    name = frame.name or str(frame.sequence)
    session.show_reading(name)
    try:
        reading = reader.read(frame.image)
    except PictureError as error:
        return session.fail(name, str(error), problem_of(error)), None
    session.eye.see(frame.image, reading, name)
    kept = pictures.put(frame.image) if pictures and reading.status != UNREADABLE else ""
    outcome = session.offer(reading, name, facts_for(name), picture_digest(frame.image), kept)
    _learn(session, frame, reading, outcome)
    return outcome, reading


def _learn(session: Session, frame: Frame, reading: TableReading, outcome: Outcome | None) -> None:
    if session.learner is not None:
        session.learner.looked(View(frame.image, reading, frame.sequence), outcome)


def _name_in(error: UnreadablePictureError) -> str:
    return error.problem.split(" ", 1)[0].rsplit("/", 1)[-1]


class LiveLoop:
    """Watches a live camera (or a film) with a watcher, and hands every stable hand to the session once.

    `renewed` gives another watcher when the networks were changed; it is asked between two hands. `played` takes the
    table log of every hand once the tiles have been swept up.
    """

    def __init__(
        self,
        camera: Camera,
        watcher: Watcher,
        session: Session,
        interval_s: float,
        facts: Facts,
        on_outcome: OnOutcome,
        pictures: PictureStore | None = None,
        renewed: Callable[[], Watcher | None] = lambda: None,
        played: Played = lambda _entries: None,
    ) -> None:
        self._camera = camera
        self._watcher = watcher
        self._session = session
        self._interval_s = interval_s
        self._facts = facts
        self._on_outcome = on_outcome
        self._pictures = pictures
        self._renewed = renewed
        self._played = played
        self._lies = False  # what is on show may come from the tiles in view

    def run(self, stop: threading.Event) -> None:
        """Look until `stop` is set or the source ends."""
        try:
            self._look_on(stop)
        finally:
            self._rests(math.inf)

    def _look_on(self, stop: threading.Event) -> None:
        while not stop.is_set():
            began = time.monotonic()
            try:
                frame = self._camera.read()
            except EndOfStream:
                return
            except CameraError as error:
                self._lost(error)
                stop.wait(self._interval_s)
                continue
            self._session.show_health("ok")
            try:
                self._take(frame, self._watcher.look(frame.image, frame.monotonic_s))
            except PictureError as error:
                log.info("a frame could not be read", reason=str(error))
            if not self._camera.finite:
                rest = max(0.0, self._interval_s - (time.monotonic() - began))
                self._rests(rest)
                stop.wait(rest)

    def _rests(self, seconds: float) -> None:
        if self._session.learner is not None:
            self._session.learner.resting(seconds)

    def _lost(self, error: CameraError) -> None:
        if self._session.board.view.camera != "fail":
            log.warning("the camera gives no picture", reason=str(error))
        self._session.show_health("fail")

    def _take(self, frame: Frame, look: Look) -> None:
        name = frame.name or f"frame {frame.sequence}"
        if look.seen is not None:
            self._session.eye.see(frame.image, look.seen, name)
        if look.played:
            self._played(look.played)
        if look.cleared:
            self._session.table_cleared()
            self._watcher = self._renewed() or self._watcher
            # A camera that starts over an empty table takes nothing off the screens, and a question may still be open.
            if self._lies and self._session.board.view.state != "confirm":
                self._session.show_idle()
            self._lies = False
        elif look.offer is not None:
            self._offer(frame, look.offer, look, name)
        elif look.seen is not None:
            _learn(self._session, frame, look.seen, None)

    def _offer(self, frame: Frame, reading: TableReading, look: Look, name: str) -> None:
        self._lies = True
        kept = self._pictures.put(frame.image) if self._pictures and reading.status != UNREADABLE else ""
        facts, seen = self._facts, None
        if look.seat is not None:
            facts = replace(facts, seat_wind=WINDS[look.seat])
        if look.facts is not None:
            seen = Seen.of(look.facts)
            facts, reading = seen.told(facts, reading), seen.named(reading)
        outcome = self._session.offer(reading, name, facts, picture_id=kept, place=look.seat, seen=seen)
        if outcome.status in {"recorded", "already", "confirm"}:
            self._watcher.taken(reading)
        _learn(self._session, frame, reading, outcome)
        self._on_outcome(outcome, reading)
