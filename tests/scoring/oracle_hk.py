"""A slow second scorer for the Hong Kong text, written from its table alone, to check the real one against.

Sets are laid out as lists and looked at in every combination of two, three and five; nothing is shared with the engine
but tile codes. It knows the default options, and both shapes of 一牌兩食.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from oracle import ALL_TILES, DRAGONS, SUITED, WINDS, Case, Group, standard_layouts

ORPHANS = [tile for tile in SUITED if tile[0] in "19"] + WINDS + DRAGONS
HONOURS = WINDS + DRAGONS
SEAT_NUMBER = dict(zip(WINDS, range(1, 5), strict=True))


@dataclass
class Read:
    """One way to read a hand: its shape and its sets, the pair among them; `pairs` counts quads of 哩咕哩咕."""

    shape: str
    groups: list[Group] = field(default_factory=list)
    quads: int = 0

    def sets(self) -> list[Group]:
        return [group for group in self.groups if group.kind in ("chow", "triplet", "kong")]

    def eyes(self) -> str:
        return next(group.tiles[0] for group in self.groups if group.kind == "pair")


# --- shapes ----------------------------------------------------------------------------------------------------------


def is_ligu(case: Case, tiles: list[str]) -> bool:
    """Seven pairs and a triplet, all concealed; four equal tiles may be two pairs."""
    counts = sorted(Counter(tiles).values())
    pairs = sum({2: 1, 4: 2}.get(count, 0) for count in counts)
    return not case.melds and pairs == 7 and counts.count(3) == 1 and 1 not in counts


def orphan_sets(case: Case, tiles: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(kind of the double, tiles of the extra set) of every way to see thirteen orphans, one of them twice, and a set.

    The set may be a concealed kong, laid down; then there are no tiles for it.
    """
    rest = Counter(tiles)
    rest.subtract(ORPHANS)
    if min(rest.values()) < 0 or any(kind != "kong_concealed" for kind, _ in case.melds) or len(case.melds) > 1:
        return
    for double in ORPHANS:
        last = rest - Counter([double])
        if rest[double] < 1:
            continue
        left = sorted(last.elements())
        if case.melds:
            if not left:
                yield double, []
        elif len(left) == 3 and (len(set(left)) == 1 or is_chow(left)):
            yield double, left


def is_chow(tiles: list[str]) -> bool:
    """Three consecutive tiles of one suit."""
    ranks = sorted(int(tile[0]) for tile in tiles if len(tile) == 2)
    same = len({tile[-1] for tile in tiles}) == 1
    return same and len(ranks) == 3 and ranks == [ranks[0], ranks[0] + 1, ranks[0] + 2]


def is_unconnected(case: Case, tiles: list[str]) -> bool:
    """Seven honours, three tiles a suit of which no two are nearer than three, one of the sixteen twice."""
    if case.melds or len(set(tiles)) != 16:
        return False
    counts = Counter(tiles)
    if sorted(counts.values()) != [1] * 15 + [2] or any(counts[tile] < 1 for tile in HONOURS):
        return False
    for suit in "mps":
        ranks = [int(tile[0]) for tile in counts if len(tile) == 2 and tile[1] == suit]
        if len(ranks) != 3 or any(abs(one - other) < 3 for one, other in combinations(ranks, 2)):
            return False
    return True


def completes(case: Case, tiles: list[str]) -> bool:
    return (
        bool(standard_layouts(tiles))
        or is_ligu(case, tiles)
        or any(True for _ in orphan_sets(case, tiles))
        or is_unconnected(case, tiles)
    )


def waits(case: Case) -> list[str]:
    """Tiles that would have completed the hand, less those of which the player holds all four."""
    before = list(case.concealed)
    before.remove(case.win)
    held = Counter(before + [tile for _, tiles in case.melds for tile in tiles])
    return [tile for tile in ALL_TILES if held[tile] < 4 and completes(case, [*before, tile])]


def readings(case: Case) -> list[Read]:
    """Every reading, the winning tile in each set that it could have completed."""
    melded = [_meld(kind, tiles) for kind, tiles in case.melds]
    found = []
    for layout in standard_layouts(case.concealed):
        for at, (_, tiles) in enumerate(layout):
            if case.win in tiles:
                groups = [Group(kind, list(held), "hand", place == at) for place, (kind, held) in enumerate(layout)]
                found.append(Read("standard", groups + melded))
    if is_ligu(case, case.concealed):
        counts = Counter(case.concealed)
        triple = next(tile for tile, count in counts.items() if count == 3)
        group = Group("triplet", [triple] * 3, "hand", triple == case.win)
        found.append(Read("ligu", [group], sum(count == 4 for count in counts.values())))
    for _, left in orphan_sets(case, case.concealed):
        for won in {case.win in left, case.win not in left or case.win in ORPHANS}:
            kind = "chow" if left and left[0] != left[1] else "triplet"
            found.append(
                Read("orphans", ([Group(kind, left, "hand", won and case.win in left)] if left else []) + melded)
            )
    if is_unconnected(case, case.concealed):
        found.append(Read("unconnected"))
    return found


