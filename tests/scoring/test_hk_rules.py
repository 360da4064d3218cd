"""The Hong Kong ruleset as data: what stands for what, what the answers explain, tiles of items, records."""

from __future__ import annotations

from typing import Any

import pytest
from score_helpers import context_from, hand_from

from scoring import RulesetError, Score, load_ruleset, read_ruleset, score_hand, score_record
from scoring.match import DrawEvent, FalseWinEvent, MatchError, WinEvent, advance, start_match
from scoring.rulefile import packaged_table

NAME = "hk-taiwan"
OPEN = "567m 345p 678s 789p 99s | chow:234m | "
CLOSED = "234m 567m 345p 678s 789p 99s | | "
CHOICES = (
    {},
    {"hk_absorb": "printed"},
    {"hk_honour_reading": "base_and_extra"},
    {"hk_chicken_reading": "instead_of_flowers"},
    {"quanqiu_counts_single_wait": False},
    {"special_absorbs_yi_mo_ba": True},
)


def score_hk(text: str, facts: str = "", flowers: str = "", **options: Any) -> Score:
    return score_hand(hand_from(text, flowers), context_from(facts), load_ruleset(NAME, options))


# --- the graph of what stands for what -------------------------------------------------------------------------------


def graph_of(options: dict[str, Any]) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for exclusion in load_ruleset(NAME, options).exclusions:
        graph.setdefault(exclusion.item, set()).update(exclusion.drops)
    return graph


def test_the_declared_graph_names_only_items() -> None:
    table = packaged_table(NAME)
    keys = {row["key"] for row in table["items"]}
    for row in table["exclusions"]:
        assert row["item"] in keys
        assert set(row.get("drops", [])) <= keys, row["item"]
        assert row["quote"]
        if "drops_option" in row:
            assert set(table["options"][row["drops_option"]]["default"]) <= keys


def test_the_declared_graph_has_no_circle() -> None:
    """Walked by hand here; the engine refuses one too (below)."""

    def reached(graph: dict[str, set[str]], start: str) -> set[str]:
        found: set[str] = set()
        waiting = set(graph.get(start, ()))
        while waiting:
            item = waiting.pop()
            if item not in found:
                found.add(item)
                waiting |= graph.get(item, set())
        return found

    for options in CHOICES:
        graph = graph_of(options)
        assert not [item for item in graph if item in reached(graph, item)]


def test_what_an_item_stands_for_is_declared_to_the_end() -> None:
    """A dropped item drops nothing, so each item names all that its own items would have dropped beside it."""
    for options in CHOICES:
        graph = graph_of(options)
        for item, drops in graph.items():
            for middle in drops:
                missing = graph.get(middle, set()) - drops - {item}
                # 一摸八 taken from a special hand leaves 自摸, which is what that option says
                if (
                    middle == "unaided"
                    and options.get("special_absorbs_yi_mo_ba")
                    and item not in ("heavenly", "earthly")
                ):
                    missing -= {"self_draw"}
                assert not missing, (item, middle, missing)


def test_a_circle_and_an_unknown_name_are_refused() -> None:
    head = 'name = "house"\nextends = "hk-taiwan"\n'
    circle = '[[exclusions]]\nitem = "sisters"\ndrops = ["three_sisters"]\n'
    circle += '[[exclusions]]\nitem = "own_sisters"\ndrops = ["sisters"]\n'
    with pytest.raises(RulesetError, match="circle"):
        read_ruleset(head + circle)
    with pytest.raises(RulesetError, match="three_sisters"):
        read_ruleset(head + '[[exclusions]]\nitem = "sisters"\ndrops = ["three_sister"]\n')


def test_a_house_file_adds_an_absorption() -> None:
    house = read_ruleset(
        'name = "house"\nextends = "hk-taiwan"\n[[exclusions]]\nitem = "mixed_dragon_concealed"\n'
        'drops = ["pure_dragon_concealed", "pure_dragon"]\nquote = "一條龍"\n'
    )
    hand, context = hand_from("123456789p 456s 789m 99s | | 9s"), context_from("")
    plain, changed = score_hand(hand, context, load_ruleset(NAME)), score_hand(hand, context, house)
    assert changed.total == plain.total - 15 + 5  # the 老少 that 清龍 stood for is free again
    assert changed.has("own_old_young")


