"""Arrangements that are not a whole table: one hand, blocks of tiles, piles, walls, pools, racks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from vision.training.render import props
from vision.training.render.deals import FLOWERS, Bag, Laid, random_hand
from vision.training.render.placing import DOWN, STAND, UP, HandPlan, Neatness, Placed, lay_hand, to_seat
from vision.training.render.solids import Block
from vision.training.render.styles import Body


@dataclass
class Arrangement:
    """Tiles on the table, the hands they make, and which of them the camera should frame."""

    placed: list[Placed]
    hands: list[Laid]
    focus: list[Placed]
    span: tuple[float, float] = (22, 90)  #: camera elevations that make sense
    table: float | None = None  #: half the table's width when it is a whole table round the origin
    side: float = 0.0  #: azimuth of the player who looks at it
    front: float = 1.0  #: below 1 the camera stands more often on the player's side
    extra: list[Block] = field(default_factory=list)  #: things that belong to it: a rack, a table's rim


def hand(body: Body, rng: Generator, plan: HandPlan | None = None, laid: Laid | None = None) -> Arrangement:
    """One winner's tiles, and sometimes a few strangers around."""
    bag = Bag(rng)
    laid = laid or random_hand(bag, 5 if rng.random() < 0.8 else 4, wins=bool(rng.random() < 0.8))
    plan = plan or HandPlan.random(rng)
    tiles = lay_hand(laid, plan, body, Neatness.random(rng), rng)
    return Arrangement(tiles, [laid], tiles, (26, 90))


def _any_tiles(rng: Generator, count: int, flowers: float = 0.12) -> list[str]:
    bag = Bag(rng)
    spare = [str(f) for f in rng.permutation(FLOWERS)]
    out = []
    for _ in range(count):
        out.append(spare.pop() if spare and rng.random() < flowers else bag.single())
    return out


def grid(body: Body, rng: Generator) -> Arrangement:
    """A packed block of rows, as when a set is checked; tiles may be upside down."""
    rows, cols = int(rng.integers(1, 7)), int(rng.integers(2, 11))
    codes = _any_tiles(rng, rows * cols, 0.15)
    neat = Neatness.random(rng)
    gap_x, gap_y = body.width * (1.005 + neat.gap), body.height * (1.005 + abs(rng.normal(0, 0.02)))
    mixed = rng.random() < 0.35
    out = []
    for i, code in enumerate(codes):
        row, col = divmod(i, cols)
        if rng.random() < 0.02:
            continue
        out.append(
            Placed(
                code, col * gap_x + rng.normal(0, neat.wobble) * 2, row * gap_y + rng.normal(0, neat.wobble) * 2, 0.0,
                angle=float(rng.normal(0, neat.turn * 0.5)) + (180 if mixed and rng.random() < 0.4 else 0),
                lie=DOWN if rng.random() < 0.05 else UP, role="loose", group=row + 1,
            )
        )  # fmt: skip
    return Arrangement(out, [], out, (28, 90), extra=_tray(out, body, rng) if rng.random() < 0.3 else [])


Spot = tuple[float, float, float]


