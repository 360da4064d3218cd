"""The worked examples of docs/adding-rules.md run as written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from score_helpers import context_from, hand_from, items_of

from scoring import load_ruleset, read_ruleset, score_hand
from scoring.describe import differences
from scoring.patterns import PATTERNS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "adding-rules.md").read_text(encoding="utf-8")


def block(name: str) -> str:
    found = re.search(rf"<!-- test: {re.escape(name)} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def example_pattern() -> Iterator[None]:
    exec(block("pattern.py"), {})  # the page's own code
    yield
    del PATTERNS["no_terminals"]


def test_house_rule() -> None:
    rules = read_ruleset(block("house.toml"))
    score = score_hand(hand_from("111s 333s 555s 777s 99s | pung:222s | 9s"), context_from(""), rules)
    assert items_of(score) == {"清一色": 12, "四暗刻": 5, "四暗刻加台": 1}
    assert [row.quote for row in score.dropped] == ["自家:清一色不計對對和"]
    assert (score.raw_total, score.total) == (18, 18)
    changed = {row["key"] for row in differences(load_ruleset("taiwan"), rules)}
    assert {"half_flush", "ready_initial", "four_concealed_bonus", "wu_anke_value", "cap", "one_suit"} <= changed


@pytest.mark.usefixtures("example_pattern")
def test_new_pattern() -> None:
    row = re.search(r'```toml\n(\[\[items\]\]\nkey = "no_terminals".*?)```', PAGE, re.DOTALL)
    assert row
    rules = read_ruleset(f'name = "house"\nextends = "taiwan"\n{row[1]}')
    with_it = score_hand(hand_from("456m 678p 234s 678s 55p | chow:234m | 8s"), context_from(""), rules)
    assert items_of(with_it) == {"平和": 2, "断幺九": 1}
    without = score_hand(hand_from("456m 789p 234s 678s 55p | chow:234m | 8s"), context_from(""), rules)
    assert items_of(without) == {"平和": 2}
