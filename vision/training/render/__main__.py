"""Rendered training pictures on disk: ``python -m vision.training.render --out DIR -n 200 --seed 1``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import cv2

from vision.training.classes import CLASSES
from vision.training.render.raster import RenderError
from vision.training.render.render import ARRANGEMENTS, render_scene
from vision.training.render.sets import Sources


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m vision.training.render",
        description="Render pictures of mahjong tiles with complete truth: YOLO images and labels, truth as JSON.",
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="folder to write images/, labels/, truth/ and data.yaml to"
    )
    parser.add_argument("-n", type=int, default=200, help="how many pictures (default 200)")
    parser.add_argument(
        "--seed", type=int, default=1, help="number of the first scene; the same seed, the same picture"
    )
    parser.add_argument("--size", default="640x640", help="width x height in pixels (default 640x640)")
    parser.add_argument("--layout", choices=sorted(ARRANGEMENTS), help="only this layout")
    parser.add_argument("--faces", type=Path, help="data directory with crops/ and art/ to paint faces from")
    return parser.parse_args()


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise RenderError(f"--size {text!r} is not WIDTHxHEIGHT, such as 640x640") from None
    if not (64 <= width <= 4096 and 64 <= height <= 4096):
        raise RenderError(f"--size {text!r}: each side must be 64 to 4096 pixels")
    return width, height


def _write(arguments: argparse.Namespace) -> None:
    size = _size(arguments.size)
    out: Path = arguments.out
    for name in ("images", "labels", "truth"):
        (out / name).mkdir(parents=True, exist_ok=True)
    sources = Sources.beside(arguments.faces) if arguments.faces else Sources()
    started = time.perf_counter()
    for seed in range(arguments.seed, arguments.seed + arguments.n):
        scene = render_scene(seed, layout=arguments.layout, size=size, sources=sources)
        name = f"render_{seed:07d}"
        cv2.imwrite(str(out / "images" / f"{name}.jpg"), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
        (out / "labels" / f"{name}.txt").write_text("\n".join(scene.labels(CLASSES)) + "\n", encoding="utf-8")
        (out / "truth" / f"{name}.json").write_text(json.dumps(scene.to_json(), ensure_ascii=False), encoding="utf-8")
    names = "\n".join(f"  {i}: '{name}'" for i, name in enumerate(CLASSES))
    (out / "data.yaml").write_text(f"path: .\ntrain: images\nval: images\nnames:\n{names}\n", encoding="utf-8")
    seconds = time.perf_counter() - started
    sys.stdout.write(f"{arguments.n} pictures in {seconds:.1f} s ({arguments.n / seconds:.1f} a second) in {out}\n")


def main() -> int:
    """Run the command; returns the exit status."""
    arguments = _arguments()
    try:
        if arguments.n < 1:
            raise RenderError(f"-n {arguments.n}: ask for at least one picture")
        if arguments.faces and not arguments.faces.is_dir():
            raise RenderError(f"--faces {arguments.faces}: no such folder")
        _write(arguments)
    except (RenderError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, RenderError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
