"""Whether a tile lies on another, by what the picture shows around it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vision.decode_reading import ReadingRules
from vision.layout import lay_out
from vision.observation import TileObservation
from vision.stack_reader import SIDE, StackReader, leanings, surroundings
from vision.table import TableCalibration
from vision.table_eye import Eye
from vision.table_reader import TableReader
from vision.tablemelds import laid_open
from vision.voting import fuse
from vision.weights import WeightsError, model_path

EYE = Eye(100.0, 100.0, 600.0)


def row(codes: str, y: float = 50.0) -> list[TileObservation]:
    """Tiles 20 pixels wide in a row."""
    return [TileObservation(c, (20.0 * i, y, 20.0 * i + 20, y + 27), 0.9) for i, c in enumerate(codes.split())]


def test_surroundings_are_centred_and_reach_past_the_picture() -> None:
    view = np.zeros((120, 200, 3), np.uint8)
    view[40:60, 90:110] = (10, 200, 30)
    crops = surroundings(view, [(90, 40, 110, 60), (190, 110, 210, 130)], 20.0)
    assert crops.shape == (2, SIDE, SIDE, 3)
    assert crops[0][SIDE // 2, SIDE // 2].tolist() == [10, 200, 30]
    assert crops[0][SIDE // 2, 4].tolist() == [0, 0, 0]
    assert crops[1][-1, -1].tolist() == [114, 114, 114]
    huge = surroundings(view, [(-5000, -5000, -4980, -4980)], 20.0)
    assert (huge == 0).any() or (huge == 114).all()


def test_a_raised_tile_seems_to_move_away_from_the_eye() -> None:
    moved = leanings([(290, 90, 310, 110), (90, 90, 110, 110), (90, -110, 110, -90)], EYE, 20.0)
    assert moved[0][0] > 0.1
    assert abs(moved[0][1]) < 1e-6
    assert np.abs(moved[1]).max() < 1e-6
    assert moved[2][1] < -0.1


class Told(StackReader):
    """Says what it is told, and keeps what it was shown."""

    def __init__(self, answer: float) -> None:
        self.answer, self.shown = answer, 0

    def evidence(self, crops: Any, moved: Any) -> Any:
        self.shown += len(crops)
        return np.full(len(crops), self.answer, np.float32)


def test_only_faces_beside_their_like_are_looked_at() -> None:
    reader = Told(2.5)
    seen = reader.seen(np.zeros((200, 400, 3), np.uint8), row("1m 1m 5p 1m back back 7s E 2s 3s 4s E"), EYE)
    assert [tile.stacked for tile in seen] == [2.5, 2.5, None, 2.5, *[None] * 8]
    assert reader.shown == 3
    assert reader.seen(np.zeros((200, 400, 3), np.uint8), (), EYE) == ()


def with_evidence(seen: list[TileObservation], shown: dict[int, float]) -> list[TileObservation]:
    return [replace(tile, stacked=shown.get(i)) for i, tile in enumerate(seen)]


def test_the_log_of_a_table_counts_it_too() -> None:
    seen, above = row("4p 4p 4p"), Eye(30.0, 63.0, 600.0)  # from straight above places tell nothing
    assert laid_open(with_evidence(seen, {0: -6.0, 1: 6.0, 2: -6.0}), (400, 200), above).sets[0].kind == "kong"
    assert laid_open(with_evidence(seen, {0: -6.0, 1: -6.0, 2: -6.0}), (400, 200), above).sets[0].kind == "pung"


def test_two_tiles_of_which_one_surely_lies_on_another_are_a_kong() -> None:
    above, boxes = Eye(30.0, 63.0, 600.0), [tile.box for tile in row("4p 4p")]
    shown = [lay_out(boxes, 0.0, eye=above, stacked=each).splits[0].segments[0].raised for each in ((6.0, -3.0), ())]
    assert shown[0] > 0.5
    assert shown[1] == 0.0


def test_several_looks_say_as_much_as_one() -> None:
    looks = [with_evidence(row("4p 4p 4p"), {1: value}) for value in (1.0, 3.0)]
    assert [tile.stacked for tile in fuse(looks)] == [None, 2.0, None]


def test_another_network_is_refused(tmp_path: Path, networks: None) -> None:
    with pytest.raises(WeightsError, match="train"):
        StackReader(model_path("rereader"))
    with pytest.raises(WeightsError, match="no network"):
        StackReader(tmp_path / "none.onnx")


def test_without_the_network_tables_are_read_as_before(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise WeightsError("not here")

    monkeypatch.setattr("vision.table_reader.StackReader", missing)

    class Finds:
        def detect(self, image: Any, look: int = 0) -> tuple[TileObservation, ...]:
            return tuple(row("1m 1m 1m", image.shape[0] - 60))

    class Reads:
        detector, rules, tile_set = Finds(), ReadingRules(), None

    calibration = TableCalibration("c", (800, 800), ((100, 100), (700, 100), (700, 700), (100, 700)))
    found = TableReader(Reads(), calibration).find(np.zeros((800, 800, 3), np.uint8), (0,), centre=False)  # type: ignore[arg-type]
    assert [tile.stacked for tile in found.seats[0]] == [None] * 3
    assert "places alone" in caplog.text


@pytest.mark.slow
def test_it_tells_kongs_from_pungs_on_tables_it_was_not_trained_on(networks: None) -> None:
    """Tile sets, tables, cameras and light from seeds no training draws."""
    pytest.importorskip("resvg_py", reason="needs the render extra: pip install 'taicam[render]'")
    from vision.training.stacks import stacks_of

    reader = StackReader(threads=1)
    tables = [stacks_of((1 << 35) + number) for number in range(12)]
    raised = np.concatenate([table.raised for table in tables])
    shown = np.concatenate([reader.evidence(table.crops, table.moved) for table in tables])
    assert raised.sum() > 20
    assert (~raised).sum() > 150
    assert (shown[raised] > 0).mean() > 0.9
    assert (shown[~raised] > 2).mean() < 0.03
