"""Several devices at one table: who was quicker, who may only look, and in which language each is asked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from taicam.board import Board
from taicam.facts import Facts
from taicam.house import House
from taicam.ledger import Ledger
from taicam.session import Session
from tests.e2e.test_editor import HAND, PHONE, Book, book, commit, edit, lay
from tests.taicam.conftest import doubtful

__all__ = ["book"]
pytestmark = [pytest.mark.e2e, pytest.mark.slow]
CHINESE = re.compile(r"[一-鿿]")
TILES = ["1m", "1m", "1m", "2m", "3m", "4m", "5p", "5p", "5p", "7s", "8s", "9s", "E", "E", "E", "C"]
ASKED = ["1m", "2m", "3m", "4m", "5m", "6m", "7p", "8p", "9p", "2s", "3s", "4s", "6s", "7s", "8s", "5p", "5p"]


@pytest.fixture
def asking(appliance: Any, tmp_path: Path) -> Any:
    """An appliance at which one hand waits, its fifth tile in doubt."""
    with Ledger.open(tmp_path / "data") as ledger:
        reading = doubtful(ASKED)
        Session(ledger, Board(), House()).offer(reading, "frame 1", Facts(self_draw=True), "digest")
    return appliance("--source", "none", data=tmp_path / "data")


def test_each_is_asked_in_their_own_language_and_the_slower_one_is_told(asking: Any, pages: Any) -> None:
    tablet = pages.open(f"{asking.url}/?lang=zh-Hant#table")
    phone = pages.open(f"{asking.url}/?lang=en#table", **PHONE)
    for page, question in ((tablet, "第 5 張不確定"), (phone, "tile 5 is not certain")):
        assert question in page.inner_text(".waiting")
        page.click(".waiting")
        page.wait_for_selector("#commit:not([disabled])")
        assert question in page.inner_text("#doubts")
    assert not CHINESE.search(phone.inner_text("#doubts"))

    tablet.locator(".tile-button.doubtful").click()
    tablet.locator("#sheet .likely .current").click()
    tablet.wait_for_selector("#doubts", state="detached")  # it was looked at
    commit(tablet, pages, "table")

    phone.wait_for_selector("#gone")
    assert phone.locator("#commit").is_disabled()
    assert "elsewhere" in phone.inner_text("#gone")
    phone.click("#gone a")
    phone.wait_for_selector("#do-win_button")
    assert len(asking.get("/api/hands")) == 1


def test_a_hand_edited_elsewhere_is_loaded_anew(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    hand_id = book.won(HAND, place=1, loser=3)
    page = pages.open(book.url)
    edit(page, book, hand_id)
    page.click("#loser button:nth-child(1)")
    win = {"place": 1, "hand": HAND, "self_draw": False}
    book.send("PUT", f"/api/hands/{hand_id}", {"outcome": "win", "wins": [win], "loser": 2})
    pages.until(page, "document.querySelector('#loser .on')?.textContent.includes('Grandma')", True)
    assert "別的裝置" in page.inner_text("#toast")
    commit(page, pages, "history")
    assert book.running.get(f"/api/hands/{hand_id}")["loser"] == "Grandma"


def test_a_hand_put_together_before_pairing_is_not_lost(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none", pairing=True)
    page = pages.open(f"{running.url}/#hand/new/self_draw", **PHONE)
    page.wait_for_selector("#only-looking:not([hidden]) a[href='#pair']")
    lay(page, TILES)
    page.click("[href='#table']")  # a tap beside
    page.wait_for_selector("#do-win_button")
    page.click("#do-self_draw_button")
    page.wait_for_selector("#commit")
    assert page.locator('[data-place="concealed"] [data-tile]').count() == len(TILES)
    page.click('[data-place="win"] .add')
    page.click('#sheet .grid img[src*="/tiles/C.svg"]')
    page.click("#sheet .sheet-head button")
    page.wait_for_selector("#commit:not([disabled])")
    page.click("#commit")
    page.wait_for_selector("#pair-code")
    page.fill("#pair-code", running.get("/api/pairing")["code"])
    page.click("form.pair button")
    commit(page, pages, "table")
    (hand,) = running.get("/api/hands")
    assert hand["wins"][0]["total"] == 8
    page.wait_for_selector("#only-looking", state="hidden")
    page.click("#do-self_draw_button")  # what was saved does not come back
    page.wait_for_selector("#commit")
    assert page.locator("[data-tile]").count() == 0
    pages.refused("401 /api/hands")


@pytest.mark.parametrize("language", ["zh-Hant", "en"])
def test_options_are_told_in_words_and_a_mistyped_number_goes_back(book: Book, pages: Any, language: str) -> None:
    page = pages.open(f"{book.url}/?lang={language}#match")
    page.click("#options summary")  # it stays open
    for name in page.eval_on_selector_all("#ruleset option", "all => all.map((one) => one.value)"):
        page.select_option("#ruleset", name)
        words = page.eval_on_selector_all("#options option", "all => all.map((one) => [one.value, one.textContent])")
        assert [value for value, word in words if value == word and not re.fullmatch(r"[\d.]+", value)] == []
        for said in page.locator("#options .option span").all_inner_texts():
            assert not re.search(r"\[\d{3}\]|\b(in|as|and)\s*([,;:]|$)", said, re.MULTILINE)
    page.locator("#match-di").press_sequentially("e")
    page.locator("#match-di").blur()
    assert page.input_value("#match-di") == page.evaluate("document.getElementById('match-di').defaultValue") != ""
