"""`taicam rules`: the rulesets there are, what they say, and how they differ."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from scoring import Ruleset, load_ruleset, read_ruleset, ruleset_names
from scoring.describe import describe, differences, summary
from taicam.errors import UsageError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="List, show, check and compare rulesets; a name is a packaged ruleset or a .toml file of your own.",
)
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
Name = Annotated[str, typer.Argument(metavar="RULESET", help="A name from `rules list`, or a .toml file.")]
Options = Annotated[list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Option of the ruleset.")]


def open_ruleset(name: str, options: list[str] | None = None) -> Ruleset:
    """The packaged ruleset of that name, or the one in that file. Raises UsageError or RulesetError."""
    chosen: dict[str, Any] = {}
    for text in options or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text}", "give NAME=VALUE, such as --option ligu_enabled=false")
        chosen[key.strip()] = value.strip()
    if not name.endswith(".toml"):
        return load_ruleset(name, chosen)
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: {error}", "name a ruleset file you may read, in UTF-8") from None
    return read_ruleset(text, chosen)


def _write(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


@app.command("list")
def list_rulesets(as_json: AsJson = False) -> None:
    """List the rulesets that come with taicam."""
    rows = [summary(load_ruleset(name)) for name in ruleset_names()]
    if as_json:
        _write(rows)
        return
    table = Table(title="規則 rulesets", title_justify="left")
    for column in ("名稱 name", "規則 rules", "張 tiles", "單位 unit", "滿台 cap", "項 items"):
        table.add_column(column)
    for row in rows:
        title = f"{row['title_zh']}\n{row['title_en']}"
        table.add_row(row["name"], title, str(row["tiles"]), row["unit"], str(row["cap"] or "—"), str(row["items"]))
    Console().print(table)


@app.command("show")
def show_ruleset(ruleset: Name, option: Options = None, as_json: AsJson = False) -> None:
    """Show a ruleset: every item with its value, what is not counted together, every option."""
    told = describe(open_ruleset(ruleset, option))
    if as_json:
        _write(told)
        return
    console = Console(highlight=False)
    console.print(f"{told['title_zh']} {told['title_en']}\n{told['source']}")
    for source in told["sources"]:
        parts = (source[name] for name in ("title", "url", "date", "note") if name in source)
        console.print(f"來源 source: {', '.join(parts)}", soft_wrap=True)
    console.print(_item_table(told))
    console.print(_option_table(told))


def _item_table(told: dict[str, Any]) -> Table:
    names = {item["key"]: item["name_zh"] for item in told["items"]}
    drops: dict[str, list[str]] = {}
    for row in told["exclusions"]:
        drops.setdefault(row["item"], []).extend(names[key] for key in row["drops"])
    table = Table(title="台型 items", title_justify="left")
    for column in ("台型 item", told["unit"], "不另計 not counted with it"):
        table.add_column(column)
    for item in told["items"]:
        outside = " (滿台外 outside the cap)" if told["cap"] and item["outside_cap"] else ""
        name = f"{item['name_zh']} {item['name_en']}{outside}"
        table.add_row(name, str(item["value"]), "、".join(dict.fromkeys(drops.get(item["key"], []))))
    return table


def _option_table(told: dict[str, Any]) -> Table:
    table = Table(title="選項 options", title_justify="left")
    for column in ("選項 option", "值 value", "說明 what it is"):
        table.add_column(column)
    for row in told["options"]:
        open_point = "\n規則未載明 not from the rule text" if row["not_from_text"] else ""
        told_row = f"{row['zh']}\n{row['en']}\n({row['valid']}){open_point}"
        table.add_row(row["key"], json.dumps(row["value"], ensure_ascii=False), told_row)
    return table


@app.command("check")
def check_rulesets(
    rulesets: Annotated[list[str], typer.Argument(metavar="RULESET...", help="Names or .toml files.")],
    as_json: AsJson = False,
) -> None:
    """Check ruleset files: words that mean nothing, items or options that are not there, circles."""
    rows: list[dict[str, Any]] = []
    for name in rulesets:
        try:
            rules = open_ruleset(name)
        except (UsageError, ValueError) as error:
            rows.append({"ruleset": name, "ok": False, "error": str(error)})
        else:
            rows.append({"ruleset": name, "ok": True, **summary(rules)})
    if as_json:
        _write(rows)
    else:
        console = Console(highlight=False)
        for row in rows:
            told = f"{row['items']} items, {row['options']} options" if row["ok"] else row["error"]
            console.print(f"{'[green]✓[/]' if row['ok'] else '[red]✗[/]'} {row['ruleset']}: {told}")
    if not all(row["ok"] for row in rows):
        raise typer.Exit(2)


@app.command("diff")
def diff_rulesets(left: Name, right: Name, as_json: AsJson = False) -> None:
    """Show how two rulesets differ: values, items only one has, exclusions, options."""
    first, second = open_ruleset(left), open_ruleset(right)
    rows = differences(first, second)
    if as_json:
        _write(rows)
        return
    names = {item.key: item.names[0] for rules in (second, first) for item in rules.items}
    table = Table(title=f"{left} ↔ {right}", title_justify="left")
    for column in ("", "名稱 name", left, right):
        table.add_column(column)
    for row in rows:
        name = f"{row['key']} {names.get(row['key'], '')}"
        table.add_row(row["what"], name, *("—" if row[side] is None else str(row[side]) for side in ("left", "right")))
    Console(highlight=False).print(table)
