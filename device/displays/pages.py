"""Text pages for small character displays: what fits in so many columns and rows. Pure.

One page a time is shown; the driver turns them every few seconds. Sixteen columns by two rows are enough to follow a
table: what is happening, the four totals, the last hand.
"""

from __future__ import annotations

from device.displays.base import Lang
from device.displays.words import (
    HEALTH_ASCII,
    STATES,
    fit,
    short_number,
    signed,
    unit,
    wind,
    winner_of,
)
from scoring.view import ScoreView, SeatView

Page = tuple[str, ...]
SHOWING = ("confirm", "recorded", "not_winning")


def text_pages(view: ScoreView, columns: int, rows: int, lang: Lang) -> tuple[Page, ...]:
    """The pages for `view`: every line exactly `columns` cells, every page exactly `rows` lines.

    A confirm is one page alone, so that it is not turned away from. `lang` zh needs a display with Chinese.
    """
    blocks = [_status(view, columns, lang)]
    if view.state != "confirm":
        if view.seats:
            blocks.append(_totals(view, columns, lang))
        if view.items or view.total is not None:
            blocks.append(_hand(view, columns, lang))
    return tuple(_paged(blocks, rows, columns))


def _paged(blocks: list[list[str]], rows: int, columns: int) -> list[Page]:
    """Blocks laid out in order; one that does not fit the page begun starts a new one."""
    pages: list[list[str]] = [[]]
    for block in blocks:
        if pages[-1] and len(pages[-1]) + len(block) > rows:
            pages.append([])
        for start in range(0, len(block), rows):
            if start:
                pages.append([])
            pages[-1] += block[start : start + rows]
    return [tuple((page + [" " * columns] * rows)[:rows]) for page in pages]


def _status(view: ScoreView, columns: int, lang: Lang) -> list[str]:
    """Two lines: where the game is and the health marks; what is happening."""
    if lang == "zh":
        streak = f"連{view.streak}" if view.streak else ""
        left = f"{wind(view.round_wind, 'zh')}{view.hand_number} 莊{wind(view.dealer_wind, 'zh')}{streak}"
    else:
        streak = f"x{view.streak}" if view.streak else ""
        left = f"{view.round_wind}{view.hand_number} D:{view.dealer_wind}{streak}"
    marks = f"C{HEALTH_ASCII[view.camera]}M{HEALTH_ASCII[view.machine]}"
    first = fit(left, columns - 5) + " " + marks
    return [first, fit(_happening(view, lang), columns)]


def _happening(view: ScoreView, lang: Lang) -> str:
    state = STATES[lang].get(view.state, view.state)
    winner = winner_of(view)
    if view.state == "recorded" and winner is not None:
        tai = f" {view.total}{unit(view, lang)}" if view.total is not None else ""
        return f"{wind(winner.wind, lang)} {signed(winner.change)}{tai}"
    if view.state == "confirm":
        tai = f" {view.total}{unit(view, lang)}" if view.total is not None else ""
        return f"{state}{tai}"
    return state


def _totals(view: ScoreView, columns: int, lang: Lang) -> list[str]:
    """Two lines of four columns: winds (* dealer, + winner) over totals; wide displays add the last change."""
    width = columns // max(1, len(view.seats))
    heads = "".join(fit(_seat_head(seat, lang), width, ">") for seat in view.seats)
    totals = "".join(short_number(seat.total, width - 1).rjust(width) for seat in view.seats)
    lines = [fit(heads, columns), fit(totals, columns)]
    if columns >= 20 and any(seat.change for seat in view.seats):
        changes = "".join(fit(signed(seat.change) if seat.change else "", width, ">") for seat in view.seats)
        lines.append(fit(changes, columns))
    return lines


def _seat_head(seat: SeatView, lang: Lang) -> str:
    mark = "+" if seat.winner else ("*" if seat.dealer else "")
    return f"{mark}{wind(seat.wind, lang)}"


def _hand(view: ScoreView, columns: int, lang: Lang) -> list[str]:
    """The last hand: its value, then one item a line."""
    total = "" if view.total is None else f"{view.total} {unit(view, lang)}"
    word = "合計" if lang == "zh" else "total"
    lines = [fit(f"{word} {total}", columns)]
    for item in view.items:
        value = str(item.value)
        name = item.name_zh if lang == "zh" else item.name_en
        lines.append(fit(name, columns - len(value) - 1) + " " + value)
    return lines
