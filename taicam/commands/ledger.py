"""`taicam ledger`: look into the account, take it elsewhere, confirm and void hands."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from taicam.board import Board
from taicam.check import hand_text
from taicam.config import load_settings
from taicam.errors import JobError, UsageError
from taicam.house import House
from taicam.ledger import HandEntry, Ledger, LedgerView, fold
from taicam.ledger.export import events_jsonl, hand_json, hands_csv, hands_jsonl
from taicam.match.replay import whole_hands
from taicam.play import PlayDesk
from taicam.presenter import free_totals
from taicam.session import Session
from taicam.views import asked

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="List, show and export recorded hands; confirm the ones that wait, void wrong ones.",
)
Data = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Folder of the ledger.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON, one object a line.")]
Actor = "command line"


class ExportFormat(StrEnum):
    """What `export` writes."""

    CSV = "csv"
    JSON = "json"
    EVENTS = "events"


@contextmanager
def _ledger(data: Path | None) -> Iterator[Ledger]:
    settings = load_settings(None, {"data_dir": data})
    with Ledger.open(settings.data_dir, create=False) as ledger:
        yield ledger


@contextmanager
def _desk(data: Path | None) -> Iterator[PlayDesk]:
    settings = load_settings(None, {"data_dir": data})
    with Ledger.open(settings.data_dir, create=False) as ledger:
        yield PlayDesk(Session(ledger, Board(), House(language=settings.language)))


def _find(view: LedgerView, word: str) -> HandEntry:
    """The hand named by its number in the list, its id, or the beginning of its id."""
    found = [h for h in whole_hands(view) if word == str(h.seq) or h.hand_id.startswith(word)]
    if len(found) != 1:
        what = "no hand" if not found else f"{len(found)} hands"
        raise UsageError(f"{what} match {word!r}", "give a number or id shown by `taicam ledger list`")
    return found[0]


@app.command("list")
def list_hands(data: Data = None, as_json: AsJson = False) -> None:
    """List every hand in the order it was recorded, voided ones marked, and the totals."""
    with _ledger(data) as ledger:
        view = fold(ledger.events())
    hands = whole_hands(view)
    if as_json:
        sys.stdout.write(hands_jsonl(hands))
        return
    table = Table(title=f"帳本 ledger {ledger.path}")
    for name in ("#", "時間 time (UTC)", "手牌 hand", "台", "台型 items", "照片 picture"):
        table.add_column(name)
    for hand in hands:
        items = " ".join(f"{item['name_zh']} {item['value']}" for item in hand.answer.get("items", ()))
        style = "strike dim" if hand.voided else ""
        cells = (
            str(hand.seq),
            hand.at_utc[:19],
            hand_text(hand.record),
            "" if hand.total is None else str(hand.total),
            items or hand.outcome,
            hand.picture,
        )
        table.add_row(*cells, style=style)
    console = Console()
    console.print(table)
    sums = " ".join(f"{wind} {total:+d}" for wind, total in zip("東南西北", free_totals(view), strict=True))
    console.print(f"{len(view.counted())} 手 hands · {sums}", highlight=False)
    if view.open_offers:
        console.print(f"{len(view.open_offers)} 手待確認 wait to be confirmed: taicam ledger offers", style="yellow")


@app.command("show")
def show_hand(
    hand: Annotated[str, typer.Argument(help="Number or id shown by `ledger list`.")],
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show one hand with everything that happened to it."""
    with _ledger(data) as ledger:
        events = ledger.events()
    found = _find(fold(events), hand)
    history = [event for event in events if event.payload.get("hand_id") == found.hand_id]
    if as_json:
        sys.stdout.write(
            json.dumps({**hand_json(found), "history": [e.to_json() for e in history]}, ensure_ascii=False)
        )
        sys.stdout.write("\n")
        return
    console = Console(highlight=False)
    state = "作廢 voided" if found.voided else "有效 counts"
    console.print(f"#{found.seq} {found.hand_id} · {found.at_utc} · {state}", style="bold")
    console.print(f"  {hand_text(found.record)}  ({found.record.get('ruleset')})")
    for item in found.answer.get("items", ()):
        console.print(f"  {item['name_zh']} {item['value']}  {' '.join(item.get('tiles', ()))}")
    console.print(f"  共 total {found.total}")
    for player, amount in sorted((found.answer.get("payments") or {}).items()):
        console.print(f"  {'東南西北'[int(player)]} {amount:+d}")
    for event in history:
        console.print(f"  {event.seq} {event.at_utc} {event.kind.value} ({event.actor})", style="dim")


