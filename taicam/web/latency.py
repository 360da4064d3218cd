"""`python -m taicam.web.latency`: how long after an event its change is painted on a page, on this machine.

A real server, a real Chromium: the time from publishing a view to the frame after the page has drawn it. Needs the dev
extra (playwright) and Chromium. Exit status 1 when the 95th percentile is above the limit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from scoring.view import ItemView, SeatView
from taicam.board import Board
from taicam.errors import JobError
from taicam.house import House
from taicam.ledger import Ledger
from taicam.pictures import PictureStore
from taicam.session import Session
from taicam.web.app import WebOptions, create_app
from taicam.web.server import WebServer
from vision.reader import HandReader

CHROMIUM = "/usr/bin/chromium"
PAUSE_S = 0.05
# Notes, for each sequence number, the wall clock at the first frame painted after the page has drawn it.
WATCH = """() => {
  window.painted = {};
  new MutationObserver(() => {
    const sequence = document.body.dataset.sequence;
    requestAnimationFrame(() => { window.painted[sequence] ??= performance.timeOrigin + performance.now(); });
  }).observe(document.body, { attributes: true, attributeFilter: ["data-sequence"] });
}"""


def measure(events: int, chromium: str) -> list[float]:
    """Milliseconds from publishing to painting, one for each event."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (of the dev extra)

    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder)) as ledger:
        session = Session(ledger, Board(), House())
        app = create_app(session, PictureStore(Path(folder)), HandReader, WebOptions())
        server = WebServer(app, "127.0.0.1", 0, app.state.feed.close)
        server.start()
        try:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                page = browser.new_page()
                page.goto(f"{server.url}/display")
                page.wait_for_selector("body[data-state]")
                page.evaluate(WATCH)
                published = {}
                for number in range(events):
                    began = time.time()
                    published[_publish(session, number)] = began
                    time.sleep(PAUSE_S)
                page.wait_for_timeout(1000)
                painted = page.evaluate("window.painted")
                browser.close()
        finally:
            server.stop()
    # A view that was overtaken by the next before it was drawn is never painted: that is no wait for anybody.
    return [painted[str(s)] - began * 1000 for s, began in published.items() if str(s) in painted]


def _publish(session: Session, number: int) -> int:
    seats = tuple(SeatView(wind, total=number * (place - 1)) for place, wind in enumerate("ESWN"))
    items = (ItemView("x", "自摸", "self-drawn", number % 16),)
    return session.board.update(state="recorded", seats=seats, items=items, total=number % 16).sequence


def main() -> None:
    """Measure and say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=200, help="events to publish")
    parser.add_argument("--limit-ms", type=float, default=100.0, help="highest 95th percentile that is good enough")
    parser.add_argument("--chromium", default=CHROMIUM, help="the browser")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    if not Path(options.chromium).exists():
        raise JobError(f"{options.chromium} is missing", "apt-get install chromium")
    times = sorted(measure(options.events, options.chromium))
    result = {
        "events": len(times),
        "median_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(0.95 * (len(times) - 1))], 1),
        "max_ms": round(times[-1], 1),
    }
    text = json.dumps(result) if options.json else " · ".join(f"{name} {value}" for name, value in result.items())
    sys.stdout.write(text + "\n")
    sys.exit(0 if result["p95_ms"] <= options.limit_ms else 1)


if __name__ == "__main__":
    main()
