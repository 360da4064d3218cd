"""The network for stacked tiles: a small residual CNN over a tile's surroundings."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.stack_reader import SIDE
from vision.training.reread_net import Block, down

#: Pixels go in as (crops - MIDDLE) * SPREAD, leanings (tile widths) times LEAN.
MIDDLE, SPREAD, LEAN = 0.5, 4.0, 4.0


class StackNet(nn.Module):  # type: ignore[misc]
    """Crops Bx3xSIDExSIDE (RGB, 0..1) and leanings Bx2 (tile widths) -> raw scores B that the tile is stacked."""

    def __init__(self, widths: tuple[int, int, int, int] = (16, 32, 48, 64)) -> None:
        super().__init__()
        a, b, c, d = widths
        self.body = nn.Sequential(down(5, a), down(a, b), Block(b), down(b, c), Block(c), down(c, d), Block(d))
        self.head = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.1), nn.Linear(d * (SIDE // 16) ** 2, 64), nn.ReLU(inplace=True), nn.Linear(64, 1)
        )

    def forward(self, crops: Tensor, moved: Tensor) -> Tensor:
        """See the class."""
        planes = (moved * LEAN)[:, :, None, None].expand(-1, -1, crops.shape[2], crops.shape[3])
        seen = torch.cat([(crops - MIDDLE) * SPREAD, planes], dim=1)
        return torch.as_tensor(self.head(self.body(seen)))[:, 0]
