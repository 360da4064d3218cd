"""The pages themselves, the tile drawings, and what makes the companion installable."""

from __future__ import annotations

import hashlib
from datetime import datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from fastapi.templating import Jinja2Templates

from scoring import ALL_CODES, load_ruleset
from taicam.facts import WINDS
from taicam.match.replay import Played, Standing, standing_of
from taicam.match.setup import COLOURS
from taicam.web.access import Viewer
from taicam.web.api_match import match_json
from taicam.words import WIND_NAMES
from vision.drawings.faces import face_svg

HERE = Path(str(resources.files("taicam.web")))
FOREVER = "public, max-age=31536000, immutable"
WIND_ZH = dict(zip(WINDS, WIND_NAMES["zh-Hant"], strict=True))
router = APIRouter(tags=["pages"])
templates = Jinja2Templates(directory=HERE / "templates")


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


def _page(request: Request, name: str) -> HTMLResponse:
    return templates.TemplateResponse(request, name, {"version": asset_version(), "colours": COLOURS})


@router.get("/", response_class=HTMLResponse)
def companion(request: Request) -> HTMLResponse:
    """The companion for tablet and phone."""
    return _page(request, "companion.html")


@router.get("/display", response_class=HTMLResponse)
def display(request: Request) -> HTMLResponse:
    """The kiosk display: read-only, large type."""
    return _page(request, "display.html")


@router.get("/sheet/{match_id}", response_class=HTMLResponse, dependencies=[Viewer])
def sheet(request: Request, match_id: str, lang: str = "zh-Hant") -> HTMLResponse:
    """A match to print; the names of the items in the language `lang`."""
    account = request.app.state.session.account
    if match_id not in account.matches:
        raise HTTPException(404, "there is no such match")
    standing = standing_of(account, match_id)
    english = lang.startswith("en")
    rules = load_ruleset(standing.setup.ruleset, standing.setup.options)
    started = datetime.fromisoformat(account.matches[match_id].at_utc).astimezone()
    told = {
        "version": asset_version(),
        "match": match_json(standing),
        "hands": sheet_rows(standing, english),
        "rules": rules,
        "ruleset": rules.titles["en" if english else "zh-Hant"],
        "lang": "en" if english else "zh-Hant-TW",
        "started": f"{started:%Y-%m-%d %H:%M}",
    }
    return templates.TemplateResponse(request, "sheet.html", told)


def sheet_rows(standing: Standing, english: bool) -> list[dict[str, Any]]:
    """The lines of the printed sheet: round and hand, what happened, and every person's change and total."""
    names = {person.id: person.name for person in standing.setup.people}
    totals = {person.id: standing.setup.start_score for person in standing.setup.people}
    rows = []
    for played in standing.hands:
        changes = dict(zip(played.seating, played.changes, strict=True))
        for person, change in changes.items():
            totals[person] += change
        streak = f"連{played.streak}" if played.streak else ""
        dealer = names[played.seating[played.dealer]]
        rows.append(
            {
                "round": f"{WIND_ZH[played.round_wind]}{played.hand_number} 莊{dealer}{streak}",
                "what": _what(played, names, english),
                "totals": [{"change": f"{changes.get(p, 0):+d}", "total": totals[p]} for p in totals],
            }
        )
    return rows


def _what(played: Played, names: dict[str, str], english: bool) -> str:
    submission = played.submission
    if submission.outcome == "draw":
        return "流局 draw"
    if submission.place is not None:
        return f"詐胡 false win: {names[played.seating[submission.place]]}"
    wins = []
    for win in played.wins:
        items = ", ".join(
            f"{item['name_en'] if english else item['name_zh']} {item['value']}" for item in win.answer.get("items", ())
        )
        how = "自摸 self-draw" if win.record["self_draw"] else "胡 win"
        total = f"{win.answer.get('total')} {win.answer.get('unit')}"
        wins.append(f"{names[played.seating[win.place]]} {how} {total}{': ' if items else ''}{items}")
    loser = f" ← {names[played.seating[submission.loser]]}" if submission.loser is not None else ""
    return " · ".join(wins) + loser


@router.get("/tiles/{code}.svg")
def tile(code: str) -> Response:
    """The drawing of one tile."""
    if code not in ALL_CODES:
        raise HTTPException(404, f"there is no tile {code[:16]!r}: use {ALL_CODES[0]} … {ALL_CODES[-1]}")
    return Response(tile_svg(code), media_type="image/svg+xml", headers={"cache-control": FOREVER})


@router.get("/icon.svg", include_in_schema=False)
def icon() -> Response:
    """The application's icon: the red dragon on felt."""
    face = tile_svg("C").replace("<svg ", '<svg x="106" y="56" ', 1)
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512">'
        f'<rect width="512" height="512" rx="96" fill="#0f2a24"/>{face}</svg>'
    )
    return Response(svg, media_type="image/svg+xml", headers={"cache-control": "public, max-age=86400"})


@router.get("/manifest.webmanifest", include_in_schema=False)
def manifest() -> JSONResponse:
    """What makes the companion installable."""
    body = {
        "name": "taicam 記台",
        "short_name": "taicam",
        "lang": "zh-Hant-TW",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#0e2621",
        "theme_color": "#0f2a24",
        "icons": [{"src": "/icon.svg", "type": "image/svg+xml", "sizes": "any", "purpose": "any maskable"}],
    }
    return JSONResponse(body, media_type="application/manifest+json")


@router.get("/sw.js", include_in_schema=False)
def service_worker() -> FileResponse:
    """Keeps the page's own files for a moment without a network; it must be served from the root."""
    return FileResponse(HERE / "static" / "sw.js", media_type="text/javascript")
