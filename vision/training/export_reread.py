"""The re-reader from checkpoint to ONNX, with what makes its odds honest, measured on the validation photos and on
rendered scenes.

The network is shipped in 8 bit: a third of the time on processors that multiply bytes (every ARM or Intel core of the
last years), and about half on those that do not.
"""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import nn

from vision.detector import Detector
from vision.findings import softmax
from vision.metrics import iou_matrix
from vision.rectify import CROP_HEIGHT, CROP_WIDTH
from vision.rereader import Rereader
from vision.session import open_network
from vision.training.classes import CLASSES
from vision.training.export import OPSET, ExportError, describe, write_card
from vision.training.fit_reread import CropStream, RereadRecipe, load
from vision.training.honest import held_back
from vision.training.photos import load_photos, pixels
from vision.training.reread_net import EMBEDDING, MIDDLE, SPREAD

OUTPUTS = ("names", "turns", "embedding")
SAMPLES = 2048  # training crops that the 8-bit network is made with; half as many again check it
RAW = {"temperature": 1.0, "detector_temperature": 1.0, "weight": 1.0}  # what ``calibrate`` has not touched
SCENES = 120  # rendered ones, never trained on, that temperatures are fitted on beside photos
SCENES_SHARE = 0.1  # what they weigh, the photos weigh the rest
HARDLY_MORE = 1.02  # of odds that surprise hardly more the sharpest are taken: every tile asked about costs a tap
CLEARLY = 0.95  # the detector has a say in names only where the surprise is this much less with it
FEWEST = 20  # tiles that temperatures can be fitted on
#: Largest difference of an exported network from the trained one, in shares of how much the answers vary.
ROUNDING, ROUNDING_8_BIT = 1e-3, 0.08


