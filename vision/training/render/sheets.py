"""Contact sheets for the documentation: ``python -m vision.training.render.sheets tiles``."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.drawings import PRESETS, FaceStyle
from vision.drawings.faces import CODES
from vision.training.render.raster import Image, face_picture, over

_CLOTH = (78, 110, 46)
_PER_ROW = 9


def tile_sheet(style: FaceStyle, width: int, per_row: int = _PER_ROW) -> Image:
    """All 43 pictures of one style on green cloth, ``width`` pixels a tile."""
    height, gap = width * 4 // 3, max(2, width // 12)
    rows = -(-len(CODES) // per_row)
    sheet = np.full((rows * (height + gap) + gap, per_row * (width + gap) + gap, 3), _CLOTH, np.uint8)
    for i, code in enumerate(CODES):
        row, column = divmod(i, per_row)
        over(sheet, face_picture(code, style, width), gap + column * (width + gap), gap + row * (height + gap))
    return sheet


def tiles_picture() -> Image:
    """The house set large, every preset small."""
    big = tile_sheet(PRESETS["house"], 132)
    small = [tile_sheet(style, 48, 22) for style in PRESETS.values()]
    width = max(part.shape[1] for part in (big, *small))
    parts = [_widen(part, width) for part in (big, *small)]
    return np.vstack(parts)


def _widen(picture: Image, width: int) -> Image:
    out = np.full((picture.shape[0], width, 3), _CLOTH, np.uint8)
    left = (width - picture.shape[1]) // 2
    out[:, left : left + picture.shape[1]] = picture
    return out


def write_tiles(path: Path) -> None:
    """Write ``docs/pictures/tiles.png``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), tiles_picture(), [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    write_tiles(Path("docs/pictures/tiles.png"))
