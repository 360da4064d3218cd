"""The one redactor, and that every log line passes through it."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taicam.logs import configure, get_logger, redact, redact_value

PASSWORD = "hunter2-x"


@pytest.mark.parametrize(
    "text",
    [
        f"cannot open rtsp://admin:{PASSWORD}@192.168.1.9:554/stream1",
        f"cannot open rtsp://admin:p@{PASSWORD}@192.168.1.9/stream1",
        f"http://{PASSWORD}@host/video",
        f"http://cam/video?user=a&password={PASSWORD}&x=1",
        f"http://cam/video?access_token={PASSWORD}",
        f"Authorization: Bearer {PASSWORD}",
        f"password='{PASSWORD}'",
        f'{{"api_key": "{PASSWORD}"}}',
    ],
)
def test_credentials_are_hidden_and_the_rest_is_kept(text: str) -> None:
    assert PASSWORD not in redact(text)
    assert "***" in redact(text)


def test_what_is_no_secret_is_left_alone() -> None:
    text = "picture hand_03.jpg: 17 tiles at http://127.0.0.1:8080/display, 3 台"
    assert redact(text) == text


def test_values_of_secret_keys_are_hidden_at_any_depth() -> None:
    value = {"camera": {"password": PASSWORD, "width": 1920}, "urls": [f"http://a:{PASSWORD}@b/"]}
    assert redact_value(value) == {"camera": {"password": "***", "width": 1920}, "urls": ["http://***@b/"]}


@given(st.text(max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize("style", ["console", "json"])
def test_no_log_line_carries_a_password(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    configure("DEBUG", style)  # type: ignore[arg-type]
    url = f"rtsp://u:{PASSWORD}@cam/"
    get_logger("t").warning("camera lost", source=url, token=PASSWORD)
    logging.getLogger("some.library").error("failed on %s", url)
    try:
        raise OSError(f"cannot open {url}")
    except OSError:
        get_logger("t").exception("unexpected")
    written = capsys.readouterr()
    assert written.out == ""
    assert PASSWORD not in written.err
    assert "camera lost" in written.err
    if style == "json":
        lines = [json.loads(line) for line in written.err.splitlines()]
        assert [line["level"] for line in lines] == ["warning", "error", "error"]
        assert "Traceback" in lines[2]["exception"]
