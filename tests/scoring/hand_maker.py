"""Random hands for the property tests: mostly winning, of every kind worth scoring, with facts that agree."""

from __future__ import annotations

import random
from collections import Counter

from oracle import ALL_TILES, DRAGONS, SUITED, WINDS, Case

RULESETS = ("taiwan", "taiwan-alt", "taipei-online")
MELD_OF = {"chow": ["chow"], "triplet": ["pung", "kong_exposed", "kong_added", "kong_concealed"]}


def _pool(rng: random.Random) -> list[str]:
    """The kinds a hand is made of: everything, one suit, one suit and honours, honours."""
    style = rng.random()
    suit = rng.choice("mps")
    own = [tile for tile in SUITED if tile[1] == suit]
    if style < 0.5:
        return ALL_TILES
    if style < 0.65:
        return own
    return own + WINDS + DRAGONS if style < 0.85 else WINDS + DRAGONS + own[:2]


def _set(rng: random.Random, pool: list[str], triplets: float) -> tuple[str, list[str]]:
    starts = [tile for tile in pool if len(tile) == 2 and tile[0] <= "7"]
    if rng.random() < triplets or not starts:
        return "triplet", [rng.choice(pool)] * 3
    tile = rng.choice(starts)
    chow = [f"{int(tile[0]) + step}{tile[1]}" for step in range(3)]
    return ("chow", chow) if all(kind in pool for kind in chow) else ("triplet", [tile] * 3)


def _ligu(rng: random.Random, pool: list[str]) -> list[str] | None:
    kinds = list(dict.fromkeys(pool))
    if len(kinds) < 8:
        return None
    chosen = rng.sample(kinds, 8)
    return [*chosen, *chosen, chosen[0]]


def _standard(rng: random.Random, pool: list[str]) -> tuple[list[str], list[tuple[str, list[str]]]] | None:
    triplets = rng.choice((0.0, 0.15, 0.5, 0.9, 1.0))
    sets = [_set(rng, pool, triplets) for _ in range(5)]
    pair = rng.choice(pool)
    melded = rng.choice((0, 0, 0, 1, 2, 3, 4, 5))
    concealed, melds = [pair, pair], []
    for at, (kind, tiles) in enumerate(sets):
        how = rng.choice(MELD_OF[kind])
        if at < melded or (how == "kong_concealed" and rng.random() < 0.3):
            melds.append((how, tiles[:1] * 4 if how.startswith("kong") else tiles))
        else:
            concealed += tiles
    return concealed, melds


def make_case(rng: random.Random) -> Case:
    """A legal 17-tile hand: about five in six win, the others have one tile exchanged."""
    while True:
        pool = _pool(rng)
        melds: list[tuple[str, list[str]]] = []
        if rng.random() < 0.08:
            concealed = _ligu(rng, pool)
        else:
            made = _standard(rng, pool)
            concealed, melds = made if made else (None, [])
        if concealed is None:
            continue
        if rng.random() < 0.15:
            concealed[rng.randrange(len(concealed))] = rng.choice(pool)
        held = Counter(concealed + [tile for _, tiles in melds for tile in tiles])
        if max(held.values()) <= 4:
            return _with_facts(rng, concealed, melds)


def _with_facts(rng: random.Random, concealed: list[str], melds: list[tuple[str, list[str]]]) -> Case:
    rules = rng.choice(RULESETS)
    drawn, dealer = rng.random() < 0.45, rng.random() < 0.25
    flowers = rng.sample([f"f{number}" for number in range(1, 9)], rng.choice((0, 0, 0, 1, 2, 4, 6, 7, 8)))
    win = rng.choice(concealed)
    rng.shuffle(concealed)
    case = Case(concealed, melds, flowers, win, drawn, rng.choice(WINDS), rng.choice(WINDS), dealer, set(), rules)
    if rng.random() < 0.5:
        case.flags = _flags(rng, case)
    return case


def _flags(rng: random.Random, case: Case) -> set[str]:
    """One or two flags that can be true of this hand."""
    kinds = {kind for kind, _ in case.melds}
    possible = [{"last_tile"}, {"passed_win"}, {"passed_win_cleared"}, {"ready_first_discard"}, {"after_claim"}]
    if case.drawn and kinds & {"kong_exposed", "kong_added", "kong_concealed"}:
        possible += [{"kong_replacement"}, {"kong_replacement", "last_tile"}]
    if case.drawn and "kong_exposed" in kinds:
        possible.append({"kong_replacement", "kong_replacement_open"})
    if case.drawn and case.flowers:
        possible.append({"flower_replacement"})
    held = Counter(case.concealed + [tile for _, tiles in case.melds for tile in tiles])
    if not case.drawn and held[case.win] == 1:
        possible.append({"rob_kong"})
    if not case.dealer:
        possible.append({"ready_initial"})
        possible.append({"ready_initial", "passed_win_earlier"})
        possible.append({"ready_initial", "passed_win_earlier", "not_locked"})
    possible.append({"human"})
    if not case.melds and not case.dealer:
        possible += [{"earthly"}, {"earthly", "ready_initial"}]
    if not case.melds and case.dealer and case.drawn:
        possible.append({"heavenly"})
    return rng.choice(possible)
