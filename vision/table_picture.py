"""A picture of how the table was seen: its corners, the seats' zones and every tile with its place."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.observation import UNREADABLE
from vision.reader_picture import COLOURS, draw_reading, fitting, label, legend_of, with_legend
from vision.table import SEAT_DEPTH, SEATS, TableCalibration, from_seat
from vision.table_reader import TableView

Picture = npt.NDArray[np.uint8]
_TABLE = (0, 220, 255)
_ZONE = (255, 180, 60)


def calibration_picture(image: Picture, calibration: TableCalibration) -> Picture:
    """A copy of `image` with the table's outline, corners and the seats' zones."""
    canvas = image.copy()
    calibration = calibration.scaled((image.shape[1], image.shape[0]))
    scale = max(0.5, min(2.0, max(image.shape[:2]) / 1400))
    thick = max(1, round(2 * scale))
    for seat in SEATS:
        _outline(canvas, calibration, from_seat(seat, _rectangle(0.0, 0.0, 1.0, SEAT_DEPTH)), _ZONE, max(1, thick // 2))
        middle = calibration.to_camera(from_seat(seat, np.array([[0.5, 0.25]])))[0]
        label(canvas, f"seat {seat}", (round(middle[0]), round(middle[1])), _ZONE, scale)
    _outline(canvas, calibration, _rectangle(0.0, 0.0, 1.0, 1.0), _TABLE, thick)
    for number, (x, y) in enumerate(calibration.corners):
        cv2.circle(canvas, (round(x), round(y)), 4 * thick, _TABLE, -1)
        label(canvas, str(number), (round(x) + 6 * thick, round(y) - 6 * thick), _TABLE, scale)
    return canvas


def table_picture(image: Picture, view: TableView, calibration: TableCalibration) -> Picture:
    """The same with every tile found, its place, melds and doubts, and what was decided of each seat below."""
    canvas = calibration_picture(image, calibration)
    scale = max(0.4, min(2.0, max(image.shape[:2]) / 1800))
    lines = [f"winner: {'none' if view.winner is None else f'seat {view.winner}'}"]
    for seat, reading in enumerate(view.seats):
        draw_reading(canvas, reading, scale)
        if reading.status == UNREADABLE:
            lines.append(f"seat {seat}  no open hand")
        else:
            first, *others = legend_of(reading)
            lines.extend([f"seat {seat}  {first}", *(f"        {line}" for line in others)])
    for discard in view.discards:
        _box(canvas, discard.tile.box, f"{discard.tile.code}/{discard.seat}", COLOURS["left_out"], scale)
    return with_legend(canvas, lines, scale)


def _box(
    canvas: Picture,
    box: tuple[float, float, float, float],
    text: str,
    colour: tuple[int, int, int],
    scale: float,
) -> None:
    x1, y1, x2, y2 = (round(v) for v in box)
    cv2.rectangle(canvas, (x1, y1), (x2, y2), colour, max(1, round(2 * scale)))
    label(canvas, text, (x1, max(y1 - 3, 10)), colour, fitting(text, x2 - x1, scale))


def _rectangle(a1: float, d1: float, a2: float, d2: float, steps: int = 24) -> npt.NDArray[np.float64]:
    """Points along a rectangle; many, because a lens bends its sides."""
    t = np.linspace(0, 1, steps, endpoint=False)
    corners = np.array([[a1, d1], [a2, d1], [a2, d2], [a1, d2]])
    following = np.roll(corners, -1, axis=0)
    return np.concatenate([s + (e - s) * t[:, None] for s, e in zip(corners, following, strict=True)])


def _outline(
    canvas: Picture,
    calibration: TableCalibration,
    points: npt.NDArray[np.float64],
    colour: tuple[int, int, int],
    thick: int,
) -> None:
    seen = np.round(calibration.to_camera(points)).astype(np.int32)
    cv2.polylines(canvas, [seen.reshape(-1, 1, 2)], True, colour, thick, cv2.LINE_AA)
