"""The hand editor in a real browser: tiles moved by mouse, finger and tap; several winners; what each ruleset asks."""

from __future__ import annotations

import itertools
import json
import time
import urllib.request
from collections import Counter
from typing import Any

import pytest

from tests.e2e.conftest import Pages
from vision.observation import MeldReading, TableReading, TileObservation

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
NAMES = ["阿明", "小華", "Grandma", "老王"]
MELDS = [
    {"kind": "pung", "tiles": ["9s", "9s", "9s"]},
    {"kind": "kong_added", "tiles": ["5p", "5p", "5p", "5p"]},
]
HAND = {
    "concealed": ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "E", "E"],
    "melds": MELDS,
    "flowers": ["f1"],
    "win_tile": "9m",
}
FOUR = ["1m", "1m", "1m", "1m", "2m", "5m", "7p", "9p", "1s", "2s", "4s", "6s", "9s"]  # 四喜, as dealt
NO_258 = ["1m", "3m", "4m", "6m", "7m", "9m", "1p", "3p", "4p", "6p", "7s", "9s", "3s"]  # 板板胡, as dealt
PLACES = """Object.fromEntries(Array.from(document.querySelectorAll('[data-place]')).map((place) =>
  [place.dataset.place, Array.from(place.querySelectorAll('[data-tile]'), (one) => one.dataset.tile)]))"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class Book:
    """A table's API, as a program on this machine may use it."""

    def __init__(self, running: Any) -> None:
        self.running = running
        self.url: str = running.url
        self._keys = itertools.count()

    def send(self, method: str, path: str, body: Any = None) -> Any:
        key = f"key-{next(self._keys):08}"
        headers = {"content-type": "application/json", "idempotency-key": key, "origin": self.url}
        asked = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)

    def start(self, ruleset: str, di: int = 0, tai: int = 1, **options: Any) -> str:
        """A new match in place of the one that may be running."""
        self.end()
        people = [{"id": f"p{at}", "name": name} for at, name in enumerate(NAMES)]
        body = {"people": people, "seating": [one["id"] for one in people], "ruleset": ruleset, "options": options}
        match = self.send("POST", "/api/matches", body | {"stakes": {"di": di, "tai": tai}, "false_win": 50})
        return str(match["match_id"])

    def end(self) -> None:
        if self.running.get("/api/state")["table"]["match"] is not None:
            self.send("POST", "/api/match/end")

    def won(self, hand: dict[str, Any] = HAND, place: int = 1, loser: int | None = 3, **more: Any) -> str:
        win = {"place": place, "hand": hand, "self_draw": loser is None, **more}
        return str(self.send("POST", "/api/hands", {"outcome": "win", "wins": [win], "loser": loser})["hand_id"])

    def totals(self, match_id: str) -> list[int]:
        return [person["total"] for person in self.running.get(f"/api/matches/{match_id}")["people"]]


@pytest.fixture
def book(appliance: Any) -> Book:
    return Book(appliance("--source", "none"))


def edit(page: Any, book: Book, hand_id: str) -> None:
    Pages.visit(page, f"{book.url}/#hand/edit/{hand_id}", "#commit:not([disabled])")


def scored(page: Any, selector: str) -> Any:
    """Wait for something in the score of the hand as it is now, not as it was before the last change."""
    return page.wait_for_selector(f"#score:not(.old) {selector}")


def lay(page: Any, codes: list[str], place: str = "concealed") -> None:
    """Put tiles in by tapping them in the grid."""
    page.click(f'[data-place="{place}"] .add')
    for code in codes:
        page.click(f'#sheet .grid img[src*="/tiles/{code}.svg"]')
    page.click("#sheet .sheet-head button")
    page.wait_for_selector("#sheet:not([open])", state="attached")


def commit(page: Any, pages: Any, then: str) -> None:
    page.wait_for_selector("#commit:not([disabled])")
    page.click("#commit")
    pages.until(page, f"location.hash.startsWith('#{then}')", True, timeout=60)


def spot(page: Any, selector: str) -> tuple[float, float]:
    """The middle of an element, where it is now."""
    box = page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def centre(page: Any, selector: str) -> tuple[float, float]:
    """The same, once it is in view."""
    page.locator(selector).first.scroll_into_view_if_needed()
    return spot(page, selector)


# ---- from a reading --------------------------------------------------------------------------------------------------