def test_table_values_are_the_printed_ones() -> None:
    """The 番 table of the text, line by line, for the items whose names are the text's."""
    printed = {
        "獨獨": 2, "假獨": 1, "將眼": 2, "對碰": 2, "缺一門": 5, "斷么九": 5, "大五門齊": 10, "小五門齊": 15, "自摸": 1,
        "門清": 5, "一摸八": 8, "平糊": 5, "無字無花大平糊": 15, "大雞糊": 10, "哩咕哩咕": 40, "哩咕哩咕叫八飛": 50,
        "哩咕哩咕(一款四隻)": 50, "哩咕哩咕(兩款四隻)": 60, "兩暗簡": 5, "三暗簡": 10, "四暗簡": 20, "五暗簡": 30,
        "簡簡糊": 80, "混一色": 30, "清一色": 80, "對對糊": 30, "全字對對糊": 100, "花么九": 30, "全么九": 100,
        "十三么": 100, "十三么(全么九)": 120, "十六不搭": 50, "小三元": 30, "大三元": 60, "小三風": 20, "大三風": 40,
        "小四喜": 80, "大四喜": 100, "全求人": 15, "半求人": 7, "海底撈月": 5, "一般高": 5, "雙般高": 10, "太般高": 15,
        "姊妹": 2, "三相逄": 10, "清龍(明)": 10, "清龍(暗)": 15, "雜龍(明)": 15, "雜龍(暗)": 20, "雙雜龍(明)": 35,
        "雙雜龍(暗)": 50, "四歸一": 5, "四歸二": 10, "雙四歸一": 15, "老少": 5, "雙老少": 5, "半老少": 15, "全老少": 30,
        "一台花": 7, "八隻花": 40, "天糊": 100, "地糊": 100, "三子內": 30, "七子內": 20, "十子內": 10, "明槓": 1,
        "暗槓": 2, "搶槓": 1, "槓上槓": 40, "槓上槓又槓": 80, "捕花槓": 1, "槓上自摸": 1, "中發白": 1, "正圈": 1,
        "正位": 1, "花": 1, "正位花": 1, "無字": 1, "無花": 1, "無字無花": 8,
    }  # fmt: skip
    assert {item.names[0]: item.value for item in load_ruleset(NAME).items} == printed


# --- explanations ----------------------------------------------------------------------------------------------------


def test_what_stands_for_what_is_told_in_three_languages() -> None:
    score = score_hk("44p 789p 123456789s 789m | | 8m")
    dropped = {row.key: row for row in score.dropped}
    assert dropped["own_old_young"].by == "pure_dragon_concealed"
    assert dropped["own_sisters"].by == "three_sisters"
    assert dropped["own_sisters"].value == 6
    assert {dropped[key].by for key in ("only_chows", "no_honours", "no_flowers", "no_honours_no_flowers")} == {
        "big_only_chows"
    }
    told = dropped["own_old_young"].because
    assert told("zh-Hant") == "已計「清龍(暗)」:清龍,三簡均為暗簡"
    assert told("zh-Hans") == "已计“清龙(暗)”:清龍,三簡均為暗簡"
    assert told("en") == "counted as pure dragon, concealed instead (清龍,三簡均為暗簡)"


HUNG = "99s | chow:234m chow:567m chow:345p chow:789p kong_concealed:2222s | 9s"
UNMET = [
    (CLOSED + "8s", "draw dealer heavenly seat=E", "f2", "heavenly", "dealt_replaced"),
    (CLOSED + "8s", "draw earthly flower_replacement", "f5", "earthly", "dealt_replaced"),
    ("123s 456s 789s 345p 678m 99m | | 9s", "", "", "pure_dragon_concealed", "dragon_open"),
    ("123p 456s 789m 345m 678s 99p | | 7m", "", "", "mixed_dragon_concealed", "dragon_open"),
    ("123p 456s 789m 123p 456s 99m | | 6s", "", "", "two_mixed_dragons_concealed", "dragon_open"),
    (OPEN + "8s", "", "f1", "big_only_chows", "chows_honours_or_flowers"),
    ("567m 345p 678s 789p EE | chow:234m | 8s", "", "", "big_only_chows", "chows_honours_or_flowers"),
    ("222m 777m 444s 666s 99p 33p 9p | | 9p", "", "", "concealed_five", "triplet_by_discard"),
    ("222m 777m 444s 666s 33p | kong_concealed:9999p | 3p", "", "", "concealed_only_triplets", "kong_opens_kankan"),
    (OPEN + "8s", "", "", "within_three", "discards_unknown"),
    (OPEN + "8s", "last_tile", "", "last_draw", "last_tile_ron"),
    (HUNG, "", "", "all_begged", "begged_concealed_kong"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "facts", "flowers", "key", "code"), UNMET)
