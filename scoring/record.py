"""One JSON object in, one out: a hand as the vectors write it, and its score, reason or error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from scoring.answer import Answer, no_win, payment_answer, score_answer, violation_answer
from scoring.carry import Carry, carry_answer, carry_of, carry_win, number, win_of_event
from scoring.cases import CASE_FIELDS, CASES
from scoring.errors import HandError, ScoringError, SettlementError, nearest
from scoring.errors_zh import error_zh
from scoring.extras import EXTRAS
from scoring.facts import wild_codes
from scoring.flags import FLAG_BIT
from scoring.hand import Hand, Meld, WinContext
from scoring.messages import message
from scoring.patterns.taiwan import ROB_FLOWER_MODE2
from scoring.payouts import scaled
from scoring.ruleset import Ruleset, load_ruleset
from scoring.score import Score, score_hand
from scoring.settlement import Settlement, Stake, check_player, settle, settle_events
from scoring.tells import told
from scoring.tiles import check_code, parse_tiles
from scoring.violations import Violation

DEFAULT_RULESET = "taiwan"
HAND_KINDS = ("hand", "initial", "settlement")
_HAND_FIELDS = frozenset(
    {
        "id", "ruleset", "options", "hand_kind", "concealed", "melds", "flowers", "win_tile", "self_draw", "seat_wind",
        "round_wind", "dealer", "streak", "flags", "winner", "loser", "dealer_player", "stake",
    }
)  # fmt: skip
_EVENT_FIELDS = frozenset({"id", "ruleset", "options", "hand_kind", "stake", "events", "carry_state"})
_ANSWER_FIELDS = frozenset(
    {"wins", "reason", "confidence", "text", "text_printed", "depends_on", "carry_winner", "tai_if_shape_counted"}
)
_ASSUMED = {"ruleset": DEFAULT_RULESET, "self_draw": False, "seat_wind": "E", "round_wind": "E"}

Record = Mapping[str, Any]


def score_record(record: object) -> Answer:
    """Scores one JSON object of the record contract and answers with one.

    A win: wins, total, items, split, waits, not_counted, unmet, and payments when players and stake are given. No win:
    wins false, reason. Either way `violations`: play rules that were broken, with what follows. Malformed: `error`,
    `error_zh` and `field`, nothing else. `ignored` names what this ruleset does not know,
    `assumed` what was missing and taken as its default. Never raises for bad input.
    """
    if not isinstance(record, Mapping):
        return _error(None, HandError(f"{type(record).__name__}: each line is one JSON object"))
    identity = record.get("id")
    try:
        rules = load_ruleset(record.get("ruleset", DEFAULT_RULESET), _options(record))
        kind = record.get("hand_kind") or "hand"
        if kind == "settlement":
            return {"id": identity, **_settle_events(record, rules)}
        if kind == "initial" and rules.known_flags & FLAG_BIT["initial"]:
            record = {**record, "flags": [*_list(record, "flags"), "initial"], "self_draw": True}
        elif kind != "hand":
            raise HandError(f"hand_kind {kind!r} is unknown in {rules.name}; {nearest(kind, HAND_KINDS)}", "hand_kind")
        return {"id": identity, **_score(record, rules)}
    except ScoringError as error:
        return _error(identity, error)


def score_json(line: str) -> Answer:
    """As score_record, from a line of JSON text; text that is no JSON is answered with an error."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return _error(None, HandError(f"not JSON: {error}; each line is one JSON object"))
    return score_record(record)


def _error(identity: object, error: ScoringError) -> Answer:
    return {"id": identity, "error": str(error), "error_zh": error_zh(error), "field": error.field}


def hand_of(record: Record) -> Hand:
    """The hand of a record. Raises ScoringError naming the field that is no hand."""
    if "concealed" not in record:
        raise HandError("concealed is missing: a list of tile codes, the winning tile included", "concealed")
    melds = tuple(_meld(meld) for meld in _list(record, "melds"))
    win_tile = record.get("win_tile")
    if win_tile is not None and not isinstance(win_tile, str):
        raise HandError(f"win_tile {win_tile!r}: one tile code such as 5p, or null", "win_tile")
    return Hand(_tiles(record, "concealed"), melds, _tiles(record, "flowers"), win_tile)


