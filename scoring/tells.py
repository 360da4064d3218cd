"""What a ruleset tells of a score beside total and items, as JSON values. Its `total.tells` names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.patterns.shanghai import FlowerPart, flower_count, flower_parts, multiplier
from scoring.payouts import bird_player, le_points
from scoring.score import Score
from scoring.tiles import FLOWERS, KINDS
from scoring.totals import counted_points
from scoring.wild import standing_for

Answer = dict[str, Any]
Tell = Callable[[Score, int | None], Answer]
_SET_NAMES = {"flower": "花", "pung": "刻", "kong_exposed": "明杠", "kong_added": "明杠", "kong_concealed": "暗杠"}


def tell_le(score: Score, _dealer: int | None) -> Answer:
    """勒子 (null below one), 花 and where they come from, what doubles, the patterns, points of a share."""
    if not score.wins:
        return {}
    parts = flower_parts(score.facts)
    return {
        "le": score.total or None,
        "hua": flower_count(score.facts),
        "hua_parts": [_flower_row(part) for part in parts],
        "multiplier": multiplier(score.facts, score.rules.options),
        "patterns": [item.name for item in score.items],
        "points": le_points(score),
    }


def _flower_row(part: FlowerPart) -> Answer:
    tile = FLOWERS[part.kind] if part.what == "flower" else KINDS[part.kind]
    return {"name": _SET_NAMES[part.what], "tile": tile, "hua": part.hua}


def tell_class(score: Score, _dealer: int | None) -> Answer:
    """小胡 or 大胡."""
    if not score.wins or score.best is None:
        return {}
    return {"class": "大胡" if counted_points(score.rules, score.best)[0] else "小胡"}


def tell_bird_player(score: Score, dealer: int | None) -> Answer:
    """The player on whom the bird falls, where dealer and bird are known."""
    bird = bird_player(score, dealer) if dealer is not None else None
    return {} if bird is None or not score.wins else {"bird_player": bird}


def tell_tai(score: Score, _dealer: int | None) -> Answer:
    """台 without the base point; of a hand that may not win the 台 it would have; what wildcards stand for."""
    best = score.best
    if best is None:
        return {}
    answer: Answer = {"tai" if score.wins else "tai_if_shape_counted": best.inside + best.outside}
    return answer | ({"wild_as": list(standing_for(score.facts))} if score.facts.wilds else {})


def tell_multiple(score: Score, _dealer: int | None) -> Answer:
    """How many bases the 番 come to."""
    return {"multiple": 2**score.total} if score.wins else {}


TELLS: dict[str, Tell] = {
    "le": tell_le,
    "class": tell_class,
    "bird_player": tell_bird_player,
    "tai": tell_tai,
    "multiple": tell_multiple,
}


def told(score: Score, dealer: int | None) -> Answer:
    """Everything the score's ruleset tells beside total and items."""
    answer: Answer = {}
    for name in score.rules.total.get("tells", ()):
        answer |= TELLS[name](score, dealer)
    return answer
