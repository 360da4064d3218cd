"""Solid things and how they are painted into a picture: rounded blocks (tiles, dice, phones ...)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.render.geometry import CORNERS, Array, Camera
from vision.training.render.light import Float, Lighting, bevel, shade
from vision.training.render.raster import Image

#: Sides of a block: name -> its corners (top left, top right, bottom right, bottom left) as signs, and u, v, out axes.
_SIDES: tuple[tuple[str, Array, Array], ...] = tuple(
    (name, np.array(corners, np.float64), np.array(axes, np.float64).T)
    for name, corners, axes in (
        ("front", ((-1, 1, 1), (1, 1, 1), (1, -1, 1), (-1, -1, 1)), ((1, 0, 0), (0, -1, 0), (0, 0, 1))),
        ("back", ((1, 1, -1), (-1, 1, -1), (-1, -1, -1), (1, -1, -1)), ((-1, 0, 0), (0, -1, 0), (0, 0, -1))),
        ("bottom", ((-1, -1, 1), (1, -1, 1), (1, -1, -1), (-1, -1, -1)), ((1, 0, 0), (0, 0, -1), (0, -1, 0))),
        ("top", ((1, 1, 1), (-1, 1, 1), (-1, 1, -1), (1, 1, -1)), ((-1, 0, 0), (0, 0, -1), (0, 1, 0))),
        ("right", ((1, -1, 1), (1, 1, 1), (1, 1, -1), (1, -1, -1)), ((0, 1, 0), (0, 0, -1), (1, 0, 0))),
        ("left", ((-1, 1, 1), (-1, -1, 1), (-1, -1, -1), (-1, 1, -1)), ((0, -1, 0), (0, 0, -1), (-1, 0, 0))),
    )
)
#: Directions in which a rounded corner sticks out, for the first octant.
_OCTANT: Array = np.array(
    [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.72, 0.72, 0), (0.72, 0, 0.72), (0, 0.72, 0.72), (0.58, 0.58, 0.58)]
)
_ROUNDED: Array = CORNERS[:, None] * _OCTANT[None]  # (8, 7, 3)
_GRID = 20  # cells along the longer edge of a side's shading

#: (side name, shrink) -> BGR picture of that side.
Skin = Callable[[str, int], Image]


@dataclass
class Block:
    """A rounded block: pose (own axes as columns of ``rotation``), half sizes in mm and a skin."""

    rotation: Array
    centre: Array
    half: Array
    radius: float
    skin: Skin
    gloss: float = 0.5
    label: int = 0  #: number written into the owner map for its marked side; 0 = it only hides others
    marked: str = "front"  #: the side that carries the label
    occlusion: float = 0.0  #: darkening from neighbours, 0..1
    lifted: float = 0.0  #: height of what it lies on, mm; > 0 throws a small shadow there

    def corners(self) -> Array:
        """World corners (8, 3)."""
        return CORNERS * self.half @ self.rotation.T + self.centre

    def outline(self) -> Array:
        """World points whose convex hull in any picture is the block's outline."""
        inner = CORNERS * (self.half - self.radius)
        points = (inner[:, None] + _ROUNDED * self.radius).reshape(-1, 3)
        return points @ self.rotation.T + self.centre


@dataclass
class Stage:
    """A picture being painted and who owns each pixel (0 = nobody, n > 0 = marked side of n, -1 = some other side)."""

    image: Image
    camera: Camera
    lighting: Lighting
    view: Array
    owner: npt.NDArray[np.int16] = field(init=False)
    _shades: dict[tuple[object, ...], Float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.owner = np.zeros(self.image.shape[:2], np.int16)

    def shading(self, width: float, height: float, radius: float, axes: Array, gloss: float) -> Float:
        """Shading of a side, shared by all sides of this size that face the same way."""
        key = (round(width, 2), round(height, 2), radius, gloss, *np.round(axes, 2).ravel().tolist())
        found = self._shades.get(key)
        if found is None:
            longest = max(width, height)
            cols, rows = (max(8, round(_GRID * length / longest)) for length in (width, height))
            found = shade(
                _normals(round(width, 2), round(height, 2), radius, cols, rows), axes, self.lighting, self.view, gloss
            )
            self._shades[key] = found
        return found


@lru_cache(maxsize=512)
def _normals(width: float, height: float, radius: float, cols: int, rows: int) -> Float:
    return bevel(width, height, max(radius, 0.05), cols, rows)


def _corner_order(cols: int, rows: int) -> npt.NDArray[np.float32]:
    return np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)], np.float32) - 0.5


