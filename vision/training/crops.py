"""Endless training crops for the re-reader: drawn ones in any pose, and real ones cut from photos with jitter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.rectify import CROP_HEIGHT, CROP_WIDTH, crop_matrix, cut, face_quad
from vision.training.classes import BACK, CLASSES, FACES, HALF_TURN_SAME
from vision.training.faces import FACE_HEIGHT, FACE_WIDTH, FaceBank, Texture
from vision.training.light import photograph
from vision.training.photos import Photo, pixels
from vision.training.rendered import ScenePool
from vision.training.sample import pose_of
from vision.training.tables import background

UNKNOWN = len(CLASSES)  # class of crops that show no tile
NO_TURN = -1
_TEXTURE = np.array([[0, 0], [FACE_WIDTH, 0], [FACE_WIDTH, FACE_HEIGHT], [0, FACE_HEIGHT]], np.float32)
_SMALL = (FACE_WIDTH // 2 + 8, FACE_HEIGHT // 2 + 11)  # textures: somewhat more pixels than a face has in a crop
_TURNS = np.array([0, 90, 180, 270])
BLURRED = 0.35  # share of crops that are blurred against their tile's own size


@dataclass(slots=True)
class Crop:
    """A crop (CROP_HEIGHT x CROP_WIDTH x 3, BGR), its class, and which way its top points (0..3 quarter turns
    clockwise; ``NO_TURN`` where not known or not to be seen)."""

    image: NDArray[np.uint8]
    label: int
    turn: int


def _noisy_quad(
    rng: Generator, quad: NDArray[np.float64], seen: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The rectangle the detector would report for a true face quad: boxes and poses a little (or wholly) off.

    ``seen`` is the box of the visible part, where something hides the rest.
    """
    cosine, sine, narrow = pose_of(quad)
    angle = 0.5 * np.arctan2(sine, cosine) + rng.normal(0, 0.07)
    kind = rng.random()
    if kind < 0.07:
        angle += np.pi / 2
    elif kind < 0.10:
        angle += rng.uniform(-np.pi / 2, np.pi / 2)
    low, high = (quad.min(0), quad.max(0)) if seen is None else (seen[:2], seen[2:])
    size = high - low
    box = np.concatenate([low, high]) + rng.normal(0, 0.035, 4) * np.concatenate([size, size])
    found = face_quad(box, np.cos(2 * angle), np.sin(2 * angle), narrow + rng.normal(0, 0.02))
    return found if rng.random() < 0.5 else np.roll(found, 2, axis=0)


def _turn_in(crop_of: NDArray[np.float64], quad: NDArray[np.float64], code: int) -> int:
    """Quarter turns of the face's top inside the crop."""
    if CLASSES[code] in HALF_TURN_SAME:
        return NO_TURN
    points = cv2.perspectiveTransform(quad[None].astype(np.float64), crop_of)[0]
    axis = (points[0] + points[1] - points[2] - points[3]) / np.array([CROP_WIDTH, CROP_HEIGHT])
    angle = np.rad2deg(np.arctan2(axis[0], -axis[1])) % 360
    off = np.abs((angle - _TURNS + 180) % 360 - 180)
    return int(off.argmin()) if off.min() < 38 else NO_TURN


