"""Random hands for the Hong Kong tests: mostly winning, rich in the combinations that ruleset counts."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from oracle import ALL_TILES, DRAGONS, SUITED, WINDS, Case
from oracle_hk import ORPHANS

MELDS = {"chow": ["chow"], "triplet": ["pung", "kong_exposed", "kong_added", "kong_concealed"]}


@dataclass
class HongKongCase:
    """A hand with its facts, and the number of discards (None: not known)."""

    case: Case
    discards: int | None


def _chow(first: str) -> list[str]:
    return [f"{int(first[0]) + step}{first[1]}" for step in range(3)]


def _some_sets(rng: random.Random) -> list[list[str]]:
    """Sets that belong together: equal chows, dragons, sisters, ends, honours, or one suit's."""
    suit, other, third = rng.sample("mps", 3)
    rank = rng.randint(1, 7)
    return rng.choice(
        [
            [_chow(f"{rank}{suit}")] * rng.randint(2, 3),
            [_chow(f"1{suit}"), _chow(f"4{suit}"), _chow(f"7{suit}")],
            [_chow(f"1{suit}"), _chow(f"4{other}"), _chow(f"7{third}")],
            [_chow(f"1{suit}"), _chow(f"4{other}"), _chow(f"7{third}"), _chow(f"1{third}"), _chow(f"7{suit}")],
            [_chow(f"4{suit}"), _chow(f"7{other}"), _chow(f"4{suit}"), _chow(f"7{other}"), _chow(f"1{third}")],
            [_chow(f"{rank}{suit}"), _chow(f"{rank}{other}")] + [_chow(f"{rank}{third}")] * rng.randint(0, 1),
            [[f"{rank}{one}"] * 3 for one in (suit, other, third)[: rng.randint(2, 3)]],
            [_chow(f"1{suit}"), _chow(f"7{suit}")] * rng.randint(1, 2),
            [[f"1{suit}"] * 3, [f"9{suit}"] * 3],
            [[wind] * 3 for wind in rng.sample(WINDS, rng.randint(2, 4))],
            [[dragon] * 3 for dragon in rng.sample(DRAGONS, rng.randint(1, 3))],
            [[tile] * 3 for tile in rng.sample(rng.choice([ALL_TILES, ORPHANS, WINDS + DRAGONS]), rng.randint(2, 5))],
            [[f"{rank}{suit}"] * 3, _chow(f"{rank}{suit}")],
            [_chow(rng.choice([f"1{one}", f"7{one}"])) for one in (suit, other, third, suit, other)],
        ]
    )


def _random_set(rng: random.Random, suits: str) -> list[str]:
    if rng.random() < 0.35:
        return [rng.choice(ALL_TILES)] * 3
    return _chow(f"{rng.randint(1, 7)}{rng.choice(suits)}")


def _standard(rng: random.Random) -> tuple[list[str], list[tuple[str, list[str]]]]:
    suits = rng.choice(["mps", "mps", "mp", "s"])
    sets = _some_sets(rng)[:5] if rng.random() < 0.8 else []
    sets += [_random_set(rng, suits) for _ in range(5 - len(sets))]
    rng.shuffle(sets)
    pair = rng.choice(rng.choice([ALL_TILES, ORPHANS, WINDS, DRAGONS, sets[0]]))
    melded = rng.choice((0, 0, 0, 1, 2, 3, 5))
    concealed, melds = [pair, pair], []
    for at, tiles in enumerate(sets):
        how = rng.choice(MELDS["triplet" if tiles[0] == tiles[1] else "chow"])
        if at < melded or (how == "kong_concealed" and rng.random() < 0.3):
            melds.append((how, tiles[:1] * 4 if how.startswith("kong") else tiles))
        else:
            concealed += tiles
    return concealed, melds


