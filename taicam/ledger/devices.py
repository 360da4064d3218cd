"""The tablets and phones that may change things: paired once, kept by the hash of their token, revocable."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from taicam.errors import UsageError
from taicam.ledger.store import Ledger, utc_now
from taicam.ledger.tables import devices as devices_table

NAME_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Device:
    """One paired device; `revoked_utc` is empty while it may change things."""

    id: str
    name: str
    paired_utc: str
    seen_utc: str
    revoked_utc: str = ""


def _hash(token: str) -> str:
    # The token is 256 random bits: a plain hash cannot be searched, and a slow one would only slow every request.
    return hashlib.sha256(token.encode()).hexdigest()


class DeviceBook:
    """The paired devices of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def add(self, name: str) -> tuple[Device, str]:
        """Pair a device: the device, and the token it must keep (told once, never stored)."""
        token = secrets.token_urlsafe(32)
        now = utc_now()
        device = Device(secrets.token_hex(4), name.strip()[:NAME_LENGTH] or "?", now, now)
        row = {
            "id": device.id,
            "name": device.name,
            "token_hash": _hash(token),
            "paired_utc": now,
            "seen_utc": now,
        }
        with self._ledger.writing() as connection:
            connection.execute(sa.insert(devices_table).values(row))
        return device, token

    def find(self, token: str) -> Device | None:
        """The device that holds this token, unless it was revoked."""
        query = sa.select(devices_table).where(
            devices_table.c.token_hash == _hash(token), devices_table.c.revoked_utc.is_(None)
        )
        with self._ledger.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else _device(row)

    def seen(self, device_id: str) -> None:
        """Note that the device was here."""
        self._change(device_id, seen_utc=utc_now())

    def rename(self, device_id: str, name: str) -> None:
        """Give the device another name. Raises UsageError for an unknown one."""
        self._change(device_id, name=name.strip()[:NAME_LENGTH] or "?")

    def revoke(self, device_id: str) -> None:
        """Take the device's right away for good. Raises UsageError for an unknown one."""
        self._change(device_id, revoked_utc=utc_now())

    def all(self) -> list[Device]:
        """Every device, the newest first."""
        query = sa.select(devices_table).order_by(devices_table.c.paired_utc.desc())
        with self._ledger.reading() as connection:
            return [_device(row) for row in connection.execute(query)]

    def _change(self, device_id: str, **values: str) -> None:
        statement = sa.update(devices_table).where(devices_table.c.id == device_id).values(values)
        with self._ledger.writing() as connection:
            if connection.execute(statement).rowcount == 0:
                raise UsageError(f"no device {device_id!r} is paired", "see `taicam devices list`")


def _device(row: sa.Row[tuple[str, ...]]) -> Device:
    return Device(row.id, row.name, row.paired_utc, row.seen_utc, row.revoked_utc or "")
