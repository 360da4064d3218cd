"""Training of the network for stacked tiles, and its way to ONNX."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
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

from vision.session import open_network
from vision.stack_reader import SIDE, StackReader
from vision.training.export import OPSET, ExportError, describe, write_card
from vision.training.stack_net import StackNet
from vision.training.stacks import StackPool, Stacks, stacks_of
from vision.training.workers import Averaged, Log, agreed, average_weights, launch

#: Tables for calibration are drawn from other seeds than those for training, and so are their tile sets.
_HELD_BACK, _HELD_TABLES = 1 << 34, 160
_ROUNDING = 1e-3
_SEEDS_A_RUN = 1 << 24  # of tables, and as many for each worker


@dataclass(frozen=True, slots=True)
class StackRecipe:
    """Everything that decides a run."""

    hours: float = 0.5
    batch: int = 96
    rate: float = 2e-3
    weight_decay: float = 0.03
    average: float = 0.99
    uses: int = 1  # batches before a new table is rendered
    seed: int = 1
    processes: int = 1
    meet: int = 10
    save_minutes: float = 5.0
    max_steps: int = 0


def varied(rng: Generator, stacks: Stacks) -> tuple[Tensor, Tensor, Tensor]:
    """A batch as the network takes it (crops RGB 0..1, leanings, 1 for stacked), mirrored and in other light."""
    crops = torch.from_numpy(np.ascontiguousarray(stacks.crops[..., ::-1])).permute(0, 3, 1, 2).float() / 255
    moved = torch.from_numpy(stacks.moved.copy())
    count = len(crops)
    for axis, share, dimension in ((0, 0.5, 3), (1, 0.3, 2)):
        mirrored = torch.from_numpy(rng.random(count) < share)
        crops = torch.where(mirrored[:, None, None, None], crops.flip(dimension), crops)
        moved[mirrored, axis] *= -1
    gain = torch.from_numpy(rng.normal(1, 0.2, (count, 3, 1, 1)).clip(0.5, 1.6).astype(np.float32))
    offset = torch.from_numpy(rng.normal(0, 0.08, (count, 1, 1, 1)).astype(np.float32))
    return (crops * gain + offset).clamp(0, 1), moved, torch.from_numpy(stacks.raised.astype(np.float32))


def save(path: Path, model: nn.Module, progress: Mapping[str, Any]) -> None:
    """Write averaged weights in half precision."""
    state = {k: v.half() if v.dtype.is_floating_point else v for k, v in model.state_dict().items()}
    partial = path.with_suffix(".part")
    torch.save({"weights": state, "progress": dict(progress)}, partial)
    partial.replace(path)


def load(path: Path) -> tuple[StackNet, dict[str, Any]]:
    """Network and progress of a checkpoint."""
    blob = torch.load(path, map_location="cpu", weights_only=True)
    model = StackNet()
    model.load_state_dict({k: v.float() if v.dtype.is_floating_point else v for k, v in blob["weights"].items()})
    return model, dict(blob["progress"])


def _worker(rank: int, recipe: StackRecipe, out: Path, resume: Path | None) -> None:
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(recipe.seed)
    model: Any = StackNet()
    progress: dict[str, Any] = {"steps": 0, "crops": 0, "hours": 0.0, "runs": []}
    if resume:
        model, progress = load(resume)
    model.train().to(memory_format=torch.channels_last)
    averaged = Averaged(model, recipe.average, progress["steps"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=recipe.weight_decay, fused=True)
    rng = np.random.default_rng([recipe.seed, progress["steps"], rank, 6])
    part = (len(progress["runs"]) * recipe.processes + rank) % (_HELD_BACK // _SEEDS_A_RUN)
    pool = StackPool(part * _SEEDS_A_RUN, recipe.uses)
    progress["runs"].append(asdict(recipe) | {"from_step": progress["steps"]})
    log = Log(out / "log.jsonl") if rank == 0 else None
    begin, before, first = time.monotonic(), progress["hours"], progress["steps"]
    saved = begin
    while True:
        done = progress["steps"] - first
        elapsed = time.monotonic() - begin
        share = (done + 1) / recipe.max_steps if recipe.max_steps else elapsed / (recipe.hours * 3600)
        rate = recipe.rate * min(1.0, (done + 1) / 100) * max(0.01, 0.5 + 0.5 * np.cos(np.pi * min(share, 1.0)))
        for group in optimizer.param_groups:
            group["lr"] = rate
        crops, moved, raised = varied(rng, pool.batch(rng, recipe.batch))
        scores = model(crops.to(memory_format=torch.channels_last), moved)
        loss = F.binary_cross_entropy_with_logits(scores, raised)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        progress["steps"] += 1
        progress["crops"] += len(raised) * recipe.processes
        progress["hours"] = before + (time.monotonic() - begin) / 3600
        if log is not None:
            speed = (done + 1) * recipe.batch * recipe.processes / (elapsed + 1e-9)
            right = ((scores.detach() > 0) == (raised > 0.5)).float().mean()
            log.note(
                {"loss": float(loss.detach()), "right": float(right)},
                progress["steps"],
                progress["hours"],
                speed,
                share,
            )
        if progress["steps"] % recipe.meet:
            continue
        if recipe.processes > 1:
            average_weights(model, recipe.processes)
        averaged.update(model)
        if agreed(share >= 1 or (out / "stop").exists(), recipe.processes):
            break
        if rank == 0 and time.monotonic() - saved > recipe.save_minutes * 60:
            save(out / "stacks.pt", averaged.model, progress)
            saved = time.monotonic()
    if rank == 0:
        save(out / "stacks.pt", averaged.model, progress)


def fit_stack(recipe: StackRecipe, out: Path, resume: Path | None = None) -> Path:
    """Train; returns the checkpoint ``stacks.pt`` in ``out``. A file ``stop`` there ends it early."""
    out.mkdir(parents=True, exist_ok=True)
    launch(_worker, recipe.processes, (recipe, out, resume))
    return out / "stacks.pt"


class _Export(nn.Module):  # type: ignore[misc]
    """Crops as they are cut in, BGR bytes."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = copy.deepcopy(model)
        first: Any = self.model.body[0][0]
        first.weight.data[:, :3] = first.weight.data[:, :3].flip(1)  # RGB to BGR

    def forward(self, crops: Tensor, moved: Tensor) -> Tensor:
        """``crops`` NxSIDExSIDEx3 BGR bytes, ``moved`` Nx2."""
        return torch.as_tensor(self.model(crops.permute(0, 3, 1, 2).float() / 255, moved))


