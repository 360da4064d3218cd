"""A whole east round played through the companion: real browser, real server, hands read from a real camera stream."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_editor import scored

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
NAMES = ["阿明", "小華", "Grandma", "老王"]
MING, HUA, GRANDMA, WANG = range(4)


class Table:
    """A tablet at the table: does with taps what people do."""

    def __init__(self, running: Any, page: Any, camera: Any, sample: Path) -> None:
        self.running = running
        self.page = page
        self.camera = camera
        self.sample = sample
        truth = json.loads((sample / "truth.json").read_text(encoding="utf-8"))["pictures"]
        self.truth = {entry["picture"]: entry for entry in truth}

    def start_match(self) -> None:
        self.page.goto(f"{self.running.url}/#match")
        for place, name in enumerate(NAMES):
            self.page.fill(f"#name-{place}", name)
        self.page.fill("#match-falseWin", "150")
        self.page.locator("#match-falseWin").dispatch_event("change")
        self.page.click("#start-match")
        self.page.wait_for_selector("#do-draw_button")

    def lay(self, picture: str) -> str:
        """Lay a hand under the camera and open what the tablet offers; returns the offer's id."""
        known = {offer["offer_id"] for offer in self.running.get("/api/offers")}
        self.camera.show(self.sample / picture)
        state = self.running.wait_for(lambda s: {o["offer_id"] for o in s["table"]["offers"]} - known)
        self.camera.clear()
        (offer,) = {o["offer_id"] for o in state["table"]["offers"]} - known
        self.page.goto(f"{self.running.url}/#table")
        self.page.click(f'a[href="#hand/offer/{offer}"]')
        self.page.wait_for_selector(".tile-button[data-id]")
        return str(offer)

    # -- correcting, by taps only -----------------------------------------------------------------------------

    def places(self) -> dict[str, list[str]]:
        """What the editor shows: place -> tile codes."""
        found: dict[str, list[str]] = self.page.evaluate(
            """Object.fromEntries(Array.from(document.querySelectorAll('[data-place]')).map((place) =>
               [place.dataset.place, Array.from(place.querySelectorAll('[data-tile]'), (one) => one.dataset.tile)]))"""
        )
        return found

    def change(self, place: str, code: str, instead: str) -> None:
        """Tap the tile `code` in `place` and choose `instead`."""
        self.page.locator(f'[data-place="{place}"] [data-tile="{code}"]').first.click()
        self.page.locator(f'#sheet .grid img[src*="/tiles/{instead}.svg"]').click()
        self.page.wait_for_selector("#sheet:not([open])", state="attached")

    def mend(self, picture: str) -> int:
        """Mend whatever the reader got wrong about the picture; returns the number of tiles tapped."""
        true, taps = self.truth[picture], 0
        wanted = [(meld["kind"], sorted(meld["tiles"])) for meld in true["melds"]]
        melds = [place for place in self.places() if place.startswith("meld:") and place != "meld:new"]
        for place in sorted(melds, key=lambda one: all(sorted(self.places()[one]) != tiles for _, tiles in wanted)):
            tiles = sorted(self.places()[place])
            best = max(wanted, key=lambda meld: len(Counter(meld[1]) & Counter(tiles)))
            wanted.remove(best)
            taps += self._exchange(place, best[1])
            self.page.locator(f'[data-place="{place}"] select').select_option(best[0])
        taps += self._exchange("flower", true["flowers"])
        hand = list(true["concealed"])
        hand.remove(true["win_tile"])
        if self.places()["win"] != [true["win_tile"]] and true["win_tile"] in self.places()["concealed"]:
            self.page.locator(f'[data-place="concealed"] [data-tile="{true["win_tile"]}"]').first.click()
            self.page.click('#sheet button:has-text("這張是胡牌")')
            taps += 1
        taps += self._exchange("win", [true["win_tile"]])
        return taps + self._exchange("concealed", hand)

    def _exchange(self, place: str, wanted: list[str]) -> int:
        have, want = Counter(self.places().get(place, [])), Counter(wanted)
        wrong, missing = sorted((have - want).elements()), sorted((want - have).elements())
        assert len(wrong) == len(missing), f"{place}: {have} is to be {want}"
        for code, instead in zip(wrong, missing, strict=True):
            self.change(place, code, instead)
        return len(wrong)

    def say(self, winner: int, loser: int | None, flags: tuple[str, ...] = ()) -> None:
        self.page.click(f"#winner button:nth-child({winner + 1})")
        self.page.click(f"#how button:nth-child({1 if loser is None else 2})")
        if loser is not None:
            self.page.click(f"#loser button:nth-child({loser + 1})")
        if flags:
            self.page.click("#flags summary")
        for flag in flags:
            self.page.click(f'#flags button:has-text("{flag}")')

    def confirm(self) -> None:
        hands = self.running.get("/api/state")["table"]["hands"]
        self.page.wait_for_selector("#commit:not([disabled])")
        self.page.click("#commit")
        self.running.wait_for(lambda s: s["table"]["hands"] == hands + 1)
        self.page.wait_for_selector("#do-win_button")

    def totals(self) -> dict[str, int]:
        match = self.running.get(f"/api/matches/{self.running.get('/api/state')['table']['match']}")
        return {person["name"]: person["total"] for person in match["people"]}


