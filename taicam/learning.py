"""Between play and the capture store: holds the view of a hand that is asked about until people have settled it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from taicam.capture import CaptureStore, Circumstances, Verdict, verdict_from_hand
from taicam.errors import TaicamError
from taicam.logs import get_logger
from taicam.outcome import Outcome
from vision.dataset import SidecarError
from vision.observation import TableReading

log = get_logger(__name__)
WAITING = 12  # views held at once; the oldest counts as doubtful and never answered
RECORDED = 4  # views of recorded hands held, should somebody put one right afterwards


@dataclass(frozen=True, slots=True)
class View:
    """A frame (height x width x 3, BGR), what was read in it, and its number."""

    image: npt.NDArray[np.uint8]
    reading: TableReading
    sequence: int | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    view: View
    circumstances: Circumstances


#: What is known of a view besides its picture: calibration, networks, tile set, the table's outline.
Known = Callable[[TableReading], Circumstances]


def _nothing_known(_reading: TableReading) -> Circumstances:
    return Circumstances()


class Learner:
    """Tells the capture store what became of each view. Never waits, never raises for what the store cannot do.

    Args:
        store: where samples go.
        camera: the source, without secrets.
        known: asked about each view when it is looked at; may be set later.
    """

    def __init__(self, store: CaptureStore, camera: str, known: Known = _nothing_known) -> None:
        self.store = store
        self.known = known
        self._camera = camera
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, _Held] = OrderedDict()
        self._recorded: OrderedDict[str, _Held] = OrderedDict()

    def looked(self, view: View, outcome: Outcome | None) -> None:
        """A view was read; `outcome` is what the session made of it, None when it was only one of many."""
        if not self.store.consent:
            return
        held = self._held(view)
        if outcome is not None and outcome.status == "confirm":
            with self._lock:
                self._waiting[outcome.hand_id] = held
                old = [self._waiting.popitem(last=False)[1] for _ in range(len(self._waiting) - WAITING)]
            for one in old:
                self._offer(one, Verdict("doubtful"))
            return
        if outcome is not None and outcome.status == "recorded":
            self._remember(outcome.hand_id, held)
        self._offer(held, Verdict("passing"))

    def resting(self, seconds: float) -> None:
        """The live loop rests for so long (`CaptureStore.resting`)."""
        self.store.resting(seconds)

    def settled(self, offer_id: str | None, hand: Mapping[str, Any], hand_id: str, by: str) -> None:
        """Somebody confirmed the hand of an offer, as read or corrected: its view is now a labelled sample."""
        held = self._take(offer_id)
        if held is not None:
            self._remember(hand_id, held)
            self._offer(held, _verdict(held, hand, hand_id, by))

    def corrected(self, hand_id: str, hand: Mapping[str, Any], by: str) -> None:
        """Somebody put a recorded hand right: its view is labelled anew, or, held no more, waits for review again."""
        with self._lock:
            held = self._recorded.get(hand_id)
        if held is not None:
            self._offer(held, _verdict(held, hand, hand_id, by))
            return
        try:
            self.store.library.doubt(hand_id)
        except (OSError, SidecarError, TaicamError) as error:
            log.warning("a sample of a corrected hand could not be put back to review", reason=str(error))

    def dropped(self, offer_id: str) -> None:
        """Somebody dismissed an offer: nobody said what the tiles are."""
        held = self._take(offer_id)
        if held is not None:
            self._offer(held, Verdict("doubtful"))

    def asked_for(self, view: View, by: str) -> str:
        """Somebody wants this view kept; the store's word on it."""
        return self._offer(self._held(view), Verdict("button", by=by))

    def close(self) -> None:
        """The table closes: what still waits for an answer is kept as doubtful."""
        with self._lock:
            left = list(self._waiting.values())
            self._waiting.clear()
        for held in left:
            self._offer(held, Verdict("doubtful"))

    def _held(self, view: View) -> _Held:
        known = self.known(view.reading)
        camera = {"source": self._camera, **(known.camera or {})}
        return _Held(view, replace(known, camera=camera, sequence=view.sequence))

    def _remember(self, hand_id: str, held: _Held) -> None:
        with self._lock:
            self._recorded[hand_id] = held
            while len(self._recorded) > RECORDED:
                self._recorded.popitem(last=False)

    def _take(self, offer_id: str | None) -> _Held | None:
        with self._lock:
            return self._waiting.pop(offer_id, None) if offer_id else None

    def _offer(self, held: _Held, verdict: Verdict) -> str:
        return self.store.offer(held.view.image, held.view.reading, verdict, held.circumstances)


def _verdict(held: _Held, hand: Mapping[str, Any], hand_id: str, by: str) -> Verdict:
    codes = [*hand["concealed"], *(code for meld in hand["melds"] for code in meld["tiles"]), *hand["flowers"]]
    return verdict_from_hand(held.view.reading, codes, hand_id, by)
