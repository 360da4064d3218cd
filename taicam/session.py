"""The running table: takes readings, asks what must be asked, records what is certain, and says how things stand.

One writer to the ledger per appliance. Everything that must survive a power cut (recorded hands, hands waiting to
be confirmed) is an event in the ledger; this object only follows from it. What people do at the table (confirm,
correct, undo, play a match) is in `taicam.play`.
"""

from __future__ import annotations

import hashlib
import threading
import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from scoring.view import HealthMark, Said, TableState
from taicam.board import Board
from taicam.camera_settings import AdjustableCamera
from taicam.errors import UsageError
from taicam.eye import Eye
from taicam.facts import Facts, Seen
from taicam.house import Case, House
from taicam.learning import Learner
from taicam.ledger import EventKind, HandEntry, Ledger, LedgerView
from taicam.ledger.events import encode_payload
from taicam.match.replay import Standing, standing_of
from taicam.outcome import Outcome, fingerprint
from taicam.presenter import Presenter, Shown, TableNow, free_table, match_table, seat_views, shown_case
from taicam.views import refusal
from taicam.watch import another_hand
from taicam.words import say
from vision.observation import CONFIRM, UNREADABLE, Doubt, QualityNote, TableReading

_TILE_FIELDS = frozenset({"concealed", "melds", "flowers", "win_tile"})


