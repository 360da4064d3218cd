"""Every sentence that can come to a page has its Chinese: all that is raised behind the pages is walked over."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import taicam
from taicam.errors import JobError, UsageError
from taicam.errors_zh import field_problem_zh, problem_of, text_zh
from tests.taicam.test_api import HAND, MATCH, key, make, start, win

__all__ = ["make"]
ROOT = Path(taicam.__file__).parents[1]
CHINESE = re.compile(r"[一-鿿]")
# The command line and the start of the appliance: what they raise is read in the terminal it was started from.
TERMINAL = {"taicam.config", "taicam.models_compare", "taicam.models_gate", "device.cameras", "device.drivers"}
RAISED = {
    "UsageError", "JobError", "LedgerError", "LedgerConflictError", "HTTPException", "PairingRefusedError",
    "EnrolError", "CalibrationError", "WeightsError", "CameraError", "CameraTimeoutError", "GrabError",
}  # fmt: skip
# Raised by the way the command line calls: a file's name, a text of corners, a place for rows.
OF_THE_COMMAND_LINE = {
    "X: end the name in .pdf or .png",
    "markers of X mm: 20 to 85 mm fit the sheet",
    "--corners X: give four as 'x,y x,y x,y x,y' in pixels, "
    "in the order top left, top right, bottom right, bottom left",
    "X",  # says again what another exception said
}


def source_of(name: str) -> str | None:
    """The text of a module of ours; None for what is no module of ours."""
    stem = ROOT.joinpath(*name.split("."))
    for path in (stem.with_suffix(".py"), stem / "__init__.py"):
        if name.split(".", maxsplit=1)[0] in {"taicam", "vision", "device"} and path.is_file():
            return path.read_text(encoding="utf-8")
    return None


@cache
def modules() -> dict[str, str]:
    """Every module of ours that the pages' application is made of, and the cameras its settings open; with its text."""
    found: dict[str, str] = {}
    waiting = ["taicam.web.app", "taicam.networks", "device.cameras.grabbers", "device.cameras.picamera"]
    while waiting:
        name = waiting.pop()
        text = None if name in found else source_of(name)
        if text is None:
            continue
        found[name] = text
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
    return found


def text_of(node: ast.expr) -> str | None:
    """A sentence in the source, what is filled in replaced by a word; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return None


def sentences() -> Iterator[tuple[str, str]]:
    """Module and sentence: messages and advices of all that is raised there."""
    for name, source in sorted(modules().items()):
        for node in ast.walk(ast.parse(source)) if name not in TERMINAL else ():
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
                continue
            if ast.unparse(node.exc.func).rpartition(".")[2] in RAISED:
                texts = [text_of(argument) for argument in node.exc.args]
                yield from ((name, text) for text in texts if text)


SENTENCES = sorted({pair for pair in sentences() if pair[1] not in OF_THE_COMMAND_LINE})


def test_the_walk_comes_everywhere() -> None:
    assert {"taicam.play", "taicam.match.setup", "taicam.web.enrolling", "vision.table_find"} <= set(modules())
    assert len(SENTENCES) > 110


@pytest.mark.parametrize(("module", "sentence"), SENTENCES)
def test_every_sentence_is_translated(module: str, sentence: str) -> None:
    chinese = text_zh(sentence)
    assert chinese, f"{module} raises {sentence!r}: add it to taicam/errors_zh.py"
    assert CHINESE.search(chinese)


def test_what_is_filled_in_is_kept_and_its_own_words_are_translated() -> None:
    assert text_zh("nobody in this match has the id 'p9'") == "這場牌局裡沒有這個人('p9')"
    assert text_zh("Camera front: the stream stopped.") == "鏡頭 front:串流停了"
    assert text_zh("di cannot come to -1") == "「底」不能是 -1"
    assert text_zh("nothing of the kind") == ""


def test_an_error_says_what_is_wrong_and_what_to_do_in_both_languages() -> None:
    error = UsageError("no match is being played", "start one first")
    assert problem_of(error) == ("目前沒有牌局。請先開始牌局", "no match is being played — start one first")
    assert problem_of(JobError("the disk is on fire"))[0] == "做不到:the disk is on fire"
    assert problem_of(UsageError("x", "start one first", "某事"))[0] == "某事。請先開始牌局"


def test_a_field_is_named_as_people_call_it() -> None:
    assert field_problem_zh("body.stakes.di", "less_than_equal", {"le": 10}) == "底:不能大於 10"
    assert field_problem_zh("body.unknown", "no_such_kind", {}) == "body.unknown:不能這樣填"


def in_both(answer: Any) -> bool:
    told = answer.json()
    english = told["detail"] if isinstance(told["detail"], str) else " ".join(row["msg"] for row in told["detail"])
    return bool(CHINESE.search(told["detail_zh"])) and bool(english) and not CHINESE.search(english)


def test_every_door_refuses_in_both_languages(make: Callable[..., Any]) -> None:
    made = make()
    client = made.client()
    stranger = make(pairing=True).client(("192.168.1.9", 1))
    refused = [
        client.get("/nothing/here"),
        client.post("/healthz"),
        client.post("/api/undo"),
        client.post("/api/undo", headers=key("1")),
        client.post("/api/undo", headers={**key("1"), "origin": "http://elsewhere"}),
        client.get("/healthz", headers={"host": "evil.example"}),
        client.post("/api/preview", content=b"x" * 300_000),
        client.post("/api/preview", content=b"{"),
        client.post("/api/matches", json={**MATCH, "stakes": {"di": 10**9, "tai": 1}}, headers=key("2")),
        client.post("/api/matches", json={**MATCH, "ruleset": "tiwan"}, headers=key("3")),
        client.post("/api/matches", json={**MATCH, "seating": ["p0", "p0", "p1", "p2"]}, headers=key("4")),
        client.post("/api/hands", json=win(0, 0), headers=key("5")),
        client.post("/api/hands", json={"outcome": "draw"}, headers=key("6")),
        client.post("/api/photo", files={"photo": ("x.jpg", b"no picture")}, headers=key("7")),
        client.post("/api/pair", json={"code": "000000"}, headers=key("8")),
        client.get("/api/hands/nobody"),
        client.get("/api/matches/nobody"),
        client.get("/api/camera"),
        client.get("/api/calibration/found"),
        client.get("/tiles/0m.svg"),
        stranger.post("/api/undo", headers=key("9")),
        stranger.post("/api/pair", json={"code": "12"}, headers=key("a")),
        stranger.get("/api/pairing/qr.svg"),
    ]
    assert [answer.status_code for answer in refused if answer.status_code < 400] == []
    assert [(str(one.url), one.text) for one in refused if not in_both(one)] == []
    assert "000000" not in refused[14].text


def test_a_preview_says_in_both_languages_why_it_cannot_be(make: Callable[..., Any]) -> None:
    client = make().client()
    start(client)
    two = [{"place": place, "hand": HAND, "self_draw": True} for place in (0, 1)]
    for body in ({"outcome": "win", "wins": two}, win(0, 0), {"outcome": "false_win"}):
        told = client.post("/api/preview", json=body).json()
        assert not told["ok"]
        assert CHINESE.search(told["problem"])
        assert told["problem_en"] and not CHINESE.search(told["problem_en"])
