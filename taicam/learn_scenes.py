"""Pictures for the learning demonstration: a rendered tile set that no network has seen, laid out as hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.dataset import LabelledBox, Sample
from vision.dataset.entries import Entry
from vision.metrics import count
from vision.observation import TileObservation
from vision.training.render import Scene, TileSet, render_scene
from vision.training.render.arrange import Arrangement
from vision.training.render.geometry import fit
from vision.training.render.grounds import random_ground
from vision.training.render.light import random_lighting
from vision.training.render.placing import Placed
from vision.training.render.post import Look
from vision.training.render.render import Room, points_of, shoot
from vision.training.render.sets import drawn_set
from vision.training.render.styles import Body, random_body, random_style, wider_style

Image = npt.NDArray[np.uint8]
Detect = Callable[[Image], Sequence[TileObservation]]

#: Pale blocks and inks as no usual set has them: tiles are still found, but often misnamed.
_BODIES = ((150.0, 190.0, 120.0), (120.0, 120.0, 210.0), (200.0, 170.0, 120.0), (190.0, 150.0, 200.0))
_INKS = ("#102040", "#602080", "#204000", "#703000")
_SIZE = (800, 600)
#: Seeds of ordinary drawn sets, far from those that training draws.
USUAL_SETS = (77_001, 77_002, 77_003, 77_004, 77_005)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Of `tiles` tiles in pictures, how many were found, and how many of those named rightly; exact pictures."""

    tiles: int
    found: int
    right: int
    pictures: int
    exact: int

    @property
    def named(self) -> float:
        """Share of the found tiles named rightly."""
        return self.right / max(self.found, 1)

    def __str__(self) -> str:
        return (
            f"{self.named:6.1%} of {self.found} tiles found (of {self.tiles}) named rightly, "
            f"{self.exact} of {self.pictures} pictures exactly"
        )


def odd_set(seed: int) -> TileSet:
    """A set with strange inks on a strange block; everything follows from the seed."""
    body, inks = _odd(seed)
    return drawn_set(seed, style=replace(random_style(np.random.default_rng([seed, 1])), **inks), body=body)


def strange_set(seed: int) -> TileSet:
    """The same with the designs of many more makers."""
    body, inks = _odd(seed)
    return drawn_set(seed, looks=lambda rng: replace(wider_style(rng), **inks), body=body)


def _odd(seed: int) -> tuple[Body, dict[str, Any]]:
    rng = np.random.default_rng([seed, 5])
    body = random_body(np.random.default_rng([seed, 1]))
    body = replace(body, face_colour=_BODIES[int(rng.integers(len(_BODIES)))])
    inks = (str(ink) for ink in rng.permutation(_INKS))
    return body, dict(zip(("red", "green", "blue", "black"), inks, strict=False))


def hands(tiles: TileSet, first: int) -> Iterator[Scene]:
    """Rows with winning hands, without end."""
    seed = first
    while True:
        scene = render_scene(seed, layout="hand", style=tiles, size=_SIZE)
        seed += 1
        if scene.hands and scene.hands[0].wins and not any(tile.code == "back" for tile in scene.tiles):
            yield scene


def usual_scenes(count: int) -> list[Scene]:
    """`count` winning hands of each of the usual sets, always the same ones: no network may get worse at these."""
    scenes = []
    for seed in USUAL_SETS:
        stream = hands(drawn_set(seed), seed * 1000)
        scenes += [next(stream) for _ in range(count)]
    return scenes


