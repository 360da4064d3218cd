"""Solid things and how they are painted into a picture: rounded blocks (tiles, dice, phones ...)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.render.geometry import CORNERS, Array, Camera
from vision.training.render.light import FULL, Float, Lighting, bevel, shade
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
_SIDE_CORNERS: Array = np.stack([corners for _, corners, _, _ in _SIDES])  # (6, 4)
_SIDE_AXES: Array = np.stack([axes for _, _, axes, _ in _SIDES])  # (6, 3, 3)
_OUTWARD = [axis for _, _, _, (axis, _) in _SIDES]
_SIGN = [sign for _, _, _, (_, sign) in _SIDES]
_NAMES = [name for name, _, _, _ in _SIDES]
_BOX: tuple[Array, Array] = (np.repeat(CORNERS, 7, axis=0), (_ROUNDED - CORNERS[:, None]).reshape(-1, 3))
_FLAT = 260.0  # pixels of area under which a side is painted evenly
_TURNS = 24  # blocks whose axes differ by less than such a share are lit alike
_GRID = 20  # cells along the longer edge of a side's shading

#: (side name, shrink) -> BGR picture of that side.
Skin = Callable[[str, int], Image]
Colour = tuple[float, float, float]  # BGR, 0..255


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
    #: colours at the front and at the back, and how deep one gives way to the other (share of the depth); sides that
    #: are small in the picture are painted in these alone, without their skin
    plain: tuple[Colour, Colour, float] | None = None


@dataclass(frozen=True)
class Solids:
    """Where many blocks are: arrays, for what would be slow to compute block by block."""

    rotations: Array  #: (n, 3, 3)
    centres: Array  #: (n, 3)
    halves: Array  #: (n, 3)
    corners: Array  #: (n, 8, 3) world
    outlines: Array  #: (n, 56, 3) world points whose convex hull in any picture is the block's outline

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Solids:
        """The arrays of at least one block."""
        rotations, centres = np.stack([b.rotation for b in blocks]), np.stack([b.centre for b in blocks])
        halves, radii = np.stack([b.half for b in blocks]), np.array([b.radius for b in blocks])
        turned = rotations.transpose(0, 2, 1)
        outlines = _BOX[0] * halves[:, None] + _BOX[1] * radii[:, None, None]
        walls = np.array([b.round_wall for b in blocks])
        outlines[walls] = _RING * halves[walls][:, None]
        at = centres[:, None]
        return cls(rotations, centres, halves, CORNERS * halves[:, None] @ turned + at, outlines @ turned + at)

    def keep(self, which: npt.NDArray[np.intp]) -> Solids:
        """Some of them."""
        return Solids(*(a[which] for a in (self.rotations, self.centres, self.halves, self.corners, self.outlines)))


@dataclass
class Stage:
    """A picture being painted and who owns each pixel (0 = nobody, n > 0 = marked side of n, -1 = some other side)."""

    image: Image
    camera: Camera
    lighting: Lighting
    view: Array
    owner: npt.NDArray[np.int16] = field(init=False)
    painted: dict[int, int] = field(default_factory=dict)  #: pixels of each marked side before others hid it

    def __post_init__(self) -> None:
        self.owner = np.zeros(self.image.shape[:2], np.int16)


@lru_cache(maxsize=512)
def _normals(width: float, height: float, radius: float) -> Float:
    longest = max(width, height)
    cols, rows = (max(8, round(_GRID * length / longest)) for length in (width, height))
    return bevel(width, height, max(radius, 0.05), cols, rows)


class Painter:
    """Paints blocks into a stage, one at a time, in any order."""

    def __init__(self, stage: Stage, blocks: Sequence[Block], solids: Solids, outlines: Array, corners: Array) -> None:
        """``outlines`` (n, 56, 2) and ``corners`` (n, 8, 2) are the solids' in pixels; all that can be is done here."""
        self._stage, self._blocks = stage, blocks
        height, width = stage.image.shape[:2]
        low = np.maximum(np.floor(outlines.min(1)) - 1, 0)
        high = np.minimum(np.floor(outlines.max(1)) + 3, (width, height))
        self._frames: list[list[int]] = np.concatenate([low, high], axis=1).astype(int).tolist()
        self._outlines = _fixed(outlines - low[:, None])
        quads = corners[:, _SIDE_CORNERS] - low[:, None, None]
        self._quads = np.ascontiguousarray(quads, np.float32)
        self._polygons = _fixed(quads)
        seams = np.array([b.plain[2] if b.plain else 1.0 for b in blocks])[:, None, None, None]
        near, far = quads[:, :, :2], quads[:, :, [3, 2]]
        self._bands = _fixed(np.concatenate([near + (far - near) * seams, quads[:, :, 2:]], axis=2))
        lengths = np.linalg.norm(quads - quads[:, :, [1, 2, 3, 0]], axis=3)
        self._sizes: list[list[list[float]]] = np.stack(
            [np.maximum(lengths[..., 0], lengths[..., 2]), np.maximum(lengths[..., 1], lengths[..., 3])], axis=2
        ).clip(1.0).tolist()  # fmt: skip
        inner, outer = np.floor(quads.min(2)), np.floor(quads.max(2)) + 2
        room = (high - low)[:, None]
        self._boxes: list[list[list[int]]] = (
            np.concatenate([inner.clip(0), np.minimum(outer, room)], axis=2).astype(int).tolist()
        )
        eyes = np.einsum("nj,njk->nk", stage.camera.position - solids.centres, solids.rotations)
        beyond = eyes[:, _OUTWARD] * _SIGN - solids.halves[:, _OUTWARD]
        facing = beyond > 0.5
        self._facing = [
            [side for side in order if seen[side]]
            for order, seen in zip(np.argsort(-beyond, axis=1, kind="stable").tolist(), facing.tolist(), strict=True)
        ]
        self._factors: list[Image] = []
        self._shines: list[Image] = []
        self._shading: list[list[int]] = self._shade(solids, facing).tolist()
        self._lights: dict[tuple[int, int, int], tuple[Image, Image]] = {}
        self._lit: dict[tuple[int, int, float, bool], tuple[Image, Image]] = {}

    def _shade(self, solids: Solids, facing: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """How every side that is seen is lit: (n, 6) places in ``_factors``; sides lying nearly alike share one."""
        places = np.zeros(facing.shape, np.intp)
        kinds: dict[tuple[float, ...], list[int]] = {}
        for i, (block, half) in enumerate(zip(self._blocks, solids.halves.tolist(), strict=True)):
            kinds.setdefault((*half, block.radius, block.gloss), []).append(i)
        for (x, y, z, radius, gloss), members in kinds.items():
            for sides, width, height in (((0, 1), x, y), ((2, 3), x, z), ((4, 5), y, z)):
                which, pair = np.nonzero(facing[np.ix_(members, sides)])
                if not len(which):
                    continue
                rows, columns = np.array(members)[which], np.array(sides)[pair]
                axes = solids.rotations[rows] @ _SIDE_AXES[columns]
                found: dict[bytes, int] = {}
                firsts: list[int] = []
                for k, turn in enumerate(np.rint(axes * _TURNS).astype(np.int8)):
                    name = turn.tobytes()
                    if name not in found:
                        found[name] = len(self._factors) + len(firsts)
                        firsts.append(k)
                    places[rows[k], columns[k]] = found[name]
                normals = _normals(round(width * 2, 2), round(height * 2, 2), radius)
                factors, shines = shade(normals, axes[firsts], self._stage.lighting, self._stage.view, gloss)
                self._factors += list(factors)
                self._shines += list(shines)
        return places

    def paint(self, index: int) -> None:
        """Paint the block of this number over what is there."""
        x0, y0, x1, y1 = self._frames[index]
        if x1 - x0 < 2 or y1 - y0 < 2 or not self._facing[index]:
            return
        stage, block = self._stage, self._blocks[index]
        alpha = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(alpha, cv2.convexHull(self._outlines[index]), 255, cv2.LINE_AA, 4)
        colour, marked = self._sides(index, alpha.shape)
        patch = stage.image[y0:y1, x0:x1]
        share = cv2.merge([alpha, alpha, alpha])
        rest = cv2.multiply(patch, cv2.bitwise_not(share), scale=1 / 255)
        cv2.add(cv2.multiply(colour, share, scale=1 / 255), rest, patch)
        solid = alpha > 127
        owner = stage.owner[y0:y1, x0:x1]
        np.copyto(owner, -1, where=solid)
        if block.label and marked is not None:
            own = solid & (marked > 0)
            np.copyto(owner, block.label, where=own)
            stage.painted[block.label] = int(np.count_nonzero(own))

    def _sides(self, index: int, shape: tuple[int, ...]) -> tuple[Image, Image | None]:
        """Colours of the visible sides over the patch, and the mask of the marked one."""
        block, facing = self._blocks[index], self._facing[index]
        polygons = self._polygons[index]
        first, *others = facing
        # drawn beyond its edges too, for the rounding the others leave bare
        colour = self._warped(index, first, self._quads[index, first], (shape[1], shape[0]))
        marked: Image | None = None
        if _NAMES[first] == block.marked:
            marked = np.full(shape, 0 if others else 255, np.uint8)
            cv2.fillConvexPoly(marked, polygons[first], 255, cv2.LINE_8, 4)
        for side in others:
            x0, y0, x1, y1 = self._boxes[index][side]
            if x1 <= x0 or y1 <= y0:
                continue
            if block.plain and side and self._small(index, side):
                self._fill(index, side, colour)
            else:
                mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
                origin = np.array([x0, y0], np.float32)
                cv2.fillConvexPoly(mask, polygons[side] - np.array([x0 * 16, y0 * 16], np.int32), 255, cv2.LINE_8, 4)
                painted = self._warped(index, side, self._quads[index, side] - origin, (x1 - x0, y1 - y0))
                cv2.copyTo(painted, mask, colour[y0:y1, x0:x1])
            if _NAMES[side] == block.marked:
                marked = np.zeros(shape, np.uint8)
                cv2.fillConvexPoly(marked, polygons[side], 255, cv2.LINE_8, 4)
            elif marked is not None:
                cv2.fillConvexPoly(marked, polygons[side], 0, cv2.LINE_8, 4)
        return colour, marked

    def _small(self, index: int, side: int) -> bool:
        across, down = self._sizes[index][side]
        return across * down < _FLAT

    def _dim(self, block: Block, side: int) -> float:
        return block.tint * (1 - block.occlusion * (0.0 if _NAMES[side] == block.marked else 0.35))

    def _even(self, place: int) -> tuple[float, float]:
        """A side's shading in its middle: a factor and the shine to add."""
        factor, shine = self._factors[place], self._shines[place]
        row, column = factor.shape[0] // 2, factor.shape[1] // 2
        return float(factor[row, column, 0]) / FULL, float(shine[row, column, 0])

    def _fill(self, index: int, side: int, colour: Image) -> None:
        """Paint a small side, not the front, in its plain colours; in place."""
        block = self._blocks[index]
        assert block.plain is not None
        factor, shine = self._even(self._shading[index][side])
        factor *= self._dim(block, side)
        front, back = (tuple(c * factor + shine for c in plain) for plain in block.plain[:2])
        edge = _NAMES[side] != "back"
        cv2.fillConvexPoly(colour, self._polygons[index, side], front if edge else back, cv2.LINE_AA, 4)
        if edge:
            cv2.fillConvexPoly(colour, self._bands[index, side], back, cv2.LINE_AA, 4)

    def _warped(self, index: int, side: int, quad: Float, size: tuple[int, int]) -> Image:
        """A side's lit colours over a patch of this size (width, height), its corners at ``quad``."""
        block, name = self._blocks[index], _NAMES[side]
        across, down = self._sizes[index][side]
        full = block.skin(name, 0)
        ratio = math.sqrt(full.shape[1] / across * full.shape[0] / max(down, across / 4))
        shrink = 0
        while ratio > 1.45 and shrink < 3:
            shrink, ratio = shrink + 1, ratio / 2
        skin = block.skin(name, shrink)
        place, dim, small = self._shading[index][side], self._dim(block, side), across * down < _FLAT
        key = (id(skin), place, dim, small)
        found = self._lit.get(key)
        if found is None:  # the skin is kept beside it, so that no other can get its id
            found = self._lit[key] = skin, self._lighted(skin, place, dim, small, block.gloss > 0)
        lit = found[1]
        paint = cv2.getPerspectiveTransform(_corner_order(lit.shape[1], lit.shape[0]), quad)
        return cv2.warpPerspective(lit, paint, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)

    def _lighted(self, skin: Image, place: int, dim: float, small: bool, glossy: bool) -> Image:
        """A skin in its light: lit before it is laid into the picture, so that one warp of bytes does."""
        if small:
            factor, shine = self._even(place)
            return cv2.convertScaleAbs(skin, alpha=factor * dim, beta=shine)
        grid = self._factors[place]
        height, width = max(skin.shape[0], grid.shape[0]), max(skin.shape[1], grid.shape[1])
        if skin.shape[:2] != (height, width):
            skin = cv2.resize(skin, (width, height), interpolation=cv2.INTER_LINEAR)
        key = (place, width, height)
        lights = self._lights.get(key)
        if lights is None:
            lights = self._lights[key] = (
                cv2.resize(grid, (width, height), interpolation=cv2.INTER_LINEAR),
                cv2.resize(self._shines[place], (width, height), interpolation=cv2.INTER_LINEAR),
            )
        lit = cv2.multiply(skin, lights[0], scale=dim / FULL)
        return cv2.add(lit, lights[1], lit) if glossy else lit


def _fixed(points: Array) -> npt.NDArray[np.int32]:
    """Pixels in sixteenths, as OpenCV's polygons take them."""
    return np.ascontiguousarray(points * 16, np.int32)


@lru_cache(maxsize=256)
def _corner_order(cols: int, rows: int) -> Float:
    return np.array([(0, 0), (cols, 0), (cols, rows), (0, rows)], np.float32) - 0.5
