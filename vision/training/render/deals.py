"""Random legal hands to lay on the table: Taiwanese 16/17 tiles first, 13/14 and special shapes too."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from numpy.random import Generator

KINDS: tuple[str, ...] = (*(f"{n}{s}" for s in "mps" for n in range(1, 10)), "E", "S", "W", "N", "C", "F", "P")
FLOWERS: tuple[str, ...] = tuple(f"f{n}" for n in range(1, 9))
KONGS = ("kong_exposed", "kong_added", "kong_concealed")


@dataclass(slots=True)
class Laid:
    """What one seat has: ``concealed`` includes ``win_tile`` when there is one; melds are (kind, tiles)."""

    concealed: list[str] = field(default_factory=list)
    melds: list[tuple[str, list[str]]] = field(default_factory=list)
    flowers: list[str] = field(default_factory=list)
    win_tile: str | None = None
    self_draw: bool = False
    wins: bool = False


class Bag:
    """The tiles not yet used: at most four of a kind."""

    def __init__(self, rng: Generator) -> None:
        self.rng = rng
        self.left: Counter[str] = Counter(dict.fromkeys(KINDS, 4))
        self.flowers = [str(f) for f in rng.permutation(FLOWERS)]

    def take(self, tiles: list[str]) -> bool:
        """Take these tiles if all are left."""
        if any(self.left[tile] < n for tile, n in Counter(tiles).items()):
            return False
        self.left.subtract(tiles)
        return True

    def single(self) -> str:
        """Any tile left."""
        at = self.rng.random() * self.left.total()
        tile = KINDS[0]
        for kind in KINDS:
            if self.left[kind] > 0:
                tile = kind
                at -= self.left[kind]
                if at < 0:
                    break
        self.left[tile] -= 1
        return tile

    def group(self, size: int, suits: str) -> list[str]:
        """A chow or pung (size 3), kong (4) or pair (2) in the given suits (``z`` for honours)."""
        for _ in range(300):
            suit = suits[int(self.rng.integers(len(suits)))]
            if suit == "z":
                tiles = [KINDS[27 + int(self.rng.integers(7))]] * size
            elif size == 3 and self.rng.random() < 0.62:
                low = int(self.rng.integers(1, 8))
                tiles = [f"{low + i}{suit}" for i in range(3)]
            else:
                tiles = [f"{int(self.rng.integers(1, 10))}{suit}"] * size
            if self.take(tiles):
                return tiles
        # Nearly everything is used: the first that still fits.
        left = [[tile] * size for tile in KINDS]
        left += [[f"{low + i}{suit}" for i in range(3)] for suit in "mps" for low in range(1, 8) if size == 3]
        for tiles in left:
            if self.take(tiles):
                return tiles
        raise ValueError(f"no group of {size} is left")


def sort_key(tile: str) -> int:
    """The order in which players sort their hands."""
    order = {kind: i for i, kind in enumerate(KINDS)}
    return order.get(tile, 40 + (int(tile[1]) if tile[0] == "f" else 9))


def random_hand(bag: Bag, sets: int = 5, wins: bool = True, exposed: float = 0.3) -> Laid:
    """A hand of ``sets`` sets and a pair (winning), or one tile short of order (not winning)."""
    rng = bag.rng
    suits = str(rng.choice(["mpsz", "mpsz", "mps", "mz", "pz", "sz", "m", "p", "s"]))
    laid = Laid(wins=wins)
    if sets == 5 and wins and rng.random() < 0.06:
        return _pairs(bag, laid)
    for _ in range(sets):
        if rng.random() < exposed:
            if rng.random() < 0.25 and max(bag.left[kind] for kind in KINDS) == 4:
                laid.melds.append((str(rng.choice(KONGS)), bag.group(4, suits + "mpsz")))
            else:
                tiles = bag.group(3, suits)
                laid.melds.append(("pung" if tiles[0] == tiles[1] else "chow", tiles))
        else:
            laid.concealed += bag.group(3, suits) if wins or rng.random() < 0.6 else [bag.single() for _ in range(3)]
    laid.concealed += bag.group(2, suits + "mpsz") if wins or rng.random() < 0.5 else [bag.single(), bag.single()]
    _finish(bag, laid)
    return laid


def _pairs(bag: Bag, laid: Laid) -> Laid:
    """嚦咕嚦咕: seven pairs and a triplet."""
    for size in (3, 2, 2, 2, 2, 2, 2, 2):
        for _ in range(200):
            tile = KINDS[int(bag.rng.integers(len(KINDS)))]
            if tile not in laid.concealed and bag.take([tile] * size):
                laid.concealed += [tile] * size
                break
    _finish(bag, laid)
    return laid


def _finish(bag: Bag, laid: Laid) -> None:
    rng = bag.rng
    laid.concealed.sort(key=sort_key)
    if laid.wins:
        laid.win_tile = str(rng.choice(laid.concealed))
        laid.self_draw = bool(rng.random() < 0.4)
    count = int(rng.choice([0, 1, 2, 3, 4], p=[0.35, 0.3, 0.2, 0.1, 0.05]))
    laid.flowers = [bag.flowers.pop() for _ in range(min(count, len(bag.flowers)))]
