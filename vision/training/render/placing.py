"""Where each tile lies: rows, melds, walls, pools, piles and racks, in a seat's own frame.

A seat's frame is the table's, turned so that the seat is at -y: x runs to its right, y away from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from vision.training.render.deals import Laid
from vision.training.render.geometry import Array, turn_z
from vision.training.render.styles import Body

UP, DOWN, STAND = "up", "down", "stand"


@dataclass(frozen=True, slots=True)
class Placed:
    """One tile on the table: its middle (mm), how it lies, and what it belongs to."""

    code: str
    x: float
    y: float
    z: float  #: of its lower side
    angle: float = 0.0  #: counter-clockwise, degrees
    lie: str = UP  #: "up", "down" or "stand" (facing the seat)
    lean: float = 0.0  #: standing: degrees tipped back; lying: tilt
    tilt: float = 0.0
    seat: int = 0
    role: str = "hand"  #: hand, meld, flower, win, discard, wall, loose
    group: int = 0
    kind: str = ""  #: the meld's kind
    turned: bool = False


def poses(tiles: Sequence[Placed], body: Body) -> tuple[Array, Array]:
    """Rotations (n, 3, 3), own axes as columns, and middles (n, 3), world."""
    rows = [
        (t.x, t.y, t.z, t.angle, 90 - t.lean if t.lie == STAND else t.lean,
         0.0 if t.lie == STAND else t.tilt + 180 * (t.lie == DOWN))
        for t in tiles
    ]  # fmt: skip
    x, y, z, *turns = np.array(rows, np.float64).reshape(-1, 6).T
    (ca, cb, cc), (sa, sb, sc) = np.cos(np.radians(turns)), np.sin(np.radians(turns))
    # turned about z, after leaning about x, after tilting (and turning face down) about y
    rotations = np.stack(
        [ca * cc - sa * sb * sc, -sa * cb, ca * sc + sa * sb * cc,
         sa * cc + ca * sb * sc, ca * cb, sa * sc - ca * sb * cc,
         -cb * sc, sb, cb * cc], axis=1,
    ).reshape(-1, 3, 3)  # fmt: skip
    rise = np.abs(rotations[:, 2]) @ (np.array([body.width, body.height, body.depth]) / 2)
    return rotations, np.stack([x, y, z + rise], axis=1)


def to_seat(tiles: Sequence[Placed], seat: int) -> list[Placed]:
    """Tiles laid out for seat 0, carried over to another seat (0 near, 1 right, 2 far, 3 left)."""
    c, s = turn_z(90 * seat)[:2, 0].tolist()
    return [replace(t, x=c * t.x - s * t.y, y=s * t.x + c * t.y, angle=t.angle + 90 * seat, seat=seat) for t in tiles]


@dataclass(frozen=True, slots=True)
class Neatness:
    """How tidy the player is: sizes in shares of a tile's width, angles in degrees."""

    gap: float = 0.02  #: between tiles of a group
    wobble: float = 0.02  #: sideways and endways
    turn: float = 0.8
    bend: float = 0.0  #: how much a row is bowed, shares of tile height over the row

    @classmethod
    def random(cls, rng: Generator) -> Neatness:
        """From a ruler to a shaky hand."""
        return cls(
            gap=float(abs(rng.normal(0.01, 0.035))),
            wobble=float(abs(rng.normal(0, 0.045))),
            turn=float(abs(rng.normal(0, 1.6))),
            bend=float(rng.normal(0, 0.1) if rng.random() < 0.4 else 0),
        )


@dataclass(frozen=True, slots=True)
class Slot:
    """A tile within a group: ``level`` 1 lies on top of the slot before it."""

    code: str
    lie: str = UP
    turned: bool = False
    level: int = 0


