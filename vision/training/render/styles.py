"""Tile sets without end: random but plausible looks, each from one number."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from vision.drawings import FaceStyle
from vision.drawings.bird import BIRDS
from vision.drawings.rings import ONES, RINGS
from vision.drawings.sticks import STICKS
from vision.drawings.whites import WHITES

_HUES = {"red": (0.98, 0.9, 0.72), "green": (0.40, 0.85, 0.42), "blue": (0.63, 0.82, 0.55), "black": (0.65, 0.2, 0.12)}
#: Backs as sold: green, blue, orange, yellow, bamboo, black, red, purple, grey.
_BACKS = (
    *((0.40, 0.80, 0.45), (0.36, 0.75, 0.65), (0.58, 0.75, 0.65), (0.62, 0.80, 0.45), (0.07, 0.85, 0.90)),
    *((0.13, 0.80, 0.92), (0.10, 0.45, 0.75), (0.65, 0.20, 0.14), (0.99, 0.80, 0.60), (0.78, 0.50, 0.50)),
    *((0.60, 0.05, 0.45), (0.50, 0.60, 0.60), (0.45, 0.55, 0.70)),  # none so pale that it looks like a blank face
)


@dataclass(frozen=True, slots=True)
class Body:
    """The block itself: millimetres and colours (BGR, 0..255)."""

    width: float
    height: float
    depth: float
    radius: float  #: of the rounded edges
    back_share: float  #: how much of the depth is the coloured back
    face_colour: tuple[float, float, float]
    back_colour: tuple[float, float, float]
    gloss: float
    ink_share: float  #: how much of the face the drawing fills


def _css(h: float, s: float, v: float) -> str:
    r, g, b = colorsys.hsv_to_rgb(h % 1, min(max(s, 0), 1), min(max(v, 0), 1))
    return f"#{round(r * 255):02x}{round(g * 255):02x}{round(b * 255):02x}"


def bgr(h: float, s: float, v: float) -> tuple[float, float, float]:
    """A colour (BGR, 0..255) of hue, saturation and value, each 0..1; the hue goes round, the others are clipped."""
    r, g, b = colorsys.hsv_to_rgb(h % 1, min(max(s, 0), 1), min(max(v, 0), 1))
    return (b * 255, g * 255, r * 255)


def _ink(rng: Generator, name: str) -> str:
    h, s, v = _HUES[name]
    return _css(h + rng.normal(0, 0.018), s + rng.normal(0, 0.1), v + rng.normal(0, 0.09))


def _pick(rng: Generator, options: dict[str, float]) -> str:
    names, weights = list(options), list(options.values())
    total = sum(weights)
    return names[int(rng.choice(len(names), p=[w / total for w in weights]))]


def random_style(rng: Generator) -> FaceStyle:
    """A plausible set: colours, strokes, the choices a maker has."""
    red, green, blue, black = (_ink(rng, name) for name in ("red", "green", "blue", "black"))
    scheme = _pick(rng, {"full": 6.0, "no_blue": 1.5, "dark": 1.5, "no_green": 0.5})
    if scheme == "no_blue":
        blue = green if rng.random() < 0.5 else black
    elif scheme == "dark":
        green = blue = black
    elif scheme == "no_green":
        green = blue
    digits = (1, 2, 3, 4, 1, 2, 3, 4) if rng.random() < 0.6 else (1, 2, 3, 4, 1, 2, 4, 3)
    return FaceStyle(
        body="#ffffff",
        red=red,
        green=green,
        blue=blue,
        black=black,
        weight=float(rng.uniform(0.6, 1.45)),
        contrast=float(rng.uniform(0.2, 1.15)),
        slant=float(rng.normal(0, 3)),
        scale=float(rng.uniform(0.84, 1.04)),
        index=_pick(rng, {"none": 5.0, "left": 3.0, "right": 1.5, "both": 1.0}),
        index_colour=_pick(rng, {"": 3.0, red: 1.0, black: 1.0, blue: 0.5}),
        white=_pick(rng, {"framed": 4.0, "double": 2.0, "ornate": 1.5, "letter": 1.5, "blank": 2.0}),
        five=_pick(rng, {"五": 1.0, "伍": 1.0}),
        numeral_colour=_pick(rng, {"black": 4.0, "blue": 3.0, "red": 0.7}),
        wind_colour=_pick(rng, {"black": 3.0, "blue": 3.0}),
        rings=_pick(rng, {"classic": 3.0, "plain": 2.0, "petal": 2.0, "filled": 1.5, "wheel": 2.5}),
        sticks=_pick(rng, {"bone": 3.0, "capsule": 2.0, "segment": 2.0, "outline": 2.5}),
        bird=_pick(rng, {"sparrow": 1.0, "peacock": 1.0}),
        flowers=_pick(rng, {"plant": 1.0, "scene": 1.0}),
        flower_digits=digits,
        engraving=0.0,  # the renderer cuts by itself
    )


#: Inks as makers mix them: hue, saturation and value of each, any as likely as another.
_WIDE_HUES: dict[str, tuple[tuple[float, float, float], ...]] = {
    "red": ((0.0, 0.9, 0.85), (0.03, 0.8, 0.95), (0.98, 0.75, 0.5), (0.95, 0.7, 0.75), (0.99, 0.55, 0.9)),
    "green": ((0.38, 0.85, 0.7), (0.33, 0.8, 0.4), (0.45, 0.7, 0.25), (0.27, 0.75, 0.4), (0.48, 0.85, 0.55)),
    "blue": ((0.57, 0.75, 0.8), (0.66, 0.8, 0.75), (0.61, 0.7, 0.35), (0.72, 0.6, 0.5), (0.52, 0.8, 0.65)),
    "black": ((0.6, 0.15, 0.1), (0.4, 0.4, 0.2), (0.05, 0.4, 0.25), (0.62, 0.5, 0.3), (0.0, 0.0, 0.3)),
}


def _wide_inks(rng: Generator) -> dict[str, str]:
    """Four inks far from the usual; some sets are printed pale."""
    pale = float(rng.uniform(0.15, 0.4)) if rng.random() < 0.2 else 0.0
    out = {}
    for name, hues in _WIDE_HUES.items():
        h, s, v = hues[int(rng.integers(len(hues)))]
        s, v = s + rng.normal(0, 0.07), v + rng.normal(0, 0.06)
        out[name] = _css(h + rng.normal(0, 0.012), s * (1 - pale), v + (0.85 - v) * pale)
    return out


def _any(rng: Generator, *options: str) -> str:
    return options[int(rng.integers(len(options)))]


def wider_style(rng: Generator) -> FaceStyle:
    """A plausible set of a maker unlike ours: begins as ``random_style`` does and takes more designs, layouts, inks.

    For training only: pictures made from ``random_style`` by number stay what they were.
    """
    style = random_style(rng)
    if rng.random() < 0.5:
        inks = _wide_inks(rng)
        style = replace(style, red=inks["red"], green=inks["green"], blue=inks["blue"], black=inks["black"])
    marks = _pick(
        rng, {"house": 2.0, "mirror": 2.0, "crossed": 2.0, "word": 1.5, "twice": 1.0, "numeral": 1.0, "english": 0.7}
    )
    alone = marks in ("word", "numeral")  # without its character a plant goes by its digit: only the usual order
    index = _pick(rng, {"none": 5.0, "left": 2.5, "right": 2.0, "both": 1.0})
    numeral_scale, wan_scale = rng.uniform(0.78, 1.08, 2)
    return replace(
        style,
        scale=float(rng.uniform(0.78, 1.02)),
        stretch=float(np.clip(rng.normal(1, 0.06), 0.86, 1.12)),
        index=index,
        rings=_any(rng, *RINGS),
        one=_any(rng, "", *ONES),
        dot_inks=_pick(rng, {"house": 1, "mixed": 2, "green_red": 2, "black": 2, "turned": 1, "blue": 1, "mono": 0.5}),
        dot_size=float(rng.uniform(0.85, 1.04)),
        gather=float(rng.uniform(0, 1) if rng.random() < 0.6 else 1),
        seven=float(rng.uniform(0.55, 1.25)),
        sticks=_any(rng, *STICKS),
        stick_inks=_pick(rng, {"house": 1, "green": 3, "column": 3, "red_column": 1.5, "halves": 1, "mono": 0.7}),
        stick_width=float(rng.uniform(0.62, 1.12)),
        stick_length=float(rng.uniform(0.85, 1.05)),
        stick_spread=float(rng.uniform(0.75, 1)),
        eight=_any(rng, "MW", "WM"),
        lean=float(rng.uniform(26, 42)),
        bird=_pick(rng, {name: 0.5 if name == "shoot" else 1.0 for name in BIRDS}),
        white=_pick(rng, {"blank": 1.5, "bevel": 3.0, **{name: 1.0 for name in WHITES if name != "bevel"}}),
        white_ink=_pick(rng, {"blue": 5.0, "black": 3.0, "green": 1.5, "red": 0.5}),
        white_second=_pick(rng, {"": 5.0, "red": 1.0, "blue": 0.5, "green": 0.5}),
        hand=_pick(rng, {"solid": 6.0, "heavy": 1.5, "hollow": 0.8}),
        wan=_pick(rng, {"萬": 9.0, "万": 1.0}),
        east=_pick(rng, {"東": 12.0, "东": 1.0}),
        fortune=_pick(rng, {"發": 14.0, "发": 1.0}),
        numeral_size=float(numeral_scale),
        wan_size=float(wan_scale),
        index_size=float(rng.uniform(0.7, 1.3)),
        index_inset=float(rng.uniform(-10, 12)),
        index_white=_any(rng, "P", "B"),
        index_room=float(rng.uniform(0.7 if index == "both" else 0.4, 1)),
        flowers=_pick(rng, {"plant": 1.0, "scene": 0.7, "line": 4.0, "pot": 1.5, "figure": 1.0}),
        flower_marks=marks,
        flower_digits=(1, 2, 3, 4, 1, 2, 3, 4) if alone else style.flower_digits,
        flower_swap=bool(rng.random() < 0.35),
        flower_frame=_pick(rng, {"": 8.0, "red": 0.5, "blue": 0.5, "green": 0.5}),
        variant=int(rng.integers(12)),
    )


def dark_block(rng: Generator, darkest: float = 0.1) -> tuple[float, float, float]:
    """The colour (BGR) of a block cast dark or strongly coloured: wine, amber, green, blue, violet, or near black;
    its value (brightness, 0..1) is at least `darkest`."""
    hue = float(rng.choice([0.0, 0.08, 0.35, 0.6, 0.8]) + rng.normal(0, 0.03))
    black = rng.random() < 0.5
    return bgr(hue, rng.uniform(0, 0.25) if black else rng.uniform(0.3, 0.9), rng.uniform(darkest, 0.45))


def dark_set(rng: Generator, style: FaceStyle, body: Body) -> tuple[FaceStyle, Body]:
    """The same set cast in a dark or strongly coloured block, its faces filled with pale inks."""
    face = dark_block(rng)
    pale = {name: _css(_HUES[name][0], rng.uniform(0.15, 0.75), rng.uniform(0.8, 1)) for name in _HUES}
    pale["black"] = _css(0.12, rng.uniform(0, 0.5), rng.uniform(0.85, 1))  # white or gold
    if rng.random() < 0.3:
        pale = dict.fromkeys(pale, pale["black"])
    index = rng.choice([pale["black"], pale["red"]]) if style.index_colour else ""
    inked = replace(
        style, red=pale["red"], green=pale["green"], blue=pale["blue"], black=pale["black"], index_colour=str(index)
    )
    return inked, replace(body, face_colour=face)


def tinted_block(rng: Generator) -> tuple[float, float, float]:
    """The colour (BGR) of a block neither pale nor dark: grey, jade, rose, sky, sand ..."""
    return bgr(rng.random(), rng.uniform(0, 0.55), rng.uniform(0.4, 0.85))


def tinted_set(rng: Generator, style: FaceStyle, body: Body) -> tuple[FaceStyle, Body]:
    """The same set cast in a tinted block; in a third of them with the pale inks of dark ones."""
    inked = dark_set(rng, style, body)[0] if rng.random() < 1 / 3 else style
    return inked, replace(body, face_colour=tinted_block(rng))


def random_body(rng: Generator) -> Body:
    """A plausible block."""
    width = float(rng.uniform(23, 30))
    ivory = rng.random() < 0.35
    face = (
        bgr(0.12 + rng.normal(0, 0.015), rng.uniform(0.1, 0.28), rng.uniform(0.86, 0.97))
        if ivory
        else bgr(rng.choice([0.12, 0.6]), rng.uniform(0.0, 0.07), rng.uniform(0.88, 0.99))
    )
    h, s, v = _BACKS[int(rng.integers(len(_BACKS)))]
    back = bgr(h + rng.normal(0, 0.02), s + rng.normal(0, 0.08), min(v + rng.normal(0, 0.1), 0.95 if s > 0.3 else 0.55))
    return Body(
        width=width,
        height=width * float(rng.uniform(1.26, 1.42)),
        depth=width * float(rng.uniform(0.56, 0.84)),
        radius=width * float(rng.uniform(0.05, 0.12)),
        back_share=float(rng.uniform(0.12, 0.5)),
        face_colour=face,
        back_colour=back,
        gloss=float(rng.uniform(0.1, 1.0)),
        ink_share=float(rng.uniform(0.8, 0.95)),
    )
