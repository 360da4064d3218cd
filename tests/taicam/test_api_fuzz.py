"""Thousands of requests made from the OpenAPI document: never a 500, and every refusal in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from taicam.board import Board  # noqa: E402
from taicam.house import House  # noqa: E402
from taicam.ledger import Ledger  # noqa: E402
from taicam.pictures import PictureStore  # noqa: E402
from taicam.session import Session  # noqa: E402
from taicam.web.app import WebOptions, create_app  # noqa: E402
from taicam.web.enrolling import EnrolDesk  # noqa: E402

CHINESE = re.compile(r"[一-鿿]")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("fuzz")

    class Reader:
        def read(self, image: Any) -> Any:
            raise AssertionError("no random bytes should ever be a picture")

    class NoNetwork:
        names = ("1m", "E")
        fingerprint = "none"

        def describe(self, crops: Any) -> Any:
            raise AssertionError("there is nothing to learn from")

    with Ledger.open(folder) as ledger:
        session = Session(ledger, Board(), House())
        app = create_app(session, PictureStore(folder / "pictures"), Reader, WebOptions(data_dir=folder))
        app.state.enrolment = EnrolDesk(lambda: (lambda _image: [], NoNetwork()), app.state.tile_sets)

        async def as_this_machine(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "client": ("127.0.0.1", 1)}, receive, send)

        yield as_this_machine


def test_no_request_makes_a_500(app: Any) -> None:
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers={"host": "localhost"})
    operations = [result.ok() for result in schema.get_all_operations() if result.ok().path != "/api/events"]
    assert len(operations) > 25
    seen: set[int] = set()
    for operation in operations:

        @settings(max_examples=30, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            answer = case.call(headers={"host": "localhost", "idempotency-key": "fuzz-key-0001"})
            seen.add(answer.status_code)
            assert answer.status_code < 500, (case.method, case.path, answer.text)
            if answer.status_code >= 400:
                told = answer.json()
                assert told["detail"] and CHINESE.search(told["detail_zh"]), (case.method, case.path, answer.text)
                assert not told["detail_zh"].startswith("做不到"), (
                    case.method,
                    case.path,
                    answer.text,
                )  # it has no row

        ask()
    assert {200, 422} <= seen
    assert 401 not in seen  # every route was reached, not only its door
