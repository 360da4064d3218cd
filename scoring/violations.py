"""Play rules that were broken, as far as a scorer can tell, and what follows: reported, never applied to the total.

A ruleset's play table lists two kinds: `refusals`, which leave the hand without a win (scoring.refusals), and
`notices`, which leave the win and its total as they are. `consequences` says by key what its text makes of one; where
the text is silent a refused win just does not count, and the table decides about the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from scoring.facts import Facts
from scoring.messages import Message, message
from scoring.refusals import NOTICES, REFUSALS
from scoring.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Violation:
    """A play rule that was broken. voids_win: the hand does not win because of it.

    consequence: what follows, a word of scoring.refusals.CONSEQUENCES.
    """

    code: str
    message: Message
    consequence: str
    voids_win: bool

    @property
    def follows(self) -> Message:
        """The consequence as a sentence."""
        return message(f"consequence_{self.consequence}")


def violations_of(facts: Facts, rules: Ruleset, reason: Message | None) -> tuple[Violation, ...]:
    """Every play rule of the ruleset that the facts say was broken, those that cost the win first.

    reason: why the hand does not win; too low a total is a broken rule too (起和).
    """
    play, options = rules.play, rules.options
    said = play.get("consequences", {})
    refused = [key for key in play["refusals"] if REFUSALS[key](facts, options)]
    noticed = [key for key in play.get("notices", ()) if NOTICES[key](facts, options)]
    found = [Violation(key, message(key), said.get(key, "no_win"), True) for key in refused]
    if reason and reason.code == "minimum":
        found.append(Violation("minimum", reason, said.get("minimum", "no_win"), True))
    return (*found, *(Violation(key, message(key), said.get(key, "table"), False) for key in noticed))
