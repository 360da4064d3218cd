"""Play rules that were broken are reported with what follows; the total is never touched in silence."""

from __future__ import annotations

import pytest
from score_helpers import context_from, hand_from, score_text

from scoring import RulesetError, load_ruleset, read_ruleset, ruleset_names, score_hand, score_record
from scoring.messages import LANGUAGES
from scoring.refusals import CONSEQUENCES, NOTICES, REFUSALS
from scoring.rulefile import packaged_table

OPEN = "456m 789p 234s 678s 55p | chow:123m | 8s"
CLOSED = "123m 456m 789p 234s 678s 55p | | 8s"
KONG = "123m 789p 678s 55p | kong_exposed:1111s chow:456m | 8s"
FOUR = "678s 55p | kong_exposed:1111s kong_added:2222p kong_concealed:EEEE kong_concealed:FFFF | 8s"

# hand, facts, ruleset, code, what follows, whether it costs the win
BROKEN = [
    (OPEN, "passed_win", "taiwan", "passed_win", "false_win", True),
    (OPEN, "draw passed_win", "taiwan", "passed_win", "false_win", True),
    (OPEN, "passed_win", "taipei-online", "passed_win", "no_win", True),
    (KONG, "draw kong_replacement_open", "taiwan", "claimed_kong_replacement", "no_win", True),
    (KONG, "draw kong_replacement_open", "taipei-online", "claimed_kong_replacement", "wait", True),
    (OPEN, "draw after_claim", "taiwan", "after_claim", "no_win", True),
    (OPEN, "draw rearranged_kong", "taiwan", "rearranged_kong", "no_win", True),
    (OPEN, "own_exposed_tile", "taiwan", "own_exposed_tile", "no_win", True),
    (OPEN, "rob_concealed_kong", "taiwan", "robbed_concealed_kong", "no_win", True),
    (OPEN, "kong_from_upper", "taipei-online", "kong_from_upper", "no_win", True),
    (KONG, "from=upper", "gamesofa", "kong_from_upper", "no_win", True),
    (FOUR, "", "taipei-online", "four_kongs", "draw", True),
    (OPEN, "table_kongs=5", "taipei-online", "four_kongs", "draw", True),
    (OPEN, "kong_after_claim", "taiwan", "kong_after_claim", "table", False),
    (OPEN, "concealed_kong_after_claimed", "taiwan", "concealed_kong_after_claimed", "table", False),
    (OPEN, "late_claim", "taiwan", "late_claim", "table", False),
    (OPEN, "claimed_tile_discarded", "taiwan-alt", "claimed_tile_discarded", "table", False),
    (OPEN, "claimed_tile_discarded", "taipei-online", "claimed_tile_discarded", "table", False),
    (CLOSED, "ready_initial not_locked passed_win_earlier", "taiwan", "unlocked_passed_win", "item", False),
    (CLOSED, "ready_first_discard not_locked passed_win_earlier", "gamesofa", "unlocked_passed_win", "item", False),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "ruleset", "code", "consequence", "voids"), BROKEN)
def test_broken_rules(hand: str, facts: str, ruleset: str, code: str, consequence: str, voids: bool) -> None:
    score = score_text(hand, facts, "", ruleset)
    assert [(row.code, row.consequence, row.voids_win) for row in score.violations] == [(code, consequence, voids)]
    assert score.wins is not voids
    for language in LANGUAGES:
        assert score.violations[0].message.text(language)
        assert score.violations[0].follows.text(language)


def test_too_low_a_total_is_a_broken_rule() -> None:
    """起和: an option of the Taiwanese rulesets, and a rule of Ningbo's."""
    score = score_text(OPEN, "", "", "taiwan", minimum=3)
    assert not score.wins
    assert score.reason is not None
    assert score.reason.text("zh-Hant") == "2 台,未達起和的 3 台"
    assert [(row.code, row.consequence, row.voids_win) for row in score.violations] == [("minimum", "no_win", True)]
    assert score.violations[0].message == score.reason
    assert score_text(OPEN, "", "", "taiwan", minimum=2).wins
    passed = score_text(OPEN, "passed_win", "", "taiwan", minimum=3)
    assert [row.code for row in passed.violations] == ["passed_win"]


