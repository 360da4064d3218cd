"""The one bamboo: a bird, in some sets a bamboo shoot."""

from __future__ import annotations

import math
from collections.abc import Callable

from vision.drawings.shapes import circle, ellipse, group, leaf, path
from vision.drawings.style import FaceStyle


def bird(style: FaceStyle) -> str:
    """The bird of the set's style, ink only."""
    return BIRDS[style.bird](style)


def _sparrow(style: FaceStyle) -> str:
    red, green, blue, paper = style.red, style.green, style.blue, style.body
    tail = [
        path("M160 238C190 270 236 300 252 372C226 350 200 330 150 262Z", green),
        path("M150 246C170 284 204 320 204 378C180 344 156 312 134 262Z", blue),
        path("M138 252C148 288 166 324 156 374C138 342 126 300 124 258Z", red),
    ]
    wing = [
        path(f"M{x0} {y0}Q{cx} {cy} {x1} {y1}Q{dx} {dy} {x0} {y0}Z", ink)
        for x0, y0, cx, cy, x1, y1, dx, dy, ink in (
            (140, 176, 176, 74, 262, 30, 236, 120, red),
            (144, 192, 208, 102, 284, 84, 248, 152, blue),
            (150, 208, 220, 146, 286, 142, 240, 196, green),
            (152, 224, 214, 196, 270, 202, 222, 236, red),
        )
    ]
    body = [
        path("M86 96C58 150 70 232 142 268C186 262 190 208 162 168C146 146 128 132 124 96Z", green),
        *(path(f"M{92 + i * 9} {166 + i * 26}q14 16 30 2q14 16 30 0", stroke=paper, width=7) for i in range(3)),
        path("M84 120C74 148 76 186 92 214C88 176 92 150 104 126Z", red),
    ]
    head = [
        *(leaf(104, 66, 44, 8, turn, ink) for turn, ink in ((-28, blue), (4, red), (36, green))),
        circle(98, 86, 31, red),
        path("M72 74L32 96L74 106Z", style.black),
        circle(92, 80, 11, paper),
        circle(90, 80, 6, style.black),
    ]
    legs = [
        path("M122 262L112 322M112 322L88 340M112 322L112 346M112 322L134 340", stroke=red, width=9),
        path("M40 352H146", stroke=green, width=14),
        path("M62 346V358M98 346V358", stroke=paper, width=5),
    ]
    return group([*tail, *wing, *legs[1:], legs[0], *body, *head])


def _peacock(style: FaceStyle) -> str:
    red, green, blue, paper = style.red, style.green, style.blue, style.body
    fan = []
    for i in range(9):
        turn = -80 + 20 * i
        a = math.radians(turn)
        fan.append(leaf(150, 236, 190, 26, turn, green if i % 2 else blue))
        x, y = 150 + 150 * math.sin(a), 236 - 150 * math.cos(a)
        fan.append(circle(x, y, 15, paper) + circle(x, y, 9, red))
    body = [
        path("M150 150C118 176 100 232 112 276C126 312 174 312 188 276C200 232 182 176 150 150Z", green, paper, 6),
        *(path(f"M124 {y}q13 14 26 0q13 14 26 0", stroke=paper, width=5) for y in (214, 238, 262)),
        circle(150, 138, 25, blue, paper, 5),
        circle(142, 134, 6, paper),
        circle(158, 134, 6, paper),
        path("M143 146L150 164L157 146Z", red),
        *(path(f"M150 114L{150 + d} 90", stroke=blue, width=6) for d in (-16, 0, 16)),
    ]
    legs = [
        path("M132 300V344M132 344L110 360M132 344L132 366M132 344L150 360", stroke=red, width=9),
        path("M168 300V344M168 344L150 360M168 344L168 366M168 344L190 360", stroke=red, width=9),
        ellipse(150, 372, 70, 7, 0, green),
    ]
    return group([*fan, *legs, *body])


def _crane(style: FaceStyle) -> str:
    """Standing on long legs, its neck raised."""
    red, green, blue, paper, line = style.red, style.green, style.blue, style.body, 9
    legs = path("M150 286V366M150 366L126 378M150 366L178 378M176 284L186 326L166 358", stroke=red, width=line)
    tail = "".join(leaf(196, 236, 92, 15, turn, ink) for turn, ink in ((112, blue), (130, green), (150, blue)))
    body = path("M104 214C104 180 150 170 196 214C226 244 222 262 196 280C160 302 112 282 104 214Z", paper, blue, line)
    wing = "".join(
        path(f"M{128 + 8 * i} {222 + 16 * i}Q{164 + 6 * i} {214 + 16 * i} {192 + 8 * i} {244 + 12 * i}", "none", ink, 8)
        for i, ink in enumerate((green, blue, green))
    )
    neck = path("M112 208C136 176 86 150 104 106C110 86 128 80 140 88", "none", blue, 17)
    head = circle(138, 90, 19, blue) + path("M120 76Q134 56 156 74Z", red) + path("M154 84L222 98L152 102Z", red)
    return group([legs, tail, body, wing, neck, head, circle(140, 88, 5, paper)])