def context_of(record: Record, rules: Ruleset) -> WinContext:
    """The facts of the win in a record. Raises ScoringError naming the field at fault."""
    known = rules.play.get("fields", ())
    given = {name: record[name] for name in known if record.get(name) is not None and name != "robbed_player"}
    optional = {name: value for name, value in given.items() if name not in EXTRAS}
    optional["extra"] = tuple((name, value) for name, value in given.items() if name in EXTRAS)
    for name in ("meld_from", "eyed_players"):
        if name in optional:
            optional[name] = tuple(_list(record, name))
    if "wild" in optional:
        optional["wild"] = _wild(record)
    for name in ("table_kongs", "discards_count"):
        if name in optional:
            optional[name] = _whole(record, name)
    for wind in ("seat_wind", "round_wind", "flower_seat"):
        if not isinstance(record.get(wind, "E"), str | None):
            raise HandError(f"{wind} {record[wind]!r}: one of E, S, W, N", wind)
    flags = _list(record, "flags")
    if not all(isinstance(flag, str) for flag in flags):
        raise HandError("flags: a list of names, such as last_tile", "flags")
    return WinContext(
        self_draw=_boolean(record, "self_draw"),
        seat_wind=record.get("seat_wind") or "E",
        round_wind=record.get("round_wind") or "E",
        dealer=_dealer(record),
        streak=_whole(record, "streak"),
        flags=frozenset(flags),
        **optional,
    )


def _wild(record: Record) -> tuple[str, ...]:
    """The wildcards, a flower standing for its colour."""
    return wild_codes(tuple(check_code(code, "wild") for code in _tiles(record, "wild")))


def _score(record: Record, rules: Ruleset) -> Answer:
    context = context_of(record, rules)
    if context.wild and _wild_melded(record, context.wild):
        answer: Answer = {"ruleset": rules.name, "wins": False, "total": 0, "unit": rules.unit}
        reason = message("wild_in_meld")
        return (
            answer | no_win(reason) | {"violations": [violation_answer(Violation(reason.code, reason, "no_win", True))]}
        )
    score = score_hand(hand_of(record), context, rules)
    answer = score_answer(score)
    answer |= _payments(record, score)
    ignored = _ignored(record, rules, _HAND_FIELDS | set(rules.play.get("fields", ())))
    if ignored:
        answer["ignored"] = ignored
    assumed = {name: value for name, value in _ASSUMED.items() if record.get(name) is None}
    if assumed:
        answer["assumed"] = assumed
    return answer


def _wild_melded(record: Record, wild: tuple[str, ...]) -> bool:
    """Whether a meld holds a wildcard, set or not: that is an error of play, not a wrong tile."""
    melds = [meld for meld in _list(record, "melds") if isinstance(meld, Mapping) and meld.get("tiles") is not None]
    return any(code in wild for meld in melds for code in _tiles({"melds": meld["tiles"]}, "melds"))


def _payments(record: Record, score: Score) -> Answer:
    """What the ruleset tells beside the total, and payments where players and stake are given and the hand wins.

    What is still needed is said. Where the ruleset fixes what a point is worth, no stake need be given, and where the
    total is what the winner gets, it follows the payments.
    """
    given = {name: record.get(name) for name in ("winner", "loser", "dealer_player", "robbed_player")}
    for name, player in given.items():
        if player is not None:
            check_player(player, name)
    winner, dealer = given["winner"], given["dealer_player"]
    if dealer is None and score.facts.context.dealer:
        dealer = winner
    stake, rules, answer = _stake(record), score.rules, told(score, dealer)
    if stake is None and "stake" in rules.settlement and winner is not None:
        stake = Stake(*rules.settlement["stake"])
    if stake is None or not score.wins:
        return answer
    if dealer is None and winner is not None and not rules.settlement.get("dealer_matters", True):
        dealer = (winner + 1) % 4
    loser = given["loser"] if given["robbed_player"] is None else given["robbed_player"]
    if winner is None:
        return answer | {"payments_need": "winner: the player (0, 1, 2 or 3) who won"}
    if dealer is None:
        return answer | {"payments_need": "dealer_player: the player (0, 1, 2 or 3) who deals"}
    if loser is None and score.facts.flags & ROB_FLOWER_MODE2:
        return answer | {"payments_need": "robbed_player: the player (0, 1, 2 or 3) whose flower was robbed"}
    settlement = settle(score, winner=winner, loser=loser, dealer=dealer, stake=stake)
    if rules.total.get("received"):
        answer["total"] = sum(line.tai for line in settlement.lines)
    return answer | payment_answer(settlement)


def _stake(record: Record) -> Stake | None:
    stake = record.get("stake")
    if stake is None:
        return None
    if not isinstance(stake, Mapping) or set(stake) != {"di", "tai"}:
        raise SettlementError(f'stake {stake!r}: an object such as {{"di": 100, "tai": 20}}', "stake")
    return Stake(stake["di"], stake["tai"])


