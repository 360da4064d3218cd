"""Slow second scorers for the mainland texts, written from the rule text alone, to check the real ones against.

A hand is laid out tile by tile as lists, jokers filling whatever set is begun; nothing is shared with the engine but
the tile codes. They know the default options.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from oracle import ALL_TILES, DRAGONS, WINDS

JOKER = "*"
Tiles = tuple[str, ...]


@dataclass
class MainlandCase:
    """A hand with its facts. melds: (kind, tiles). wild: the code that is a wildcard, or a colour's four flowers."""

    concealed: list[str]
    melds: list[tuple[str, list[str]]]
    win: str
    drawn: bool
    dealer: bool = False
    seat: str = "S"
    round: str = "E"
    flowers: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    wild: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Lay:
    """A set or pair: its kind, the tiles it stands for, and which of them are real (the others are jokers)."""

    kind: str
    tiles: Tiles
    real: Tiles


# --- laying tiles out ------------------------------------------------------------------------------------------------


def chow_from(tile: str, back: int) -> Tiles | None:
    """The chow in which `tile` stands at place `back`."""
    if len(tile) != 2:
        return None
    low = int(tile[0]) - back
    return tuple(f"{low + step}{tile[1]}" for step in range(3)) if 1 <= low <= 7 else None


def lays(tiles: list[str], jokers: int, pair: bool) -> Iterator[list[Lay]]:
    """Every way to lay sorted tiles and jokers out as sets and, if still wanted, one pair."""
    if not tiles:
        yield from _joker_lays(jokers, pair)
        return
    first = tiles[0]
    shapes = [("triplet", (first,) * 3)] + ([("pair", (first,) * 2)] if pair else [])
    shapes += [("chow", chow) for back in range(3) if (chow := chow_from(first, back))]
    for kind, wanted in shapes:
        for real, rest in _real_parts(tiles, wanted, jokers):
            for others in lays(rest, jokers - len(wanted) + len(real), pair and kind != "pair"):
                yield [Lay(kind, wanted, real), *others]


def _real_parts(tiles: list[str], wanted: Tiles, jokers: int) -> Iterator[tuple[Tiles, list[str]]]:
    """The choices of which tiles of a set are real, jokers being the others; the first tile at hand always is real."""
    choices: list[tuple[list[str], list[str]]] = [([], list(tiles))]
    for at, tile in enumerate(wanted):
        grown = []
        for real, rest in choices:
            if tile in rest:
                left = list(rest)
                left.remove(tile)
                grown.append(([*real, tile], left))
            if at - len(real) < jokers:
                grown.append((real, rest))
        choices = grown
    seen = set()
    for real, rest in choices:
        key = tuple(real)
        if tiles[0] in real and key not in seen:
            seen.add(key)
            yield key, rest


def _joker_lays(jokers: int, pair: bool) -> Iterator[list[Lay]]:
    """Jokers that no tile is left for: a pair of anything, a set of anything."""
    if jokers == 0:
        if not pair:
            yield []
    elif jokers == 2 and pair:
        for tile in ALL_TILES:
            yield [Lay("pair", (tile, tile), ())]
    elif jokers == 3 and not pair:
        for tile in ALL_TILES:
            yield [Lay("triplet", (tile,) * 3, ())]
            chow = chow_from(tile, 0)
            if chow:
                yield [Lay("chow", chow, ())]


def layouts(tiles: list[str], jokers: int = 0) -> list[list[Lay]]:
    """Every layout of concealed tiles as sets and a pair, each once; suit by suit where there are no jokers."""
    if jokers:
        found = {tuple(sorted(one, key=repr)) for one in lays(sorted(tiles, key=ALL_TILES.index), jokers, True)}
        return [list(one) for one in found]
    suits = [[tile for tile in tiles if (tile[1] if len(tile) == 2 else "z") == suit] for suit in "mpsz"]
    found = []
    for holder in range(4):
        parts = [list(lays(sorted(suit), 0, at == holder)) for at, suit in enumerate(suits)]
        if all(parts):
            found += [[*a, *b, *c, *d] for a in parts[0] for b in parts[1] for c in parts[2] for d in parts[3]]
    return found


def all_tiles(case: MainlandCase) -> list[str]:
    """All tiles, kongs with four."""
    return case.concealed + [tile for _, tiles in case.melds for tile in tiles]


