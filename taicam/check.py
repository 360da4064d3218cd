"""Readings held against the truth: the table that ends a run over pictures whose truth is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.table import Table
from rich.text import Text

from scoring import format_tiles, score_record
from taicam.house import House
from taicam.outcome import Outcome
from taicam.truth import Mark, Truth

MARK_WORDS: dict[Mark, tuple[str, str]] = {
    "right": ("對 right", "green"),
    "asked": ("問 asked", "yellow"),
    "wrong": ("錯 wrong", "bold red"),
    "failed": ("無法讀 failed", "bold red"),
}
STATUS_WORDS: dict[str, tuple[str, str]] = {
    "recorded": ("已記錄 recorded", "green"),
    "already": ("已在帳本 already there", "dim"),
    "confirm": ("請確認 confirm", "yellow"),
    "not_winning": ("未成胡 no win", "red"),
    "failed": ("無法讀 failed", "bold red"),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """One picture: what came of it, what is true, and the mark that follows."""

    outcome: Outcome
    truth: Truth
    true_answer: Mapping[str, Any]
    mark: Mark


def check(outcome: Outcome, truth: Truth, house: House) -> Checked:
    """Hold an outcome against the truth: tiles, groups, winning tile, and the score that follows from them."""
    record = {
        **truth.to_record(),
        "ruleset": truth.facts.ruleset or house.ruleset,
        "options": dict(house.options),
        "stake": {"di": house.di, "tai": house.tai},
    }
    answer = score_record(record)
    return Checked(outcome, truth, answer, _mark(outcome, truth, answer))


def _mark(outcome: Outcome, truth: Truth, answer: Mapping[str, Any]) -> Mark:
    if outcome.status == "failed":
        return "failed"
    if outcome.status == "confirm":
        return "asked"
    same_score = bool(outcome.answer.get("wins")) == bool(answer.get("wins")) == truth.wins
    same_total = outcome.answer.get("total") == answer.get("total")
    return "right" if truth.matches(outcome.record) and same_score and same_total else "wrong"


def hand_text(record: Mapping[str, Any]) -> str:
    """A hand on one line in the text form: concealed, [melds], flowers, + the winning tile."""
    if not record.get("concealed"):
        return "—"
    concealed = list(record["concealed"])
    win = record.get("win_tile")
    if win in concealed:
        concealed.remove(win)
    parts = [format_tiles(concealed)]
    parts += [f"[{format_tiles(meld['tiles'])}]" for meld in record.get("melds", ())]
    if record.get("flowers"):
        parts.append(format_tiles(record["flowers"]))
    return " ".join(parts) + (f" +{win}" if win else "")


def _score_text(answer: Mapping[str, Any]) -> Text:
    if answer.get("error"):
        return Text(str(answer["error"]), style="yellow")
    if not answer.get("wins"):
        return Text(f"未胡:{answer.get('reason', '')}" if answer else "—", style="dim")
    items = " ".join(f"{item['name_zh']} {item['value']}" for item in answer.get("items", ()))
    return Text.assemble((f"{answer.get('total')} {answer.get('unit', '台')} ", "bold"), items)


def table(rows: list[Checked]) -> Table:
    """Picture, what was read, what was true, the mark, the 台 and items."""
    result = Table(title="taicam: 讀到的與真實的 · what was read and what is true", show_lines=True, expand=False)
    result.add_column("照片 picture", no_wrap=True)
    result.add_column("讀到 read · 真實 true (+胡牌 winning tile)")
    result.add_column("", no_wrap=True)
    result.add_column("台 · 台型 items")
    for row in rows:
        read, true = hand_text(row.outcome.record), hand_text(row.truth.to_record())
        same = row.mark != "failed" and row.truth.matches(row.outcome.record)
        tiles = Text(true) if same else Text.assemble(("讀 ", "dim"), read, "\n", ("真 ", "dim"), (true, "green"))
        if row.outcome.doubts:
            tiles.append(f"\n問 {len(row.outcome.doubts)} 處: {row.outcome.doubts[0]}", style="yellow")
        if row.outcome.status == "failed":
            tiles.append(f"\n{row.outcome.problem}", style="red")
        word, style = MARK_WORDS[row.mark]
        shown = row.outcome.answer if row.mark == "wrong" else row.true_answer
        result.add_row(row.outcome.name, tiles, Text(word, style=style), _score_text(shown))
    return result


def summary(rows: list[Checked]) -> str:
    """One line: how many were right, asked, wrong, failed."""
    marks = Counter(row.mark for row in rows)
    return " · ".join(f"{MARK_WORDS[mark][0]} {marks[mark]}" for mark in MARK_WORDS) + f" · 共 total {len(rows)}"


def outcome_table(outcomes: list[Outcome]) -> Table:
    """What came of pictures whose truth nobody told."""
    result = Table(title="taicam: 讀到的 · what was read", show_lines=True, expand=False)
    result.add_column("照片 picture", no_wrap=True)
    result.add_column("手牌 hand (+胡牌 winning tile)")
    result.add_column("結果 result", no_wrap=True)
    result.add_column("台 · 台型 items")
    for outcome in outcomes:
        word, style = STATUS_WORDS[outcome.status]
        said = outcome.problem or ";".join(outcome.doubts)
        score = _score_text(outcome.answer) if outcome.status != "failed" else Text(said, style="red")
        if outcome.status == "confirm":
            score.append(f"\n{said}", style="yellow")
        result.add_row(outcome.name, hand_text(outcome.record), Text(word, style=style), score)
    return result