def _phoenix(style: FaceStyle) -> str:
    """Wings raised, three long tail feathers streaming down."""
    red, green, blue, paper = style.red, style.green, style.blue, style.body
    tail = []
    for bend, x, y, ink in ((150, 92, 352, red), (196, 162, 376, green), (262, 244, 352, blue)):
        tail.append(path(f"M170 226Q{bend} 290 {x} {y}", "none", ink, 12))
        tail.append(circle(x, y, 19, paper, ink, 9) + circle(x, y, 6, ink))
    wing = [
        path(f"M146 204Q{150 + 12 * i} {100 + 14 * i} {x} {y}Q{x - 2} {y + 70} 168 214Z", paper, ink, 9)
        for i, (x, y, ink) in enumerate(((190, 44, blue), (232, 72, green), (262, 112, blue), (274, 160, green)))
    ]
    body = path("M84 118C92 176 118 232 172 240C200 224 190 192 160 186C134 178 124 150 126 114Z", green)
    body += "".join(path(f"M{100 + 14 * i} {158 + 20 * i}q18 6 28 -12", stroke=paper, width=6) for i in range(3))
    crest = "".join(path(f"M104 80Q{104 + d} 54 {114 + 2 * d} 44", stroke=red, width=8) for d in (-14, 4, 20))
    head = circle(104, 104, 27, green) + path("M82 92L44 114L82 120Z", red) + circle(98, 98, 7, paper)
    return group([*tail, *wing, body, crest, head])


def _songbird(style: FaceStyle) -> str:
    """A plain small bird, all outline, on a twig."""
    ink, line = style.green, 11
    body = "M62 150C66 108 118 96 140 128C176 146 214 180 270 262C206 262 176 276 138 262C104 250 84 220 82 170L40 158Z"
    wing = "M124 176C150 180 190 206 214 244C176 240 140 226 124 176Z"
    legs = "M140 264L132 326M172 268L164 326"
    twig = path("M50 338C110 322 190 330 256 314", "none", style.red, 13)
    leaves = leaf(228, 320, 54, 13, 40, style.green) + leaf(84, 332, 48, 12, -150, style.green)
    parts = [path(legs, "none", style.red, 8), path(body, style.body, ink, line), path(wing, "none", style.blue, 9)]
    return group([*parts, twig, leaves, circle(104, 138, 8, style.red)])


def _parrot(style: FaceStyle) -> str:
    """Upright on a twig, with a crest and a barred hanging tail."""
    red, green, blue, paper = style.red, style.green, style.blue, style.body
    tail = path("M132 236L150 384L190 384L182 236Z", paper, red, 10)
    bars = "".join(path(f"M{140 + i * 3} {264 + 27 * i}H{182 + i}", stroke=red, width=8) for i in range(4))
    twig = path("M40 240C70 262 90 244 116 252M186 250C220 262 236 226 262 236", "none", green, 12)
    ends = circle(42, 232, 12, blue) + circle(262, 228, 12, blue)
    body = path("M110 120C96 170 104 226 140 256C182 260 202 222 196 166C190 132 170 108 140 104Z", paper, green, 11)
    wing = path("M152 150C196 146 222 176 220 244C180 232 154 204 152 150Z", blue)
    wing += path("M174 180L200 214M164 196L188 228", stroke=paper, width=6)
    head = circle(132, 106, 36, paper, green, 11) + circle(124, 100, 10, red)
    crest = path("M118 66Q150 26 206 44M138 68Q160 48 196 66", "none", red, 11)
    beak = path("M98 96Q70 104 84 136Q100 130 104 118Z", red)
    return group([tail, bars, twig, ends, body, wing, crest, head, beak])


def _owl(style: FaceStyle) -> str:
    """Round eyes, on a bent branch."""
    red, green, paper = style.red, style.green, style.body
    branch = path("M64 376C100 330 190 350 226 286C240 258 226 240 246 222", "none", green, 13)
    sprig = "".join(
        leaf(x, y, 46, 12, turn, green) for x, y, turn in ((110, 346, 200), (220, 292, 110), (236, 250, 60))
    )
    body = path("M96 112C84 190 110 260 150 318C188 270 214 200 204 112Q150 136 96 112Z", paper, red, 11)
    ears = path("M96 114L90 70L128 96H172L210 70L204 114", paper, red, 11)
    eyes = "".join(circle(x, 128, 22, paper, red, 8) + circle(x, 128, 8, red) for x in (124, 176))
    chest = "".join(
        path(f"M{126 + 5 * i} {200 + 30 * i}q12 14 24 0q12 14 {24 - 6 * i} 0", "none", red, 8) for i in range(3)
    )
    return group([branch, sprig, body, ears, eyes, path("M142 146L150 166L158 146Z", red), chest])


def _shoot(style: FaceStyle) -> str:
    """A bamboo shoot in its sheaths, broad at the foot, with leaves on both sides."""
    red, green, blue, paper = style.red, style.green, style.blue, style.body
    cone = path("M150 50C190 130 226 250 222 350Q150 384 78 350C74 250 110 130 150 50Z", paper, green, 12)
    sheaths = "".join(
        path(f"M{150 - w} {y}Q150 {y - w} {150 + w} {y - 6}", "none", ink, 10)
        for w, y, ink in ((34, 158, green), (50, 224, red), (64, 296, green))
    )
    sides = "".join(
        leaf(x, 350, n, 18, t, blue) for x, n, t in ((84, 120, -34), (216, 120, 34), (70, 80, -70), (230, 80, 70))
    )
    return group([sides, cone, sheaths])


BIRDS: dict[str, Callable[[FaceStyle], str]] = {
    "sparrow": _sparrow,
    "peacock": _peacock,
    "crane": _crane,
    "phoenix": _phoenix,
    "songbird": _songbird,
    "parrot": _parrot,
    "owl": _owl,
    "shoot": _shoot,
}
