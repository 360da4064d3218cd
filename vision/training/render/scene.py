"""One rendered picture with its complete truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.training.render.deals import Laid
from vision.training.render.geometry import Array, Camera, paint_order
from vision.training.render.light import Lighting, table_shadow
from vision.training.render.placing import DOWN, Placed, poses
from vision.training.render.raster import Image
from vision.training.render.sets import TileSet
from vision.training.render.solids import Block, Painter, Solids, Stage
from vision.training.render.styles import Body

#: Below this visible share a tile is marked ``ignore``: nobody could be asked to read it.
READABLE = 0.35
_TRACE = 0.01


@dataclass(frozen=True, slots=True)
class TileTruth:
    """One tile as it is in the picture; boxes and corners in pixels."""

    code: str  #: what is seen: ``back`` when the coloured side is
    tile: str  #: what it is
    box: tuple[float, float, float, float]  #: tight round the visible part of the face
    quad: tuple[tuple[float, float], ...]  #: the face's corners: top left, top right, bottom right, bottom left
    visible: float  #: share of the face that is seen, 0..1
    ignore: bool
    seat: int
    role: str
    group: int
    kind: str
    turned: bool
    angle: float  #: clockwise in the picture, 0 = upright
    raised: bool = False  #: lies on another tile

    def scaled(self, factor: float) -> TileTruth:
        """The same tile in a picture ``factor`` times as large."""
        x1, y1, x2, y2 = (value * factor for value in self.box)
        return replace(self, box=(x1, y1, x2, y2), quad=tuple((x * factor, y * factor) for x, y in self.quad))


@dataclass
class Scene:
    """A picture (BGR) and everything that is true about it."""

    image: Image
    tiles: tuple[TileTruth, ...]
    hands: tuple[Laid, ...] = ()
    layout: str = ""
    info: dict[str, Any] = field(default_factory=dict)

    def labels(self, classes: Sequence[str]) -> list[str]:
        """YOLO lines (class x y w h, shares of the picture) of all tiles that are not ignored."""
        number = {name: i for i, name in enumerate(classes)}
        height, width = self.image.shape[:2]
        lines = []
        for tile in self.tiles:
            if tile.ignore:
                continue
            x1, y1, x2, y2 = tile.box
            lines.append(
                f"{number[tile.code]} {(x1 + x2) / 2 / width:.6f} {(y1 + y2) / 2 / height:.6f}"
                f" {(x2 - x1) / width:.6f} {(y2 - y1) / height:.6f}"
            )
        return lines

    def to_json(self) -> dict[str, Any]:
        """The truth as plain data."""
        height, width = self.image.shape[:2]
        return {
            "layout": self.layout,
            "size": [width, height],
            "tiles": [asdict(tile) for tile in self.tiles],
            "hands": [asdict(hand) for hand in self.hands],
            "info": self.info,
        }


def tile_block(placed: Placed, rotation: Array, centre: Array, tiles: TileSet, label: int, occlusion: float) -> Block:
    """The block of a placed tile; ``rotation`` and ``centre`` are its pose."""
    body = tiles.body
    return Block(
        rotation=rotation,
        centre=centre,
        half=np.array([body.width, body.height, body.depth]) / 2,
        radius=body.radius,
        skin=_skin(placed.code, tiles),
        gloss=body.gloss,
        label=label,
        marked="front",
        occlusion=occlusion,
        tint=round(1 + 0.022 * math.sin(label * 12.9898), 2),  # few different ones: what is lit alike is lit once
        lifted=placed.z,
        plain=(body.face_colour, body.back_colour, 1 - body.back_share),
    )


def _skin(code: str, tiles: TileSet) -> Any:
    def skin(side: str, shrink: int) -> Image:
        if side == "front":
            return tiles.face(code, shrink)
        return tiles.side("back" if side == "back" else "edge", shrink)

    return skin


def _face_points(body: Body) -> Array:
    """The flat face's rounded outline (16 points) and its four corners, on a block of unit depth sign: (20, 3)."""
    inset = 0.45 * body.radius
    hw, hh, r = body.width / 2 - inset, body.height / 2 - inset, body.radius
    corners = [(sx * hw, sy * hh, 1.0) for sx, sy in _CORNERS]
    arc = [  # the way round, each corner's four points too
        (sx * (hw - r + r * c), sy * (hh - r + r * s), 1.0) for sx, sy in _CORNERS for c, s in _QUARTER[:: -sx * sy]
    ]
    return np.array(arc + corners) * (1, 1, body.depth / 2)