def suits_of(tiles: list[str]) -> set[str]:
    return {tile[1] if len(tile) == 2 else "z" for tile in tiles}


def is_pairs(case: MainlandCase) -> bool:
    return not case.melds and all(count % 2 == 0 for count in Counter(case.concealed).values())


def all_triplets(case: MainlandCase, layout: list[Lay]) -> bool:
    return all(lay.kind != "chow" for lay in layout) and all(kind != "chow" for kind, _ in case.melds)


def triplet_tiles(case: MainlandCase, layout: list[Lay]) -> list[str]:
    return [lay.tiles[0] for lay in layout if lay.kind == "triplet"] + [t[0] for k, t in case.melds if k != "chow"]


def pair_of(layout: list[Lay]) -> str:
    return next(lay.tiles[0] for lay in layout if lay.kind == "pair")


def is_258(tiles: list[str]) -> bool:
    return all(len(tile) == 2 and tile[0] in "258" for tile in tiles)


# --- Changsha --------------------------------------------------------------------------------------------------------


def changsha_hand_items(case: MainlandCase) -> dict[str, int]:
    """大胡 that hang on how the hand was won."""
    flags = case.flags
    replaced = flags & {"kong_replacement", "dice_kong"}
    last = {"last_tile", "last_tile_discard"}
    found = {
        "天胡": "heavenly" in flags,
        "地胡": "earthly" in flags and not case.drawn,
        "海底捞月": case.drawn and "last_tile" in flags and not replaced,
        "海底炮": not case.drawn and bool(flags & last) and "kong_discard_dice" not in flags,
        "杠上开花": case.drawn and "dice_kong" in flags,
        "抢杠胡": "rob_kong" in flags,
        "杠上炮": not case.drawn and "kong_discard_dice" in flags,
    }
    return {name: 1 for name, holds in found.items() if holds}


def changsha(case: MainlandCase) -> tuple[int, list[dict[str, int]]] | None:
    """What the winner gets, and every item list that gives as much; None where the hand does not win."""
    tiles = all_tiles(case)
    whole = {"清一色": 1} if len(suits_of(tiles)) == 1 else {}
    whole |= {"将将胡": 1} if is_258(tiles) else {}
    readings: list[dict[str, int]] = []
    for layout in layouts(case.concealed):
        pungs = {"碰碰胡": 1} if all_triplets(case, layout) else {}
        if pair_of(layout)[0] in "258" or pungs or whole:
            readings.append(whole | pungs)
    if is_pairs(case):
        readings.append(whole | {"七小对": 1})
    if is_258(tiles):
        readings.append(whole)
    if not readings or "rob_concealed_kong" in case.flags:
        return None
    if "passed_win_same_tile" in case.flags and not case.drawn and "passed_win_cleared" not in case.flags:
        return None
    big = changsha_hand_items(case)
    scored = [(points(case, items | big), items | big or {"小胡": 1}) for items in readings]
    best = max(total for total, _ in scored)
    return best, [items for total, items in scored if total == best]


def points(case: MainlandCase, big: dict[str, int]) -> int:
    """Winner 0 or 1, player 0 dealing; a discarder is player 2."""
    number = len(big) or 1
    each, extra = ((30 if case.drawn else 60) if big else 10) * number, 10 * number
    payers = [0, 2, 3] if case.drawn and not case.dealer else [1, 2, 3] if case.drawn else [loser_of(case)]
    winner = 0 if case.dealer else 1
    total = 0
    for payer in payers:
        paid = each + (extra if 0 in (payer, winner) else 0)
        bird = case.extra.get("bird_number")
        total += paid * (2 if bird and (bird - 1) % 4 in (payer, winner) else 1)
    return total


def loser_of(case: MainlandCase) -> int:
    return 0 if "earthly" in case.flags else 2


# --- Ningbo ----------------------------------------------------------------------------------------------------------


