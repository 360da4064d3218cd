"""Who deals next in the mainland rulesets ([004]): winners, discarders, dice. Registered for the ruleset files."""

from __future__ import annotations

from dataclasses import replace

from scoring.kong_money import deal_over
from scoring.match import NEXT_DEALER, DrawEvent, MatchState, WinEvent, next_hand
from scoring.settlement import paid_winners


def winner_deals(state: MatchState, event: WinEvent | DrawEvent) -> MatchState:
    """谁胡牌下盘当庄家; the match table says who after several wins and after a draw. 荒番 is counted where it says so.

    下局若有胡则*2,若下局不胡继续追加荒番 … 每有人胡1次则荒番减1 [上海].
    """
    table = state.rules.match
    drawn = state.drawn_games
    if isinstance(event, DrawEvent):
        drawn += 1
        dealer = state.dealer if table["draw_dealer"] == "stays" else event.player
    else:
        drawn = max(0, drawn - 1)
        dealer = event.winners[0] if len(event.winners) == 1 else _after_several(state, event)
    return next_hand(replace(state, drawn_games=drawn if table.get("counts_draws") else 0), dealer)


def _after_several(state: MatchState, event: WinEvent) -> int | None:
    """Who deals after several wins at once.

    通炮: 下轮由放炮玩家当庄家; 起手后2个或2个以上的玩家胡: 中鸟的玩家 [长沙]; 点炮者最近的一个胡牌者下家 [上海].
    """
    if event.loser is None:
        return event.bird
    mode = state.rules.match["several_winners"]
    mode = state.rules.options.get(mode, mode)
    if mode == "discarder":
        return event.loser
    nearest = paid_winners(state.rules, event.winners, event.loser)[0]
    return nearest if mode == "nearest" else (nearest + 1) % 4


def battle(state: MatchState, event: WinEvent | DrawEvent) -> MatchState:
    """血战: the hand goes on until three have won or the wall ends; 每局投骰. 非血战: 点炮者坐庄,流局则连庄 [四川]."""
    options = state.rules.options
    if isinstance(event, WinEvent):
        out = (*state.out, *event.winners)
        if not deal_over(state.rules, out):
            return replace(state, out=out)
    if options["xuezhan"]:
        return next_hand(state, None)
    if isinstance(event, DrawEvent):
        return next_hand(state, state.dealer)
    if event.loser is not None:
        return next_hand(state, event.loser)
    return next_hand(state, state.dealer if options["self_draw_dealer"] == "stays" else event.winners[0])


NEXT_DEALER |= {"winner": winner_deals, "battle": battle}
