"""What is not sure is said, in words a player understands, and never accepted."""

from __future__ import annotations

import json
import random

import pytest

from scoring.tiles import ALL_CODES, KINDS
from vision.decode_reading import ReadingRules, read_observations
from vision.observation import QualityNote, TableReading, TileObservation

RULES = ReadingRules(budget_s=1.0)
PLAIN = ["123m456m789p11s234s56s | 7s"]


def read(observations: list, **keywords: object) -> TableReading:
    return read_observations(observations, (2000, 2000), RULES, **keywords)


def kinds(reading: TableReading) -> set[str]:
    return {doubt.kind for doubt in reading.doubts}


def blend(code: str, other: str, p: float) -> tuple[tuple[str, float], ...]:
    return ((code, p), (other, 1 - p)) if p >= 0.5 else ((other, 1 - p), (code, p))


def test_nothing_and_too_little(scene: type) -> None:
    empty = read([])
    assert (empty.status, kinds(empty), empty.tiles) == ("unreadable", {"no_tiles"}, ())
    few = read(scene(["123m"]).seen())
    assert (few.status, kinds(few)) == ("unreadable", {"few_tiles"})
    assert "3" in few.doubts[0].message_zh and "3" in few.doubts[0].message_en
    assert [tile.code for tile in few.tiles] == ["1m", "2m", "3m"], "what was seen is still shown"


@pytest.mark.parametrize(
    ("row", "kind", "words"),
    [
        ("123m456m789p11s234s56s", "waiting", "16"),
        ("123m456m789p11s234s5s", "count", "2 missing"),
        ("123m456m789p11s234s567sEE", "count", "2 too many"),
    ],
)
def test_wrong_number_of_tiles(scene: type, row: str, kind: str, words: str) -> None:
    reading = read(scene([row]).seen())
    assert reading.status == "confirm"
    doubt = next(d for d in reading.doubts if d.kind == kind)
    assert words in doubt.message_en
    assert reading.wins is None


def test_last_tile_of_a_plain_row_is_asked(scene: type) -> None:
    reading = read(scene(["123m456m789p11s234s567s"]).seen())
    assert kinds(reading) == {"win_tile"}
    assert reading.win_tile == "7s" and reading.win_tile_confidence < 0.9
    assert reading.doubts[0].tile_index == reading.win_tile_index


def test_equal_tiles_make_no_doubt_about_the_winner(scene: type) -> None:
    """Which of two equal tiles won makes no difference to the score."""
    reading = read(scene(["234m' | E'EE | 5p'55p | 789s' | 1m'11m", "99p"]).seen())
    assert reading.win_tile == "9p"
    assert reading.win_tile_confidence > 0.95
    assert reading.status == "accepted", reading.doubts


def test_evenly_spaced_sets_may_be_melds_or_hand(scene: type) -> None:
    reading = read(scene(["234m | EEE | 555p | 789s | 111m | 99p"]).seen())
    assert reading.status == "confirm"
    assert "melds" in kinds(reading)


def test_four_faces_may_be_an_exposed_or_a_concealed_kong(scene: type) -> None:
    reading = read(scene(["5555p | 234m", "123m789p11s78s | 9s"]).seen())
    assert kinds(reading) == {"meld_kind"}
    assert reading.melds[0].confidence < 0.9


def test_a_kong_all_face_down_is_asked(scene: type) -> None:
    reading = read(scene(["____ | 234m", "123m789p11s78s | 9s"]).seen())
    assert "hidden_kong" in kinds(reading)
    assert reading.status == "confirm"
    assert "back" in {code for meld in reading.melds for code in meld.tiles}


