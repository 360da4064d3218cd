"""Training with several single-threaded workers: start them, average their weights, agree when to stop."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from vision.session import usable_cores


class Averaged:
    """Exponential moving average of a model's weights and buffers."""

    def __init__(self, model: nn.Module, decay: float, steps: int = 0) -> None:
        self.model = deepcopy(model).eval()
        self.decay, self.steps = decay, steps
        for parameter in self.model.parameters():
            parameter.requires_grad_(False)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def update(self, model: nn.Module) -> None:
        """One step towards the model's present weights."""
        self.steps += 1
        keep = min(self.decay, (1 + self.steps) / (20 + self.steps))
        for mine, its in zip(self.model.state_dict().values(), model.state_dict().values(), strict=True):
            if mine.dtype.is_floating_point:
                mine.lerp_(its.detach().to(mine.dtype), 1 - keep)
            else:
                mine.copy_(its)


@torch.no_grad()  # type: ignore[untyped-decorator]
def average_weights(model: nn.Module, processes: int) -> None:
    """Replace every worker's weights and buffers by their mean."""
    tensors = [t for t in model.state_dict().values() if t.dtype.is_floating_point]
    flat = torch.cat([t.reshape(-1) for t in tensors]).cpu()  # gloo adds up in main memory, whatever the device
    dist.all_reduce(flat)
    flat /= processes
    at = 0
    for tensor in tensors:
        tensor.copy_(flat[at : at + tensor.numel()].view_as(tensor))
        at += tensor.numel()


def agreed(stop: bool, processes: int) -> bool:
    """Whether to stop, decided by the first worker for all."""
    if processes == 1:
        return stop
    flag = torch.tensor([float(stop)])
    dist.broadcast(flag, 0)
    return bool(flag.item())


class Log:
    """Smoothed losses: every fifty steps a line in the log, and one on the error stream for whoever watches."""

    def __init__(self, path: Path) -> None:
        self.stream = path.open("a", encoding="utf-8")
        self.totals: dict[str, float] = {}
        self.count = 0

    def note(self, parts: dict[str, float], step: int, hours: float, speed: float, share: float) -> None:
        """Take in one step's losses; ``share`` of the run is done, ``speed`` in pictures a second."""
        self.count += 1
        for key, value in parts.items():
            self.totals[key] = self.totals.get(key, 0.0) * 0.98 + value * 0.02
        if self.count % 50 and self.count != 10:  # an early one, to see that it runs
            return
        norm = 1 - 0.98**self.count
        row = {"step": step, "hours": round(hours, 4), "images_s": round(speed, 2)}
        row |= {key: round(value / norm, 4) for key, value in self.totals.items()}
        self.stream.write(json.dumps(row) + "\n")
        self.stream.flush()
        losses = ", ".join(f"{key} {row[key]:.3g}" for key in self.totals)
        sys.stderr.write(f"step {step}, {min(share, 1.0):.0%} of this run, {speed:.1f} pictures/s: {losses}\n")


def hands(processes: int | None, cards: int | None = None, cores: int | None = None) -> tuple[int, int]:
    """Training processes, and the data workers of each: a GPU waits for pictures unless others make them.

    Args:
        processes: as asked for; None for one a GPU, or a single one where there is none.
        cards: GPUs; those torch finds by default.
        cores: usable ones by default.
    """
    cards = torch.cuda.device_count() if cards is None else cards
    if not cards:
        return processes or 1, 0
    count = processes or cards
    return count, max(1, (cores or usable_cores()) // count - 1)


def _run(rank: int, work: Callable[..., None], processes: int, arguments: tuple[Any, ...], port: int) -> None:
    where = f"tcp://127.0.0.1:{port}"
    dist.init_process_group("gloo", init_method=where, rank=rank, world_size=processes)
    work(rank, *arguments)
    dist.destroy_process_group()


def launch(work: Callable[..., None], processes: int, arguments: tuple[Any, ...]) -> None:
    """Run ``work(rank, *arguments)`` in so many processes (in this one when it is one) and wait for them.

    Raises:
        RuntimeError: a worker failed; its own traceback went to the error stream.
    """
    if processes == 1:
        work(0, *arguments)
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    context = torch.multiprocessing.get_context("spawn")
    jobs = [context.Process(target=_run, args=(rank, work, processes, arguments, port)) for rank in range(processes)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    if any(job.exitcode for job in jobs):
        raise RuntimeError("a training worker failed; its own message stands above")
