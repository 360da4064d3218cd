"""The one bamboo: a bird."""

from __future__ import annotations

import math

from vision.drawings.shapes import circle, ellipse, group, leaf, path
from vision.drawings.style import FaceStyle


def bird(style: FaceStyle) -> str:
    """The bird of the set's style, ink only."""
    return _peacock(style) if style.bird == "peacock" else _sparrow(style)


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
