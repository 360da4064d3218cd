"""Frames from a capture process to ours: a few slots of shared memory, each guarded by a counter."""

from __future__ import annotations

import mmap
import os
import struct
import tempfile

import numpy as np

from device.cameras.base import Image

SLOTS = 4
HEADER = 64  # per slot; holds the counter, keeps pixels aligned
_COUNTER = struct.Struct("<Q")


def create_fd() -> int:
    """An anonymous memory file, gone when the last process lets go of it."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("taicam-frames", 0)
    handle, path = tempfile.mkstemp(prefix="taicam-frames-")
    os.unlink(path)  # noqa: PTH108
    return handle


class FrameRing:
    """One end of the ring; the writer is the capture process, the reader ours. Not for more than one writer."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._map: mmap.mmap | None = None
        self._slot_bytes = 0
        self._next = 0
        self._count = 0

    def write(self, image: Image) -> tuple[int, int]:
        """Store `image` in the next slot; returns (slot, counter), the reader's ticket for it."""
        self._fit(image.nbytes)
        assert self._map is not None
        slot, self._next = self._next, (self._next + 1) % SLOTS
        start = slot * self._slot_bytes
        self._count += 2
        _COUNTER.pack_into(self._map, start, self._count - 1)  # odd: being written
        target = np.frombuffer(self._map, np.uint8, image.nbytes, start + HEADER)
        target[:] = image.reshape(-1)
        del target  # a view left alive would forbid remapping
        _COUNTER.pack_into(self._map, start, self._count)
        return slot, self._count

    @property
    def slot_bytes(self) -> int:
        """Bytes from one slot to the next; part of the ticket."""
        return self._slot_bytes

    def _fit(self, nbytes: int) -> None:
        needed = HEADER + -(-nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
        if self._map is not None and needed <= self._slot_bytes:
            return
        if self._map is not None:
            self._map.close()
        self._slot_bytes = needed
        os.ftruncate(self._fd, max(os.fstat(self._fd).st_size, needed * SLOTS))
        self._map = mmap.mmap(self._fd, needed * SLOTS)
        self._next = 0

    def read(self, slot: int, counter: int, slot_bytes: int, shape: tuple[int, int, int]) -> Image | None:
        """A copy of the frame, or None when the writer has come round to its slot again."""
        if self._map is None or slot_bytes * SLOTS > len(self._map):
            if self._map is not None:
                self._map.close()
            self._map = mmap.mmap(self._fd, slot_bytes * SLOTS)
        start = slot * slot_bytes
        if _COUNTER.unpack_from(self._map, start)[0] != counter:
            return None
        height, width, depth = shape
        view = np.frombuffer(self._map, np.uint8, height * width * depth, start + HEADER)
        image = view.copy().reshape(shape)
        del view
        return image if _COUNTER.unpack_from(self._map, start)[0] == counter else None

    def close(self) -> None:
        """Unmap and close the file."""
        if self._map is not None:
            self._map.close()
            self._map = None
        os.close(self._fd)
