"""Hands: what waits, what was recorded, and every way of changing it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import PlainTextResponse, Response

from scoring import load_ruleset
from taicam.errors import UsageError
from taicam.errors_zh import problem_of
from taicam.facts import WINDS
from taicam.house import Case
from taicam.ledger import HandEntry
from taicam.ledger.export import hands_csv, hands_jsonl
from taicam.match.replay import Played, standing_of, whole_hands
from taicam.play import PlayDesk, Source
from taicam.session import Session
from taicam.views import asked, refusal
from taicam.web.access import Actor, IdempotencyKey, Viewer
from taicam.web.api_match import ruleset_json
from taicam.web.complete import complete_hands
from taicam.web.models import FieldsIn, SubmissionIn, VoidIn
from taicam.web.photos import PhotoDesk

router = APIRouter(prefix="/api", tags=["hands"], dependencies=[Viewer])


def _session(request: Request) -> Session:
    session: Session = request.app.state.session
    session.refresh()
    return session


def _desk(request: Request) -> PlayDesk:
    desk: PlayDesk = request.app.state.play
    return desk


@router.get("/offers")
def offers(request: Request) -> list[dict[str, Any]]:
    """The hands that wait to be confirmed, the oldest first."""
    found = _session(request).account.open_offers.values()
    return [
        {"at_utc": e.at_utc, **{k: e.payload[k] for k in ("offer_id", "picture")}, **asked(e.payload)} for e in found
    ]


@router.get("/offers/{offer_id}")
def offer(request: Request, offer_id: str) -> dict[str, Any]:
    """One waiting hand with its whole reading: every tile's box, odds and place."""
    event = _session(request).account.open_offers.get(offer_id)
    if event is None:
        raise HTTPException(404, "this hand is no longer waiting")
    names = ("offer_id", "picture", "record", "reading")
    more = {name: event.payload.get(name) for name in ("place", "loser", "seen")}
    more["picture_id"] = event.payload.get("picture_id", "")
    return {"at_utc": event.at_utc, **{name: event.payload[name] for name in names}, **asked(event.payload), **more}