def test_an_unsure_tile_is_marked_with_what_else_it_may_be(scene: type) -> None:
    both = {"7s": blend("7s", "4s", 0.6)}
    tiles = scene(PLAIN).seen(odds=lambda code: both.get(code, ((code, 1.0),)))
    reading = read(tiles)
    doubt = next(d for d in reading.doubts if d.kind == "tile")
    assert reading.tiles[doubt.tile_index or 0].code == "7s"
    assert "四索" in doubt.message_zh and "4 bamboos" in doubt.message_en
    assert reading.suggestions[0].instead == "4s"
    assert reading.suggestions[0].probability > 0.2


def test_rules_settle_a_tile_the_detector_gets_wrong(scene: type) -> None:
    wrong = {"9p": (("8p", 0.8), ("9p", 0.2))}
    reading = read(scene(PLAIN).seen(odds=lambda code: wrong.get(code, ((code, 0.9999), ("P", 0.0001)))))
    assert "9p" in reading.concealed and reading.concealed.count("8p") == 1
    assert reading.wins


@pytest.mark.parametrize("p", [0.8, 0.45])
def test_a_doubtful_flower_is_never_accepted(scene: type, p: float) -> None:
    odds = {"f3": blend("f3", "f7", p)}
    reading = read(scene(["f3f5", *PLAIN]).seen(odds=lambda code: odds.get(code, ((code, 1.0),))))
    assert reading.status == "confirm"
    assert "flower" in kinds(reading)


def test_a_bird_that_may_be_a_flower(scene: type) -> None:
    odds = {"f7": blend("f7", "1s", 0.7)}
    reading = read(scene(["f7f5", *PLAIN]).seen(odds=lambda code: odds.get(code, ((code, 1.0),))))
    assert reading.status == "confirm"


def test_a_hand_that_does_not_win_says_so(scene: type) -> None:
    reading = read(scene(["123m456m789p11s234s56s | 9s"]).seen())
    assert reading.wins is False
    assert "not_winning" in kinds(reading)
    assert reading.status == "confirm"
    assert "9s" in reading.concealed, "it is not bent into a win"


def test_severe_faults_of_the_picture_keep_it_from_being_accepted(scene: type) -> None:
    note = QualityNote("blurred", "模糊", "blurred", 0.1, True)
    assert read(scene(PLAIN).seen()).status == "accepted"
    assert read(scene(PLAIN).seen(), quality=(note,)).status == "confirm"


def test_json_form(scene: type) -> None:
    reading = read(scene(["_CC_ | 234m", "f1", "123m789p11s78s | 9s"]).seen(mix=2))
    answer = json.loads(json.dumps(reading.to_json()))
    assert {"size", "tiles", "status", "hand", "groups", "doubts", "suggestions", "quality"} <= set(answer)
    assert len(answer["tiles"]) == len(reading.tiles) == 19
    first = answer["tiles"][0]
    assert set(first) >= {"code", "box", "confidence", "alternatives", "role"}
    assert all(len(tile["box"]) == 4 for tile in answer["tiles"])
    assert answer["hand"]["melds"][0]["kind"] == "kong_concealed"
    assert answer["hand"]["melds"][0]["tiles"] == ["C"] * 4
    assert [answer["tiles"][i]["code"] for i in answer["groups"][0]["indices"]].count("back") == 2
    assert answer["hand"]["win_tile"] == "9s"
    assert answer["tiles"][answer["win_tile_index"]]["role"] == "winning"


def noise(rng: random.Random, count: int) -> list[TileObservation]:
    tiles = []
    for _ in range(count):
        x, y = rng.uniform(0, 1500), rng.uniform(0, 1500)
        w, h = rng.uniform(5, 120), rng.uniform(5, 120)
        names = rng.sample(ALL_CODES, rng.randrange(1, 6))
        ps = sorted((rng.random() for _ in names), reverse=True)
        tiles.append(TileObservation(names[0], (x, y, x + w, y + h), ps[0], tuple(zip(names, ps, strict=True))))
    return tiles


