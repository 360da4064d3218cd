"""The re-reader as a network: a small residual CNN over upright crops."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.rectify import CROP_HEIGHT, CROP_WIDTH
from vision.training.classes import CLASSES

LABELS = len(CLASSES) + 1  # and *unknown*, the last
EMBEDDING = 128
MIDDLE, SPREAD = 0.5, 4.0  # crops go in as (crops - MIDDLE) * SPREAD


class Block(nn.Module):  # type: ignore[misc]
    """Two convolutions beside a short cut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Residual step."""
        return torch.relu(x + self.body(x))


def down(before: int, after: int) -> nn.Sequential:
    """A convolution that halves the picture."""
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )


class RereadNet(nn.Module):  # type: ignore[misc]
    """Crops Bx3x64x48 (RGB, 0..1) -> raw scores BxLABELS, raw turn scores Bx4, embedding Bx128 of length one."""

    def __init__(self, widths: tuple[int, int, int, int] = (24, 40, 80, 128)) -> None:
        super().__init__()
        a, b, c, d = widths
        self.body = nn.Sequential(
            down(3, a), down(a, b), Block(b), down(b, c), Block(c), Block(c), down(c, d), Block(d)
        )
        self.embed = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(d * (CROP_HEIGHT // 16) * (CROP_WIDTH // 16), EMBEDDING, bias=False),
            nn.BatchNorm1d(EMBEDDING),
        )
        self.names = nn.Linear(EMBEDDING, LABELS)
        self.turns = nn.Linear(EMBEDDING, 4)

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """See the class."""
        embedding = self.embed(self.body((crops - MIDDLE) * SPREAD))
        active = torch.relu(embedding)
        length = embedding.norm(dim=1, keepdim=True).clamp(min=1e-6)
        return self.names(active), self.turns(active), embedding / length
