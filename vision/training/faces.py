"""A bank of tile faces as textures: real crops, licensed art, and whatever else is handed in.

A texture is FACE_HEIGHT x FACE_WIDTH x 4 (BGRA); transparent where the tile's rounded corner is not.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training.classes import BACK, FACES, INDEX
from vision.training.render.styles import bgr, dark_block, tinted_block

FACE_WIDTH, FACE_HEIGHT = 96, 128
_WHITE = INDEX["P"]

Texture = NDArray[np.uint8]


def _rounded(radius: float) -> NDArray[np.uint8]:
    """Alpha of a rounded rectangle, drawn four times too large and averaged down."""
    big = np.zeros((FACE_HEIGHT * 4, FACE_WIDTH * 4), np.uint8)
    r = int(radius * FACE_WIDTH * 4)
    cv2.rectangle(big, (r, 0), (FACE_WIDTH * 4 - 1 - r, FACE_HEIGHT * 4 - 1), 255, -1)
    cv2.rectangle(big, (0, r), (FACE_WIDTH * 4 - 1, FACE_HEIGHT * 4 - 1 - r), 255, -1)
    for x in (r, FACE_WIDTH * 4 - 1 - r):
        for y in (r, FACE_HEIGHT * 4 - 1 - r):
            cv2.circle(big, (x, y), r, 255, -1)
    return np.asarray(cv2.resize(big, (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)


_ALPHAS = [_rounded(r) for r in (0.04, 0.07, 0.1, 0.13)]


def family_of(path: Path) -> str:
    """The set a crop comes from, by its file name (``10_r08c00`` -> ``10``)."""
    return re.sub(r"(_r\d+c\d+|_\d+)$", "", path.stem)


class FaceBank:
    """Textures by class and family; draws are by family, so that most pictures show one tile set."""

    def __init__(self) -> None:
        self._families: dict[str, dict[int, list[Texture]]] = defaultdict(lambda: defaultdict(list))
        self._weights: dict[str, float] = {}
        self._known: tuple[int, list[str], NDArray[np.float64]] | None = None

    def __len__(self) -> int:
        return sum(len(v) for faces in self._families.values() for v in faces.values())

    @property
    def families(self) -> list[str]:
        """Names of the sets in the bank."""
        return sorted(self._families)

    def add(self, family: str, code: str, image: NDArray[np.uint8], weight: float = 1.0) -> None:
        """Add one upright face: HxWx3 (opaque, with its own tile body) or HxWx4 (ink on nothing)."""
        self._families[family][INDEX[code]].append(_texture(image))
        self._weights[family] = weight

    def add_crops(self, folder: Path, weight: float = 1.0) -> None:
        """Add class folders of upright crops (``crops/1m/*.jpg``)."""
        for code in FACES:
            for path in sorted((folder / code).glob("*.jpg")):
                image = cv2.imread(os.fspath(path))
                if image is not None:
                    self.add("crop:" + family_of(path), code, np.asarray(image, np.uint8), weight)

    def add_art(self, folder: Path) -> None:
        """Add folders of drawn sets (``art/NAME/png/1m.png``)."""
        for place in sorted(folder.iterdir()):
            for code in FACES:
                path = place / "png" / f"{code}.png"
                image = cv2.imread(os.fspath(path), cv2.IMREAD_UNCHANGED) if path.is_file() else None
                if image is not None and image.ndim == 3:
                    self.add("art:" + place.name, code, np.asarray(image, np.uint8), 0.6)

    def add_drawn(self, textures: NDArray[np.uint8], weight: float) -> None:
        """Add sets of ``drawn.drawn_faces``; they stay on disk until used."""
        for number in range(len(textures)):
            family = self._families[f"drawn:{number}"]
            self._weights[f"drawn:{number}"] = weight
            for code in range(len(FACES)):
                family[code].append(textures[number, code])

    def _chances(self) -> tuple[list[str], NDArray[np.float64]]:
        """Families and their cumulative chances; those with few faces come less often."""
        if self._known is None or self._known[0] != len(self._families):
            names = self.families
            weights = np.array([self._weights[n] * min(1.0, 0.2 + len(self._families[n]) / 30) for n in names])
            total = np.cumsum(weights / weights.sum())
            total[-1] = 1.0
            self._known = (len(names), names, total)
        return self._known[1], self._known[2]

    def _holder(self, rng: Generator, code: int) -> str:
        """A family that has the face, by chance."""
        names, cumulative = self._chances()
        for _ in range(60):
            name = names[int(np.searchsorted(cumulative, rng.random()))]
            if code in self._families[name]:
                return name
        return next(name for name in names if code in self._families[name])

    def draw(
        self, rng: Generator, codes: NDArray[np.int64], size: tuple[int, int] = (FACE_WIDTH, FACE_HEIGHT)
    ) -> list[Texture]:
        """One texture for each class number, from one set where it has the face, restyled as a whole.

        ``size``: width and height of the textures, at most those of the bank's own; small ones cost less.
        """
        names, cumulative = self._chances()
        mixed = rng.random() < 0.25
        chosen = names[int(np.searchsorted(cumulative, rng.random()))]
        style = _Restyle(rng, size)
        back = np.asarray(cv2.resize(_back_texture(rng), size, interpolation=cv2.INTER_AREA), np.uint8)
        out: list[Texture] = []
        for code in codes:
            if code == BACK:
                out.append(back)
                continue
            family = chosen
            if mixed or int(code) not in self._families[chosen]:
                family = self._holder(rng, int(code))
            choices = self._families[family][int(code)]
            restyled = style.blank if code == _WHITE and style.blank_white else style
            out.append(restyled(choices[rng.integers(len(choices))]))
        return out


def _texture(image: NDArray[np.uint8]) -> Texture:
    if image.shape[2] == 4:  # ink on nothing: give it room around
        alpha = image[..., 3]
        covers = np.mean(alpha > 16) > 0.9
        margin = 0.0 if covers else 0.06
        out = np.zeros((FACE_HEIGHT, FACE_WIDTH, 4), np.uint8)
        w, h = int(FACE_WIDTH * (1 - 2 * margin)), int(FACE_HEIGHT * (1 - 2 * margin))
        x, y = (FACE_WIDTH - w) // 2, (FACE_HEIGHT - h) // 2
        small = cv2.resize(image, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)
        share = small[..., 3:] / 255
        out[..., :3] = 244
        out[y : y + h, x : x + w, :3] = (small[..., :3] * share + 244 * (1 - share)).astype(np.uint8)
        out[..., 3] = _ALPHAS[2]
        return out
    out = np.empty((FACE_HEIGHT, FACE_WIDTH, 4), np.uint8)
    out[..., :3] = cv2.resize(image, (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_AREA)
    out[..., 3] = _ALPHAS[0]
    return out


_DARK_BODY = 120
_DARK_SETS = 0.1  # share of sets shown as if cast dark, their faces filled with pale inks
_TINTED_SETS = 0.1  # share of sets shown on blocks neither dark nor pale
_BLANK_SETS = 0.3  # share of sets whose 白 is left blank, whatever the set has


def _rim(face: NDArray[np.uint8]) -> float:
    """Brightness of the block, where no ink reaches: just inside the face's edge."""
    return float(np.median(np.concatenate([face[5:8].ravel(), face[-8:-5].ravel(), face[:, 5:7].ravel()])))


class _Cast:
    """A set's faces as if its block were dark and its inks pale: the same drawings, hues kept."""

    def __init__(self, rng: Generator) -> None:
        self.block = np.array(dark_block(rng, 0.08), np.float32)
        plain = bgr(0.12, rng.uniform(0, 0.55), rng.uniform(0.8, 1))
        self.plain = np.array(plain, np.float32)  # white or gold, for black
        self.pale = float(rng.uniform(0.1, 0.8)) if rng.random() < 0.7 else 1.0  # 1: every ink is the plain one

    def __call__(self, face: NDArray[np.uint8], body: NDArray[np.float32]) -> NDArray[np.float32]:
        taken = np.clip(1 - face.astype(np.float32) / np.maximum(body, 30), 0, 1)
        cover = taken.max(axis=2, keepdims=True)
        hue = 1 - taken / np.maximum(cover, 0.05)  # what the ink itself sends back, its brightest channel 1 or black
        colourful = np.clip(hue.max(axis=2, keepdims=True) * 1.6 - 0.3, 0, 1) * (1 - self.pale)
        ink = self.plain * (1 - colourful) + (70 + 185 * hue) * colourful
        return np.asarray(self.block + (ink - self.block) * np.clip(cover * 1.3, 0, 1), np.float32)


class _Restyle:
    """One random look for a whole set: body tint, ink colour, stroke weight, wear; textures of ``size``."""

    def __init__(self, rng: Generator, size: tuple[int, int]) -> None:
        self.rng, self.size = rng, size
        self.tint = np.clip(rng.normal([0.93, 0.97, 1.0], [0.08, 0.04, 0.03]), 0.6, 1.08).astype(np.float32)
        self.block = np.array(tinted_block(rng), np.float32) if rng.random() < _TINTED_SETS else None
        self.stroke = int(rng.choice([-1, 0, 0, 0, 1]))
        self.alpha = cv2.resize(_ALPHAS[rng.integers(len(_ALPHAS))], size, interpolation=cv2.INTER_AREA)
        turn = rng.normal(0, 0.12)
        around = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / np.sqrt(3)
        fade = float(np.clip(np.exp(rng.normal(0, 0.2)), 0.45, 1.5))
        self.ink = ((np.eye(3) + turn * around) * fade).astype(np.float32)
        self.dark_ink = rng.random() < 0.08
        self.zoom = float(np.clip(rng.normal(1.0, 0.05), 0.85, 1.1))
        self.cast = _Cast(rng) if rng.random() < _DARK_SETS else None
        self.blank_white = rng.random() < _BLANK_SETS

    def blank(self, texture: Texture) -> Texture:
        """A face of the set with nothing on it, from one that has something."""
        out = self(texture)
        rim = np.concatenate([out[3:6, 8:-8, :3].reshape(-1, 3), out[-6:-3, 8:-8, :3].reshape(-1, 3)])
        out[..., :3] = np.median(rim, axis=0)
        return out

    def __call__(self, texture: Texture) -> Texture:
        face = np.ascontiguousarray(texture[..., :3])
        if self.stroke < 0:
            face = np.asarray(cv2.dilate(face, np.ones((2, 2), np.uint8)), np.uint8)
        elif self.stroke > 0:
            face = np.asarray(cv2.erode(face, np.ones((2, 2), np.uint8)), np.uint8)
        if self.zoom != 1.0:
            matrix = np.array(
                [
                    [self.zoom, 0, FACE_WIDTH / 2 * (1 - self.zoom) + self.rng.normal(0, 1)],
                    [0, self.zoom, FACE_HEIGHT / 2 * (1 - self.zoom) + self.rng.normal(0, 1)],
                ]
            )
            size = (FACE_WIDTH, FACE_HEIGHT)
            face = np.asarray(cv2.warpAffine(face, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)
        dark_body = _rim(face) < _DARK_BODY
        face = np.asarray(cv2.resize(face, self.size, interpolation=cv2.INTER_AREA), np.uint8)
        if dark_body:  # ink paler than its block: what follows takes ink for the darker one
            return np.dstack([face, self.alpha])
        body = np.percentile(face.reshape(-1, 3)[::7], 85, axis=0).astype(np.float32)
        if self.cast is not None:
            dark = self.cast(face, body) + self.rng.normal(0, 2)
            return np.dstack([np.clip(dark, 0, 255).astype(np.uint8), self.alpha])
        ink = cv2.transform(body - face.astype(np.float32), self.ink)
        if self.dark_ink:
            ink = np.repeat(ink.max(axis=2, keepdims=True), 3, axis=2)
        out = np.empty((*face.shape[:2], 4), np.uint8)
        tinted = np.clip(body, 150, 250) * self.tint
        if self.block is not None:  # what ink leaves of its light is what it leaves of the block's
            tinted, ink = self.block, ink * (self.block / np.maximum(body, 30))
        out[..., :3] = np.clip(tinted - ink + self.rng.normal(0, 2), 0, 255).astype(np.uint8)
        out[..., 3] = self.alpha
        return out


_BACKS = np.array(
    [
        *([60, 130, 30], [90, 160, 60], [150, 90, 30], [190, 130, 40], [60, 190, 235], [40, 140, 220]),
        *([40, 60, 190], [110, 60, 120], [225, 225, 225], [60, 60, 60], [170, 190, 120], [150, 200, 220]),
    ],
    np.float32,
)


def _back_texture(rng: Generator) -> Texture:
    """A tile's back: plain, marbled, or with a fine pattern."""
    base = np.clip(_BACKS[rng.integers(len(_BACKS))] + rng.normal(0, 22, 3), 10, 250)
    face = np.tile(base.astype(np.float32), (FACE_HEIGHT, FACE_WIDTH, 1))
    kind = rng.random()
    if kind < 0.35:
        coarse = rng.normal(0, 12, (8, 6)).astype(np.float32)
        face += cv2.resize(coarse, (FACE_WIDTH, FACE_HEIGHT), interpolation=cv2.INTER_CUBIC)[..., None]
    elif kind < 0.5:
        step = int(rng.integers(6, 16))
        colour = tuple(float(v) for v in np.clip(base + rng.normal(0, 60, 3), 0, 255))
        for offset in range(-FACE_HEIGHT, FACE_WIDTH, step):
            cv2.line(face, (offset, 0), (offset + FACE_HEIGHT, FACE_HEIGHT), colour, 1, cv2.LINE_AA)
            if kind < 0.43:
                cv2.line(face, (offset + FACE_HEIGHT, 0), (offset, FACE_HEIGHT), colour, 1, cv2.LINE_AA)
    out = np.empty((FACE_HEIGHT, FACE_WIDTH, 4), np.uint8)
    out[..., :3] = np.clip(face, 0, 255).astype(np.uint8)
    out[..., 3] = _ALPHAS[rng.integers(len(_ALPHAS))]
    return out
