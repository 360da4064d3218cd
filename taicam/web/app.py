"""The web application: pages, live state, health. Routes that change things are in their own modules."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates

from scoring import ALL_CODES
from taicam.cli import installed_version
from taicam.session import Session
from taicam.web.feed import Feed
from taicam.web.security import Gate
from taicam.web.state import state_json
from vision.drawings.faces import face_svg

HERE = Path(str(resources.files("taicam.web")))
FOREVER = "public, max-age=31536000, immutable"


@cache
def tile_svg(code: str) -> str:
    """The drawing of one tile."""
    return face_svg(code)


@cache
def asset_version() -> str:
    """Changes whenever a drawing, style or script does: it is part of their addresses, which browsers keep."""
    digest = hashlib.sha256()
    for path in sorted((HERE / "static").iterdir()):
        digest.update(path.read_bytes())
    for code in ALL_CODES:
        digest.update(tile_svg(code).encode())
    return digest.hexdigest()[:10]


def create_app(session: Session, *, upload_mb: int = 20) -> FastAPI:
    """The application for one table."""
    feed = Feed(session.board)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        feed.start()
        yield
        feed.close()

    app = FastAPI(title="taicam", version=installed_version(), lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.feed = feed
    app.state.session = session
    app.add_middleware(Gate, upload_limit=upload_mb * 1024 * 1024, upload_paths=frozenset({"/api/photo"}))
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    _add_state_routes(app, session, feed)
    _add_tiles(app)
    _add_pages(app)
    return app


def _add_state_routes(app: FastAPI, session: Session, feed: Feed) -> None:
    @app.get("/healthz", tags=["state"])
    def healthz() -> JSONResponse:
        """Answer when the appliance is up; 503 when its camera or machine has failed."""
        view = session.board.view
        ok = "fail" not in (view.camera, view.machine)
        body = {"status": "ok" if ok else "degraded", "camera": view.camera, "machine": view.machine}
        return JSONResponse({**body, "version": app.version, "state": view.state, "sequence": view.sequence})

    @app.get("/api/state", tags=["state"])
    def state() -> dict[str, Any]:
        """Everything the display shows, as of now."""
        return state_json(session.board.view)

    @app.get("/api/events", tags=["state"])
    async def events() -> StreamingResponse:
        """Server-sent events: `snapshot` at once, then `view` at every change, and `beat` when nothing happens."""
        if feed.full:
            raise HTTPException(503, "too many pages are open: close one")
        headers = {"x-accel-buffering": "no", "cache-control": "no-store"}
        return StreamingResponse(feed.stream(), media_type="text/event-stream", headers=headers)


def _add_tiles(app: FastAPI) -> None:
    @app.get("/tiles/{code}.svg", tags=["pages"])
    def tile(code: str) -> Response:
        """The drawing of one tile."""
        if code not in ALL_CODES:
            raise HTTPException(404, f"there is no tile {code[:16]!r}: use {ALL_CODES[0]} … {ALL_CODES[-1]}")
        return Response(tile_svg(code), media_type="image/svg+xml", headers={"cache-control": FOREVER})


def _add_pages(app: FastAPI) -> None:
    templates = Jinja2Templates(directory=HERE / "templates")

    @app.get("/display", response_class=HTMLResponse, tags=["pages"])
    def display(request: Request) -> HTMLResponse:
        """The kiosk display: read-only, large type."""
        return templates.TemplateResponse(request, "display.html", {"version": asset_version()})

    @app.get("/", include_in_schema=False)
    def home() -> RedirectResponse:
        return RedirectResponse("/display")
