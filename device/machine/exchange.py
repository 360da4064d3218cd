"""Questions to a machine and the patience for their answers: what a session sends, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from device.machine.messages import Message


@dataclass(frozen=True, slots=True)
class Timing:
    """All in seconds. `reply`: patience for an answer, besides its time on the wire; `tries` before giving up."""

    reply: float = 0.25
    tries: int = 6
    hello: float = 0.5
    ping: float = 1.0
    dead: float = 3.0
    poll: float = 0.05
    baud: int = 115200

    def wire(self, count: int) -> float:
        """The time `count` bytes take on the line at 10 bits each."""
        return count * 10 / self.baud


DEFAULT_TIMING = Timing()


class Exchange:
    """One request and its answer. `reply_bytes` is how long the answer may be, `tries` overrides the usual patience."""

    reply_bytes: int = 64
    tries: int | None = None

    def message(self) -> Message:
        """What to send (again)."""
        raise NotImplementedError

    def answer(self, message: Message, now: float) -> bool:
        """Take in a packet with our sequence number; True when the exchange is over."""
        raise NotImplementedError

    def failed(self, reason: str) -> None:
        """No answer came, or the line went down."""


class Job(Exchange):
    """What a user of the link wants done: one exchange or several in a row, until `finished`.

    Between exchanges it may wait until `not_before` (monotonic seconds).
    """

    finished: bool = False
    not_before: float = 0.0


class Question(Exchange):
    """A request answered by one message of one type."""

    def __init__(
        self,
        request: Message,
        expected: type[Message],
        then: Callable[[Message, float], None],
        reply_bytes: int = 64,
        tries: int | None = None,
    ) -> None:
        self._request, self._expected, self._then = request, expected, then
        self.reply_bytes, self.tries = reply_bytes, tries

    def message(self) -> Message:
        return self._request

    def answer(self, message: Message, now: float) -> bool:
        if not isinstance(message, self._expected):
            return False
        self._then(message, now)
        return True
