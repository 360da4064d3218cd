"""Real camera servers on loopback that can be killed, stalled, frozen, blacked out and restarted."""

from __future__ import annotations

import base64
import contextlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np

BITS = 12


def stamped(number: int, noise: np.random.Generator | None = None, size: tuple[int, int] = (180, 320)) -> np.ndarray:
    """A picture that carries `number` in a row of black and white bars, with noise below like a real sensor's."""
    image = np.full((*size, 3), 90, np.uint8)
    width = size[1] // BITS
    for bit in range(BITS):
        image[: size[0] // 2, bit * width : (bit + 1) * width] = 255 if number >> bit & 1 else 0
    if noise is not None:
        image[size[0] // 2 :] = noise.integers(60, 120, image[size[0] // 2 :].shape, np.uint8)
    return image


def number_in(image: np.ndarray) -> int:
    """The number `stamped` put there."""
    width = image.shape[1] // BITS
    row = image.shape[0] // 4
    return sum(1 << bit for bit in range(BITS) if image[row, bit * width + width // 2].mean() > 127)


class MjpegServer:
    """An MJPEG-over-HTTP camera. `mode`: live, stalled (connections stay, nothing comes), frozen (the same picture
    again and again), black. `sent_at[number]` is the monotonic second a picture was made."""

    def __init__(self, fps: float = 20.0, password: str = "") -> None:
        self.fps = fps
        self.password = password
        self.mode = "live"
        self.port = 0
        self.sent_at: dict[int, float] = {}
        self.connections = 0
        self._number = 0
        self._noise = np.random.default_rng(1)
        self._server: ThreadingHTTPServer | None = None
        self._alive = threading.Event()

    @property
    def url(self) -> str:
        user = f"user:{self.password}@" if self.password else ""
        return f"http://{user}127.0.0.1:{self.port}/cam.mjpg"

    def picture(self) -> bytes:
        if self.mode == "black":
            image = np.zeros((180, 320, 3), np.uint8)
        elif self.mode == "frozen":
            image = stamped(4095)
        else:
            self._number += 1
            self.sent_at[self._number] = time.monotonic()
            image = stamped(self._number, self._noise)
        return cv2.imencode(".jpg", image)[1].tobytes()

    def start(self) -> None:
        camera, alive = self, threading.Event()
        alive.set()
        self._alive = alive

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None: ...

            def do_GET(self) -> None:
                camera.connections += 1
                wanted = "Basic " + base64.b64encode(f"user:{camera.password}".encode()).decode()
                if camera.password and self.headers.get("Authorization") != wanted:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="camera"')
                    self.end_headers()
                    return
                with contextlib.suppress(OSError):
                    self.stream()

            def stream(self) -> None:
                while alive.is_set() and camera.mode == "stalled":
                    time.sleep(0.02)
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                while alive.is_set():
                    if camera.mode != "stalled":
                        data = camera.picture()
                        head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                        self.wfile.write(head.encode() + data + b"\r\n")
                    time.sleep(1 / camera.fps)

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def kill(self) -> None:
        """Drop every connection and listen no more."""
        self._alive.clear()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        time.sleep(2 / self.fps)
