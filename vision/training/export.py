"""From a checkpoint to ``models/*.onnx``, checked against the network it came from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
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
    """Rendered tiles as an input of this shape (RGB, 0..1): whole scenes, or where that is too small single tiles."""
    from vision.training.render import render_scene  # noqa: PLC0415  (takes a second, and only exports need it)

    count, _, height, width = shape
    whole = min(height, width) >= 192
    side = (width, height) if whole else (480, 360)
    pictures: list[NDArray[np.uint8]] = []
    for seed in range(count):
        scene = render_scene(SAMPLE_SEED + seed, "hand", size=side)
        x1, y1, x2, y2 = (max(0, round(v)) for v in scene.tiles[0].box)
        seen = scene.image if whole else cv2.resize(scene.image[y1:y2, x1:x2], (width, height))
        pictures.append(np.asarray(seen, np.uint8))
    stacked = np.stack(pictures)[..., ::-1].transpose(0, 3, 1, 2)
    return np.ascontiguousarray(stacked, np.float32) / np.float32(255)


def describe(path: Path, entries: dict[str, str]) -> None:
    """Write metadata into the ONNX file."""
    model = onnx.load(str(path))
    for key, value in entries.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
