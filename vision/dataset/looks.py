"""Do the tiles of one split look like those of another? Sets shared between training and test flatter the measure.

Names of tile sets are rarely recorded, so the faces themselves are compared: each tile is made a small colour picture
without its brightness, and matched with the tiles of the same code in the training split. Two photos of one set
typically correlate above 0.85, different sets mostly lie below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.dataset.sample import LabelledBox

_WIDTH, _HEIGHT = 18, 24
_ALIKE = 0.85
#: Tiles of one code in the training split that are compared; more add time, not knowledge.
_MOST = 400

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LookAlikes:
    """`tiles` tiles of `group` in `split`: the share of them with a look-alike in training, and the median likeness."""

    split: str
    group: str
    tiles: int
    share: float
    median: float

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "split": self.split,
            "group": self.group,
            "tiles": self.tiles,
            "share_with_look_alike_in_train": round(self.share, 4),
            "median_likeness": round(self.median, 4),
        }


class Looks:
    """Gathers tile faces and compares them at the end."""

    def __init__(self) -> None:
        self._train: dict[str, list[Vector]] = defaultdict(list)
        self._others: dict[tuple[str, str], list[tuple[str, Vector]]] = defaultdict(list)

    def add(self, image_bgr: npt.NDArray[np.uint8], boxes: Sequence[LabelledBox], split: str, group: str) -> None:
        """Take the tiles of a picture."""
        for box in boxes:
            if split == "train" and len(self._train[box.code]) >= _MOST:
                continue
            vector = _vector(image_bgr, box)
            if vector is None:
                continue
            if split == "train":
                self._train[box.code].append(vector)
            else:
                self._others[split, group].append((box.code, vector))

    def compare(self) -> list[LookAlikes]:
        """The likeness of every group outside training, most alike first; empty when there is no training split."""
        trained = {code: np.stack(vectors) for code, vectors in self._train.items() if vectors}
        result = []
        for (split, group), tiles in self._others.items():
            best = [float((trained[code] @ vector).max()) for code, vector in tiles if code in trained]
            if best:
                share = float(np.mean([value >= _ALIKE for value in best]))
                result.append(LookAlikes(split, group, len(best), share, float(np.median(best))))
        return sorted(result, key=lambda look: -look.share)


def _vector(image_bgr: npt.NDArray[np.uint8], box: LabelledBox) -> Vector | None:
    height, width = image_bgr.shape[:2]
    x1, y1, x2, y2 = (round(v) for v in box.box)
    crop = image_bgr[max(y1, 0) : min(y2, height), max(x1, 0) : min(x2, width)]
    if crop.shape[0] < 4 or crop.shape[1] < 4:
        return None
    small = cv2.resize(crop, (_WIDTH, _HEIGHT), interpolation=cv2.INTER_AREA).astype(np.float32)
    flat = (small - small.mean(axis=(0, 1))).ravel()
    norm = float(np.linalg.norm(flat))
    return np.asarray(flat / norm, dtype=np.float32) if norm > 1e-3 else None
