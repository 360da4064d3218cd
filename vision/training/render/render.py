"""``render_scene(seed)``: one picture with complete truth, always the same for a seed; ``scenes``: without end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.random import Generator, default_rng

from vision.training.render import arrange, props, tabletop
from vision.training.render.arrange import Arrangement
from vision.training.render.geometry import CORNERS, Array, Camera, fit
from vision.training.render.grounds import Ground, paint_ground, random_ground
from vision.training.render.light import Lighting, random_lighting
from vision.training.render.placing import Placed, poses
from vision.training.render.post import Look, expose
from vision.training.render.scene import Scene, paint_scene, truths
from vision.training.render.sets import SetShelf, Sources, TileSet, default_sources
from vision.training.render.solids import Block, Stage
from vision.training.render.styles import Body

#: How often each layout comes by default.
MIX: dict[str, float] = {
    "hand": 4.0,
    "grid": 1.5,
    "pile": 2.0,
    "wall": 0.6,
    "pool": 1.2,
    "rack": 2.0,
    "table": 0.5,
    "win": 0.5,
    "seat": 1.2,
}
_HAND = 0.08  # share of pictures with somebody's hand in them
ARRANGEMENTS: dict[str, Callable[[Body, Generator], Arrangement]] = {
    **arrange.ARRANGEMENTS,
    "table": tabletop.whole_table,
    "win": tabletop.won_table,
    "seat": tabletop.won_seat,
    "kongs": tabletop.kong_seat,
}
_BLOCK, _PER_BLOCK = 64, 5  # so many neighbouring seeds share so many tile sets: their textures are made once


@lru_cache(maxsize=4)
def _shelf(sources: Sources) -> SetShelf:
    return SetShelf(sources)


def tile_set_of(seed: int, rng: Generator, sources: Sources | None = None) -> TileSet:
    """The tile set of a seed's scene."""
    number = (seed // _BLOCK) * _PER_BLOCK + int(rng.integers(_PER_BLOCK))
    return _shelf(sources or default_sources()).get(number)


def _frame(arrangement: Arrangement, body: Body, rng: Generator, size: tuple[int, int]) -> Camera:
    points = points_of(arrangement.focus, body)
    low, high = arrangement.span
    elevation = float(np.clip(low + (high - low) * rng.beta(1.4, 1.2), low, high))
    turn = rng.random() * arrangement.front
    azimuth = float(
        rng.normal(0, 14) if turn < 0.7 else rng.uniform(-180, 180) if turn < 0.85 else 180 + rng.normal(0, 14)
    )
    roll = float(rng.normal(0, 2.5) if rng.random() < 0.8 else rng.normal(0, 25))
    focal = float(rng.uniform(0.8, 2.2)) * max(size)
    fill = float(rng.uniform(0.74, 1.06) if rng.random() < 0.8 else rng.uniform(0.45, 0.8))
    azimuth += arrangement.side
    camera = fit(points, azimuth, elevation, roll, focal, size, fill)
    least = float(rng.uniform(15, 24)) * min(size) / 640  # narrower faces than this nobody could read
    distance = float(np.linalg.norm(camera.position - points.mean(0)))
    narrow = body.width * focal / distance / least
    if narrow < 1:
        camera = replace(camera, position=points.mean(0) + (camera.position - points.mean(0)) * narrow)
    shift = rng.normal(0, 0.05, 2) * np.array(size)
    return replace(camera, centre=(camera.centre[0] + float(shift[0]), camera.centre[1] + float(shift[1])))


def points_of(placed: list[Placed], body: Body) -> Array:
    """Corners of all the tiles, world."""
    if not placed:
        return np.zeros((1, 3))
    rotations, centres = poses(placed, body)
    half = np.array([body.width, body.height, body.depth]) / 2
    return (CORNERS * half @ rotations.transpose(0, 2, 1) + centres[:, None]).reshape(-1, 3)


def render_scene(
    seed: int,
    layout: str | None = None,
    style: TileSet | None = None,
    size: tuple[int, int] = (640, 640),
    look: Look | None = None,
    sources: Sources | None = None,
    mix: Mapping[str, float] | None = None,
) -> Scene:
    """One picture of ``size`` (width, height) with complete truth.

    Args:
        seed: everything follows from it.
        layout: one of the keys of ``MIX``; None draws one by ``mix``.
        style: the tile set; None takes one by the seed.
        look: how good the camera is; None draws one.
        sources: folders of faces to use beside our own drawings.

    Raises:
        ValueError: for an unknown layout, naming those there are.
    """
    rng = default_rng([seed, 11])
    weights = dict(mix or MIX)
    if layout is None:
        names = [name for name in weights if name in ARRANGEMENTS]
        total = sum(weights[name] for name in names)
        layout = str(rng.choice(names, p=[weights[name] / total for name in names]))
    if layout not in ARRANGEMENTS:
        raise ValueError(f"no layout is called {layout!r}; there are {', '.join(ARRANGEMENTS)}")
    tiles = style or tile_set_of(seed, rng, sources)
    arrangement = ARRANGEMENTS[layout](tiles.body, rng)
    camera = _frame(arrangement, tiles.body, rng, size)
    room = _random_room(arrangement, rng)
    if look is None:
        light, colour, blur, noise = (float(x) for x in rng.uniform(0.5, 1.5, 4))
        look = Look(light, colour, blur, noise)
    return shoot(arrangement, tiles, camera, room, look, rng, layout, {"seed": seed, "set": tiles.name})


@dataclass(frozen=True, slots=True)
class Room:
    """Where the picture is taken: table top, floor, lamps, what lies about, and whether somebody reaches in."""

    ground: Ground
    floor: Ground
    lighting: Lighting
    things: tuple[Block, ...] = ()
    hand: bool = False


def _random_room(arrangement: Arrangement, rng: Generator) -> Room:
    lighting = random_lighting(rng)
    ground, floor = _tops(arrangement, rng)
    return Room(ground, floor, lighting, tuple(_things(arrangement, rng)), bool(rng.random() < _HAND))


def shoot(
    arrangement: Arrangement,
    tiles: TileSet,
    camera: Camera,
    room: Room,
    look: Look,
    rng: Generator,
    layout: str = "",
    info: Mapping[str, object] | None = None,
    fine: int = 1,
) -> Scene:
    """Take the picture. ``fine`` paints it so many times larger and shrinks it: finer edges, slower."""
    width, height = camera.size
    large = replace(
        camera,
        focal=camera.focal * fine,
        size=(width * fine, height * fine),
        centre=(camera.centre[0] * fine, camera.centre[1] * fine),
    )
    picture = paint_ground(room.ground, room.floor, large, rng)
    stage = paint_scene(
        picture, large, room.lighting, arrangement.placed, tiles, room.things, float(rng.uniform(0, 0.8))
    )
    if room.hand:
        _reach_in(stage, arrangement, rng)
    truth = truths(stage, arrangement.placed, tiles)
    image = stage.image
    if fine > 1:
        image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
        truth = tuple(tile.scaled(1 / fine) for tile in truth)
    return Scene(expose(image, rng, look), truth, tuple(arrangement.hands), layout, dict(info or {}))


def _things(arrangement: Arrangement, rng: Generator) -> list[Block]:
    """What else lies there."""
    spots = np.array([(t.x, t.y) for t in arrangement.placed])
    out: list[Block] = list(arrangement.extra)
    if arrangement.table is not None:
        half = (arrangement.table + 20, arrangement.table + 20)
        if rng.random() < 0.75:
            out += props.rim((0.0, 0.0), half, rng)
        if rng.random() < 0.55 and float(np.hypot(*spots.T).min()) > 85:
            out += props.console(rng)
    low, high = spots.min(0) - 190, spots.max(0) + 190
    if rng.random() < 0.6:
        out += props.scattered(rng, spots, np.stack([low, high]), int(rng.integers(1, 5)))
    return out


def _reach_in(stage: Stage, arrangement: Arrangement, rng: Generator) -> None:
    """A player's hand over some tile of the scene."""
    target = arrangement.focus[int(rng.integers(len(arrangement.focus)))]
    tip = np.array([target.x, target.y, 25.0]) + np.array([*rng.normal(0, 60, 2), 0.0])
    a = np.radians(rng.choice([-90, 0, 90, 180]) + rng.normal(0, 20))
    props.paint_hand(stage, stage.camera, tip, tip + np.array([np.cos(a) * 1500, np.sin(a) * 1500, 120.0]), rng)


def _tops(arrangement: Arrangement, rng: Generator) -> tuple[Ground, Ground]:
    if arrangement.table is not None:
        half = (arrangement.table + 20, arrangement.table + 20)
        return random_ground(rng, half, (0.0, 0.0)), random_ground(rng, (9e4, 9e4), (0.0, 0.0))
    xs = np.array([(t.x, t.y) for t in arrangement.placed])
    middle = (xs.min(0) + xs.max(0)) / 2
    reach = float(np.abs(xs - middle).max()) + rng.uniform(40, 400)
    half = (max(reach, 420.0), max(reach, 420.0))
    offset = middle + rng.uniform(-1, 1, 2) * (half[0] - reach + 30)
    if rng.random() < 0.35:  # an endless desk
        half = (2500.0, 2500.0)
    return random_ground(rng, half, (float(offset[0]), float(offset[1]))), random_ground(rng, (9e4, 9e4), (0.0, 0.0))


def scenes(
    seed: int,
    n: int | None = None,
    mix: Mapping[str, float] | None = None,
    size: tuple[int, int] = (640, 640),
    sources: Sources | None = None,
) -> Iterator[Scene]:
    """Scenes ``seed``, ``seed + 1`` ...; without end when ``n`` is None. Each is ``render_scene`` of its own seed."""
    number = seed
    while n is None or number < seed + n:
        yield render_scene(number, size=size, sources=sources, mix=mix)
        number += 1
