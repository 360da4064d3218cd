"""The wizard in a real browser: two photos, a corrected tile, learning, the report, the set chosen and deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("networks")]
PHOTOS = ("01-all-chows.jpg", "02-pungs-and-dragons.jpg")


def test_a_set_is_taught_from_two_photos(appliance: Any, pages: Any, sample: Path, tmp_path: Path) -> None:
    running = appliance("--source", "none")
    page = pages.open(f"{running.url}/#setup")
    page.click("#to-enroll")
    page.click("#enroll-begin")
    page.wait_for_selector(".face-map li.missing")
    missing = page.locator(".face-map li.missing").count()
    assert missing == 42
    page.set_input_files("#enroll-file", [str(sample / name) for name in PHOTOS])
    page.wait_for_selector('[data-photo="2"] .pair-button', timeout=120_000)
    assert page.locator(".face-map li.missing").count() < missing
    _small_targets(page)
    first = page.locator('[data-photo="1"] .pair-button').first
    read = first.get_attribute("aria-label")
    first.click()
    page.wait_for_selector("#sheet[open]")
    page.locator("#sheet .grid .tile-button").nth(41).click()  # 竹: surely not what lies there
    page.wait_for_selector('[data-photo="1"] .pair-button.changed')
    assert page.locator('[data-photo="1"] .pair-button').first.get_attribute("aria-label") == "1: 竹" != read
    page.click("#enroll-learn")  # without a name: asked for it
    page.wait_for_selector("#toast.bad:not([hidden])")
    page.fill("#set-name", "阿公的牌")
    page.click("#enroll-learn")
    page.wait_for_selector("#enroll-report", timeout=120_000)
    assert "%" in page.inner_text("#enroll-report .accuracy .after")
    assert "沒拍到的牌" in page.inner_text("#enroll-report")
    page.click("#enroll-stop")
    page.wait_for_selector("#set-choice")
    with page.expect_response("**/api/tile-sets/choice"):
        page.select_option("#set-choice", "阿公的牌")
    assert running.get("/api/tile-sets")["choice"] == "阿公的牌"
    assert sorted(path.name for path in (running.data / "tile-sets").iterdir()) == ["阿公的牌"]
    page.click(".set-list button")
    page.click("#sheet[open] .primary")
    pages.until(page, "document.querySelectorAll('.set-list li').length", 0)
    assert running.get("/api/tile-sets") == {"choice": "auto", "sets": [], "problems": []}


def test_the_cameras_form_says_what_the_camera_has(appliance: Any, pages: Any, camera: Any) -> None:
    running = appliance("--source", camera.url)
    running.wait_for(lambda state: state["camera"] == "ok")
    page = pages.open(f"{running.url}/#setup")
    page.wait_for_selector("#camera-apply")
    page.fill("#camera-max_fps", "7")
    page.click("#camera-apply")
    pages.until(page, "document.getElementById('camera-line').textContent", "鏡頭接受了", timeout=60)
    assert "1280" in page.inner_text("#camera-has")
    _small_targets(page)
    page.reload()
    page.wait_for_selector("#camera-max_fps")
    assert page.input_value("#camera-max_fps") == "7"
    running.wait_for(lambda state: state["camera"] == "ok")
    page.fill("#camera-max_fps", "-2")
    page.click("#camera-apply")
    page.wait_for_selector("#toast.bad:not([hidden])")
    pages.refused("422 /api/camera-settings")


def _pair(page: Any, running: Any, name: str) -> None:
    page.goto(f"{running.url}/#pair/{running.get('/api/pairing')['code']}")
    page.fill("#pair-name", name)
    page.click("form.pair button")
    page.wait_for_selector("#only-looking", state="hidden")
    page.wait_for_selector("#do-win_button")


def test_the_code_and_the_paired_devices_are_shown_as_they_are_now(appliance: Any, pages: Any) -> None:
    running = appliance("--source", "none", pairing=True)
    page = pages.open(running.url)
    _pair(page, running, "平板")
    page.click("[href='#setup']")
    page.wait_for_selector(".devices li")
    names = "Array.from(document.querySelectorAll('.devices li span'), (one) => one.textContent).sort().join()"
    code = page.inner_text(".code")
    other = pages.open(running.url)
    _pair(other, running, "手機")  # elsewhere: the code is used up, a device more
    pages.until(page, names, "平板,手機")
    assert page.inner_text(".code") == running.get("/api/pairing")["code"] != code
    pages.until(page, "document.querySelector('.pair-show img').naturalWidth > 0", True)

    page.locator(".devices button").nth(1).focus()
    focused = page.evaluate("document.activeElement.id")
    assert focused.startswith("revoke-")
    third = pages.open(running.url)
    _pair(third, running, "第三台")
    pages.until(page, names, "平板,手機,第三台")
    assert page.evaluate("document.activeElement.id") == focused  # whoever was about to press it still is
    third.click("[href='#setup']")
    third.wait_for_selector(".devices li")
    third.locator(".devices li", has_text="手機").locator("button").click()
    pages.until(page, names, "平板,第三台")

    code = page.inner_text(".code")
    wrong = "000000" if code != "000000" else "111111"
    guess = """(code) => fetch('/api/pair', { method: 'POST', body: JSON.stringify({ code, name: '' }),
      headers: { 'content-type': 'application/json', 'idempotency-key': `guess-${Math.random()}` } })
      .then((answer) => answer.status)"""
    assert [other.evaluate(guess, wrong) for _ in range(5)] == [403] * 5  # guessed at too often: it is no good any more
    pages.until(page, f"document.querySelector('.code').textContent === '{code}'", False)
    assert page.inner_text(".code") == running.get("/api/pairing")["code"]

    third.locator(".devices li", has_text="平板").locator("button").click()
    page.wait_for_selector("#pairing a[href='#pair']")  # the one that is looked at
    page.wait_for_selector("#only-looking:not([hidden])")
    assert page.locator(".devices").count() == 0
    pages.refused(*["403 /api/pair"] * 5)


def test_the_health_is_that_of_now(appliance: Any, pages: Any, camera: Any) -> None:
    running = appliance("--source", camera.url)
    running.wait_for(lambda state: state["camera"] == "ok")
    page = pages.open(f"{running.url}/#setup")
    page.wait_for_selector("#about li >> text=鏡頭: 正常")
    camera.stop()
    page.wait_for_selector("#about li >> text=鏡頭: 故障", timeout=120_000)


def _small_targets(page: Any) -> None:
    """Nothing to press is smaller than a finger; the boxes drawn in a photo have a button each below it."""
    small = page.evaluate(
        """Array.from(document.querySelectorAll('main button, main .button, main select, main input'))
          .filter((one) => one.type !== 'checkbox' && one.type !== 'file')  // those have a label or a button around
          .filter((one) => !one.matches('.box, .corner') && one.offsetParent)
          .map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
          .filter(([, box]) => box.height < 43.5 || box.width < 43.5).map(([html]) => html)"""
    )
    assert small == []
