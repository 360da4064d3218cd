"""Where the table lies in a camera's view, and every seat's part of it, turned upright at the camera's own resolution.

Table coordinates: the unit square with (0, 0) top left, x right, y down, seen from above with seat 0 at the bottom.
Seats follow the turn order, which runs counter-clockwise: 0 bottom, 1 right, 2 top, 3 left. A seat's own coordinates
are `a`, along its edge from the player's left to right, and `d`, the depth from the edge towards the centre.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.ghosts import cloth_pattern
from vision.layout_raised import lowered
from vision.observation import Box, TileObservation
from vision.table_eye import Eye, eye_of

Picture = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]

SEATS = (0, 1, 2, 3)
CENTRE = 4
#: Depth of a seat's zone, share of the table's side: hand, melds and flowers lie within.
SEAT_DEPTH = 0.31
_OUTSIDE = 0.04
_CENTRE_FROM = 0.2
#: A tile's width over the table's side, for a 90 cm table and 26 mm tiles.
TILE_SHARE = 0.029
MIN_TILE_PIXELS = 28.0
#: The root of a tile's area, in usual widths, beyond which nothing is one: large tiles are half as large again.
_LARGEST = 2.3
_MAX_ZONE = 4096
#: Nearer than this to two edges (share of the side) a tile may be either player's.
_CORNER = 0.2
#: So many touching tiles show which way their row runs, when one extent is that much the larger.
_ROW, _CLEARLY = 3, 1.5
#: A tile seen to reach so near a zone's inner edge is cut by it, pixels.
_CUT = 1.0
#: Gaps between tiles that touch, and within a set, and how far tiles are level that face each other (tile sizes).
_TOUCH, _GAPE, _LEVEL = 0.2, 0.45, 0.75


class CalibrationError(ValueError):
    """A calibration that cannot be: says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Lens:
    """Radial distortion about the picture's middle: `r_seen = r (1 + k1 r^2 + k2 r^4)`, `r` in half diagonals."""

    k1: float = 0.0
    k2: float = 0.0

    def distort(self, points: Points, size: tuple[int, int]) -> Points:
        """Where points of a perfect lens (N,2 pixels) are seen."""
        if not (self.k1 or self.k2):
            return points
        middle, half = np.array(size) / 2.0, np.hypot(*size) / 2.0
        off = (points - middle) / half
        r2 = (off**2).sum(axis=-1, keepdims=True)
        return np.asarray(middle + off * (1 + self.k1 * r2 + self.k2 * r2 * r2) * half)

    def straighten(self, points: Points, size: tuple[int, int]) -> Points:
        """The inverse of `distort`, by fixed-point iteration.

        Exact as long as the lens is well short of folding the picture over (1 + 3 k1 r2 + 5 k2 r4 > 0.15).
        """
        if not (self.k1 or self.k2):
            return points
        middle, half = np.array(size) / 2.0, np.hypot(*size) / 2.0
        seen = (points - middle) / half
        off = seen
        for _ in range(80):
            r2 = (off**2).sum(axis=-1, keepdims=True)
            off = seen / (1 + self.k1 * r2 + self.k2 * r2 * r2)
        return np.asarray(middle + off * half)


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the table as its own picture: `maps` lead from its pixels to the camera's (for `cv2.remap`); `eye` is
    where the camera is over it, in its pixels."""

    seat: int
    size: tuple[int, int]
    map_x: npt.NDArray[np.float32]
    map_y: npt.NDArray[np.float32]
    eye: Eye

    def view(self, image: Picture) -> Picture:
        """This zone of a camera picture, upright as its player sees it."""
        border = (114.0, 114.0, 114.0)
        way = cv2.INTER_CUBIC  # of small tiles sampled linearly fewer are named rightly
        seen = cv2.remap(image, self.map_x, self.map_y, way, borderMode=cv2.BORDER_CONSTANT, borderValue=border)
        return np.asarray(seen, dtype=np.uint8)

    def to_camera(self, points: Points) -> Points:
        """Pixels of the zone (N,2) as pixels of the camera picture."""
        width, height = self.size
        x = np.clip(points[:, 0], 0, width - 1).astype(np.float32)
        y = np.clip(points[:, 1], 0, height - 1).astype(np.float32)
        found = [cv2.remap(m, x[:, None], y[:, None], cv2.INTER_LINEAR)[:, 0] for m in (self.map_x, self.map_y)]
        return np.stack(found, axis=1).astype(np.float64)


@dataclass(frozen=True, slots=True)
class TableCalibration:
    """How one camera sees the table. `corners`: top left, top right, bottom right, bottom left (seat 0 at the bottom),
    pixels of a picture of `size` (width, height)."""

    camera: str
    size: tuple[int, int]
    corners: tuple[tuple[float, float], ...]
    lens: Lens = field(default_factory=Lens)
    how: str = "given"

    def __post_init__(self) -> None:
        check_corners(self.corners, self.size)

    def scaled(self, size: tuple[int, int]) -> TableCalibration:
        """The same for pictures of another size but the same shape. Raises CalibrationError for another shape."""
        if size == self.size:
            return self
        sx, sy = size[0] / self.size[0], size[1] / self.size[1]
        if abs(sx - sy) > 0.02 * sx:
            raise CalibrationError(
                f"the table was calibrated in a {self.size[0]}x{self.size[1]} picture and this one is "
                f"{size[0]}x{size[1]}: calibrate again with 'taicam calibrate'"
            )
        return replace(self, size=size, corners=tuple((x * sx, y * sy) for x, y in self.corners))

    def to_table(self, points: Points) -> Points:
        """Camera pixels (N,2) as table coordinates."""
        straight = self.lens.straighten(np.asarray(points, dtype=np.float64), self.size)
        return _project(np.asarray(np.linalg.inv(self._matrix()), dtype=np.float64), straight)

    def to_camera(self, points: Points) -> Points:
        """Table coordinates (N,2) as camera pixels."""
        return self.lens.distort(_project(self._matrix(), np.asarray(points, dtype=np.float64)), self.size)

    def _matrix(self) -> Points:
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
        straight = self.lens.straighten(np.array(self.corners, dtype=np.float64), self.size)
        return np.asarray(cv2.getPerspectiveTransform(square, straight.astype(np.float32)), dtype=np.float64)

    def zone(self, seat: int) -> Zone:
        """A seat's zone, or with `CENTRE` that of the discards."""
        low, high = _reach(seat)
        scale = self._native_scale(seat, low, high)
        width = max(8, round((high[0] - low[0]) * scale))
        height = max(8, round((high[1] - low[1]) * scale))
        a = low[0] + (np.arange(width) + 0.5) / scale
        # Row 0 lies deepest: the player's own edge is at the bottom of the zone.
        d = high[1] - (np.arange(height) + 0.5) / scale
        grid = np.stack(np.meshgrid(a, d), axis=-1).reshape(-1, 2)
        camera = self.to_camera(from_seat(seat, grid))
        maps = camera.reshape(height, width, 2).astype(np.float32)
        over = eye_of(self._matrix(), self.size)
        eye_x, eye_y = _on_zone(seat, np.array([[over.x, over.y]]), scale)[0]
        eye = Eye(float(eye_x), float(eye_y), over.height * scale)
        return Zone(seat, (width, height), np.ascontiguousarray(maps[..., 0]), np.ascontiguousarray(maps[..., 1]), eye)

    def to_zone(self, seat: int, points: Points) -> Points:
        """Camera pixels (N,2) as pixels of a zone."""
        return _on_zone(seat, self.to_table(points), self._native_scale(seat, *_reach(seat)))

    def _native_scale(self, seat: int, low: tuple[float, float], high: tuple[float, float]) -> float:
        """Zone pixels per table side, so that nothing the camera resolves is lost and tiles are large enough."""
        a = np.linspace(max(low[0], 0.0), min(high[0], 1.0), 9)
        d = np.linspace(max(low[1], 0.0), min(high[1], 1.0), 5)
        grid = np.stack(np.meshgrid(a, d), axis=-1)
        camera = self.to_camera(from_seat(seat, grid.reshape(-1, 2))).reshape(len(d), len(a), 2)
        along = np.linalg.norm(np.diff(camera, axis=1), axis=-1) / (a[1] - a[0])
        scale = max(float(np.percentile(along, 90)), MIN_TILE_PIXELS / TILE_SHARE)
        return min(scale, _MAX_ZONE / (high[0] - low[0]))

    def to_json(self) -> dict[str, Any]:
        """JSON form, as kept on disk."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TableCalibration:
        """From `to_json`. Raises CalibrationError for anything else."""
        try:
            return cls(
                str(data["camera"]),
                (int(data["size"][0]), int(data["size"][1])),
                tuple((float(x), float(y)) for x, y in data["corners"]),
                Lens(**data.get("lens", {})),
                str(data.get("how", "given")),
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, CalibrationError):
                raise
            raise CalibrationError(f"not a calibration ({error}): make one with 'taicam calibrate'") from None


def check_corners(corners: Sequence[tuple[float, float]], size: tuple[int, int]) -> None:
    """Raises CalibrationError unless `corners` are those of a table seen from above, in order."""
    if len(corners) != 4:
        raise CalibrationError(f"{len(corners)} corners are given: a table has four")
    points = np.array(corners, dtype=np.float64)
    if not np.isfinite(points).all():
        raise CalibrationError("a corner is not a number: give pixels such as 120,80")
    width, height = size
    margin = 0.6 * max(width, height)
    if (points < -margin).any() or (points > np.array([width, height]) + margin).any():
        raise CalibrationError(f"a corner lies far outside the {width}x{height} picture: give pixels of that picture")
    sides = np.roll(points, -1, axis=0) - points
    following = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    if (turns < 0).all():
        raise CalibrationError(
            "the corners run the wrong way round: give top left, top right, bottom right, bottom left"
        )
    if not (turns > 0).all():
        raise CalibrationError(
            "the corners make no four-sided table: give top left, top right, bottom right, bottom left"
        )
    area = float(cv2.contourArea(points.astype(np.float32)))
    if area < 0.02 * width * height:
        raise CalibrationError("the table covers under 2 % of the picture: move the camera closer or check the corners")


def from_seat(seat: int, points: Points) -> Points:
    """A seat's coordinates `(a, d)` as table coordinates; the centre zone is seen from seat 0."""
    a, d = points[:, 0], points[:, 1]
    x, y = {
        0: (a, 1 - d),
        1: (1 - d, 1 - a),
        2: (1 - a, d),
        3: (d, a),
        CENTRE: (a, 1 - d),
    }[seat]
    return np.stack([x, y], axis=1)


