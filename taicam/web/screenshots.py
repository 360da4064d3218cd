"""`python -m taicam.web.screenshots --out docs/pictures`: the pages as players see them, and the console.

Plays some hands of the bundled sample on a real appliance (real reader, real pages) and photographs every page at the
three sizes people use, in Chinese and in English. Needs the dev extra (playwright), Chromium and a Chinese font.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from rich.console import Console
from rich.terminal_theme import MONOKAI

from device.cameras import open_camera
from device.displays.console import ConsoleSettings, render
from taicam import check
from taicam.appliance import sample_folder
from taicam.board import Board
from taicam.capture import CaptureSettings, CaptureStore
from taicam.errors import JobError
from taicam.facts import Facts
from taicam.house import Case, House
from taicam.learning import Learner, View
from taicam.ledger import Ledger
from taicam.match.setup import COLOURS
from taicam.match.submission import Submission, Win
from taicam.outcome import Outcome
from taicam.pictures import PictureStore
from taicam.pipeline import run_pictures
from taicam.play import PlayDesk, Source
from taicam.session import Session
from taicam.truth import Truth, load_truth
from taicam.web.app import WebOptions, create_app
from taicam.web.server import WebServer
from vision.picture import load_picture
from vision.reader import HandReader

CHROMIUM = "/usr/bin/chromium"
SIZES = {"": (1280, 800), "-portrait": (768, 1024), "-phone": (390, 844)}
PATIENCE_MS = 120_000  # a busy machine is no failure
PNG_COLOURS = 160  # of each PNG: enough for a photo to be recognised, a quarter of the bytes
# Waiting inside the page: its content policy lets nobody evaluate text again and again from outside.
IMAGES_THERE = """Promise.all(Array.from(document.images).filter((i) => i.loading !== 'lazy' && !i.complete)
  .map((i) => i.decode().catch(() => {})))"""
# Latin letters half as wide as Chinese ones, as in a terminal; only fonts of this machine.
TERMINAL_HTML = """<!doctype html><meta charset="utf-8"><style>{stylesheet}
@font-face {{ font-family: lines; src: local("DejaVu Sans Mono"); unicode-range: U+B7, U+2500-257F;
  size-adjust: 83.06%; }}
body {{ margin: 0; background: {background}; }}
pre {{ margin: 0; padding: 16px; display: inline-block; color: {foreground}; background: {background};
  font: 15px/1.2 lines, "Noto Sans Mono CJK TC", "Noto Sans Mono CJK JP", monospace; }}
