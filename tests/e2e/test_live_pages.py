"""Pages that follow the table while somebody is at work on them: what is typed stays, the newest answer is shown."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from taicam.capture import Library
from tests.e2e.test_companion import FIRST
from tests.e2e.test_editor import HAND, NAMES, PHONE, Book, book, edit
from tests.e2e.test_review import review

__all__ = ["book"]
pytestmark = [pytest.mark.e2e, pytest.mark.slow]
SEATED = "Array.from(document.querySelectorAll('#seats-chosen select'), (one) => one.selectedOptions[0].text).join()"


class Late:
    """Keeps the first answer to a request of the page back until it is let through."""

    def __init__(self, pages: Any, page: Any, address: str) -> None:
        self._pages, self._page = pages, page
        self._held: list[Any] = []
        self._answer: Any = None
        page.route(address, self._hold)

    def _hold(self, route: Any) -> None:
        # Only kept here: a route that waits for an answer of its own may keep the whole test waiting.
        if self._held:
            route.continue_()
        else:
            self._held.append(route)

    def wait(self) -> None:
        """Until the server has answered, and the page has not heard it."""
        self._pages.hears(self._page, lambda: bool(self._held))
        self._answer = self._held[0].fetch()

    def let_through(self) -> None:
        """And until the page has dealt with it."""
        with self._page.expect_response(self._held[0].request.url):
            self._held[0].fulfill(response=self._answer)
        self._pages.dealt(self._page)


def test_seats_being_chosen_stay_while_hands_are_recorded(book: Book, pages: Any) -> None:
    match = book.start("taiwan", 100, 20)
    page = pages.open(f"{book.url}/#match", **PHONE)
    page.click("#change-seats summary")
    seats = page.locator("#seats-chosen select")
    seats.nth(0).select_option(label="小華")
    book.won(HAND, place=1, loser=3)
    pages.until(page, "document.querySelector('tbody tr td').textContent", "1")  # the page shows the hand
    assert page.evaluate(SEATED) == "小華,小華,Grandma,老王"
    seats.nth(1).select_option(label="阿明")
    page.click("#seats-chosen button")
    pages.until(page, "document.getElementById('toast').textContent", "座位已更新")
    assert book.running.get(f"/api/matches/{match}")["seating"] == ["p1", "p0", "p2", "p3"]
    seats.nth(2).select_option(label="老王")
    book.send("POST", "/api/match/seats", {"seating": ["p3", "p2", "p1", "p0"]})  # another device was quicker
    pages.until(page, SEATED, "老王,Grandma,小華,阿明")
    page.wait_for_selector("#toast.bad:not([hidden])")
    book.end()  # elsewhere
    page.wait_for_selector("#transfers")
    assert page.locator("#change-seats").is_hidden()
    assert page.locator("#end-match").count() == 0


def test_a_new_match_half_put_together_stays_until_the_device_is_paired(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none", pairing=True)
    page = pages.open(f"{running.url}/#match", **PHONE)
    page.wait_for_selector("#start-match")
    for place, name in enumerate(NAMES):
        page.fill(f"#name-{place}", name)
    page.click("#add-person")
    page.fill("#name-4", "小美")
    page.select_option("#ruleset", "taiwan")
    page.click("#options summary")
    option = page.locator("#options input[type=checkbox]").first
    wanted = not option.is_checked()
    option.set_checked(wanted)
    page.click("#start-match")
    page.fill("#pair-code", running.get("/api/pairing")["code"])
    page.click("form.pair button")
    page.wait_for_selector("#start-match")
    assert [page.input_value(f"#name-{place}") for place in range(5)] == [*NAMES, "小美"]
    page.click("#options summary")
    assert option.is_checked() is wanted
    page.click("#start-match")
    page.wait_for_selector("#do-draw_button")
    match = running.get("/api/matches")[0]["match_id"]
    assert [one["name"] for one in running.get(f"/api/matches/{match}")["people"]] == [*NAMES, "小美"]
    pages.refused("401 /api/matches")


def test_an_older_standing_that_comes_late_is_not_shown(book: Book, pages: Any) -> None:
    match = book.start("taiwan", 100, 20)
    page = pages.open(f"{book.url}/#match")
    page.wait_for_selector("#end-match")
    late = Late(pages, page, f"**/api/matches/{match}")
    book.won(HAND, place=1, loser=3)
    late.wait()
    book.won(HAND, place=1, loser=3)
    wins = "document.querySelector('tbody tr td').textContent"
    pages.until(page, wins, "2")
    late.let_through()
    assert page.evaluate(wins) == "2"


def test_a_standing_that_comes_late_does_not_take_the_place_of_a_new_match(book: Book, pages: Any) -> None:
    match = book.start("taiwan", 100, 20)
    book.end()
    page = pages.open(f"{book.url}/#match/{match}")
    page.wait_for_selector(".chart")
    late = Late(pages, page, f"**/api/matches/{match}")
    book.won(HAND, place=1, loser=3)
    late.wait()
    page.click(".actions .primary")
    page.fill("#name-0", "阿明的表")
    late.let_through()
    assert page.input_value("#name-0") == "阿明的表"


def test_an_older_account_that_comes_late_is_not_shown(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    first = book.won(HAND, place=1, loser=3)
    page = pages.open(f"{book.url}/#history")
    page.wait_for_selector(f'[data-hand="{first}"]')
    late = Late(pages, page, "**/api/hands")
    book.won(HAND, place=1, loser=3)
    late.wait()
    last = book.won(HAND, place=1, loser=3)
    page.wait_for_selector(f'[data-hand="{last}"]')
    late.let_through()
    assert page.locator("[data-hand]").count() == 3


def test_of_two_changes_elsewhere_the_later_is_edited(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    hand_id = book.won(HAND, place=1, loser=3)
    page = pages.open(book.url)
    edit(page, book, hand_id)
    late = Late(pages, page, f"**/api/hands/{hand_id}")
    change = {"outcome": "win", "wins": [{"place": 1, "hand": HAND, "self_draw": False}]}
    book.send("PUT", f"/api/hands/{hand_id}", {**change, "loser": 2})
    late.wait()
    with page.expect_request(f"**/api/hands/{hand_id}") as asked:
        book.send("PUT", f"/api/hands/{hand_id}", {**change, "loser": 0})
    assert asked.value.method == "GET"
    late.let_through()
    pages.until(page, "document.querySelector('#loser .on')?.textContent.includes('阿明')", True)


def test_the_table_is_there_to_be_marked_once_the_camera_gives_a_picture(
    appliance: Any, pages: Any, camera: Any, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera.show(sample / "02-pungs-and-dragons.jpg")
    switched_on = threading.Event()
    frame = camera.frame
    monkeypatch.setattr(camera, "frame", lambda: frame() if switched_on.wait() else b"")
    running = appliance("--source", camera.url)
    page = pages.open(f"{running.url}/#calibrate")
    page.wait_for_selector(".card.quiet")
    assert page.inner_text(".card.quiet") == "還沒有鏡頭畫面"
    switched_on.set()
    page.wait_for_selector("#keep-corners", timeout=120_000)
    pages.until(page, "document.querySelector('.stage img').naturalWidth > 0", True)
    page.locator(".corner").first.focus()
    page.keyboard.press("ArrowRight")
    moved = page.locator(".corner").first.get_attribute("style")
    Book(running).won(HAND, place=1, loser=3)
    pages.caught_up(page, running)
    assert page.locator(".corner").first.get_attribute("style") == moved
    pages.until(page, "document.activeElement.className", "corner")
    # How often it was asked before the first look is the machine's speed; there was no calibration before.
    assert set(pages.errors) <= {"404 /api/camera", "404 /api/calibration"}
    pages.errors.clear()


def test_a_kept_view_that_comes_late_is_not_judged_in_place_of_the_next(
    appliance: Any, pages: Any, tmp_path: Path
) -> None:
    page, folder = review(appliance, pages, tmp_path)
    late = Late(pages, page, "**/api/capture/samples/*")
    page.keyboard.press("ArrowRight")
    late.wait()
    page.keyboard.press("ArrowRight")
    place = "document.querySelector('.quiet').textContent.slice(0, 5)"
    pages.until(page, place, "3 / 3")
    late.let_through()
    page.keyboard.press("Enter")
    pages.until(page, place, "2 / 2")
    assert [row.state for row in Library(folder).rows()] == ["proposed", "proposed", "accepted"]


@pytest.mark.usefixtures("networks")
def test_the_name_of_a_set_is_typed_on_while_a_photo_is_read(appliance: Any, pages: Any, sample: Path) -> None:
    running = appliance("--source", "none")
    page = pages.open(f"{running.url}/#enroll", **PHONE)
    page.click("#enroll-begin")
    page.wait_for_selector("#enroll-file", state="attached")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/api/enrolment/photos", hold)
    page.set_input_files("#enroll-file", str(sample / "02-pungs-and-dragons.jpg"))
    page.locator("#set-name").press_sequentially("my ")
    pages.hears(page, lambda: bool(held))
    held[0].continue_()
    page.wait_for_selector("[data-photo]", timeout=120_000)
    page.keyboard.type("tiles")
    assert page.input_value("#set-name") == "my tiles"


def test_what_is_opened_on_the_match_form_stays_while_people_come_and_rules_change(book: Book, pages: Any) -> None:
    page = pages.open(f"{book.url}/#match", **PHONE)
    page.click("#options summary")
    option = page.locator("#options input[type=checkbox]").first
    wanted = not option.is_checked()
    option.set_checked(wanted)
    page.fill("#match-title", "週五")
    page.locator("#match-di").fill("300")  # as a touch screen has it: the field is not left when a button is tapped
    page.click("#add-person")
    assert page.locator("#options").get_attribute("open") == ""
    assert option.is_checked() is wanted
    assert page.input_value("#match-title") == "週五"
    page.evaluate("document.getElementById('match-tai').value = '30'")
    page.evaluate("document.getElementById('match-tai').dispatchEvent(new Event('input'))")
    page.evaluate("scrollTo(0, document.getElementById('options').getBoundingClientRect().top + scrollY)")
    place = page.evaluate("scrollY")
    page.evaluate("document.querySelector('.person ~ .actions button').click()")  # the seats are drawn
    assert page.locator("#options").get_attribute("open") == ""
    assert page.evaluate("scrollY") == place > 0
    assert [page.input_value(f"#match-{name}") for name in ("di", "tai")] == ["300", "30"]
    page.select_option("#ruleset", "sichuan")
    assert page.locator("#options").get_attribute("open") == ""
    page.focus("#ruleset")
    page.select_option("#ruleset", "taiwan")
    assert page.evaluate("document.activeElement.id") == "ruleset"


def test_what_is_opened_of_a_score_stays_while_the_facts_change(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    page = pages.open(book.url)
    edit(page, book, book.won(FIRST, place=1, loser=3))
    page.locator("#score .item summary").last.click()
    opened = "Array.from(document.querySelectorAll('#score details[open]'), (one) => one.firstChild.textContent).join()"
    before = page.evaluate(opened)
    page.click("#loser button:nth-child(1)")
    page.wait_for_selector("#score:not(.old) .pay")
    assert page.evaluate(opened) == before != ""


FAILING = {
    "match": ("**/api/rules", "#start-match"),
    "match/{match}": ("**/api/matches/*", ".chart"),
    "history": ("**/api/hands", "#hands"),
    "review": ("**/api/capture/samples*", "main .card.quiet"),
    "enroll": ("**/api/enrolment", "#enroll-begin"),
    "calibrate": ("**/api/state", "main .card.quiet"),
    "table": ("**/api/state", "#do-win_button"),
    "hand/new": ("**/api/rules/current", "#commit"),
    "hand/edit/{hand}": ("**/api/hands/*", "#score .pay"),
}


@pytest.mark.parametrize("language", ["zh-Hant", "en"])
def test_a_page_that_cannot_be_loaded_says_so_and_is_tried_again(book: Book, pages: Any, language: str) -> None:
    match = book.start("taiwan", 100, 20)
    hand = book.won(HAND, place=1, loser=3)
    book.end()
    told = {
        "zh-Hant": ["連不上 taicam,請再試一次", "再試一次"],
        "en": ["taicam cannot be reached: try again", "Try again"],
    }
    page = pages.open("about:blank", **PHONE)
    for address, (question, there) in FAILING.items():
        page.route(question, lambda route: route.abort())
        if question.endswith("/state"):  # nor do events come
            page.route("**/api/events", lambda route: route.abort())
        page.goto("about:blank")
        page.goto(f"{book.url}/?lang={language}#{address.format(match=match, hand=hand)}")
        page.wait_for_selector(".failed")
        said = [page.inner_text(f"main .failed {part}") for part in (".problem", "button")]
        assert said == told[language], address
        assert page.locator("main .failed button").bounding_box()["height"] >= 44
        page.unroute_all()
        page.click(".failed button")
        page.wait_for_selector(there)
        assert page.locator(".failed").count() == 0, address


def test_a_part_of_the_setup_that_cannot_be_loaded_leaves_the_rest(book: Book, pages: Any) -> None:
    page = pages.open("about:blank")
    parts = {"tile-sets": "#to-enroll", "camera-settings": "p", "capture": "#capture a", "pairing": "p"}
    for part, there in parts.items():
        page.route(f"**/api/{part}", lambda route: route.abort())
        page.goto("about:blank")
        page.goto(f"{book.url}/#setup")
        page.wait_for_selector(f"#{part} .failed")
        page.wait_for_selector("#about li")
        assert page.locator(".failed").count() == 1
        page.unroute_all()
        page.click(".failed button")
        page.wait_for_selector(f"#{part} {there}" if not there.startswith("#") else there)
        page.wait_for_selector(".failed", state="detached")


def test_a_page_that_could_not_be_loaded_comes_by_itself_when_the_network_is_back(book: Book, pages: Any) -> None:
    page = pages.open(f"{book.url}/#table")
    page.wait_for_selector("#do-win_button")
    page.context.set_offline(True)
    for tab, there in (("match", "#start-match"), ("history", "main .card.quiet")):
        page.context.set_offline(True)
        page.click(f"[href='#{tab}']")
        page.wait_for_selector(".failed")
        page.context.set_offline(False)
        page.wait_for_selector(there)
        page.wait_for_selector("#stale", state="hidden")


def test_a_device_that_may_not_look_is_shown_the_way_to_the_pairing(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none", pairing=True)
    page = pages.open(f"{running.url}/#review")  # kept views are for paired devices
    page.click(".failed a[href='#pair']")
    page.fill("#pair-code", running.get("/api/pairing")["code"])
    page.click("form.pair button")
    page.wait_for_selector("main .card.quiet")  # back where it was refused
    assert page.evaluate("location.hash") == "#review"
    pages.refused("401 /api/capture/samples")


def test_what_is_opened_on_the_table_stays_open_while_hands_are_recorded(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    page = pages.open(f"{book.url}/#table")
    page.click(".east summary")
    book.won(HAND, place=0, loser=3)
    pages.caught_up(page, book.running)
    assert page.locator(".east .chips button").count() == 4
    assert page.locator(".east .chips").is_visible()
