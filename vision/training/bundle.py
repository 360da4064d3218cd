"""One file with everything to train from, for a machine that has nothing else: data, settings, code version.

``make_bundle`` packs the real photos (re-encoded where needed to stay under the limit), the crops, the art and the
present checkpoints; ``unpack`` lays them out again as a data folder. ``python -m vision.training.bundle FILE OUT``
trains from a bundle on whatever device torch finds.
"""

from __future__ import annotations

import io
import os
import sys
import tarfile
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np

LIMIT = 64 * 1024 * 1024
#: (JPEG quality, longest side) of the photos, tried in turn; zeros keep the files as they are.
SQUEEZES = ((0, 0), (80, 853), (75, 720), (70, 640), (55, 640))


class BundleError(ValueError):
    """The bundle cannot be made or used; the message says why."""


def _members(data: Path, splits: tuple[str, ...]) -> list[Path]:
    real = data / "real"
    if not (real / "data.yaml").is_file():
        raise BundleError(f"{real / 'data.yaml'} is missing: name the folder that holds real/, crops/ and art/")
    out = [real / "data.yaml"]
    for split in splits:
        out += sorted((real / "images" / split).glob("*.jpg")) + sorted((real / "labels" / split).glob("*.txt"))
    out += sorted((data / "crops").glob("*/*.jpg")) + sorted((data / "art").glob("*/png/*.png"))
    return out


def make_bundle(
    data: Path, out: Path, checkpoints: tuple[Path, ...] = (), splits: tuple[str, ...] = ("train", "val")
) -> int:
    """Write a bundle below 64 MiB and return its size in bytes.

    Args:
        data: folder with ``real/``, ``crops/`` and, where wanted, ``art/``.
        out: the ``.tar.gz`` file.
        checkpoints: to go on from.
        splits: of the real photos; ``test`` is refused.

    Raises:
        BundleError: the test split is asked for, data is missing, or nothing gets it under the limit.
    """
    if "test" in splits:
        raise BundleError("the test split never goes into training: leave it out")
    members = _members(data, splits)
    plain = sum(path.stat().st_size for path in members)
    for quality, side in SQUEEZES:
        if not quality and plain > LIMIT:
            continue
        size = _write(data, members, out, checkpoints, quality, side)
        if size < LIMIT:
            return size
    out.unlink()
    raise BundleError(f"the data does not fit into {LIMIT >> 20} MiB: leave out a split")


def _write(data: Path, members: list[Path], out: Path, checkpoints: tuple[Path, ...], quality: int, side: int) -> int:
    out.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out, "w:gz", compresslevel=1) as tar:
        for path in members:
            blob = path.read_bytes()
            if quality and path.suffix == ".jpg" and "real" in path.relative_to(data).parts:
                blob = _squeezed(path, quality, side) or blob
            _add(tar, str(Path("data") / path.relative_to(data)), blob)
        for path in checkpoints:
            if path.is_file():
                _add(tar, f"checkpoints/{path.name}", path.read_bytes())
    return out.stat().st_size


def _squeezed(path: Path, quality: int, side: int) -> bytes:
    image = np.asarray(cv2.imread(os.fspath(path)), np.uint8)
    scale = side / max(image.shape[:2])
    if scale < 1:
        image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes() if ok else b""


def _add(tar: tarfile.TarFile, name: str, blob: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(blob)
    tar.addfile(entry, io.BytesIO(blob))


def unpack(bundle: Path, folder: Path) -> Path:
    """Unpack a bundle and return its data folder.

    Raises:
        BundleError: it is no bundle.
    """
    try:
        with tarfile.open(bundle) as tar:
            tar.extractall(folder, filter="data")
    except (OSError, tarfile.TarError) as error:
        raise BundleError(
            f"{bundle} is no bundle ({error}): make one with 'taicam train --make-bundle FILE'"
        ) from error
    if not (folder / "data" / "real" / "data.yaml").is_file():
        raise BundleError(f"{bundle} holds no data/real/data.yaml: make it anew with 'taicam train --make-bundle FILE'")
    return folder / "data"


def main(arguments: list[str]) -> None:
    """Train the detector from a bundle: FILE OUT [HOURS]. Meant for a machine with many cores and a GPU or several."""
    from vision.training.fit import Recipe, fit  # noqa: PLC0415
    from vision.training.recipe import record  # noqa: PLC0415
    from vision.training.stream import Mixture  # noqa: PLC0415
    from vision.training.workers import hands  # noqa: PLC0415

    bundle, out = Path(arguments[0]), Path(arguments[1])
    hours = float(arguments[2]) if len(arguments) > 2 else 0.15
    data = unpack(bundle, out / "bundle")
    processes, workers = hands(None)
    resume = out / "bundle" / "checkpoints" / "detector.pt"
    recipe = Recipe(
        hours=hours, batch=96, rate=3e-3, decay_share=0.4, processes=processes, workers=workers, threads=2, meet=1
    )
    mixture = Mixture(data=data, photos=0.35, composites=0.35, rendered=0.3, size=416, tile=(16.0, 140.0))
    start = resume if resume.is_file() else None
    record("detector", {"recipe": asdict(recipe), "mixture": asdict(mixture)}, mixture.material, start, out)
    fit(recipe, mixture, out, start)


if __name__ == "__main__":
    main(sys.argv[1:])
