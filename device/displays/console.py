"""Driver `console`: the table on a terminal, in colour, tiles as words or as Unicode tiles."""

from __future__ import annotations

import sys
from typing import Any, ClassVar, Literal

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from device.displays.base import Display, DisplayHealth, Lang
from device.displays.words import MELDS, STATES, TILE_GLYPHS, round_title, signed, tile_word, unit, wind
from device.drivers import DriverSettings
from scoring.view import HandView, ScoreView

STATE_STYLE = {
    "idle": "dim",
    "aiming": "cyan",
    "reading": "cyan",
    "confirm": "bold yellow",
    "recorded": "bold green",
    "not_winning": "bold red",
}
MARK_STYLE = {"ok": "green", "warn": "yellow", "fail": "bold red", "off": "dim"}
SUIT_STYLE = {"m": "red", "p": "blue", "s": "green"}
HONOUR_STYLE = {"C": "bold red", "F": "bold green", "P": "bold blue", "back": "dim"}
TELLING = ("confirm", "recorded", "not_winning")


class ConsoleSettings(DriverSettings):
    """`lang`: zh (with English beside it), or en alone. `tiles`: words (一萬) or unicode (🀇). `live`: repaint in place
    (None: when it is a terminal); otherwise each view worth keeping is printed once. `width`: columns, None: the
    terminal's own. `stream`: a text file to write to instead of standard output."""

    lang: Lang = "zh"
    tiles: Literal["words", "unicode"] = "words"
    live: bool | None = None
    width: int | None = None
    colour: bool | None = None
    stream: Any = None


def tile_text(code: str, settings: ConsoleSettings, *, win: bool = False) -> Text:
    """One tile, coloured by its suit; the winning tile reversed."""
    word = TILE_GLYPHS.get(code, code) if settings.tiles == "unicode" else tile_word(code, settings.lang)
    style = HONOUR_STYLE.get(code, SUIT_STYLE.get(code[-1:], "magenta" if code.startswith("f") else "bold"))
    return Text(word, style=f"{style} reverse" if win else style)


def _tiles(codes: tuple[str, ...], settings: ConsoleSettings, *, win: bool = False) -> Text:
    return Text(" ").join(tile_text(code, settings, win=win) for code in codes)


def hand_line(hand: HandView, settings: ConsoleSettings) -> Text:
    """The whole hand on one line: concealed, the winning tile, melds, flowers."""
    zh = settings.lang == "zh"
    parts = [_tiles(hand.concealed, settings)] if hand.concealed else []
    if hand.win_tile:
        parts.append(_labelled("胡" if zh else "win", _tiles((hand.win_tile,), settings, win=True)))
    parts += [
        _labelled(MELDS[settings.lang].get(meld.kind, meld.kind), _tiles(meld.tiles, settings)) for meld in hand.melds
    ]
    if hand.flowers:
        parts.append(_labelled("花" if zh else "flowers", _tiles(hand.flowers, settings)))
    return Text("  ").join(parts)


def _labelled(label: str, tiles: Text) -> Text:
    return Text.assemble((f"{label} ", "dim"), tiles)


def items_table(view: ScoreView, lang: Lang) -> Table:
    """The scored items with their values and the total."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(justify="right")
    table.add_column()
    table.add_column(style="dim")
    for item in view.items:
        if lang == "zh":
            table.add_row(str(item.value), item.name_zh, item.name_en)
        else:
            table.add_row(str(item.value), item.name_en, "")
    if view.total is not None:
        label = "合計" if lang == "zh" else "total"
        english = "total" if lang == "zh" else ""
        table.add_row(Text(str(view.total), "bold"), Text(f"{unit(view, lang)} {label}", "bold"), english)
    return table


def seats_table(view: ScoreView, lang: Lang) -> Table:
    """Four seats: wind, name, running total, last change."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for justify in ("left", "left", "right", "right"):
        table.add_column(justify=justify)
    for seat in view.seats:
        mark = ("莊" if lang == "zh" else " dealer") if seat.dealer else ""
        mark += ("胡" if lang == "zh" else " wins") if seat.winner else ""
        change = "" if not seat.change else signed(seat.change)
        style = "bold green" if seat.winner else ""
        colour = "green" if seat.change > 0 else "red"
        table.add_row(
            Text(f"{wind(seat.wind, lang)}{mark}", style), Text(seat.name, style), str(seat.total), Text(change, colour)
        )
    return table


