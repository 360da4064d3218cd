"""拉: winnings carried from hand to hand, and the payments between wins, with the text's own numbers."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from typing import Any

import pytest
from score_helpers import VECTORS, context_from, hand_from

from scoring import (
    Settlement,
    SettlementError,
    Stake,
    load_ruleset,
    score_hand,
    score_record,
    settle,
    settle_events,
)
from scoring.carry import Carry, carry_answer, carry_of, carry_win, settle_carry, win_of_event
from scoring.settlement import Line, event_names, paid_winners

RULES = load_ruleset("hk-taiwan")
STAKE = Stake(10, 1)


def money(*amounts: float) -> tuple[Decimal, ...]:
    return tuple(Decimal(str(amount)) for amount in amounts)


def carried(*wins: dict[str, Any], options: dict[str, Any] | None = None) -> tuple[Carry, list[tuple[Decimal, ...]]]:
    """The state after these wins, and what each of them moved."""
    rules = load_ruleset("hk-taiwan", options or {})
    state, moved = Carry(), []
    for win in wins:
        step = carry_win(state, win_of_event(win, STAKE), rules, STAKE)
        state = step.state
        moved.append(step.payments)
        assert sum(step.payments) == 0
    return state, moved


FIRST = {"winner": 0, "loser": None, "fan": 16}
SECOND = {"winner": 0, "loser": None, "fan": 10}


def test_the_printed_example_from_26_to_59_to_half() -> None:
    """位位輸廿六蚊 … 則位位需先加十三蚊,然後再多輸廿蚊,共五十九蚊 … 某丙只需付 …;另外兩家 … 各付 … 五十九蚊."""
    state, _ = carried(FIRST)
    assert state == Carry(0, money(0, 26, 26, 26))
    state, moved = carried(FIRST, SECOND)
    assert state == Carry(0, money(0, 59, 59, 59))
    assert moved == [money(0, 0, 0, 0)] * 2
    state, moved = carried(FIRST, SECOND, {"winner": 2, "loser": 0, "fan": 5})
    assert moved[2] == money(147.5, -59, -29.5, -59)
    assert state == Carry(2, money(15, 0, 0, 0))


def test_the_printed_half_is_one_fan_less() -> None:
    """廿八個半: half of 59 is 29.5; the option keeps the printed figure."""
    for value in ("28.5", 28.5):
        _, moved = carried(FIRST, SECOND, {"winner": 2, "loser": 0, "fan": 5}, options={"hk_half_slip": value})
        assert moved[2] == money(146.5, -59, -28.5, -59)


def test_not_eaten_again_neither_grows_nor_pays() -> None:
    """若先前羸家繼續羸,但食另一家,則所有輸家仍然毋須交收."""
    state, moved = carried({"winner": 0, "loser": 1, "fan": 20}, {"winner": 0, "loser": 2, "fan": 5})
    assert state == Carry(0, money(0, 30, 15, 0))
    assert moved == [money(0, 0, 0, 0)] * 2


def test_eaten_again_grows_by_half_first() -> None:
    state, _ = carried({"winner": 0, "loser": 1, "fan": 20}, {"winner": 0, "loser": 1, "fan": 5})
    assert state.owed == money(0, 60, 0, 0)


def test_another_player_wins_off_another_loser() -> None:
    """直至有其他一家食胡,方需要交收; half only for who eats the winner himself."""
    state, moved = carried({"winner": 0, "loser": None, "fan": 10}, {"winner": 1, "loser": 2, "fan": 0})
    assert moved[1] == money(60, -20, -20, -20)
    assert state == Carry(1, money(0, 0, 10, 0))


def test_who_owed_nothing_pays_nothing() -> None:
    state, moved = carried({"winner": 0, "loser": 1, "fan": 20}, {"winner": 3, "loser": None, "fan": 1})
    assert moved[1] == money(30, -30, 0, 0)
    assert state == Carry(3, money(11, 11, 11, 0))


def test_a_self_draw_eats_the_winner_too() -> None:
    _, moved = carried({"winner": 0, "loser": 1, "fan": 20}, {"winner": 1, "loser": None, "fan": 4})
    assert moved[1] == money(15, -15, 0, 0)


def test_debts_are_exact_to_the_cent() -> None:
    """Half of 52.25 is 26.125: the half cent is rounded up where it arises."""
    owed = [carried(*[{"winner": 0, "loser": 1, "fan": 1}] * times)[0].owed[1] for times in range(1, 6)]
    assert owed == list(money(11, 27.5, 52.25, 89.38, 145.07))


def test_the_end_of_a_match_pays_everything() -> None:
    state, _ = carried(FIRST, SECOND)
    step = settle_carry(state)
    assert step.payments == money(177, -59, -59, -59)
    assert step.state == Carry()
    assert settle_carry(Carry()).payments == money(0, 0, 0, 0)


def test_wins_of_real_hands_are_carried() -> None:
    """The 48番 hand from the dealer: 10 + 48."""
    score = score_hand(hand_from("44p 789p 123456789s 789m | | 8m"), context_from(""), RULES)
    win = settle(score, winner=1, loser=2, dealer=2, stake=STAKE)
    assert win.payer_tai == {2: 48}
    assert carry_win(Carry(), win, RULES, STAKE).state == Carry(1, money(0, 0, 58, 0))


def test_reasons_name_the_sums() -> None:
    step = carry_win(Carry(0, money(0, 26, 26, 26)), win_of_event(SECOND, STAKE), RULES, STAKE)  # type: ignore[arg-type]
    assert next(reason.text("en") for reason in step.reasons) == (
        "player 2 is eaten by player 1 again: 26, half as much more 13, and 20: 59"
    )
    step = carry_win(step.state, win_of_event({"winner": 2, "loser": 0, "fan": 5}, STAKE), RULES, STAKE)
    told = [reason.text("zh-Hant") for reason in step.reasons]
    assert told == [
        "玩家 2 付玩家 1 59",
        "玩家 3 食返玩家 1,所欠 59 只付 29.5",
        "玩家 4 付玩家 1 59",
        "玩家 1 欠玩家 3 15",
    ]
    assert all(reason.text("zh-Hans") for reason in step.reasons)


def test_random_matches_sum_to_zero_and_replay_alike() -> None:
    rng = random.Random(7)
    for _ in range(20):
        wins = []
        for _ in range(50):
            winner = rng.randrange(4)
            others = [player for player in range(4) if player != winner]
            wins.append({"winner": winner, "loser": rng.choice([None, *others]), "fan": rng.randrange(60)})
        state, moved = carried(*wins)
        assert carried(*wins) == (state, moved)
        assert sum(sum(step) for step in [*moved, settle_carry(state).payments]) == 0
        assert state.owed[wins[-1]["winner"]] == 0
        assert carry_of(json.loads(json.dumps(carry_answer(state)["carry_state"]))) == state


@pytest.mark.parametrize(
    ("winner", "owed"),
    [(4, (0, 0, 0, 0)), (0, (1, 0, 0, 0)), (None, (0, 1, 0, 0)), (0, (0, -1, 0, 0)), (0, (0, 0, 0))],
)
def test_a_state_that_cannot_be_is_refused(winner: Any, owed: tuple[int, ...]) -> None:
    with pytest.raises(SettlementError, match="carry_state"):
        Carry(winner, money(*owed))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ({"winner": 4, "fan": 1}, "events.winner"),
        ({"winner": 0, "loser": 0, "fan": 1}, "loser"),
        ({"winner": 0, "loser": 5, "fan": 1}, "loser"),
        ({"winner": 0, "loser": 1}, "events.fan"),
        ({"winner": 0, "loser": 1, "fan": -1}, "events.fan"),
        ({"winner": 0, "loser": 1, "fan": True}, "events.fan"),
        ({"winner": 0, "loser": 1, "payer_tai": {"2": 1}}, "events.payer_tai"),
        ({"winner": 0, "loser": 1, "payer_tai": [1]}, "events.payer_tai"),
    ],
)
def test_a_win_that_cannot_be_is_refused(event: dict[str, Any], field: str) -> None:
    with pytest.raises(SettlementError) as caught:
        win_of_event(event, STAKE)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "value", [3, [], {"winner": 0}, {"winner": 0, "owed": {"7": 1}}, {"winner": 0, "owed": {"1": "x"}}]
)
def test_a_state_of_json_that_cannot_be_is_refused(value: object) -> None:
    with pytest.raises(SettlementError, match="carry_state"):
        carry_of(value)


def test_payments_that_are_not_one_win_are_not_carried() -> None:
    for lines in ((), (Line(1, 0, 5, 5, ()), Line(0, 1, 5, 5, ()))):
        with pytest.raises(SettlementError, match="one win"):
            carry_win(Carry(), Settlement(lines), RULES, STAKE)


def test_taiwanese_wins_are_paid_at_once() -> None:
    win = win_of_event(FIRST, STAKE)
    with pytest.raises(SettlementError, match="nothing is carried over"):
        carry_win(Carry(), win, load_ruleset("taiwan"), STAKE)


# --- records ---------------------------------------------------------------------------------------------------------


def record(*events: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "ruleset": "hk-taiwan",
        "hand_kind": "settlement",
        "stake": {"di": 10, "tai": 1},
        "events": list(events),
        **more,
    }


def test_a_record_carries_on_from_a_state() -> None:
    first = score_record(record(FIRST))
    assert first["carry"] == {"1": 26, "2": 26, "3": 26}
    second = score_record(record(SECOND, carry_state=first["carry_state"]))
    assert second["carry"] == {"1": 59, "2": 59, "3": 59}
    assert second["carry_winner"] == 0
    assert second["steps"][0][0]["zh"] == "玩家 2 再被玩家 1 食糊:26 多輸五成 13,再加 20,共欠 59"
    assert "ignored" not in second


def test_a_record_pays_events_at_once_and_carries_wins() -> None:
    answer = score_record(
        record({"kind": "暗槓", "player": 1}, FIRST, {"winner": 1, "payer_tai": {"0": 3, "2": 4, "3": 5}})
    )
    assert answer["settlement"] == {"0": 65, "1": -13, "2": -26, "3": -26}
    assert answer["payments"] == {"0": 55, "1": 17, "2": -36, "3": -36}
    assert answer["carry"] == {"0": 13, "2": 14, "3": 15}


def test_a_record_with_a_state_that_cannot_be_is_answered_with_an_error() -> None:
    assert score_record(record(FIRST, carry_state={"winner": 0}))["field"] == "carry_state"


def settlement_vectors() -> list[Any]:
    if not VECTORS.is_file():
        return []
    rows = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
    wanted = [row for row in rows if row["ruleset"] == "hk-taiwan" and row.get("hand_kind") == "settlement"]
    return [pytest.param(row, id=row["id"]) for row in wanted]


@pytest.mark.shared
@pytest.mark.parametrize("vector", settlement_vectors())
def test_settlement_vector(vector: dict[str, Any]) -> None:
    """Through the library, and through the record contract."""
    stake = Stake(**vector["stake"])
    answer = score_record(vector)
    if "expected_payments" in vector:
        payments = settle_events(vector["events"], stake, RULES).payments
        assert {str(player): change for player, change in enumerate(payments)} == vector["expected_payments"]
        assert answer["payments"] == vector["expected_payments"]
        return
    state, moved = Carry(), money(0, 0, 0, 0)
    for event in vector["events"]:
        step = carry_win(state, win_of_event(event, stake), RULES, stake)
        state = step.state
        moved = tuple(before + change for before, change in zip(moved, step.payments, strict=True))
    expected = vector["expected_carry"]
    assert {str(player): float(amount) for player, amount in enumerate(state.owed) if amount} == expected
    assert state.winner == vector["carry_winner"]
    assert answer["carry"] == expected
    assert answer["carry_winner"] == vector["carry_winner"]
    if "expected_settlement" in vector:
        assert {str(player): float(amount) for player, amount in enumerate(moved)} == vector["expected_settlement"]
        assert answer["settlement"] == vector["expected_settlement"]


# --- payments between wins -------------------------------------------------------------------------------------------

EVENTS = [
    ("圍骰", (30, -10, -10, -10), "每人即付擲圍骰者 1個底"),
    ("四隻在檯", (-30, 10, 10, 10), "第一個打出即付其他人 1個底"),
    ("一台花", (30, -10, -10, -10), "每人即付 1個底"),
    ("暗槓", (30, -10, -10, -10), "每人即付1個底"),
    ("暗槓忘記出示", (-60, 20, 20, 20), "即付每人2個底"),
    ("叫錯碰", (-30, 10, 10, 10), "即付每人 1個底"),
    ("詐糊", (-60, 20, 20, 20), "詐糊者賠每家二十番"),
    ("诈糊", (-60, 20, 20, 20), "simplified"),
    ("false win", (-60, 20, 20, 20), "English"),
]


@pytest.mark.parametrize(("kind", "payments", "quote"), EVENTS)
def test_event(kind: str, payments: tuple[int, ...], quote: str) -> None:
    settlement = settle_events([{"kind": kind, "player": 0}], STAKE, RULES)
    assert settlement.payments == payments, quote
    assert kind in settlement.lines[0].parts[0].names


def test_events_known_and_unknown() -> None:
    assert event_names(RULES) == tuple(kind for kind, _, _ in EVENTS[:7])
    with pytest.raises(SettlementError, match="圍骰"):
        settle_events([{"kind": "圍毆", "player": 0}], STAKE, RULES)
    with pytest.raises(SettlementError, match=r"events\.player"):
        settle_events([{"kind": "圍骰"}], STAKE, RULES)
    with pytest.raises(SettlementError, match="unknown"):
        settle_events(["圍骰"], STAKE, RULES)  # type: ignore[list-item]


# --- dealer items, several winners -----------------------------------------------------------------------------------

WIN = "567m 345p 678s 789p 99s | chow:234m | 8s"


def paid(facts: str, winner: int, loser: int | None, dealer: int, **options: Any) -> dict[int, int]:
    rules = load_ruleset("hk-taiwan", options)
    score = score_hand(hand_from(WIN), context_from(facts), rules)
    settlement = settle(score, winner=winner, loser=loser, dealer=dealer, stake=STAKE)
    assert sum(settlement.payments) == 0
    return settlement.payer_tai


def test_dealer_items_by_payer() -> None:
    """莊 1番; 臨庄(連一) 3, (連二) 5, (連三) 7, whether the dealer wins or pays."""
    assert paid("", 1, 2, 0) == {2: 15}
    assert paid("", 1, 0, 0) == {0: 16}
    assert [paid(f"streak={streak}", 1, 0, 0)[0] for streak in (1, 2, 3)] == [18, 20, 22]
    assert paid("streak=1 draw", 1, None, 0) == {0: 19, 2: 16, 3: 16}
    assert paid("streak=1 draw", 1, None, 0, dealer_pays_extra_on_others_self_draw=False) == {0: 16, 2: 16, 3: 16}
    assert paid("dealer draw seat=E", 0, None, 0) == {1: 17, 2: 17, 3: 17}


def test_dealer_items_may_fall_under_a_cap() -> None:
    assert paid("streak=3", 1, 0, 0, cap=16) == {0: 22}
    assert paid("streak=3", 1, 0, 0, cap=16, dealer_items_in_cap=True) == {0: 16}


def test_eight_flowers_are_paid_by_all() -> None:
    hand = hand_from("1m9m1p9p2s5s7s8sEESSWWNCP | | P", "f1f2f3f4f5f6f7f8")
    score = score_hand(hand, context_from("draw eight_flowers"), RULES)
    assert settle(score, winner=1, loser=None, dealer=0, stake=STAKE).payer_tai == {0: 41, 2: 40, 3: 40}


def test_thirteen_orphans_are_not_cut() -> None:
    """十三么理應冇得截糊; every other second winner is."""
    assert paid_winners(RULES, [3, 1], 0) == (1,)
    assert paid_winners(RULES, [3, 1], 0, {3: "orphans_set", 1: "standard"}) == (1, 3)
    assert paid_winners(RULES, [3, 1], 0, {1: "orphans_set"}) == (1,)
    assert paid_winners(load_ruleset("hk-taiwan", {"multi_ron": "all"}), [3, 1], 0) == (1, 3)
