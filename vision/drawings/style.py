"""What may differ between two tile sets: one frozen value a drawing is made from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FaceStyle:
    """The knobs of a tile set's looks. Colours are CSS colours; sizes are shares of the normal one.

    Raises ``ValueError`` for a value outside the listed choices, naming the choices.
    """

    body: str = "#fdfaf1"
    rim: str = "#d9d2bd"
    back: str = "#1f8a5b"
    red: str = "#c4161c"
    green: str = "#0b7a3e"
    blue: str = "#1c3f9e"
    black: str = "#1b1b22"
    weight: float = 1.0  #: stroke weight of characters and lines, 0.5..1.6
    contrast: float = 1.0  #: brush contrast: 1 regular script, 0 even lines
    slant: float = 0.0  #: degrees the characters lean
    scale: float = 1.0  #: size of the whole drawing, 0.75..1.1
    index: str = "none"  #: corner numerals: "none", "left", "right" or "both" (second one upside down)
    index_colour: str = ""  #: "" takes each tile's own colour
    white: str = "framed"  #: 白: "framed", "double", "ornate", "letter" (a P inside a frame) or "blank"
    five: str = "五"  #: the numeral of 5m, "五" or "伍"
    numeral_colour: str = "black"  #: colour of 一..九: "black", "blue" or "red"
    wind_colour: str = "black"  #: colour of 東南西北: "black" or "blue"
    rings: str = "classic"  #: dots: "classic", "plain", "petal", "filled" or "wheel"
    sticks: str = "bone"  #: bamboo: "bone", "capsule", "segment" or "outline"
    bird: str = "sparrow"  #: 1s: "sparrow" or "peacock"
    flowers: str = "plant"  #: the small pictures: "plant" or "scene"
    flower_digits: tuple[int, ...] = (1, 2, 3, 4, 1, 2, 3, 4)  #: printed on f1..f8
    engraving: float = 0.5  #: how deep the cut looks, 0..1

    def __post_init__(self) -> None:
        for field, allowed in _CHOICES.items():
            value = getattr(self, field)
            if value not in allowed:
                raise ValueError(f"FaceStyle.{field}={value!r}: choose one of {', '.join(allowed)}")
        if len(self.flower_digits) != 8 or not all(1 <= d <= 9 for d in self.flower_digits):
            raise ValueError("FaceStyle.flower_digits needs eight digits from 1 to 9, one for each of f1..f8")

    def colour(self, name: str) -> str:
        """The ink called ``red``, ``green``, ``blue`` or ``black`` in this set."""
        return {"red": self.red, "green": self.green, "blue": self.blue, "black": self.black}[name]


_CHOICES: dict[str, tuple[str, ...]] = {
    "index": ("none", "left", "right", "both"),
    "white": ("framed", "double", "ornate", "letter", "blank"),
    "five": ("五", "伍"),
    "numeral_colour": ("black", "blue", "red"),
    "wind_colour": ("black", "blue"),
    "rings": ("classic", "plain", "petal", "filled", "wheel"),
    "sticks": ("bone", "capsule", "segment", "outline"),
    "bird": ("sparrow", "peacock"),
    "flowers": ("plant", "scene"),
}

#: A few whole sets as they are sold, for pages, samples and tests.
PRESETS: dict[str, FaceStyle] = {
    "house": FaceStyle(),
    "taiwan": FaceStyle(five="伍", white="framed", wind_colour="black", rings="wheel", back="#e0a526"),
    "indexed": FaceStyle(
        index="left", wind_colour="blue", numeral_colour="blue", white="letter", flower_digits=(1, 2, 3, 4, 1, 2, 4, 3)
    ),
    "bold": FaceStyle(weight=1.3, contrast=0.5, white="double", rings="petal", sticks="segment", back="#2767b0"),
    "night": FaceStyle(
        body="#f3efe6",
        back="#23242b",
        black="#22222c",
        red="#b3202b",
        green="#20303a",
        blue="#20303a",
        white="blank",
        rings="plain",
        sticks="outline",
        bird="peacock",
        flowers="scene",
    ),
    "jade": FaceStyle(body="#f7f4df", back="#0d6b4f", weight=0.8, contrast=0.8, rings="filled", sticks="capsule"),
}