def meld_slots(kind: str, tiles: Sequence[str], rng: Generator, way: str = "", stack: float = 0.5) -> list[Slot]:
    """How a meld is laid: one tile turned or none, a kong's fourth beside or on top, a concealed kong face down."""
    if kind == "kong_concealed":
        way = way or str(rng.choice(["ends", "middle", "all", "open"], p=[0.45, 0.1, 0.35, 0.1]))
        down = {"ends": (1, 0, 0, 1), "middle": (0, 1, 1, 0), "all": (1, 1, 1, 1), "open": (0, 0, 0, 0)}[way]
        if way == "all" and rng.random() < 0.35:  # three backs with one face on top
            return [*(Slot(t, DOWN) for t in tiles[:3]), Slot(tiles[3], UP, level=1)]
        return [Slot(t, DOWN if d else UP) for t, d in zip(tiles, down, strict=True)]
    slots = [Slot(t) for t in tiles]
    which = int(rng.integers(3)) if rng.random() < 0.4 else -1
    if kind == "chow" and which >= 0:
        which = 0 if rng.random() < 0.6 else which
    if which >= 0:
        slots[which] = replace(slots[which], turned=True)
    if len(slots) == 4 and rng.random() < stack:
        fourth = slots.pop()
        at = which if which >= 0 else 1
        slots.insert(at + 1, replace(fourth, level=1, turned=slots[at].turned))
    return slots


def lay_group(
    slots: Sequence[Slot], x: float, y: float, body: Body, neat: Neatness, rng: Generator, like: Placed
) -> tuple[list[Placed], float]:
    """Lay a group from ``x`` (its left edge) rightwards, lower edges on ``y``. Returns the tiles and the right edge."""
    out: list[Placed] = []
    w, h = body.width, body.height
    for slot in slots:
        if slot.level and out:
            below = out[-1]
            out.append(
                replace(
                    below,
                    code=slot.code,
                    lie=slot.lie,
                    z=body.depth,
                    x=below.x + rng.normal(0, 0.8),
                    y=below.y + rng.normal(0, 0.8),
                )
            )
            continue
        across, up = (h, w) if slot.turned else (w, h)
        at_x = x + across / 2 + rng.normal(0, neat.wobble * 0.2) * w
        at_y = y + up / 2 + rng.normal(0, neat.wobble) * w
        side = (90 if rng.random() < 0.5 else -90) if slot.turned else 0
        out.append(
            replace(
                like, code=slot.code, x=float(at_x), y=float(at_y), z=0.0, lie=slot.lie, turned=slot.turned,
                angle=side + float(rng.normal(0, neat.turn)),
            )
        )  # fmt: skip
        x += across + w * max(
            0.0, neat.gap + abs(rng.normal(0, neat.gap * 0.6)) + abs(np.sin(np.radians(neat.turn))) * 0.35
        )
    return out, x


def bow(tiles: list[Placed], amount: float, body: Body) -> list[Placed]:
    """Bend a row a little, as a hand pushes it."""
    if not amount or len(tiles) < 4:
        return tiles
    xs = np.array([t.x for t in tiles])
    middle, half = (xs.min() + xs.max()) / 2, (xs.max() - xs.min()) / 2 + 1
    out = []
    for tile in tiles:
        place = (tile.x - middle) / half
        lift = amount * body.height * place * place
        slope = np.degrees(np.arctan(2 * amount * body.height * place / half))
        out.append(replace(tile, y=tile.y + lift, angle=tile.angle + float(slope)))
    return out


@dataclass(frozen=True, slots=True)
class HandPlan:
    """How a winner lays the hand open."""

    rows: int  #: of the concealed tiles
    win: str  #: "apart", "turned" (apart and on its side), "last" or "in" (not set apart)
    melds: str  #: "right", "above", "below" or "left"
    flowers: str  #: "above", "left", "right" or "below"
    group_gap: float  #: between groups, tile widths
    row_gap: float  #: between rows, tile heights
    kong: str = ""  #: how concealed kongs lie: "ends" face down, "middle", "all" or "open"; "" is any way
    stack: float = 0.5  #: share of exposed kongs with their fourth tile on top

    @classmethod
    def random(cls, rng: Generator) -> HandPlan:
        """Any of the usual ways."""
        return cls(
            rows=2 if rng.random() < 0.3 else 1,
            win=str(rng.choice(["apart", "turned", "last", "in"], p=[0.4, 0.2, 0.2, 0.2])),
            melds=str(rng.choice(["right", "above", "below", "left"], p=[0.45, 0.3, 0.15, 0.1])),
            flowers=str(rng.choice(["above", "left", "right", "below"], p=[0.4, 0.2, 0.25, 0.15])),
            group_gap=float(rng.uniform(0.68, 1.6)),
            row_gap=float(rng.uniform(0.22, 1.0)),
        )


