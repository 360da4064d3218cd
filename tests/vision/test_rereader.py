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
from vision.rereader import Rereader, beside_faces, four_in_row, in_company
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


def test_backs_count_as_beside_when_a_row_leads_to_a_face() -> None:
    boxes = np.array([[40 * k, 0, 40 * k + 38, 50] for k in range(5)] + [[600, 400, 640, 450]], np.float32)
    back = np.array([False, True, True, True, True, True])
    assert beside_faces(boxes, back, np.ones(6, bool)).tolist() == [True] * 5 + [False]
    assert not beside_faces(boxes, np.ones(6, bool), np.ones(6, bool)).any()


def test_a_single_back_is_in_no_company_and_those_of_a_concealed_kong_are() -> None:
    boxes = np.array([[30 * k, 0, 30 * k + 30, 40] for k in (0, 1, 2, 3, 20)], np.float32)
    back = np.array([True, False, False, True, True])  # back, face, face, back; one far off
    assert in_company(boxes, back).tolist() == [True, True, True, True, False]
    assert not in_company(boxes[:1], back[:1]).any()


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


def test_four_backs_in_a_row_level_with_faces_are_a_kong_face_down() -> None:
    faces = [(x, 232.0, x + 35.0, 278.0) for x in (583.0, 619.0, 655.0)]
    kong = [(1040.0, 232.0, 1076.0, 279.0), (1076.0, 232.0, 1111.0, 279.0), (1110.0, 232.0, 1144.0, 278.0)]
    kong.append((1143.0, 232.0, 1179.0, 278.0))
    pattern = [(1149.0, 134.0, 1172.0, 167.0), (1149.0, 99.0, 1172.0, 132.0), (1020.0, 250.0, 1040.0, 270.0)]

    def found(backs: list[tuple[float, float, float, float]]) -> list[bool]:
        boxes = np.array([*faces, *backs], np.float32)
        back = np.arange(len(boxes)) >= len(faces)
        return four_in_row(boxes, back, np.ones(len(boxes), np.bool_)).tolist()[len(faces) :]

    assert found([*kong, *pattern]) == [True] * 4 + [False] * 3
    longer = [(1179.0 + 35 * k, 232.0, 1214.0 + 35 * k, 278.0) for k in range(8)]
    for more in range(1, 9):
        assert not any(found([*kong, *longer[:more]])), "a wall, or a hand that stands"
    assert not any(found(kong[:3]))
    assert not any(found([(x1, y1 - 120, x2, y2 - 120) for x1, y1, x2, y2 in kong])), "not in line with the hand"
