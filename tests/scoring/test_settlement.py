"""Who pays: lines with their parts, dealer items on each line that touches the dealer, caps, flower wins, events."""

from __future__ import annotations

from typing import Any

import pytest
from score_helpers import score_text

from scoring import Score, Settlement, SettlementError, Stake, load_ruleset, settle, settle_events
from scoring.settlement import PART_NAMES, paid_winners

OPEN = "456m 789p 234s 678s 55p | chow:123m | "
CLOSED = "123m 456m 789p 234s 678s 55p | | "
JUNK = "1m9m1p9p2s5s7s8s EESSWWNCP | | P"
ALL, SEVEN = "f1f2f3f4f5f6f7f8", "f1f2f3f4f5f6f7"
STAKE = Stake(100, 20)


def paid(score: Score, winner: int, loser: int | None, dealer: int, stake: Stake = STAKE) -> Settlement:
    settlement = settle(score, winner=winner, loser=loser, dealer=dealer, stake=stake)
    assert sum(settlement.payments) == 0
    assert all(line.amount == sum(part.amount for part in line.parts) for line in settlement.lines)
    return settlement


# (hand, facts, flowers, winner, loser, dealer, net change of the four)
CASES: list[tuple[str, str, str, int, int | None, int, tuple[int, int, int, int]]] = [
    (OPEN + "8s", "", "", 1, 2, 0, (0, 140, -140, 0)),
    (OPEN + "8s", "", "", 1, 0, 0, (-160, 160, 0, 0)),
    (OPEN + "8s", "streak=2", "", 1, 0, 0, (-240, 240, 0, 0)),
    (OPEN + "8s", "streak=3", "", 1, 3, 0, (0, 140, 0, -140)),
    (OPEN + "8s", "dealer streak=1", "", 0, 3, 0, (200, 0, 0, -200)),
    (OPEN + "8s", "dealer streak=3 streak_shown=1", "", 0, 1, 0, (200, -200, 0, 0)),
    (OPEN + "8s", "dealer streak=1 streak_shown=3", "", 0, 1, 0, (200, -200, 0, 0)),
    (OPEN + "8s", "streak=3 streak_shown=1", "", 1, 0, 0, (-280, 280, 0, 0)),
    (CLOSED + "8s", "draw", "", 2, None, 0, (-180, -160, 500, -160)),
    (CLOSED + "8s", "draw streak=3 streak_shown=1", "", 2, None, 0, (-300, -160, 620, -160)),
    (CLOSED + "8s", "draw dealer heavenly", "", 3, None, 3, (-440, -440, -440, 1320)),
    (OPEN + "8s", "", "f1", 1, 2, 0, (0, 100, -100, 0)),
    (OPEN + "8s", "rob_kong", "", 1, 2, 0, (0, 160, -160, 0)),
    (JUNK, "draw flower_win streak=2", ALL, 1, None, 0, (-360, 880, -260, -260)),
    (JUNK, "rob_flower", SEVEN, 1, 2, 0, (0, 260, -260, 0)),
    (JUNK, "rob_flower streak=2", SEVEN, 1, 0, 0, (-360, 360, 0, 0)),
    (JUNK, "rob_flower dealer streak=1", SEVEN, 0, 2, 0, (320, 0, -320, 0)),
    (JUNK, "rob_flower_mode2", "f1f3f4f5f7f8", 1, 3, 0, (0, 260, 0, -260)),
    (OPEN + "8s", "draw rob_flower hand_complete", SEVEN, 1, 3, 0, (0, 300, 0, -300)),
    (OPEN + "8s", "draw rob_flower_mode2 hand_complete", "f1f3f4f5f7f8", 1, 3, 0, (-160, 600, -140, -300)),
]


@pytest.mark.parametrize(("hand", "facts", "flowers", "winner", "loser", "dealer", "change"), CASES)
def test_payments(
    hand: str, facts: str, flowers: str, winner: int, loser: int | None, dealer: int, change: tuple[int, ...]
) -> None:
    assert paid(score_text(hand, facts, flowers), winner, loser, dealer).payments == change


def test_parts_say_what_a_payment_is_made_of() -> None:
    line = paid(score_text(OPEN + "8s", "streak=2"), 1, 0, 0).lines[0]
    assert [(part.key, part.tai, part.amount) for part in line.parts] == [
        ("base", 0, 100),
        ("hand", 2, 40),
        ("dealer", 1, 20),
        ("streak", 4, 80),
    ]
    assert (line.payer, line.payee, line.amount, line.tai) == (0, 1, 240, 7)
    assert [part.names[0] for part in line.parts] == ["底", "牌面", "莊家", "連莊拉莊"]
    assert all(len(names) == 3 for names in PART_NAMES.values())


def test_three_pay_a_robbed_flower_where_the_option_says() -> None:
    score = score_text(JUNK, "rob_flower", SEVEN, rob_flower_payment="three")
    assert paid(score, 1, 2, 0).payments == (-280, 800, -260, -260)


def test_dealer_pays_nothing_extra_on_others_self_draw_where_the_option_says() -> None:
    score = score_text(CLOSED + "8s", "draw streak=3", dealer_pays_extra_on_others_self_draw=False)
    assert paid(score, 2, None, 0).payments == (-160, -160, 480, -160)
    own = score_text(CLOSED + "8s", "draw dealer streak=3", dealer_pays_extra_on_others_self_draw=False)
    assert paid(own, 0, None, 0).payments == (900, -300, -300, -300)
    discard = score_text(CLOSED + "8s", "streak=3", dealer_pays_extra_on_others_self_draw=False)
    assert paid(discard, 2, 0, 0).payments == (-300, 0, 300, 0)


