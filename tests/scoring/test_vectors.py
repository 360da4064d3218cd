"""Every vector of the rulesets scored so far, through the record contract, one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from score_helpers import VECTORS

from scoring import load_ruleset, ruleset_names, score_record

# Vectors that the rule text does not bear out, by id, each with the argument. What of them can hold is still tested.
ARGUED = {
    "ta-026": (
        "The payments charge 七抢一 to player 3 alone (被抢花者应单独计七抢一8台 [002 item 30]), but nothing in the "
        "vector says that player 3 was robbed: `loser` is null. The answer names what it needs; with the robbed player "
        "given the payments are the vector's."
    ),
}


def _cases() -> list[Any]:
    if not VECTORS.is_file():
        return []
    rows = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["ruleset"] in ruleset_names()]


@pytest.mark.shared
def test_the_vectors_are_there(vectors: list[dict[str, Any]]) -> None:
    ids = {row["id"] for row in vectors}
    assert set(ARGUED) <= ids
    assert sum(row["ruleset"] in ("taiwan", "taiwan-alt", "taipei-online") for row in vectors) >= 212


ANSWERED = {
    "expected_payments": "payments",
    "expected_payer_tai": "payer_tai",
    "expected_raw_total": "raw_total",
    "expected_capped": "capped",
    "expected_carry": "carry",
    "expected_settlement": "settlement",
    "expected_le": "le",
    "expected_hua": "hua",
    "expected_multiplier": "multiplier",
    "expected_patterns": "patterns",
    "expected_class": "class",
    "expected_bird_player": "bird_player",
    "expected_tai": "tai",
    "expected_kong_refund": "kong_refund",
    "expected_huangfan_before": "huangfan_before",
    "expected_huangfan_after": "huangfan_after",
    "expected_deal_over": "deal_over",
    "expected_forced_win": "forced_win",
    "tai_if_shape_counted": "tai_if_shape_counted",
}
"""What a vector expects beside items and total, and the answer's field for it."""

WITHOUT_ITEMS = ("shanghai", "sichuan")
"""Rulesets whose vectors list no items: Shanghai's give the patterns by name, Sichuan's text has no 番 table."""


@pytest.mark.shared
@pytest.mark.parametrize("vector", _cases())
def test_vector(vector: dict[str, Any]) -> None:
    answer = score_record(vector)
    assert "ignored" not in answer, answer["ignored"]
    if vector.get("expects_malformed"):
        assert answer["error"]
        return
    assert "error" not in answer, answer
    if vector.get("hand_kind") != "settlement":
        assert answer["wins"] == vector["wins"]
        if not vector["wins"]:
            assert answer["reason"]
            assert answer.get("tai_if_shape_counted") == vector.get("tai_if_shape_counted")
            return
        if vector["expected_total"] is not None:
            assert answer["total"] == vector["expected_total"]
        items = {item["name"]: item["value"] for item in answer["items"]}
        if vector["ruleset"] not in WITHOUT_ITEMS:
            assert items in [vector["expected"], *vector.get("expected_any", [])]
    if vector["id"] not in ARGUED:
        for wanted, got in ANSWERED.items():
            if wanted in vector:
                assert answer[got] == vector[wanted], wanted


@pytest.mark.shared
def test_argued_vector_holds_with_the_robbed_player_named(vectors: list[dict[str, Any]]) -> None:
    vector = next(row for row in vectors if row["id"] == "ta-026")
    assert score_record(vector)["payments_need"].startswith("robbed_player")
    answer = score_record(vector | {"robbed_player": 3})
    assert answer["payments"] == vector["expected_payments"]
    assert answer["payer_tai"] == vector["expected_payer_tai"]


def test_every_packaged_ruleset_loads() -> None:
    for name in ruleset_names():
        assert load_ruleset(name).name == name