NOT_BROKEN = [
    (OPEN, "passed_win_cleared", "taiwan", {}),
    (OPEN, "passed_win", "taiwan", {"guoshui_scope": "off"}),
    (KONG, "draw kong_replacement", "taiwan", {}),  # an added kong may have been meant
    (OPEN, "after_claim", "taiwan", {}),  # won on a discard
    (OPEN, "rearranged_kong", "taiwan", {}),  # 此自摸无效
    (OPEN, "draw own_exposed_tile", "taiwan", {}),  # 和铳该暗牌
    (KONG, "from=opposite,upper", "taipei-online", {}),  # the chow is the upper player's
    (FOUR, "", "taipei-online", {"four_kong_draw": "off"}),
    (FOUR, "table_kongs=4", "taipei-online", {"four_kong_draw": "total"}),
    (CLOSED, "not_locked passed_win_earlier", "taiwan", {}),  # not declared ready
    (CLOSED, "ready_initial passed_win_earlier", "taiwan", {}),  # locked
    (CLOSED, "ready_initial not_locked passed_win_earlier", "taiwan", {"unlocked_ready_passed_win": False}),
    (FOUR, "", "taiwan", {}),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "facts", "ruleset", "options"), NOT_BROKEN)
def test_rules_that_were_kept(hand: str, facts: str, ruleset: str, options: dict[str, object]) -> None:
    score = score_text(hand, facts, "", ruleset, **options)
    assert score.wins
    assert score.violations == ()


def test_every_broken_rule_is_reported_and_a_notice_leaves_the_total() -> None:
    plain = score_text(OPEN, "", "", "taiwan")
    noticed = score_text(OPEN, "late_claim kong_after_claim", "", "taiwan")
    assert (noticed.total, noticed.items) == (plain.total, plain.items)
    assert [row.code for row in noticed.violations] == ["kong_after_claim", "late_claim"]
    both = score_text(OPEN, "draw passed_win after_claim late_claim", "", "taiwan")
    assert [row.code for row in both.violations] == ["passed_win", "after_claim", "late_claim"]
    assert both.reason is not None
    assert both.reason.code == "passed_win"


def test_violations_in_a_record() -> None:
    record = {
        "concealed": "456m 789p 234s 678s 55p", "melds": [{"kind": "chow", "tiles": "123m"}], "win_tile": "8s",
        "ruleset": "taiwan", "self_draw": False, "seat_wind": "S", "round_wind": "E",
    }  # fmt: skip
    assert score_record(record)["violations"] == []
    answer = score_record(record | {"flags": ["passed_win"]})
    assert answer["wins"] is False
    assert answer["violations"] == [
        {
            "code": "passed_win",
            "zh": "過水:得和未和之後,尚未打出(或加槓)一張非和之牌,不得和牌",
            "en": "a win was passed, and no non-winning tile has been discarded (or added to a kong) since: "
            "no win until then",
            "voids_win": True,
            "consequence": "false_win",
            "consequence_zh": "視同詐和,依同桌的詐和罰則處理",
            "consequence_en": "treated as a false win: the table's penalty for one applies",
        }
    ]
    late = score_record(record | {"flags": ["late_claim"]})
    assert (late["wins"], late["total"]) == (True, 2)
    assert late["violations"][0]["consequence_zh"].startswith("規則未載罰則")


def test_every_ruleset_words_its_broken_rules() -> None:
    for name in ruleset_names():
        play = packaged_table(name)["play"]
        for key in (*play["refusals"], *play.get("notices", ())):
            assert key in REFUSALS or key in NOTICES
        assert set(play.get("consequences", {}).values()) <= set(CONSEQUENCES)
        flags = load_ruleset(name).play["flags"]
        for key in set(play.get("notices", ())) - {"unlocked_passed_win"}:
            assert key in flags, f"{name} cannot notice {key}"


@pytest.mark.parametrize(
    ("play", "says"),
    [
        ('notices = ["late"]', "did you mean late_claim"),
        ('consequences = { passed = "draw" }', "did you mean passed_win"),
        ('consequences = { passed_win = "xyzzy" }', "valid: no_win, false_win"),
    ],
)
def test_house_files_name_rules_that_exist(play: str, says: str) -> None:
    with pytest.raises(RulesetError, match=says):
        read_ruleset(f'name = "house"\nextends = "taiwan"\n[play]\n{play}\n')


def test_a_house_file_says_what_follows() -> None:
    rules = read_ruleset('name = "house"\nextends = "taiwan"\n[play]\nconsequences = { late_claim = "no_win" }\n')
    score = score_hand(hand_from(OPEN), context_from("late_claim"), rules)
    assert [(row.code, row.consequence) for row in score.violations] == [("late_claim", "no_win")]
    assert score.wins
