"""Several frames into one reading: tiles matched by place, their odds added up, offered once when nothing moves.

A frame in which something moves or a person's hand covers tiles does not count. A hand that was recorded is not
offered again until the table has changed.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.observation import UNREADABLE, Box, TableReading, TileObservation

Picture = npt.NDArray[np.uint8]

_FLOOR = 1e-4
_SAME_PLACE = 0.45
_PROBE = 160
#: So many tiles that were not in the recorded hand make it another one (misreadings are fewer).
_OTHER_TILES = 4


@dataclass(frozen=True, slots=True)
class VotingSettings:
    """A reading is offered after `frames` quiet frames or `seconds` of them, whichever is later reached first, over
    the last `window` frames. `there`: a tile must be there with this probability over all of them. `motion`: mean
    change of brightness (0-255) among the fiftieth of the picture that changed most, above which a frame is not quiet.
    `independence`: how much one more frame tells (frames of a still scene repeat each other's mistakes: 1 would be
    fully new)."""

    frames: int = 5
    seconds: float = 0.4
    window: int = 9
    there: float = 0.25
    motion: float = 8.0
    independence: float = 0.35
    least_frames: int = 2


class MotionGate:
    """Tells whether a picture moves against the one before, whole or in part."""

    def __init__(self, limit: float = 8.0) -> None:
        self._limit = limit
        self._last: npt.NDArray[np.float32] | None = None

    def quiet(self, image: Picture) -> bool:
        """Whether `image` (HxWx3 uint8 BGR) looks like the one before; the first one does not."""
        scale = _PROBE / max(image.shape[:2])
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        now = cv2.GaussianBlur(small, (0, 0), 1.2).astype(np.float32)
        # A lamp's flicker changes everything alike and is no motion.
        now -= float(np.median(now))
        before, self._last = self._last, now
        if before is None or before.shape != now.shape:
            return False
        change = np.abs(now - before)
        return float(change[change >= np.percentile(change, 98)].mean()) < self._limit


@dataclass(slots=True)
class _Track:
    """One tile over the frames: its boxes and summed log odds."""

    boxes: list[Box]
    logs: dict[str, float]
    present: list[float]
    angles: list[float]
    stacked: list[float]
    unseen: float = 0.0

    @property
    def box(self) -> Box:
        """The middle box."""
        x1, y1, x2, y2 = np.median(np.array(self.boxes), axis=0)
        return float(x1), float(y1), float(x2), float(y2)


def fuse(frames: Sequence[Sequence[TileObservation]], settings: VotingSettings | None = None) -> list[TileObservation]:
    """One observation a tile over several frames of the same scene.

    Odds multiply (as logs, tempered by `independence`), boxes are medians. A tile is there with the mean of its
    probabilities in all frames, those that do not show it included: one missed in most is a doubtful tile, not none.
    """
    settings = settings or VotingSettings()
    tracks: list[_Track] = []
    for tiles in frames:
        _match(tracks, tiles)
    there = [sum(track.present) / max(len(frames), 1) for track in tracks]
    return [_fused(track, p, settings) for track, p in zip(tracks, there, strict=True) if p > settings.there]


def _match(tracks: list[_Track], tiles: Sequence[TileObservation]) -> None:
    free = set(range(len(tracks)))
    pairs = sorted((_apart(tracks[k].box, tile.box), k, n) for n, tile in enumerate(tiles) for k in free)
    taken: set[int] = set()
    for distance, k, n in pairs:
        if distance > _SAME_PLACE:
            break
        if k in free and n not in taken:
            free.discard(k)
            taken.add(n)
            _add(tracks[k], tiles[n])
    for n, tile in enumerate(tiles):
        if n not in taken:
            tracks.append(_Track([], {}, [], [], []))
            _add(tracks[-1], tile)


def _apart(a: Box, b: Box) -> float:
    """Distance of the middles in sizes of the smaller box; far when the sizes differ much."""
    ax, ay, bx, by = (a[0] + a[2]) / 2, (a[1] + a[3]) / 2, (b[0] + b[2]) / 2, (b[1] + b[3]) / 2
    size_a, size_b = math.sqrt(_area(a)), math.sqrt(_area(b))
    small, large = sorted((max(size_a, 1e-6), max(size_b, 1e-6)))
    return math.hypot(ax - bx, ay - by) / small + (1.0 if large > 1.6 * small else 0.0)


def _area(box: Box) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def _add(track: _Track, tile: TileObservation) -> None:
    odds = dict(tile.alternatives) or {tile.code: tile.confidence}
    # A code not listed is not impossible; it counts as the floor, in this frame and all before.
    for code in odds.keys() - track.logs.keys():
        track.logs[code] = track.unseen
    for code in track.logs:
        track.logs[code] += math.log(max(odds.get(code, 0.0), _FLOOR))
    track.unseen += math.log(_FLOOR)
    track.boxes.append(tile.box)
    track.present.append(tile.presence)
    if tile.angle is not None:
        track.angles.append(tile.angle)
    if tile.stacked is not None:
        track.stacked.append(tile.stacked)


def _fused(track: _Track, there: float, settings: VotingSettings) -> TileObservation:
    count = len(track.boxes)
    # n frames weigh as 1 + (n - 1) * independence frames would.
    power = (1 + (count - 1) * settings.independence) / count
    top = max(track.logs.values())
    weights = {code: math.exp((value - top) * power) for code, value in track.logs.items()}
    total = sum(weights.values())
    ranked = tuple(sorted(((c, w / total) for c, w in weights.items()), key=lambda item: (-item[1], item[0])))
    angle = None
    if track.angles:
        radians = np.radians(track.angles)
        angle = float(np.degrees(np.arctan2(np.sin(radians).sum(), np.cos(radians).sum())) % 360.0)
    # Looks from one place repeat each other's mistakes: several say as much as one.
    stacked = float(np.mean(track.stacked)) if track.stacked else None
    code, sure = ranked[0]
    return TileObservation(code, track.box, there * sure, ranked[:8], angle, stacked)


@dataclass(slots=True)
class Voter:
    """Gathers frames and offers a reading once it is stable.

    `read` turns fused observations and the newest picture into a reading (`HandReader.read_tiles`). Only whole hands
    are offered, and each once; one that was `recorded` is not offered again, in whole or in part, until other tiles
    have been seen.
    """

    read: Callable[[Picture, Sequence[TileObservation]], TableReading]
    settings: VotingSettings = field(default_factory=VotingSettings)
    _frames: deque[tuple[float, tuple[TileObservation, ...]]] = field(default_factory=deque)
    _gate: MotionGate = field(default_factory=MotionGate)
    _recorded: Counter[str] | None = None
    _offered: tuple[object, ...] | None = None

    def __post_init__(self) -> None:
        self._gate = MotionGate(self.settings.motion)

    def quiet(self, image: Picture) -> bool:
        """Whether a frame is worth looking at. One that moves starts the count anew; show every frame, in order."""
        if self._gate.quiet(image):
            return True
        self._frames.clear()
        return False

    def add(self, image: Picture, tiles: Sequence[TileObservation], now_s: float) -> TableReading | None:
        """Take one quiet frame at `now_s` (monotonic seconds). Returns a reading that has become stable, once."""
        if self._jumped(tiles):
            self._frames.clear()
        self._frames.append((now_s, tuple(tiles)))
        while len(self._frames) > self.settings.window:
            self._frames.popleft()
        if not self._stable(now_s):
            return None
        return self._once(self.read(image, fuse([frame for _, frame in self._frames], self.settings)))

    def _jumped(self, tiles: Sequence[TileObservation]) -> bool:
        """Whether more tiles came, went or moved than detection slips explain."""
        if not self._frames:
            return False
        before = self._frames[-1][1]
        tracks: list[_Track] = []
        _match(tracks, before)
        _match(tracks, tiles)
        apart = 2 * len(tracks) - len(before) - len(tiles)
        return apart > max(2, 0.15 * max(len(before), len(tiles)))

    def _stable(self, now_s: float) -> bool:
        count = len(self._frames)
        if count < self.settings.least_frames:
            return False
        return count >= self.settings.frames or now_s - self._frames[0][0] >= self.settings.seconds

    def _once(self, reading: TableReading) -> TableReading | None:
        seen = Counter(tile.code for tile in reading.tiles if tile.code != "back")
        if self._recorded is not None and (seen - self._recorded).total() >= _OTHER_TILES:
            self._recorded = self._offered = None
        whole = reading.status != UNREADABLE and reading.wins is not None
        key = signature(reading)
        if not whole or self._recorded is not None or key == self._offered:
            return None
        self._offered = key
        return reading

    def recorded(self, reading: TableReading) -> None:
        """The hand of `reading` was recorded: do not offer it again until the table changed."""
        self._recorded = Counter(tile.code for tile in reading.tiles) | Counter(reading.concealed)

    def reset(self) -> None:
        """Forget everything."""
        self._frames.clear()
        self._gate = MotionGate(self.settings.motion)
        self._recorded = self._offered = None


def signature(reading: TableReading) -> tuple[object, ...]:
    """What makes two readings the same hand: its tiles by their place, wherever they lie, and the winning one."""
    melds = tuple(sorted((m.kind, tuple(sorted(m.tiles))) for m in reading.melds))
    return tuple(sorted(reading.concealed)), melds, tuple(sorted(reading.flowers)), reading.win_tile
