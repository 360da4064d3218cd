"""A slow second scorer, written from the rule texts alone and by another method, to check the real one against.

It lays tiles out as lists, tries every set for the first tile, and reads each arrangement as a player would. Nothing is
shared with the engine but the tile codes. It knows the default options of the three Taiwanese rulesets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

SUITED = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)]
WINDS, DRAGONS = list("ESWN"), list("CFP")
ALL_TILES = SUITED + WINDS + DRAGONS
Add = Callable[[str, int], None]


@dataclass
class Group:
    """A set or pair: `how` is hand, open or concealed-kong; `won` whether the winning tile completed it."""

    kind: str
    tiles: list[str]
    how: str
    won: bool = False

    @property
    def is_triplet(self) -> bool:
        return self.kind in ("triplet", "kong")


@dataclass
class Case:
    """A hand and its facts as the texts name them."""

    concealed: list[str]
    melds: list[tuple[str, list[str]]]
    flowers: list[str]
    win: str
    drawn: bool
    seat: str
    round: str
    dealer: bool
    flags: set[str]
    rules: str

    @property
    def taipei(self) -> bool:
        return self.rules == "taipei-online"


def _next(tile: str, step: int) -> str:
    return f"{int(tile[0]) + step}{tile[1]}" if len(tile) == 2 and int(tile[0]) + step <= 9 else "-"


def arrangements(tiles: tuple[str, ...], pair_left: bool) -> Iterator[list[tuple[str, tuple[str, ...]]]]:
    """Every way to lay sorted tiles out as sets and, if still wanted, one pair; the first tile is always placed."""
    if not tiles:
        if not pair_left:
            yield []
        return
    first = tiles[0]
    choices = [("triplet", (first,) * 3), ("chow", (first, _next(first, 1), _next(first, 2)))]
    if pair_left:
        choices.append(("pair", (first, first)))
    for kind, wanted in choices:
        rest = list(tiles)
        try:
            for tile in wanted:
                rest.remove(tile)
        except ValueError:
            continue
        for others in arrangements(tuple(rest), pair_left and kind != "pair"):
            yield [(kind, wanted), *others]


@lru_cache(maxsize=200_000)
def _splits(tiles: tuple[str, ...], pair: bool) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
    found = {tuple(sorted(arrangement)) for arrangement in arrangements(tiles, pair)}
    return tuple(sorted(found))


def standard_layouts(tiles: list[str]) -> list[list[tuple[str, tuple[str, ...]]]]:
    """Layouts of the whole hand, suit by suit; exactly one suit holds the pair."""
    suits = [tuple(sorted(tile for tile in tiles if _suit(tile) == suit)) for suit in "mpsz"]
    found = []
    for holder in range(4):
        options = [_splits(suit, at == holder) for at, suit in enumerate(suits)]
        if all(options):
            found += [[*a, *b, *c, *d] for a in options[0] for b in options[1] for c in options[2] for d in options[3]]
    return found


def _suit(tile: str) -> str:
    return tile[1] if len(tile) == 2 else "z"


def is_ligu(case: Case, tiles: list[str]) -> bool:
    return not case.melds and "ligu_disabled" not in case.flags and sorted(Counter(tiles).values()) == [2] * 7 + [3]


def completes(case: Case, tiles: list[str]) -> bool:
    return bool(standard_layouts(tiles)) or is_ligu(case, tiles)


def waits(case: Case) -> list[str]:
    """Tiles that would have completed the hand, less those of which the player holds all four."""
    before = list(case.concealed)
    before.remove(case.win)
    everything = Counter(before + [tile for _, tiles in case.melds for tile in tiles])
    return [tile for tile in ALL_TILES if everything[tile] < 4 and completes(case, [*before, tile])]


def readings(case: Case) -> list[list[Group]]:
    """Every reading with the winning tile in each set it could have completed."""
    melded = [_meld_group(kind, tiles) for kind, tiles in case.melds]
    found = []
    for layout in standard_layouts(case.concealed):
        for at, (_, tiles) in enumerate(layout):
            if case.win in tiles:
                groups = [Group(kind, list(held), "hand", place == at) for place, (kind, held) in enumerate(layout)]
                found.append(groups + melded)
    if is_ligu(case, case.concealed):
        groups = []
        for tile, count in sorted(Counter(case.concealed).items()):
            groups.append(Group("triplet" if count == 3 else "pair", [tile] * count, "hand", tile == case.win))
        found.append([*groups, Group("ligu", [], "hand")])
    return found


def _meld_group(kind: str, tiles: list[str]) -> Group:
    how = "concealed-kong" if kind == "kong_concealed" else "open"
    return Group({"chow": "chow", "pung": "triplet"}.get(kind, "kong"), tiles, how)


def best(case: Case) -> tuple[int, list[dict[str, int]]] | None:
    """The best total and every list of items that reaches it; None where the hand does not win."""
    if refused(case):
        return None
    single = len(waits(case)) == 1 and "heavenly" not in case.flags
    counted = []
    for groups in readings(case):
        items = without_excluded(case, found_items(case, groups, single))
        if case.taipei and not items:
            items = {"屁胡": 0}
        counted.append((total(case, items), sum(items.values()), items))
    if not counted:
        return None
    top = max(entry[:2] for entry in counted)
    return top[0], [items for points, raw, items in counted if (points, raw) == top]


def total(case: Case, items: dict[str, int]) -> int:
    """[003]: at most sixteen, 自摸 apart."""
    if not case.taipei:
        return sum(items.values())
    drawn = items.get("自摸", 0)
    return min(16, sum(items.values()) - drawn) + drawn


def refused(case: Case) -> bool:
    if "kong_replacement_open" in case.flags or "passed_win" in case.flags:
        return True
    if case.taipei:
        return sum(len(tiles) == 4 for _, tiles in case.melds) >= 4
    return "after_claim" in case.flags and case.drawn


def found_items(case: Case, groups: list[Group], single: bool) -> dict[str, int]:
    """All items of one reading, by the simplified (or [003]'s traditional) name, nothing left out yet."""
    taipei = case.taipei
    items: dict[str, int] = {}

    def add(name: str, value: int) -> None:
        if value:
            items[name] = items.get(name, 0) + value

    everything = case.concealed + [tile for _, tiles in case.melds for tile in tiles]
    triplets = [group for group in groups if group.is_triplet]
    kinds = [group.tiles[0] for group in triplets]
    ligu = groups[-1].kind == "ligu"
    pair = "" if ligu else next(group.tiles[0] for group in groups if group.kind == "pair")
    claimed = any(group.how == "open" for group in groups)
    any_meld = bool(case.melds)
    closed = not any_meld if taipei else not claimed

    # how it was won
    if closed:
        add("門清" if taipei else "门清", 1)
        if case.drawn:
            add("不求人" if taipei else "不求", 1)
    if case.drawn:
        add("自摸", 1)
        if "last_tile" in case.flags:
            add("海底撈月" if taipei else "海底捞月", 1)
        if case.flags & ({"kong_replacement", "flower_replacement"} if taipei else {"kong_replacement"}):
            add("槓上開花" if taipei else "杠上开花", 1)
    if "rob_kong" in case.flags:
        add("搶槓胡" if taipei else "抢杠", 1)
    hanging = len(case.concealed) == 2 and all(group.how != "concealed-kong" for group in groups)
    if hanging and not case.drawn:
        add("全求人" if taipei else "全求", 2)
    if hanging and case.drawn and not taipei:
        add("半求", 1)
    _waits_items(case, groups, single, add)
    _early_items(case, claimed, add)

    # the sets
    concealed = [g for g in triplets if g.how == "concealed-kong" or (g.how == "hand" and (case.drawn or not g.won))]
    names = {3: ("三暗刻", 2), 4: ("四暗刻", 5), 5: ("五暗刻", {"taiwan": 12, "taiwan-alt": 13}.get(case.rules, 8))}
    if len(concealed) in names:
        add(*names[len(concealed)])
    if len(triplets) == 5:
        add("碰碰胡" if taipei else "对对和", 4)
    if ligu:
        add("八對半" if taipei else "呖咕呖咕", 8)
    _chow_item(case, groups, triplets, everything, single, add)

    # honours
    if case.seat in kinds:
        add("門風刻" if taipei else "风字刻(开门)", 1)
    if case.round in kinds:
        add("圈風刻" if taipei else "风字刻(圈)", 1)
    if taipei and case.seat == case.round and case.seat in kinds:
        add(dict(zip("ESWN", ("東風東", "南風南", "西風西", "北風北"), strict=True))[case.seat], 2)
    add("三元牌" if taipei else "箭字刻", sum(kind in DRAGONS for kind in kinds))
    winds, dragons = [k for k in kinds if k in WINDS], [k for k in kinds if k in DRAGONS]
    if len(winds) == 4:
        add("大四喜", 16)
    if len(winds) == 3 and pair in WINDS:
        add("小四喜", 8)
    if len(dragons) == 3:
        add("大三元", 8)
    if len(dragons) == 2 and pair in DRAGONS:
        add("小三元", 4)

    # suits
    suits = {_suit(tile) for tile in everything}
    if suits == {"z"}:
        add("字一色", 8 if taipei else 16)
        if not taipei and {"大四喜", "小四喜", "大三元", "小三元"} & set(items):
            items["字一色减除"] = -4
    elif len(suits) == 1:
        add("清一色", 8 if taipei else 12)
    elif len(suits) == 2 and "z" in suits:
        add("混一色" if taipei else "凑一色", 4)
    _flower_items(case, add)
    return items


def _waits_items(case: Case, groups: list[Group], single: bool, add: Add) -> None:
    if not single:
        return
    if not case.taipei:
        add("独听", 1)
        return
    won = next(group for group in groups if group.won)
    if won.kind == "pair":
        add("單吊", 1)
    elif won.kind == "chow":
        shape = _chow_shape(won.tiles, case.win)
        if shape != "open":
            add("卡張" if shape == "middle" else "偏張", 1)


def _chow_shape(tiles: list[str], win: str) -> str:
    if win == tiles[1]:
        return "middle"
    if (tiles[0][0], win) == ("7", tiles[0]) or (tiles[0][0], win) == ("1", tiles[2]):
        return "edge"
    return "open"


def _early_items(case: Case, claimed: bool, add: Add) -> None:
    taipei = case.taipei
    if "heavenly" in case.flags:
        add("天胡" if taipei else "天和", 16)
    if "earthly" in case.flags and (case.drawn or not taipei):
        add("地胡" if taipei else "地和", 16)
    lost = {"not_locked", "passed_win_earlier"} <= case.flags
    if taipei or claimed:
        return
    if "human" in case.flags:
        add("人和", 8)
    if "ready_initial" in case.flags and not lost:
        add("天听", 8)
    if "ready_first_discard" in case.flags and not lost:
        add("地听", 4 if case.rules == "taiwan-alt" else 6)


def _chow_item(
    case: Case, groups: list[Group], triplets: list[Group], everything: list[str], single: bool, add: Add
) -> None:
    if triplets or case.flowers or case.drawn or any(_suit(tile) == "z" for tile in everything):
        return
    if not case.taipei:
        if not single:
            add("平和", 2)
        return
    won = next(group for group in groups if group.won)
    if won.kind == "chow" and _chow_shape(won.tiles, case.win) == "open":
        add("平胡", 2)


def _flower_items(case: Case, add: Add) -> None:
    numbers = [int(flower[1]) for flower in case.flowers]
    seat = WINDS.index(case.seat) + 1
    full = [colour for colour in (range(1, 5), range(5, 9)) if all(number in numbers for number in colour)]
    if len(full) == 2 and not case.taipei:
        add("满花", 8)
        return
    add("花槓" if case.taipei else "花杠", 2 * len(full))
    own = [number for number in numbers if (number - 1) % 4 + 1 == seat]
    if not case.taipei:
        own = [number for number in own if not any(number in colour for colour in full)]
    add("花牌", len(own))


def without_excluded(case: Case, items: dict[str, int]) -> dict[str, int]:
    """The exclusions the texts print, item by item."""
    gone: set[str] = set()
    if case.taipei:
        if "大四喜" in items:
            gone |= {"圈風刻", "門風刻", "碰碰胡", "東風東", "南風南", "西風西", "北風北"}
        if {"大三元", "小三元"} & set(items):
            gone.add("三元牌")
        if "字一色" in items:
            gone.add("碰碰胡")
        if {"東風東", "南風南", "西風西", "北風北"} & set(items):
            gone |= {"圈風刻", "門風刻"}
        if "全求人" in items:
            gone.add("單吊")
        return {name: value for name, value in items.items() if name not in gone}
    if "天和" in items:
        gone |= {"门清", "不求", "自摸"}
    if "地和" in items:
        gone |= {"天听", "门清"}
    if "人和" in items:
        gone |= {"地听", "门清"}
    if {"天听", "地听", "呖咕呖咕"} & set(items):
        gone.add("门清")
    if "五暗刻" in items:
        gone |= {"门清", "对对和"}
    if "字一色" in items:
        gone.add("对对和")
    if "大四喜" in items:
        gone |= {"风字刻(开门)", "风字刻(圈)"}
    if {"大三元", "小三元"} & set(items):
        gone.add("箭字刻")
    return {name: value for name, value in items.items() if name not in gone}