def lay_hand(laid: Laid, plan: HandPlan, body: Body, neat: Neatness, rng: Generator) -> list[Placed]:
    """A whole hand face up in front of seat 0, around the origin."""
    like = Placed("", 0, 0, 0)
    rest = list(laid.concealed)
    win = laid.win_tile
    if win and plan.win != "in":
        rest.remove(win)
    hand_rows: list[list[Slot]] = []
    per = -(-len(rest) // plan.rows)
    for i in range(0, len(rest), per or 1):
        hand_rows.append([Slot(t) for t in rest[i : i + per]])
    lines: dict[str, list[list[tuple[str, str, list[Slot]]]]] = {"hand": [[("hand", "", row)] for row in hand_rows]}
    if win and plan.win != "in" and lines["hand"]:
        lines["hand"][-1].append(("win", plan.win, [Slot(win, turned=plan.win == "turned")]))
    melds = [("meld", kind, meld_slots(kind, tiles, rng, plan.kong, plan.stack)) for kind, tiles in laid.melds]
    flowers = [("flower", "", [Slot(f) for f in laid.flowers])] if laid.flowers else []
    order = _lines(lines["hand"], melds, flowers, plan)
    return _lay_lines(order, plan, body, neat, rng, like)


Line = list[tuple[str, str, list[Slot]]]


def _lines(hand: list[Line], melds: Line, flowers: Line, plan: HandPlan) -> list[Line]:
    """Rows from the far one to the near one."""
    rows = [list(line) for line in hand] or [[]]
    if plan.melds == "right":
        rows[-1] += melds
    elif plan.melds == "left":
        rows[-1] = melds + rows[-1]
    elif melds:
        rows = [melds, *rows] if plan.melds == "above" else [*rows, melds]
    if plan.flowers == "right":
        rows[0] += flowers
    elif plan.flowers == "left":
        rows[0] = flowers + rows[0]
    elif flowers:
        rows = [flowers, *rows] if plan.flowers == "above" else [*rows, flowers]
    return [row for row in rows if row]


def _lay_lines(
    lines: Sequence[Line], plan: HandPlan, body: Body, neat: Neatness, rng: Generator, like: Placed
) -> list[Placed]:
    out: list[Placed] = []
    y, number = 0.0, 0
    align = rng.random()
    w, h = body.width, body.height
    for index, line in enumerate(reversed(lines)):
        row: list[Placed] = []
        x = 0.0
        for role, kind, slots in line:
            number += 1
            if row:
                last = kind == "last" and role == "win"
                x += w * (neat.gap if last else plan.group_gap * float(rng.uniform(1.0, 1.25)))
            tag = replace(like, role=role, kind=kind if role == "meld" else "", group=number)
            tiles, x = lay_group(slots, x, 0.0, body, neat, rng, tag)
            row += tiles
        shift = (0.0 if align < 0.5 else -x / 2) + (float(rng.normal(0, 0.4)) * w if index else 0.0)
        row = bow(row, neat.bend, body) if len(line) == 1 else row
        out += [replace(t, x=t.x + shift, y=t.y + y) for t in row]
        same = _is_hand(line) and index + 1 < len(lines) and _is_hand(lines[len(lines) - 2 - index])
        y += h + h * (float(rng.uniform(0.02, 0.35)) if same else plan.row_gap)
    return out


def _is_hand(line: Line) -> bool:
    return any(role == "hand" for role, _, _ in line)
