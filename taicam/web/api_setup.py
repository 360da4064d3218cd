"""Setting the camera up: where the table lies in its view."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from taicam.eye import Sight
from taicam.web.access import Actor, IdempotencyKey, Viewer
from taicam.web.jpeg import jpeg_response
from vision.table import CalibrationError, TableCalibration, load_calibration, save_calibration
from vision.table_bump import keep_reference
from vision.table_find import find_table
from vision.table_picture import calibration_picture

router = APIRouter(prefix="/api/calibration", tags=["setup"], dependencies=[Viewer])
JPEG_QUALITY = 80
Point = Annotated[list[Annotated[float, Field(ge=-20_000, le=20_000)]], Field(min_length=2, max_length=2)]


class CornersIn(BaseModel):
    """The table's corners in pixels of the camera's picture: the one on seat 0's left first, then on round the table
    clockwise as seen from above, which is far left, far right, near right, near left of seat 0."""

    model_config = ConfigDict(extra="forbid")
    corners: Annotated[list[Point], Field(min_length=4, max_length=4)]


def _sight(request: Request) -> Sight:
    sight: Sight | None = request.app.state.session.eye.sight
    if sight is None:
        raise HTTPException(404, "no camera has given a picture yet")
    return sight


def _folder(request: Request) -> tuple[Path, str]:
    return request.app.state.data_dir, request.app.state.camera_name


def _saved(request: Request) -> TableCalibration:
    try:
        return load_calibration(*_folder(request))
    except CalibrationError as error:
        raise HTTPException(404, str(error)) from None


def _size(image: npt.NDArray[np.uint8]) -> tuple[int, int]:
    return int(image.shape[1]), int(image.shape[0])


@router.get("")
def calibration(request: Request) -> dict[str, Any]:
    """The calibration in use."""
    return _saved(request).to_json()


@router.get("/found")
def found(request: Request) -> dict[str, Any]:
    """Where the table seems to be in the present view, by its markers or its edge; nothing is kept."""
    image = _sight(request).image
    table = find_table(image)
    return {"corners": [list(corner) for corner in table.corners], "size": list(_size(image)), "how": table.how}


@router.put("")
def calibrate(request: Request, body: CornersIn, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Keep the corners; the whole table is watched from the next hand on."""
    image = _sight(request).image
    folder, camera = _folder(request)
    made = TableCalibration(camera, _size(image), tuple((x, y) for x, y in body.corners))
    save_calibration(made, folder)
    keep_reference(folder, made, image)
    return made.to_json()


@router.get("/view.jpg")
def view(request: Request) -> Response:
    """The present view with the table's outline and the seats' zones drawn in."""
    return jpeg_response(calibration_picture(_sight(request).image, _saved(request)), JPEG_QUALITY)


@router.get("/seat/{seat}.jpg")
def seat_view(request: Request, seat: int) -> Response:
    """A seat's part of the present view, upright as its player sees it."""
    if seat not in range(4):
        raise HTTPException(404, "seats are 0, 1, 2, 3")
    image = _sight(request).image
    zone = _saved(request).scaled(_size(image)).zone(seat)
    return jpeg_response(zone.view(image), JPEG_QUALITY)