class _Export(nn.Module):  # type: ignore[misc]
    """Crops as they are cut in, BGR bytes; the network's three answers out."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = copy.deepcopy(model)
        first: Any = self.model.body[0][0]
        first.weight.data = first.weight.data.flip(1)  # RGB to BGR

    def forward(self, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """``crops`` Nx64x48x3 BGR bytes."""
        names, turns, embedding = self.model(crops.permute(0, 3, 1, 2).float() / 255)
        return names, turns, embedding


def training_crops(recipe: RereadRecipe, count: int = SAMPLES + SAMPLES // 2) -> NDArray[np.uint8]:
    """Crops as the training saw them (N x 64 x 48 x 3, BGR): what ``export_rereader`` fits its 8 bits to."""
    batches = islice(CropStream(recipe, [recipe.seed, 8]), -(-count // recipe.batch))
    crops = np.concatenate([images.numpy() for images, _, _ in batches])[:count]
    return np.ascontiguousarray(crops[:, ::-1].transpose(0, 2, 3, 1))


def export_rereader(checkpoint: Path, out: Path, *, crops: NDArray[np.uint8] | None) -> dict[str, Any]:
    """Write the re-reader as ONNX and its JSON card without metrics.

    Its odds are raw (all of ``RAW``): see ``calibrated.rereader``.

    Args:
        checkpoint: of ``fit_reread``.
        out: the ``.onnx`` file.
        crops: of ``training_crops``, never of pictures that are to be measured on; two thirds of them choose the steps
            of the 8-bit numbers, the rest check the result. None writes the network in full precision, which is slower.

    Raises:
        ExportError: ONNX and torch disagree by more than rounding.
    """
    model, progress = load(checkpoint)
    net = _Export(model.eval()).eval()
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        net,
        (torch.zeros(2, CROP_HEIGHT, CROP_WIDTH, 3, dtype=torch.uint8),),
        str(out),
        input_names=["crops"],
        output_names=list(OUTPUTS),
        dynamic_axes={name: {0: "count"} for name in ("crops", *OUTPUTS)},
        opset_version=OPSET,
        dynamo=False,
    )
    if crops is None:
        noise = np.random.default_rng(0).integers(0, 256, (9, CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)
        differs = _compare(net, out, noise, ROUNDING)
    else:
        used = len(crops) * 2 // 3
        _to_8_bit(out, crops[:used])
        differs = _compare(net, out, crops[used:], ROUNDING_8_BIT)
    describe(out, {"names": json.dumps(CLASSES), "task": "taicam-rereader"})
    card = {
        "name": out.stem,
        "names": [*CLASSES, "unknown"],
        "input": {"name": "crops", "layout": f"Nx{CROP_HEIGHT}x{CROP_WIDTH}x3, BGR bytes"},
        "outputs": list(OUTPUTS),
        "embedding": EMBEDDING,
        "precision": "32 bit" if crops is None else "8 bit convolutions",
        "training": {key: progress[key] for key in ("steps", "crops")} | {"hours": round(progress["hours"], 3)},
        "onnx_vs_torch": differs,
    }
    return write_card(out, card, RAW)


class _Reader(CalibrationDataReader):  # type: ignore[misc]
    """Crops in the doses that onnxruntime asks for."""

    def __init__(self, crops: NDArray[np.uint8]) -> None:
        self.parts = iter(np.array_split(crops, -(-len(crops) // 64)))

    def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
        part = next(self.parts, None)
        return None if part is None else {"crops": part}


def _to_8_bit(path: Path, crops: NDArray[np.uint8]) -> None:
    """Convolutions, and what lies between them, to 8-bit numbers; the file changes in place.

    Weights take only 7 bits: processors without instructions for bytes add two products in 16 bits, which 8 would
    overflow without a word. The few multiplications at the end stay as they are.
    """
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.onnx"
        quant_pre_process(str(path), str(ready), skip_symbolic_shape=True)
        pixels_in = next(node.input[0] for node in onnx.load(str(ready)).graph.node if node.op_type == "Conv")
        as_bytes = {"scale": np.array(SPREAD / 255, np.float32), "zero_point": np.array(MIDDLE * 255 + 0.5, np.uint8)}
        quantize_static(
            str(ready),
            str(path),
            _Reader(crops),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv", "Add", "Relu"],
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            extra_options={"TensorQuantOverrides": {pixels_in: [as_bytes]}},
        )
    model = onnx.load(str(path))
    _take_bytes(model.graph, pixels_in)
    by_fours(model)
    onnx.save(model, str(path))


def _take_bytes(graph: Any, pixels_in: str) -> None:
    """Give the first convolution the pixels as they come; in place.

    Its 8-bit numbers are the pixels (with a middle of 128 instead of 127.5, which no crop can tell): the way over
    floating point and back goes.
    """
    makers = {output: node for node in graph.node for output in node.output}
    to_bytes = next(n for n in graph.node if n.op_type == "QuantizeLinear" and n.input[0] == pixels_in)
    needless = [to_bytes]
    while (before := makers[needless[-1].input[0]]).op_type != "Transpose":
        needless.append(before)
    for node in graph.node:
        node.input[:] = [before.output[0] if name == to_bytes.output[0] else name for name in node.input]
    for node in needless:
        graph.node.remove(node)


def by_fours(model: Any) -> None:
    """Let the first convolution of an 8-bit network (3 x 3, stride 2) see four pixels of a row as one of 12 channels
    and answer for two as one; in place.

    The sums are the same to the last bit, in a quarter of the time: onnxruntime's fast byte convolutions want channels
    in fours, and three colours went the slow way, which took a quarter of the whole network.
    """
    graph = model.graph
    values = {entry.name: entry for entry in graph.initializer}
    nodes = list(graph.node)
    makers = {output: node for node in nodes for output in node.output}
    convolution = next(node for node in nodes if node.op_type == "Conv")
    after = next(node for node in nodes if convolution.output[0] in node.input)
    weights, bias = (makers[name] for name in convolution.input[1:])
    stands = next(node for node in nodes if node.op_type == "Transpose")

    def replace(name: str, array: NDArray[Any]) -> None:
        values[name].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), name))

    kernel = numpy_helper.to_array(values[weights.input[0]])
    count = len(kernel)
    wide = np.zeros((2 * count, 12, 3, 2), kernel.dtype)  # over the four pixels before and these four
    for which, middle in enumerate((4, 6)):  # of the eight, those that the two answers are for
        for k in range(3):
            four, pixel = divmod(middle - 1 + k, 4)
            wide[which * count : (which + 1) * count, 3 * pixel : 3 * pixel + 3, :, four] = kernel[..., k]
    replace(weights.input[0], wide)
    for name in (*weights.input[1:], *bias.input):
        replace(name, np.tile(numpy_helper.to_array(values[name]), 2))
    attributes = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 1, 1, 0]}
    kept = [entry for entry in convolution.attribute if entry.name not in attributes]
    del convolution.attribute[:]
    convolution.attribute.extend([*kept, *(helper.make_attribute(name, value) for name, value in attributes.items())])
    shapes = {"fours": [0, CROP_HEIGHT, CROP_WIDTH // 4, 12], "halved": [0, CROP_HEIGHT // 2, CROP_WIDTH // 2, count]}
    graph.initializer.extend(numpy_helper.from_array(np.array(shape), name) for name, shape in shapes.items())
    into = helper.make_node("Reshape", [stands.input[0], "fours"], ["crops_by_fours"])
    stands.input[0] = into.output[0]
    answers, after.output[0] = after.output[0], "answers_by_two"
    apart = [
        helper.make_node("Transpose", [after.output[0]], ["answers_by_two_last"], perm=[0, 2, 3, 1]),
        helper.make_node("Reshape", ["answers_by_two_last", "halved"], ["answers_last"]),
        helper.make_node("Transpose", ["answers_last"], [answers], perm=[0, 3, 1, 2]),
    ]
    nodes.insert(nodes.index(stands), into)
    place = nodes.index(after) + 1
    nodes[place:place] = apart
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]  # shapes of before
    onnx.checker.check_model(model)


def _compare(net: nn.Module, path: Path, crops: NDArray[np.uint8], most: float) -> dict[str, float]:
    """How the exported network differs from the trained one on these crops.

    Returns:
        ``rounding``, the largest over the three outputs of the mean square difference against the outputs' own variance
        (square roots of both), ``same_name``, ``same_turn`` (shares) and ``odds``, the largest difference in odds.

    Raises:
        ExportError: ``rounding`` above ``most``.
    """
    with torch.no_grad():
        wanted = [part.numpy() for part in net(torch.from_numpy(crops))]
    got = open_network(path).run(None, {"crops": crops})
    rounding = max(
        float(np.sqrt(np.square(mine - its).mean() / max(float(np.square(its - its.mean(0)).mean()), 1e-12)))
        for mine, its in zip(got, wanted, strict=True)
    )
    if not rounding <= most:
        raise ExportError(
            f"{path} differs from the trained network by {rounding:.2g} of what its answers vary, {most:.2g} is usual: "
            "do not ship it; train on, or export it in full precision (crops=None)"
        )
    same = [float((mine.argmax(1) == its.argmax(1)).mean()) for mine, its in zip(got[:2], wanted[:2], strict=True)]
    odds = float(np.abs(softmax(got[0]) - softmax(wanted[0])).max())
    return {
        "rounding": float(f"{rounding:.3g}"),
        "same_name": round(same[0], 4),
        "same_turn": round(same[1], 4),
        "odds": float(f"{odds:.3g}"),
    }


def calibrate(detector: Detector, rereader: Rereader, data: Path, split: str = "val") -> dict[str, float]:
    """Temperatures of both networks and the weight between them that give the true names the best odds.

    Uses findings that lie on a labelled tile, of photos and of rendered scenes with sets no training has drawn:
    validation photos come from tables like those trained on, and alone would make the networks too sure of sets they
    have never seen. The scenes weigh little, for among them are many that nobody would play by. Never call it with the
    test split.

    Raises:
        ValueError: for the test split; or fewer than 20 labelled tiles were found in the photos, too few to fit.
    """
    if split == "test":
        raise ValueError("calibration on the test split would spoil it: use val")
    photos = _collect(detector, rereader, _photos(data, split))
    if len(photos.labels) < FEWEST:
        raise ValueError(f"{len(photos.labels)} labelled tiles were found in the {split} photos: too few to fit")
    parts = ((1 - SCENES_SHARE, photos), (SCENES_SHARE, _collect(detector, rereader, _scenes())))
    grid = np.exp(np.linspace(np.log(0.3), np.log(4), 60))
    t_r = float(min(grid, key=lambda t: sum(share * _loss(part.own / t, part.labels) for share, part in parts)))
    t_d = float(min(grid, key=lambda t: sum(share * _loss(part.detectors / t, part.labels) for share, part in parts)))

    def surprise(weight: float) -> float:  # on the photos: what the detector names is worth little elsewhere
        return _loss(photos.named(t_r, t_d, weight), photos.labels)

    weight = float(min(np.linspace(0.4, 1, 25), key=surprise))
    weight = weight if surprise(weight) < CLEARLY * surprise(1.0) else 1.0

    def together(sharper: float) -> float:
        both = (share * _loss(part.named(t_r, t_d, weight) / sharper, part.labels) for share, part in parts)
        return sum(both)

    tried = np.linspace(1.0, 0.6, 41)
    most = HARDLY_MORE * min(together(each) for each in tried)
    sharper = float(min(each for each in tried if together(each) <= most))
    return {"temperature": t_r * sharper, "detector_temperature": t_d * sharper, "weight": weight}


Scores = NDArray[np.float64]
Labelled = tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.int64]]  # picture, boxes Nx4, classes


class _Found(NamedTuple):
    """Log odds of the re-reader and raw scores of the detector, NxC, and the true classes."""

    own: Scores
    detectors: Scores
    labels: NDArray[np.int64]

    def named(self, own_temperature: float, detector_temperature: float, weight: float) -> Scores:
        """Log odds of both networks together, not scaled to add up to one."""
        mine, its = _log_softmax(self.own / own_temperature), _log_softmax(self.detectors / detector_temperature)
        return weight * mine + (1 - weight) * its


def _photos(data: Path, split: str) -> Iterator[Labelled]:
    for photo in load_photos(data, split):
        yield pixels(photo.path), photo.boxes.astype(np.float64), photo.classes


def _scenes() -> Iterator[Labelled]:
    for scene in held_back(SCENES):
        tiles = [tile for tile in scene.tiles if not tile.ignore]
        boxes = np.array([tile.box for tile in tiles], np.float64).reshape(-1, 4)
        yield np.ascontiguousarray(scene.image), boxes, np.array([CLASSES.index(tile.code) for tile in tiles])


def _collect(detector: Detector, rereader: Rereader, pictures: Iterable[Labelled]) -> _Found:
    mine, its, labels = [], [], []
    order = [detector.names.index(name) for name in rereader.names]
    for image, boxes, classes in pictures:
        found = detector.find(image)
        if not len(found) or not len(boxes):
            continue
        odds = rereader.odds(image, found)
        iou = iou_matrix(boxes, found.boxes.astype(np.float64))
        for k, code in enumerate(classes):
            best = int(iou[k].argmax())
            if iou[k, best] > 0.5:
                mine.append(np.log(np.maximum(odds[best], 1e-9)))
                its.append(found.classes[best, order])
                labels.append(rereader.names.index(CLASSES[int(code)]))
    return _Found(np.array(mine, np.float64), np.array(its, np.float64), np.array(labels))


def _log_softmax(scores: Scores) -> Scores:
    high = scores.max(axis=1, keepdims=True)
    return np.asarray(scores - high - np.log(np.exp(scores - high).sum(axis=1, keepdims=True)))


def _loss(scores: Scores, labels: NDArray[np.int64]) -> float:
    return float(-_log_softmax(scores)[np.arange(len(labels)), labels].mean())