def _clear(a: Spot, b: Spot, width: float, height: float) -> bool:
    """Two lying tiles (x, y, angle) do not cut into each other."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    if dx * dx + dy * dy >= width * width + height * height:
        return True
    for own, other in ((a, b), (b, a)):
        c, s = np.cos(np.radians(own[2])), np.sin(np.radians(own[2]))
        turn = np.radians(other[2] - own[2])
        co, so = abs(np.cos(turn)), abs(np.sin(turn))
        if abs(dx * c + dy * s) >= width / 2 + (width * co + height * so) / 2:
            return True
        if abs(dy * c - dx * s) >= height / 2 + (width * so + height * co) / 2:
            return True
    return False


def scatter(rng: Generator, body: Body, count: int, spread: float, near: float, loose: float = 1.01) -> list[Spot]:
    """Places (x, y, angle) round the origin that do not cut into one another; ``near`` is the spread of angles."""
    out: list[Spot] = []
    width, height = body.width * loose, body.height * loose
    for _ in range(count * 10):
        if len(out) == count:
            break
        x, y = rng.normal(0, spread, 2)
        spot = (float(x), float(y), float(rng.normal(0, near) if near < 90 else rng.uniform(0, 360)))
        if all(_clear(spot, other, width, height) for other in out):
            out.append(spot)
    return out


def pile(body: Body, rng: Generator) -> Arrangement:
    """Tiles pushed into a heap: all angles, some on top of others, some face down."""
    count = int(rng.integers(6, 46))
    spread = body.width * np.sqrt(count) * rng.uniform(0.42, 0.9)
    down = float(rng.choice([0.0, 0.15, 0.5]))
    near = float(rng.choice([25, 180]))  # sometimes all lie nearly the same way
    places = scatter(rng, body, count, spread, near)
    codes = _any_tiles(rng, len(places) + 30)
    out = []
    for x, y, angle in places:
        out.append(Placed(codes.pop(), x, y, 0.0, angle, DOWN if rng.random() < down else UP, role="discard"))
    for _ in range(int(rng.poisson(len(out) * rng.choice([0, 0.1, 0.3])))):
        below = out[int(rng.integers(len(places)))]
        lean = float(rng.normal(0, 4))
        out.append(
            replace(
                below, code=codes.pop(), z=body.depth * 1.02, x=below.x + rng.normal(0, 0.55) * body.width,
                y=below.y + rng.normal(0, 0.55) * body.height, angle=float(rng.uniform(0, 360)),
                lie=DOWN if rng.random() < down else UP, lean=lean, tilt=float(rng.normal(0, 4)),
            )
        )  # fmt: skip
        if len(codes) < 2:
            break
    out = _untangle(out, len(places), body)
    return Arrangement(out, [], out, (30, 90))


def _untangle(tiles: list[Placed], ground: int, body: Body) -> list[Placed]:
    """Drop stacked tiles that would cut into one another."""
    reach = np.hypot(body.width, body.height) * 0.98
    kept = tiles[:ground]
    for tile in tiles[ground:]:
        if all(np.hypot(tile.x - o.x, tile.y - o.y) > reach for o in kept[ground:]):
            kept.append(tile)
    return kept


def _tray(tiles: list[Placed], body: Body, rng: Generator) -> list[Block]:
    """The four sides of a box the tiles are kept in."""
    xs, ys = [t.x for t in tiles], [t.y for t in tiles]
    room = float(rng.uniform(1, 8))
    left, right = min(xs) - body.width / 2 - room, max(xs) + body.width / 2 + room
    low, high = min(ys) - body.height / 2 - room, max(ys) + body.height / 2 + room
    return props.tray(
        (left, low, right, high), float(rng.uniform(3, 14)), body.depth * float(rng.uniform(0.6, 1.3)), rng
    )


def wall_row(body: Body, rng: Generator, stacks: int, x: float, y: float, high: int = 2) -> list[Placed]:
    """A wall along x, face down, its left end at ``x``; sometimes its end is half taken."""
    pitch = body.width * (1.004 + abs(rng.normal(0, 0.008)))
    out = []
    for i in range(stacks):
        for level in range(high):
            if level == high - 1 and i == stacks - 1 and rng.random() < 0.3:
                continue
            out.append(
                Placed(
                    "back", x + (i + 0.5) * pitch, y + float(rng.normal(0, 0.5)), level * body.depth * 1.001,
                    angle=float(rng.normal(0, 0.7)), lie=DOWN, role="wall",
                )
            )  # fmt: skip
    return out


def wall(body: Body, rng: Generator) -> Arrangement:
    """A wall alone, or two, with a few open tiles before it."""
    tiles: list[Placed] = []
    bag = Bag(rng)
    for k in range(int(rng.integers(1, 3))):
        tiles += wall_row(
            body,
            rng,
            int(rng.integers(5, 19)),
            0.0,
            k * body.height * rng.uniform(1.3, 2.5),
            int(rng.choice([1, 2, 2, 2])),
        )
    tiles = [replace(t, code=bag.single()) for t in tiles]
    front, x = [], 0.0
    for code in _any_tiles(rng, int(rng.integers(0, 9))):
        x += body.width * float(rng.choice([1.15, rng.uniform(1.15, 4)]))
        front.append(Placed(code, x, -body.height * 1.5, 0.0, float(rng.normal(0, 3)), UP, role="discard"))
    return Arrangement(tiles + front, [], tiles + front, (22, 75))


def pool(body: Body, rng: Generator) -> Arrangement:
    """Discards in rows of six, as one player lays them, or three or four players'."""
    tiles: list[Placed] = []
    for seat in range(int(rng.choice([1, 2, 4]))):
        codes = _any_tiles(rng, int(rng.integers(4, 22)), 0.02)
        tiles += to_seat(pool_rows(codes, body, rng), seat)
    return Arrangement(tiles, [], tiles, (30, 90))


