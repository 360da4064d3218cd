"""Keeping views to learn from: consent, what is kept, and the button that keeps the present view."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field

from taicam.learning import Learner, View
from taicam.web.access import Actor, IdempotencyKey, Viewer

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
    return _learner(request).store.status().to_json()


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
