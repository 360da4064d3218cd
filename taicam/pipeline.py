"""From a source of frames to outcomes: pictures one by one, a live view when it has settled.

Both loops wait on the source or on the stop event, never in a busy loop, and go on after a picture that fails.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from device.cameras import Camera, CameraError, EndOfStream, Frame, UnreadablePictureError
from taicam.config import ReadingSettings
from taicam.facts import Facts
from taicam.learning import View
from taicam.logs import get_logger
from taicam.outcome import Outcome, fingerprint
from taicam.pictures import PictureStore
from taicam.session import Session
from vision.observation import UNREADABLE, TableReading
from vision.picture import PictureError

log = get_logger(__name__)
EMPTY_TABLE_TILES = 5  # fewer tiles in view than this: the hand has been cleared away
STILL_SIZE = (96, 54)  # a view is compared with the last one at this size, pixels
STILL_DIFFERENCE = 6.0  # grey levels (of 255) the strongest cell may differ in a view that has not changed


class Reader(Protocol):
    """What reads a picture (`vision.reader.HandReader`): height x width x 3, uint8, BGR."""

    def read(self, image: npt.NDArray[np.uint8]) -> TableReading:
        """The hand in the picture."""
        ...


FactsFor = Callable[[str], Facts]
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
            yield session.fail(_name_in(error), str(error)), None
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
        return session.fail(name, str(error)), None
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
    """Watches a live camera (or a film): a hand is offered once it has read the same `stable` times in a row."""

    def __init__(
        self,
        camera: Camera,
        reader: Reader,
        session: Session,
        settings: ReadingSettings,
        facts_for: FactsFor,
        on_outcome: OnOutcome,
        pictures: PictureStore | None = None,
    ) -> None:
        self._camera = camera
        self._reader = reader
        self._session = session
        self._settings = settings
        self._facts_for = facts_for
        self._on_outcome = on_outcome
        self._pictures = pictures
        self._mark = ""
        self._agreeing = 0
        self._offered = ""
        self._empty_looks = 0
        self._last_small: npt.NDArray[np.int16] | None = None

    def run(self, stop: threading.Event) -> None:
        """Look until `stop` is set or the source ends."""
        self._session.show_idle()
        while not stop.is_set():
            began = time.monotonic()
            try:
                frame = self._camera.read()
            except EndOfStream:
                return
            except CameraError as error:
                self._lost(error)
                stop.wait(self._settings.interval_s)
                continue
            self._session.show_health("ok")
            self._look(frame)
            if not self._camera.finite:
                stop.wait(max(0.0, self._settings.interval_s - (time.monotonic() - began)))

    def _lost(self, error: CameraError) -> None:
        if self._session.board.view.camera != "fail":
            log.warning("the camera gives no picture", reason=str(error))
        self._session.show_health("fail")

    def _settled(self, image: npt.NDArray[np.uint8]) -> bool:
        """Whether nothing is left to find out and the view has not changed: then no network need run at all."""
        small = cv2.cvtColor(cv2.resize(image, STILL_SIZE, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        now = small.astype(np.int16)
        before, self._last_small = self._last_small, now
        if before is None or float(np.abs(now - before).max()) > STILL_DIFFERENCE:
            return False
        return self._empty_looks >= self._settings.stable or self._agreeing >= self._settings.stable

    def _look(self, frame: Frame) -> None:
        if self._settled(frame.image):
            return
        try:
            reading = self._reader.read(frame.image)
        except PictureError as error:
            log.info("a frame could not be read", reason=str(error))
            return
        self._session.eye.see(frame.image, reading, frame.name or f"frame {frame.sequence}")
        if len(reading.tiles) < EMPTY_TABLE_TILES:
            self._table_empty()
            return
        self._empty_looks = 0
        mark = UNREADABLE if reading.status == UNREADABLE else fingerprint(reading.hand_record())
        self._agreeing = self._agreeing + 1 if mark == self._mark else 1
        self._mark = mark
        if mark == self._offered or self._agreeing < self._settings.stable:
            _learn(self._session, frame, reading, None)
            return
        self._offered = mark
        name = frame.name or f"frame {frame.sequence}"
        # An unreadable view comes here too: the session then says what is wrong with it and what to do.
        kept = self._pictures.put(frame.image) if self._pictures and mark != UNREADABLE else ""
        outcome = self._session.offer(reading, name, self._facts_for(name), picture_id=kept)
        _learn(self._session, frame, reading, outcome)
        self._on_outcome(outcome, reading)

    def _table_empty(self) -> None:
        self._mark, self._agreeing = "", 0
        self._empty_looks += 1
        if self._empty_looks == self._settings.stable:
            self._offered = ""
            self._session.table_cleared()
            if self._session.board.view.state != "confirm":  # somebody may still be looking at that question
                self._session.show_idle()
