"""Whole hands played before a camera: frames with full truth, for videos, tests and a synthetic camera.

``game_frames`` gives frames with truth; ``frames`` gives the pictures alone, as a synthetic camera wants them:
``synthetic:vision.training.render.game:frames`` with the options ``seed``, ``fps``, ``width``, ``height``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator, default_rng

from vision.training.render import props
from vision.training.render.geometry import Array, Camera, fit
from vision.training.render.grounds import Ground, paint_ground, random_ground
from vision.training.render.light import LIGHTS, Lighting, random_lighting
from vision.training.render.placing import Placed
from vision.training.render.play import Event, Step, Win, play_match
from vision.training.render.post import Look, expose
from vision.training.render.raster import Image
from vision.training.render.scene import TileTruth, paint_scene, truths
from vision.training.render.sets import TileSet, drawn_set
from vision.training.render.solids import Block, Stage
from vision.training.render.tabletop import Table, TableLayout, place_table

#: How long the camera sees the table after each event, seconds (at pace 1).
SECONDS: dict[str, float] = {
    "dealt": 3.0, "flower": 0.9, "draw": 0.7, "discard": 1.1, "chow": 1.2, "pung": 1.2, "kong_exposed": 1.4,
    "kong_concealed": 1.4, "kong_added": 1.4, "win": 8.0, "exhausted": 4.0, "cleared": 3.0,
}  # fmt: skip
_REACH = 0.45  # share of an event's time in which the player's arm is over the table


@dataclass(frozen=True, slots=True)
class GameFrame:
    """One picture (BGR) of a game and everything true at that moment."""

    image: Image
    number: int
    time_s: float
    hand: int  #: which hand of the match, from 0
    event: Event  #: the last thing that happened
    fresh: bool  #: this is the first frame after the event
    arm: bool  #: a player's arm is over the table
    table: Table
    tiles: tuple[TileTruth, ...]  #: empty where not asked for
    win: Win | None  #: from the win until the table is cleared


@dataclass(frozen=True, slots=True)
class Studio:
    """One table, its tiles, camera and light: fixed for a whole game."""

    tiles: TileSet
    layout: TableLayout
    camera: Camera
    lighting: Lighting
    ground: Ground
    floor: Ground
    things: tuple[Block, ...]
    look: Look
    seed: int
    corners: Array  #: of the table, pixels: near left, near right, far right, far left as seat 0 sees it


def studio(
    seed: int,
    size: tuple[int, int] = (1920, 1080),
    elevation: float | None = None,
    azimuth: float | None = None,
    tiles: TileSet | None = None,
    look: Look | None = None,
    light: str | None = None,
) -> Studio:
    """A table to play at. Angles in degrees: ``elevation`` 90 is overhead, ``azimuth`` 0 is seat 0's side.

    ``light`` is a key of ``light.LIGHTS``; what is None is drawn from the seed.
    """
    rng = default_rng([seed, 31])
    high = float(rng.uniform(52, 90)) if elevation is None else elevation
    side = float(rng.choice([0, 45, 90, 180]) + rng.normal(0, 6)) if azimuth is None else azimuth
    tiles = tiles or drawn_set(seed, width=96)
    tiles = _fits(tiles)
    layout = replace(TableLayout.random(rng), half=450.0)
    edge = layout.half + 15
    rim = np.array([(-edge, -edge, 0), (edge, -edge, 0), (edge, edge, 0), (-edge, edge, 0)], np.float64)
    camera = fit(rim, side, high, 0.0, 1.1 * size[0], size, 0.97)
    things = [*props.rim((0.0, 0.0), (edge + 20, edge + 20), rng)]
    if rng.random() < 0.6 and not layout.messy:
        things += props.console(rng)
    ground = random_ground(rng, (edge + 40, edge + 40), (0.0, 0.0))
    floor = random_ground(rng, (9e4, 9e4), (0.0, 0.0))
    pixels, _ = camera.project(rim)
    clean = look or Look(0.5, 0.5, 0.5, 0.6, jpeg=False, bright=228)
    lighting = LIGHTS[light] if light else random_lighting(rng)
    return Studio(tiles, layout, camera, lighting, ground, floor, tuple(things), clean, seed, pixels)


def _fits(tiles: TileSet) -> TileSet:
    """Tiles no wider than 27 mm, so that walls and hands have room on a table of 90 cm."""
    factor = min(1.0, 27.0 / tiles.body.width)
    body = replace(
        tiles.body,
        width=tiles.body.width * factor,
        height=tiles.body.height * factor,
        depth=tiles.body.depth * factor,
        radius=tiles.body.radius * factor,
    )
    return TileSet(tiles.name, body, tiles.style, tiles.paint, tiles.width)


def game_frames(
    seed: int,
    fps: float = 5.0,
    size: tuple[int, int] = (1920, 1080),
    hands: int | None = None,
    pace: float = 1.0,
    room: Studio | None = None,
    first: int = 0,
    skip: int = 0,
    measured: bool = True,
) -> Iterator[GameFrame]:
    """A match seen by a camera over the table, frame by frame; without end when ``hands`` is None.

    ``pace`` 2 plays twice as fast; the camera is switched on at the hand ``first``, ``skip`` steps into it; without
    ``measured`` nobody looks what can be seen of each tile. The same arguments give the same frames. Raises
    ``ValueError`` for an fps or pace that is not above 0.
    """
    if fps <= 0 or pace <= 0:
        raise ValueError(f"fps {fps} and pace {pace} must be above 0")
    place = room or studio(seed, size)
    empty = paint_ground(place.ground, place.floor, place.camera, default_rng([seed, 32]))
    number, hand, clock = 0, 0, 0.0
    win: Win | None = None
    for step in play_match(seed, hands):
        if hand < first or skip > 0:
            skip -= hand == first
            hand += step.event.kind == "cleared"
            continue
        win = step.win or (None if step.event.kind in ("cleared", "dealt") else win)
        until = clock + SECONDS[step.event.kind] / pace
        reach = clock + (until - clock) * _REACH
        scene = Painted(place, step, empty)
        fresh = True
        while number / fps < until:
            arm = number / fps < reach and step.event.kind not in ("dealt", "cleared", "exhausted")
            stage = scene.with_arm(number) if arm else scene.stage
            image = _grainy(_lit(stage.image, place, seed) if arm else scene.lit(seed), place, seed, number)
            tiles: tuple[TileTruth, ...] = ()
            if measured:
                tiles = truths(stage, scene.placed, place.tiles) if arm else scene.truth
            yield GameFrame(image, number, number / fps, hand, step.event, fresh, arm, step.table, tiles, win)
            fresh = False
            number += 1
        clock = until
        hand += step.event.kind == "cleared"


def _lit(image: Image, place: Studio, seed: int) -> Image:
    """The light and the lens: the same for all frames of a film."""
    return expose(image, default_rng([seed, 33]), replace(place.look, noise=0.0))


def _grainy(image: Image, place: Studio, seed: int, number: int) -> Image:
    """The camera's noise: as strong in every frame, and other in each."""
    only_noise = Look(0.0, 0.0, 0.0, place.look.noise, jpeg=place.look.jpeg)
    return expose(image, default_rng([seed, 36]), only_noise, default_rng([seed, number, 34]))