class Session:
    """One table. Safe from several threads; every change goes through the ledger first and then to the board."""

    def __init__(self, ledger: Ledger, board: Board, house: House) -> None:
        self.ledger = ledger
        self.board = board
        self.house = house
        self.lock = threading.RLock()
        self._presenter = Presenter(board, house.language)
        self.eye = Eye()
        self.learner: Learner | None = None
        self.camera: AdjustableCamera | None = None  # where it is one whose settings may be changed
        self._account = LedgerView()
        self._standing: Standing | None = None
        self._on_table: set[str] = set()
        self._recorded: Counter[str] = Counter()  # tiles of the last recorded hand, as long as it lies there
        self._recorded_mark = ""
        self._asking = ""  # the offer made of the hand that lies on the table now
        self.refresh()
        self._remember_table()
        self.show_idle()

    # -- how things stand -------------------------------------------------------------------------------------

    @property
    def account(self) -> LedgerView:
        """The account as it stands; call `refresh` first to see what other programs wrote."""
        return self._account

    @property
    def standing(self) -> Standing | None:
        """The match that is being played, if any."""
        return self._standing

    def refresh(self) -> bool:
        """Take in events written since the last look, by us or by another program; True when there were any."""
        with self.lock:
            fresh = self.ledger.events(after=self._account.last_seq)
            for event in fresh:
                self._account.apply(event)
            if fresh:
                match_id = self._account.current_match()
                self._standing = None if match_id is None else standing_of(self._account, match_id)
            return bool(fresh)

    def follow(self) -> None:
        """Take in what other programs wrote, and show it."""
        with self.lock:
            if self.refresh():
                self.show_totals()

    def table(self, facts: Facts | None = None) -> TableNow:
        """The table as it stands for the next hand."""
        return free_table(self._account, facts) if self._standing is None else match_table(self._standing)

    def show(self, state: TableState, message: Said, table: TableNow | None = None, shown: Shown | None = None) -> None:
        """Publish a view of the table."""
        self._presenter.show(state, message, table or self.table(), shown)

    def show_totals(self) -> None:
        """Show the totals as they are now, whatever else is on show."""
        self.board.update(seats=seat_views(self.table(), Shown()))

    def show_health(self, camera: HealthMark) -> None:
        """Show the camera's state."""
        self.board.update(camera=camera)

    def show_idle(self) -> None:
        """Show that nothing is on the table."""
        self.show("idle", say("idle"))

    def show_reading(self, name: str) -> None:
        """Show that a picture is being read."""
        self.board.update(state="reading", picture=name, message=say("reading"), doubts=())

    # -- from the camera --------------------------------------------------------------------------------------

    def offer(
        self,
        reading: TableReading,
        name: str,
        facts: Facts,
        digest: str | None = None,
        picture_id: str = "",
        place: int | None = None,
        seen: Seen | None = None,
    ) -> Outcome:
        """Take a reading: record it when nothing is in doubt, ask when something is, report when it is no win.

        During a match every win is asked about, since no camera sees who won and who dealt in. `digest` names the
        picture for good (its content's hash): the same picture with the same facts is then recorded once, however
        often it comes. `picture_id` is the kept picture, `place` whose hand it is, where the view tells, `seen` what
        the camera saw of how it was won.
        """
        if reading.status == UNREADABLE:
            why = self._why_unreadable(reading)
            return self.fail(name, self._worded(why), why)
        with self.lock:
            self.refresh()
            house = self.house if self._standing is None else self._standing.setup.house(self.house.language)
            case = Case.build(name, reading.hand_record(), facts, house)
            key = _key(digest, case)
            earlier = self._already(fingerprint(case.record), key)
            if earlier is None and place is not None and digest is None:
                earlier = self._still_lying(reading)
            if earlier is not None:
                return self._repeat(earlier, case)
            details: dict[str, Any] = {"reading": reading.to_json(), "picture_id": picture_id}
            if place is not None:
                details["place"] = place
            doubts = self._doubts(reading, case)
            if seen is not None:
                details |= seen.details()
                doubts += (say(seen.asks),) if seen.asks else ()
            if doubts or (self._standing is not None and case.wins):
                if digest is None:
                    self._supersede()
                return self._ask(case, doubts, details, key)
            if not case.wins:
                return self._not_winning(case)
            return self.record(case, details, key)

    def fail(self, name: str, problem: str, said: Said, *, bad_input: bool = True) -> Outcome:
        """Report a picture that gave no hand, and why; `said` is what players are told of it. The run goes on."""
        with self.lock:
            self.show("aiming", said, shown=Shown(picture=name))
            return Outcome(name, "failed", problem=problem, bad_input=bad_input)

    def table_cleared(self) -> None:
        """The tiles have gone: the next hand is a new one, even if it is the same again."""
        with self.lock:
            self._on_table.clear()
            self._recorded.clear()
            self._asking = ""

    def record(self, case: Case, details: Mapping[str, Any], key: str, actor: str = "taicam") -> Outcome:
        """Record a hand outside any match, and show it."""
        hand_id = uuid.uuid4().hex[:12]
        payload = {
            "hand_id": hand_id,
            "outcome": "win",
            "record": case.record,
            "answer": case.answer,
            "fingerprint": fingerprint(case.record),
            "picture": case.name,
            **details,
        }
        self.ledger.append(EventKind.HAND_RECORDED, payload, key=key, actor=actor)
        self.refresh()
        self.lying_on_table(case.record)
        self.show("recorded", say("recorded"), free_table(self._account, case.facts), shown_case(case))
        return Outcome(case.name, "recorded", case.record, case.answer, hand_id=hand_id)

    def lying_on_table(self, hand: Mapping[str, Any]) -> None:
        """Remember that this recorded hand lies on the table: it is not offered again until the table was cleared."""
        self._on_table.add(fingerprint(hand))
        self._recorded, self._recorded_mark = _tiles_of(hand), fingerprint(hand)

    def offered(self, offer_id: str) -> Mapping[str, Any]:
        """The payload of a hand that waits to be confirmed. Raises UsageError when there is none."""
        offer = self._account.open_offers.get(offer_id)
        if offer is None:
            raise UsageError(f"no hand {offer_id!r} waits to be confirmed", "see `taicam ledger offers`")
        return offer.payload

    # -- inside -----------------------------------------------------------------------------------------------

    def _worded(self, said: Said) -> str:
        """In the house's language, for the terminal and the log."""
        return said.text(self.house.language)

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

    def _still_lying(self, reading: TableReading) -> HandEntry | None:
        """The recorded hand, when this reading of a table shows it again with a tile or two read otherwise."""
        if not self._recorded or another_hand(_tiles_of(reading.hand_record()), self._recorded):
            return None
        counted = reversed(self._account.counted())
        return next((hand for hand in counted if hand.details.get("fingerprint") == self._recorded_mark), None)

    def _remember_table(self) -> None:
        """After a restart the last hand may still lie there: do not offer it again until the table was cleared."""
        last = self._account.last_hand()
        if last is not None and last.details.get("fingerprint"):
            self._on_table.add(str(last.details["fingerprint"]))
        self._on_table |= {str(offer.payload["fingerprint"]) for offer in self._account.open_offers.values()}

    @staticmethod
    def _doubts(reading: TableReading, case: Case) -> tuple[Said, ...]:
        doubts = [Said(doubt.message_zh, doubt.message_en) for doubt in reading.doubts]
        if case.answer.get("error"):
            doubts.append(refusal(case.answer))
        if reading.status == CONFIRM and not doubts:
            doubts.append(say("win_not_certain"))
        return tuple(doubts)

    @staticmethod
    def _why_unreadable(reading: TableReading) -> Said:
        reasons: list[Doubt | QualityNote] = [note for note in reading.quality if note.severe]
        reasons.extend(reading.doubts)
        if not reasons:
            return say("unclear")
        return Said(";".join(r.message_zh for r in reasons), "; ".join(r.message_en for r in reasons))

    def _repeat(self, earlier: HandEntry | str, case: Case) -> Outcome:
        scored = self._standing is None
        table = free_table(self._account, case.facts) if scored else self.table()
        if isinstance(earlier, str):
            self.show("confirm", say("confirm"), table, shown_case(case, scored=scored, paid=False))
            return Outcome(case.name, "confirm", case.record, case.answer, hand_id=earlier)
        self.show("recorded", say("already"), table, shown_case(case, scored=scored))
        return Outcome(case.name, "already", case.record, case.answer, hand_id=earlier.hand_id)

    def _supersede(self) -> None:
        """A live view gives a better reading of a hand still lying there: the earlier question is withdrawn."""
        if self._asking in self._account.open_offers:
            self.ledger.append(EventKind.OFFER_DISMISSED, {"offer_id": self._asking})
            self.refresh()

    def _ask(self, case: Case, doubts: tuple[Said, ...], details: Mapping[str, Any], key: str) -> Outcome:
        key = f"offer:{key}"
        known = self.ledger.find(key)
        offer_id = str(known.payload["offer_id"]) if known else uuid.uuid4().hex[:12]
        if known is None:
            payload = {
                "offer_id": offer_id,
                "record": case.record,
                "fingerprint": fingerprint(case.record),
                "picture": case.name,
                "doubts": [doubt.zh for doubt in doubts],
                "doubts_en": [doubt.en for doubt in doubts],
                **details,
            }
            self.ledger.append(EventKind.HAND_OFFERED, payload, key=key)
            self.refresh()
        self._on_table.add(fingerprint(case.record))
        self._asking = offer_id
        shown = shown_case(case, doubts, scored=self._standing is None, paid=False)
        self.show("confirm", say("confirm"), shown=shown)
        return Outcome(
            case.name, "confirm", case.record, case.answer, tuple(map(self._worded, doubts)), hand_id=offer_id
        )

    def _not_winning(self, case: Case) -> Outcome:
        reason, no_win = refusal(case.answer), say("not_winning")
        message = Said(f"{no_win.zh}:{reason.zh}", f"{no_win.en}: {reason.en}")
        self.show("not_winning", message, shown=shown_case(case))
        return Outcome(case.name, "not_winning", case.record, case.answer, problem=self._worded(reason))


def _tiles_of(hand: Mapping[str, Any]) -> Counter[str]:
    return Counter([*hand["concealed"], *(tile for meld in hand["melds"] for tile in meld["tiles"])])


def _key(digest: str | None, case: Case) -> str:
    """The idempotency key of a picture's hand: its content and the facts it was scored with."""
    if digest is None:
        return uuid.uuid4().hex
    facts = {key: value for key, value in case.record.items() if key not in _TILE_FIELDS}
    return f"picture:{digest}:{hashlib.sha256(encode_payload(facts).encode()).hexdigest()[:16]}"
