"""From a view and its verdict to a picture and a sample: crop to the table, shift the boxes, note what is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from taicam.capture.verdict import Circumstances, Verdict
from vision.dataset import Correction, LabelledBox, Sample
from vision.dataset.phash import picture_hash
from vision.dataset.sample import Origin, Reason, State
from vision.observation import Box, TableReading, TileObservation

Image = npt.NDArray[np.uint8]
#: Room kept round the tiles when the table's outline is not known, in tile sizes.
_MARGIN = 0.75
#: A tile outside the hand that nobody confirmed counts as a label from this confidence on.
_TRUSTED = 0.9
_ODDS_KEPT = 8
_REASONS: dict[str, Reason] = {
    "confirmed": "confirmed",
    "corrected": "corrected",
    "doubtful": "doubtful",
    "button": "button",
    "passing": "sampled",
}


def crop_to_table(
    image: Image, reading: TableReading, corners: Sequence[tuple[float, float]] | None
) -> tuple[Image, tuple[int, int]] | None:
    """Only the table: inside `corners` (the rest painted grey), or without them the surroundings of the tiles.

    Returns the picture and its offset (x, y) in the frame, or None when neither table nor tiles are known: then
    nothing may be kept, since nothing says that no face is in it.
    """
    height, width = image.shape[:2]
    if corners is not None and len(corners) >= 3:
        outline = _with_rim(np.array(corners, dtype=np.float32), reading)
    elif reading.tiles:
        outline = _round_tiles(reading)
    else:
        return None
    low, high = np.floor(outline.min(axis=0)), np.ceil(outline.max(axis=0))
    x1, y1 = max(0, int(low[0])), max(0, int(low[1]))
    x2, y2 = min(width, int(high[0])), min(height, int(high[1]))
    if x2 - x1 < 8 or y2 - y1 < 8:
        return None
    part = image[y1:y2, x1:x2]
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline - (x1, y1)).astype(np.int32)], 255)
    kept = np.full_like(part, 128)
    cv2.copyTo(part, mask, kept)
    return kept, (x1, y1)


def _with_rim(outline: npt.NDArray[np.float32], reading: TableReading) -> npt.NDArray[np.float32]:
    """The outline with the whole of every tile whose middle lies within it."""
    points = [outline]
    for tile in reading.tiles:
        x1, y1, x2, y2 = tile.box
        if cv2.pointPolygonTest(outline, ((x1 + x2) / 2, (y1 + y2) / 2), False) >= 0:
            points.append(np.array([(x1, y1), (x2, y1), (x2, y2), (x1, y2)], dtype=np.float32))
    return np.asarray(cv2.convexHull(np.concatenate(points)), dtype=np.float32).reshape(-1, 2)


def _round_tiles(reading: TableReading) -> npt.NDArray[np.float32]:
    boxes = np.array([tile.box for tile in reading.tiles], dtype=np.float32)
    size = float(np.median(np.maximum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])))
    grow = size * _MARGIN
    boxes = boxes + np.array([-grow, -grow, grow, grow], dtype=np.float32)
    points = np.concatenate([boxes[:, [0, 1]], boxes[:, [2, 1]], boxes[:, [0, 3]], boxes[:, [2, 3]]])
    return np.asarray(cv2.convexHull(points), dtype=np.float32).reshape(-1, 2)


class _Labeller:
    """Builds the boxes and corrections of one sample."""

    def __init__(self, verdict: Verdict, offset: tuple[int, int], size: tuple[int, int], now: str) -> None:
        self.verdict = verdict
        self.offset = offset
        self.size = size
        self.now = now
        self.boxes: list[LabelledBox] = []
        self.corrections: list[Correction] = []
        self.judged = verdict.kind in ("confirmed", "corrected")
        self.unsure = not self.judged or not verdict.sure

    def seen(self, tile: TileObservation, role: str | None, change: Any) -> None:
        """A tile of the reading, with what a person made of it."""
        corners = self._shift(tile.box if change is None or change.box is None else change.box)
        if corners is None:
            return
        if change is not None and change.code is None:
            self._note(len(self.boxes), "removed", tile.code, None)
            return
        origin: Origin = "confirmed" if self.judged and role != "left_out" else "model"
        code = tile.code
        if change is not None:
            origin, code = "person", change.code
            self._note(len(self.boxes), "code", tile.code, code)
        if origin == "model" and tile.confidence < _TRUSTED:
            self.unsure = True
        self.boxes.append(_box(tile, corners, code, origin, role))

    def added(self, code: str, box: Box | None) -> None:
        """A tile the reading had missed."""
        corners = None if box is None else self._shift(box)
        self._note(None if corners is None else len(self.boxes), "added", None, code)
        if corners is None:
            self.unsure = True  # a tile that nobody has boxed is somewhere in the picture
        else:
            self.boxes.append(LabelledBox(box=corners, code=code, origin="person"))

    def _note(self, index: int | None, field: Literal["code", "added", "removed"], before: Any, after: Any) -> None:
        self.corrections.append(
            Correction(index=index, field=field, before=before, after=after, by=self.verdict.by, at=self.now)
        )

    def _shift(self, box: Box) -> Box | None:
        """The box in the kept picture, cut to it; None when most of it lies outside."""
        left, top = self.offset
        x1, y1, x2, y2 = float(box[0]) - left, float(box[1]) - top, float(box[2]) - left, float(box[3]) - top
        cut = (max(0.0, x1), max(0.0, y1), min(float(self.size[0]), x2), min(float(self.size[1]), y2))
        if cut[2] <= cut[0] or cut[3] <= cut[1]:
            return None
        return cut if (cut[2] - cut[0]) * (cut[3] - cut[1]) > 0.5 * (x2 - x1) * (y2 - y1) else None


def _box(tile: TileObservation, corners: Box, code: str, origin: Origin, role: str | None) -> LabelledBox:
    return LabelledBox(
        box=corners,
        code=code,
        confidence=_share(tile.confidence),
        alternatives=tuple((other, _share(p)) for other, p in tile.alternatives[:_ODDS_KEPT]),
        read_as=tile.code,
        origin=origin,
        role=role,
        turn=None if tile.angle is None else float(tile.angle),
    )


def _share(value: float) -> float:
    return min(1.0, max(0.0, float(value)))


def label(
    reading: TableReading, verdict: Verdict, offset: tuple[int, int], size: tuple[int, int], now: str
) -> tuple[tuple[LabelledBox, ...], tuple[Correction, ...], State]:
    """The boxes with their final codes, what was corrected, and whether the sample is ready to learn from.

    `offset` and `size` (width, height) place the kept picture in the frame; `now` is the time of corrections.
    """
    changes = {change.index: change for change in verdict.changes if change.index is not None}
    labeller = _Labeller(verdict, offset, size, now)
    for index, tile in enumerate(reading.tiles):
        role = reading.roles[index] if index < len(reading.roles) else None
        labeller.seen(tile, role, changes.get(index))
    for change in verdict.changes:
        if change.index is None and change.code is not None:
            labeller.added(change.code, change.box)
    state: State = "proposed" if labeller.unsure else "accepted"
    return tuple(labeller.boxes), tuple(labeller.corrections), state


def light_of(image: Image) -> dict[str, Any]:
    """How the picture is lit: mean and spread of brightness, clipped share, colour cast (blue and red over green)."""
    small = cv2.resize(image, (64, 64), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    blue, green, red = (float(v) for v in small.reshape(-1, 3).mean(axis=0))
    return {
        "mean": round(float(grey.mean()), 1),
        "spread": round(float(grey.std()), 1),
        "clipped": round(float((grey >= 250).mean()), 4),
        "blue_over_green": round(blue / max(green, 1.0), 3),
        "red_over_green": round(red / max(green, 1.0), 3),
    }


def hand_hash(image: Image, boxes: Sequence[LabelledBox]) -> str:
    """The perceptual hash of the part with the tiles: on a still table two hands differ only there."""
    if boxes:
        corners = np.array([box.box for box in boxes])
        x1, y1 = (int(v) for v in np.maximum(corners[:, :2].min(axis=0), 0))
        x2, y2 = (int(v) for v in np.ceil(corners[:, 2:].max(axis=0)))
        part = image[y1:y2, x1:x2]
        if min(part.shape[:2]) >= 8:
            return picture_hash(part)
    return picture_hash(image)


def make_sample(
    image: Image,
    reading: TableReading,
    verdict: Verdict,
    circumstances: Circumstances,
    *,
    table_only: bool,
    now: str,
) -> tuple[Image, Sample] | None:
    """The picture to keep and its sample (its `image` name still to be given); None when nothing may be kept."""
    kept, offset = image, (0, 0)
    extra: dict[str, Any] = {}
    if table_only:
        cropped = crop_to_table(image, reading, circumstances.table_corners)
        if cropped is None:
            return None
        kept, offset = cropped
        extra = {"offset": list(offset), "frame_size": [image.shape[1], image.shape[0]]}
    height, width = kept.shape[:2]
    boxes, corrections, state = label(reading, verdict, offset, (width, height), now)
    sample = Sample(
        image="unnamed",
        width=width,
        height=height,
        boxes=boxes,
        state=state,
        reason=_REASONS[verdict.kind],
        captured_at=now,
        sequence=circumstances.sequence,
        table=circumstances.table,
        tile_set=circumstances.tile_set,
        hand_id=verdict.hand_id or None,
        camera=dict(circumstances.camera or {}),
        calibration=dict(circumstances.calibration or {}),
        model=dict(circumstances.model or {}),
        light=light_of(kept),
        corrections=corrections,
        doubts=tuple(doubt.kind for doubt in reading.doubts),
        phash=hand_hash(kept, boxes),
        extra=extra,
    )
    return kept, sample
