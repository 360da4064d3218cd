"""The vocabulary of flags: what the table knows of a win and no camera sees."""

from __future__ import annotations

FLAGS: tuple[str, ...] = (
    "last_tile",
    "kong_replacement",
    "kong_replacement_open",
    "kong_replacement_added",
    "flower_replacement",
    "rob_kong",
    "rob_concealed_kong",
    "heavenly",
    "earthly",
    "human",
    "ready_initial",
    "ready_first_discard",
    "ready_initial_void",
    "ready_first_discard_void",
    "not_locked",
    "passed_win_earlier",
    "passed_win",
    "passed_win_cleared",
    "passed_win_same_tile",
    "passed_win_same_round",
    "after_claim",
    "flower_win",
    "eight_flowers",
    "rob_flower",
    "rob_flower_mode2",
    "hand_complete",
    "ligu_disabled",
    "first_go_around",
    "first_draw",
    "kong_from_upper",
    "kong_kong",
    "kong_kong_kong",
    "duanqiao",
    "kaibao",
    "huangfan",
    "last_tile_discard",
    "dice_kong",
    "kong_discard_dice",
    "initial",
    "wild_pair_wait",
    "wild_in_chi",
    "wild_in_pon",
    "kong_discard",
    "declared_ready",
    "dealt_flowers",
    "kong_after_claim",
    "concealed_kong_after_claimed",
    "late_claim",
    "claimed_tile_discarded",
    "rearranged_kong",
    "own_exposed_tile",
)
"""Every flag of the rule texts. Which of them a ruleset reads is in its file; the others are reported as ignored."""

FLAG_BIT: dict[str, int] = {flag: 1 << index for index, flag in enumerate(FLAGS)}


def flag_mask(*flags: str) -> int:
    """The bits of some flags; raises KeyError for a name that is no flag."""
    mask = 0
    for flag in flags:
        mask |= FLAG_BIT[flag]
    return mask