_CORNERS = ((-1, 1), (1, 1), (1, -1), (-1, -1))
_QUARTER = ((1, 0), (0.866, 0.5), (0.5, 0.866), (0, 1))


def face_outlines(
    rotations: Array, centres: Array, backs: npt.NDArray[np.bool_], body: Body, camera: Camera
) -> tuple[Array, Array]:
    """Pixels of every face's rounded outline (n, 16, 2) and of its four corners (n, 4, 2); of the back where asked."""
    points = np.repeat(_face_points(body)[None], len(centres), axis=0)
    points[backs] *= (-1, 1, -1)
    pixels, _ = camera.project(np.einsum("nij,npj->npi", rotations, points) + centres[:, None])
    return pixels[:, :16], pixels[:, 16:]


def paint_scene(
    ground: Image,
    camera: Camera,
    lighting: Lighting,
    placed: Sequence[Placed],
    tiles: TileSet,
    props: Sequence[Block],
    occlusion: float,
) -> Stage:
    """Paint tiles (labels 1..n in the order given) and props on an empty table, with their shadows."""
    rotations, centres = poses(placed, tiles.body)
    away = ((camera.position - centres) * rotations[:, :, 2]).sum(1) <= 0
    blocks = [tile_block(tile, rotations[i], centres[i], tiles, i + 1, occlusion) for i, tile in enumerate(placed)]
    for block, tile, turned in zip(blocks, placed, away.tolist(), strict=True):
        block.marked = "back" if turned or tile.lie == DOWN else "front"
    blocks += props
    target = np.mean([b.centre for b in blocks], axis=0) if blocks else np.zeros(3)
    view = camera.position - target
    stage = Stage(ground, camera, lighting, view / np.linalg.norm(view))
    if not blocks:
        return stage
    solids = Solids.of(blocks)
    scale = camera.focal / max(1.0, float(np.linalg.norm(view)))
    shadow = table_shadow(solids.corners, camera, lighting, scale, camera.size)
    cv2.multiply(ground, cv2.merge([shadow, shadow, shadow]), ground, 1 / 255)
    _paint_all(stage, blocks, solids)
    return stage


def _paint_all(stage: Stage, blocks: Sequence[Block], solids: Solids) -> None:
    """Paint those blocks that are in the picture, farthest first."""
    camera = stage.camera
    pixels, depth = camera.project(solids.outlines)
    bounds = np.concatenate([pixels.min(1), pixels.max(1)], axis=1)
    width, height = camera.size
    inside = (bounds[:, 2] > 0) & (bounds[:, 3] > 0) & (bounds[:, 0] < width) & (bounds[:, 1] < height)
    keep = np.nonzero((depth.min(1) > 20) & inside)[0]
    if not len(keep):
        return
    solids, seen = solids.keep(keep), [blocks[i] for i in keep.tolist()]
    square, _ = camera.project(solids.corners)
    painter = Painter(stage, seen, solids, pixels[keep], square)
    for i in paint_order(solids.rotations, solids.centres, solids.halves, camera.position, bounds[keep]):
        if seen[i].lifted > 0:
            _drop_shadow(stage, solids.corners[i], seen[i].lifted)
        painter.paint(i)


def _drop_shadow(stage: Stage, corners: Array, lifted: float) -> None:
    """The shadow of a stacked tile on what it lies on, at the height ``lifted``."""
    if not stage.lighting.lamps:
        return
    lamp = max(stage.lighting.lamps, key=lambda each: each.power)
    towards = np.array(lamp.towards)
    fall = corners - towards * (np.maximum(corners[:, 2:] - lifted, 0) / towards[2])
    fall[:, 2] = lifted
    pixels, depth = stage.camera.project(fall)
    if depth.min() < 30:
        return
    height, width = stage.image.shape[:2]
    low = np.maximum(np.floor(pixels.min(0)) - 4, 0).astype(int)
    high = np.minimum(np.ceil(pixels.max(0)) + 4, [width, height]).astype(int)
    if (high - low).min() < 2:
        return
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    hull = cv2.convexHull((pixels - low).astype(np.float32))
    cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    mask = cv2.GaussianBlur(mask, (0, 0), 1.6)
    mask *= stage.owner[low[1] : high[1], low[0] : high[0]] != 0
    left = cv2.convertScaleAbs(mask, alpha=-0.4 * stage.lighting.shadow, beta=255)
    part = stage.image[low[1] : high[1], low[0] : high[0]]
    cv2.multiply(part, cv2.merge([left, left, left]), part, 1 / 255)


