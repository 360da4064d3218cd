"""The tables of the ledger, as SQLAlchemy knows them (the migrations make them)."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, MetaData, Table, Text

metadata = MetaData()

events = Table(
    "events",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("key", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("match_id", Text),
    Column("at_utc", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Index("events_by_match", "match_id", "seq"),
    sqlite_autoincrement=True,
)

devices = Table(
    "devices",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("paired_utc", Text, nullable=False),
    Column("seen_utc", Text, nullable=False),
    Column("revoked_utc", Text),
)
