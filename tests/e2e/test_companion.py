"""The companion's other corners in a real browser: pairing, photo, voice, account, print, calibration, words."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_editor import NAMES, PHONE, Book, book, commit

__all__ = ["book"]
pytestmark = [pytest.mark.e2e, pytest.mark.slow]
CHINESE = re.compile(r"[一-鿿]")
FIRST = {
    "concealed": ["2m", "3m", "4m", "5m", "6m", "7m", "3p", "4p", "5p", "6p", "7p", "2s", "3s", "4s", "5s", "5s", "8p"],
    "win_tile": "8p",
}


def toast(page: Any) -> str:
    page.wait_for_selector("#toast.bad:not([hidden])")
    said: str = page.inner_text("#toast")
    return said


def test_pairing_by_the_displays_code_and_revoking(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none", pairing=True)
    display = pages.open(f"{running.url}/display")
    display.wait_for_selector("#pairing:not([hidden]) b")
    code = display.inner_text("#pairing b")
    assert re.fullmatch(r"\d{6}", code)
    pages.until(display, "document.querySelector('#pairing img').naturalWidth > 0", True)  # the QR picture is there
    page = pages.open(f"{running.url}/#match", **PHONE)
    page.click("#start-match")
    page.wait_for_selector("#pair-code")
    assert toast(page) == "請先配對這台裝置"
    page.fill("#pair-code", "000000" if code != "000000" else "111111")
    page.click("form.pair button")
    pages.until(page, "document.getElementById('toast').textContent", "這不是顯示器上現在的配對碼,請再看一次")
    page.goto(f"{running.url}/#pair/{code}")  # as the QR picture opens it
    pages.until(page, "location.hash", "#pair")  # the code is out of the address at once
    assert page.input_value("#pair-code") == code
    page.fill("#pair-name", "阿明的手機")
    page.click("form.pair button")
    page.wait_for_selector("#start-match")  # back where it was refused
    cookie = next(one for one in page.context.cookies() if one["name"] == "taicam_token")
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    page.click("#start-match")
    page.wait_for_selector("#do-draw_button")
    page.goto(f"{running.url}/#setup")
    page.wait_for_selector(".devices li")
    assert "阿明的手機" in page.inner_text(".devices")
    assert page.inner_text(".code") != code  # used once
    page.click(".devices .warn")
    page.wait_for_selector("#pairing a[href='#pair']")  # it is out at once
    page.goto(f"{running.url}/#table")
    page.click("#do-draw_button")
    page.click("#sheet .primary")
    page.wait_for_selector("#pair-code")
    assert running.get("/api/state")["table"]["hands"] == 0
    pages.refused("401 /api/matches", "403 /api/pair", "401 /api/hands")


def test_a_photo_taken_on_the_phone_is_read(book: Book, pages: Any, sample: Path) -> None:
    book.start("taiwan", 100, 20)
    page = pages.open(f"{book.url}/#hand/new/self_draw", **PHONE)
    page.wait_for_selector("#photo", state="attached")
    page.set_input_files("#photo", str(sample / "01-all-chows.jpg"))
    page.wait_for_selector(".photo img", timeout=120_000)
    page.wait_for_selector("#commit:not([disabled])", timeout=120_000)
    assert page.locator(".boxes .box").count() == page.locator(".tile-button[data-id]").count() == 17
    page.locator(".boxes .box").first.click()  # a tile is mended on the photo itself, too
    page.wait_for_selector("#sheet[open] .likely")
    page.keyboard.press("Escape")
    commit(page, pages, "table")
    kept = book.running.get("/api/hands")[0]
    assert kept["picture_id"]
    page.goto(f"{book.url}/#history/{kept['hand_id']}")
    page.wait_for_selector(".photo-small")
    pages.until(page, "document.querySelector('.photo-small')?.naturalWidth > 0", True)
    page.goto(f"{book.url}/#hand/new")
    page.wait_for_selector("#photo", state="attached")
    page.set_input_files("#photo", {"name": "x.jpg", "mimeType": "image/jpeg", "buffer": b"no picture at all"})
    assert "圖片" in toast(page)
    pages.refused("422 /api/photo")


def test_the_voice_says_each_new_hand_once_and_only_when_it_is_on(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    page = pages.open(f"{book.url}/#setup")
    page.context.add_init_script(
        """window.said = [];
        const speak = speechSynthesis.speak.bind(speechSynthesis);
        speechSynthesis.speak = (words) => { window.said.push(`${words.lang} ${words.text}`); speak(words); };"""
    )
    page.reload()
    voice = page.get_by_role("group", name="語音報台").get_by_role("button", name="開")
    voice.wait_for()
    first = book.won(FIRST, place=1, loser=3)
    page.wait_for_selector("body[data-state=recorded]")
    assert page.evaluate("said.length") == 0
    voice.click()
    page.reload()
    page.wait_for_selector("body[data-state=recorded]")
    book.won(FIRST, place=2, loser=3)
    pages.until(page, "said.length", 1)
    assert page.evaluate("said[0]").startswith("zh-TW Grandma ")
    assert "3 台" in page.evaluate("said[0]")
    win = {"place": 1, "hand": FIRST, "self_draw": False}
    book.send("PUT", f"/api/hands/{first}", {"outcome": "win", "wins": [win], "loser": 0})
    pages.caught_up(page, book.running)
    assert page.evaluate("said.length") == 1  # an older hand corrected is no news
    page.goto("about:blank")
    page.goto(f"{book.url}/?lang=en#setup")
    page.wait_for_selector("body[data-state]")
    book.won(FIRST, place=3, loser=1)
    pages.until(page, "said.length", 1)
    assert page.evaluate("said[0]").startswith("en 老王 ")
    assert not CHINESE.search(page.evaluate("said[0]").replace("老王", ""))


def test_the_account_is_shown_taken_away_and_printed(book: Book, pages: Any) -> None:
    match = book.start("taiwan", 100, 20)
    book.won(FIRST, place=0, loser=2)
    best = book.won(FIRST, place=1, loser=None)
    voided = book.won(FIRST, place=3, loser=0)
    totals_before = book.totals(match)
    page = pages.open(f"{book.url}/#history/{voided}")
    page.click(f'[data-hand="{voided}"] .warn')
    page.wait_for_selector(f'[data-hand="{voided}"].voided')
    totals = book.totals(match)
    assert totals != totals_before
    assert sum(totals) == 0
    page.goto(f"{book.url}/#match")
    page.wait_for_selector(".chart polyline")
    assert page.locator(".chart polyline").count() == 4
    assert page.locator(".chart polyline").first.get_attribute("points").count(",") == 3  # the start, and two hands
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in page.locator("tbody tr").all_inner_texts()}
    assert rows["小華"][:3] == ["1", "1", "0"]
    assert rows["Grandma"][:3] == ["0", "0", "1"]
    page.click(f'a[href="#history/{best}"]')
    page.wait_for_selector(f'[data-hand="{best}"] details[open]')
    with page.expect_download() as told:
        page.click('a[href="/api/export.csv"]')
    lines = list(csv.DictReader(io.StringIO(Path(told.value.path()).read_text(encoding="utf-8-sig"))))
    assert len(lines) == len(book.running.get("/api/hands"))
    last = next(line for line in lines if line["hand_id"] == best)
    assert (last["people"], last["winners"]) == (" / ".join(NAMES), "小華 3")
    assert last["changes"].startswith("阿明 -") and "小華 +" in last["changes"]
    with page.expect_download() as told:
        page.click('a[href="/api/export.jsonl"]')
    kept = [json.loads(line) for line in Path(told.value.path()).read_text(encoding="utf-8").splitlines()]
    assert [one["voided"] for one in kept if one["hand_id"] == voided] == [True]

    book.end()
    page.goto(f"{book.url}/#match/{match}")
    page.wait_for_selector("#transfers")
    assert page.locator("#transfers li").count() < 4
    address = page.locator('a[href^="/sheet/"]').get_attribute("href")
    sheet = pages.open(f"{book.url}{address}")
    sheet.emulate_media(media="print")
    text = sheet.inner_text("body")
    assert all(name in text for name in NAMES)
    assert "自摸" in text and "平和" in text
    assert sheet.evaluate("getComputedStyle(document.body).backgroundColor") in {
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    }
    assert sheet.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert sheet.pdf().startswith(b"%PDF")


def test_refusals_are_told_in_the_language_of_the_page(book: Book, pages: Any) -> None:
    book.end()
    said = {}
    for language in ("zh-Hant", "en"):
        page = pages.open(f"{book.url}/?lang={language}#match")
        page.wait_for_selector("#start-match")
        for place in range(4):
            page.fill(f"#name-{place}", "阿明")
        page.click("#start-match")
        said[language] = toast(page)
    assert said["zh-Hant"] == "有兩個人同名。請給每個人不同的名字"
    assert said["en"] == "two people have the same name — give everybody a name of their own"
    pages.refused("422 /api/matches", "422 /api/matches")


def test_seats_are_drawn_and_the_corners_of_the_table_are_dragged(
    appliance: Any, pages: Any, camera: Any, sample: Path
) -> None:
    camera.show(sample / "02-pungs-and-dragons.jpg")
    running = appliance("--source", camera.url)
    running.wait_for(lambda _: running.sight())
    page = pages.open(f"{running.url}/#match")
    page.wait_for_selector("#name-0")
    for place, name in enumerate(NAMES):
        page.fill(f"#name-{place}", name)
    orders = set()
    for _ in range(12):
        page.click("text=抽座位")
        orders.add(tuple(page.input_value(f"#name-{place}") for place in range(4)))
    assert all(sorted(order) == sorted(NAMES) for order in orders)
    assert len(orders) > 2

    page.goto(f"{running.url}/#calibrate")
    page.wait_for_selector("#keep-corners")
    pages.until(page, "document.querySelector('.stage img').naturalWidth > 0", True)
    page.locator(".stage").scroll_into_view_if_needed()
    stage = page.locator(".stage").bounding_box()
    wanted = [(0.25, 0.2), (0.75, 0.2), (0.9, 0.9), (0.1, 0.9)]
    for corner, (x, y) in zip(page.locator(".corner").all(), wanted, strict=True):
        box = corner.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(stage["x"] + x * stage["width"], stage["y"] + y * stage["height"], steps=6)
        page.mouse.up()
    loaded = "document.querySelectorAll('#seat-views img:not([data-old])').length === 4 && "
    loaded += "Array.from(document.querySelectorAll('#seat-views img')).every((one) => one.naturalWidth > 0)"

    def keep() -> Any:
        """Press the button; the calibration the server has once the new pictures of the seats are there."""
        page.evaluate("document.querySelectorAll('#seat-views img').forEach((one) => { one.dataset.old = ''; })")
        page.click("#keep-corners")
        pages.until(page, loaded, True)
        return running.get("/api/calibration")

    kept = keep()
    width, height = kept["size"]
    for (x, y), (at_x, at_y) in zip(kept["corners"], wanted, strict=True):
        assert abs(x / width - at_x) < 0.01
        assert abs(y / height - at_y) < 0.01
    page.locator(".corner").first.focus()
    page.keyboard.press("ArrowRight")
    moved = keep()["corners"][0]
    assert moved[0] == pytest.approx(kept["corners"][0][0] + 1, abs=0.2)
    # The wrong way round is refused in words.
    first, second = (one.bounding_box() for one in page.locator(".corner").all()[:2])
    page.mouse.move(first["x"] + 22, first["y"] + 22)
    page.mouse.down()
    page.mouse.move(second["x"] + 120, second["y"] + 22, steps=6)
    page.mouse.up()
    page.click("#keep-corners")
    assert "四個角" in toast(page)
    pages.refused("404 /api/calibration", "422 /api/calibration")  # there was none before; that one cannot be kept


def test_settings_of_this_device_are_kept(book: Book, pages: Any) -> None:
    page = pages.open(f"{book.url}/#setup")
    page.wait_for_selector("#about li")
    page.get_by_role("group", name="外觀").get_by_role("button", name="淺色").click()
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("group", name="外觀").get_by_role("button", name="深色").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.reload()
    page.wait_for_selector("#about li")
    assert page.get_attribute("html", "data-theme") == "dark"
    page.get_by_role("group", name="語言").get_by_role("button", name="English").click()
    page.wait_for_selector("text=Language")
    page.goto(f"{book.url}/#table")
    page.wait_for_selector("#do-win_button")
    assert page.inner_text("#do-win_button").splitlines() == ["Win", "胡"]


def test_people_have_colours_and_a_fifth_waits_and_takes_a_seat(book: Book, pages: Any) -> None:
    book.end()
    page = pages.open(f"{book.url}/#match", **PHONE)
    page.wait_for_selector("#start-match")
    for place, name in enumerate(NAMES):
        page.fill(f"#name-{place}", name)
    while page.locator("#name-4").count() == 0:
        page.click("#add-person")
    page.fill("#name-4", "小美")
    page.locator("#ruleset").select_option("taiwan")
    page.fill("#match-title", "週五牌局")
    page.fill("#colour-4", "#123456")
    page.locator("#colour-4").dispatch_event("change")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#start-match")
    page.wait_for_selector("#do-draw_button")
    match_id = book.running.get("/api/state")["table"]["match"]
    match = book.running.get(f"/api/matches/{match_id}")
    assert [person["name"] for person in match["people"]] == [*NAMES, "小美"]
    assert len({person["colour"] for person in match["people"]}) == 5
    assert match["people"][4]["colour"] == "#123456"
    assert match["title"] == "週五牌局"
    book.won(FIRST, place=3, loser=0)
    page.goto(f"{book.url}/#match")
    page.click("text=換座位")
    page.locator("details .row-fields select").nth(0).select_option(label="小美")
    page.click("details button")
    page.goto(f"{book.url}/#table")
    page.wait_for_selector('#seats .seat:has-text("小美")')
    before = book.totals(match_id)
    book.won(FIRST, place=0, loser=1)
    after = book.totals(match_id)
    assert after[0] == before[0]  # 阿明 has gone with what he had
    assert after[4] > before[4] == 0
    book.end()
    page.goto("about:blank")
    page.goto(f"{book.url}/#match")
    page.click("#matches summary")
    page.click('#matches a:has-text("週五牌局")')
    page.wait_for_selector("#transfers")
    assert "週五牌局" in page.inner_text("#page h2 >> nth=0")


LUMINANCE = """(text) => { const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
  .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; }"""
ON_CARD = f"""(() => {{ const light = {LUMINANCE};
  const card = light(getComputedStyle(document.querySelector('.card')).backgroundColor);
  return Array.from(document.querySelectorAll('.legend .swatch'), (one) => light(getComputedStyle(one).backgroundColor))
    .map((one) => (Math.max(one, card) + 0.05) / (Math.min(one, card) + 0.05)); }})()"""


def test_nobody_without_a_chosen_colour_looks_like_somebody_else(book: Book, pages: Any) -> None:
    people = [{"id": f"p{at}", "name": f"人{at}"} for at in range(8)]
    chosen = {2: "#B8860B", 5: "#123456"}  # the first is one that the palette has, too
    for at, colour in chosen.items():
        people[at]["colour"] = colour
    rest = {"seating": ["p0", "p1", "p2", "p3"], "ruleset": "taiwan", "stakes": {"di": 100, "tai": 20}}
    match = book.send("POST", "/api/matches", {"people": people, **rest})["match_id"]
    page = pages.open(f"{book.url}/#match/{match}", color_scheme="light")
    page.wait_for_selector(".chart polyline", state="attached")
    lines = page.locator(".chart polyline").evaluate_all("(all) => all.map((one) => one.getAttribute('stroke'))")
    assert len({line.lower() for line in lines}) == 8
    assert [lines[at] for at in chosen] == list(chosen.values())
    contrasts = page.evaluate(ON_CARD)
    page.emulate_media(color_scheme="dark")
    contrasts += page.evaluate(ON_CARD)
    assert sum(contrast >= 3 for contrast in contrasts) == 15  # all but the chosen dark one on the dark page
    book.end()

    # A match begun before: two had the same colour, of whom the first keeps it; what others chose stays theirs.
    same = [
        {**one, "colour": {0: "#6fd6a0", 1: "#6FD6A0", 2: "#b8860b", 3: "#6fd6a0"}[at]}
        for at, one in enumerate(people[:4])
    ]
    book.send("POST", "/api/matches", {"people": same, **rest})
    book.end()
    page = pages.open(f"{book.url}/#match", **PHONE)
    page.wait_for_selector("#start-match")
    for _ in range(4):
        page.click("#add-person")
    colours = [page.input_value(f"#colour-{at}") for at in range(8)]
    assert (colours[0], colours[2]) == ("#6fd6a0", "#b8860b")
    assert len(set(colours)) == 8
    assert page.locator("#add-person").count() == 0


def test_the_display_hides_the_pairing_as_soon_as_a_hand_is_on_show(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none", pairing=True)
    display = pages.open(f"{running.url}/display")
    display.wait_for_selector("#pairing:not([hidden]) b")
    hidden = (
        "window.hid = new Promise((done) => new MutationObserver(() => done(document.getElementById('pairing').hidden))"
    )
    display.evaluate(f"{hidden}.observe(document.body, {{ attributes: true, attributeFilter: ['data-state'] }})); 0")
    page = pages.open(f"{running.url}/#pair/{running.get('/api/pairing')['code']}")
    page.click("form.pair button")
    page.wait_for_selector("#do-win_button")
    win = json.dumps({"outcome": "win", "wins": [{"place": 1, "hand": FIRST}], "loser": 3})
    page.evaluate(f"import('/static/api.js').then(({{ send }}) => send('POST', '/api/hands', {win}))")
    assert display.evaluate("window.hid") is True


def test_on_the_display_the_items_come_one_by_one_and_the_total_grows(book: Book, pages: Any) -> None:
    book.start("taiwan", 100, 20)
    display = pages.open(f"{book.url}/display")
    display.wait_for_selector("body[data-state=idle]")
    display.evaluate(
        """() => { window.seen = [];
        new MutationObserver(() => seen.push(Number(document.getElementById('total').textContent)))
          .observe(document.getElementById('total'), { childList: true }); }"""
    )
    book.won(FIRST, place=1, loser=None)
    pages.until(display, "seen.join()", "1,2,3")
    assert display.locator("#items li").count() == 3
    pages.until(display, "document.getAnimations().filter((one) => one.playState === 'running').length", 0)
    shown = "Array.from(document.querySelectorAll('#items li'), (one) => getComputedStyle(one).visibility).join()"
    assert display.evaluate(shown) == "visible,visible,visible"
    book.end()
