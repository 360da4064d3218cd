"""白: the frames of many makers, in a 300 x 400 box."""

from __future__ import annotations

from collections.abc import Callable

from vision.drawings.shapes import path, rect
from vision.drawings.style import FaceStyle


def white(style: FaceStyle) -> str:
    """白 as the set has it, nothing where it is blank."""
    if style.white == "blank":
        return ""
    ink = style.colour(style.white_ink)
    return WHITES[style.white](ink, style.colour(style.white_second) if style.white_second else ink, style)


def _double(ink: str, second: str, style: FaceStyle) -> str:
    return rect(52, 64, 196, 272, 8, "none", ink, 14) + rect(76, 88, 148, 224, 4, "none", second, 7)


def _letter(ink: str, second: str, style: FaceStyle) -> str:
    frame = rect(54, 66, 192, 268, 22, "none", ink, 16)
    return frame + path("M132 238V164H154C184 164 184 206 154 206H132", "none", style.green, 13)


def _ornate(ink: str, second: str, style: FaceStyle) -> str:
    frame = rect(48, 60, 204, 280, 6, "none", ink, 9) + rect(72, 84, 156, 232, 6, "none", ink, 9)
    ticks = "".join(path(f"M{x} 60V84M{x} 316V340", "none", ink, 9) for x in range(84, 228, 22))
    return frame + ticks + "".join(path(f"M48 {y}H72M228 {y}H252", "none", ink, 9) for y in range(106, 306, 22))


def _framed(ink: str, second: str, style: FaceStyle) -> str:
    corners = "".join(
        path(f"M{x + sx * 44} {y + sy * 18}Q{x + sx * 20} {y + sy * 20} {x + sx * 18} {y + sy * 44}", "none", ink, 8)
        for x, sx in ((50, 1), (250, -1))
        for y, sy in ((62, 1), (338, -1))
    )
    return rect(50, 62, 200, 276, 10, "none", ink, 17) + corners


def _thin(ink: str, second: str, style: FaceStyle) -> str:
    return rect(46, 56, 208, 288, 6, "none", ink, 6)


def _rounded(ink: str, second: str, style: FaceStyle) -> str:
    return rect(48, 58, 204, 284, 46, "none", ink, 13) + rect(68, 78, 164, 244, 30, "none", second, 5)


def _inner(ink: str, second: str, style: FaceStyle) -> str:
    return rect(88, 118, 124, 164, 4, "none", ink, 10) + rect(104, 134, 92, 132, 2, "none", second, 4)


def _bevel(ink: str, second: str, style: FaceStyle) -> str:
    frame = rect(54, 60, 192, 280, 14, "none", ink, 12) + rect(74, 80, 152, 240, 2, "none", second, 6)
    return frame + "".join(
        path(f"M{x} {y}h{sx * 34}l{-sx * 34} {sy * 34}Z", second)
        for x, sx in ((74, 1), (226, -1))
        for y, sy in ((80, 1), (320, -1))
    )


def _crossed(ink: str, second: str, style: FaceStyle) -> str:
    """Four lines that run on past the corners."""
    sides = "M70 48V352M230 48V352M44 76H256M44 324H256"
    return path(sides, "none", ink, 9) + rect(90, 96, 120, 208, 0, "none", second, 5)


def _panels(ink: str, second: str, style: FaceStyle) -> str:
    frame = rect(54, 58, 192, 284, 2, "none", ink, 7) + rect(86, 94, 128, 212, 2, "none", ink, 7)
    seams = path("M86 58V94M214 58V94M86 306V342M214 306V342M54 94H86M54 306H86M214 94H246M214 306H246", "none", ink, 7)
    return frame + seams + path("M70 150V250M230 150V250M120 76H180M120 324H180", "none", second, 6)


def _notched(ink: str, second: str, style: FaceStyle) -> str:
    data = "M84 58H216V86H246V314H216V342H84V314H54V86H84Z"
    return path(data, "none", ink, 9) + rect(78, 106, 144, 188, 8, "none", second, 5)


WHITES: dict[str, Callable[[str, str, FaceStyle], str]] = {
    "framed": _framed,
    "double": _double,
    "ornate": _ornate,
    "letter": _letter,
    "thin": _thin,
    "rounded": _rounded,
    "inner": _inner,
    "bevel": _bevel,
    "crossed": _crossed,
    "panels": _panels,
    "notched": _notched,
}