@pytest.mark.parametrize("seed", range(60))
def test_noise_never_crashes_hangs_or_passes_for_a_hand(seed: int) -> None:
    rng = random.Random(seed)
    reading = read_observations(noise(rng, rng.choice([1, 2, 8, 17, 17, 18, 25, 40, 60])), (1600, 1600))
    assert reading.status != "accepted"
    assert len(reading.tiles) == len(reading.roles)
    json.dumps(reading.to_json())


@pytest.mark.parametrize("seed", range(40))
def test_confident_noise_in_a_neat_row_does_not_become_a_win(scene: type, seed: int) -> None:
    """Seventeen random tiles in a perfect row, each quite sure: rules must not bend them into a hand."""
    rng = random.Random(seed)
    deck = [kind for kind in KINDS for _ in range(4)]
    row = rng.sample(deck, 17)

    def guess(code: str) -> tuple[tuple[str, float], ...]:
        others = rng.sample([k for k in KINDS if k != code], 4)
        return ((code, 0.9), *((o, 0.025) for o in others))

    tiles = scene(["".join(row[:16]) + "|" + row[16]]).seen(odds=guess)
    reading = read(tiles)
    assert reading.status != "accepted"


@pytest.mark.parametrize("box", [(5, 5, 5, 5), (0, 0, 1e6, 1e6), (10, 10, 5, 5), (1e-9,) * 4, (float("nan"),) * 4])
def test_odd_boxes(scene: type, box: tuple[float, float, float, float]) -> None:
    tiles = [*scene(PLAIN).seen(), TileObservation("N", box, 0.9)]
    assert read(tiles).status in {"accepted", "confirm"}
    same = [TileObservation("N", (10.0, 10.0, 40.0, 50.0), 0.9)] * 17
    assert read(same).status != "accepted"


def test_a_tile_misread_elsewhere_asks_and_does_not_hide_a_hand(scene: type) -> None:
    tiles = scene(["123m456m789p11s234s56s | 7s"]).seen(odds=lambda code: ((code, 0.9995),))
    plain = read_observations(tiles, (2000, 2000), ReadingRules(budget_s=1.0), seen=["1s", "1s"])
    assert plain.status == "accepted"
    asked = read_observations(tiles, (2000, 2000), ReadingRules(budget_s=1.0), seen=["1s"] * 4)
    assert asked.wins
    assert asked.status == "confirm"
    assert "fifth_tile" in {doubt.kind for doubt in asked.doubts}


def test_a_tile_misread_elsewhere_changes_no_set_that_is_plainly_seen(scene: type) -> None:
    """As two 四筒 were seen in the middle beside a pung of them: it was read as a chow, of tiles hardly thought of."""

    def odds_of(code: str) -> tuple[tuple[str, float], ...]:
        return ((code, 0.995), ("5p", 0.003), ("6p", 0.001)) if code == "4p" else ((code, 0.9995),)

    tiles = scene(["123m456m789s EE 67s | 8s", "444p"]).seen(odds=odds_of)
    reading = read(tiles, seen=["4p", "4p"])
    assert [(meld.kind, meld.tiles) for meld in reading.melds] == [("pung", ("4p", "4p", "4p"))]
    assert reading.status == "confirm" and "fifth_tile" in kinds(reading)


def test_more_than_four_of_a_kind_elsewhere_say_nothing_of_the_hand(scene: type) -> None:
    tiles = scene(["123m456m789s EE 67s | 8s", "444p"]).seen(odds=lambda code: ((code, 0.9995),))
    plain, crowded = read(tiles), read(tiles, seen=["9m"] * 6)
    assert crowded.hand_record() == plain.hand_record()
    assert kinds(crowded) == kinds(plain)