def _ligu(rng: random.Random) -> tuple[list[str], list[tuple[str, list[str]]]]:
    pool = rng.choice([ALL_TILES, SUITED[:9], SUITED[:9] + WINDS, ORPHANS])
    quads = rng.choice((0, 0, 0, 1, 2, 3))
    kinds = rng.sample(pool, 8 - quads)
    return [kinds[0]] + [tile for tile in kinds for _ in range(2)] + [
        tile for tile in kinds[1 : quads + 1] for _ in "12"
    ], []


def _orphans(rng: random.Random) -> tuple[list[str], list[tuple[str, list[str]]]]:
    concealed = [*ORPHANS, rng.choice(ORPHANS)]
    tile = rng.choice(ALL_TILES)
    if rng.random() < 0.2:
        return concealed, [("kong_concealed", [tile] * 4)]
    return concealed + rng.choice([[tile] * 3, _chow(f"{rng.randint(1, 7)}{rng.choice('mps')}")]), []


def _unconnected(rng: random.Random) -> tuple[list[str], list[tuple[str, list[str]]]]:
    tiles = WINDS + DRAGONS
    for suit in "mps":
        low = rng.randint(1, 3)
        middle = rng.randint(low + 3, 6)
        tiles = [*tiles, f"{low}{suit}", f"{middle}{suit}", f"{rng.randint(middle + 3, 9)}{suit}"]
    return [*tiles, rng.choice(tiles)], []


def make_hand(rng: random.Random) -> HongKongCase:
    """A legal 17-tile hand: about nine in ten win, the others have one tile exchanged."""
    while True:
        kind = rng.choices([_standard, _ligu, _orphans, _unconnected], [80, 10, 6, 4])[0]
        concealed, melds = kind(rng)
        if rng.random() < 0.1:
            concealed[rng.randrange(len(concealed))] = rng.choice(ALL_TILES)
        held = Counter(concealed + [tile for _, tiles in melds for tile in tiles])
        if max(held.values()) <= 4 and len(concealed) + 3 * len(melds) == 17:
            return _with_facts(rng, concealed, melds)


def _with_facts(rng: random.Random, concealed: list[str], melds: list[tuple[str, list[str]]]) -> HongKongCase:
    flowers = rng.sample([f"f{number}" for number in range(1, 9)], rng.choice((0, 0, 0, 1, 2, 4, 6, 8)))
    drawn, dealer, win = rng.random() < 0.45, rng.random() < 0.25, rng.choice(concealed)
    rng.shuffle(concealed)
    case = Case(concealed, melds, flowers, win, drawn, rng.choice(WINDS), rng.choice(WINDS), dealer, set(), "hk-taiwan")
    if rng.random() < 0.4:
        case.flags = rng.choice(_possible_flags(case))
    return HongKongCase(case, rng.choice((None, None, 0, 3, 4, 7, 8, 10, 11)))


def _possible_flags(case: Case) -> list[set[str]]:
    """Flags that can be true of this hand."""
    kongs = sum(kind.startswith("kong") for kind, _ in case.melds)
    possible: list[set[str]] = [{"last_tile"}, {"passed_win_same_round"}, {"passed_win_cleared"}, {"duanqiao"}]
    possible += [{"after_claim"}]
    if case.drawn and kongs:
        possible += [{"kong_replacement"}, {"kong_replacement", "last_tile"}]
        possible += [{"kong_replacement", "kong_kong"}] if kongs > 1 else []
        possible += [{"kong_replacement", "kong_kong", "kong_kong_kong"}] if kongs > 2 else []
    if case.drawn and case.flowers:
        possible += [{"flower_replacement"}] * 2
    if not case.drawn and case.concealed.count(case.win) == 1 and all(case.win not in tiles for _, tiles in case.melds):
        possible.append({"rob_kong"})
    if not case.melds and not case.dealer:
        possible += [{"earthly"}] * 2
    if not case.melds and case.dealer and case.drawn:
        possible += [{"heavenly"}] * 3
    return possible
