"""What every request passes through: who may ask, how much it may send, and what a browser may do with the answer."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from taicam.web.problems import problem_body

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "manifest-src 'self'; media-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
DEFAULT_BODY_LIMIT = 256 * 1024


class BodyTooLargeError(HTTPException):
    """A request sent more than it may. (An HTTPException, since the framework takes any other for a torn body.)"""

    def __init__(self, limit: int) -> None:
        super().__init__(413, f"at most {limit // 1024} KiB may be sent here")


def host_is_ours(host: str, extra: frozenset[str] = frozenset()) -> bool:
    """Whether a Host header names this machine: an address, localhost, or its own name (with or without .local).

    Any other name may be a stranger's domain that points here (DNS rebinding), and is refused.
    """
    name = (urlsplit(f"//{host}").hostname or "").lower()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        return name in {"localhost", own, f"{own}.local", own.split(".")[0] + ".local"} | extra
    return True


class Gate:
    """ASGI middleware: host and origin checks, a body limit, and security headers on every answer."""

    def __init__(self, app: ASGIApp, *, upload_limit: int, upload_paths: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._upload_limit = upload_limit
        self._upload_paths = upload_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        # Scripts and styles may be kept but must be asked after; what the table shows must not be kept at all.
        guarded = _with_headers(send, "no-cache" if scope["path"].startswith("/static/") else "no-store")
        problem = _refusal(scope, headers)
        limit = self._upload_limit if scope["path"] in self._upload_paths else DEFAULT_BODY_LIMIT
        if problem is None and _declared_length(headers) > limit:
            problem = (413, f"at most {limit // 1024} KiB may be sent here")
        if problem is not None:
            status, text = problem
            await JSONResponse(problem_body(text), status)(scope, receive, guarded)
            return
        await self._app(scope, _limited(receive, limit), guarded)


def _refusal(scope: Scope, headers: Headers) -> tuple[int, str] | None:
    host = headers.get("host", "")
    if not host_is_ours(host):
        return 421, "this host name is not this machine's: use its address or localhost"
    if scope["method"] in SAFE_METHODS:
        return None
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return 403, "changes are accepted from this server's own pages only"
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
        return 403, "changes are accepted from this server's own pages only"
    return None


def _declared_length(headers: Headers) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isdigit() else 0


def _limited(receive: Receive, limit: int) -> Receive:
    """Count what really comes: a length may be left out or be a lie."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise BodyTooLargeError(limit)
        return message

    return counted


def _with_headers(send: Send, caching: str) -> Send:
    async def decorated(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = CONTENT_POLICY
            headers["x-content-type-options"] = "nosniff"
            headers["referrer-policy"] = "same-origin"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers["cross-origin-resource-policy"] = "same-origin"
            headers["permissions-policy"] = "camera=(self), screen-wake-lock=(self), microphone=(), geolocation=()"
            headers.setdefault("cache-control", caching)
        await send(message)

    return decorated
