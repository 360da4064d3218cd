"""The captured samples on disk: keeping new ones within the caps, looking through them, reviewing, forgetting.

Every method may be called from any thread, with or without a running appliance beside it.
"""

from __future__ import annotations

import datetime
import errno
import math
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from taicam.capture.settings import CaptureSettings
from taicam.capture.shelf import USEFULNESS, Row, Shelf
from taicam.errors import UsageError
from taicam.logs import get_logger
from vision.dataset import Correction, LabelledBox, Sample, read_sidecar, write_sidecar
from vision.dataset.entries import Entry
from vision.dataset.sample import Corners

log = get_logger(__name__)

_REDRAWN = 1 / 3  # of two boxes' area is shared: one is the other drawn anew
#: What became of a new sample: kept; kept in place of a less useful twin; a twin stands there already; every sample
#: that would have to go is more useful.
Kept = Literal["kept", "replaced", "duplicate", "no_room"]


def utc_now() -> datetime.datetime:
    """The time samples are stamped with."""
    return datetime.datetime.now(datetime.UTC)


def stamp(moment: datetime.datetime) -> str:
    """A moment as it stands in sidecars: UTC, to the second."""
    return moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Library:
    """Samples in `folder`, within the caps of `settings`."""

    def __init__(
        self,
        folder: Path,
        settings: CaptureSettings | None = None,
        clock: Callable[[], datetime.datetime] = utc_now,
    ) -> None:
        self.folder = folder
        self.settings = settings or CaptureSettings()
        self.clock = clock
        self.dropped = 0
        self._lock = threading.RLock()
        self._shelf = Shelf(folder)
        self._mark: int | None = None

    # -- keeping ---------------------------------------------------------------------------------------------------

    def keep(self, sample: Sample, data: bytes) -> Kept:
        """Store a sample with its encoded picture (of `settings.format`). Raises OSError, leaving nothing behind."""
        worth = USEFULNESS.get(sample.reason, 1.0) + (1.0 if sample.corrections else 0.0)
        with self._open_shelf():
            codes = [box.code for box in sample.boxes]
            earlier = self._shelf.of_hand(sample.hand_id)  # said of this very hand: the last word counts
            twin = earlier or self._shelf.twin(sample.phash or "", codes, self.settings.duplicate_bits)
            if twin is not None and earlier is None and self._shelf.usefulness(twin) >= worth:
                return "duplicate"
            if not self._make_room(len(data), worth):
                return "no_room"
            self._write(sample, data)
            if twin is None:
                return "kept"
            self._shelf.remove(twin)
            return "replaced"

    def _write(self, sample: Sample, data: bytes) -> None:
        """Picture first, sidecar last: a sample counts once its sidecar stands."""
        picture = self.folder / f"{self._shelf.new_id()}.{self.settings.format}"
        sidecar = picture.with_suffix(".json")
        partial = picture.with_name(f".{picture.name}.part")
        try:
            partial.write_bytes(data)
            partial.replace(picture)
            named = sample.model_copy(update={"image": picture.name})
            write_sidecar(named, sidecar)
            self._shelf.put(Row.of(named, picture, sidecar))
        except OSError:
            for path in (partial, sidecar, picture):
                path.unlink(missing_ok=True)
            raise

    def _make_room(self, size: int, worth: float) -> bool:
        """Delete what is too old, then the least useful, until `size` more bytes fit. False when only more useful ones
        are left to delete.

        When others fill the disk, only as much is deleted as is written: the samples give way, they do not vanish.
        Raises OSError when there is no space and nothing left to delete.
        """
        settings, shelf = self.settings, self._shelf
        for row in shelf.older_than(settings.max_days, self.clock()):
            self._drop(row)
        tight = shutil.disk_usage(self.folder).free - size < settings.keep_free_mb * 1_000_000
        owed = size if tight else 0
        candidates = shelf.least_useful()
        while (
            owed > 0
            or shelf.bytes + size > settings.max_mb * 1_000_000
            or len(shelf.rows) + (size > 0) > settings.max_samples
        ):
            victim = next(candidates, None)
            if victim is None and owed > 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.folder))
            if victim is None or shelf.usefulness(victim) > worth:
                return False
            owed -= victim.bytes
            self._drop(victim)
        return True

    def _drop(self, row: Row) -> None:
        self._shelf.remove(row)
        self.dropped += 1

    @contextmanager
    def _open_shelf(self) -> Iterator[None]:
        """One at a time on what lies in the folder; read anew where another program has changed it. Raises OSError."""
        with self._lock:
            if self._mark is None or self._mark != self._folder_mark():
                self._shelf.load()
                for message in self._shelf.damaged:
                    log.warning("a captured sample is damaged", reason=message)
            try:
                yield
            finally:
                self._mark = self._folder_mark()

    def _folder_mark(self) -> int | None:
        """When something was last added, replaced or deleted."""
        try:
            return self.folder.stat().st_mtime_ns
        except OSError:
            return None

    # -- looking through ---------------------------------------------------------------------------------------------

    def totals(self) -> tuple[int, int]:
        """How many samples, and how many bytes. Raises OSError when the folder cannot be read."""
        with self._open_shelf():
            return len(self._shelf.rows), self._shelf.bytes

    @property
    def damaged(self) -> tuple[str, ...]:
        """What was wrong with samples that could not be read."""
        with self._open_shelf():
            return tuple(self._shelf.damaged)

    def rows(self, state: str | None = None, reason: str | None = None) -> list[Row]:
        """The samples, oldest first, of one state and reason when given."""
        with self._open_shelf():
            found = [
                row
                for row in self._shelf.rows.values()
                if (state is None or row.state == state) and (reason is None or row.reason == reason)
            ]
        return sorted(found, key=lambda row: row.id)

    def entry(self, sample_id: str) -> Entry:
        """A sample and the path of its picture. Raises UsageError when there is none of that id."""
        row = self._row(sample_id)
        return Entry(read_sidecar(row.sidecar), row.picture)

    def review(
        self,
        sample_id: str,
        state: Literal["accepted", "discarded", "proposed"],
        boxes: Sequence[LabelledBox] | None = None,
        by: str = "",
    ) -> Sample:
        """Accept or discard a sample, with its boxes as corrected in review; the sample as it stands afterwards.

        Raises UsageError for an unknown id, OSError when it cannot be written.
        """
        with self._open_shelf():
            row = self._row(sample_id)
            sample = read_sidecar(row.sidecar)
            changes: dict[str, Any] = {"state": state}
            if boxes is not None:
                changes["boxes"] = tuple(boxes)
                changes["corrections"] = (*sample.corrections, *_differences(sample, boxes, by, stamp(self.clock())))
            changed = Sample.model_validate(sample.model_copy(update=changes).model_dump())
            write_sidecar(changed, row.sidecar)
            self._shelf.put(Row.of(changed, row.picture, row.sidecar))
        return changed

    def doubt(self, hand_id: str) -> int:
        """Put the samples of a hand back to review, since its tiles were not what was confirmed; how many there were.

        Raises OSError when they cannot be written.
        """
        with self._open_shelf():
            found = [row for row in self._shelf.rows.values() if row.hand_id == hand_id and row.state == "accepted"]
            for row in found:
                self.review(row.id, "proposed")
        return len(found)

    def delete(self, sample_id: str) -> None:
        """Delete one sample for good. Raises UsageError for an unknown id."""
        with self._open_shelf():
            self._shelf.remove(self._row(sample_id))

    def forget(self) -> int:
        """Delete every sample; how many there were."""
        with self._open_shelf():
            rows = list(self._shelf.rows.values())
            for row in rows:
                self._shelf.remove(row)
        return len(rows)

    def prune(self) -> int:
        """Apply the caps now; how many samples went."""
        with self._open_shelf():
            before = len(self._shelf.rows)
            self._make_room(0, math.inf)
            return before - len(self._shelf.rows)

    def _row(self, sample_id: str) -> Row:
        with self._open_shelf():
            row = self._shelf.rows.get(sample_id)
        if row is None:
            raise UsageError(f"there is no sample {sample_id!r}", "list them with: taicam capture list")
        return row