class DrawnCrops:
    """Crops made from a bank of faces: any pose, sides, neighbours, things in the way, light."""

    def __init__(self, bank: FaceBank, photos: list[Photo], seed: int) -> None:
        self.bank, self.photos = bank, photos
        rng = np.random.default_rng([seed, 77])
        grounds = [background(rng, 224, photos) for _ in range(120)]
        self.grounds = [np.clip(ground, 0, 255).astype(np.uint8) for ground in grounds]

    def _ground(self, rng: Generator) -> NDArray[np.uint8]:
        picture = self.grounds[rng.integers(len(self.grounds))]
        y, x = int(rng.integers(0, 224 - CROP_HEIGHT)), int(rng.integers(0, 224 - CROP_WIDTH))
        return np.rot90(picture, int(rng.integers(4)))[y : y + CROP_HEIGHT, x : x + CROP_WIDTH].copy()

    def group(self, rng: Generator) -> list[Crop]:
        """A handful of crops in one style: drawing a style costs more than using it."""
        codes = rng.integers(0, len(FACES), 7)
        codes[rng.random(7) < 0.04] = BACK
        textures = self.bank.draw(rng, codes, _SMALL)
        return [self._one(rng, codes, textures, k) for k in range(6)]

    def _one(self, rng: Generator, codes: NDArray[np.int64], textures: list[Texture], which: int) -> Crop:
        quad = _random_quad(rng)
        if rng.random() < 0.05:
            return Crop(photograph(rng, self._beside(rng, quad, textures)), UNKNOWN, NO_TURN)
        matrix = crop_matrix(_noisy_quad(rng, quad))
        plane = cv2.getPerspectiveTransform(_TEXTURE, quad.astype(np.float32))
        image = self._paint(rng, matrix @ plane, textures, which)
        image = _poorer(rng, out_of_focus(rng, image))
        return Crop(photograph(rng, image, soft=0.45), int(codes[which]), _turn_in(matrix, quad, int(codes[which])))

    def _beside(self, rng: Generator, quad: NDArray[np.float64], textures: list[Texture]) -> NDArray[np.uint8]:
        """A crop with no tile in its middle: bare ground, or the seam between two tiles."""
        if rng.random() < 0.6:
            return self._ground(rng)
        way = rng.uniform(0, 2 * np.pi)
        size = quad.max(0) - quad.min(0)
        matrix = crop_matrix(
            _noisy_quad(rng, quad + np.array([np.cos(way), np.sin(way)]) * size * rng.uniform(0.55, 0.8))
        )
        plane = cv2.getPerspectiveTransform(_TEXTURE, quad.astype(np.float32))
        return self._paint(rng, matrix @ plane, textures, 0)

    def _paint(
        self, rng: Generator, to_crop: NDArray[np.float64], textures: list[Texture], which: int
    ) -> NDArray[np.uint8]:
        canvas = self._ground(rng)
        body = textures[which][..., :3].reshape(-1, 3)[::16].mean(0)
        _block(rng, canvas, to_crop, body)
        if rng.random() < 0.75:
            gap = abs(rng.normal(0, 2.5))
            steps = [(1, 0), (-1, 0), (0, 1), (0, -1)]
            for number, (x, y) in enumerate(steps):
                if rng.random() < (0.75 if y == 0 else 0.4):
                    shift = np.eye(3)
                    shift[0, 2] = x * (FACE_WIDTH + gap) + rng.normal(0, 1.5)
                    shift[1, 2] = y * (FACE_HEIGHT + gap) + rng.normal(0, 4 if y == 0 else 1.5)
                    _lay(rng, canvas, to_crop @ shift, textures[(which + 1 + number) % len(textures)])
        _lay(rng, canvas, to_crop, textures[which])
        if rng.random() < 0.1:
            _in_the_way(rng, canvas)
        return canvas


def _random_quad(rng: Generator) -> NDArray[np.float64]:
    """A face of height 64 in any turn, foreshortened and in slight perspective."""
    height = 64.0
    width = height * rng.uniform(0.68, 0.8)
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    turn = rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else rng.choice([0, 90, 180, 270]) * np.pi / 180
    c, s = np.cos(turn), np.sin(turn)
    points = corners @ np.array([[c, s], [-s, c]])
    if rng.random() < 0.6:  # seen from the side: shorter along one direction
        way = rng.uniform(0, np.pi) if rng.random() < 0.4 else np.pi / 2
        axis = np.array([np.cos(way), np.sin(way)])
        points = points - np.outer(points @ axis, axis) * rng.uniform(0.0, 0.42)
    depth = 1 + points @ rng.normal(0, 0.0012, 2)
    return np.asarray(points / depth[:, None] + rng.normal(0, 0.7, (4, 2)))


