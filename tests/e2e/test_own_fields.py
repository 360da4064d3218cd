"""A ruleset's own questions on the confirm page: asked only where it reads them, scored as they change, saved."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
SUITED = ["1m", "1m", "1m", "2m", "3m", "4m", "6m", "7m", "8m", "9m", "9m", "9m", "5m", "5m"]


def _post(running: Any, path: str, body: dict[str, Any], name: str) -> dict[str, Any]:
    headers = {"content-type": "application/json", "idempotency-key": f"key-{name:0>8}", "origin": running.url}
    asked = urllib.request.Request(running.url + path, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.urlopen(asked, timeout=30) as answer:
        told: dict[str, Any] = json.load(answer)
    return told


def _match(running: Any, ruleset: str) -> None:
    people = [{"id": f"p{at}", "name": name} for at, name in enumerate(["阿明", "小華", "Grandma", "老王"])]
    _post(running, "/api/matches", {
        "people": people, "seating": [one["id"] for one in people], "ruleset": ruleset, "stakes": {"di": 0, "tai": 1},
    }, "match")  # fmt: skip


def test_a_rulesets_questions_are_asked_scored_and_saved(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none")
    page = pages.open(f"{running.url}/#hand/new/self_draw", viewport={"width": 390, "height": 844})
    page.wait_for_selector("#flags")
    asked = page.locator("#own-fields [data-field]").evaluate_all("(all) => all.map((one) => one.dataset.field)")
    assert "dice" not in asked  # the house plays Taiwanese rules
    assert "flower_seat" in asked

    _match(running, "shanghai")
    win = {"place": 1, "hand": {"concealed": SUITED, "win_tile": "8m"}, "self_draw": True}
    made = _post(running, "/api/hands", {"outcome": "win", "wins": [win]}, "hand")
    page.goto(f"{running.url}/#hand/edit/{made['hand_id']}")
    page.wait_for_selector("#commit:not([disabled])")
    before = page.inner_text("#score .pay")
    page.click("#own-fields summary")
    dice = page.locator('[data-field="dice"] select')
    for at in range(2):
        dice.nth(at).select_option("4")
    pages.until(page, f"document.querySelector('#score .pay')?.innerText !== {json.dumps(before)}", want=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.locator("#own-fields select, #own-fields button").evaluate_all(
        "(all) => all.filter((one) => one.getBoundingClientRect().height < 43.5).length"
    )
    assert small == 0  # a finger hits them
    page.wait_for_selector("#commit:not([disabled])")
    page.click("#commit")
    pages.until(page, "location.hash.startsWith('#history')", want=True)
    kept = running.get(f"/api/hands/{made['hand_id']}")["submission"]["wins"][0]["fields"]
    assert kept == {"dice": [4, 4]}


def test_the_header_is_that_of_the_coming_hand_and_who_is_out_is_marked(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none")
    _match(running, "sichuan")
    page = pages.open(f"{running.url}/#table")
    hand = {"concealed": ["2m", "2m", "2m", *SUITED[4:6], "5m", "6m", "7m", "8m", "3p", "4p", "5p", "5p", "5p"]}
    for place in (0, 1, 2):
        win = {"place": place, "hand": hand | {"win_tile": "8m"}, "self_draw": True}
        _post(running, "/api/hands", {"outcome": "win", "wins": [win]}, f"win{place}")
        if place == 0:
            page.wait_for_selector("#seats .seat:nth-child(1) >> text=已胡")
            page.goto(f"{running.url}/#hand/new/ron")
            page.wait_for_selector("#winner button")
            assert page.locator("#winner button").first.is_disabled()
            page.goto(f"{running.url}/#table")
    page.wait_for_selector("text=莊家未定")
    page.click('#notices button:has-text("Grandma")')
    pages.until(page, "document.getElementById('round').textContent.includes('莊東')", True)
    assert "Grandma" in page.inner_text("#seats .seat:nth-child(3)")
    assert "莊" in page.inner_text("#seats .seat:nth-child(3)")
