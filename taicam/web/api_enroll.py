"""Tile sets: those learnt, which one is used, and the wizard that learns another."""

from __future__ import annotations

from typing import Annotated, Any

import cv2
import numpy as np
from fastapi import APIRouter, HTTPException, Request, UploadFile
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from taicam.errors_zh import refusal_zh
from taicam.eye import LONG_SIDE
from taicam.tile_sets import AUTO, TileSets
from taicam.web.access import Actor, IdempotencyKey, Viewer
from taicam.web.enrolling import EnrolDesk
from taicam.web.jpeg import jpeg_response
from vision.picture import load_picture

JPEG_QUALITY = 85
UPLOAD_PATH = "/api/enrolment/photos"
router = APIRouter(prefix="/api", tags=["tile sets"], dependencies=[Viewer])


class ChoiceIn(BaseModel):
    """`choice`: the name of a set, `auto` to recognise it from the tiles in view, or `none`."""

    model_config = ConfigDict(extra="forbid")
    choice: Annotated[str, Field(max_length=80)]


class StartIn(BaseModel):
    """`flowers`: whether the set has any."""

    model_config = ConfigDict(extra="forbid")
    flowers: Annotated[bool, Field(strict=True)] = True


class TileIn(BaseModel):
    """What a box is: a tile's code, or null where it is no tile; `turned` where the tile stands upside down."""

    model_config = ConfigDict(extra="forbid")
    code: Annotated[str, Field(max_length=4)] | None
    turned: Annotated[bool, Field(strict=True)] = False


class LearnIn(BaseModel):
    """What the set is called; a name there already gets a new version."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(max_length=80)]


def _desk(request: Request) -> EnrolDesk:
    desk: EnrolDesk = request.app.state.enrolment
    return desk


def _sets(request: Request) -> TileSets:
    sets: TileSets = request.app.state.tile_sets
    return sets


def _both(problems: list[str]) -> list[dict[str, str]]:
    return [{"zh": refusal_zh(text), "en": text} for text in problems]


@router.get("/tile-sets")
def tile_sets(request: Request) -> dict[str, Any]:
    """The sets learnt, each with what learning it was worth, and which one is used."""
    infos, problems = _sets(request).infos()
    return {"choice": _sets(request).choice, "sets": [info.to_json() for info in infos], "problems": _both(problems)}


@router.put("/tile-sets/choice")
def choose(request: Request, body: ChoiceIn, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Use a set from the next hand on."""
    _sets(request).choose(body.choice)
    return {"choice": body.choice}


@router.delete("/tile-sets/{name}")
def delete(request: Request, name: str, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Delete a set with all its versions."""
    sets = _sets(request)
    was_chosen = sets.choice == name
    sets.store.delete(name)
    if was_chosen:
        sets.choose(AUTO)
    return {"name": name}


@router.get("/enrolment")
def enrolment(request: Request, actor: Actor) -> dict[str, Any]:
    """The enrolment under way: photos, boxes, names, what is missing, how far learning has come, the report."""
    return _desk(request).state()


@router.post("/enrolment")
def start(request: Request, body: StartIn, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Begin to enrol a set; photos of an earlier try are forgotten."""
    _desk(request).start(body.flowers, key)
    return _desk(request).state()


@router.delete("/enrolment")
def stop(request: Request, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Be done with it: the photos are forgotten, what was learnt stays."""
    _desk(request).stop()
    return _desk(request).state()


@router.post("/enrolment/photos")
def add_photo(request: Request, photo: UploadFile, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Add a photo; its tiles are found and named."""
    _desk(request).add(load_picture(photo.file.read()), key)
    return _desk(request).state()


@router.post("/enrolment/camera")
def add_view(request: Request, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Add what the camera sees now."""
    sight = request.app.state.session.eye.sight
    if sight is None:
        raise HTTPException(404, "no camera has given a picture yet")
    _desk(request).add(sight.image, key)
    return _desk(request).state()


@router.delete("/enrolment/photos/{photo}")
def remove_photo(request: Request, photo: str, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Leave a photo out again."""
    _desk(request).remove(photo)
    return _desk(request).state()


@router.put("/enrolment/photos/{photo}/tiles/{tile}")
def correct(request: Request, photo: str, tile: int, body: TileIn, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Say what a box is."""
    _desk(request).correct(photo, tile, body.code, body.turned)
    return _desk(request).state()


@router.get("/enrolment/photos/{photo}/picture.jpg")
def picture(request: Request, photo: str, actor: Actor) -> Response:
    """A photo, no larger than a page needs; boxes count in the pixels of its `size`."""
    image = _desk(request).photo(photo).image
    scale = min(1.0, LONG_SIDE / max(image.shape[:2]))
    small = image if scale == 1.0 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return jpeg_response(np.asarray(small, np.uint8), JPEG_QUALITY)


@router.get("/enrolment/photos/{photo}/crops.jpg")
def crops(request: Request, photo: str, actor: Actor) -> Response:
    """The tiles of a photo as they will be learnt from, 48 x 64 pixels each, side by side in the order of the boxes."""
    return jpeg_response(_desk(request).crops(photo), JPEG_QUALITY)


@router.post("/enrolment/learn", status_code=202)
def learn(request: Request, body: LearnIn, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Begin to learn the set; ask for the enrolment again to see how far it has come, and the report."""
    _desk(request).learn(body.name, key)
    return _desk(request).state()
