"""Composites: solid tiles in true perspective with real or drawn faces, over tables and rooms; endless and quick.

Not the project's picture-perfect renderer (``vision.training.render``): this one makes some fifty pictures a second,
for the bulk of training.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training.classes import BACK
from vision.training.faces import FACE_HEIGHT, FACE_WIDTH, FaceBank, Texture
from vision.training.layouts import HEIGHT, Placed, arrange
from vision.training.light import photograph
from vision.training.photos import Photo
from vision.training.sample import COLUMNS, Sample, pose_of
from vision.training.tables import background, things

_SIGNS = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]], np.float64)  # top left, top right, bottom right, bottom left
_CORNERS = np.array([[0, 0], [FACE_WIDTH, 0], [FACE_WIDTH, FACE_HEIGHT], [0, FACE_HEIGHT]], np.float32)
_FLAT = 0.94  # of the block's front is its flat face; the rest is the rounded edge, which labels leave out
_MIN_VISIBLE = 0.42  # a tile that shows less of its face is left unlabelled


class Camera:
    """A pinhole camera looking at the middle of the table."""

    def __init__(self, rng: Generator, size: int, tile: float) -> None:
        tilt = rng.choice([rng.uniform(72, 90), rng.uniform(45, 75), rng.uniform(22, 50)], p=[0.45, 0.38, 0.17])
        elevation = np.deg2rad(tilt)
        azimuth = rng.uniform(0, 2 * np.pi) if rng.random() < 0.5 else -np.pi / 2 + rng.normal(0, 0.2)
        roll = rng.normal(0, 0.06) if rng.random() < 0.8 else rng.uniform(0, 2 * np.pi)
        self.focal = size * float(rng.uniform(0.9, 2.4))
        distance = self.focal / tile  # so that a tile of width 1 measures about ``tile`` pixels
        out = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
        self.place = out * distance
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        down = -np.cross(out, right)
        c, s = np.cos(roll), np.sin(roll)
        self.turn = np.array([c * right + s * down, -s * right + c * down, -out])
        self.middle = np.array([size / 2, size / 2])

    def project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels of points (...x3)."""
        seen = (points - self.place) @ self.turn.T
        return np.asarray(seen[..., :2] / np.maximum(seen[..., 2:], 0.2) * self.focal + self.middle)


def compose(rng: Generator, bank: FaceBank, photos: list[Photo], size: int, tile: float) -> Sample:
    """One composite of ``size`` x ``size`` pixels whose tiles measure about ``tile`` pixels (root of the area)."""
    thick = float(rng.uniform(0.55, 0.95))
    placed = arrange(rng, thick)
    camera = Camera(rng, size, tile / np.sqrt(HEIGHT))
    placed = _focus(rng, placed, size, tile)
    canvas = np.clip(background(rng, size, photos), 0, 255).astype(np.uint8)
    things(rng, canvas, tile)
    if not placed:
        return Sample(photograph(rng, canvas))
    painter = _Painter(rng, canvas, camera, thick, bank)
    targets = painter.paint(placed)
    return Sample(photograph(rng, canvas), targets)


def _focus(rng: Generator, placed: list[Placed], size: int, tile: float) -> list[Placed]:
    """Shift the arrangement so that a random tile of it is near the middle; drop what is far outside."""
    if not placed:
        return placed
    reach = size / tile
    target = placed[rng.integers(len(placed))].centre[:2]
    shift = -target * min(1.0, 1.2 * np.abs(target).max() / reach) + rng.normal(0, 0.16, 2) * reach
    for item in placed:
        item.centre = item.centre + np.array([*shift, 0.0])
    return [item for item in placed if np.abs(item.centre[:2]).max() < reach * 1.1 + 2][:90]


