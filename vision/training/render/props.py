"""What else lies on a table: dice, chips, phones, paper, cups, rims, the console of an automatic table; hands."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.random import Generator, default_rng

from vision.training.render.geometry import Array, Camera, turn_z
from vision.training.render.raster import Image, soften
from vision.training.render.solids import Block, Skin, Stage


def _plain(colour: Sequence[float]) -> Image:
    return np.full((16, 16, 3), np.clip(colour, 0, 255), np.uint8)


def _colour(rng: Generator, saturation: float = 0.6) -> tuple[float, float, float]:
    r, g, b = colorsys.hsv_to_rgb(float(rng.random()), float(rng.uniform(0, saturation)), float(rng.uniform(0.1, 0.95)))
    return (b * 255, g * 255, r * 255)


def _skin(top: Image, side: Sequence[float]) -> Skin:
    edge = _plain(side)

    def skin(name: str, shrink: int) -> Image:
        if name != "front":
            return edge
        size = (max(8, top.shape[1] >> shrink), max(8, top.shape[0] >> shrink))
        return cv2.resize(top, size, interpolation=cv2.INTER_AREA) if shrink else top

    return skin


def slab(
    x: float, y: float, size: tuple[float, float, float], angle: float, top: Image, side: Sequence[float],
    radius: float, gloss: float = 0.4, z: float = 0.0,
) -> Block:  # fmt: skip
    """A flat-lying block with a picture on top; ``size`` is width, height, thickness in mm."""
    half = np.array(size) / 2
    return Block(
        turn_z(angle), np.array([x, y, z + half[2]]), half, min(radius, half.min() * 0.98), _skin(top, side), gloss
    )


@lru_cache(maxsize=16)
def _pips(number: int, red: bool) -> Image:
    face = np.full((40, 40, 3), 245, np.uint8)
    spots = {1: ((20, 20),), 2: ((11, 11), (29, 29)), 3: ((10, 10), (20, 20), (30, 30))}
    places = spots.get(number) or tuple((x, y) for x in (11, 29) for y in ((11, 29) if number < 6 else (9, 20, 31)))
    if number == 5:
        places = (*places, (20, 20))
    for at in places:
        cv2.circle(
            face,
            at,
            8 if number == 1 else 4,
            (40, 30, 200) if red and number in (1, 4) else (30, 25, 25),
            -1,
            cv2.LINE_AA,
        )
    return face


def dice(x: float, y: float, rng: Generator) -> Block:
    """A die."""
    size = float(rng.uniform(10, 17))
    order = [int(n) for n in rng.permutation(6) + 1]
    names = ("front", "back", "left", "right", "top", "bottom")
    faces = {name: _pips(n, True) for name, n in zip(names, order, strict=True)}
    half = np.full(3, size / 2)
    block = Block(turn_z(float(rng.uniform(0, 90))), np.array([x, y, size / 2]), half, size * 0.16, _plain_skin, 0.8)
    block.skin = lambda name, shrink: faces[name]
    return block


def _plain_skin(name: str, shrink: int) -> Image:
    return _plain((240, 240, 240))


def _screen(rng: Generator) -> Image:
    face = np.full((220, 110, 3), rng.uniform(8, 40), np.uint8)
    if rng.random() < 0.4:
        face[14:-14, 6:-6] = cv2.resize(rng.uniform(30, 240, (7, 3, 3)).astype(np.float32), (98, 192)).astype(np.uint8)
        for k in range(int(rng.integers(0, 6))):
            cv2.rectangle(
                face, (14, 30 + k * 28), (14 + int(rng.uniform(20, 80)), 44 + k * 28), tuple(_colour(rng)), -1
            )
    return face


def _page(rng: Generator) -> Image:
    paper = rng.uniform(200, 250) if rng.random() < 0.7 else rng.uniform(60, 220)
    face = np.full((200, 150, 3), paper, np.uint8)
    ink = (0.3 * paper,) * 3
    for y in range(16, 190, int(rng.integers(8, 18))):
        x = 12
        while x < 132 and rng.random() < 0.93:
            w = int(rng.uniform(3, 18))
            cv2.line(face, (x, y), (min(138, x + w), y), ink, int(rng.integers(1, 4)), cv2.LINE_AA)
            x += w + int(rng.uniform(2, 8))
    if rng.random() < 0.4:
        cv2.rectangle(face, (20, 30), (90, 110), tuple(_colour(rng)), -1)
    return face


def _chips(x: float, y: float, angle: float, rng: Generator) -> list[Block]:
    out = []
    for _ in range(int(rng.integers(1, 4))):
        colour, tall = _colour(rng, 0.95), int(rng.integers(1, 8))
        dx, dy = rng.uniform(-45, 45, 2)
        out.append(drum(x + dx, y + dy, 19.5, 3.3 * tall, _chip(colour), colour))
    return out


def _sheet(x: float, y: float, angle: float, rng: Generator) -> list[Block]:
    size = (float(rng.uniform(90, 210)), float(rng.uniform(120, 297)), 0.6) if rng.random() < 0.5 else (86.0, 54.0, 0.9)
    return [slab(x, y, size, angle, _page(rng), (220, 225, 225), 0.3, 0.1)]


def _note(x: float, y: float, angle: float, rng: Generator) -> list[Block]:
    face = np.full((40, 90, 3), _colour(rng, 0.5), np.uint8)
    cv2.circle(face, (60, 20), 13, _colour(rng, 0.4), -1)
    cv2.rectangle(face, (6, 6), (83, 33), _colour(rng, 0.4), 1)
    return [slab(x, y, (155, 70, 0.5), angle, face, (200, 200, 200), 0.2, 0.1)]


def _box(x: float, y: float, angle: float, rng: Generator) -> list[Block]:
    top = np.full((40, 40, 3), _colour(rng), np.uint8)
    cv2.rectangle(top, (6, 6), (33, 33), _colour(rng), int(rng.choice([-1, 1, 2])))
    size = (float(rng.uniform(30, 120)), float(rng.uniform(20, 90)), float(rng.uniform(8, 45)))
    return [slab(x, y, size, angle, top, _colour(rng), 3, 0.5)]


def _phone(x: float, y: float, angle: float, rng: Generator) -> list[Block]:
    size = (float(rng.uniform(66, 78)), float(rng.uniform(138, 164)), 8.5)
    return [slab(x, y, size, angle, _screen(rng), _colour(rng, 0.3), 4, 1.2)]


def _cup(x: float, y: float, angle: float, rng: Generator) -> list[Block]:
    colour = _colour(rng, 0.4)
    return [drum(x, y, float(rng.uniform(28, 44)), float(rng.uniform(40, 100)), _tea(rng, colour), colour)]


def _dice(x: float, y: float, angle: float, rng: Generator) -> list[Block]:
    c, s = math.cos(angle) * 22, math.sin(angle) * 22
    return [dice(x + i * c, y + i * s, rng) for i in range(int(rng.integers(1, 4)))]


_THINGS = (_dice, _dice, _phone, _sheet, _chips, _box, _cup, _note)


def _thing(x: float, y: float, rng: Generator) -> list[Block]:
    return _THINGS[int(rng.integers(len(_THINGS)))](x, y, float(rng.uniform(0, 180)), rng)


def _chip(colour: Sequence[float]) -> Image:
    face = _disc(colour)
    for turn in range(0, 360, 45):
        cv2.ellipse(face, (32, 32), (27, 27), turn, 0, 20, (240, 240, 240), 7, cv2.LINE_AA)
    cv2.circle(face, (32, 32), 18, (235, 235, 235), 2, cv2.LINE_AA)
    return face


def _tea(rng: Generator, rim: Sequence[float]) -> Image:
    face = _disc(rim)
    liquid = (20, 60, 110) if rng.random() < 0.5 else _colour(rng, 0.5)
    cv2.circle(face, (32, 32), 28, tuple(float(c) * 0.5 for c in rim), -1, cv2.LINE_AA)
    cv2.circle(face, (32, 33), 27, tuple(float(c) for c in liquid), -1, cv2.LINE_AA)
    return face


def _disc(colour: Sequence[float]) -> Image:
    return np.full((64, 64, 3), np.clip(colour, 0, 255), np.uint8)


def drum(x: float, y: float, radius: float, height: float, top: Image, side: Sequence[float]) -> Block:
    """An upright cylinder: a block whose edges are as round as they can be. Its box is square, its outline round."""
    half = np.array([radius, radius, height / 2])
    return Block(
        turn_z(0),
        np.array([x, y, height / 2]),
        half,
        min(radius, height / 2) * 0.999,
        _skin(top, side),
        0.6,
        round_wall=True,
    )


def scattered(rng: Generator, taken: Array, reach: Array, count: int) -> list[Block]:
    """Things put where no tile lies. ``taken`` (n, 2) are tile middles, ``reach`` (2, 2) the low and high corner."""
    out: list[Block] = []
    for _ in range(count):
        for _ in range(12):
            x, y = rng.uniform(reach[0], reach[1])
            clear = 130.0
            if len(taken) and float(np.hypot(*(taken - (x, y)).T).min()) < clear:
                continue
            if all(math.hypot(x - b.centre[0], y - b.centre[1]) > 160 for b in out):
                out += _thing(float(x), float(y), rng)
                break
    return out


def plank(x: float, y: float, length: float, wide: float, tall: float, rng: Generator) -> Block:
    """A long piece of wood or plastic along x."""
    colour, top = _board(rng)
    return slab(x, y, (length, wide, tall), 0.0, top, colour, min(wide, tall) * 0.3, 0.4)


def tray(inside: tuple[float, float, float, float], wide: float, tall: float, rng: Generator) -> list[Block]:
    """Four sides round a rectangle (left, near, right, far)."""
    colour, top = _board(rng)
    left, near, right, far = inside
    x, y, w, h = (left + right) / 2, (near + far) / 2, right - left + 2 * wide, far - near
    places = (
        (x, near - wide / 2, w, 0.0),
        (x, far + wide / 2, w, 0.0),
        (left - wide / 2, y, h, 90.0),
        (right + wide / 2, y, h, 90.0),
    )
    return [slab(px, py, (length, wide, tall), angle, top, colour, 1.2, 0.4) for px, py, length, angle in places]


def _board(rng: Generator) -> tuple[tuple[float, float, float], Image]:
    hue = float(rng.choice([0.08, 0.07, 0.0, 0.6]))
    r, g, b = colorsys.hsv_to_rgb(hue, float(rng.uniform(0.05, 0.6)), float(rng.uniform(0.12, 0.9)))
    colour = (b * 255, g * 255, r * 255)
    grain = np.clip(default_rng(3).normal(0, 6, (8, 64, 1)) + np.array(colour), 0, 255)
    return colour, cv2.resize(grain.astype(np.float32), (256, 16), interpolation=cv2.INTER_LINEAR).astype(np.uint8)


def rim(centre: tuple[float, float], half: tuple[float, float], rng: Generator) -> list[Block]:
    """The raised edge of a table, as four blocks."""
    wide, tall = float(rng.uniform(18, 70)), float(rng.uniform(6, 28))
    colour, top = _board(rng)
    (cx, cy), (hx, hy) = centre, half
    places = ((cx, cy - hy, 0, hx), (cx, cy + hy, 0, hx), (cx - hx, cy, 90, hy), (cx + hx, cy, 90, hy))
    parts = 6  # short pieces: a long one would have no one place in the painter's order
    out = []
    for x, y, angle, length in places:
        step = 2 * length / parts
        for k in range(parts):
            along = -length + (k + 0.5) * step
            dx, dy = (along, 0.0) if angle == 0 else (0.0, along)
            out.append(slab(x + dx, y + dy, (step + 0.5, wide, tall), angle, top, colour, 0.2, 0.3))
    return out


def console(rng: Generator) -> list[Block]:
    """The middle of an automatic table: a plate, buttons, a dome with two dice."""
    size = float(rng.uniform(110, 190))
    dark = float(rng.uniform(20, 70)) if rng.random() < 0.7 else float(rng.uniform(150, 230))
    top = np.full((120, 120, 3), dark, np.uint8)
    cv2.rectangle(top, (4, 4), (115, 115), (dark * 1.3, dark * 1.25, dark * 1.2), 2)
    light = tuple(_colour(rng, 0.9))
    for k, at in enumerate(((60, 14), (106, 60), (60, 106), (14, 60))):
        wide = (22, 6) if k % 2 == 0 else (6, 22)
        cv2.rectangle(top, (at[0] - wide[0], at[1] - wide[1]), (at[0] + wide[0], at[1] + wide[1]), light, -1)
    cv2.circle(top, (60, 60), 26, (190, 190, 195), 2, cv2.LINE_AA)
    cv2.circle(top, (60, 60), 24, (dark + 40,) * 3, -1, cv2.LINE_AA)
    plate = slab(0, 0, (size, size, 5), 0, top, (dark * 0.8,) * 3, 2.5, 0.8)
    out = [plate]
    for dx in (-9, 11):
        die = dice(dx, float(rng.uniform(-6, 6)), rng)
        die.centre = die.centre + np.array([0, 0, 5.0])
        out.append(die)
    return out


def _limb(target: Image, camera: Camera, a: Array, b: Array, width: float) -> None:
    """A round-ended bar from ``a`` to ``b`` (world), ``width`` pixels thick."""
    _, depth = camera.project(np.stack([a, b]))
    if depth[1] < 60:
        return
    if depth[0] < 60:  # it comes from behind the camera: begin where it comes into view
        a = b + (a - b) * ((depth[1] - 60) / (depth[1] - depth[0]))
    pixels, _ = camera.project(np.stack([a, b]))
    if np.abs(pixels).max() < 20000:
        start, end = (tuple(int(v) for v in p) for p in pixels)
        cv2.line(target, start, end, 255, max(1, round(width)), cv2.LINE_AA)


def paint_hand(stage: Stage, camera: Camera, tip: Array, towards: Array, rng: Generator) -> None:
    """A player's forearm and hand reaching from ``towards`` to ``tip`` (world, mm), over everything painted so far."""
    hue, saturation, value = (
        float(rng.uniform(0.04, 0.08)),
        float(rng.uniform(0.25, 0.45)),
        float(rng.uniform(0.4, 0.85)),
    )
    skin = np.array(colorsys.hsv_to_rgb(hue, saturation, value))[::-1] * 255
    bare, sleeve = (np.zeros(stage.image.shape[:2], np.uint8) for _ in range(2))
    along = (tip - towards) / max(float(np.linalg.norm(tip - towards)), 1.0)
    scale = camera.focal / max(float(np.linalg.norm(camera.position - tip)), 50.0)
    wrist = tip - along * 150
    cuff = wrist - along * float(rng.uniform(30, 120))
    _limb(bare, camera, cuff, wrist + _RISE, 52 * scale)
    _fingers(bare, camera, tip, along, scale, rng)
    _limb(sleeve, camera, towards, cuff, 78 * scale)
    _tint(stage, bare, skin, scale)
    _tint(stage, sleeve, np.array(_colour(rng, 0.6)), scale)


