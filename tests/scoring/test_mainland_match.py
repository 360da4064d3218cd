"""Who deals next in the mainland rulesets, and whole matches of random legal events: no contradiction, sums of zero."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hands_mainland import make_case, with_wilds
from oracle_mainland import MainlandCase

from scoring import (
    DealerDrawn,
    DrawEvent,
    FalseWinEvent,
    Hand,
    MatchError,
    MatchState,
    Meld,
    Stake,
    WinContext,
    WinEvent,
    advance,
    load_ruleset,
    score_hand,
    settle,
    start_match,
)
from scoring.kong_money import Deal, declare_kong, draw, win
from scoring.match import Event, replay
from scoring.settlement import Line, Settlement

CHANGSHA, SHANGHAI = load_ruleset("changsha"), load_ruleset("shanghai")
SICHUAN, NINGBO = load_ruleset("sichuan"), load_ruleset("ningbo")


# --- who deals next --------------------------------------------------------------------------------------------------


def test_changsha_winner_deals() -> None:
    """以后谁胡牌,下局谁做庄."""
    state = advance(start_match(CHANGSHA), WinEvent((2,), 1))
    assert (state.dealer, state.streak, state.hand_number, state.round_wind) == (2, 0, 2, "E")
    assert advance(state, WinEvent((2,))).streak == 1


def test_changsha_several_winners() -> None:
    """通炮: 由放炮玩家当庄家; 起手后2个以上的玩家胡: 中鸟的玩家下局当庄家."""
    state = start_match(CHANGSHA)
    assert advance(state, WinEvent((0, 3), 2)).dealer == 2
    assert advance(state, WinEvent((0, 3), dealt=True, bird=1)).dealer == 1
    assert advance(state, WinEvent((3,), dealt=True)).dealer == 3
    unknown = advance(state, WinEvent((0, 3), dealt=True))
    assert not unknown.dealer_known
    assert advance(unknown, DealerDrawn(3)).dealer == 3


@pytest.mark.parametrize("reason", ["wall", "last_tile_taken", "last_tile_refused", "last_tile_replaced"])
def test_changsha_last_tile(reason: str) -> None:
    """要了海底牌后却没人胡, 第一个可以选择海底牌, 补海底牌: that player deals."""
    state = advance(start_match(CHANGSHA), DrawEvent(reason, 3))
    assert (state.dealer, state.dealer_known) == (3, True)
    assert not advance(start_match(CHANGSHA), DrawEvent(reason)).dealer_known


def test_shanghai() -> None:
    """谁胡牌下盘当庄家,若流局则上盘庄家下盘继续当庄家; 点炮者最近的一个胡牌者下家为下盘庄家."""
    state = start_match(SHANGHAI, 1)
    assert advance(state, WinEvent((3,), 0)).dealer == 3
    assert advance(state, DrawEvent()).dealer == 1
    assert advance(state, WinEvent((0, 3), 2)).dealer == 0
    nearest = start_match(load_ruleset("shanghai", {"shanghai_several_winners": "nearest"}), 1)
    assert advance(nearest, WinEvent((0, 3), 2)).dealer == 3


def test_shanghai_counts_drawn_games() -> None:
    """荒番: 第3局还是和局那么第4局为荒番(3) … 第5局为荒番(2)."""
    state, seen = start_match(SHANGHAI), []
    for event in (
        DrawEvent(),
        DrawEvent(),
        DrawEvent(),
        WinEvent((0,)),
        WinEvent((0, 1), 2),
        WinEvent((0,)),
        WinEvent((0,)),
    ):
        state = advance(state, event)
        seen.append(state.drawn_games)
    assert seen == [1, 2, 3, 2, 1, 0, 0]
    assert advance(start_match(CHANGSHA), DrawEvent(player=0)).drawn_games == 0


def test_ningbo() -> None:
    """庄家糊牌,则庄家继续做庄,闲家糊牌,则庄家的下一家坐庄; 荒庄,则庄家继续坐庄; 圈风顺序: 东南西北,周而复始."""
    state = start_match(NINGBO)
    assert advance(state, WinEvent((0,))).dealer == advance(state, DrawEvent()).dealer == 0
    winds = []
    for _ in range(20):
        winds.append(state.round_wind)
        state = advance(state, WinEvent(((state.dealer + 1) % 4,)))
    assert winds == ["E"] * 4 + ["S"] * 4 + ["W"] * 4 + ["N"] * 4 + ["E"] * 4
    assert [state.seat_wind(player) for player in range(4)] == ["E", "S", "W", "N"]
    assert not state.finished
    with pytest.raises(MatchError, match="nearest to the discarder"):
        advance(state, WinEvent((0, 1), 2))


def test_sichuan_battle() -> None:
    """1家胡了并不结束该局; 每局投骰."""
    state = advance(start_match(SICHUAN), WinEvent((2,), 1))
    assert (state.out, state.hand_number, state.dealer_known) == ((2,), 1, True)
    with pytest.raises(MatchError, match="player 2 has won"):
        advance(state, WinEvent((2,)))
    with pytest.raises(MatchError, match="player 2 has won"):
        advance(state, WinEvent((0,), 2))
    with pytest.raises(MatchError, match="player 0 deals"):
        advance(state, DealerDrawn(1))
    after = advance(state, WinEvent((0, 1), 3))
    assert (after.out, after.hand_number, after.dealer_known) == ((), 2, False)
    dice = advance(after, DealerDrawn(3))
    assert (dice.dealer, dice.dealer_known, dice.seat_wind(3)) == (3, True, "E")
    assert advance(advance(start_match(SICHUAN), FalseWinEvent(1)), DrawEvent()).hand_number == 2


def test_sichuan_without_battle() -> None:
    """第二局起点炮者坐庄,流局则连庄."""
    rules = load_ruleset("sichuan", {"xuezhan": False})
    state = start_match(rules)
    assert advance(state, WinEvent((2,), 1)).dealer == 1
    assert advance(state, DrawEvent()).dealer == 0
    assert advance(state, WinEvent((2,))).dealer == 2
    stays = load_ruleset("sichuan", {"xuezhan": False, "self_draw_dealer": "stays"})
    assert advance(start_match(stays), WinEvent((2,))).dealer == 0


def test_contradictions() -> None:
    with pytest.raises(MatchError, match="dealt"):
        advance(start_match(NINGBO), WinEvent((0,), dealt=True))
    with pytest.raises(MatchError, match="dealt"):
        advance(start_match(CHANGSHA), WinEvent((0,), 1, dealt=True))
    with pytest.raises(MatchError, match="players are 0"):
        advance(start_match(CHANGSHA), DrawEvent("wall", 4))


# --- matches ---------------------------------------------------------------------------------------------------------

FLAGS = {
    "changsha": ["last_tile", "last_tile_discard", "kong_discard_dice", "rob_kong"],
    "ningbo": ["last_tile", "rob_kong", "kong_replacement"],
    "shanghai": ["last_tile", "kaibao", "huangfan", "kong_replacement"],
    "sichuan": ["last_tile", "kong_discard", "rob_kong", "kong_replacement"],
}
CLAIMS = ["pung", "kong_exposed", "kong_added", "kong_concealed"]


def _case(rng: random.Random, state: MatchState, winner: int, drawn: bool) -> MainlandCase:
    name = state.rules.name
    case = make_case(rng, honours=state.rules.flowers, claims=CLAIMS, flags=FLAGS[name])
    case.drawn, case.dealer = drawn, winner == state.dealer
    case.seat, case.round = state.seat_wind(winner), state.round_wind
    case.flags = set()
    return with_wilds(rng, case) if name == "ningbo" else case


def _won(rng: random.Random, state: MatchState, winner: int, loser: int | None) -> tuple[int, ...] | None:
    """Payments of a random hand won by that player; None where it does not win."""
    case = _case(rng, state, winner, loser is None)
    extra: dict[str, Any] = {"won": list(state.out)} if state.out else {}
    if state.rules.name == "changsha":
        extra["bird_number"] = rng.randint(1, 9)
    if state.rules.name == "shanghai":
        extra = {"huangfan": state.drawn_games, "contractor": [rng.choice([p for p in range(4) if p != winner])]}
    hand = Hand(
        tuple(case.concealed),
        tuple(Meld(kind, tuple(tiles)) for kind, tiles in case.melds),
        tuple(case.flowers),
        case.win,
    )
    context = WinContext(
        case.drawn, case.seat, case.round, case.dealer, wild=tuple(case.wild), extra=tuple(extra.items())
    )
    score = score_hand(hand, context, state.rules)
    if not score.wins:
        return None
    return settle(score, winner=winner, loser=loser, dealer=state.dealer, stake=Stake(1, 2)).payments


def _event(rng: random.Random, state: MatchState) -> tuple[Event, tuple[int, ...]]:
    """A legal event in this state, and what it pays."""
    nobody = (0, 0, 0, 0)
    if not state.dealer_known:
        return DealerDrawn(rng.randrange(4)), nobody
    roll = rng.random()
    if roll < 0.15:
        return DrawEvent(rng.choice(state.rules.match["draws"]), rng.choice([None, 0, 1, 2, 3])), nobody
    if roll < 0.2 and len(state.false_winners) < 3:
        return FalseWinEvent(rng.choice([p for p in range(4) if p not in state.false_winners])), nobody
    free = [player for player in range(4) if player not in (*state.out, *state.false_winners)]
    while True:
        if not free:
            return DrawEvent(), nobody
        winner = rng.choice(free)
        loser = rng.choice([None, *(p for p in range(4) if p not in (*state.out, winner))])
        paid = _won(rng, state, winner, loser)
        if paid:
            return WinEvent((winner,), loser), paid


@pytest.mark.parametrize("name", sorted(FLAGS))
def test_a_match_of_a_thousand_hands(name: str) -> None:
    rng = random.Random(77)
    state = start = start_match(load_ruleset(name))
    events, totals = [], [0] * 4
    while state.hand_number <= 1000:
        event, paid = _event(rng, state)
        following = advance(state, event)
        assert sum(paid) == 0
        totals = [before + change for before, change in zip(totals, paid, strict=True)]
        assert following.hand_number - state.hand_number in (0, 1)
        assert following.dealer in range(4)
        assert len(set(following.out)) == len(following.out) < 3
        assert following.drawn_games >= 0
        assert not following.finished
        assert sorted(following.seat_wind(player) for player in range(4)) == ["E", "N", "S", "W"]
        if following.east_known and following.dealer_known:
            assert following.seat_wind(following.dealer) == "E"
        state = following
        events.append(event)
    assert sum(totals) == 0
    assert any(totals)
    assert replay(start, events) == state


def _deal_step(rng: random.Random, deal: Deal) -> tuple[Deal, tuple[Line, ...]]:
    playing = list(deal.playing)
    player = rng.choice(playing)
    others = [other for other in playing if other != player]
    roll = rng.random()
    if roll < 0.5:
        kind = rng.choice(["zhigang", "miangang", "angang"])
        feeder = rng.choice(others) if kind == "zhigang" else None
        return declare_kong(deal, kind, player, feeder, robbed=kind == "miangang" and rng.random() < 0.2)
    if roll < 0.8:
        loser = rng.choice([None, *others])
        after_kong = loser is not None and any(kong.holder == loser and not kong.moved for kong in deal.kongs)
        return win(deal, {player: 2 ** rng.randint(0, 4)}, loser, after_kong=after_kong)
    ready = [one for one in playing if rng.random() < 0.5]
    pigs = [one for one in playing if one not in ready and rng.random() < 0.5]
    after, settled = draw(deal, ready, pigs, {one: 2 ** rng.randint(0, 4) for one in ready})
    return after, settled.lines


@pytest.mark.parametrize("options", [{}, {"sichuan_direct_kong": "everyone"}, {"xuezhan": False}])
def test_a_thousand_deals_of_sichuan(options: dict[str, Any]) -> None:
    """Every step sums to zero, touches nobody who is out, and a robbed or returned kong leaves nothing behind."""
    rng = random.Random(5)
    rules = load_ruleset("sichuan", options)
    for _ in range(1000):
        deal, lines = Deal(rules), []
        while not deal.over:
            out = set(deal.out)
            deal, more = _deal_step(rng, deal)
            assert all(line.payer not in out and line.amount > 0 for line in more)
            lines += more
        assert sum(Settlement(tuple(lines)).payments) == 0
        assert len(deal.out) <= (3 if rules.options["xuezhan"] else 1)
