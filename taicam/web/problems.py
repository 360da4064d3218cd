"""What a refused request is told: `detail` in English, `detail_zh` in Traditional Chinese."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from scoring import ScoringError
from taicam.errors import TaicamError, UsageError
from taicam.errors_zh import field_problem_zh, problem_of, refusal_zh
from taicam.ledger import LedgerConflictError
from vision.enroll import EnrolError
from vision.picture import PictureError
from vision.table import CalibrationError

WRONG_HERE = "something went wrong here: try again, and look into the log if it stays so"
_FORBIDDEN_INPUT = ("input", "url", "ctx")  # a code or a token sent by mistake must not be echoed


class Problem(BaseModel):
    """Why a request was refused. For fields that cannot be used, `detail` lists them (`loc`, `msg`, `type`)."""

    detail: str | list[dict[str, Any]]
    detail_zh: str


def problem_body(english: str) -> dict[str, str]:
    """The body for a sentence of the code."""
    return {"detail": english, "detail_zh": refusal_zh(english)}


def _answer(error: Exception, status: int, headers: dict[str, str] | None = None) -> JSONResponse:
    chinese, english = problem_of(error)
    return JSONResponse({"detail": english, "detail_zh": chinese}, status, headers)


def add_problem_handlers(app: FastAPI) -> None:
    """Answer every exception that is foreseen, and the others without their insides."""

    @app.exception_handler(TaicamError)
    def on_mistake(_request: Request, error: TaicamError) -> JSONResponse:
        if isinstance(error, LedgerConflictError):
            return _answer(error, 409)
        return _answer(error, 422 if isinstance(error, UsageError) else 503)

    @app.exception_handler(ScoringError)
    @app.exception_handler(PictureError)
    @app.exception_handler(CalibrationError)
    @app.exception_handler(EnrolError)
    def on_input(_request: Request, error: Exception) -> JSONResponse:
        return _answer(error, 422)

    @app.exception_handler(HTTPException)
    def on_refusal(_request: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers) if error.headers else None
        return JSONResponse(problem_body(error.detail), error.status_code, headers)

    @app.exception_handler(RequestValidationError)
    def on_fields(_request: Request, error: RequestValidationError) -> JSONResponse:
        rows = error.errors()
        chinese = [
            field_problem_zh(".".join(str(part) for part in row["loc"]), row["type"], row.get("ctx") or {})
            for row in rows
        ]
        told = [{name: value for name, value in row.items() if name not in _FORBIDDEN_INPUT} for row in rows]
        return JSONResponse({"detail": jsonable_encoder(told), "detail_zh": ";".join(chinese)}, 422)

    @app.exception_handler(Exception)
    def on_fault(_request: Request, _error: Exception) -> JSONResponse:
        return JSONResponse(problem_body(WRONG_HERE), 500)
