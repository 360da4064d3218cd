"""Contact sheets for the documentation: ``python -m vision.training.render.sheets`` writes both."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.drawings import PRESETS, FaceStyle
from vision.drawings.faces import CODES
from vision.training.render.raster import Image, face_picture, over
from vision.training.render.render import scenes

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


def scene_sheet(seed: int, count: int = 24, per_row: int = 6, shown: int = 320) -> Image:
    """Random scenes from our own drawings, rendered at twice the size that is shown."""
    cells = []
    for scene in scenes(seed, count, size=(2 * shown, 2 * shown)):
        cells.append(cv2.resize(scene.image, (shown, shown), interpolation=cv2.INTER_AREA))
    return np.vstack([np.hstack(cells[i : i + per_row]) for i in range(0, count, per_row)])


def write_scenes(path: Path, seed: int = 5120) -> None:
    """Write ``docs/pictures/render-24.jpg``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), scene_sheet(seed), [cv2.IMWRITE_JPEG_QUALITY, 86])


if __name__ == "__main__":
    write_tiles(Path("docs/pictures/tiles.png"))
    write_scenes(Path("docs/pictures/render-24.jpg"))
