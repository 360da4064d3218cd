"""Logging: structured lines on standard error, with one redactor that everything written passes through."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from typing import Any, Literal, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

HIDDEN = "***"
_URL_CREDENTIALS = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.-]*://)(?P<who>[^\s/?#'\"<>]+)@", re.IGNORECASE)
_SECRET_WORD = r"pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|auth(?:orization)?|credential|cookie"
_QUERY_SECRET = re.compile(rf"(?P<key>[?&;](?:[\w-]*(?:{_SECRET_WORD})[\w-]*)=)[^&;#\s'\"]+", re.IGNORECASE)
_ASSIGNED_SECRET = re.compile(
    rf"(?P<key>\b[\w-]*(?:{_SECRET_WORD})[\w-]*['\"]?\s*[:=]\s*(?:bearer\s+)?)['\"]?[^\s,;&'\"}}]+['\"]?", re.IGNORECASE
)
_SECRET_KEY = re.compile(rf"(?:{_SECRET_WORD})", re.IGNORECASE)


def redact(text: str) -> str:
    """Hide credentials in `text`: user and password of any URL, and the values of secret-looking keys."""
    text = _URL_CREDENTIALS.sub(rf"\g<scheme>{HIDDEN}@", text)
    text = _QUERY_SECRET.sub(rf"\g<key>{HIDDEN}", text)
    return _ASSIGNED_SECRET.sub(rf"\g<key>{HIDDEN}", text)


def redact_value(value: Any, key: str = "") -> Any:
    """`redact` for anything that may be logged or shown: walks mappings and lists, hides values of secret keys."""
    if key and _SECRET_KEY.search(key) and value not in (None, "", False, True):
        return HIDDEN
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {name: redact_value(entry, str(name)) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [redact_value(entry) for entry in value]
    return value


def _redact_event(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    return {key: redact_value(value, key) for key, value in event.items()}


def _render_exception(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Turn `exc_info` into text before the redactor, so that a traceback cannot carry a password either."""
    return structlog.processors.format_exc_info(_logger, _method, event)


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to standard error as it is at that moment, also after it was replaced."""

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, stream: TextIO) -> None: ...


def configure(level: str = "INFO", style: Literal["console", "json"] = "console") -> None:
    """Send our own and the libraries' log lines to standard error at `level`, as text or one JSON object a line."""
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if style == "json"
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _render_exception,
        _redact_event,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = _StandardError()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("uvicorn.access", "alembic", "sqlalchemy", "asyncio", "multipart", "PIL"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """The logger of one module."""
    logger: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return logger