def matched(old: Sequence[LabelledBox], corners: Sequence[Corners]) -> list[int | None]:
    """For each of the boxes a review leaves, which box of the sample it was: the very same one, else a free one that it
    covers by a third or more (it was drawn anew); None for a new one."""
    left = {index: box.box for index, box in enumerate(old)}
    found: list[int | None] = []
    for one in corners:
        same = next((index for index, box in left.items() if box == one), None)
        found.append(same)
        if same is not None:
            del left[same]
    for place, one in enumerate(corners):
        if found[place] is None and left:
            best = max(left, key=lambda index: _overlap(left[index], one))
            if _overlap(left[best], one) > _REDRAWN:
                found[place] = best
                del left[best]
    return found


def _overlap(one: Corners, two: Corners) -> float:
    """Shared area against the area of both together."""
    wide = min(one[2], two[2]) - max(one[0], two[0])
    high = min(one[3], two[3]) - max(one[1], two[1])
    shared = max(0.0, wide) * max(0.0, high)
    both = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, two)) - shared
    return shared / both if both > 0 else 0.0


def _differences(sample: Sample, boxes: Sequence[LabelledBox], by: str, now: str) -> list[Correction]:
    """What a review changed; `index` counts the sample's boxes as they were, for added ones as they are."""
    notes = []
    was = matched(sample.boxes, [box.box for box in boxes])
    for place, (index, new) in enumerate(zip(was, boxes, strict=True)):
        if index is None:
            notes.append(Correction(index=place, field="added", after=new.code, by=by, at=now))
            continue
        old = sample.boxes[index]
        if old.code != new.code:
            notes.append(Correction(index=index, field="code", before=old.code, after=new.code, by=by, at=now))
        if old.box != new.box:
            notes.append(Correction(index=index, field="box", before=old.box, after=new.box, by=by, at=now))
    for index in sorted(set(range(len(sample.boxes))) - set(was)):
        notes.append(Correction(index=index, field="removed", before=sample.boxes[index].code, by=by, at=now))
    return notes