</style><pre>{code}</pre>"""
MATCH = {
    "title": "週五牌局",
    "people": [
        {"id": f"p{n}", "name": name, "colour": COLOURS[n]}
        for n, name in enumerate(("阿明", "小華", "Grandma", "老王"))
    ],
    "seating": ["p0", "p1", "p2", "p3"],
    "ruleset": "taiwan",
    "options": {},
    "stakes": {"di": 100, "tai": 20},
    "start_score": 0,
    "false_win": 150,
}
# picture, winner, discarder (None: self-draw)
EVENING = [
    ("02-pungs-and-dragons.jpg", 0, 2),
    ("08-small-three-dragons.jpg", 3, 1),
    ("06-half-flush.jpg", 0, 1),
    ("12-three-concealed-triplets.jpg", 1, 3),
    ("16-five-concealed-triplets.jpg", 1, None),
]
ON_OFFER = "02-pungs-and-dragons.jpg"
TILES = ("01-all-chows.jpg", "02-pungs-and-dragons.jpg")  # taught in the wizard


@dataclass(frozen=True, slots=True)
class Stage:
    """A table set for the photographer."""

    session: Session
    desk: PlayDesk
    pictures: PictureStore
    truths: dict[str, Truth]
    server: WebServer

    def play(self, picture: str, winner: int, loser: int | None) -> None:
        """Record a hand of the sample as its truth says."""
        truth = self.truths[picture]
        record = truth.to_record()
        hand = {name: record[name] for name in ("concealed", "melds", "flowers", "win_tile")}
        kept = self.pictures.put(load_picture(sample_folder() / picture))
        submission = Submission("win", (Win(winner, hand, loser is None),), loser)
        self.desk.record(submission, Facts(), Source(picture_id=kept, picture=picture), f"shot-{picture}", "camera")

    def offer(self, picture: str) -> Outcome:
        """Read a picture of the sample, as the camera would."""
        image = load_picture(sample_folder() / picture)
        self.session.table_cleared()
        kept = self.pictures.put(image)
        reading = HandReader().read(image)
        self.session.eye.see(image, reading, picture)
        if self.session.learner is not None:
            self.session.learner.asked_for(View(image, reading), "screenshots")
            self.session.learner.store.flush(20)
        return self.session.offer(reading, picture, Facts(), picture_id=kept)


@contextmanager
def stage() -> Iterator[Stage]:
    """An appliance on an empty ledger, gone afterwards."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder)) as ledger,
        CaptureStore(Path(folder) / "captures", CaptureSettings()) as store,
    ):
        session = Session(ledger, Board(), House())
        session.learner = Learner(store, "screenshots")
        store.set_consent(True, "screenshots")
        pictures = PictureStore(Path(folder) / "pictures")
        app = create_app(session, pictures, HandReader, WebOptions(data_dir=Path(folder)))
        server = WebServer(app, "127.0.0.1", 0, app.state.feed.close)
        server.start()
        session.show_health("ok")
        try:
            yield Stage(session, PlayDesk(session), pictures, load_truth(sample_folder() / "truth.json"), server)
        finally:
            server.stop()


def _cameras(set_up: Stage, browser: Any, out: Path) -> Iterator[_Photographer]:
    """One for every size in both languages."""
    for language, suffix in (("zh-Hant", ""), ("en", "-en")):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme="dark", reduced_motion="reduce"
            )
            context.set_default_timeout(PATIENCE_MS)
            yield _Photographer(context.new_page(), set_up.server.url, language, out, f"{size}{suffix}")
            context.close()


def photograph(set_up: Stage, browser: Any, out: Path) -> Iterator[Path]:
    """Every page of an evening."""
    set_up.desk.start_match(MATCH, "shot-start", "screenshots")
    for picture, winner, loser in EVENING:
        set_up.play(picture, winner, loser)
    shown = set_up.session.board.view
    offer = set_up.offer(ON_OFFER)
    for camera in _cameras(set_up, browser, out):
        set_up.session.board.publish(shown)
        yield camera.take("display", "/display", "#items li")
        yield camera.take("table", "/#table", "#do-win_button")
        yield camera.take("match", "/#match", ".chart")
        yield camera.take("history", "/#history", "#hands summary", open_first=True)
        yield camera.confirm(offer.hand_id)
        yield camera.correction()
        yield camera.take("setup", "/#setup", "#about li")
        yield camera.take("calibration", "/#calibrate", "#keep-corners")
        yield camera.take("review", "/#review", "#accept")


def wizard(set_up: Stage, browser: Any, out: Path) -> Iterator[Path]:
    """Teaching it a tile set."""
    for camera in _cameras(set_up, browser, out):
        yield from camera.wizard()


