"""Alembic migrations of the ledger; they travel inside the wheel."""