def to_seat(seat: int, points: Points) -> Points:
    """Table coordinates as a seat's `(a, d)`."""
    x, y = points[:, 0], points[:, 1]
    a, d = {
        0: (x, 1 - y),
        1: (1 - y, 1 - x),
        2: (1 - x, y),
        3: (y, x),
        CENTRE: (x, 1 - y),
    }[seat]
    return np.stack([a, d], axis=1)


def _reach(seat: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """The least and the most `(a, d)` of a zone."""
    if seat == CENTRE:
        return (_CENTRE_FROM, _CENTRE_FROM), (1 - _CENTRE_FROM, 1 - _CENTRE_FROM)
    return (-_OUTSIDE, -_OUTSIDE), (1 + _OUTSIDE, SEAT_DEPTH)


def _on_zone(seat: int, points: Points, scale: float) -> Points:
    """Table coordinates as pixels of a zone of `scale` pixels a table side."""
    (left, _), (_, deepest) = _reach(seat)
    own = to_seat(seat, points)
    return np.stack([(own[:, 0] - left) * scale - 0.5, (deepest - own[:, 1]) * scale - 0.5], axis=1)


def to_camera_box(zone: Zone, box: Box) -> Box:
    """The camera box around a box of a zone."""
    x1, y1, x2, y2 = box
    corners = np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]], dtype=np.float64)
    seen = zone.to_camera(corners)
    (left, top), (right, bottom) = seen.min(axis=0), seen.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def nearest_seat(point: Points) -> tuple[int, float]:
    """The seat whose edge a table point lies nearest to, and its depth."""
    depths = {seat: float(to_seat(seat, point.reshape(1, 2))[0, 1]) for seat in SEATS}
    seat = min(SEATS, key=lambda s: depths[s])
    return seat, depths[seat]


