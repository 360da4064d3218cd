"""The running table: takes readings, asks what must be asked, records what is certain, and says how things stand.

One writer to the ledger per appliance. Everything that must survive a power cut (recorded hands, hands waiting to
be confirmed) is an event in the ledger; this object only follows from it.
"""

from __future__ import annotations

import hashlib
import threading
import uuid
from collections.abc import Mapping
from typing import Any

from scoring.view import HealthMark
from taicam.board import Board
from taicam.errors import UsageError
from taicam.facts import Facts
from taicam.house import Case, House
from taicam.ledger import EventKind, HandEntry, Ledger, LedgerView
from taicam.ledger.events import encode_payload
from taicam.outcome import Outcome, fingerprint
from taicam.presenter import Presenter
from taicam.words import say
from vision.observation import CONFIRM, UNREADABLE, Doubt, QualityNote, TableReading

_TILE_FIELDS = frozenset({"concealed", "melds", "flowers", "win_tile"})


class Session:
    """One table. Safe from several threads; every change goes through the ledger first and then to the board."""

    def __init__(self, ledger: Ledger, board: Board, house: House) -> None:
        self.ledger = ledger
        self.board = board
        self.house = house
        self._presenter = Presenter(board, house)
        self._lock = threading.RLock()
        self._account = LedgerView()
        self._on_table: set[str] = set()
        self.refresh()
        self._remember_table()

    # -- how things stand -------------------------------------------------------------------------------------

    @property
    def account(self) -> LedgerView:
        """The account as it stands; call `refresh` first to see what other programs wrote."""
        return self._account

    def refresh(self) -> bool:
        """Take in events written since the last look, by us or by another program; True when there were any."""
        with self._lock:
            fresh = self.ledger.events(after=self._account.last_seq)
            for event in fresh:
                self._account.apply(event)
            return bool(fresh)

    def follow(self) -> None:
        """Take in what other programs wrote, and show it."""
        with self._lock:
            if self.refresh():
                self.board.update(seats=self._presenter.seats(self._account))

    def show_health(self, camera: HealthMark) -> None:
        """Show the camera's state."""
        self.board.update(camera=camera)

    def show_idle(self) -> None:
        """Show that nothing is on the table."""
        self._presenter.show(self._account, "idle", self._say("idle"))

    def show_reading(self, name: str) -> None:
        """Show that a picture is being read."""
        self.board.update(state="reading", picture=name, message=self._say("reading"), doubts=())

    # -- from the camera --------------------------------------------------------------------------------------

    def offer(self, reading: TableReading, name: str, facts: Facts, digest: str | None = None) -> Outcome:
        """Take a reading: record it when nothing is in doubt, ask when something is, report when it is no win.

        `digest` names the picture for good (its content's hash): the same picture with the same facts is then
        recorded once, however often it comes.
        """
        if reading.status == UNREADABLE:
            return self.fail(name, self._why_unreadable(reading))
        with self._lock:
            self.refresh()
            case = Case.build(name, reading.hand_record(), facts, self.house)
            key = _key(digest, case)
            earlier = self._already(fingerprint(case.record), key)
            if earlier is not None:
                return self._repeat(earlier, case)
            doubts = self._doubts(reading, case)
            if doubts:
                return self._ask(reading, case, doubts, key)
            if not case.wins:
                return self._not_winning(case)
            return self._record(case, {"reading": reading.to_json()}, key)

    def fail(self, name: str, problem: str, *, bad_input: bool = True) -> Outcome:
        """Report a picture that gave no hand; the run goes on."""
        with self._lock:
            self._presenter.show(self._account, "aiming", problem, picture=name)
            return Outcome(name, "failed", problem=problem, bad_input=bad_input)

    def table_cleared(self) -> None:
        """The tiles have gone: the next hand is a new one, even if it is the same again."""
        with self._lock:
            self._on_table.clear()

    # -- from people ------------------------------------------------------------------------------------------

    def confirm(self, offer_id: str, key: str, actor: str, changes: Mapping[str, Any] | None = None) -> HandEntry:
        """Record a hand that was waiting, with the player's corrections (fields of a scoring record) applied.

        Confirming twice with one key records once. Raises UsageError when there is no such offer, or the hand as
        corrected is malformed or does not win.
        """
        with self._lock:
            self.refresh()
            done = self.ledger.find(key)
            if done is not None:
                return self._account.hands[str(done.payload["hand_id"])]
            offer = self._offer(offer_id)
            record = {**offer["record"], **dict(changes or {})}
            case = Case.build(str(offer["picture"]), record, Facts.from_mapping(record), self.house)
            _must_win(case)
            outcome = self._record(case, {"reading": offer["reading"], "offer_id": offer_id}, key, actor)
            return self._account.hands[outcome.hand_id]

    def dismiss(self, offer_id: str, key: str, actor: str) -> None:
        """Drop a hand that was waiting: it was no win, or no hand at all."""
        with self._lock:
            self.refresh()
            if self.ledger.find(key) is None:
                self._offer(offer_id)
                self.ledger.append(EventKind.OFFER_DISMISSED, {"offer_id": offer_id}, key=key, actor=actor)
                self.refresh()
                self.show_idle()

    def void(self, hand_id: str, key: str, actor: str, reason: str = "") -> None:
        """Take a recorded hand out of the account; it stays in the ledger, marked."""
        self._mark(EventKind.HAND_VOIDED, hand_id, key, actor, reason)

    def restore(self, hand_id: str, key: str, actor: str) -> None:
        """Take a void back."""
        self._mark(EventKind.HAND_RESTORED, hand_id, key, actor, "")

    # -- inside -----------------------------------------------------------------------------------------------

    def _say(self, key: str) -> str:
        return say(key, self.house.language)

    def _word(self, thing: Doubt | QualityNote) -> str:
        return thing.message_zh if self.house.language == "zh-Hant" else thing.message_en

    def _offer(self, offer_id: str) -> Mapping[str, Any]:
        offer = self._account.open_offers.get(offer_id)
        if offer is None:
            raise UsageError(f"no hand {offer_id!r} waits to be confirmed", "see `taicam ledger offers`")
        return offer.payload

    def _mark(self, kind: EventKind, hand_id: str, key: str, actor: str, reason: str) -> None:
        with self._lock:
            self.refresh()
            if hand_id not in self._account.hands:
                raise UsageError(f"there is no hand {hand_id!r} in the ledger", "see `taicam ledger list`")
            self.ledger.append(kind, {"hand_id": hand_id, "reason": reason}, key=key, actor=actor)
            self.follow()

    def _already(self, mark: str, key: str) -> HandEntry | str | None:
        """The recorded hand (or the waiting offer's id) that this reading repeats."""
        event = self.ledger.find(key)
        if event is not None:
            return self._account.hands.get(str(event.payload["hand_id"]))
        if mark not in self._on_table:
            return None
        for hand in reversed(self._account.counted()):
            if hand.details.get("fingerprint") == mark:
                return hand
        offers = self._account.open_offers.values()
        return next((str(o.payload["offer_id"]) for o in offers if o.payload["fingerprint"] == mark), None)

    def _remember_table(self) -> None:
        """After a restart the last hand may still lie there: do not offer it again until the table was cleared."""
        last = self._account.last_hand()
        if last is not None and last.details.get("fingerprint"):
            self._on_table.add(str(last.details["fingerprint"]))
        self._on_table |= {str(offer.payload["fingerprint"]) for offer in self._account.open_offers.values()}

    def _doubts(self, reading: TableReading, case: Case) -> tuple[str, ...]:
        doubts = [self._word(doubt) for doubt in reading.doubts]
        if case.answer.get("error"):
            doubts.append(str(case.answer["error"]))
        if reading.status == CONFIRM and not doubts:
            doubts.append(self._say("win_not_certain"))
        return tuple(doubts)

    def _why_unreadable(self, reading: TableReading) -> str:
        reasons: list[Doubt | QualityNote] = [note for note in reading.quality if note.severe]
        reasons.extend(reading.doubts)
        return ";".join(self._word(reason) for reason in reasons) or self._say("unclear")

    def _repeat(self, earlier: HandEntry | str, case: Case) -> Outcome:
        if isinstance(earlier, str):
            self._presenter.show(self._account, "confirm", self._say("confirm"), case=case)
            return Outcome(case.name, "confirm", case.record, case.answer, hand_id=earlier)
        self._presenter.show(self._account, "recorded", self._say("already"), case=case)
        return Outcome(case.name, "already", case.record, case.answer, hand_id=earlier.hand_id)

    def _ask(self, reading: TableReading, case: Case, doubts: tuple[str, ...], key: str) -> Outcome:
        mark = fingerprint(case.record)
        key = f"offer:{key}"
        known = self.ledger.find(key)
        offer_id = str(known.payload["offer_id"]) if known else uuid.uuid4().hex[:12]
        if known is None:
            payload = {
                "offer_id": offer_id,
                "record": case.record,
                "reading": reading.to_json(),
                "fingerprint": mark,
                "picture": case.name,
                "doubts": list(doubts),
            }
            self.ledger.append(EventKind.HAND_OFFERED, payload, key=key)
            self.refresh()
        self._on_table.add(mark)
        self._presenter.show(self._account, "confirm", self._say("confirm"), case=case, doubts=doubts)
        return Outcome(case.name, "confirm", case.record, case.answer, doubts, hand_id=offer_id)

    def _not_winning(self, case: Case) -> Outcome:
        reason = str(case.answer.get("reason", ""))
        self._presenter.show(self._account, "not_winning", f"{self._say('not_winning')}:{reason}", case=case)
        return Outcome(case.name, "not_winning", case.record, case.answer, problem=reason)

    def _record(self, case: Case, details: Mapping[str, Any], key: str, actor: str = "taicam") -> Outcome:
        hand_id = uuid.uuid4().hex[:12]
        mark = fingerprint(case.record)
        payload = {
            "hand_id": hand_id,
            "outcome": "win",
            "record": case.record,
            "answer": case.answer,
            "fingerprint": mark,
            "picture": case.name,
            **details,
        }
        self.ledger.append(EventKind.HAND_RECORDED, payload, key=key, actor=actor)
        self.refresh()
        self._on_table.add(mark)
        self._presenter.show(self._account, "recorded", self._say("recorded"), case=case)
        return Outcome(case.name, "recorded", case.record, case.answer, hand_id=hand_id)


def _key(digest: str | None, case: Case) -> str:
    """The idempotency key of a picture's hand: its content and the facts it was scored with."""
    if digest is None:
        return uuid.uuid4().hex
    facts = {key: value for key, value in case.record.items() if key not in _TILE_FIELDS}
    return f"picture:{digest}:{hashlib.sha256(encode_payload(facts).encode()).hexdigest()[:16]}"


def _must_win(case: Case) -> None:
    if case.answer.get("error"):
        raise UsageError(str(case.answer["error"]), "correct that field and confirm again")
    if not case.wins:
        raise UsageError(f"this hand does not win: {case.answer.get('reason', '')}", "correct a tile, or dismiss it")