def _block(rng: Generator, canvas: NDArray[np.uint8], to_crop: NDArray[np.float64], body: NDArray[np.float64]) -> None:
    """The tile's sides: its outline thrown some way to one side, in the body's and the back's colours."""
    if rng.random() < 0.3:
        return
    throw = rng.normal(0, 0.22, 2) * FACE_HEIGHT
    base = _TEXTURE.astype(np.float64)
    back = rng.uniform(20, 240, 3)
    for share, colour in ((1.0, back), (rng.uniform(0.3, 1.0), body * rng.uniform(0.55, 1.0))):
        points = np.concatenate([base, base + throw * share])
        seen = cv2.perspectiveTransform(points[None], to_crop)[0]
        hull = cv2.convexHull(seen.astype(np.float32)).astype(np.int32)
        cv2.fillConvexPoly(canvas, hull, tuple(float(v) for v in colour), cv2.LINE_AA)


def _lay(rng: Generator, canvas: NDArray[np.uint8], to_crop: NDArray[np.float64], texture: Texture) -> None:
    """Warp one face onto the crop."""
    scale = np.diag([FACE_WIDTH / texture.shape[1], FACE_HEIGHT / texture.shape[0], 1.0])
    warped = cv2.warpPerspective(texture, to_crop @ scale, (CROP_WIDTH, CROP_HEIGHT), flags=cv2.INTER_LINEAR)
    alpha = warped[..., 3:].astype(np.float32) / 255
    tone = float(np.clip(rng.normal(1, 0.06), 0.7, 1.2))
    lit = np.minimum(warped[..., :3] * np.float32(tone), 255)
    canvas[:] = (canvas + (lit - canvas) * alpha).astype(np.uint8)


def _in_the_way(rng: Generator, canvas: NDArray[np.uint8]) -> None:
    """Something covers an edge or a corner."""
    way = rng.uniform(0, 2 * np.pi)
    normal = np.array([np.cos(way), np.sin(way)])
    edge = np.array([CROP_WIDTH, CROP_HEIGHT]) / 2 * (1 + normal * rng.uniform(0.35, 0.8))
    along = np.array([-normal[1], normal[0]]) * 100
    points = np.array([edge + along, edge - along, edge - along + normal * 100, edge + along + normal * 100])
    cv2.fillConvexPoly(canvas, points.astype(np.int32), tuple(float(v) for v in rng.uniform(0, 255, 3)), cv2.LINE_AA)


