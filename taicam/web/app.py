"""The web application of one table, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles

from taicam.cli import installed_version
from taicam.ledger.devices import DeviceBook
from taicam.models_registry import ModelRegistry
from taicam.networks import networks_in_use
from taicam.pictures import PictureStore
from taicam.pipeline import Reader
from taicam.play import PlayDesk
from taicam.session import Session
from taicam.tile_sets import AUTO, TileSets
from taicam.web import api_camera, api_capture, api_enroll, api_hands, api_match, api_pairing, api_setup, pages, photos
from taicam.web.access import Viewer
from taicam.web.enrolling import EnrolDesk, Networks
from taicam.web.feed import Feed
from taicam.web.pairing import PairingDesk
from taicam.web.problems import Problem, add_problem_handlers
from taicam.web.security import Gate
from taicam.web.state import state_json


@dataclass(frozen=True, slots=True)
class WebOptions:
    """How the pages behave. `public_url` is the address other devices reach this one at."""

    pairing: bool = False
    viewing: Literal["open", "paired"] = "open"
    upload_mb: int = 20
    public_url: str = ""
    data_dir: Path = Path()
    camera_name: str = "default"
    tile_set: str = AUTO


def _networks_in_use(data_dir: Path) -> Networks:
    networks = networks_in_use(ModelRegistry(data_dir))
    return networks.detector.detect, networks.embedder


def create_app(session: Session, pictures: PictureStore, reader: Callable[[], Reader], options: WebOptions) -> FastAPI:
    """The application; `reader` gives what reads photos, made when the first one comes."""
    feed = Feed(session)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        feed.start()
        yield
        feed.close()

    app = FastAPI(
        title="taicam",
        version=installed_version(),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses={"4XX": {"model": Problem, "description": "Refused, with the reason in both languages"}},
    )
    app.state.feed = feed
    app.state.session = session
    app.state.play = PlayDesk(session)
    app.state.pictures = pictures
    app.state.photos = photos.PhotoDesk(reader, pictures)
    app.state.desk = PairingDesk(DeviceBook(session.ledger)) if options.pairing else None
    app.state.viewing = options.viewing
    app.state.public_url = options.public_url
    app.state.data_dir = options.data_dir
    app.state.camera_name = options.camera_name
    app.state.tile_sets = TileSets(options.data_dir, options.tile_set)
    app.state.enrolment = EnrolDesk(partial(_networks_in_use, options.data_dir), app.state.tile_sets)
    uploads = frozenset({"/api/photo", api_enroll.UPLOAD_PATH})
    app.add_middleware(Gate, upload_limit=options.upload_mb * 1024 * 1024, upload_paths=uploads)
    app.mount("/static", StaticFiles(directory=pages.HERE / "static"), name="static")
    add_problem_handlers(app)
    _add_state_routes(app, session, feed)
    for part in (api_camera, api_capture, api_enroll, api_hands, api_match, api_pairing, api_setup, photos, pages):
        app.include_router(part.router)
    return app


def _add_state_routes(app: FastAPI, session: Session, feed: Feed) -> None:
    @app.get("/healthz", tags=["state"])
    def healthz() -> JSONResponse:
        """Answers when the appliance is up; `status` is `degraded` when its camera or machine has failed."""
        view = session.board.view
        ok = "fail" not in (view.camera, view.machine)
        body = {"status": "ok" if ok else "degraded", "camera": view.camera, "machine": view.machine}
        return JSONResponse({**body, "version": app.version, "state": view.state, "sequence": view.sequence})

    @app.get("/api/state", tags=["state"], dependencies=[Viewer])
    def state() -> dict[str, Any]:
        """Everything the display shows, as of now."""
        return state_json(session.board.view, session)

    @app.get("/api/events", tags=["state"], dependencies=[Viewer])
    async def events() -> StreamingResponse:
        """Server-sent events: `snapshot` at once, then `view` at every change, and `beat` when nothing happens."""
        if feed.full:
            raise HTTPException(503, "too many pages are open: close one")
        headers = {"x-accel-buffering": "no", "cache-control": "no-store"}
        return StreamingResponse(feed.stream(), media_type="text/event-stream", headers=headers)
