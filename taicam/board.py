"""What everybody looks at: the present view, numbered, and handed to every display and page that listens."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from scoring.view import ScoreView
from taicam.logs import get_logger

Listener = Callable[[ScoreView], None]
log = get_logger(__name__)


class Board:
    """The one present `ScoreView`. Safe from any thread; a listener that fails is logged and never stops scoring."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._view = ScoreView()
        self._listeners: list[Listener] = []

    @property
    def view(self) -> ScoreView:
        """The present view."""
        return self._view

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every new view, in order; returns the way to stop."""
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._forget(listener)

    def _forget(self, listener: Listener) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def publish(self, view: ScoreView) -> ScoreView:
        """Make `view` the present one under the next number and tell every listener."""
        with self._lock:
            self._view = replace(view, sequence=self._view.sequence + 1)
            for listener in tuple(self._listeners):
                try:
                    listener(self._view)
                except Exception:
                    log.exception("a display failed; scoring goes on", listener=repr(listener))
            return self._view

    def update(self, **changes: object) -> ScoreView:
        """Publish the present view with some fields changed; nothing happens when nothing changes."""
        with self._lock:
            changed = replace(self._view, **changes)  # type: ignore[arg-type]
            return self._view if changed == self._view else self.publish(changed)
