"""Ruleset files: what they must be, how one extends another, options, and what two differ in."""

from __future__ import annotations

from typing import Any

import pytest
from score_helpers import context_from, hand_from, items_of, score_text

from scoring import RulesetError, load_ruleset, read_ruleset, ruleset_names, score_hand
from scoring.describe import describe, differences, summary
from scoring.explain import TILE_CHOICES
from scoring.flags import FLAGS
from scoring.messages import Message
from scoring.patterns import PATTERNS
from scoring.patterns.registry import of_hand
from scoring.patterns.unmet import UNMET
from scoring.refusals import REFUSALS
from scoring.rulefile import packaged_names, packaged_table
from scoring.settlement import EVENTS, STRATEGIES

TRIPLETS = "111m 777m 444s 666s 999p 22p | | 2p"
HOUSE = 'name = "house"\nextends = "taiwan"\n'


@pytest.mark.parametrize("name", packaged_names())
def test_packaged_rulesets_hold_together(name: str) -> None:
    rules = load_ruleset(name)
    assert {item.tiles for item in rules.items} <= set(TILE_CHOICES)
    assert set(rules.play["refusals"]) <= set(REFUSALS)
    assert set(rules.play.get("events", ())) <= set(EVENTS)
    assert rules.settlement["strategy"] in STRATEGIES
    assert all(len(item.names) == 3 and all(item.names) for item in rules.items)
    assert set(rules.play["flags"]) <= set(FLAGS)
    assert set(rules.titles) == {"zh-Hant", "zh-Hans", "en"}
    for key in rules.play["refusals"]:
        for language in ("zh-Hant", "zh-Hans", "en"):
            assert Message(key).text(language)


def test_every_pattern_and_explanation_is_used() -> None:
    used = {row.get("pattern", row["key"]) for name in ruleset_names() for row in packaged_table(name)["items"]}
    assert set(PATTERNS) == used
    assert set(UNMET) <= set(PATTERNS)


def test_items_come_before_what_they_drop_and_are_shown_as_written() -> None:
    rules = load_ruleset("taiwan")
    for exclusion in rules.exclusions:
        for key in exclusion.drops:
            assert rules.index[exclusion.item] < rules.index[key]
    shown = [row["key"] for row in describe(rules)["items"]]
    assert shown[:3] == ["heavenly", "earthly", "human"]
    assert [item.order for item in sorted(rules.items, key=lambda item: item.order)] == sorted(
        i.order for i in rules.items
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [("taiwn", "did you mean taiwan"), ("zzzz", "valid: "), ("../taiwan", "did you mean"), ("", "valid: ")],
)
def test_unknown_ruleset(name: str, says: str) -> None:
    with pytest.raises(RulesetError, match=says) as error:
        load_ruleset(name)
    assert error.value.field == "ruleset"


def test_name_must_be_text() -> None:
    wrong: Any = None
    with pytest.raises(RulesetError, match="a name is text"):
        load_ruleset(wrong)


OPTION_ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"ligu_enable": True}, "did you mean ligu_enabled"),
    ({"ligu_enabled": "perhaps"}, "true or false"),
    ({"ligu_enabled": 1}, "true or false"),
    ({"wu_anke_value": "many"}, "a whole number"),
    ({"wu_anke_value": -3}, "a whole number"),
    ({"wu_anke_value": 1.5}, "a whole number"),
    ({"ping_wait": "none"}, "one of not_single, two_sided, two_sided_only, any"),
    ({"ping_wait": True}, "one of not_single"),
    ({"flower_order": "x"}, "菊竹"),
    ({"wu_anke_excludes": 5}, "a list of item keys"),
    ({"wu_anke_excludes": [5]}, "a list of item keys"),
    ({"wu_anke_excludes": ["menqing"]}, "unknown"),
    ({"hk_absorb": True}, "unknown here"),
    ({"ligu_enabled": object()}, "true or false"),
    ({"ligu_enabled": float("nan")}, "true or false"),
]


@pytest.mark.parametrize(("options", "says"), OPTION_ERRORS)
def test_wrong_options(options: dict[str, Any], says: str) -> None:
    with pytest.raises(RulesetError, match=says) as error:
        load_ruleset("taiwan", options)
    assert error.value.field == f"options.{next(iter(options))}"