def _settle_events(record: Record, rules: Ruleset) -> Answer:
    cases = rules.settlement.get("cases")
    if cases is not None:
        return _settle_case(record, rules, cases)
    stake = _stake(record)
    if stake is None:
        raise SettlementError('stake is missing: an object such as {"di": 100, "tai": 20}', "stake")
    events = _list(record, "events")
    if any(_is_win(event) for event in events):
        answer = _carried(events, stake, rules, carry_of(record.get("carry_state")))
    else:
        answer = payment_answer(settle_events(events, stake, rules))
    answer = {"ruleset": rules.name, **answer}
    ignored = _ignored(record, rules, _EVENT_FIELDS | _HAND_FIELDS)
    return answer | ({"ignored": ignored} if ignored else {})


def _settle_case(record: Record, rules: Ruleset, cases: str) -> Answer:
    """A settlement stated without a hand (scoring.cases), in points or, with a stake or a base, in money."""
    stake = _stake(record) or Stake(0, _whole(record, "base") or 1)
    answer, lines = CASES[cases](record, rules)
    if lines is not None:
        answer |= payment_answer(Settlement(scaled(lines, stake.tai)))
    ignored = _ignored(record, rules, _HAND_FIELDS | CASE_FIELDS[cases])
    return {"ruleset": rules.name, **answer} | ({"ignored": ignored} if ignored else {})


def _is_win(event: object) -> bool:
    return isinstance(event, Mapping) and "winner" in event


def _carried(events: list[Any], stake: Stake, rules: Ruleset, state: Carry) -> Answer:
    """Wins carried over, with events paid at once among them: what moved, why, and what stands afterwards."""
    at_once = settle_events((event for event in events if not _is_win(event)), stake, rules)
    net = [Decimal(change) for change in at_once.payments]
    settled = [Decimal(0)] * 4
    steps = []
    for event in events:
        if _is_win(event):
            step = carry_win(state, win_of_event(event, stake), rules, stake)
            state = step.state
            settled = [before + change for before, change in zip(settled, step.payments, strict=True)]
            steps.append([{"zh": why.text("zh-Hant"), "en": why.text("en")} for why in step.reasons])
    both = [one + other for one, other in zip(net, settled, strict=True)]
    return {
        "payments": {str(player): number(amount) for player, amount in enumerate(both)},
        "settlement": {str(player): number(amount) for player, amount in enumerate(settled)},
        **carry_answer(state),
        "steps": steps,
    }


def _ignored(record: Record, rules: Ruleset, known: frozenset[str] | set[str]) -> list[str]:
    """Fields and flags that the ruleset does not know; what belongs to the answer is passed over."""
    fields = [
        str(name)
        for name in record
        if name not in known and name not in _ANSWER_FIELDS and not str(name).startswith("expect")
    ]
    flags = [f"flags.{flag}" for flag in record.get("flags") or () if not FLAG_BIT.get(flag, 0) & rules.known_flags]
    return sorted(fields + flags)


def _options(record: Record) -> Mapping[str, Any]:
    options = record.get("options") or {}
    if not isinstance(options, Mapping):
        raise HandError(f"options {options!r}: an object of option names and values", "options")
    return options


def _list(record: Record, field: str) -> list[Any]:
    value = record.get(field)
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise HandError(f"{field} {value!r}: a list", field)
    return list(value)


def _tiles(record: Record, field: str) -> tuple[str, ...]:
    value = record.get(field)
    if isinstance(value, str):
        return tuple(parse_tiles(value, field))
    codes = _list(record, field)
    if not all(isinstance(code, str) for code in codes):
        raise HandError(f"{field}: a list of tile codes such as 5p, or text such as 123m 55p", field)
    return tuple(codes)


def _meld(meld: Any) -> Meld:
    if not isinstance(meld, Mapping) or not isinstance(meld.get("kind"), str) or meld.get("tiles") is None:
        raise HandError(
            f'melds {meld!r}: each is an object such as {{"kind": "pung", "tiles": ["C","C","C"]}}', "melds"
        )
    return Meld(meld["kind"], _tiles({"melds": meld["tiles"]}, "melds"))


def _boolean(record: Record, field: str) -> bool:
    value = record.get(field)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise HandError(f"{field} {value!r}: true or false", field)


def _whole(record: Record, field: str) -> int:
    value = record.get(field)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise HandError(f"{field} {value!r}: a whole number from 0", field)
    return value


def _dealer(record: Record) -> bool:
    """Whether the winner deals; told by winner and dealer_player where `dealer` is missing."""
    if record.get("dealer") is None and None not in (record.get("winner"), record.get("dealer_player")):
        return bool(record["winner"] == record["dealer_player"])
    return _boolean(record, "dealer")
