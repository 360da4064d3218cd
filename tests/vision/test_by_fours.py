"""The re-reader's first convolution, made to take channels in fours: quicker, and the same to the last bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vision.rectify import CROP_HEIGHT, CROP_WIDTH
from vision.session import open_network
from vision.weights import model_path

onnx = pytest.importorskip("onnx", reason="needs the train extra")


def two_convolutions(seed: int) -> Any:
    """The beginning of an exported 8-bit re-reader, with numbers drawn by lot."""
    rng = np.random.default_rng(seed)
    values: list[Any] = []
    nodes: list[Any] = []

    def value(name: str, array: np.ndarray) -> str:
        values.append(onnx.numpy_helper.from_array(array, name))
        return name

    def node(kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def bytes_of(name: str) -> list[str]:
        return [
            value(f"{name} scale", np.array(rng.uniform(0.01, 0.05), np.float32)),
            value(f"{name} zero", np.array(rng.integers(0, 200), np.uint8)),
        ]

    def numbers(name: str, array: np.ndarray) -> str:
        count = len(array)
        scale = value(f"{name} scale", rng.uniform(0.001, 0.02, count).astype(np.float32))
        zero = value(f"{name} zero", np.zeros(count, array.dtype))
        return node("DequantizeLinear", [value(name, array), scale, zero], f"{name} floats", axis=0)

    seen = node("Transpose", ["crops"], "standing", perm=[0, 3, 1, 2])
    steps = bytes_of("pixels")
    for number, (before, after) in enumerate(((3, 24), (24, 8))):
        weights = numbers(f"w{number}", rng.integers(-64, 65, (after, before, 3, 3), np.int8))
        bias = numbers(f"b{number}", rng.integers(-3000, 3000, after, np.int32))
        floats = node("DequantizeLinear", [seen, *steps], f"in{number}")
        out = node("Conv", [floats, weights, bias], f"out{number}", strides=[2, 2], pads=[1, 1, 1, 1])
        steps = bytes_of(f"out{number} steps")
        seen = node("QuantizeLinear", [out, *steps], f"bytes{number}")
    kinds = onnx.TensorProto
    crops = onnx.helper.make_tensor_value_info("crops", kinds.UINT8, ["count", CROP_HEIGHT, CROP_WIDTH, 3])
    answer = onnx.helper.make_tensor_value_info(seen, kinds.UINT8, ["count", 8, CROP_HEIGHT // 4, CROP_WIDTH // 4])
    graph = onnx.helper.make_graph(nodes, "beginning", [crops], [answer], values)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("seed", [1, 2])
def test_answers_are_the_same_to_the_last_bit(tmp_path: Path, seed: int) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    from vision.training.export_reread import by_fours

    model = two_convolutions(seed)
    onnx.save(model, str(tmp_path / "before.onnx"))
    by_fours(model)
    onnx.save(model, str(tmp_path / "after.onnx"))
    crops = np.random.default_rng(seed).integers(0, 256, (5, CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)
    before, after = (
        open_network(tmp_path / f"{name}.onnx", 1).run(None, {"crops": crops}) for name in ("before", "after")
    )
    assert len(np.unique(before[0])) > 20
    assert np.array_equal(before[0], after[0])


def test_the_shipped_network_takes_them_so() -> None:
    model = onnx.load(str(model_path("rereader")))
    makers = {output: node for node in model.graph.node for output in node.output}
    sizes = {entry.name: tuple(entry.dims) for entry in model.graph.initializer}
    first = next(node for node in model.graph.node if node.op_type == "Conv")
    assert sizes[makers[first.input[1]].input[0]][1:] == (12, 3, 2)
