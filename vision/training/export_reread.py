"""The re-reader from checkpoint to ONNX, with what makes its odds honest, measured on the validation photos."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from vision.detector import Detector
from vision.metrics import iou_matrix
from vision.rectify import CROP_HEIGHT, CROP_WIDTH
from vision.rereader import Rereader
from vision.training.classes import CLASSES
from vision.training.export import OPSET, compare_outputs, describe
from vision.training.fit_reread import load
from vision.training.photos import load_photos, pixels
from vision.training.reread_net import EMBEDDING
from vision.weights import sha256_of

FEWEST = 20  # tiles that temperatures can be fitted on


class _Export(nn.Module):  # type: ignore[misc]
    """Plain pixels in; the network's three answers out."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """``crops`` Nx3x64x48 RGB 0..1."""
        names, turns, embedding = self.model(crops)
        return names, turns, embedding


def export_rereader(checkpoint: Path, out: Path, facts: dict[str, float] | None = None) -> dict[str, Any]:
    """Write the re-reader as ONNX and its JSON card without metrics.

    Args:
        checkpoint: of ``fit_reread``.
        out: the ``.onnx`` file.
        facts: ``temperature``, ``detector_temperature`` and ``weight`` of ``calibrate``; all 1 when not given.

    Raises:
        ExportError: ONNX and torch disagree by more than rounding.
    """
    model, progress = load(checkpoint)
    net = _Export(model.eval()).eval()
    out.parent.mkdir(parents=True, exist_ok=True)
    outputs = ["names", "turns", "embedding"]
    torch.onnx.export(
        net,
        (torch.rand(2, 3, CROP_HEIGHT, CROP_WIDTH),),
        str(out),
        input_names=["crops"],
        output_names=outputs,
        dynamic_axes={name: {0: "count"} for name in ["crops", *outputs]},
        opset_version=OPSET,
        dynamo=False,
    )
    known = {"temperature": 1.0, "detector_temperature": 1.0, "weight": 1.0} | (facts or {})
    text = {key: f"{value:.5g}" for key, value in known.items()}
    describe(out, {"names": json.dumps(CLASSES), "task": "taicam-rereader", **text})
    worst = compare_outputs(net, out, "crops", ((1, 3, CROP_HEIGHT, CROP_WIDTH), (5, 3, CROP_HEIGHT, CROP_WIDTH)))
    card = {
        "name": out.stem,
        "sha256": sha256_of(out),
        "bytes": out.stat().st_size,
        "names": [*CLASSES, "unknown"],
        "input": {"name": "crops", "layout": f"N3x{CROP_HEIGHT}x{CROP_WIDTH}, RGB, 0..1"},
        "outputs": outputs,
        "embedding": EMBEDDING,
        "calibration": known,
        "training": {key: progress[key] for key in ("steps", "crops")} | {"hours": round(progress["hours"], 3)},
        "onnx_vs_torch_worst_difference": worst,
    }
    out.with_suffix(".json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return card


def calibrate(detector: Detector, rereader: Rereader, data: Path, split: str = "val") -> dict[str, float]:
    """Temperatures of both networks and the weight between them that give the true names the best odds.

    Uses findings that lie on a labelled tile. Never call it with the test split.

    Raises:
        ValueError: for the test split; or fewer than 20 labelled tiles were found, too few to fit.
    """
    if split == "test":
        raise ValueError("calibration on the test split would spoil it: use val")
    log_r, log_d, labels = _collect(detector, rereader, data, split)
    if len(labels) < FEWEST:
        raise ValueError(f"{len(labels)} labelled tiles were found in the {split} photos: too few to fit")
    grid = np.exp(np.linspace(np.log(0.4), np.log(4), 60))
    t_r = float(min(grid, key=lambda t: _loss(log_r / t, labels)))
    t_d = float(min(grid, key=lambda t: _loss(log_d / t, labels)))
    a, b = _log_softmax(log_r / t_r), _log_softmax(log_d / t_d)
    weights = np.linspace(0.4, 1, 25)
    weight = float(min(weights, key=lambda w: _loss(w * a + (1 - w) * b, labels)))
    return {"temperature": t_r, "detector_temperature": t_d, "weight": weight}


Scores = NDArray[np.float64]


def _collect(
    detector: Detector, rereader: Rereader, data: Path, split: str
) -> tuple[Scores, Scores, NDArray[np.int64]]:
    mine, its, labels = [], [], []
    order = [detector.names.index(name) for name in rereader.names]
    for photo in load_photos(data, split):
        image = pixels(photo.path)
        found = detector.find(image)
        if not len(found):
            continue
        odds = rereader.odds(image, found)
        iou = iou_matrix(photo.boxes.astype(np.float64), found.boxes.astype(np.float64))
        for k, code in enumerate(photo.classes):
            best = int(iou[k].argmax())
            if iou[k, best] > 0.5:
                mine.append(np.log(np.maximum(odds[best], 1e-9)))
                its.append(found.classes[best, order])
                labels.append(rereader.names.index(CLASSES[int(code)]))
    return np.array(mine, np.float64), np.array(its, np.float64), np.array(labels)


def _log_softmax(scores: Scores) -> Scores:
    high = scores.max(axis=1, keepdims=True)
    return np.asarray(scores - high - np.log(np.exp(scores - high).sum(axis=1, keepdims=True)))


def _loss(scores: Scores, labels: NDArray[np.int64]) -> float:
    return float(-_log_softmax(scores)[np.arange(len(labels)), labels].mean())
