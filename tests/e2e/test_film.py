"""The end of a hand before a camera, through the real `taicam run`: what the whole film of `benchmarks/film.py` is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def film(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark's module: it makes films, answers the appliance, and holds it against the truth."""
    pytest.importorskip("resvg_py", reason="the renderer is not installed: pip install 'taicam[render]'")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import film as module

    yield module
    sys.modules.pop("film")


@pytest.mark.e2e
@pytest.mark.slow
def test_a_hand_is_followed_to_its_end_and_offered_once(film: Any, tmp_path: Path) -> None:
    end = film.Film(9, 1, style=1, elevation=76.0, azimuth=8.0, light="office", pace=1.0, skip=27)
    rows = film.measure("end", end, tmp_path)
    hand, about = rows
    assert about["invented"] == []
    (offer,) = hand["offers"]
    assert offer["seat"]
    exact = all(offer[name] for name in ("tiles", "melds", "flowers", "win_tile"))
    assert exact or offer["asked"], "a misread hand must be asked about"
    assert (offer["how_won"], offer["discarder"]) == ("right", "right")
    assert hand["recorded"] == 1
    log = hand["log"]
    # What lay there when the camera came on is entered too, in no order; from then on everything is.
    assert log["said"][-4:] == log["truth"][-4:]
    assert log["claims_invented"] == []
    live = {("chow", "0"), ("pung", "3")}
    assert not live & {(kind, seat) for kind, seat, *_ in log["claims_missed"]}