def ningbo(case: MainlandCase) -> tuple[int, list[dict[str, int]], bool] | None:
    """台 of the best reading, every item list that gives as many, whether it may win; None where it is not complete."""
    jokers = [tile for tile in case.concealed if tile in case.wild]
    real = [tile for tile in case.concealed if tile not in case.wild]
    hand = ningbo_hand_items(case, len(jokers))
    scored = []
    for layout in layouts(real, len(jokers)):
        tiles = [tile for lay in layout for tile in lay.tiles] + [tile for _, meld in case.melds for tile in meld]
        whole = hand | ningbo_tiles(tiles) | ningbo_sets(case, layout)
        places = [won_place(lay, case.win) for lay in layout if has_win(case, lay)]
        for place in places or [""]:
            items = whole | ({place: 1} if place and "heavenly" not in case.flags else {})
            scored.append((sum(items.values()), items))
    if not scored:
        return None
    best = max(total for total, _ in scored)
    refused = ningbo_refused(case, real, len(jokers))
    return best, [items for total, items in scored if total == best], best >= 4 and not refused


def has_win(case: MainlandCase, lay: Lay) -> bool:
    """Whether the winning tile can lie in this set: really, or as one of its jokers."""
    return len(lay.real) < len(lay.tiles) if case.win in case.wild else case.win in lay.real


def won_place(lay: Lay, win: str) -> str:
    """The name of the wait, where the winning tile is real; a joker takes the best place of its set."""
    if lay.kind == "pair":
        return "单吊"
    if lay.kind == "triplet":
        return "对倒"
    places = [at for at, tile in enumerate(lay.tiles) if (tile == win if win in lay.tiles else tile not in lay.real)]
    names = {0: "边" if lay.tiles[0][0] == "7" else "", 1: "夹", 2: "边" if lay.tiles[2][0] == "3" else ""}
    return max((names[at] for at in places), key=len)


def ningbo_hand_items(case: MainlandCase, jokers: int) -> dict[str, int]:
    flags, own = case.flags, "ESWN".index(case.seat)
    found = {
        "天胡": 8 * ("heavenly" in flags),
        "地胡": 6 * ("earthly" in flags and not case.drawn),
        "三财神": 3 * (jokers == 3 and (case.drawn or case.win not in case.wild)),
        "大吊": len(case.concealed) == 2,
        "硬糊": jokers == 0,
        "自摸": case.drawn and "heavenly" not in flags,
        "杠上开花": case.drawn and bool(flags & {"kong_replacement", "flower_replacement"}),
        "抢杠": "rob_kong" in flags,
        "海捞": case.drawn and "last_tile" in flags,
        "杠花": flower_tai([f for f in case.flowers if f not in case.wild], own),
    }
    return {name: int(value) for name, value in found.items() if value}


def flower_tai(flowers: list[str], own: int) -> int:
    if len(flowers) == 8:
        return 8
    tai = 0
    for colour in (["f1", "f2", "f3", "f4"], ["f5", "f6", "f8", "f7"]):
        held = [flower for flower in colour if flower in flowers]
        tai += 2 if len(held) == 4 else int(colour[own] in held)
    return tai


def ningbo_tiles(tiles: list[str]) -> dict[str, int]:
    suits = suits_of(tiles)
    if suits == {"z"}:
        return {"字一色": 8}
    if len(suits) == 1:
        return {"清一色": 4}
    return {"混一色": 2} if len(suits) == 2 and "z" in suits else {}


def ningbo_sets(case: MainlandCase, layout: list[Lay]) -> dict[str, int]:
    triplets = set(triplet_tiles(case, layout))
    found = {
        "碰碰糊": 2 * all_triplets(case, layout),
        "平糊": not triplets and pair_of(layout) not in (case.seat, case.round),
        "中发白": len(triplets & set(DRAGONS)),
        "位风": case.seat in triplets,
        "圈风": case.round in triplets,
    }
    return {name: int(value) for name, value in found.items() if value}


def ningbo_refused(case: MainlandCase, real: list[str], jokers: int) -> bool:
    """财神单吊 won on a discard, or a wildcard in a meld."""
    if any(tile in case.wild for _, tiles in case.melds for tile in tiles) or "rob_concealed_kong" in case.flags:
        return True
    if case.drawn:
        return False
    before = list(real)
    if case.win in case.wild:
        jokers -= 1
    else:
        before.remove(case.win)
    if jokers == 0:
        return "wild_pair_wait" in case.flags
    ordered = sorted(before, key=ALL_TILES.index)
    return "wild_pair_wait" in case.flags or next(lays(ordered, jokers - 1, False), None) is not None