def places_of(tiles: Sequence[TileObservation], zone: Zone, calibration: TableCalibration) -> Points:
    """Where on the table the tiles of a zone lie: Nx2, the middles of their boxes."""
    if not tiles:
        return np.zeros((0, 2))
    return calibration.to_table(zone.to_camera(np.array([tile.center for tile in tiles], dtype=np.float64)))


def too_large(tile: TileObservation, zone: Zone, calibration: TableCalibration) -> bool:
    """Whether what was found in a zone is far larger than any tile: a console of the table, a tray."""
    x1, y1, x2, y2 = tile.box
    corners = calibration.to_table(zone.to_camera(np.array([[x1, y1], [x2, y1], [x1, y2]], dtype=np.float64)))
    across, down = np.linalg.norm(corners[1:] - corners[0], axis=1)
    return bool(across * down > (_LARGEST * TILE_SHARE) ** 2)


def owned(zone: Zone, tiles: Sequence[TileObservation], calibration: TableCalibration) -> list[TileObservation]:
    """The tiles of a seat's zone that are that seat's.

    Zones overlap at the corners of the table. What lies there belongs to the player along whose edge its row runs, or
    it stands upright for, told by the whole group of touching tiles (one of them may lie sideways); where that says
    nothing, to the nearest edge. A tile that touches nothing as seen, but would if it lay on another, goes with that.
    What a cloth's pattern was taken for is nobody's, and what the zone's inner edge cuts lies in the middle.
    """
    pattern = cloth_pattern(tiles)
    tiles = [tile for i, tile in enumerate(tiles) if i not in pattern and tile.box[1] > _CUT]
    if not tiles:
        return []
    places = places_of(tiles, zone, calibration)
    below = lowered([tile.box for tile in tiles], zone.eye)
    mine: list[TileObservation] = []
    for group in _groups([replace(tile, box=below.get(i, tile.box)) for i, tile in enumerate(tiles)]):
        if _laid_for(zone.seat, [tiles[i] for i in group], places[group]):
            mine.extend(tiles[i] for i in group)
    return mine


