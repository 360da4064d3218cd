"""The enrolment under way on the companion: one at a time, in memory, learning beside everything else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from fastapi import HTTPException

from taicam.errors import JobError, UsageError
from taicam.errors_zh import refusal_zh
from taicam.logs import get_logger
from taicam.tile_sets import AUTO, NONE, TileSets
from vision.enroll import Embedder, EnrolError
from vision.enroll_crops import tile_crops
from vision.enroll_session import FACES, Enrolment, Photo
from vision.enroll_store import check_name
from vision.observation import TileObservation
from vision.weights import WeightsError

log = get_logger(__name__)
Image = npt.NDArray[np.uint8]
#: What finds and names the tiles of a picture, and the network the set is learnt with.
Networks = tuple[Callable[[Image], Sequence[TileObservation]], Embedder]
MOST_PHOTOS = 16
LONG_SIDE = 2560  # pixels kept of a photo: a tile of a row of twenty is still 128 wide
ENOUGH = 2  # crops of a face that are worth having
FLOWERLESS = tuple(code for code in FACES if not code.startswith("f"))
_KEYS = 200


class EnrolDesk:
    """Holds the enrolment; every change names an idempotency key and counts once. `networks` is asked at each start."""

    def __init__(self, networks: Callable[[], Networks], sets: TileSets) -> None:
        self._networks = networks
        self._sets = sets
        self._lock = threading.RLock()
        self._enrolment: Enrolment | None = None
        self._keys: list[str] = []
        self._numbers = 0
        self._learning = False
        self._progress = 0.0
        self._result: dict[str, Any] | None = None
        self._problem = ""

    def state(self) -> dict[str, Any]:
        """For the page: the photos with their boxes and names, what is missing, how far learning has come."""
        enrolment = self._enrolment
        told: dict[str, Any] = {"open": enrolment is not None, "most_photos": MOST_PHOTOS}
        told |= {"learning": self._learning, "progress": round(self._progress, 3)}
        told |= {
            "result": self._result,
            "problem": self._problem,
            "problem_zh": self._problem and refusal_zh(self._problem),
        }
        if enrolment is None:
            return told
        with self._lock:
            return told | enrolment.to_json() | {"wanted": enrolment.wanted, "thin": enrolment.missing(ENOUGH)}

    def start(self, flowers: bool, key: str) -> None:
        """Begin, and forget what was under way. Raises JobError when the networks are not there."""
        with self._lock:
            if self._repeated(key):
                return
            try:
                detect, embedder = self._networks()
            except WeightsError as error:
                raise JobError(str(error)) from None
            self._enrolment = Enrolment(detect, embedder, FACES if flowers else FLOWERLESS)
            self._result, self._problem, self._progress = None, "", 0.0

    def stop(self) -> None:
        """Forget the photos, and let go of the networks."""
        with self._lock:
            self._refuse_while_learning()
            self._enrolment, self._result, self._problem = None, None, ""

    def add(self, image: Image, key: str) -> None:
        """Take a photo. Raises UsageError when there is no tile in it or there are enough photos."""
        with self._lock:
            enrolment = self._changing()
            if self._repeated(key):
                return
            if len(enrolment.photos) >= MOST_PHOTOS:
                raise UsageError(f"{MOST_PHOTOS} photos are enough", "take one out before adding another")
            scale = min(1.0, LONG_SIDE / max(image.shape[:2]))
            kept = image if scale == 1.0 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            try:
                enrolment.add(str(self._numbers + 1), np.asarray(kept, np.uint8))
            except EnrolError:
                self._keys.remove(key)
                raise UsageError(
                    "no tiles were found", "lay them face up, nearer, in even light, and try again"
                ) from None
            self._numbers += 1

    def correct(self, photo: str, tile: int, code: str | None, turned: bool) -> None:
        """Say what a box is (None: no tile), and whether its tile stands upside down. Raises UsageError."""
        with self._lock:
            enrolment = self._changing()
            number = self._number(photo)
            if not 0 <= tile < len(enrolment.photos[number].codes):
                raise HTTPException(404, f"this photo has no tile {tile}")
            try:
                enrolment.correct(number, tile, code)
            except EnrolError as error:
                raise UsageError(str(error)) from None
            if (tile in enrolment.photos[number].turned) != turned:
                enrolment.turn(number, tile)

    def remove(self, photo: str) -> None:
        """Leave a photo out again."""
        with self._lock:
            self._changing().remove(self._number(photo))

    def photo(self, photo: str) -> Photo:
        """A photo by its name. Raises HTTPException 404."""
        with self._lock:
            return self._open().photos[self._number(photo)]

    def crops(self, photo: str) -> Image:
        """The tiles of a photo as they are learnt from, upright, side by side: 64 x 48 N x 3."""
        found = self.photo(photo)
        return np.concatenate([tile_crops(found.image, tile)[0] for tile in found.tiles], axis=1)

    def learn(self, name: str, key: str) -> None:
        """Begin to learn; `state` tells how far it has come, and what it was worth. Raises UsageError."""
        with self._lock:
            enrolment = self._open()
            if self._repeated(key):
                return
            self._refuse_while_learning()
            try:
                name = check_name(name)
            except EnrolError as error:
                self._keys.remove(key)
                raise UsageError(str(error)) from None
            if name in {AUTO, NONE}:
                self._keys.remove(key)
                raise UsageError(f"{name!r} cannot name a tile set: it means something else", "give another name")
            self._learning, self._progress, self._result, self._problem = True, 0.0, None, ""
        threading.Thread(target=self._learn, args=(enrolment, name), name="enrol", daemon=True).start()

    def _learn(self, enrolment: Enrolment, name: str) -> None:
        try:
            profile, report = enrolment.finish(name, self._advance)
            stored = self._sets.store.save(profile, report.to_json(), enrolment.shots())
            result = {"name": stored.name, "version": stored.version, "changes_nothing": stored.changes_nothing}
            self._result = {**result, "report": report.to_json()}
        except (EnrolError, OSError) as error:
            self._problem = str(error)
        except Exception as error:  # the page must hear of it: nobody sees this thread end
            log.exception("a tile set could not be learnt")
            self._problem = f"learning failed ({error!r}): see the log"
        finally:
            self._learning = False

    def _advance(self, share: float) -> None:
        self._progress = share

    def _open(self) -> Enrolment:
        if self._enrolment is None:
            raise HTTPException(409, "no enrolment is under way: begin one first")
        return self._enrolment

    def _changing(self) -> Enrolment:
        self._refuse_while_learning()
        return self._open()

    def _refuse_while_learning(self) -> None:
        if self._learning:
            raise HTTPException(409, "the set is being learnt: wait until that is done")

    def _number(self, photo: str) -> int:
        for number, one in enumerate(self._open().photos):
            if one.name == photo:
                return number
        raise HTTPException(404, "there is no such photo")

    def _repeated(self, key: str) -> bool:
        """Whether this very action was done already; else it is noted."""
        if key in self._keys:
            return True
        self._keys = [*self._keys[-_KEYS:], key]
        return False
