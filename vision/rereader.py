"""A second look at every tile: a small network on upright crops at the camera's own resolution.

The detector finds tiles and says roughly how they lie; this network names them. What is not clear at once it is given
again with the other end up (a pose is only known up to half a turn), then a little larger, smaller and turned; crops
that come out sideways are cut again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.tiles import ALL_CODES
from vision.backs import joined_by, least_of_backs, side_by_side
from vision.findings import Findings, Floats, halves, in_line, joined, softmax
from vision.observation import TileObservation
from vision.rectify import cut, cut_all, face_quad
from vision.session import open_network
from vision.weights import WeightsError, model_path, sha256_of

BATCH = 68  # the tiles of four hands of 17 in one run
ALTERNATIVES = 8
#: Detector scores (after this network's doubt) from which a face counts; chosen on the validation photos and on
#: rendered scenes. A name that is not clear is a sign of something else.
LEAST, LEAST_VAGUE = 0.39, 0.6
BLANK = 0.15  # odds for 白 above which backs side by side may be blank, and count as unclear faces do
BLANK_TOO = 0.05  # those above which a back beside such ones may be blank like them
VAGUE = 0.7  # odds of the best name below which it is not clear
CERTAIN = 0.98  # odds of the best name from which one end up is enough
CLEAR = 0.9  # odds of the best name below which a tile is looked at again
VARIATIONS = ((0.93, 0.0), (1.08, 0.0), (1.0, 8.0), (1.0, -8.0))  # growth and turn (degrees) of those further looks
UNKNOWN = 0.2  # doubt of this network from which what the detector hardly sees is no tile
CLEAR_POSE = 0.6  # length of the pose's (cos 2a, sin 2a) from which it is believed
NOT_SQUARE = 0.85  # shorter against longer side of a box up to which its tile cannot lie askew
CLEAR_TURN = 0.6  # odds of the best of four turns from which it is told
SIDEWAYS = 0.5  # probability of lying sideways in its crop from which a tile is cut anew

Quads = NDArray[np.float64]  # Nx4x2, the corners of N faces as ``face_quad`` gives them


@dataclass(frozen=True, slots=True)
class Reading:
    """What the network says about N crops: class odds NxC (without *unknown*), probability of *unknown* N, turn odds
    Nx4 (0, 90, 180, 270 degrees clockwise), embeddings NxE of length one."""

    odds: Floats
    unknown: Floats
    turns: Floats
    embedding: Floats


@dataclass(frozen=True, slots=True)
class Features:
    """What enrolment needs of N crops: embeddings NxD of length one, odds NxC in the order of
    ``scoring.tiles.ALL_CODES``, and the angle of each face's top (0, 90, 180 or 270 degrees clockwise) N."""

    embedding: Floats
    odds: Floats
    turn: NDArray[np.int64] | None


