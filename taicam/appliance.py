"""The appliance of `taicam run`: source, reader, session, displays, pages and ledger, put together and taken apart."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from pathlib import Path
from types import FrameType

from rich.console import Console

from device.cameras import Camera, CameraError, driver_for, open_camera
from device.displays import open_display
from device.machine.cursors import FileCursors
from device.machine.link import MachineLink
from taicam import check
from taicam.board import Board
from taicam.camera_settings import AdjustableCamera
from taicam.capture import CaptureStore, Circumstances
from taicam.config import Settings, is_loopback, resolve_references
from taicam.datadir import DataDirLock
from taicam.errors import UsageError
from taicam.facts import Facts
from taicam.house import House
from taicam.learning import Learner
from taicam.ledger import Ledger
from taicam.logs import get_logger, redact
from taicam.machine_loop import MachineLoop
from taicam.networks import ReaderKeeper
from taicam.outcome import Outcome
from taicam.pictures import PictureStore
from taicam.pipeline import LiveLoop, run_pictures
from taicam.session import Session
from taicam.table_logs import TableLogs
from taicam.table_watch import TableWatcher
from taicam.truth import Truth, find_truth, load_truth
from taicam.watch import HandWatcher, Watcher
from taicam.web.app import WebOptions, create_app
from taicam.web.certificate import own_certificate
from taicam.web.server import WebServer, own_address
from vision.observation import TableReading
from vision.reader import HandReader
from vision.table import CalibrationError, TableCalibration, calibration_path, load_calibration
from vision.table_bump import BumpWatch
from vision.table_reader import TableReader

log = get_logger(__name__)
SAMPLE = "sample"
NO_CAMERA = "none"
SERIAL = "serial://"
TABLE_WIDTH = 132
LIVE_DRIVERS = frozenset({"opencv", "url", "picamera2"})
ADJUSTABLE_DRIVERS = LIVE_DRIVERS | {"synthetic"}
FOLLOW_S = 1.0  # how soon a change made by another program (`taicam ledger void …`) shows


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How this run behaves, beside the settings: no terminal display; JSON lines on standard output; the facts that
    hold for every picture whose own are not known; whether to go on serving the pages after the last picture."""

    headless: bool = False
    as_json: bool = False
    facts: Facts = field(default_factory=Facts)
    keep_serving: bool = False


def sample_folder() -> Path:
    """The bundled sample: pictures of whole hands with their truth."""
    return Path(str(resources.files("taicam") / "sample"))


