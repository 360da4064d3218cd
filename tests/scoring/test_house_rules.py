"""The worked example of docs/house-rules.md runs as written, and the page names every table that ships."""

from __future__ import annotations

import re
from pathlib import Path

from score_helpers import context_from, hand_from

from scoring import load_ruleset, read_ruleset, ruleset_names, score_hand
from scoring.describe import differences
from scoring.refusals import CONSEQUENCES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "house-rules.md").read_text(encoding="utf-8")


def example() -> str:
    found = re.search(r"<!-- test: sunday.toml -->\n```toml\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def items(text: str, facts: str = "") -> dict[str, int]:
    score = score_hand(hand_from(text), context_from(facts), read_ruleset(example()))
    return {item.names[0]: item.value for item in score.items}


def test_the_example_scores_as_it_says() -> None:
    assert items("123s 345s 456m 55p 789p | chow:123m | 3s", "last_tile_discard") == {"平胡": 2, "河底撈魚": 1}
    assert items("111s 333s 777s EE | pung:222s pung:999s | E")["湊一色"] == 3
    honours = score_hand(
        hand_from("EEE 99m | pung:SSS pung:WWW pung:NNN pung:111m | 9m"), context_from(""), read_ruleset(example())
    )
    assert (honours.raw_total, honours.total) == (24, 24)
    passed = score_hand(
        hand_from("456m 789p 234s 678s 55p | chow:123m | 8s"), context_from("passed_win"), read_ruleset(example())
    )
    assert [(row.code, row.consequence) for row in passed.violations] == [("passed_win", "false_win")]


def test_the_example_differs_as_it_says() -> None:
    rows = differences(load_ruleset("gamesofa"), read_ruleset(example()))
    assert {(row["what"], row["key"]) for row in rows} == {
        ("ruleset", "cap"), ("item", "half_flush"), ("item", "last_discard"), ("item", "declared_ready"),
        ("exclusion", "ready_first_discard"), ("option", "cap"), ("option", "ping_wait"),
    }  # fmt: skip


def test_the_page_names_every_table_and_its_sources() -> None:
    for name in ruleset_names():
        for source in load_ruleset(name).sources:
            assert f"### `{name}`" in PAGE
            assert source["url"] in PAGE
    for word in CONSEQUENCES:
        assert f"`{word}`" in PAGE
