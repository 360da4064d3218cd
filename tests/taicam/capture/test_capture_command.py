"""`taicam capture` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from taicam.capture import CaptureSettings, CaptureStore, Verdict
from taicam.cli import main

View = Callable[..., Any]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "data"


def run(capsys: pytest.CaptureFixture[str], data: Path, *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["capture", *words, "--data", str(data)])
    out, err = capsys.readouterr()
    return int(left.value.code or 0), out, err


def test_the_life_of_samples_on_the_command_line(data: Path, view: View, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not given" in run(capsys, data, "status")[1]
    assert not (data / "captures").exists()
    assert "given 已同意" in run(capsys, data, "consent", "--yes", "--by", "東家")[1]
    with CaptureStore(data / "captures", CaptureSettings(keep_free_mb=0)) as store:
        store.offer(*view(seed=1), Verdict("confirmed"))
        store.offer(*view(seed=2), Verdict("doubtful"))
        assert store.flush()
    status, out, _ = run(capsys, data, "status", "--json")
    record = json.loads(out)
    assert (status, record["samples"], record["consent"]) == (0, 2, True)
    assert record["states"] == {"proposed": 1, "accepted": 1, "discarded": 0}
    listed = [json.loads(line) for line in run(capsys, data, "list", "--state", "proposed", "--json")[1].splitlines()]
    assert [row["reason"] for row in listed] == ["doubtful"]
    assert run(capsys, data, "review", listed[0]["id"], "--state", "discarded")[0] == 0
    assert "discarded" in run(capsys, data, "list")[1]
    assert run(capsys, data, "prune")[1] == "0 samples deleted\n"
    status, _, err = run(capsys, data, "forget")
    assert status == 2 and "--yes" in err
    assert run(capsys, data, "forget", "--yes")[1] == "2 samples deleted\n"
    assert "not given" in run(capsys, data, "consent", "--no")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["review", "00000099", "--state", "accepted"], "no sample '00000099'"),
        (["review", "1", "--state", "good"], "valid: accepted, discarded, proposed"),
        (["list", "--state", "acepted"], "did you mean 'accepted'"),
    ],
)
def test_mistakes(data: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, data, *words)
    assert status == 2 and said in err
