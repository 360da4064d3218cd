"""The present view as JSON, for the snapshot and the event stream."""

from __future__ import annotations

import uuid
from dataclasses import asdict
from typing import Any

from scoring.view import ScoreView

# A page that sees another boot id knows that the server was restarted and that numbering began again.
BOOT_ID = uuid.uuid4().hex[:12]


def state_json(view: ScoreView) -> dict[str, Any]:
    """`view` with the server's boot id beside it; the names are those of `scoring.view`."""
    return {"boot": BOOT_ID, **asdict(view)}