@pytest.fixture
def table(appliance: Any, pages: Any, camera: Any, sample: Path) -> Table:
    running = appliance("--source", camera.url)
    made = Table(running, pages.open(running.url), camera, sample)
    made.start_match()
    return made


def test_a_whole_east_round(table: Table, pages: Any) -> None:
    display = pages.open(f"{table.running.url}/display")
    second = pages.open(f"{table.running.url}/?lang=en#table", viewport={"width": 390, "height": 844})

    # 1: the dealer wins on a discard, stays, and has a streak.
    table.lay("02-pungs-and-dragons.jpg")
    table.mend("02-pungs-and-dragons.jpg")
    table.say(MING, GRANDMA)
    table.confirm()
    first = table.running.get("/api/hands")[0]
    assert table.totals() == {"阿明": 320, "小華": 0, "Grandma": -320, "老王": 0}  # 底 100 + (10 + dealer 1) x 20

    # 2: a self-draw with one tile set wrong and mended by one tap; the deal passes on.
    table.lay("07-full-flush-concealed.jpg")
    table.mend("07-full-flush-concealed.jpg")
    table.say(HUA, None)
    table.change("concealed", "1m", "C")
    assert "不成和牌型" in scored(table.page, ".problem").inner_text()
    assert table.page.locator("#commit").is_disabled()
    table.change("concealed", "C", "1m")
    table.confirm()
    assert table.totals()["小華"] == (100 + 15 * 20) * 3 + (1 + 2) * 20  # the dealer pays 1 + 2 x streak more

    # 3: a draw: the dealer stays.
    table.page.click("#do-draw_button")
    table.page.click("#sheet .primary")
    table.running.wait_for(lambda state: state["table"]["hands"] == 3)

    # 4: a false win, taken back with one press.
    before = table.totals()
    table.page.click("#do-false_win_button")
    table.page.click('#sheet button:has-text("老王")')
    table.running.wait_for(lambda state: state["table"]["hands"] == 4)
    assert table.totals()["老王"] == before["老王"] - 450
    table.page.click("#do-undo_button")
    table.page.click("#sheet .primary")
    table.running.wait_for(lambda state: state["table"]["hands"] == 3)
    assert table.totals() == before

    # 5-7: the deal goes round the table, and the south round begins.
    for picture, winner, loser in (
        ("08-small-three-dragons.jpg", WANG, HUA),
        ("06-half-flush.jpg", MING, HUA),
        ("12-three-concealed-triplets.jpg", HUA, WANG),
    ):
        table.lay(picture)
        table.mend(picture)
        table.say(winner, loser)
        table.confirm()
    state = table.running.wait_for(lambda view: view["table"]["hands"] == 6)
    match = table.running.get(f"/api/matches/{state['table']['match']}")
    assert (match["round_wind"], match["dealer"], match["streak"]) == ("S", 0, 0)
    assert sum(table.totals().values()) == 0

    # An older hand is corrected: Grandma did not deal in, 老王 did. Everything after it is recomputed.
    before = table.totals()
    table.page.goto(f"{table.running.url}/#history")
    row = table.page.locator(f'[data-hand="{first["hand_id"]}"]')
    row.locator("summary").click()
    row.locator(f'a[href="#hand/edit/{first["hand_id"]}"]').click()
    table.page.wait_for_selector("#loser")
    table.page.click(f"#loser button:nth-child({WANG + 1})")
    table.page.wait_for_selector("#commit:not([disabled])")
    table.page.click("#commit")
    table.page.wait_for_selector(".tag")
    after = table.totals()
    assert after["Grandma"] == before["Grandma"] + 320
    assert after["老王"] == before["老王"] - 320

    # Everybody who looks sees the same.
    for page, place in ((display, ".points"), (second, ".seat .points")):
        shown = f"Array.from(document.querySelectorAll('{place}'), (n) => Number(n.textContent))"
        pages.until(page, shown, [after[name] for name in NAMES])

    # Settle up.
    table.page.goto(f"{table.running.url}/#match")
    table.page.click("#end-match")
    table.page.click("#sheet .primary")
    table.running.wait_for(lambda view: view["table"]["match"] is None)
    table.page.wait_for_selector("#end-match", state="detached")
    assert table.page.locator("#transfers").is_visible()
    paid = dict.fromkeys(NAMES, 0)
    for one in table.running.get(f"/api/matches/{match['match_id']}")["settle_up"]:
        paid[one["payer"]] -= one["amount"]
        paid[one["payee"]] += one["amount"]
    assert paid == after


