"""How tiles lie in labelled photos whose boxes do not tell: taken from what a detector finds at the same place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.detector import Detector
from vision.findings import overlaps
from vision.training.crops import square_poses
from vision.training.photos import Photo, pixels

SAME = 0.7  # IoU from which a finding is taken for the labelled tile


def found_poses(photo: Photo, detector: Detector) -> NDArray[np.float32]:
    """N x 3 poses (see ``sample.pose_of``) of a photo's tiles: of their boxes where those tell it, else as found.

    NaN rows where nothing was found at the label's place.
    """
    out = square_poses(photo)
    found = detector.find(pixels(photo.path))
    if len(found):
        for row, box in zip(out, photo.boxes, strict=True):
            if not np.isnan(row).any():
                continue
            same, _ = overlaps(box, found.boxes)
            best = int(same.argmax())
            if same[best] > SAME:
                row[:] = found.pose[best]
    return out


def write_poses(photos: Sequence[Photo], detector: Detector, path: Path) -> int:
    """Keep the poses of all photos with tiles askew in an npz file, by photo name; how many tiles have one."""
    kept: dict[str, Any] = {}
    for photo in photos:
        if len(photo.boxes) and np.isnan(square_poses(photo)).all(axis=1).mean() > 0.1:
            kept[photo.path.name] = found_poses(photo, detector)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **kept)
    return sum(int((~np.isnan(poses).any(axis=1)).sum()) for poses in kept.values())