class _Painter:
    def __init__(self, rng: Generator, canvas: NDArray[np.uint8], camera: Camera, thick: float, bank: FaceBank):
        self.rng, self.canvas, self.camera, self.thick, self.bank = rng, canvas, camera, thick, bank
        self.size = canvas.shape[0]
        self.ids = np.zeros((self.size, self.size), np.int16)
        light = rng.normal(0, 1, 3)
        light[2] = abs(light[2]) + 0.8
        self.light = light / np.linalg.norm(light)
        self.ambient = float(rng.uniform(0.35, 0.75))
        self.back_share = float(rng.uniform(0.25, 0.6)) if rng.random() < 0.8 else 0.0
        self.inset = float(rng.uniform(0.0, 0.03))

    def paint(self, placed: list[Placed]) -> NDArray[np.float32]:
        half = np.array([0.5, HEIGHT / 2, self.thick / 2])
        centres = np.array([p.centre for p in placed])
        axes = np.array([p.axes for p in placed])  # N x 3 x 3
        codes = np.array([p.code for p in placed])
        face = self._quads(centres, axes, half, +1)
        rear = self._quads(centres, axes, half, -1)
        towards = self.camera.place - centres
        facing = np.einsum("nk,nk->n", axes[:, 2], towards - axes[:, 2] * half[2]) > 0
        textures = self.bank.draw(self.rng, np.where(facing, codes, BACK))
        body = np.array([215.0, 225.0, 230.0])
        if facing.any():
            body = np.percentile(textures[int(np.argmax(facing))][..., :3].reshape(-1, 3), 80, axis=0)
        back = self.bank.draw(self.rng, np.array([BACK]))[0][64, 48, :3].astype(np.float64)
        if not facing.all():
            back = textures[int(np.argmin(facing))][64, 48, :3].astype(np.float64)
        self._shadow(face, rear)
        order = np.argsort(-np.linalg.norm(towards, axis=1) + 0.0)
        for k in order:
            self._solid(int(k), face[k], rear[k], axes[k], centres[k], half, body, back)
            quad = face[k] if facing[k] else np.roll(rear[k][[1, 0, 3, 2]], 0, axis=0)
            normal = axes[k, 2] if facing[k] else -axes[k, 2]
            self._face(int(k), self.camera.project(quad), textures[k], normal)
        return self._targets(face, rear, facing, codes)

    @staticmethod
    def _quads(
        centres: NDArray[np.float64], axes: NDArray[np.float64], half: NDArray[np.float64], side: int
    ) -> NDArray[np.float64]:
        flat = _SIGNS[None, :, :1] * half[0] * axes[:, None, 0] + _SIGNS[None, :, 1:] * half[1] * axes[:, None, 1]
        return np.asarray(centres[:, None] + flat + side * half[2] * axes[:, None, 2])

    def _shadow(self, face: NDArray[np.float64], rear: NDArray[np.float64]) -> None:
        """Soft shadow of all tiles on the table."""
        mask = np.zeros((self.size, self.size), np.uint8)
        corners = np.concatenate([face, rear], axis=1)
        throw = corners[..., 2:] * (self.light[:2] / self.light[2])[None, None]
        ground = np.concatenate([corners[..., :2] - throw, np.zeros_like(corners[..., :1])], axis=2)
        for points in self.camera.project(ground):
            cv2.fillConvexPoly(mask, cv2.convexHull(points.astype(np.float32)).astype(np.int32), 255)
        blurred = cv2.GaussianBlur(mask, (0, 0), float(self.rng.uniform(0.8, 6)))
        keep = 1 - blurred.astype(np.float32)[..., None] / 255 * float(self.rng.uniform(0.15, 0.7))
        self.canvas[:] = (self.canvas * keep).astype(np.uint8)

    def _shade(self, normal: NDArray[np.float64]) -> float:
        lit = max(0.0, float(normal @ self.light)) / max(0.5, float(self.light[2]))
        return self.ambient + (1 - self.ambient) * lit

    def _solid(
        self,
        index: int,
        face: NDArray[np.float64],
        rear: NDArray[np.float64],
        axes: NDArray[np.float64],
        centre: NDArray[np.float64],
        half: NDArray[np.float64],
        body: NDArray[np.float64],
        back: NDArray[np.float64],
    ) -> None:
        """The hull in the id map, and the visible sides in body and back colours."""
        outline = self.camera.project(np.concatenate([face, rear]))
        hull = cv2.convexHull(outline.astype(np.float32)).astype(np.int32)
        cv2.fillConvexPoly(self.ids, hull, 0)
        edge = tuple(float(v) for v in body * self._shade(axes[2]) * 0.7)
        cv2.fillConvexPoly(self.canvas, hull, edge, cv2.LINE_AA)
        for axis, sign, a, b in ((0, 1, 1, 2), (0, -1, 3, 0), (1, 1, 0, 1), (1, -1, 2, 3)):
            normal = axes[axis] * sign
            if normal @ (self.camera.place - centre - normal * half[axis]) <= 0:
                continue
            shade = self._shade(normal) * 0.93
            seam_a = rear[a] + (face[a] - rear[a]) * self.back_share
            seam_b = rear[b] + (face[b] - rear[b]) * self.back_share
            for quad, colour in (
                ((face[a], face[b], seam_b, seam_a), body),
                ((seam_a, seam_b, rear[b], rear[a]), back),
            ):
                points = self.camera.project(np.array(quad))
                tone = tuple(float(v) for v in np.clip(colour * shade, 0, 255))
                cv2.fillConvexPoly(self.canvas, (points * 16).astype(np.int32), tone, cv2.LINE_AA, 4)

    def _face(self, index: int, quad: NDArray[np.float64], texture: Texture, normal: NDArray[np.float64]) -> None:
        """Warp the texture onto its quad and mark it in the id map."""
        low = np.floor(quad.min(0) - 1).astype(int)
        high = np.ceil(quad.max(0) + 2).astype(int)
        x1, y1 = np.maximum(low, 0)
        x2, y2 = np.minimum(high, self.size)
        if x2 - x1 < 2 or y2 - y1 < 2 or max(high - low) > 4 * self.size:
            return
        cv2.fillConvexPoly(self.ids, np.round(quad).astype(np.int32), index + 1)
        shrink = (quad - quad.mean(0)) * (1 - self.inset) + quad.mean(0)
        small, corners = texture, _CORNERS
        span = float(np.linalg.norm(quad[0] - quad[3]) + np.linalg.norm(quad[1] - quad[2])) / 2
        if span < FACE_HEIGHT * 0.6:  # shrink with averaging first
            share = max(0.12, span * 1.15 / FACE_HEIGHT)
            small = np.asarray(cv2.resize(texture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
            corners = _CORNERS * np.array([small.shape[1] / FACE_WIDTH, small.shape[0] / FACE_HEIGHT], np.float32)
        matrix = cv2.getPerspectiveTransform(corners, (shrink - [x1, y1]).astype(np.float32))
        warped = cv2.warpPerspective(small, matrix, (int(x2 - x1), int(y2 - y1)), flags=cv2.INTER_LINEAR)
        alpha = warped[..., 3:].astype(np.float32) / 255
        tone = self._shade(normal) * float(np.clip(self.rng.normal(1, 0.03), 0.85, 1.12))
        area = self.canvas[y1:y2, x1:x2]
        lit = np.minimum(warped[..., :3].astype(np.float32) * tone, 255)
        area[:] = (area + (lit - area) * alpha).astype(np.uint8)

    def _targets(
        self,
        face: NDArray[np.float64],
        rear: NDArray[np.float64],
        facing: NDArray[np.bool_],
        codes: NDArray[np.int64],
    ) -> NDArray[np.float32]:
        seen = np.bincount(self.ids.ravel(), minlength=len(codes) + 1)
        rows = []
        for k, code in enumerate(codes):
            front = face[k] if facing[k] else rear[k][[1, 0, 3, 2]]
            quad = self.camera.project(front.mean(0) + (front - front.mean(0)) * _FLAT)
            area = abs(cv2.contourArea(quad.astype(np.float32)))
            cosine, sine, narrow = pose_of(quad)
            low, high = quad.min(0), quad.max(0)
            long = max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[0] - quad[1]))
            if area < 40 or seen[k + 1] < _MIN_VISIBLE * area or area < 0.22 * long * long:
                continue
            if seen[k + 1] < 0.95 * area:
                x1, y1 = np.clip(low, 0, self.size - 1).astype(int)
                x2, y2 = np.clip(high + 1, 1, self.size).astype(int)
                ys, xs = np.nonzero(self.ids[y1:y2, x1:x2] == k + 1)
                if not len(xs):
                    continue
                low, high = np.array([x1 + xs.min(), y1 + ys.min()]), np.array([x1 + xs.max() + 1, y1 + ys.max() + 1])
            low, high = np.clip(low, 0, self.size), np.clip(high, 0, self.size)
            rows.append([code if facing[k] else BACK, *low, *high, cosine, sine, narrow])
        return np.array(rows, np.float32).reshape(-1, COLUMNS)
