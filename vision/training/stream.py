"""The endless stream of training batches: photo windows, composites and rendered scenes in a given mixture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.random import Generator
from torch.utils.data import IterableDataset

from vision.training.compose import compose
from vision.training.drawn import drawn_faces
from vision.training.faces import FaceBank
from vision.training.material import Material
from vision.training.photos import Photo, PhotoDataError, window
from vision.training.rendered import RenderedWindows
from vision.training.sample import COLUMNS, Sample

Source = Callable[[Generator, int, float], Sample]


@dataclass(frozen=True, slots=True)
class Mixture:
    """What the stream is made of. Shares need not add up to one."""

    data: Path
    photos: float = 0.42
    composites: float = 0.58
    rendered: float = 0.0
    drawn_sets: int = 0  # own drawings among the composites' faces; needs the render extra
    cache: Path = Path("runs/cache")
    size: int = 320
    tile: tuple[float, float] = (13.0, 125.0)
    splits: tuple[str, ...] = ("train",)
    captured: Path | None = None  # YOLO data set of the owner's own pictures
    leave_out: tuple[str, ...] = ()  # scenes kept out, to measure on

    @property
    def material(self) -> Material:
        """The real pictures."""
        return Material(self.data, self.captured, self.leave_out, self.splits)


class _Photos:
    def __init__(self, photos: Sequence[Photo], weight_of: Callable[[Photo], float]) -> None:
        self.photos = [p for p in photos if len(p.boxes)]
        weight = np.array([weight_of(p) for p in self.photos])
        self.chance = weight / weight.sum()

    def __call__(self, rng: Generator, size: int, tile: float) -> Sample:
        return window(rng, self.photos[rng.choice(len(self.photos), p=self.chance)], size, tile)


def sources(mixture: Mixture) -> list[tuple[float, Source]]:
    """The makers of samples with their shares."""
    material = mixture.material
    photos = material.photos()
    bank = FaceBank()
    if mixture.composites:
        if material.crops is not None:
            bank.add_crops(material.crops)
        if material.art is not None:
            bank.add_art(material.art)
        if mixture.drawn_sets:
            bank.add_drawn(drawn_faces(mixture.cache, mixture.drawn_sets), weight=25.0 / mixture.drawn_sets)
        if not len(bank):
            raise PhotoDataError(
                f"no faces for composites: put crops/ or art/ into {mixture.data}, or ask for drawn sets"
            )
    makers: list[tuple[float, Source]] = [
        (mixture.photos, _Photos(photos, material.weight)),
        (mixture.composites, lambda rng, size, tile: compose(rng, bank, photos, size, tile)),
    ]
    if mixture.rendered:
        makers.append((mixture.rendered, RenderedWindows(material)))
    return [(share, maker) for share, maker in makers if share > 0]


class Stream(IterableDataset[tuple[torch.Tensor, torch.Tensor]]):  # type: ignore[misc]
    """Batches without end: (uint8 Bx3xSxS RGB, float BxNx8 padded with class -1)."""

    def __init__(self, mixture: Mixture, batch: int, seed: Sequence[int]) -> None:
        self.mixture, self.batch, self.seed = mixture, batch, seed

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        cv2.setNumThreads(1)
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([*self.seed, worker.id if worker else 0])
        makers = sources(self.mixture)
        chance = np.array([share for share, _ in makers])
        chance /= chance.sum()
        low, high = np.log(self.mixture.tile)
        while True:
            samples = [
                makers[rng.choice(len(makers), p=chance)][1](
                    rng, self.mixture.size, float(np.exp(rng.uniform(low, high)))
                )
                for _ in range(self.batch)
            ]
            yield collate(samples)


def collate(samples: Sequence[Sample]) -> tuple[torch.Tensor, torch.Tensor]:
    """Stack samples of one size; pad their targets."""
    images = np.stack([s.image[..., ::-1].transpose(2, 0, 1) for s in samples])
    most = max(1, *(len(s.targets) for s in samples))
    targets = np.full((len(samples), most, COLUMNS), -1.0, np.float32)
    for row, sample in zip(targets, samples, strict=True):
        row[: len(sample.targets)] = sample.targets
    return torch.from_numpy(np.ascontiguousarray(images)), torch.from_numpy(targets)
