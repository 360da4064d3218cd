"""Decoding agrees with brute force, finds what the detector got wrong, and keeps its time."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter

import pytest

from scoring.tiles import FLOWERS, INDEX, KINDS, parse_tiles
from vision.decode import Arrangement, ShapeRules, decode, tile_agreement
from vision.decode_hand import ConcealedTiles, over_four_together, pack
from vision.decode_melds import MeldSlot, meld_guesses
from vision.decode_odds import Calibration, TileOdds, from_mapping, tile_odds
from vision.decode_reading import ReadingRules, read_observations
from vision.decode_suits import is_complete, pair_shape
from vision.observation import TileObservation


def odds(*pairs: tuple[str, float], rest: float = 0.0) -> TileOdds:
    return TileOdds(tuple(sorted(pairs, key=lambda pair: -pair[1])), rest)


def exact(text: str) -> list[TileOdds]:
    return [odds((code, 1.0)) for code in parse_tiles(text)]


def wins(kinds: list[int]) -> bool:
    """Slow and plain: sets and a pair."""
    counts = Counter(kinds)
    if max(counts.values()) > 4:
        return False

    def sets(left: Counter[int]) -> bool:
        kind = min((k for k, c in left.items() if c), default=None)
        if kind is None:
            return True
        if left[kind] >= 3 and sets(left - Counter([kind] * 3)):
            return True
        run = [kind, kind + 1, kind + 2]
        same_suit = kind < 27 and kind % 9 <= 6
        return same_suit and all(left[k] for k in run) and sets(left - Counter(run))

    return any(sets(counts - Counter([k, k])) for k, c in counts.items() if c >= 2)


def brute(tiles: list[TileOdds]) -> dict[tuple[int, ...], float]:
    """Every winning multiset with its summed probability."""
    found: dict[tuple[int, ...], float] = {}
    for choice in itertools.product(*[tile.odds for tile in tiles]):
        kinds = tuple(sorted(INDEX[code] for code, _ in choice))
        if wins(list(kinds)):
            p = 1.0
            for _, q in choice:
                p *= q
            found[kinds] = found.get(kinds, 0.0) + p
    return found


def random_hand(rng: random.Random, sets: int) -> list[int]:
    while True:
        kinds = [rng.randrange(34)] * 2
        for _ in range(sets):
            if rng.random() < 0.4:
                kinds += [rng.randrange(34)] * 3
            else:
                low = 9 * rng.randrange(3) + rng.randrange(7)
                kinds += [low, low + 1, low + 2]
        if max(Counter(kinds).values()) <= 4:
            rng.shuffle(kinds)
            return kinds


def noisy(rng: random.Random, kind: int, others: int, best: float) -> TileOdds:
    names = [kind, *rng.sample([k for k in range(34) if k != kind], others)]
    weights = [best, *(rng.random() * (1 - best) for _ in range(others))]
    total = sum(weights)
    return odds(*((KINDS[k], w / total) for k, w in zip(names, weights, strict=True)))


@pytest.mark.parametrize("seed", range(25))
def test_sums_agree_with_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    sets = rng.choice([1, 2])
    tiles = [noisy(rng, kind, 3 if sets == 1 else 2, rng.uniform(0.3, 0.95)) for kind in random_hand(rng, sets)]
    expected = brute(tiles)
    shapes = ConcealedTiles(tiles).standard((0, 0, 0, 0), time.monotonic() + 20)
    assert shapes.mass == pytest.approx(sum(expected.values()), rel=1e-6)
    best = max(expected.values())
    assert shapes.namings[0].mass == pytest.approx(best, rel=1e-6)
    assert expected[tuple(sorted(shapes.namings[0].kinds))] == pytest.approx(best, rel=1e-6)


def test_complete_suits_agree_with_a_slow_check() -> None:
    rng = random.Random(2)
    for _ in range(4000):
        honours = rng.random() < 0.3
        kinds = [rng.randrange(7 if honours else 9) for _ in range(rng.choice([2, 3, 5, 6, 8, 9, 11]))]
        if max(Counter(kinds).values()) > 4:
            continue
        shifted = [27 + k for k in kinds] if honours else kinds
        packed = pack(shifted)[3 if honours else 0]
        pair = [33, 33] if not honours else [0, 0]
        expected = wins(shifted) if len(kinds) % 3 == 2 else wins(shifted + pair)
        assert is_complete(packed, honours) == expected, kinds


def test_pair_shape_and_over_four() -> None:
    assert pair_shape(pack([0, 0, 1, 1, 1])[0]) == (1, False, False)
    assert pair_shape(pack([0, 2, 2])[0]) == (1, True, False)
    assert pair_shape(pack([5] * 4)[0]) == (0, False, True)
    assert over_four_together(pack([3, 3])[0], pack([3, 3, 3])[0])
    assert not over_four_together(pack([3])[0], pack([3, 3, 3])[0])


def test_a_third_choice_is_found() -> None:
    tiles = exact("123m456m789p11s234s56s")
    tiles.append(odds(("7p", 0.9), ("8p", 0.07), ("7s", 0.03)))
    best = decode(tiles, [Arrangement(tuple(range(17)))], budget_s=1.0).hands[0]
    assert best.codes[16] in {"7s", "4s"} and best.codes[16] == "7s"
    assert best.wins


def test_three_wrong_tiles_in_three_suits_are_mended() -> None:
    tiles = exact("23m56m89p11s234s567s")
    tiles += [odds(("9m", 0.6), ("1m", 0.4)), odds(("P", 0.7), ("4m", 0.3)), odds(("9p", 0.8), ("7p", 0.2))]
    # 23m56m89p + 1m 4m 7p
    best = decode(tiles, [Arrangement(tuple(range(len(tiles))))], budget_s=1.0).hands[0]
    assert len(tiles) == 17
    assert [best.codes[i] for i in (14, 15, 16)] == ["1m", "4m", "7p"]


def test_melds_and_hand_share_the_four_copies() -> None:
    hand = exact("234m567m23s99p")
    hand.append(odds(("1s", 0.9), ("4s", 0.1)))
    melds = exact("111s1s")  # a kong of 1s leaves none for the hand
    tiles = [*hand, *melds, *exact("789s")]
    count = len(hand)
    arrangement = Arrangement(
        tuple(range(count)),
        (MeldSlot(tuple(range(count, count + 4)), turned=(count,)), MeldSlot(tuple(range(count + 4, count + 7)))),
    )
    best = decode(tiles, [arrangement], budget_s=1.0).hands[0]
    assert best.codes[count - 1] == "4s"


def test_tiles_seen_elsewhere_count() -> None:
    tiles = exact("234m567m789p23s99p44s4s")
    tiles.append(odds(("1s", 0.9), ("4s", 0.1)))
    arrangement = [Arrangement(tuple(range(len(tiles))))]
    assert decode(tiles, arrangement, budget_s=1.0).hands[0].codes[len(tiles) - 1] == "1s"
    seen = decode(tiles, arrangement, seen=("1s",) * 4, budget_s=1.0).hands[0]
    assert seen.codes[len(tiles) - 1] == "4s" or not seen.wins


def test_flowers_are_distinct() -> None:
    tiles = [*exact("123m456m789p11s234s567s"), odds(("f1", 0.9), ("f5", 0.1)), odds(("f1", 0.8), ("f5", 0.2))]
    best = decode(tiles, [Arrangement(tuple(range(17)), flowers=(17, 18))], budget_s=1.0).hands[0]
    assert {best.codes[17], best.codes[18]} == {"f1", "f5"}
    assert best.codes[18] == "f5"


def test_a_fifth_tile_is_renamed_even_where_nothing_wins() -> None:
    tiles = [*exact("1111m"), odds(("1m", 0.6), ("4m", 0.4)), *exact("9p9s1s7mEESSWWCC")]
    assert len(tiles) == 17
    best = decode(tiles, [Arrangement(tuple(range(17)))], budget_s=1.0).hands[0]
    assert not best.wins
    assert best.codes[4] == "4m"


def test_pairs_and_a_triplet() -> None:
    tiles = exact("1133m5577p2299sEECC")
    tiles.append(odds(("P", 0.8), ("C", 0.2)))
    arrangement = [Arrangement(tuple(range(17)))]
    assert decode(tiles, arrangement, budget_s=1.0).hands[0].codes[16] == "C"
    assert not decode(tiles, arrangement, ShapeRules(pairs=False), budget_s=1.0).hands[0].wins
    quads = exact("1111m5577p2299sEECCC")
    assert not decode(quads, arrangement, budget_s=1.0).hands[0].wins
    assert decode(quads, arrangement, ShapeRules(quads=True), budget_s=1.0).hands[0].wins


def test_a_surely_seen_losing_hand_stays_losing() -> None:
    tiles = [odds((KINDS[INDEX[c]], 0.9999), ("5m", 0.0001)) for c in parse_tiles("123m456m789p11s234s569s")]
    decoded = decode(tiles, [Arrangement(tuple(range(17)))], budget_s=1.0)
    assert not decoded.hands[0].wins
    assert decoded.winning < 0.5


def test_probabilities_sum_to_at_most_one_and_agreement_follows() -> None:
    tiles = exact("123m456m789p11s234s56s")
    tiles.append(odds(("4s", 0.5), ("7s", 0.5)))
    decoded = decode(tiles, [Arrangement(tuple(range(17)))], budget_s=1.0)
    assert sum(hand.probability for hand in decoded.hands) <= 1.0 + 1e-9
    assert decoded.hands[0].probability == pytest.approx(0.5, abs=0.02)
    assert tile_agreement(decoded, [16])[16] == pytest.approx(0.5, abs=0.02)
    assert tile_agreement(decoded, [0])[0] > 0.98


@pytest.mark.parametrize("faces", ["EE_ _", "_ E E _"])
def test_face_down_kong(faces: str) -> None:
    tiles = [odds(("back", 1.0)) if f == "_" else odds(("E", 0.8), ("N", 0.2)) for f in faces.replace(" ", "")]
    first = meld_guesses(MeldSlot((0, 1, 2, 3)), tiles)[0]
    assert first.kind == "kong_concealed"
    assert first.codes == ("E",) * 4
    hidden = meld_guesses(MeldSlot((0, 1, 2, 3)), [odds(("back", 1.0))] * 4)[0]
    assert hidden.codes == ("back",) * 4


def test_meld_kinds() -> None:
    four = exact("5555p")
    assert not meld_guesses(MeldSlot((0, 1, 2, 3)), four)[0].sure_kind
    assert meld_guesses(MeldSlot((0, 1, 2, 3), turned=(0,)), four)[0].kind == "kong_exposed"
    assert meld_guesses(MeldSlot((0, 1, 2), stacked=(3,)), four)[0].kind == "kong_added"
    assert meld_guesses(MeldSlot((0, 1, 2)), exact("312s"))[0].codes == ("3s", "1s", "2s")
    assert meld_guesses(MeldSlot((0, 1, 2)), exact("124s")) == ()
    assert meld_guesses(MeldSlot((0, 1)), exact("11s")) == ()


def test_calibration_flattens_and_floors() -> None:
    sharp = TileObservation("1m", (0, 0, 1, 1), 0.9, (("1m", 0.98), ("2m", 0.02)))
    plain = tile_odds(sharp, Calibration(1.0, 0.0, 0.99))
    flat = tile_odds(sharp, Calibration(2.0, 0.01, 0.99))
    assert plain.of("1m") == pytest.approx(0.98)
    assert flat.of("2m") == pytest.approx(0.99 * 0.02**0.5 / (0.02**0.5 + 0.98**0.5))
    assert flat.rest == pytest.approx(0.01)
    lone = tile_odds(TileObservation("1m", (0, 0, 1, 1), 0.6), Calibration(1.0, 0.001, 0.99))
    assert lone.rest == pytest.approx(0.4)
    assert from_mapping({"f1": 0.5, "f2": 0.5}, Calibration()).flower == pytest.approx(1 - Calibration().floor)


def worst_case(rng: random.Random) -> tuple[list[TileOdds], Arrangement]:
    """25 tiles with five alternatives each, all over the suits: 14 concealed, a meld, eight flowers."""
    kinds = random_hand(rng, 4)
    tiles = [noisy(rng, k, 4, rng.uniform(0.5, 0.95)) for k in kinds]
    tiles += [noisy(rng, 33, 4, 0.8) for _ in range(3)]
    tiles += [odds(*((f, 0.8 if f == own else 0.05) for f in [own, *FLOWERS[:5]])) for own in FLOWERS]
    return tiles, Arrangement(tuple(range(14)), (MeldSlot((14, 15, 16)),), tuple(range(17, 25)))


def test_decoding_keeps_its_time() -> None:
    rng = random.Random(4)
    times = []
    for _ in range(15):
        tiles, arrangement = worst_case(rng)
        start = time.thread_time()  # what other threads of the tests do is not its own
        decoded = decode(tiles, [arrangement])
        times.append(time.thread_time() - start)
        assert decoded.hands
    times.sort()
    assert times[len(times) // 2] < 0.03, f"median {times[len(times) // 2] * 1000:.0f} ms"


def test_running_out_of_time_makes_less_sure_not_wrong() -> None:
    rng = random.Random(9)
    tiles, arrangement = worst_case(rng)
    hurried = decode(tiles, [arrangement], budget_s=0.0)
    patient = decode(tiles, [arrangement], budget_s=5.0)
    if hurried.hands and hurried.hands[0].key() == patient.hands[0].key():
        assert hurried.hands[0].probability <= patient.hands[0].probability + 1e-6
    assert hurried.explored <= patient.explored + 1e-9


def test_a_chow_in_an_odd_order_is_not_taken_for_three_alike_that_are_as_likely(scene: type) -> None:
    """Three 2m, each likelier 3m, beside a pair of 3m: no order of 1m 2m 3m is as usual as three alike."""

    def odds(code: str) -> tuple[tuple[str, float], ...]:
        return (("3m", 0.64), ("2m", 0.32), ("1m", 0.03)) if code == "2m" else ((code, 0.999),)

    reading = read_observations(
        scene(["33m234p333s56s | 7s", "888p | 222m"]).seen(odds=odds), (1000, 1000), ReadingRules(budget_s=1.0)
    )
    assert reading.wins
    assert sorted((meld.kind, meld.tiles[0]) for meld in reading.melds) == [("pung", "2m"), ("pung", "8p")]
    assert "tile" in {doubt.kind for doubt in reading.doubts}


@pytest.mark.parametrize("order", ["123m", "213m", "132m", "312m", "231m", "321m"])
def test_a_chow_is_read_in_any_order(scene: type, order: str) -> None:
    reading = read_observations(
        scene(["33s234p333m56s | 7s", f"888p | {order}"]).seen(), (1000, 1000), ReadingRules(budget_s=1.0)
    )
    assert ("chow", ("1m", "2m", "3m")) in [(meld.kind, tuple(sorted(meld.tiles))) for meld in reading.melds]
