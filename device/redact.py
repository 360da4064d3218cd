"""Takes secrets out of text before it reaches a log, an error or a screen."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

MARK = "***"
# user:password@ in any URL, however many @ the password itself holds (the last @ before a / ends it).
_USERINFO = re.compile(r"(?P<scheme>\b[a-zA-Z][a-zA-Z0-9+.-]*://)(?P<info>[^\s/?#\"'<>]*)@")
_QUERY = re.compile(
    r"(?P<key>[?&;](?:[a-z0-9_-]*(?:pass(?:word|wd)?|pwd|token|secret|auth|key|sig(?:nature)?|user(?:name)?|usr|login))=)"
    r"[^&;\s\"'#]*",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """`text` with the credentials of every URL in it replaced by `***`."""
    text = _USERINFO.sub(lambda m: f"{m['scheme']}{MARK}@", text)
    return _QUERY.sub(lambda m: f"{m['key']}{MARK}", text)


def secrets_of(url: str) -> tuple[str, ...]:
    """The secret parts of one URL (password, user:password, query values), longest first.

    For text that repeats a secret outside a URL, as a library's own log lines do.
    """
    parts = urlsplit(url) if "://" in url else None
    if parts is None:
        return ()
    found = set()
    if "@" in parts.netloc:
        info = parts.netloc.rpartition("@")[0]
        found |= {info, info.partition(":")[2]}
    found |= {m.group(0).partition("=")[2] for m in _QUERY.finditer(url)}
    return tuple(sorted((s for s in found if s), key=len, reverse=True))


class Redactor:
    """`redact` for one source: also removes that source's own secrets wherever they stand."""

    def __init__(self, source: str) -> None:
        self._secrets = secrets_of(source)

    def __call__(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MARK)
        return redact(text)
