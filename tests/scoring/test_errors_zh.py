# ruff: noqa: E501 - a table reads best with one case a line
"""Errors in Traditional Chinese: every sentence that the package raises has one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scoring
from scoring import ScoringError, error_zh, score_json, score_record
from scoring.errors_zh import sentence_zh

HAND: dict[str, Any] = {
    "id": "a", "ruleset": "taiwan", "concealed": "456m 789p 234s 678s 55p", "win_tile": "8s",
    "melds": [{"kind": "chi", "tiles": "123m"}], "self_draw": False, "seat_wind": "S", "round_wind": "E",
}  # fmt: skip

WORDED = [
    ({"concealed": "456m 789p 234s 678s 5p"}, "只有 16 張,小相公:和牌須 17 張(含和牌張,每副吃碰槓算三張;槓的第四張和花牌不算)"),
    ({"concealed": "456m 789p 234s 678s 555p"}, "有 18 張,大相公:和牌須 17 張(含和牌張,每副吃碰槓算三張;槓的第四張和花牌不算)"),
    ({"concealed": "12Q"}, "'12Q':數字 1-9 之後須接 m(萬)、p(筒)或 s(索),或 1-7 之後接 z(字牌)"),
    ({"concealed": "Q"}, "'Q':'Q' 不是牌;字牌是 E S W N C F P,花牌 f1-f8,數牌 1-9 接 m、p 或 s"),
    ({"concealed": ["1x"] * 14}, "'1x' 不是牌;是不是 "),
    ({"win_tile": "1z"}, "'1z' 不是牌;"),
    ({"win_tile": "9s"}, "和牌張 9s 不在手牌裡:手牌須包含和牌張"),
    ({"ruleset": "taiwn"}, "沒有規則 'taiwn';是不是 taiwan、"),
    ({"ruleset": "zzzz"}, "沒有規則 'zzzz';可用:association、"),
    ({"streak": -1}, "連莊數 -1:0 以上的整數"),
    ({"seat_wind": "X"}, "門風 'X':請選東(E)、南(S)、西(W)、北(N)"),
    ({"flags": ["last_tile", "rob_kong"]}, "和牌情況 rob_kong 與 last_tile 不能同時成立,請只留一個"),
    ({"options": {"ping_wait": "x"}}, "選項 ping_wait 不能是 'x':可用 not_single, two_sided, two_sided_only, any"),
    ({"options": {"cap": "x"}}, "選項 cap 不能是 'x':0 以上的整數"),
    ({"concealed": None}, "手牌:請給牌的列表,或像 123m 55p 的文字"),
    ({"flags": ["heavenly"]}, "天和是莊家的:請改為莊家,或用地和"),
    ({"hand_kind": "zzz"}, "記錄種類 'zzz' 不在 taiwan 規則裡;可用:hand、"),
    ({"stake": 5}, '底與台 5:須像 {"di": 100, "tai": 20}'),
]  # fmt: skip


@pytest.mark.parametrize(("change", "says"), WORDED[:14] + WORDED[15:])
def test_errors_as_players_read_them(change: dict[str, Any], says: str) -> None:
    answer = score_record(HAND | change)
    assert answer["error_zh"].startswith(says)
    assert set(answer) == {"id", "error", "error_zh", "field"}


def test_lines_that_are_no_record() -> None:
    assert score_json("[1]")["error_zh"] == "list:每一行是一個 JSON 物件"
    assert score_json("{")["error_zh"].startswith("不是 JSON(")


def test_an_error_without_a_translation_names_the_field_and_keeps_the_sentence() -> None:
    assert error_zh(ScoringError("no such thing", "events.player")) == "「事件」有誤,請檢查後再試(no such thing)"
    assert error_zh(ScoringError("no such thing", "stake.di")) == "「底」有誤,請檢查後再試(no such thing)"
    assert error_zh(ScoringError("no such thing", "xyz")) == "「xyz」有誤,請檢查後再試(no such thing)"
    assert error_zh(ScoringError("no such thing")) == "「記錄」有誤,請檢查後再試(no such thing)"


def _sentences() -> Iterator[tuple[str, str]]:
    """Every sentence raised in the package, what is filled in replaced by a word."""
    for path in sorted(Path(scoring.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                name, text = ast.unparse(node.exc.func), node.exc.args[0]
                if name.endswith("Error") and name != "ValueError" and isinstance(text, ast.Constant | ast.JoinedStr):
                    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                    yield path.stem, "".join(str(p.value) if isinstance(p, ast.Constant) else "X" for p in parts)


# The two left out are worded by what fills them, and those words are in the table.
SENTENCES = [pair for pair in _sentences() if pair[1] not in {"option X = X: X", "X X: X"}]


@pytest.mark.parametrize(("module", "sentence"), SENTENCES)
def test_every_sentence_is_translated(module: str, sentence: str) -> None:
    zh = sentence_zh(sentence)
    assert zh, f"scoring/{module}.py raises {sentence!r}: add it to scoring/errors_zh.py"
    assert re.search(r"[一-鿿]", zh)


def test_there_are_sentences_to_check() -> None:
    assert len(SENTENCES) > 60
