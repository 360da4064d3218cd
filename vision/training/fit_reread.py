"""Training of the re-reader: endless drawn and real crops, timed, with workers that average their weights."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  (its usual name)
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor, nn

from vision.training.classes import CLASSES
from vision.training.crops import NO_TURN, Crop, DrawnCrops, PhotoCrops, RenderedCrops, square_poses
from vision.training.drawn import drawn_faces
from vision.training.faces import FaceBank
from vision.training.material import Material
from vision.training.rendered import ScenePool
from vision.training.reread_net import RereadNet
from vision.training.workers import Averaged, Log, agreed, average_weights, launch


@dataclass(frozen=True, slots=True)
class RereadRecipe:
    """Everything that decides a run of the re-reader."""

    data: Path
    hours: float = 0.5
    batch: int = 96
    rate: float = 2e-3
    weight_decay: float = 0.03
    average: float = 0.99
    real: float = 0.4  # share of crops from photos
    rendered: float = 0.0  # share of crops from rendered scenes; needs the render extra
    drawn_sets: int = 160
    cache: Path = Path("runs/cache")
    poses: Path | None = None  # npz of poses found by the detector, by photo name
    seed: int = 1
    processes: int = 1
    meet: int = 10
    save_minutes: float = 5.0
    max_steps: int = 0
    captured: Path | None = None  # YOLO data set of the owner's own pictures
    leave_out: tuple[str, ...] = ()  # scenes kept out, to measure on

    @property
    def material(self) -> Material:
        """The real pictures."""
        return Material(self.data, self.captured, self.leave_out)


class CropStream:
    """Batches of crops without end."""

    def __init__(self, recipe: RereadRecipe, seed: list[int]) -> None:
        self.recipe = recipe
        self.rng: Generator = np.random.default_rng(seed)
        material = recipe.material
        photos = material.photos()
        bank = FaceBank()
        if material.crops is not None:
            bank.add_crops(material.crops, weight=3.0)
        if material.art is not None:
            bank.add_art(material.art)
        if recipe.drawn_sets:
            bank.add_drawn(drawn_faces(recipe.cache, recipe.drawn_sets), weight=30.0 / recipe.drawn_sets)
        self.drawn = DrawnCrops(bank, photos, recipe.seed)
        found: dict[str, NDArray[np.float32]] = {}
        if recipe.poses is not None:
            with np.load(recipe.poses) as blob:
                found = {name: blob[name] for name in blob.files}
        poses = {photo.path: found.get(photo.path.name, square_poses(photo)) for photo in photos}
        self.photos = PhotoCrops(photos, poses, material.weight)

        self.scenes = RenderedCrops(ScenePool(material, uses=6)) if recipe.rendered else None

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        rng, rendered = self.rng, self.recipe.rendered
        real = self.recipe.real if self.photos.rows else 0.0  # a few photos may all be askew: no crop without a pose
        drawn: list[Crop] = []
        scene: list[Crop] = []
        while True:
            batch: list[Crop] = []
            while len(batch) < self.recipe.batch:
                kind = rng.random()
                if kind < real:
                    batch.append(self.photos.one(rng))
                elif self.scenes is not None and kind < real + rendered:
                    scene = scene or self.scenes.group(rng)
                    batch.append(scene.pop())
                else:
                    drawn = drawn or self.drawn.group(rng)
                    batch.append(drawn.pop())
            images = np.stack([c.image[..., ::-1].transpose(2, 0, 1) for c in batch])
            labels = torch.tensor([c.label for c in batch])
            yield torch.from_numpy(np.ascontiguousarray(images)), labels, torch.tensor([c.turn for c in batch])


def reread_loss(
    outputs: tuple[Tensor, Tensor, Tensor], labels: Tensor, turns: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """Cross entropies of name and turn. Labels are not smoothed: how sure the network is tells clear tiles from blurred
    ones."""
    name = F.cross_entropy(outputs[0], labels)
    known = turns != NO_TURN
    turn = F.cross_entropy(outputs[1][known], turns[known]) if known.any() else name * 0
    right = (outputs[0].argmax(1) == labels).float().mean()
    return name + 0.4 * turn, {"name": float(name.detach()), "turn": float(turn.detach()), "right": float(right)}


def save(path: Path, model: nn.Module, progress: dict[str, Any]) -> None:
    """Write averaged weights in half precision with the class list."""
    state = {k: v.half() if v.dtype.is_floating_point else v for k, v in model.state_dict().items()}
    partial = path.with_suffix(".part")
    torch.save({"weights": state, "classes": list(CLASSES), "progress": progress}, partial)
    partial.replace(path)


def load(path: Path) -> tuple[RereadNet, dict[str, Any]]:
    """Network and progress of a checkpoint.

    Raises:
        ValueError: made for another class list.
    """
    blob = torch.load(path, map_location="cpu", weights_only=True)
    if tuple(blob["classes"]) != CLASSES:
        raise ValueError(f"{path} was trained for other classes: train anew, or check out the version that made it")
    model = RereadNet()
    model.load_state_dict({k: v.float() if v.dtype.is_floating_point else v for k, v in blob["weights"].items()})
    return model, dict(blob["progress"])


def _worker(rank: int, recipe: RereadRecipe, out: Path, resume: Path | None) -> None:
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(recipe.seed)
    model: Any = RereadNet()
    progress: dict[str, Any] = {"steps": 0, "crops": 0, "hours": 0.0, "runs": []}
    if resume:
        model, progress = load(resume)
    model.train().to(memory_format=torch.channels_last)
    averaged = Averaged(model, recipe.average, progress["steps"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=recipe.weight_decay, fused=True)
    stream = CropStream(recipe, [recipe.seed, progress["steps"], rank, 5])
    note = asdict(recipe) | {
        "data": recipe.data.name,
        "cache": "",
        "poses": bool(recipe.poses),
        "captured": recipe.captured.name if recipe.captured else "",
    }
    progress["runs"].append(note | {"from_step": progress["steps"]})
    log = Log(out / "log.jsonl") if rank == 0 else None
    begin, before, first = time.monotonic(), progress["hours"], progress["steps"]
    saved = begin
    for images, labels, turns in stream:
        done = progress["steps"] - first
        elapsed = time.monotonic() - begin
        share = (done + 1) / recipe.max_steps if recipe.max_steps else elapsed / (recipe.hours * 3600)
        rate = recipe.rate * min(1.0, (done + 1) / 100) * max(0.01, 0.5 + 0.5 * np.cos(np.pi * min(share, 1.0)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        pixels = images.to(memory_format=torch.channels_last).float().div_(255)
        with torch.autocast("cpu", torch.bfloat16):
            outputs = model(pixels)
        loss, parts = reread_loss(tuple(o.float() for o in outputs), labels, turns)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        progress["steps"] += 1
        progress["crops"] += len(labels) * recipe.processes
        progress["hours"] = before + (time.monotonic() - begin) / 3600
        if log is not None:
            speed = (done + 1) * recipe.batch * recipe.processes / (elapsed + 1e-9)
            log.note(parts, progress["steps"], progress["hours"], speed, share)
        if progress["steps"] % recipe.meet:
            continue
        if recipe.processes > 1:
            average_weights(model, recipe.processes)
        averaged.update(model)
        if agreed(share >= 1 or (out / "stop").exists(), recipe.processes):
            break
        if rank == 0 and time.monotonic() - saved > recipe.save_minutes * 60:
            save(out / "rereader.pt", averaged.model, progress)
            saved = time.monotonic()
    if rank == 0:
        save(out / "rereader.pt", averaged.model, progress)


def fit_reread(recipe: RereadRecipe, out: Path, resume: Path | None = None) -> Path:
    """Train the re-reader; returns the checkpoint ``rereader.pt`` in ``out``. A file ``stop`` there ends it early."""
    out.mkdir(parents=True, exist_ok=True)
    launch(_worker, recipe.processes, (recipe, out, resume))
    return out / "rereader.pt"
