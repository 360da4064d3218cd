"""What the confirm page says: why a hand cannot count, which rules were broken, and the words of every flag."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import taicam.web
from scoring import load_ruleset, ruleset_names
from tests.taicam.test_api import HAND, MATCH, key, make, win

__all__ = ["make"]
STATIC = Path(taicam.web.__file__).parent / "static"
CHINESE = re.compile(r"[一-鿿]")
FIVE = HAND | {"concealed": ["5p", "5p", "5p", "5p", *HAND["concealed"][4:15], "8s", "5p"]}


def _preview(client: Any, hand: dict[str, Any], **more: Any) -> dict[str, Any]:
    one = {"place": 0, "hand": hand, "self_draw": True, **more}
    answer: dict[str, Any] = client.post("/api/preview", json={"outcome": "win", "wins": [one]}).json()
    return answer


@pytest.mark.parametrize("in_match", [False, True])
def test_a_hand_that_cannot_be_is_refused_in_both_languages(make: Callable[..., Any], in_match: bool) -> None:
    client = make().client()
    if in_match:
        client.post("/api/matches", json=MATCH, headers=key("m"))
    told = _preview(client, FIVE)
    assert not told["ok"]
    assert "超過四張" in told["problem"]
    assert "more than four" in told["problem_en"]
    assert not CHINESE.search(told["problem_en"])


def test_a_hand_that_does_not_win_says_why_in_both_languages(make: Callable[..., Any]) -> None:
    told = _preview(make().client(), HAND | {"concealed": [*HAND["concealed"][:-1], "9m"]})
    assert CHINESE.search(told["problem"])
    assert told["problem_en"] and not CHINESE.search(told["problem_en"])


@pytest.mark.parametrize(("flag", "voids"), [("late_claim", False), ("after_claim", True)])
def test_a_broken_rule_of_play_is_told_with_what_follows(make: Callable[..., Any], flag: str, voids: bool) -> None:
    told = _preview(make().client(), HAND, flags=[flag])
    (row,) = told["wins"][0]["answer"]["violations"]
    assert row["voids_win"] is voids
    assert told["ok"] is not voids
    for name in ("zh", "consequence_zh"):
        assert CHINESE.search(row[name])
    for name in ("en", "consequence_en"):
        assert row[name] and not CHINESE.search(row[name])


def test_what_was_not_counted_and_not_reached_says_why(make: Callable[..., Any]) -> None:
    answer = _preview(make().client(), HAND)["wins"][0]["answer"]
    rows = [*answer["not_counted"], *answer["unmet"]]
    assert rows
    for row in rows:
        assert row["because_zh"] and row["because_en"]


def test_a_discard_without_a_discarder_is_asked_for_in_both_languages(make: Callable[..., Any]) -> None:
    client = make().client()
    client.post("/api/matches", json=MATCH, headers=key("m"))
    body = win(loser=None)
    body["wins"][0]["self_draw"] = False
    told = client.post("/api/preview", json=body).json()
    assert (told["problem"], told["problem_en"]) == ("還沒選誰放槍", "who dealt in?")


def test_every_flag_a_ruleset_knows_has_words_in_both_languages() -> None:
    text = (STATIC / "flag-words.js").read_text(encoding="utf-8")
    words = {flag: (zh, en) for flag, zh, en in re.findall(r'(\w+): \["([^"]+)", "([^"]+)"\]', text)}
    known = {flag for name in ruleset_names() for flag in load_ruleset(name).play.get("flags", ())}
    assert len(known) > 30
    assert sorted(known - set(words)) == []
    for zh, en in words.values():
        assert CHINESE.search(zh)
        assert not CHINESE.search(en)