def test_options_may_be_written_as_text() -> None:
    rules = load_ruleset(
        "taiwan", {"ligu_enabled": "false", "wu_anke_value": "15", "flower_order": "竹菊", "banqiu": True}
    )
    assert rules.options["ligu_enabled"] is False
    assert rules.options["wu_anke_value"] == 15
    assert rules.options["flower_order"] == "bamboo-3"
    assert rules.options["banqiu"] == 1
    assert rules.shapes == ()
    assert load_ruleset("taiwan") is load_ruleset("taiwan", {})
    assert load_ruleset("taiwan", {"cap": 9}) is load_ruleset("taiwan", {"cap": 9})
    assert load_ruleset("taiwan", {"wu_anke_excludes": ("all_pungs",)}).options["wu_anke_excludes"] == ("all_pungs",)


def test_a_house_rule_is_a_few_lines() -> None:
    """A worked example: another value, an option, one item more, one exclusion more, a cap."""
    rules = read_ruleset(
        HOUSE
        + """
[defaults]
wu_anke_value = 16
cap = 20
[[items]]
key = "half_flush"
value = 5
[[items]]
key = "robbed_kong_again"
pattern = "robbed_kong"
value = 2
names = ["搶槓加台", "抢杠加台", "robbed kong bonus"]
tiles = "win"
[[exclusions]]
item = "concealed_five"
drops = ["single_wait"]
quote = "our house"
"""
    )
    score = score_hand(hand_from(TRIPLETS), context_from(""), rules)
    assert items_of(score) == {"五暗刻": 16}
    assert [(row.key, row.quote) for row in score.dropped][-1] == ("single_wait", "our house")
    robbed = score_hand(hand_from("456m 789p 234s 678s 55p | pung:CCC | 8s"), context_from("rob_kong"), rules)
    assert items_of(robbed) == {"箭字刻": 1, "抢杠": 1, "抢杠加台": 2}
    assert rules.cap == 20
    assert {row["key"] for row in differences(load_ruleset("taiwan"), rules)} == {
        "cap", "concealed_five", "half_flush", "robbed_kong_again", "wu_anke_value",
    }  # fmt: skip


def test_items_and_options_can_be_removed() -> None:
    rules = read_ruleset(
        HOUSE
        + '[remove]\nitems = ["ready_initial", "dragon_round"]\n'
        + 'options = ["dragon_round_bonus"]\nexclusions = ["ligu"]\n'
    )
    assert "ready_initial" not in rules.index
    assert all(exclusion.item != "ligu" for exclusion in rules.exclusions)
    assert "dragon_round_bonus" not in rules.options


FILE_ERRORS = [
    ("name = ", "not a ruleset file"),
    ('extends = "taiwan"', "has a name"),
    ('name = "x"\nextends = "taiwann"', "did you mean taiwan"),
    (HOUSE + "itemz = []", "did you mean items"),
    (HOUSE + '[[items]]\nkey = "x"\nvalu = 1', "did you mean value"),
    (HOUSE + '[[exclusions]]\nitems = "x"', "did you mean item"),
    (HOUSE + '[[shapes]]\nnam = "x"', "did you mean name"),
    (HOUSE + "[match]\nround = 4", "did you mean rounds"),
    (HOUSE + '[options.x]\nkind = "bool"', "means nothing"),
    (HOUSE + '[options.x]\ntype = "boolean"\ndefault = true', "did you mean bool"),
    (HOUSE + '[options.x]\ntype = "int"\ndefault = "many"', "a whole number"),
    (HOUSE + "[defaults]\nligu = true", "defaults: option 'ligu' is unknown"),
    (HOUSE + '[remove]\nitem = ["ligu"]', "did you mean items"),
    (HOUSE + '[remove]\nitems = ["pinghu"]', "is not there"),
    (HOUSE + '[remove]\noptions = ["pinghu"]', "is not there"),
    (HOUSE + '[remove]\nexclusions = ["half_flush"]', "is not there"),
    (HOUSE + '[[items]]\nkey = "new"\nvalue = 1', "items.new.pattern"),
    (HOUSE + '[[items]]\nkey = "new"\npattern = "robbed_kong"', "has no value"),
    (HOUSE + '[[items]]\nkey = "new"\npattern = "robbed_kong"\nvalue_option = "x"', "items.new.value_option"),
    (HOUSE + '[[items]]\nkey = "half_flush"\nwhen = { x = true }', "when: 'x' is unknown"),
    (HOUSE + '[[exclusions]]\nitem = "half_flush"\ndrops = ["pinghu"]', "'pinghu' is unknown"),
    (HOUSE + '[[exclusions]]\nitem = "pinghu"\ndrops = ["half_flush"]', "'pinghu' is unknown"),
    (HOUSE + '[[exclusions]]\nitem = "all_pungs"\ndrops = ["all_honours"]', "in a circle: "),
    (HOUSE + '[[shapes]]\nname = "eight_pairs"', "shapes: 'eight_pairs' is unknown"),
    (HOUSE + '[[items]]\nkey = "half_flush"\nvalue = "many"', "it is a whole number"),
    (HOUSE + '[[items]]\nkey = "half_flush"\nnames = ["one"]', "its names three texts"),
    (HOUSE + '[[items]]\nkey = "half_flush"\ntiles = "everything"', "items.half_flush.tiles"),
    (HOUSE + '[[items]]\nkey = "half_flush"\nonly_beside = ["pinghu"]', "'pinghu' is unknown"),
    (HOUSE + '[[items]]\nkey = "dragon"\nonly_beside = []', "needs a pattern of the whole hand"),
    (HOUSE + '[[items]]\nkey = "six"\npattern = "concealed_triplets"\nvalue = 1', "needs 'number' in args"),
    (HOUSE + '[play]\nrefusals = ["passed"]', "did you mean passed_win"),
    (HOUSE + '[play]\nflags = ["lasttile"]', "did you mean last_tile"),
]