# --- Shanghai --------------------------------------------------------------------------------------------------------


def shanghai(case: MainlandCase) -> tuple[int, list[list[str]], int, int] | None:
    """勒子, every list of patterns that gives as many, 花 and multiplier; None where the hand does not win."""
    tiles = all_tiles(case)
    suits, honours = suits_of(tiles) - {"z"}, "z" in suits_of(tiles)
    readings: list[tuple[int, str]] = []
    for layout in layouts(case.concealed):
        pungs = all_triplets(case, layout)
        if not suits:
            readings.append((4, "风碰"))
        elif len(suits) == 1 and honours:
            readings.append((1, "混碰") if pungs else (0, "混一色"))
        elif len(suits) == 1:
            readings.append((2, "清碰") if pungs else (1, "清一色"))
        elif pungs:
            readings.append((0, "碰碰胡"))
    if not suits:
        readings.append((2, "风一色"))
    if "eight_flowers" in case.flags:
        readings.append((2, "八花齐"))
    passed = "passed_win_same_tile" in case.flags and "passed_win_cleared" not in case.flags and not case.drawn
    if not readings or "rob_concealed_kong" in case.flags or passed:
        return None
    best = max(le for le, _ in readings)
    extras = ["杠开"] if "kong_replacement" in case.flags and case.drawn else []
    extras += ["大吊车"] if len(case.concealed) == 2 else []
    twice = ("huangfan" in case.flags or case.extra.get("huangfan", 0) > 0) + (
        "kaibao" in case.flags or case.extra.get("dice") in ([1, 1], [4, 4])
    )
    names = [[name, *(extras if name != "八花齐" else [])] for le, name in readings if le == best]
    return max(best, int(bool(extras))) * 2**twice, names, shanghai_hua(case), 2**twice


def shanghai_hua(case: MainlandCase) -> int:
    hua = len(case.flowers)
    triplets = {tile: "hand" for tile, count in Counter(case.concealed).items() if count >= 3}
    triplets |= {tiles[0]: kind for kind, tiles in case.melds if kind != "chow"}
    for tile, kind in triplets.items():
        hua += 1 if tile in WINDS else 2 if tile in DRAGONS else 0
        hua += {"kong_exposed": 1, "kong_added": 1, "kong_concealed": 2}.get(kind, 0)
    return hua


# --- Sichuan ---------------------------------------------------------------------------------------------------------


def sichuan(case: MainlandCase) -> tuple[int, list[dict[str, int]]] | None:
    """番 of the best reading by the default table; None where the hand does not win."""
    tiles = all_tiles(case)
    void = case.extra.get("dingque")
    if len(suits_of(tiles)) == 3 or void in suits_of(tiles) or any(kind == "chow" for kind, _ in case.melds):
        return None
    if "rob_concealed_kong" in case.flags:
        return None
    roots = sum(count == 4 for count in Counter(tiles).values())
    whole = {
        "天胡": 5 * ("heavenly" in case.flags),
        "地胡": 5 * ("earthly" in case.flags and case.drawn),
        "清一色": 2 * (len(suits_of(tiles)) == 1),
        "金钩钓": len(case.concealed) == 2,
        "根": roots,
        "杠上花": "kong_replacement" in case.flags and case.drawn,
        "杠上炮": "kong_discard" in case.flags and not case.drawn,
        "抢杠胡": "rob_kong" in case.flags,
        "海底": bool(case.flags & {"last_tile", "last_tile_discard"}),
    }
    readings = [{"七对": 2}] if is_pairs(case) else []
    for layout in layouts(case.concealed):
        sets = [lay.tiles for lay in layout] + [tuple(meld) for _, meld in case.melds]
        pungs = all_triplets(case, layout)
        ends = all(any(tile[0] in "19" for tile in one) for one in sets)
        readings.append({"对对胡": int(pungs), "将对": 2 * (pungs and is_258(tiles)), "带幺九": 2 * ends})
    if not readings:
        return None
    scored = []
    for reading in readings:
        items = {name: int(value) for name, value in (whole | reading).items() if value}
        scored.append((sum(items.values()), items))
    best = max(total for total, _ in scored)
    return best, [items for total, items in scored if total == best]
