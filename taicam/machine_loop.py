"""A table with an automatic machine on a serial line: its buttons announce wins, draws and undo, its camera shows the
hand, and its panel shows the score.

Every event has a key of its own that stays the same across a reboot of either side: it is the idempotency key of
what the event makes happen, so that an event told twice counts once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from device.machine.events import MachineEvent
from device.machine.jobs import MachineError, MachineRefused
from device.machine.link import MachineLink
from device.machine.session import EventsLost, LinkDown, LinkUp, Notice
from device.machine.table import (
    Confirmed,
    HandDrawn,
    HandStarted,
    MachineFault,
    MachineTable,
    TableNews,
    UndoAsked,
    WinAnnounced,
)
from scoring import ScoringError
from scoring.view import HealthMark, Said
from taicam.errors import TaicamError, UsageError
from taicam.errors_zh import problem_of
from taicam.facts import Facts
from taicam.learning import View
from taicam.ledger import LedgerError
from taicam.logs import get_logger
from taicam.match.submission import Submission, Win
from taicam.outcome import Outcome
from taicam.pictures import PictureStore
from taicam.pipeline import OnOutcome
from taicam.play import PlayDesk, Source
from taicam.session import Session
from taicam.words import say
from vision.observation import CONFIRM, Doubt, MeldReading, TableReading, TileObservation
from vision.picture import PictureError, load_picture
from vision.reader import HandReader

log = get_logger(__name__)
ACTOR = "machine"
WAIT_S = 0.5
RETRY_S = 5.0
IMAGE_TRIES = 3
IMAGE_PAUSE_S = 2.0
_HAND_FIELDS = ("concealed", "melds", "flowers", "win_tile")


class MachineLoop:
    """Applies a machine's events to the table, one at a time; the ledger has each before the next is asked for."""

    def __init__(
        self,
        link: MachineLink,
        reader: Callable[[], HandReader],
        session: Session,
        pictures: PictureStore,
        on_outcome: OnOutcome,
    ) -> None:
        self._link = link
        self._reader = reader
        self._session = session
        self._play = PlayDesk(session)
        self._pictures = pictures
        self._on_outcome = on_outcome
        self._table = MachineTable()

    def run(self, stop: threading.Event) -> None:
        """Take events until `stop` is set."""
        while not stop.is_set():
            item = self._link.next(WAIT_S)
            while item is not None and not self._applied(item) and not stop.is_set():
                stop.wait(RETRY_S)  # a full disk, a locked ledger: the event is not confirmed before it is written

    def _applied(self, item: MachineEvent | Notice) -> bool:
        try:
            if isinstance(item, MachineEvent):
                news = self._table.feed(item)
                if news is not None:
                    self._act(news)
            else:
                self._notice(item)
        except LedgerError as error:
            log.error("an event of the machine cannot be written down", reason=str(error))
            self._session.board.update(message=problem_of(error))
            return False
        except (TaicamError, ScoringError) as error:
            log.warning("an event of the machine was refused", reason=str(error))
            self._session.board.update(message=problem_of(error))
        return True

    def _notice(self, notice: Notice) -> None:
        match notice:
            case LinkUp():
                self._mark("ok")
                log.info("the machine answers", machine=notice.machine, firmware=notice.firmware, reboot=notice.reboot)
            case LinkDown():
                self._mark("fail")
                log.warning("the machine does not answer", machine=notice.machine, reason=notice.reason)
            case EventsLost():
                self._mark("warn")
                log.error("the machine has forgotten events nobody had read", machine=notice.machine)
                self._session.board.update(message=say("events_lost"))

    def _mark(self, mark: HealthMark) -> None:
        self._session.board.update(machine=mark)

    def _act(self, news: TableNews) -> None:
        match news:
            case WinAnnounced():
                self._win(news)
            case HandDrawn():
                if self._session.standing is not None:
                    self._play.record(Submission("draw"), Facts(), Source(picture=ACTOR), news.key, ACTOR)
            case Confirmed():
                self._confirm(news)
            case UndoAsked():
                self._play.undo(news.key, ACTOR)
            case HandStarted():
                self._session.table_cleared()
                if self._session.board.view.state != "confirm":
                    self._session.show_idle()
            case MachineFault():
                self._mark("ok" if news.text == "" else "warn")
                self._session.board.update(message=Said(news.text, news.text))

    # -- a win --------------------------------------------------------------------------------------------------

    def _win(self, news: WinAnnounced) -> None:
        facts = Facts(
            seat_wind=news.seat_wind,
            round_wind=news.round_wind,
            self_draw=news.self_draw,
            streak=news.streak,
            dealer_player=news.dealer,
            loser=news.from_seat,
            place=news.seat,
        )
        name = f"{ACTOR} #{news.hand_number}"
        self._session.show_reading(name)
        outcome, reading = self._read(news, facts, name)
        self._on_outcome(outcome, reading)

    def _read(self, news: WinAnnounced, facts: Facts, name: str) -> tuple[Outcome, TableReading | None]:
        try:
            image = load_picture(self._image())
        except (MachineError, PictureError) as error:
            reading = reading_of_tiles(news)
            if reading is None:
                return self._session.fail(name, str(error), problem_of(error), bad_input=False), None
            return self._session.offer(reading, name, facts, news.key, place=news.seat), reading
        reading = self._reader().read(image)
        self._session.eye.see(image, reading, name)
        kept = self._pictures.put(image)
        outcome = self._session.offer(reading, name, facts, news.key, kept, news.seat)
        if self._session.learner is not None:
            self._session.learner.looked(View(image, reading), outcome)
        return outcome, reading

    def _image(self) -> bytes:
        """The machine's picture; asked for again where the line failed, not where the machine has no camera."""
        for _ in range(IMAGE_TRIES - 1):
            try:
                return self._link.request_image()
            except MachineRefused:
                raise
            except MachineError as error:
                log.info("the machine's picture did not come", reason=str(error))
                time.sleep(IMAGE_PAUSE_S)
        return self._link.request_image()

    def _confirm(self, news: Confirmed) -> None:
        """Somebody pressed *confirm* on the machine: the last hand that waits is recorded as it was read."""
        offers = list(self._session.account.open_offers.values())
        if not offers:
            return
        offer = offers[-1].payload
        record = offer["record"]
        hand = {name: record[name] for name in _HAND_FIELDS}
        facts = Facts.from_mapping(record)
        if not facts.self_draw and facts.loser is None:
            asked = say("who_dealt_in")
            raise UsageError(asked.en, "choose the discarder on the tablet", asked.zh)
        win = Win(offer.get("place", facts.winner), hand, facts.self_draw, facts.flags)
        submission = Submission("win", (win,), facts.loser)
        source = Source(offer_id=str(offer["offer_id"]))
        self._play.record(submission, replace(facts, loser=None), source, news.key, ACTOR)


