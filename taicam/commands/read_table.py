"""The table mode of `taicam read`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from taicam.config import load_settings
from vision.observation import UNREADABLE
from vision.picture import Picture
from vision.reader import HandReader
from vision.table import load_calibration
from vision.table_bump import BumpWatch
from vision.table_picture import table_picture
from vision.table_reader import TableReader


def table_reader(
    reader: HandReader, camera: str, data: Path | None
) -> Callable[[Picture, Mapping[str, Any] | None], tuple[dict[str, Any], Callable[[], Picture]]]:
    """What reads pictures of a whole table with the calibration kept for `camera`.

    Raises CalibrationError when there is none.
    """
    folder = load_settings(None, {"data_dir": data}).data_dir
    calibration = load_calibration(folder, camera)
    table = TableReader(reader, calibration, BumpWatch.load(folder, calibration))

    def read(image: Picture, record: Mapping[str, Any] | None) -> tuple[dict[str, Any], Callable[[], Picture]]:
        from taicam.commands.read import score_of  # noqa: PLC0415 - read imports this module when asked for a table

        view = table.read(image)
        answer = view.to_json()
        if record is not None:
            for seat, reading in zip(answer["seats"], view.seats, strict=True):
                if reading.status != UNREADABLE:
                    seat["score"] = score_of(reading, record)
        return answer, lambda: table_picture(image, view, calibration)

    return read
