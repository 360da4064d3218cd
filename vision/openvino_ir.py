"""Networks as OpenVINO IR, for programs and devices that run that: converted from ONNX and checked to answer alike.

taicam itself reads ONNX. On a CPU, OpenVINO at full precision took as much processor time as onnxruntime for the
detector (63 ms of a picture, on two cores), so that a second runtime would buy nothing here.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.session import open_network
from vision.weights import WeightsError

#: Largest difference of an answer, relative to the size of the answers: rounding, no more. The re-reader counts in 8
#: bit, where a number that lies between two steps may be rounded to either.
TOLERANCE = 1e-3
TOLERANCE_8_BIT = 0.08  # as an export may differ from the trained network; on noise the two runtimes come to 0.05
_CROP = (48, 64)  # width and height of the re-reader's input, pixels
_PICTURE = (640, 480)


class OpenVinoError(RuntimeError):
    """The conversion cannot be done, or its result answers otherwise; the message says what to do."""


def to_openvino(network: Path, out: Path, pictures: Sequence[NDArray[np.uint8]]) -> tuple[Path, float]:
    """Write a network of ours as `out`/NAME.xml and .bin, in full precision, its metadata in the IR's `rt_info/taicam`.

    Args:
        network: an ONNX file.
        out: a folder; made where it is not there.
        pictures: HxWx3 uint8 BGR, on which both must answer alike, beside noise.

    Returns:
        The .xml file, and the largest difference found, relative to the size of the answers.

    Raises:
        OpenVinoError: OpenVINO is not installed, or the two differ by more than rounding.
        WeightsError: the file is no network of ours.
    """
    if importlib.util.find_spec("openvino") is None:
        raise OpenVinoError("OpenVINO is not installed: pip install 'taicam[openvino]'")
    import openvino  # noqa: PLC0415  (an extra)

    session = open_network(network)
    facts: dict[str, str] = session.get_modelmeta().custom_metadata_map
    if facts.get("task") not in {"taicam-tiles", "taicam-rereader"}:
        raise WeightsError(f"{network} is no network of taicam: give one that 'taicam train' exported")
    core = openvino.Core()
    model = core.read_model(str(network))
    for key, value in facts.items():
        model.set_rt_info(value, ["taicam", key])
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{network.stem}.xml"
    openvino.save_model(model, str(file), compress_to_fp16=False)
    # Some processors would answer in 16 bits by default: the check is of the network, not of the processor.
    compiled = core.compile_model(str(file), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    worst = _difference(session, compiled, _inputs(facts["task"], pictures))
    if worst > (TOLERANCE if facts["task"] == "taicam-tiles" else TOLERANCE_8_BIT):
        raise OpenVinoError(f"{file} differs from {network} by {worst:.2g}: do not use it, update openvino")
    return file, worst


def _inputs(task: str, pictures: Sequence[NDArray[np.uint8]]) -> list[NDArray[Any]]:
    """Noise and the pictures, as the network takes them: Nx3xHxW, RGB, 0..1, or crops NxHxWx3, BGR bytes."""
    size = _PICTURE if task == "taicam-tiles" else _CROP
    noise = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), np.uint8)
    small = np.stack([noise, *(cv2.resize(picture, size, interpolation=cv2.INTER_AREA) for picture in pictures)])
    if task == "taicam-rereader":
        return list(small[:, None])
    return list(np.ascontiguousarray(small[:, None, ..., ::-1].transpose(0, 1, 4, 2, 3), np.float32) / np.float32(255))


def _difference(session: Any, compiled: Any, inputs: Sequence[NDArray[Any]]) -> float:
    name = session.get_inputs()[0].name
    names = [output.name for output in session.get_outputs()]
    worst = 0.0
    for blob in inputs:
        wanted = session.run(None, {name: blob})
        got = compiled({name: blob})
        for output, its in zip(names, wanted, strict=True):
            scale = max(1.0, float(np.abs(its).max()))
            worst = max(worst, float(np.abs(got[output] - its).max()) / scale)
    return worst
