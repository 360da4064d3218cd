"""What tests of more than one package share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from taicam.models_compare import GateRow
from taicam.models_registry import ModelRegistry
from vision.weights import WeightsError, model_path


@pytest.fixture
def networks() -> None:
    """Skips the test where the shipped networks are not there."""
    try:
        model_path("tiles")
        model_path("rereader")
    except WeightsError as error:
        pytest.skip(f"the networks are not here: {error}")


@pytest.fixture
def promote_rereader(networks: None, tmp_path: Path) -> Callable[[Path], None]:
    """Puts another re-reader in use in a data folder, as version 0001: the shipped one with one more entry of metadata,
    which is another file and answers the same."""

    def promote(data_dir: Path) -> None:
        path = tmp_path / "rereader.onnx"
        entry = b"\x0a\x01x\x12\x03new"  # StringStringEntryProto: key "x", value "new"
        path.write_bytes(model_path("rereader").read_bytes() + bytes([0x72, len(entry)]) + entry)
        registry = ModelRegistry(data_dir)
        version = registry.add("rereader", path).version
        registry.promote("rereader", version, lambda _: [GateRow(f"{n}.jpg", 10, 10, True) for n in range(20)])

    return promote
