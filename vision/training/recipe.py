"""What a training run was made from, beside its checkpoint: settings, versions and hashes, to repeat or question it."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from vision.training.material import Material
from vision.weights import sha256_of

PACKAGES = ("taicam", "torch", "ultralytics", "numpy", "opencv-python", "onnx", "onnxruntime", "resvg-py")


def record(network: str, settings: Mapping[str, Any], material: Material, start: Path | None, out: Path) -> Path:
    """Write ``NETWORK.recipe.json`` and, for ``sha256sum --check``, ``NETWORK.data.sha256`` into a folder.

    Files are named from the data folder on (captured ones as ``captured/...``): where it lies on this machine is nobody
    else's business, and the hashes are the same wherever the same files are.

    Args:
        network: ``detector`` or ``rereader``.
        settings: every setting of the run, the seed among them.
        material: the real pictures; each file is hashed.
        start: the checkpoint gone on from, if any.
        out: the folder.

    Returns:
        The path of the JSON file.
    """
    out.mkdir(parents=True, exist_ok=True)
    hashes = out / f"{network}.data.sha256"
    files = material.files()
    hashes.write_text("".join(f"{sha256_of(path)}  {_place(path, material)}\n" for path in files), encoding="utf-8")
    recipe = {
        "network": network,
        "settings": {key: _plain(value) for key, value in settings.items()},
        "started_from": None if start is None else {"file": start.name, "sha256": sha256_of(start)},
        "data": {"files": len(files), "list": hashes.name, "sha256_of_list": sha256_of(hashes)},
        "versions": _versions(PACKAGES),
    }
    path = out / f"{network}.recipe.json"
    path.write_text(json.dumps(recipe, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return value.name if isinstance(value, Path) else value


def _place(path: Path, material: Material) -> str:
    if material.captured is not None and path.is_relative_to(material.captured):
        return (Path("captured") / path.relative_to(material.captured)).as_posix()
    return path.relative_to(material.data).as_posix()


def _versions(packages: Sequence[str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {"python": platform.python_version(), "machine": platform.machine()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found
