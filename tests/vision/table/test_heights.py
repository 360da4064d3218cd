"""What height does to how tiles are seen over a table: hands with the boxes as they were found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from vision.decode_reading import ReadingRules, read_observations
from vision.ghosts import cloth_pattern
from vision.layout_raised import standing
from vision.observation import TableReading, TileObservation
from vision.table import SEATS, TableCalibration, from_seat, owned, to_seat
from vision.table_eye import Eye, eye_of

RULES = ReadingRules(budget_s=1.0)  # these tests run beside others
#: From low down at the left: sides of the winning tile and of a chow look like backs.
SIDES = """f8 310 254 355 316, f7 359 255 404 316, 1m 311 342 356 404, 1m 359 342 405 403, 7m 409 344 455 406,
7m 457 344 504 406, 7m 506 344 551 405, 8m 555 338 602 400, 8m 606 342 651 403, 8m 655 342 701 403, 9m 705 341 750 402,
9m 753 343 799 404, 9m 802 344 847 405, E 850 339 896 401, E 900 343 946 404, back 958 348 992 400,
1m 992 356 1053 402 86, back 1419 331 1464 400, 5m 1463 341 1510 403, 6m 1509 346 1553 406, 7m 1557 344 1601 405"""
SIDES_EYE = Eye(-838, -307, 1588)
#: A fourth 2s lies on the right one, seen from nearly straight above.
ON_THE_RIGHT = """f8 170 152 199 190, 1p 200 203 228 241, f1 201 151 229 189, f4 231 152 260 190, 1p 170 208 199 246,
1p 229 206 258 243, 2p 260 205 288 242, 3p 290 206 318 243, 4p 319 206 348 243, 4p 349 206 378 243, 4p 379 206 407 243,
4p 408 207 438 244, 7p 439 207 467 244, 7p 469 205 498 243, 1s 499 206 528 244, 1s 529 205 558 243, 7p 586 207 615 244,
2s 875 205 903 242, 2s 904 206 932 244, 2s 934 207 960 245"""
ON_THE_RIGHT_EYE = Eye(941, 105, 2500)
#: The upper 4p hides the third one.
HIDES_ONE = """f2 242 202 278 250, 4m 242 277 278 326, 4m 280 276 317 325, 4m 318 278 354 327, 5m 357 276 393 324,
5m 394 276 430 325, 6m 433 275 470 324, 7m 471 276 508 325, C 509 277 546 324, C 547 276 583 324, C 585 274 621 323,
P 623 277 660 325, P 662 275 698 322, P 699 277 735 325, 3m 773 276 809 325, 4p 1173 277 1208 326,
4p 1237 282 1280 334"""
HIDES_ONE_EYE = Eye(-517, -269, 1979)
#: The upper 8p, sideways, seems to lie apart, in the neighbour's corner.
APART = """8m 311 343 362 407, W 365 343 417 406, W 421 343 473 406, W 477 343 529 406, 8m 581 343 632 407,
P 973 343 1025 408, P 1025 343 1077 408, P 1076 343 1128 407, N 1169 343 1222 407, N 1223 356 1287 407 273,
N 1287 343 1339 407, E 1392 343 1443 407, E 1443 343 1494 407, E 1495 343 1546 407, 8p 1588 343 1639 408,
8p 1640 342 1691 408, 8p 1712 327 1780 379"""
APART_EYE = Eye(745, 1759, 1784)
APART_CORNERS = ((277.0, 93.0), (1368.0, 16.0), (1819.0, 870.0), (101.0, 1064.0))
#: One back of four was not found.
THREE_BACKS = """f4 184 174 210 208, f7 215 172 242 207, 6s 183 225 209 260, 6s 214 224 240 259, 6s 245 224 272 259,
9s 276 224 302 259, 9s 306 226 333 261, 9s 336 224 363 259, S 366 224 393 258, S 398 225 425 260, C 431 226 458 259,
C 462 225 488 259, C 495 225 522 259, F 526 225 553 259, F 556 225 583 259, S 612 233 648 259 277, back 919 225 945 260,
back 947 226 972 261, back 973 225 999 258"""
THREE_BACKS_EYE = Eye(628, -194, 1948)

#: The upper P, sideways at the left, hides a strip of the middle one.
HIDES_A_STRIP = """f2 249 210 291 261, 3m 250 287 290 339, 4p 291 287 332 338, 4p 332 287 373 338, 5p 374 287 415 338,
5p 416 287 456 338, 6p 457 288 498 339, 6p 499 288 540 339, 2s 542 287 581 338, 2s 583 288 622 338, 2s 624 288 664 338,
S 665 288 706 338, S 707 288 748 339, S 749 288 790 338, 3m 830 299 882 339 271, P 1275.7 286.1 1325.7 325.9,
P 1325.4 287.5 1362.2 335.4, P 1364.0 287.3 1403.2 337.6"""
HIDES_A_STRIP_EYE = Eye(776, 1094, 2065)

#: Of the middle 1p only the middle was boxed; the winning tile lies apart.
A_PART = """5m 164 201 189 236, f1 165 154 188 188, f5 188 150 212 184, 6m 189 201 214 236, 7m 213 199 239 233,
7m 238 197 263 232, 8m 263 204 289 238, 8m 288 202 312 235, 8m 314 204 339 239, 9m 339 198 364 231, 1p 364 204 387 232,
1p 391 210 411 229, 1p 414 203 438 234, 3s 441 202 465 235, 4s 464 200 488 234, 5s 490 202 515 236, 5s 514 203 537 238,
6s 538 199 564 232, 4s 588 204 614 238"""
A_PART_EYE = Eye(1542, 695, 1850)


def tiles(text: str) -> list[TileObservation]:
    """Tiles written as code, box and, where known, angle."""
    out = []
    for word in text.replace("\n", " ").split(","):
        code, x1, y1, x2, y2, *angle = word.split()
        box = (float(x1), float(y1), float(x2), float(y2))
        odds = ((code, 0.999), ("W" if code != "W" else "N", 1e-5))
        out.append(TileObservation(code, box, 0.96, odds, float(angle[0]) if angle else None))
    return out


def read(seen: list[TileObservation], eye: Eye | None) -> TableReading:
    return read_observations(seen, (1900, 620), RULES, upright=0.0, eye=eye)


def melds(reading: TableReading) -> list[tuple[str, str]]:
    return sorted((meld.kind, meld.tiles[0]) for meld in reading.melds)


def test_the_side_of_a_tile_is_no_tile() -> None:
    reading = read(tiles(SIDES), SIDES_EYE)
    assert reading.wins
    assert reading.win_tile == "1m"
    assert melds(reading) == [("chow", "5m")]


def test_a_back_beside_a_chow_is_left_out_wherever_the_camera_is() -> None:
    assert melds(read(tiles(SIDES), None)) == [("chow", "5m")]


def test_a_box_that_holds_a_part_of_a_tile_does_not_show_it_lying_sideways() -> None:
    reading = read(tiles(A_PART), A_PART_EYE)
    assert (reading.win_tile, reading.status) == ("4s", "accepted")


def test_what_lies_on_a_fourth_tile_is_asked() -> None:
    doubts = [doubt.kind for doubt in read(tiles(ON_THE_RIGHT), ON_THE_RIGHT_EYE).doubts]
    assert doubts == ["stacked"]
    # From straight above nothing tells it; from aslant a set with no tile off its place is a pung.
    flat = [tile for tile in tiles(ON_THE_RIGHT) if tile.code != "2s"]
    flat += tiles("2s 875 206 903 244, 2s 904 206 932 244, 2s 933 206 961 244")
    assert [doubt.kind for doubt in read(flat, ON_THE_RIGHT_EYE).doubts] == ["stacked"]
    assert read(flat, Eye(-300, 1500, 1600)).status == "accepted"


def test_what_the_picture_around_the_tiles_shows_settles_what_places_leave_open() -> None:
    flat = tiles(ON_THE_RIGHT)
    others = [replace(tile, stacked=-6.0) if tile.code == "2s" else tile for tile in flat]
    stacked = [*others[:-1], replace(others[-1], stacked=6.0)]
    assert melds(read(stacked, ON_THE_RIGHT_EYE)) == [("kong_added", "2s")]
    assert melds(read(others, ON_THE_RIGHT_EYE)) == [("pung", "2s")]
    assert read(others, ON_THE_RIGHT_EYE).status == "accepted"


def test_a_kong_whose_upper_tile_hides_the_third() -> None:
    reading = read(tiles(HIDES_ONE), HIDES_ONE_EYE)
    assert melds(reading) == [("kong_added", "4p")]
    assert reading.wins
    assert "stacked" in {doubt.kind for doubt in reading.doubts}


def test_a_tile_seen_smaller_than_its_like_is_partly_hidden_by_a_raised_one() -> None:
    seen = tiles(HIDES_A_STRIP)
    assert melds(read(seen, HIDES_A_STRIP_EYE)) == [("kong_added", "P")]
    # Flush with the upper edges of two that show whole, as few lay it, it is first taken for a pung.
    whole = [*seen[:-2], *tiles("P 1325.8 287.5 1365.8 337.8, P 1366.5 287.3 1406.5 337.6")]
    assert melds(read(whole, HIDES_A_STRIP_EYE)) == [("pung", "P")]


def test_an_upper_tile_that_seems_to_lie_apart_belongs_to_its_kong() -> None:
    reading = read(tiles(APART), APART_EYE)
    assert melds(reading) == [("kong_added", "8p"), ("pung", "E"), ("pung", "N"), ("pung", "P")]
    assert reading.win_tile == "8m"


def test_an_upper_tile_in_the_neighbours_corner_is_its_own_players() -> None:
    calibration = TableCalibration("bench", (1920, 1080), APART_CORNERS)
    mine = owned(calibration.zone(0), tiles(APART), calibration)
    assert Counter(tile.code for tile in mine)["8p"] == 3


def test_a_concealed_kong_of_which_one_back_was_not_found_is_asked_about() -> None:
    reading = read(tiles(THREE_BACKS), THREE_BACKS_EYE)
    assert melds(reading) == [("kong_concealed", "back")]
    assert reading.wins
    assert "hidden_kong" in {doubt.kind for doubt in reading.doubts}


def test_three_faces_and_a_back_are_asked_about() -> None:
    """A pung beside which a side is seen, or a concealed kong: it is not told."""
    hand = [tile for tile in tiles(SIDES) if tile.box[0] < 950]
    pung = tiles("1m 992 356 1053 402 86, 2p 1419 343 1464 405, 2p 1465 343 1510 405, 2p 1511 343 1556 405")
    reading = read([*hand, *pung, *tiles("back 1557 343 1602 405")], None)
    assert reading.status == "confirm"


def test_the_eye_is_where_the_camera_is() -> None:
    """A table of side 1, seen from (0.8, 1.7) at a height of 1.5 through lenses of several focal lengths."""
    for focal in (0.8, 1.0, 1.4):
        place, size = np.array([0.8, 1.7, -1.5]), (1920, 1080)
        ahead = np.array([0.5, 0.5, 0.0]) - place
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, [0.0, 0.0, -1.0])
        right /= np.linalg.norm(right)
        turn = np.stack([right, np.cross(ahead, right), ahead])
        lens = np.array([[focal * 1920, 0, 960], [0, focal * 1920, 540], [0, 0, 1.0]])
        matrix = lens @ np.column_stack([turn[:, 0], turn[:, 1], -turn @ place])
        eye = eye_of(matrix, size)
        assert (eye.x, eye.y, eye.height) == pytest.approx((0.8, 1.7, 1.5), abs=0.05)
        # A point raised by a tenth is seen where the eye says.
        raised = lens @ (turn @ (np.array([0.2, 0.3, -0.1]) - place))
        flat = np.linalg.solve(matrix, raised)
        told = np.array([[0.2, 0.3]]) + eye.shift(np.array([[0.2, 0.3]]), 0.0, 0.1)
        assert told[0] == pytest.approx(flat[:2] / flat[2], abs=0.005)


def test_every_zone_has_its_own_view_of_the_same_eye() -> None:
    calibration = TableCalibration("bench", (1920, 1080), APART_CORNERS)
    eyes = []
    for seat in SEATS:
        zone = calibration.zone(seat)
        scale = zone.size[0] / 1.08
        a, d = zone.eye.x / scale - 0.04, 0.31 - zone.eye.y / scale
        eyes.append(from_seat(seat, np.array([[a, d]]))[0])
        assert to_seat(seat, eyes[-1].reshape(1, 2))[0] == pytest.approx([a, d])
    assert np.ptp(np.array(eyes), axis=0).max() < 0.01


def test_the_tops_of_a_standing_hand_are_no_faces_that_lie() -> None:
    """Some of them, taken for a blank 白, beside a discard; in a hand only the winning tile lies sideways."""
    tops = [(224.0 + 28 * k, 229.0, 249.0 + 28 * k, 244.0) for k in range(4)]
    assert standing([*tops, (451.0, 0.0, 488.0, 24.0)], Eye(884, -534, 2536))
    assert standing([(100.0, 200.0, 126.0, 235.0), (150.0, 209.0, 185.0, 235.0)], Eye(884, -534, 2536)) is False
    assert standing([(150.0, 209.0, 185.0, 235.0)], Eye(884, -534, 2536)) is False


@pytest.mark.parametrize(("height", "stands"), [(29.0, True), (40.0, False)])
def test_a_standing_hand_seen_from_behind_its_player(height: float, stands: bool) -> None:
    """From there a standing face is seen 26 pixels high, one that lies 40."""
    boxes = [(100.0 + 30 * k, 300.0, 130.0 + 30 * k, 300.0 + height) for k in range(13)]
    assert standing(boxes, Eye(300, 1000, 1050)) is stands
    assert standing(boxes, Eye(300, 1000, 650)) is None, "from lower down both look alike"
    assert standing(boxes, Eye(300, -200, 1050)) is False, "from the far side no standing face is seen"
    assert standing([], Eye(300, 1000, 1050)) is None


def test_the_pattern_of_a_cloth_is_no_tiles() -> None:
    rings = [TileObservation("1p", (40.0 * k, 10.0, 40.0 * k + 30, 50.0), 0.75, (("1p", 1.0),)) for k in range(60)]
    own = TileObservation("1p", (0.0, 100.0, 30.0, 140.0), 0.96, (("1p", 1.0),))
    assert cloth_pattern([*rings, own]) == frozenset(range(60))
    assert cloth_pattern(rings[:4]) == frozenset()
    assert cloth_pattern([replace(tile, code="back") for tile in rings]) == frozenset()


def test_a_hands_own_tiles_misread_alike_are_no_pattern_of_the_cloth() -> None:
    """As three 六萬 of a row out of focus were read as 七萬 beside four, and taken out of the hand."""
    codes = ["f7", *["7m"] * 7, "1m", "2m", "3m", "1m", "1m", "8m", "9m"]
    sure = [0.92, 0.92, 0.89, 0.93, 0.93, 0.86, 0.89, 0.92, 0.92, 0.91, 0.92, 0.93, 0.94, 0.94, 0.92]
    row = [
        TileObservation(code, (48.0 * k, 330.0, 48.0 * k + 50, 420.0), p, ((code, 1.0),))
        for k, (code, p) in enumerate(zip(codes, sure, strict=True))
    ]
    assert cloth_pattern(row) == frozenset()
    apart = [replace(tile, box=(60.0 * k, 330.0, 60.0 * k + 50, 420.0)) for k, tile in enumerate(row)]
    assert cloth_pattern(apart) == frozenset({2, 5, 6})


#: Discards lie near each other, far from the hand, whose second chow has the same tiles as the first.
DISCARDS = """f3 245 185 280 231, 4m 185 262 221 308, 4m 222 262 258 308, 3p 259 262 295 308, 4p 297 262 332 308,
5p 334 262 370 308, 7p 372 262 408 308, 8p 409 262 445 308, 6p 494 261 530 308, 7p 760 270 806 306 90,
8p 808 262 843 309, 9p 845 263 880 309, C 921 261 957 308, C 959 261 994 308, C 996 261 1032 308,
C 1034 261 1069 308, 7p 1086 261 1121 308, 8p 1123 261 1158 308, 9p 1160 261 1196 307, P 354 312 388 351,
C 625 0 669 34, 7p 734 0 786 31 78, 2p 676 0 729 37 180"""


def test_discards_that_lie_near_each_other_do_not_join_the_hand() -> None:
    *seen, blank, red, seven, two = tiles(DISCARDS)
    unsure = [
        replace(blank, confidence=0.81, alternatives=(("P", 0.944), ("back", 0.056))),
        replace(red, confidence=0.94, alternatives=(("C", 0.993), ("1m", 0.006))),
        replace(seven, confidence=0.82, alternatives=(("7p", 0.865), ("6p", 0.135))),
        replace(two, confidence=0.79, alternatives=(("2p", 0.953), ("1p", 0.031))),
    ]
    reading = read([*seen, *unsure], Eye(1542, -221, 2131))
    assert [kind for kind, _ in melds(reading)] == ["chow", "chow", "kong_exposed"]
    assert reading.win_tile == "6p"


def test_the_tops_of_a_standing_hand_are_no_concealed_kongs() -> None:
    """With two pungs and the sides of two tiles of the wall for a pair they made a hand in play a win."""
    lying = [(785, 212), (811, 211), (836, 220), (894, 213), (919, 211), (944, 210)]
    there = [
        *(("5m" if x < 850 else "S", (x, y, x + (32 if y == 220 else 25), 246), 0.95) for x, y in lying),
        *(
            ("back", (x, y, x + 26, y + 11), 0.58)
            for x, y in ((229, 214), (279, 215), (303, 214), (329, 214), (354, 214))
        ),
        *(("back", (x, 227, x + 25, 242), 0.29) for x in (331, 357, 382)),
        *(("P", (x, 228, x + 25, 242), 0.28) for x in (230, 256)),
        *(("P", (x, y, 950, y + 24), 0.56) for x, y in ((935, 120), (934, 146))),
    ]
    tiles = [TileObservation(code, box, sure, ((code, 1.0),)) for code, box, sure in there]
    reading = read_observations(tiles, (1000, 330), upright=0.0, eye=Eye(500.0, 2600.0, 3000.0))
    assert not reading.wins
    assert all(meld.kind != "kong_concealed" for meld in reading.melds)