def test_killed_and_restarted_in_mid_confirm_nothing_is_lost_and_nothing_doubled(
    table: Table, appliance: Any, camera: Any
) -> None:
    table.lay("11-all-claimed.jpg")
    table.mend("11-all-claimed.jpg")
    table.say(HUA, WANG)
    table.page.wait_for_selector("#commit:not([disabled])")
    port = int(table.running.url.rsplit(":", 1)[1])
    table.page.clock.install()  # the page tries again for some seconds: not over before the appliance is back
    table.page.clock.pause_at(table.page.evaluate("Date.now() + 10000"))
    table.running.kill()
    camera.show(table.sample / "11-all-claimed.jpg")  # all the while the hand lies there
    with table.page.expect_event("requestfailed", lambda asked: asked.method == "POST"):
        table.page.click("#commit")  # pressed while nobody listens: the page tries again under the same key
    again = appliance("--source", camera.url, data=table.running.data, port=port)
    table.page.clock.resume()
    again.wait_for(lambda state: state["table"]["hands"] == 1)
    table.page.wait_for_selector("#do-win_button")
    again.looked_through(tiles=True)
    assert len(again.get("/api/hands")) == 1
    assert again.get("/api/offers") == []


def test_the_network_is_cut_for_half_a_minute_and_the_tablet_comes_back_right(table: Table, pages: Any) -> None:
    other = pages.open(f"{table.running.url}/#table")
    other.wait_for_selector("#do-draw_button")
    assert "已記錄" not in other.inner_text("header") and not other.is_visible("#do-undo_button")
    other.context.set_offline(True)
    other.wait_for_selector("#stale:not([hidden])")
    table.page.click("#do-draw_button")
    table.page.click("#sheet .primary")
    table.running.wait_for(lambda state: state["table"]["hands"] == 1)
    other.wait_for_timeout(30_000)
    other.context.set_offline(False)
    other.wait_for_selector("#stale[hidden]", state="attached")
    other.wait_for_selector("#do-undo_button")
    assert "已記錄" in other.inner_text("header")
    assert other.inner_text("header") == table.page.inner_text("header")
