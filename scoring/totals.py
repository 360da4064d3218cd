"""How a total is made of a reading's items where it is not simply their sum. A ruleset's `total.strategy` names one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scoring.facts import Facts
from scoring.patterns.shanghai import at_least_one_le, multiplier
from scoring.patterns.taiwan import EARTHLY

if TYPE_CHECKING:
    from scoring.ruleset import Ruleset
    from scoring.score import Candidate

Finish = Callable[["Ruleset", Facts, "Candidate"], None]


def base_and_sum(rules: Ruleset, _facts: Facts, candidate: Candidate) -> None:
    """胡牌基本分 1, and 1台相当1分 [004 宁波]."""
    candidate.total += rules.total["base"]


def best_le(rules: Ruleset, facts: Facts, candidate: Candidate) -> None:
    """勒子 of the best pattern, not of their sum; 杠开和大吊车可以将不足勒子的牌型直接计算为勒子; ×2 荒番, 开宝."""
    counted = [(index, value) for index, value in candidate.present if candidate.alive >> index & 1]
    lifted = any(at_least_one_le(rules.items[index].pattern) for index, _ in counted)
    le = max((value for _, value in counted), default=0)
    if lifted:
        le = 1 if rules.options["shanghai_at_le"] == "one" else max(le, 1)
    candidate.inside = le
    candidate.total = le * multiplier(facts, rules.options)


def counted_points(rules: Ruleset, candidate: Candidate) -> tuple[bool, int]:
    """Whether a 大胡 counts, and how many items do; 小胡和大胡之间按照大胡计算 is in the file's exclusions."""
    big = any(candidate.alive >> rules.index[key] & 1 for key in rules.total["big"] if key in rules.index)
    return big, sum(value for index, value in candidate.present if candidate.alive >> index & 1)


def share_parts(rules: Ruleset, big: bool, number: int, *, self_draw: bool, dealer: bool) -> tuple[int, int]:
    """What one player pays for that many 小胡 or 大胡 [004 长沙]: for the hand, and because winner or payer deals.

    大胡之间可以累计计算(算加法): each with its own dealer's points, or once by option.
    """
    row = rules.settlement["points"]["big" if big else "small"]
    value = row["self_draw"] if self_draw else rules.options["changsha_big_ron"] if big else row["discard"]
    times = number if rules.options["changsha_multi_big"] == "each" or not big else 1
    return value * number, row["dealer"] * times * dealer


def points_received(rules: Ruleset, facts: Facts, candidate: Candidate) -> None:
    """What the winner gets in all [004 长沙], birds apart; a discarder who is not named is taken not to deal."""
    big, number = counted_points(rules, candidate)
    dealer = facts.context.dealer
    touched = dealer or (facts.flags & EARTHLY > 0 and not facts.self_draw)
    shares = [touched] if not facts.self_draw else [True, dealer, dealer]
    candidate.total = sum(sum(share_parts(rules, big, number, self_draw=facts.self_draw, dealer=one)) for one in shares)


TOTALS: dict[str, Finish] = {"base_and_sum": base_and_sum, "best_le": best_le, "points_received": points_received}
