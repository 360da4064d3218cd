"""Slips of the pen in a house file: each is named with what would be valid, none is stumbled over."""

from __future__ import annotations

import pytest

from scoring import RulesetError, error_zh, read_ruleset
from scoring.checks import CONTRADICTIONS
from scoring.match import NEXT_DEALER
from scoring.rulechecks import FIELDS
from scoring.rulefile import packaged_names, packaged_table
from scoring.rulewords import KINDS, check_whole
from scoring.settlement import STRATEGIES

HOUSE = 'name = "house"\nextends = "taiwan"\n'
SLIPS = [
    "items = 5",
    "items = [5]",
    'items = ["x"]',
    "[[items]]\nvalue = 1",
    "[[items]]\nkey = 5\nvalue=1",
    "exclusions = 5",
    "exclusions=[1]",
    '[[exclusions]]\nitem = "half_flush"',
    '[[exclusions]]\ndrops = ["half_flush"]',
    '[[exclusions]]\nitem = "one_suit"\ndrops = "all_pungs"',
    '[[exclusions]]\nitem = "one_suit"\ndrops = 5',
    '[[exclusions]]\nitem = "one_suit"\ndrops_option = "x"',
    '[[exclusions]]\nitem = "one_suit"\ndrops_option = "cap"',
    'title = "x"',
    "[title]\nen = 5",
    "tiles = 5",
    '[tiles]\nhand = "many"',
    '[tiles]\nsuits = ["x"]',
    "[tiles]\nsuits = 5",
    '[tiles]\nflowers = "no"',
    "total = 5",
    '[total]\nstrategy="x"',
    '[total]\ncap = "x"',
    "settlement = 5",
    '[settlement]\nstrategy = "x"',
    '[settlement]\ndealer_tai = "x"',
    "play = 5",
    "[play]\nrefusals = 5",
    "[play]\nrefusals = [5]",
    '[play]\nflags = "x"',
    '[play]\ncontradictions = "x"',
    '[play]\nfields = ["x"]',
    "[play]\nfields = 5",
    '[play]\nwin_tile_optional=["x"]',
    "[play]\nconsequences = 5",
    '[play]\nevents=["x"]',
    "[play]\nxyz = 1",
    "shapes = 5",
    'shapes = ["x"]',
    "[[shapes]]\nwhen = {}",
    '[[shapes]]\nname = "ligu"\nunless_flag = "x"',
    '[[shapes]]\nname = "ligu"\nwhen = 5',
    '[[shapes]]\nname = "ligu"\nquads = "x"',
    "options = 5",
    "options = [1]",
    "[options.x]",
    '[options.x]\ntype = "bool"',
    '[options.x]\ntype = "choice"\ndefault = "a"',
    '[options.x]\ntype = "choice"\nchoices = 5\ndefault = "a"',
    '[options.x]\ntype = ["bool"]\ndefault = true',
    "[options]\nx = 5",
    "defaults = 5",
    "[defaults]\ncap = []",
    "remove = 5",
    "[remove]\nitems = 5",
    "[remove]\nitems = [5]",
    '[remove]\nitems = "ligu"',
    "match = 5",
    '[match]\nnext_dealer = "x"',
    '[match]\nrounds = "x"',
    "[match]\ndraws = 5",
    '[match]\nseat_winds = "x"',
    '[match]\nafter_game = "x"',
    "unit = 5",
    "source = 5",
    "script = 5",
    'script = "xx"',
    "sources = 5",
    "sources = [5]",
    "[[sources]]\ntitle = 5",
    '[[items]]\nkey = "half_flush"\nargs = 5',
    '[[items]]\nkey = "half_flush"\nwhen = 5',
    '[[items]]\nkey = "half_flush"\nonly_beside = 5',
    '[[items]]\nkey = "half_flush"\nonly_beside = "x"',
    '[[items]]\nkey = "half_flush"\nnames = 5',
    '[[items]]\nkey = "half_flush"\ntiles = 5',
    '[[items]]\nkey = "half_flush"\nvalue_option = 5',
    '[[items]]\nkey = "half_flush"\nvalue_option = "ping_wait"',
    '[[items]]\nkey = "half_flush"\nsign = "x"',
    '[[items]]\nkey = "half_flush"\nwithout_hand = 5',
    '[[items]]\nkey = "half_flush"\nwithout_hand = ["x"]',
    '[[items]]\nkey = "half_flush"\npattern = 5',
    '[[items]]\nkey = "x"\npattern = "honour_triplet"\nvalue = 1\nargs = {of = "x"}',
]
WHOLE_FILES = [
    "name = 5",
    'name = "x"',
    'name = "x"\nextends = 5',
    "",
    'name="x"\nextends = ["taiwan"]',
    'name = "x"\nscript = "zh-Hant"\nunit = "台"',
]


