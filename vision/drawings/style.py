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
    white: str = "framed"  #: 白: a key of ``whites.WHITES`` ("letter" is a P inside a frame), or "blank"
    five: str = "五"  #: the numeral of 5m, "五" or "伍"
    numeral_colour: str = "black"  #: colour of 一..九: "black", "blue" or "red"
    wind_colour: str = "black"  #: colour of 東南西北: "black" or "blue"
    rings: str = "classic"  #: dots: a key of ``rings.RINGS``
    sticks: str = "bone"  #: bamboo: a key of ``sticks.STICKS``
    bird: str = "sparrow"  #: 1s: a key of ``bird.BIRDS``
    flowers: str = "plant"  #: the small pictures: "plant", "scene", "line" (outlines), "pot" or "figure"
    flower_digits: tuple[int, ...] = (1, 2, 3, 4, 1, 2, 3, 4)  #: printed on f1..f8
    engraving: float = 0.5  #: how deep the cut looks, 0..1
    stretch: float = 1.0  #: width of the drawing against its height, 0.85..1.15
    one: str = ""  #: 1p: a key of ``rings.ONES``; "" goes with the rings
    dot_inks: str = "house"  #: colours of the dots: a key of ``suits.DOT_INKS``
    dot_size: float = 1.0  #: radius of the dots, 0.75..1.05
    gather: float = 0.0  #: dots of 3p..9p spread over the face (0) or gathered in touching groups (1)
    seven: float = 1.0  #: slope of 7p's diagonal, 0.5..1.3
    stick_inks: str = "house"  #: colours of the bamboos: a key of ``suits.STICK_INKS``
    stick_width: float = 1.0  #: 0.6..1.2
    stick_length: float = 1.0  #: 0.85..1.08
    stick_spread: float = 1.0  #: how far the columns of 3s..7s and 9s stand from the middle, 0.7..1
    eight: str = "MW"  #: 8s: an M over a W, or "WM"
    lean: float = 36.0  #: degrees the slanted sticks of 8s lean
    white_ink: str = "blue"  #: "red", "green", "blue" or "black"
    white_second: str = ""  #: the inner frame's ink where there is one; "" is the same
    hand: str = "solid"  #: characters "solid", "heavy" or "hollow"
    wan: str = "萬"  #: "萬" or "万"
    east: str = "東"  #: "東" or "东"
    fortune: str = "發"  #: "發" or "发"
    numeral_size: float = 1.0  #: of 一..九, 0.75..1.1
    wan_size: float = 1.0  #: of 萬, 0.75..1.1
    index_size: float = 1.0  #: 0.7..1.3
    index_inset: float = 0.0  #: further in from the corner, -10..12
    index_white: str = "P"  #: 白's letter, "P" or "B"
    index_room: float = 1.0  #: how far the drawing gives way to the corner numeral, 0..1
    flower_marks: str = "house"  #: digit and character: a key of ``flowers.MARKS``
    flower_swap: bool = False  #: the inks of digit and character change places
    flower_frame: str = ""  #: an ink for a frame round the flower tiles, "" for none
    variant: int = 0  #: which of several pictures and vessels the flower tiles take, from 0

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


_INKS = ("red", "green", "blue", "black")
_CHOICES: dict[str, tuple[str, ...]] = {
    "index": ("none", "left", "right", "both"),
    "white": (
        *("framed", "double", "ornate", "letter", "blank"),
        *("thin", "rounded", "inner", "bevel", "crossed", "panels", "notched"),
    ),
    "five": ("五", "伍"),
    "numeral_colour": ("black", "blue", "red"),
    "wind_colour": ("black", "blue"),
    "rings": (
        *("classic", "plain", "petal", "filled", "wheel"),
        *("double", "hairline", "sunburst", "cross", "twotone", "spiral", "coin", "star", "spokes", "flower"),
    ),
    "one": ("", "sunflower", "concentric", "rosette", "small", "large", "lace", "bloom"),
    "sticks": (
        *("bone", "capsule", "segment", "outline"),
        *("beads", "links", "ladder", "joints", "taper", "bar", "hairline", "spool", "thirds", "twin"),
    ),
    "bird": ("sparrow", "peacock", "crane", "phoenix", "songbird", "parrot", "owl", "shoot"),
    "flowers": ("plant", "scene", "line", "pot", "figure"),
    "dot_inks": ("house", "mixed", "green_red", "black", "turned", "blue", "mono"),
    "stick_inks": ("house", "green", "column", "red_column", "halves", "mono"),
    "eight": ("MW", "WM"),
    "white_ink": _INKS,
    "white_second": ("", *_INKS),
    "hand": ("solid", "heavy", "hollow"),
    "wan": ("萬", "万"),
    "east": ("東", "东"),
    "fortune": ("發", "发"),
    "index_white": ("P", "B"),
    "flower_marks": ("house", "mirror", "crossed", "word", "numeral", "twice", "english"),
    "flower_frame": ("", *_INKS),
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
