"""The review page in a real browser: names and boxes put right by tap, drag and keyboard; accepted, discarded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from taicam.capture import CaptureSettings, CaptureStore, Library, Verdict
from tests.e2e.conftest import Pages
from vision.observation import TableReading, TileObservation

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
SIZE = (800, 600)


def view(number: int) -> tuple[np.ndarray, TableReading]:
    """Three blocks, of which the reading has found two; one box lies askew."""
    image = np.full((SIZE[1], SIZE[0], 3), (60, 90, 50), np.uint8)
    for x in (100, 300, 500):
        cv2.rectangle(image, (x, 200 + 40 * number), (x + 90, 320 + 40 * number), (225, 235, 240), -1)
    y = 200.0 + 40 * number
    code = ("1m", "3m", "5m")[number]
    seen = [
        TileObservation(code, (100.0, y, 190.0, y + 120), 0.6, ((code, 0.6), ("2m", 0.4)), 0.0),
        TileObservation("E", (320.0, y + 20, 430.0, y + 140), 0.9, (("E", 0.9), ("W", 0.1)), 0.0),
    ]
    return image, TableReading(tuple(seen), roles=("concealed", "concealed"), size=SIZE)


def review(appliance: Any, pages: Any, tmp_path: Path) -> tuple[Any, Path]:
    """The review page over three doubtful views, and the folder they are kept in."""
    folder = tmp_path / "data" / "captures"
    with CaptureStore(folder, CaptureSettings(keep_free_mb=0, crop="frame", duplicate_bits=0)) as store:
        store.set_consent(True)
        for number in range(3):
            store.offer(*view(number), Verdict("doubtful"))
            assert store.flush(30)
    running = appliance("--source", "none", data=tmp_path / "data")
    page = pages.open(f"{running.url}/#review")
    page.wait_for_selector(".boxes .box")
    return page, folder


def test_boxes_and_names_are_put_right(appliance: Any, pages: Any, tmp_path: Path) -> None:
    page, folder = review(appliance, pages, tmp_path)
    assert page.inner_text("#main .quiet, main .quiet").startswith("1 / 3")

    page.locator(".boxes .box").first.click()  # 一萬 is 二萬: the likely one is offered
    page.locator("#sheet[open] .likely .tile-button").nth(1).click()
    page.locator(".boxes .box").nth(1).click()  # its box lies askew
    page.locator("#sheet[open] .actions button").first.click()
    _drag(page, (300, 200), (390, 320))
    page.wait_for_selector(".boxes:not(.drawing)")
    page.click("#add-box")  # the third tile was not seen at all
    _drag(page, (500, 200), (590, 320))
    page.wait_for_selector("#sheet[open]")
    page.locator('#sheet[open] .grid .tile-button[aria-label="九筒"]').click()
    page.wait_for_selector(".boxes .box >> nth=2")
    page.screenshot(path=str(tmp_path / "review.png"))
    page.keyboard.press("Enter")
    pages.until(page, "document.querySelector('.quiet').textContent.slice(0, 5)", "1 / 2")
    page.keyboard.press("ArrowRight")
    pages.until(page, "document.querySelector('.quiet').textContent.slice(0, 5)", "2 / 2")
    page.locator(".boxes .box").first.click()
    page.locator("#sheet[open] .actions .warn").click()  # no tile at all
    page.click("#accept")
    pages.until(page, "document.querySelector('.quiet').textContent.slice(0, 5)", "1 / 1")
    page.keyboard.press("Delete")
    page.wait_for_selector("p.quiet:has-text('沒有待檢查的照片')")

    library = Library(folder)
    assert [row.state for row in library.rows()] == ["accepted", "discarded", "accepted"]
    first, _, third = (library.entry(row.id).sample for row in library.rows())
    assert [box.code for box in first.boxes] == ["2m", "E", "9p"]
    assert first.boxes[0].read_as == "1m" and first.boxes[1].alternatives[0][0] == "E"  # what was read is not lost
    assert first.boxes[1].box == pytest.approx((300, 200, 390, 320), abs=3)
    assert first.boxes[2].box == pytest.approx((500, 200, 590, 320), abs=3)
    assert {box.origin for box in first.boxes} == {"person"}
    assert [(c.field, c.index) for c in first.corrections] == [("code", 0), ("box", 1), ("added", 2)]
    assert [box.code for box in third.boxes] == ["E"]
    assert [(c.field, c.before) for c in third.corrections] == [("removed", "5m")]


def _drag(page: Any, start: tuple[int, int], end: tuple[int, int]) -> None:
    """From one point of the picture to another, in its own pixels."""
    page.wait_for_selector(".boxes.drawing")
    Pages.until(page, "document.querySelector('.photo img').naturalWidth > 0", True)  # it gives the layer its size
    layer = page.locator(".boxes").bounding_box()
    at = [
        (layer["x"] + x * layer["width"] / SIZE[0], layer["y"] + y * layer["height"] / SIZE[1]) for x, y in (start, end)
    ]
    page.mouse.move(*at[0])
    page.mouse.down()
    page.mouse.move(*at[1], steps=5)
    page.mouse.up()
