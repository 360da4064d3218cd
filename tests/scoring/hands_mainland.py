"""Random 14-tile hands for the mainland tests: mostly winning, rich in what these rulesets count, facts that agree."""

from __future__ import annotations

import random
from collections import Counter

from oracle import ALL_TILES, DRAGONS, SUITED, WINDS
from oracle_mainland import MainlandCase

MELDS = {"chow": ["chow"], "triplet": ["pung", "pung", "kong_exposed", "kong_added", "kong_concealed"]}
FLOWERS = [f"f{number}" for number in range(1, 9)]


def _pool(rng: random.Random, honours: bool) -> list[str]:
    """The kinds a hand is made of: everything, two suits, one, one and honours, honours, or 2, 5 and 8."""
    one, other, _ = rng.sample("mps", 3)
    suit = [tile for tile in SUITED if tile[1] == one]
    two = suit + [tile for tile in SUITED if tile[1] == other]
    pools = [SUITED, two, two, suit, [tile for tile in SUITED if tile[0] in "258"], [t for t in two if t[0] in "19"]]
    if honours:
        pools += [ALL_TILES, suit + WINDS + DRAGONS, suit + WINDS + DRAGONS, WINDS + DRAGONS]
    return rng.choice(pools)


def _set(rng: random.Random, pool: list[str], triplets: float) -> tuple[str, list[str]]:
    tile = rng.choice(pool)
    if len(tile) == 2 and tile[0] <= "7" and rng.random() >= triplets:
        return "chow", [f"{int(tile[0]) + step}{tile[1]}" for step in range(3)]
    return "triplet", [tile] * 3


def _tiles(rng: random.Random, pool: list[str], claims: list[str]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Sets and a pair, some laid down; seven pairs; or loose tiles of the pool."""
    style = rng.random()
    if style < 0.1:
        return [tile for tile in rng.choices(pool, k=7) for _ in "12"], []
    triplets, melded = rng.choice((0.0, 0.2, 0.6, 1.0)), rng.choice((0, 0, 0, 1, 2, 3, 4))
    concealed, melds = [rng.choice(pool)] * 2, []
    for at in range(4):
        kind, tiles = _set(rng, pool, triplets)
        how = rng.choice(MELDS[kind])
        if at < melded and how in claims:
            melds.append((how, tiles[:1] * 4 if how.startswith("kong") else tiles))
        else:
            concealed += rng.choices(pool, k=3) if style < 0.15 else tiles
    return concealed, melds


def make_case(rng: random.Random, *, honours: bool, claims: list[str], flags: list[str]) -> MainlandCase:
    """A legal 14-tile hand; about one in eight has a tile exchanged. flags: the ruleset's, a few of which are set."""
    while True:
        pool = _pool(rng, honours)
        concealed, melds = _tiles(rng, pool, claims)
        if rng.random() < 0.12:
            concealed[rng.randrange(len(concealed))] = rng.choice(pool)
        if max(Counter(concealed + [tile for _, tiles in melds for tile in tiles]).values()) <= 4:
            break
    rng.shuffle(concealed)
    case = MainlandCase(concealed, melds, rng.choice(concealed), rng.random() < 0.5, dealer=rng.random() < 0.25)
    case.seat = "E" if case.dealer else rng.choice(WINDS[1:])
    case.round = rng.choice(WINDS)
    if honours:
        case.flowers = rng.sample(FLOWERS, rng.choice((0, 0, 1, 2, 4, 5, 7, 8)))
    possible = _possible(case)
    if rng.random() < 0.5:
        flag = rng.choice([flag for flag in flags if flag in possible])
        case.flags = {flag}
    return case


def _possible(case: MainlandCase) -> set[str]:
    """The flags that can be true of this hand."""
    kongs = any(kind.startswith("kong") for kind, _ in case.melds)
    single = all_count(case, case.win) == 1 and not case.drawn
    conditions = {
        "last_tile": True,
        "last_tile_discard": not case.drawn,
        "kong_replacement": kongs and case.drawn,
        "dice_kong": kongs and case.drawn,
        "kong_discard_dice": not case.drawn,
        "kong_discard": not case.drawn,
        "flower_replacement": bool(case.flowers) and case.drawn,
        "rob_kong": single,
        "rob_concealed_kong": single,
        "heavenly": case.dealer and case.drawn and not case.melds,
        "earthly": not case.dealer and not case.melds,
        "passed_win_same_tile": True,
        "passed_win_cleared": True,
        "wild_pair_wait": True,
        "eight_flowers": len(case.flowers) == 8 and case.drawn,
        "kaibao": True,
        "huangfan": True,
    }
    return {flag for flag, holds in conditions.items() if holds}


def all_count(case: MainlandCase, tile: str) -> int:
    """How often a tile is held, melds included."""
    return case.concealed.count(tile) + sum(tiles.count(tile) for _, tiles in case.melds)


def with_wilds(rng: random.Random, case: MainlandCase) -> MainlandCase:
    """The hand with some of its tiles turned into wildcards; no tile of it is one otherwise, but rarely in a meld."""
    number = rng.choice((0, 0, 1, 1, 1, 2, 2, 3))
    if rng.random() < 0.25:
        case.wild = FLOWERS[:4] if rng.random() < 0.5 else FLOWERS[4:]
        jokers = rng.sample(case.wild, number)
        case.flowers = [flower for flower in case.flowers if flower not in jokers]
    else:
        code = rng.choice(ALL_TILES)
        if all_count(case, code) and not (rng.random() < 0.05 and code not in case.concealed):
            return case
        case.wild, jokers = [code], [code] * number
    if "rob_kong" in case.flags or "rob_concealed_kong" in case.flags:
        case.flags = set()
    for at, joker in zip(
        rng.sample(range(len(case.concealed)), min(number, len(case.concealed))), jokers, strict=False
    ):
        case.concealed[at] = joker
    case.win = rng.choice(case.concealed)
    if "flower_replacement" in case.flags and not [f for f in case.flowers if f not in case.wild]:
        case.flags = set()
    return case
