"""What the host asks of a machine: a command, or a picture in chunks."""

from __future__ import annotations

import time
import zlib
from concurrent.futures import Future
from typing import Any

from device.errors import DeviceError
from device.machine.exchange import Job
from device.machine.messages import (
    Ack,
    Command,
    CommandBody,
    ImageData,
    ImageInfo,
    ImageRead,
    ImageRequest,
    Message,
    Nack,
)

MAX_IMAGE = 16_000_000
CHUNK_HEAD = 6  # image number and offset before a chunk's bytes


class MachineError(DeviceError):
    """The machine did not do what was asked."""


class MachineRefused(MachineError):  # noqa: N818
    """The machine answered NACK; `reason` is the protocol's word for why."""

    def __init__(self, command: str, reason: str, detail: str) -> None:
        super().__init__(f"The machine refuses {command}: {reason}{f' ({detail})' if detail else ''}.")
        self.reason = reason


class CommandJob(Job):
    """A command, repeated (as a new one) while the machine says that it is busy."""

    BUSY_TRIES = 8
    BUSY_FIRST_S = 0.1

    def __init__(self, command: CommandBody) -> None:
        self.command = command
        self.future: Future[Any] = Future()
        self._busy = 0

    def message(self) -> Message:
        return Command(self.command)

    def answer(self, message: Message, now: float) -> bool:
        if isinstance(message, Nack):
            self._refused(message, now)
        elif isinstance(message, Ack):
            self._finish(None)
        elif isinstance(message, ImageInfo):
            self._ready(message)
        else:
            return False
        return True

    def _ready(self, info: ImageInfo) -> None:
        self._finish(info)

    def _refused(self, nack: Nack, now: float) -> None:
        if nack.reason == "busy" and self._busy < self.BUSY_TRIES:
            self.not_before = now + min(2.0, self.BUSY_FIRST_S * 2**self._busy)
            self._busy += 1
            return
        self._fail(MachineRefused(self.command.NAME, nack.reason, nack.detail))

    def failed(self, reason: str) -> None:
        self._fail(MachineError(f"The machine did not answer {self.command.NAME}: {reason}.", "Try again."))

    def cancel(self) -> None:
        """Nobody waits for the answer any more."""
        self.finished = True

    def _finish(self, result: Any) -> None:
        self.finished = True
        if not self.future.done():
            self.future.set_result(result)

    def _fail(self, error: Exception) -> None:
        self.finished = True
        if not self.future.done():
            self.future.set_exception(error)


class ImageJob(CommandJob):
    """A picture from the machine's camera: asked for, fetched in windows of chunks, holes asked for again.

    The future's result is the JPEG. `chunk` is the payload size to ask for, `window` the chunks in one request.
    """

    RESTARTS = 3
    BUSY_TRIES = 20  # a camera may need its time

    def __init__(self, camera: int, chunk: int, window: int = 8) -> None:
        super().__init__(ImageRequest(camera))
        self._chunk = chunk - CHUNK_HEAD
        self._window = window
        self._info: ImageInfo | None = None
        self._parts: dict[int, bytes] = {}
        self._asked: ImageRead | None = None
        self._restarts = 0
        self.chunks_repeated = 0
        self.started = time.monotonic()

    def message(self) -> Message:
        if self._info is None:
            return Command(self.command)
        self._asked = self._next_window(self._info)
        self.reply_bytes = self._chunk + 16  # patience counts from chunk to chunk
        return self._asked

    def _next_window(self, info: ImageInfo) -> ImageRead:
        """From the first hole on, up to the next chunk that is already here."""
        offset = next(o for o in range(0, info.size, self._chunk) if o not in self._parts)
        count = 0
        for at in range(offset, info.size, self._chunk):
            if at in self._parts or count == self._window:
                break
            count += 1
        return ImageRead(info.image, offset, self._chunk, count)

    def answer(self, message: Message, now: float) -> bool:
        if isinstance(message, ImageData) and self._info is not None:
            return self._take(message, self._info)
        return super().answer(message, now)

    def _ready(self, info: ImageInfo) -> None:
        if not 0 < info.size <= MAX_IMAGE:
            self._fail(MachineError(f"The machine offers a picture of {info.size} bytes.", "Check its camera."))
            return
        self._info, self._parts = info, {}
        self.not_before = 0.0

    def _take(self, data: ImageData, info: ImageInfo) -> bool:
        wanted = min(self._chunk, info.size - data.offset)
        if data.image != info.image or data.offset % self._chunk or len(data.data) != wanted:
            return False
        if data.offset in self._parts:
            self.chunks_repeated += 1
        self._parts[data.offset] = data.data
        asked = self._asked
        assert asked is not None
        last = data.offset == asked.offset + (asked.count - 1) * self._chunk
        if len(self._parts) * self._chunk >= info.size:
            self._check(info)
            return True
        # The window's last chunk has come: what is missing of it was lost, and is asked for next.
        return last

    def _check(self, info: ImageInfo) -> None:
        data = b"".join(self._parts[offset] for offset in sorted(self._parts))
        if zlib.crc32(data) == info.crc32:
            self._finish(data)
        elif self._restarts < self.RESTARTS:
            self._restarts += 1
            self._info = None  # take a new picture
        else:
            self._fail(MachineError("The machine's picture arrives damaged every time.", "Check the cable."))

    def _refused(self, nack: Nack, now: float) -> None:
        if nack.reason == "no_image" and self._info is not None and self._restarts < self.RESTARTS:
            self._restarts += 1
            self._info = None  # the machine has thrown that picture away
            return
        super()._refused(nack, now)
