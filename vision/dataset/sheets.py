"""Contact sheets: many labelled pictures, or many tiles of one class, on one picture, boxes and codes drawn in."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from scoring.tiles import INDEX
from vision.dataset.sample import LabelledBox

Image = npt.NDArray[np.uint8]
_BACKGROUND = (40, 40, 40)
_CAPTION = 18
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def box_colour(code: str) -> tuple[int, int, int]:
    """A colour for a class, neighbours far apart; red for what is no tile."""
    if code not in INDEX:
        return 0, 0, 255
    hue = (INDEX[code] * 47) % 180
    patch = cv2.cvtColor(np.array([[[hue, 200, 255]]], np.uint8), cv2.COLOR_HSV2BGR)
    blue, green, red = (int(v) for v in patch[0, 0])
    return blue, green, red


def draw_boxes(image_bgr: Image, boxes: Sequence[LabelledBox], scale: float = 1.0) -> Image:
    """A copy of the picture at `scale` with every box and its code."""
    height, width = image_bgr.shape[:2]
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    shown = np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    for box in boxes:
        x1, y1, x2, y2 = (round(v * scale) for v in box.box)
        colour = box_colour(box.code)
        cv2.rectangle(shown, (x1, y1), (x2, y2), colour, 1)
        text = box.code if box.read_as in (None, box.code) else f"{box.read_as}>{box.code}"
        size_text, _ = cv2.getTextSize(text, _FONT, 0.34, 1)
        top = max(0, y1 - size_text[1] - 3)
        cv2.rectangle(shown, (x1, top), (x1 + size_text[0] + 2, top + size_text[1] + 3), colour, -1)
        cv2.putText(shown, text, (x1 + 1, top + size_text[1] + 1), _FONT, 0.34, (0, 0, 0), 1, cv2.LINE_AA)
    return shown


def contact_sheet(
    pictures: Sequence[tuple[Image, Sequence[LabelledBox], str]], columns: int = 4, cell: tuple[int, int] = (320, 240)
) -> Image:
    """`(picture, boxes, caption)` in rows of `columns`, each scaled into `cell` (width, height)."""
    width, height = cell
    cells = []
    for image, boxes, caption in pictures:
        scale = min(width / image.shape[1], height / image.shape[0])
        shown = draw_boxes(image, boxes, scale)[:height, :width]
        frame = np.full((height + _CAPTION, width, 3), _BACKGROUND, np.uint8)
        left = (width - shown.shape[1]) // 2
        frame[: shown.shape[0], left : left + shown.shape[1]] = shown
        text = caption.encode("ascii", "replace").decode()
        cv2.putText(frame, text[-(width // 6) :], (3, height + 13), _FONT, 0.36, (230, 230, 230), 1, cv2.LINE_AA)
        cells.append(frame)
    return _grid(cells, columns)


def tile_sheet(tiles: Sequence[tuple[Image, str]], columns: int = 16, cell: tuple[int, int] = (56, 74)) -> Image:
    """`(tile, caption)` in rows of `columns`."""
    width, height = cell
    cells = []
    for image, caption in tiles:
        frame = np.full((height + _CAPTION, width, 3), _BACKGROUND, np.uint8)
        frame[:height] = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
        cv2.putText(frame, caption, (2, height + 13), _FONT, 0.36, (230, 230, 230), 1, cv2.LINE_AA)
        cells.append(frame)
    return _grid(cells, columns)


def _grid(cells: Sequence[Image], columns: int) -> Image:
    if not cells:
        return np.full((40, 40, 3), _BACKGROUND, np.uint8)
    columns = min(columns, len(cells))
    blank = np.full_like(cells[0], _BACKGROUND[0])
    padded = [*cells, *[blank] * (-len(cells) % columns)]
    rows = [np.hstack(padded[start : start + columns]) for start in range(0, len(padded), columns)]
    return np.asarray(np.vstack(rows), dtype=np.uint8)
