"""How many unseen hands a second one thread scores: ours on 17-tile hands beside the `mahjong` package on 14-tile ones.

    python benchmarks/scoring_speed.py [--hands 4000] [--rounds 7] [--seed 1]

Every round has new random legal winning hands, made outside the timed part; the contenders take turns within a round,
so that a busy machine slows them alike. Raw rows go to benchmarks/results/scoring_speed.jsonl.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scoring import FLOWERS, KINDS, Hand, Meld, WinContext, load_ruleset, score_hand, score_record  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "scoring_speed.jsonl"
TARGET = 10_000


@dataclass(frozen=True, slots=True)
class Dealt:
    """Sets and a pair as they were drawn: kinds by number, which of the sets are melds, the winning kind."""

    sets: list[list[int]]
    melds: int
    pair: int
    win: int


def deal(rng: random.Random, sets: int) -> Dealt:
    """A random legal winning hand of `sets` sets and a pair, up to three sets melded."""
    while True:
        counts = [0] * 34
        drawn = [_random_set(rng) for _ in range(sets)]
        pair = rng.randrange(34)
        for kind in [pair, pair, *(kind for group in drawn for kind in group)]:
            counts[kind] += 1
        if max(counts) <= 4:
            melds = rng.choice((0, 0, 1, 2, 3))
            concealed = [pair, pair, *(kind for group in drawn[melds:] for kind in group)]
            return Dealt(drawn, melds, pair, rng.choice(concealed))


def _random_set(rng: random.Random) -> list[int]:
    if rng.random() < 0.3:
        return [rng.randrange(34)] * 3
    first = 9 * rng.randrange(3) + rng.randrange(7)
    return [first, first + 1, first + 2]


def ours(rng: random.Random) -> tuple[Hand, WinContext]:
    """A 17-tile hand with random winds, flowers and tile order."""
    dealt = deal(rng, 5)
    concealed = [dealt.pair] * 2 + [kind for group in dealt.sets[dealt.melds :] for kind in group]
    rng.shuffle(concealed)
    melds = tuple(
        Meld("pung" if group[0] == group[1] else "chow", tuple(KINDS[kind] for kind in group))
        for group in dealt.sets[: dealt.melds]
    )
    flowers = tuple(rng.sample(FLOWERS, rng.choice((0, 0, 1, 2, 3))))
    hand = Hand(tuple(KINDS[kind] for kind in concealed), melds, flowers, KINDS[dealt.win])
    return hand, WinContext(self_draw=rng.random() < 0.4, seat_wind=rng.choice("ESWN"), round_wind=rng.choice("ESWN"))


def record_of(hand: Hand, context: WinContext) -> dict[str, Any]:
    """The same hand as the JSON contract writes it."""
    return {
        "ruleset": "taiwan",
        "concealed": list(hand.concealed),
        "melds": [{"kind": meld.kind, "tiles": list(meld.tiles)} for meld in hand.melds],
        "flowers": list(hand.flowers),
        "win_tile": hand.win_tile,
        "self_draw": context.self_draw,
        "seat_wind": context.seat_wind,
        "round_wind": context.round_wind,
    }


def theirs(rng: random.Random) -> tuple[list[int], int, HandConfig]:
    """A closed 14-tile hand in the `mahjong` package's tile numbers (0..135); riichi, so that every hand scores."""
    dealt = deal(rng, 4)
    kinds = sorted([dealt.pair] * 2 + [kind for group in dealt.sets for kind in group])
    tiles = [kind * 4 + kinds[:at].count(kind) for at, kind in enumerate(kinds)]
    win = next(tile for tile in tiles if tile // 4 == dealt.win) if dealt.win in kinds else tiles[0]
    return tiles, win, HandConfig(is_tsumo=rng.random() < 0.4, is_riichi=True)


def rate(action: Callable[[Any], Any], inputs: list[Any]) -> tuple[float, float]:
    """Inputs a second of this thread's own time, and by the clock on the wall; alike on a machine with nothing else."""
    wall, own = time.perf_counter(), time.thread_time()
    for value in inputs:
        action(value)
    own, wall = time.thread_time() - own, time.perf_counter() - wall
    return len(inputs) / own, len(inputs) / wall


def timed(name: str, action: Callable[[Any], Any], inputs: list[Any]) -> dict[str, float]:
    """Both rates as columns of a row."""
    own, wall = rate(action, inputs)
    return {name: round(own, 1), f"{name}_wall": round(wall, 1)}


def main() -> int:
    """Runs the rounds, prints the medians, writes the raw rows; 1 when ours stays below the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=4000, help="hands a round for our engine")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    rules, calculator = load_ruleset("taiwan"), HandCalculator()
    rows = []
    for number in range(arguments.rounds):
        hands = [ours(rng) for _ in range(arguments.hands)]
        records = [record_of(*ours(rng)) for _ in range(arguments.hands)]
        other = [theirs(rng) for _ in range(max(50, arguments.hands // 10))]
        rows.append(
            {
                "round": number,
                "hands": arguments.hands,
                "seed": arguments.seed,
                **timed("score_hand", lambda pair: score_hand(pair[0], pair[1], rules), hands),
                **timed("score_record", score_record, records),
                **timed("mahjong", lambda one: calculator.estimate_hand_value(one[0], one[1], config=one[2]), other),
                "python": platform.python_version(),
                "machine": platform.machine(),
            }
        )
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return report(rows)


def report(rows: list[dict[str, Any]]) -> int:
    """Prints the medians; 0 when the target is met."""
    names = ("score_hand", "score_record", "mahjong")
    medians = {name: statistics.median(row[name] for row in rows) for name in names}
    walls = {name: statistics.median(row[f"{name}_wall"] for row in rows) for name in names}
    lines = [
        f"{len(rows)} rounds of {rows[0]['hands']} unseen hands, one thread, CPython {platform.python_version()};"
        " hands a second of the thread's own time (by the wall clock)",
        f"  score_hand, 17 tiles, taiwan   {medians['score_hand']:>9,.0f} ({walls['score_hand']:,.0f})"
        f"   first round {rows[0]['score_hand']:,.0f}, target {TARGET:,}",
        f"  score_record, JSON values      {medians['score_record']:>9,.0f} ({walls['score_record']:,.0f})",
        f"  mahjong package, 14 tiles      {medians['mahjong']:>9,.0f} ({walls['mahjong']:,.0f})",
        f"  ratio                          {medians['score_hand'] / medians['mahjong']:>9.1f}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if medians["score_hand"] >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