def test_a_meld_has_its_tiles_that_are_not_seen(book: Book, pages: Any) -> None:
    """A kong whose fourth tile lies beneath another shows three: the hand to confirm has four of them all the same."""
    boxes = [(40.0 * n, 0.0, 40.0 * n + 30, 40.0) for n in range(8)]
    codes = ["E", "E", "5p", "5p", "5p", "9s", "9s", "9s"]
    reading = TableReading(
        tuple(TileObservation(code, box, 0.9, ((code, 0.9),)) for code, box in zip(codes, boxes, strict=True)),
        concealed=("E", "E"),
        melds=(MeldReading("kong_added", ("5p",) * 4, (2, 3, 4)), MeldReading("pung", ("9s",) * 3, (5, 6, 7))),
        roles=("concealed", "winning", *["meld"] * 6),
        win_tile="E",
        win_tile_index=1,
    )
    page = pages.open(f"{book.url}/#table")
    melds = page.evaluate(
        """async (reading) => {
          const { Draft } = await import("/static/draft.js");
          const draft = Draft.fromReading(reading);
          return draft.melds.map((meld) => [meld.kind, draft.in(`meld:${meld.id}`).map((one) => one.code)]);
        }""",
        reading.to_json(),
    )
    assert melds == [["kong_added", ["5p"] * 4], ["pung", ["9s"] * 3]]


# ---- moving tiles ----------------------------------------------------------------------------------------------------


def drag(page: Any, tile: str, place: str) -> None:
    """With the mouse."""
    page.mouse.move(*centre(page, tile))
    page.mouse.down()
    x, y = centre(page, f'[data-place="{place}"] header')
    page.mouse.move(x, y, steps=8)
    page.mouse.up()


