"""What lies under the tiles: cloth, mats, wood, glass, stone; the floor and the wall beyond the table's edge."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.random import Generator, default_rng

from vision.training.render.geometry import Array, Camera
from vision.training.render.light import Float
from vision.training.render.raster import Image, soften

_LEVELS = 4  # sizes a bank texture is kept in, each half the one before
_SIDE = 2048  # pixels of a bank texture; it covers 1024 mm
_STEP = 0.5  # mm a pixel


def _noise(rng: Generator, cell_x: float, cell_y: float) -> Float:
    """Smooth noise of about unit variance with cells of the given size in pixels."""
    shape = (max(3, int(_SIDE / cell_y)), max(3, int(_SIDE / cell_x)))
    return cv2.resize(rng.normal(0, 1, shape).astype(np.float32), (_SIDE, _SIDE), interpolation=cv2.INTER_CUBIC)


def _grid(period: float, angle: float) -> Float:
    y, x = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float32)
    c, s = np.cos(angle), np.sin(angle)
    k = np.float32(2 * np.pi / period)
    waves: Float = np.sin(k * (c * x + s * y)) * np.sin(k * (c * y - s * x))
    return waves


def _felt(rng: Generator) -> Float:
    return 0.5 * _noise(rng, 2, 2) + 0.3 * _noise(rng, 7, 7) + 0.4 * _noise(rng, 300, 300)


def _weave(rng: Generator) -> Float:
    return 0.9 * _grid(rng.uniform(4, 9), rng.uniform(0, 1.5)) + 0.25 * _noise(rng, 3, 3) + 0.3 * _noise(rng, 250, 250)


def _rubber(rng: Generator) -> Float:
    return 0.8 * np.abs(_grid(rng.uniform(7, 14), 0.78)) + 0.3 * _noise(rng, 2, 2) + 0.3 * _noise(rng, 400, 400)


def _wood(rng: Generator) -> Float:
    bend = 30 * _noise(rng, 500, 700)
    y, x = np.mgrid[0:_SIDE, 0:_SIDE].astype(np.float32)
    grain = cv2.remap(_noise(rng, 700, 5), x, np.clip(y + bend, 0, _SIDE - 1).astype(np.float32), cv2.INTER_LINEAR)
    return 0.8 * grain + 0.35 * _noise(rng, 90, 1.5) + 0.5 * _noise(rng, 900, 60)


def _planks(rng: Generator) -> Float:
    out = _wood(rng)
    width = int(rng.uniform(160, 420))
    for i, y in enumerate(range(0, _SIDE, width)):
        out[y : y + width] += rng.normal(0, 0.6)
        out[y : y + 3] -= 2.0
        x = int((i * 733) % _SIDE)
        out[y : y + width, x : x + 3] -= 1.6
    return out


def _smooth(rng: Generator) -> Float:
    return 0.6 * _noise(rng, 600, 600) + 0.12 * _noise(rng, 3, 3)


def _stone(rng: Generator) -> Float:
    veins = np.abs(_noise(rng, 220, 160) + 0.4 * _noise(rng, 40, 40))
    grain = 0.7 * _noise(rng, 4, 4) * (rng.random() < 0.5)
    out: Float = grain + 1.2 * np.exp(-veins * 6) + 0.5 * _noise(rng, 300, 300)
    return out


def _printed(rng: Generator) -> Float:
    pattern = np.zeros((_SIDE, _SIDE), np.float32)
    step = int(rng.uniform(50, 160))
    kind = int(rng.integers(3))
    for row, y in enumerate(range(0, _SIDE + step, step)):
        for x in range(0, _SIDE + step, step):
            at = (x + (step // 2) * (row % 2), y)
            if kind == 0:
                cv2.circle(pattern, at, int(step * 0.3), 1.2, int(step * 0.08) + 1, cv2.LINE_AA)
            elif kind == 1:
                for turn in range(0, 180, 60):
                    cv2.ellipse(pattern, at, (int(step * 0.34), int(step * 0.1)), turn, 0, 360, 1.1, -1, cv2.LINE_AA)
            else:
                cv2.line(pattern, (x, 0), (x, _SIDE), 0.8, max(2, step // 5), cv2.LINE_AA)
                cv2.line(pattern, (0, y), (_SIDE, y), 0.8, max(2, step // 5), cv2.LINE_AA)
    out: Float = pattern * rng.choice([-1, 1]) + 0.3 * _noise(rng, 2, 2) + 0.2 * _noise(rng, 300, 300)
    return out


def _paper(rng: Generator) -> Float:
    return 0.25 * _noise(rng, 2, 2) + 0.3 * _noise(rng, 120, 120) + 0.5 * _noise(rng, 700, 700)


_KINDS: dict[str, tuple[Callable[[Generator], Float], int]] = {
    "felt": (_felt, 2), "weave": (_weave, 3), "rubber": (_rubber, 2), "wood": (_wood, 3), "planks": (_planks, 2),
    "smooth": (_smooth, 2), "stone": (_stone, 2), "printed": (_printed, 3), "paper": (_paper, 1),
}  # fmt: skip
KINDS = tuple(_KINDS)


@lru_cache(maxsize=len(_KINDS) * 3 * _LEVELS)  # all of them: each takes longer to make than a whole picture
def bank(kind: str, number: int, level: int = 0) -> Image:
    """A grey texture of 1024 x 1024 mm, around 128, halved ``level`` times."""
    if level:
        full = bank(kind, number, level - 1)
        return cv2.resize(full, (full.shape[1] // 2, full.shape[0] // 2), interpolation=cv2.INTER_AREA)
    draw, _ = _KINDS[kind]
    rng = default_rng([KINDS.index(kind), number])
    grey: Image = np.clip(128 + 40 * draw(rng), 0, 255).astype(np.uint8)
    return grey


#: Hue, saturation and value ranges of table tops by kind; several a kind.
_COLOURS: dict[str, tuple[tuple[float, float, float], ...]] = {
    "cloth": (
        *((0.38, 0.75, 0.40), (0.33, 0.65, 0.55), (0.40, 0.60, 0.30), (0.60, 0.70, 0.40), (0.58, 0.60, 0.60)),
        *((0.65, 0.50, 0.25), (0.98, 0.65, 0.40), (0.95, 0.28, 0.62), (0.08, 0.45, 0.50), (0.48, 0.50, 0.55)),
        *((0.52, 0.45, 0.50), (0.0, 0.02, 0.35), (0.0, 0.03, 0.75), (0.75, 0.22, 0.30), (0.11, 0.35, 0.80)),
        *((0.36, 0.85, 0.25), (0.02, 0.75, 0.35), (0.6, 0.1, 0.15)),
    ),
    "wood": (
        *((0.08, 0.45, 0.72), (0.07, 0.55, 0.50), (0.06, 0.6, 0.32), (0.10, 0.28, 0.82), (0.09, 0.35, 0.62)),
        (0.08, 0.15, 0.75),
    ),
    "other": (
        *((0.6, 0.05, 0.85), (0.6, 0.1, 0.25), (0.1, 0.1, 0.9), (0.55, 0.15, 0.6), (0.0, 0.0, 0.6)),
        (0.08, 0.2, 0.5),
    ),
}  # fmt: skip


def ramp_of(hue: float, saturation: float, value: float, depth: float) -> Image:
    """Grey to BGR (256, 1, 3): the colour at 128, darker and lighter around it by ``depth`` (0..1)."""
    base = np.array(colorsys.hsv_to_rgb(hue % 1, saturation, value))[::-1] * 255
    dark = np.array(colorsys.hsv_to_rgb((hue + 0.01) % 1, min(1, saturation * 1.15), value * 0.5))[::-1] * 255
    share = (np.arange(256) - 128)[:, None] / 128
    ramp: Image = np.clip(base + (base - dark) * share * depth * 2, 0, 255).astype(np.uint8).reshape(256, 1, 3)
    return ramp


def _ramp(rng: Generator, kind: str) -> Image:
    families = {"wood": "wood", "planks": "wood", "smooth": "other", "stone": "other", "paper": "other"}
    family = families.get(kind, "cloth")
    if family == "other" and rng.random() < 0.4:
        family = "cloth"
    h, s, v = _COLOURS[family][int(rng.integers(len(_COLOURS[family])))]
    h += rng.normal(0, 0.02)
    s = float(np.clip(s * np.exp(rng.normal(-0.05, 0.15)), 0, 0.85))
    v = float(np.clip(v * np.exp(rng.normal(0, 0.18)), 0.04, 0.95))
    strong = {"wood": rng.uniform(0.12, 0.38), "planks": rng.uniform(0.12, 0.38), "printed": rng.uniform(0.2, 0.9)}
    return ramp_of(h, s, v, float(strong.get(kind, rng.uniform(0.12, 0.45))))


@dataclass(frozen=True, slots=True)
class Ground:
    """One table top: which bank texture, how it lies, its colours; and the floor likewise."""

    kind: str
    number: int
    turn: float
    scale: float
    ramp: Image
    half: tuple[float, float]  #: half sizes of the table top, mm
    centre: tuple[float, float]


def random_ground(rng: Generator, half: tuple[float, float], centre: tuple[float, float]) -> Ground:
    """A table top of any material."""
    kind = str(rng.choice(KINDS, p=_odds()))
    turn = float(rng.choice([0, 90, rng.uniform(0, 360)]))
    return Ground(
        kind, int(rng.integers(_KINDS[kind][1])), turn, float(rng.uniform(0.7, 1.5)), _ramp(rng, kind), half, centre
    )


def _odds() -> list[float]:
    weights = {
        "felt": 3.0,
        "weave": 3.0,
        "rubber": 2.0,
        "wood": 2.5,
        "planks": 1.0,
        "smooth": 1.5,
        "stone": 1.0,
        "printed": 0.5,
        "paper": 0.8,
    }
    total = sum(weights.values())
    return [weights[kind] / total for kind in KINDS]


def _plane(ground: Ground, camera: Camera, height: float, stretch: float) -> Image:
    """A whole picture of the plane z = ``height`` covered with this ground, its pattern ``stretch`` times larger."""
    step = _STEP * ground.scale * stretch
    away = float(np.linalg.norm(camera.position - np.array([*ground.centre, height])))
    level = int(np.clip(np.log2(max(away / camera.focal / step / 1.3, 1.0)), 0, _LEVELS - 1))
    texture = bank(ground.kind, ground.number, level)
    step *= 2**level
    c, s = np.cos(np.radians(ground.turn)) * step, np.sin(np.radians(ground.turn)) * step
    half, (cx, cy) = texture.shape[0] / 2, ground.centre
    place = np.array([[c, -s, cx - (c - s) * half], [s, c, cy - (s + c) * half], [0, 0, 1.0]])
    lift = np.array([[1, 0, 0], [0, 1, 0], [0, 0, height], [0, 0, 1.0]])
    k = np.array([[camera.focal, 0, camera.centre[0]], [0, camera.focal, camera.centre[1]], [0, 0, 1.0]])
    matrix = k @ np.column_stack([camera.rotation, -camera.rotation @ camera.position]) @ lift @ place
    grey = cv2.warpPerspective(texture, matrix, camera.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    return cv2.applyColorMap(grey, ground.ramp)


def paint_ground(ground: Ground, floor: Ground, camera: Camera, rng: Generator) -> Image:
    """The empty table in its room: BGR picture of the camera's size."""
    width, height = camera.size
    top = _plane(ground, camera, 0.0, 1.0)
    cx, cy = ground.centre
    hx, hy = ground.half
    rim = np.array([(cx - hx, cy - hy, 0), (cx + hx, cy - hy, 0), (cx + hx, cy + hy, 0), (cx - hx, cy + hy, 0)])
    pixels, depth = camera.project(rim)
    inside = depth.min() > 30 and _covers(pixels, width, height)
    if inside:
        return top
    small = replace(
        camera,
        focal=camera.focal / 4,
        size=(width // 4, height // 4),
        centre=(camera.centre[0] / 4, camera.centre[1] / 4),
    )  # out of focus anyway
    under = _plane(floor, small, -720.0, 3.0)
    _wall(under, small, rng)
    if rng.random() < 0.6:
        _clutter(under, rng)
    mask = np.zeros((height, width), np.uint8)
    clipped = _clip(camera, rim)
    if len(clipped) >= 3:
        cv2.fillConvexPoly(mask, (np.clip(clipped, -20000, 20000) * 8).astype(np.int32), 255, cv2.LINE_AA, 3)
    # the floor near the table lies in its shade
    shade = 1 - soften(cv2.resize(mask, small.size), width / 60).astype(np.float32) * np.float32(0.45 / 255)
    under = cv2.multiply(under, cv2.merge([shade, shade, shade]), dtype=cv2.CV_8U)
    out = cv2.resize(under, camera.size, interpolation=cv2.INTER_CUBIC)
    cv2.copyTo(top, cv2.threshold(mask, 127, 255, cv2.THRESH_BINARY)[1], out)
    return out


def _covers(pixels: Array, width: int, height: int) -> bool:
    polygon = pixels.astype(np.float32)
    return all(
        cv2.pointPolygonTest(polygon, (float(x), float(y)), False) > 0
        for x, y in ((0, 0), (width, 0), (width, height), (0, height))
    )


def _clip(camera: Camera, rim: Array) -> Array:
    """The rim's polygon in pixels, cut off 30 mm in front of the camera."""
    seen = (rim - camera.position) @ camera.rotation.T
    out = []
    for a, b in zip(seen, np.roll(seen, -1, 0), strict=True):
        if a[2] > 30:
            out.append(a)
        if (a[2] > 30) != (b[2] > 30):
            t = (30 - a[2]) / (b[2] - a[2])
            out.append(a + (b - a) * t)
    points = np.array(out).reshape(-1, 3)
    pixels: Array = points[:, :2] / points[:, 2:] * camera.focal + np.array(camera.centre)
    return pixels


def _clutter(picture: Image, rng: Generator) -> None:
    """Furniture, books, clothes beyond the table, out of focus. In place."""
    height, width = picture.shape[:2]
    for _ in range(int(rng.integers(2, 14))):
        centre = (float(rng.uniform(0, width)), float(rng.uniform(0, height)))
        size = (float(rng.uniform(0.02, 0.3)) * width, float(rng.uniform(0.05, 0.5)) * height)
        box = cv2.boxPoints((centre, size, float(rng.choice([0, 90, rng.uniform(0, 180)]))))
        r, g, b = colorsys.hsv_to_rgb(float(rng.random()), float(rng.uniform(0, 0.6)), float(rng.uniform(0.1, 0.95)))
        cv2.fillConvexPoly(picture, box.astype(np.int32), (b * 255, g * 255, r * 255), cv2.LINE_AA)
    picture[:] = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.4, 2.5)))


def _wall(picture: Image, camera: Camera, rng: Generator) -> None:
    """Paint what is above the floor's horizon: a blurred room. In place."""
    width, height = camera.size
    right, down, forward = camera.rotation[:, 2]
    u = (np.arange(width) - camera.centre[0]) / camera.focal
    v = (np.arange(height) - camera.centre[1]) / camera.focal
    rise = right * u[None, :] + down * v[:, None] + forward
    above = rise > -0.12
    if not above.any():
        return
    small = rng.uniform(20, 230, (5, 7, 3)).astype(np.float32)
    small = small * 0.4 + small.mean(2, keepdims=True) * 0.6
    room = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    blend = np.clip((rise + 0.12) / 0.03, 0, 1)[..., None].astype(np.float32)
    picture[:] = np.clip(picture + (room - picture) * blend, 0, 255).astype(np.uint8)