class Appliance:
    """One run of one table."""

    def __init__(self, settings: Settings, options: RunOptions) -> None:
        self.settings = settings
        self.options = options
        self.stop = threading.Event()
        # A pipe or a log file has no width of its own: the table is then made wide enough to be read.
        wide = None if sys.stdout.isatty() else TABLE_WIDTH
        self._out = Console(stderr=options.as_json, width=wide)
        self._outcomes: list[Outcome] = []
        self._checked: list[check.Checked] = []
        self._truth: dict[str, Truth] = {}
        self._keeper = cache(partial(ReaderKeeper, settings))  # the camera and the photos of phones share one reader
        self._pictures = PictureStore(settings.data_dir / "pictures")
        self._calibration: TableCalibration | None = None  # of the table the camera watches

    def run(self) -> int:
        """Do the job and return the exit status: 0, or 2 when a picture was bad input."""
        with ExitStack() as stack:
            source = self._source()
            self._truth = {} if source.startswith(SERIAL) else self._load_truth(source)
            stack.enter_context(DataDirLock(self.settings.data_dir))
            ledger = stack.enter_context(Ledger.open(self.settings.data_dir))
            session = Session(ledger, Board(), self._house())
            store = CaptureStore(self.settings.data_dir / "captures", self.settings.capture)
            session.learner = Learner(stack.enter_context(store), redact(source))
            stack.callback(session.learner.close)
            close_display = self._attach_display(session, stack)
            url = self._serve(session, stack)
            self._handle_signals(stack)
            keeper = self._keeper() if source != NO_CAMERA else None
            if keeper is not None:
                session.learner.known = partial(self._known, keeper)
            self._watch(source, keeper, session, stack)
            close_display()
            self._report(session, url)
            if source == NO_CAMERA or (self.options.keep_serving and url):
                self._wait(session, url)
        # A picture of the truth table that could not be read is a result of the check; any other one is bad input.
        return 2 if any(outcome.bad_input and outcome.name not in self._truth for outcome in self._outcomes) else 0

    # -- putting together -------------------------------------------------------------------------------------

    def _source(self) -> str:
        source = resolve_references(self.settings.source)
        if source == NO_CAMERA or source.startswith(SERIAL):
            return source
        if source != SAMPLE:
            try:
                driver_for(source)
            except CameraError as error:
                raise UsageError(error.problem, error.advice) from None
            return source
        folder = sample_folder()
        if not (folder / "truth.json").is_file():
            raise UsageError("the bundled sample is not there", "install taicam again, or give another --source")
        return str(folder)

    def _load_truth(self, source: str) -> dict[str, Truth]:
        path = find_truth(source) if source != NO_CAMERA else None
        return load_truth(path) if path else {}

    def _house(self) -> House:
        settings = self.settings
        return House(
            settings.ruleset, settings.options, settings.stakes.di, settings.stakes.tai, language=settings.language
        )

    @property
    def _display_language(self) -> str:
        return "zh" if self.settings.language == "zh-Hant" else "en"

    def _attach_display(self, session: Session, stack: ExitStack) -> Callable[[], None]:
        wanted = self.settings.display
        if wanted.name == "none" or (wanted.name == "console" and (self.options.headless or self.options.as_json)):
            return lambda: None
        extra = {"lang": self._display_language} if wanted.name == "console" else {}
        display = open_display(wanted.name, **{**extra, **wanted.settings})
        stop_listening = session.board.listen(display.show)

        def close() -> None:
            stop_listening()
            display.close()

        stack.callback(close)
        return close

    def _serve(self, session: Session, stack: ExitStack) -> str:
        web = self.settings.web
        if not web.enabled:
            return ""
        options = WebOptions(
            pairing=web.pairs,
            viewing=web.viewing,
            upload_mb=web.upload_mb,
            data_dir=self.settings.data_dir,
            camera_name=self.settings.reading.camera_name,
            tile_set=self.settings.reading.tile_set,
        )
        app = create_app(session, self._pictures, self._photo_reader, options)
        certificate = None
        if web.https:
            reached_at = () if is_loopback(web.address) else (own_address(web.address),)
            certificate = own_certificate(self.settings.data_dir, reached_at)
        server = WebServer(app, web.address, web.port, app.state.feed.close, certificate)
        app.state.public_url = server.public_url
        server.start()
        stack.callback(server.stop)
        log.info("pages are served", display=f"{server.url}/display")
        if not self.options.as_json:
            self._out.print(f"計台顯示 display: {server.url}/display", highlight=False)
            self._out.print(f"記台頁面 companion: {server.public_url}/", highlight=False)
        if app.state.desk is not None and not self.options.as_json:
            self._out.print(f"配對碼 pairing code: {app.state.desk.code()[0]} (`taicam devices code`)", highlight=False)
        return server.url

    def _photo_reader(self) -> HandReader:
        """What reads photos of phones; beside a camera its loop says when networks and tile sets may change."""
        keeper = self._keeper()
        if self.settings.source == NO_CAMERA:
            keeper.between_hands()
        return keeper.reader

    def _handle_signals(self, stack: ExitStack) -> None:
        if threading.current_thread() is not threading.main_thread():
            return

        def ask_to_stop(number: int, _frame: FrameType | None) -> None:
            log.info("stopping", signal=signal.Signals(number).name)
            self.stop.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            before = signal.signal(number, ask_to_stop)
            stack.callback(signal.signal, number, before)

    # -- doing the job ----------------------------------------------------------------------------------------

    def _watch(self, source: str, keeper: ReaderKeeper | None, session: Session, stack: ExitStack) -> None:
        if keeper is None:
            return
        if source.startswith(SERIAL):
            self._machine(source, keeper, session, stack)
            return
        driver = str(self.settings.camera.get("driver") or driver_for(source))
        settings = dict(self.settings.camera)
        if self.options.headless and driver in LIVE_DRIVERS:
            settings.setdefault("patient", True)  # after a power cut the camera may come up later than we do
        if driver == "video":
            settings.setdefault("step", 8)  # about three looks a second of a film
        camera: Camera
        if driver in ADJUSTABLE_DRIVERS:
            camera = stack.enter_context(AdjustableCamera(source, driver, settings, self.settings.data_dir))
            session.camera = camera
        else:
            camera = stack.enter_context(open_camera(source, **settings))
        if driver == "images":
            for outcome, reading in run_pictures(
                camera, keeper.reader, session, self._facts_for, self.stop, self._pictures
            ):
                self._take(outcome, reading, session)
            return
        self._live(camera, keeper, session)

    def _live(self, camera: Camera, keeper: ReaderKeeper, session: Session) -> None:
        def on_outcome(outcome: Outcome, reading: TableReading | None) -> None:
            self._take(outcome, reading, session)

        follower = threading.Thread(target=self._follow, args=(session,), name="follow", daemon=True)
        follower.start()
        interval = self.settings.reading.interval_s
        facts = self.options.facts

        calibrated = self._calibrated_at()

        def renewed() -> Watcher | None:
            nonlocal calibrated
            before, calibrated = calibrated, self._calibrated_at()
            changed = keeper.between_hands() or calibrated != before
            return self._watcher(keeper.reader) if changed else None

        watcher = self._watcher(keeper.reader)
        played = TableLogs(self.settings.data_dir).add
        loop = LiveLoop(camera, watcher, session, interval, facts, on_outcome, self._pictures, renewed, played)
        loop.run(self.stop)

    def _calibrated_at(self) -> float:
        """When the camera was last calibrated; 0 for never."""
        try:
            return calibration_path(self.settings.data_dir, self.settings.reading.camera_name).stat().st_mtime
        except OSError:
            return 0.0

    def _watcher(self, reader: HandReader) -> Watcher:
        """The whole table where it is calibrated, else one hand."""
        settings = self.settings.reading
        self._calibration = None
        if settings.mode == "hand":
            return HandWatcher(reader)
        try:
            calibration = load_calibration(self.settings.data_dir, settings.camera_name)
        except CalibrationError as error:
            if settings.mode == "table":
                raise UsageError(str(error), 'or set reading.mode = "hand"') from None
            return HandWatcher(reader)
        watch = BumpWatch.load(self.settings.data_dir, calibration)
        self._calibration = calibration
        return TableWatcher(TableReader(reader, calibration, watch), calibration)

    def _known(self, keeper: ReaderKeeper, reading: TableReading) -> Circumstances:
        """What a captured view's sidecar says besides the tiles.

        The table's outline holds as long as the camera was not moved: after that only the tiles' surroundings are kept.
        """
        name = self.settings.reading.camera_name
        corners, told = None, None
        if self._calibration is not None:
            told = self._calibration.to_json()
            if not any(note.kind == "bumped" for note in reading.quality):
                with suppress(CalibrationError):  # of a picture of another shape
                    corners = self._calibration.scaled(reading.size).corners
        return Circumstances(
            camera={"name": name},
            calibration=told,
            model=dict(keeper.model),
            table=name,
            tile_set=keeper.tile_set,
            table_corners=corners,
        )

    def _machine(self, source: str, keeper: ReaderKeeper, session: Session, stack: ExitStack) -> None:
        """A machine on a serial line: its events, its pictures, its panel."""
        settings = self.settings.machine
        cursors = FileCursors(self.settings.data_dir / "machine-cursors.json")
        link = MachineLink(
            source,
            address=settings.address,
            codec=settings.codec,
            baud=settings.baud,
            half_duplex=settings.half_duplex,
            cursors=cursors,
        )
        stack.enter_context(link)
        panel = stack.enter_context(open_display("machine", link=link, lang=self._display_language))
        stack.callback(session.board.listen(panel.show))

        def on_outcome(outcome: Outcome, reading: TableReading | None) -> None:
            self._take(outcome, reading, session)

        threading.Thread(target=self._follow, args=(session,), name="follow", daemon=True).start()

        def reader() -> HandReader:
            keeper.between_hands()
            return keeper.reader

        MachineLoop(link, reader, session, self._pictures, on_outcome).run(self.stop)

    def _follow(self, session: Session) -> None:
        while not self.stop.wait(FOLLOW_S):
            session.follow()

    def _facts_for(self, name: str) -> Facts:
        truth = self._truth.get(name)
        return truth.facts if truth else self.options.facts

    def _take(self, outcome: Outcome, _reading: TableReading | None, session: Session) -> None:
        # A camera may run for months: only a run over pictures, which ends, keeps its outcomes for the report.
        if len(self._outcomes) < 10_000:
            self._outcomes.append(outcome)
        truth = self._truth.get(outcome.name)
        if truth is not None:
            self._checked.append(check.check(outcome, truth, session.house))
        if self.options.as_json:
            sys.stdout.write(json.dumps(outcome.to_json(), ensure_ascii=False) + "\n")
            sys.stdout.flush()
        log.info("picture", name=outcome.name, status=outcome.status, total=outcome.answer.get("total"))

    # -- ending -----------------------------------------------------------------------------------------------

    def _report(self, session: Session, url: str) -> None:
        if self._checked:
            self._out.print(check.table(self._checked))
            self._out.print(check.summary(self._checked), highlight=False)
        elif self._outcomes and not self.options.as_json:
            self._out.print(check.outcome_table(self._outcomes))
        if self._outcomes:
            counted = len(session.account.counted())
            self._out.print(f"帳本 ledger: {session.ledger.path} ({counted} 手 hands)", highlight=False, soft_wrap=True)
        if url and self.options.keep_serving and not self.stop.is_set():
            self._out.print(f"頁面 page: {url}/display — Ctrl-C 結束 ends", highlight=False)

    def _wait(self, session: Session, _url: str) -> None:
        while not self.stop.wait(FOLLOW_S):
            session.follow()
