"""From the events to the account as it stands: a pure function, so that a replay gives the same to the point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from taicam.ledger.events import Event, EventKind


@dataclass(frozen=True, slots=True)
class HandEntry:
    """One hand as it stands now: the last correction counts, `voided` takes it out of the account.

    `record` is what was scored (the fields of the score command's input), `answer` what scoring said; both are empty
    for a hand of a match, whose score follows from the match as a whole (`taicam.match.replay`).
    """

    hand_id: str
    seq: int
    at_utc: str
    match_id: str | None
    outcome: str
    record: Mapping[str, Any]
    answer: Mapping[str, Any]
    details: Mapping[str, Any]
    voided: bool = False
    corrections: int = 0

    @property
    def total(self) -> int | None:
        """The hand's own 台 (番, …), or None when it has none."""
        total = self.answer.get("total")
        return total if isinstance(total, int) else None

    @property
    def picture(self) -> str:
        """The name of the picture or frame it came from."""
        return str(self.details.get("picture", ""))


@dataclass(slots=True)
class LedgerView:
    """Everything that follows from the events read so far; hands in the order they were first recorded."""

    hands: dict[str, HandEntry] = field(default_factory=dict)
    open_offers: dict[str, Event] = field(default_factory=dict)
    matches: dict[str, Event] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    last_seq: int = 0
    _logs: dict[str, list[Event | str]] = field(default_factory=dict)

    def match_log(self, match_id: str) -> list[Event | HandEntry]:
        """What happened in a match, in order: its hands that count as they stand now, and its other events."""
        log: list[Event | HandEntry] = []
        for item in self._logs.get(match_id, ()):
            if isinstance(item, Event):
                log.append(item)
            elif not self.hands[item].voided:
                log.append(self.hands[item])
        return log

    def current_match(self) -> str | None:
        """The match that was started last, unless it has ended."""
        last = next(reversed(self.matches), None)
        return None if last is None or last in self.ended else last

    def counted(self, match_id: str | None = None) -> list[HandEntry]:
        """The hands that count: not voided; of one match when given."""
        return [
            hand for hand in self.hands.values() if not hand.voided and (match_id is None or hand.match_id == match_id)
        ]

    def last_hand(self) -> HandEntry | None:
        """The newest hand that counts."""
        counted = self.counted()
        return counted[-1] if counted else None

    def apply(self, event: Event) -> None:
        """Take one more event into account; events must come in order of `seq`."""
        _APPLY[event.kind](self, event)
        self.last_seq = event.seq


def _recorded(view: LedgerView, event: Event) -> None:
    payload = event.payload
    view.hands[payload["hand_id"]] = _entry(event)
    if event.match_id is not None:
        view._logs.setdefault(event.match_id, []).append(str(payload["hand_id"]))
    view.open_offers.pop(str(payload.get("offer_id")), None)


def _entry(event: Event) -> HandEntry:
    payload = event.payload
    named = {"hand_id", "outcome", "record", "answer"}
    return HandEntry(
        hand_id=payload["hand_id"],
        seq=event.seq,
        at_utc=event.at_utc,
        match_id=event.match_id,
        outcome=payload["outcome"],
        record=payload.get("record", {}),
        answer=payload.get("answer", {}),
        details={key: value for key, value in payload.items() if key not in named},
    )


def _corrected(view: LedgerView, event: Event) -> None:
    before = view.hands[event.payload["hand_id"]]
    after = _entry(event)
    view.hands[before.hand_id] = replace(
        after,
        seq=before.seq,
        at_utc=before.at_utc,
        details={**before.details, **after.details},
        voided=before.voided,
        corrections=before.corrections + 1,
    )


def _set_voided(view: LedgerView, event: Event) -> None:
    hand = view.hands[event.payload["hand_id"]]
    view.hands[hand.hand_id] = replace(hand, voided=event.kind is EventKind.HAND_VOIDED)


def _offered(view: LedgerView, event: Event) -> None:
    view.open_offers[event.payload["offer_id"]] = event


def _dismissed(view: LedgerView, event: Event) -> None:
    view.open_offers.pop(event.payload["offer_id"], None)


def _match_started(view: LedgerView, event: Event) -> None:
    if event.match_id is not None:
        view.matches[event.match_id] = event


def _match_went_on(view: LedgerView, event: Event) -> None:
    if event.match_id is not None:
        view._logs.setdefault(event.match_id, []).append(event)
        if event.kind is EventKind.MATCH_ENDED:
            view.ended.add(event.match_id)


_APPLY = {
    EventKind.MATCH_STARTED: _match_started,
    EventKind.MATCH_ENDED: _match_went_on,
    EventKind.SEATS_CHANGED: _match_went_on,
    EventKind.WALL_BROKEN: _match_went_on,
    EventKind.DEALER_TOLD: _match_went_on,
    EventKind.HAND_OFFERED: _offered,
    EventKind.OFFER_DISMISSED: _dismissed,
    EventKind.HAND_RECORDED: _recorded,
    EventKind.HAND_CORRECTED: _corrected,
    EventKind.HAND_VOIDED: _set_voided,
    EventKind.HAND_RESTORED: _set_voided,
}


def fold(events: Iterable[Event]) -> LedgerView:
    """The account after `events`."""
    view = LedgerView()
    for event in events:
        view.apply(event)
    return view