def test_a_toss_up_is_asked_even_where_the_rules_settle_it(scene: type) -> None:
    """A tile hardly more likely one face than another: others of that set may be misread for sure."""
    row = ["234m' | E'EE | 5p'55p | 789s' | 1m'11m", "99p"]

    def odds_of(code: str) -> tuple[tuple[str, float], ...]:
        return (("8s", 0.52), ("6s", 0.45), ("4s", 0.03)) if code == "8s" else ((code, 0.999), ("W", 0.001))

    reading = read(scene(row).seen(odds=odds_of))
    assert reading.status == "confirm" and "tile" in kinds(reading)
    asked = {doubt.tile_index for doubt in reading.doubts if doubt.kind == "tile"}
    assert {reading.tiles[i].code for i in asked if i is not None} == {"8s"}


def test_honours_that_may_all_be_another_are_asked_by_the_least_sure_of_them(scene: type) -> None:
    """As three 東 of one set were read as 發, one of them a little less surely: the hand wins either way."""
    tiles = scene(["123m456m789p11s FFF | 234s"]).seen(odds=lambda code: ((code, 0.9995),))
    assert "tile" not in kinds(read(tiles))
    first = next(i for i, tile in enumerate(tiles) if tile.code == "F")

    def with_odds(sure: float) -> TableReading:
        odds = (("F", sure), ("E", 1.0 - sure))
        return read([TileObservation("F", t.box, sure, odds) if i == first else t for i, t in enumerate(tiles)])

    reading = with_odds(0.98)
    asked = {doubt.tile_index for doubt in reading.doubts if doubt.kind == "tile"}
    assert {reading.tiles[i].code for i in asked if i is not None} == {"F"}
    assert "tile" not in kinds(with_odds(0.9999))


def test_a_hand_not_sure_enough_asks_about_a_tile_though_the_winner_is_asked_as_well(scene: type) -> None:
    """As 五萬 was read as 九萬 three times: no tile fell below what is accepted, the hand as a whole did."""

    def odds_of(code: str) -> tuple[tuple[str, float], ...]:
        return {"9m": blend("9m", "5m", 0.895), "W": blend("W", "S", 0.98)}.get(code, ((code, 0.9995),))

    tiles = scene(["111s444p777s999mWW"]).seen(odds=odds_of)
    reading = read_observations(tiles, (2000, 2000), ReadingRules(13, budget_s=1.0))
    assert reading.wins and 0.98 < reading.probability < 0.985
    assert kinds(reading) == {"tile", "win_tile"}
    asked = [reading.tiles[d.tile_index or 0].code for d in reading.doubts if d.kind == "tile"]
    assert asked == ["9m"]


def test_a_losing_hand_is_not_made_short_of_a_tile_by_one_that_may_be_a_flower(scene: type) -> None:
    unclear = (("5s", 0.52), ("f1", 0.26), ("f7", 0.2), ("C", 0.02))
    first = True

    def odds_of(code: str) -> tuple[tuple[str, float], ...]:
        nonlocal first
        blurred, first = code == "5s" and first, first and code != "5s"
        return unclear if blurred else ((code, 0.9995),)

    tiles = scene(["CCC f6 WWW 8888s P 55s F"]).seen(odds=odds_of)
    reading = read_observations(tiles, (2000, 2000), ReadingRules(13, budget_s=1.0))
    assert reading.flowers == ("f6",) and reading.concealed.count("5s") == 2
    assert {"not_winning", "flower"} <= kinds(reading) and "waiting" not in kinds(reading)


def test_a_hand_ready_to_win_lacks_its_winning_tile_beside_what_may_be_a_flower(scene: type) -> None:
    odds = {"f7": blend("f7", "N", 0.6)}
    tiles = scene(["f7 123m456m789p11s234s56s"]).seen(odds=lambda code: odds.get(code, ((code, 0.9995),)))
    reading = read(tiles)
    assert reading.flowers == ("f7",)
    assert {"waiting", "flower"} <= kinds(reading)
    pairs = read(scene(["f7 1133m5577p2299sEE CC"]).seen(odds=lambda code: odds.get(code, ((code, 0.9995),))))
    assert pairs.flowers == ("f7",) and "waiting" in kinds(pairs), "nor does it lack one for pairs and a triplet"
