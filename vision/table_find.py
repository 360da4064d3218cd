"""Finding the table in a picture: by printed markers on its corners, or by the edge of its cloth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from vision.table import SEATS, CalibrationError, Lens, TableCalibration, check_corners, from_seat

Picture = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]

_DICTIONARY = cv2.aruco.DICT_4X4_50
_CORNER_WORDS = ("far left", "far right", "near right", "near left")
MARKER_MM = 60.0
_PROBE = 640
_SAMPLES = 800
#: Least share of its hull that a patch of cloth fills.
_SOLID = 0.8
_ON_RIM = 0.1
#: The outline of a table lies this near to its sides (share of a side), most of it.
_ON_LINE, _FITS = 0.02, 0.96
#: Widths of rims looked for, share of the side; how far colours must differ (in LAB); and how finely.
_RIM = (0.012, 0.1)
_RIM_STEP = 6.0
_STEP = 0.002


@dataclass(frozen=True, slots=True)
class FoundTable:
    """Corners (top left, top right, bottom right, bottom left, pixels), the lens as far as it shows, and how sure."""

    corners: tuple[tuple[float, float], ...]
    lens: Lens
    how: str
    confidence: float


def find_table(image: Picture) -> FoundTable:
    """Find the table by its markers, else by its edge (HxWx3 uint8 BGR).

    Raises:
        CalibrationError: neither is seen; says what to do.
    """
    marked = find_markers(image)
    if marked is not None:
        return marked
    edged = find_edge(image)
    if edged is not None:
        return edged
    raise CalibrationError(
        "no table is seen: show all of it with little on it, lay printed markers on its corners "
        "('taicam calibrate --print-markers markers.pdf'), or give --corners"
    )


def find_markers(image: Picture) -> FoundTable | None:
    """The table by markers 0 to 3 on its corners; None when not all four are seen.

    Raises CalibrationError when the markers are seen but lie on the wrong corners.
    """
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_DICTIONARY), cv2.aruco.DetectorParameters())
    quads, ids, _ = detector.detectMarkers(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    if len(quads) < 4:
        return None
    found = {int(i): np.asarray(q, dtype=np.float64).reshape(4, 2) for i, q in zip(np.ravel(ids), quads, strict=True)}
    if any(i not in found for i in range(4)):
        return None
    middle = np.mean([found[i].mean(axis=0) for i in range(4)], axis=0)
    # The corner of the marker that lies on the table's corner is the one farthest out.
    corners = [found[i][int(np.argmax(np.linalg.norm(found[i] - middle, axis=1)))] for i in range(4)]
    as_tuple = tuple((float(x), float(y)) for x, y in corners)
    try:
        check_corners(as_tuple, (image.shape[1], image.shape[0]))
    except CalibrationError:
        raise CalibrationError(
            "markers are seen, but not clockwise from the far left: lay 0 far left, 1 far right, 2 near right, "
            "3 near left, as seen by the player at the near side"
        ) from None
    return FoundTable(as_tuple, Lens(), "markers", 0.99)


def find_edge(image: Picture) -> FoundTable | None:
    """The table by the edge of its cloth: the patch of one colour about the picture's middle, with four sides."""
    scale = min(1.0, _PROBE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    outline = _cloth_outline(np.asarray(small, dtype=np.uint8))
    if outline is None:
        return None
    quad = _four_corners(outline)
    if quad is None:
        return None
    size = (small.shape[1], small.shape[0])
    lens = _fit_lens(outline, quad, size)
    straight = lens.straighten(outline, size)
    quad = _four_corners(straight)
    corners = None if quad is None else _refined(straight, quad)
    if quad is None or corners is None:
        return None
    seen = lens.distort(corners, size) / scale
    as_tuple = tuple((float(x), float(y)) for x, y in seen)
    try:
        check_corners(as_tuple, (image.shape[1], image.shape[0]))
    except CalibrationError:
        return None
    fit = _share_on(straight, corners)
    if fit < _FITS:
        return None
    table = TableCalibration("edge", (image.shape[1], image.shape[0]), as_tuple, lens)
    inner = within_rim(image, table)
    return FoundTable(inner, lens, "edge", fit)


def _share_on(outline: Points, corners: Points) -> float:
    """The share of an outline that lies on the sides of the four-sided figure."""
    polygon = corners.astype(np.float32).reshape(-1, 1, 2)
    limit = _ON_LINE * cv2.arcLength(polygon, True) / 4
    off = [abs(cv2.pointPolygonTest(polygon, (float(x), float(y)), True)) for x, y in _dense(outline)]
    return float((np.array(off) < limit).mean())


def within_rim(image: Picture, table: TableCalibration) -> tuple[tuple[float, float], ...]:
    """The corners of a table found with its rim, moved to the rim's inner side; without a rim they stay.

    A rim shows as a band of another colour along a side, parallel to it and narrow.
    """
    moved = [_rim_of(image, table, seat) for seat in SEATS]
    a = np.array([moved[3], 1 - moved[1], 1 - moved[1], moved[3]])
    d = np.array([moved[2], moved[2], 1 - moved[0], 1 - moved[0]])
    corners = table.to_camera(np.stack([a, d], axis=1))
    return tuple((float(x), float(y)) for x, y in corners)


def _rim_of(image: Picture, table: TableCalibration, seat: int) -> float:
    """How wide the rim along a seat's side is, share of the table's side; 0 where there is none."""
    depth = np.arange(0.0, 0.16, _STEP)
    grid = np.stack(np.meshgrid(np.linspace(0.12, 0.88, 160), depth), axis=-1).reshape(-1, 2)
    at = table.to_camera(from_seat(seat, grid)).astype(np.float32).reshape(len(depth), 160, 2)
    soft = cv2.cvtColor(cv2.GaussianBlur(image, (0, 0), 1.5), cv2.COLOR_BGR2LAB)
    seen = cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    across = np.zeros(seen.shape[:2], np.float32)
    across[3:-3] = np.linalg.norm(seen[6:].astype(np.float32) - seen[:-6], axis=2)
    # A rim runs all along the side; a row of tiles never does. It may run a little askew.
    step = np.percentile(cv2.dilate(across, np.ones((5, 1), np.uint8)), 12, axis=1)
    inside = depth > _RIM[1]
    least = max(_RIM_STEP, 3.0 * float(np.median(step[inside])))
    width = 0.0
    for k in np.nonzero((depth > _RIM[0]) & (depth < _RIM[1]))[0]:
        if step[k] < least or step[k] < step[max(k - 3, 0) : k + 4].max():
            continue
        # A line drawn on the cloth has the same colour on both sides.
        band = np.median(seen[(depth > 0.25 * depth[k]) & (depth < 0.8 * depth[k])], axis=0)
        other = np.linalg.norm(band - np.median(seen[inside], axis=(0, 1)), axis=1)
        if np.percentile(other, 12) > _RIM_STEP:
            width = float(depth[k])
    return width


def _cloth_outline(image: Picture) -> Points | None:
    """The outline (N,2) of the largest patch coloured like the picture's middle."""
    soft = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), (0, 0), 2).astype(np.float32)
    height, width = soft.shape[:2]
    middle = soft[int(height * 0.3) : int(height * 0.7), int(width * 0.3) : int(width * 0.7)].reshape(-1, 3)
    colour = _commonest(middle)
    # Light falls off across a table: lightness counts less than hue.
    distance = np.linalg.norm((soft - colour) * np.array([0.35, 1.0, 1.0], dtype=np.float32), axis=2)
    levels = np.clip(distance * 4, 0, 255).astype(np.uint8)
    limit, _ = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)
    mask = (levels <= min(max(limit, 20), 60)).astype(np.uint8)
    side = max(3, round(0.03 * max(height, width)) | 1)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    largest = max(contours, key=cv2.contourArea)
    area = cv2.contourArea(largest)
    if not 0.05 * height * width < area < 0.97 * height * width:
        return None
    # Tiles along the edge bite into the patch; its hull is the table's, unless too much is missing from it.
    hull = cv2.convexHull(largest)
    if area < _SOLID * cv2.contourArea(hull):
        return None
    outline = np.asarray(hull.reshape(-1, 2), dtype=np.float64)
    on_rim = (_dense(outline) < 2.5) | (_dense(outline) > np.array([width, height]) - 3.5)
    # A side that is the picture's own edge is none of the table's.
    return None if on_rim.any(axis=1).mean() > _ON_RIM else outline


