"""Between play and the capture store: holds the view of a hand that is asked about until people have settled it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from taicam.capture import CaptureStore, Circumstances, Verdict, verdict_from_hand
from taicam.outcome import Outcome
from vision.observation import TableReading

WAITING = 12  # views held at once; the oldest counts as doubtful and never answered


@dataclass(frozen=True, slots=True)
class View:
    """A frame (height x width x 3, BGR), what was read in it, and its number."""

    image: npt.NDArray[np.uint8]
    reading: TableReading
    sequence: int | None = None


class Learner:
    """Tells the capture store what became of each view. Never waits, never raises for what the store cannot do."""

    def __init__(self, store: CaptureStore, camera: str) -> None:
        self.store = store
        self._camera = camera
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, View] = OrderedDict()

    def looked(self, view: View, outcome: Outcome | None) -> None:
        """A view was read; `outcome` is what the session made of it, None when it was only one of many."""
        if outcome is not None and outcome.status == "confirm":
            with self._lock:
                self._waiting[outcome.hand_id] = view
                old = [self._waiting.popitem(last=False)[1] for _ in range(len(self._waiting) - WAITING)]
            for one in old:
                self._offer(one, Verdict("doubtful"))
            return
        self._offer(view, Verdict("passing"))

    def settled(self, offer_id: str | None, hand: Mapping[str, Any], hand_id: str, by: str) -> None:
        """Somebody confirmed the hand of an offer, as read or corrected: its view is now a labelled sample."""
        view = self._take(offer_id)
        if view is not None:
            codes = [*hand["concealed"], *(code for meld in hand["melds"] for code in meld["tiles"]), *hand["flowers"]]
            self._offer(view, verdict_from_hand(view.reading, codes, hand_id, by))

    def dropped(self, offer_id: str) -> None:
        """Somebody dismissed an offer: nobody said what the tiles are."""
        view = self._take(offer_id)
        if view is not None:
            self._offer(view, Verdict("doubtful"))

    def asked_for(self, view: View, by: str) -> str:
        """Somebody wants this view kept; the store's word on it."""
        return self._offer(view, Verdict("button", by=by))

    def _take(self, offer_id: str | None) -> View | None:
        with self._lock:
            return self._waiting.pop(offer_id, None) if offer_id else None

    def _offer(self, view: View, verdict: Verdict) -> str:
        circumstances = Circumstances(camera={"source": self._camera}, sequence=view.sequence)
        return self.store.offer(view.image, view.reading, verdict, circumstances)