def pool_rows(codes: list[str], body: Body, rng: Generator, per_row: int = 6, edge: float = 3.2) -> list[Placed]:
    """A player's discards in rows, the first row nearest the table's middle."""
    neat = Neatness.random(rng)
    pitch = body.width * (1.02 + neat.gap + 1.6 * neat.wobble)
    out = []
    for i, code in enumerate(codes):
        row, col = divmod(i, per_row)
        if row > 3:
            row, col = 3, col + per_row * (row - 3)
        dx, dy = np.clip(rng.normal(0, neat.wobble, 2), -0.06, 0.06) * body.width
        x = (col - per_row / 2 + 0.5) * pitch + float(dx)
        y = -(edge * body.width + (row + 0.5) * body.height * 1.04) + float(dy)
        out.append(Placed(code, x, y, 0.0, float(rng.normal(0, 1.2 + neat.turn)), UP, role="discard"))
    return out


def rack(body: Body, rng: Generator) -> Arrangement:
    """A player's standing tiles seen from the player's side; melds and flowers lie before or beside them."""
    bag = Bag(rng)
    laid = random_hand(bag, 5, wins=False, exposed=0.2)
    lean = float(rng.choice([0.0, rng.uniform(2, 25)]))
    neat = Neatness.random(rng)
    codes = list(laid.concealed) + ([] if rng.random() < 0.5 else laid.flowers)
    if rng.random() < 0.3:
        codes = [str(c) for c in rng.permutation(codes)]
    out = stand_row(codes, body, rng, neat, lean)
    behind: list[Placed] = []
    if laid.melds and rng.random() < 0.7:
        plan = HandPlan(1, "in", "right", "right", 0.8, 0.3)
        opened = lay_hand(Laid(melds=laid.melds, flowers=laid.flowers), plan, body, neat, rng)
        shift = body.height * rng.uniform(0.6, 2.0) + body.depth
        behind = [replace(t, y=t.y + shift, x=t.x + rng.uniform(-1, 3)) for t in opened]
    extra = _holder(out, body, rng) if rng.random() < 0.5 else []
    return Arrangement(out + behind, [laid], out, (18, 62), front=0.8, extra=extra)


def _holder(row: list[Placed], body: Body, rng: Generator) -> list[Block]:
    """What standing tiles lean on or stand before: a rack's lip, or the table's rim on the player's side."""
    left, right = min(t.x for t in row), max(t.x for t in row)
    middle, length = (left + right) / 2, right - left + body.width * float(rng.uniform(1.5, 8))
    front = -body.depth * 0.62
    if rng.random() < 0.5:
        return [props.plank(middle, front - 3, length, 6.0, float(rng.uniform(3, 9)), rng)]
    wide, tall = float(rng.uniform(45, 130)), float(rng.uniform(4, 20))
    return [props.plank(middle, front - wide / 2 - float(rng.uniform(0, 12)), length + 400, wide, tall, rng)]


def stand_row(
    codes: list[str], body: Body, rng: Generator, neat: Neatness, lean: float, role: str = "hand"
) -> list[Placed]:
    """Standing tiles facing seat 0, from x = 0 to the right, with a gap where the sorted hand was split by hand."""
    out: list[Placed] = []
    x = 0.0
    for code in codes:
        if out and rng.random() < 0.04:
            x += body.width * rng.uniform(0.2, 1.2)
        out.append(
            Placed(
                code, x + body.width / 2, float(rng.normal(0, neat.wobble) * body.depth * 0.6), 0.0,
                float(rng.normal(0, neat.turn * 0.6)), STAND, lean=lean, role=role, group=1,
            )
        )  # fmt: skip
        x += body.width * (1.003 + abs(rng.normal(0, neat.gap * 0.5)) + abs(np.sin(np.radians(neat.turn))) * 0.3)
    return out


ARRANGEMENTS: dict[str, Callable[[Body, Generator], Arrangement]] = {
    "hand": hand, "grid": grid, "pile": pile, "wall": wall, "pool": pool, "rack": rack,
}  # fmt: skip