class Rereader:
    """Names tiles from crops.

    Args:
        path: an ONNX file; by default the shipped ``rereader`` network.
        weight: share of this network in the combined odds, against the detector's (in logarithms); by default what
            the network's metadata say measured best on the validation photos.
        second_look: look at doubtful tiles again in crops a little larger, smaller and turned.
        threads: worker threads; by default the usable cores.

    Raises:
        WeightsError: the network is missing, damaged, or not one of ours.
    """

    def __init__(
        self,
        path: Path | str | None = None,
        *,
        weight: float | None = None,
        second_look: bool = True,
        threads: int | None = None,
    ) -> None:
        file = Path(path) if path is not None else model_path("rereader")
        if not file.is_file():
            raise WeightsError(f"no network at {file}: give the path of an .onnx file")
        self._session = open_network(file, threads)
        facts = self._session.get_modelmeta().custom_metadata_map
        if facts.get("task") != "taicam-rereader":
            raise WeightsError(f"{file} is not a taicam re-reader: export one with 'taicam train rereader'")
        if self._session.get_inputs()[0].type != "tensor(uint8)":
            raise WeightsError(
                f"{file} was exported by an older taicam: export it anew with 'taicam train rereader --checkpoint FILE "
                "--steps 10'"
            )
        self.names: tuple[str, ...] = tuple(json.loads(facts["names"]))
        self.name = f"{file.stem}-{sha256_of(file)[:12]}"
        self.temperature = float(facts.get("temperature", "1"))
        self.weight = float(facts.get("weight", "1")) if weight is None else weight
        self.second_look = second_look
        self.detector_temperature = float(facts.get("detector_temperature", "1"))

    def read(self, crops: NDArray[np.uint8]) -> Reading:
        """Name upright crops (Nx64x48x3 uint8, BGR)."""
        names, turns, embeddings = [], [], []
        for start in range(0, len(crops), BATCH):
            out = self._session.run(None, {"crops": np.ascontiguousarray(crops[start : start + BATCH])})
            names.append(out[0])
            turns.append(out[1])
            embeddings.append(out[2])
        count = len(self.names)
        if not names:
            nothing = np.zeros((0, 1), np.float32)
            return Reading(np.zeros((0, count), np.float32), nothing[:, 0], np.zeros((0, 4), np.float32), nothing)
        scores = np.asarray(np.concatenate(names) / self.temperature, np.float32)
        everything = softmax(scores)
        return Reading(
            softmax(scores[:, :count]),
            everything[:, count],
            softmax(np.concatenate(turns)),
            np.concatenate(embeddings),
        )

    def describe(self, crops: Sequence[NDArray[np.uint8]]) -> Features:
        """Embeddings, odds and turns of tight crops of single tiles (BGR, any size, any of four turns).

        A crop lying on its side is read standing; the embedding is that of the crop with its top upwards.
        """
        if not len(crops):
            empty = np.zeros((0, len(ALL_CODES)), np.float32)
            return Features(np.zeros((0, 1), np.float32), empty, np.zeros(0, np.int64))
        upright, turned = [], []
        for crop in crops:
            height, width = crop.shape[:2]
            corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
            lying = width > height
            quad = np.roll(corners, 1, axis=0) if lying else corners
            turned.append(270 if lying else 0)  # where the crop's own left side has become its top
            upright.append(cut(crop, quad))
        first = np.stack(upright)
        reading = self.read(first)
        down = reading.turns[:, 2] > reading.turns[:, 0]
        first[down] = first[down, ::-1, ::-1]
        again = self.read(first)
        order = [self.names.index(code) for code in ALL_CODES]
        odds = softmax((np.log(np.maximum(reading.odds, 1e-9)) + np.log(np.maximum(again.odds, 1e-9))) / 2)
        turn = (np.array(turned) + np.where(down, 180, 0)) % 360
        return Features(again.embedding, odds[:, order], turn)

    def observe(
        self,
        image: NDArray[np.uint8],
        found: Findings,
        names: Sequence[str],
        there: Floats | None = None,
        firm: float = 0.0,
    ) -> list[TileObservation]:
        """Findings of the detector, named.

        Args:
            image: HxWx3 uint8 BGR at full resolution; boxes are in its pixels.
            found: the detector's findings.
            names: class names of the detector's raw scores.
            there: calibrated probability that each finding is a tile; by default the detector's own.
            firm: the score from which a finding counts by itself; a fainter one counts only as one of a row.

        Returns:
            One observation a finding, in the same order; those that look like no tile are left out, and where one holds
            two tiles there are two, at the end.
        """
        likely = found.tile if there is None else there
        seen = found.tile > firm
        near = np.where(seen | in_line(found.boxes, seen, ~seen))[0]  # no need to look at the rest
        found, likely = self._parted(image, found.keep(near), likely[near], firm)
        if not len(found):
            return []
        reading, quads = self._upright(image, found.boxes, found.pose)
        order = [list(names).index(name) for name in self.names]
        odds = self._combine(reading.odds, found.classes[:, order])
        out = []
        known = 1.0 - reading.unknown
        counts = (found.tile > firm) & (found.tile * known >= self._least(found, odds))
        counts |= in_line(found.boxes, counts, self._clear_faces(odds, reading.unknown))
        angles = _angles(quads, reading.turns)
        for k in np.where(counts)[0]:
            out.append(observation(found.boxes[k], float(likely[k] * known[k]), odds[k], self.names, angles[k]))
        return out

    def _parted(
        self, image: NDArray[np.uint8], found: Findings, likely: Floats, firm: float
    ) -> tuple[Findings, Floats]:
        """Findings with those parted that hold two tiles, both of them clear."""
        pairs = halves(found, firm)
        if not pairs:
            return found, likely
        boxes = np.concatenate([pair for _, pair in pairs])
        size = boxes[:, 2:] - boxes[:, :2]
        poses = np.where((size[:, 1] >= size[:, 0])[:, None], [1.0, 0.0, np.nan], [-1.0, 0.0, np.nan])
        reading, _ = self._upright(image, boxes, poses.astype(np.float32))
        clear = self._clear_faces(reading.odds, reading.unknown).reshape(-1, 2)
        both = clear[:, 0] & clear[:, 1]
        whole = np.array([k for k, _ in pairs], np.int64)[both]
        kept = np.setdiff1d(np.arange(len(found)), whole)
        new = Findings(
            boxes[np.repeat(both, 2)],
            np.repeat(found.tile[whole], 2),
            np.zeros((2 * len(whole), found.classes.shape[1]), np.float32),
            poses[np.repeat(both, 2)].astype(np.float32),
        )
        return joined([found.keep(kept), new]), np.concatenate([likely[kept], np.repeat(likely[whole], 2)])

    def _clear_faces(self, odds: Floats, unknown: Floats) -> NDArray[np.bool_]:
        """What surely is a face with something on it."""
        plain = [self.names.index("back"), self.names.index("P")]
        clear = (odds.max(axis=1) >= CLEAR) & (unknown < UNKNOWN)
        return np.asarray(clear & ~np.isin(odds.argmax(axis=1), plain))

    def _least(self, found: Findings, odds: Floats) -> Floats:
        """Detector scores from which findings with these odds count."""
        best = odds.argmax(axis=1)
        sure = odds[np.arange(len(odds)), best]
        back = best == self.names.index("back")
        white = odds[:, self.names.index("P")]
        whites = best == self.names.index("P")
        blank = side_by_side(found.boxes, back & (white > BLANK))
        blank = joined_by(found.boxes, blank | whites, back & (white > BLANK_TOO)) & back
        least = np.where(blank | (sure < VAGUE), LEAST_VAGUE, LEAST)
        back &= ~blank
        return np.where(back, least_of_backs(found.boxes, back, found.tile > LEAST), least).astype(np.float32)

    def refine(self, image: NDArray[np.uint8], seen: Sequence[TileObservation]) -> tuple[TileObservation, ...]:
        """Observations named anew from the picture: for boxes drawn or moved by hand, or found by another detector.

        ``angle`` of an observation is used where it is known; upright is assumed otherwise.
        """
        if not seen:
            return ()
        boxes = np.array([tile.box for tile in seen], np.float32)
        twice = np.deg2rad([2 * (tile.angle or 0.0) for tile in seen])
        poses = np.stack([np.cos(twice), np.sin(twice), np.full(len(seen), np.nan)], axis=1).astype(np.float32)
        reading, quads = self._upright(image, boxes, poses)
        angles = _angles(quads, reading.turns)
        out = []
        for k, tile in enumerate(seen):
            odds = reading.odds[k] ** self.weight
            if tile.alternatives:
                prior = np.full(len(self.names), 1e-4, np.float32)
                for code, p in tile.alternatives:
                    if code in self.names:
                        prior[self.names.index(code)] += p
                odds = odds * (prior / prior.sum()) ** (1 - self.weight)
            odds = odds / odds.sum()
            box = np.array(tile.box, np.float32)
            out.append(observation(box, tile.presence, odds.astype(np.float32), self.names, angles[k]))
        return tuple(out)

    def odds(self, image: NDArray[np.uint8], found: Findings) -> Floats:
        """This network's own class odds of findings, NxC in the order of ``names``."""
        return self._upright(image, found.boxes, found.pose)[0].odds

    def embed(self, image: NDArray[np.uint8], found: Findings) -> Floats:
        """Embeddings of findings, NxE, for enrolment of a tile set."""
        return self._upright(image, found.boxes, found.pose)[0].embedding

    def _upright(self, image: NDArray[np.uint8], boxes: Floats, poses: Floats) -> tuple[Reading, Quads]:
        """Read every tile upright; look again at what lies sideways and at what is not clear."""
        quads = _quads(boxes, poses)
        reading = self._both_ends(image, quads)
        self._stand_up(image, boxes, poses, quads, reading)
        if self.second_look:
            self._look_again(image, quads, reading)
        return reading, quads

    def _stand_up(self, image: NDArray[np.uint8], boxes: Floats, poses: Floats, quads: Quads, reading: Reading) -> None:
        """Cut anew what lies sideways in its crop or has no clear pose; ``quads`` and ``reading`` change in place.

        The length of a pose says how clear it is: where the detector wavers between upright and lying, both are tried,
        unless the box is nearly square, as that of a tile lying askew is.
        """
        across = reading.turns[:, 1] + reading.turns[:, 3] > SIDEWAYS
        size = boxes[:, 2:] - boxes[:, :2]
        narrow = size.min(axis=1) < NOT_SQUARE * size.max(axis=1)
        unclear = (np.hypot(poses[:, 0], poses[:, 1]) < CLEAR_POSE) & narrow
        anew = [(k, poses[k] * np.array([-1, -1, 1], np.float32)) for k in np.where(across & ~unclear)[0]]
        for cosine in (1.0, -1.0):
            anew += [(k, np.array([cosine, 0.0, np.nan], np.float32)) for k in np.where(unclear)[0]]
        self._try(image, boxes, anew, quads, reading)

    def _try(
        self,
        image: NDArray[np.uint8],
        boxes: Floats,
        anew: list[tuple[int, Floats]],
        quads: Quads,
        reading: Reading,
    ) -> None:
        """Read some tiles with other poses (number of the tile, pose) and keep what reads more clearly; in place."""
        if not anew:
            return
        tried = _quads(boxes[[k for k, _ in anew]], np.stack([pose for _, pose in anew]))
        again = self._both_ends(image, tried)
        for row, (k, _) in enumerate(anew):
            clear = again.odds[row].max() * (1 - again.unknown[row])
            if clear > reading.odds[k].max() * (1 - reading.unknown[k]):
                for name in ("odds", "unknown", "turns", "embedding"):
                    getattr(reading, name)[k] = getattr(again, name)[row]
                quads[k] = tried[row]

    def _look_again(self, image: NDArray[np.uint8], quads: Quads, reading: Reading) -> None:
        """Average in crops a little larger, smaller and turned, of the tiles whose name is not clear; in place."""
        doubtful = np.where(reading.odds.max(1) < CLEAR)[0]
        if not len(doubtful):
            return
        variants = np.concatenate([_varied(quads[doubtful], grow, turn) for grow, turn in VARIATIONS])
        again = self._both_ends(image, variants)
        shape = (len(VARIATIONS), len(doubtful), -1)
        log = np.log(np.maximum(again.odds, 1e-9)).reshape(shape).sum(0)
        log += np.log(np.maximum(reading.odds[doubtful], 1e-9))
        reading.odds[doubtful] = softmax((log / (1 + len(VARIATIONS))).astype(np.float32))
        unknown = again.unknown.reshape(shape[:2]).mean(0)
        reading.unknown[doubtful] = (reading.unknown[doubtful] + len(VARIATIONS) * unknown) / (1 + len(VARIATIONS))

    def _both_ends(self, image: NDArray[np.uint8], quads: Quads) -> Reading:
        """Read tiles cut by their quads; what is not clear at once is read with its other end up too, and averaged."""
        crops = cut_all(image, quads)
        out = self.read(crops)
        unclear = np.where(out.odds.max(1) < CERTAIN)[0]
        if len(unclear):
            other = self.read(crops[unclear, ::-1, ::-1])
            log = np.log(np.maximum(out.odds[unclear], 1e-9)) + np.log(np.maximum(other.odds, 1e-9))
            out.odds[unclear] = softmax(log / 2)
            out.turns[unclear] = (out.turns[unclear] + np.roll(other.turns, 2, axis=1)) / 2
            out.unknown[unclear] = (out.unknown[unclear] + other.unknown) / 2
        return out

    def _combine(self, odds: Floats, scores: Floats) -> Floats:
        """Odds of both networks, multiplied in the measured proportion."""
        if self.weight >= 1:
            return odds
        log = self.weight * np.log(np.maximum(odds, 1e-9))
        log += (1 - self.weight) * np.log(np.maximum(softmax(scores / np.float32(self.detector_temperature)), 1e-9))
        return softmax(log.astype(np.float32))


