"""Small SVG building blocks: every function returns markup, numbers kept short."""

from __future__ import annotations

import math
from collections.abc import Iterable


def num(value: float) -> str:
    """A coordinate with at most one decimal."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def circle(x: float, y: float, r: float, fill: str = "none", stroke: str = "", width: float = 0) -> str:
    line = f' stroke="{stroke}" stroke-width="{num(width)}"' if stroke else ""
    return f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(r)}" fill="{fill}"{line}/>'


def ellipse(
    x: float, y: float, rx: float, ry: float, turn: float, fill: str, stroke: str = "", width: float = 0
) -> str:
    line = f' stroke="{stroke}" stroke-width="{num(width)}"' if stroke else ""
    return (
        f'<ellipse cx="{num(x)}" cy="{num(y)}" rx="{num(rx)}" ry="{num(ry)}" fill="{fill}"{line}'
        f' transform="rotate({num(turn)} {num(x)} {num(y)})"/>'
    )


def path(data: str, fill: str = "none", stroke: str = "", width: float = 0) -> str:
    line = (
        f' stroke="{stroke}" stroke-width="{num(width)}" stroke-linecap="round" stroke-linejoin="round"'
        if stroke
        else ""
    )
    return f'<path d="{data}" fill="{fill}"{line}/>'


def rect(
    x: float, y: float, w: float, h: float, r: float = 0, fill: str = "none", stroke: str = "", width: float = 0
) -> str:
    line = f' stroke="{stroke}" stroke-width="{num(width)}"' if stroke else ""
    return f'<rect x="{num(x)}" y="{num(y)}" width="{num(w)}" height="{num(h)}" rx="{num(r)}" fill="{fill}"{line}/>'


def group(parts: Iterable[str], transform: str = "") -> str:
    attribute = f' transform="{transform}"' if transform else ""
    return f"<g{attribute}>{''.join(parts)}</g>"


def petals(x: float, y: float, near: float, far: float, count: int, fat: float, fill: str, turn: float = 0) -> str:
    """``count`` leaf shapes round (x, y), from radius ``near`` to ``far``; ``fat`` is their half width."""
    middle, half = (near + far) / 2, (far - near) / 2
    out = []
    for i in range(count):
        angle = math.radians(turn + 360 * i / count)
        cx, cy = x + middle * math.sin(angle), y - middle * math.cos(angle)
        out.append(ellipse(cx, cy, fat, half, turn + 360 * i / count, fill))
    return "".join(out)


def leaf(x: float, y: float, length: float, fat: float, turn: float, fill: str) -> str:
    """A pointed leaf growing from (x, y); ``turn`` degrees clockwise from straight up."""
    low, high, tip = num(-length * 0.3), num(-length * 0.7), num(-length)
    up = f"M0 0C{num(-fat)} {low} {num(-fat * 0.8)} {high} 0 {tip}"
    data = f"{up}C{num(fat * 0.8)} {high} {num(fat)} {low} 0 0Z"
    return f'<path d="{data}" fill="{fill}" transform="translate({num(x)} {num(y)}) rotate({num(turn)})"/>'
