"""Readings as tables for people, Traditional Chinese first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from scoring.tiles import format_tiles, tile_name
from vision.picture import PictureError

MELD_NAMES = {
    "chow": "吃 chow",
    "pung": "碰 pung",
    "kong_exposed": "明槓 exposed kong",
    "kong_added": "加槓 added kong",
    "kong_concealed": "暗槓 concealed kong",
}
_STATUS = {
    "accepted": "[green]可以採用 nothing to ask[/]",
    "confirm": "[yellow]請確認 please check[/]",
    "unreadable": "[red]看不出一手牌 no hand read[/]",
}


def print_error(error: PictureError) -> None:
    """One line on standard error for a picture that cannot be used."""
    Console(stderr=True).print(f"[red]✗[/] {error.zh}\n  {error.en}", highlight=False)


def print_reading(name: str, answer: Mapping[str, Any]) -> None:
    """A reading, or in table mode one for every seat that shows a hand."""
    console = Console()
    if "seats" not in answer:
        console.print(reading_table(name, answer))
        return
    for seat in answer["seats"]:
        if seat["tiles"]:
            console.print(reading_table(f"{name} · 座位 seat {seat['seat']}", seat))
    centre = [tile["code"] for tile in answer["centre"]]
    console.print(f"{name} · 中央 centre: {format_tiles(centre) or '—'}", highlight=False)
    _print_notes(console, answer)


def _print_notes(console: Console, answer: Mapping[str, Any]) -> None:
    for note in answer.get("quality", ()):
        console.print(f"! {note['message_zh']} {note['message_en']}", highlight=False)


def _names(codes: Sequence[str]) -> str:
    words = "".join(tile_name(code) for code in codes)
    return f"{words}  ({format_tiles(codes)})" if codes else "—"


def reading_table(name: str, answer: Mapping[str, Any]) -> Table:
    """One reading as a table."""
    table = Table(title=name, title_justify="left", show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    hand = answer["hand"]
    table.add_row("狀態 status", _STATUS[answer["status"]])
    if answer["status"] == "unreadable":
        table.add_row("看到 seen", _names([tile["code"] for tile in answer["tiles"]]))
    else:
        table.add_row("手牌 hand", _names(hand["concealed"]))
        for meld in answer["groups"]:
            table.add_row(MELD_NAMES[meld["kind"]], _names(meld["tiles"]))
        if hand["flowers"]:
            table.add_row("花 flowers", _names(hand["flowers"]))
        win = hand["win_tile"]
        sure = f"  {answer['win_tile_confidence']:.0%}" if win else ""
        table.add_row("和的牌 winning tile", (_names([win]) if win else "—") + sure)
        table.add_row("把握 probability", f"{answer['probability']:.2%}")
    for doubt in answer["doubts"]:
        table.add_row("? 請確認", f"{doubt['message_zh']}\n[dim]{doubt['message_en']}[/]")
    for note in answer["quality"]:
        table.add_row("! 畫面 picture", f"{note['message_zh']}\n[dim]{note['message_en']}[/]")
    _add_score(table, answer.get("score"))
    return table


def _add_score(table: Table, score: Mapping[str, Any] | None) -> None:
    if score is None:
        return
    table.add_section()
    if "error" in score:
        table.add_row("台", f"[red]{score['error']}[/]")
        return
    if not score.get("wins"):
        table.add_row("台", f"沒有和 not a win: {score.get('reason') or ''}")
        return
    for item in score["items"]:
        table.add_row(str(item["name"]), str(item["value"]))
    table.add_row("[bold]合計 total[/]", f"[bold]{score['total']} 台[/]")