def _quads(boxes: Floats, poses: Floats) -> Quads:
    found = [face_quad(box, *pose) for box, pose in zip(boxes.tolist(), poses.tolist(), strict=True)]
    return np.array(found).reshape(-1, 4, 2)


def _varied(quads: Quads, grow: float, turn: float) -> Quads:
    """Quads grown and turned (degrees) about their middles."""
    c, s = np.cos(np.deg2rad(turn)) * grow, np.sin(np.deg2rad(turn)) * grow
    middles = quads.mean(axis=1, keepdims=True)
    return np.asarray((quads - middles) @ np.array([[c, s], [-s, c]]) + middles)


def _angles(quads: Quads, turns: Floats) -> list[float | None]:
    """Clockwise angle of each face's top in the picture, degrees 0..360; None where the ends cannot be told."""
    best = turns.argmax(axis=1)
    axes = (quads[:, 0] + quads[:, 1]) - (quads[:, 2] + quads[:, 3])
    angles = (np.rad2deg(np.arctan2(axes[:, 0], -axes[:, 1])) + 90 * best) % 360
    clear = turns.max(axis=1) >= CLEAR_TURN
    return [angle if known else None for angle, known in zip(angles.tolist(), clear.tolist(), strict=True)]


def observation(
    box: Floats, tile: float, odds: Floats, names: tuple[str, ...], angle: float | None = None
) -> TileObservation:
    """One observation from a box, the probability that a tile is there, and class odds."""
    order = np.argsort(-odds)[:ALTERNATIVES]
    ranked = zip(order.tolist(), odds[order].tolist(), strict=True)
    listed = tuple((names[k], p) for place, (k, p) in enumerate(ranked) if p > 1e-5 or place == 0)
    x1, y1, x2, y2 = box.tolist()
    return TileObservation(listed[0][0], (x1, y1, x2, y2), float(tile) * listed[0][1], listed, angle)
