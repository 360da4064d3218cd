"""Driver `machine`: the automatic machine's own panel, by COMMAND over its link."""

from __future__ import annotations

import logging
import threading
from typing import Any, ClassVar

from device.displays.base import Display, DisplayHealth, Lang
from device.drivers import DriverSettings
from device.machine.events import NOBODY
from device.machine.jobs import MachineError
from device.machine.link import MachineLink
from device.machine.messages import ClearPanel, CommandBody, ShowScore
from scoring.view import ScoreView

log = logging.getLogger("device.displays")
LINE_BYTES = 60
LOWEST, HIGHEST = -(1 << 31), (1 << 31) - 1


class MachinePanelSettings(DriverSettings):
    """`link` is the running MachineLink; the panel shares it with the events."""

    link: Any
    lang: Lang = "zh"
    timeout_s: float = 5.0


def cut(text: str, limit: int) -> str:
    """`text` cut to at most `limit` bytes of UTF-8, never in the middle of a character."""
    return text.encode("utf-8")[:limit].decode("utf-8", "ignore")


def _points(values: list[int]) -> tuple[int, ...]:
    fitting = [max(LOWEST, min(HIGHEST, value)) for value in values[:4]]
    return tuple(fitting + [0] * (4 - len(fitting)))


def show_score(view: ScoreView, lang: Lang = "zh") -> ShowScore:
    """The command that shows `view`, its line in `lang`. Seats are numbered in the view's order. Pure."""
    winner = next((i for i, seat in enumerate(view.seats) if seat.winner), NOBODY)
    dealer = next((i for i, seat in enumerate(view.seats) if seat.dealer), NOBODY)
    return ShowScore(
        state=view.state,
        round_wind=view.round_wind,
        hand_number=max(0, view.hand_number),
        dealer=dealer,
        streak=max(0, min(255, view.streak)),
        winner=winner,
        tai=max(0, min(0xFFFF, view.total or 0)),
        totals=_points([seat.total for seat in view.seats]),
        changes=_points([seat.change for seat in view.seats]),
        line=cut(view.line.text(lang), LINE_BYTES),
    )


class MachineDisplay(Display):
    """Sends the newest view on a thread of its own; a machine without a panel is left alone after its first no."""

    settings_type: ClassVar[type[DriverSettings]] = MachinePanelSettings

    def __init__(self, settings: MachinePanelSettings) -> None:
        super().__init__(settings)
        self._link: MachineLink = settings.link
        self._lang = settings.lang
        self._timeout_s = settings.timeout_s
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._newest: CommandBody | None = None
        self._shown = 0
        self._fault = ""
        self._thread = threading.Thread(target=self._run, name="machine panel", daemon=True)
        self._thread.start()

    def show(self, view: ScoreView) -> None:
        self._newest = show_score(view, self._lang)
        self._wake.set()

    def clear(self) -> None:
        self._newest = ClearPanel()
        self._wake.set()

    def health(self) -> DisplayHealth:
        return DisplayHealth(not self._fault, self._fault, self._shown)

    def close(self) -> None:
        self._stop.set()
        self._wake.set()
        self._thread.join(timeout=1)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._wake.clear()
            wanted, self._newest = self._newest, None
            if wanted is None or self._stop.is_set():
                continue
            try:
                self._link.command(wanted, self._timeout_s)
                self._shown += 1
                self._fault = ""
            except MachineError as error:
                if not self._fault:
                    log.warning("The machine's panel: %s", error)
                self._fault = str(error)
                if self._newest is None and getattr(error, "reason", "") != "not_supported":
                    self._newest = wanted  # nothing newer to show: this one again
                    self._stop.wait(0.5)
                    self._wake.set()
