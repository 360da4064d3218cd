"""The account: an append-only list of events in SQLite, and what follows from it."""

from taicam.ledger.events import Event, EventKind
from taicam.ledger.fold import HandEntry, LedgerView, fold
from taicam.ledger.store import Ledger, LedgerConflictError, LedgerError

__all__ = ["Event", "EventKind", "HandEntry", "Ledger", "LedgerConflictError", "LedgerError", "LedgerView", "fold"]
