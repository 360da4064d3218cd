"""Scores as tables for people, Traditional Chinese first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from scoring.tiles import format_tiles

_SET_NAMES = {
    "chow": "順子 chow",
    "pung": "刻子 triplet",
    "kong_exposed": "明槓 exposed kong",
    "kong_added": "加槓 added kong",
    "kong_concealed": "暗槓 concealed kong",
    "pair": "將眼 pair",
    "tiles": "牌 tiles",
}


def print_answer(answer: Mapping[str, Any]) -> None:
    """A score: the split, the items, what was not counted and why, who pays. Or why the hand does not win."""
    console = Console(highlight=False)
    if not answer["wins"]:
        console.print(f"[red]未和牌 no win[/] {answer['reason_zh']}\n  {answer['reason_en']}")
    else:
        console.print(_items(answer))
        _print_split(console, answer)
        _print_reasons(console, answer)
        _print_payments(console, answer)
    for row in answer["violations"]:
        console.print(f"[yellow]違規 broken rule:[/] {row['zh']} · {row['en']}")
        console.print(f"  → {row['consequence_zh']} · {row['consequence_en']}")
    if answer.get("ignored"):
        console.print(f"[dim]不適用 not known to {answer['ruleset']}: {', '.join(answer['ignored'])}[/]")


def _items(answer: Mapping[str, Any]) -> Table:
    table = Table(title=f"{answer['total']} {answer['unit']} · {answer['ruleset']}", title_justify="left")
    table.add_column("台型 item", no_wrap=True)
    table.add_column("台", justify="right")
    table.add_column("牌 tiles")
    for item in answer["items"]:
        table.add_row(f"{item['name_zh']} {item['name_en']}", str(item["value"]), format_tiles(item["tiles"]))
    if answer.get("raw_total", answer["total"]) != answer["total"]:
        table.add_row(f"滿台 capped: {answer['raw_total']} → {answer['total']}", "", "")
    return table


def _print_split(console: Console, answer: Mapping[str, Any]) -> None:
    groups = [
        f"{'*' if group['completed'] else ''}{format_tiles(group['tiles'])} ({_SET_NAMES[group['kind']]})"
        for group in answer["split"]["sets"]
    ]
    if groups:
        console.print("拆法 split: " + " · ".join(groups))
    if answer["waits"]:
        console.print(f"聽 waits: {format_tiles(answer['waits'])}")


def _print_reasons(console: Console, answer: Mapping[str, Any]) -> None:
    for title, rows in (("不另計 not counted", answer["not_counted"]), ("未成立 not met", answer["unmet"])):
        for row in rows:
            console.print(
                f"[dim]{title}:[/] {row['name_zh']} {row['name_en']} — {row['because_zh']} · {row['because_en']}"
            )


def _print_payments(console: Console, answer: Mapping[str, Any]) -> None:
    if "payments_need" in answer:
        console.print(f"付款 payments: {answer['payments_need']}")
    for line in answer.get("payment_lines", ()):
        parts = " + ".join(f"{part['name']}{part['tai'] or ''} {part['amount']}" for part in line["parts"])
        console.print(f"付款 {line['payer']} → {line['payee']}: {line['amount']} = {parts}")
