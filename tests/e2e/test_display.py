"""The kiosk display in a real browser, fed by a real camera stream through the real reader."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def test_a_hand_laid_under_the_camera_appears_on_the_display(
    appliance: Any, camera: Any, pages: Any, sample: Path
) -> None:
    running = appliance("--source", camera.url)
    page = pages.open(f"{running.url}/display")
    english = pages.open(f"{running.url}/display?lang=en")
    page.wait_for_selector("body[data-state=idle]")
    assert "請把胡牌攤開" in page.inner_text("#hand")
    camera.show(sample / "11-all-claimed.jpg")
    running.wait_for(lambda state: state["state"] in {"recorded", "confirm"})
    for one in (page, english):
        one.wait_for_selector("body[data-state=recorded], body[data-state=confirm]")
    truth = json.loads((sample / "truth.json").read_text(encoding="utf-8"))["pictures"]
    true = next(entry for entry in truth if entry["picture"] == "11-all-claimed.jpg")
    melds = page.locator("#hand .group.meld")
    assert melds.count() == len(true["melds"])
    assert page.locator("#hand .win_tile img").get_attribute("src").startswith(f"/tiles/{true['win_tile']}.svg")
    pages.until(page, "Array.from(document.images).every((i) => i.complete && i.naturalWidth > 0)", True)
    assert page.locator("#items li").count() > 0
    assert page.inner_text("#health").startswith("●")
    for selector in ("#hand .message", "#hand .doubts"):  # what is said, each in the language of their own device
        for one, chinese in ((page, True), (english, False)):
            for said in one.locator(selector).all_inner_texts():
                assert bool(re.search(r"[一-鿿]", said)) is chinese
    running.looked_through(tiles=True)
    hands = running.get("/api/hands")
    offers = running.get("/api/offers")
    assert len(hands) + len(offers) == 1  # seen in many frames, offered once
    camera.clear()
    running.looked_through(tiles=False)
    running.wait_for(lambda state: state["state"] == ("confirm" if offers else "idle"))  # a question stays
    assert running.stop() == 0


def test_it_says_when_it_is_stale_and_comes_back_right_by_itself(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none")
    page = pages.open(f"{running.url}/display")
    page.wait_for_selector("body[data-state=idle]")
    assert page.locator("#stale").is_hidden()
    port = int(running.url.rsplit(":", 1)[1])
    running.kill()
    page.wait_for_selector("#stale:not([hidden])")
    again = appliance("--source", "none", port=port, data=running.data)
    page.wait_for_selector("#stale[hidden]", state="attached")
    assert page.get_attribute("body", "data-state") == "idle"
    assert again.get("/healthz")["status"] == "ok"


# The widest hands there are: sixteen concealed tiles or five kongs, eight flowers, eight items, long names. Shown and
# measured at one go: at any later moment the page may be told the true state.
FAKE_VIEW = """async (melds) => {
  const { show } = await import('/static/display.js?test');
  const names = ['阿明', 'Grandmother Chen', '老王', '小華'];
  const tiles = ['1m', '1m', '2m', '3m', '4m', '5m', '6m', '7m', '8m', '9m', '1p', '1p', '1p', 'C', 'C', 'C'];
  const [name_zh, name_en] = ['三元牌刻子台', 'Three concealed triplets'];
  const item = (_, n) => ({ key: `${n}`, name_zh, name_en, value: n, tiles: [] });
  show({ state: 'recorded', sequence: 9999, boot: 'x', round_wind: 'E', hand_number: 12, dealer_wind: 'E', streak: 3,
    seats: ['E', 'S', 'W', 'N'].map((wind, n) => ({ wind, name: names[n], total: -12340 * n,
      change: n ? -1460 : 4380, dealer: n === 0, winner: n === 0 })),
    hand: { concealed: tiles.slice(3 * melds), melds: Array.from({ length: melds }, () => ({ kind: 'kong_exposed',
      tiles: ['9p', '9p', '9p', '9p'] })), flowers: ['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8'], win_tile: '9m' },
    items: Array.from({ length: 8 }, item), total: 36, unit: '台', message: '', doubts: [], payments: [],
    transfers: [['Grandmother Chen', '阿明', 1460], ['老王', '阿明', 1460], ['小華', '阿明', 1520]],
    camera: 'ok', machine: 'ok', picture: '', table: { offers: [], hands: 1, match: null, ledger: 1, title: '' } });
  const { scrollWidth, scrollHeight } = document.documentElement;
  return { paid: Array.from(document.querySelectorAll('#pay li'), (line) => line.textContent),
    wide: scrollWidth <= innerWidth, high: scrollHeight <= innerHeight,
    cut: Array.from(document.querySelectorAll('.hand, .items, .score')).filter((n) =>
      n.scrollHeight > n.clientHeight + 1 || n.scrollWidth > n.clientWidth + 1).map((n) => n.className) };
}"""


SCREENS = [(1280, 800), (1920, 1080), (1024, 768), (768, 1024), (390, 844)]


def test_nothing_is_cut_off_on_any_screen(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none")
    page = pages.open(f"{running.url}/display")
    page.wait_for_selector("body[data-state=idle]")
    for (width, height), melds in itertools.product(SCREENS, (0, 5)):
        page.set_viewport_size({"width": width, "height": height})
        shown = page.evaluate(FAKE_VIEW, melds)
        assert shown["paid"] == ["Grandmother Chen、老王 → 阿明各 1460", "小華 → 阿明1520"]
        where = f"{width}x{height}, {melds} melds"
        assert shown["wide"], where
        if width > height:
            assert shown["high"], where
        assert shown["cut"] == [], where
