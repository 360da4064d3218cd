"""What was wrong with a file, where in it, and what to do: gathered, so that the rest of the work goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]


class DatasetError(ValueError):
    """Nothing of the data set can be used; the message says what is wrong and what to do next."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing found. `where` is a line (`line 3`), a field (`annotations[4].bbox`) or empty."""

    severity: Severity
    file: str
    where: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}: {self.where}" if self.where else self.file
        return f"{self.severity}: {place}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        """JSON form."""
        return {"severity": self.severity, "file": self.file, "where": self.where, "message": self.message}


@dataclass(slots=True)
class Issues:
    """A growing list of issues."""

    found: list[Issue] = field(default_factory=list)

    def error(self, file: str | Path, where: str, message: str) -> None:
        """Something was left out."""
        self.found.append(Issue("error", str(file), where, message))

    def warning(self, file: str | Path, where: str, message: str) -> None:
        """Something was taken in, but changed or doubtful."""
        self.found.append(Issue("warning", str(file), where, message))

    def note(self, file: str | Path, where: str, message: str) -> None:
        """Something worth knowing."""
        self.found.append(Issue("note", str(file), where, message))

    def extend(self, other: Issues) -> None:
        """Take over everything in `other`."""
        self.found.extend(other.found)

    def counts(self) -> dict[str, int]:
        """How many of each severity."""
        return dict(Counter(issue.severity for issue in self.found))

    @property
    def errors(self) -> list[Issue]:
        """Those where something was left out."""
        return [issue for issue in self.found if issue.severity == "error"]

    def __iter__(self) -> Iterator[Issue]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)
