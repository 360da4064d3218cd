"""``face_svg(code)``: a whole tile as an SVG document; ``ink_svg`` is its engraved part alone."""

from __future__ import annotations

import zlib
from functools import lru_cache

from vision.drawings.flowers import flower
from vision.drawings.glyphs import LINES, Writer, character_path
from vision.drawings.shapes import group, num, path, rect
from vision.drawings.style import FaceStyle
from vision.drawings.suits import bamboos, characters, dots, dragon, wind

#: The codes there is a face for: 34 playing kinds, eight flowers, and the back.
CODES: tuple[str, ...] = (
    *(f"{n}{suit}" for suit in "mps" for n in range(1, 10)),
    *("E", "S", "W", "N", "C", "F", "P"),
    *(f"f{n}" for n in range(1, 9)),
    "back",
)
WIDTH, HEIGHT = 300, 400
_INDEX_INK = {"m": "red", "p": "blue", "s": "green"}


def ink(code: str, style: FaceStyle, write: Writer = character_path) -> str:
    """SVG markup of what is engraved on a face, in a 300 x 400 box, without the tile's body.

    ``write`` writes the Chinese characters.

    Raises ``ValueError`` for a code that is no face.
    """
    if code == "back":
        return ""
    if code not in CODES:
        raise ValueError(f"no tile is called {code!r}; codes are 1m..9m 1p..9p 1s..9s E S W N C F P f1..f8 back")
    if code[0] == "f":
        picture = flower(code, style, write)
    elif len(code) == 2:
        number = int(code[0])
        if code[1] == "m":
            picture = characters(number, style, write)
        else:
            picture = dots(number, style) if code[1] == "p" else bamboos(number, style)
    else:
        picture = wind(code, style, write) if code in "ESWN" else dragon(code, style, write)
    indexed = style.index != "none" and code[0] != "f"
    room = style.index_room if indexed else 0
    size = style.scale * (1 - 0.14 * room)
    wide = size * style.stretch
    scale = f"{size:.3f}" if style.stretch == 1 else f"{wide:.3f} {size:.3f}"
    shift = 14 * room
    placed = group([picture], f"translate({150 - 150 * wide:.1f} {200 + shift - 200 * size:.1f}) scale({scale})")
    return placed + (_index(code, style) if indexed else "")


def _index(code: str, style: FaceStyle) -> str:
    """The little corner numeral or letter."""
    own = _INDEX_INK.get(code[1], "red") if len(code) == 2 else {"C": "red", "F": "green"}.get(code, "blue")
    colour = style.index_colour or style.colour(own)
    line = path(LINES[style.index_white if code == "P" else code[0]], stroke=colour, width=15)
    size, top = 0.5 * style.index_size, num(26 + style.index_inset)
    scale = f"{size:.3f}".strip("0")
    left = group([line], f"translate({num(30 + style.index_inset)} {top}) scale({scale})")
    right = group([line], f"translate({num(270 - 60 * size - style.index_inset)} {top}) scale({scale})")
    turned = group([left], "rotate(180 150 200)")
    return {"left": left, "right": right, "both": left + turned}[style.index]


def ink_svg(code: str, style: FaceStyle | None = None, write: Writer = character_path) -> str:
    """The engraved part alone on a transparent ground, as an SVG document of 300 x 400.

    ``write`` may write the Chinese characters in another hand than our own strokes.
    """
    return _document(ink(code, style or FaceStyle(), write))


@lru_cache(maxsize=256)
def face_svg(code: str, style: FaceStyle | None = None) -> str:
    """A whole tile as seen from above: an SVG document, ``viewBox="0 0 300 400"``, no fonts, no outside files.

    ``code`` is one of the 42 faces or ``back``. Raises ``ValueError`` for any other code.
    """
    style = style or FaceStyle()
    if code == "back":
        return back_svg(style)
    drawing = ink(code, style)
    tag = f"t{zlib.crc32(repr((code, style)).encode()):08x}"
    depth = style.engraving
    if depth > 0 and drawing:
        offset = 1 + 2.2 * depth
        definition = (
            f'<filter id="{tag}" filterUnits="userSpaceOnUse" x="0" y="0" width="300" height="400">'
            f'<feOffset in="SourceAlpha" dx="{offset:.1f}" dy="{offset:.1f}" result="o"/>'
            '<feFlood flood-color="#fff" flood-opacity=".9" result="w"/>'
            '<feComposite in="w" in2="o" operator="in" result="lit"/>'
            f'<feOffset in="SourceAlpha" dx="{-offset * 0.6:.1f}" dy="{-offset * 0.6:.1f}" result="u"/>'
            f'<feFlood flood-color="#000" flood-opacity="{0.35 * depth:.2f}" result="k"/>'
            '<feComposite in="k" in2="u" operator="in" result="dark"/>'
            '<feMerge><feMergeNode in="lit"/><feMergeNode in="dark"/><feMergeNode in="SourceGraphic"/></feMerge>'
            "</filter>"
        )
        drawing = f'<defs>{definition}</defs><g filter="url(#{tag})">{drawing}</g>'
    return _document(_body(style) + drawing)


def _body(style: FaceStyle) -> str:
    lower = rect(8, 14, 284, 380, 34, style.rim)
    edge = rect(8, 6, 284, 382, 34, style.body, style.rim, 4)
    shine = path("M26 44Q26 22 48 22H252", stroke="#fff", width=6)
    return lower + edge + shine


def back_svg(style: FaceStyle | None = None) -> str:
    """The tile's back: an SVG document like those of :func:`face_svg`."""
    style = style or FaceStyle()
    lower = rect(8, 14, 284, 380, 34, style.body, style.rim, 3)
    edge = rect(8, 6, 284, 374, 34, style.back)
    dark = f'<g opacity=".22">{rect(10, 8, 280, 370, 33, "none", "#000", 5)}</g>'
    shine = f'<g opacity=".55">{path("M30 52Q30 26 56 26H236", stroke="#fff", width=8)}</g>'
    glow = f'<g opacity=".07">{path("M8 300L292 130V260L8 376Z", "#fff")}</g>'
    return _document(lower + edge + dark + glow + shine)


def _document(inside: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
        f"{inside}</svg>"
    )