def test_what_is_not_met_is_told(text: str, facts: str, flowers: str, key: str, code: str) -> None:
    reasons = {row.key: row.reason for row in score_hk(text, facts, flowers).unmet}
    assert reasons[key].code == code
    assert all(reasons[key].text(language) for language in ("zh-Hant", "zh-Hans", "en"))


def test_what_an_option_bars_is_told() -> None:
    unmet = {row.key: row.reason.code for row in score_hk(CLOSED + "8s", "earthly", earthly_by_ron=False).unmet}
    assert unmet["earthly"] == "earthly_ron"
    triplets = "222m 777m 444s 666s 999p 33p | | 3p"
    unmet = {row.key: row.reason.code for row in score_hk(triplets, hk_kankan_self_draw=True).unmet}
    assert unmet["concealed_only_triplets"] == "earthly_ron"


def test_nothing_out_of_reach_is_told() -> None:
    told = {row.key for row in score_hk("567m 345s 678p NN | chow:234m pung:222p | 8p").unmet}
    assert not told & {"heavenly", "earthly", "pure_dragon_concealed", "mixed_dragon_concealed", "big_only_chows"}


TILES = [
    ("567m 345p 678s 789p 22s | chow:234m | 8s", "", "two_five_eight_pair", "22s"),
    ("678s 678s 345p 345p 99m | chow:234m | 8s", "", "twice_equal_chows", "334455p 667788s"),
    ("567m 567p 678s 789p 99s | chow:234m | 8s", "", "sisters", "567m 567p"),
    ("555m 555p 678s 99s | chow:234m chow:789p | 8s", "", "sisters", "555m 555p"),
    ("567m 567p 567s 678s 99s | chow:234p | 8s", "", "three_sisters", "567m 567p 567s"),
    ("345p 678s 99s | pung:222m pung:222p pung:222s | 8s", "", "three_sisters", "222m 222p 222s"),
    ("123s 789s 345p 678m 99m | chow:456s | 8m", "", "pure_dragon", "123456789s"),
    ("123p 456s 345m 678s 99p | chow:789m | 8s", "", "mixed_dragon", "789m 123p 456s"),
    ("123p 456s 789m 123m 789p 99s | | 9s", "", "two_mixed_dragons_concealed", "123m 789m 123p 789p 456s"),
    ("789m 345p 678s 66s | chow:123m chow:567p | 8s", "", "old_young", "123m 789m"),
    ("345p 678s 66s | pung:111m pung:999m chow:567p | 8s", "", "old_young", "111m 999m"),
    ("555m 567m 345p 678s 99p | chow:789s | 8s", "", "four_in_hand", "5555m"),
    ("345m 567m 55m 345p 678s | chow:789s | 5p", "", "four_eyes", "5555m"),
    ("567m 678s 99s | chow:234m kong_added:2222p kong_concealed:5555p | 8s", "", "concealed_kong", "5555p"),
    ("567m 678s 99s | chow:234m kong_added:2222p kong_concealed:5555p | 8s", "", "exposed_kong", "2222p"),
    ("567m 678p 99p | pung:SSS pung:NNN pung:WWW | 8p", "", "three_winds", "SSS WWW NNN"),
    (OPEN + "8s", "f1 f2 f3 f4 f6 f7", "flower", "f6 f7"),
    (OPEN + "8s", "f1 f2 f3 f4 f6 f7", "own_flower", "f6"),
    (OPEN + "8s", "f1 f2 f3 f4 f6 f7", "flower_set", "f1 f2 f3 f4"),
    (OPEN + "7s", "", "only_wait", "678s"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "flowers", "key", "tiles"), TILES)