def still(room: Studio, step: Step, seed: int = 0) -> tuple[Image, tuple[TileTruth, ...]]:
    """One picture of a table at a step, with its truth, nobody's arm in it."""
    empty = paint_ground(room.ground, room.floor, room.camera, default_rng([seed, 32]))
    scene = Painted(room, step, empty)
    return expose(scene.stage.image, default_rng([seed, 33]), room.look), scene.truth


class Painted:
    """A step painted once, before the camera's noise."""

    def __init__(self, place: Studio, step: Step, empty: Image) -> None:
        self._place, self._step = place, step
        self._lit: Image | None = None
        self.placed = place_table(step.table, place.layout, place.tiles.body)
        self.stage = paint_scene(
            empty.copy(), place.camera, place.lighting, self.placed, place.tiles, place.things, 0.3
        )

    @cached_property
    def truth(self) -> tuple[TileTruth, ...]:
        """What can be seen of every tile, nobody's arm in the way."""
        return truths(self.stage, self.placed, self._place.tiles)

    def lit(self, seed: int) -> Image:
        """The picture before the camera's noise, nobody's arm in it; made once."""
        if self._lit is None:
            self._lit = _lit(self.stage.image, self._place, seed)
        return self._lit

    def with_arm(self, number: int) -> Stage:
        """A copy with the acting player's arm over the tile it has just moved."""
        rng = default_rng([self._place.seed, 35, self._step.event.seat])
        base = self.stage
        copy = Stage(base.image.copy(), base.camera, base.lighting, base.view)
        copy.owner[:] = base.owner
        copy.painted.update(base.painted)
        tip, shoulder = _arm(self._step.event, self.placed, self._place.layout, default_rng([self._place.seed, number]))
        props.paint_hand(copy, base.camera, tip, shoulder, rng)
        return copy


def _arm(event: Event, placed: list[Placed], layout: TableLayout, rng: Generator) -> tuple[Array, Array]:
    """Where the hand is, and where its arm comes from."""
    own = [tile for tile in placed if tile.seat == event.seat and tile.code == event.tile]
    if event.kind == "discard":
        own = [tile for tile in own if tile.role == "discard"] or own
    elif event.kind == "win":
        own = [tile for tile in own if tile.role == "win"] or own
    a = np.radians(-90 + 90 * event.seat)
    away = np.array([np.cos(a), np.sin(a), 0.0])
    at = np.array([own[-1].x, own[-1].y, 0.0]) if own else away * (layout.half - 80)
    tip = at + np.array([*rng.normal(0, 4, 2), 25.0])
    return tip, away * (layout.half + 900) + np.array([0, 0, 150.0])


def frames(
    seed: int = 1, fps: float = 5.0, width: int = 1920, height: int = 1080, hands: int | None = None, pace: float = 1.0
) -> Iterator[Image]:
    """The pictures of :func:`game_frames` alone."""
    for frame in game_frames(seed, fps, (width, height), hands, pace):
        yield frame.image