def test_tiles_are_moved_with_the_mouse_and_by_tap(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    page = pages.open(f"{book.url}/#table")
    edit(page, book, book.won())
    places = page.evaluate(PLACES)
    pung, kong = [name for name in places if name.startswith("meld:") and name != "meld:new"]
    assert page.locator(f'[data-place="{kong}"] select').input_value() == "kong_added"  # as it was recorded

    drag(page, '[data-place="concealed"] [data-tile="1m"]', "win")
    places = page.evaluate(PLACES)
    assert (places["win"], Counter(places["concealed"])["9m"]) == (["1m"], 1)  # the other goes back into the hand
    drag(page, f'[data-place="{pung}"] [data-tile="9s"]', "concealed")
    assert Counter(page.evaluate(PLACES)["concealed"])["9s"] == 1
    scored(page, ".problem")
    assert page.locator("#commit").is_disabled()
    drag(page, '[data-place="concealed"] [data-tile="9s"]', pung)
    drag(page, '[data-place="concealed"] [data-tile="E"]', "meld:new")
    assert ["E"] in page.evaluate(PLACES).values()
    # A tile that is no flower does not go among them, whatever hand moves it there.
    drag(page, '[data-place="concealed"] [data-tile="E"]', "flower")
    assert page.evaluate(PLACES)["flower"] == ["f1"]

    def tap(place: str, code: str, to: str) -> None:
        page.locator(f'[data-place="{place}"] [data-tile="{code}"]').first.click()
        page.click(f'#sheet button:has-text("{to}")')
        page.wait_for_selector("#sheet:not([open])", state="attached")

    meld = next(name for name, codes in page.evaluate(PLACES).items() if codes == ["E"] and name != "win")
    tap(meld, "E", "手牌")
    tap("concealed", "9m", "這張是胡牌")
    assert page.evaluate(PLACES)["win"] == ["9m"]
    page.wait_for_selector("#commit:not([disabled])")
    assert "17" in page.inner_text('[data-place="concealed"] .count')


def test_a_resting_finger_drags_and_a_moving_one_scrolls(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    page = pages.open(f"{book.url}/#table", **PHONE)
    edit(page, book, book.won())
    before = page.evaluate(PLACES)
    touch = page.context.new_cdp_session(page)

    def finger(kind: str, *at: float, **when: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, **when})

    page.evaluate("scrollTo(0, 0)")
    x, y = centre(page, '[data-place="concealed"] [data-tile="5m"]')
    began = time.time()  # with times of its own: a slow machine must not make a quick finger rest
    finger("touchStart", x, y, timestamp=began)
    for step in range(1, 9):
        finger("touchMove", x, y - 20 * step, timestamp=began + 0.01 * step)
    page.wait_for_timeout(300)  # lifted at rest: while a page flung still rolls, the browser lets nothing stop a scroll
    finger("touchEnd")
    pages.until(page, "scrollY > 40", True)
    assert page.evaluate(PLACES) == before

    page.evaluate("document.querySelector('[data-place=concealed]').scrollIntoView({ block: 'start' })")
    x, y = spot(page, '[data-place="concealed"] [data-tile="1m"]')
    to_x, to_y = spot(page, '[data-place="win"] header')
    finger("touchStart", x, y)
    page.wait_for_timeout(400)  # longer than the page's own 200 ms
    for step in range(1, 9):
        finger("touchMove", x + (to_x - x) * step / 8, y + (to_y - y) * step / 8)
    finger("touchEnd")
    pages.until(page, f"({PLACES}).win[0]", "1m")
    assert page.locator("#sheet[open]").count() == 0  # it was no tap


# ---- the score -------------------------------------------------------------------------------------------------------


def test_a_score_that_comes_late_is_not_taken_for_that_of_a_later_change(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    hand_id = book.won()
    page = pages.open(f"{book.url}/#table")
    page.clock.install()
    edit(page, book, hand_id)
    held: list[Any] = []

    def hold_the_first(asked: Any) -> None:
        if held:
            asked.continue_()
        else:
            held.append(asked)

    page.route("**/api/preview*", hold_the_first)
    page.click("#loser button:nth-child(1)")
    pages.hears(page, lambda: bool(held))
    page.clock.pause_at(page.evaluate("Date.now() + 10000"))  # the page is about to ask, and does not yet
    page.click("#loser button:nth-child(3)")
    with page.expect_response("**/api/preview*"):
        held[0].continue_()
    pages.dealt(page)  # the late answer
    assert page.locator("#commit").is_disabled()
    page.clock.resume()
    assert "Grandma −" in scored(page, ".pay").inner_text()
    commit(page, pages, "history")
    assert book.running.get(f"/api/hands/{hand_id}")["loser"] == "Grandma"


# ---- winners ---------------------------------------------------------------------------------------------------------


def test_several_show_a_hand_as_dealt_in_changsha(book: Book, pages: Any) -> None:
    match = book.start("changsha")
    page = pages.open(f"{book.url}/#hand/new/self_draw", **PHONE)
    page.wait_for_selector("#flags")
    page.click("#winner button:nth-child(2)")
    assert page.locator("text=再加一家胡").count() == 0  # one draws a tile by himself
    page.click("#flags summary")
    page.click('#flags button:text-is("起手胡")')
    lay(page, FOUR)
    page.wait_for_selector("#commit:not([disabled])")
    page.click("text=再加一家胡")
    page.click("#winner button:nth-child(3)")
    page.wait_for_selector("#winners button >> nth=2")
    assert page.locator("#commit").is_disabled()
    lay(page, NO_258)
    page.click("#own-fields summary")
    page.locator('[data-field="bird_number"] select').select_option("4")
    paid = "Array.from(document.querySelectorAll('#score .pay li'), (one) => one.textContent).join()"
    pages.until(page, paid, "阿明 −40,小華 +40,Grandma +40,老王 −40")
    assert page.locator("#score > h3").all_inner_texts() == ["小華", "Grandma"]  # whose total is whose
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    commit(page, pages, "table")
    assert book.totals(match) == [-40, 40, 40, -40]
    assert book.running.get(f"/api/matches/{match}")["dealer"] == 3  # the player of the bird deals
    # Taken out again on the older hand, the other one stands alone.
    page.goto(f"{book.url}/#hand/edit/{book.running.get('/api/hands')[0]['hand_id']}")
    page.click("#winners button >> nth=1")
    page.click("#drop-winner")
    commit(page, pages, "history")
    assert book.totals(match) == [-20, 50, -10, -20]


def test_one_discard_has_as_many_winners_as_the_ruleset_lets_win(book: Book, pages: Any) -> None:
    match = book.start("taiwan", 100, 20, multi_ron="nearest")
    page = pages.open(f"{book.url}/#hand/new/ron")
    page.wait_for_selector("#winner")
    assert page.locator("text=再加一家胡").count() == 0
    match = book.start("taiwan", 100, 20, multi_ron="all")
    hand_id = book.won(HAND, place=1, loser=3)
    one = book.totals(match)
    page.goto("about:blank")
    page.goto(f"{book.url}/#table")
    edit(page, book, hand_id)
    page.click("text=再加一家胡")
    page.click("#winner button:nth-child(3)")
    second = ["1m", "2m", "3m", "1p", "2p", "3p", "1s", "2s", "3s", "7s", "7s", "7s", "7m", "8m", "9m", "N", "N"]
    lay(page, second)
    page.locator('[data-place="concealed"] [data-tile="9m"]').first.click()
    page.click('#sheet button:has-text("這張是胡牌")')
    commit(page, pages, "history")
    both = book.totals(match)
    assert (both[1], both[0], sum(both)) == (one[1], 0, 0)
    assert both[2] > 0


def test_an_older_hand_becomes_a_draw_or_a_false_win_and_a_win_again(book: Book, pages: Any) -> None:
    match = book.start("taiwan", 100, 20)
    hand_id = book.won()
    book.won(place=0, loser=2)
    won = book.totals(match)
    page = pages.open(f"{book.url}/#table")
    edit(page, book, hand_id)
    page.click('#outcome button:text-is("流局")')
    assert page.locator(".tile-button[data-id]").count() == 0
    commit(page, pages, "history")
    after_draw = book.totals(match)
    assert after_draw[1] == 0
    page.goto(f"{book.url}/#history/{hand_id}")
    page.wait_for_selector(f'[data-hand="{hand_id}"] details[open]')
    page.click(f'[data-hand="{hand_id}"] a[href="#hand/edit/{hand_id}"]')
    page.click('#outcome button:text-is("詐胡")')
    page.click('#offender button:has-text("Grandma")')
    assert "Grandma −150" in scored(page, ".pay").inner_text()
    commit(page, pages, "history")
    assert book.totals(match) == [50 + 140, 50, -150 - 140, 50]  # the other hand is now won without a streak
    edit(page, book, hand_id)
    page.click('#outcome button:text-is("胡")')
    page.click("#winner button:nth-child(2)")
    page.click('#how button:text-is("放槍")')
    page.click("#loser button:nth-child(4)")
    lay(page, ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "E", "E"])
    lay(page, ["9m"], "win")
    lay(page, ["9s"] * 3, "meld:new")
    lay(page, ["5p"] * 4, "meld:new")
    page.locator("[data-place^='meld:'] select").last.select_option("kong_added")
    lay(page, ["f1"], "flower")
    commit(page, pages, "history")
    assert book.totals(match) == won


# ---- what only some rulesets ask -------------------------------------------------------------------------------------


def test_the_wild_tile_of_ningbo_is_chosen_and_stands_for_others(book: Book, pages: Any) -> None:
    book.start("ningbo")
    page = pages.open(f"{book.url}/#hand/new/self_draw", **PHONE)
    page.wait_for_selector("#own-fields")
    lay(page, ["1m", "1m", "1m", "2m", "3m", "4m", "6m", "7m", "9m", "9m", "C", "C", "C"])
    lay(page, ["5p"], "win")
    scored(page, ".problem")  # 5p is no 8m yet
    page.click("#own-fields summary")
    page.click('[data-field="wild"] .tile-button')
    page.click('#sheet .grid img[src*="/tiles/5p.svg"]')
    page.wait_for_selector("#commit:not([disabled])")
    assert page.locator('[data-field="wild"] img[src*="/tiles/5p.svg"]').is_visible()
    commit(page, pages, "table")
    hand_id = book.running.get("/api/hands")[0]["hand_id"]
    edit(page, book, hand_id)
    assert page.locator('[data-field="wild"] img[src*="/tiles/5p.svg"]').is_visible()
    # Another one: no longer a win; taken away: neither.
    page.click('[data-field="wild"] .tile-button')
    page.click('#sheet .grid img[src*="/tiles/E.svg"]')
    scored(page, ".problem")
    # A flower turned up makes its whole colour wild, and such flowers lie in the hand.
    page.click('[data-field="wild"] .tile-button')
    page.click('#sheet .grid img[src*="/tiles/f1.svg"]')
    page.locator('[data-place="win"] .tile-button').click()
    page.click('#sheet .grid img[src*="/tiles/f2.svg"]')
    page.wait_for_selector("#commit:not([disabled])")
    assert page.evaluate(PLACES)["win"] == ["f2"]
    commit(page, pages, "history")
    kept = book.running.get(f"/api/hands/{hand_id}")["submission"]["wins"][0]
    assert (kept["hand"]["win_tile"], kept["fields"]) == ("f2", {"wild": ["f1"]})


def test_whose_discard_a_meld_took_stays_with_the_meld(book: Book, pages: Any) -> None:
    book.start("taipei-online")
    page = pages.open(f"{book.url}/#table")
    hand_id = book.won()
    edit(page, book, hand_id)
    page.click("#own-fields summary")
    sources = page.locator('[data-field="meld_from"] select')
    assert sources.count() == 2
    sources.nth(0).select_option("opposite")
    sources.nth(1).select_option("lower")
    commit(page, pages, "history")
    assert book.running.get(f"/api/hands/{hand_id}")["submission"]["wins"][0]["fields"] == {
        "meld_from": ["opposite", "lower"]
    }
    edit(page, book, hand_id)
    assert [sources.nth(at).input_value() for at in range(2)] == ["opposite", "lower"]
    for _ in range(3):  # the first meld goes: the answer about the other one stays
        page.locator('[data-place^="meld:"] [data-tile="9s"]').first.click()
        page.click('#sheet button:has-text("→ 手牌")')
        page.wait_for_selector("#sheet:not([open])", state="attached")
    assert [sources.nth(at).input_value() for at in range(sources.count())] == ["lower"]
    page.locator("[data-place^='meld:'] select").first.select_option("kong_exposed")
    sources.first.select_option("upper")  # 不可槓上家的牌
    scored(page, ".violations")
    assert "不可槓上家的牌" in page.inner_text("#score")
    page.locator("[data-place^='meld:'] select").first.select_option("kong_concealed")
    page.wait_for_selector("#commit:not([disabled])")
    assert sources.count() == 0
    commit(page, pages, "history")
    assert book.running.get(f"/api/hands/{hand_id}")["submission"]["wins"][0]["fields"] == {}


def test_every_ruleset_asks_what_it_knows_and_nothing_else(book: Book, pages: Any) -> None:
    book.end()
    page = pages.open(f"{book.url}/#match")
    page.wait_for_selector("#ruleset")
    rules = {one["name"]: one for one in book.running.get("/api/rules")}
    assert len(rules) >= 8
    page.locator("#ruleset").select_option("changsha")  # whose points are worth what its text says
    for name, told in rules.items():  # every option is explained, in both languages
        page.locator("#ruleset").select_option(name)
        page.evaluate("document.getElementById('options').open = true")
        explained = page.locator("#page .option span").all_inner_texts()
        assert len(explained) == sum(option["kind"] in {"bool", "choice", "int"} for option in told["options"]) > 0
        assert all(len(text.splitlines()) == 2 for text in explained), name
        stakes = [int(page.input_value(f"#match-{one}")) for one in ("di", "tai")]
        assert stakes == (told["stake"] or [100, 20]), (name, stakes)
    words = page.evaluate(
        """import('/static/flag-words.js').then(({ FLAG_WORDS, RARE_WORDS }) => ({ ...FLAG_WORDS, ...RARE_WORDS }))"""
    )
    for name, told in rules.items():
        book.start(name)
        page.goto("about:blank")
        page.goto(f"{book.url}/#hand/new/self_draw")
        page.wait_for_selector("#flags", state="attached")
        shown = page.locator("#flags .chips button").evaluate_all("(all) => all.map((one) => one.textContent)")
        assert Counter(shown) == Counter(words[flag][0] for flag in told["flags"]), name
        asked = page.locator("#own-fields [data-field]").evaluate_all("(all) => all.map((one) => one.dataset.field)")
        # What the match knows by itself, and what the tiles tell, is not asked; nor melds' sources while there is none.
        unasked = {"won", "huangfan", "tiles13", "meld_from"}
        assert sorted(asked) == sorted(set(told["fields"]) - unasked), name
        # Nor are tiles offered that are not in the set.
        page.click('[data-place="concealed"] .add')
        offered = page.locator("#sheet .grid img").evaluate_all(
            "(all) => all.map((one) => /tiles.(.+)[.]svg/.exec(one.src)[1])"
        )
        assert offered == told["codes"], name
        assert ("f1" in offered) == (page.locator('[data-place="flower"]').count() == 1), name