def out_of_focus(rng: Generator, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """At times so blurred, against the tile's own size, as small tiles are by a lens out of focus or a moved camera;
    some cameras then sharpen what is left."""
    kind = rng.random()
    if kind > BLURRED:
        return image
    if kind < 0.6 * BLURRED:
        out = cv2.GaussianBlur(image, (0, 0), CROP_WIDTH * float(rng.uniform(0.015, 0.11)))
    else:
        way = rng.uniform(0, np.pi)
        tip = CROP_WIDTH * float(rng.uniform(0.03, 0.18)) * np.array([np.cos(way), np.sin(way)])
        side = 2 * int(np.abs(tip).max()) + 3
        kernel = np.zeros((side, side), np.float32)
        first, last = (((side // 2 + end * tip) * 16).round().astype(int) for end in (-1, 1))
        cv2.line(kernel, tuple(first.tolist()), tuple(last.tolist()), 1.0, 1, cv2.LINE_AA, 4)
        out = cv2.filter2D(image, -1, kernel / kernel.sum())
    if rng.random() < 0.3:
        share = float(rng.uniform(0.2, 1.0))
        soft = cv2.GaussianBlur(out, (0, 0), CROP_WIDTH * float(rng.uniform(0.03, 0.1)))
        out = cv2.addWeighted(out, 1 + share, soft, -share, 0)
    return np.asarray(out, np.uint8)


def _poorer(rng: Generator, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """As if the tile had fewer pixels in the photo."""
    if rng.random() > 0.7:
        return image
    share = float(rng.uniform(0.3, 0.9))
    small = cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (CROP_WIDTH, CROP_HEIGHT), interpolation=cv2.INTER_LINEAR), np.uint8)


class RenderedCrops:
    """Crops of tiles in rendered scenes: true neighbours, shadows and things in the way."""

    def __init__(self, pool: ScenePool) -> None:
        self.pool = pool

    def group(self, rng: Generator) -> list[Crop]:
        """A handful of crops of one scene."""
        scene = self.pool.draw(rng)
        out = []
        count = len(scene.classes)
        for k in rng.permutation(count)[:8]:
            if scene.classes[k] == BACK and rng.random() < 0.7:
                continue
            quad, code = scene.quads[k], int(scene.classes[k])
            if min(np.linalg.norm(quad[0] - quad[1]), np.linalg.norm(quad[1] - quad[2])) < 13 and rng.random() < 0.9:
                continue  # hardly legible
            found = _noisy_quad(rng, quad, scene.boxes[k])
            image = out_of_focus(rng, cut(scene.image, found))
            turn = _turn_in(crop_matrix(found), quad, code)
            out.append(Crop(photograph(rng, _poorer(rng, image), 0.6, soft=0.3), code, turn))
        whole = np.asarray(cv2.resize(scene.image, (CROP_WIDTH, CROP_HEIGHT)), np.uint8)
        return out or [Crop(photograph(rng, whole), UNKNOWN, NO_TURN)]


class PhotoCrops:
    """Crops of labelled tiles in real photos. ``poses`` gives, per photo, N x 3 poses (NaN rows are not used)."""

    def __init__(
        self, photos: list[Photo], poses: dict[Path, NDArray[np.float32]], weight_of: Callable[[Photo], float]
    ) -> None:
        rows: list[tuple[Photo, int, NDArray[np.float32]]] = []
        chance: list[float] = []
        for photo in photos:
            for number, pose in enumerate(poses[photo.path]):
                if not np.isnan(pose).any():
                    rows.append((photo, number, pose))
                    chance.append(weight_of(photo))
        self.rows = rows
        labels = np.array([int(photo.classes[number]) for photo, number, _ in rows], np.int64)
        rarity = 1 / np.sqrt(np.bincount(labels, minlength=len(CLASSES)).clip(1))
        self.chance = np.array(chance) * rarity[labels]
        self.cumulative = np.cumsum(self.chance / max(self.chance.sum(), 1e-9))

    def one(self, rng: Generator) -> Crop:
        """A random tile, its box and pose jittered, lit anew."""
        photo, number, pose = self.rows[min(int(np.searchsorted(self.cumulative, rng.random())), len(self.rows) - 1)]
        true = face_quad(photo.boxes[number], *(float(v) for v in pose))
        image = out_of_focus(rng, cut(pixels(photo.path), _noisy_quad(rng, true)))
        return Crop(photograph(rng, _poorer(rng, image), 0.8, soft=0.45), int(photo.classes[number]), NO_TURN)


def square_poses(photo: Photo) -> NDArray[np.float32]:
    """Poses of a photo's tiles where its boxes alone tell them; NaN elsewhere."""
    out = np.full((len(photo.boxes), 3), np.nan, np.float32)
    if not photo.square:
        return out
    width, height = (photo.boxes[:, 2:] - photo.boxes[:, :2]).T
    upright, lying = width < 0.92 * height, width > 1.12 * height
    out[upright] = np.stack([np.ones_like(width), np.zeros_like(width), width / (width + height)], axis=1)[upright]
    out[lying] = np.stack([-np.ones_like(width), np.zeros_like(width), height / (width + height)], axis=1)[lying]
    return out