FULL = "222s 444s 666s 888s 99s | pung:111s | 9s"


def test_cap_leaves_dealer_items_and_self_draw_outside() -> None:
    score = score_text(FULL, "draw dealer streak=3", "", "taipei-online")
    settlement = paid(score, 0, None, 0, Stake(100, 50))
    assert settlement.payments == (3900, -1300, -1300, -1300)
    assert settlement.payer_tai == {1: 24, 2: 24, 3: 24}


def test_cap_takes_dealer_items_in_where_the_option_says() -> None:
    score = score_text(FULL, "draw dealer streak=3", "", "taipei-online", dealer_items_in_cap=True)
    settlement = paid(score, 0, None, 0, Stake(100, 50))
    assert settlement.payer_tai == {1: 17, 2: 17, 3: 17}
    assert settlement.lines[0].parts[-1].key == "over_cap"


@pytest.mark.parametrize(
    ("scope", "change"),
    [("payers", (0, 950, -950, 0)), ("none", (0, 900, -900, 0)), ("all", (0, 1000, -950, -50))],
)
def test_locked_hands_pay_one_more(scope: str, change: tuple[int, ...]) -> None:
    """玩家眼牌後其他玩家胡牌則會被扣一台 [003]."""
    score = score_text(FULL, "eyed=1,2,3", "", "taipei-online", yanpai_penalty_scope=scope)
    assert paid(score, 1, 2, 0, Stake(100, 50)).payments == change


@pytest.mark.parametrize(
    ("hand", "facts", "flowers", "players", "field"),
    [
        (OPEN + "8s", "", "", (1, None, 0), "loser"),
        (OPEN + "8s", "", "", (1, 1, 0), "loser"),
        (OPEN + "8s", "", "", (4, 1, 0), "winner"),
        (OPEN + "8s", "", "", (1, -1, 0), "loser"),
        (OPEN + "8s", "", "", (1, 2, True), "dealer_player"),
        (OPEN + "8s", "", "", (1, 2, "0"), "dealer_player"),
        (OPEN + "8s", "", "", (1, 2, 1), "dealer_player"),
        (OPEN + "8s", "dealer", "", (1, 2, 0), "dealer_player"),
        (CLOSED + "8s", "draw", "", (1, 2, 0), "loser"),
        (JUNK, "draw flower_win", ALL, (1, 2, 0), "loser"),
        (JUNK, "rob_flower", SEVEN, (1, None, 0), "loser"),
        ("123m 456m 789p 234s 679s 55p | | 9s", "", "", (1, 2, 0), "wins"),
    ],
)
def test_refused(hand: str, facts: str, flowers: str, players: tuple[Any, Any, Any], field: str) -> None:
    with pytest.raises(SettlementError) as error:
        paid(score_text(hand, facts, flowers), *players)
    assert error.value.field == field


@pytest.mark.parametrize("values", [(-1, 20), (100, 1.5), (True, 20), ("100", 20)])
def test_stakes_are_whole_numbers(values: tuple[Any, Any]) -> None:
    with pytest.raises(SettlementError, match=r"stake\.(di|tai)"):
        Stake(*values)


def test_called_and_not_claimed() -> None:
    """喊碰未碰: 罚1台付予打出该牌(上家之舍牌除外)者 [000]."""
    rules = load_ruleset("taiwan")
    event: dict[str, Any] = {"kind": "喊碰未碰", "player": 1, "discarder": 3}
    assert settle_events([event], STAKE, rules).payments == (0, -20, 0, 20)
    assert settle_events([event | {"discarder": 0}], STAKE, rules).payments == (0, 0, 0, 0)
    assert settle_events([event, event | {"player": 2, "discarder": 0}], STAKE, rules).payments == (20, -20, -20, 20)
    assert settle_events([], STAKE, rules).payments == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("event", "ruleset", "says"),
    [
        ({"kind": "喊碰未碰", "player": 1, "discarder": 1}, "taiwan", "own discard"),
        ({"kind": "喊碰未碰", "player": 9, "discarder": 1}, "taiwan", "players are 0, 1, 2, 3"),
        ({"kind": "喊碰未碰", "discarder": 1}, "taiwan", "players are 0, 1, 2, 3"),
        ({"kind": "圍骰"}, "taiwan", "喊碰未碰"),
        ({}, "taiwan", "喊碰未碰"),
        ("喊碰未碰", "taiwan", "喊碰未碰"),
        ({"kind": "喊碰未碰", "player": 1, "discarder": 3}, "taipei-online", "it has none"),
    ],
)
def test_no_such_event(event: Any, ruleset: str, says: str) -> None:
    with pytest.raises(SettlementError, match=says):
        settle_events([event], STAKE, load_ruleset(ruleset))


def test_nearest_winner_is_paid() -> None:
    """多家同时和牌时,离放铳者顺序较近者优先和牌 [000]."""
    rules = load_ruleset("taiwan")
    assert paid_winners(rules, [0, 3], loser=2) == (3,)
    assert paid_winners(rules, [1, 0], loser=3) == (0,)
    assert paid_winners(load_ruleset("taiwan", {"multi_ron": "all"}), [0, 3, 1], loser=2) == (3, 0, 1)
    for winners in ([], [2], [5]):
        with pytest.raises(SettlementError):
            paid_winners(rules, winners, loser=2)
