"""Noticing that the camera was moved: what it sees now against what it saw when the table was calibrated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.observation import QualityNote
from vision.table import TableCalibration, calibration_path

Picture = npt.NDArray[np.uint8]

_PROBE = 800
_FEATURES = 900
_FEWEST = 14
#: Marks this close to where they were (pixels of the small picture) have stayed; so large a share of them decides.
_STILL, _MOST = 2.0, 0.8
#: A movement counts when this share of all marks that were found again followed it.
_AGREE = 0.4
#: The table's corners may seem to move this much (share of the picture's width) before it counts.
MOVED = 0.008


@dataclass(frozen=True, slots=True)
class BumpCheck:
    """`moved`: None when there is too little to tell by. `shift`: how far the table's corners moved, share of the
    picture's width; `corners`: where they are now."""

    moved: bool | None
    shift: float
    corners: tuple[tuple[float, float], ...] = ()

    def note(self) -> QualityNote | None:
        """What to tell people, or None when all is well."""
        if not self.moved:
            return None
        return QualityNote(
            "bumped",
            "鏡頭好像被移動過,請重新校正(taicam calibrate)。",
            "The camera seems to have been moved: calibrate again (taicam calibrate).",
            self.shift,
            True,
        )


def keep_reference(folder: Path, calibration: TableCalibration, image: Picture) -> Path:
    """Keep the picture the calibration was made with, small and grey, to compare with later."""
    path = calibration_path(folder, calibration.camera).with_suffix(".jpg")
    done, data = cv2.imencode(".jpg", _small(image), [cv2.IMWRITE_JPEG_QUALITY, 90])
    if done:
        path.write_bytes(data.tobytes())
    return path


class BumpWatch:
    """Compares pictures with the reference of a calibration (cheap enough for once a minute)."""

    def __init__(self, calibration: TableCalibration, reference: Picture) -> None:
        self._calibration = calibration
        self._finder = cv2.ORB.create(nfeatures=_FEATURES)
        grey = _small(reference)
        self._scale = grey.shape[1] / calibration.size[0]
        self._points, self._marks = self._find(grey)

    @classmethod
    def load(cls, folder: Path, calibration: TableCalibration) -> BumpWatch | None:
        """With the reference kept beside the calibration; None when there is none."""
        path = calibration_path(folder, calibration.camera).with_suffix(".jpg")
        if not path.is_file():
            return None
        data = np.frombuffer(path.read_bytes(), np.uint8)
        image = cv2.imdecode(data, cv2.IMREAD_COLOR)
        return None if image is None else cls(calibration, np.asarray(image, dtype=np.uint8))

    def check(self, image: Picture) -> BumpCheck:
        """Whether the camera moved. Tiles and hands come and go, so only what agrees as a whole counts."""
        points, marks = self._find(_small(image))
        if marks is None or self._marks is None or len(points) < _FEWEST or len(self._points) < _FEWEST:
            return BumpCheck(None, 0.0)
        matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(self._marks, marks)
        close = [m for m in matches if m.distance < 48]
        if len(close) < _FEWEST:
            return BumpCheck(None, 0.0)
        before = np.array([self._points[m.queryIdx] for m in close], np.float32)
        after = np.array([points[m.trainIdx] for m in close], np.float32)
        matrix, inliers = cv2.findHomography(before, after, cv2.RANSAC, 3.0)
        if matrix is None or int(inliers.sum()) < _FEWEST:
            return BumpCheck(None, 0.0)
        stayed = int((np.linalg.norm(after - before, axis=1) < _STILL).sum())
        if stayed >= _MOST * int(inliers.sum()):
            return BumpCheck(False, 0.0)
        if int(inliers.sum()) < _AGREE * len(close):
            return BumpCheck(None, 0.0)  # rows of tiles look alike: some movement always fits a few of them
        corners = np.array(self._calibration.corners, np.float32) * self._scale
        now = cv2.perspectiveTransform(corners[None], matrix)[0]
        shift = float(np.linalg.norm(now - corners, axis=1).max()) / (self._calibration.size[0] * self._scale)
        where = tuple((float(x / self._scale), float(y / self._scale)) for x, y in now)
        return BumpCheck(shift > MOVED, shift, where)

    def _find(self, grey: npt.NDArray[np.uint8]) -> tuple[list[tuple[float, float]], npt.NDArray[np.uint8] | None]:
        keys, marks = self._finder.detectAndCompute(grey, None)
        return [(k.pt[0], k.pt[1]) for k in keys], None if marks is None else np.asarray(marks, np.uint8)


def _small(image: Picture) -> npt.NDArray[np.uint8]:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    scale = min(1.0, _PROBE / max(grey.shape))
    return np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
