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