def truths(stage: Stage, placed: Sequence[Placed], tiles: TileSet) -> tuple[TileTruth, ...]:
    """What can be seen of every tile, measured in the painted picture."""
    if not placed:
        return ()
    owner = stage.owner
    size = (owner.shape[1], owner.shape[0])
    bins = len(placed) + 1  # (other sides' -1 is 65535 here, above all bins)
    seen = cv2.calcHist([owner.view(np.uint16)], [0], None, [bins], [0, bins]).ravel()
    rotations, centres = poses(placed, tiles.body)
    away = ((stage.camera.position - centres) * rotations[:, :, 2]).sum(1) < 0
    backs = away | np.array([tile.lie == DOWN for tile in placed])
    outlines, quads = face_outlines(rotations, centres, backs, tiles.body, stage.camera)
    after = np.roll(outlines, -1, axis=1)
    areas = np.abs((outlines[..., 0] * after[..., 1] - outlines[..., 1] * after[..., 0]).sum(1)) / 2
    sides = np.linalg.norm(quads - quads[:, [1, 2, 3, 0]], axis=2)
    edge_on = areas < 0.3 * sides.max(1) ** 2 * (tiles.body.width / tiles.body.height)
    thin = (edge_on | (sides.min(1) < 4)).tolist()
    up = (quads[:, 0] + quads[:, 1] - quads[:, 2] - quads[:, 3]) / 2
    angles = np.degrees(np.arctan2(up[:, 0], -up[:, 1])).tolist()
    inside = (outlines.min((1, 2)) >= 0) & (outlines.max(1) <= size).all(1)
    out = []
    for i in np.nonzero(seen[1:])[0].tolist():
        tile, outline = placed[i], outlines[i]
        share = 1.0 if inside[i] else _inside(outline, float(areas[i]), size)
        visible = int(seen[i + 1]) / max(stage.painted[i + 1], 1) * share
        if visible < _TRACE:  # a stray pixel at an edge is no sight of a tile
            continue
        box = _box(outline, owner, i + 1, visible, size)
        out.append(
            TileTruth(
                code="back" if backs[i] else tile.code,
                tile=tile.code,
                box=box,
                quad=tuple((x, y) for x, y in quads[i].tolist()),
                visible=round(visible, 3),
                ignore=visible < READABLE or thin[i] or min(box[2] - box[0], box[3] - box[1]) < 4,
                seat=tile.seat,
                role=tile.role,
                group=tile.group,
                kind=tile.kind,
                turned=tile.turned,
                angle=angles[i],
                raised=tile.z > 0,
            )
        )
    return tuple(out)


def _inside(outline: Array, area: float, size: tuple[int, int]) -> float:
    """Share of the face's outline that lies in the picture."""
    width, height = size
    frame = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    common, _ = cv2.intersectConvexConvex(cv2.convexHull(outline.astype(np.float32)), frame)
    return float(np.clip(common / max(area, 1e-6), 0, 1))


def _box(
    outline: Array, owner: npt.NDArray[np.int16], label: int, visible: float, size: tuple[int, int]
) -> tuple[float, float, float, float]:
    """Tight box of what is seen: exact from geometry when (nearly) all is, from the owner map otherwise."""
    low = np.minimum(np.maximum(outline.min(0), 0), size)
    high = np.minimum(np.maximum(outline.max(0), 0), size)
    if visible < 0.985:
        x0, y0 = np.floor(low).astype(int)
        x1, y1 = np.ceil(high).astype(int) + 1
        mask = (owner[y0:y1, x0:x1] == label).view(np.uint8)
        left, top, across, down = cv2.boundingRect(mask)
        if across:
            low = np.maximum(low, [x0 + left, y0 + top])
            high = np.minimum(high, [x0 + left + across, y0 + top + down])
    return (float(low[0]), float(low[1]), float(max(high[0], low[0] + 1)), float(max(high[1], low[1] + 1)))
