"""`taicam score` and `taicam rules` as a user calls them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from score_helpers import VECTORS

from scoring import ruleset_names
from taicam.cli import main

HAND = ["123m 456m 789p 234s 678s 55p", "--win", "8s"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def test_a_hand_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "score", *HAND, "--self-draw", "--seat", "S", "--flag", "last_tile")
    assert status == 0
    for word in ("4 台", "門清", "海底撈月", "拆法", "聽 waits: 58s", "平和"):
        assert word in out


def test_payments_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--winner", "2", "--loser", "0", "--dealer-player", "0", "--stake", "100/20", "--streak", "1"]
    status, out, _ = run(capsys, "score", *HAND, *words)
    assert status == 0
    assert "付款 0 → 2: 220 = 底 100 + 牌面3 60 + 莊家1 20 + 連莊拉莊2 40" in out


def test_json_and_every_fact(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["777m 444s", "666s 22p", "--win", "2p", "--meld", "kong_concealed:1111m", "--meld", "pung:CCC"]
    words += ["--flowers", "f1f2", "--round", "w", "--seat", "e", "--dealer", "--ruleset", "taipei-online"]
    status, out, _ = run(capsys, "score", *words, "--option", "cap=0", "--json", "--flag", "kaibao")
    answer = json.loads(out)
    assert status == 0
    assert answer["wins"]
    assert answer["total"] == 12
    assert answer["ignored"] == ["flags.kaibao"]


def test_no_win_and_ignored_facts_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "score", "123m 456m 789p 234s 679s 55p", "--win", "9s", "--flag", "kaibao")
    assert status == 0
    assert "還差 1 張" in out
    assert "1 tile away" in out
    assert "flags.kaibao" in out


def test_broken_rules_and_errors_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "score", *HAND, "--flag", "late_claim")
    assert "違規 broken rule: 牌牆摸序末三張內吃、碰或碰槓" in out
    assert "→ 規則未載罰則,由同桌議定;台數未受影響" in out
    status, _, err = run(capsys, "score", *HAND[:1], "--win", "9s")
    assert status == 2
    assert "和牌張 9s 不在手牌裡" in err
    assert "the winning tile 9s is not among the concealed tiles" in err


def test_capped_and_what_payments_need(capsys: pytest.CaptureFixture[str]) -> None:
    full = ["222s 444s 666s 888s 99s", "--meld", "pung:111s", "--win", "9s", "--ruleset", "taipei-online"]
    assert "滿台 capped: 17 → 16" in run(capsys, "score", *full)[1]
    robbed = [*HAND, "--flag", "rob_flower_mode2", "--flowers", "f1f3f4f5f7f8", "--self-draw"]
    out = run(capsys, "score", *robbed, "--winner", "1", "--dealer-player", "0", "--stake", "100/20")[1]
    assert "robbed_player" in out
    flowers = ["19m 19p 2578s EESSWWNCP", "--flag", "flower_win", "--flowers", "f12345678", "--self-draw"]
    assert "八仙過海" in run(capsys, "score", *flowers)[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no tiles given"),
        (["123m", "--jsonl"], "leave TILES out"),
        (["123x", "--win", "1m"], "is not a tile|must be followed"),
        (["123m 456m 789p 234s 678s 5p", "--win", "5p"], "小相公"),
        ([*HAND, "--meld", "CCC"], "KIND:TILES"),
        ([*HAND, "--option", "ligu"], "NAME=VALUE"),
        ([*HAND, "--stake", "100"], "100/20"),
        ([*HAND, "--stake", "x/20"], "100/20"),
        ([*HAND, "--ruleset", "taiwn"], "did you mean"),
        ([*HAND, "--seat", "Q"], "E, S, W, N"),
    ],
)
def test_wrong_use_says_what_to_do(capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    import re

    status, out, err = run(capsys, "score", *words)
    assert status == 2
    assert re.search(says, err)
    assert "Traceback" not in err + out


def test_json_error(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "score", "123m", "--json")
    assert status == 2
    assert json.loads(out)["field"] == "concealed"


def test_lines_in_order(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    good: dict[str, Any] = {"id": 1, "concealed": "123m 456m 789p 234s 678s 55p", "win_tile": "8s"}
    lines = [json.dumps(good), "", "{", json.dumps(good | {"id": 2})]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    status, out, _ = run(capsys, "score", "--jsonl")
    answers = [json.loads(line) for line in out.splitlines()]
    assert status == 2
    assert [answer["id"] for answer in answers] == [1, None, 2]
    monkeypatch.setattr("sys.stdin", io.StringIO(lines[0]))
    assert run(capsys, "score", "--jsonl")[0] == 0


@pytest.mark.shared
def test_the_vectors_go_through(
    vectors: list[dict[str, Any]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(VECTORS.read_text(encoding="utf-8")))
    _, out, _ = run(capsys, "score", "--jsonl")
    assert [json.loads(line)["id"] for line in out.splitlines()] == [row["id"] for row in vectors]


def test_rules_list(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "rules", "list", "--json")
    assert [row["name"] for row in json.loads(out)] == list(ruleset_names())
    assert "taipei-online" in run(capsys, "rules", "list")[1]


def test_rules_show(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "rules", "show", "taiwan", "--json", "--option", "wu_anke_value=13")
    told = json.loads(out)
    assert next(row["value"] for row in told["items"] if row["key"] == "concealed_five") == 13
    shown = run(capsys, "rules", "show", "taipei-online")[1]
    for word in ("碰碰胡", "滿台外", "wu_anke_value", "不另計"):
        assert word in shown
    assert run(capsys, "rules", "show", "taiwan", "--option", "x")[0] == 2
    sourced = run(capsys, "rules", "show", "gamesofa")[1]
    assert (
        "來源 source: 神來也16張麻將 台數表, https://www.gamesofa.com/mj/?op=rule_guide&topic=k, 2026-09-24, "
        in sourced
    )


def test_rules_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('name = "good"\nextends = "taiwan"\n', encoding="utf-8")
    bad.write_text('name = "bad"\nextends = "taiwan"\nitemz = 1\n', encoding="utf-8")
    assert run(capsys, "rules", "check", "taiwan", str(good))[0] == 0
    status, out, _ = run(capsys, "rules", "check", str(bad), str(good), str(tmp_path / "none.toml"), "--json")
    rows = json.loads(out)
    assert status == 2
    assert [row["ok"] for row in rows] == [False, True, False]
    assert "did you mean items" in rows[0]["error"]
    assert "✗" in run(capsys, "rules", "check", str(bad))[1]


def test_rules_diff(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "rules", "diff", "taiwan", "taiwan-alt", "--json")[1])
    assert {row["key"] for row in rows} == {"concealed_five", "ready_first_discard", "wu_anke_value", "di_ting_value"}
    assert "五暗刻" in run(capsys, "rules", "diff", "taiwan", "taipei-online")[1]
