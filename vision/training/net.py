"""The tile detector as a network: a YOLO nano body with four questions per place, and their losses.

Each anchor answers: *is a tile here* (one score), *where are its edges* (box), *which face* (43 raw scores), *how does
it lie* (three numbers, see ``sample.pose_of``). Finding is trained apart from naming: the assignment of anchors to
tiles looks at the tile score and the box alone, so a tile whose face the network cannot name yet is still found, and a
face never seen before does not make the tile disappear.
"""

from __future__ import annotations

from vision.training import quiet  # (first: it keeps ultralytics from phoning home)

# isort: split

import math
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812  (its usual name)
from torch import Tensor, nn
from ultralytics.cfg import get_cfg
from ultralytics.nn.tasks import DetectionModel, yaml_model_load
from ultralytics.utils.loss import BboxLoss
from ultralytics.utils.tal import TaskAlignedAssigner, dist2bbox, make_anchors

from vision.training.classes import CLASSES

quiet.give_pillow_back()

NAMES = len(CLASSES)
TILE = NAMES  # channel of the tile score
POSE = slice(NAMES + 1, NAMES + 4)
CHANNELS = NAMES + 4
GAINS = {"box": 7.5, "dfl": 1.5, "tile": 0.6, "name": 0.7, "pose": 1.5}


def build(body: str = "yolo11n.yaml") -> DetectionModel:
    """A fresh network with random weights: backbone and neck of an Ultralytics model, under a head of our own kind."""
    plan = yaml_model_load(body) | {"end2end": False, "reg_max": 16}
    model: Any = DetectionModel(plan, nc=CHANNELS, verbose=False)
    model.args = get_cfg()
    for stride, branch in zip(model.stride.tolist(), model.model[-1].cv3, strict=True):
        bias = branch[-1].bias.data
        bias[:] = 0.0
        bias[TILE] = math.log(8 / (640 / stride) ** 2)
    return model


def raw_outputs(model: Any, images: Tensor) -> dict[str, Any]:
    """Training outputs whatever mode the model is in: ``boxes`` (B,64,A), ``scores`` (B,CHANNELS,A), ``feats``."""
    out = model(images)
    out = out[1] if isinstance(out, tuple) else out
    return dict(out.get("one2many", out))


class TileLoss:
    """Losses of the four questions. Call with raw outputs and padded targets."""

    def __init__(self, model: Any) -> None:
        head = model.model[-1]
        self.stride: Tensor = head.stride
        self.reg_max: int = head.reg_max
        self.assigner = TaskAlignedAssigner(topk=10, num_classes=1, alpha=0.5, beta=6.0, stride=self.stride.tolist())
        self.box_loss = BboxLoss(self.reg_max)
        self.bins = torch.arange(self.reg_max, dtype=torch.float32)

    def __call__(self, outputs: dict[str, Any], targets: Tensor) -> tuple[Tensor, dict[str, float]]:
        """Loss per picture and its parts.

        Args:
            outputs: of ``raw_outputs``.
            targets: BxNx8 float, rows as ``Sample.targets``; rows of padding have class -1.
        """
        distances = outputs["boxes"].float().permute(0, 2, 1).contiguous()
        scores = outputs["scores"].float().permute(0, 2, 1).contiguous()
        device = scores.device
        anchors, strides = make_anchors(outputs["feats"], self.stride.to(device), 0.5)
        anchors, strides = anchors.float(), strides.float()
        bins = self.bins.to(device)
        batch, count, _ = distances.shape
        spread = distances.view(batch, count, 4, self.reg_max).softmax(3) @ bins
        boxes = dist2bbox(spread, anchors, xywh=False)
        real = (targets[..., :1] >= 0).float()
        truth = targets[..., 1:5] * real
        tile = scores[..., TILE]
        with torch.no_grad():
            _, want_boxes, want_scores, found, which = self.assigner(
                tile.detach().sigmoid().unsqueeze(-1),
                boxes.detach() * strides,
                anchors * strides,
                torch.zeros_like(real),
                truth,
                real,
            )
        total = want_scores.sum().clamp(min=1)
        parts = {"tile": F.binary_cross_entropy_with_logits(tile, want_scores[..., 0], reduction="sum") / total}
        size = torch.tensor(outputs["feats"][0].shape[2:], device=device) * self.stride[0]
        parts["box"], parts["dfl"] = self.box_loss(
            distances, boxes, anchors, want_boxes / strides, want_scores, total, found, size, strides
        )
        rows = torch.gather(targets, 1, which.unsqueeze(-1).expand(-1, -1, targets.shape[-1]))[found]
        parts["name"], parts["pose"] = self._name_and_pose(scores[found], rows, want_scores[..., 0][found])
        loss = torch.stack([GAINS[key] * value for key, value in parts.items()]).sum()
        return loss, {key: float(value.detach()) for key, value in parts.items()}

    @staticmethod
    def _name_and_pose(scores: Tensor, rows: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        if not len(rows):
            zero = scores.sum() * 0.0
            return zero, zero
        span = torch.sqrt(((rows[:, 3] - rows[:, 1]) * (rows[:, 4] - rows[:, 2])).clamp(min=1))
        legible = weight * ((span - 12) / 16).clamp(0.1, 1)  # nobody can name a tile ten pixels wide
        cross = F.cross_entropy(scores[:, :NAMES], rows[:, 0].long(), reduction="none", label_smoothing=0.02)
        name = (cross * legible).sum() / legible.sum().clamp(min=1)
        known = ~torch.isnan(rows[:, 5])
        if not known.any():
            return name, scores.sum() * 0.0
        off = F.smooth_l1_loss(scores[known, POSE], rows[known, 5:8], reduction="none", beta=0.1).mean(1)
        pose = (off * weight[known]).sum() / weight[known].sum().clamp(min=1)
        return name, pose


class ExportNet(nn.Module):  # type: ignore[misc]
    """What goes into the ONNX file: boxes in pixels, tile probability, raw class scores, pose."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        head = model.model[-1]
        self.reg_max: int = head.reg_max
        self.register_buffer("bins", torch.arange(self.reg_max, dtype=torch.float32))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """``images`` Bx3xHxW in 0..1, RGB -> boxes BxAx4 (x1, y1, x2, y2), tile BxA, classes BxAx43, pose BxAx3."""
        outputs = raw_outputs(self.model, images)
        distances, scores = outputs["boxes"].permute(0, 2, 1), outputs["scores"].permute(0, 2, 1)
        anchors, strides = make_anchors(outputs["feats"], self.model.model[-1].stride, 0.5)
        spread = distances.unflatten(2, (4, self.reg_max)).softmax(3) @ self.bins
        boxes = dist2bbox(spread, anchors, xywh=False) * strides
        return boxes, scores[..., TILE].sigmoid(), scores[..., :NAMES], scores[..., POSE]
