"""What lay open before a player earlier in the hand, and how it weighs in reading the hand that wins.

The table log has seen the sets that a winner laid down while the hand was played, mostly ten times and more. The
picture of the win is one look more. A hand that lacks a set the log knows is less likely by how sure the log is of it,
a meld it has never seen is a little less likely, and what a still picture cannot tell (whether a kong of four open
faces was claimed) is taken from the log. What it says is bounded: no entry overrides by itself what is plainly seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vision.decode_melds import MeldGuess
from vision.observation import Known, KnownSet

#: However sure the log is, a hand without the set is at least so likely beside one with it.
_LEAST = 0.02
#: A meld that was never seen to lie there: laid just now, or overlooked.
_NEVER_SEEN = 0.1
#: A fourth tile has been added to a pung just now, or that was overlooked (one in six).
_JUST_ADDED = 0.25
#: The log is sure of a fact from this on. Whether a fourth tile lies on three it must see much better: looks from one
#: place repeat each other's mistakes, and that there is none shows least.
SURE, _SURE_FOUR, _SURE_THREE = 0.9, 0.98, 0.995


def lacking(known: KnownSet) -> float:
    """How likely a hand without the set is, beside one with it."""
    return max(1.0 - known.confidence, _LEAST)


def sure_of_size(known: KnownSet) -> bool:
    """Whether the log knows that a set is of three tiles, or of four."""
    return known.sure_size >= (_SURE_FOUR if len(known.tiles) == 4 else _SURE_THREE)


def alike(known: KnownSet, kind: str, codes: Sequence[str]) -> float:
    """How well a meld agrees with a known set, 0 to 1; 0 where it is another one."""
    hidden = "back" in known.tiles or "back" in codes
    if hidden:
        # What lay face down may have been turned over.
        concealed = known.kind == "kong_concealed" if "back" in codes else True
        return 1.0 if len(codes) == 4 and concealed else 0.0
    if len(codes) == len(known.tiles):
        return 1.0 if sorted(codes) == sorted(known.tiles) else 0.0
    if set(codes) != set(known.tiles):
        return 0.0
    if not sure_of_size(known):
        return 1.0  # the picture says as much as the log
    return _JUST_ADDED if len(codes) > len(known.tiles) else _LEAST


def told(guesses: Sequence[MeldGuess], known: Known) -> tuple[MeldGuess, ...]:
    """The guesses of a slot, weighed by what is known, likeliest first; kongs whose kind the picture does not tell are
    of the kind they were seen to become."""
    if known is None:
        return tuple(guesses)
    out = []
    for guess in guesses:
        match = held(guess, known)
        if match is None:
            out.append(replace(guess, probability=guess.probability * _NEVER_SEEN))
            continue
        agrees = alike(match, guess.kind, guess.codes)
        if not guess.sure_kind and len(guess.codes) == 4:
            guess = _named(guess, match)  # noqa: PLW2901
        weight = max(agrees, lacking(match)) / lacking(match)
        out.append(replace(guess, probability=guess.probability * weight))
    out.sort(key=lambda guess: (-guess.probability, guess.codes))
    return tuple(out)


def _named(guess: MeldGuess, match: KnownSet) -> MeldGuess:
    """A kong of a kind the picture does not tell, as it became one."""
    if len(match.tiles) == 4:
        return replace(guess, kind=match.kind, sure_kind=match.sure_kind >= SURE)
    # It lay there as three: the fourth has been added.
    return replace(guess, kind="kong_added", sure_kind=match.confidence >= SURE and sure_of_size(match))


def held(guess: MeldGuess, known: Known) -> KnownSet | None:
    """The known set that a meld is, the one it agrees with best; None where it is none of them."""
    found = [(alike(each, guess.kind, guess.codes), each.confidence, n) for n, each in enumerate(known or ())]
    best = max(found, default=(0.0, 0.0, 0))
    return known[best[2]] if known and best[0] > 0.0 else None


def contradicted(guess: MeldGuess, known: Known) -> bool:
    """Whether three tiles are known to have been four."""
    match = held(guess, known)
    return match is not None and len(match.tiles) > len(guess.codes) and match.confidence >= SURE


def settled(guess: MeldGuess, known: Known) -> KnownSet | None:
    """The known set that leaves nothing to ask about a meld's tiles; None where there is none."""
    match = held(guess, known)
    same = match is not None and len(match.tiles) == len(guess.codes) and match.confidence >= SURE
    return match if same else None


def twice(melds: Sequence[MeldGuess], known: Known) -> float:
    """What to weigh melds with that are more often a known set than it is known: each counts for one meld alone."""
    if not known:
        return 1.0
    there = Counter((each.tiles, each.kind) for each in known)
    weight = 1.0
    for meld in melds:
        match = held(meld, known)
        if match is None:
            continue
        there[match.tiles, match.kind] -= 1
        if there[match.tiles, match.kind] < 0:
            weight *= lacking(match) * _NEVER_SEEN
    return weight
