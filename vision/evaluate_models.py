"""Which networks to measure: files, folders and names, as pairs of a detector and a re-reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vision.detector import Detector
from vision.rereader import Rereader
from vision.session import open_network
from vision.weights import WeightsError, model_path

SHIPPED = "shipped"
_OUTPUTS = {("boxes", "tile", "classes", "pose"): "tiles", ("names", "turns", "embedding"): "rereader"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two networks that read together."""

    name: str
    tiles: Path
    rereader: Path

    def detector(self, size: int = 640, *, reread: bool = True, adapt: bool = True) -> Detector:
        """The reader. Raises WeightsError, ValueError as `Detector` does."""
        second = Rereader(self.rereader) if reread else False
        return Detector(self.tiles, size, rereader=second, adapt=adapt)


def kind_of(path: Path) -> str:
    """``tiles`` or ``rereader``, by what the network answers with. Raises WeightsError when it is neither."""
    outputs = tuple(output.name for output in open_network(path, 1).get_outputs())
    if outputs not in _OUTPUTS:
        raise WeightsError(f"{path} is neither a tile detector nor a re-reader: export one with 'taicam train'")
    return _OUTPUTS[outputs]


def candidates(words: Sequence[str]) -> list[Candidate]:
    """One candidate a word: ``shipped``, an .onnx file, or a folder with tiles.onnx, rereader.onnx or both.

    What a word leaves out is the shipped network. Names are as short as tells them apart. Raises WeightsError for what
    is not there or no such network.
    """
    found = [_paths(word) for word in words]
    short = [Path(word).stem for word in words]
    names = [name if short.count(name) == 1 else word for name, word in zip(short, words, strict=True)]
    if len(set(names)) < len(names):
        raise WeightsError(f"one model is named twice among {', '.join(words)}: name each once")
    return [Candidate(name, *paths) for name, paths in zip(names, found, strict=True)]


def _paths(word: str) -> tuple[Path, Path]:
    path = Path(word)
    chosen: dict[str, Path] = {}
    if path.is_dir():
        chosen = {kind: path / f"{kind}.onnx" for kind in ("tiles", "rereader") if (path / f"{kind}.onnx").is_file()}
        if not chosen:
            raise WeightsError(f"{path} holds neither tiles.onnx nor rereader.onnx: name the folder that does")
    elif path.is_file():
        chosen = {kind_of(path): path}
    elif word != SHIPPED:
        raise WeightsError(f"there is no model {word}: give an .onnx file, a folder with tiles.onnx, or '{SHIPPED}'")
    return chosen.get("tiles") or model_path("tiles"), chosen.get("rereader") or model_path("rereader")
