"""The camera's settings: what can be set, what was set, and what the camera made of it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field

from taicam.camera_settings import AdjustableCamera
from taicam.errors_zh import text_zh
from taicam.web.access import Actor, IdempotencyKey, Viewer

router = APIRouter(prefix="/api/camera-settings", tags=["setup"], dependencies=[Viewer])
Value = Annotated[str, Field(max_length=40)] | int | float | None


class SettingsIn(BaseModel):
    """All settings that are to differ from those of the settings file; none of them goes back to it."""

    model_config = ConfigDict(extra="forbid")
    values: Annotated[dict[Annotated[str, Field(max_length=40)], Value], Field(max_length=40)]


def _camera(request: Request) -> AdjustableCamera:
    camera: AdjustableCamera | None = request.app.state.session.camera
    if camera is None:
        raise HTTPException(404, "there is no live camera to set")
    return camera


def _told(camera: AdjustableCamera) -> dict[str, Any]:
    told = camera.to_json()
    return {"live": True, **told, "reason_zh": told["reason"] and (text_zh(told["reason"]) or told["reason"])}


@router.get("")
def camera_settings(request: Request) -> dict[str, Any]:
    """What can be set, the values in use, what the camera reads back, and what it refused; `live`: there is one."""
    camera: AdjustableCamera | None = request.app.state.session.camera
    return {"live": False} if camera is None else _told(camera)


@router.put("")
def set_camera(request: Request, body: SettingsIn, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Open the camera anew with these settings; they are kept for the next start."""
    camera = _camera(request)
    camera.change(body.values)
    return _told(camera)
