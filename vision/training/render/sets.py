"""A tile set as textures: every face painted on its block's front, at several sizes, made when first needed."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator, default_rng

from vision.drawings import PRESETS, FaceStyle
from vision.drawings.faces import CODES, ink_svg
from vision.drawings.glyphs import Writer, character_path
from vision.training.render import fonts
from vision.training.render.raster import Image, rasterise
from vision.training.render.styles import Body, dark_set, random_body, random_style, tinted_set, wider_style

TEXTURE_WIDTH = 112
_MIPS = 4

Paint = Callable[[str, int, int], Image]


@dataclass
class TileSet:
    """One set of tiles: its block and the pictures on it. ``paint(code, width, height)`` draws a whole front, BGR."""

    name: str
    body: Body
    style: FaceStyle
    paint: Paint
    width: int = TEXTURE_WIDTH
    _faces: dict[str, list[Image]] = field(default_factory=dict)

    @property
    def texture_size(self) -> tuple[int, int]:
        """Width and height of the largest face texture."""
        return self.width, round(self.width * self.body.height / self.body.width)

    def face(self, code: str, shrink: int) -> Image:
        """The front of a tile, halved ``shrink`` times (0.._MIPS-1)."""
        levels = self._faces.get(code)
        if levels is None:
            full = self.paint(code, *self.texture_size)
            levels = [full]
            for _ in range(_MIPS - 1):
                h, w = levels[-1].shape[:2]
                levels.append(cv2.resize(levels[-1], (max(6, w // 2), max(8, h // 2)), interpolation=cv2.INTER_AREA))
            self._faces[code] = levels
        return levels[min(shrink, _MIPS - 1)]

    def side(self, name: str, shrink: int) -> Image:
        """The back ("back") or one of the four edges ("edge": front at its top), halved ``shrink`` times."""
        key = f"{name}{min(shrink, 3)}"
        if key not in self._faces:
            self._faces[key] = [_edge(self.body, 48 >> min(shrink, 3)) if name == "edge" else _plain(self.body)]
        return self._faces[key][0]


def _edge(body: Body, size: int) -> Image:
    """An edge of the block: face colour, then the back's colour, the seam a thin shade."""
    column = np.empty((size, 3), np.float32)
    column[:] = body.face_colour
    seam = size * (1 - body.back_share)
    place = np.arange(size) + 0.5
    share = np.clip(place - seam + 0.5, 0, 1)[:, None]
    column += (np.array(body.back_colour, np.float32) - column) * share
    column *= 1 - 0.25 * np.exp(-(((place - seam) / (size * 0.03)) ** 2))[:, None]
    return np.repeat(column[:, None], 8, axis=1).clip(0, 255).astype(np.uint8)


def _plain(body: Body) -> Image:
    return np.full((16, 12, 3), body.back_colour, np.uint8)


