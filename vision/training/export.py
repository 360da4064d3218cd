"""From a checkpoint to ``models/*.onnx``, checked against the network it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray

from vision.session import open_network
from vision.training.classes import CLASSES
from vision.training.fit import load
from vision.training.net import ExportNet
from vision.weights import sha256_of

OPSET = 17
SAMPLE_SEED = 1 << 42  # of the scenes an export is checked on


class ExportError(RuntimeError):
    """The exported file does not answer as the network does."""


def export_detector(checkpoint: Path, out: Path) -> dict[str, Any]:
    """Write the detector of a checkpoint as ONNX with dynamic batch and size, and its JSON card without metrics.

    Its tile scores are raw: see ``calibrated.detector``.

    Args:
        checkpoint: of ``fit``.
        out: the ``.onnx`` file.

    Returns:
        The card as written.

    Raises:
        ExportError: ONNX and torch disagree by more than rounding.
    """
    model, progress = load(checkpoint)
    model.eval()
    net = ExportNet(model.fuse(verbose=False)).eval()
    out.parent.mkdir(parents=True, exist_ok=True)
    example = torch.rand(1, 3, 320, 416)
    outputs = ["boxes", "tile", "classes", "pose"]
    axes: dict[str, dict[int, str]] = {"images": {0: "batch", 2: "height", 3: "width"}}
    axes |= {name: {0: "batch", 1: "places"} for name in outputs}
    torch.onnx.export(
        net,
        (example,),
        str(out),
        input_names=["images"],
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    describe(out, {"names": json.dumps(CLASSES), "stride": "32", "task": "taicam-tiles"})
    worst = compare_outputs(net, out, "images", ((1, 3, 416, 320), (2, 3, 256, 384)))
    card = {
        "name": out.stem,
        "names": list(CLASSES),
        "input": {"name": "images", "layout": "N3HW, RGB, 0..1", "multiple_of": 32},
        "outputs": outputs,
        "training": {"steps": progress.steps, "images": progress.images, "hours": round(progress.hours, 3)},
        "onnx_vs_torch_worst_difference": worst,
    }
    return write_card(out, card, {"tile_slope": 1.0, "tile_shift": 0.0})


def write_card(out: Path, card: Mapping[str, Any], calibration: Mapping[str, float]) -> dict[str, Any]:
    """Give an exported network its calibration, and write the JSON card of the file as it then is; the card."""
    describe(out, {key: f"{value:.5g}" for key, value in calibration.items()})
    whole = {**card, "sha256": sha256_of(out), "bytes": out.stat().st_size, "calibration": dict(calibration)}
    out.with_suffix(".json").write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return whole


def compare_outputs(
    net: torch.nn.Module, path: Path, name: str, shapes: tuple[tuple[int, int, int, int], ...]
) -> float:
    """Largest difference between ONNX and torch over samples, relative to the size of the answers: noise, which asks
    for every number in between, and drawn tiles, on which the network is sure of itself.

    Raises:
        ExportError: above 1 in 1000.
    """
    session = open_network(path)
    worst = 0.0
    noise = [torch.rand(*shape, generator=torch.Generator().manual_seed(n)) for n, shape in enumerate(shapes)]
    for images in [*noise, *(torch.from_numpy(sample_tiles(shape)) for shape in shapes)]:
        with torch.no_grad():
            wanted = net(images)
        got = session.run(None, {name: images.numpy()})
        for mine, its in zip(got, wanted, strict=True):
            scale = max(1.0, float(its.abs().max()))
            worst = max(worst, float(np.abs(mine - its.numpy()).max()) / scale)
    if worst > 1e-3:
        raise ExportError(f"{path} differs from the torch network by {worst:.2g}: do not ship it")
    return worst


def sample_tiles(shape: tuple[int, int, int, int]) -> NDArray[np.float32]:
    """Rendered tiles as an input of this shape (RGB, 0..1)."""
    from vision.training.render import render_scene  # noqa: PLC0415  (takes a second, and only exports need it)

    count, _, height, width = shape
    pictures = [render_scene(SAMPLE_SEED + seed, "hand", size=(width, height)).image for seed in range(count)]
    stacked = np.stack(pictures)[..., ::-1].transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stacked, np.float32) / np.float32(255)


def describe(path: Path, entries: dict[str, str]) -> None:
    """Write metadata into the ONNX file, beside what it has and in place of entries of the same name."""
    model = onnx.load(str(path))
    known = {entry.key: entry.value for entry in model.metadata_props}
    onnx.helper.set_model_props(model, known | entries)
    onnx.save(model, str(path))