def _meld(kind: str, tiles: list[str]) -> Group:
    how = "concealed-kong" if kind == "kong_concealed" else "open"
    return Group({"chow": "chow", "pung": "triplet"}.get(kind, "kong"), tiles, how)


# --- the result ------------------------------------------------------------------------------------------------------


def best(case: Case, waiting: list[str], discards: int | None, both: bool) -> tuple[int, list[dict[str, int]]] | None:
    """The best total and every list of items that reaches it; None where the hand does not win."""
    if case.flags & {"passed_win", "passed_win_same_round", "duanqiao", "rob_concealed_kong"}:
        return None
    if "after_claim" in case.flags and case.drawn:
        return None
    waiting = [] if dealt_complete(case) else waiting
    counted = [(read.shape, chicken(counted_items(case, read, waiting, discards))) for read in readings(case)]
    if len(case.flowers) == 8 and case.drawn and not counted:
        return 40, [{"八隻花": 40}]
    if not counted:
        return None
    lists = [items for _, items in counted]
    if both:
        lists += [two | one for shape, one in counted for other, two in counted if shape != other]
    top = max(sum(items.values()) for items in lists)
    return top, [items for items in lists if sum(items.values()) == top]


def dealt_complete(case: Case) -> bool:
    """天糊: 開槓自摩,補花食胡,都唔算."""
    return "heavenly" in case.flags and not case.flowers and not case.melds and "kong_replacement" not in case.flags


def chicken(items: dict[str, int]) -> dict[str, int]:
    """大雞糊: 不計花(有花或無花),0番牌."""
    return items if set(items) - {"花", "正位花", "無花", "一台花"} else items | {"大雞糊": 10}


def counted_items(case: Case, read: Read, waiting: list[str], discards: int | None) -> dict[str, int]:
    """The items of one reading that count."""
    items: dict[str, int] = {}
    everything = case.concealed + [tile for _, tiles in case.melds for tile in tiles]
    for part in (
        _way_of_winning(case, discards),
        _flowers(case),
        _special(case, read, everything),
        _honours(case, read),
        _tiles(read, everything),
        _triplets(case, read, everything),
        _chows(case, read, everything),
        _several_sets(case, read),
        _waiting(case, read, waiting),
    ):
        items.update({name: value for name, value in part.items() if value})
    return _absorbed(items, read)


def _way_of_winning(case: Case, discards: int | None) -> dict[str, int]:
    closed = all(kind == "kong_concealed" for kind, _ in case.melds)
    concealed_kongs = sum(kind == "kong_concealed" for kind, _ in case.melds)
    kongs = sum(kind.startswith("kong") for kind, _ in case.melds)
    items = {"明槓": kongs - concealed_kongs, "暗槓": 2 * concealed_kongs}
    if case.drawn:
        items |= {"一摸八": 8} if closed else {"自摸": 1}
        items["海底撈月"] = 5 * ("last_tile" in case.flags)
        items["捕花槓"] = int("flower_replacement" in case.flags)
        if "kong_kong_kong" in case.flags:
            items["槓上槓又槓"] = 80
        elif "kong_kong" in case.flags:
            items["槓上槓"] = 40
        else:
            items["槓上自摸"] = int(bool(case.flags & {"kong_replacement", "kong_replacement_open"}))
    elif closed:
        items["門清"] = 5
    items["搶槓"] = int("rob_kong" in case.flags)
    if len(case.concealed) == 2 and not concealed_kongs:
        items |= {"半求人": 7} if case.drawn else {"全求人": 15}
    if discards is not None:
        within = [(3, "三子內", 30), (7, "七子內", 20), (10, "十子內", 10)]
        items |= next(({name: value} for limit, name, value in within if discards <= limit), {})
    items["天糊"] = 100 * dealt_complete(case)
    items["地糊"] = 100 * ("earthly" in case.flags and not case.flags & {"flower_replacement", "kong_replacement"})
    return items


