"""The ledger's file: one SQLite database, written by one process at a time, in order.

WAL lets pages and commands read while the appliance writes; a busy timeout makes a second writer wait;
`BEGIN IMMEDIATE` takes the write lock before reading, so that "is this key there?" and the insert are one step.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command as alembic_command
from alembic.config import Config as AlembicConfig
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection, Engine

from taicam.errors import JobError
from taicam.ledger.events import Event, EventKind, encode_payload
from taicam.ledger.tables import events as events_table

FILE_NAME = "ledger.sqlite3"
APPLICATION_ID = 0x54414943  # "TAIC" in SQLite's header: tells our file from anybody else's
BUSY_TIMEOUT_MS = 5000
_SQLITE_MAGIC = b"SQLite format 3\x00"


class LedgerError(JobError):
    """The ledger's file cannot be used; says why and what to do."""


class LedgerConflictError(LedgerError):
    """An idempotency key came again with other facts: a client's mistake, never silently accepted."""


def utc_now() -> str:
    """Now, ISO 8601 in UTC to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _explain(path: Path, error: Exception) -> LedgerError:
    text = str(getattr(error, "orig", None) or error)
    low = text.lower()
    if "locked" in low or "busy" in low:
        return LedgerError(f"the ledger {path} is locked by another program", "close it and try again")
    if "full" in low:
        return LedgerError(f"the disk is full: {path} cannot be written", "free some space; nothing half-written stays")
    if "readonly" in low or "read-only" in low or "unable to open" in low or "permission" in low:
        return LedgerError(
            f"the ledger {path} cannot be opened for writing ({text})", "check its owner, or use --data DIR"
        )
    if "malformed" in low or "not a database" in low or "corrupt" in low:
        return _damaged(path, text)
    return LedgerError(f"the ledger {path} failed: {text}", "run `taicam doctor`, and keep a copy of the file")


def _damaged(path: Path, detail: str) -> LedgerError:
    advice = f"keep a copy, then try `sqlite3 {path} .recover | sqlite3 new.sqlite3`, or use another --data DIR"
    return LedgerError(f"the ledger {path} is damaged ({detail})", advice)


def _foreign(path: Path, what: str) -> LedgerError:
    return LedgerError(f"{path} is not a taicam ledger: {what}", "move it away, or use another --data DIR")


class Ledger:
    """An open ledger. Safe to use from several threads; every method may raise LedgerError."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._engine = engine
        self._write_lock = threading.Lock()

    @classmethod
    def open(cls, data_dir: Path, *, create: bool = True) -> Ledger:
        """Open the ledger kept in `data_dir`, making it (and the folder) when `create`.

        Raises LedgerError when the file is missing (and not `create`), foreign, damaged, locked or too new.
        """
        path = data_dir / FILE_NAME
        if not create and not path.exists():
            raise LedgerError(
                f"there is no ledger in {data_dir}", "run `taicam run` first, or point --data at the right folder"
            )
        try:
            data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LedgerError(
                f"cannot make the folder {data_dir}: {error.strerror}", "choose another with --data DIR"
            ) from None
        _check_header(path)
        ledger = cls(path, _engine(path))
        try:
            ledger._prepare()
        except sa.exc.DBAPIError as error:
            ledger.close()
            raise _explain(path, error) from None
        except LedgerError:
            ledger.close()
            raise
        return ledger

    def close(self) -> None:
        """Close every connection; the WAL is folded back into the file by the last one."""
        self._engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def append(
        self,
        kind: EventKind,
        payload: Mapping[str, Any],
        *,
        key: str | None = None,
        match_id: str | None = None,
        actor: str = "taicam",
    ) -> tuple[Event, bool]:
        """Write one event and say whether it is new: `(event, True)`, or `(the earlier one, False)` for a known key.

        Raises LedgerConflictError when the key is known with another kind, match or payload.
        """
        key = key or uuid.uuid4().hex
        text = encode_payload(payload)
        with self.writing() as connection:
            found = connection.execute(sa.select(events_table).where(events_table.c.key == key)).first()
            if found is not None:
                if (found.kind, found.match_id, found.payload) != (kind.value, match_id, text):
                    raise LedgerConflictError(
                        f"the idempotency key {key!r} was already used for something else",
                        "send a new key with every new action",
                    )
                return _event(found), False
            row = {
                "key": key,
                "kind": kind.value,
                "match_id": match_id,
                "at_utc": utc_now(),
                "actor": actor,
                "payload": text,
            }
            inserted = connection.execute(sa.insert(events_table).values(row).returning(events_table)).one()
            return _event(inserted), True

    def find(self, key: str) -> Event | None:
        """The event written with this idempotency key, if any."""
        with self.reading() as connection:
            found = connection.execute(sa.select(events_table).where(events_table.c.key == key)).first()
        return None if found is None else _event(found)

    def events(self, after: int = 0, match_id: str | None = None) -> list[Event]:
        """Every event with `seq > after`, in order; of one match when `match_id` is given."""
        query = sa.select(events_table).where(events_table.c.seq > after).order_by(events_table.c.seq)
        if match_id is not None:
            query = query.where(events_table.c.match_id == match_id)
        with self.reading() as connection:
            return [_event(row) for row in connection.execute(query)]

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with; database failures come out as LedgerError."""
        try:
            with self._engine.connect() as connection:
                yield connection
        except sa.exc.DBAPIError as error:
            raise _explain(self.path, error) from None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection inside one write transaction: all of it is kept, or none."""
        try:
            with self._write_lock, self._engine.connect() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                try:
                    yield connection
                except BaseException:
                    connection.exec_driver_sql("ROLLBACK")
                    raise
                connection.exec_driver_sql("COMMIT")
        except sa.exc.DBAPIError as error:
            raise _explain(self.path, error) from None

    def _prepare(self) -> None:
        """Recognise the file, check it whole, and bring its tables up to date."""
        with self._engine.connect() as connection:
            application = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
            tables = sa.inspect(connection).get_table_names()
            if tables and application != APPLICATION_ID:
                raise _foreign(self.path, f"a database of another program (tables {', '.join(tables[:5])})")
            verdict = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
            if verdict != "ok":
                raise _damaged(self.path, str(verdict).strip().splitlines()[0])
            if not tables:
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            self._migrate(connection)

    def _migrate(self, connection: Connection) -> None:
        config = AlembicConfig()
        config.set_main_option("script_location", str(resources.files("taicam.ledger") / "migrations"))
        scripts = ScriptDirectory.from_config(config)
        current = MigrationContext.configure(connection).get_current_revision()
        if current == scripts.get_current_head():
            return
        if current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
            raise LedgerError(
                f"the ledger {self.path} was made by a newer taicam (revision {current})", "update taicam"
            )
        config.attributes["connection"] = connection
        # Two programs opening a new ledger at once: the second waits here, then finds the work done.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            alembic_command.upgrade(config, "head")
        except BaseException:
            connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


def _check_header(path: Path) -> None:
    """Refuse what is not SQLite before SQLite sees it: its own words for that are no help to a player."""
    if not path.exists():
        return
    if not path.is_file():
        raise _foreign(path, "it is not a file")
    try:
        with path.open("rb") as file:
            head = file.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise LedgerError(f"the ledger {path} cannot be read: {error.strerror}", "check its owner") from None
    if head and head != _SQLITE_MAGIC:
        raise _foreign(path, "not an SQLite file, or one torn at its beginning")


def _engine(path: Path) -> Engine:
    engine = sa.create_engine(f"sqlite:///{path}", connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: sqlite3.Connection, _record: Any) -> None:
        # Transactions are ours to begin: the driver's own habit would take the write lock too late.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a power cut must not lose a hand already confirmed
        connection.execute("PRAGMA foreign_keys = ON")

    return engine


def _event(row: Any) -> Event:
    return Event(
        seq=row.seq,
        key=row.key,
        kind=EventKind(row.kind),
        match_id=row.match_id,
        at_utc=row.at_utc,
        actor=row.actor,
        payload=json.loads(row.payload),
    )
