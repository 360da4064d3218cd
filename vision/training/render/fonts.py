"""Chinese characters from TrueType fonts, where the machine has some: outlines as SVG path data.

Not needed to render: without fonts (or fontTools) every character is written with our own strokes. A glyph is taken
only when the font really has it and it is neither empty nor the font's "missing" box.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path
from typing import Any

from vision.drawings.glyphs import CHARACTERS, Writer, character_path

FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")
#: Substrings of file names of families that carry Chinese, so that not every font on the machine is opened.
_LIKELY = (
    *("cjk", "ukai", "uming", "kai", "ming", "sung", "song", "fang", "hei", "wqy", "cwtex", "bsmi", "gbsn", "lxgw"),
    *("wenkai", "mouhitsu", "aoyagi", "ipag", "ipam", "hanazono", "hanamin", "reggae", "bizud", "oradano", "motoya"),
    *("smiley", "seto", "kouzan", "mincho", "gothic", "tw-", "bkai", "gkai"),
)
#: Grass script (a modern reader cannot tell the characters), and doubles of other files.
_UNREADABLE = ("sousyo", "mono", "pixmap", "-ex", "urw", "plus", "hanaminb")
_NEEDED = "一二三四五六七八九萬東南西北中發"


class Font:
    """One face of a font file, able to write the characters it has."""

    def __init__(self, path: Path, number: int) -> None:
        from fontTools.ttLib import TTFont  # noqa: PLC0415  (optional)

        logging.getLogger("fontTools").setLevel(logging.ERROR)  # old fonts: remarks about dates, not about glyphs

        self.name = f"{path.name}#{number}"
        self._font: Any = TTFont(str(path), fontNumber=number, lazy=True)
        self._map: dict[int, str] = self._font.getBestCmap() or {}
        self._glyphs: Any = self._font.getGlyphSet()
        self._missing = self._outline(".notdef") if ".notdef" in self._glyphs else ""

    def _outline(self, glyph: str) -> str:
        from fontTools.pens.svgPathPen import SVGPathPen  # noqa: PLC0415

        pen = SVGPathPen(self._glyphs, ntos=lambda value: f"{value:.0f}")
        self._glyphs[glyph].draw(pen)
        return str(pen.getCommands())

    def has(self, character: str) -> bool:
        """The font draws this character, and not as an empty or a "missing" box."""
        glyph = self._map.get(ord(character))
        if glyph is None:
            return False
        outline = self._outline(glyph)
        return len(outline) > 20 and outline != self._missing

    def complete(self) -> bool:
        """It has every character a set needs, and they differ from one another."""
        if not all(ord(c) in self._map for c in _NEEDED):
            return False
        outlines = {self._outline(self._map[ord(c)]) for c in _NEEDED}
        return len(outlines) == len(_NEEDED) and all(self.has(c) for c in _NEEDED)

    def path(self, character: str, x: float, y: float, width: float, height: float) -> str:
        """The character stretched into the box, as SVG path data."""
        return _placed(self, character, round(x), round(y), round(width), round(height))


@lru_cache(maxsize=4096)
def _placed(font: Font, character: str, x: int, y: int, width: int, height: int) -> str:
    from fontTools.pens.boundsPen import BoundsPen  # noqa: PLC0415
    from fontTools.pens.svgPathPen import SVGPathPen  # noqa: PLC0415
    from fontTools.pens.transformPen import TransformPen  # noqa: PLC0415

    glyph = font._glyphs[font._map[ord(character)]]
    bounds = BoundsPen(font._glyphs)
    glyph.draw(bounds)
    x0, y0, x1, y1 = bounds.bounds
    em = max(x1 - x0, y1 - y0)
    sx, sy = width / em, height / em  # a flat 一 stays flat, in the middle of its box
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    pen = SVGPathPen(font._glyphs, ntos=lambda value: f"{value:.1f}")
    move = (sx, 0, 0, -sy, x + width / 2 - cx * sx, y + height / 2 + cy * sy)
    glyph.draw(TransformPen(pen, move))
    return str(pen.getCommands())


@lru_cache(maxsize=1)
def choices() -> tuple[tuple[str, int], ...]:
    """(file, face number) of every font file that may hold Chinese, in a fixed order, not opened yet."""
    try:
        import fontTools  # noqa: F401, PLC0415
    except ImportError:
        return ()
    out: list[tuple[str, int]] = []
    files = sorted(
        path
        for folder in FONT_FOLDERS
        if folder.is_dir()
        for path in folder.rglob("*.[ot]t[fc]")
        if not path.is_symlink()
    )
    for path in files:
        name = path.name.lower()
        if any(word in name for word in _LIKELY) and not any(word in name for word in _UNREADABLE):
            # In the big collections face 3 writes the characters as in Taiwan; face 0 the Japanese way.
            out += [(str(path), number) for number in ((0, 3) if "cjk" in name and path.suffix == ".ttc" else (0,))]
    return tuple(out)


@lru_cache(maxsize=24)
def writer(path: str, number: int) -> Writer:
    """A writer that uses the font for the characters it has and our own strokes elsewhere.

    A font that cannot be read or is not complete gives our own strokes throughout.
    """
    from fontTools.ttLib import TTLibError  # noqa: PLC0415

    try:
        font = Font(Path(path), number)
        if not font.complete():
            return character_path
        known = {c for c in CHARACTERS if font.has(c)}
    except (TTLibError, OSError, KeyError, ValueError, AttributeError, AssertionError):
        return character_path

    def write(character: str, x: float, y: float, width: float, height: float, weight: float, contrast: float) -> str:
        if character in known:
            return font.path(character, x, y, width, height)
        return character_path(character, x, y, width, height, weight, contrast)

    return write