def _flowers(case: Case) -> dict[str, int]:
    numbers = [int(code[1]) for code in case.flowers]
    if len(numbers) == 8:
        return {"八隻花": 40}
    items = {"無花": int(not numbers)}
    for colour in ({1, 2, 3, 4}, {5, 6, 7, 8}):
        if colour <= set(numbers):
            items["一台花"] = 7
            numbers = [number for number in numbers if number not in colour]
    items["花"] = len(numbers)
    items["正位花"] = sum((number - 1) % 4 + 1 == SEAT_NUMBER[case.seat] for number in numbers)
    return items


def _special(case: Case, read: Read, everything: list[str]) -> dict[str, int]:
    if read.shape == "ligu":
        if read.quads:
            return {"哩咕哩咕(兩款四隻)": 60} if read.quads > 1 else {"哩咕哩咕(一款四隻)": 50}
        return {"哩咕哩咕叫八飛": 50} if read.groups[0].won else {"哩咕哩咕": 40}
    if read.shape == "orphans":
        return {"十三么(全么九)": 120} if set(everything) <= set(ORPHANS) else {"十三么": 100}
    return {"十六不搭": 50} if read.shape == "unconnected" else {}


def _honours(case: Case, read: Read) -> dict[str, int]:
    kinds = [group.tiles[0] for group in read.sets() if group.kind != "chow"]
    eyes = read.eyes() if read.shape == "standard" else ""
    winds, dragons = sum(kind in WINDS for kind in kinds), sum(kind in DRAGONS for kind in kinds)
    items = {"中發白": dragons, "正圈": int(case.round in kinds), "正位": int(case.seat in kinds)}
    if winds == 4:
        items |= {"大四喜": 100, "正圈": 0, "正位": 0}
    elif winds == 3:
        items |= {"小四喜": 80} if eyes in WINDS else {"大三風": 40}
    elif winds == 2 and eyes in WINDS:
        items["小三風"] = 20
    if dragons == 3:
        items |= {"大三元": 60, "中發白": 0}
    elif dragons == 2 and eyes in DRAGONS:
        items |= {"小三元": 30, "中發白": 0}
    return items


def _suit(tile: str) -> str:
    return tile[1] if len(tile) == 2 else ("w" if tile in WINDS else "d")


def _tiles(read: Read, everything: list[str]) -> dict[str, int]:
    suits = {_suit(tile) for tile in everything}
    numbers, honours = suits & set("mps"), suits & set("wd")
    items = {"無字": int(not honours)}
    if len(numbers) == 1:
        items |= {"混一色": 30} if honours else {"清一色": 80}
    if len(numbers) == 2 and not honours:
        items["缺一門"] = 5
    if not set(everything) & set(ORPHANS):
        items["斷么九"] = 5
    if set(everything) <= set(ORPHANS) and numbers and read.shape != "orphans":
        items |= {"花么九": 30} if honours else {"全么九": 100}
    if read.shape == "standard":
        of_sets = {_suit(group.tiles[0]) for group in read.sets()}
        if len(of_sets) == 5:
            items["大五門齊"] = 10
        elif len(of_sets | {_suit(read.eyes())}) == 5:
            items["小五門齊"] = 15
    return items


def _concealed(case: Case, group: Group) -> bool:
    return group.how == "concealed-kong" or (group.how == "hand" and (case.drawn or not group.won))


def _triplets(case: Case, read: Read, everything: list[str]) -> dict[str, int]:
    triplets = [group for group in read.sets() if group.is_triplet]
    concealed = sum(_concealed(case, group) for group in triplets)
    table = {2: {"兩暗簡": 5}, 3: {"三暗簡": 10}, 4: {"四暗簡": 20}, 5: {"五暗簡": 30}}
    items = dict(table.get(concealed, {}))
    if concealed == 5 and all(len(group.tiles) == 3 for group in triplets):
        items = {"簡簡糊": 80}
    if len(triplets) == 5:
        items |= {"全字對對糊": 100} if set(everything) <= set(HONOURS) else {"對對糊": 30}
    return items