def laid_out(tiles: TileSet, faces: Sequence[str], times: int, seed: int) -> list[Scene]:
    """All `faces` laid out once in rows, a third at a time, each third photographed `times` times from elsewhere."""
    rng = np.random.default_rng([seed, 21])
    order = [str(face) for face in rng.permutation(list(faces))]
    third = -(-len(order) // 3)
    scenes = []
    for start in range(0, len(order), third):
        placed = []
        for index, code in enumerate(order[start : start + third]):
            row, column = divmod(index, 7)
            x, y = column * tiles.body.width * 1.25, row * tiles.body.height * 1.3
            placed.append(Placed(code, x, y, 0.0, angle=float(rng.normal(0, 3)), role="loose", group=row + 1))
        for _ in range(times):
            scenes.append(_photograph(placed, tiles, rng))
    return scenes


def _photograph(placed: list[Placed], tiles: TileSet, rng: np.random.Generator) -> Scene:
    focal = float(rng.uniform(1.0, 1.6)) * max(_SIZE)
    azimuth, elevation = float(rng.normal(0, 12)), float(rng.uniform(50, 85))
    camera = fit(points_of(placed, tiles.body), azimuth, elevation, float(rng.normal(0, 2)), focal, _SIZE, 0.8)
    room = Room(
        random_ground(rng, (600.0, 600.0), (0.0, 0.0)), random_ground(rng, (9e4, 9e4), (0.0, 0.0)), random_lighting(rng)
    )
    return shoot(Arrangement(placed, [], placed), tiles, camera, room, Look(), rng, "laid out")


def truth_boxes(scene: Scene) -> tuple[LabelledBox, ...]:
    """The readable tiles of a scene as labels."""
    return tuple(
        LabelledBox(box=tile.box, code=tile.code, origin="rendered", turn=tile.angle % 360)
        for tile in scene.tiles
        if not tile.ignore and tile.code != "back"
    )


def entries_of(scenes: Sequence[Scene], folder: Path, split: str) -> list[Entry]:
    """The scenes as labelled pictures in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    result = []
    for number, scene in enumerate(scenes):
        path = folder / f"{split}{number:03d}.jpg"
        cv2.imwrite(str(path), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
        height, width = scene.image.shape[:2]
        sample = Sample(image=path.name, width=width, height=height, boxes=truth_boxes(scene), split=split)
        result.append(Entry(sample, path))
    return result


def measure(scenes: Sequence[Scene], detect: Detect) -> Accuracy:
    """Read the scenes and hold them against their truth."""
    counts = []
    for scene in scenes:
        truth = [[box.code, *box.box] for box in truth_boxes(scene)]
        found = [[t.code, t.confidence, *t.box] for t in detect(scene.image) if t.code != "back"]
        row: dict[str, Any] = {"image": "", "part": "", "truth": truth, "found": found}
        counts.append(count(row))
    return Accuracy(
        sum(c.tiles for c in counts),
        sum(c.located for c in counts),
        sum(c.right for c in counts),
        len(counts),
        sum(c.exact for c in counts),
    )


def badly_read_set(detect: Detect, probes: int, below: float = 0.87) -> tuple[TileSet, Accuracy]:
    """The first set of a fixed row that is found well and read badly; the worst of them when none is so bad."""
    worst: tuple[TileSet, Accuracy] | None = None
    for seed in (910_150, 910_119, 910_103, 910_307):
        tiles = strange_set(seed)
        stream = hands(tiles, seed * 10)
        accuracy = measure([next(stream) for _ in range(probes)], detect)
        if accuracy.found < 0.7 * accuracy.tiles:
            continue
        if worst is None or accuracy.named < worst[1].named:
            worst = tiles, accuracy
        if accuracy.named < below:
            break
    if worst is None:
        raise ValueError("the detector finds none of the demonstration's tile sets: is the network damaged?")
    return worst


def corrected(sample: Sample, truth: Sequence[LabelledBox]) -> list[LabelledBox]:
    """What a person looking through a sample makes of its boxes: the right names, missing tiles added, others removed.

    `truth` is in pixels of the frame; only a part of that was kept.
    """
    left, top = (float(v) for v in sample.extra.get("offset", (0, 0)))
    kept = []
    for box in truth:
        x1, y1, x2, y2 = box.box[0] - left, box.box[1] - top, box.box[2] - left, box.box[3] - top
        if min(x1, y1) >= 0 and x2 <= sample.width and y2 <= sample.height:
            kept.append(box.model_copy(update={"box": (x1, y1, x2, y2), "origin": "person"}))
    return kept
