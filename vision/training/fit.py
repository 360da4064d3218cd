"""The training loop of the detector: timed, resumable, on whatever the machine has.

The learning rate warms up, stays, and falls to nearly nothing in the last part of the time given, so a run is planned
by the clock. A moving average of the weights is what gets checked, saved and exported.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader

from vision.training.classes import CLASSES
from vision.training.net import TileLoss, build, raw_outputs
from vision.training.stream import Mixture, Stream
from vision.training.workers import Averaged, Log, agreed, average_weights, launch


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what a run does."""

    hours: float = 1.0
    batch: int = 16
    rate: float = 1.5e-3
    decay_share: float = 0.3  # of the time, at the end, in which the rate falls
    warmup: int = 300
    weight_decay: float = 0.02
    average: float = 0.996  # of the moving average, a meeting
    body: str = "yolo11n.yaml"
    seed: int = 1
    workers: int = 0  # of data, for each training process
    processes: int = 1
    threads: int = 2
    meet: int = 10  # steps between averaging of the processes' weights
    save_minutes: float = 5.0
    max_steps: int = 0  # 0: until the time is up


@dataclass(slots=True)
class Progress:
    """How far training has come, over all runs."""

    steps: int = 0
    images: int = 0
    hours: float = 0.0
    runs: list[dict[str, Any]] = field(default_factory=list)


