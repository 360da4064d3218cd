"""Starts the real command in its own process, on a free port, with its own data folder."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "taicam" / "sample"
CHROMIUM = Path("/usr/bin/chromium")


def environment(home: Path) -> dict[str, str]:
    """The user's environment with a home of its own, so that no settings of this machine leak in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TAICAM_")}
    paths = os.pathsep.join([str(ROOT), *filter(None, [kept.get("PYTHONPATH")])])
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home), "PYTHONPATH": paths}


@pytest.fixture
def sample() -> Path:
    """The bundled pictures."""
    if not (SAMPLE / "truth.json").is_file():
        pytest.skip("the bundled sample is not there")
    return SAMPLE


@pytest.fixture
def own_environment(tmp_path: Path) -> dict[str, str]:
    """The environment the commands run in."""
    return environment(tmp_path)


@pytest.fixture
def taicam(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command to its end: `taicam("ledger", "list")`."""

    def run(*words: str, timeout: float = 300, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "taicam", *words],
            capture_output=True,
            text=True,
            timeout=timeout,
            input=stdin,
            cwd=tmp_path,
            env=environment(tmp_path),
            check=False,
        )

    return run


@dataclass
class Running:
    """A running appliance: its address and its process."""

    process: subprocess.Popen[str]
    url: str
    data: Path
    output: list[str] = field(default_factory=list)

    def get(self, path: str) -> Any:
        """The JSON behind a path."""
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)

    def wait_for(self, what: Callable[[dict[str, Any]], bool], timeout: float = 120) -> dict[str, Any]:
        """Wait until the state is as asked."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                state: dict[str, Any] = self.get("/api/state")
            except OSError as error:
                raise AssertionError(f"{error}:\n" + "\n".join(self.output[-30:])) from None
            if what(state):
                return state
            said = "\n".join(self.output[-30:])
            assert self.process.poll() is None, f"the appliance ended:\n{said}"
            assert time.monotonic() < deadline, f"never came: {state}\n{said}"
            time.sleep(0.1)

    def sight(self) -> dict[str, Any]:
        """The last look of the camera; empty before the first."""
        try:
            seen: dict[str, Any] = self.get("/api/camera")
        except urllib.error.HTTPError as error:
            assert error.code == 404, error
            return {}
        return seen

    def looked_through(self, *, tiles: bool) -> dict[str, Any]:
        """Wait until the view, with tiles in it or without, has been looked at so long that it is looked at no more."""

        def quiet(_state: dict[str, Any]) -> bool:
            seen = self.sight()
            return bool(seen) and bool(seen["tiles"]) is tiles and seen["age_s"] > 5

        return self.wait_for(quiet)

    def kill(self) -> None:
        """As a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> int:
        """As systemd would; returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


Starter = Callable[..., Running]


@pytest.fixture
def appliance(tmp_path: Path) -> Iterator[Starter]:
    """Start an appliance: `appliance("--source", "none")`; stopped at the end of the test."""
    started: list[Running] = []

    def start(*words: str, data: Path | None = None, port: int = 0, pairing: bool = False) -> Running:
        folder = data or tmp_path / "data"
        command = [
            sys.executable,
            "-m",
            "taicam",
            "run",
            "--headless",
            "--port",
            str(port),
            "--data",
            str(folder),
            *words,
        ]
        if pairing:
            command += ["--pairing", "--host", "127.0.0.1"]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=tmp_path,
            env={**environment(tmp_path), "PYTHONUNBUFFERED": "1"},
        )
        running = Running(process, "", folder)
        threading.Thread(target=_collect, args=(process, running.output), daemon=True).start()
        started.append(running)
        running.url = _address(running)
        return running

    yield start
    for running in started:
        if running.process.poll() is None:
            running.process.kill()
            running.process.wait(10)