_RISE = np.array([0, 0, 20.0])


def _fingers(mask: Image, camera: Camera, tip: Array, along: Array, scale: float, rng: Generator) -> None:
    """The palm, four fingers bent at the knuckle, and the thumb on either side."""
    side, up = np.array([-along[1], along[0], 0.0]), np.array([0, 0, 1.0])
    wrist = tip - along * 150 + _RISE
    palm = tip - along * 95 + up * 22
    for across in (-22, 0, 22):
        _limb(mask, camera, wrist + side * across * 0.6, palm + side * across + along * 15, 38 * scale)
    spread = float(rng.uniform(0.6, 1.5))
    for across, length in zip((-30, -10, 10, 29), (72, 88, 84, 64), strict=True):
        reach = length * float(rng.uniform(0.75, 1.0))
        knuckle = palm + side * across + along * 25
        bent = knuckle + along * reach * 0.55 + side * across * 0.25 * spread
        _limb(mask, camera, knuckle, bent, 18 * scale)
        end = bent + along * reach * 0.4 - up * 14 + side * across * 0.1 * spread
        _limb(mask, camera, bent, end, 15 * scale)
    thumb = palm + side * (-34 if rng.random() < 0.5 else 34)
    _limb(mask, camera, palm, thumb + along * 30, 20 * scale)


