"""A picture of everything a reading decided, for people who want to know why."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.observation import TableReading

Picture = npt.NDArray[np.uint8]

COLOURS = {
    "concealed": (90, 190, 60),
    "winning": (0, 215, 255),
    "meld": (230, 140, 40),
    "flower": (200, 80, 220),
    "left_out": (130, 130, 130),
}
_DOUBT = (40, 40, 240)


def debug_picture(image: Picture, reading: TableReading) -> Picture:
    """A copy of `image` with every tile's box, code, place and doubt drawn in, and a legend below."""
    canvas = image.copy()
    scale = max(0.45, min(2.0, max(image.shape[:2]) / 1400))
    draw_reading(canvas, reading, scale)
    return with_legend(canvas, legend_of(reading), scale)


def draw_reading(canvas: Picture, reading: TableReading, scale: float) -> None:
    """Draw a reading's tiles, melds and doubts into a picture."""
    thick = max(1, round(2 * scale))
    doubtful = {doubt.tile_index for doubt in reading.doubts}
    for index, tile in enumerate(reading.tiles):
        role = reading.roles[index] if index < len(reading.roles) else "left_out"
        x1, y1, x2, y2 = (round(v) for v in tile.box)
        colour = COLOURS[role]
        cv2.rectangle(canvas, (x1, y1), (x2, y2), colour, thick)
        if index in doubtful:
            cv2.rectangle(canvas, (x1 - 2 * thick, y1 - 2 * thick), (x2 + 2 * thick, y2 + 2 * thick), _DOUBT, thick)
        label(canvas, tile.code, (x1, max(y1 - 3 * thick, 12)), colour, fitting(tile.code, x2 - x1, scale))
    for number, meld in enumerate(reading.melds):
        boxes = [reading.tiles[i].box for i in meld.indices]
        if boxes:
            left, bottom = round(min(b[0] for b in boxes)), round(max(b[3] for b in boxes))
            label(canvas, f"{number + 1} {meld.kind}", (left, bottom + round(18 * scale)), COLOURS["meld"], scale)


def fitting(text: str, width: float, scale: float) -> float:
    """The scale, at most `scale`, at which `text` is hardly wider than a tile of `width` pixels: names stay apart."""
    wide = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.6, 1)[0][0]
    return max(0.4, min(scale, 1.15 * width / max(wide, 1)))


def label(canvas: Picture, text: str, at: tuple[int, int], colour: tuple[int, int, int], scale: float) -> None:
    """Write `text` with its lower left at `at`, dark-rimmed so that it shows on anything."""
    font, size, thick = cv2.FONT_HERSHEY_SIMPLEX, 0.6 * scale, max(1, round(1.5 * scale))
    # The rim is the same letters shifted: thicker ones would be wider too.
    for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        cv2.putText(canvas, text, (at[0] + dx, at[1] + dy), font, size, (0, 0, 0), thick, cv2.LINE_AA)
    cv2.putText(canvas, text, at, font, size, colour, thick, cv2.LINE_AA)


def legend_of(reading: TableReading) -> list[str]:
    """What a reading decided, in lines."""
    return [
        f"{reading.status}  p={reading.probability:.4f}  wins={reading.wins}  rotation={reading.rotation or 0:.0f}",
        f"winning tile {reading.win_tile} ({reading.win_tile_confidence:.2f})",
        *(f"? {doubt.message_en}" for doubt in reading.doubts[:6]),
        *(f"! {note.message_en}" for note in reading.quality[:4]),
    ]


def with_legend(canvas: Picture, lines: Sequence[str], scale: float) -> Picture:
    """The picture with lines of text below."""
    step = round(26 * scale)
    legend = np.full((step * (len(lines) + 1), canvas.shape[1], 3), 30, np.uint8)
    for number, line in enumerate(lines):
        label(legend, line, (8, step * (number + 1)), (240, 240, 240), scale)
    return np.concatenate([canvas, legend], axis=0)
