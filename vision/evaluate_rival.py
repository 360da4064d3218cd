"""The package ``mahjong-detector`` (MIT) as a reader, to be measured on the same photos with the same rules."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from PIL import Image

from vision.observation import TileObservation
from vision.picture import Picture

_HONOURS = {"chun": "C", "haku": "P", "hatsu": "F", "nan": "S", "pe": "N", "sha": "W", "tou": "E"}


class RivalError(RuntimeError):
    """The rival is not installed."""


def rival_reader() -> Callable[[Picture], tuple[TileObservation, ...]]:
    """A function from a picture to the rival's findings.

    Raises:
        RivalError: the package is not installed.
    """
    try:
        predict: Any = importlib.import_module("mahjong_detector.predict")
        prepare: Any = importlib.import_module("mahjong_detector.preprocess")
    except ImportError as error:
        raise RivalError("the rival is not installed: pip install --no-deps mahjong-detector==0.0.6") from error

    def read(picture: Picture) -> tuple[TileObservation, ...]:
        image = Image.fromarray(picture[..., ::-1])
        prepared, padding = prepare.preprocess_image(image)
        out = []
        for found in predict.predict(prepared, padding):
            name = predict.CLASS_NAMES[found.class_id]
            box = (float(found.x1), float(found.y1), float(found.x2), float(found.y2))
            out.append(TileObservation(_HONOURS.get(name, name), box, float(found.confidence)))
        return tuple(out)

    return read
