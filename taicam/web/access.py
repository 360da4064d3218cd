"""Who is asking, and whether they may: dependencies for the routes."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated

from fastapi import Depends, Header, HTTPException, Request

from taicam.web.pairing import PairingDesk

COOKIE = "taicam_token"
_KEY = re.compile(r"[A-Za-z0-9._:-]{8,120}")


def is_local(request: Request) -> bool:
    """Whether the request comes from this very machine, and not through a proxy on it."""
    if "x-forwarded-for" in request.headers or "forwarded" in request.headers or request.client is None:
        return False
    try:
        return ipaddress.ip_address(request.client.host.split("%")[0]).is_loopback
    except ValueError:
        return False


def token_of(request: Request) -> str | None:
    """The token a request carries: in the cookie of a paired browser, or as a bearer token of a program."""
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" and value else request.cookies.get(COOKIE)


def may_change(request: Request) -> str | None:
    """The name to write beside a change, or None when this client may not change anything."""
    desk: PairingDesk | None = request.app.state.desk
    if desk is None:  # pairing is off: then the pages are for this machine alone
        return "this machine" if is_local(request) else None
    device = desk.device(token_of(request))
    return None if device is None else f"{device.name} ({device.id})"


def _changer(request: Request) -> str:
    actor = may_change(request)
    if actor is None:
        raise HTTPException(401, "pair this device first: open /pair and give the code shown on the display")
    return actor


def _viewer(request: Request) -> None:
    if request.app.state.viewing == "paired" and not is_local(request) and may_change(request) is None:
        raise HTTPException(401, "viewing is for paired devices: open /pair and give the code shown on the display")


def _key(idempotency_key: Annotated[str | None, Header(description="a new one for every action")] = None) -> str:
    if idempotency_key is None or not _KEY.fullmatch(idempotency_key):
        raise HTTPException(400, "send an Idempotency-Key header: 8 to 120 letters, digits or . _ : -")
    return idempotency_key


Actor = Annotated[str, Depends(_changer)]
IdempotencyKey = Annotated[str, Depends(_key)]
Viewer = Depends(_viewer)
