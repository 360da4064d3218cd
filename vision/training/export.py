"""From a checkpoint to ``models/*.onnx``, checked against the network it came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch

from vision.session import open_network
from vision.training.classes import CLASSES
from vision.training.fit import load
from vision.training.net import ExportNet
from vision.weights import sha256_of

OPSET = 17


class ExportError(RuntimeError):
    """The exported file does not answer as the network does."""


def export_detector(checkpoint: Path, out: Path, curve: tuple[float, float] = (1.0, 0.0)) -> dict[str, Any]:
    """Write the detector of a checkpoint as ONNX with dynamic batch and size, and its JSON card without metrics.

    Args:
        checkpoint: of ``fit``.
        out: the ``.onnx`` file.
        curve: slope and shift of the logistic curve from tile scores to probabilities, of ``fit_curve``.

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
    shape = {"tile_slope": f"{curve[0]:.5g}", "tile_shift": f"{curve[1]:.5g}"}
    describe(out, {"names": json.dumps(CLASSES), "stride": "32", "task": "taicam-tiles", **shape})
    worst = compare_outputs(net, out, "images", ((1, 3, 416, 320), (2, 3, 256, 384)))
    card = {
        "name": out.stem,
        "sha256": sha256_of(out),
        "bytes": out.stat().st_size,
        "names": list(CLASSES),
        "input": {"name": "images", "layout": "N3HW, RGB, 0..1", "multiple_of": 32},
        "outputs": outputs,
        "calibration": {"tile_slope": curve[0], "tile_shift": curve[1]},
        "training": {"steps": progress.steps, "images": progress.images, "hours": round(progress.hours, 3)},
        "onnx_vs_torch_worst_difference": worst,
    }
    out.with_suffix(".json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return card


def compare_outputs(
    net: torch.nn.Module, path: Path, name: str, shapes: tuple[tuple[int, int, int, int], ...]
) -> float:
    """Largest difference between ONNX and torch over random inputs, relative to the size of the answers.

    Raises:
        ExportError: above 1 in 1000.
    """
    session = open_network(path)
    worst = 0.0
    for number, shape in enumerate(shapes):
        images = torch.rand(*shape, generator=torch.Generator().manual_seed(number))
        with torch.no_grad():
            wanted = net(images)
        got = session.run(None, {name: images.numpy()})
        for mine, its in zip(got, wanted, strict=True):
            scale = max(1.0, float(its.abs().max()))
            worst = max(worst, float(np.abs(mine - its.numpy()).max()) / scale)
    if worst > 1e-3:
        raise ExportError(f"{path} differs from the torch network by {worst:.2g}: do not ship it")
    return worst


def describe(path: Path, entries: dict[str, str]) -> None:
    """Write metadata into the ONNX file."""
    model = onnx.load(str(path))
    for key, value in entries.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
