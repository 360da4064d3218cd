"""The tile detector at run time: onnxruntime and OpenCV, nothing else.

``Detector.find`` answers with raw findings; ``Detector.detect`` with one ``TileObservation`` a tile, named with the
help of the re-reader where its network is there.
"""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.findings import Findings, Floats, joined, merge, plausible, softmax
from vision.observation import TileObservation
from vision.rereader import Rereader, observation
from vision.session import open_network
from vision.weights import WeightsError, model_path

STRIDE = 32
MAX_SIDE = 2048  # of a picture given to the network
FAINT = 0.15  # score from which a finding is shown to the re-reader, which may know it by its neighbours
COMFORT = (34.0, 115.0)  # tile sizes (root of the area, network pixels) the network reads best
#: Sizes brought to by a second look: the best one, and those of further looks at the same still scene, which so do not
#: all miss the same tile.
AIMS = (62.0, 50.0, 76.0)


class Detector:
    """Finds mahjong tiles in a picture.

    Args:
        path: an ONNX file; by default the shipped ``tiles`` network.
        size: longest side of the picture as given to the network, pixels; a multiple of 32 from 160 to 2048.
        confidence: smallest tile probability that counts.
        rereader: the second network; ``None`` for the shipped one where present, ``False`` for none.
        adapt: look again at a better scale when the tiles come out too small or too large.
        threads: worker threads; by default the usable cores.

    Raises:
        WeightsError: the network is missing, damaged, or not one of ours.
        ValueError: ``size`` or ``confidence`` out of range.
    """

    def __init__(
        self,
        path: Path | str | None = None,
        size: int = 640,
        *,
        confidence: float = 0.33,
        rereader: Rereader | bool | None = None,
        adapt: bool = True,
        threads: int | None = None,
    ) -> None:
        if not 160 <= size <= MAX_SIDE or size % STRIDE:
            raise ValueError(f"size is {size}: give a multiple of {STRIDE} from 160 to {MAX_SIDE}")
        if not 0 < confidence < 1:
            raise ValueError(f"confidence is {confidence}: give a number between 0 and 1")
        file = Path(path) if path is not None else model_path("tiles")
        if not file.is_file():
            raise WeightsError(f"no network at {file}: give the path of an .onnx file")
        self._session = open_network(file, threads)
        facts = self._session.get_modelmeta().custom_metadata_map
        names = facts.get("names")
        outputs = [output.name for output in self._session.get_outputs()]
        if names is None or outputs != ["boxes", "tile", "classes", "pose"]:
            raise WeightsError(f"{file} is not a taicam tile detector: export one with 'taicam train'")
        self.names: tuple[str, ...] = tuple(json.loads(names))
        self._curve = (float(facts.get("tile_slope", "1")), float(facts.get("tile_shift", "0")))
        self.size, self.confidence, self.adapt = size, confidence, adapt
        self._rereader = rereader
        self._threads = threads

    def detect(self, image: NDArray[np.uint8], look: int = 0) -> tuple[TileObservation, ...]:
        """All tiles of a picture (HxWx3 uint8, BGR), surest first; one observation a tile. `look` counts the pictures
        of a scene that stays as it is: each is looked at at another scale.

        ``confidence`` is the probability that there is a tile and that it is ``code``; ``alternatives`` are odds over
        what it may be, ``code`` first; ``angle`` as in ``TileObservation``, None where not known.
        """
        reader = self._reader()
        found = self._find(image, look, min(FAINT, self.confidence) if reader is not None else self.confidence)
        there = self._probability(found.tile)
        if reader is not None:
            seen = reader.observe(image, found, self.names, there, self.confidence)
        else:
            seen = observations(found, self.names, there)
        return tuple(sorted(seen, key=lambda tile: -tile.confidence))

    def _probability(self, tile: Floats) -> Floats:
        """Tile scores as honest probabilities (a logistic curve fitted on rendered scenes never trained on)."""
        slope, shift = self._curve
        clipped = np.clip(tile, 1e-4, 1 - 1e-4)
        return np.asarray(1 / (1 + np.exp(-(slope * np.log(clipped / (1 - clipped)) + shift))), np.float32)

    def find(self, image: NDArray[np.uint8], look: int = 0) -> Findings:
        """Raw findings, boxes in pixels of ``image``; ``look`` as in ``detect``."""
        return self._find(image, look, self.confidence)

    def _find(self, image: NDArray[np.uint8], look: int, least: float) -> Findings:
        """Findings of a score above ``least``; those above ``confidence`` say where and at what scale to look again."""
        _check_image(image)
        height, width = image.shape[:2]
        scale = min(1.0, self.size / max(height, width)) if self.adapt else self.size / max(height, width)
        found = self._look(image, scale, least)
        firm = found.keep(found.tile > self.confidence)
        better = self._better_scale(image, firm, scale, AIMS[look % len(AIMS)]) if self.adapt else None
        if better is not None:
            found = self._second_look(image, firm, found, better, least)
        return found.keep(plausible(found))

    def _reader(self) -> Rereader | None:
        if self._rereader is None:
            try:
                self._rereader = Rereader(threads=self._threads)
            except WeightsError:
                self._rereader = False
        return self._rereader if not isinstance(self._rereader, bool) else None

    def _look(self, image: NDArray[np.uint8], scale: float, least: float) -> Findings:
        """One run over the whole picture at one scale."""
        height, width = image.shape[:2]
        target = (max(STRIDE, round(width * scale)), max(STRIDE, round(height * scale)))
        smaller = scale < 1
        resized = image
        if target != (width, height):
            resized = np.asarray(
                cv2.resize(image, target, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_CUBIC), np.uint8
            )
        blob = _blob(resized)
        boxes, tile, classes, pose = self._session.run(None, {"images": blob})
        which = tile[0] > least
        raw = Findings(boxes[0][which], tile[0][which], classes[0][which], pose[0][which])
        found = merge(raw)
        sx, sy = width / target[0], height / target[1]
        found.boxes[:, 0::2] = np.clip(found.boxes[:, 0::2] * sx, 0, width)
        found.boxes[:, 1::2] = np.clip(found.boxes[:, 1::2] * sy, 0, height)
        alive = np.minimum(found.boxes[:, 2] - found.boxes[:, 0], found.boxes[:, 3] - found.boxes[:, 1]) > 3
        return found.keep(alive)

    def _better_scale(self, image: NDArray[np.uint8], found: Findings, scale: float, aim: float) -> float | None:
        """A scale at which the tiles have about the size `aim`, or None when they have a comfortable one already."""
        longest = max(image.shape[:2])
        if not len(found):
            half = scale / 2
            return half if half * longest >= 160 else None
        span = float(np.median(np.sqrt(np.prod(found.boxes[:, 2:] - found.boxes[:, :2], axis=1)))) * scale
        if COMFORT[0] <= span <= COMFORT[1]:
            return None
        better = scale * aim / max(span, 1.0)
        better = float(np.clip(better, 160 / longest, 2.0))
        return better if abs(np.log(better / scale)) > 0.2 else None

    def _second_look(
        self, image: NDArray[np.uint8], firm: Findings, found: Findings, scale: float, least: float
    ) -> Findings:
        """Look again at another scale: at the whole picture, or at the part with tiles when that would be too large."""
        height, width = image.shape[:2]
        left, top, right, bottom = 0, 0, width, height
        if len(firm) and max(height, width) * scale > self.size:
            span = float(np.median(firm.boxes[:, 2:] - firm.boxes[:, :2]))
            low = firm.boxes[:, :2].min(0) - 2.5 * span
            high = firm.boxes[:, 2:].max(0) + 2.5 * span
            left, top = (int(v) for v in np.clip(low, 0, [width, height]))
            right, bottom = (int(v) for v in np.clip(high, 0, [width, height]))
        longest = max(right - left, bottom - top)
        scale = min(scale, MAX_SIDE / longest)
        again = self._look(image[top:bottom, left:right], scale, least).moved(1.0, (left, top))
        if not len(found) or not len(again):
            return again if len(again) else found
        first = Findings(found.boxes, found.tile * np.float32(0.7), found.classes, found.pose)
        return merge(joined([again, first]).keep(np.concatenate([again.tile, first.tile]) > least))


def observations(found: Findings, names: tuple[str, ...], there: Floats | None = None) -> list[TileObservation]:
    """Findings named by the detector alone; ``there`` as in ``Rereader.observe``."""
    odds = softmax(found.classes)
    likely = found.tile if there is None else there
    return [observation(box, float(tile), row, names) for box, tile, row in zip(found.boxes, likely, odds, strict=True)]


def _blob(image: NDArray[np.uint8]) -> Floats:
    """1x3xHxW float RGB in 0..1, padded right and below with grey to a multiple of the stride."""
    height, width = image.shape[:2]
    down, across = -height % STRIDE, -width % STRIDE
    if down or across:
        image = np.asarray(
            cv2.copyMakeBorder(image, 0, down, 0, across, cv2.BORDER_CONSTANT, value=(114, 114, 114)), np.uint8
        )
    return np.ascontiguousarray(image[..., ::-1].transpose(2, 0, 1)[None], np.float32) / np.float32(255)


def _check_image(image: NDArray[np.uint8]) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or min(image.shape[:2]) < 16:
        raise ValueError(
            f"the picture is an array of shape {image.shape} and type {image.dtype}: "
            "give HxWx3 uint8 in BGR order, at least 16 pixels a side"
        )