def reading_of_tiles(news: WinAnnounced) -> TableReading | None:
    """A reading made of what the table's tile readers told, None when they told nothing.

    They say which tiles lie where, not how the melds are made up: the hand is to be confirmed by somebody.
    """
    hand = list(news.tiles.get("hand", ()))
    win = next(iter(news.tiles.get("win_tile", ())), None)
    if win is not None:
        hand.append(win)
    melds, flowers = news.tiles.get("meld", ()), news.tiles.get("flower", ())
    if not hand:
        return None
    codes = [*hand, *melds, *flowers]
    groups = group_melds(melds)
    role = "meld" if groups is not None else "left_out"
    roles = ["concealed"] * len(hand) + [role] * len(melds) + ["flower"] * len(flowers)
    if win is not None:
        roles[len(hand) - 1] = "winning"
    text = "牌由麻將桌感應,請確認副露", "the table sensed these tiles: confirm the melds"
    return TableReading(
        tiles=tuple(TileObservation(code, (0.0, 0.0, 0.0, 0.0), 1.0) for code in codes),
        concealed=tuple(hand),
        melds=_placed(groups or [], len(hand)),
        flowers=tuple(flowers),
        win_tile=win,
        doubts=(Doubt("machine", *text),),
        roles=tuple(roles),
        status=CONFIRM,
        win_tile_index=len(hand) - 1 if win is not None else None,
    )


def group_melds(codes: Sequence[str]) -> list[tuple[str, tuple[str, ...]]] | None:
    """Melds out of tiles in the order they were laid down; None when they cannot be told apart.

    Whether a kong was concealed no sensor says: it is called exposed, and asked about with the rest.
    """
    if not codes:
        return []
    for size, kind in ((4, "kong_exposed"), (3, "pung"), (3, "chow")):
        first = tuple(codes[:size])
        if len(first) == size and (_run(first) if kind == "chow" else len(set(first)) == 1):
            rest = group_melds(codes[size:])
            if rest is not None:
                return [(kind, first), *rest]
    return None


def _run(codes: Sequence[str]) -> bool:
    numbers = sorted(int(code[0]) for code in codes if code[0].isdigit())
    suits = {code[1:] for code in codes if code[0].isdigit()}
    return (
        len(numbers) == len(codes) and len(suits) == 1 and numbers == list(range(numbers[0], numbers[0] + len(codes)))
    )


def _placed(groups: Sequence[tuple[str, tuple[str, ...]]], start: int) -> tuple[MeldReading, ...]:
    placed = []
    for kind, tiles in groups:
        placed.append(MeldReading(kind, tiles, tuple(range(start, start + len(tiles)))))
        start += len(tiles)
    return tuple(placed)
