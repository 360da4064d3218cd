"""Scores and payments as JSON values."""

from __future__ import annotations

from typing import Any

from scoring.explain import SplitView
from scoring.messages import Message
from scoring.score import Score
from scoring.settlement import Settlement
from scoring.violations import Violation

Answer = dict[str, Any]


def no_win(reason: Message) -> Answer:
    """Why a hand does not win."""
    return {
        "items": [],
        "reason": reason.text("zh-Hant"),
        "reason_zh": reason.text("zh-Hant"),
        "reason_en": reason.text("en"),
        "reason_code": reason.code,
    }


def score_answer(score: Score) -> Answer:
    """A score as JSON values."""
    answer: Answer = {"ruleset": score.rules.name, "wins": score.wins, "total": score.total, "unit": score.unit}
    answer |= _counted(score) if score.reason is None else no_win(score.reason)
    answer["violations"] = [violation_answer(row) for row in score.violations]
    return answer


def _counted(score: Score) -> Answer:
    """What counts, how the tiles were read, what does not count and why."""
    answer: Answer = {
        "items": [
            _named(item.key, item.name, item.names) | {"value": item.value, "tiles": list(item.tiles)}
            for item in score.items
        ]
    }
    if score.rules.cap:
        answer |= {"raw_total": score.raw_total, "capped": score.capped}
    answer["waits"] = list(score.waits)
    for name, split in (("split", score.split), ("second_split", score.second_split)):
        if split:
            answer[name] = _split(split)
    answer["not_counted"] = [
        _named(row.key, row.name, row.names)
        | {"value": row.value, "by": row.by, "quote": row.quote}
        | {"because_zh": row.because("zh-Hant"), "because_en": row.because("en")}
        for row in score.dropped
    ]
    answer["unmet"] = [
        _named(row.key, row.name, row.names)
        | {"because_zh": row.reason.text("zh-Hant"), "because_en": row.reason.text("en")}
        for row in score.unmet
    ]
    return answer


def violation_answer(row: Violation) -> Answer:
    """A broken play rule with what follows."""
    return {
        "code": row.code,
        "zh": row.message.text("zh-Hant"),
        "en": row.message.text("en"),
        "voids_win": row.voids_win,
        "consequence": row.consequence,
        "consequence_zh": row.follows.text("zh-Hant"),
        "consequence_en": row.follows.text("en"),
    }


def _split(split: SplitView) -> Answer:
    return {
        "shape": split.shape,
        "sets": [
            {"kind": view.kind, "tiles": list(view.tiles), "concealed": view.concealed, "completed": view.completed}
            for view in split.sets
        ],
    }


def _named(key: str, name: str, names: tuple[str, str, str]) -> Answer:
    return {"key": key, "name": name, "name_zh": names[0], "name_en": names[2]}


def payment_answer(settlement: Settlement) -> Answer:
    """Payments as JSON values, players as text."""
    return {
        "payments": {str(player): change for player, change in enumerate(settlement.payments)},
        "payer_tai": {str(player): tai for player, tai in settlement.payer_tai.items()},
        "payment_lines": [
            {
                "payer": line.payer,
                "payee": line.payee,
                "amount": line.amount,
                "parts": [
                    {"key": part.key, "name": part.names[0], "tai": part.tai, "amount": part.amount}
                    for part in line.parts
                ],
            }
            for line in settlement.lines
        ],
    }