def _cut(body: Body, ink: Image, width: int, height: int, depth: float, wear: float, rng: Generator) -> Image:
    """Ink cut into the block's front: colour, a dark upper lip and a bright lower lip, a little wear."""
    front = np.empty((height, width, 3), np.float32)
    front[:] = body.face_colour
    h, w = ink.shape[:2]
    y, x = (height - h) // 2, (width - w) // 2
    alpha = ink[..., 3].astype(np.float32) / 255
    if wear > 0:
        spots = cv2.resize(rng.normal(0, 1, (13, 10)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
        alpha *= np.clip(1 - wear * np.clip(spots, 0, 2), 0.25, 1)
    part = front[y : y + h, x : x + w]
    if depth > 0:
        step = max(1, round(width / 90))
        lit = np.clip(np.roll(alpha, (step, step), (0, 1)) - alpha, 0, 1)[..., None]
        dark = np.clip(np.roll(alpha, (-step, -step), (0, 1)) - alpha, 0, 1)[..., None]
        part += lit * (255 - part) * 0.6 * depth - dark * part * 0.35 * depth
    colour: Any = ink[..., :3].astype(np.float32)
    if depth > 0:  # the far wall of the groove lies in shade
        inner = np.clip(alpha - np.roll(alpha, (step, step), (0, 1)), 0, 1)[..., None]
        colour = colour * (1 - 0.35 * depth * inner)
    part += (colour - part) * alpha[..., None]
    return np.clip(front, 0, 255).astype(np.uint8)


def _drawn(style: FaceStyle, body: Body, write: Writer, seed: int, worn: bool) -> Paint:
    rng = default_rng([seed, 7])
    depth, wear = float(rng.uniform(0.1, 1.0)), float(rng.choice([0, 0, 0, rng.uniform(0, 0.5)]) if worn else 0)
    grow = int(rng.integers(-1, 2)) if worn and rng.random() < 0.25 else 0

    def paint(code: str, width: int, height: int) -> Image:
        own = default_rng([seed, CODES.index(code)])
        w = round(width * body.ink_share)
        h = round(height * body.ink_share)
        if code == "back":
            return np.full((height, width, 3), body.back_colour, np.uint8)
        ink = rasterise(ink_svg(code, style, write), w)
        ink = cv2.resize(ink, (w, h), interpolation=cv2.INTER_AREA)
        if grow > 0:
            ink[..., 3] = cv2.dilate(ink[..., 3], np.ones((2, 2), np.uint8))
        return _cut(body, ink, width, height, depth, wear, own)

    return paint


_DARK = 0.2  #: share of drawn sets whose blocks are darker than their ink
_TINTED = 0.2  #: share of the wider drawn sets whose blocks are neither dark nor pale


def drawn_set(
    seed: int,
    style: FaceStyle | None = None,
    body: Body | None = None,
    width: int = TEXTURE_WIDTH,
    looks: Callable[[Generator], FaceStyle] = random_style,
    tinted: float = 0.0,
) -> TileSet:
    """A set of our own drawings, styled by ``looks`` unless a style is given; some write with a TrueType font.

    ``tinted``: the share of sets whose blocks are neither pale nor dark.
    """
    rng = default_rng([seed, 1])
    given = body is not None
    body = body or random_body(rng)
    fixed = style is not None
    style = style or looks(rng)
    other = default_rng([seed, 13])
    cast = other.random()
    if not (given or fixed) and cast < _DARK:
        style, body = dark_set(other, style, body)
    elif not (given or fixed) and cast < _DARK + tinted:
        style, body = tinted_set(other, style, body)
    write: Writer = character_path
    hand = "strokes"
    available = fonts.choices()
    if not fixed and available and rng.random() < 0.6:
        path, number = available[int(rng.integers(len(available)))]
        write, hand = fonts.writer(path, number), Path(path).name
    style = replace(style, body=_css_of(body))
    return TileSet(f"drawn-{seed}-{hand}", body, style, _drawn(style, body, write, seed, not fixed), width)


def _css_of(body: Body) -> str:
    b, g, r = (round(c) for c in body.face_colour)
    return f"#{r:02x}{g:02x}{b:02x}"


def preset_set(name: str, body: Body, width: int = TEXTURE_WIDTH) -> TileSet:
    """One of the drawings' presets on a given block."""
    return drawn_set(0, PRESETS[name], body, width)


def art_set(seed: int, folder: Path, width: int = TEXTURE_WIDTH) -> TileSet:
    """Ink from a folder of PNG faces with a transparent ground; faces it lacks are drawn."""
    rng = default_rng([seed, 2])
    body = random_body(rng)
    fallback = drawn_set(seed, body=body, width=width)
    hue = rng.normal(1, 0.08, 3)

    def paint(code: str, width: int, height: int) -> Image:
        file = folder / f"{code}.png"
        picture = cv2.imread(str(file), cv2.IMREAD_UNCHANGED) if code != "back" and file.is_file() else None
        if picture is None or picture.ndim != 3 or picture.shape[2] != 4:
            return fallback.paint(code, width, height)
        w, h = round(width * body.ink_share * 1.04), round(height * body.ink_share * 1.02)
        ink = cv2.resize(picture, (min(w, width), min(h, height)), interpolation=cv2.INTER_AREA)
        ink[..., :3] = np.clip(ink[..., :3] * hue, 0, 255).astype(np.uint8)
        return _cut(body, ink, width, height, 0.5, 0.0, default_rng([seed, CODES.index(code)]))

    return TileSet(f"art-{folder.parent.name}-{seed}", body, fallback.style, paint, width)


def crop_set(seed: int, files: dict[str, list[Path]], width: int = TEXTURE_WIDTH) -> TileSet:
    """Fronts from photographs of one set of real tiles; faces it lacks are drawn."""
    rng = default_rng([seed, 3])
    body = replace(random_body(rng), face_colour=_paper(files, rng))
    fallback = drawn_set(seed, body=body, width=width)

    def paint(code: str, width: int, height: int) -> Image:
        options = files.get(code)
        own = default_rng([seed, CODES.index(code)])
        picture = cv2.imread(str(options[int(own.integers(len(options)))])) if options else None
        if picture is None:
            return fallback.paint(code, width, height)
        h, w = picture.shape[:2]
        dx, dy = max(1, round(w * own.uniform(0.01, 0.05))), max(1, round(h * own.uniform(0.01, 0.05)))
        front = cv2.resize(picture[dy : h - dy, dx : w - dx], (width, height), interpolation=cv2.INTER_AREA)
        # evened out, so that the photograph's own light does not fight with the scene's
        low = cv2.GaussianBlur(cv2.dilate(front, np.ones((9, 9), np.uint8)), (0, 0), width / 5).astype(np.float32)
        return np.clip(front * (np.array(body.face_colour, np.float32) / np.maximum(low, 40)), 0, 255).astype(np.uint8)

    return TileSet(f"crops-{seed}", body, fallback.style, paint, width)


def _paper(files: dict[str, list[Path]], rng: Generator) -> tuple[float, float, float]:
    every = [path for code in sorted(files) for path in files[code]]
    picture = cv2.imread(str(every[int(rng.integers(len(every)))])) if every else None
    if picture is None:
        return (235.0, 240.0, 245.0)
    bright = picture.reshape(-1, 3)[np.argsort(picture.sum(2).ravel())[-picture[..., 0].size // 3 :]]
    b, g, r = np.median(bright, 0)
    return (float(b), float(g), float(r))


@dataclass(frozen=True)
class Sources:
    """Folders of faces, for training only: ``crops/CODE/SET_*.jpg`` and ``art/NAME/png/CODE.png``; both optional."""

    crops: Path | None = None
    art: Path | None = None
    wide: bool = False  #: our own drawings in the designs and blocks of many more makers

    #: Art whose licence is unclear, or whose pictures are too small to use.
    LEFT_OUT = ("riichi_taksuyu_freeuse", "tw_akizumifox_mit")

    @classmethod
    def beside(cls, data: Path) -> Sources:
        """The ``crops`` and ``art`` folders of a data directory, where they exist."""
        crops, art = data / "crops", data / "art"
        return cls(crops if crops.is_dir() else None, art if art.is_dir() else None)

    def crop_sets(self) -> dict[str, dict[str, list[Path]]]:
        """Photographed sets: name -> code -> pictures."""
        out: dict[str, dict[str, list[Path]]] = {}
        if self.crops is None:
            return out
        for code in CODES:
            folder = self.crops / code
            for path in sorted(folder.glob("*.jpg")) if folder.is_dir() else ():
                out.setdefault(path.name.split("_")[0], {}).setdefault(code, []).append(path)
        return {name: files for name, files in sorted(out.items()) if len(files) >= 9}

    def art_folders(self) -> list[Path]:
        """Folders of PNG faces."""
        if self.art is None:
            return []
        return sorted(p / "png" for p in self.art.iterdir() if (p / "png").is_dir() and p.name not in self.LEFT_OUT)


class SetShelf:
    """Sets by number, the recently used ones kept. Deterministic: number and sources decide the set."""

    def __init__(self, sources: Sources | None = None, keep: int = 40, width: int = TEXTURE_WIDTH) -> None:
        self._keep, self._width = keep, width
        self._crops = list((sources or Sources()).crop_sets().values())
        self._art = (sources or Sources()).art_folders()
        self._wide = (sources or Sources()).wide
        self._sets: OrderedDict[int, TileSet] = OrderedDict()

    def get(self, number: int) -> TileSet:
        """The set of that number."""
        found = self._sets.get(number)
        if found is None:
            found = self._make(number)
            self._sets[number] = found
            while len(self._sets) > self._keep:
                self._sets.popitem(last=False)
        self._sets.move_to_end(number)
        return found

    def _make(self, number: int) -> TileSet:
        rng = default_rng([number, 5])
        kind = rng.random()
        if self._crops and kind < 0.4:
            return crop_set(number, self._crops[int(rng.integers(len(self._crops)))], self._width)
        if self._art and kind < 0.55:
            return art_set(number, self._art[int(rng.integers(len(self._art)))], self._width)
        if self._wide:
            looks = wider_style if number % 2 else random_style
            return drawn_set(number, width=self._width, looks=looks, tinted=_TINTED)
        return drawn_set(number, width=self._width)


def default_sources() -> Sources:
    """Face folders named by the environment variable ``TAICAM_FACES`` (a data directory), else none."""
    named = os.environ.get("TAICAM_FACES")
    return Sources.beside(Path(named)) if named else Sources()