def _collect(process: subprocess.Popen[str], output: list[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        output.append(line.rstrip("\n"))


def _address(running: Running, timeout: float = 120) -> str:
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        found = re.search(r"display: (https?://\S+)/display", "\n".join(running.output))
        if found:
            return found[1]
        assert running.process.poll() is None, "\n".join(running.output)
        time.sleep(0.05)
    raise AssertionError("no address was said: " + "\n".join(running.output))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright."""
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is missing: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield opened
        opened.close()


@dataclass
class Pages:
    """Opens pages and holds every error they report."""

    browser: Any
    errors: list[str] = field(default_factory=list)
    contexts: list[Any] = field(default_factory=list)

    def _on_console(self, line: Any) -> None:
        # A server that is stopped or a network that is cut is what some tests are about; the browser logs it.
        if line.type == "error" and "net::ERR_" not in line.text:
            refused = re.search(r"responded with a status of (\d+)", line.text)
            path = urlsplit(line.location["url"]).path
            self.errors.append(f"{refused[1]} {path}" if refused else line.text)

    def refused(self, *wanted: str) -> None:
        """The browser has logged these refused requests, such as `404 /api/camera`, and no other error.

        It logs in its own time: what is wanted is waited for.
        """
        deadline = time.monotonic() + 20
        while len(self.errors) < len(wanted) and time.monotonic() < deadline:
            self.contexts[0].pages[0].wait_for_timeout(50)
        assert sorted(self.errors) == sorted(wanted)
        self.errors.clear()

    @staticmethod
    def until(page: Any, expression: str, want: Any, timeout: float = 20) -> None:
        """Wait until an expression of the page is `want` (its content policy forbids Playwright's own way)."""
        deadline = time.monotonic() + timeout
        while (found := page.evaluate(expression)) != want:
            assert time.monotonic() < deadline, f"{expression} is {found}, not {want}"
            time.sleep(0.1)

    @staticmethod
    def hears(page: Any, ready: Callable[[], bool], timeout: float = 30) -> None:
        """Wait until `ready()`; what the page asks meanwhile reaches the test's routes."""
        deadline = time.monotonic() + timeout
        while not ready():
            assert time.monotonic() < deadline, "the page did not ask"
            page.wait_for_timeout(50)

    @staticmethod
    def dealt(page: Any) -> None:
        """Wait until the page has dealt with the answers it has: it asks for one more, after them."""
        page.evaluate("fetch('/healthz', { signal: AbortSignal.timeout(20000) }).then((told) => told.text())")

    @staticmethod
    def visit(page: Any, address: str, selector: str) -> None:
        """Go to an address and wait for something there: not for what the page shown before has under that name."""
        page.evaluate("document.querySelector('main')?.firstElementChild?.setAttribute('data-left', '')")
        page.goto(address)
        page.wait_for_selector("[data-left]", state="detached")
        page.wait_for_selector(selector)

    @staticmethod
    def caught_up(page: Any, running: Running, timeout: float = 20) -> None:
        """Wait until the page has the state the appliance has now, which it is told by events."""
        deadline = time.monotonic() + timeout
        while True:
            has, wanted = page.evaluate("document.body.dataset.sequence"), str(running.get("/api/state")["sequence"])
            if has == wanted:
                return
            assert time.monotonic() < deadline, f"the page has state {has}, the appliance {wanted}"
            time.sleep(0.1)

    def open(self, url: str, **context: Any) -> Any:
        """A page in a browser of its own (own cookies, own storage)."""
        made = self.browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "locale": "zh-TW", **context})
        self.contexts.append(made)
        made.set_default_timeout(60_000)  # a busy machine is no failure
        page = made.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._on_console)
        page.goto(url)
        return page


@pytest.fixture
def pages(browser: Any) -> Iterator[Pages]:
    """Pages whose script errors fail the test, unless it takes them out of `errors` itself."""
    opened = Pages(browser)
    yield opened
    for context in opened.contexts:
        context.close()
    assert opened.errors == []


class PictureCamera:
    """A network camera (MJPEG over HTTP) that shows the picture it is told to, ten times a second."""

    def __init__(self, size: tuple[int, int] = (1280, 960)) -> None:
        self._size = size
        self._empty = self._encode(np.full((size[1], size[0], 3), (70, 95, 60), np.uint8))
        self._frames = self._empty
        camera = self

        class Stream(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # the name is http.server's
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                try:
                    while not camera.stopped.is_set():
                        frame = camera.frame()
                        head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(frame)}\r\n\r\n"
                        self.wfile.write(head.encode() + frame + b"\r\n")
                        camera.stopped.wait(0.1)
                except OSError:
                    return

            def log_message(self, *_words: object) -> None:
                """Say nothing."""

        self.stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/video.mjpg"
        self._count = 0

    @staticmethod
    def _encode(image: Any) -> list[bytes]:
        """The picture four times with a sensor's faint noise: one that never changes would be a frozen camera's."""
        noise = np.random.default_rng(1)
        noisy = (np.clip(image + noise.normal(0, 1.5, image.shape), 0, 255).astype(np.uint8) for _ in range(4))
        return [bytes(cv2.imencode(".jpg", one, [cv2.IMWRITE_JPEG_QUALITY, 92])[1]) for one in noisy]

    def frame(self) -> bytes:
        """The next frame."""
        self._count += 1
        return self._frames[self._count % len(self._frames)]

    def show(self, picture: Path) -> None:
        """Lay a hand on the table."""
        image = cv2.imread(str(picture))
        scale = self._size[0] / image.shape[1]
        self._frames = self._encode(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))

    def clear(self) -> None:
        """Clear the table."""
        self._frames = self._empty

    def stop(self) -> None:
        """Switch the camera off."""
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def camera() -> Iterator[PictureCamera]:
    """A network camera the test holds in its hand."""
    made = PictureCamera()
    yield made
    made.stop()
