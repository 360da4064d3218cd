"""SVG to pixels, the one place that needs ``resvg-py`` (extra ``render``)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.drawings import FaceStyle, face_svg, ink_svg

Image = npt.NDArray[Any]  # uint8 BGR or BGRA, or one grey channel; OpenCV's own types say no more


class RenderError(RuntimeError):
    """Pictures cannot be made here; the message says what to install or change."""


def _resvg() -> Any:
    try:
        import resvg_py  # noqa: PLC0415  (an optional extra: asked for only when a picture is made)
    except ImportError as error:
        raise RenderError("drawing pictures needs resvg-py: pip install 'taicam[render]'") from error
    return resvg_py


def rasterise(svg: str, width: int) -> Image:
    """An SVG document as BGRA pixels ``width`` wide, colours not premultiplied."""
    png = _resvg().svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True)
    pixels = cv2.imdecode(np.frombuffer(bytes(png), np.uint8), cv2.IMREAD_UNCHANGED)
    if pixels is None or pixels.ndim != 3 or pixels.shape[2] != 4:
        raise RenderError("the SVG rasteriser returned no picture; update resvg-py (pip install -U resvg-py)")
    return pixels.astype(np.uint8)


@lru_cache(maxsize=512)
def face_picture(code: str, style: FaceStyle, width: int) -> Image:
    """A whole tile (body, rim, ink) as BGRA; read-only, cached."""
    pixels = rasterise(face_svg(code, style), width)
    pixels.setflags(write=False)
    return pixels


def ink_picture(code: str, style: FaceStyle, width: int) -> Image:
    """The ink alone as BGRA."""
    return rasterise(ink_svg(code, style), width)


def soften(mask: Image, sigma: float) -> Image:
    """Blur about like a Gaussian of this sigma, at a cost that does not grow with it."""
    if sigma < 1.2:
        return cv2.GaussianBlur(mask, (0, 0), sigma)
    size = round(2 * sigma) + 1  # two boxes make a triangle; where their sides are even, one leans left, one right
    for anchor in (size // 2, (size - 1) // 2):
        mask = cv2.blur(mask, (size, size), anchor=(anchor, anchor), borderType=cv2.BORDER_REPLICATE)
    return mask


def over(background: Image, picture: Image, x: int, y: int) -> None:
    """Lay a BGRA picture on a BGR background at (x, y), in place; parts outside are cut off."""
    h, w = picture.shape[:2]
    x0, y0 = max(0, x), max(0, y)
    x1, y1 = min(background.shape[1], x + w), min(background.shape[0], y + h)
    if x0 >= x1 or y0 >= y1:
        return
    part = picture[y0 - y : y1 - y, x0 - x : x1 - x]
    alpha = part[..., 3:].astype(np.float32) / 255
    under = background[y0:y1, x0:x1]
    under[:] = (part[..., :3] * alpha + under * (1 - alpha) + 0.5).astype(np.uint8)
