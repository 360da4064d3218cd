"""What people do at the table: confirm, correct, take back, and play a match from its start to settling up.

Every action carries an idempotency key made by the page when the action began: the same key never counts twice,
whatever the network did to the request.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring import load_ruleset
from scoring.settlement import paid_winners
from taicam.errors import UsageError
from taicam.facts import WINDS, Facts
from taicam.house import Case
from taicam.ledger import EventKind, HandEntry
from taicam.match.progress import MatchState, dealer_told, seats_drawn, wall_broken
from taicam.match.replay import Played, Standing, judge, standing_of
from taicam.match.setup import MatchSetup, check_seating
from taicam.match.submission import Submission
from taicam.outcome import fingerprint
from taicam.presenter import match_table, shown_played
from taicam.session import Session
from taicam.views import refusal
from taicam.words import say

PREVIEW = HandEntry("preview", 0, "", None, "win", {}, {}, {})


@dataclass(frozen=True, slots=True)
class Source:
    """Where a submitted hand came from: an offer, or a photo (its reading and kept picture)."""

    offer_id: str | None = None
    reading: Mapping[str, Any] | None = None
    picture_id: str = ""
    picture: str = ""

    def details(self) -> dict[str, Any]:
        """What the ledger keeps of it."""
        kept = {
            "offer_id": self.offer_id,
            "reading": self.reading,
            "picture_id": self.picture_id,
            "picture": self.picture,
        }
        return {name: value for name, value in kept.items() if value}


class PlayDesk:
    """The actions of people on one session. Raises UsageError, with what to do, for everything that cannot be."""

    def __init__(self, session: Session) -> None:
        self.session = session

    # -- hands ------------------------------------------------------------------------------------------------

    def preview(self, submission: Submission, facts: Facts, hand_id: str | None = None) -> Case | Played:
        """What a hand would score, without recording it; `hand_id` names the older hand it would replace."""
        with self.session.lock:
            self.session.refresh()
            entry = self._entry(hand_id) if hand_id else None
            match_id = entry.match_id if entry else self.session.account.current_match()
            if match_id is None:
                return self._case(submission, facts, "")
            return self._judged(self._standing_before(match_id, entry), submission)

    def record(self, submission: Submission, facts: Facts, source: Source, key: str, actor: str) -> str:
        """Record a hand and return its id; `facts` hold what a match would know when none is being played."""
        with self.session.lock:
            self.session.refresh()
            done = self.session.ledger.find(key)
            if done is not None:
                return str(done.payload["hand_id"])
            source = self._with_offer(source)
            hand_id = self._record(submission, facts, source, key, actor)
            if self.session.learner is not None and submission.wins:
                self.session.learner.settled(source.offer_id, submission.wins[0].hand, hand_id, actor)
            return hand_id

    def correct(self, hand_id: str, submission: Submission, facts: Facts, key: str, actor: str) -> None:
        """Replace what is known of an older hand; everything after it is recomputed."""
        with self.session.lock:
            self.session.refresh()
            if self.session.ledger.find(key) is not None:
                return
            entry = self._entry(hand_id)
            if entry.voided:
                raise UsageError("this hand is voided", "restore it first")
            payload: dict[str, Any] = {"hand_id": hand_id}
            if entry.match_id is None:
                case = self._case(submission, facts, entry.picture)
                _must_win(case)
                payload |= {"outcome": "win", "record": case.record, "answer": case.answer}
                payload["fingerprint"] = fingerprint(case.record)
            else:
                before = self._standing_before(entry.match_id, entry)
                _must_count(self._judged(before, submission))
                payload |= {**submission.to_payload(), **_mark(submission)}
            self._append(EventKind.HAND_CORRECTED, payload, key, actor, entry.match_id)
            if self.session.learner is not None and submission.wins:
                self.session.learner.corrected(hand_id, submission.wins[0].hand, actor)
            self.session.show_totals()

    def confirm(self, offer_id: str, key: str, actor: str, changes: Mapping[str, Any] | None = None) -> HandEntry:
        """Record a hand that was waiting outside any match, with corrected fields of its scoring record."""
        with self.session.lock:
            self.session.refresh()
            done = self.session.ledger.find(key)
            if done is None:
                if self.session.standing is not None:
                    raise UsageError("a match is being played", "confirm on the tablet, where the winner is named")
                offer = self.session.offered(offer_id)
                record = {**offer["record"], **dict(changes or {})}
                case = Case.build(str(offer["picture"]), record, Facts.from_mapping(record), self.session.house)
                _must_win(case)
                details = self._with_offer(Source(offer_id=offer_id)).details()
                self.session.record(case, details, key, actor)
                done = self.session.ledger.find(key)
                assert done is not None
            return self.session.account.hands[str(done.payload["hand_id"])]

    def dismiss(self, offer_id: str, key: str, actor: str) -> None:
        """Drop a hand that was waiting: it was no win, or no hand at all."""
        with self.session.lock:
            self.session.refresh()
            if self.session.ledger.find(key) is None:
                self.session.offered(offer_id)
                self._append(EventKind.OFFER_DISMISSED, {"offer_id": offer_id}, key, actor, None)
                if self.session.learner is not None:
                    self.session.learner.dropped(offer_id)
                self.session.show_idle()

    def void(self, hand_id: str, key: str, actor: str, reason: str = "") -> None:
        """Take a recorded hand out of the account; it stays in the ledger, marked."""
        self._set_mark(EventKind.HAND_VOIDED, hand_id, key, actor, reason)

    def restore(self, hand_id: str, key: str, actor: str) -> None:
        """Take a void back."""
        self._set_mark(EventKind.HAND_RESTORED, hand_id, key, actor, "")

    def undo(self, key: str, actor: str) -> str:
        """Void the last hand that counts (of the match being played, if any) and return its id."""
        with self.session.lock:
            self.session.refresh()
            done = self.session.ledger.find(key)
            if done is not None:
                return str(done.payload["hand_id"])
            match_id = self.session.account.current_match()
            hands = [hand for hand in self.session.account.counted() if hand.match_id == match_id]
            if not hands:
                raise UsageError("there is no hand to take back", "record one first")
            self.void(hands[-1].hand_id, key, actor, "undo")
            return hands[-1].hand_id

    # -- match ------------------------------------------------------------------------------------------------

    def start_match(self, payload: Mapping[str, Any], key: str, actor: str) -> Standing:
        """Start a match; the one being played must be ended first."""
        with self.session.lock:
            self.session.refresh()
            done = self.session.ledger.find(key)
            if done is None:
                if self.session.standing is not None:
                    raise UsageError("a match is being played", "end it first")
                match_id = uuid.uuid4().hex[:12]
                setup = MatchSetup.from_payload(match_id, payload)
                self._append(EventKind.MATCH_STARTED, setup.to_payload(), key, actor, match_id)
                self.session.show_idle()
                return self._playing()
            return standing_of(self.session.account, str(done.match_id))

    def end_match(self, key: str, actor: str) -> None:
        """End the match being played."""
        with self.session.lock:
            self.session.refresh()
            if self.session.ledger.find(key) is None:
                match_id = self._playing().setup.match_id
                self._append(EventKind.MATCH_ENDED, {}, key, actor, match_id)
                self.session.show_idle()

    def change_seats(self, seating: tuple[str, ...], key: str, actor: str) -> None:
        """Seat people otherwise from the next hand on."""
        with self.session.lock:
            self.session.refresh()
            if self.session.ledger.find(key) is None:
                standing = self._playing()
                setup = standing.setup
                check_seating(setup, seating)
                seats_drawn(standing.progress, standing.seating, seating)
                self._append(EventKind.SEATS_CHANGED, {"seating": list(seating)}, key, actor, setup.match_id)
                self.session.show_idle()

    def break_wall(self, place: int, key: str, actor: str) -> None:
        """Say where the wall of the coming hand was broken (開門): that place is east."""
        self._tell(EventKind.WALL_BROKEN, wall_broken, place, key, actor)

    def name_dealer(self, place: int, key: str, actor: str) -> None:
        """Say who deals the coming hand, where the ruleset leaves that to the table."""
        self._tell(EventKind.DEALER_TOLD, dealer_told, place, key, actor)

    def _tell(
        self, kind: EventKind, what: Callable[[MatchState, int], MatchState], place: int, key: str, actor: str
    ) -> None:
        with self.session.lock:
            self.session.refresh()
            if self.session.ledger.find(key) is None:
                standing = self._playing()
                what(standing.progress, place)  # refused before anything is written
                self._append(kind, {"place": place}, key, actor, standing.setup.match_id)
                self.session.show_idle()

    # -- inside -----------------------------------------------------------------------------------------------

    def _append(self, kind: EventKind, payload: Mapping[str, Any], key: str, actor: str, match_id: str | None) -> None:
        self.session.ledger.append(kind, payload, key=key, actor=actor, match_id=match_id)
        self.session.refresh()

    def _playing(self) -> Standing:
        standing = self.session.standing
        if standing is None:
            raise UsageError("no match is being played", "start one first")
        return standing

    def _entry(self, hand_id: str) -> HandEntry:
        entry = self.session.account.hands.get(hand_id)
        if entry is None:
            raise UsageError(f"there is no hand {hand_id!r} in the ledger", "see `taicam ledger list`")
        return entry

    def _standing_before(self, match_id: str, entry: HandEntry | None) -> Standing:
        return standing_of(self.session.account, match_id, until=entry.hand_id if entry else None)

    def _judged(self, standing: Standing, submission: Submission) -> Played:
        _must_be_paid(standing, submission)
        return judge(standing, submission, PREVIEW)

    def _case(self, submission: Submission, facts: Facts, name: str) -> Case:
        """A hand outside any match: one winner, whose seat wind is that of the place."""
        if submission.outcome != "win" or len(submission.wins) != 1:
            raise UsageError("outside a match only single wins are recorded", "start a match for draws and false wins")
        win = submission.wins[0]
        whole = Facts(
            seat_wind=WINDS[win.place],
            round_wind=facts.round_wind,
            self_draw=win.self_draw,
            streak=facts.streak,
            flags=win.flags,
            dealer_player=facts.dealer_player,
            loser=submission.loser,
            place=win.place,
        )
        return Case.build(name, win.told, whole, self.session.house)

    def _record(self, submission: Submission, facts: Facts, source: Source, key: str, actor: str) -> str:
        standing = self.session.standing
        if standing is None:
            return self._record_free(submission, facts, source, key, actor)
        played = self._judged(standing, submission)
        _must_count(played)
        hand_id = uuid.uuid4().hex[:12]
        payload = {"hand_id": hand_id, **submission.to_payload(), **source.details(), **_mark(submission)}
        self._append(EventKind.HAND_RECORDED, payload, key, actor, standing.setup.match_id)
        if submission.wins:
            self.session.lying_on_table(submission.wins[0].hand)
        self._show_last()
        return hand_id

    def _record_free(self, submission: Submission, facts: Facts, source: Source, key: str, actor: str) -> str:
        case = self._case(submission, facts, source.picture)
        _must_win(case)
        return self.session.record(case, source.details(), key, actor).hand_id

    def _with_offer(self, source: Source) -> Source:
        if source.offer_id is None:
            return source
        offer = self.session.offered(source.offer_id)
        return Source(source.offer_id, offer["reading"], str(offer.get("picture_id", "")), str(offer["picture"]))

    def _show_last(self) -> None:
        standing = self._playing()
        played = standing.hands[-1]
        message = say({"win": "recorded", "draw": "drawn", "false_win": "false_win"}[played.entry.outcome])
        # A won hand is shown with the deal it was won in; after a draw or a false win the coming one is what matters.
        table = match_table(standing, played if played.wins else None)
        self.session.show("recorded", message, table, shown_played(played))

    def _set_mark(self, kind: EventKind, hand_id: str, key: str, actor: str, reason: str) -> None:
        with self.session.lock:
            self.session.refresh()
            entry = self._entry(hand_id)
            payload = {"hand_id": hand_id, "reason": reason}
            self._append(kind, payload, key, actor, entry.match_id)
            self.session.show_idle()


def _mark(submission: Submission) -> dict[str, Any]:
    return {"fingerprint": fingerprint(submission.wins[0].hand)} if submission.wins else {}


def _must_win(case: Case) -> None:
    if not case.wins:
        chinese, english = refusal(case.answer)
        raise UsageError(english, "correct that and confirm again, or dismiss it", chinese)


def _must_count(played: Played) -> None:
    if played.problem:
        raise UsageError(played.problem_en, "correct that and confirm again", played.problem)


def _must_be_paid(standing: Standing, submission: Submission) -> None:
    """Several winners on one discard: only as many as the ruleset lets win."""
    if submission.loser is None or len(submission.wins) < 2:
        return
    rules = load_ruleset(standing.setup.ruleset, standing.setup.options)
    places = [win.place for win in submission.wins]
    paid = paid_winners(rules, places, submission.loser)
    if len(paid) < len(places):
        names = standing.seat_names()
        raise UsageError(
            f"only the nearest winner, {names[paid[0]]}, wins",
            "take the other winners out, or start a match with the option multi_ron = all",
        )
