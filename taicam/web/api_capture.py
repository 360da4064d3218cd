"""Keeping views to learn from: consent, what is kept, and the button that keeps the present view."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field

from scoring import ALL_CODES
from taicam.capture.library import matched
from taicam.errors_zh import refusal_zh
from taicam.learning import Learner, View
from taicam.web.access import Actor, IdempotencyKey, Viewer
from vision.dataset.sample import LabelledBox, Sample

MAX_ROWS = 2000
LEAST_SIDE = 4  # pixels
router = APIRouter(prefix="/api/capture", tags=["capture"], dependencies=[Viewer])


class ConsentIn(BaseModel):
    """`given`: whether everybody at the table agrees that views of it are kept."""

    model_config = ConfigDict(extra="forbid")
    given: Annotated[bool, Field(strict=True)]


def _learner(request: Request) -> Learner:
    learner: Learner | None = request.app.state.session.learner
    if learner is None:
        raise HTTPException(404, "this appliance keeps no views")
    return learner


@router.get("")
def status(request: Request) -> dict[str, Any]:
    """How much is kept, and whether the players agreed."""
    told = _learner(request).store.status().to_json()
    return {**told, "problem_zh": told["problem"] and refusal_zh(told["problem"])}


@router.post("/consent")
def consent(request: Request, body: ConsentIn, key: IdempotencyKey, actor: Actor) -> dict[str, bool]:
    """Give or withdraw consent."""
    _learner(request).store.set_consent(body.given, actor)
    return {"given": body.given}


@router.post("/keep")
def keep(request: Request, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Keep the view the camera has now."""
    sight = request.app.state.session.eye.sight
    if sight is None or sight.reading is None:
        raise HTTPException(404, "no camera has given a picture yet")
    return {"status": _learner(request).asked_for(View(sight.image, sight.reading), actor)}


class BoxIn(BaseModel):
    """One tile of a sample: its corners in pixels of the picture, and what it is."""

    model_config = ConfigDict(extra="forbid")
    box: Annotated[list[Annotated[float, Field(ge=0, le=20_000)]], Field(min_length=4, max_length=4)]
    code: Annotated[str, Field(max_length=4)]


class ReviewIn(BaseModel):
    """What became of a sample in review; `boxes` are the tiles as they are, left out when nothing was wrong."""

    model_config = ConfigDict(extra="forbid")
    state: Literal["accepted", "discarded", "proposed"]
    boxes: Annotated[list[BoxIn], Field(max_length=200)] | None = None


@router.get("/samples")
def samples(request: Request, actor: Actor, state: str | None = None) -> list[dict[str, Any]]:
    """The samples, oldest first, of one state when given."""
    rows = _learner(request).store.library.rows(state)
    names = ("id", "state", "reason", "captured_at", "codes", "corrected")
    return [{name: getattr(row, name) for name in names} for row in rows[:MAX_ROWS]]


@router.get("/samples/{sample_id}")
def sample(request: Request, sample_id: str, actor: Actor) -> dict[str, Any]:
    """One sample: the size of its picture and every tile in it."""
    found = _learner(request).store.library.entry(sample_id).sample
    names = ("width", "height", "state", "reason", "captured_at", "doubts", "boxes")
    return {"id": sample_id, **{name: value for name, value in found.model_dump(mode="json").items() if name in names}}


@router.get("/samples/{sample_id}/picture")
def sample_picture(request: Request, sample_id: str, actor: Actor) -> FileResponse:
    """The picture of a sample."""
    picture = _learner(request).store.library.entry(sample_id).picture
    if picture is None:
        raise HTTPException(404, "the picture of this sample is gone")
    return FileResponse(picture)


@router.post("/samples/{sample_id}/review")
def review(request: Request, sample_id: str, body: ReviewIn, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Accept or discard a sample, with its tiles as corrected."""
    library = _learner(request).store.library
    boxes = None
    if body.boxes is not None:
        old = library.entry(sample_id).sample
        _check(body.boxes, old)
        was = matched(old.boxes, [_corners(one) for one in body.boxes])
        pairs = zip(body.boxes, was, strict=True)
        boxes = [_corrected(one, None if index is None else old.boxes[index]) for one, index in pairs]
    library.review(sample_id, body.state, boxes, actor)
    return {"id": sample_id, "state": body.state}


@router.delete("/samples/{sample_id}")
def delete(request: Request, sample_id: str, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Delete a sample for good."""
    _learner(request).store.library.delete(sample_id)
    return {"id": sample_id}


def _check(boxes: list[BoxIn], sample: Sample) -> None:
    for one in boxes:
        if one.code not in ALL_CODES:
            raise HTTPException(422, f"there is no tile {one.code!r}")
        x1, y1, x2, y2 = one.box
        if min(x2 - x1, y2 - y1) < LEAST_SIDE or x2 > sample.width + 1 or y2 > sample.height + 1:
            raise HTTPException(422, "a box is too small, or outside the picture: draw it over the tile")


def _corners(one: BoxIn) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = one.box
    return x1, y1, x2, y2


def _corrected(one: BoxIn, before: LabelledBox | None) -> LabelledBox:
    """The box as it was, with the code and corners a person gave it; a new one where there was none."""
    if before is None:
        return LabelledBox(box=_corners(one), code=one.code, origin="person")
    if (before.code, before.box) == (one.code, _corners(one)):
        return before
    return before.model_copy(update={"code": one.code, "box": _corners(one), "origin": "person"})
