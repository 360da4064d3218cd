"""One JSON object in, one out: nothing silently dropped, nothing guessed, no traceback for bad input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import score_json, score_record

HAND: dict[str, Any] = {
    "id": "a",
    "ruleset": "taiwan",
    "concealed": ["4m", "5m", "6m", "7p", "8p", "9p", "2s", "3s", "4s", "6s", "7s", "8s", "5p", "5p"],
    "melds": [{"kind": "chi", "tiles": ["1m", "2m", "3m"]}],
    "flowers": [],
    "win_tile": "8s",
    "self_draw": False,
    "seat_wind": "S",
    "round_wind": "E",
    "dealer": False,
    "streak": 0,
    "flags": [],
}
PLAYERS = {"winner": 1, "loser": 2, "dealer_player": 0, "stake": {"di": 100, "tai": 20}}


def test_a_win() -> None:
    answer = score_record(HAND | PLAYERS)
    assert json.loads(json.dumps(answer)) == answer
    assert (answer["id"], answer["wins"], answer["total"], answer["unit"]) == ("a", True, 2, "台")
    assert answer["items"] == [
        {
            "key": "all_chows",
            "name": "平和",
            "name_zh": "平和",
            "name_en": "all chows",
            "value": 2,
            "tiles": answer["items"][0]["tiles"],
        }
    ]
    assert len(answer["items"][0]["tiles"]) == 17
    assert answer["payments"] == {"0": 0, "1": 140, "2": -140, "3": 0}
    assert answer["payer_tai"] == {"2": 2}
    assert answer["payment_lines"][0]["parts"][0] == {"key": "base", "name": "底", "tai": 0, "amount": 100}
    assert answer["waits"] == ["5s", "8s"]
    assert answer["split"]["shape"] == "standard"
    assert {group["kind"] for group in answer["split"]["sets"]} == {"chow", "pair"}
    assert "ignored" not in answer
    assert "assumed" not in answer


def test_no_win_says_why() -> None:
    answer = score_record(HAND | {"win_tile": "9s", "concealed": [*HAND["concealed"][:11], "9s", "5p", "5p"]})
    assert answer["wins"] is False
    assert answer["items"] == []
    assert answer["total"] == 0
    assert answer["reason"] == answer["reason_zh"] == "不成和牌型:還差 1 張"
    assert answer["reason_en"] == "not a winning shape: 1 tile away"
    assert answer["reason_code"] == "shape"
    assert "payments" not in score_record(HAND | PLAYERS | {"flags": ["passed_win"]})


def test_tiles_and_melds_may_be_text() -> None:
    text = HAND | {"concealed": "456m 789p 234s 678s 55p", "melds": [{"kind": "chow", "tiles": "123m"}], "flowers": ""}
    assert score_record(text) == score_record(HAND)


def test_missing_facts_are_said_to_be_assumed() -> None:
    answer = score_record({"concealed": HAND["concealed"], "melds": HAND["melds"], "win_tile": "8s"})
    assert answer["assumed"] == {"ruleset": "taiwan", "self_draw": False, "seat_wind": "E", "round_wind": "E"}
    assert answer["total"] == 2
    assert answer["id"] is None


def test_what_the_ruleset_does_not_know_is_reported() -> None:
    answer = score_record(
        HAND | {"dingque": "s", "wild": ["9s"], "flags": ["kaibao", "last_tile"], "eyed_players": [1]}
    )
    assert answer["ignored"] == ["dingque", "eyed_players", "flags.kaibao", "wild"]
    assert answer["total"] == 2
    ours = {"expected": {}, "expects_malformed": False, "wins": True, "reason": "", "confidence": "high", "text": "000"}
    assert "ignored" not in score_record(HAND | ours | {"depends_on": []})
    assert score_record(HAND | {"ruleset": "taipei-online", "streak_shown": 1})["ignored"] == ["streak_shown"]


def test_fields_of_one_ruleset() -> None:
    online = HAND | {"ruleset": "taipei-online"}
    kong = {"kind": "kong_open", "tiles": ["1p"] * 4}
    hand = online | {"concealed": HAND["concealed"][:11], "win_tile": "7s"}
    hand["concealed"] = ["7p", "8p", "9p", "2s", "3s", "4s", "6s", "7s", "8s", "5p", "5p"]
    answer = score_record(hand | {"melds": [*HAND["melds"], kong], "meld_from": ["upper", "upper"]})
    assert answer["reason_code"] == "kong_from_upper"
    assert score_record(online | {"table_kongs": 5})["reason_code"] == "four_kongs"
    paid = score_record(online | PLAYERS | {"eyed_players": [2]})
    assert paid["payer_tai"] == {"2": 3}
    assert (paid["raw_total"], paid["capped"]) == (2, 2)
    assert score_record(HAND | {"flower_seat": "W", "flowers": ["f3"]})["items"][0]["key"] == "seat_flower"
    dealer = HAND | PLAYERS | {"dealer": True, "dealer_player": 1, "streak": 3, "streak_shown": 1}
    assert score_record(dealer)["payer_tai"] == {"2": 5}


def test_who_deals_may_be_told_by_the_players() -> None:
    hand = {name: value for name, value in HAND.items() if name != "dealer"}
    assert score_record(hand | PLAYERS | {"dealer_player": 1})["payer_tai"] == {"2": 3}
    told = {name: value for name, value in PLAYERS.items() if name != "dealer_player"}
    assert score_record(HAND | told | {"dealer": True})["payer_tai"] == {"2": 3}
    assert score_record(HAND | told)["payments_need"].startswith("dealer_player")
    assert score_record(HAND | {"stake": PLAYERS["stake"]})["payments_need"].startswith("winner")


def test_hands_that_are_told_why_nothing_was_counted() -> None:
    hand = "777m 444s 666s 999p 22p"
    answer = score_record(
        HAND | {"concealed": hand, "melds": [{"kind": "暗槓", "tiles": "1111m"}], "win_tile": "2p", "flowers": "f1"}
    )
    assert [row["key"] for row in answer["not_counted"]] == ["all_pungs", "concealed_hand"]
    row = answer["not_counted"][0]
    assert (row["name"], row["name_zh"], row["by"], row["value"]) == ("对对和", "對對和", "concealed_five", 4)
    assert row["because_zh"] == "已計「五暗刻」:不计门清.对对和"
    assert row["because_en"].startswith("counted as five concealed triplets instead")
    assert [row["key"] for row in answer["unmet"]] == ["seat_flower"]
    assert answer["unmet"][0]["because_en"].startswith("the flowers are")


ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"ruleset": "taiwn"}, "ruleset"),
    ({"ruleset": 5}, "ruleset"),
    ({"options": {"ligu": True}}, "options.ligu"),
    ({"options": {"ping_wait": "some"}}, "options.ping_wait"),
    ({"options": [1]}, "options"),
    ({"hand_kind": "initial"}, "hand_kind"),
    ({"hand_kind": 5}, "hand_kind"),
    ({"concealed": 5}, "concealed"),
    ({"concealed": None}, "concealed"),
    ({"concealed": [1, 2]}, "concealed"),
    ({"concealed": ["1x"] * 14}, "concealed"),
    ({"concealed": "123x"}, "concealed"),
    ({"melds": "chow:123m"}, "melds"),
    ({"melds": ["123m"]}, "melds"),
    ({"melds": [{"kind": 3, "tiles": []}]}, "melds"),
    ({"melds": [{"kind": "pon"}]}, "melds"),
    ({"melds": [{"kind": "pon", "tiles": ["1s", "1s", "2s"]}]}, "melds"),
    ({"flowers": ["1m"]}, "flowers"),
    ({"flowers": {}}, "flowers"),
    ({"win_tile": 8}, "win_tile"),
    ({"win_tile": None}, "win_tile"),
    ({"win_tile": "9s"}, "win_tile"),
    ({"self_draw": "yes"}, "self_draw"),
    ({"seat_wind": "X"}, "seat_wind"),
    ({"seat_wind": 3}, "seat_wind"),
    ({"round_wind": ["E"]}, "round_wind"),
    ({"flower_seat": 1}, "flower_seat"),
    ({"dealer": 1}, "dealer"),
    ({"streak": -1}, "streak"),
    ({"streak": "2"}, "streak"),
    ({"streak": True}, "streak"),
    ({"streak_shown": "x"}, "streak_shown"),
    ({"flags": "last_tile"}, "flags"),
    ({"flags": [1]}, "flags"),
    ({"flags": ["last_tile", "rob_kong"]}, "flags"),
    (PLAYERS | {"winner": 7}, "winner"),
    ({"winner": "1"}, "winner"),
    ({"loser": 9}, "loser"),
    ({"dealer_player": True}, "dealer_player"),
    ({"robbed_player": -1}, "robbed_player"),
    (PLAYERS | {"loser": 1}, "loser"),
    (PLAYERS | {"loser": None}, "loser"),
    (PLAYERS | {"dealer_player": 1}, "dealer_player"),
    (PLAYERS | {"stake": 100}, "stake"),
    (PLAYERS | {"stake": {"di": 100}}, "stake"),
    (PLAYERS | {"stake": {"di": 100, "tai": -1}}, "stake.tai"),
    ({"hand_kind": "settlement"}, "stake"),
    ({"hand_kind": "settlement", "stake": {"di": 1, "tai": 1}, "events": {}}, "events"),
    ({"hand_kind": "settlement", "stake": {"di": 1, "tai": 1}, "events": [1]}, "events"),
    ({"ruleset": "taipei-online", "table_kongs": -1}, "table_kongs"),
    ({"ruleset": "taipei-online", "meld_from": "upper"}, "meld_from"),
]


@pytest.mark.parametrize(("change", "field"), ERRORS)
def test_error_names_the_field(change: dict[str, Any], field: str) -> None:
    answer = score_record(HAND | change)
    assert answer["id"] == "a"
    assert answer["field"] == field, answer
    assert set(answer) == {"id", "error", "error_zh", "field"}


def test_concealed_missing() -> None:
    assert "concealed is missing" in score_record({"id": 3, "win_tile": "8s"})["error"]


def test_events_without_a_hand() -> None:
    events = [{"kind": "喊碰未碰", "player": 1, "discarder": 3}]
    answer = score_record({"hand_kind": "settlement", "stake": PLAYERS["stake"], "events": events, "x": 1})
    assert answer["payments"] == {"0": 0, "1": -20, "2": 0, "3": 20}
    assert answer["ignored"] == ["x"]
    assert "ignored" not in score_record({"hand_kind": "settlement", "stake": PLAYERS["stake"], "events": events})


@pytest.mark.parametrize("line", ["", "{", "[1]", "null", '"x"', "[" * 5000, "{'id': 1}", "\x00"])
def test_lines_that_are_no_record(line: str) -> None:
    answer = score_json(line)
    assert answer["id"] is None
    assert answer["error"]


def test_line_of_json() -> None:
    assert score_json(json.dumps(HAND)) == score_record(HAND)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["1m", "E", "f1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from([*HAND, *PLAYERS, "options", "hand_kind", "events"]), json_values, max_size=4))
def test_never_raises(change: dict[str, Any]) -> None:
    answer = score_record(HAND | change)
    assert ("error" in answer) != ("wins" in answer or "payments" in answer)