def refused(text: str) -> RulesetError:
    with pytest.raises(RulesetError) as error:
        read_ruleset(text)
    return error.value


@pytest.mark.parametrize("slip", SLIPS)
def test_slips_in_a_house_file(slip: str) -> None:
    error = refused(HOUSE + slip)
    assert error.field
    assert not error_zh(error).startswith("「")


@pytest.mark.parametrize("text", WHOLE_FILES)
def test_files_that_are_not_whole(text: str) -> None:
    assert refused(text).field


@pytest.mark.parametrize(
    ("slip", "says"),
    [
        ('[settlement]\nstrategy = "taiwann"', "settlement.strategy: 'taiwann' is unknown; did you mean taiwan?"),
        ('[play]\ncontradictions = "taiwann"', "did you mean taiwan"),
        ('[play]\nfields = ["meld_frm"]', "did you mean meld_from"),
        ('[match]\nseat_winds = "dealr"', "did you mean dealer"),
        ('[tiles]\nsuits = ["x"]', "tiles.suits: 'x' is unknown; valid: m, p, s, z"),
        ('[[items]]\nkey = "half_flush"\nvalue = 1.5', "items.half_flush.value = 1.5: it is a whole number"),
        ('[[items]]\nkey = "half_flush"\nvalue = true', "it is a whole number"),
        ("[[items]]\nvalue = 1", "items.0: key is missing"),
        ('[[exclusions]]\nitem = "half_flush"', "exclusions.half_flush: drops is missing"),
        ('[[exclusions]]\nitem = "one_suit"\ndrops_option = "cap"', "valid: wu_anke_excludes"),
        ('[options.x]\ntype = "bool"', "options.x: default is missing"),
        ("[options]\nx = 5", "options.x = 5: it is a table"),
        ('[[sources]]\ntitle = "x"', "sources.0: url is missing"),
    ],
)
def test_what_a_slip_is_told(slip: str, says: str) -> None:
    assert says in str(refused(HOUSE + slip))


@pytest.mark.parametrize("name", packaged_names())
def test_packaged_rulesets_name_what_exists(name: str) -> None:
    table = packaged_table(name)
    check_whole(table)
    assert table["play"]["contradictions"] in CONTRADICTIONS
    assert table["settlement"]["strategy"] in STRATEGIES
    assert table["match"]["next_dealer"] in NEXT_DEALER
    assert set(table["play"].get("fields", ())) <= set(FIELDS)


def test_kinds_are_what_they_are_called() -> None:
    good = {
        "text": "x", "whole": -4, "yes": False, "texts": ["x"], "wholes": [1], "lists": [[1]], "table": {},
        "rows": [{}],
    }  # fmt: skip
    assert set(KINDS) == {*good, "any"}
    for kind, value in good.items():
        for other, (check, _) in KINDS.items():
            assert check(value) == (other in {kind, "any"}), (kind, other)
    assert not KINDS["whole"][0](True)
    assert KINDS["rows"][0]([])
