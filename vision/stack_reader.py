"""Whether a tile lies on another one, by what the picture shows around it: its sides, shadow and neighbours.

Only over a table, where the camera's eye says which way a raised tile seems to move and how far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.layout_raised import THICKNESS
from vision.observation import Box, TileObservation
from vision.session import open_network
from vision.table_eye import Eye
from vision.weights import WeightsError, model_path

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

#: Side of a crop, pixels, and how far it reaches from the tile's middle, tile widths.
SIDE, REACH = 64, 1.4
#: Tiles of one kind so near each other (tile widths) may be a set that hides a fourth.
_NEAR = 2.6
_GREY = (114, 114, 114)


def surroundings(view: Picture, boxes: Sequence[Box], width: float) -> Picture:
    """Each tile with what lies around it: NxSIDExSIDEx3 uint8 BGR, from a zone's view (HxWx3) whose tiles are `width`
    pixels wide."""
    out = np.empty((len(boxes), SIDE, SIDE, 3), np.uint8)
    reach = max(2, round(REACH * width))
    edged = cv2.copyMakeBorder(view, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=_GREY)
    for k, (x1, y1, x2, y2) in enumerate(boxes):
        left = min(max(round((x1 + x2) / 2), 0), view.shape[1])
        top = min(max(round((y1 + y2) / 2), 0), view.shape[0])
        part = edged[top : top + 2 * reach, left : left + 2 * reach]
        way = cv2.INTER_AREA if 2 * reach > SIDE else cv2.INTER_LINEAR
        out[k] = cv2.resize(part, (SIDE, SIDE), interpolation=way)
    return out


def leanings(boxes: Sequence[Box], eye: Eye, width: float) -> Floats:
    """How far each tile would seem to move if it lay on another: Nx2, tile widths."""
    middles = np.array([((x1 + x2) / 2, (y1 + y2) / 2) for x1, y1, x2, y2 in boxes], np.float64).reshape(-1, 2)
    return np.asarray(-eye.shift(middles, 2 * THICKNESS * width, THICKNESS * width) / width, np.float32)


class StackReader:
    """The network that tells stacked tiles.

    Args:
        path: an ONNX file; by default the shipped ``stacked`` network.
        threads: worker threads; by default the usable cores.

    Raises:
        WeightsError: the network is missing, damaged, or not one of ours.
    """

    def __init__(self, path: Path | str | None = None, *, threads: int | None = None) -> None:
        file = Path(path) if path is not None else model_path("stacked")
        if not file.is_file():
            raise WeightsError(f"no network at {file}: give the path of an .onnx file")
        self._session = open_network(file, threads)
        facts = self._session.get_modelmeta().custom_metadata_map
        if facts.get("task") != "taicam-stacked":
            raise WeightsError(f"{file} does not tell stacked tiles: train a network with 'taicam train stacks'")
        self._slope, self._shift = float(facts.get("slope", "1")), float(facts.get("shift", "0"))

    def evidence(self, crops: Picture, moved: Floats) -> Floats:
        """How many times likelier each of N crops (of `surroundings`) is if its tile lies on another, as a logarithm;
        `moved` are its `leanings`."""
        if not len(crops):
            return np.zeros(0, np.float32)
        (scores,) = self._session.run(None, {"crops": crops, "moved": moved})
        return np.asarray(self._slope * scores + self._shift, np.float32)

    def seen(self, view: Picture, tiles: Sequence[TileObservation], eye: Eye) -> tuple[TileObservation, ...]:
        """The tiles of a zone, with what its view shows of those lying on others; only tiles beside their like are
        looked at. `eye` over the view's pixels."""
        if not tiles:
            return ()
        width = float(np.median([min(tile.size) for tile in tiles]))
        which = _beside_their_like(tiles, width)
        boxes = [tiles[i].box for i in which]
        shown = self.evidence(surroundings(view, boxes, width), leanings(boxes, eye, width))
        out = list(tiles)
        for i, value in zip(which, shown, strict=True):
            out[i] = replace(tiles[i], stacked=round(float(value), 3))
        return tuple(out)


def _beside_their_like(tiles: Sequence[TileObservation], width: float) -> list[int]:
    """Faces of which another one of their kind lies near."""
    places: dict[str, list[int]] = {}
    for i, tile in enumerate(tiles):
        if tile.code != "back":
            places.setdefault(tile.code, []).append(i)
    found = []
    for alike in places.values():
        middles = np.array([tiles[i].center for i in alike])
        apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
        near = (apart < _NEAR * width).sum(axis=1) > 1
        found += [i for i, also in zip(alike, near, strict=True) if also]
    return sorted(found)