def paint_block(stage: Stage, block: Block, outline: Array) -> None:
    """Paint one block; ``outline`` are its outline points in pixels."""
    height, width = stage.image.shape[:2]
    low, high = np.floor(outline.min(0)) - 1, np.ceil(outline.max(0)) + 2
    x0, y0 = int(max(low[0], 0)), int(max(low[1], 0))
    x1, y1 = int(min(high[0], width)), int(min(high[1], height))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    origin = np.array([x0, y0])
    hull = cv2.convexHull((outline - origin).astype(np.float32))
    alpha = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(alpha, np.round(hull * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    colour, marked = _sides(stage, block, origin, alpha.shape)
    if colour is None:
        return
    patch = stage.image[y0:y1, x0:x1]
    share = alpha[..., None].astype(np.float32) * (1 / 255)
    patch[:] = (patch + (colour - patch) * share + 0.5).astype(np.uint8)
    solid = alpha > 127
    owner = stage.owner[y0:y1, x0:x1]
    owner[solid] = -1
    if block.label and marked is not None:
        owner[solid & (marked > 0)] = block.label


def _sides(
    stage: Stage, block: Block, origin: Array, shape: tuple[int, ...]
) -> tuple[Float | None, npt.NDArray[np.uint8] | None]:
    """Colours of the visible sides over the patch, and the mask of the marked one."""
    eye = (stage.camera.position - block.centre) @ block.rotation
    seen = []
    for name, signs, axes in _SIDES:
        out = axes[:, 2]
        beyond = float(eye @ out) - float(np.abs(out) @ block.half)
        if beyond > 0.5:
            seen.append((beyond, name, signs, axes))
    seen.sort(key=lambda side: -side[0])
    colour: Float | None = None
    marked: npt.NDArray[np.uint8] | None = None
    size = (shape[1], shape[0])
    for _, name, signs, axes in seen:
        world = (signs * block.half) @ block.rotation.T + block.centre
        quad, depth = stage.camera.project(world)
        if depth.min() < 15:
            continue
        local = (quad - origin).astype(np.float32)
        side = _one_side(stage, block, name, axes, local, size)
        mask = np.zeros(shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(local * 16).astype(np.int32), 255, cv2.LINE_8, 4)
        if colour is None:
            colour = side
        else:
            cv2.copyTo(side, mask, colour)
        if name == block.marked:
            marked = mask
        elif marked is not None:
            marked = cv2.subtract(marked, mask)
    return colour, marked


def _one_side(stage: Stage, block: Block, name: str, axes: Array, quad: Float, size: tuple[int, int]) -> Float:
    u, v = np.abs(axes[:, 0]) @ block.half * 2, np.abs(axes[:, 1]) @ block.half * 2
    full = block.skin(name, 0)
    across = max(float(np.linalg.norm(quad[1] - quad[0])), float(np.linalg.norm(quad[2] - quad[3])), 1.0)
    down = max(float(np.linalg.norm(quad[3] - quad[0])), float(np.linalg.norm(quad[2] - quad[1])), 1.0)
    ratio = float(np.sqrt(full.shape[1] / across * full.shape[0] / max(down, across / 4)))
    shrink = 0
    while ratio > 1.45 and shrink < 3:
        shrink, ratio = shrink + 1, ratio / 2
    skin = block.skin(name, shrink)
    lit = stage.shading(float(u), float(v), block.radius, block.rotation @ axes, block.gloss)
    paint = cv2.getPerspectiveTransform(_corner_order(skin.shape[1], skin.shape[0]), quad)
    glow = cv2.getPerspectiveTransform(_corner_order(lit.shape[1], lit.shape[0]), quad)
    albedo = cv2.warpPerspective(skin, paint, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light = cv2.warpPerspective(lit, glow, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    dim = 1 - block.occlusion * (0.0 if name == block.marked else 0.35)
    out = albedo.astype(np.float32)
    out *= light[..., :1] * dim
    out += light[..., 1:] * 255
    return np.minimum(out, 255, out=out)