@router.post("/offers/{offer_id}/dismiss")
def dismiss(request: Request, offer_id: str, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Drop a waiting hand."""
    _desk(request).dismiss(offer_id, key, actor)
    return {"offer_id": offer_id}


@router.post("/preview")
def preview(request: Request, body: SubmissionIn, hand_id: str | None = None) -> dict[str, Any]:
    """What a hand would score and who would pay, without recording anything; `problem` says why it cannot count."""
    try:
        result = _desk(request).preview(body.to_submission(), body.facts.to_facts(), hand_id)
    except UsageError as error:
        chinese, english = problem_of(error)
        return {"ok": False, "problem": chinese, "problem_en": english, "wins": [], "changes": None}
    return _case_json(result) if isinstance(result, Case) else _played_json(result)


def _case_json(case: Case) -> dict[str, Any]:
    payments = case.answer.get("payments")
    problem, english = ("", "") if case.wins else refusal(case.answer)
    return {
        "ok": case.wins,
        "problem": problem,
        "problem_en": english,
        "wins": [{"place": case.facts.winner, "answer": case.answer}],
        "changes": [payments[str(place)] for place in range(4)] if payments else None,
    }


def _played_json(played: Played) -> dict[str, Any]:
    return {
        "ok": not played.problem,
        "problem": played.problem,
        "problem_en": played.problem_en,
        "wins": [{"place": win.place, "answer": win.answer} for win in played.wins],
        "changes": list(played.changes) if any(played.changes) or not played.problem else None,
    }


@router.get("/hands")
def hands(request: Request, limit: int = 200) -> list[dict[str, Any]]:
    """Recorded hands, the newest first, each as it stands after all corrections."""
    rows = complete_hands(_session(request).account)
    return rows[::-1][: max(1, min(limit, 5000))]


@router.get("/hands/{hand_id}")
def hand(request: Request, hand_id: str) -> dict[str, Any]:
    """One hand, with what is needed to correct it and everything that happened to it."""
    session = _session(request)
    entry = session.account.hands.get(hand_id)
    if entry is None:
        raise HTTPException(404, "there is no such hand")
    history = [e for e in session.ledger.events() if e.payload.get("hand_id") == hand_id]
    row = next(row for row in complete_hands(session.account) if row["hand_id"] == hand_id)
    return {
        **row,
        "submission": _submission_of(entry),
        "free": _free_facts(entry),
        **_as_played(session, entry),
        "reading": entry.details.get("reading"),
        "history": [{"seq": e.seq, "at_utc": e.at_utc, "kind": e.kind.value, "actor": e.actor} for e in history],
    }


def _as_played(session: Session, entry: HandEntry) -> dict[str, Any]:
    """Who sat where, with which wind, and by which rules, when the hand was played."""
    if entry.match_id is None:
        house = session.house
        seats = [{"name": "", "wind": wind} for wind in WINDS]
        return {"seats": seats, "rules": ruleset_json(load_ruleset(house.ruleset, house.options))}
    before = standing_of(session.account, entry.match_id, until=entry.hand_id)
    setup = before.setup
    seats = [{"name": name, "wind": before.progress.seat_wind(place)} for place, name in enumerate(before.seat_names())]
    return {"seats": seats, "rules": ruleset_json(load_ruleset(setup.ruleset, setup.options))}


def _submission_of(entry: HandEntry) -> dict[str, Any]:
    if entry.match_id is not None:
        return {name: entry.details.get(name) for name in ("wins", "loser", "place")} | {"outcome": entry.outcome}
    record = entry.record
    win = {
        "place": record.get("winner", WINDS.index(record.get("seat_wind", "E"))),
        "hand": {name: record.get(name) for name in ("concealed", "melds", "flowers", "win_tile")},
        "self_draw": record.get("self_draw", False),
        "flags": record.get("flags", []),
        "seat_wind": None,
        "fields": {name: record[name] for name in FieldsIn.model_fields if record.get(name) is not None},
    }
    return {"outcome": "win", "wins": [win], "loser": record.get("loser"), "place": None}


def _free_facts(entry: HandEntry) -> dict[str, Any]:
    return {name: entry.record.get(name) for name in ("round_wind", "dealer_player", "streak")}


@router.post("/hands", status_code=201)
def record(request: Request, body: SubmissionIn, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Record a hand: read, from a photo, or put together by hand."""
    photos: PhotoDesk = request.app.state.photos
    source = photos.source(body.photo_id) if body.photo_id else Source(offer_id=body.offer_id)
    hand_id = _desk(request).record(body.to_submission(), body.facts.to_facts(), source, key, actor)
    return {"hand_id": hand_id}


@router.put("/hands/{hand_id}")
def correct(request: Request, hand_id: str, body: SubmissionIn, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Correct an older hand; everything after it is recomputed."""
    _desk(request).correct(hand_id, body.to_submission(), body.facts.to_facts(), key, actor)
    return {"hand_id": hand_id}


@router.post("/hands/{hand_id}/void")
def void(request: Request, hand_id: str, body: VoidIn, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Take a hand out of the account."""
    _desk(request).void(hand_id, key, actor, body.reason)
    return {"hand_id": hand_id}


@router.post("/hands/{hand_id}/restore")
def restore(request: Request, hand_id: str, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Take a void back."""
    _desk(request).restore(hand_id, key, actor)
    return {"hand_id": hand_id}


@router.post("/undo")
def undo(request: Request, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """Void the last hand that counts."""
    return {"hand_id": _desk(request).undo(key, actor)}


@router.get("/pictures/{picture_id}.jpg")
def picture(request: Request, picture_id: str) -> Response:
    """The picture a hand was read from."""
    data = request.app.state.pictures.read(picture_id)
    if data is None:
        raise HTTPException(404, "there is no such picture")
    return Response(data, media_type="image/jpeg", headers={"cache-control": "private, max-age=86400"})


@router.get("/camera")
def camera(request: Request) -> dict[str, Any]:
    """What the camera sees now: the boxes of the last look, in pixels of `size`."""
    seen: dict[str, Any] | None = request.app.state.session.eye.describe()
    if seen is None:
        raise HTTPException(404, "no camera has given a picture yet")
    return seen


@router.get("/camera.jpg")
def camera_picture(request: Request) -> Response:
    """The picture of the last look."""
    data = request.app.state.session.eye.jpeg()
    if data is None:
        raise HTTPException(404, "no camera has given a picture yet")
    return Response(data, media_type="image/jpeg")


@router.get("/export.csv", response_class=PlainTextResponse)
def export_csv(request: Request) -> Response:
    """Every hand as CSV, one a line, with the names of those who played."""
    text = "\ufeff" + hands_csv(whole_hands(_session(request).account))  # else spreadsheets take it for Latin letters
    return Response(text, media_type="text/csv; charset=utf-8", headers=_download("taicam.csv"))


@router.get("/export.jsonl", response_class=PlainTextResponse)
def export_jsonl(request: Request) -> Response:
    """Every hand as JSON, one a line."""
    text = hands_jsonl(whole_hands(_session(request).account))
    return Response(text, media_type="application/x-ndjson", headers=_download("taicam.jsonl"))


def _download(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
