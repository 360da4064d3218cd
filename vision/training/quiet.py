"""Keeps ultralytics and onnxruntime from phoning home, installing packages at run time and writing into HOME. Import
before them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from PIL import Image

_open = Image.open

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
os.environ.setdefault("YOLO_OFFLINE", "true")
os.environ.setdefault("YOLO_AUTOINSTALL", "false")
os.environ.setdefault("YOLO_VERBOSE", "false")
if "YOLO_CONFIG_DIR" not in os.environ:
    folder = Path(tempfile.gettempdir()) / f"taicam-yolo-{os.getuid()}"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["YOLO_CONFIG_DIR"] = str(folder)


def give_pillow_back() -> None:
    """Undo what importing ultralytics does to `PIL.Image.open`: asked for a file that is no picture, theirs fails for
    want of a HEIF library instead of saying so. Call after the import."""
    Image.open = _open