def _commonest(pixels: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The centre of the fullest cell of colour."""
    cells = (pixels / np.array([32, 10, 10], dtype=np.float32)).astype(np.int64)
    _, inverse, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(np.median(pixels[np.ravel(inverse) == int(np.argmax(counts))], axis=0), dtype=np.float32)


def _four_corners(outline: Points) -> Points | None:
    """The four-sided figure closest about a convex outline, clockwise from the top left."""
    fitted = cv2.approxPolyN(outline.astype(np.float32).reshape(-1, 1, 2), 4, None, -1.0, True)
    points = np.asarray(fitted, dtype=np.float64).reshape(-1, 2)
    return _ordered(points) if len(points) == 4 else None


def _ordered(points: Points) -> Points:
    middle = points.mean(axis=0)
    angles = np.arctan2(points[:, 1] - middle[1], points[:, 0] - middle[0])
    clockwise = points[np.argsort(angles)]
    start = int(np.argmin(clockwise.sum(axis=1)))
    return np.asarray(np.roll(clockwise, -start, axis=0))


def _side_points(outline: Points, quad: Points) -> list[Points]:
    """Points of the outline along each side of `quad`, the rounded corners left out."""
    dense = _dense(outline)
    sides = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        length = float(np.linalg.norm(end - start))
        along = (dense - start) @ (end - start) / max(length, 1e-6) ** 2
        normal = np.array([-(end - start)[1], (end - start)[0]]) / max(length, 1e-6)
        across = np.abs((dense - start) @ normal)
        sides.append(dense[(along > 0.12) & (along < 0.88) & (across < 0.08 * length)])
    return sides


def _dense(outline: Points) -> Points:
    """Points evenly along the closed outline."""
    closed = np.concatenate([outline, outline[:1]])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.linspace(0.0, along[-1], _SAMPLES, endpoint=False)
    return np.stack([np.interp(at, along, closed[:, 0]), np.interp(at, along, closed[:, 1])], axis=1)


def _line(points: Points) -> tuple[Points, Points, float] | None:
    """A line through points, by the middle of those that agree: a point, its direction, the mean distance off it."""
    if len(points) < 8:
        return None
    vx, vy, x, y = np.ravel(cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01)).astype(np.float64)
    normal = np.array([-vy, vx])
    off = np.abs((points - np.array([x, y])) @ normal)
    return np.array([x, y]), np.array([vx, vy]), float(off.mean())


def _refined(outline: Points, quad: Points) -> Points | None:
    """Where the lines along the sides meet."""
    lines = [_line(points) for points in _side_points(outline, quad)]
    corners = []
    for first, second in zip([lines[3], *lines[:3]], lines, strict=True):
        if first is None or second is None:
            return None
        matrix = np.stack([first[1], -second[1]], axis=1)
        if abs(np.linalg.det(matrix)) < 0.05:
            return None
        step = np.linalg.solve(matrix, second[0] - first[0])
        corners.append(first[0] + first[1] * step[0])
    return np.array(corners)


def _fit_lens(outline: Points, quad: Points, size: tuple[int, int]) -> Lens:
    """The distortion that makes the table's sides straight, when they clearly are not."""
    sides = _side_points(outline, quad)

    def bend(k1: float) -> float:
        lens = Lens(k1)
        lines = [_line(lens.straighten(points, size)) for points in sides if len(points) >= 8]
        return float(np.mean([line[2] for line in lines if line is not None] or [0.0]))

    plain = bend(0.0)
    best = min((float(k) for k in np.linspace(-0.45, 0.25, 29)), key=bend)
    for step in (0.0125, 0.006, 0.003):
        best = min((best - step, best, best + step), key=bend)
    # A table's sides are never perfect: only a clear gain is the lens's doing.
    return Lens(round(best, 4)) if plain > 0.35 and bend(best) < 0.6 * plain else Lens()


def print_markers(path: Path, millimetres: float = MARKER_MM) -> None:
    """Write a sheet (A4) with the four markers to cut out, as PDF or PNG by the name's ending.

    Raises CalibrationError for another ending or a size that does not fit.
    """
    if path.suffix.lower() not in {".pdf", ".png"}:
        raise CalibrationError(f"{path.name}: end the name in .pdf or .png")
    if not 20 <= millimetres <= 85:
        raise CalibrationError(f"markers of {millimetres:g} mm: 20 to 85 mm fit the sheet")
    dots = 300 / 25.4
    page = Image.new("L", (round(210 * dots), round(297 * dots)), 255)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size=round(4.2 * dots))
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    side = round(millimetres * dots)
    for number, word in enumerate(_CORNER_WORDS):
        column, row = (0, 1, 1, 0)[number], (0, 0, 1, 1)[number]
        left = round((105 * column + 52.5) * dots) - side // 2
        top = round((125 * row + 68) * dots) - side // 2
        marker = cv2.aruco.generateImageMarker(dictionary, number, side)
        page.paste(Image.fromarray(marker), (left, top))
        # A marker is only seen with white around it: cut along the grey line.
        quiet = round(5 * dots)
        draw.rectangle((left - quiet, top - quiet, left + side + quiet, top + side + quiet), outline=170, width=3)
        draw.text((left, top + side + quiet + round(2 * dots)), f"{number}  {word}", fill=0, font=font)
    draw.text(
        (round(15 * dots), round(275 * dots)),
        "Cut out along the grey lines; lay each on its corner of the table, as seen from the near side.",
        fill=90,
        font=ImageFont.load_default(size=round(3.2 * dots)),
    )
    page.save(path, resolution=300)


def corners_from_text(text: str) -> tuple[tuple[float, float], ...]:
    """Four corners from `x,y x,y x,y x,y`. Raises CalibrationError for anything else."""
    words: Sequence[str] = text.replace(";", " ").split()
    try:
        corners = tuple((float(w.split(",")[0]), float(w.split(",")[1])) for w in words)
    except (ValueError, IndexError):
        corners = ()
    if len(corners) != 4 or any(w.count(",") != 1 for w in words):
        raise CalibrationError(
            f"--corners {text!r}: give four as 'x,y x,y x,y x,y' in pixels, in the order top left, top right, "
            "bottom right, bottom left"
        )
    return corners