def _chows(case: Case, read: Read, everything: list[str]) -> dict[str, int]:
    chows = [group for group in read.sets() if group.kind == "chow"]
    items: dict[str, int] = {}
    if len(chows) == 5:
        big = not case.flowers and not set(everything) & set(HONOURS)
        items |= {"無字無花大平糊": 15} if big else {"平糊": 5}
    numbers = Counter(tuple(group.tiles) for group in chows)
    twins = sum(count // 2 for count in numbers.values())
    if max(numbers.values(), default=0) >= 3:
        items["太般高"] = 15
    elif twins:
        items |= {"雙般高": 10} if twins == 2 else {"一般高": 5}
    if read.shape == "standard":
        items |= _dragons(case, chows) | _fours(case, read, everything)
    return items


def _dragons(case: Case, chows: list[Group]) -> dict[str, int]:
    pure, mixed = [], []
    for three in combinations(range(len(chows)), 3):
        groups = [chows[at] for at in three]
        if sorted(int(group.tiles[0][0]) for group in groups) == [1, 4, 7]:
            suits = {group.tiles[0][1] for group in groups}
            if len(suits) == 1:
                pure.append(three)
            elif len(suits) == 3:
                mixed.append(three)

    def hidden(three: tuple[int, ...]) -> bool:
        return all(_concealed(case, chows[at]) for at in three)

    items: dict[str, int] = {}
    if pure:
        items |= {"清龍(暗)": 15} if any(map(hidden, pure)) else {"清龍(明)": 10}
    if any(len(set(one) & set(other)) == 1 for one, other in combinations(mixed, 2)):
        items |= {"雙雜龍(暗)": 50} if hidden((0, 1, 2, 3, 4)) else {"雙雜龍(明)": 35}
    elif mixed:
        items |= {"雜龍(暗)": 20} if any(map(hidden, mixed)) else {"雜龍(明)": 15}
    return items


def _fours(case: Case, read: Read, everything: list[str]) -> dict[str, int]:
    kongs = {tiles[0] for kind, tiles in case.melds if kind.startswith("kong")}
    fours = [tile for tile, count in Counter(everything).items() if count == 4 and tile not in kongs]
    plain = [tile for tile in fours if tile != read.eyes()]
    items = {"四歸二": 10} if len(plain) < len(fours) else {}
    if plain:
        items |= {"四歸一": 5} if len(plain) == 1 else {"雙四歸一": 15}
    return items


def _several_sets(case: Case, read: Read) -> dict[str, int]:
    items: dict[str, int] = {}
    suits_of: dict[tuple[str, str], set[str]] = {}
    ends = []
    for group in read.sets():
        first = group.tiles[0]
        kind = "chow" if group.kind == "chow" else "triplet"
        if len(first) == 2:
            suits_of.setdefault((kind, first[0]), set()).add(first[1])
            ends.append((kind, first))
    items["姊妹"] = 2 * sum(len(suits) == 2 for suits in suits_of.values())
    items["三相逄"] = 10 * any(len(suits) == 3 for suits in suits_of.values())
    if read.shape == "standard":
        items |= _old_and_young(read, ends)
    return items


def _old_and_young(read: Read, ends: list[tuple[str, str]]) -> dict[str, int]:
    """123 with 789, or 111 with 999, of one suit; a 清龍 uses up one 123 and one 789."""
    held = Counter(ends)
    pairs = 0
    for suit in "mps":
        chows = min(held["chow", f"1{suit}"], held["chow", f"7{suit}"])
        pairs += chows - (chows > 0 and held["chow", f"4{suit}"] > 0)
        pairs += min(held["triplet", f"1{suit}"], held["triplet", f"9{suit}"])
    whole = len(ends) == 5 and all((kind, first[0]) in _ENDS for kind, first in ends)
    if whole and {first[0] == "1" for _, first in ends} == {True, False} and read.eyes() in ORPHANS:
        return {"半老少": 15} if read.eyes() in HONOURS else {"全老少": 30}
    return {"老少": 5 * (pairs > 0), "雙老少": 5 * (pairs > 1)}


_ENDS = {("chow", "1"), ("chow", "7"), ("triplet", "1"), ("triplet", "9")}


def _waiting(case: Case, read: Read, waiting: list[str]) -> dict[str, int]:
    items = {"獨獨": 2 * (len(waiting) == 1)}
    if read.shape == "standard":
        won = next(group for group in read.groups if group.won)
        items["將眼"] = 2 * (read.eyes()[0] in "258")
        items["假獨"] = int(won.kind == "pair" and len(waiting) > 1)
        items["對碰"] = 2 * (won.kind == "triplet" and read.eyes() in waiting)
    return items


def _absorbed(items: dict[str, int], read: Read) -> dict[str, int]:
    """What is not counted beside what."""
    gone: set[str] = set()
    if {"無字", "無花"} <= set(items):
        items = items | {"無字無花": 8}
        gone |= {"無字", "無花"}
    if "無字無花大平糊" in items:
        gone |= {"無字無花", "無字", "無花"}
    if read.shape != "standard" or "簡簡糊" in items:
        gone.add("門清")
    if {"天糊", "地糊"} & set(items):
        gone |= {"一摸八", "門清", "自摸"}
    if "簡簡糊" in items:
        gone.add("對對糊")
    return {name: value for name, value in items.items() if name not in gone}
