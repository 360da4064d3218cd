"""Training samples out of the picture-perfect renderer: windows for the detector, crops for the re-reader.

A rendered scene costs tens of milliseconds, so each is kept in a small pool and cut several times, every time with
another turn, scale and light.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training.classes import INDEX
from vision.training.light import photograph
from vision.training.material import Material
from vision.training.sample import COLUMNS, Sample, filled, pose_of

POOL = 24
USES = 8  # windows cut before a new scene is rendered
MIN_INSIDE = 0.55
#: How often the detector is shown whole tables, and a winner's tiles among which some lie on others.
WHOLE_TABLES = {"table": 0.8, "win": 0.8, "seat": 1.6, "kongs": 3.0}


@dataclass(frozen=True, slots=True)
class Rendered:
    """One scene: picture, classes, boxes Nx4, face corners Nx4x2, visible share; tiles nobody could read left out."""

    image: NDArray[np.uint8]
    classes: NDArray[np.int64]
    boxes: NDArray[np.float64]
    quads: NDArray[np.float64]
    visible: NDArray[np.float64]


class ScenePool:
    """A few rendered scenes at hand, one replaced after every ``uses`` draws."""

    def __init__(
        self, material: Material, size: int = 640, uses: int = USES, mix: Mapping[str, float] | None = None
    ) -> None:
        self.sources = material.sources()
        self.size, self.uses, self.mix = size, uses, mix
        self.scenes: list[Rendered] = []
        self.draws = 0
        self.next_seed: int | None = None

    def draw(self, rng: Generator) -> Rendered:
        """A scene by chance."""
        if self.next_seed is None:
            self.next_seed = int(rng.integers(1, 2**30)) * 64  # a block of its own: sets are shared within one
        if len(self.scenes) < POOL or self.draws % self.uses == 0:
            fresh = self._render()
            if len(self.scenes) < POOL:
                self.scenes.append(fresh)
            else:
                self.scenes[int(rng.integers(POOL))] = fresh
            self.draws += 1
            return fresh
        self.draws += 1
        return self.scenes[int(rng.integers(len(self.scenes)))]

    def _render(self) -> Rendered:
        from vision.training.render import render_scene  # noqa: PLC0415

        assert self.next_seed is not None
        scene = render_scene(self.next_seed, size=(self.size, self.size), sources=self.sources, mix=self.mix)
        self.next_seed += 1
        tiles = [tile for tile in scene.tiles if not tile.ignore]
        return Rendered(
            np.ascontiguousarray(scene.image),
            np.array([INDEX[tile.code] for tile in tiles], np.int64),
            np.array([tile.box for tile in tiles], np.float64).reshape(-1, 4),
            np.array([tile.quad for tile in tiles], np.float64).reshape(-1, 4, 2),
            np.array([tile.visible for tile in tiles], np.float64),
        )


class RenderedWindows:
    """Windows for the detector."""

    def __init__(self, material: Material) -> None:
        from vision.training.render.render import MIX  # noqa: PLC0415

        self.pool = ScenePool(material, mix={**MIX, **WHOLE_TABLES})

    def __call__(self, rng: Generator, size: int, tile: float) -> Sample:
        """A window of a scene whose typical tile measures about ``tile`` pixels."""
        scene = self.pool.draw(rng)
        if not len(scene.boxes):
            return Sample(photograph(rng, np.asarray(cv2.resize(scene.image, (size, size)), np.uint8), 0.5))
        span = float(np.sqrt(np.median(np.prod(scene.boxes[:, 2:] - scene.boxes[:, :2], axis=1))))
        scale = float(np.clip(tile / max(span, 4.0), 0.3, 2.0))
        turn = np.deg2rad(rng.uniform(0, 360) if rng.random() < 0.3 else rng.choice([0, 0, 90, 180, 270]))
        c, s = np.cos(turn) * scale, np.sin(turn) * scale
        linear = np.array([[c, -s], [s, c]])
        pick = int(rng.integers(len(scene.boxes)))
        focus = (scene.boxes[pick, :2] + scene.boxes[pick, 2:]) / 2
        shift = size * rng.uniform(0.2, 0.8, 2) - linear @ focus
        image = scene.image
        if rng.random() < 0.85:
            shift = filled(shift, linear, (image.shape[1], image.shape[0]), size)
        matrix = np.hstack([linear, shift[:, None]])
        if scale < 0.6:
            share = scale * 1.2
            image = np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
            matrix = matrix @ np.diag([1 / (scale * 1.2), 1 / (scale * 1.2), 1.0])
        fill = tuple(int(v) for v in rng.integers(0, 256, 3))
        out = cv2.warpAffine(image, matrix, (size, size), flags=cv2.INTER_LINEAR, borderValue=fill)
        return Sample(photograph(rng, np.asarray(out, np.uint8), 0.5), _targets(scene, linear, shift, size))


def _targets(
    scene: Rendered, linear: NDArray[np.float64], shift: NDArray[np.float64], size: int
) -> NDArray[np.float32]:
    rows = []
    for code, box, quad, visible in zip(scene.classes, scene.boxes, scene.quads, scene.visible, strict=True):
        turned = quad @ linear.T + shift
        x1, y1, x2, y2 = box
        frame = np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]]) @ linear.T + shift
        low, high = frame.min(0), frame.max(0)
        if visible > 0.9:  # the face's own corners give a tighter box than a turned box does
            low, high = np.maximum(low, turned.min(0)), np.minimum(high, turned.max(0))
        clipped_low, clipped_high = np.clip(low, 0, size), np.clip(high, 0, size)
        inside = np.prod(clipped_high - clipped_low) / max(float(np.prod(high - low)), 1e-6)
        if inside < MIN_INSIDE or min(clipped_high - clipped_low) < 5:
            continue
        rows.append([code, *clipped_low, *clipped_high, *pose_of(turned)])
    return np.array(rows, np.float32).reshape(-1, COLUMNS)
