"""Settlements without a hand, as records state them: 荒番 and 承包 of Shanghai, a deal of Sichuan.

A ruleset's `settlement.cases` names one of CASES. A record is either one case, its fields at the top, or (Sichuan) a
whole deal in `events`, each with the fields of a case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from scoring.errors import SettlementError, nearest
from scoring.kong_money import KONGS, Deal, DrawPayments, deal_over, declare_kong, draw, forced_win, pass_on, win
from scoring.payouts import LeWin
from scoring.ruleset import Ruleset
from scoring.settlement import Line, Players, Settlement, check_player

Record = Mapping[str, Any]
Answer = dict[str, Any]
Settled = tuple[Answer, tuple[Line, ...] | None]
Case = Callable[[Record, Ruleset], Settled]
"""What a case answers, and its payments in points; None where it asks something that nobody pays for."""

_KINDS = {
    "ron": "ron", "点炮": "ron", "點炮": "ron", "discard": "ron",
    "self_draw": "self_draw", "zimo": "self_draw", "自摸": "self_draw",
    "rob_kong": "rob_kong", "抢杠": "rob_kong", "搶槓": "rob_kong", "qianggang": "rob_kong",
}  # fmt: skip
CASE_FIELDS: dict[str, frozenset[str]] = {
    "shanghai": frozenset({"games", "kind", "points", "winners", "contractor", "contractors", "mutual", "konger"}),
    "sichuan": frozenset(
        {
            "base", "events", "kong", "konger", "feeder", "mode", "won", "robbed", "robbed_by", "rob_kong",
            "call_transfer_to", "kind", "winners", "points", "after_kong", "end", "ting", "pigs", "max_fan",
            "winners_so_far", "wall_left", "ting_hit", "dingque_rules",
        }
    ),
}  # fmt: skip
"""The fields each kind of case reads."""


def _win_kind(record: Record) -> str:
    kind = record.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise SettlementError(f"kind {kind!r}: {nearest(kind, _KINDS)}", "kind")
    return _KINDS[kind]


def _whole(value: object, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SettlementError(f"{field} {value!r}: a whole number from 0", field)
    return value


def _players(value: object, field: str) -> tuple[int, ...]:
    """None, one player, or a list of players."""
    if value is None:
        return ()
    listed = value if isinstance(value, list | tuple) else [value]
    return tuple(check_player(player, field) for player in listed)


def _by_player(value: object, field: str) -> dict[int, int]:
    if not isinstance(value, Mapping) or not set(map(str, value)) <= set("0123"):
        raise SettlementError(f'{field} {value!r}: an object by player, such as {{"2": 4}}', field)
    return {int(player): _whole(number, field) for player, number in value.items()}


def _points_of(record: Record) -> dict[int, int]:
    """Points of each winner: `winner` or `winners`, with one number for all or one by player."""
    winners = _players(record.get("winners", record.get("winner")), "winner")
    if not winners:
        raise SettlementError("winner: name the player who won (0, 1, 2 or 3)", "winner")
    points = record.get("points", 1)
    each = _by_player(points, "points") if isinstance(points, Mapping) else dict.fromkeys(winners, points)
    return {winner: _whole(each.get(winner), "points") for winner in winners}


# --- Shanghai --------------------------------------------------------------------------------------------------------


def huangfan(games: Iterable[object]) -> tuple[list[int], int]:
    """荒番 standing before each game, and after the last: a draw adds one, 每有人胡1次则荒番减1."""
    before, counter = [], 0
    for game in games:
        if game not in ("draw", "win"):
            raise SettlementError(f"games {game!r}: each game is draw or win", "games")
        before.append(counter)
        counter = counter + 1 if game == "draw" else max(0, counter - 1)
    return before, counter


def shanghai(record: Record, rules: Ruleset) -> Settled:
    """荒番 over `games`, or the payments, in points, of one win of `points` a share."""
    games = record.get("games")
    if games is not None:
        before, after = huangfan(games if isinstance(games, list | tuple) else [games])
        return {"huangfan_before": before, "huangfan_after": after}, None
    kind = _win_kind(record)
    contractors = _players(record.get("contractors", record.get("contractor")), "contractor")
    if record.get("mutual"):  # 若两人各自相互有承包和被承包关系,那么重复计算
        contractors *= 2
    loser = record.get("loser", record.get("konger"))
    if (loser is None) != (kind == "self_draw"):
        raise SettlementError(
            f"loser {loser!r}: name who discarded or whose kong was robbed; null on a self-draw", "loser"
        )
    lines: list[Line] = []
    for winner, points in _points_of(record).items():
        Players(winner, loser, winner)
        if winner in contractors:
            raise SettlementError(f"contractor {winner}: the winner answers for nobody here", "contractor")
        lines += LeWin(points, winner, loser, kind == "rob_kong", contractors).lines(rules)
    return {}, tuple(lines)


# --- Sichuan ---------------------------------------------------------------------------------------------------------


def _kong(deal: Deal, record: Record) -> tuple[Deal, tuple[Line, ...]]:
    everyone = _mode(record.get("mode"))
    konger = check_player(record.get("konger"), "konger")
    robbed = bool(record.get("robbed") or record.get("rob_kong")) or record.get("robbed_by") is not None
    kind = record.get("kong", record.get("kind"))
    deal, lines = declare_kong(deal, str(kind), konger, record.get("feeder"), robbed=robbed, everyone=everyone)
    to = record.get("call_transfer_to")
    if to is None:
        return deal, lines
    winner = check_player(to, "call_transfer_to")
    if winner in (konger, *deal.out):
        raise SettlementError(f"call_transfer_to {winner}: another player, who is still in", "call_transfer_to")
    deal, passed = pass_on(deal, konger, winner)
    return deal, lines + passed


def _mode(mode: object) -> bool | None:
    """Whether all pay a kong of a discard, as the record says; None where it leaves that to the option."""
    modes = {"家家有": True, "everyone": True, "承包制": False, "feeder": False}
    if mode is None:
        return None
    if not isinstance(mode, str) or mode not in modes:
        raise SettlementError(f"mode {mode!r}: 家家有 or 承包制", "mode")
    return modes[mode]


def _win(deal: Deal, record: Record) -> tuple[Deal, tuple[Line, ...]]:
    kind, loser = _win_kind(record), record.get("loser")
    if (loser is None) != (kind == "self_draw"):
        raise SettlementError(f"loser {loser!r}: name who discarded; null on a self-draw", "loser")
    return win(deal, _points_of(record), loser, after_kong=bool(record.get("after_kong")))


def _draw(deal: Deal, record: Record) -> tuple[Deal, DrawPayments]:
    best = record.get("max_fan")
    known = None if best is None else _by_player(best, "max_fan")
    ready, pigs = _players(record.get("ting"), "ting"), _players(record.get("pigs"), "pigs")
    if known is None and ready:  # without their best hands only pigs and refunds can be told
        known = dict.fromkeys(ready, 0)
    return draw(deal, ready, pigs, known)


def _sichuan_event(deal: Deal, record: Record, answer: Answer) -> tuple[Deal, tuple[Line, ...]]:
    lines: tuple[Line, ...] = ()
    kind = record.get("kind")
    if record.get("kong") is not None or (isinstance(kind, str) and kind in KONGS):
        deal, lines = _kong(deal, record)
    elif kind not in (None, "draw"):
        deal, lines = _win(deal, record)
    if "draw" in (record.get("end"), kind):
        deal, settled = _draw(deal, record)
        answer["kong_refund"] = _net(settled.refunds)
        if record.get("max_fan") is None and record.get("ting"):
            answer["payments_need"] = "max_fan: the highest possible multiple of each ready player"
        lines += settled.lines
    return deal, lines


def _net(lines: Iterable[Line]) -> dict[str, int]:
    return {str(player): change for player, change in enumerate(Settlement(tuple(lines)).payments)}


def sichuan(record: Record, rules: Ruleset) -> Settled:
    """A deal of Sichuan: one event with its fields at the top, or several in `events`; or what ends or forces a win."""
    if "winners_so_far" in record:
        return {"deal_over": deal_over(rules, _players(record["winners_so_far"], "winners_so_far"))}, None
    if "wall_left" in record:
        left, free = _whole(record["wall_left"], "wall_left"), record.get("dingque_rules")
        return {"forced_win": forced_win(rules, left, bool(record.get("ting_hit")), free)}, None
    answer: Answer = {}
    deal, lines = Deal(rules, out=_players(record.get("won"), "won")), list[Line]()
    events = record.get("events", [record])
    if not isinstance(events, list | tuple) or not all(isinstance(event, Mapping) for event in events):
        raise SettlementError('events: a list of objects such as {"kind": "下雨", "konger": 0}', "events")
    for event in events:
        deal, more = _sichuan_event(deal, event, answer)
        lines += more
    answer["deal_over"] = deal.over
    return answer, tuple(lines)


CASES: dict[str, Case] = {"shanghai": shanghai, "sichuan": sichuan}