def save(path: Path, model: nn.Module, recipe: Recipe, progress: Progress) -> None:
    """Write a small checkpoint: averaged weights in half precision, no optimizer state."""
    state = {k: v.half() if v.dtype.is_floating_point else v for k, v in model.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    blob = {"weights": state, "classes": list(CLASSES), "body": recipe.body, "progress": asdict(progress)}
    partial = path.with_suffix(".part")
    torch.save(blob, partial)
    partial.replace(path)


def load(path: Path) -> tuple[Any, Progress]:
    """Model and progress of a checkpoint.

    Raises:
        ValueError: the checkpoint was made for another class list.
    """
    blob = torch.load(path, map_location="cpu", weights_only=True)
    if tuple(blob["classes"]) != CLASSES:
        raise ValueError(f"{path} was trained for other classes: train anew, or check out the version that made it")
    model = build(blob["body"])
    model.load_state_dict({k: v.float() if v.dtype.is_floating_point else v for k, v in blob["weights"].items()})
    return model, Progress(**blob["progress"])


def _groups(model: nn.Module, decay: float) -> list[dict[str, Any]]:
    heavy = [p for p in model.parameters() if p.ndim > 1]
    light = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": heavy, "weight_decay": decay}, {"params": light, "weight_decay": 0.0}]


class Trainer:
    """One worker of a run.

    On a CPU a run is best made of single-threaded workers that train apart and average their weights every few steps:
    threads inside one worker wait for each other at every layer, which costs half the machine when it is busy. Where
    there are GPUs, each worker has one to itself, and draws its pictures with ``workers`` processes of its own.
    ``full.pt`` (with optimizer state, outside version control) lets the very same run be taken up again.
    """

    def __init__(self, recipe: Recipe, mixture: Mixture, out: Path, resume: Path | None = None, rank: int = 0) -> None:
        torch.set_num_threads(recipe.threads)
        torch.manual_seed(recipe.seed)
        self.recipe, self.mixture, self.out, self.rank = recipe, mixture, out, rank
        cards = torch.cuda.device_count()
        self.device = torch.device("cuda", rank % cards) if cards else torch.device("cpu")  # a process a GPU
        self.progress = Progress()
        if resume is not None:
            model, self.progress = load(resume)
        else:
            model = build(recipe.body)
        self.model = model.to(self.device, memory_format=torch.channels_last).train()
        self.loss = TileLoss(self.model)
        self.optimizer = torch.optim.AdamW(
            _groups(self.model, recipe.weight_decay), lr=recipe.rate, betas=(0.9, 0.99), fused=True
        )
        self.averaged = Averaged(self.model, recipe.average, self.progress.steps)
        self.full = out / f"full-{rank}.pt"
        if resume is not None and self.full.is_file():
            blob = torch.load(self.full, map_location=self.device, weights_only=True)
            if blob["steps"] == self.progress.steps:
                self.model.load_state_dict(blob["model"])
                self.optimizer.load_state_dict(blob["optimizer"])

    def _rate(self, share: float, step: int) -> float:
        recipe = self.recipe
        rise = min(1.0, (step + 1) / max(1, recipe.warmup))
        fall = 1.0 if share < 1 - recipe.decay_share else max(0.0, (1 - share) / recipe.decay_share)
        return recipe.rate * rise * max(fall, 0.01)

    def step(self, images: Tensor, targets: Tensor) -> dict[str, float]:
        """One step of descent."""
        images = images.to(self.device, memory_format=torch.channels_last).float().div_(255)
        with torch.autocast(self.device.type, torch.bfloat16):
            outputs = raw_outputs(self.model, images)
        loss, parts = self.loss(outputs, targets.to(self.device))
        self.optimizer.zero_grad(set_to_none=True)
        (loss * 4).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 40.0, foreach=True)
        self.optimizer.step()
        return parts

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _meet(self) -> None:
        """Average the workers' weights; the moving average follows at the first worker."""
        if self.recipe.processes > 1:
            average_weights(self.model, self.recipe.processes)
        if self.rank == 0:
            self.averaged.update(self.model)

    def run(self) -> Progress:
        """Train until the time (or the number of steps) is used up; saves now and then, and at the end."""
        recipe = self.recipe
        stream = Stream(self.mixture, recipe.batch, [recipe.seed, self.progress.steps, self.rank])
        loader = DataLoader(
            stream,
            batch_size=None,
            num_workers=recipe.workers,
            prefetch_factor=6 if recipe.workers else None,
        )
        captured = self.mixture.captured
        note = asdict(self.mixture) | {"data": self.mixture.data.name, "cache": ""}
        note["captured"] = captured.name if captured else ""
        self.progress.runs.append({"recipe": asdict(recipe), "mixture": note, "from_step": self.progress.steps})
        before, begin, first = self.progress.hours, time.monotonic(), self.progress.steps
        saved = begin
        self.out.mkdir(parents=True, exist_ok=True)
        log = Log(self.out / "log.jsonl") if self.rank == 0 else None
        for images, targets in loader:
            done = self.progress.steps - first
            elapsed = time.monotonic() - begin
            share = (done + 1) / recipe.max_steps if recipe.max_steps else elapsed / (recipe.hours * 3600)
            for group in self.optimizer.param_groups:
                group["lr"] = self._rate(share, done)
            parts = self.step(images, targets)
            self.progress.steps += 1
            self.progress.images += len(images) * recipe.processes
            self.progress.hours = before + (time.monotonic() - begin) / 3600
            if log is not None:
                log.note(
                    parts,
                    self.progress.steps,
                    self.progress.hours,
                    (done + 1) * recipe.batch * recipe.processes / (elapsed + 1e-9),
                    share,
                )
            if self.progress.steps % recipe.meet:
                continue
            self._meet()
            if agreed(share >= 1 or (self.out / "stop").exists(), recipe.processes):
                break
            if time.monotonic() - saved > recipe.save_minutes * 60:
                self.save()
                saved = time.monotonic()
        self._meet()
        self.save()
        return self.progress

    def save(self) -> None:
        """Write the small checkpoint and, beside it, the full state."""
        if self.rank == 0:
            save(self.out / "detector.pt", self.averaged.model, self.recipe, self.progress)
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "steps": self.progress.steps,
        }
        torch.save(state, self.full)


def _worker(rank: int, recipe: Recipe, mixture: Mixture, out: Path, resume: Path | None) -> None:
    Trainer(recipe, mixture, out, resume, rank).run()


def fit(recipe: Recipe, mixture: Mixture, out: Path, resume: Path | None = None) -> Path:
    """Train as the recipe says and return the checkpoint written.

    Args:
        recipe: how; with ``processes`` above one, that many workers are started.
        mixture: on what.
        out: folder for the log, the checkpoint ``detector.pt`` and the full state. A file ``stop`` put there ends the
            run early and in good order.
        resume: a checkpoint to go on from.
    """
    out.mkdir(parents=True, exist_ok=True)
    launch(_worker, recipe.processes, (recipe, mixture, out, resume))
    return out / "detector.pt"