def _mottle(shape: tuple[int, ...]) -> Array:
    small = default_rng(17).normal(0, 1, (shape[0] // 5 + 2, shape[1] // 5 + 2)).astype(np.float32)
    return np.asarray(cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC))


def _tint(stage: Stage, mask: Image, colour: Array, scale: float) -> None:
    """Paint a rounded, lit limb where the mask is; throw its shadow; own its pixels."""
    x, y, w, h = cv2.boundingRect(mask)
    if w == 0:
        return
    pad = round(45 * scale) + 4
    rows = slice(max(0, y - pad), min(mask.shape[0], y + h + pad))
    cols = slice(max(0, x - pad), min(mask.shape[1], x + w + pad))
    part, picture = mask[rows, cols], stage.image[rows, cols]
    shadow = soften(np.roll(part, (round(16 * scale), round(10 * scale)), (0, 1)), 9 * scale)
    dim = 1 - shadow.astype(np.float32) * np.float32(0.35 / 255)
    under = cv2.multiply(picture, cv2.merge([dim, dim, dim]), dtype=cv2.CV_32F)
    depth = cv2.distanceTransform((part > 127).astype(np.uint8), cv2.DIST_L2, 3)
    tone = 0.62 + 0.42 * np.sqrt(np.minimum(depth / max(16 * scale, 1), 1))
    slope = cv2.Sobel(soften(depth, 2 * scale + 0.5), cv2.CV_32F, 1, 1, ksize=3)
    tone -= np.clip(slope * 0.05, -0.12, 0.12)
    tone *= 1 + 0.018 * _mottle(part.shape)  # skin and sleeves are not of one colour
    paint = cv2.merge([tone * np.float32(c) for c in colour])
    share = part.astype(np.float32) * np.float32(1 / 255)
    paint -= under
    paint *= share[..., None]
    picture[:] = cv2.add(paint, under, dtype=cv2.CV_8U)
    stage.owner[rows, cols][part > 127] = -1