@app.command("export")
def export(
    data: Data = None,
    form: Annotated[ExportFormat, typer.Option("--format", help="csv, json (one hand a line) or events.")] = (
        ExportFormat.CSV
    ),
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here, not to the screen.")] = None,
) -> None:
    """Write all hands as CSV or JSON lines, or the raw events."""
    with _ledger(data) as ledger:
        events = ledger.events()
    hands = whole_hands(fold(events))
    text = {
        ExportFormat.CSV: lambda: hands_csv(hands),
        ExportFormat.JSON: lambda: hands_jsonl(hands),
        ExportFormat.EVENTS: lambda: events_jsonl(events),
    }[form]()
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise JobError(f"cannot write {out}: {error.strerror}", "choose another file with --out") from None


@app.command("offers")
def list_offers(data: Data = None, as_json: AsJson = False) -> None:
    """List the hands that wait to be confirmed, and what is in doubt about each."""
    with _ledger(data) as ledger:
        offers = [event.payload for event in fold(ledger.events()).open_offers.values()]
    if as_json:
        for offer in offers:
            line = {key: offer[key] for key in ("offer_id", "picture", "record", "doubts")}
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        return
    console = Console(highlight=False)
    for offer in offers:
        console.print(f"{offer['offer_id']}  {offer['picture']}  {hand_text(offer['record'])}")
        for doubt, english in zip(offer["doubts"], asked(offer)["doubts_en"], strict=True):
            console.print(f"    ? {doubt}" + (f" · {english}" if english != doubt else ""), style="yellow")
    if not offers:
        console.print("沒有待確認的牌 · nothing waits to be confirmed")


@app.command("confirm")
def confirm(
    offer: Annotated[str, typer.Argument(help="Id shown by `ledger offers`.")],
    data: Data = None,
    record: Annotated[
        str | None, typer.Option(metavar="JSON", help='Corrected fields, e.g. {"win_tile": "3s"}.')
    ] = None,
    key: Annotated[str | None, typer.Option(help="Idempotency key: the same key never records twice.")] = None,
) -> None:
    """Record a hand that waits, as read or with corrected fields."""
    changes: Any = None
    if record is not None:
        try:
            changes = json.loads(record)
        except json.JSONDecodeError as error:
            raise UsageError(
                f"--record is not JSON: {error}", 'quote it for the shell: \'{"win_tile": "3s"}\''
            ) from None
        if not isinstance(changes, dict):
            raise UsageError("--record must be one JSON object", 'write {"field": value}')
    with _desk(data) as desk:
        hand = desk.confirm(offer, key or uuid.uuid4().hex, Actor, changes)
    typer.echo(f"已記錄 recorded: #{hand.seq} {hand.hand_id}, {hand.total} 台")


@app.command("dismiss")
def dismiss(offer: Annotated[str, typer.Argument(help="Id shown by `ledger offers`.")], data: Data = None) -> None:
    """Drop a hand that waits: it was no win, or no hand at all."""
    with _desk(data) as desk:
        desk.dismiss(offer, uuid.uuid4().hex, Actor)
    typer.echo("已略過 dismissed")


@app.command("void")
def void(
    hand: Annotated[str, typer.Argument(help="Number or id shown by `ledger list`.")],
    data: Data = None,
    reason: Annotated[str, typer.Option(help="Why, for the record.")] = "",
) -> None:
    """Take a hand out of the account. It stays in the ledger, marked; `ledger restore` takes it back."""
    with _desk(data) as desk:
        desk.void(_find(desk.session.account, hand).hand_id, uuid.uuid4().hex, Actor, reason)
    typer.echo("已作廢 voided")


@app.command("restore")
def restore(
    hand: Annotated[str, typer.Argument(help="Number or id shown by `ledger list`.")], data: Data = None
) -> None:
    """Take a void back."""
    with _desk(data) as desk:
        desk.restore(_find(desk.session.account, hand).hand_id, uuid.uuid4().hex, Actor)
    typer.echo("已恢復 restored")
