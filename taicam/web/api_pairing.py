"""Pairing a tablet or phone, and looking after the paired ones."""

from __future__ import annotations

import io
from typing import Any

import segno
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse, Response

from taicam.web.access import COOKIE, Actor, IdempotencyKey, is_local, may_change
from taicam.web.models import PairIn
from taicam.web.pairing import PairingDesk, PairingRefusedError

router = APIRouter(prefix="/api", tags=["pairing"])
TEN_YEARS_S = 10 * 365 * 24 * 3600


def _desk(request: Request) -> PairingDesk:
    desk: PairingDesk | None = request.app.state.desk
    if desk is None:
        raise HTTPException(404, "pairing is off: start taicam with web.pairing = true")
    return desk


def _may_see_code(request: Request) -> bool:
    """The code is for people at the table: this machine's own screen, and devices they have paired already."""
    return request.app.state.desk is not None and (is_local(request) or may_change(request) is not None)


@router.get("/pairing")
def pairing(request: Request) -> dict[str, Any]:
    """Whether this device may change things; and, where it may be shown, the code for the next device."""
    desk: PairingDesk | None = request.app.state.desk
    answer: dict[str, Any] = {"pairing": desk is not None, "may_change": may_change(request) is not None, "code": None}
    if desk is not None and _may_see_code(request):
        code, seconds = desk.code()
        answer |= {"code": code, "seconds": seconds, "url": request.app.state.public_url}
    return answer


@router.get("/pairing/qr.svg")
def qr(request: Request) -> Response:
    """The pairing address with its code as a QR picture. The code is in the fragment, which no server ever logs."""
    if not _may_see_code(request):
        raise HTTPException(403, "the code is shown on the display at the table")
    code, _ = _desk(request).code()
    out = io.BytesIO()
    segno.make(f"{request.app.state.public_url}/#pair/{code}", error="m").save(out, kind="svg", scale=8, border=3)
    return Response(out.getvalue(), media_type="image/svg+xml", headers={"cache-control": "no-store"})


@router.post("/pair")
def pair(request: Request, body: PairIn, key: IdempotencyKey) -> JSONResponse:
    """Exchange the code for a token, kept in a cookie no script can read."""
    client = request.client.host if request.client else "?"
    try:
        device, token = _desk(request).pair(body.code, body.name, client)
    except PairingRefusedError as error:
        headers = {"retry-after": str(error.retry_s)} if error.retry_s else None
        raise HTTPException(429 if error.retry_s else 403, f"{error}", headers) from None
    answer = JSONResponse({"device_id": device.id, "name": device.name})
    answer.set_cookie(
        COOKIE, token, max_age=TEN_YEARS_S, httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return answer


@router.get("/devices")
def devices(request: Request, actor: Actor) -> list[dict[str, str]]:
    """The paired devices."""
    return [
        {"id": d.id, "name": d.name, "paired_utc": d.paired_utc, "seen_utc": d.seen_utc}
        for d in _desk(request).book.all()
        if not d.revoked_utc
    ]


@router.delete("/devices/{device_id}")
def revoke(request: Request, device_id: str, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Take a device's right to change things away."""
    _desk(request).revoke(device_id)
    return {"device_id": device_id}
