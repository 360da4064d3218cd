"""The re-reader on the project's own drawn faces (which need the ``render`` extra) and on the sample."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

import taicam
from scoring.tiles import ALL_CODES
from vision.detector import Detector
from vision.findings import Findings
from vision.picture import load_picture
from vision.rereader import Rereader
from vision.weights import WeightsError, model_path

CODES = ("1m", "5m", "7p", "3s", "E", "S", "F", "C", "7s", "6p")


@pytest.fixture(scope="module")
def rereader() -> Rereader:
    return Rereader(threads=2)


@pytest.fixture(scope="module")
def faces() -> list[np.ndarray]:
    pytest.importorskip("resvg_py", reason="drawing faces needs the render extra")
    from vision.training.render.sets import drawn_set

    tiles = drawn_set(3)
    return [np.ascontiguousarray(tiles.face(code, 0)) for code in CODES]


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
def test_names_single_crops_in_any_turn_and_says_which(
    rereader: Rereader, faces: list[np.ndarray], quarter: int
) -> None:
    turned = [np.ascontiguousarray(np.rot90(face, -quarter)) for face in faces]
    out = rereader.describe(turned)
    named = [ALL_CODES[k] for k in out.odds.argmax(1)]
    assert sum(a == b for a, b in zip(named, CODES, strict=True)) >= len(CODES) - 1
    assert out.turn is not None
    assert np.mean(out.turn == quarter * 90) >= 0.8


def test_embeddings_are_of_length_one_and_tell_faces_apart(rereader: Rereader, faces: list[np.ndarray]) -> None:
    one = rereader.describe(faces).embedding
    other = rereader.describe([cv2.GaussianBlur(face, (0, 0), 1.5) for face in faces]).embedding
    assert np.linalg.norm(one, axis=1) == pytest.approx(np.ones(len(faces)), abs=1e-3)
    assert ((one @ other.T).argmax(1) == np.arange(len(faces))).mean() >= 0.9


def test_no_crops_no_answer(rereader: Rereader) -> None:
    out = rereader.describe([])
    assert out.odds.shape == (0, len(ALL_CODES))
    assert rereader.refine(np.zeros((50, 50, 3), np.uint8), ()) == ()
    nothing = Findings(*(np.zeros((0, width), np.float32) for width in (4, 1, 43, 3)))
    assert rereader.odds(np.zeros((50, 50, 3), np.uint8), nothing).shape == (0, 43)


def test_refine_names_boxes_drawn_by_hand(rereader: Rereader) -> None:
    path = sorted((Path(taicam.__file__).parent / "sample").glob("*.jpg"))[0]
    picture = load_picture(path)
    seen = Detector(rereader=rereader, threads=2).detect(picture)
    bare = tuple(type(t)("back", t.box, 1.0, (), t.angle) for t in seen)
    again = rereader.refine(picture, bare)
    assert [t.box for t in again] == [t.box for t in seen]
    assert np.mean([a.code == b.code for a, b in zip(again, seen, strict=True)]) >= 0.85


def test_ground_without_a_tile_is_unknown(rereader: Rereader) -> None:
    crops = np.full((4, 64, 48, 3), (50, 110, 40), np.uint8)
    assert rereader.read(crops).unknown.min() + rereader.read(crops).odds[:, 42].min() > 0.5


def test_network_that_wants_another_kind_of_crops_says_what_to_do(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="needs the train extra")
    model = onnx.load(str(model_path("rereader")))
    kept = [entry for entry in model.metadata_props if entry.key in ("task", "names")]
    pixels = onnx.helper.make_tensor_value_info("crops", onnx.TensorProto.FLOAT, ["count", 3, 64, 48])
    out = onnx.helper.make_tensor_value_info("names", onnx.TensorProto.FLOAT, None)
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["crops"], ["names"])], "old", [pixels], [out])
    old = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    old.metadata_props.extend(kept)
    onnx.save(old, str(tmp_path / "old.onnx"))
    with pytest.raises(WeightsError, match="export it anew"):
        Rereader(tmp_path / "old.onnx")


@pytest.mark.parametrize(("blank", "apart", "counts"), [(0.25, 30, True), (0.05, 30, False), (0.25, 60, False)])
def test_what_may_be_blank_tiles_side_by_side_counts_as_faces_do(
    rereader: Rereader, blank: float, apart: int, counts: bool
) -> None:
    """A set of blank 白 lying by itself, taken for backs: a lone back needs to be surer than a face."""
    names = list(rereader.names)
    odds = np.zeros((3, len(names)), np.float32)
    odds[:, names.index("back")], odds[:, names.index("P")] = 1 - blank, blank
    boxes = np.array([[apart * k, 0, apart * k + 29, 40] for k in range(3)], np.float32)
    found = Findings(boxes, np.full(3, 0.72, np.float32), odds, np.zeros((3, 3), np.float32))
    assert (found.tile >= rereader._least(found, odds)).tolist() == [counts] * 3


def test_a_tile_beside_blank_ones_is_blank_like_them(rereader: Rereader) -> None:
    """A kong of blank 白 of which one looks a little more like a back: it was read as a pung without a word."""
    names = list(rereader.names)
    odds = np.zeros((4, len(names)), np.float32)
    odds[:, names.index("P")] = [0.2, 0.2, 0.2, 0.08]
    odds[:, names.index("back")] = 1 - odds[:, names.index("P")]
    boxes = np.array([[27 * k, 0, 27 * k + 26, 36] for k in range(4)], np.float32)
    found = Findings(boxes, np.full(4, 0.75, np.float32), odds, np.zeros((4, 3), np.float32))
    assert (found.tile >= rereader._least(found, odds)).tolist() == [True] * 4
    odds[2, names.index("P")], odds[2, names.index("back")] = 0.55, 0.45
    assert (found.tile >= rereader._least(found, odds)).tolist() == [True] * 4, "one of them is 白 as it looks"
    odds[3, names.index("P")] = 0.01
    assert (found.tile >= rereader._least(found, odds)).tolist() == [True, True, True, False]


@pytest.fixture(scope="module")
def row() -> tuple[np.ndarray, Findings, tuple[str, ...]]:
    """A photo, and what is found of its hand, from left to right."""
    image = load_picture(Path(taicam.__file__).parent / "sample" / "07-full-flush-concealed.jpg")
    detector = Detector(rereader=False)
    found = detector.find(image)
    return image, found.keep(np.argsort(found.boxes[:, 0])), detector.names


def test_two_tiles_found_as_one_are_both_named(
    rereader: Rereader, row: tuple[np.ndarray, Findings, tuple[str, ...]]
) -> None:
    image, found, names = row
    true = [tile.code for tile in rereader.observe(image, found, names)]
    assert len(true) == len(found) == 17
    first, second = 3, 4
    assert true[first] != true[second]
    whole = found.boxes[first].copy()
    whole[2:] = np.maximum(whole[2:], found.boxes[second, 2:])
    merged = found.keep(np.arange(len(found)) != second)
    merged.boxes[first] = whole
    seen = rereader.observe(image, merged, names, None, 0.33)
    assert [t.code for t in sorted(seen, key=lambda t: t.box[0])] == true


def test_what_is_hardly_seen_counts_as_one_of_a_row_and_not_alone(
    rereader: Rereader, row: tuple[np.ndarray, Findings, tuple[str, ...]]
) -> None:
    image, found, names = row
    true = [tile.code for tile in rereader.observe(image, found, names)]
    found = found.keep(np.arange(len(found)))
    found.tile[4] = 0.2
    seen = rereader.observe(image, found, names, None, 0.33)
    assert [tile.code for tile in seen] == true
    assert seen[4].presence < 0.25
    assert rereader.observe(image, found.keep(np.array([4])), names, None, 0.33) == []
