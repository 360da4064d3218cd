"""The present view as JSON, for the snapshot and the event stream."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from typing import Any

from scoring.view import ScoreView
from taicam.presenter import TableNow, match_table
from taicam.session import Session
from taicam.views import asked

# A page that sees another boot id knows that the server was restarted and that numbering began again.
BOOT_ID = uuid.uuid4().hex[:12]


def state_json(view: ScoreView, session: Session) -> dict[str, Any]:
    """`view` (the names are those of `scoring.view`), the server's boot id, and what waits at the table."""
    account, standing = session.account, session.standing
    match_id = None if standing is None else standing.setup.match_id
    offers = [(event.at_utc, event.payload) for event in account.open_offers.values()]
    return {
        "boot": BOOT_ID,
        **asdict(view),
        **_told(view),
        "table": {
            "match": match_id,
            "title": "" if standing is None else standing.setup.title,
            "offers": [
                {"offer_id": offer["offer_id"], "picture": offer["picture"], "at_utc": at_utc, **asked(offer)}
                for at_utc, offer in offers
            ],
            "east_known": standing is None or standing.progress.east_known,
            "dealer_known": standing is None or standing.progress.dealer_known,
            "out": [] if standing is None else list(standing.progress.out),
            "next": None if standing is None else _coming(match_table(standing)),
            "seat_change_due": standing is not None and standing.progress.seat_change_due,
            "finished": standing is not None and standing.progress.finished,
            "hands": sum(1 for hand in account.counted() if hand.match_id == match_id),
            "ledger": account.last_seq,
        },
    }


def _told(view: ScoreView) -> dict[str, Any]:
    """What is said, in Chinese and in English: whoever looks has chosen a language on their own device."""
    return {
        "message": view.message.zh,
        "message_en": view.message.en,
        "doubts": [doubt.zh for doubt in view.doubts],
        "doubts_en": [doubt.en for doubt in view.doubts],
    }


def _coming(table: TableNow) -> dict[str, Any]:
    """The deal about to be played, also while the last hand is still on show; `dealer` is null until it is told."""
    return {
        "round_wind": table.round_wind,
        "hand_number": table.hand_number,
        "dealer": table.dealer,
        "dealer_wind": None if table.dealer is None else table.seat_winds[table.dealer],
        "streak": table.streak,
        "seat_winds": list(table.seat_winds),
    }
