"""Live updates: server-sent events, each a whole view, so that a page that missed some is right after the next."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator

from scoring.view import ScoreView
from taicam.session import Session
from taicam.web.state import state_json

BEAT_S = 5.0
MAX_LISTENERS = 100


class Feed:
    """Carries views from the appliance's threads to any number of event streams; the newest view wins."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._board = session.board
        self._waiting: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._stop_listening = session.board.listen(self._on_view)

    def start(self) -> None:
        """Called on the server's event loop once it runs."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """End every stream; from any thread."""
        self._closed = True
        self._stop_listening()
        self._wake_soon()

    @property
    def full(self) -> bool:
        """Whether no more streams are taken."""
        return len(self._waiting) >= MAX_LISTENERS

    def _on_view(self, _view: ScoreView) -> None:
        self._wake_soon()

    def _wake_soon(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # the loop was closed in between: nobody listens any more
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for event in self._waiting:
            event.set()

    async def stream(self) -> AsyncIterator[str]:
        """Events for one page: `snapshot` first, then `view` at every change, and a `beat` when all is quiet."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            sent = self._board.view.sequence
            yield self._message("snapshot", self._board.view)
            while not self._closed:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(event.wait(), BEAT_S)
                event.clear()
                view = self._board.view
                if view.sequence != sent:
                    sent = view.sequence
                    yield self._message("view", view)
                elif not self._closed:
                    yield f"event: beat\ndata: {sent}\n\n"
        finally:
            self._waiting.discard(event)

    def _message(self, kind: str, view: ScoreView) -> str:
        data = json.dumps(state_json(view, self._session), ensure_ascii=False, separators=(",", ":"))
        return f"id: {view.sequence}\nevent: {kind}\ndata: {data}\n\n"
