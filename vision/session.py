"""ONNX networks opened the way a small machine likes it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

# From 1.29 on, onnxruntime reports to its maker and keeps a machine number in HOME once imported, unless told not to.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

# isort: split

import onnxruntime as ort

from vision.weights import WeightsError


def usable_cores() -> int:
    """Cores this process may use (containers and ``taskset`` give fewer than the machine has)."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not on this system
        return max(1, os.cpu_count() or 1)


def open_network(path: Path, threads: int | None = None) -> Any:
    """An ``onnxruntime.InferenceSession`` with threads to match and no busy waiting.

    Args:
        path: the ``.onnx`` file.
        threads: worker threads; by default the usable cores, at most four.

    Raises:
        WeightsError: the file is no network onnxruntime can open.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads or min(4, usable_cores())
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own kinds, none of them public
        raise WeightsError(f"{path} cannot be opened as an ONNX network ({error}): restore the file") from error
