"""Every page through axe-core: nothing that keeps somebody from using it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Pages

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
axe_module = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")

MATCH = {
    "title": "週五",
    "people": [{"id": f"p{n}", "name": name} for n, name in enumerate(["阿明", "小華", "Grandma", "老王"])],
    "seating": ["p0", "p1", "p2", "p3"],
    "ruleset": "taiwan",
    "stakes": {"di": 100, "tai": 20},
}
HAND = {"concealed": ["E", "E"], "flowers": ["f1"], "win_tile": "E"}
MELDS = [["N", "N", "N"], ["4p", "4p", "4p"], ["9s", "9s", "9s"], ["1m", "2m", "3m"], ["5s", "6s", "7s"]]


def problems(page: Any) -> list[str]:
    """The serious findings, each with the element it is about."""
    found = axe_module.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['target']} {node['html'][:120]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


def send(page: Any, method: str, path: str, body: Any) -> Any:
    """A change made by the page itself, with its own cookies and origin."""
    return page.evaluate(
        """async ([method, path, body]) => {
          const { send } = await import('/static/api.js');
          return send(method, path, body);
        }""",
        [method, path, body],
    )


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_no_serious_violation_on_any_page(appliance: Any, pages: Any, sample: Path, scheme: str) -> None:
    running = appliance("--source", "none")
    page = pages.open(running.url, color_scheme=scheme)
    page.wait_for_selector("#do-win_button")
    found = {"match form": _visit(page, running.url, "#match", "#start-match")}
    send(page, "POST", "/api/matches", MATCH)
    hand = {**HAND, "melds": [{"kind": "chow" if len(set(t)) > 1 else "pung", "tiles": t} for t in MELDS]}
    win = {"outcome": "win", "wins": [{"place": 1, "hand": hand}], "loser": 3}
    hand_id = send(page, "POST", "/api/hands", win)["hand_id"]
    found["table"] = _visit(page, running.url, "#table", "#do-draw_button")
    found["match"] = _visit(page, running.url, "#match", ".chart")
    found["history"] = _visit(page, running.url, "#history", "#hands summary", click=True)
    found["editor"] = _visit(page, running.url, f"#hand/edit/{hand_id}", "#score .pay")
    page.locator(".tile-button[data-id]").first.click()
    page.wait_for_selector("#sheet[open]")
    found["sheet"] = problems(page)
    page.keyboard.press("Escape")
    found["setup"] = _visit(page, running.url, "#setup", "#about li")
    found["wizard, before"] = _visit(page, running.url, "#enroll", "#enroll-begin")
    page.click("#enroll-begin")
    page.set_input_files("#enroll-file", str(sample / "02-pungs-and-dragons.jpg"))
    page.wait_for_selector(".pair-button")
    found["wizard, a photo"] = problems(page)
    found["calibration"] = _visit(page, running.url, "#calibrate", ".card")
    found["review"] = _visit(page, running.url, "#review", ".card")
    found["pair"] = _visit(page, running.url, "#pair", "#pair-code")
    found["display"] = _visit(page, running.url, "display", "#items li")
    match_id = running.get("/api/matches")[0]["match_id"]
    found["sheet to print"] = _visit(page, running.url, f"sheet/{match_id}", "table")
    assert {name: list_ for name, list_ in found.items() if list_} == {}


def _visit(page: Any, url: str, where: str, wait_for: str, *, click: bool = False) -> list[str]:
    Pages.visit(page, f"{url}/{where}", wait_for)
    if click:
        page.locator(wait_for).first.click()
        page.wait_for_selector("details[open] .actions button")
    moving = "document.getAnimations().filter((one) => one.playState === 'running').length"
    Pages.until(page, moving, 0)  # what still comes is not there to be looked at
    return problems(page)
