"""The folder of captured samples and what is known of each without opening it; which to drop when room runs out.

A sample is `<number>.jpg` (or png) and `<number>.json`. The number only grows, so that the order of capture survives a
machine without a clock.
"""

from __future__ import annotations

import contextlib
import datetime
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.dataset.phash import distances, to_bits
from vision.dataset.sample import Sample, SidecarError, read_sidecar

#: How much a sample is worth keeping, by the reason it was kept for.
USEFULNESS = {"corrected": 5.0, "enrolment": 5.0, "button": 4.0, "doubtful": 3.0, "confirmed": 2.0, "imported": 2.0}
_LEAST = 1.0
_RARE = 5
_BEING_WRITTEN_S = 60.0  # a half older than this is nobody's any more
_PICTURES = (".jpg", ".png")


@dataclass(frozen=True, slots=True)
class Row:
    """One sample on the shelf. `bytes` counts picture and sidecar."""

    id: str
    picture: Path
    sidecar: Path
    bytes: int
    reason: str
    state: str
    captured_at: str
    codes: tuple[str, ...]
    phash: str
    corrected: bool
    hand_id: str | None = None

    @classmethod
    def of(cls, sample: Sample, picture: Path, sidecar: Path) -> Row:
        """The row of a sample whose files are written. Raises OSError when they are gone."""
        return cls(
            id=picture.stem,
            picture=picture,
            sidecar=sidecar,
            bytes=picture.stat().st_size + sidecar.stat().st_size,
            reason=sample.reason,
            state=sample.state,
            captured_at=sample.captured_at or "",
            codes=tuple(sorted(box.code for box in sample.boxes)),
            phash=sample.phash or "",
            corrected=bool(sample.corrections),
            hand_id=sample.hand_id,
        )


class Shelf:
    """The rows, by id. Not thread-safe: its owner holds a lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: dict[str, Row] = {}
        self.damaged: list[str] = []
        self._next = 1

    def load(self) -> None:
        """Read every sidecar; halves of samples (a crash between two writes) are removed, unless another program may be
        writing them just now. Raises OSError.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rows.clear()
        self.damaged.clear()
        for leftover in self.folder.glob(".*.part"):
            _unlink_old(leftover)
        for picture in sorted(p for p in self.folder.iterdir() if p.suffix in _PICTURES):
            if picture.stem.isdigit():
                self._next = max(self._next, int(picture.stem) + 1)
            sidecar = picture.with_suffix(".json")
            if not sidecar.is_file():
                _unlink_old(picture)
                continue
            try:
                self.put(Row.of(read_sidecar(sidecar), picture, sidecar))
            except (SidecarError, OSError) as error:
                self.damaged.append(str(error))

    def new_id(self) -> str:
        """The next free number."""
        number = self._next
        self._next += 1
        return f"{number:08d}"

    def put(self, row: Row) -> None:
        """Add or replace a row."""
        self.rows[row.id] = row

    def remove(self, row: Row) -> None:
        """Delete a sample; a picture left without its sidecar by a crash is cleared at the next load."""
        row.sidecar.unlink(missing_ok=True)
        row.picture.unlink(missing_ok=True)
        self.rows.pop(row.id, None)

    @property
    def bytes(self) -> int:
        """Size of everything, in bytes."""
        return sum(row.bytes for row in self.rows.values())

    def twin(self, phash: str, codes: Sequence[str], limit: int) -> Row | None:
        """A sample of the same tiles that looks the same."""
        wanted = tuple(sorted(codes))
        alike = [row for row in self.rows.values() if row.codes == wanted and len(row.phash) == len(phash)]
        if not alike:
            return None
        found = distances(to_bits([phash])[0], to_bits([row.phash for row in alike]))
        best = int(np.argmin(found))
        return alike[best] if found[best] <= limit else None

    def of_hand(self, hand_id: str | None) -> Row | None:
        """The sample of a recorded hand."""
        return next((row for row in self.rows.values() if hand_id and row.hand_id == hand_id), None)

    def usefulness(self, row: Row, seen: Counter[str] | None = None) -> float:
        """What a sample is worth; more when it shows a tile that few samples show, nothing when discarded in review."""
        if row.state == "discarded":
            return 0.0
        value = USEFULNESS.get(row.reason, _LEAST) + (1.0 if row.corrected else 0.0)
        rare = seen is not None and any(seen[code] <= _RARE for code in row.codes)
        return value + (1.0 if rare else 0.0)

    def least_useful(self) -> Iterator[Row]:
        """Every row, the first to go first: by usefulness, then by age. Fixed at the moment of the call."""
        seen: Counter[str] = Counter()
        for row in self.rows.values():
            seen.update(set(row.codes))
        return iter(sorted(self.rows.values(), key=lambda row: (self.usefulness(row, seen), row.id)))

    def older_than(self, days: int, now: datetime.datetime) -> list[Row]:
        """The rows captured more than `days` before `now`; those without a readable time are not among them."""
        limit = (now - datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        return [row for row in self.rows.values() if row.captured_at[:1].isdigit() and row.captured_at < limit]


def _unlink_old(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if abs(time.time() - path.stat().st_mtime) > _BEING_WRITTEN_S:
            path.unlink()
