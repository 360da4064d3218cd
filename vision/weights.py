"""Where the trained networks lie, and whether they are whole.

In a checkout they are in ``models/``; an installed wheel carries them as ``vision/_models``. Each network ``NAME.onnx``
has a ``NAME.json`` beside it with its sha256, class names, input size and measured figures.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent


class WeightsError(ValueError):
    """A network is missing or damaged; the message says which file and what to do."""


def model_folders() -> tuple[Path, ...]:
    """Folders searched, in order: ``TAICAM_MODELS`` where set, the checkout, the installed wheel."""
    chosen = os.environ.get("TAICAM_MODELS")
    first = (Path(chosen),) if chosen else ()
    return (*first, _HERE.parent / "models", _HERE / "_models")


def model_path(name: str) -> Path:
    """Path of ``NAME.onnx``, after checking it against the sha256 in ``NAME.json``.

    Args:
        name: ``tiles``, ``rereader`` or ``stacked`` (without ending).

    Raises:
        WeightsError: not found, or the file does not match its card.
    """
    for folder in model_folders():
        path = folder / f"{name}.onnx"
        if path.is_file():
            _check(path, path.stat().st_mtime_ns)
            return path
    places = ", ".join(str(folder) for folder in model_folders())
    raise WeightsError(
        f"no network {name}.onnx in {places}: reinstall taicam, check the repository out anew, "
        "or set TAICAM_MODELS to the folder that holds it"
    )


def model_card(path: Path) -> dict[str, Any]:
    """The JSON card beside a network; empty when there is none.

    Raises:
        WeightsError: the card is there but is not JSON.
    """
    card = path.with_suffix(".json")
    if not card.is_file():
        return {}
    try:
        data = json.loads(card.read_text(encoding="utf-8"))
    except ValueError as error:
        raise WeightsError(f"{card} is not valid JSON ({error}): restore it from the repository") from error
    return data if isinstance(data, dict) else {}


def sha256_of(path: Path) -> str:
    """Hexadecimal sha256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


@lru_cache(maxsize=32)
def _check(path: Path, _changed: int) -> None:
    wanted = model_card(path).get("sha256")
    if wanted and sha256_of(path) != wanted:
        raise WeightsError(
            f"{path} does not match the sha256 in {path.with_suffix('.json').name}: the file is damaged or half "
            "replaced; restore both from the same version"
        )
