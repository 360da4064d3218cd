"""The table between hands: the coming deal, who is out, who deals, who pays whom; and a ruleset's own fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from scoring import load_ruleset, ruleset_names
from taicam.web.models import FieldsIn
from tests.taicam.test_api import HAND, MATCH, key, make, win
from tests.taicam.test_play_words import STATIC

__all__ = ["make"]
MAINLAND = {
    "concealed": ["2m", "2m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "3p", "4p", "5p", "5p", "5p"],
    "win_tile": "8m",
}


def _start(client: Any, ruleset: str, **more: Any) -> str:
    answer = client.post("/api/matches", json=MATCH | {"ruleset": ruleset} | more, headers=key("match"))
    assert answer.status_code == 201, answer.text
    return str(answer.json()["match_id"])


def _won(place: int, loser: int | None = None, **fields: Any) -> dict[str, Any]:
    one = {"place": place, "hand": MAINLAND, "self_draw": loser is None, "fields": fields}
    return {"outcome": "win", "wins": [one], "loser": loser}


def _preview(client: Any, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post("/api/preview", json=body)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_after_a_draw_the_coming_deal_is_shown(make: Callable[..., Any]) -> None:
    client = make().client()
    _start(client, "taiwan")
    client.post("/api/hands", json={"outcome": "draw"}, headers=key("draw"))
    state = client.get("/api/state").json()
    assert (state["streak"], state["hand_number"], state["dealer_wind"]) == (1, 2, "E")
    client.post("/api/hands", json=win(1), headers=key("win"))
    state = client.get("/api/state").json()
    assert (state["streak"], state["hand_number"]) == (1, 2)  # the won hand on show keeps the deal it was won in
    assert state["table"]["next"] | {"seat_winds": 0} == {
        "round_wind": "E", "hand_number": 3, "dealer": 1, "dealer_wind": "E", "streak": 0, "seat_winds": 0,
    }  # fmt: skip


def test_who_pays_whom_is_on_the_board(make: Callable[..., Any]) -> None:
    client = make().client()
    _start(client, "taiwan")
    client.post("/api/hands", json=win(1, 3), headers=key("ron"))
    state = client.get("/api/state").json()
    change = dict(state["payments"])["小華"]
    assert change > 0
    assert state["transfers"] == [["老王", "小華", change]]
    client.post("/api/hands", json={"outcome": "false_win", "place": 2}, headers=key("false"))
    told = client.get("/api/state").json()["transfers"]
    assert told == [["Grandma", name, 150] for name in ("阿明", "小華", "老王")]
    client.post("/api/hands", json={"outcome": "draw"}, headers=key("draw"))
    assert client.get("/api/state").json()["transfers"] == []


def test_a_player_out_of_a_blood_battle_is_shown_and_neither_wins_nor_pays(make: Callable[..., Any]) -> None:
    client = make().client()
    match_id = _start(client, "sichuan")
    assert client.post("/api/hands", json=_won(0), headers=key("first")).status_code == 201
    assert client.get("/api/state").json()["table"]["out"] == [0]
    second = _preview(client, _won(1))
    assert second["ok"], second["problem"]
    assert second["changes"][0] == 0
    again = _preview(client, _won(0))
    assert not again["ok"]
    assert "已和" in again["problem"]
    for at, place in enumerate((1, 2)):
        assert client.post("/api/hands", json=_won(place), headers=key(f"more{at}")).status_code == 201
    state = client.get("/api/state").json()["table"]
    assert (state["out"], state["dealer_known"], state["next"]["dealer"]) == ([], False, None)
    client.post("/api/match/dealer", json={"place": 2}, headers=key("dealer"))
    assert client.get("/api/state").json()["table"]["next"]["dealer"] == 2
    assert client.get(f"/api/matches/{match_id}").json()["dealer"] == 2


def test_a_win_waits_for_the_dealer_where_payments_depend_on_it(make: Callable[..., Any]) -> None:
    client = make().client()
    _start(client, "changsha")
    client.post("/api/hands", json={"outcome": "draw"}, headers=key("draw"))
    assert client.get("/api/state").json()["table"]["dealer_known"] is False
    told = _preview(client, _won(1, bird_number=3))
    assert not told["ok"]
    assert "做莊" in told["problem"]
    client.post("/api/match/dealer", json={"place": 3}, headers=key("dealer"))
    assert _preview(client, _won(1, bird_number=3))["ok"]


@pytest.mark.parametrize(
    ("ruleset", "fields", "other"),
    [
        ("changsha", {"bird_number": 5}, {"bird_number": 7}),
        ("shanghai", {"dice": [1, 1]}, {"dice": [1, 2]}),
        ("sichuan", {"dingque": "s"}, {"dingque": "p"}),
        ("ningbo", {"wild": ["5p"]}, {"wild": ["E"]}),
    ],
)
def test_a_rulesets_own_fields_are_scored_and_saved(
    make: Callable[..., Any], ruleset: str, fields: dict[str, Any], other: dict[str, Any]
) -> None:
    client = make().client()
    _start(client, ruleset)
    assert set(fields) <= set(client.get("/api/rules/current").json()["fields"])
    body, changed = _won(1, **fields), _won(1, **other)
    if ruleset == "shanghai":
        suited = ["1m", "1m", "1m", "2m", "3m", "4m", "6m", "7m", "8m", "9m", "9m", "9m", "5m", "5m"]
        for one in (body, changed):
            one["wins"][0]["hand"] = {"concealed": suited, "win_tile": "8m"}
    first, second = _preview(client, body), _preview(client, changed)
    assert first["ok"], first["problem"]
    assert (first["ok"], first["changes"]) != (second["ok"], second["changes"]), "the field makes no difference"
    hand_id = client.post("/api/hands", json=body, headers=key("hand")).json()["hand_id"]
    kept = client.get(f"/api/hands/{hand_id}").json()["submission"]["wins"][0]["fields"]
    assert kept == fields


def test_a_field_that_is_out_of_bounds_is_refused(make: Callable[..., Any]) -> None:
    client = make().client()
    for fields in ({"bird_number": 10}, {"dice": [7, 1]}, {"nonsense": 1}):
        assert client.post("/api/preview", json=_won(0, **fields)).status_code == 422


def test_every_field_a_ruleset_reads_has_an_input() -> None:
    known = {name for ruleset in ruleset_names() for name in load_ruleset(ruleset).play.get("fields", ())}
    known -= {"tiles13"}  # the number of tiles tells it
    assert known <= set(FieldsIn.model_fields)
    text = (STATIC / "own-fields.js").read_text(encoding="utf-8")
    assert sorted(known - set(re.findall(r'(\w+): \{ words: \["[^"]+", "[^"]+"\]', text))) == []


def test_fields_of_a_hand_outside_a_match_are_kept(make: Callable[..., Any]) -> None:
    client = make().client()
    one = {"place": 0, "hand": HAND, "self_draw": True, "fields": {"flower_seat": "S"}}
    body = {"outcome": "win", "wins": [one]}
    hand_id = client.post("/api/hands", json=body, headers=key("free")).json()["hand_id"]
    assert client.get(f"/api/hands/{hand_id}").json()["submission"]["wins"][0]["fields"] == {"flower_seat": "S"}


# ---- 起手胡: several may win on the tiles as dealt -----------------------------------------------------------------

FOUR = ["1m", "1m", "1m", "1m", "2m", "5m", "7p", "9p", "1s", "2s", "4s", "6s", "9s"]  # 四喜
NO_258 = ["1m", "3m", "4m", "6m", "7m", "9m", "1p", "3p", "4p", "6p", "7s", "9s", "3s"]  # 板板胡


def _dealt(place: int, concealed: list[str], **more: Any) -> dict[str, Any]:
    return {"place": place, "hand": {"concealed": concealed}, "self_draw": True, "flags": ["initial"], **more}


def test_several_win_on_the_tiles_as_dealt_and_the_bird_deals(make: Callable[..., Any]) -> None:
    made = make()
    client = made.client()
    match_id = _start(client, "changsha", stakes={"di": 0, "tai": 1})
    assert client.get("/api/rules/current").json()["dealt_wins"] is True
    bird = {"fields": {"bird_number": 4}}
    body = {"outcome": "win", "wins": [_dealt(1, FOUR, **bird), _dealt(2, NO_258, **bird)]}
    told = _preview(client, body)
    assert told["ok"], told["problem"]
    # Each as a 小胡 drawn: 20 from the dealer and 10 from the others, doubled for the player of the bird (place 3).
    assert told["changes"] == [-40, 20 + 10 + 20 - 10, 20 + 10 + 20 - 10, -40]
    client.post("/api/hands", json=body, headers=key("two"))
    match = client.get(f"/api/matches/{match_id}").json()
    assert [person["total"] for person in match["people"]] == told["changes"]
    assert (match["dealer"], match["dealer_known"]) == (3, True)  # 中鸟的玩家下局当庄家
    lines = {(payer, payee): amount for payer, payee, amount in client.get("/api/state").json()["transfers"]}
    assert lines["小華", "Grandma"] == lines["Grandma", "小華"] == 10


def test_without_a_bird_who_deals_after_several_dealt_wins_is_asked(make: Callable[..., Any]) -> None:
    client = make().client()
    _start(client, "changsha")
    dealer = _dealt(0, [*FOUR, "9s"])
    wins = [dealer, _dealt(1, NO_258), _dealt(3, NO_258)]
    assert client.post("/api/hands", json={"outcome": "win", "wins": wins}, headers=key("three")).status_code == 201
    assert client.get("/api/state").json()["table"]["dealer_known"] is False


@pytest.mark.parametrize(
    ("ruleset", "change", "said"),
    [
        ("changsha", {"flags": []}, "起手胡"),
        ("changsha", {"place": 1}, "不同的人"),
        ("taiwan", {}, "沒有配牌即和"),
    ],
)
def test_other_self_draws_by_several_are_refused(
    make: Callable[..., Any], ruleset: str, change: dict[str, Any], said: str
) -> None:
    client = make().client()
    _start(client, ruleset)
    hand = HAND if ruleset == "taiwan" else {"concealed": NO_258}
    both = [{**_dealt(1, FOUR), "hand": hand}, {**_dealt(2, NO_258), "hand": hand, **change}]
    told = _preview(client, {"outcome": "win", "wins": both})
    assert not told["ok"]
    assert said in told["problem"]