def _laid_for(seat: int, group: Sequence[TileObservation], places: Points) -> bool:
    """Whether a group of touching tiles is this seat's: the nearest edge's, but at a corner of the table. There a row
    lies along its player's edge, even one that stands, its faces seen from behind the player; of fewer tiles each says
    how it stands."""
    # Sides of tiles are taken for backs and blank 白, and lie across: faces alone say it where there are any.
    faces = [i for i, tile in enumerate(group) if tile.code not in ("back", "P")] or list(range(len(group)))
    group, places = [group[i] for i in faces], places[faces]
    # By the middle of all: where each voted, two might be nobody's.
    near = nearest_seat(places.mean(axis=0))[0] == seat
    second = np.sort([to_seat(s, places)[:, 1] for s in SEATS], axis=0)[1]
    if second.min() >= _CORNER:
        return near
    along, deep = np.ptp(to_seat(seat, places), axis=0)
    if len(group) >= _ROW and max(along, deep) > _CLEARLY * min(along, deep):
        return bool(along > deep)
    votes = sum(_stands(tile) for tile in group)
    return votes > 0 or (votes == 0 and near)


def _stands(tile: TileObservation) -> int:
    """1 for a tile upright in its zone, -1 for one lying sideways, 0 where neither box nor angle says."""
    width, height = tile.size
    if height > 1.12 * width:
        return 1
    if width > 1.12 * height:
        return -1
    if tile.angle is None:
        return 0
    upright = abs(float(np.cos(np.radians(tile.angle))))
    return 1 if upright > 0.87 else -1 if upright < 0.5 else 0


def _groups(tiles: Sequence[TileObservation]) -> list[list[int]]:
    """Tiles that touch, as groups of indices."""
    groups: list[list[int]] = []
    for i, tile in enumerate(tiles):
        touching = [g for g in groups if any(_touch(tile.box, tiles[k].box) for k in g)]
        groups = [g for g in groups if g not in touching]
        groups.append(sorted([i, *(k for g in touching for k in g)]))
    return groups


def _touch(a: Box, b: Box) -> bool:
    size = min(a[2] - a[0], a[3] - a[1], b[2] - b[0], b[3] - b[1])
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    # Beside or above each other, not corner to corner; level tiles of a set may gape where one lies on another.
    gap = _GAPE if max(across, down) > _LEVEL * size else _TOUCH
    return min(across, down) > -gap * size and max(across, down) > 2 * _TOUCH * size


def _project(matrix: Points, points: Points) -> Points:
    if not len(points):
        return np.zeros((0, 2))
    moved = cv2.perspectiveTransform(np.ascontiguousarray(points, dtype=np.float64).reshape(-1, 1, 2), matrix)
    return np.asarray(moved, dtype=np.float64).reshape(-1, 2)


def save_calibration(calibration: TableCalibration, folder: Path) -> Path:
    """Keep a calibration under its camera's name in `folder`; returns the file."""
    path = calibration_path(folder, calibration.camera)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(calibration.to_json(), indent=2) + "\n", encoding="utf-8")
    part.replace(path)
    return path


def load_calibration(folder: Path, camera: str) -> TableCalibration:
    """The calibration kept for a camera. Raises CalibrationError when there is none or it is damaged."""
    path = calibration_path(folder, camera)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = sorted(p.stem for p in path.parent.glob("*.json"))
        others = f" (there is one for: {', '.join(known)})" if known else ""
        raise CalibrationError(
            f"camera {camera!r} is not calibrated{others}: run 'taicam calibrate PICTURE --find --camera {camera}'"
        ) from None
    except (OSError, ValueError) as error:
        raise CalibrationError(f"{path} cannot be read ({error}): calibrate again with 'taicam calibrate'") from None
    return TableCalibration.from_json(data)


def calibration_path(folder: Path, camera: str) -> Path:
    """The file of a camera's calibration. Raises CalibrationError for a name that is no plain word."""
    if not camera or not all(c.isalnum() or c in "-_." for c in camera) or camera.startswith("."):
        raise CalibrationError(f"camera name {camera!r}: use letters, digits, '-' and '_'")
    return folder / "calibrations" / f"{camera}.json"