class _Photographer:
    def __init__(self, page: Any, url: str, language: str, out: Path, suffix: str) -> None:
        self._page, self._url, self._language, self._out, self._suffix = page, url, language, out, suffix

    def take(self, name: str, path: str, wait_for: str, *, open_first: bool = False) -> Path:
        where, _, fragment = path.partition("#")
        self._page.goto("about:blank")
        self._page.goto(f"{self._url}{where}?lang={self._language}#{fragment}")
        self._page.wait_for_selector(wait_for)
        if open_first:
            self._page.locator(wait_for).first.click()
        return self._shoot(name)

    def confirm(self, offer_id: str) -> Path:
        self._page.goto("about:blank")
        self._page.goto(f"{self._url}/?lang={self._language}#hand/offer/{offer_id}")
        self._page.wait_for_selector("#loser")
        self._page.click("#loser button:nth-child(3)")
        self._page.wait_for_selector("#score .pay")
        self._page.evaluate("scrollTo(0, 0)")
        return self._shoot("confirm")

    def correction(self) -> Path:
        self._page.locator(".tile-button.doubtful, .tile-button[data-id]").first.click()
        self._page.wait_for_selector("#sheet[open]")
        return self._shoot("correction")

    def wizard(self) -> Iterator[Path]:
        """Tiles photographed, checked, learnt."""
        where = f"{self._url}/?lang={self._language}#enroll"
        self._page.goto("about:blank")
        self._page.goto(where)
        self._page.click("#enroll-begin")
        self._page.set_input_files("#enroll-file", [str(sample_folder() / picture) for picture in TILES])
        photos = self._page.locator(".enrol-photo")
        photos.nth(1).locator(".pair-button").first.wait_for()
        yield self._shoot("enroll")
        photos.first.locator(".pairs").scroll_into_view_if_needed()
        yield self._shoot("enroll-check")
        self._page.fill("#set-name", "阿公的牌")
        self._page.click("#enroll-learn")
        self._page.wait_for_selector("#enroll-report")
        yield self._shoot("enroll-report")
        self._page.click("#enroll-stop")
        self._page.wait_for_selector("#tile-sets h2")

    def _shoot(self, name: str) -> Path:
        self._page.wait_for_timeout(500)
        self._page.evaluate(IMAGES_THERE)
        path = self._out / f"web-{name}{self._suffix}.png"
        picture = Image.open(io.BytesIO(self._page.screenshot()))
        picture.convert("RGB").quantize(PNG_COLOURS).save(path, optimize=True)
        return path


def console_pictures(set_up: Stage, browser: Any, out: Path) -> Iterator[Path]:
    """What the terminal shows: one hand as it is recorded, and the table that ends a run over the bundled sample."""
    rows = []
    camera = open_camera(str(sample_folder()))
    with camera:
        for outcome, _ in run_pictures(camera, HandReader(), set_up.session, _facts_of(set_up), threading.Event()):
            rows.append(check.check(outcome, set_up.truths[outcome.name], set_up.session.house))
    yield _print(browser, out / "console.png", check.table(rows), check.summary(rows), width=164)
    truth = set_up.truths["08-small-three-dragons.jpg"]
    case = Case.build(truth.picture, truth.to_record(), truth.facts, set_up.session.house)
    set_up.session.table_cleared()
    set_up.session.record(case, {}, "shot-console")
    yield _print(browser, out / "console-hand.png", render(set_up.session.board.view, ConsoleSettings()), width=84)


def _facts_of(set_up: Stage) -> Callable[[str], Facts]:
    return lambda name: set_up.truths[name].facts


def _print(browser: Any, path: Path, *things: Any, width: int) -> Path:
    """Draw what rich would write to a terminal, with this machine's own fonts."""
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    for thing in things:
        console.print(thing, highlight=False)
    page = browser.new_page(viewport={"width": width * 9 + 40, "height": 400})
    page.set_content(console.export_html(theme=MONOKAI, code_format=TERMINAL_HTML))
    page.locator("pre").screenshot(path=str(path))
    page.close()
    Image.open(path).convert("RGB").quantize(PNG_COLOURS).save(path, optimize=True)
    return path


TAKES = {"console_pictures": console_pictures, "photograph": photograph, "wizard": wizard}


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/pictures"), help="folder of the pictures")
    parser.add_argument("--chromium", default=CHROMIUM, help="the browser")
    parser.add_argument("--only", default="", choices=["", *TAKES], help="take only these")
    options = parser.parse_args()
    if not Path(options.chromium).exists():
        raise JobError(f"{options.chromium} is missing", "apt-get install chromium fonts-noto-cjk")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (of the dev extra)

    options.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        for name, take in TAKES.items():
            if options.only in {"", name}:
                with stage() as set_up:
                    for path in take(set_up, browser, options.out):
                        sys.stdout.write(f"{path}\n")
        browser.close()


if __name__ == "__main__":
    main()