def render(view: ScoreView, settings: ConsoleSettings) -> RenderableType:
    """The whole view as one rich renderable. Pure."""
    lang = settings.lang
    state = Text(STATES[lang].get(view.state, view.state), style=STATE_STYLE.get(view.state, ""))
    if lang == "zh":
        state.append(f" {STATES['en'].get(view.state, '')}", style="dim")
    if view.total is not None and view.state in TELLING:
        state.append(f"  {view.total} {unit(view, lang)}", style="bold")
    parts: list[RenderableType] = [state]
    if view.message:
        parts.append(Text(view.message.text(lang)))
    if view.hand is not None:
        parts.append(hand_line(view.hand, settings))
    if view.items or view.total is not None:
        parts.append(items_table(view, lang))
    parts += [Text(f"? {doubt.text(lang)}", style="yellow") for doubt in view.doubts]
    if view.seats:
        parts.append(seats_table(view, lang))
    words = ("鏡頭", "麻將桌") if lang == "zh" else ("camera", "machine")
    marks = Text("  ").join(
        Text.assemble(("● ", MARK_STYLE[mark]), (word, "dim"))
        for word, mark in zip(words, (view.camera, view.machine), strict=True)
    )
    return Panel(
        Group(*parts), title=Text(round_title(view, lang)), subtitle=marks, title_align="left", subtitle_align="right"
    )


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """rich would end the whole program here; scoring goes on without its terminal."""
        raise BrokenPipeError("nobody reads it any more")


class ConsoleDisplay(Display):
    """Repaints one panel on a terminal; elsewhere prints each confirm, recorded and not-winning view once."""

    settings_type: ClassVar[type[DriverSettings]] = ConsoleSettings

    def __init__(self, settings: ConsoleSettings) -> None:
        super().__init__(settings)
        self._settings = settings
        colour = None if settings.colour is None else ("truecolor" if settings.colour else None)
        self._console = _Console(
            file=settings.stream or sys.stdout,
            width=settings.width,
            no_color=settings.colour is False or None,
            color_system=colour if settings.colour else "auto",  # type: ignore[arg-type]
            highlight=False,
        )
        live = self._console.is_terminal if settings.live is None else settings.live
        self._live = Live(console=self._console, auto_refresh=False) if live else None
        self._last: ScoreView | None = None
        self._shown = 0
        self._fault = ""
        if self._live is not None:
            self._guard(self._live.start)

    def show(self, view: ScoreView) -> None:
        if view == self._last:
            return
        self._last = view
        self._guard(lambda: self._draw(view))

    def _draw(self, view: ScoreView) -> None:
        if self._live is not None:
            self._live.update(render(view, self._settings), refresh=True)
        elif view.state in TELLING:
            self._console.print(render(view, self._settings))
        self._shown += 1

    def clear(self) -> None:
        self._last = None
        if self._live is not None:
            live = self._live
            self._guard(lambda: live.update("", refresh=True))

    def close(self) -> None:
        if self._live is not None:
            live, self._live = self._live, None
            self._guard(live.stop)

    def health(self) -> DisplayHealth:
        return DisplayHealth(not self._fault, self._fault, self._shown)

    def _guard(self, action: object) -> None:
        """Run `action`; a closed pipe or a terminal that went away is remembered, not raised."""
        try:
            action()  # type: ignore[operator]
            self._fault = ""
        except (OSError, ValueError, UnicodeError) as error:
            self._fault = f"the terminal cannot be written to: {error}"
