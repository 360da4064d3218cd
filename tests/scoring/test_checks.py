"""What cannot be a hand, and facts that contradict each other: an error naming the field and what is valid."""

from __future__ import annotations

import pytest
from score_helpers import context_from, hand_from, score_text

from scoring import ContextError, Hand, HandError, ScoringError, load_ruleset, read_ruleset, score_hand
from scoring.checks import _EXCLUSIVE
from scoring.flags import FLAGS

OPEN = "456m 789p 234s 678s 55p | chow:123m | "
CLOSED = "123m 456m 789p 234s 678s 55p | | "
KONG = "123m 456m 789p 678s 55p | kong_concealed:1111p | "
ALL = "f1f2f3f4f5f6f7f8"

NO_HAND = [
    ("123m 456m 789p 234s 678s 5p | | 5p", "", "concealed", "小相公"),
    ("123m 456m 789p 234s 678s 555p | | 5p", "", "concealed", "大相公"),
    ("123m 456m 789p 234s 678s 55p | chow:123m | 5p", "", "concealed", "20 tiles"),
    ("55555p 123m 456m 789p 678s | | 5p", "", "concealed", "more than four 5p"),
    ("555p 123m 456m 678s 99p | pung:555p | 5p", "", "concealed", "more than four 5p"),
    (
        "123m 456m 678s 99p | pung:555p kong_exposed:5555p".replace(" 99p", " 99s") + " | 9s",
        "",
        "melds",
        "more than four 5p",
    ),
    ("123m 456m 789p 234s 678s f1f2 | | 8s", "", "concealed", "flowers go into flowers"),
    (CLOSED + "9s", "", "win_tile", "not among the concealed"),
    (CLOSED + "", "", "win_tile", "name the tile"),
    (CLOSED + "8s", "f1f1", "flowers", "twice"),
]


@pytest.mark.parametrize(("hand", "flowers", "field", "says"), NO_HAND)
def test_no_hand(hand: str, flowers: str, field: str, says: str) -> None:
    with pytest.raises(ScoringError, match=says) as error:
        score_text(hand, "", flowers)
    assert error.value.field == field
    assert isinstance(error.value, HandError) or field == "win_tile"


CONTRADICTIONS = [
    (CLOSED + "8s", "rob_kong draw", "", "self_draw"),
    (CLOSED + "8s", "rob_concealed_kong draw", "", "self_draw"),
    (CLOSED + "5p", "rob_kong", "", "win_tile"),
    (KONG + "8s", "kong_replacement", "", "self_draw"),
    (CLOSED + "8s", "draw kong_replacement", "", "flags"),
    (KONG + "8s", "draw kong_replacement_open", "", "flags"),
    (KONG + "8s", "draw kong_replacement_added", "", "flags"),
    (CLOSED + "8s", "draw heavenly", "", "dealer"),
    (CLOSED + "8s", "heavenly dealer", "", "self_draw"),
    (KONG + "8s", "draw heavenly dealer", "", "flags"),
    (OPEN + "8s", "draw earthly", "", "flags"),
    (CLOSED + "8s", "draw earthly dealer", "", "dealer"),
    (CLOSED + "8s", "ready_initial dealer", "", "dealer"),
    (OPEN + "8s", "draw flower_replacement", "", "flags"),
    (OPEN + "8s", "flower_replacement", "f1", "flags"),
    (OPEN + "8s", "draw flower_win", "f1f2f3", "flowers"),
    (OPEN + "8s", "flower_win", ALL, "self_draw"),
    (OPEN + "8s", "rob_flower", "f1f2f3f4f5f6", "flowers"),
    (OPEN + "8s", "rob_flower_mode2", "f1f2f3f4f5", "flowers"),
    (OPEN + "8s", "lasttile", "", "flags"),
    *((CLOSED + "8s", f"{one} {other} draw dealer", ALL, "flags")
      for left, right, _ in _EXCLUSIVE for one in left for other in right),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "flowers", "field"), CONTRADICTIONS)
def test_contradiction(hand: str, facts: str, flowers: str, field: str) -> None:
    with pytest.raises(ContextError) as error:
        score_text(hand, facts, flowers)
    assert error.value.field == field
    assert str(error.value)


def test_unknown_flag_names_the_nearest() -> None:
    with pytest.raises(ContextError, match="last_tile"):
        score_text(CLOSED + "8s", "lasttile")


def test_exclusive_flags_exist() -> None:
    assert {flag for left, right, _ in _EXCLUSIVE for flag in (*left, *right)} <= set(FLAGS)


def test_dealer_may_have_the_earthly_win_of_the_online_table() -> None:
    """第二輪(前八張牌) is not limited to the other three in [003]."""
    assert score_text(CLOSED + "8s", "draw earthly dealer", "", "taipei-online").has("earthly")


HOUSE = """
name = "suits-only"
extends = "taiwan"
[tiles]
suits = ["m", "p", "s"]
flowers = false
[play]
contradictions = "exclusive"
"""


def test_tiles_the_set_does_not_have() -> None:
    rules = read_ruleset(HOUSE)
    with pytest.raises(HandError, match=r"E C: the suits-only set has none of these; it is played with m p s"):
        score_hand(hand_from("456m 789p 678s 55p EEE | pung:CCC | 8s"), context_from(""), rules)
    with pytest.raises(HandError, match="no flowers") as error:
        score_hand(hand_from(OPEN + "8s", "f1"), context_from(""), rules)
    assert error.value.field == "flowers"
    with pytest.raises(ContextError, match="cannot both"):
        score_hand(hand_from(OPEN + "8s"), context_from("last_tile rob_kong"), rules)
    assert score_hand(hand_from(OPEN + "8s"), context_from("rob_kong draw"), rules).wins


def test_face_down_tile_is_no_hand() -> None:
    tiles = (*hand_from(CLOSED + "8s").concealed[:16], "back")
    with pytest.raises(HandError, match="no playing tile"):
        score_hand(Hand(tiles), context_from(""), load_ruleset("taiwan"))