def test_items_name_their_tiles(text: str, flowers: str, key: str, tiles: str) -> None:
    items = {item.key: item for item in score_hk(text, "", flowers).items}
    found = sorted(items[key].tiles)
    assert found == sorted(hand_from(f"{tiles} | | ").concealed if not tiles.startswith("f") else tiles.split())


def test_both_shapes_are_shown_with_their_tiles() -> None:
    score = score_hk("112233445566777m 88m | | 3m", one_tile_two_shapes=True)
    assert score.split is not None
    assert score.second_split is not None
    assert (score.split.shape, score.second_split.shape) == ("ligu", "standard")
    items = {item.key: item for item in score.items}
    assert sorted(items["twice_equal_chows"].tiles) == list(hand_from("112233445566m | | ").concealed)
    assert items["two_five_eight_pair"].tiles == ("8m", "8m")
    assert score_hk("112233445566777m 88m | | 3m").second_split is None


# --- records ---------------------------------------------------------------------------------------------------------

RECORD = {
    "id": "hk", "ruleset": NAME, "concealed": "567m 345p 678s 789p 99s", "melds": [{"kind": "chi", "tiles": "234m"}],
    "flowers": [], "win_tile": "8s", "self_draw": False, "seat_wind": "S", "round_wind": "E",
}  # fmt: skip


def test_a_record_takes_the_discards_and_reports_what_it_does_not_know() -> None:
    answer = score_record(RECORD | {"discards_count": 4, "streak_shown": 2, "flags": ["ready_initial"]})
    assert {item["name"]: item["value"] for item in answer["items"]} == {"無字無花大平糊": 15, "七子內": 20}
    assert answer["ignored"] == ["flags.ready_initial", "streak_shown"]


@pytest.mark.parametrize("discards", [-1, 1.5, "many", True])
def test_a_number_of_discards_that_cannot_be_is_an_error(discards: object) -> None:
    answer = score_record(RECORD | {"discards_count": discards})
    assert answer["field"] == "discards_count"


def test_a_flag_the_ruleset_does_not_know_changes_nothing() -> None:
    plain = score_record(RECORD)
    ignored = score_record(RECORD | {"flags": ["rob_flower_mode2", "human"]})
    assert ignored["items"] == plain["items"]
    assert ignored["ignored"] == ["flags.human", "flags.rob_flower_mode2"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"flags": ["kong_kong"], "self_draw": True, "melds": [{"kind": "暗槓", "tiles": "2222m"}]}, "flags"),
        ({"flags": ["kong_kong"], "self_draw": False, "melds": [{"kind": "暗槓", "tiles": "2222m"}]}, "self_draw"),
        ({"flags": ["earthly"], "dealer": True, "concealed": "234m567m345p678s789p99s", "melds": []}, "dealer"),
        ({"flags": ["heavenly"], "dealer": True, "self_draw": True}, "flags"),
        ({"flags": ["heavenly", "earthly"]}, "flags"),
        ({"concealed": "112233445566777m", "melds": [], "win_tile": "7m"}, "concealed"),
    ],
)
def test_facts_that_contradict_each_other_are_errors(change: dict[str, Any], field: str) -> None:
    assert score_record(RECORD | change)["field"] == field


# --- match -----------------------------------------------------------------------------------------------------------


def test_a_match_is_played_as_the_text_says() -> None:
    """摸和臨庄; a false win does not end the hand; the dealer is east."""
    state = start_match(load_ruleset(NAME))
    state = advance(advance(state, DrawEvent()), WinEvent((0,), 2))
    assert (state.dealer, state.streak, state.seat_wind(0)) == (0, 2, "E")
    state = advance(state, FalseWinEvent(1))
    with pytest.raises(MatchError, match="false win"):
        advance(state, WinEvent((1,), None))
    state = advance(state, WinEvent((2,), None))
    assert (state.dealer, state.streak, state.seat_wind(1)) == (1, 0, "E")