@pytest.mark.parametrize(("text", "says"), FILE_ERRORS)
def test_files_that_do_not_hold_together(text: str, says: str) -> None:
    with pytest.raises(RulesetError, match=says):
        read_ruleset(text)


def test_a_file_may_list_other_shapes() -> None:
    rules = read_ruleset(HOUSE + '[[shapes]]\nname = "orphans_set"\n')
    assert not rules.standard
    hand = hand_from("19m 19p 19s ESWNCFP 1m 234s | | 4s")
    score = score_hand(hand, context_from(""), rules)
    assert score.shape == "orphans_set"
    assert score.waits == ("1s", "4s")
    assert not score_hand(hand_from(TRIPLETS), context_from(""), rules).wins


def test_patterns_have_their_own_keys() -> None:
    with pytest.raises(ValueError, match="registered twice"):
        of_hand("always")(lambda _facts: 1)
    with pytest.raises(ValueError, match="did you mean flags"):
        of_hand("another", needs="flag")(lambda _facts: 1)


def test_item_by_key() -> None:
    rules = load_ruleset("taiwan")
    assert rules.item("half_flush").value == 4
    with pytest.raises(RulesetError, match="did you mean half_flush"):
        rules.item("half_flus")


def test_descriptions() -> None:
    rules = load_ruleset("taipei-online", {"cap": 20})
    told = describe(rules)
    assert told["name"] == "taipei-online"
    assert told["shapes"] == ["standard", "ligu"]
    assert next(row for row in told["options"] if row["key"] == "cap")["value"] == 20
    assert next(row for row in told["options"] if row["key"] == "cap")["default"] == 16
    assert told["settlement"]["stakes"][0] == [100, 50]
    assert summary(rules)["title_zh"] == "台北台(線上)"
    orphan = read_ruleset(HOUSE + '[[shapes]]\nname = "orphans_set"\n')
    assert describe(orphan)["shapes"] == ["orphans_set"]
    assert differences(rules, rules) == []


def test_alt_differs_in_exactly_two_values() -> None:
    """Beside 七抢一 spelled out, [002] has 五暗刻 13 and 地听 4."""
    rows = differences(load_ruleset("taiwan"), load_ruleset("taiwan-alt"))
    assert {(row["what"], row["key"], row["left"], row["right"]) for row in rows} == {
        ("item", "concealed_five", 12, 13),
        ("item", "ready_first_discard", 6, 4),
        ("option", "wu_anke_value", 12, 13),
        ("option", "di_ting_value", 6, 4),
    }
    assert score_text(TRIPLETS, "", "", "taiwan-alt").total == 14
