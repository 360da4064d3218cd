"""The ledger's file: real SQLite files, real second processes, real damage."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from taicam.ledger import EventKind, Ledger, LedgerConflictError, LedgerError, fold
from taicam.ledger import store as store_module

HAND = {"outcome": "win", "record": {"concealed": ["1m"]}, "answer": {"total": 3}}


def hand(number: int) -> dict[str, object]:
    return {"hand_id": f"h{number}", **HAND}


def test_events_come_back_in_order_and_survive_reopening(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        for number in range(5):
            ledger.append(EventKind.HAND_RECORDED, hand(number), key=f"k{number}", actor="tablet")
    with Ledger.open(tmp_path) as ledger:
        events = ledger.events()
    assert [event.seq for event in events] == [1, 2, 3, 4, 5]
    assert [event.payload["hand_id"] for event in events] == ["h0", "h1", "h2", "h3", "h4"]
    assert {event.actor for event in events} == {"tablet"}
    assert all(event.at_utc.endswith("Z") for event in events)


def test_the_same_key_is_written_once_and_other_facts_under_it_are_refused(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        first, new = ledger.append(EventKind.HAND_RECORDED, hand(1), key="tap-1")
        again, new_again = ledger.append(EventKind.HAND_RECORDED, hand(1), key="tap-1")
        assert (new, new_again) == (True, False)
        assert again == first
        with pytest.raises(LedgerConflictError, match="already used"):
            ledger.append(EventKind.HAND_RECORDED, hand(2), key="tap-1")
        with pytest.raises(LedgerConflictError):
            ledger.append(EventKind.HAND_CORRECTED, hand(1), key="tap-1")
        assert len(ledger.events()) == 1


@pytest.mark.parametrize("statement", ["UPDATE events SET actor = 'x'", "DELETE FROM events"])
def test_the_database_itself_refuses_to_rewrite_history(tmp_path: Path, statement: str) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.append(EventKind.HAND_RECORDED, hand(1))
    connection = sqlite3.connect(tmp_path / store_module.FILE_NAME)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


def test_the_file_is_marked_in_wal_mode_and_at_the_head_revision(tmp_path: Path) -> None:
    Ledger.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / store_module.FILE_NAME)
    assert connection.execute("PRAGMA application_id").fetchone() == (store_module.APPLICATION_ID,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002",)
    connection.close()


def _append_many(folder: str, name: str, count: int) -> None:
    with Ledger.open(Path(folder)) as ledger:
        for number in range(count):
            ledger.append(EventKind.HAND_RECORDED, hand(number), key=f"{name}-{number}", actor=name)


def test_two_processes_write_at_once_without_losing_or_doubling(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append_many, args=(str(tmp_path), name, 60)) for name in ("a", "b")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    with Ledger.open(tmp_path) as ledger:
        events = ledger.events()
    assert [event.seq for event in events] == list(range(1, 121))
    assert len({event.key for event in events}) == 120


def _append_until_killed(folder: str, written: str) -> None:
    with Ledger.open(Path(folder)) as ledger, Path(written).open("w", buffering=1) as log:
        for number in range(100_000):
            ledger.append(EventKind.HAND_RECORDED, hand(number), key=f"k{number}")
            log.write(f"{number}\n")


def test_a_killed_process_loses_nothing_it_had_been_told_was_written(tmp_path: Path) -> None:
    written = tmp_path / "written"
    worker = multiprocessing.get_context("spawn").Process(
        target=_append_until_killed, args=(str(tmp_path / "data"), str(written))
    )
    worker.start()
    deadline = time.monotonic() + 30
    while (not written.exists() or written.stat().st_size < 200) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(10)
    told = [int(line) for line in written.read_text().split("\n")[:-1]]
    with Ledger.open(tmp_path / "data") as ledger:
        kept = [int(event.key[1:]) for event in ledger.events()]
    assert len(told) > 10
    assert kept == list(range(len(kept)))
    assert len(kept) in (len(told), len(told) + 1)


def test_a_locked_file_is_said_to_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "BUSY_TIMEOUT_MS", 50)
    with Ledger.open(tmp_path) as ledger:
        blocker = sqlite3.connect(tmp_path / store_module.FILE_NAME, isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="locked by another program"):
            ledger.append(EventKind.HAND_RECORDED, hand(1))
        blocker.execute("ROLLBACK")
        blocker.close()
        ledger.append(EventKind.HAND_RECORDED, hand(1))
        assert len(ledger.events()) == 1


def test_a_full_disk_is_said_and_leaves_the_account_whole(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.append(EventKind.HAND_RECORDED, hand(1), key="k1")

        @sa.event.listens_for(ledger._engine, "checkout")
        def no_more_pages(connection: sqlite3.Connection, *_rest: object) -> None:
            connection.execute("PRAGMA max_page_count = 1")  # SQLite then answers exactly as on a full disk

        with pytest.raises(LedgerError, match="disk is full"):
            ledger.append(EventKind.HAND_RECORDED, {**hand(2), "note": "x" * 100_000}, key="k2")
        assert [event.key for event in ledger.events()] == ["k1"]


def _torn(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size * 2 // 3)


def _scrambled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096 : 4096 * 3] = os.urandom(4096 * 2)
    path.write_bytes(bytes(data))


def _headless(path: Path) -> None:
    path.write_bytes(b"\x00" * 100 + path.read_bytes()[100:])


@pytest.mark.parametrize("damage", [_torn, _scrambled, _headless])
def test_a_damaged_file_is_refused_with_a_way_out(tmp_path: Path, damage: object) -> None:
    with Ledger.open(tmp_path) as ledger:
        for number in range(200):
            ledger.append(EventKind.HAND_RECORDED, hand(number))
    damage(tmp_path / store_module.FILE_NAME)  # type: ignore[operator]
    with pytest.raises(LedgerError) as caught:
        Ledger.open(tmp_path)
    assert "damaged" in str(caught.value) or "not a taicam ledger" in str(caught.value)
    assert "--data DIR" in str(caught.value)


def test_foreign_files_are_refused_and_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / store_module.FILE_NAME
    path.write_text("my shopping list")
    with pytest.raises(LedgerError, match="not a taicam ledger"):
        Ledger.open(tmp_path)
    assert path.read_text() == "my shopping list"
    path.unlink()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE songs (name)")
    other.commit()
    other.close()
    with pytest.raises(LedgerError, match=r"another program \(tables songs\)"):
        Ledger.open(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(LedgerError, match="not a file"):
        Ledger.open(tmp_path)


def test_a_ledger_of_a_newer_taicam_is_refused(tmp_path: Path) -> None:
    Ledger.open(tmp_path).close()
    connection = sqlite3.connect(tmp_path / store_module.FILE_NAME)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match="newer taicam"):
        Ledger.open(tmp_path)


def test_reading_commands_do_not_make_a_ledger_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger.open(tmp_path / "nowhere", create=False)
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LedgerError, match="cannot make the folder"):
        Ledger.open(tmp_path / "file" / "data")


def test_replaying_the_events_gives_the_same_account(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        for number in range(4):
            ledger.append(EventKind.HAND_RECORDED, hand(number))
        ledger.append(EventKind.HAND_CORRECTED, {**hand(1), "answer": {"total": 7}})
        ledger.append(EventKind.HAND_VOIDED, {"hand_id": "h2", "reason": "misread"})
        ledger.append(EventKind.HAND_VOIDED, {"hand_id": "h3", "reason": ""})
        ledger.append(EventKind.HAND_RESTORED, {"hand_id": "h3", "reason": ""})
        view = fold(ledger.events())
        assert fold(ledger.events()) == view
    assert [(h.hand_id, h.total, h.corrections) for h in view.counted()] == [("h0", 3, 0), ("h1", 7, 1), ("h3", 3, 0)]
    assert view.hands["h1"].seq == 2  # a correction keeps its place in the evening
    assert view.hands["h2"].voided


def test_offers_stay_open_until_recorded_or_dismissed(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        for name in ("o1", "o2", "o3"):
            ledger.append(EventKind.HAND_OFFERED, {"offer_id": name})
        ledger.append(EventKind.HAND_RECORDED, {**hand(1), "offer_id": "o1"})
        ledger.append(EventKind.OFFER_DISMISSED, {"offer_id": "o2"})
        assert list(fold(ledger.events()).open_offers) == ["o3"]
