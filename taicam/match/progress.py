"""Whose deal it is: dealer, streak and round wind from hand to hand.

「庄家和牌或该盘荒局应连庄;下庄後依逆时针序各家轮流作庄,每次轮到起庄位时即为次一风圈之始」 [000]: the dealer stays after
winning and after a draw, and 連N grows; otherwise the next player deals, and when the deal comes back to the first
dealer the next round wind begins. A false win is played again by the same dealer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from taicam.facts import WINDS
from taicam.match.setup import PLACES, MatchSetup
from taicam.match.submission import Submission


@dataclass(frozen=True, slots=True)
class Progress:
    """The state the next hand is played in.

    `first_dealer` and `dealer` are places 0..3; `round_number` counts whole rounds from 0, `hand_number` hands from 1.
    """

    first_dealer: int = 0
    dealer: int = 0
    streak: int = 0
    round_number: int = 0
    hand_number: int = 1

    @classmethod
    def start(cls, _setup: MatchSetup) -> Progress:
        """The state before the first hand."""
        return cls()

    @property
    def round_wind(self) -> str:
        """E, S, W, N and around again."""
        return WINDS[self.round_number % len(WINDS)]

    @property
    def rounds_finished(self) -> int:
        """How many whole rounds have been played; four make one full game (一將)."""
        return self.round_number

    def seat_wind(self, place: int) -> str:
        """The wind of a place in the coming hand, counted from the dealer."""
        return WINDS[(place - self.dealer) % PLACES]

    def after(self, submission: Submission) -> Progress:
        """The state after a hand."""
        if submission.outcome == "false_win":
            return self
        stays = submission.outcome == "draw" or any(win.place == self.dealer for win in submission.wins)
        following = replace(self, hand_number=self.hand_number + 1)
        if stays:
            return replace(following, streak=self.streak + 1)
        dealer = (self.dealer + 1) % PLACES
        came_round = dealer == self.first_dealer
        return replace(following, dealer=dealer, streak=0, round_number=self.round_number + came_round)
