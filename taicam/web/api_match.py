"""The match: people, seats, rules and stakes; how it stands; and settling up."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request

from scoring import ALL_CODES, Ruleset, load_ruleset, ruleset_names
from scoring.tiles import FLOWERS
from taicam.match.replay import Standing, standing_of
from taicam.match.statistics import settle_up, statistics
from taicam.play import PlayDesk
from taicam.session import Session
from taicam.web.access import Actor, IdempotencyKey, Viewer
from taicam.web.models import MatchIn, PlaceIn, SeatsIn

router = APIRouter(prefix="/api", tags=["match"], dependencies=[Viewer])


def _session(request: Request) -> Session:
    session: Session = request.app.state.session
    session.refresh()
    return session


def _desk(request: Request) -> PlayDesk:
    desk: PlayDesk = request.app.state.play
    return desk


@router.get("/matches")
def matches(request: Request) -> list[dict[str, Any]]:
    """Every match of this table, the newest first."""
    account = _session(request).account
    return [
        {
            "match_id": match_id,
            "title": event.payload["title"],
            "at_utc": event.at_utc,
            "ended": match_id in account.ended,
        }
        for match_id, event in reversed(account.matches.items())
    ]


@router.get("/matches/{match_id}")
def match(request: Request, match_id: str) -> dict[str, Any]:
    """How a match stands: people with totals, statistics and course; the next deal; who owes whom."""
    account = _session(request).account
    if match_id not in account.matches:
        raise HTTPException(404, "there is no such match")
    return match_json(standing_of(account, match_id))


def match_json(standing: Standing) -> dict[str, Any]:
    """A standing as JSON."""
    setup, progress = standing.setup, standing.progress
    numbers = statistics(standing)
    balances = {person: total - setup.start_score for person, total in standing.totals.items()}
    return {
        "match_id": setup.match_id,
        **setup.to_payload(),
        "seating": list(standing.seating),
        "ended": standing.ended,
        "people": [
            {
                "id": person.id,
                "name": person.name,
                "colour": person.colour,
                "total": standing.totals[person.id],
                **numbers[person.id].to_json(),
            }
            for person in setup.people
        ],
        "round_wind": progress.round_wind,
        "hand_number": progress.hand_number,
        "dealer": progress.dealer,
        "streak": progress.streak,
        "game": progress.game,
        "seat_winds": [progress.seat_wind(place) for place in range(4)],
        "east_known": progress.east_known,
        "dealer_known": progress.dealer_known,
        "out": list(progress.out),
        "seat_change_due": progress.seat_change_due,
        "finished": progress.finished,
        "hands": len(standing.hands),
        "settle_up": [
            {"payer": setup.person(t.payer).name, "payee": setup.person(t.payee).name, "amount": t.amount}
            for t in settle_up(balances)
        ],
    }


@router.post("/matches", status_code=201)
def start(request: Request, body: MatchIn, key: IdempotencyKey, actor: Actor) -> dict[str, Any]:
    """Start a match."""
    return match_json(_desk(request).start_match(body.model_dump(), key, actor))


@router.post("/match/end")
def end(request: Request, key: IdempotencyKey, actor: Actor) -> dict[str, str]:
    """End the match being played."""
    _desk(request).end_match(key, actor)
    return {"status": "ended"}


@router.post("/match/seats")
def seats(request: Request, body: SeatsIn, key: IdempotencyKey, actor: Actor) -> dict[str, list[str]]:
    """Seat people otherwise from the next hand on."""
    _desk(request).change_seats(tuple(body.seating), key, actor)
    return {"seating": body.seating}


@router.post("/match/east")
def east(request: Request, body: PlaceIn, key: IdempotencyKey, actor: Actor) -> dict[str, int]:
    """Say where the wall of the coming hand was broken (開門)."""
    _desk(request).break_wall(body.place, key, actor)
    return {"place": body.place}


@router.post("/match/dealer")
def dealer(request: Request, body: PlaceIn, key: IdempotencyKey, actor: Actor) -> dict[str, int]:
    """Say who deals the coming hand, where the ruleset leaves that to the table."""
    _desk(request).name_dealer(body.place, key, actor)
    return {"place": body.place}


@router.get("/rules")
def rules(request: Request) -> list[dict[str, Any]]:
    """Every ruleset with its options, each explained."""
    return [ruleset_json(load_ruleset(name)) for name in ruleset_names()]


@router.get("/rules/current")
def current_rules(request: Request) -> dict[str, Any]:
    """The ruleset in force: that of the match being played, or of the house."""
    session = _session(request)
    if session.standing is not None:
        setup = session.standing.setup
        return ruleset_json(load_ruleset(setup.ruleset, setup.options))
    return ruleset_json(load_ruleset(session.house.ruleset, session.house.options))


def ruleset_json(ruleset: Ruleset) -> dict[str, Any]:
    """What the pages need of a ruleset: its questions, options and size of hand."""
    return {
        "name": ruleset.name,
        "titles": dict(ruleset.titles),
        "unit": ruleset.unit,
        "hand_size": ruleset.hand_size,
        "codes": [code for code in ALL_CODES if _in_set(code, ruleset)],
        "flags": list(ruleset.play.get("flags", ())),
        "fields": list(ruleset.play.get("fields", ())),
        "multi_win": ruleset.options.get("multi_ron") == "all",
        "stake": ruleset.settlement.get("stake"),
        "dealt_wins": "initial" in ruleset.play.get("flags", ()),
        "options": [
            {
                "key": spec.key,
                "kind": spec.kind,
                "value": _plain(ruleset.options.get(spec.key)),
                "default": _plain(spec.default),
                "choices": list(spec.choices),
                "zh": spec.zh,
                "en": spec.en,
            }
            for spec in ruleset.specs.values()
        ],
    }


def _in_set(code: str, ruleset: Ruleset) -> bool:
    """Whether the ruleset is played with this tile."""
    if code == "back":
        return False
    if code in FLOWERS:
        return ruleset.flowers
    return (code[1] if len(code) == 2 else "z") in ruleset.suit_letters


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
