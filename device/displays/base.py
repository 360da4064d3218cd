"""What every display is: it shows a `ScoreView`, and whatever happens to it never reaches the scoring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Literal, Self

from device.drivers import DriverSettings, build_settings
from scoring.view import ScoreView

Lang = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class DisplayHealth:
    """How a display is doing; `reason` is one line for a person, empty when all is well."""

    ok: bool
    reason: str = ""
    shown: int = 0
    reopened: int = 0


@dataclass(frozen=True, slots=True)
class TouchEvent:
    """Somebody touched the display. `action` is the meaning the driver's settings give the component (confirm, undo,
    …), empty when it has none; `page` and `component` are the display's own numbers; `x`, `y` its pixels or -1."""

    action: str
    page: int = -1
    component: int = -1
    pressed: bool = True
    x: int = -1
    y: int = -1


class Display(ABC):
    """Shows views. `show` and `clear` never raise and never wait for the hardware: scoring goes on without it."""

    settings_type: ClassVar[type[DriverSettings]] = DriverSettings

    def __init__(self, settings: DriverSettings) -> None:
        self.name = type(self).__name__

    @classmethod
    def create(cls, settings: Mapping[str, Any]) -> Self:
        """Build the display from plain settings. Raises SettingsError for an unknown or wrong one."""
        return cls(build_settings(cls.settings_type, cls.__name__, settings))

    @abstractmethod
    def show(self, view: ScoreView) -> None:
        """Show `view` as soon as the display can; an older view still waiting is dropped."""

    @abstractmethod
    def clear(self) -> None:
        """Blank the display."""

    @abstractmethod
    def health(self) -> DisplayHealth:
        """The display's state now; never raises."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the device. May be called twice."""

    def touches(self) -> tuple[TouchEvent, ...]:
        """Touches since the last call, oldest first; empty for a display nobody can touch."""
        return ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