def export_stack(checkpoint: Path, out: Path, tables: int = _HELD_TABLES) -> dict[str, Any]:
    """Write the network as ONNX with its JSON card; its scores are made evidence on so many tables held back.

    Raises:
        ExportError: ONNX and torch disagree by more than rounding.
    """
    model, progress = load(checkpoint)
    net = _Export(model.eval()).eval()
    out.parent.mkdir(parents=True, exist_ok=True)
    example = (torch.zeros(2, SIDE, SIDE, 3, dtype=torch.uint8), torch.zeros(2, 2))
    names = ("crops", "moved", "scores")
    torch.onnx.export(
        net,
        example,
        str(out),
        input_names=list(names[:2]),
        output_names=[names[2]],
        dynamic_axes={name: {0: "count"} for name in names},
        opset_version=OPSET,
        dynamo=False,
    )
    held = [stacks_of(_HELD_BACK + seed) for seed in range(tables)]
    whole = Stacks(*(np.concatenate([getattr(h, name) for h in held]) for name in ("crops", "moved", "raised")))
    differs = _compare(net, out, whole)
    describe(out, {"task": "taicam-stacked"})
    scores = StackReader(out).evidence(whole.crops, whole.moved)
    slope, shift, figures = evidence_of(scores, whole.raised)
    card = {
        "name": out.stem,
        "input": {"crops": f"Nx{SIDE}x{SIDE}x3, BGR bytes", "moved": "Nx2, tile widths"},
        "outputs": [names[2]],
        "training": {key: progress[key] for key in ("steps", "crops")} | {"hours": round(progress["hours"], 3)},
        "onnx_vs_torch": differs,
        "held_back": figures,
    }
    return write_card(out, card, {"slope": slope, "shift": shift})


def evidence_of(scores: NDArray[np.float32], raised: NDArray[np.bool_]) -> tuple[float, float, dict[str, float]]:
    """The slope and shift that make scores the logarithm of how many times likelier a stacked tile is, and how well
    they tell them apart."""
    x, y = torch.from_numpy(scores.astype(np.float64)), torch.from_numpy(raised.astype(np.float64))
    curve = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
    solver = torch.optim.LBFGS([curve], max_iter=100)

    def surprise() -> Tensor:
        solver.zero_grad()
        loss = F.binary_cross_entropy_with_logits(curve[0] * x + curve[1], y)
        loss.backward()
        return torch.as_tensor(loss)

    solver.step(surprise)
    slope, shift = (float(v) for v in curve.detach())
    share = float(y.mean().clamp(1e-3, 1 - 1e-3))
    logit = slope * scores + shift
    figures = {
        "tiles": len(raised),
        "stacked": int(raised.sum()),
        "surprise": round(float(surprise().detach()), 4),
        "stacked_missed": round(float((logit[raised] < 0).mean()), 4),
        "flat_taken_for_stacked": round(float((logit[~raised] > 0).mean()), 4),
    }
    return slope, shift - float(np.log(share / (1 - share))), figures


def _compare(net: nn.Module, path: Path, stacks: Stacks) -> float:
    count = min(len(stacks.raised), 256)
    crops, moved = stacks.crops[:count], stacks.moved[:count]
    (got,) = open_network(path).run(None, {"crops": crops, "moved": moved})
    with torch.no_grad():
        wanted = net(torch.from_numpy(crops), torch.from_numpy(moved)).numpy()
    worst = float(np.abs(got - wanted).max() / max(1.0, np.abs(wanted).max()))
    if worst > _ROUNDING:
        raise ExportError(f"{path} differs from the torch network by {worst:.2g}: do not ship it")
    return worst
