"""The sets that lay open before a player help to read the hand that wins, and never make a wrong one accepted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from scoring.tiles import KINDS
from vision.decode_fit import random_win
from vision.decode_known import alike, held, told, twice
from vision.decode_melds import MeldGuess, MeldSlot, meld_guesses
from vision.decode_odds import TileOdds
from vision.decode_reading import ReadingRules, read_observations
from vision.observation import ACCEPTED, CONFIRM, KnownSet, TableReading, TileObservation
from vision.table_eye import Eye
from vision.tablemelds import place_of

SIZE = (1200, 400)
RULES = ReadingRules(budget_s=1.0)
WIDTH, HEIGHT, GAP = 30.0, 40.0, 24.0
HAND = "1m 2m 3m 4m 5m 6m 7m 8m 9m 2s 2s 5s 6s"
Odds = tuple[tuple[str, float], ...]


def sure(code: str) -> Odds:
    return ((code, 0.9995),) if code == "back" else ((code, 0.999), ("9p" if code != "9p" else "8p", 0.0003))


def laid(hand: str, win: str, melds: Sequence[str], odds: dict[str, Odds] | None = None) -> list[TileObservation]:
    """A hand in a row, its winning tile apart, and melds in the row below; `-` is a tile that is not found, `?` one
    that looks like `odds["?"]`."""
    tiles, x = [], 100.0
    rows = [(hand.split(), 100.0, 0.0), ([win], 100.0, GAP)]
    left = 600.0
    for meld in melds:
        rows.append((meld.split(), 160.0, left))
        left += 4 * WIDTH + GAP
    for codes, y, at in rows:
        x = at if at > GAP else x + at
        for code in codes:
            if code != "-":
                ranked = (odds or {}).get(code) or sure(code)
                tiles.append(TileObservation(ranked[0][0], (x, y, x + WIDTH, y + HEIGHT), 0.98, ranked))
            x += WIDTH * 1.01
    return tiles


def known(kind: str, codes: str, number: int = 0, confidence: float = 0.97, **more: float) -> KnownSet:
    """A set known to lie where the meld of this number is laid."""
    count = len(codes.split())
    middle = 600.0 + number * (4 * WIDTH + GAP) + count * WIDTH / 2
    return KnownSet(kind, tuple(codes.split()), place_of(middle, SIZE[0]), confidence, **more)


def read(tiles: Sequence[TileObservation], before: Sequence[KnownSet] | None, seen: Sequence[str] = ()) -> TableReading:
    return read_observations(tiles, SIZE, RULES, 0.0, known=before, seen=seen)


def melds(reading: TableReading) -> list[tuple[str, str]]:
    return sorted((meld.kind, " ".join(sorted(meld.tiles))) for meld in reading.melds)


def doubts(reading: TableReading) -> list[str]:
    return [doubt.kind for doubt in reading.doubts]


@pytest.mark.parametrize("kind", ["kong_exposed", "kong_concealed", "kong_added"])
def test_the_kind_of_a_kong_of_four_open_faces(kind: str) -> None:
    tiles = laid(HAND, "7s", ["5p 5p 5p 5p"])
    assert doubts(read(tiles, None)) == ["meld_kind"]
    told_by_log = read(tiles, [known(kind, "5p 5p 5p 5p", sure_kind=0.95)])
    assert melds(told_by_log) == [(kind, "5p 5p 5p 5p")]
    assert told_by_log.status == ACCEPTED
    unsure = read(tiles, [known(kind, "5p 5p 5p 5p", sure_kind=0.8)])
    assert melds(unsure) == [(kind, "5p 5p 5p 5p")]
    assert doubts(unsure) == ["meld_kind"], "what the log is not sure of is asked"


def test_a_kong_that_lay_face_down_and_is_turned_over_is_concealed() -> None:
    reading = read(laid(HAND, "7s", ["5p 5p 5p 5p"]), [known("kong_concealed", "back back back back", confidence=0.9)])
    assert melds(reading) == [("kong_concealed", "5p 5p 5p 5p")]


def test_whether_a_fourth_tile_lies_on_three() -> None:
    slot = MeldSlot((0, 1, 2), raised=0.4)
    odds = [TileOdds((("5p", 0.999),), 0.001)] * 3
    grown = told(meld_guesses(slot, odds), [known("kong_added", "5p 5p 5p 5p", sure_size=0.99)])
    assert (grown[0].kind, grown[0].probability > 20 * grown[1].probability) == ("kong_added", True)
    plain = told(meld_guesses(slot, odds), [known("pung", "5p 5p 5p", sure_size=0.999)])
    assert plain[0].kind == "pung"
    assert plain[1].probability < 0.2 * plain[0].probability, "a fourth may have been added just now"
    alone = meld_guesses(slot, odds)
    unsure = told(alone, [known("pung", "5p 5p 5p", sure_size=0.99)])
    assert unsure[1].probability / unsure[0].probability == pytest.approx(alone[1].probability / alone[0].probability)


def uneven(by: float) -> list[TileObservation]:
    """A pung whose middle tile seems shifted."""
    tiles = laid(HAND, "7s", ["5p 5p 5p"])
    x1, y1, x2, y2 = tiles[-2].box
    tiles[-2] = replace(tiles[-2], box=(x1, y1 - by, x2, y2 - by))
    return tiles


def test_a_pung_laid_unevenly_is_not_asked_about_where_the_log_is_sure_of_three() -> None:
    assert doubts(read(uneven(2.5), None)) == ["stacked"]
    before = read(uneven(2.5), [known("pung", "5p 5p 5p", sure_size=0.999)])
    assert (melds(before), doubts(before)) == ([("pung", "5p 5p 5p")], [])
    unsure = read(uneven(2.5), [known("pung", "5p 5p 5p", sure_size=0.99)])
    assert doubts(unsure) == ["stacked"], "looks from the same place say no more than the picture"
    other = read(uneven(3), [known("pung", "5p 5p 5p", sure_size=0.999)])
    assert doubts(other) == ["stacked"], "a fourth may have been added just now"


def test_no_fourth_tile_lies_beneath_a_pung_where_it_is_seen_elsewhere() -> None:
    """In the middle, before another player, or in the hand: then a shift says it only where it is plain."""
    assert doubts(read(uneven(2.5), None, seen=["5p"])) == []
    assert doubts(read(uneven(2.5), None, seen=["4p"])) == ["stacked"]
    tiles = uneven(2.5)
    own = {"6m": "5p", "5m": "4p", "4m": "3p"}
    ranked = {tile: sure(own[tile.code]) for tile in tiles if tile.code in own}
    tiles = [replace(t, code=ranked[t][0][0], alternatives=ranked[t]) if t in ranked else t for t in tiles]
    assert doubts(read(tiles, None)) == []
    plain = read(uneven(6), None, seen=["5p"])
    assert plain.status == CONFIRM, "a tile elsewhere may be misread as well"


def test_a_stacked_kong_the_log_saw_grow_is_not_asked_about() -> None:
    grown = [known("kong_added", "5p 5p 5p 5p", sure_size=0.99)]
    assert doubts(read(uneven(4), None)) == ["stacked"]
    assert (melds(read(uneven(4), grown)), read(uneven(4), grown).status) == ([("kong_added", "5p 5p 5p 5p")], ACCEPTED)
    assert melds(read(uneven(3), grown)) == [("kong_added", "5p 5p 5p 5p")]
    plain = read(uneven(0), grown)
    assert (melds(plain), doubts(plain)) == ([("pung", "5p 5p 5p")], ["stacked"]), "what is plainly seen counts"


def test_a_fourth_tile_added_to_a_pung_just_now() -> None:
    reading = read(laid(HAND, "7s", ["5p 5p 5p 5p"]), [known("pung", "5p 5p 5p")])
    assert (melds(reading), reading.status) == ([("kong_added", "5p 5p 5p 5p")], ACCEPTED)


def test_a_stacked_kong_of_which_a_tile_is_hidden() -> None:
    tiles = laid(HAND, "7s", ["5p 5p -"])
    assert melds(read(tiles, None)) != [("kong_added", "5p 5p 5p 5p")]
    reading = read(tiles, [known("kong_added", "5p 5p 5p 5p", sure_size=0.99)])
    assert melds(reading) == [("kong_added", "5p 5p 5p 5p")]
    assert (reading.wins, reading.status) == (True, ACCEPTED)


def test_backs_that_never_lay_there_are_less_likely_a_kong() -> None:
    guess = MeldGuess("kong_concealed", ("back",) * 4, 0.9)
    (never,) = told([guess], [])
    (lay,) = told([guess], [known("kong_concealed", "back back back back", confidence=0.9)])
    assert never.probability < guess.probability < lay.probability
    assert told([guess], None) == (guess,)


def test_four_backs_of_the_wall_beside_the_hand() -> None:
    tiles = laid(HAND, "7s", ["back back back back", "3p 4p 5p"])
    assert melds(read(tiles, None)) == [("kong_concealed", "back back back back")]
    reading = read(tiles, [known("chow", "3p 4p 5p", 1)])
    assert (melds(reading), reading.status) == ([("chow", "3p 4p 5p")], CONFIRM)
    lay = read(tiles, [known("kong_concealed", "back back back back", confidence=0.9)])
    assert melds(lay) == [("kong_concealed", "back back back back")]


def test_a_concealed_kong_whose_backs_are_not_found() -> None:
    tiles = laid(HAND, "7s", ["- 5p 5p -"])
    assert "unseen_backs" in doubts(read(tiles, None))
    reading = read(tiles, [known("kong_concealed", "5p 5p 5p 5p")])
    assert (melds(reading), reading.status) == ([("kong_concealed", "5p 5p 5p 5p")], ACCEPTED)
    faint = read(tiles, [known("kong_concealed", "5p 5p 5p 5p", confidence=0.6)])
    assert faint.status == CONFIRM


def test_a_chow_of_which_a_tile_is_hidden_or_misnamed() -> None:
    before = [known("chow", "3p 4p 5p")]
    hidden = read(laid(HAND, "7s", ["3p 4p -"]), before)
    assert (melds(hidden), hidden.status, hidden.wins) == ([("chow", "3p 4p 5p")], ACCEPTED, True)
    misnamed = laid(HAND, "7s", ["3p ? 5p"], {"?": (("8p", 0.5), ("4p", 0.45))})
    assert doubts(read(misnamed, None)) == ["tile"]
    assert (melds(read(misnamed, before)), doubts(read(misnamed, before))) == ([("chow", "3p 4p 5p")], [])


def test_a_tile_of_a_set_that_looks_like_a_flower_is_not_hidden() -> None:
    tiles = laid(HAND, "7s", ["3p 4p ?"], {"?": (("f5", 0.9), ("5p", 0.08))})
    reading = read(tiles, [known("chow", "3p 4p 5p")])
    assert (melds(reading), reading.flowers) == ([("chow", "3p 4p 5p")], ())


def test_three_alike_that_look_more_like_another_kind() -> None:
    tiles = laid(HAND, "7s", ["? ? ?"], {"?": (("3p", 0.6), ("2p", 0.4))})
    assert melds(read(tiles, None)) == [("pung", "3p 3p 3p")]
    reading = read(tiles, [known("pung", "2p 2p 2p")])
    assert melds(reading) == [("pung", "2p 2p 2p")]
    assert reading.status == CONFIRM


def test_a_pungs_hidden_tile_is_asked_about_for_a_fourth_may_hide_it() -> None:
    reading = read(laid(HAND, "7s", ["5p - 5p"]), [known("pung", "5p 5p 5p")])
    assert melds(reading) == [("pung", "5p 5p 5p")]
    assert doubts(reading) == ["hidden_set"]
    assert "5" in reading.doubts[0].message_en
    assert reading.doubts[0].tile_index is not None


def test_two_left_of_a_pung_may_also_be_a_kong_and_both_are_weighed() -> None:
    """As an arm lay over the third 南 and another lay in the middle: only the hidden kong was ever thought of."""
    tiles = laid(HAND, "7s", ["5p 5p -"])
    x1, y1, x2, y2 = tiles[-1].box
    tiles[-1] = replace(tiles[-1], box=(x1 + 10, y1, x2 + 10, y2))
    eye = Eye(100.0, 180.0, 1200.0)  # from there a tile on another seems 10 pixels further right
    before = [known("pung", "5p 5p 5p", sure_size=0.999)]
    reading = read_observations(tiles, SIZE, RULES, 0.0, known=before, seen=["5p"], eye=eye)
    assert (melds(reading), doubts(reading)) == ([("pung", "5p 5p 5p")], ["hidden_set"])


def test_a_set_of_which_nothing_is_seen_is_asked_about() -> None:
    reading = read(laid(HAND, "7s", []), [known("chow", "3p 4p 5p")])
    assert (melds(reading), reading.wins) == ([("chow", "3p 4p 5p")], True)
    assert reading.melds[0].indices == ()
    assert doubts(reading) == ["hidden_set"]


def test_tiles_elsewhere_complete_no_set() -> None:
    """Two of a kind in the hand are not what is left of a set that lay at another place."""
    tiles = laid(HAND, "7s", ["5p 5p 5p"])
    reading = read(tiles, [known("pung", "5p 5p 5p"), known("pung", "2s 2s 2s", 1)])
    assert melds(reading)[0] == ("pung", "5p 5p 5p")
    assert sorted(reading.concealed) == sorted([*HAND.split(), "7s"])


def test_a_set_is_known_for_one_meld_alone() -> None:
    guess = MeldGuess("chow", ("1m", "2m", "3m"), 0.9)
    one = [known("chow", "1m 2m 3m")]
    assert twice([guess], one) == twice([guess], None) == 1.0
    assert twice([guess, guess], one) < 0.1
    assert twice([guess, guess], [*one, known("chow", "1m 2m 3m", 1)]) == 1.0
    assert held(guess, [known("pung", "1m 1m 1m")]) is None
    assert alike(one[0], "pung", ("1m",) * 3) == 0.0


def random_scene(rng: random.Random) -> tuple[list[str], list[list[str]], list[TileObservation]]:
    concealed, sets = random_win(rng)
    while not sets:
        concealed, sets = random_win(rng)
    tiles = laid(" ".join(concealed[:-1]), concealed[-1], [" ".join(each) for each in sets])
    return concealed, sets, tiles


def of_sets(sets: Sequence[Sequence[str]]) -> list[KnownSet]:
    return [known("pung" if len(set(s)) == 1 else "chow", " ".join(s), n) for n, s in enumerate(sets)]


def test_sets_that_agree_with_the_picture_change_no_right_reading() -> None:
    rng = random.Random(5)
    for _ in range(25):
        concealed, sets, tiles = random_scene(rng)
        alone, aided = read(tiles, None), read(tiles, of_sets(sets))
        right = sorted(alone.concealed) == sorted(concealed)
        assert right
        assert aided.hand_record() == alone.hand_record()
        assert set(doubts(aided)) <= set(doubts(alone))


def test_a_wrong_set_makes_no_wrong_hand_accepted() -> None:
    rng = random.Random(6)
    for _ in range(40):
        concealed, sets, tiles = random_scene(rng)
        wrong = of_sets(sets)
        number = rng.randrange(len(wrong))
        code = rng.choice(KINDS)
        kind = rng.choice(["pung", "kong_added", "kong_exposed", "kong_concealed"])
        count = 3 if kind == "pung" else 4
        wrong[number] = known(kind, " ".join([code] * count), number, sure_size=0.99)
        reading = read(tiles, wrong)
        truth = sorted(" ".join(sorted(each)) for each in sets)
        exact = sorted(" ".join(sorted(m.tiles)) for m in reading.melds) == truth
        assert (exact and sorted(reading.concealed) == sorted(concealed)) or reading.status == CONFIRM
