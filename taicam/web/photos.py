"""Photos taken on a phone: read at once, kept only when the hand is recorded."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, HTTPException, Request, UploadFile

from taicam.errors import JobError
from taicam.pictures import PictureStore
from taicam.pipeline import Reader
from taicam.play import Source
from taicam.web.access import IdempotencyKey, Viewer, may_change
from vision.observation import UNREADABLE, Doubt, QualityNote
from vision.picture import load_picture

REMEMBERED = 40
BUSY_WAIT_S = 20.0
STRANGERS_A_MINUTE = 10


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo that was read."""

    reading: dict[str, Any]
    picture_id: str


class PhotoDesk:
    """Reads photos, one at a time: the camera over the table must not wait for phones."""

    def __init__(self, reader: Callable[[], Reader], pictures: PictureStore) -> None:
        self._reader = reader
        self._pictures = pictures
        self._busy = threading.Lock()
        self._photos: OrderedDict[str, Photo] = OrderedDict()
        self._strangers: deque[float] = deque()

    def admit(self) -> None:
        """Count one photo of a device that is not paired. Raises HTTPException when there are too many."""
        now = time.monotonic()
        while self._strangers and now - self._strangers[0] > 60:
            self._strangers.popleft()
        if len(self._strangers) >= STRANGERS_A_MINUTE:
            raise HTTPException(429, "too many photos: wait a minute, or pair this device", {"retry-after": "60"})
        self._strangers.append(now)

    def read(self, data: bytes) -> dict[str, Any]:
        """The reading of a photo. Raises PictureError for what is no picture, TaicamError when nothing can read."""
        image = load_picture(data)
        if not self._busy.acquire(timeout=BUSY_WAIT_S):
            raise JobError("the reader is busy with other photos", "try again in a moment")
        try:
            reading = self._reader().read(image)
        finally:
            self._busy.release()
        notes: list[Doubt | QualityNote] = [note for note in reading.quality if note.severe]
        notes.extend(reading.doubts)
        photo = Photo(reading.to_json(), self._pictures.hold(image))
        photo_id = secrets.token_hex(8)
        self._photos[photo_id] = photo
        while len(self._photos) > REMEMBERED:
            self._photos.popitem(last=False)
        told = {"photo_id": photo_id, "picture_id": photo.picture_id, "reading": photo.reading}
        if reading.status != UNREADABLE:
            notes = []
        return told | {
            "problem": " ".join(note.message_zh for note in notes),
            "problem_en": " ".join(note.message_en for note in notes),
        }

    def source(self, photo_id: str) -> Source:
        """Where a hand recorded from this photo came from; its picture is now kept."""
        photo = self._photos.get(photo_id)
        if photo is None:  # the appliance was restarted in between: the hand itself is all in the submission
            return Source(picture="photo")
        self._pictures.keep(photo.picture_id)
        return Source(reading=photo.reading, picture_id=photo.picture_id, picture="photo")


router = APIRouter(prefix="/api", tags=["photo"], dependencies=[Viewer])


@router.post("/photo")
def photo(request: Request, photo: UploadFile, key: IdempotencyKey) -> dict[str, Any]:
    """Read a photo of a hand; nothing is recorded. Works for everybody who may look."""
    desk: PhotoDesk = request.app.state.photos
    if may_change(request) is None:
        desk.admit()
    return desk.read(photo.file.read())
