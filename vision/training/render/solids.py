"""Solid things and how they are painted into a picture: rounded blocks (tiles, dice, phones ...)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.render.geometry import CORNERS, Array, Camera
from vision.training.render.light import Float, Lighting, bevel, shade
from vision.training.render.raster import Image


def _corner_index(signs: tuple[int, int, int]) -> int:
    """Where a corner stands in ``CORNERS``."""
    x, y, z = signs
    return (z > 0) * 4 + (y > 0) * 2 + (x > 0)


#: Sides of a block: name, its corners in ``CORNERS`` (top left, top right, bottom right, bottom left), and its u, v and
#: outward axes as columns, and which axis (and way) is outward.
_SIDES: tuple[tuple[str, Array, Array, tuple[int, int]], ...] = tuple(
    (
        name,
        np.array([_corner_index(corner) for corner in corners]),
        np.array(axes, np.float64).T,
        next((axis, sign) for axis, sign in enumerate(axes[2]) if sign),
    )
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
#: An upright cylinder's two circles, as many points as a rounded block's outline has.
_RING: Array = np.array(
    [(np.cos(k * np.pi / 14), np.sin(k * np.pi / 14), z) for z in (-1, 1) for k in range(28)], np.float64
)
_ROUNDED: Array = CORNERS[:, None] * _OCTANT[None]  # (8, 7, 3)
_FLAT = 260.0  # pixels of area under which a side is painted evenly
_TURNS = 24  # blocks whose axes differ by less than such a share are lit alike
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
    round_wall: bool = False  #: an upright cylinder rather than a box
    tint: float = 1.0  #: this one is a little lighter or darker than its neighbours
    lifted: float = 0.0  #: height of what it lies on, mm; > 0 throws a small shadow there

    def corners(self) -> Array:
        """World corners (8, 3)."""
        return CORNERS * self.half @ self.rotation.T + self.centre

    def outline(self) -> Array:
        """World points whose convex hull in any picture is the block's outline."""
        if self.round_wall:
            return _RING * self.half @ self.rotation.T + self.centre
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
    painted: dict[int, int] = field(default_factory=dict)  #: pixels of each marked side before others hid it
    _shades: dict[tuple[object, ...], Float] = field(default_factory=dict)
    _lights: dict[tuple[object, ...], tuple[Float, Image]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.owner = np.zeros(self.image.shape[:2], np.int16)

    def shading(self, block: Block, name: str, axes: Array) -> tuple[tuple[object, ...], Float]:
        """Shading of a side, shared by all blocks of this size that lie nearly the same way, and what it is called."""
        own = block.rotation @ axes
        width, height = (np.abs(axes[:, :2]).T @ block.half * 2).tolist()
        key = (width, height, block.radius, block.gloss, np.rint(own * _TURNS).astype(np.int8).tobytes())
        found = self._shades.get(key)
        if found is None:
            longest = max(width, height)
            cols, rows = (max(8, round(_GRID * length / longest)) for length in (width, height))
            normals = _normals(round(width, 2), round(height, 2), block.radius, cols, rows)
            found = shade(normals, own, self.lighting, self.view, block.gloss)
            self._shades[key] = found
        return key, found

    def lights(self, key: tuple[object, ...], shading: Float, width: int, height: int) -> tuple[Float, Image]:
        """A side's shading for a skin of this size, in three channels: factors, and the shine to add."""
        size = (key, width, height)
        found = self._lights.get(size)
        if found is None:
            factor, shine = cv2.split(cv2.resize(shading, (width, height), interpolation=cv2.INTER_LINEAR))
            shine = cv2.convertScaleAbs(shine)
            found = cv2.merge([factor, factor, factor]), cv2.merge([shine, shine, shine])
            self._lights[size] = found
        return found


@lru_cache(maxsize=512)
def _normals(width: float, height: float, radius: float, cols: int, rows: int) -> Float:
    return bevel(width, height, max(radius, 0.05), cols, rows)


def paint_block(stage: Stage, block: Block, outline: Array, corners: Array) -> None:
    """Paint one block; ``outline`` (n, 2) are its outline points and ``corners`` (8, 2) its corners in pixels."""
    height, width = stage.image.shape[:2]
    hull = cv2.convexHull(outline.astype(np.float32))
    left, top, across, down = cv2.boundingRect(hull)
    x0, y0 = max(left - 1, 0), max(top - 1, 0)
    x1, y1 = min(left + across + 2, width), min(top + down + 2, height)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    origin = np.array([x0, y0])
    alpha = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(alpha, ((hull - origin) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    colour, marked = _sides(stage, block, (corners - origin).astype(np.float32), alpha.shape)
    if colour is None:
        return
    patch = stage.image[y0:y1, x0:x1]
    share = alpha.astype(np.float32)
    cv2.blendLinear(colour, patch, share, 255 - share, patch)
    solid = alpha > 127
    owner = stage.owner[y0:y1, x0:x1]
    np.copyto(owner, -1, where=solid)
    if block.label and marked is not None:
        own = solid & (marked > 0)
        np.copyto(owner, block.label, where=own)
        stage.painted[block.label] = int(np.count_nonzero(own))


def _sides(stage: Stage, block: Block, corners: Float, shape: tuple[int, ...]) -> tuple[Image | None, Image | None]:
    """Colours of the visible sides over the patch, and the mask of the marked one."""
    eye = ((stage.camera.position - block.centre) @ block.rotation).tolist()
    half = block.half.tolist()
    seen = []
    for name, indices, axes, (axis, sign) in _SIDES:
        beyond = eye[axis] * sign - half[axis]
        if beyond > 0.5:
            seen.append((beyond, name, indices, axes))
    seen.sort(key=lambda side: -side[0])
    colour: Image | None = None
    marked: Image | None = None
    for _, name, indices, axes in seen:
        quad = corners[indices]
        if colour is None:  # the first is drawn beyond its edges too, for the rounding the others leave bare
            colour = _one_side(stage, block, name, axes, quad, (shape[1], shape[0]))
            if name == block.marked:
                marked = np.full(shape, 255 if len(seen) == 1 else 0, np.uint8)
                cv2.fillConvexPoly(marked, (quad * 16).astype(np.int32), 255, cv2.LINE_8, 4)
            continue
        left, top, across, down = cv2.boundingRect(quad)
        x0, y0, x1, y1 = max(left, 0), max(top, 0), min(left + across + 1, shape[1]), min(top + down + 1, shape[0])
        if x1 <= x0 or y1 <= y0:
            continue
        quad = quad - np.array([x0, y0], np.float32)
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, (quad * 16).astype(np.int32), 255, cv2.LINE_8, 4)
        cv2.copyTo(_one_side(stage, block, name, axes, quad, (x1 - x0, y1 - y0)), mask, colour[y0:y1, x0:x1])
        if name == block.marked:
            marked = np.zeros(shape, np.uint8)
            marked[y0:y1, x0:x1] = mask
        elif marked is not None:
            hidden = marked[y0:y1, x0:x1]
            cv2.subtract(hidden, mask, hidden)
    return colour, marked


def _one_side(stage: Stage, block: Block, name: str, axes: Array, quad: Float, size: tuple[int, int]) -> Image:
    """A side's lit colours over a patch of this size (width, height), its corners at ``quad``."""
    full = block.skin(name, 0)
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad.tolist()
    across = max(math.hypot(bx - ax, by - ay), math.hypot(cx - dx, cy - dy), 1.0)
    down = max(math.hypot(dx - ax, dy - ay), math.hypot(cx - bx, cy - by), 1.0)
    ratio = math.sqrt(full.shape[1] / across * full.shape[0] / max(down, across / 4))
    shrink = 0
    while ratio > 1.45 and shrink < 3:
        shrink, ratio = shrink + 1, ratio / 2
    skin = block.skin(name, shrink)
    dim = block.tint * (1 - block.occlusion * (0.0 if name == block.marked else 0.35))
    key, lit = stage.shading(block, name, axes)
    if across * down < _FLAT:
        middle = lit[lit.shape[0] // 2, lit.shape[1] // 2]
        skin = cv2.convertScaleAbs(skin, alpha=float(middle[0]) * dim, beta=float(middle[1]))
    else:  # lit before it is laid into the picture: one warp then, of bytes
        height, width = max(skin.shape[0], lit.shape[0]), max(skin.shape[1], lit.shape[1])
        if skin.shape[:2] != (height, width):
            skin = cv2.resize(skin, (width, height), interpolation=cv2.INTER_LINEAR)
        factor, shine = stage.lights(key, lit, width, height)
        skin = cv2.multiply(skin, factor, scale=dim, dtype=cv2.CV_8U)
        if block.gloss > 0:
            skin = cv2.add(skin, shine)
    paint = cv2.getPerspectiveTransform(_corner_order(skin.shape[1], skin.shape[0]), quad)
    return cv2.warpPerspective(skin, paint, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


@lru_cache(maxsize=256)
def _corner_order(cols: int, rows: int) -> Float:
    return np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)], np.float32) - 0.5
